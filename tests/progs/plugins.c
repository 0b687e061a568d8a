/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, uses and unloads an instrumented library, and fills its place: plugins FILE TIMES. */
#include "emit.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
	long times = number_argument(argc, argv, 2, 20);

	for (long i = 0; i < times; i++) {
		void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		int (*work)(int) = plugin ? (int (*)(int))dlsym(plugin, "plugin_work") : NULL;

		if (!work || work((int)i) != i + 1) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		dlclose(plugin);
		memset(mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0),
		       0xaa, 1 << 16);
	}
	text_emit(times, times);
	return 0;
}
