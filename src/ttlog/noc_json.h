/* SPDX-License-Identifier: Apache-2.0 */
/* Reads noc_trace_dev*_ID*.json: the NoC transfers of one execution of a program. */
#ifndef TTLOG_NOC_JSON_H
#define TTLOG_NOC_JSON_H

#include "op/issues.h"
#include "op/noc.h"

/* Reads all NoC traces of the folder LOGS. The caller frees NOC. */
int ttlog_noc_read(struct op_noc *noc, const char *logs, struct op_issues *issues,
		   struct tacho_error *err);

/* Reads one file's content. Fills OP except for its ids. TACHO_EFORMAT if it is not a NoC trace. */
int ttlog_noc_parse(struct op_noc_op *op, const char *text, size_t len, struct tacho_error *err);

/* Reads the ids from NAME; false if it is not the name of a NoC trace. */
bool ttlog_noc_name(const char *name, struct op_noc_op *op);

#endif
