/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs code that it wrote into memory, like a JIT compiler, and announces it in /tmp/perf-PID.map:
 * jitted MS. The map stays, as those of compilers do: it prints its path.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* push %rbp; mov %rsp,%rbp; mov $5000000,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x40, 0x4b, 0x4c,
			       0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};

int main(int argc, char **argv)
{
	long ms = argc > 1 ? strtol(argv[1], NULL, 10) : 300;
	char path[64];
	uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*twice[2])(void);
	FILE *f;

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, code, sizeof(code));
	memcpy(memory + 1024, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		return 1;
	fprintf(f, "%llx 400 jit_first\n%llx 10 jit_gone\n%llx 400 jit_second\n",
		(unsigned long long)(uintptr_t)memory,
		(unsigned long long)(uintptr_t)(memory + 1024),
		(unsigned long long)(uintptr_t)(memory + 1024));
	fclose(f);
	printf("%s\n", path);
	memcpy(&twice[0], &memory, sizeof(memory));
	memory += 1024;
	memcpy(&twice[1], &memory, sizeof(memory));
	while (clock() < ms * (CLOCKS_PER_SEC / 1000)) {
		twice[0]();
		twice[1]();
	}
	return 0;
}
