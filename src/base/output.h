/*
 * Output files. A file is written under a temporary name beside its final one and renamed when it
 * is complete, so a reader never sees half a file and a failure leaves the old one. An existing
 * file is replaced only with FORCE. "-" is standard output. "/dev/..." and FIFOs are written directly.
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
};

int output_open(struct output *out, const char *path, bool force, struct tacho_error *err);

/* Flushes, checks, closes and renames. On failure the temporary file is removed. */
int output_close(struct output *out, struct tacho_error *err);

/* Gives up: removes the temporary file. Takes a closed or zeroed one too. */
void output_abandon(struct output *out);

#endif
