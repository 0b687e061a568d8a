/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the examples share: a check that ends the program, and tiles. */
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

/* Describes a program as an op by its name only. */
static inline void name_op(struct tacho_program *program, const char *name, const char *attribute,
			   unsigned value)
{
	char number[16];
	struct tacho_attribute a = {attribute, number};

	snprintf(number, sizeof(number), "%u", value);
	check(tacho_op_describe(program, &(struct tacho_op){
						 .name = name,
						 .attributes = &a,
						 .attribute_count = 1,
					 }));
}

/* A program that copies PAGES of SIZE bytes in DRAM. */
static inline void describe_copy(struct tacho_program *program,
				 const struct tacho_device_info *info, unsigned pages,
				 unsigned size)
{
	struct tacho_tensor tensor = {.shape = {1, 1, pages, size / 4}, .format = TACHO_UINT32};
	/* Each byte is read and written. */
	uint64_t ns = (uint64_t)(2.0 * pages * size / info->dram_gbs) + 1;
	double bw = (double)pages * size / (double)ns;

	check(tacho_op_describe(program, &(struct tacho_op){
						 .name = "Copy",
						 .inputs = &tensor,
						 .input_count = 1,
						 .outputs = &tensor,
						 .output_count = 1,
						 .bandwidth_ns = ns,
						 .ideal_ns = ns,
						 .input_bws = &bw,
						 .input_bw_count = 1,
						 .output_bws = &bw,
						 .output_bw_count = 1,
					 }));
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

/*
 * The index of a row and column of a matrix of COLUMNS that is stored tile by tile, face by face.
 */
static inline size_t tiled(size_t row, size_t column, size_t columns)
{
	size_t tile = row / 32 * (columns / 32) + column / 32;
	size_t face = row % 32 / 16 * 2 + column % 32 / 16;

	return tile * 1024 + face * 256 + row % 16 * 16 + column % 16;
}

#endif
