/* What the viewer's server keeps of rows, against what a look at each of them gives. */
#include "trace_tools.h"
#include "web/spans.h"

/* ------------------------------------------------------------------- spans */

#define SPANS 200000u /* they go into a file on the way */

static void spans_make(struct spans *s)
{
	uint64_t seed = 5, at = 1000;

	for (uint32_t i = 0; i < SPANS; i++) {
		uint64_t length = test_random(&seed) % (i % 1000 ? 50 : 100000);

		spans_begin(s, at, i % 7, i % 3 == 0);
		assert_int_equal(spans_end(s, at + length), 0);
		at += length + (i % 5 ? test_random(&seed) % 20 : 0);
	}
	assert_int_equal(s->n, SPANS);
	assert_non_null(s->store.file);
	assert_int_equal(spill_memory(&s->store), 0);
	spill_rest(&s->store); /* nothing is lost by it */
}

static void view_is_right(const struct spans *s, uint64_t t0, uint64_t t1,
			  const struct trace_lod_item *items, size_t count)
{
	double pixel = (double)(t1 - t0) / WEB_TILE;
	size_t at = spans_find(s, t0);

	assert_true(count <= 2 * WEB_TILE + 2);
	assert_true(at == 0 || s->v[at - 1].end <= t0);
	for (size_t i = 0; i < count; i++) {
		const struct trace_lod_item *item = &items[i];
		uint64_t busy = 0, from = item->start > t0 ? item->start : t0;

		assert_int_equal(item->index, at);
		assert_int_equal(item->start, s->v[at].start);
		for (uint64_t k = 0; k < item->count; k++, at++) {
			uint64_t length = s->v[at].end - s->v[at].start;

			busy += length;
			assert_true(item->count == 1 || (double)length < pixel);
			assert_true(s->v[at].start < t1);
			assert_true((double)s->v[at].start <= (double)from + pixel + 1);
		}
		assert_int_equal(item->busy, busy);
		assert_int_equal(item->end, s->v[at - 1].end);
		if (item->count == 1)
			assert_int_equal(item->srcloc, 1 + s->v[at - 1].shared);
	}
	assert_true(at == s->n || s->v[at].start >= t1);
}

static void test_spans(void **state)
{
	struct spans s = {0};
	struct trace_lod_item *items = NULL;
	size_t count, cap = 0;
	uint64_t seed = 9, span;

	(void)state;
	spans_make(&s);
	span = s.v[SPANS - 1].end + 2000;
	for (int i = 0; i < 400; i++) {
		uint64_t width = i ? span >> (i % 30) : span;
		uint64_t t0 = i ? test_random(&seed) % span : 0;

		count = 0;
		assert_int_equal(spans_query(&s, 1, 0, t0, t0 + width + 1, &items, &count, &cap),
				 0);
		view_is_right(&s, t0, t0 + width + 1, items, count);
	}
	/* One that has not ended reaches to the end of what is known. */
	spans_begin(&s, span, 3, false);
	count = 0;
	assert_int_equal(
		spans_query(&s, 1, span + 500, span - 10, span + 5000, &items, &count, &cap), 0);
	assert_int_equal(count, 1);
	assert_int_equal(items[0].index, WEB_OPEN);
	assert_int_equal(items[0].start, span);
	assert_int_equal(items[0].end, span + 500);
	/* One that would begin before the end of the last is moved. */
	assert_int_equal(spans_end(&s, span + 10), 0);
	spans_begin(&s, span, 3, false);
	assert_int_equal(spans_end(&s, span + 5), 0);
	assert_int_equal(s.v[s.n - 1].start, span + 10);
	assert_int_equal(s.v[s.n - 1].end, span + 10);
	free(items);
	spans_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
