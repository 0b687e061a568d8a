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

/* Whether this process got rights by its program file that its caller does not have. */
bool environ_is_secure(void);

/* All; ends with a NULL name. No help: known and honoured, not ours. */
struct environ_variable {
	const char *name;
	const char *help;
};
extern const struct environ_variable environ_variables[];

/*
 * The nearest known name if VARIABLE ("NAME=value") has a prefix of ours and is not known, else
 * NULL. NAME (SIZE bytes) gets its name.
 */
const char *environ_unknown(const char *variable, char *name, size_t size);

#endif
