/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and files of a report. Existing files are overwritten only on request. */
#ifndef TTLOG_FILES_H
#define TTLOG_FILES_H

#include "base/err.h"
#include "base/output.h"

#include <stdbool.h>

#define TTLOG_TRACY_FILE "tracy_profile_log_host.tracy" /* src/tracy writes it */

/* A malloc()ed "A/B"; NULL when out of memory. */
char *ttlog_path(const char *a, const char *b);
bool ttlog_exists(const char *folder, const char *name);

/*
 * Opens FOLDER/NAME for writing. When the file is closed, an existing one is renamed to NAME with a
 * number before its extension; with FORCE it is replaced.
 */
int ttlog_create(struct output *out, const char *folder, const char *name, bool force,
		 struct tacho_error *err);

/*
 * Copies FROM/NAME to TO/NAME with its times, unless TO has the same file. Does nothing if it is
 * absent.
 */
int ttlog_copy(const char *from, const char *to, const char *name, bool force,
	       struct tacho_error *err);

/* The same for a folder and its content; links and special files are skipped. */
int ttlog_copy_folder(const char *from, const char *to, const char *name, bool force,
		      struct tacho_error *err);

#endif
