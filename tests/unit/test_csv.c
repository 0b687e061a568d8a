/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV reader and the number formats: what reports are read and written with. */
#include "base/buf.h"
#include "base/csv.h"
#include "base/fmt.h"
#include "base/limits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Reads all of TEXT and gives it back as "cell|cell@line;", or the error's name. */
static char *csv_walk(const char *text, size_t len)
{
	struct buf out = BUF_INIT;
	struct tacho_error err;
	struct csv_row row;
	struct csv *csv;
	int r;

	assert_int_equal(csv_open_memory(&csv, text, len, &err), 0);
	while ((r = csv_next(csv, &row, &err)) > 0) {
		for (size_t i = 0; i < row.n; i++) {
			buf_adds(&out, i ? "|" : "");
			buf_add(&out, row.cells[i].text, row.cells[i].len);
		}
		buf_addf(&out, "@%llu;", (unsigned long long)row.line);
	}
	if (r < 0)
		buf_addf(&out, "error %d", r);
	csv_close(csv);
	return buf_detach(&out);
}

static void expect_walk(const char *text, const char *want)
{
	char *got = csv_walk(text, strlen(text));

	assert_string_equal(got, want);
	free(got);
}

/* Cells, quotes and line ends at every place of the blocks that the reader scans. */
static void blocks_expect(void **state)
{
	char text[2048], want[2048], x[200], line[] = "\r\n";

	(void)state;
	for (int n = 0; n < 200; n++) {
		memset(x, 'x', sizeof(x));
		x[n] = 0;
		line[n % 2] = n % 2 ? 0 : '\r';
		line[1] = n % 2 ? 0 : '\n';
		snprintf(text, sizeof(text), "%s,\"%s\"\"\n,%s\",%s,,%s%s1,\"%s\",2", x, x, x, x, x,
			 line, x);
		snprintf(want, sizeof(want), "%s|%s\"\n,%s|%s||%s@1;1|%s|2@3;", x, x, x, x, x, x);
		expect_walk(text, want);
	}
}

static void records_expect(void **state)
{
	(void)state;
	expect_walk("", "");
	expect_walk("a,b\n1,2\n", "a|b@1;1|2@2;");
	expect_walk("a,b\r\n1,2\r\n", "a|b@1;1|2@2;");
	expect_walk("a,b\r1,2", "a|b@1;1|2@2;");
	expect_walk("\xef\xbb\xbf"
		    "a\n",
		    "a@1;");
	expect_walk("a,,\n,,c\n", "a||@1;||c@2;");
	expect_walk("\n \t\na\n\nb", "a@3;b@5;");
	expect_walk("a\n,\n", "a@1;|@2;");
}

static void quotes_expect(void **state)
{
	char want[40];

	(void)state;
	expect_walk("\"a,b\",\"c\"\"d\"\n", "a,b|c\"d@1;");
	expect_walk("\"x\ny\r\nz\",1\nnext\n", "x\ny\r\nz|1@1;next@4;");
	expect_walk("\"\",\"\"\"\"\n", "|\"@1;");
	expect_walk("a\"b,c\n", "a\"b|c@1;");     /* a quote inside is a quote */
	expect_walk("\"ab\"cd,e\n", "abcd|e@1;"); /* text after the closing one is kept */
	snprintf(want, sizeof(want), "a@1;error %d", TACHO_EDAMAGED);
	expect_walk("a\n\"never\nclosed", want);
}

/* A record larger than the window, after one that is not, from a file. */
static void large_record(void **state)
{
	char path[] = "/tmp/test_csv.XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	struct tacho_error err;
	struct csv_row row;
	struct csv *csv;

	(void)state;
	fprintf(file, "small,\"");
	for (int i = 0; i < 3 << 20; i++)
		fputc(i % 70 ? 'x' : '\n', file);
	fprintf(file, "\",end\r\nlast,1\r\n");
	fclose(file);
	assert_int_equal(csv_open(&csv, path, &err), 0);
	assert_int_equal(csv_next(csv, &row, &err), 1);
	assert_int_equal(row.n, 3);
	assert_int_equal(row.cells[1].len, 3 << 20);
	assert_memory_equal(row.cells[2].text, "end", 3);
	assert_int_equal(csv_next(csv, &row, &err), 1);
	assert_int_equal(row.line, (3 << 20) / 70 + 1 + 2);
	assert_int_equal(csv_next(csv, &row, &err), 0);
	csv_close(csv);
	unlink(path);
}

/* Whatever way the blocks of a file fall, the records are the same. */
static void any_window(void **state)
{
	struct tacho_error err;
	struct csv_row row;
	struct csv *csv;
	char path[] = "/tmp/test_csv.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");

	(void)state;
	for (int i = 0; i < 60000; i++)
		fprintf(file, "%d,\"a\"\"%d\nb\",%*s\r\n", i, i, i % 97, "");
	fclose(file);
	assert_int_equal(csv_open(&csv, path, &err), 0);
	for (int i = 0; i < 60000; i++) {
		char want[40];

		assert_int_equal(csv_next(csv, &row, &err), 1);
		assert_int_equal(row.n, 3);
		snprintf(want, sizeof(want), "a\"%d\nb", i);
		assert_int_equal(row.cells[1].len, strlen(want));
		assert_memory_equal(row.cells[1].text, want, strlen(want));
		assert_int_equal(row.cells[2].len, (size_t)(i % 97));
		assert_int_equal(row.line, 2 * i + 1);
	}
	assert_int_equal(csv_next(csv, &row, &err), 0);
	csv_close(csv);
	unlink(path);
}

static void not_a_file(void **state)
{
	struct tacho_error err;
	struct csv *csv;

	(void)state;
	assert_int_equal(csv_open(&csv, "/nowhere/at/all", &err), TACHO_EREAD);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
	assert_int_equal(csv_open(&csv, "/", &err), TACHO_EREAD);
	assert_non_null(strstr(err.text, "directory"));
}

static void too_many_cells(void **state)
{
	char *commas = malloc(LIMIT_CSV_CELLS + 2), want[40];
	char *got;

	(void)state;
	memset(commas, ',', LIMIT_CSV_CELLS + 2);
	got = csv_walk(commas, LIMIT_CSV_CELLS + 2);
	snprintf(want, sizeof(want), "error %d", TACHO_ELIMIT);
	assert_string_equal(got, want);
	free(got);
	free(commas);
}

static void numbers_expect(void **state)
{
	static const struct {
		const char *text;
		enum csv_number what;
		double value;
	} cases[] = {
		{"", CSV_BLANK, 0},
		{"nan", CSV_BLANK, 0},
		{"N/A", CSV_BLANK, 0},
		{"#N/A N/A", CSV_BLANK, 0},
		{"  ", CSV_BLANK, 0},
		{"0", CSV_INT, 0},
		{"7168", CSV_INT, 7168},
		{" 12 ", CSV_INT, 12},
		{"-5", CSV_INT, -5},
		{"+5", CSV_INT, 5},
		{"1.5", CSV_REAL, 1.5},
		{".5", CSV_REAL, 0.5},
		{"5.", CSV_REAL, 5},
		{"1e3", CSV_REAL, 1000},
		{"2E-2", CSV_REAL, 0.02},
		{"0.001", CSV_REAL, 0.001},
		{"123456.789", CSV_REAL, 123456.789},
		{"1e-310", CSV_REAL, 1e-310},
		{"1e23", CSV_REAL, 1e23},
		{"8.212742919913083e-08", CSV_REAL, 8212742919913083e0 / 1e23},
		{"1e210", CSV_REAL, 1e210},
		{"9223372036854775807", CSV_INT, 0x1p63},
		{"abc", CSV_NO_NUMBER, 0},
		{"1x", CSV_NO_NUMBER, 0},
		{"1e", CSV_NO_NUMBER, 0},
		{"inf", CSV_REAL, INFINITY},
		{"+Infinity", CSV_REAL, INFINITY},
		{"-INF", CSV_REAL, -INFINITY},
		{" inf", CSV_NO_NUMBER, 0},
		{"infin", CSV_NO_NUMBER, 0},
		{"1e999", CSV_NO_NUMBER, 0},
		{"-", CSV_NO_NUMBER, 0},
		{"0x10", CSV_NO_NUMBER, 0},
		{"1,000", CSV_NO_NUMBER, 0},
		{"--1", CSV_NO_NUMBER, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double value;
		enum csv_number what =
			csv_number((struct csv_cell){cases[i].text, strlen(cases[i].text)}, &value);

		if (cases[i].what != CSV_INT || cases[i].value < 0x1p62)
			assert_int_equal(what, cases[i].what);
		if (what == CSV_INT || what == CSV_REAL)
			assert_true(value == cases[i].value ||
				    fabs(value / cases[i].value - 1) < 1e-15);
		else
			assert_true(isnan(value));
	}
}

static void integers_expect(void **state)
{
	int64_t n;

	(void)state;
	assert_int_equal(csv_integer((struct csv_cell){"1763237012345678901", 19}, &n), 0);
	assert_true(n == 1763237012345678901);
	assert_int_equal(csv_integer((struct csv_cell){" -7 ", 4}, &n), 0);
	assert_true(n == -7);
	assert_true(csv_integer((struct csv_cell){"1.5", 3}, &n) < 0);
	assert_true(csv_integer((struct csv_cell){"", 0}, &n) < 0);
	assert_true(csv_integer((struct csv_cell){"99999999999999999999", 20}, &n) < 0);
}

static void written_cells(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	csv_add(&out, "plain text", 10);
	csv_add(&out, ",", 1);
	csv_add(&out, "say \"a\"", 7);
	csv_add(&out, "\n", 1);
	assert_string_equal(out.data, "plain text\",\"\"say \"\"a\"\"\"\"\n\"");
	buf_free(&out);
}

static void fixed_expect(void **state)
{
	static const struct {
		double value;
		int decimals;
		const char *want;
	} cases[] = {
		{0, 0, "0"},
		{1234.5, 0, "1,234"},
		{1235.5, 0, "1,236"},
		{0.25, 1, "0.2"},
		{0.35, 1, "0.3"},
		{999.95, 1, "1,000.0"},
		{-0.3, 0, "-0"},
		{-1234567.891, 2, "-1,234,567.89"},
		{0.15, 1, "0.1"},
		{2.5, 0, "2"},
		{99999999.5, 0, "100,000,000"},
		{1e15, 0, "1,000,000,000,000,000"},
	};
	char text[FMT_FIXED_SIZE], plain[FMT_FIXED_SIZE], want[FMT_FIXED_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = fmt_fixed(text, cases[i].value, cases[i].decimals);

		assert_string_equal(text, cases[i].want);
		assert_int_equal(n, strlen(text));
	}
	srand48(1);
	for (int i = 0; i < 200000; i++) {
		double value =
			i % 2 ? exp((drand48() - 0.5) * 50) : (double)lrand48() / (1 << i % 24);
		size_t n = 0;

		fmt_fixed(text, value, i % 3);
		for (const char *p = text; *p; p++)
			if (*p != ',')
				plain[n++] = *p;
		plain[n] = 0;
		snprintf(want, sizeof(want), "%.*f", i % 3, value);
		assert_string_equal(plain, want);
	}
}

/* Reads back as the same double, and no 16 digits do when it has 17. */
static void shortest_expect(void **state)
{
	char text[FMT_SIZE];

	(void)state;
	assert_string_equal(fmt_python(text, 7168), "7168.0");
	assert_string_equal(fmt_python(text, 1e16), "1e+16");
	assert_string_equal(fmt_python(text, 1.5e-5), "1.5e-05");
	assert_string_equal(fmt_python(text, 0.0001), "0.0001");
	assert_string_equal(fmt_python(text, 1e-320), "1e-320");
	assert_string_equal(fmt_python(text, 0x1p-1074), "5e-324");
	assert_string_equal(fmt_python(text, 1.2345e-310), "1.2345e-310");
	assert_string_equal(fmt_python(text, 0x1p-1022), "2.2250738585072014e-308");
	assert_string_equal(fmt_python(text, 0), "0.0");
	assert_string_equal(fmt_python(text, NAN), "nan");
	assert_string_equal(fmt_python(text, -INFINITY), "-inf");
	assert_string_equal(fmt_python(text, 1663692675475.53125), "1663692675475.5312");
	assert_string_equal(fmt_double(text, 0.1), "0.1");
	assert_string_equal(fmt_double(text, -3), "-3");
	assert_null(fmt_double(text, INFINITY));
	srand48(2);
	for (int i = 0; i < 200000; i++) {
		double value = i % 3 ? drand48() * 100 : exp((drand48() - 0.5) * 200);
		char sixteen[FMT_SIZE];
		size_t digits = 0;

		fmt_double(text, value);
		assert_true(strtod(text, NULL) == value);
		for (const char *p = text; *p && *p != 'e'; p++)
			digits += *p >= '0' && *p <= '9' && (digits || *p != '0');
		snprintf(sixteen, sizeof(sixteen), "%.15e", value);
		assert_true(digits <= 16 || strtod(sixteen, NULL) != value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_expect),  cmocka_unit_test(blocks_expect),
		cmocka_unit_test(quotes_expect),   cmocka_unit_test(large_record),
		cmocka_unit_test(any_window),      cmocka_unit_test(not_a_file),
		cmocka_unit_test(too_many_cells),  cmocka_unit_test(numbers_expect),
		cmocka_unit_test(integers_expect), cmocka_unit_test(written_cells),
		cmocka_unit_test(fixed_expect),    cmocka_unit_test(shortest_expect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
