/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CSV reader and all of perf-report after it: any bytes are an input, and must give a report or
 * an error. The reader's promises are checked too: cells lie within the input's size, lines only
 * grow.
 */
#include "base/csv.h"
#include "perf/diff.h"
#include "perf/output.h"
#include "perf/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_cells(const uint8_t *data, size_t size)
{
	struct csv *csv;
	struct csv_row row;
	struct tacho_error err;
	uint64_t line = 0;
	double value;
	int64_t whole;

	if (csv_open_memory(&csv, data, size, &err) < 0)
		return;
	while (csv_next(csv, &row, &err) > 0) {
		if (row.line <= line || row.offset >= size || row.n == 0)
			abort();
		line = row.line;
		for (size_t i = 0; i < row.n; i++) {
			if (row.cells[i].len > size)
				abort();
			csv_number(row.cells[i], &value);
			csv_integer(row.cells[i], &whole);
		}
	}
	csv_close(csv);
}

/* Options chosen by the size, so that one input always does the same. */
static void report_make(char *path, size_t size, FILE *sink)
{
	struct perf_options options = {.model = (enum perf_model)(size & 1),
				       .no_merge_devices = size & 2,
				       .print_signposts = size & 4,
				       .ignore_signposts = size & 8,
				       .active_experts = size & 16 ? 2 : 0};
	struct perf_csv_options csv = {0};
	struct perf_text_options text = {.style = {.color = size & 32, .safe = size & 64}};
	struct perf_input in = PERF_INPUT_INIT;
	struct perf_report r = {0};
	const struct perf_report *sides[] = {&r, &r};
	struct perf_diff diff = {.reports = sides, .n = {1, 1}, .limit = 5};
	struct perf_notes notes = {0};
	struct perf_view view = {0};
	struct perf_stacked stacked = {0};
	struct buf svg = BUF_INIT;
	struct tacho_error err;

	if (perf_input_read(&in, &path, 1, &notes, &err) == 0 &&
	    perf_report_make(&r, &in, &options, &notes, &err) == 0 &&
	    perf_view_make(&view, &r, 0) == 0 &&
	    perf_stacked_make(&stacked, &r, (enum perf_group)(size % 3), &notes) == 0) {
		perf_text_write(&r, &view, &stacked, &text, sink);
		perf_csv_write(&r, &view, &csv, sink);
		perf_json_write(&r, &view, &stacked, &notes, sink);
		if (perf_diff_make(&diff, 0) == 0)
			perf_diff_write(&diff, (enum perf_diff_format)(size >> 7 & 3), 0,
					text.style, sink);
		perf_picture_svg(&stacked, false, &svg);
		if (r.ops.n)
			perf_why_write(&r, &r.ops.v[size % r.ops.n], &path, 1, text.style, sink,
				       &err);
	}
	buf_free(&svg);
	perf_diff_free(&diff);
	perf_stacked_free(&stacked);
	vec_free(&view);
	perf_notes_free(&notes);
	perf_report_free(&r);
	perf_input_free(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *sink;
	static int file = -1;
	char path[40];

	if (file < 0) {
		file = memfd_create("fuzz_csv", 0);
		sink = fopen("/dev/null", "w");
	}
	read_cells(data, size);
	if (!sink || ftruncate(file, 0) < 0 || pwrite(file, data, size, 0) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	report_make(path, size, sink);
	return 0;
}
