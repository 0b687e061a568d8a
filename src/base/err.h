/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors. Library functions return 0 (or a count) on success and a negative enum tacho_err on
 * failure; outputs are untouched then. Details go into a struct tacho_error that the caller gives
 * and may be NULL. Libraries never print, exit or abort: src/cmds does, in err_report() alone.
 *
 * Rules of all headers in src/, unless one says otherwise:
 *
 *  - Pointer arguments are borrowed for the call. What a function stores longer, it copies.
 *  - The caller owns what NAME_open(), NAME_new() and NAME_make() give, and ends it by the
 *    NAME_close() or NAME_free() next to it, which accepts NULL or a zeroed struct.
 *  - Strings and structs that a query returns belong to the queried object and are valid until it
 *    changes or ends.
 *  - An object is used by one thread at a time; different objects are independent of each other.
 *    Functions on const objects may run in several threads at once.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdint.h>

/*  name     text                                    exit code of a tool that ends with it */
#define TACHO_ERRORS(X)                                         \
	X(NO, "the answer is no", 1)                            \
	X(USAGE, "wrong usage", 2)                              \
	X(READ, "cannot read the input", 3)                     \
	X(FORMAT, "the input is not in the expected format", 3) \
	X(VERSION, "the input needs a newer version", 3)        \
	X(DAMAGED, "the input is damaged", 4)                   \
	X(WRITE, "cannot write the output", 5)                  \
	X(EXISTS, "the output exists already", 5)               \
	X(LOST, "data was lost", 6)                             \
	X(CONNECT, "cannot connect", 7)                         \
	X(LIMIT, "a limit is exceeded", 3)                      \
	X(NOMEM, "out of memory", 70)                           \
	X(INTERNAL, "internal error", 70)

enum tacho_err_index {
#define X(name, text, code) TACHO_ERR_INDEX_##name,
	TACHO_ERRORS(X)
#undef X
};

enum tacho_err {
	TACHO_OK = 0,
#define X(name, text, code) TACHO_E##name = -1 - TACHO_ERR_INDEX_##name,
	TACHO_ERRORS(X)
#undef X
};

/* The error and its place. A message names the file, option or value, never the function. */
struct tacho_error {
	int code;        /* enum tacho_err */
	uint64_t offset; /* byte offset in the input when parsing, else 0 */
	char text[400];
};

/* Fills ERR (may be NULL) and returns CODE, so that "return err_set(...)" is the usual form. */
int err_set(struct tacho_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, followed by ": strerror(errno)". */
int err_errno(struct tacho_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The general sentence of a code, for a caller that was given no details. */
const char *err_text(int code);

/* The exit code of a tool that ends with CODE. */
int err_exit_code(int code);

/*
 * For tools only: prints "tacho: TEXT" as one line on stderr and returns the exit code. Control
 * characters of hostile inputs are shown as '?'.
 */
int err_report(const struct tacho_error *err, int code);

/* For tools only: one line on stderr that is not an error, clean as well, and not for TACHO_LOG. */
void err_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For tools only: one line "tacho: warning: ..." on stderr. */
void err_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
