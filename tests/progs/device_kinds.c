/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel on devices of two kinds. device_kinds KERNEL */
#include <tacho/device.h>

#include <stdio.h>

static struct tacho_device *kernel_run(const char *arch, const char *kernel)
{
	const uint32_t thousands = 10;
	struct tacho_program *p = NULL;
	struct tacho_device *d;
	int k;

	if (tacho_device_open(&d, &(struct tacho_device_options){.arch = arch}) < 0 ||
	    tacho_program_new(&p, d) < 0)
		return NULL;
	k = tacho_program_kernel(p, &(struct tacho_kernel){.source = kernel, .risc = TACHO_BRISC});
	if (k < 0 || tacho_program_args(p, k, (struct tacho_core){0, 0}, &thousands, 1) < 0 ||
	    tacho_enqueue(d, p) < 0 || tacho_finish(d) < 0)
		return NULL;
	tacho_program_free(p);
	return d;
}

int main(int argc, char **argv)
{
	struct tacho_device *a = argc > 1 ? kernel_run("tiny", argv[1]) : NULL;
	struct tacho_device *b = a ? kernel_run("blackhole", argv[1]) : NULL;

	if (!b)
		fprintf(stderr, "%s\n", tacho_device_error());
	tacho_device_close(a);
	tacho_device_close(b);
	return !b;
}
