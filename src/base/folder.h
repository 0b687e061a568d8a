/* SPDX-License-Identifier: Apache-2.0 */
/* Folders: making them, and the one that logs and reports of devices go to. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "base/err.h"

#include <stddef.h>

/* mkdir -p */
int folder_make(const char *path, struct tacho_error *err);

/*
 * Where reports go, and logs below .logs: OPTION unless it is NULL or empty, else
 * TT_METAL_PROFILER_DIR, else generated/profiler below TT_METAL_HOME or here.
 */
int folder_profiler(const char *option, char *path, size_t size, struct tacho_error *err);

#endif
