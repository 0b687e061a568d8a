/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output files. A file is written without a name, is given a temporary one beside its final one
 * when it is complete, and renamed: a reader never sees half a file, a failure leaves the old one,
 * and a program that is killed leaves nothing. Where the file system has no files without names,
 * the temporary name is there from the start. An existing file is replaced only with FORCE. "-" is
 * standard output, where a terminal gets control characters escaped (term_guard()). "/dev/..." and
 * FIFOs are written directly.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	char *path;
	char *temporary; /* NULL when written directly */
	bool unnamed;    /* the temporary name is not there yet */
	bool force;
};

int output_open(struct output *out, const char *path, bool force, struct tacho_error *err);

/* Flushes, checks, closes and renames. On failure the temporary file is removed. */
int output_close(struct output *out, struct tacho_error *err);

/* Gives up: removes the temporary file. Takes a closed or zeroed one too. */
void output_abandon(struct output *out);

#endif
