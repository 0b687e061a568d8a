/* SPDX-License-Identifier: Apache-2.0 */
/* Zones in a loop: simple OUTER INNER. */
#include <stdlib.h>
#include <string.h>
#include <tacho/tacho.h>

int main(int argc, char **argv)
{
	int outer = argc > 1 ? atoi(argv[1]) : 10, inner = argc > 2 ? atoi(argv[2]) : 9;

	for (int i = 0; i < outer; i++) {
		TACHO_ZONE("outer");
		for (int k = 0; k < inner; k++) {
			TACHO_ZONE("inner");
		}
	}
	tacho_message("done", 4, 2, 0);
	return 0;
}
