/* SPDX-License-Identifier: Apache-2.0 */
/* What is visible of a lane: a walk down its pyramid. */
#include "trace/lod.h"
#include "trace/strip.h"

struct query {
	struct trace_lod *lod;
	struct lod_levels levels;
	uint32_t lane;
	uint64_t t0, t1;
	uint32_t width;
	uint64_t pixel;  /* least duration that is not smaller than a pixel */
	double per_tick; /* pixels */
	int shift;       /* of a width that is a power of two; else -1 */

	struct trace_lod_item item; /* small ones that are being merged; count 0: none */
	uint64_t item_longest;
	uint64_t item_limit; /* what starts from here on is in the next pixel */
	struct trace_lod_item **items;
	size_t *count, *cap;

	struct trace_strip *strip; /* instead of items */
	uint64_t strip_busy;       /* ticks in pixel STRIP_PIXEL that are not in the strip yet */
	uint64_t strip_limit;      /* what ends up to here and starts before is in that pixel */
	uint32_t strip_pixel;
	double per_pixel; /* ticks */

	struct zblock *block;          /* that holds the zones read last */
	const struct segment *segment; /* of that block */
};

/* ----------------------------------------------------------------- items */

static int item_push(struct query *q, const struct trace_lod_item *item)
{
	if (*q->count == *q->cap &&
	    vec_grow((void **)q->items, q->cap, *q->count + 1, sizeof(*item)) < 0)
		return TACHO_ENOMEM;
	(*q->items)[(*q->count)++] = *item;
	return 0;
}

static int item_flush(struct query *q)
{
	int r = q->item.count ? item_push(q, &q->item) : 0;

	q->item.count = 0;
	return r;
}

/* The first tick of pixel I, for a width that is a power of two. */
static inline uint64_t pixel_start(const struct query *q, uint64_t i)
{
	return (i * (q->t1 - q->t0) + q->width - 1) >> q->shift;
}

/*
 * The first tick of the pixel after the one that holds T. Divisions are most of the cost of an
 * item: for the usual widths the pixel is guessed and its neighbours are tried. 128 bits only when
 * needed.
 */
static uint64_t pixel_limit(const struct query *q, uint64_t t)
{
	uint64_t span = q->t1 - q->t0, at = t < q->t0 ? 0 : t - q->t0;
	unsigned __int128 wide;

	if (q->shift >= 0 && span <= 1ull << 40) {
		uint64_t pixel = (uint64_t)((double)at * q->per_tick) + 1;

		if (pixel_start(q, pixel) <= at)
			pixel++;
		else if (pixel_start(q, pixel - 1) > at)
			pixel--;
		return q->t0 + pixel_start(q, pixel);
	}
	if (span <= UINT64_MAX / (q->width + 1ull)) {
		uint64_t pixel = at * q->width / span + 1;

		return q->t0 + (pixel * span + q->width - 1) / q->width;
	}
	wide = (unsigned __int128)at * q->width / span + 1;
	return q->t0 + (uint64_t)((wide * span + q->width - 1) / q->width);
}

static void strip_flush(struct query *q)
{
	if (q->strip_busy)
		q->strip->busy[q->strip_pixel] +=
			(float)((double)(int64_t)q->strip_busy * q->per_tick);
	q->strip_busy = 0;
}

/* True if the next zone of the lane lies in the pixel of the last one: it is summed up then. */
static inline bool strip_joins(const struct query *q, uint64_t start, uint64_t end)
{
	return end <= q->strip_limit && start < q->strip_limit;
}

/* Other zones go to the strip, and the pixel that they end in is the next to be summed up. */
static void strip_take(struct query *q, uint64_t start, uint64_t end, uint64_t busy)
{
	struct trace_strip *s = q->strip;
	uint32_t pixel;

	strip_flush(q);
	strip_small(s, q->per_tick, start, end, busy);
	pixel = (uint32_t)strip_place(s, q->per_tick, end);
	q->strip_pixel = pixel;
	q->strip_limit =
		pixel < s->width ? s->t0 + (uint64_t)((double)(pixel + 1) * q->per_pixel) : 0;
	/* A pixel in which something ends is touched, but for its very first tick. */
	if (pixel < s->width && s->busy[pixel] == 0)
		q->strip_limit = 0;
}

/* Several zones that are smaller than a pixel together. They join what starts in the same pixel. */
static inline int take_small(struct query *q, uint64_t start, uint64_t end, uint64_t count,
			     uint64_t busy, uint64_t longest, uint64_t index)
{
	struct trace_lod_item *item = &q->item;
	int r;

	if (q->strip) {
		if (strip_joins(q, start, end))
			q->strip_busy += busy;
		else
			strip_take(q, start, end, busy);
		return 0;
	}
	if (item->count && start < q->item_limit) {
		item->end = end;
		item->count += count;
		item->busy += busy;
		if (longest > q->item_longest) {
			q->item_longest = longest;
			item->index = index;
		}
		return 0;
	}
	r = item_flush(q);
	*item = (struct trace_lod_item){start, end, count, busy, index, TRACE_NONE};
	q->item_longest = longest;
	q->item_limit = pixel_limit(q, start);
	return r;
}

/* ----------------------------------------------------------------- zones */

/* The segment of the lane that holds zone number ZONE. */
static const struct segment *lod_query_segment_of(const struct query *q, uint64_t zone)
{
	const struct lane *l = q->lod->p->trace.lanes[q->lane].private;
	size_t low = 0, high = l->segments.n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (l->segments.v[middle].zone <= zone)
			low = middle;
		else
			high = middle;
	}
	return &l->segments.v[low];
}

static int block_load(struct query *q, uint64_t zone, uint32_t columns)
{
	struct trace_private *p = q->lod->p;
	const struct lane *lane = p->trace.lanes[q->lane].private;
	int r;

	if (q->block && zone - q->segment->zone < q->segment->count &&
	    !(columns & ~q->block->columns & (q->block->bad ? 0 : ~0u)))
		return 0;
	zblock_put(p, q->block);
	q->block = NULL;
	q->segment = lod_query_segment_of(q, zone);
	r = zblock_get(p, q->segment->offset, columns, &q->block);
	if (r == 0)
		zblock_of_lane(q->block, lane->segments.n);
	return r;
}

static bool zone_outside(const struct query *q, uint64_t start, uint64_t end)
{
	return start >= q->t1 || (end <= q->t0 && start < q->t0);
}

/* A zone that is not smaller than a pixel. */
static int take_single(struct query *q, uint64_t start, uint64_t end, uint64_t number,
		       uint32_t srcloc)
{
	struct trace_lod_item single = {start, end, 1, end - start, number, srcloc};
	int r;

	if (srcloc >= q->lod->p->trace.srcloc_count)
		single.srcloc = TRACE_NONE;
	if (q->strip)
		return strip_single(q->strip, q->per_tick, start, end, number, single.srcloc);
	r = item_flush(q);
	return r < 0 ? r : item_push(q, &single);
}

static int lod_zone_take(struct query *q, uint64_t number, uint32_t at, uint32_t *columns)
{
	uint64_t start = q->block->start[at], end = q->block->end[at];
	int r;

	if (zone_outside(q, start, end))
		return 0;
	if (end - start < q->pixel)
		return take_small(q, start, end, 1, end - start, end - start, number);
	*columns |= ZBLOCK_SRCLOCS;
	r = block_load(q, number, *columns);
	if (r < 0 || q->block->bad)
		return r;
	return take_single(q, start, end, number, q->block->srcloc[at]);
}

/* COUNT zones from number FIRST on, one by one. COLUMNS says what their blocks are needed for. */
static int take_zones(struct query *q, uint64_t first, uint64_t count, uint32_t columns)
{
	uint64_t end = first + count;
	int r = 0;

	while (r == 0 && first < end) {
		const struct segment *s;
		uint64_t base, stop;

		r = block_load(q, first, columns);
		if (r < 0)
			break;
		s = q->segment;
		base = s->zone;
		stop = base + s->count < end ? base + s->count : end;
		if (!segment_fits(s, q->block)) {
			first = stop; /* a damaged block */
			continue;
		}
		for (; r == 0 && first < stop && !q->block->bad; first++)
			r = lod_zone_take(q, first, s->first + (uint32_t)(first - base), &columns);
	}
	return r;
}

/* Zones [FIRST, LAST) of the block that is loaded, of one leaf; *END is that of the zone before. */
static inline int zones_run(struct query *q, uint64_t first, uint64_t last, uint64_t *end)
{
	const struct peek_column *c = q->block->peek.columns;
	uint32_t at = q->segment->first + (uint32_t)(first - q->segment->zone);
	uint64_t gap[LOD_ZONES], duration[LOD_ZONES];
	uint32_t n = (uint32_t)(last - first);
	int r = 0;

	peek_run(&c[PEEK_GAP], at, n, gap);
	peek_run(&c[PEEK_DURATION], at, n, duration);
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		uint64_t start = *end + gap[i];

		*end = start + duration[i];
		/* An overflow is damage or an attack, and must not become a long zone. */
		if (*end < start || zone_outside(q, start, *end))
			continue;
		if (*end - start < q->pixel)
			r = take_small(q, start, *end, 1, *end - start, *end - start, first + i);
		else
			r = take_single(q, start, *end, first + i,
					(uint32_t)peek_at(&c[PEEK_SRCLOC], at + i));
	}
	return r;
}

/*
 * Zones of a leaf, whose first one begins at START, without decoding their blocks: from each zone
 * to the next. Where that cannot be done they are decoded.
 */
static int peek_zones(struct query *q, uint64_t first, uint64_t count, uint64_t start, bool names)
{
	uint32_t columns = ZBLOCK_PEEK_TIMES | (names ? ZBLOCK_PEEK_SRCLOCS : 0);
	uint64_t last = first + count;
	int r = 0;

	while (r == 0 && first < last) {
		const struct segment *s;
		uint64_t stop, end;

		r = block_load(q, first, columns);
		if (r < 0)
			break;
		s = q->segment;
		if (q->block->no_peek || !segment_fits(s, q->block))
			return take_zones(q, first, last - first, ZBLOCK_TIMES);
		/* The gap of the first of a segment is 0; where the first of the leaf begins is
		 * known. */
		if (first == s->zone)
			end = s->start;
		else
			end = start - peek_at(&q->block->peek.columns[PEEK_GAP],
					      s->first + (uint32_t)(first - s->zone));
		stop = s->zone + s->count < last ? s->zone + s->count : last;
		r = zones_run(q, first, stop, &end);
		first = stop;
	}
	return r;
}

/* ----------------------------------------------------------------- nodes */

/*
 * Whether a node in view is taken as a whole; WIDEST is how wide it may be. Narrower than a pixel,
 * or each pixel that it touches has something in it and no zone is to be shown singly; but then it
 * must not reach over the edge of the view.
 */
static inline bool taken_whole(const struct query *q, uint64_t start, uint64_t end, uint64_t busy,
			       uint64_t longest, uint64_t widest)
{
	if (end == q->t0) /* it may have a zone of no length there, which is in view */
		return false;
	if (end - start < q->pixel)
		return true;
	return end - start <= widest && longest < q->pixel && end - start - busy < q->pixel &&
	       start >= q->t0 && end <= q->t1;
}

/* NAMES: zones near it are wide enough to need their source locations. */
static int visit_leaf(struct query *q, const struct lod_leaf *leaf, uint64_t base, uint64_t zone,
		      bool names)
{
	uint64_t start = base + leaf->start, end = base + leaf->end;
	uint32_t zones = (leaf->longest & 7) + 1, longest = leaf->longest >> 6;

	if (longest == LEAF_WIDE)
		return take_zones(q, zone, zones, ZBLOCK_TIMES);
	if (start >= q->t1 || end < q->t0)
		return 0;
	if (zones == 1 && zone_outside(q, start, end))
		return 0;
	if (zones == 1 && end - start >= q->pixel)
		return take_single(q, start, end, zone, leaf->busy);
	if (zones == 1)
		return take_small(q, start, end, 1, end - start, end - start, zone);
	if (taken_whole(q, start, end, leaf->busy, longest, UINT64_MAX))
		return take_small(q, start, end, zones, leaf->busy, longest,
				  zone + (leaf->longest >> 3 & 7));
	return peek_zones(q, zone, zones, start, names);
}

/* Sums up leaves from LEAF on that lie in the pixel of what came before; the first that does not.
 */
static const struct lod_leaf *leaves_join(struct query *q, const struct lod_leaf *leaf,
					  const struct lod_leaf *last, uint64_t base,
					  uint64_t *zone)
{
	uint64_t room = q->strip_limit > base ? q->strip_limit - base : 0, busy = 0;
	uint32_t limit = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX, zones = 0;

	for (; leaf < last && leaf->end <= limit && leaf->start < limit &&
	       leaf->longest >> 6 != LEAF_WIDE;
	     leaf++) {
		busy += leaf->longest & 7 ? leaf->busy : leaf->end - leaf->start;
		zones += (leaf->longest & 7) + 1;
	}
	q->strip_busy += busy;
	*zone += zones;
	return leaf;
}

/* The first leaf from LEAF on that does not end before the view, or LAST. */
static const struct lod_leaf *leaves_skip(const struct query *q, const struct lod_leaf *leaf,
					  const struct lod_leaf *last, uint64_t base,
					  uint64_t *zone)
{
	uint32_t t0;
	uint64_t ticks = q->t0 > base ? q->t0 - base : 0;

	/* A time as leaves have it. */
	t0 = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
	for (; leaf < last && leaf->end < t0 && leaf->longest >> 6 != LEAF_WIDE; leaf++)
		*zone += (leaf->longest & 7) + 1;
	return leaf;
}

static int visit_leaves(struct query *q, const struct lod_node *node, uint64_t parent)
{
	const struct lod_level *l = &q->levels.leaves;
	uint64_t zone = node->first >> 24, first = parent * LOD_LEAVES, count = LOD_LEAVES;
	const struct lod_leaf *leaf, *last;
	struct lod_leaf scratch[LOD_LEAVES];
	bool names = node->longest >= q->pixel;
	int r = 0;

	if (first >= l->count)
		return 0;
	count = count < l->count - first ? count : l->count - first;
	leaf = lod_at(q->lod, l->pages, l->at + first * sizeof(*leaf), count * sizeof(*leaf),
		      scratch);
	if (!leaf)
		return q->lod->error;
	last = leaf + count;
	leaf = leaves_skip(q, leaf, last, node->start, &zone);
	while (r == 0) {
		uint32_t zones;

		leaf = leaves_join(q, leaf, last, node->start, &zone);
		if (leaf >= last)
			break;
		if (node->start + leaf->start >= q->t1 && leaf->longest >> 6 != LEAF_WIDE)
			break;
		zones = (leaf->longest & 7) + 1;
		if (zone + zones > q->levels.zones) /* a damaged index */
			break;
		r = visit_leaf(q, leaf++, node->start, zone, names);
		zone += zones;
	}
	return r;
}

/* The longest zone of a node that is too far from its first to be noted: down to where it is. */
static int longest_find(struct query *q, struct lod_node node, unsigned level, uint64_t i,
			uint64_t *zone)
{
	while (level > 0 && (node.first & NODE_FAR) == NODE_FAR) {
		const struct lod_level *l = &q->levels.nodes[--level];
		uint64_t first = i * LOD_FAN, last = first + LOD_FAN;
		struct lod_node scratch[LOD_FAN];
		const struct lod_node *nodes;

		last = last < l->count ? last : l->count;
		if (first >= last)
			return TACHO_EDAMAGED;
		nodes = lod_nodes(q->lod, l, first, last, scratch);
		if (!nodes)
			return q->lod->error;
		for (i = first; i + 1 < last && nodes[i - first].longest != node.longest; i++)
			;
		node = nodes[i - first];
	}
	*zone = (node.first >> 24) + (node.first & NODE_FAR);
	return 0;
}

/* A node that is too small to be seen by itself. Strips need neither its count nor its longest.
 * NEXT is the zone after its last. */
static inline int take_node(struct query *q, const struct lod_node *n, unsigned level, uint64_t i,
			    uint64_t next)
{
	uint64_t longest = 0;
	int r;

	if (q->strip)
		return take_small(q, n->start, n->end, 0, n->busy, 0, 0);
	r = longest_find(q, *n, level, i, &longest);
	return r < 0 ? r
		     : take_small(q, n->start, n->end, next - (n->first >> 24), n->busy, n->longest,
				  longest);
}

/* Nodes [first, last) of a level, at most LOD_FAN of them. */
static int lod_query_visit(struct query *q, unsigned level, uint64_t first, uint64_t last)
{
	const struct lod_level *l = &q->levels.nodes[level];
	struct lod_node scratch[LOD_FAN + 1];
	const struct lod_node *n;
	uint64_t i = first;
	bool more;
	int r = 0;

	last = last < l->count ? last : l->count;
	if (first >= last)
		return 0;
	more = last < l->count; /* the one after the last says where that ends */
	n = lod_nodes(q->lod, l, first, last + more, scratch);
	if (!n)
		return q->lod->error;
	for (; i < last && n->end < q->t0; i++)
		n++;
	for (; r == 0 && i < last; i++, n++) {
		if (strip_joins(q, n->start, n->end)) {
			q->strip_busy += n->busy;
			continue;
		}
		if (n->start >= q->t1)
			break;
		if (taken_whole(q, n->start, n->end, n->busy, n->longest, 2 * q->pixel))
			r = take_node(q, n, level, i,
				      i + 1 < l->count ? n[1].first >> 24 : q->levels.zones);
		else if (level == 0)
			r = visit_leaves(q, n, i);
		else
			r = lod_query_visit(q, level - 1, i * LOD_FAN, (i + 1) * LOD_FAN);
	}
	return r;
}

static int lod_query_run(struct query *q)
{
	struct trace_lod *lod = q->lod;
	uint32_t width = q->width;
	uint64_t span = q->t1 - q->t0;
	int r = 0;

	if (q->lane >= lod->p->trace.lane_count || q->t1 <= q->t0 || !width)
		return TACHO_EINTERNAL;
	q->per_tick = (double)width / (double)span;
	q->per_pixel = (double)span / (double)width;
	q->shift = (width & (width - 1)) == 0 && width <= 1u << 20 ? __builtin_ctz(width) : -1;
	q->pixel = span / width + (span % width != 0);
	lod_levels_of(lod, q->lane, &q->levels);
	if (q->levels.levels) {
		unsigned top = q->levels.levels - 1;

		r = lod_query_visit(q, top, 0, 1);
	}
	if (q->strip)
		strip_flush(q);
	else if (r == 0)
		r = item_flush(q);
	zblock_put(lod->p, q->block);
	return r;
}

/* Between queries nothing points into the index. */
static int query_prepare(struct trace_lod *lod)
{
	lod_trim(lod);
	return lod->damaged ? trace_lod_refresh(lod, NULL) : 0;
}

int trace_lod_query(struct trace_lod *lod, uint32_t lane, uint64_t t0, uint64_t t1, uint32_t width,
		    struct trace_lod_item **items, size_t *count, size_t *cap)
{
	struct query q = {.lod = lod,
			  .lane = lane,
			  .t0 = t0,
			  .t1 = t1,
			  .width = width,
			  .items = items,
			  .count = count,
			  .cap = cap};
	int r = query_prepare(lod);

	return r < 0 ? r : lod_query_run(&q);
}

int trace_lod_strip(struct trace_lod *lod, uint32_t lane, struct trace_strip *strip)
{
	struct query q = {.lod = lod,
			  .lane = lane,
			  .t0 = strip->t0,
			  .t1 = strip->t1,
			  .width = strip->width,
			  .strip = strip};
	int r = query_prepare(lod);

	if (r < 0)
		return r;
	if (!strip_fits(strip))
		return TACHO_EINTERNAL;
	return lod_rows_strip(lod, lane, strip) ? 0 : lod_query_run(&q);
}
