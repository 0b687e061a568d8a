#include "trace/pack.h"
#include "base/err.h"

#include <stdlib.h>
#include <zstd.h>

#define PLANE_SMALL 48u /* bytes that are not worth a zstd frame */

struct packer {
	ZSTD_CCtx *zstd;
	uint64_t *scratch;
	uint8_t *planes;
};

struct packer *packer_new(int level)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->zstd = ZSTD_createCCtx();
	p->scratch = malloc(BLOCK_ITEMS * sizeof(*p->scratch));
	p->planes = malloc(BLOCK_ITEMS * sizeof(uint64_t));
	if (!p->zstd || !p->scratch || !p->planes) {
		packer_free(p);
		return NULL;
	}
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_contentSizeFlag, 0);
	return p;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p->scratch);
	free(p->planes);
	free(p);
}

bool pack_bytes(struct packer *p, const void *bytes, size_t len, struct buf *out)
{
	size_t n;

	if (len < PLANE_SMALL || buf_reserve(out, len) < 0)
		return false;
	/* Room for less than LEN bytes: zstd fails early on what it cannot make smaller. */
	n = ZSTD_compress2(p->zstd, out->data + out->len, len - len / 32, bytes, len);
	if (ZSTD_isError(n) || len > (uint64_t)n * BLOCK_RATIO)
		return false;
	out->len += n;
	return true;
}

static void add_method(struct buf *out, enum pack_method method, size_t len)
{
	buf_addc(out, (char)method);
	add_varint(out, len);
}

/* Packs behind a place for the length: the varint has a fixed width of 4 bytes. */
static bool pack_counted(struct packer *p, const void *bytes, size_t len, struct buf *out)
{
	size_t at = out->len, packed;

	if (len < PLANE_SMALL || buf_reserve(out, 5) < 0)
		return false;
	out->data[at] = METHOD_ZSTD;
	out->len = at + 5;
	if (!pack_bytes(p, bytes, len, out)) {
		out->len = at;
		return false;
	}
	packed = out->len - at - 5;
	for (int i = 0; i < 4; i++)
		out->data[at + 1 + (size_t)i] =
			(char)((packed >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
	return true;
}

void pack_string(struct packer *p, const void *bytes, size_t len, struct buf *out)
{
	size_t at = out->len;

	add_varint(out, len);
	if (!len || pack_counted(p, bytes, len, out))
		return;
	out->len = at;
	add_varint(out, len);
	add_method(out, METHOD_RAW, len);
	buf_add(out, bytes, len);
}

static void pack_plane(struct packer *p, const uint8_t *plane, size_t n, struct buf *out)
{
	if (!memcmp(plane, plane + 1, n - 1)) {
		char constant[2] = {METHOD_CONSTANT, (char)plane[0]};

		buf_add(out, constant, sizeof(constant));
		return;
	}
	if (pack_counted(p, plane, n, out))
		return;
	add_method(out, METHOD_RAW, n);
	buf_add(out, plane, n);
}

static unsigned bytes_of(uint64_t v)
{
	return v ? (71u - (unsigned)__builtin_clzll(v)) / 8 : 0;
}

struct shape {
	uint64_t base;
	size_t sizes[9]; /* how many numbers need so many bytes */
	unsigned planes;
	size_t patches;
};

/* A patch costs about as much as 1/64 of a plane of the usual length would for each number. */
static void shape_find(struct shape *s, const uint64_t *v, size_t n)
{
	uint64_t min = UINT64_MAX;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < n; i++)
		min = v[i] < min ? v[i] : min;
	s->base = min;
	for (size_t i = 0; i < n; i++)
		s->sizes[bytes_of(v[i] - min)]++;
	s->planes = 8;
	while (s->planes && s->patches + s->sizes[s->planes] <= n / 64)
		s->patches += s->sizes[s->planes--];
}

static size_t shape_cost(const struct shape *s, size_t n)
{
	return s->planes * n + s->patches * 8;
}

static void split_planes(const uint64_t *v, size_t n, uint64_t base, unsigned planes, uint8_t *out)
{
	for (unsigned k = 0; k < planes; k++, out += n)
		for (size_t i = 0; i < n; i++)
			out[i] = (uint8_t)((v[i] - base) >> (8 * k));
}

static void add_patches(const struct shape *s, const uint64_t *v, size_t n, struct buf *out)
{
	size_t last = 0;

	for (size_t i = 0; i < n; i++) {
		if (bytes_of(v[i] - s->base) <= s->planes)
			continue;
		add_varint(out, i - last);
		add_varint(out, v[i]);
		last = i;
	}
}

static void pack_shaped(struct packer *p, const struct shape *s, const uint64_t *v, size_t n,
			bool delta, struct buf *out)
{
	buf_addc(out, (char)(s->planes | (delta ? COLUMN_DELTA : 0)));
	add_varint(out, s->base);
	add_varint(out, s->patches);
	split_planes(v, n, s->base, s->planes, p->planes);
	for (unsigned k = 0; k < s->planes; k++)
		pack_plane(p, p->planes + k * n, n, out);
	if (s->patches)
		add_patches(s, v, n, out);
}

void pack_column(struct packer *p, const uint64_t *v, size_t n, bool delta, struct buf *out)
{
	struct shape plain, differences;
	uint64_t last = 0;

	if (!n)
		return;
	shape_find(&plain, v, n);
	if (delta && plain.planes) {
		for (size_t i = 0; i < n; i++) {
			p->scratch[i] = zigzag((int64_t)(v[i] - last));
			last = v[i];
		}
		shape_find(&differences, p->scratch, n);
		if (shape_cost(&differences, n) < shape_cost(&plain, n)) {
			pack_shaped(p, &differences, p->scratch, n, true, out);
			return;
		}
	}
	pack_shaped(p, &plain, v, n, false, out);
}

void pack_column32(struct packer *p, const uint32_t *v, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++)
		p->scratch[i] = v[i];
	pack_column(p, p->scratch, n, false, out);
}
