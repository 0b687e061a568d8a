/* SPDX-License-Identifier: Apache-2.0 */
/* The level of detail against brute force: nothing is lost, nothing is made up. */
#include "trace_tools.h"

#include <math.h>

struct lane {
	struct test_zone *v;
	size_t n;
};

static const char *rate; /* ticks per second of what is made; NULL: not said */

static struct trace *trace_make(const char *name, uint32_t threads, size_t zones,
				struct test_shape shape, struct test_zones *z)
{
	const char *path = test_path(name);
	struct trace_writer *w = test_writer(path);
	uint64_t seed = 99 + zones, *now = calloc(threads, sizeof(*now));

	while (z->n < zones) {
		uint32_t track = (uint32_t)(test_random(&seed) % threads);
		uint64_t pause = test_random(&seed) % 400 ? 1 : 20000;

		now[track] += pause * (test_random(&seed) % (shape.gap + 1));
		test_tree(z, &seed, &shape, track, 0, &now[track]);
	}
	if (rate)
		trace_set_property(w, "ticks per second", rate);
	test_model(w, threads, shape.names);
	test_write_zones(w, z);
	test_close(w);
	test_sort(z);
	free(now);
	return test_open(path);
}

static struct lane lane_of(const struct trace *t, uint32_t lane, const struct test_zones *z)
{
	size_t first = 0;

	for (uint32_t i = 0; i < lane; i++)
		first += t->lanes[i].zones;
	return (struct lane){z->v + first, t->lanes[lane].zones};
}

static bool in_view(const struct test_zone *z, uint64_t t0, uint64_t t1)
{
	return z->start < t1 && (z->end > t0 || z->start >= t0);
}

static void mark_pixels(uint8_t *pixels, uint64_t start, uint64_t end, uint64_t t0, uint64_t t1,
			uint32_t width)
{
	unsigned __int128 span = t1 - t0;
	uint64_t from, to;

	start = start < t0 ? t0 : start;
	end = end > t1 ? t1 : end;
	from = (uint64_t)((start - t0) * (unsigned __int128)width / span);
	to = end > start ? (uint64_t)(((end - t0) * (unsigned __int128)width - 1) / span) : from;
	for (uint64_t i = from; i <= to && i < width; i++)
		pixels[i] = 1;
}

/* How many zones overlap a view, and what they cover; those of a pixel or more are in SINGLES. */
struct answer {
	uint64_t count, busy, singles;
};

static struct answer items_brute(const struct lane *l, uint64_t t0, uint64_t t1, uint64_t pixel)
{
	struct answer a = {0};

	for (size_t i = 0; i < l->n; i++) {
		if (!in_view(&l->v[i], t0, t1))
			continue;
		a.count++;
		a.busy += l->v[i].end - l->v[i].start;
		a.singles += l->v[i].end - l->v[i].start >= pixel;
	}
	return a;
}

static void check_single(const struct lane *l, const struct trace_lod_item *item)
{
	const struct test_zone *z = &l->v[item->index];

	assert_true(item->index < l->n);
	assert_true(z->start == item->start && z->end == item->end && item->count == 1);
	assert_true(item->srcloc == z->srcloc && item->busy == z->end - z->start);
}

static void check_view(struct trace_lod *lod, uint32_t lane, const struct lane *l, uint64_t t0,
		       uint64_t t1, uint32_t width)
{
	uint64_t pixel = (t1 - t0 + width - 1) / width, last = 0;
	struct answer inner = items_brute(l, t0, t1, pixel), got = {0};
	struct answer outer = items_brute(l, t0 > pixel ? t0 - pixel : 0, t1 + pixel, pixel);
	uint8_t *want = calloc(width, 1), *have = calloc(width, 1);
	struct trace_lod_item *items = NULL;
	size_t count = 0, cap = 0;

	assert_int_equal(trace_lod_query(lod, lane, t0, t1, width, &items, &count, &cap), 0);
	for (size_t i = 0; i < count; i++) {
		const struct trace_lod_item *item = &items[i];

		assert_true(item->start >= last && item->end >= item->start);
		last = item->start;
		got.count += item->count;
		got.busy += item->busy;
		if (item->end - item->start >= pixel && item->count == 1) {
			got.singles++;
			check_single(l, item);
		}
		/* A merged one starts in one pixel: at most a leaf follows it. */
		if (item->count > 1)
			assert_true(item->end - (item->start < t0 ? t0 : item->start) <=
				    10 * pixel);
		mark_pixels(have, item->start, item->end, t0, t1, width);
	}
	for (size_t i = 0; i < l->n; i++)
		if (in_view(&l->v[i], t0, t1))
			mark_pixels(want, l->v[i].start, l->v[i].end, t0, t1, width);
	assert_memory_equal(want, have, width);
	assert_int_equal(got.singles, inner.singles);
	assert_in_range(got.count, inner.count, outer.count);
	assert_in_range(got.busy, inner.busy, outer.busy);
	free(items);
	free(want);
	free(have);
}

#define NEAR 1e-5 /* pixels: places are doubles */

/* Pixels that must be touched (MUST) and those that may be. */
static void mark_places(uint8_t *may, uint8_t *must, double x0, double x1, uint32_t width,
			double near)
{
	double a = x0 - near > 0 ? x0 - near : 0, b = x1 + near;

	for (uint32_t i = (uint32_t)a; i < width && i <= b; i++)
		may[i] = 1;
	for (uint32_t i = (uint32_t)(x0 + near); i < width && i <= x1 - near; i++)
		must[i] = 1;
}

/* What a zone covers of each pixel. */
static void cover_places(double *cover, double x0, double x1, uint32_t width)
{
	for (uint32_t i = (uint32_t)x0; i < width && i < x1; i++)
		cover[i] += (x1 < i + 1 ? x1 : i + 1) - (x0 > i ? x0 : i);
}

static size_t rows_used; /* strips that were made of rows */

/* A strip that was made of rows is right to what a byte can say of each pixel, but for the edges
 * of pixels, which are whole ticks. */
static void check_rows(const struct trace_strip *s, const double *cover, double near)
{
	bool some = false;

	for (uint32_t i = 0; i < s->width; i++) {
		double share = (double)s->busy[i] * 255;

		if (fabs(share - round(share)) > 1e-3)
			return;
		some |= share > 0.5 && share < 254.5;
	}
	if (!s->on_grid || !some || s->count)
		return;
	rows_used++;
	for (uint32_t i = 0; i < s->width; i++)
		assert_true(fabs((double)s->busy[i] - cover[i]) < 1.01 / 255 + 2 * near);
}

/* A strip has what the zones cover, pixel by pixel as far as it can be known, and all in sum. */
static void check_strip(struct trace_lod *lod, uint32_t lane, const struct lane *l,
			struct trace_strip s)
{
	uint64_t t0 = s.t0, t1 = s.t1;
	uint32_t width = s.width;
	double scale = width / (double)(t1 - t0), covered = 0, got = 0;
	double near = NEAR + (s.on_grid ? 2 * scale : 0);
	uint64_t pixel = (t1 - t0 + width - 1) / width;
	uint8_t *may = calloc(width, 1), *must = calloc(width, 1);
	double *cover = calloc(width, sizeof(*cover));
	size_t wide = 0;

	s.wide = 2;
	s.busy = malloc(width * sizeof(float));
	s.lead = malloc(width * sizeof(float));
	s.name = malloc(width * sizeof(uint32_t));

	trace_strip_clear(&s);
	assert_int_equal(trace_lod_strip(lod, lane, &s), 0);
	for (size_t i = 0; i < l->n; i++) {
		const struct test_zone *z = &l->v[i];
		double x0, x1;

		if (!in_view(z, t0, t1))
			continue;
		x0 = z->start > t0 ? (double)(z->start - t0) * scale : 0;
		x1 = z->end < t1 ? (double)(z->end - t0) * scale : width;
		covered += x1 - x0;
		mark_places(may, must, x0, x1, width, near);
		cover_places(cover, x0, x1, width);
		if ((double)(z->end - z->start) * scale >= 2) {
			assert_true(wide < s.count);
			check_single(l, &s.items[wide++]);
			assert_int_equal(s.items[wide - 1].index, i);
		}
		/* Whole pixels of a zone are its own. */
		if (z->end - z->start >= pixel)
			for (uint32_t k = (uint32_t)(x0 + 1 + NEAR); k + 1 < x1 - NEAR; k++)
				assert_true(s.lead[k] > 0.99 && s.name[k] == z->srcloc &&
					    s.busy[k] > 0.99 && s.busy[k] < 1.01);
	}
	assert_int_equal(wide, s.count);
	for (uint32_t i = 0; i < width; i++) {
		assert_true(s.busy[i] > 0 ? may[i] : !must[i]);
		got += (double)s.busy[i];
	}
	/* At the edges what is smaller than a pixel may be more or less than a pixel of it. */
	assert_true(got > covered - 2.01 - 1e-3 * covered && got < covered + 2.01 + 1e-3 * covered);
	assert_true(s.any == (got > 0));
	check_rows(&s, cover, near);
	free(cover);
	free(may);
	free(must);
	free(s.busy);
	free(s.lead);
	free(s.name);
	free(s.items);
}

/* Any tile of any size that a viewer may ask for. */
static void check_tile(struct trace_lod *lod, uint32_t lane, const struct lane *l, struct trace *t,
		       uint64_t *seed)
{
	struct trace_strip s = {.width = 64, .on_grid = true};
	uint64_t ns = (uint64_t)trace_ns(t, t->end) + 1;

	s.res = (uint32_t)(test_random(seed) % (66 - (uint32_t)__builtin_clzll(ns)));
	s.pixel = test_random(seed) % ((ns >> s.res) + 1) / s.width * s.width;
	s.t0 = trace_ticks(t, (int64_t)(s.pixel << s.res));
	s.t1 = trace_ticks(t, (int64_t)((s.pixel + s.width) << s.res));
	if (s.t1 > s.t0)
		check_strip(lod, lane, l, s);
}

/* What is done to the index while it is open. */
static const char *meanwhile;

static void check_trace(struct trace *t, const struct test_zones *z, const char *dir, int views)
{
	struct trace_lod *lod;
	uint64_t seed = 5;

	assert_int_equal(trace_lod_open(&lod, t, dir, NULL), 0);
	if (meanwhile)
		assert_int_equal(system(meanwhile), 0);
	for (uint32_t lane = 0; lane < t->lane_count; lane++) {
		struct lane l = lane_of(t, lane, z);
		uint64_t span = t->end - t->start + 1;

		check_view(lod, lane, &l, t->start, t->end + 1, 1000);
		check_view(lod, lane, &l, t->start, t->end + 1, 1);
		check_strip(lod, lane, &l,
			    (struct trace_strip){.t0 = t->start, .t1 = t->end + 1, .width = 1000});
		for (int i = 0; i < views; i++) {
			uint64_t part = span >> test_random(&seed) % 40;
			uint64_t t0 = t->start + test_random(&seed) % span;

			check_strip(
				lod, lane, &l,
				(struct trace_strip){.t0 = t0,
						     .t1 = t0 + part + 1,
						     .width = i % 2 ? 512 : 1 + (uint32_t)i * 7});
			check_tile(lod, lane, &l, t, &seed);
			check_view(lod, lane, &l, t0, t0 + part + 1,
				   1 + (uint32_t)(test_random(&seed) % 2000));
		}
	}
	trace_lod_close(lod);
}

/* The whole view has exactly all zones. */
static void check_whole(struct trace *t, const char *dir)
{
	struct trace_lod *lod;
	struct trace_lod_item *items = NULL;
	size_t count = 0, cap = 0;
	uint64_t zones = 0;

	assert_int_equal(trace_lod_open(&lod, t, dir, NULL), 0);
	for (uint32_t lane = 0; lane < t->lane_count; lane++)
		assert_int_equal(
			trace_lod_query(lod, lane, t->start, t->end + 1, 777, &items, &count, &cap),
			0);
	for (size_t i = 0; i < count; i++)
		zones += items[i].count;
	assert_int_equal(zones, t->zones);
	free(items);
	trace_lod_close(lod);
}

static void query_try(uint32_t threads, size_t zones, struct test_shape shape, int views)
{
	struct test_zones z = {0};
	struct trace *t = trace_make("lod.tacho", threads, zones, shape, &z);
	const char *dir = test_path("lod");

	check_trace(t, &z, dir, views);
	check_whole(t, dir);
	trace_close(t);
	free(z.v);
}

static void test_dense(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		rate = (const char *[]){NULL, "2300000000", "24000000"}[i];
		rows_used = 0;
		query_try(2, 60000, (struct test_shape){10, 3, 50, 60, 4, false}, 60);
		assert_true(rows_used > 20);
	}
	rate = NULL;
}

static void test_sparse(void **state)
{
	(void)state;
	query_try(2, 20000, (struct test_shape){10, 2, 1ull << 30, 500, 3, false}, 60);
}

static void test_empty_zones(void **state)
{
	(void)state;
	query_try(1, 20000, (struct test_shape){10, 2, 3, 0, 3, false}, 60);
	query_try(1, 3000, (struct test_shape){10, 2, 0, 0, 3, false}, 20);
}

static void test_huge(void **state)
{
	(void)state;
	query_try(1, 8000, (struct test_shape){10, 3, 1ull << 33, 1ull << 37, 3, false}, 60);
	query_try(300, 3000, (struct test_shape){10, 2, 1ull << 20, 1ull << 22, 2, false}, 3);
}

/* An index of another trace, a short one and a folder that cannot be written are all coped with. */
static void test_cache(void **state)
{
	struct test_zones z = {0};
	struct trace *t =
		trace_make("cache.tacho", 1, 1000, (struct test_shape){3, 2, 9, 9, 2, false}, &z);
	const char *dir = test_path("cache");
	char command[256];

	(void)state;
	check_trace(t, &z, dir, 3);
	snprintf(command, sizeof(command), "truncate -s -8 %s/*.lod", dir);
	assert_int_equal(system(command), 0);
	check_trace(t, &z, dir, 3);
	snprintf(command, sizeof(command),
		 "printf xxxx | dd of=$(ls %s/*.lod) bs=1 seek=100 conv=notrunc 2>/dev/null", dir);
	assert_int_equal(system(command), 0);
	check_trace(t, &z, dir, 3);
	check_trace(t, &z, "/proc/nowhere", 3);
	/* One that others can write to could hold their index, and gets none of ours. */
	snprintf(command, sizeof(command), "rm %s/*.lod && chmod 777 %s", dir, dir);
	assert_int_equal(system(command), 0);
	check_trace(t, &z, dir, 3);
	snprintf(command, sizeof(command), "test -z \"$(ls %s)\" && chmod 700 %s", dir, dir);
	assert_int_equal(system(command), 0);
	trace_close(t);
	free(z.v);
}

/* Changes one byte of the only index in DIR; false after its end. */
static bool index_flip(const char *dir, long offset)
{
	char command[300], path[300];
	FILE *f;
	int c;

	snprintf(command, sizeof(command), "ls %s/*.lod", dir);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(path, sizeof(path), f));
	pclose(f);
	path[strcspn(path, "\n")] = 0;
	f = fopen(path, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, offset, SEEK_SET), 0);
	c = fgetc(f);
	if (c != EOF) {
		fseek(f, offset, SEEK_SET);
		fputc(c ^ 0x41, f);
	}
	fclose(f);
	return c != EOF;
}

/* Wherever a byte of the index is flipped, and however it is truncated, views are right. */
static void test_cache_damage(void **state)
{
	static const char *const cuts[] = {"0", "1", "300", "8192", "-1", "-5000"};
	struct test_zones z = {0};
	struct trace *t = trace_make("damage.tacho", 1, 9000,
				     (struct test_shape){10, 2, 1 << 20, 1 << 21, 3, false}, &z);
	const char *dir = test_path("damage");
	char command[300];

	(void)state;
	check_trace(t, &z, dir, 10);
	for (long at = 0; index_flip(dir, at); at += 1511)
		check_trace(t, &z, dir, 10);
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		snprintf(command, sizeof(command), "truncate -s %s %s/*.lod", cuts[i], dir);
		meanwhile = command; /* a mapped file would be a bus error now */
		check_trace(t, &z, dir, 10);
		assert_int_equal(system(command), 0);
		meanwhile = NULL;
		check_trace(t, &z, dir, 10);
	}
	/* Rebuilt where it cannot be written. */
	snprintf(command, sizeof(command), "truncate -s 9000 %s/*.lod; mv %s %s.gone; touch %s",
		 dir, dir, dir, dir);
	meanwhile = command;
	check_trace(t, &z, dir, 10);
	meanwhile = NULL;
	trace_close(t);
	free(z.v);
}

static void shell(const char *format, const char *dir)
{
	char command[1024];

	snprintf(command, sizeof(command), format, dir);
	assert_int_equal(system(command), 0);
}

/* Indices that were not used for long go, and the oldest of too many; no other file does. */
static void test_cache_trim(void **state)
{
	struct test_zones z = {0};
	struct trace *t =
		trace_make("trim.tacho", 1, 1000, (struct test_shape){3, 2, 9, 9, 2, false}, &z);
	const char *dir = test_path("trim");

	(void)state;
	shell("mkdir %s", dir);
	shell("cd %s; id=0123456789abcdef0123456789abcdef; truncate -s 3G $id-1.lod $id-2.lod; "
	      "touch -d '2 days ago' $id-2.lod; touch -d '40 days ago' $id-3.lod notes $id-x.lod a-3.lod; "
	      "touch -d '2 days ago' $id-1.lod.77.tmp; touch $id-1.lod.78.tmp; ln -s notes $id-4.lod",
	      dir);
	check_trace(t, &z, dir, 3);
	shell("cd %s; id=0123456789abcdef0123456789abcdef; "
	      "test -e $id-1.lod -a ! -e $id-2.lod -a ! -e $id-3.lod -a -e notes -a -e $id-x.lod "
	      "-a -e a-3.lod -a ! -e $id-1.lod.77.tmp -a -e $id-1.lod.78.tmp -a -L $id-4.lod",
	      dir);
	shell("test $(ls %s | wc -l) = 7", dir);
	/* To look at one is to use it. */
	shell("touch -d '20 days ago' %s/*.lod", dir);
	check_trace(t, &z, dir, 3);
	shell("test $(find %s -type f -name '*.lod' -mtime -1 | wc -l) = 1", dir);
	trace_close(t);
	free(z.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dense),        cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_empty_zones),  cmocka_unit_test(test_huge),
		cmocka_unit_test(test_cache),        cmocka_unit_test(test_cache_trim),
		cmocka_unit_test(test_cache_damage),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
