/*
 * The reader: single zones of a block. To decode a block is to unpack its planes, to put the bytes
 * of each number together and to add up all times; the index has the time of every eighth zone, so
 * who looks at a few zones needs the first of it alone.
 */
#include "trace/reader.h"

#include <stdlib.h>

/* Planes that are not constant, and patches: what a column takes. */
struct needs {
	size_t planes, patches;
};

/* Passes over a plane; true when it is not constant. */
static bool plane_pass(struct in *in)
{
	if (in_byte(in) == METHOD_CONSTANT) {
		in_byte(in);
		return false;
	}
	in_bytes(in, in_varint(in));
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

/* Takes plane K into ROOM; a constant one becomes part of the base. */
static int plane_take(struct unpacker *u, struct in *in, unsigned k, size_t n,
		      struct peek_column *c, uint8_t **room)
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
	bytes = in_bytes(in, len);
	if (!bytes || (method == METHOD_RAW && len != n))
		return TACHO_EDAMAGED;
	if (method == METHOD_RAW)
		memcpy(*room, bytes, n);
	else if (method == METHOD_ZSTD)
		r = unpack_bytes(u, bytes, len, *room, n);
	else
		r = TACHO_EDAMAGED;
	c->plane[c->planes] = *room;
	c->shift[c->planes++] = (uint8_t)(8 * k);
	*room += n;
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

static int column_take(struct unpacker *u, struct in in, size_t n, struct peek_column *c,
		       uint8_t **room, struct peek_patch **patches)
{
	unsigned planes = in_byte(&in);
	size_t count;
	int r = 0;

	*c = (struct peek_column){.base = in_varint(&in)};
	count = in_varint(&in);
	for (unsigned k = 0; r == 0 && k < planes; k++)
		r = plane_take(u, &in, k, n, c, room);
	return r < 0 ? r : patches_take(&in, count, n, c, patches);
}

int zpeek_read(struct unpacker *u, const struct zpayload *z, uint32_t first, uint32_t end,
	       struct zpeek *peek)
{
	const struct in *const in[PEEK_COLUMNS] = {&z->gap, &z->duration, &z->srcloc};
	struct needs needs = {0};
	struct peek_patch *patches;
	uint8_t *room;
	int r = 0;

	for (uint32_t k = first; r == 0 && k < end; k++)
		r = z->n ? column_needs(*in[k], z->n, &needs) : TACHO_ENO;
	if (r < 0)
		return r;
	patches = malloc(needs.patches * sizeof(*patches) + needs.planes * z->n + 1);
	if (!patches)
		return TACHO_ENOMEM;
	free(peek->memory[first]);
	peek->memory[first] = patches;
	peek->bytes[first] = needs.patches * sizeof(*patches) + needs.planes * z->n;
	room = (uint8_t *)(patches + needs.patches);
	for (uint32_t k = first; r == 0 && k < end; k++)
		r = column_take(u, *in[k], z->n, &peek->columns[k], &room, &patches);
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

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->patches[middle].at < i)
			low = middle + 1;
		else
			high = middle;
	}
	/* Of two patches of one place the last counts. */
	for (; low < c->patch_count && c->patches[low].at == i; low++)
		value = c->patches[low].value;
	return value;
}
