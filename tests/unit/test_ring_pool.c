/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's side of a session's pool, with programs that write nonsense to it. */
#include "ring/ring.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ring_session session;

static int open_session(void **state)
{
	struct ring_session_options options = {.session_mb = 8};
	struct tacho_error err = {0};

	(void)state;
	return ring_session_create(&session, NULL, &options, &err);
}

static int close_session(void **state)
{
	(void)state;
	ring_session_remove(&session);
	ring_session_close(&session);
	return 0;
}

static void the_pool_costs_a_page(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(fstat(session.pool.fd, &st), 0);
	assert_int_equal(st.st_blocks * 512, RING_PAGE_SIZE);
	assert_true(session.pool.limit == 8u << 20);
	assert_int_equal(session.pool.head->areas, RING_POOL_AREAS);
}

static void the_account_is_corrected(void **state)
{
	_Atomic uint64_t *used = &session.pool.head->used;

	(void)state;
	/* Taken by a process that died before it used it. */
	atomic_store(used, 1000000);
	ring_pool_settle(&session, 1000000, 200000, 50000);
	assert_int_equal(ring_pool_used(&session), 250000);
	/* What is taken meanwhile counts. */
	atomic_store(used, 1000000 + 4096);
	ring_pool_settle(&session, 1000000, 200000, 50000);
	assert_int_equal(ring_pool_used(&session), 250000 + 4096);
	/* Within the slack nothing is touched. */
	ring_pool_settle(&session, 240000, 200000, 50000);
	assert_int_equal(ring_pool_used(&session), 250000 + 4096);
	/* Nonsense, of both kinds. */
	atomic_store(used, 0);
	ring_pool_settle(&session, 0, 200000, 50000);
	assert_int_equal(ring_pool_used(&session), 200000);
	atomic_store(used, UINT64_MAX);
	ring_pool_settle(&session, UINT64_MAX, 200000, 50000);
	assert_int_equal(ring_pool_used(&session), 250000);
	/* More than was taken is given back. */
	ring_pool_give(&session, 1ull << 60);
	assert_int_equal(ring_pool_used(&session), 0);
}

static void names_of_areas_are_checked(void **state)
{
	static const char *const bad[] = {
		"pool.0.2",   "pool.1.1",  "pool.128.1", "pool.4294967295.1",
		"pool.-1.1",  "pool.0.1x", "pool.0",     "pool.",
		"pool.0.1/x", "pool..1",   "pool.0.",    "pool.0.1.1"};
	struct ring_reader *r = NULL;
	struct tacho_error err;
	uint32_t area = 0;
	char name[64];

	(void)state;
	assert_false(ring_pool_changed(&session));
	atomic_store(&session.pool.head->owner[0], 1ull << 32 | 77);
	atomic_fetch_add(&session.pool.head->claims, 1);
	assert_true(ring_pool_changed(&session));
	assert_false(ring_pool_changed(&session));
	assert_true(ring_pool_next(&session, &area, name, sizeof(name)));
	assert_string_equal(name, "pool.0.1");
	assert_false(ring_pool_next(&session, &area, name, sizeof(name)));
	/* It has no header yet. */
	assert_int_equal(ring_open_area(&r, &session, name, &err), TACHO_EFORMAT);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(ring_open_area(&r, &session, bad[i], &err), TACHO_ENO);
		ring_pool_free_area(&session, bad[i]);
	}
	assert_true(atomic_load(&session.pool.head->owner[0]) == (1ull << 32 | 77));
	ring_pool_free_area(&session, name);
	assert_true(atomic_load(&session.pool.head->owner[0]) == 1ull << 32);
	assert_int_equal(ring_open_area(&r, &session, name, &err), TACHO_ENO);
}

static void an_area_is_empty_when_it_is_free(void **state)
{
	struct stat st;
	char page[RING_PAGE_SIZE];

	(void)state;
	memset(page, 1, sizeof(page));
	for (int i = 0; i < 4; i++)
		assert_int_equal(pwrite(session.pool.fd, page, sizeof(page),
					(off_t)(ring_area_offset(5) + RING_DATA * (unsigned)i)),
				 sizeof(page));
	atomic_store(&session.pool.head->used, 4 * RING_PAGE_SIZE);
	atomic_store(&session.pool.head->owner[5], 3ull << 32 | 1);
	ring_pool_free_area(&session, "pool.5.3");
	assert_int_equal(fstat(session.pool.fd, &st), 0);
	assert_int_equal(st.st_blocks * 512, RING_PAGE_SIZE);
	assert_int_equal(ring_pool_used(&session), 0);
}

static void failed_joins_are_checked(void **state)
{
	struct ring_join *join = session.control->joins;
	struct ring_failed_join list[RING_JOINS];
	size_t count;

	(void)state;
	atomic_store(&session.control->joins_failed, 7);
	for (uint32_t i = 0; i < RING_JOINS; i++) {
		atomic_store(&join[i].state, i);
		join[i].pid = i;
		memset(join[i].name, 'x', sizeof(join[i].name));
	}
	assert_int_equal(ring_session_failed_joins(&session, list, RING_JOINS, &count), 7);
	assert_int_equal(count, 1);
	assert_int_equal(list[0].pid, RING_JOIN_WRITTEN);
	assert_string_equal(list[0].name, "xxxxxxxxxxxxxxx");
	ring_session_free_joins(&session, list, count);
	assert_int_equal(atomic_load(&join[RING_JOIN_WRITTEN].state), RING_JOIN_FREE);
	assert_int_equal(ring_session_failed_joins(&session, list, 0, &count), 7);
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_pool_costs_a_page, open_session, close_session),
		cmocka_unit_test_setup_teardown(the_account_is_corrected, open_session,
						close_session),
		cmocka_unit_test_setup_teardown(names_of_areas_are_checked, open_session,
						close_session),
		cmocka_unit_test_setup_teardown(an_area_is_empty_when_it_is_free, open_session,
						close_session),
		cmocka_unit_test_setup_teardown(failed_joins_are_checked, open_session,
						close_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
