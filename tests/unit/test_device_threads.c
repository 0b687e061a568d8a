/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that several threads use at once: a device does one thing at a time. labels: tsan */
#include "device_tools.h"

#include <pthread.h>

#define THREADS 4
#define TURNS   20

struct worker {
	pthread_t thread;
	struct tacho_device *device;
	uint32_t number;
	unsigned wrong, failed;
};

static struct tacho_program *store_program(struct tacho_device *d, int *kernel)
{
	struct tacho_program *p;

	if (tacho_program_new(&p, d) < 0)
		return NULL;
	*kernel = tacho_program_kernel(p, &(struct tacho_kernel){
						  .source = DEVICE_KERNELS "/store.c",
						  .risc = TACHO_BRISC,
						  .cores = {{0, 0}, {1, 1}},
					  });
	return p;
}

/* Each thread has a word of its own on a core that all use, and a buffer. */
static void thread_turn(struct worker *w, struct tacho_program *p, int kernel, uint32_t value)
{
	struct tacho_core core = {1, 1};
	uint32_t address = 0x40000 + 64 * w->number, args[] = {value, address}, got = 0;
	struct tacho_buffer *b;

	if (tacho_program_common_args(p, kernel, args, 2) < 0 ||
	    tacho_program_args(p, kernel, core, args, 2) < 0 ||
	    tacho_buffer_new(&b, w->device, TACHO_DRAM, 4096, 64) < 0) {
		w->failed++;
		return;
	}
	if (tacho_buffer_write(b, 64, &value, 4) < 0 || tacho_enqueue(w->device, p) < 0 ||
	    tacho_finish(w->device) < 0 || tacho_core_read(w->device, core, address, &got, 4) < 0)
		w->failed++;
	w->wrong += got != value;
	got = 0;
	w->failed += tacho_buffer_read(b, 64, &got, 4) < 0;
	w->wrong += got != value;
	tacho_buffer_free(b);
}

static void *thread_work(void *context)
{
	struct worker *w = context;
	struct tacho_program *p;
	int kernel = -1;

	p = store_program(w->device, &kernel);
	if (!p || kernel < 0) {
		w->failed++;
		return NULL;
	}
	for (uint32_t i = 1; i <= TURNS; i++)
		thread_turn(w, p, kernel, w->number << 16 | i);
	tacho_program_free(p);
	return NULL;
}

static void start_all(struct worker *workers, struct tacho_device *const *devices, unsigned count)
{
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.device = devices[i % count], .number = i};
		assert_int_equal(pthread_create(&workers[i].thread, NULL, thread_work, &workers[i]),
				 0);
	}
}

static void join_all(struct worker *workers)
{
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].failed, 0);
		assert_int_equal(workers[i].wrong, 0);
	}
}

/* The kernel's own zones; the device may be used meanwhile. */
static void event_count(void *context, const struct tacho_device_event *e)
{
	unsigned *stores = context;

	if (e->kind == TACHO_DEVICE_ZONE && !strcmp(e->name, "STORE"))
		++*stores;
}

/* What this thread reads while the others run, and what is left, is all of it. */
static void test_one_device(void **state)
{
	struct worker workers[THREADS];
	struct tacho_device *d;
	unsigned stores = 0;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(0);
	start_all(workers, &d, 1);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(tacho_profiler_read(d, event_count, &stores), 0);
		assert_int_equal(tacho_profiler_lost_all(d), 0);
		assert_true(tacho_device_cycles(d) > 0);
	}
	join_all(workers);
	assert_int_equal(tacho_profiler_read(d, event_count, &stores), 0);
	assert_int_equal(stores, THREADS * TURNS * 4);
	tacho_device_close(d);
}

/* Two devices, which are linked, and are made one op, while both are used. */
static void test_linked(void **state)
{
	struct worker workers[THREADS];
	struct tacho_device *d[2];

	(void)state;
	if (!have_compiler())
		return;
	d[0] = open_device(0);
	d[1] = open_device(0);
	start_all(workers, d, 2);
	assert_int_equal(tacho_device_link(d[0], 0, d[1], 0), 0);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(tacho_op_begin(d, 2, NULL), 0);
		assert_true(tacho_op_last(d[0]) > 0);
		assert_int_equal(tacho_op_end(d[1]), 0);
	}
	join_all(workers);
	tacho_device_close(d[0]);
	tacho_device_close(d[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_device),
		cmocka_unit_test(test_linked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
