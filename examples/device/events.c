/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a kernel records besides zones: values, events, sums. */
#include "example.h"

static void print(void *context, const struct tacho_device_event *e)
{
	static const char *const kinds[] = {"zone", "total", "data", "event", "data16"};

	(void)context;
	printf("%u,%u %s %-5s %-12s id %u at %llu", e->core.x, e->core.y, e->risc, kinds[e->kind],
	       e->name, e->id, (unsigned long long)e->start);
	if (e->kind == TACHO_DEVICE_ZONE)
		printf(" for %llu cycles", (unsigned long long)(e->end - e->start));
	else if (e->kind != TACHO_DEVICE_EVENT)
		printf(" = 0x%llx", (unsigned long long)e->data[0]);
	printf("\n");
}

int main(void)
{
	struct tacho_device *device;
	struct tacho_program *program;

	setenv("TT_METAL_PROFILER_SUM", "1", 0);
	check(tacho_device_open(&device, &(struct tacho_device_options){.profile = 1}));
	check(tacho_program_new(&program, device));
	check(tacho_program_kernel(program, &(struct tacho_kernel){
						    .source = KERNEL("events.c"),
						    .risc = TACHO_BRISC,
						    .cores = one_core(0, 0),
					    }));
	name_op(program, "Events", "cores", 1);
	check(tacho_enqueue(device, program));
	check(tacho_profiler_read(device, print, NULL));
	tacho_program_free(program);
	tacho_device_close(device);
	return 0;
}
