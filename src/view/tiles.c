/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles: the visible part of lanes in 512 pixels of 2^K ns each. docs/view.md has the format. Tile
 * edges are multiples of the tile's width from the start of the trace, so a page can reuse and
 * cache tiles while it pans.
 */
#include "view/tiles.h"
#include "base/limits.h"
#include "base/vectors.h"
#include "view/lane_numbers.h"

#include <endian.h>
#include <string.h>
#include <zlib.h>

#define MAGIC   0x314c5454u /* "TTL1" */
#define EMPTY   UINT32_MAX
#define NO_NAME 0xffffu
#define RECT    16u /* bytes */
#define WIDE    2   /* pixels of zones that are drawn by themselves */

struct tile {
	struct view_call *c;
	tile_find *find;
	void *context;
	struct trace_strip strip;
	float busy[VIEW_TILE];
	float lead[VIEW_TILE];
	uint32_t name[VIEW_TILE];
};

static void tiles_set32(uint8_t *to, uint64_t n)
{
	uint32_t value = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;

	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void tiles_put32(struct buf *b, uint64_t n)
{
	uint8_t bytes[4];

	tiles_set32(bytes, n);
	buf_add(b, bytes, 4);
}

static double tiles_pixel_of(const struct trace_strip *s, uint64_t ticks)
{
	if (ticks <= s->t0)
		return 0;
	if (ticks >= s->t1)
		return VIEW_TILE;
	return (double)(ticks - s->t0) * (VIEW_TILE / (double)(s->t1 - s->t0));
}

/* The covered share of each pixel, never 0 if anything touches it. */
FOR_WIDE_VECTORS static void shares_of(const float *restrict covered, uint8_t *restrict shares)
{
	for (unsigned i = 0; i < VIEW_TILE; i++) {
		int busy = (int)(covered[i] * 255 + 0.5f);

		busy = busy > 255 ? 255 : busy;
		shares[i] = (uint8_t)(busy | ((covered[i] > 0) & (busy == 0)));
	}
}

static void strip_put(struct tile *t, struct buf *out)
{
	uint16_t names[VIEW_TILE];

	if (buf_reserve(out, 3 * VIEW_TILE) < 0)
		return;
	shares_of(t->busy, (uint8_t *)out->data + out->len);
	out->len += VIEW_TILE;
	/* The name of each pixel, if one zone covers more than half of it. */
	for (unsigned i = 0; i < VIEW_TILE; i++) {
		int32_t n = (int32_t)t->name[i] | -(t->lead[i] <= 0.5f);

		names[i] = htole16((uint16_t)(n | -(n >= (int32_t)NO_NAME)));
	}
	buf_add(out, names, sizeof(names));
}

static void rect_put(const struct trace_strip *s, const struct trace_lod_item *item, uint8_t *to)
{
	unsigned x0 = (unsigned)tiles_pixel_of(s, item->start),
		 x1 = (unsigned)tiles_pixel_of(s, item->end);

	if (x0 >= VIEW_TILE)
		x0 = VIEW_TILE - 1;
	tiles_set32(to, x0 | (x1 > x0 ? x1 - x0 : 1) << 16);
	tiles_set32(to + 4, item->srcloc);
	tiles_set32(to + 8, item->count);
	tiles_set32(to + 12, item->index);
}

/* An open zone reaches to the end of the trace so far. */
static bool open_item(struct view_call *c, uint32_t number, const struct trace_strip *s,
		      struct trace_lod_item *item)
{
	const struct trace_open_zone *z = lane_open_zone(c, number);
	uint64_t end = c->trace->end;

	if (!z || z->start >= s->t1 || end <= s->t0 || end < z->start)
		return false;
	*item = (struct trace_lod_item){z->start, end, 1, end - z->start, VIEW_OPEN, z->srcloc};
	return true;
}

/* Zones of a lane. */
static int tiles_zones_find(struct view_call *c, void *context, uint32_t number,
			    struct trace_strip *strip)
{
	uint32_t lane = lane_place(c, number);
	struct trace_lod_item open;
	int r = lane != TRACE_NONE ? trace_lod_strip(c->lod, lane, strip) : 0;

	(void)context;
	return r == 0 && open_item(c, number, strip, &open) ? trace_strip_add(strip, &open) : r;
}

static int tiles_lane_put(struct tile *t, uint32_t number, struct buf *out)
{
	int r;

	trace_strip_clear(&t->strip);
	r = t->find(t->c, t->context, number, &t->strip);
	if (r < 0)
		return r;
	tiles_put32(out, number);
	if (!t->strip.any) {
		tiles_put32(out, EMPTY);
		return 0;
	}
	tiles_put32(out, t->strip.count);
	strip_put(t, out);
	if (buf_reserve(out, t->strip.count * RECT) >= 0) {
		for (size_t i = 0; i < t->strip.count; i++)
			rect_put(&t->strip, &t->strip.items[i],
				 (uint8_t *)out->data + out->len + i * RECT);
		out->len += t->strip.count * RECT;
	}
	return 0;
}

/* Where tile I of 2^RES ns per pixel lies. */
static int tile_place(struct view_call *c, uint64_t res, uint64_t i, uint64_t *t0, uint64_t *t1)
{
	uint64_t ns = (uint64_t)VIEW_TILE << res;

	if (i >= (1ull << 62) / ns)
		return call_fail(c, VIEW_BAD, "i is beyond the end of time");
	*t0 = trace_ticks(c->trace, (int64_t)(i * ns));
	*t1 = trace_ticks(c->trace, (int64_t)((i + 1) * ns));
	if (*t1 <= *t0)
		*t1 = *t0 + 1;
	return 0;
}

int arg_tile(struct view_call *c, uint64_t *t0, uint64_t *t1)
{
	uint64_t res, i;
	int r = arg_need(c, "res", VIEW_RES_MAX, &res);

	if (r == 0)
		r = arg_need(c, "i", INT64_MAX, &i);
	return r < 0 ? r : tile_place(c, res, i, t0, t1);
}

static int tiles_pack(struct buf *body)
{
	uLongf len = compressBound(body->len);
	struct buf packed = BUF_INIT;

	if (buf_reserve(&packed, len) < 0)
		return TACHO_ENOMEM;
	if (compress2((Bytef *)packed.data, &len, (const Bytef *)body->data, body->len, 1) !=
	    Z_OK) {
		buf_free(&packed);
		return TACHO_ENOMEM;
	}
	packed.len = len;
	buf_free(body);
	*body = packed;
	return 0;
}

int answer_deflate(struct view_call *c)
{
	static const char *const encodings[] = {"raw", "deflate", NULL};
	int encoding = 0, r = arg_choice(c, "enc", encodings, &encoding);

	if (r >= 0 && encoding) {
		r = tiles_pack(&c->answer->body);
		c->answer->deflate = true;
	}
	return r < 0 ? r : 0;
}

/*
 * The number of a trace may mean another one in a later server, so only a request that names the
 * trace itself (v=TAG) may be cached without revalidation.
 */
void answer_cache(struct view_call *c, uint64_t end)
{
	const char *tag = query_get(c->query, "v");
	bool still = tag && !strcmp(tag, c->tag) && (!c->live || end < c->trace->end);

	snprintf(c->answer->version, sizeof(c->answer->version), "%s-%llx", c->tag,
		 (unsigned long long)c->gen);
	c->answer->still = still;
}

static int tile_put(struct tile *t, uint64_t res, uint64_t i, const uint32_t *lanes, size_t count)
{
	struct buf *out = &t->c->answer->body;
	int r = tile_place(t->c, res, i, &t->strip.t0, &t->strip.t1);

	if (r < 0)
		return r;
	t->strip.on_grid = true;
	t->strip.res = (uint32_t)res;
	t->strip.pixel = i * VIEW_TILE;
	/* Allocates all at once: growing step by step would copy too much. */
	if (buf_reserve(out, 12 + count * (8 + 3 * VIEW_TILE + 16 * RECT)) < 0)
		return TACHO_ENOMEM;
	tiles_put32(out, MAGIC);
	tiles_put32(out, t->c->gen);
	tiles_put32(out, count);
	for (size_t k = 0; r == 0 && k < count; k++)
		r = tiles_lane_put(t, lanes[k], out);
	return r;
}

/* Adjacent tiles share an answer: a request costs both sides more than a tile. */
static int tiles_put(struct tile *t, const uint32_t *lanes, size_t count)
{
	struct view_call *c = t->c;
	uint64_t res, first, last;
	int r = arg_need(c, "res", VIEW_RES_MAX, &res);

	if (r == 0)
		r = arg_span(c, "i", &first, &last);
	if (r < 0)
		return r;
	if (last - first >= VIEW_LANE_TILES / count)
		return call_fail(c, VIEW_BAD, "more than %u tiles of lanes", VIEW_LANE_TILES);
	for (uint64_t i = first; r == 0 && i <= last; i++)
		r = tile_put(t, res, i, lanes, count);
	if (r < 0)
		return r;
	c->answer->type = VIEW_BINARY;
	answer_cache(c, t->strip.t1);
	return answer_deflate(c);
}

int tiles_answer(struct view_call *c, tile_find *find, void *context)
{
	struct tile *t = calloc(1, sizeof(*t));
	uint32_t lanes[VIEW_LANES];
	size_t count;
	int r = t ? arg_numbers(c, "lanes", LIMIT_TRACKS, lanes, VIEW_LANES, &count) : TACHO_ENOMEM;

	if (r == 0 || (r > 0 && count == 0))
		r = call_fail(c, VIEW_BAD, "lanes is missing");
	if (r > 0) {
		t->c = c;
		t->find = find;
		t->context = context;
		t->strip = (struct trace_strip){.width = VIEW_TILE,
						.wide = WIDE,
						.busy = t->busy,
						.lead = t->lead,
						.name = t->name};
		r = tiles_put(t, lanes, count);
	}
	if (t)
		free(t->strip.items);
	free(t);
	return r;
}

int call_tiles(struct view_call *c)
{
	return tiles_answer(c, tiles_zones_find, NULL);
}
