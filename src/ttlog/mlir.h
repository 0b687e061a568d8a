/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of compilers: ops_perf_results.csv with three more columns, from messages that the
 * compiled program sends. Each applies to the ops after it, up to the next message of its kind:
 *
 *	MLIR_OP_LOCATION;loc(...)	LOC
 *	MLIR_CONST_EVAL_OP;true		CONST_EVAL_OP
 *	MLIR_PROGRAM_METADATA;{...}	PROGRAM_METADATA
 */
#ifndef TTLOG_MLIR_H
#define TTLOG_MLIR_H

#include "base/err.h"

#include <stdio.h>

/* REPORT and MESSAGES are paths; MESSAGES may be missing. */
int ttlog_mlir_write(const char *report, const char *messages, FILE *out, struct tacho_error *err);

#endif
