/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as SQL on a small trace and report: every statement ends, with rows or an error.
 */
#include "model_trace.h"
#include "sql/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sql *sql;
static char path[] = "/dev/shm/fuzz_query.XXXXXX.tacho", csv[] = "/dev/shm/fuzz_query.XXXXXX.csv";

static void set_up(void)
{
	/* A statement that runs longer finds nothing new. */
	struct sql_options options = {.timeout_ns = 5000000, .memory = 64 << 20};
	int fd = mkstemps(path, 6);

	if (fd < 0)
		abort();
	close(fd);
	model_trace_write(path);
	fd = mkstemps(csv, 4);
	if (fd < 0)
		abort();
	model_csv_write(fd);
	if (sql_open(&sql, &options, NULL) < 0 || sql_add(sql, path, NULL) < 0 ||
	    sql_add(sql, csv, NULL) < 0)
		abort();
	unlink(path);
	unlink(csv);
}

static int result_begin(void *context, const char *const *names, size_t n)
{
	size_t *rows = context;

	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) > (1u << 20))
			abort();
	*rows = 0;
	return 0;
}

/* Reads every byte; the first rows are enough. */
static int result_row(void *context, const struct sql_value *values, size_t n)
{
	static volatile unsigned sink;
	size_t *rows = context;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; values[i].type >= SQL_TEXT && k < values[i].len; k++)
			sink = sink + (unsigned char)values[i].text[k];
	return ++*rows < 100 ? 0 : TACHO_EWRITE;
}

static int result_end(void *context)
{
	(void)context;
	return 0;
}

static void note_take(void *context, const char *text)
{
	(void)context;
	if (!*text)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t rows = 0;
	struct sql_sink sink = {&rows, result_begin, result_row, result_end, note_take};
	char *text = strndup((const char *)data, size);

	if (!sql)
		set_up();
	sql_is_complete(text);
	/* The next input finds no table or view of this one. */
	sql_run(sql, "BEGIN", &sink, NULL);
	sql_run(sql, text, &sink, NULL);
	sql_run(sql, "ROLLBACK", &sink, NULL);
	free(text);
	return 0;
}
