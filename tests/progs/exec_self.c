/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces itself by itself, in a zone: exec_self TIMES. */
#include "emit.h"

int main(int argc, char **argv)
{
	long times = number_argument(argc, argv, 1, 4);
	char next[24];

	TACHO_ZONE("image");
	emit_zones(10);
	TACHO_MESSAGE("before exec");
	text_emit(11, 1);
	if (!times)
		return 0;
	snprintf(next, sizeof(next), "%ld", times - 1);
	execl("/proc/self/exe", argv[0], next, (char *)NULL);
	return 1;
}
