/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two devices and a cable between them: pages of one device's DRAM go over Ethernet into the
 * other's, moved by kernels on the Ethernet cores at both ends.
 */
#include "example.h"

#define PAGE  1024u
#define PAGES 8u

/* A program with one kernel on Ethernet core 0. */
static struct tacho_program *mover(struct tacho_device *device, const char *kernel,
				   const struct tacho_buffer *buffer)
{
	uint32_t args[] = {tacho_buffer_address(buffer), PAGE, PAGES};
	struct tacho_program *program;
	int k;

	check(tacho_program_new(&program, device));
	k = check(tacho_program_kernel(
		program, &(struct tacho_kernel){.source = kernel, .risc = TACHO_ERISC}));
	check(tacho_program_args(program, k, (struct tacho_core){0, 0}, args, 3));
	return program;
}

int main(void)
{
	uint8_t in[PAGE * PAGES], out[PAGE * PAGES] = {0};
	struct tacho_device *device[2];
	struct tacho_buffer *buffer[2];
	struct tacho_program *program[2];
	uint64_t start;

	for (unsigned i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 7 ^ i >> 8);
	for (int i = 0; i < 2; i++) {
		struct tacho_device_info info;

		check(tacho_device_open(&device[i], NULL));
		tacho_device_info(device[i], &info);
		check(tacho_buffer_new(&buffer[i], device[i], TACHO_DRAM, sizeof(in), PAGE));
		printf("device %u: %s, %u cores\n", info.number, info.arch, info.cores);
	}
	check(tacho_device_link(device[0], 0, device[1], 0));
	program[0] = mover(device[0], KERNEL("eth_send.c"), buffer[0]);
	program[1] = mover(device[1], KERNEL("eth_receive.c"), buffer[1]);
	check(tacho_buffer_write(buffer[0], 0, in, sizeof(in)));
	start = tacho_device_cycles(device[0]);
	/* Start both before waiting for either. */
	for (int i = 0; i < 2; i++)
		check(tacho_enqueue(device[i], program[i]));
	for (int i = 0; i < 2; i++)
		check(tacho_finish(device[i]));
	start = tacho_device_cycles(device[0]) - start;
	check(tacho_buffer_read(buffer[1], 0, out, sizeof(out)));
	printf("%zu bytes from device 0 to device 1: %s, %llu cycles (modelled)\n", sizeof(in),
	       memcmp(in, out, sizeof(in)) ? "WRONG" : "right", (unsigned long long)start);
	for (int i = 0; i < 2; i++) {
		tacho_program_free(program[i]);
		tacho_buffer_free(buffer[i]);
		tacho_device_close(device[i]);
	}
	return memcmp(in, out, sizeof(in)) != 0;
}
