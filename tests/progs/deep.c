/* SPDX-License-Identifier: Apache-2.0 */
/* Zones nested to any depth: deep DEPTH. */
#include "emit.h"

static __attribute__((noinline)) long descend(long depth)
{
	TACHO_ZONE("deep");

	return depth > 1 ? descend(depth - 1) + 1 : 1;
}

int main(int argc, char **argv)
{
	text_emit(descend(number_argument(argc, argv, 1, 50000)), 0);
	return 0;
}
