/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two devices in one program: the result of one goes through the host to the other; then both run
 * one step together, which is one op with a row for each device.
 */
#include "example.h"

#include <stdbool.h>

#define PAGE 1024u

/* A program that copies page 0 of buffer A to B on core 0,0 of a device. */
static struct tacho_program *copy(struct tacho_device *device, struct tacho_buffer *a,
				  struct tacho_buffer *b)
{
	uint32_t args[] = {tacho_buffer_address(a), tacho_buffer_address(b), PAGE, 0, 1, 1};
	struct tacho_device_info info;
	struct tacho_program *program;
	int kernel;

	tacho_device_info(device, &info);
	check(tacho_program_new(&program, device));
	kernel = check(tacho_program_kernel(program, &(struct tacho_kernel){
							     .source = KERNEL("copy.c"),
							     .risc = TACHO_NCRISC,
							     .cores = one_core(0, 0),
						     }));
	check(tacho_program_args(program, kernel, (struct tacho_core){0, 0}, args, 6));
	describe_copy(program, &info, 1, PAGE);
	return program;
}

/* Starts both before waiting for either. */
static void run_both(struct tacho_device **device, struct tacho_program *const *program)
{
	check(tacho_op_begin(device, 2, &(struct tacho_op){.name = "MeshCopy"}));
	for (int i = 0; i < 2; i++)
		check(tacho_enqueue(device[i], program[i]));
	for (int i = 0; i < 2; i++)
		check(tacho_finish(device[i]));
	check(tacho_op_end(device[0]));
}

int main(void)
{
	uint8_t in[PAGE], out[PAGE] = {0};
	struct tacho_device *device[2];
	struct tacho_buffer *a[2], *b[2];
	struct tacho_program *there[2], *back[2];
	bool right;

	for (unsigned i = 0; i < PAGE; i++)
		in[i] = (uint8_t)(i ^ 0x5a);
	for (int i = 0; i < 2; i++) {
		struct tacho_device_info info;

		check(tacho_device_open(&device[i], NULL));
		tacho_device_info(device[i], &info);
		check(tacho_buffer_new(&a[i], device[i], TACHO_DRAM, PAGE, PAGE));
		check(tacho_buffer_new(&b[i], device[i], TACHO_DRAM, PAGE, PAGE));
		there[i] = copy(device[i], a[i], b[i]);
		back[i] = copy(device[i], b[i], a[i]);
		printf("device %u: %s, %u cores\n", info.number, info.arch, info.cores);
	}
	check(tacho_buffer_write(a[0], 0, in, PAGE));
	for (int i = 0; i < 2; i++) {
		check(tacho_enqueue(device[i], there[i]));
		check(tacho_buffer_read(b[i], 0, out, PAGE));
		if (i == 0)
			check(tacho_buffer_write(a[1], 0, out, PAGE));
	}
	right = !memcmp(in, out, PAGE);
	run_both(device, back);
	for (int i = 0; i < 2; i++) {
		memset(out, 0, PAGE);
		check(tacho_buffer_read(a[i], 0, out, PAGE));
		right &= !memcmp(in, out, PAGE);
	}
	printf("%u bytes over two devices: %s\n", PAGE, right ? "right" : "WRONG");
	for (int i = 0; i < 2; i++) {
		tacho_program_free(there[i]);
		tacho_program_free(back[i]);
		tacho_buffer_free(a[i]);
		tacho_buffer_free(b[i]);
		tacho_device_close(device[i]);
	}
	return !right;
}
