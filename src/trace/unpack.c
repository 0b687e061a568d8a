/* SPDX-License-Identifier: Apache-2.0 */
/* Decompress columns: the inverse of pack.c. */
#include "base/err.h"
#include "trace/pack.h"

#include <stdlib.h>
#include <zstd.h>

struct unpacker {
	ZSTD_DCtx *zstd;
	uint8_t *planes; /* 8 planes of ROOM numbers */
	size_t room;
	uint32_t *numbers; /* ROOM32 of them, for unpack_room32() */
	size_t room32;
	struct buf list; /* of a sparse plane */
};

struct unpacker *unpacker_new(void)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->list = (struct buf)BUF_INIT;
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
	free(u->numbers);
	buf_free(&u->list);
	free(u);
}

int unpack_bytes(struct unpacker *u, const void *bytes, size_t len, void *out, size_t raw)
{
	size_t n = ZSTD_decompressDCtx(u->zstd, out, raw, bytes, len);

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
	bytes = format_in_bytes(in, len);
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

/* Places are the numbers of zeros before each byte that is none, and those bytes are at the end. */
static int unpack_sparse(struct unpacker *u, struct in *in, uint8_t *out, size_t n)
{
	size_t count = in_limited(in, n), at = 0;
	const uint8_t *place, *byte, *bytes;
	int r = in->bad ? TACHO_EDAMAGED : unpack_string(u, in, 3 * n, &u->list);

	if (r < 0)
		return r;
	if (u->list.len < count)
		return TACHO_EDAMAGED;
	memset(out, 0, n);
	place = (const uint8_t *)u->list.data;
	byte = bytes = place + u->list.len - count;
	while (place < bytes) {
		at += *place;
		if (*place++ == SPARSE_FAR)
			continue;
		if (at >= n || byte == bytes + count)
			return TACHO_EDAMAGED;
		out[at++] = *byte++;
	}
	return byte == bytes + count ? 0 : TACHO_EDAMAGED;
}

int unpack_plane(struct unpacker *u, uint8_t method, const void *bytes, size_t len, uint8_t *out,
		 size_t n)
{
	struct in in = {bytes, (const uint8_t *)bytes + len, false};

	if (method == METHOD_ZSTD)
		return unpack_bytes(u, bytes, len, out, n);
	return method == METHOD_SPARSE ? unpack_sparse(u, &in, out, n) : TACHO_EDAMAGED;
}

/* Where the plane's bytes are: in the block itself when they are stored as they are, else in ROOM.
 */
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
	bytes = format_in_bytes(in, len);
	if (!bytes)
		return NULL;
	if (method == METHOD_RAW)
		return len == n ? bytes : NULL;
	return unpack_plane(u, method, bytes, len, room, n) < 0 ? NULL : room;
}

static void join_planes(uint64_t *restrict v, size_t n, uint64_t base, const uint8_t **p,
			unsigned planes)
{
	const uint8_t *p0 = p[0], *p1 = p[1], *p2 = p[2], *p3 = p[3];

	switch (planes) {
	case 0:
		for (size_t i = 0; i < n; i++)
			v[i] = base;
		return;
	case 1:
		for (size_t i = 0; i < n; i++)
			v[i] = base + p0[i];
		return;
	case 2:
		for (size_t i = 0; i < n; i++)
			v[i] = base + (p0[i] | (uint32_t)p1[i] << 8);
		return;
	case 3:
		for (size_t i = 0; i < n; i++)
			v[i] = base + (p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16);
		return;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = base + (p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 |
			       (uint32_t)p3[i] << 24);
	for (unsigned k = 4; k < planes; k++)
		for (size_t i = 0; i < n; i++)
			v[i] += (uint64_t)p[k][i] << (8 * k);
}

static void join_planes32(uint32_t *restrict v, size_t n, uint32_t base, const uint8_t **p,
			  unsigned planes)
{
	const uint8_t *p0 = p[0], *p1 = p[1];

	if (planes == 0) {
		for (size_t i = 0; i < n; i++)
			v[i] = base;
	} else if (planes == 1) {
		for (size_t i = 0; i < n; i++)
			v[i] = base + p0[i];
	} else {
		for (size_t i = 0; i < n; i++)
			v[i] = base + (p0[i] | (uint32_t)p1[i] << 8);
	}
	for (unsigned k = 2; k < planes; k++)
		for (size_t i = 0; i < n; i++)
			v[i] += (uint32_t)p[k][i] << (8 * k);
}

/* The next patch: its place, which was AT before, and its number. */
static size_t next_patch(struct in *in, size_t at, size_t n, uint64_t *value)
{
	at += in_limited(in, n);
	if (at >= n)
		in->bad = true;
	*value = in_varint(in);
	return at;
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

/* The head of a column and where its planes are. */
struct column {
	uint64_t base;
	size_t patches;
	unsigned planes;
	bool delta;
	const uint8_t *plane[8];
};

static int column_read(struct unpacker *u, struct in *in, size_t n, struct column *c)
{
	uint8_t head;

	if (planes_room(u, n) < 0)
		return TACHO_ENOMEM;
	head = in_byte(in);
	c->base = in_varint(in);
	c->patches = in_limited(in, n);
	c->planes = head & ~COLUMN_DELTA;
	c->delta = head & COLUMN_DELTA;
	if (in->bad || c->planes > 8)
		return TACHO_EDAMAGED;
	for (unsigned k = 0; k < 8; k++) {
		c->plane[k] = k < c->planes ? plane_find(u, in, u->planes + k * n, n) : u->planes;
		if (!c->plane[k])
			return TACHO_EDAMAGED;
	}
	return 0;
}

int unpack_column(struct unpacker *u, struct in *in, uint64_t *v, size_t n)
{
	struct column c;
	uint64_t last = 0, value;
	size_t at = 0;
	int r = n ? column_read(u, in, n, &c) : 0;

	if (r < 0 || !n)
		return r;
	join_planes(v, n, c.base, c.plane, c.planes);
	for (; c.patches && !in->bad; c.patches--) {
		at = next_patch(in, at, n, &value);
		if (!in->bad)
			v[at] = value;
	}
	if (c.delta)
		for (size_t i = 0; i < n; i++)
			v[i] = last += (uint64_t)zigzag_decode(v[i]);
	return in->bad ? TACHO_EDAMAGED : 0;
}

int unpack_column32(struct unpacker *u, struct in *in, uint32_t *v, size_t n)
{
	struct column c;
	uint64_t value;
	size_t at = 0;
	bool wide = false;
	int r = n ? column_read(u, in, n, &c) : 0;

	if (r < 0 || !n)
		return r;
	if (c.delta || c.planes > 4 || c.base > UINT32_MAX)
		return TACHO_ENO;
	join_planes32(v, n, (uint32_t)c.base, c.plane, c.planes);
	for (; c.patches && !in->bad; c.patches--) {
		at = next_patch(in, at, n, &value);
		wide |= value > UINT32_MAX;
		if (!in->bad)
			v[at] = (uint32_t)value;
	}
	return in->bad ? TACHO_EDAMAGED : wide ? TACHO_ENO : 0;
}

uint32_t *unpack_room32(struct unpacker *u, size_t n)
{
	uint32_t *room;

	if (n <= u->room32)
		return u->numbers;
	room = realloc(u->numbers, n * sizeof(*room));
	if (room) {
		u->numbers = room;
		u->room32 = n;
	}
	return room;
}
