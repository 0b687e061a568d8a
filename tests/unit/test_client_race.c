/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads emit while another one drains and frees, new threads come and go, and numbers are given
 * to names by several at once. labels: tsan
 */
#include "ring/ring.h"
#include "unit/client_session.h"

#include <pthread.h>

#define PRODUCERS 4
#define ROUNDS    300

static _Atomic bool all_done;

static void *events_produce(void *arg)
{
	long self = (long)arg;
	char name[32];

	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 100; k++) {
			TACHO_ZONE("shared place");
		}
		snprintf(name, sizeof(name), "name %d", i % 50);
		tacho_plot_int(name, i);
		TACHO_MESSAGEF("producer %ld round %d", self, i);
		tacho_zone_end(tacho_zone_begin_runtime(name, strlen(name), "f", "file", 1, 0));
	}
	return NULL;
}

static void *produce_briefly(void *arg)
{
	TACHO_ZONE("brief");
	return arg;
}

static void *come_and_go(void *arg)
{
	pthread_t thread;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_create(&thread, NULL, produce_briefly, NULL);
		pthread_join(thread, NULL);
	}
	return arg;
}

struct sums {
	long begins, ends, messages, plots, others;
};

static void add_up(struct sums *sum, const struct ring_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (events[i].type == RING_T_BEGIN)
			sum->begins++;
		else if (events[i].type == RING_T_END)
			sum->ends++;
		else if (events[i].type == RING_MESSAGE)
			sum->messages++;
		else if (events[i].type == RING_PLOT_INT)
			sum->plots++;
		else if (events[i].type != RING_NAME && events[i].type != RING_SRCLOC)
			sum->others++;
	}
}

static void events_drain(struct ring_reader *ring, struct sums *sum)
{
	static struct ring_event events[512];
	struct ring_stream **streams;
	size_t count, n;

	assert_int_equal(ring_streams(ring, &streams, &count), 0);
	for (size_t i = 0; i < count; i++)
		while ((n = ring_read(streams[i], events, 512)))
			add_up(sum, events, n);
	ring_release(ring);
}

static void *wait_for_all(void *arg)
{
	pthread_t threads[PRODUCERS + 1];

	pthread_create(&threads[PRODUCERS], NULL, come_and_go, NULL);
	for (long i = 0; i < PRODUCERS; i++)
		pthread_create(&threads[i], NULL, events_produce, (void *)i);
	for (int i = 0; i <= PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	all_done = true;
	return arg;
}

static void nothing_is_lost_between_threads(void **state)
{
	struct ring_reader *ring = NULL;
	struct sums sum = {0};
	struct tacho_error err;
	pthread_t waiter;
	char name[64];
	int folder;
	bool last;

	(void)state;
	session_start(0, RING_DROP);
	tacho_frame(NULL); /* joins */
	snprintf(name, sizeof(name), "p.%d.0", (int)getpid());
	folder = open(session_dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(ring_open(&ring, folder, name, 0, &err), 0);
	close(folder);
	pthread_create(&waiter, NULL, wait_for_all, NULL);
	do {
		last = all_done;
		events_drain(ring, &sum);
	} while (!last);
	pthread_join(waiter, NULL);
	assert_int_equal(sum.begins, PRODUCERS * ROUNDS * 101 + ROUNDS);
	assert_int_equal(sum.ends, sum.begins);
	assert_int_equal(sum.messages, PRODUCERS * ROUNDS);
	assert_int_equal(sum.plots, PRODUCERS * ROUNDS);
	assert_int_equal(sum.others, 1);
	ring_close(ring);
	session_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_between_threads)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
