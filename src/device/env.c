/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables: parse numbers, warn about unknown names. */
#include "base/environ.h"
#include "base/text.h"
#include "device/kernel_build.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1000000u

extern char **environ;

unsigned env_number(const char *name, unsigned otherwise)
{
	const char *text = environ_get(name);
	char *end;
	unsigned long v;

	if (!text || !*text)
		return otherwise;
	v = strtoul(text, &end, 0);
	return *end || v > LARGEST ? otherwise : (unsigned)v;
}

void env_warn(const char *name, const char *format, ...)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct map warned;
	uint64_t key = hash_bytes(HASH_START, name, strlen(name));
	va_list args;

	pthread_mutex_lock(&lock);
	if (!map_get(&warned, key) && map_set(&warned, key, 1) == 0) {
		va_start(args, format);
		fprintf(stderr, "tacho: warning: %s ", name);
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
		va_end(args);
	}
	pthread_mutex_unlock(&lock);
}

static void env_check_all(void)
{
	static const char *const names[] = {
		"TT_METAL_DEVICE_PROFILER",
		"TT_METAL_DEVICE_PROFILER_NOC_EVENTS",
		"TT_METAL_MEM_PROFILER",
		"TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES",
		"TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY",
		"TT_METAL_PROFILER_MID_RUN_DUMP",
		"TT_METAL_PROFILER_NO_CACHE_OP_INFO",
		"TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT",
		"TT_METAL_PROFILER_SYNC",
		"TT_METAL_PROFILER_TRACE_TRACKING",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		/* Numbers that env_number() ignores and no other check reports. */
		const char *text = environ_get(names[i]);

		if (text && *text && env_number(names[i], 0) != env_number(names[i], 1))
			fprintf(stderr,
				"tacho: warning: %s wants a number of up to %u, not '%s': not used\n",
				names[i], LARGEST, text);
	}
	/* 'tacho run' has already warned; a set-user-id program ignores its environment. */
	if (!environ_get("TACHO_SESSION") && !environ_is_secure()) {
		char text[256];

		/* A misspelt variable would be ignored silently: warn. */
		for (char **e = environ; *e; e++)
			if (!strncmp(*e, "TT", 2) && environ_complaint(*e, text, sizeof(text)))
				fprintf(stderr, "tacho: warning: %s\n", text);
	}
}

void env_check(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, env_check_all);
}
