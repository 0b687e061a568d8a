/* SPDX-License-Identifier: Apache-2.0 */
/* Zones of devices by Tracy's C functions. Times are those of devices that began to count at 1000,
 * and that are sent in any order. */
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <tracy/TracyC.h>
#include <unistd.h>

static const struct ___tracy_source_location_data draw = {"draw", "frame", "gpu.c", 7, 0xff};
static const struct ___tracy_source_location_data shade = {NULL, "shade", "gpu.c", 8, 0};

static void gpu_begin(uint8_t context, uint16_t query,
		      const struct ___tracy_source_location_data *s)
{
	___tracy_emit_gpu_zone_begin((struct ___tracy_gpu_zone_begin_data){
		.srcloc = (uint64_t)(uintptr_t)s, .queryId = query, .context = context});
}

static void gpu_end(uint8_t context, uint16_t query)
{
	___tracy_emit_gpu_zone_end(
		(struct ___tracy_gpu_zone_end_data){.queryId = query, .context = context});
}

static void gpu_time(uint8_t context, uint16_t query, int64_t time)
{
	___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){
		.gpuTime = time, .queryId = query, .context = context});
}

/* Two zones in each other, whose times come from the last to the first. */
static void gpu_nested(void)
{
	___tracy_emit_gpu_new_context((struct ___tracy_gpu_new_context_data){
		.gpuTime = 1000, .period = 1.f, .context = 3, .flags = 0, .type = 2});
	___tracy_emit_gpu_context_name((struct ___tracy_gpu_context_name_data){
		.context = 3, .name = "Graphics", .len = 8});
	gpu_begin(3, 10, &draw);
	gpu_begin(3, 11, &shade);
	gpu_end(3, 12);
	gpu_end(3, 13);
	gpu_time(3, 13, 1000 + 900000);
	gpu_time(3, 12, 1000 + 700000);
	gpu_time(3, 11, 1000 + 200000);
	gpu_time(3, 10, 1000);
}

/* Ticks of 100 ns; a location made at run time; queries go round; one is never answered. */
static void gpu_serial(void)
{
	___tracy_emit_gpu_new_context_serial((struct ___tracy_gpu_new_context_data){
		.gpuTime = 50, .period = 100.f, .context = 0, .flags = 1, .type = 2});
	___tracy_emit_gpu_context_name_serial(
		(struct ___tracy_gpu_context_name_data){.context = 0, .name = "Compute", .len = 7});
	for (unsigned i = 0; i < 40000; i++) {
		struct ___tracy_gpu_zone_begin_data b = {
			.srcloc = ___tracy_alloc_srcloc_name(i % 4, "k.cu", 4, "launch", 6,
							     "kernel", 6, 0),
			.queryId = (uint16_t)(2 * i)};
		struct ___tracy_gpu_zone_end_data e = {.queryId = (uint16_t)(2 * i + 1)};

		___tracy_emit_gpu_zone_begin_alloc_serial(b);
		___tracy_emit_gpu_zone_end_serial(e);
		if (i != 5)
			___tracy_emit_gpu_time_serial((struct ___tracy_gpu_time_data){
				.gpuTime = 50 + 10 * i, .queryId = b.queryId});
		___tracy_emit_gpu_time_serial((struct ___tracy_gpu_time_data){
			.gpuTime = 55 + 10 * i, .queryId = e.queryId});
	}
}

/* The program has measured that a tick is 2 us. */
static void gpu_calibrated(void)
{
	___tracy_emit_gpu_new_context((struct ___tracy_gpu_new_context_data){
		.gpuTime = 0, .period = 1.f, .context = 255, .flags = 1, .type = 2});
	___tracy_emit_gpu_calibration((struct ___tracy_gpu_calibration_data){
		.gpuTime = 100, .cpuDelta = 200000, .context = 255});
	gpu_begin(255, 0, &draw);
	gpu_end(255, 1);
	gpu_time(255, 0, 100);
	gpu_time(255, 1, 400);
	___tracy_emit_gpu_time_sync(
		(struct ___tracy_gpu_time_sync_data){.gpuTime = 900, .context = 255});
}

/* Nothing of this is a zone, and nothing of it does harm. */
static void gpu_wrong(void)
{
	gpu_begin(77, 0, &draw);
	gpu_time(77, 0, 5);
	gpu_end(3, 99);
	gpu_time(3, 99, INT64_MAX);
	gpu_time(3, 98, INT64_MIN);
	gpu_begin(3, 1, NULL);
	gpu_end(3, 2);
	gpu_time(3, 1, 0);
	gpu_time(3, 2, 0);
}

int main(void)
{
	gpu_nested();
	gpu_wrong();
	gpu_serial();
	gpu_calibrated();
	/* A child has no contexts. */
	if (fork() == 0) {
		gpu_begin(3, 0, &draw);
		gpu_time(3, 0, 5000);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
