/* SPDX-License-Identifier: Apache-2.0 */
/* A token passed around all cores by NoC writes and semaphores. */
#include "example.h"

#define ROUNDS 3u

int main(void)
{
	struct tacho_device *device;
	struct tacho_device_info info;
	struct tacho_program *program;
	uint32_t rounds = ROUNDS, zero = 0, value = 0, want;
	int kernel;

	check(tacho_device_open(&device, NULL));
	tacho_device_info(device, &info);
	check(tacho_program_new(&program, device));
	kernel = check(tacho_program_kernel(program, &(struct tacho_kernel){
							     .source = KERNEL("ring.c"),
							     .risc = TACHO_BRISC,
							     .cores = all_cores(&info),
						     }));
	check(tacho_program_semaphore(program, all_cores(&info), 0));
	check(tacho_program_common_args(program, kernel, &rounds, 1));
	for (unsigned i = 0; i < info.cores; i++) {
		unsigned n = (i + 1) % info.cores;
		struct tacho_core core = {(uint16_t)(i % info.columns),
					  (uint16_t)(i / info.columns)};
		struct tacho_core next = {(uint16_t)(n % info.columns),
					  (uint16_t)(n / info.columns)},
				  noc;
		uint32_t args[3];

		check(tacho_core_noc(device, next, &noc));
		args[0] = noc.x;
		args[1] = noc.y;
		args[2] = i == 0;
		check(tacho_program_args(program, kernel, core, args, 3));
		check(tacho_core_write(device, core, 0x40000, &zero, 4));
	}
	name_op(program, "NocRing", "rounds", ROUNDS);
	check(tacho_enqueue(device, program));
	check(tacho_finish(device));
	check(tacho_core_read(device, (struct tacho_core){0, 0}, 0x40000, &value, 4));
	want = ROUNDS * info.cores;
	printf("%u rounds over %u cores: %u hops, %s, %llu cycles (modelled)\n", ROUNDS, info.cores,
	       value, value == want ? "right" : "WRONG",
	       (unsigned long long)tacho_device_cycles(device));
	tacho_program_free(program);
	tacho_device_close(device);
	return value != want;
}
