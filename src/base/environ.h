/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the environment that mean something to Tacho, to programs and to what they link. */
#ifndef BASE_ENVIRON_H
#define BASE_ENVIRON_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The value of a variable, NULL when it is not set. The only way for a library to ask: in a
 * set-user-id program the environment is the caller's, so no variable is set there.
 */
const char *environ_get(const char *name);

/* True if this process got rights by its program file that its caller does not have. */
bool environ_is_secure(void);

/* All; ends with a NULL name. No help: known and honoured, not ours. */
struct environ_variable {
	const char *name;
	const char *help;
};
extern const struct environ_variable environ_variables[];

/*
 * What to warn of when VARIABLE ("NAME=value") looks like one of these and is not known, else NULL.
 * TEXT has SIZE bytes.
 */
const char *environ_complaint(const char *variable, char *text, size_t size);

#endif
