/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of numbers there and back, and what others may have written in their place. */
#include "trace/pack.h"
#include "trace_tools.h"

struct both {
	struct packer *pack;
	struct unpacker *unpack;
	struct buf out;
};

static void packer_setup(struct both *b)
{
	b->pack = packer_new(1);
	b->unpack = unpacker_new();
	b->out = (struct buf)BUF_INIT;
	assert_true(b->pack && b->unpack);
}

static void packer_cleanup(struct both *b)
{
	packer_free(b->pack);
	unpacker_free(b->unpack);
	buf_free(&b->out);
}

static struct in all_of(const struct buf *b)
{
	const uint8_t *bytes = (const uint8_t *)b->data;

	return (struct in){bytes, bytes + b->len, false};
}

/* The method of plane K of a column. */
static unsigned method_of(const struct buf *column, unsigned k)
{
	struct in in = all_of(column);

	assert_true((in_byte(&in) & ~COLUMN_DELTA) > k);
	in_varint(&in);
	in_varint(&in);
	for (; k; k--)
		format_in_bytes(&in, in_byte(&in) == METHOD_CONSTANT ? 1 : in_varint(&in));
	assert_true(!in.bad);
	return in_byte(&in);
}

/* Text that packs better than a reader accepts is made longer, and no longer than it has to be. */
static void test_alike_texts(void **state)
{
	struct buf text = BUF_INIT, back = BUF_INIT;
	struct both b;
	struct in in;

	(void)state;
	packer_setup(&b);
	for (size_t n = 1; n < 4u << 20; n = n * 3 + 1) {
		while (text.len < n)
			buf_addf(&text, "%08zu the same words again and again", text.len);
		buf_reset(&b.out);
		pack_string(b.pack, text.data, n, &b.out);
		in = all_of(&b.out);
		assert_int_equal(unpack_string(b.unpack, &in, n, &back), 0);
		assert_true(!in_left(&in));
		assert_memory_equal(back.data, text.data, n);
	}
	/* One byte as often as fits: the limit itself. */
	buf_reset(&text);
	for (size_t i = 0; i < 1u << 20; i++)
		buf_addc(&text, 'x');
	buf_reset(&b.out);
	pack_string(b.pack, text.data, text.len, &b.out);
	assert_in_range(b.out.len, text.len / BLOCK_RATIO, text.len / BLOCK_RATIO + 16);
	in = all_of(&b.out);
	assert_int_equal(unpack_string(b.unpack, &in, text.len, &back), 0);
	assert_memory_equal(back.data, text.data, text.len);
	buf_free(&text);
	buf_free(&back);
	packer_cleanup(&b);
}

static void column_check(struct both *b, const uint32_t *v, size_t n)
{
	uint64_t *wide = malloc(n * sizeof(*wide)), *back = malloc(n * sizeof(*back));
	uint32_t *back32 = malloc(n * sizeof(*back32));
	struct in in;

	for (size_t i = 0; i < n; i++)
		wide[i] = v[i];
	buf_reset(&b->out);
	pack_column(b->pack, wide, n, &b->out);
	in = all_of(&b->out);
	assert_int_equal(unpack_column(b->unpack, &in, back, n), 0);
	assert_true(!in_left(&in));
	assert_memory_equal(back, wide, n * sizeof(*wide));
	buf_reset(&b->out);
	pack_column32(b->pack, v, n, NULL, 0, &b->out);
	in = all_of(&b->out);
	assert_int_equal(unpack_column32(b->unpack, &in, back32, n), 0);
	assert_true(!in_left(&in));
	assert_memory_equal(back32, v, n * sizeof(*v));
	free(wide);
	free(back);
	free(back32);
}

/* Small numbers, and each EVERY of them (by chance, or exactly when PERIODIC) a large one. */
static void column_fill(uint32_t *v, size_t n, unsigned every, bool periodic, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		bool large = (periodic ? i : test_random(seed)) % every == every - 1;

		v[i] = (uint32_t)(test_random(seed) % 200) +
		       (large ? 256 + (uint32_t)(test_random(seed) % 60000) : 0);
	}
	v[0] = 0;
}

static void test_columns(void **state)
{
	static const size_t sizes[] = {1, 2, 47, 48, 300, 1024, BLOCK_ITEMS};
	static const unsigned shares[] = {1, 2, 7, 8, 9, 20, 63, 64, 65, 300, 10000};
	uint32_t *v = malloc(BLOCK_ITEMS * sizeof(*v));
	struct both b;
	uint64_t seed = 9;

	(void)state;
	packer_setup(&b);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++)
			for (int periodic = 0; periodic < 2; periodic++) {
				column_fill(v, sizes[i], shares[k], periodic, &seed);
				column_check(&b, v, sizes[i]);
			}
	packer_cleanup(&b);
	free(v);
}

/* High bytes with long ways between them, which have to be counted in several steps. */
static void test_far(void **state)
{
	enum { N = BLOCK_ITEMS, BUNCH = 500 };
	static const unsigned ways[] = {253, 254, 255, 256, 509, 510, 511, 765, 4000};
	uint32_t *v = malloc(N * sizeof(*v));
	struct both b;

	(void)state;
	packer_setup(&b);
	for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
		for (size_t i = 0; i < N; i++)
			v[i] = (uint32_t)(i * 7 % 200);
		for (size_t i = 0; i < N - BUNCH; i += 1 + ways[k])
			v[i] += 300;
		for (size_t i = N - BUNCH; i < N; i++)
			v[i] += 400 + (uint32_t)i;
		column_check(&b, v, N);
		assert_int_equal(method_of(&b.out, 1), METHOD_SPARSE);
	}
	packer_cleanup(&b);
	free(v);
}

/* A sparse plane that somebody else has made: COUNT bytes are said to be at the end of LIST. */
static int column_sparse(struct both *b, size_t count, const char *list, size_t len, uint8_t *plane,
			 size_t n)
{
	buf_reset(&b->out);
	add_varint(&b->out, count);
	pack_string(b->pack, list, len, &b->out);
	return unpack_plane(b->unpack, METHOD_SPARSE, b->out.data, b->out.len, plane, n);
}

static void test_sparse(void **state)
{
	uint8_t plane[600];
	struct both b;

	(void)state;
	packer_setup(&b);
	assert_int_equal(column_sparse(&b, 3, "\0\2\xff\1abc", 7, plane, 262), 0);
	assert_true(plane[0] == 'a' && plane[1] == 0 && plane[3] == 'b' && plane[260] == 'c');
	assert_int_equal(column_sparse(&b, 0, "", 0, plane, 262), 0);
	assert_int_equal(column_sparse(&b, 0, "\xff\xff", 2, plane, 262), 0); /* to nowhere */
	for (size_t i = 0; i < 262; i++)
		assert_int_equal(plane[i], 0);
	/* Beyond the end, by one and by far. */
	assert_int_equal(column_sparse(&b, 1, "\5a", 2, plane, 5), TACHO_EDAMAGED);
	assert_int_equal(column_sparse(&b, 1, "\xff\xff\xff\4a", 5, plane, 600), TACHO_EDAMAGED);
	/* More places than bytes, more bytes than places, fewer than are said. */
	assert_int_equal(column_sparse(&b, 1, "\1\1a", 3, plane, 600), TACHO_EDAMAGED);
	assert_int_equal(column_sparse(&b, 3, "\1abc", 4, plane, 600), TACHO_EDAMAGED);
	assert_int_equal(column_sparse(&b, 5, "\1a", 2, plane, 600), TACHO_EDAMAGED);
	assert_int_equal(column_sparse(&b, 601, "\1a", 2, plane, 600), TACHO_EDAMAGED);
	assert_int_equal(unpack_plane(b.unpack, METHOD_SPARSE, "", 0, plane, 600), TACHO_EDAMAGED);
	assert_int_equal(unpack_plane(b.unpack, 4, "\0\0", 2, plane, 600), TACHO_EDAMAGED);
	packer_cleanup(&b);
}

/* Any byte of a column may be another one: it is read or refused, and nothing else is touched. */
static void test_hostile(void **state)
{
	enum { N = 3000 };
	uint32_t v[N], back[N];
	uint64_t wide[N], seed = 3;
	struct both b;

	(void)state;
	packer_setup(&b);
	column_fill(v, N, 20, false, &seed);
	column_check(&b, v, N);
	assert_int_equal(method_of(&b.out, 1), METHOD_SPARSE);
	for (size_t i = 0; i < b.out.len; i++)
		for (unsigned k = 0; k < 8; k++) {
			char *bytes = malloc(b.out.len); /* so that an overread is found */
			struct in in = {(uint8_t *)bytes, (uint8_t *)bytes + b.out.len, false};
			int r;

			memcpy(bytes, b.out.data, b.out.len);
			bytes[i] = (char)(bytes[i] ^ 1 << k);
			r = unpack_column32(b.unpack, &in, back, N);
			assert_true(!r || r == TACHO_EDAMAGED || r == TACHO_ENO);
			in = (struct in){(uint8_t *)bytes, (uint8_t *)bytes + i, false};
			assert_true(unpack_column(b.unpack, &in, wide, N) < 0);
			free(bytes);
		}
	packer_cleanup(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),     cmocka_unit_test(test_far),
		cmocka_unit_test(test_sparse),      cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_alike_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
