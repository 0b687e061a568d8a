/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader: single zones of a block. Decoding a block means unpacking its planes, assembling the
 * bytes of each number and adding up all times. The index has the time of every eighth zone, so a
 * reader of a few zones needs only the first step.
 */
#include "base/search.h"
#include "trace/reader.h"

#include <stdlib.h>

/* Planes that are not constant, and patches: what a column takes. */
struct needs {
	size_t planes, patches;
};

/* Skips a plane; true if it is not constant. */
static bool plane_pass(struct in *in)
{
	if (in_byte(in) == METHOD_CONSTANT) {
		in_byte(in);
		return false;
	}
	format_in_bytes(in, in_varint(in));
	return true;
}

static int column_needs(struct in in, size_t n, struct needs *needs)
{
	uint8_t head = in_byte(&in);
	unsigned planes = head & ~COLUMN_DELTA;

	in_varint(&in);
	needs->patches += in_limited(&in, n);
	if (in.bad || planes > 8)
		return TACHO_EDAMAGED;
	if (head & COLUMN_DELTA)
		return TACHO_ENO;
	for (unsigned k = 0; k < planes; k++)
		needs->planes += plane_pass(&in);
	return in.bad ? TACHO_EDAMAGED : 0;
}

/* The state of reading a block: a scratch plane, followed by finished output. */
struct taking {
	struct unpacker *u;
	size_t n;
	uint8_t *scratch;
	uint8_t *ready; /* the end of it, where the next plane comes */
};

#define SCRATCH_SPARE 8u /* zeros after a plane, so it can be read in whole words */

/*
 * Bytes of two numbers of 4, 2 or 1 bits each become one of twice as many. For the vectoriser,
 * which must know by how much to shift.
 */
static inline __attribute__((always_inline)) void halve_by(const uint8_t *restrict from, size_t n,
							   unsigned shift, uint8_t *restrict to)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t two = le_get16(from + 2 * i);

		to[i] = (uint8_t)(two | two >> shift);
	}
}

static unsigned all_bits(const uint8_t *v, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i += 8)
		all |= le_get64(v + i);
	all |= all >> 32;
	all |= all >> 16;
	return (all | all >> 8) & 0xff;
}

/*
 * Keeps the plane that is at READY with as few bits per number as it needs, 1, 2, 4 or 8: names of
 * a lane are few, and high bytes are small, so a third more blocks have room in the same memory.
 */
static void plane_keep(struct taking *t, struct peek_column *c, unsigned k)
{
	uint8_t *from = t->ready, *to = t->scratch, *last;
	unsigned all, narrow = 0;
	size_t len = t->n;

	memset(from + len, 0, SCRATCH_SPARE);
	all = all_bits(from, len);
	while (narrow < 3 && all >> (4u >> narrow) == 0)
		narrow++;
	for (unsigned step = narrow; step > 0; step--) {
		len = (len + 1) / 2;
		if (step == 1)
			halve_by(from, len, 4, to);
		else if (step == 2)
			halve_by(from, len, 6, to);
		else
			halve_by(from, len, 7, to);
		to[len] = 0;
		last = from;
		from = to;
		to = last;
	}
	if (from != t->ready)
		memcpy(t->ready, from, len);
	c->plane[c->planes] = t->ready;
	c->narrow[c->planes] = (uint8_t)narrow;
	c->shift[c->planes++] = (uint8_t)(8 * k);
	t->ready += len;
}

/* Takes plane K; a constant one becomes part of the base. */
static int plane_take(struct taking *t, struct in *in, unsigned k, struct peek_column *c)
{
	uint8_t method = in_byte(in);
	const uint8_t *bytes;
	size_t len;
	int r = 0;

	if (method == METHOD_CONSTANT) {
		c->base += (uint64_t)in_byte(in) << (8 * k);
		return in->bad ? TACHO_EDAMAGED : 0;
	}
	len = in_varint(in);
	bytes = format_in_bytes(in, len);
	if (!bytes || (method == METHOD_RAW && len != t->n))
		return TACHO_EDAMAGED;
	if (method == METHOD_RAW)
		memcpy(t->ready, bytes, t->n);
	else
		r = unpack_plane(t->u, method, bytes, len, t->ready, t->n);
	if (r == 0)
		plane_keep(t, c, k);
	return r;
}

static int patches_take(struct in *in, size_t count, size_t n, struct peek_column *c,
			struct peek_patch **room)
{
	uint64_t at = 0;

	c->patches = *room;
	c->patch_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		at += in_limited(in, n);
		if (at >= n)
			in->bad = true;
		(*room)[i] = (struct peek_patch){(uint32_t)at, in_varint(in)};
	}
	*room += count;
	return in->bad ? TACHO_EDAMAGED : 0;
}

/* The planes of a column; IN is then at its COUNT patches. */
static int planes_take(struct taking *t, struct in *in, struct peek_column *c, size_t *count)
{
	unsigned planes = in_byte(in);
	int r = 0;

	*c = (struct peek_column){.base = in_varint(in)};
	*count = in_varint(in);
	for (unsigned k = 0; r == 0 && k < planes; k++)
		r = plane_take(t, in, k, c);
	return r;
}

/* Patches first, since they have an alignment. */
static int memory_take(struct zpeek *peek, uint32_t first, uint32_t end, size_t patches,
		       const uint8_t *ready, size_t len)
{
	size_t bytes = patches * sizeof(struct peek_patch) + len;
	uint8_t *memory = malloc(bytes + 1), *room;

	if (!memory)
		return TACHO_ENOMEM;
	room = memory + patches * sizeof(struct peek_patch);
	memcpy(room, ready, len);
	for (uint32_t k = first; k < end; k++)
		for (unsigned i = 0; i < peek->columns[k].planes; i++)
			peek->columns[k].plane[i] = room + (peek->columns[k].plane[i] - ready);
	free(peek->memory[first]);
	peek->memory[first] = memory;
	peek->bytes[first] = bytes;
	return 0;
}

int zpeek_read(struct unpacker *u, const struct zpayload *z, uint32_t first, uint32_t end,
	       struct zpeek *peek)
{
	struct in in[PEEK_COLUMNS] = {z->gap, z->duration, z->srcloc};
	size_t counts[PEEK_COLUMNS], plane = z->n + SCRATCH_SPARE;
	struct taking t = {.u = u, .n = z->n};
	struct peek_patch *patches;
	struct needs needs = {0};
	uint8_t *ready;
	int r = 0;

	for (uint32_t k = first; r == 0 && k < end; k++)
		r = z->n ? column_needs(in[k], z->n, &needs) : TACHO_ENO;
	if (r < 0)
		return r;
	t.scratch = (uint8_t *)unpack_room32(u, (needs.planes + 1) * plane / 4 + 1);
	if (!t.scratch)
		return TACHO_ENOMEM;
	t.ready = ready = t.scratch + plane;
	for (uint32_t k = first; r == 0 && k < end; k++)
		r = planes_take(&t, &in[k], &peek->columns[k], &counts[k]);
	if (r == 0)
		r = memory_take(peek, first, end, needs.patches, ready, (size_t)(t.ready - ready));
	patches = r == 0 ? peek->memory[first] : NULL;
	for (uint32_t k = first; r == 0 && k < end; k++)
		r = patches_take(&in[k], counts[k], z->n, &peek->columns[k], &patches);
	return r;
}

void zpeek_free(struct zpeek *peek)
{
	for (unsigned k = 0; k < PEEK_COLUMNS; k++)
		free(peek->memory[k]);
	*peek = (struct zpeek){0};
}

uint64_t peek_patched(const struct peek_column *c, uint32_t i, uint64_t value)
{
	uint32_t low = 0, high = c->patch_count;

	SEARCH_FIRST(low, high, middle, c->patches[middle].at < i);
	/* Of two patches of one place the last counts. */
	for (; low < c->patch_count && c->patches[low].at == i; low++)
		value = c->patches[low].value;
	return value;
}
