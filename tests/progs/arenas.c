/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of pools that are discarded as a whole, by Tracy's macros; 3000 allocations per round. */
#define TRACY_ENABLE
#include <stdlib.h>
#include <tracy/TracyC.h>

int main(void)
{
	static char memory[4096], other;

	TracyCAllocN(&other, 100, "other");
	TracyCAlloc(&other, 1);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 3000; i++) {
			TracyCAllocN(memory + i, 8, "arena");
			if (i % 3 == 0)
				TracyCFreeN(memory + i, "arena");
		}
		TracyCMemoryDiscard("arena");
		TracyCMemoryDiscard("never used");
	}
	TracyCAllocN(memory, 16, "arena");
	return 0;
}
