/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of tt-metal's logs as a source of ops. */
#ifndef TTLOG_SOURCE_H
#define TTLOG_SOURCE_H

#include "op/load.h"

/* LOGS is the folder of the files. Sets in SOURCE which ones exist. */
int ttlog_load(struct op_loaded *out, struct op_source *source, const char *logs,
	       const struct op_load_options *options, struct tacho_error *err);

#endif
