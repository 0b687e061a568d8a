/* SPDX-License-Identifier: Apache-2.0 */
/* One tiny device for all tests of a file. */
#ifndef DEVICE_FIXTURE_H
#define DEVICE_FIXTURE_H

#include "device/device.h"
#include "unit/device_compiler.h"

static struct tacho_device *device;

static int device_setup(void **state)
{
	(void)state;
	if (!have_compiler())
		exit(0);
	return tacho_device_open(&device, &(struct tacho_device_options){.arch = "tiny"});
}

static int device_teardown(void **state)
{
	(void)state;
	tacho_device_close(device);
	return 0;
}

#endif
