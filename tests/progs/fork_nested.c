/* SPDX-License-Identifier: Apache-2.0 */
/* A child of a child of a child, each in the zones of all before it: fork_nested DEPTH. */
#include "emit.h"

static void process_descend(long depth)
{
	TACHO_ZONE("level");
	pid_t child;

	emit_zones(10);
	text_emit(11, 0);
	if (!depth)
		return;
	child = fork();
	if (child == 0) {
		process_descend(depth - 1);
		exit(0);
	}
	child_reap(child);
}

int main(int argc, char **argv)
{
	process_descend(number_argument(argc, argv, 1, 6));
	return 0;
}
