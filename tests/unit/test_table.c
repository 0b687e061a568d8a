/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: the same rows as text, CSV and JSON. */
#include "base/table.h"
#include "base/term.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct table_column columns[] = {
	{"name", "name", TABLE_STRING}, {"count", "count", TABLE_COUNT},
	{"time_ns", "time", TABLE_NS},  {"size", "size", TABLE_BYTES},
	{"share", "%", TABLE_PERCENT},  {"value", "value", TABLE_NUMBER},
	{"hidden", NULL, TABLE_ID},     {NULL, "seen", TABLE_STRING},
};

static void add_rows(struct table *t)
{
	table_text(t, "a, \"b\"\n\x1b");
	table_uint(t, 1234567);
	table_real(t, 1500.4);
	table_uint(t, 2048);
	table_real(t, 12.345678);
	table_int(t, -7);
	table_uint(t, 99);
	table_text(t, "yes");
	assert_int_equal(table_row(t), 0);
	table_text(t, "=1");
	table_none(t);
	table_real(t, 0);
	table_none(t);
	table_real(t, 100);
	table_real(t, NAN);
	table_uint(t, 1);
	table_text(t, "");
	assert_int_equal(table_row(t), 0);
}

static void table_check(struct table_style style, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct table t;

	table_open(&t, out, &style, TABLE_COLUMNS(columns));
	add_rows(&t);
	assert_int_equal(table_close(&t), 0);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static void test_formats(void **state)
{
	(void)state;
	table_check((struct table_style){.format = TABLE_AS_TEXT},
		    "name              count      time      size       %  value  seen\n"
		    "a, \"b\"\\n\\x1b  1,234,567  1.500 us  2.00 KiB   12.35     -7  yes\n"
		    "=1                           0 ns            100.00    nan\n");
	table_check((struct table_style){.format = TABLE_AS_CSV},
		    "name,count,time_ns,size,share,value,hidden\n"
		    "\"a, \"\"b\"\"\n\x1b\",1234567,1500,2048,12.3457,-7,99\n"
		    "=1,,0,,100.0000,,1\n");
	table_check(
		(struct table_style){.format = TABLE_AS_JSON},
		"[\n {\"name\": \"a, \\\"b\\\"\\u000a\\u001b\", \"count\": 1234567, \"time_ns\": 1500, "
		"\"size\": 2048, \"share\": 12.3457, \"value\": -7, \"hidden\": 99},\n"
		" {\"name\": \"=1\", \"count\": null, \"time_ns\": 0, \"size\": null, \"share\": 100.0000, "
		"\"value\": null, \"hidden\": 1}\n]\n");
}

static void test_guard(void **state)
{
	static const struct table_column one[] = {{"a", "a", TABLE_STRING}};
	static const char *const cells[] = {"=1", "+1", "-1", "@x", "\tx", "a=1", ""};
	struct table_style style = {.format = TABLE_AS_CSV, .guard = true};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct table t;

	(void)state;
	table_open(&t, out, &style, TABLE_COLUMNS(one));
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		table_text(&t, cells[i]);
		table_row(&t);
	}
	table_close(&t);
	fclose(out);
	assert_string_equal(text, "a\n'=1\n'+1\n'-1\n'@x\n'\tx\na=1\n\n");
	free(text);
}

/* The first rows fix the widths; the table does not grow with its rows. */
static void test_stream(void **state)
{
	static const struct table_column two[] = {{"a", "a", TABLE_STRING}, {"n", "n", TABLE_ID}};
	struct table_style style = {.format = TABLE_AS_TEXT};
	FILE *out = fopen("/dev/null", "w");
	struct table t;

	(void)state;
	table_open(&t, out, &style, TABLE_COLUMNS(two));
	for (uint64_t i = 0; i < 100000; i++) {
		table_text(&t, "row");
		table_uint(&t, i);
		assert_int_equal(table_row(&t), 0);
	}
	assert_true(t.cells.cap < 100000);
	assert_int_equal(t.rows, 100000);
	table_close(&t);
	fclose(out);
}

static void test_full_disk(void **state)
{
	static const struct table_column one[] = {{"a", "a", TABLE_STRING}};
	struct table_style style = {.format = TABLE_AS_CSV};
	FILE *out = fopen("/dev/full", "w");
	struct table t;
	int r = 0;

	(void)state;
	setvbuf(out, NULL, _IONBF, 0);
	table_open(&t, out, &style, TABLE_COLUMNS(one));
	table_text(&t, "x");
	r = table_row(&t);
	assert_int_equal(r, TACHO_EWRITE);
	assert_int_equal(table_close(&t), TACHO_EWRITE);
	fclose(out);
}

static void text_cut(const char *text, size_t width, const char *want)
{
	struct buf b = BUF_INIT;

	term_add_cut(&b, text, strlen(text), width);
	assert_string_equal(b.data, want);
	buf_free(&b);
}

static void test_cut(void **state)
{
	(void)state;
	text_cut("short", 5, "short");
	text_cut("0123456789", 8, "012..789");
	text_cut("0123456789", 7, "012..89");
	text_cut("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5,
		 "\xe6\x97\xa5\xe6\x9c\xac..\xe8\xaa\x9e");
}

/* Bidirectional controls and invisible characters are shown by number; letters stay. */
static void test_directions(void **state)
{
	static const char text[] =
		"a\u202eb\u2066c\u200fd\ufeffe\u2028f\u00adg\U000e0041\xc2\x9bz"
		" \u05d0\u0645\u00e9\u4e16 \U0001f469\u200d\U0001f4bb \xff\x7f\n";
	struct buf out = BUF_INIT;

	(void)state;
	term_add_escaped(&out, text, sizeof(text) - 1);
	assert_string_equal(out.data,
			    "a\\u202eb\\u2066c\\u200fd\\ufeffe\\u2028f\\u00adg\\ue0041\\u009bz"
			    " \u05d0\u0645\u00e9\u4e16 \U0001f469\u200d\U0001f4bb "
			    "\\xff\\x7f\\n");
	buf_reset(&out);
	term_add_safe(&out, text, sizeof(text) - 1);
	assert_string_equal(out.data, "a?b?c?d?e?f?g??z \u05d0\u0645\u00e9\u4e16 "
				      "\U0001f469\u200d\U0001f4bb \xff??");
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats), cmocka_unit_test(test_guard),
		cmocka_unit_test(test_stream),  cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_cut),     cmocka_unit_test(test_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
