/* SPDX-License-Identifier: Apache-2.0 */
/* Compress columns: byte planes, sparse lists, zstd. */
#include "trace/pack.h"
#include "base/err.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <zstd.h>

#define PLANE_SMALL 48u /* bytes that are not worth a zstd frame */

/*
 * Planes of clock jitter have no repeated strings, only likely and unlikely bytes. The short
 * matches that zstd finds in them by chance cost time and space: level 1 with matches of 7 bytes
 * and a small table takes 1.6 ns per byte instead of 5.6, and 0.390 bytes instead of 0.419. Real
 * repetition (source locations in a loop) is long and still found.
 */
#define PLANE_MIN_MATCH 7
#define PLANE_HASH_LOG  8

/*
 * In a plane of high bytes most are 0. A zstd frame of it has a sequence for each of the others,
 * which takes 12 us of a block to undo; the list of them takes 3 us and no more bytes, as long as
 * they are at most one in so many.
 */
#define SPARSE_SHARE 8u

struct packer {
	ZSTD_CCtx *zstd;       /* for bytes */
	ZSTD_CCtx *plane_zstd; /* for planes */
	uint64_t *scratch;
	uint8_t *planes;
	uint8_t *list; /* of a sparse plane: places, then bytes */
};

struct packer *packer_new(int level)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->zstd = ZSTD_createCCtx();
	p->plane_zstd = ZSTD_createCCtx();
	p->scratch = malloc(BLOCK_ITEMS * sizeof(*p->scratch));
	p->planes = malloc(BLOCK_ITEMS * sizeof(uint64_t));
	p->list = malloc(BLOCK_ITEMS);
	if (!p->zstd || !p->plane_zstd || !p->scratch || !p->planes || !p->list) {
		packer_free(p);
		return NULL;
	}
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(p->plane_zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(p->plane_zstd, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(p->plane_zstd, ZSTD_c_minMatch, PLANE_MIN_MATCH);
	ZSTD_CCtx_setParameter(p->plane_zstd, ZSTD_c_hashLog, PLANE_HASH_LOG);
	return p;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	ZSTD_freeCCtx(p->plane_zstd);
	free(p->scratch);
	free(p->planes);
	free(p->list);
	free(p);
}

static bool pack_compress(ZSTD_CCtx *zstd, const void *bytes, size_t len, struct buf *out)
{
	size_t n;

	if (len < PLANE_SMALL || buf_reserve(out, len) < 0)
		return false;
	/* A sixteenth must be gained: else reading would cost more than it saves. */
	n = ZSTD_compress2(zstd, out->data + out->len, len - len / 16, bytes, len);
	if (ZSTD_isError(n))
		return false;
	out->len += n;
	return true;
}

/*
 * Readers refuse to expand a byte to more than BLOCK_RATIO: a small file must not keep them busy
 * for hours. Data that compresses better, such as messages that differ in a number, gets a
 * skippable frame appended that makes it long enough.
 */
static bool compress_within(ZSTD_CCtx *zstd, const void *bytes, size_t len, struct buf *out)
{
	static const size_t head = 8; /* magic number and length */
	size_t before = out->len, least = (len + BLOCK_RATIO - 1) / BLOCK_RATIO, n, fill;

	if (!pack_compress(zstd, bytes, len, out))
		return false;
	n = out->len - before;
	if (n >= least)
		return true;
	fill = least > n + head ? least - n - head : 0;
	if (buf_reserve(out, head + fill) < 0) {
		out->len = before;
		return false;
	}
	le_put32(out->data + out->len, ZSTD_MAGIC_SKIPPABLE_START);
	le_put32(out->data + out->len + 4, (uint32_t)fill);
	memset(out->data + out->len + head, 0, fill);
	out->len += head + fill;
	return true;
}

bool pack_bytes(struct packer *p, const void *bytes, size_t len, struct buf *out)
{
	return compress_within(p->zstd, bytes, len, out);
}

static void add_method(struct buf *out, enum pack_method method, size_t len)
{
	buf_addc(out, (char)method);
	add_varint(out, len);
}

/* Method and length come first; the length's varint has a fixed width of 4 bytes. */
#define COUNTED_HEAD 5u

static void counted_head(struct buf *out, size_t at, enum pack_method method)
{
	size_t len = out->len - at - COUNTED_HEAD;

	out->data[at] = (char)method;
	for (size_t i = 0; i < 4; i++)
		out->data[at + 1 + i] = (char)((len >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
}

static void add_packed(ZSTD_CCtx *zstd, const void *bytes, size_t len, struct buf *out)
{
	size_t at;

	add_varint(out, len);
	if (!len || buf_reserve(out, COUNTED_HEAD) < 0)
		return;
	at = out->len;
	out->len += COUNTED_HEAD;
	if (compress_within(zstd, bytes, len, out)) {
		counted_head(out, at, METHOD_ZSTD);
		return;
	}
	out->len = at;
	add_method(out, METHOD_RAW, len);
	buf_add(out, bytes, len);
}

void pack_string(struct packer *p, const void *bytes, size_t len, struct buf *out)
{
	add_packed(p->zstd, bytes, len, out);
}

FOR_WIDE_VECTORS static size_t count_others(const uint8_t *plane, size_t n)
{
	size_t others = 0;

	for (size_t i = 0; i < n; i++)
		others += plane[i] != 0;
	return others;
}

static bool pack_sparse(struct packer *p, const uint8_t *plane, size_t n, struct buf *out)
{
	size_t count = n < PLANE_SMALL ? n : count_others(plane, n), at = out->len;
	uint8_t *to;
	size_t last;

	if (count > n / SPARSE_SHARE || buf_reserve(out, COUNTED_HEAD) < 0)
		return false;
	out->len += COUNTED_HEAD;
	add_varint(out, count);
	/* The bytes that are not 0, COUNT of them: how many zeros are before each, then they
	 * themselves. */
	to = p->list;
	last = 0;
	for (size_t i = 0, left = count; left; i++) {
		if (!plane[i])
			continue;
		for (; i - last >= SPARSE_FAR; last += SPARSE_FAR)
			*to++ = SPARSE_FAR;
		*to++ = (uint8_t)(i - last);
		last = i + 1;
		left--;
	}
	for (size_t i = 0; i < n; i++) {
		*to = plane[i];
		to += plane[i] != 0;
	}
	add_packed(p->plane_zstd, p->list, (size_t)(to - p->list), out);
	counted_head(out, at, METHOD_SPARSE);
	return true;
}

static void pack_plane(struct packer *p, const uint8_t *plane, size_t n, struct buf *out)
{
	size_t at = out->len;

	if (!memcmp(plane, plane + 1, n - 1)) {
		char constant[2] = {METHOD_CONSTANT, (char)plane[0]};

		buf_add(out, constant, sizeof(constant));
		return;
	}
	if (pack_sparse(p, plane, n, out) || buf_reserve(out, COUNTED_HEAD) < 0)
		return;
	out->len += COUNTED_HEAD;
	if (pack_compress(p->plane_zstd, plane, n, out)) {
		counted_head(out, at, METHOD_ZSTD);
		return;
	}
	out->len = at;
	add_method(out, METHOD_RAW, n);
	buf_add(out, plane, n);
}

/* How a column is laid out: numbers minus BASE in PLANES bytes, and PATCHES that do not fit. */
struct shape {
	uint64_t base;
	unsigned planes;
	size_t patches;
};

/*
 * ABOVE[k] is how many numbers need more than k bytes. A patch takes some 4 bytes: it pays while
 * fewer than one in 64 numbers needs it, since a nearly empty plane packs well too but takes time.
 */
static void shape_choose(struct shape *s, const size_t *above, unsigned widest, size_t n)
{
	s->planes = widest;
	s->patches = 0;
	while (s->planes && above[s->planes - 1] <= n / 64)
		s->patches = above[--s->planes];
}

static void shape_head(const struct shape *s, unsigned flags, struct buf *out)
{
	buf_addc(out, (char)(s->planes | flags));
	add_varint(out, s->base);
	add_varint(out, s->patches);
}

static void pack_planes(struct packer *p, unsigned planes, size_t n, struct buf *out)
{
	for (unsigned k = 0; k < planes; k++)
		pack_plane(p, p->planes + k * n, n, out);
}

/* ------------------------------------------------------- 64-bit columns */

static unsigned pack_bytes_of(uint64_t v)
{
	return v ? (71u - (unsigned)__builtin_clzll(v)) / 8 : 0;
}

static void shape_find(struct shape *s, const uint64_t *v, size_t n)
{
	size_t sizes[9] = {0}, above[8];
	uint64_t min = UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		min = v[i] < min ? v[i] : min;
	for (size_t i = 0; i < n; i++)
		sizes[pack_bytes_of(v[i] - min)]++;
	for (unsigned k = 8; k-- > 0;)
		above[k] = sizes[k + 1] + (k < 7 ? above[k + 1] : 0);
	s->base = min;
	shape_choose(s, above, 8, n);
}

static void pack_shaped(struct packer *p, const struct shape *s, const uint64_t *v, size_t n,
			unsigned flags, struct buf *out)
{
	size_t last = 0;

	shape_head(s, flags, out);
	for (unsigned k = 0; k < s->planes; k++)
		for (size_t i = 0; i < n; i++)
			p->planes[k * n + i] = (uint8_t)((v[i] - s->base) >> (8 * k));
	pack_planes(p, s->planes, n, out);
	for (size_t i = 0; s->patches && i < n; i++) {
		if (pack_bytes_of(v[i] - s->base) <= s->planes)
			continue;
		add_varint(out, i - last);
		add_varint(out, v[i]);
		last = i;
	}
}

void pack_column(struct packer *p, const uint64_t *v, size_t n, struct buf *out)
{
	struct shape plain, differences;
	uint64_t last = 0;

	shape_find(&plain, v, n);
	for (size_t i = 0; i < n; i++) {
		p->scratch[i] = zigzag_encode((int64_t)(v[i] - last));
		last = v[i];
	}
	shape_find(&differences, p->scratch, n);
	if (differences.planes * n + differences.patches * 8 < plain.planes * n + plain.patches * 8)
		pack_shaped(p, &differences, p->scratch, n, COLUMN_DELTA, out);
	else
		pack_shaped(p, &plain, v, n, 0, out);
}

/* ------------------------------------------------------- 32-bit columns */

/*
 * The same for the columns of zones, which are many: loops without branches over 32-bit numbers,
 * made for the vectoriser.
 */
/* The least of N numbers, and how many exceed it by more than 0, 1, 2 and 3 bytes hold. */
FOR_WIDE_VECTORS static uint32_t spread_find32(const uint32_t *v, size_t n, size_t *above)
{
	uint32_t min = UINT32_MAX, a0 = 0, a1 = 0, a2 = 0, a3 = 0;

	for (size_t i = 0; i < n; i++)
		min = v[i] < min ? v[i] : min;
	for (size_t i = 0; i < n; i++) {
		uint32_t x = v[i] - min;

		a0 += x != 0;
		a1 += x >> 8 != 0;
		a2 += x >> 16 != 0;
		a3 += x >> 24 != 0;
	}
	above[0] = a0;
	above[1] = a1;
	above[2] = a2;
	above[3] = a3;
	return min;
}

FOR_WIDE_VECTORS static void split_planes32(const uint32_t *restrict v, size_t n, uint32_t base,
					    unsigned planes, uint8_t *restrict out)
{
	for (unsigned k = 0; k < planes; k++, out += n)
		for (size_t i = 0; i < n; i++)
			out[i] = (uint8_t)((v[i] - base) >> (8 * k));
}

/* The first number from I on that does not fit into the planes; N if all do. */
FOR_WIDE_VECTORS static size_t patch_next32(const uint32_t *v, size_t i, size_t n, uint32_t base,
					    uint32_t most)
{
	for (; i + 64 <= n; i += 64) {
		uint32_t others = 0;

		for (size_t k = 0; k < 64; k++)
			others += v[i + k] - base > most;
		if (others)
			break;
	}
	while (i < n && v[i] - base <= most)
		i++;
	return i;
}

/*
 * Patches are numbers too wide for the planes, and those too wide for 32 bits, which are in WIDE.
 */
static void add_patches32(const struct shape *s, const uint32_t *v, size_t n,
			  const struct wide *wide, size_t wide_count, struct buf *out)
{
	uint32_t most = s->planes < 4 ? (1u << 8 * s->planes) - 1 : UINT32_MAX;
	size_t last = 0, w = 0, i = 0;

	for (;; last = i++) {
		i = patch_next32(v, i, n, (uint32_t)s->base, most);
		if (w < wide_count && wide[w].at < i)
			i = wide[w].at;
		if (i >= n)
			return;
		add_varint(out, i - last);
		add_varint(out, w < wide_count && wide[w].at == i ? wide[w++].value : v[i]);
	}
}

void pack_column32(struct packer *p, const uint32_t *v, size_t n, const struct wide *wide,
		   size_t wide_count, struct buf *out)
{
	struct shape s;

	size_t above[4];

	s.base = spread_find32(v, n, above);
	shape_choose(&s, above, 4, n);
	if (wide_count && (uint64_t)(WIDE_MARK - (uint32_t)s.base) >> (8 * s.planes) == 0)
		s.patches += wide_count;
	shape_head(&s, 0, out);
	split_planes32(v, n, (uint32_t)s.base, s.planes, p->planes);
	pack_planes(p, s.planes, n, out);
	if (s.patches)
		add_patches32(&s, v, n, wide, wide_count, out);
}
