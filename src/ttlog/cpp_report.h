/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes cpp_device_perf_report.csv: the runtime's own measurements, one row for each
 * execution of a program.
 */
#ifndef TTLOG_CPP_REPORT_H
#define TTLOG_CPP_REPORT_H

#include "base/buf.h"
#include "op/issues.h"
#include "op/measured.h"

/* The caller zeroes LIST, and frees it whatever is returned; texts go to T. */
int ttlog_cpp_read(struct op_measurements *list, struct op_table *t, const char *path,
		   struct op_issues *issues, struct tacho_error *err);

/* Lines without line ends; both with or without the columns of Quasar. */
void ttlog_cpp_header(struct buf *out, bool quasar);
void ttlog_cpp_line(struct buf *out, const struct op_timing *run, const struct op_run_place *place,
		    bool quasar);

#endif
