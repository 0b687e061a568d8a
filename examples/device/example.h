/* What the examples share: a check that ends the program, and tiles. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <tacho/device.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL(name) EXAMPLE_KERNELS "/" name

/* Ends the program with the device's reason when a call failed. */
static inline int check(int result)
{
	if (result < 0) {
		fprintf(stderr, "%s\n", tacho_device_error());
		exit(1);
	}
	return result;
}

static inline struct tacho_core_range one_core(unsigned x, unsigned y)
{
	struct tacho_core core = {(uint16_t)x, (uint16_t)y};

	return (struct tacho_core_range){core, core};
}

static inline struct tacho_core_range all_cores(const struct tacho_device_info *info)
{
	struct tacho_core last = {(uint16_t)(info->columns - 1), (uint16_t)(info->rows - 1)};

	return (struct tacho_core_range){{0, 0}, last};
}

static inline uint16_t to_bfloat16(float value)
{
	uint32_t u;

	memcpy(&u, &value, 4);
	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static inline float from_bfloat16(uint16_t half)
{
	uint32_t u = (uint32_t)half << 16;
	float value;

	memcpy(&value, &u, 4);
	return value;
}

/* Where row and column of a matrix of COLUMNS lie when it is stored tile by tile, face by face. */
static inline size_t tiled(size_t row, size_t column, size_t columns)
{
	size_t tile = row / 32 * (columns / 32) + column / 32;
	size_t face = row % 32 / 16 * 2 + column % 32 / 16;

	return tile * 1024 + face * 256 + row % 16 * 16 + column % 16;
}

#endif
