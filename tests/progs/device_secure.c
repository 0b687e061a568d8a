/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a device and says what came of it: for a set-user-id copy of this program. Exits with 77
 * when the system did not make it one.
 */
#include <tacho/device.h>
#include <tacho/tacho.h>

#include <stdio.h>
#include <sys/auxv.h>

int main(void)
{
	struct tacho_device *device;

	if (!getauxval(AT_SECURE))
		return 77;
	printf("recording %d\n", tacho_is_recording());
	if (tacho_device_open(&device, NULL) < 0) {
		printf("no device: %s\n", tacho_device_error());
		return 0;
	}
	printf("a device\n");
	tacho_device_close(device);
	return 1;
}
