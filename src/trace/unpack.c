#include "base/err.h"
#include "trace/pack.h"

#include <stdlib.h>
#include <zstd.h>

struct unpacker {
	ZSTD_DCtx *zstd;
	uint8_t *planes; /* 8 planes of ROOM numbers */
	size_t room;
};

struct unpacker *unpacker_new(void)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->zstd = ZSTD_createDCtx();
	if (!u->zstd) {
		free(u);
		return NULL;
	}
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->zstd);
	free(u->planes);
	free(u);
}

int unpack_bytes(struct unpacker *u, const void *bytes, size_t len, void *out, size_t raw)
{
	size_t n;

	if (raw > (uint64_t)len * BLOCK_RATIO)
		return TACHO_EDAMAGED;
	n = ZSTD_decompressDCtx(u->zstd, out, raw, bytes, len);
	return ZSTD_isError(n) || n != raw ? TACHO_EDAMAGED : 0;
}

int unpack_string(struct unpacker *u, struct in *in, size_t limit, struct buf *out)
{
	size_t raw = in_limited(in, limit), len;
	const uint8_t *bytes;
	uint8_t method;
	int r = 0;

	buf_reset(out);
	if (!raw)
		return in->bad ? TACHO_EDAMAGED : 0;
	method = in_byte(in);
	len = in_varint(in);
	bytes = in_bytes(in, len);
	if (!bytes || (method == METHOD_RAW && len != raw) ||
	    (method == METHOD_ZSTD && raw > (uint64_t)len * BLOCK_RATIO))
		return TACHO_EDAMAGED;
	if (buf_reserve(out, raw) < 0)
		return TACHO_ENOMEM;
	if (method == METHOD_RAW)
		memcpy(out->data, bytes, raw);
	else if (method == METHOD_ZSTD)
		r = unpack_bytes(u, bytes, len, out->data, raw);
	else
		r = TACHO_EDAMAGED;
	if (r == 0) {
		out->len = raw;
		out->data[raw] = 0;
	}
	return r;
}

/* Where the plane's bytes are: in the block itself when they are stored as they are, else in ROOM. */
static const uint8_t *plane_find(struct unpacker *u, struct in *in, uint8_t *room, size_t n)
{
	uint8_t method = in_byte(in);
	const uint8_t *bytes;
	size_t len;

	if (method == METHOD_CONSTANT) {
		memset(room, in_byte(in), n);
		return in->bad ? NULL : room;
	}
	len = in_varint(in);
	bytes = in_bytes(in, len);
	if (!bytes)
		return NULL;
	if (method == METHOD_RAW)
		return len == n ? bytes : NULL;
	if (method != METHOD_ZSTD || unpack_bytes(u, bytes, len, room, n) < 0)
		return NULL;
	return room;
}

static void join_planes(uint64_t *v, size_t n, uint64_t base, const uint8_t **p, unsigned planes)
{
	switch (planes) {
	case 0:
		for (size_t i = 0; i < n; i++)
			v[i] = base;
		return;
	case 1:
		for (size_t i = 0; i < n; i++)
			v[i] = base + p[0][i];
		return;
	case 2:
		for (size_t i = 0; i < n; i++)
			v[i] = base + (p[0][i] | (uint32_t)p[1][i] << 8);
		return;
	case 3:
		for (size_t i = 0; i < n; i++)
			v[i] = base + (p[0][i] | (uint32_t)p[1][i] << 8 | (uint32_t)p[2][i] << 16);
		return;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = base;
	for (unsigned k = 0; k < planes; k++)
		for (size_t i = 0; i < n; i++)
			v[i] += (uint64_t)p[k][i] << (8 * k);
}

static void apply_patches(struct in *in, uint64_t *v, size_t n, size_t count)
{
	size_t at = 0;

	for (; count && !in->bad; count--) {
		at += in_limited(in, n);
		if (at >= n) {
			in->bad = true;
			return;
		}
		v[at] = in_varint(in);
	}
}

static int planes_room(struct unpacker *u, size_t n)
{
	uint8_t *planes;

	if (n <= u->room)
		return 0;
	planes = realloc(u->planes, n * 8);
	if (!planes)
		return TACHO_ENOMEM;
	u->planes = planes;
	u->room = n;
	return 0;
}

int unpack_column(struct unpacker *u, struct in *in, uint64_t *v, size_t n)
{
	const uint8_t *planes[8];
	uint64_t base, last = 0;
	size_t patches;
	uint8_t head;

	if (!n)
		return 0;
	if (planes_room(u, n) < 0)
		return TACHO_ENOMEM;
	head = in_byte(in);
	base = in_varint(in);
	patches = in_limited(in, n);
	if (in->bad || (head & ~COLUMN_DELTA) > 8)
		return TACHO_EDAMAGED;
	for (unsigned k = 0; k < (head & 0xf); k++) {
		planes[k] = plane_find(u, in, u->planes + k * n, n);
		if (!planes[k])
			return TACHO_EDAMAGED;
	}
	join_planes(v, n, base, planes, head & 0xf);
	apply_patches(in, v, n, patches);
	if (head & COLUMN_DELTA)
		for (size_t i = 0; i < n; i++)
			v[i] = last += (uint64_t)unzigzag(v[i]);
	return in->bad ? TACHO_EDAMAGED : 0;
}

int unpack_column32(struct unpacker *u, struct in *in, uint32_t *v, size_t n)
{
	uint64_t *wide = malloc((n ? n : 1) * sizeof(*wide)), high = 0;
	int r = wide ? unpack_column(u, in, wide, n) : TACHO_ENOMEM;

	for (size_t i = 0; r == 0 && i < n; i++) {
		high |= wide[i] >> 32;
		v[i] = (uint32_t)wide[i];
	}
	free(wide);
	return r == 0 && high ? TACHO_EDAMAGED : r;
}
