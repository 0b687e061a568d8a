/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: lanes, and the zone blocks made of them. */
#include "base/limits.h"
#include "trace/segment.h"
#include "trace/writer.h"

#define LANE_FIRST  64u        /* zones of a lane's first buffer */
#define LANE_ALONE  2048u      /* zones that are worth a block of their own when all is flushed */
#define LANE_TEXT   (1u << 20) /* bytes of texts that make a block full */
#define LANE_EXTRAS 32768u     /* and as many attachments */
#define EXTRAS_MAX  (1u << 20) /* attachments of one zone that are kept */
#define ZONE_BYTES  (3 * sizeof(uint32_t))

/*
 * Full buffers of several lanes grow in step, and their columns would all begin at the same place
 * of a page: more than a level 1 cache holds of one place. So columns are this many numbers apart,
 * and those of each depth begin on a cache line of their own.
 */
#define LANE_SHIFT 256u
#define LANE_LINE  16u /* numbers of a cache line */

void lane_free(struct trace_lane *lane)
{
	if (!lane)
		return;
	free(lane->memory);
	if (lane->extras) {
		vec_free(&lane->extras->gaps);
		vec_free(&lane->extras->durations);
		vec_free(&lane->extras->extras);
		vec_free(&lane->extras->flags);
		buf_free(&lane->extras->text);
		free(lane->extras);
	}
	free(lane->recursive);
	free(lane);
}

static struct trace_lane *lane_new(struct writer_track *t, uint32_t track)
{
	struct trace_lane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->track = track;
	lane->depth = (uint32_t)t->lanes.n;
	return t->lanes.v[t->lanes.n++] = lane;
}

struct trace_lane *trace_lane(struct trace_writer *w, uint32_t track, uint32_t depth)
{
	struct writer_track *t;

	if (track >= w->track_count || depth >= LIMIT_ZONE_DEPTH)
		return NULL;
	t = &w->tracks.v[track];
	if (vec_reserve(&t->lanes, depth + 1) < 0)
		return NULL;
	while (t->lanes.n <= depth)
		if (!lane_new(t, track))
			return NULL;
	return t->lanes.v[depth];
}

/* ------------------------------------------------------------ zone blocks */

static void add_flags(struct trace_writer *w, struct trace_lane **lanes, size_t count)
{
	uint32_t first = 0, last = 0;
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += lanes[i]->extras ? lanes[i]->extras->flags.n : 0;
	add_varint(&w->payload, total);
	for (size_t i = 0; total && i < count; first += lanes[i++]->n) {
		const struct lane_extras *x = lanes[i]->extras;

		for (size_t k = 0; x && k < x->flags.n; k++) {
			add_varint(&w->payload, first + x->flags.v[k].zone - last);
			add_varint(&w->payload, x->flags.v[k].flags);
			last = first + x->flags.v[k].zone;
		}
	}
}

/* Number, entries (zone minus the last one's, kind, value or length), then all texts. */
static void lane_extras_add(struct trace_writer *w, struct trace_lane **lanes, size_t count)
{
	struct buf b = BUF_INIT;
	uint32_t first = 0, last = 0;
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += lanes[i]->extras ? lanes[i]->extras->extras.n : 0;
	add_varint(&w->payload, total);
	if (!total)
		return;
	for (size_t i = 0; i < count; first += lanes[i++]->n) {
		const struct lane_extras *x = lanes[i]->extras;

		for (size_t k = 0; x && k < x->extras.n; k++) {
			add_varint(&b, first + x->extras.v[k].zone - last);
			add_varint(&b, x->extras.v[k].kind);
			add_varint(&b, x->extras.v[k].value);
			last = first + x->extras.v[k].zone;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (lanes[i]->extras)
			buf_add(&b, lanes[i]->extras->text.data, lanes[i]->extras->text.len);
	pack_string(w->packer, b.data, b.len, &w->payload);
	w->payload.failed |= b.failed;
	buf_free(&b);
}

/* A bit for each zone, if any zone has one; then nothing follows. */
static void add_recursive(struct trace_writer *w, struct trace_lane **lanes, size_t count, size_t n)
{
	uint8_t bits[BLOCK_ITEMS / 8] = {0};
	uint32_t first = 0, total = 0;

	for (size_t i = 0; i < count; first += lanes[i++]->n) {
		const struct trace_lane *lane = lanes[i];

		for (uint32_t k = 0; count > 1 && lane->recursive_count && k < lane->n; k++)
			if (lane->recursive[k / 8] >> k % 8 & 1)
				bits[(first + k) / 8] |= (uint8_t)(1u << (first + k) % 8);
		total += lane->recursive_count;
	}
	if (total)
		pack_string(w->packer, count > 1 ? bits : lanes[0]->recursive, (n + 7) / 8,
			    &w->payload);
}

static void lane_shrink(struct trace_writer *w, struct trace_lane *lane)
{
	w->buffered -= lane->cap * ZONE_BYTES;
	free(lane->memory);
	lane->memory = NULL;
	lane->cap = 0;
}

static void lane_emptied(struct trace_writer *w, struct trace_lane *lane)
{
	lane->n = 0;
	if (lane->extras) {
		lane->extras->gaps.n = 0;
		lane->extras->durations.n = 0;
		lane->extras->extras.n = 0;
		lane->extras->flags.n = 0;
		buf_reset(&lane->extras->text);
	}
	if (lane->recursive_count)
		memset(lane->recursive, 0, BLOCK_ITEMS / 8);
	lane->recursive_count = 0;
	if (w->crowded) {
		lane_shrink(w, lane);
		free(lane->recursive);
		lane->recursive = NULL;
	}
}

/* The zones of one block: those of a lane, or copies of those of several. */
struct columns {
	uint32_t *gap, *duration, *srcloc;
	struct {
		VEC(struct wide);
	} gaps, durations;
};

static int wide_join(struct columns *c, const struct trace_lane *lane, uint32_t first)
{
	const struct lane_extras *x = lane->extras;
	int r = 0;

	for (size_t i = 0; x && r == 0 && i < x->gaps.n; i++)
		r = vec_push(&c->gaps,
			     ((struct wide){first + x->gaps.v[i].at, x->gaps.v[i].value}));
	for (size_t i = 0; x && r == 0 && i < x->durations.n; i++)
		r = vec_push(&c->durations, ((struct wide){first + x->durations.v[i].at,
							   x->durations.v[i].value}));
	return r;
}

static int lanes_join(struct columns *c, struct trace_lane **lanes, size_t count)
{
	uint32_t at = 0;
	int r = 0;

	c->gap = malloc(BLOCK_ITEMS * ZONE_BYTES);
	if (!c->gap)
		return TACHO_ENOMEM;
	c->duration = c->gap + BLOCK_ITEMS;
	c->srcloc = c->duration + BLOCK_ITEMS;
	for (size_t i = 0; i < count && r == 0; at += lanes[i++]->n) {
		memcpy(c->gap + at, lanes[i]->gap, lanes[i]->n * sizeof(*c->gap));
		memcpy(c->duration + at, lanes[i]->duration, lanes[i]->n * sizeof(*c->gap));
		memcpy(c->srcloc + at, lanes[i]->srcloc, lanes[i]->n * sizeof(*c->gap));
		r = wide_join(c, lanes[i], at);
	}
	return r;
}

/* Each column has its length in front, so that a reader can pass over those it does not need. */
static void lane_column_add(struct trace_writer *w, const uint32_t *v, size_t n,
			    const struct wide *wide, size_t wide_count)
{
	size_t begin = w->payload.len + 4;

	buf_add(&w->payload, "\0\0\0", 4);
	pack_column32(w->packer, v, n, wide, wide_count, &w->payload);
	if (!w->payload.failed)
		le_put32(w->payload.data + begin - 4, (uint32_t)(w->payload.len - begin));
}

static int lane_columns_add(struct trace_writer *w, struct trace_lane **lanes, size_t count,
			    size_t n)
{
	struct columns c = {lanes[0]->gap, lanes[0]->duration, lanes[0]->srcloc, {0}, {0}};
	int r = count > 1 ? lanes_join(&c, lanes, count) : wide_join(&c, lanes[0], 0);

	if (r == 0) {
		lane_column_add(w, c.gap, n, c.gaps.v, c.gaps.n);
		lane_column_add(w, c.duration, n, c.durations.v, c.durations.n);
		lane_column_add(w, c.srcloc, n, NULL, 0);
	}
	vec_free(&c.gaps);
	vec_free(&c.durations);
	if (count > 1)
		free(c.gap);
	return r;
}

/* One block of all that COUNT lanes hold; together at most BLOCK_ITEMS zones. */
static int lanes_write(struct trace_writer *w, struct trace_lane **lanes, size_t count)
{
	struct segment *s = calloc(count, sizeof(*s));
	uint64_t offset = 0;
	uint32_t n = 0;
	int r = s ? writer_next_offset(w, &offset) : writer_no_memory(w);

	for (size_t i = 0; r == 0 && i < count; n += lanes[i++]->n) {
		s[i] = (struct segment){.offset = offset,
					.track = lanes[i]->track,
					.depth = lanes[i]->depth,
					.first = n,
					.count = lanes[i]->n,
					.start = lanes[i]->start,
					.end = lanes[i]->end};
	}
	if (r == 0) {
		buf_reset(&w->payload);
		directory_add(&w->payload, w->srcloc_count, s, count);
		if (lane_columns_add(w, lanes, count, n) < 0)
			w->payload.failed = true;
		add_flags(w, lanes, count);
		lane_extras_add(w, lanes, count);
		add_recursive(w, lanes, count, n);
		r = w->payload.failed
			    ? writer_no_memory(w)
			    : writer_block(w, BLOCK_ZONES, w->payload.data, w->payload.len, false);
	}
	for (size_t i = 0; r == 0 && i < count; i++)
		index_add(w, BLOCK_ZONES, offset, &s[i]);
	for (size_t i = 0; i < count; i++)
		lane_emptied(w, lanes[i]);
	free(s);
	return r;
}

/* Writes a lane that is worth a block, or puts it to the small ones that wait for a common one. */
static int lane_flush(struct trace_writer *w, struct trace_lane *lane, size_t *zones)
{
	uint32_t items = block_items(w->zones, BLOCK_ITEMS);
	int r = 0;

	if (lane->n >= LANE_ALONE || lane->n >= items)
		return lanes_write(w, &lane, 1);
	if (*zones + lane->n > items) {
		r = lanes_write(w, w->small.v, w->small.n);
		w->small.n = *zones = 0;
	}
	if (vec_push(&w->small, lane) < 0)
		return writer_no_memory(w);
	*zones += lane->n;
	return r;
}

int lanes_flush(struct trace_writer *w)
{
	size_t zones = 0, kept = 0;
	int r = w->error.code;

	w->crowded = w->buffered + w->extra_bytes > w->options.memory / 2;
	w->small.n = 0;
	for (size_t i = 0; i < w->holders.n && r == 0; i++) {
		struct trace_lane *lane = w->holders.v[i];

		/* One that got nothing since the last flush gives its buffer back. */
		if (lane->n)
			r = lane_flush(w, lane, &zones);
		else
			lane_shrink(w, lane);
	}
	if (r == 0 && w->small.n)
		r = lanes_write(w, w->small.v, w->small.n);
	w->crowded = false;
	w->extra_bytes = 0;
	for (size_t i = 0; i < w->holders.n; i++)
		if (w->holders.v[i]->cap)
			w->holders.v[kept++] = w->holders.v[i];
	w->holders.n = kept;
	return r;
}

/* ---------------------------------------------------------------- adding */

static int lane_grow(struct trace_writer *w, struct trace_lane *lane)
{
	uint32_t cap = lane->cap ? lane->cap * 4 : LANE_FIRST, shift;
	uint32_t *memory, *gap, *duration, *srcloc;

	if (cap > BLOCK_ITEMS)
		cap = BLOCK_ITEMS;
	shift = cap == BLOCK_ITEMS ? LANE_SHIFT : 0;
	memory = malloc(cap * ZONE_BYTES + 3 * shift * sizeof(*memory));
	if (!memory || (!lane->cap && vec_push(&w->holders, lane) < 0)) {
		free(memory);
		return writer_no_memory(w);
	}
	gap = memory + (shift ? lane->depth * LANE_LINE % shift : 0);
	duration = gap + cap + shift;
	srcloc = duration + cap + shift;
	if (lane->n) {
		memcpy(gap, lane->gap, lane->n * sizeof(*gap));
		memcpy(duration, lane->duration, lane->n * sizeof(*gap));
		memcpy(srcloc, lane->srcloc, lane->n * sizeof(*gap));
	}
	free(lane->memory);
	w->buffered += (cap - lane->cap) * ZONE_BYTES;
	lane->memory = memory;
	lane->gap = gap;
	lane->duration = duration;
	lane->srcloc = srcloc;
	lane->cap = cap;
	return 0;
}

static int lane_room(struct trace_writer *w, struct trace_lane *lane)
{
	int r = w->error.code;

	if (r == 0 && lane->n && lane->n >= block_items(w->zones, BLOCK_ITEMS))
		return lanes_write(w, &lane, 1);
	if (r == 0 && w->buffered >= w->options.memory)
		r = lanes_flush(w);
	return r < 0 ? r : lane_grow(w, lane);
}

static struct lane_extras *lane_extras(struct trace_lane *lane)
{
	if (!lane->extras) {
		lane->extras = calloc(1, sizeof(*lane->extras));
		if (lane->extras)
			lane->extras->text = (struct buf)BUF_INIT;
	}
	return lane->extras;
}

/* Notes what 32 bits do not hold of the zone at place I. */
static int lane_wide(struct trace_writer *w, struct trace_lane *lane, uint32_t i, uint64_t gap,
		     uint64_t duration)
{
	struct lane_extras *x = lane_extras(lane);

	if (!x || (gap >= WIDE_MARK && vec_push(&x->gaps, ((struct wide){i, gap})) < 0) ||
	    (duration >= WIDE_MARK && vec_push(&x->durations, ((struct wide){i, duration})) < 0))
		return writer_no_memory(w);
	w->extra_bytes += sizeof(struct wide);
	return 0;
}

/* Clips a zone so that it starts after the previous one. */
static void zone_move(struct trace_writer *w, const struct trace_lane *lane, uint64_t *start,
		      uint64_t *end)
{
	if (*start >= lane->end && *end >= *start)
		return;
	if (*start < lane->end)
		*start = lane->end;
	if (*end < *start)
		*end = *start;
	w->moved++;
}

static int lane_zone_add(struct trace_writer *w, struct trace_lane *lane, uint64_t start,
			 uint64_t end, uint32_t srcloc, uint64_t children, uint32_t flags)
{
	int r;
	uint64_t gap, duration;
	uint32_t i;

	if (w->error.code)
		return w->error.code;
	if (srcloc >= w->srcloc_count)
		return writer_fail(w, TACHO_EINTERNAL, "%s: no source location %u", w->part,
				   srcloc);
	zone_move(w, lane, &start, &end);
	/* The gap of a buffer's first zone is not stored: the segment has its start. */
	gap = start - lane->end;
	duration = end - start;
	if (__builtin_expect(lane->n == lane->cap, 0)) {
		r = lane_room(w, lane);
		if (r < 0)
			return r;
	}
	i = lane->n;
	if (__builtin_expect(i == 0, 0)) {
		lane->start = start;
		gap = 0;
	}
	if (__builtin_expect((gap | duration) >= WIDE_MARK, 0)) {
		r = lane_wide(w, lane, i, gap, duration);
		if (r < 0)
			return r;
		gap = gap < WIDE_MARK ? gap : WIDE_MARK;
		duration = duration < WIDE_MARK ? duration : WIDE_MARK;
	}
	lane->gap[i] = (uint32_t)gap;
	lane->duration[i] = (uint32_t)duration;
	lane->srcloc[i] = srcloc;
	lane->n = i + 1;
	lane->end = end;
	w->zones++;
	if (flags & TRACE_ZONE_UNFINISHED)
		w->sums.v[srcloc].unfinished++;
	else
		zone_sums_add(&w->sums.v[srcloc], end - start, children,
			      flags & TRACE_ZONE_RECURSIVE);
	return 0;
}

static int recursive_mark(struct trace_writer *w, struct trace_lane *lane)
{
	uint32_t i = lane->n - 1;

	if (!lane->recursive)
		lane->recursive = calloc(BLOCK_ITEMS / 8, 1);
	if (!lane->recursive)
		return writer_no_memory(w);
	lane->recursive[i / 8] |= (uint8_t)(1u << i % 8);
	lane->recursive_count++;
	return 0;
}

/* Rare cases, out of line, so that the usual path needs no stack. */
static __attribute__((noinline)) int lane_add_slowly(struct trace_writer *w,
						     struct trace_lane *lane, uint64_t start,
						     uint64_t end, uint32_t srcloc,
						     uint64_t children, bool recursive)
{
	int r = lane_zone_add(w, lane, start, end, srcloc, children,
			      recursive ? TRACE_ZONE_RECURSIVE : 0);

	return r == 0 && recursive ? recursive_mark(w, lane) : r;
}

static inline int lane_add_quickly(struct trace_writer *w, struct trace_lane *lane, uint64_t start,
				   uint64_t end, uint32_t srcloc, uint64_t children, bool recursive)
{
	uint64_t gap = start - lane->end, duration = end - start;
	uint32_t i = lane->n;

	/* A difference below zero is a large number. I - 1 is too when the buffer is empty. */
	if (__builtin_expect(gap >= WIDE_MARK || duration >= WIDE_MARK || i - 1 >= lane->cap - 1 ||
				     srcloc >= w->srcloc_count || w->error.code ||
				     (recursive && !lane->recursive),
			     0))
		return lane_add_slowly(w, lane, start, end, srcloc, children, recursive);
	lane->gap[i] = (uint32_t)gap;
	lane->duration[i] = (uint32_t)duration;
	lane->srcloc[i] = srcloc;
	if (recursive) {
		lane->recursive[i / 8] |= (uint8_t)(1u << i % 8);
		lane->recursive_count++;
	}
	lane->n = i + 1;
	lane->end = end;
	w->zones++;
	zone_sums_add(&w->sums.v[srcloc], duration, children, recursive);
	return 0;
}

int trace_lane_add(struct trace_writer *w, struct trace_lane *lane, uint64_t start, uint64_t end,
		   uint32_t srcloc, uint64_t children)
{
	return lane_add_quickly(w, lane, start, end, srcloc, children, false);
}

struct trace_lane_room trace_lane_room(const struct trace_writer *w, const struct trace_lane *lane,
				       uint64_t end)
{
	uint32_t n = lane->n;

	/* The first zone of a buffer has no gap: only trace_lane_add() handles it. */
	if (!n || lane->end != end || w->error.code)
		return (struct trace_lane_room){0};
	return (struct trace_lane_room){lane->gap + n, lane->duration + n, lane->srcloc + n,
					lane->cap - n};
}

void trace_lane_added(struct trace_writer *w, struct trace_lane *lane, uint32_t count, uint64_t end)
{
	const uint32_t *duration = lane->duration + lane->n, *srcloc = lane->srcloc + lane->n;

	for (uint32_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && srcloc[next] == srcloc[i];)
			next++;
		zone_sums_add_leaves(&w->sums.v[srcloc[i]], duration + i, next - i);
	}
	lane->n += count;
	lane->end = end;
	w->zones += count;
}

static int extras_push(struct trace_writer *w, struct lane_extras *x, uint32_t zone, uint32_t flags,
		       const struct trace_extra *extras, size_t count)
{
	int r = 0;

	if (count > EXTRAS_MAX)
		count = EXTRAS_MAX;
	if (flags)
		r = vec_push(&x->flags, ((struct pending_flags){zone, flags}));
	for (size_t i = 0; r == 0 && i < count; i++) {
		bool text = extra_has_text(extras[i].kind);
		size_t room = x->text.len < LIMIT_BLOCK_TEXT ? LIMIT_BLOCK_TEXT - x->text.len : 0;
		size_t len = extras[i].len < room ? extras[i].len : room;
		struct pending_extra e = {zone, extras[i].kind, text ? len : extras[i].value};

		r = vec_push(&x->extras, e);
		if (r == 0 && text)
			r = buf_add(&x->text, extras[i].text, len);
		w->extra_bytes += sizeof(e) + (text ? len : 0);
	}
	return r;
}

int trace_lane_add_full(struct trace_writer *w, struct trace_lane *lane, uint64_t start,
			uint64_t end, uint32_t srcloc, uint64_t children, uint32_t flags,
			const struct trace_extra *extras, size_t count)
{
	int r;

	if (flags == TRACE_ZONE_RECURSIVE && !count)
		return lane_add_quickly(w, lane, start, end, srcloc, children, true);
	r = lane_zone_add(w, lane, start, end, srcloc, children, flags);
	if (r == 0 && flags & TRACE_ZONE_RECURSIVE)
		r = recursive_mark(w, lane);
	flags &= ~TRACE_ZONE_RECURSIVE;
	if (r < 0 || (!flags && !count))
		return r;
	if (!lane_extras(lane) ||
	    extras_push(w, lane->extras, lane->n - 1, flags, extras, count) < 0)
		return writer_no_memory(w);
	if (lane->extras->text.len >= LANE_TEXT || lane->extras->extras.n >= LANE_EXTRAS)
		return lanes_write(w, &lane, 1);
	return w->extra_bytes > w->options.memory ? lanes_flush(w) : 0;
}
