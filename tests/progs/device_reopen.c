/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes a device three times, each time with two runs of the kernel file argv[1]. */
#include <tacho/device.h>

#include <stdio.h>

static int device_use(const char *kernel)
{
	struct tacho_device *device;
	struct tacho_program *program;

	if (tacho_device_open(&device, NULL) < 0)
		return -1;
	if (tacho_program_new(&program, device) < 0 ||
	    tacho_program_kernel(program, &(struct tacho_kernel){.source = kernel}) < 0 ||
	    tacho_enqueue(device, program) < 0 || tacho_enqueue(device, program) < 0 ||
	    tacho_finish(device) < 0)
		return -1;
	tacho_program_free(program);
	tacho_device_close(device);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		if (argc < 2 || device_use(argv[1]) < 0) {
			fprintf(stderr, "%s\n", tacho_device_error());
			return 1;
		}
	}
	return 0;
}
