/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpp_device_perf_report.csv: the runtime's own measurements, one row for each execution of a
 * program, read and written.
 */
#ifndef TTLOG_CPP_REPORT_H
#define TTLOG_CPP_REPORT_H

#include "base/buf.h"
#include "op/issues.h"
#include "op/measured.h"

/* LIST is zeroed by the caller and freed by it, whatever is returned; texts go to T. */
int ttlog_cpp_read(struct op_measurements *list, struct op_table *t, const char *path,
		   struct op_issues *issues, struct tacho_error *err);

/* Lines without their ends; both with the columns of Quasar or without. */
void ttlog_cpp_header(struct buf *out, bool quasar);
void ttlog_cpp_line(struct buf *out, const struct op_timing *run, const struct op_run_place *place,
		    bool quasar);

#endif
