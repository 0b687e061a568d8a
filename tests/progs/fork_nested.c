/* SPDX-License-Identifier: Apache-2.0 */
/* A child of a child of a child, each in the zones of all before it: fork_nested DEPTH. */
#include "emit.h"

static void descend(long depth)
{
	TACHO_ZONE("level");
	pid_t child;

	emit_zones(10);
	say(11, 0);
	if (!depth)
		return;
	child = fork();
	if (child == 0) {
		descend(depth - 1);
		exit(0);
	}
	reap(child);
}

int main(int argc, char **argv)
{
	descend(argument(argc, argv, 1, 6));
	return 0;
}
