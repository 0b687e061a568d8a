/* SPDX-License-Identifier: Apache-2.0 */
/* What the viewer's server keeps of rows, against what a look at each of them gives. */
#include "base/jread.h"
#include "trace_tools.h"
#include "view/lane_numbers.h"
#include "view/memory_history.h"
#include "view/range_max.h"
#include "view/span_list.h"
#include "view/tiles.h"
#include "view_ask.h"

#include <math.h>

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
	double pixel = (double)(t1 - t0) / VIEW_TILE;
	size_t at = spans_find(s, t0);

	assert_true(count <= 2 * VIEW_TILE + 2);
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
	assert_int_equal(items[0].index, VIEW_OPEN);
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

/* ------------------------------------------------------------------ values */

#define VALUES 300000u

static double brute_min(const struct value *v, size_t first, size_t end)
{
	double least = INFINITY;

	for (; first < end; first++)
		least = v[first].value < least ? v[first].value : least;
	return least;
}

static void test_values(void **state)
{
	struct values v = {0};
	uint64_t seed = 3, at = 500;

	(void)state;
	for (uint32_t i = 0; i < VALUES; i++) {
		uint64_t late = i % 1000 == 7 ? test_random(&seed) % 3000 : 0;

		at += test_random(&seed) % 4;
		assert_int_equal(values_add(&v, at > late ? at - late : 0,
					    (double)(test_random(&seed) % 100000) - 5e4),
				 0);
	}
	assert_int_equal(v.n, VALUES);
	assert_non_null(v.store.file);
	for (size_t i = 1; i < v.n; i++)
		assert_true(v.v[i - 1].time <= v.v[i].time);
	for (int i = 0; i < 300; i++) {
		size_t first = test_random(&seed) % VALUES;
		size_t end = first + 1 + test_random(&seed) % (VALUES >> i % 18);

		end = end < VALUES ? end : VALUES;
		assert_true(values_range(&v, first, end).min == brute_min(v.v, first, end));
	}
	assert_true(values_range(&v, 0, v.n).min == brute_min(v.v, 0, v.n));
	for (uint64_t t = 0; t < at + 100; t += at / 97) {
		size_t i = values_find(&v, t);

		assert_true((i == 0 || v.v[i - 1].time < t) && (i == v.n || v.v[i].time >= t));
	}
	values_clear(&v);
}

/* ------------------------------------------------------------------- tiles */

static struct trace_row row_of(uint64_t i, uint32_t track)
{
	struct trace_row row = {.time = 1000 + i * 3 / 2, .thread = TRACE_NONE, .text = ""};

	if (track == 0) {
		row.kind = TRACE_ROW_PLOT_INT;
		row.a = i * 2654435761u % 1000003;
	} else {
		row.kind = i % 3 == 2 ? TRACE_ROW_FREE : TRACE_ROW_ALLOC;
		row.a = 16 * (i - (i % 3 == 2 ? i % 7 % 2 + 1 : 0));
		row.b = 1 + i % 50;
	}
	return row;
}

static void rows_write(struct trace_writer *w, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		for (uint32_t track = 0; track < 2; track++) {
			struct trace_row row = row_of(i, track);

			assert_int_equal(trace_add_row(w, track, &row), 0);
		}
}

static struct trace_writer *rows_writer(const char *path)
{
	struct trace_process p = {.pid = 1, .start = 1000, .name = "p", .command = "p"};
	struct trace_track plot = {.kind = TRACE_PLOT, .srcloc = TRACE_NONE, .name = "plot"};
	struct trace_track pool = {.kind = TRACE_MEMORY, .srcloc = TRACE_NONE, .name = "pool"};
	struct trace_writer *w = test_writer(path);

	trace_set_property(w, "ticks per second", "1000000000");
	trace_add_process(w, &p);
	assert_int_equal(trace_add_track(w, &plot), 0);
	assert_int_equal(trace_add_track(w, &pool), 1);
	return w;
}

/* The value after row I. */
static double value_after(uint64_t i, uint32_t track, struct view_pool *pool)
{
	struct trace_row row = row_of(i, track);

	if (track == 0)
		return (double)row.a;
	assert_int_equal(view_pool_row(pool, &row), 0);
	return (double)pool->bytes;
}

static double number_at(const struct jread_value *point, unsigned i)
{
	const struct jread_value *v = point->first;

	while (i--)
		v = v->next;
	return jread_double(v);
}

/* A tile as one look at all rows makes it. */
static void tile_is_right(const struct jread_value *answer, uint32_t track, uint64_t rows,
			  unsigned res, uint64_t tile)
{
	const struct jread_value *point = jread_get(answer, "points")->first, *before;
	uint64_t ns = (uint64_t)VIEW_TILE << res, t0 = tile * ns;
	struct view_pool pool = {0};
	double last = 0;
	uint64_t i = 0;

	while (i < rows && i * 3 / 2 < t0)
		last = value_after(i++, track, &pool);
	before = jread_get(answer, "before");
	if (i || track == 1)
		assert_true(jread_double(before) == last);
	else
		assert_int_equal(before->type, JREAD_NULL);
	while (i < rows && i * 3 / 2 < t0 + ns) {
		uint64_t pixel = (i * 3 / 2 - t0) >> res, first = i * 3 / 2, count = 0;
		double min = INFINITY, max = -INFINITY;

		for (; i < rows && i * 3 / 2 < t0 + ns && (i * 3 / 2 - t0) >> res == pixel; i++) {
			last = value_after(i, track, &pool);
			min = fmin(min, last);
			max = fmax(max, last);
			count++;
		}
		assert_non_null(point);
		assert_true(number_at(point, 0) == (double)first);
		assert_true(number_at(point, 1) == min && number_at(point, 2) == max);
		assert_true(number_at(point, 3) == last);
		assert_true(number_at(point, 4) == (double)count);
		point = point->next;
	}
	assert_null(point);
	view_pool_free(&pool);
}

#define ROWS_WRITTEN 100000u

static void tile_try(struct view *view, uint32_t track, unsigned res, uint64_t tile)
{
	char target[100];
	struct view_answer reply;
	struct jread reader = {0};

	snprintf(target, sizeof(target), "%s?track=%u&res=%u&i=%u", track ? "memory" : "plot",
		 track, res, (unsigned)tile);
	assert_int_equal(view_ask_text(view, target, &reply), VIEW_OK);
	tile_is_right(jread_parse(&reader, reply.body.data, reply.body.len, NULL), track,
		      ROWS_WRITTEN, res, tile);
	jread_free(&reader);
	buf_free(&reply.body);
}

static void test_tiles(void **state)
{
	const char *path = test_path("rows.tacho");
	struct trace_writer *w = rows_writer(path);
	struct view_options options = {0};
	struct view *view;

	(void)state;
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	rows_write(w, 0, ROWS_WRITTEN);
	assert_int_equal(trace_writer_close(w, NULL), 0);
	assert_int_equal(view_open(&view, &options, NULL), 0);
	assert_int_equal(view_add(view, path, NULL), 0);
	for (uint32_t track = 0; track < 2; track++) {
		tile_try(view, track, 12, 0);
		for (unsigned res = 0; res <= 10; res += 2)
			for (uint64_t i = 0; i < 3; i++)
				tile_try(view, track, res,
					 i * 7 % (160000 / (VIEW_TILE << res) + 1));
	}
	view_close(view);
}

/* ------------------------------------------------------------------- lives */

#define LIVES 50000u

static void alive_is_right(const struct lives *l, uint64_t t, size_t room)
{
	struct life *found = malloc((room + 1) * sizeof(*found));
	uint64_t bytes = 0, found_bytes = 0, least = UINT64_MAX;
	size_t n = lives_at(l, t, found, room), alive = 0, larger = 0;

	for (size_t i = 0; i < n; i++) {
		assert_true(found[i].start < t && found[i].end >= t);
		assert_true(i == 0 || found[i - 1].bytes >= found[i].bytes);
		found_bytes += found[i].bytes;
		least = found[i].bytes;
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].start < t && l->v[i].end >= t) {
			alive++;
			larger += l->v[i].bytes > least;
			bytes += l->v[i].bytes;
		}
	assert_int_equal(n, alive < room ? alive : room);
	assert_true(larger < n || n == 0);
	if (alive <= room)
		assert_int_equal(bytes, found_bytes);
	free(found);
}

static void test_lives(void **state)
{
	struct lives l = {0};
	uint64_t seed = 7, at = 100;

	(void)state;
	for (uint32_t i = 0; i < LIVES; i++) {
		struct life life = {at, UINT64_MAX, 16 * i, test_random(&seed) % 5000, 0, 0};
		uint64_t one = test_random(&seed) % (i + 1);

		assert_int_equal(lives_add(&l, &life), 0);
		if (l.v[one].end == UINT64_MAX && i % 3)
			lives_end(&l, one, at + 1);
		at += test_random(&seed) % 3;
	}
	assert_int_equal(lives_before(&l, 100), 0);
	assert_int_equal(lives_before(&l, UINT64_MAX), LIVES);
	for (int i = 0; i < 60; i++)
		alive_is_right(&l, i ? 90 + test_random(&seed) % (at - 80) : UINT64_MAX,
			       i % 4 == 3 ? LIVES : (size_t)(i % 4) * 500);
	lives_free(&l);
}

/* ------------------------------------------------------------------- peaks */

static uint64_t number_of(const void *context, uint64_t i)
{
	return ((const uint64_t *)context)[i];
}

static void test_peaks(void **state)
{
	static uint64_t numbers[70000];
	const uint64_t n = sizeof(numbers) / sizeof(*numbers);
	struct peaks p = {0};
	uint64_t seed = 21;

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		numbers[i] = test_random(&seed) % 1000000;
		assert_int_equal(peaks_add(&p, numbers[i]), 0);
	}
	assert_int_equal(peaks_max(&p, 5, 5, number_of, numbers), 0);
	for (int i = 0; i < 300; i++) {
		uint64_t first = test_random(&seed) % n, most = 0;
		uint64_t end = first + 1 + test_random(&seed) % ((n - first) >> i % 16 | 1);

		end = end < n ? end : n;
		for (uint64_t k = first; k < end; k++)
			most = numbers[k] > most ? numbers[k] : most;
		assert_int_equal(peaks_max(&p, first, end, number_of, numbers), most);
	}
	peaks_free(&p);
}

/* What is kept of a trace that grows: only what is new is read, and it is all there. */
static void test_growing(void **state)
{
	const char *path = test_path("grows.tacho");
	struct trace_writer *w = rows_writer(path);
	struct view_handle handle = {0};
	struct view_call c = {.handle = &handle};
	struct values *v[2];
	struct pool *p;
	uint64_t rows = 0;

	(void)state;
	trace_checkpoint(w, "", 0);
	assert_int_equal(trace_follow(&c.trace, path, NULL), 0);
	for (int step = 0; step < 6; step++) {
		uint64_t more = step % 3 * 9000 + 1;
		struct view_pool pool = {0};

		c.live = step < 5;
		rows_write(w, rows, rows + more);
		rows += more;
		trace_checkpoint(w, "", 0);
		assert_int_equal(trace_refresh(c.trace, NULL), TRACE_GREW);
		assert_int_equal(plot_of(&c, 0, &v[0]), 0);
		assert_int_equal(pool_of(&c, 1, &p), 0);
		v[1] = &p->values;
		for (uint32_t track = 0; track < 2; track++) {
			assert_int_equal(v[track]->n, rows);
			assert_int_equal(v[track]->cache.seen, trace_known(c.trace));
			for (uint64_t i = 0; i < rows; i++)
				assert_true(v[track]->v[i].value == value_after(i, track, &pool));
		}
		view_pool_free(&pool);
		/* What is alive is remembered as long as it may be freed. */
		assert_int_equal(p->now.slots != NULL, c.live);
	}
	row_cache_forget(&handle);
	trace_close(c.trace);
	trace_writer_abandon(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans), cmocka_unit_test(test_values),
		cmocka_unit_test(test_tiles), cmocka_unit_test(test_lives),
		cmocka_unit_test(test_peaks), cmocka_unit_test(test_growing),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
