/* SPDX-License-Identifier: Apache-2.0 */
/* Files that were cut, changed, or written by others. */
#include "trace_tools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>

struct file {
	uint8_t *bytes;
	size_t size;
};

static struct file file_load(const char *path)
{
	struct file f;
	struct stat st;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	f.size = (size_t)st.st_size;
	f.bytes = malloc(f.size);
	assert_true(read(fd, f.bytes, f.size) == (ssize_t)f.size);
	close(fd);
	return f;
}

static void put_byte(int fd, size_t offset, uint8_t byte)
{
	assert_true(pwrite(fd, &byte, 1, (off_t)offset) == 1);
}

static void file_store(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

enum { CHECKPOINTS = 5, ZONES = CHECKPOINTS * 100 };

/* Blocks of zones and rows of two threads; zone I of a lane starts at 10 I. */
static struct file make_file(void)
{
	char path[128];
	struct trace_writer *w;
	struct trace_row row = {
		.kind = TRACE_ROW_MESSAGE, .thread = 0, .text = "a message", .text_len = 9};
	uint64_t n = 0;

	strcpy(path, test_path("whole.tacho"));
	w = test_writer(path);
	test_model(w, 2, 3);
	for (int block = 0; block < CHECKPOINTS; block++) {
		for (int i = 0; i < 50; i++, n++) {
			trace_lane_add(w, trace_lane(w, 0, 0), 10 * n, 10 * n + n % 7, n % 3, 0);
			trace_lane_add(w, trace_lane(w, 1, 0), 10 * n, 10 * n + 5, 1, 0);
		}
		row.time = 10 * n;
		trace_add_row(w, 1, &row);
		assert_int_equal(trace_checkpoint(w, "state", 5), 0);
	}
	test_close(w);
	return file_load(path);
}

/* Reads all there is; every zone must be one that was written. Returns how many. */
static uint64_t read_all(struct trace *t)
{
	struct trace_walk *w;
	struct trace_zone z;
	struct trace_rows *r;
	struct trace_row row;
	uint32_t lane, track;
	uint64_t n = 0;

	assert_int_equal(trace_walk_open(&w, t, TRACE_NONE, 0, UINT64_MAX), 0);
	for (; trace_walk_next(w, &z, &lane) > 0; n++) {
		uint64_t i = z.start / 10;

		assert_true(z.start % 10 == 0);
		assert_true(z.end - z.start == (t->lanes[lane].track ? 5 : i % 7));
		assert_true(z.srcloc == (t->lanes[lane].track ? 1 : i % 3));
	}
	trace_walk_close(w);
	assert_int_equal(trace_rows_open(&r, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_rows_next(r, &row, &track) > 0)
		assert_memory_equal(row.text, "a message", 9);
	trace_rows_close(r);
	return n;
}

/* A file cut anywhere opens up to its last whole block, and says so. */
static void test_cut(void **state)
{
	struct file f = make_file();
	char path[128];
	uint64_t last = ZONES;

	(void)state;
	strcpy(path, test_path("cut.tacho"));
	file_store(path, f.bytes, f.size);
	for (size_t size = f.size; size-- > 0;) {
		struct tacho_error err;
		struct trace *t;
		uint64_t n;

		assert_int_equal(truncate(path, (off_t)size), 0);
		if (size < 64) {
			assert_int_equal(trace_open(&t, path, &err), TACHO_EFORMAT);
			continue;
		}
		t = test_open(path);
		assert_true(t->damage.unfinished && t->damage.bad_blocks == 0);
		assert_true(t->damage.text[0]);
		n = read_all(t);
		assert_true(n == t->zones && n <= last);
		if (size == f.size - 1) /* nothing but the trailer is cut */
			assert_int_equal(n, ZONES);
		last = n;
		trace_close(t);
	}
	assert_int_equal(last, 0);
	free(f.bytes);
}

/* One bit changed anywhere: what is given is still right, and the check finds it. */
static void test_flip(void **state)
{
	struct file f = make_file();
	char path[128];
	uint64_t seed = 1, least = UINT64_MAX;
	int fd;

	(void)state;
	strcpy(path, test_path("flip.tacho"));
	file_store(path, f.bytes, f.size);
	fd = open(path, O_WRONLY);
	for (size_t i = 0; i < f.size; i++) {
		uint8_t bit = (uint8_t)(1u << test_random(&seed) % 8);
		struct tacho_error err;
		struct trace_check check;
		struct trace *t;

		put_byte(fd, i, f.bytes[i] ^ bit);
		if (i < 64) {
			assert_true(trace_open(&t, path, &err) < 0);
		} else {
			uint64_t n;

			t = test_open(path);
			n = read_all(t);
			least = n < least ? n : least;
			assert_int_equal(trace_check(t, &check, NULL), 0);
			assert_true(check.errors > 0 && check.first_error[0]);
			if (n < ZONES)
				assert_true(t->damage.bad_blocks > 0 && t->damage.text[0]);
			trace_close(t);
		}
		put_byte(fd, i, f.bytes[i]);
	}
	close(fd);
	/* Never more than one block is lost. */
	assert_true(least >= ZONES - 100);
	free(f.bytes);
}

/* Garbage over the middle, and a file that is garbage after its header. */
static void test_rubbish(void **state)
{
	struct file f = make_file();
	uint64_t seed = 1;
	struct trace *t;
	uint64_t n;

	(void)state;
	for (size_t i = f.size / 3; i < f.size / 3 + f.size / 8; i++)
		f.bytes[i] = (uint8_t)test_random(&seed);
	file_store(test_path("rubbish.tacho"), f.bytes, f.size);
	t = test_open(test_path("rubbish.tacho"));
	n = read_all(t);
	assert_true(n > ZONES / 4 && n < ZONES && t->damage.bad_blocks > 0);
	trace_close(t);
	/* Many blocks that claim to be long must not take time without end. */
	for (size_t i = 64; i + 32 < f.size; i += 16) {
		memcpy(f.bytes + i, "TBLK\2\0\0\0", 8);
		memset(f.bytes + i + 8, 0, 8);
		f.bytes[i + 9] = 4;
	}
	file_store(test_path("rubbish.tacho"), f.bytes, f.size);
	t = test_open(test_path("rubbish.tacho"));
	assert_int_equal(read_all(t), 0);
	trace_close(t);
	free(f.bytes);
}

/* A block of zones whose content is damaged, in a file with an index: met many times, counted once.
 */
static void test_counted_once(void **state)
{
	struct file f = make_file();
	struct trace_stat *stats;
	size_t at = 64, count;
	uint64_t zones;
	struct trace *t;

	(void)state;
	while (memcmp(f.bytes + at, "TBLK\2\0", 6))
		at++;
	f.bytes[at + 40] ^= 1;
	file_store(test_path("once.tacho"), f.bytes, f.size);
	t = test_open(test_path("once.tacho"));
	assert_int_equal(t->damage.bad_blocks, 0);
	for (int i = 0; i < 3; i++) {
		zones = 0;
		assert_int_equal(trace_stats(t, NULL, &stats, &count, NULL), 0);
		for (size_t k = 0; k < count; k++)
			zones += stats[k].count;
		free(stats);
		assert_int_equal(zones, ZONES - 100);
		assert_int_equal(read_all(t), ZONES - 100);
		assert_int_equal(t->damage.bad_blocks, 1);
		assert_int_equal(t->damage.bad_offset, at);
	}
	trace_close(t);
	free(f.bytes);
}

static void seal_header(struct file *f)
{
	uint64_t sum = XXH3_64bits(f->bytes, 56);

	memcpy(f->bytes + 56, &sum, 8);
}

static void test_other_versions(void **state)
{
	struct file f = make_file();
	struct tacho_error err;
	struct trace *t;

	(void)state;
	f.bytes[24 + 4] = 0x20; /* incompatible bit 37 */
	seal_header(&f);
	file_store(test_path("future.tacho"), f.bytes, f.size);
	assert_int_equal(trace_open(&t, test_path("future.tacho"), &err), TACHO_EVERSION);
	assert_non_null(strstr(err.text, "bit 37"));
	f.bytes[24 + 4] = 0;
	f.bytes[16] = 0xff; /* compatible bits do not matter */
	seal_header(&f);
	file_store(test_path("future.tacho"), f.bytes, f.size);
	t = test_open(test_path("future.tacho"));
	assert_int_equal(read_all(t), ZONES);
	trace_close(t);
	memcpy(f.bytes + 8, "\1\2\3\4", 4);
	seal_header(&f);
	file_store(test_path("future.tacho"), f.bytes, f.size);
	assert_int_equal(trace_open(&t, test_path("future.tacho"), &err), TACHO_EFORMAT);
	assert_non_null(strstr(err.text, "big-endian"));
	free(f.bytes);
}

/* The file with one block more in front, its checksum right. The end is cut: no index. */
static void with_block(const char *path, const struct file *f, uint8_t type, uint8_t flags,
		       uint32_t raw, const void *payload, uint32_t len)
{
	uint8_t *longer = calloc(1, f->size + 32 + len), *b = longer + 64;
	uint64_t sum;

	memcpy(longer, f->bytes, 64);
	memcpy(b, "TBLK", 4);
	b[4] = type;
	b[6] = flags;
	memcpy(b + 8, &len, 4);
	memcpy(b + 12, &raw, 4);
	memcpy(b + 32, payload, len);
	sum = XXH3_64bits_withSeed(b + 32, len, XXH3_64bits(b, 24));
	memcpy(b + 24, &sum, 8);
	memcpy(b + 32 + len, f->bytes + 64, f->size - 64 - 100);
	file_store(path, longer, f->size + 32 + len - 100);
	free(longer);
}

/* A block of a type that only a newer version knows is passed over and counted. */
static void test_unknown_block(void **state)
{
	struct file f = make_file();
	struct trace *t;

	(void)state;
	with_block(test_path("newer.tacho"), &f, 99, 0, 8, "anything", 8);
	t = test_open(test_path("newer.tacho"));
	assert_int_equal(t->damage.unknown_blocks, 1);
	assert_int_equal(t->damage.bad_blocks, 0);
	assert_int_equal(read_all(t), ZONES);
	trace_close(t);
	free(f.bytes);
}

/* Blocks that claim to be huge, and one that is when it is unpacked, with little memory. */
static void test_bombs(void **state)
{
	enum { HUGE_BLOCK = 60 << 20 };
	static const uint32_t sizes[] = {HUGE_BLOCK, 1u << 31, UINT32_MAX};
	char *zeros = calloc(1, HUGE_BLOCK), *packed = malloc(1 << 20);
	struct file f = make_file();
	size_t len = ZSTD_compress(packed, 1 << 20, zeros, HUGE_BLOCK, 1);
	struct trace *t;

	(void)state;
	assert_false(ZSTD_isError(len));
	free(zeros);
	for (uint8_t type = 1; type < 8; type++) {
		for (int i = 0; i < 3; i++) {
			with_block(test_path("bomb.tacho"), &f, type, 1, sizes[i], packed,
				   (uint32_t)len);
			t = test_open(test_path("bomb.tacho"));
			assert_int_equal(read_all(t), ZONES);
			trace_close(t);
		}
	}
	free(packed);
	free(f.bytes);
}

static void test_not_a_trace(void **state)
{
	struct tacho_error err;
	struct trace *t;

	(void)state;
	assert_int_equal(trace_open(&t, test_path("missing"), &err), TACHO_EREAD);
	assert_int_equal(trace_open(&t, "/", &err), TACHO_EREAD);
	assert_int_equal(trace_open(&t, "/dev/null", &err), TACHO_EREAD);
	file_store(test_path("text"), "hello", 5);
	assert_int_equal(trace_open(&t, test_path("text"), &err), TACHO_EFORMAT);
	assert_int_equal(mkfifo(test_path("fifo"), 0600), 0);
	assert_int_equal(trace_open(&t, test_path("fifo"), &err), TACHO_EREAD);
}

/* ZONES of each of LANES threads with times that do not pack to nothing, written without a
 * checkpoint. */
static struct file make_short(uint32_t lanes, int zones)
{
	char path[128];
	struct trace_writer *w;
	uint64_t seed = 7;

	strcpy(path, test_path("short.tacho"));
	w = test_writer(path);
	test_model(w, lanes, 3);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		uint64_t t = 0;

		for (int i = 0; i < zones; i++, t += 2000)
			trace_lane_add(w, trace_lane(w, lane, 0), t,
				       t + 100 + test_random(&seed) % 1000, i % 3, 0);
	}
	test_close(w);
	return file_load(path);
}

/* A short recording has no checkpoint, and all of it must not be in one block: half of it is read.
 */
static void test_half(void **state)
{
	static const struct {
		uint32_t lanes;
		int zones;
	} cases[] = {{1, 1000}, {1, 8000}, {1, 9000}, {1, 30000}, {20, 200}, {300, 7}, {3, 6000}};
	char path[128];

	(void)state;
	strcpy(path, test_path("half.tacho"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file f = make_short(cases[i].lanes, cases[i].zones);
		uint64_t all = (uint64_t)cases[i].lanes * (uint64_t)cases[i].zones;

		for (size_t part = 2; part < 4; part++) {
			struct tacho_error err;
			struct trace *t;

			file_store(path, f.bytes, f.size * part / 4);
			assert_int_equal(trace_open(&t, path, &err), 0);
			if (t->zones < all * part / 8 || t->zones > all)
				fail_msg("case %zu: %llu of %llu zones in %zu/4", i,
					 (unsigned long long)t->zones, (unsigned long long)all,
					 part);
			assert_non_null(strstr(t->damage.text, "recovered: "));
			assert_non_null(strstr(t->damage.text, " zones, 0 other events"));
			trace_close(t);
		}
		free(f.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),           cmocka_unit_test(test_flip),
		cmocka_unit_test(test_rubbish),       cmocka_unit_test(test_other_versions),
		cmocka_unit_test(test_unknown_block), cmocka_unit_test(test_not_a_trace),
		cmocka_unit_test(test_bombs),         cmocka_unit_test(test_counted_once),
		cmocka_unit_test(test_half),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
