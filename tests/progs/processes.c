/* SPDX-License-Identifier: Apache-2.0 */
/* Many processes at once: processes COUNT ZONES. */
#include "emit.h"

int main(int argc, char **argv)
{
	long count = number_argument(argc, argv, 1, 50),
	     zones = number_argument(argc, argv, 2, 1000);
	pid_t *children = calloc((size_t)count, sizeof(*children));

	for (long i = 0; i < count; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			emit_zones(zones);
			text_emit(zones, 0);
			_exit(0);
		}
	}
	for (long i = 0; i < count; i++)
		child_reap(children[i]);
	free(children);
	return 0;
}
