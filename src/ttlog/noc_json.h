/* SPDX-License-Identifier: Apache-2.0 */
/* noc_trace_dev*_ID*.json: the NoC transfers of one execution of a program, read. */
#ifndef TTLOG_NOC_JSON_H
#define TTLOG_NOC_JSON_H

#include "op/issues.h"
#include "op/noc.h"

/* Reads all NoC traces of the folder LOGS. NOC is freed by the caller. */
int ttlog_noc_read(struct op_noc *noc, const char *logs, struct op_issues *issues,
		   struct tacho_error *err);

/* One file's content. Fills OP but for its ids. TACHO_EFORMAT when it is no such trace. */
int ttlog_noc_parse(struct op_noc_op *op, const char *text, size_t len, struct tacho_error *err);

/* The ids that NAME gives; false when it is not the name of a NoC trace. */
bool ttlog_noc_name(const char *name, struct op_noc_op *op);

#endif
