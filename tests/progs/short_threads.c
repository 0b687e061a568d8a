/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that live for one zone: short_threads COUNT. */
#include "emit.h"

#define AT_ONCE 8

static void *thread_run(void *arg)
{
	emit_zones(1);
	return arg;
}

int main(int argc, char **argv)
{
	long count = number_argument(argc, argv, 1, 1000);

	for (long i = 0; i < count; i += AT_ONCE)
		in_threads(AT_ONCE, thread_run, NULL);
	text_emit((count + AT_ONCE - 1) / AT_ONCE * AT_ONCE, 0);
	return 0;
}
