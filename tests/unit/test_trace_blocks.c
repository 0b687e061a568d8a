/* SPDX-License-Identifier: Apache-2.0 */
/* Which decoded blocks stay in memory for the next view. */
#include "trace/reader.h"
#include "trace_tools.h"

/* Two threads; each has a lane of one block, one of a few and one of many. */
static struct trace *trace_make(struct test_zones *z)
{
	const char *path = test_path("blocks.tacho");
	struct test_shape shape = {10, 3, 50, 60, 30, false};
	struct trace_writer *w = test_writer(path);
	uint64_t seed = 7, now[2] = {0};

	while (z->n < 600000) {
		uint32_t track = (uint32_t)(test_random(&seed) % 2);

		test_tree(z, &seed, &shape, track, 0, &now[track]);
	}
	test_model(w, 2, shape.names);
	test_write_zones(w, z);
	test_close(w);
	return test_open(path);
}

/* A look at a few zones of a lane; how many blocks were decoded for it. */
static uint64_t blocks_compare(struct trace *t, struct trace_lod *lod, uint32_t lane, uint64_t at)
{
	struct trace_lod_item *items = NULL;
	size_t count = 0, cap = 0;
	uint64_t before = private_of(t)->zblock_ages;

	assert_int_equal(trace_lod_query(lod, lane, at, at + 500, 500, &items, &count, &cap), 0);
	assert_true(private_of(t)->idle <= private_of(t)->idle_limit);
	free(items);
	return private_of(t)->zblock_ages - before;
}

/* Blocks of lanes with few of them stay while those of a long lane come and go; but not for ever.
 */
static void test_blocks(void **state)
{
	struct test_zones z = {0};
	struct trace *t = trace_make(&z);
	uint64_t seed = 5, span = t->end - t->start, again = 0;
	struct trace_lod *lod;

	(void)state;
	assert_int_equal(t->lane_count, 6);
	assert_true(t->lanes[1].zones > 10000 && t->lanes[2].zones > 200000);
	assert_int_equal(trace_lod_open(&lod, t, test_path("blocks"), NULL), 0);
	trace_set_cache(t, 400 << 10);
	for (int i = 0; i < 100; i++) {
		uint64_t at = t->start + test_random(&seed) % span;

		for (uint32_t lane = 0; lane < 3; lane++) {
			uint64_t decoded = blocks_compare(t, lod, lane, at);

			/* The next tile needs it again. */
			assert_int_equal(blocks_compare(t, lod, lane, at), 0);
			again += i >= 50 && lane < 2 ? decoded : 0;
		}
	}
	assert_int_equal(again, 0);
	/* The first track is no longer in use. */
	for (int i = 0; i < 1000; i++)
		blocks_compare(t, lod, 5, t->start + test_random(&seed) % span);
	assert_int_equal(blocks_compare(t, lod, 0, t->start), 1);
	trace_set_cache(t, 0);
	assert_int_equal(private_of(t)->idle + private_of(t)->idle_count, 0);
	trace_lod_close(lod);
	trace_close(t);
	free(z.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
