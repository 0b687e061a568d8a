/* SPDX-License-Identifier: Apache-2.0 */
/* Writes noc_trace_dev*_ID*.json from a trace. */
#ifndef TTLOG_NOC_WRITE_H
#define TTLOG_NOC_WRITE_H

#include "op/host.h"
#include "op/noc.h"
#include "op/trace_cores.h"

/*
 * Writes the files of RUNS, which have seen all markers, into FOLDER. HOST has the names of ops.
 * Walks the markers again, as often as needed to hold only a part of the events at a time. Returns
 * the number of files.
 */
int64_t ttlog_noc_write(struct op_noc_runs *runs, struct op_cores *cores,
			const struct op_host *host, const char *folder, struct tacho_error *err);

#endif
