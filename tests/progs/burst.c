/* SPDX-License-Identifier: Apache-2.0 */
/* As fast as possible: burst THREADS ZONES [FILE]. It stays idle as long as FILE is there. */
#include "emit.h"

static long zones;

static void *burst_run(void *arg)
{
	emit_zones(zones);
	return arg;
}

int main(int argc, char **argv)
{
	int threads = (int)number_argument(argc, argv, 1, 8);

	zones = number_argument(argc, argv, 2, 1000000);
	in_threads(threads, burst_run, NULL);
	while (is_held(argc, argv, 3))
		usleep(10000);
	text_emit(threads * zones, 0);
	return 0;
}
