/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a buffer on the device: every core takes each n-th page. */
#include "example.h"

#define PAGES     240u
#define PAGE_SIZE 2048u

int main(void)
{
	static uint8_t in[PAGES * PAGE_SIZE], out[PAGES * PAGE_SIZE];
	struct tacho_device *device;
	struct tacho_device_info info;
	struct tacho_program *program;
	struct tacho_buffer *a, *b;
	int kernel;

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 7 + i / 256);
	check(tacho_device_open(&device, NULL));
	tacho_device_info(device, &info);
	check(tacho_buffer_new(&a, device, TACHO_DRAM, sizeof(in), PAGE_SIZE));
	check(tacho_buffer_new(&b, device, TACHO_DRAM, sizeof(in), PAGE_SIZE));
	check(tacho_buffer_write(a, 0, in, sizeof(in)));

	check(tacho_program_new(&program, device));
	kernel = check(tacho_program_kernel(program, &(struct tacho_kernel){
							     .source = KERNEL("copy.c"),
							     .risc = TACHO_BRISC,
							     .cores = all_cores(&info),
						     }));
	for (unsigned i = 0; i < info.cores; i++) {
		struct tacho_core core = {(uint16_t)(i % info.columns),
					  (uint16_t)(i / info.columns)};
		uint32_t args[] = {tacho_buffer_address(a),
				   tacho_buffer_address(b),
				   PAGE_SIZE,
				   i,
				   PAGES,
				   info.cores};

		check(tacho_program_args(program, kernel, core, args, 6));
	}
	describe_copy(program, &info, PAGES, PAGE_SIZE);
	check(tacho_enqueue(device, program));
	check(tacho_finish(device));
	check(tacho_buffer_read(b, 0, out, sizeof(out)));
	printf("%u bytes through %u cores of %s: %s, %llu cycles (modelled)\n",
	       (unsigned)sizeof(in), info.cores, info.arch,
	       memcmp(in, out, sizeof(in)) ? "WRONG" : "right",
	       (unsigned long long)tacho_device_cycles(device));
	tacho_program_free(program);
	tacho_buffer_free(a);
	tacho_buffer_free(b);
	tacho_device_close(device);
	return memcmp(in, out, sizeof(in)) != 0;
}
