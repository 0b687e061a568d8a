/* Variables of the environment: numbers, and names that nobody knows. */
#include "device/device.h"

#include "base/environ.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

unsigned env_number(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	char *end;
	unsigned long v;

	if (!text || !*text)
		return otherwise;
	v = strtoul(text, &end, 0);
	return *end || v > 1000000 ? otherwise : (unsigned)v;
}

/* A variable with a typing error does nothing: somebody has to say so. */
static void check(void)
{
	char name[80];

	for (char **e = environ; *e; e++) {
		const char *near = strncmp(*e, "TT_METAL_", 9)
					   ? NULL
					   : environ_unknown(*e, name, sizeof(name));

		if (near)
			fprintf(stderr,
				"tacho: warning: unknown environment variable %s; the nearest known one is "
				"%s\n",
				name, near);
	}
}

void env_check(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	/* 'tacho run' has said it. */
	if (!getenv("TACHO_SESSION"))
		pthread_once(&once, check);
}
