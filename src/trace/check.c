/* SPDX-License-Identifier: Apache-2.0 */
/* Reads every byte of a trace and compares what is there with what the file says of itself. */
#include "base/limits.h"
#include "base/search.h"
#include "trace/rows.h"

#include <stdarg.h>
#include <stdio.h>

struct checker {
	struct trace_private *p;
	struct trace_check *result;
	uint64_t *lane_end;                 /* per lane of the trace: of the last zone seen */
	size_t zone_segments, row_segments; /* found in the blocks */
	uint64_t rows_counted;              /* without those that the recorder made itself */
	struct zone_columns columns;
};

__attribute__((format(printf, 2, 3))) static void fault(struct checker *c, const char *format, ...)
{
	va_list args;

	if (c->result->errors++)
		return;
	va_start(args, format);
	vsnprintf(c->result->first_error, sizeof(c->result->first_error), format, args);
	va_end(args);
}

#define AT(offset) (unsigned long long)(offset)

/* The lane that a segment belongs to, or NULL. */
static const struct trace_lane_info *check_lane_of(const struct trace *t, const struct segment *s)
{
	uint32_t low = 0, high = t->lane_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct trace_lane_info *l = &t->lanes[middle];

		if (l->track < s->track || (l->track == s->track && l->depth < s->depth))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == t->lane_count || t->lanes[low].track != s->track ||
	    t->lanes[low].depth != s->depth)
		return NULL;
	return &t->lanes[low];
}

/* True if the index has the segment that was found in a block. */
static bool check_indexed(const struct trace_lane_info *lane, const struct segment *s)
{
	const struct segment *v = lane->private->segments.v;
	size_t low = 0, count = lane->private->segments.n, high = count;
	struct segment same = *s;

	SEARCH_FIRST(low, high, middle,
		     v[middle].offset < s->offset ||
			     (v[middle].offset == s->offset && v[middle].first < s->first));
	if (low == count)
		return false;
	same.zone = v[low].zone;
	return !memcmp(&v[low], &same, sizeof(same));
}

static void check_segment(struct checker *c, const struct segment *s)
{
	const struct trace_lane_info *lane = check_lane_of(&c->p->trace, s);
	uint64_t *last;

	c->zone_segments++;
	c->result->zones += s->count;
	if (!lane || !check_indexed(lane, s)) {
		fault(c,
		      "the zones of track %u, depth %u in the block at byte %llu are not in the index",
		      s->track, s->depth, AT(s->offset));
		return;
	}
	last = &c->lane_end[lane - c->p->trace.lanes];
	if (c->columns.start[s->first] < *last)
		fault(c, "zones of track %u, depth %u overlap in the block at byte %llu", s->track,
		      s->depth, AT(s->offset));
	*last = s->end;
}

static int check_zones(struct checker *c, const struct block *b)
{
	struct zone_marks marks;
	struct zpayload z;
	struct directory d;
	struct segment s = {0};
	int r = zpayload_read(c->p, b->offset, &z);

	if (r == 0)
		r = zone_columns_room(&c->columns, z.n);
	if (r == 0)
		r = zpayload_times(c->p, &z, c->columns.start, c->columns.end);
	if (r == 0)
		r = zpayload_srclocs(c->p, &z, c->columns.srcloc);
	if (r == 0) {
		r = zpayload_marks(c->p, &z, &marks);
		if (r == 0)
			zone_marks_free(&marks);
	}
	if (r < 0)
		return r;
	directory_read(&z.directory, &d);
	for (uint32_t i = 0; i < d.segments; i++) {
		directory_next(&z.directory, &d, b->offset, &s);
		check_segment(c, &s);
	}
	return 0;
}

static int check_rows(struct checker *c, const struct block *b)
{
	struct rblock *rows;
	struct trace_row row;
	struct directory d;
	struct segment s = {0};
	struct in in;
	int r = block_payload(c->p->unpacker, &c->p->store, b, &c->p->unpacked, &in);

	if (r < 0)
		return r;
	directory_read(&in, &d);
	for (uint32_t i = 0; i < d.segments && !in.bad; i++)
		directory_next(&in, &d, b->offset, &s);
	c->row_segments += d.segments;
	r = rblock_read(c->p, b->offset, &rows);
	if (r < 0)
		return r;
	c->result->rows += rows->n;
	for (uint32_t i = 0; i < rows->n; i++) {
		rblock_row(c->p, rows, i, &row);
		c->rows_counted += row.kind != TRACE_ROW_LOSS && row.kind != TRACE_ROW_NOTE &&
				   row.kind != TRACE_ROW_LATE;
	}
	rblock_put(rows);
	return 0;
}

static int check_block(struct checker *c, const struct block *b)
{
	struct in in;

	c->result->blocks++;
	if (b->type == BLOCK_ZONES)
		return check_zones(c, b);
	if (b->type == BLOCK_ROWS)
		return check_rows(c, b);
	if (b->type == 0 || b->type >= BLOCK_TYPES)
		return 0;
	return block_payload(c->p->unpacker, &c->p->store, b, &c->p->unpacked, &in);
}

static int check_blocks(struct checker *c)
{
	uint64_t size = c->p->trace.file_size, at = FILE_HEADER_SIZE, sequence = 0;
	uint64_t budget = 2 * size + (16u << 20);
	struct block b;
	int r;

	while (at < size) {
		r = block_read(c->p->fd, at, size, &c->p->store, &b);
		if (r == TACHO_EDAMAGED) {
			fault(c, "no whole block at byte %llu", AT(at));
			r = block_resync(c->p->fd, at + 1, size, &budget, &c->p->store, &b);
			if (r == TACHO_ENO)
				return 0;
		} else if (r == 0 && b.sequence != sequence) {
			fault(c, "the block at byte %llu is number %llu instead of %llu", AT(at),
			      AT(b.sequence), AT(sequence));
		}
		if (r == 0)
			r = check_block(c, &b);
		if (r == TACHO_EDAMAGED)
			fault(c, "the content of the block at byte %llu is damaged", AT(b.offset));
		else if (r < 0)
			return r;
		at = b.offset + BLOCK_HEADER_SIZE + b.packed;
		sequence = b.sequence + 1;
	}
	return 0;
}

/* "emitted == stored + lost" over all tracks: a fiber's zones are emitted by threads. */
static void check_ledgers(struct checker *c)
{
	const struct trace *t = &c->p->trace;
	struct trace_ledger sum = {0};

	for (uint32_t i = 0; i < t->track_count; i++) {
		sum.zones_emitted += t->ledgers[i].zones_emitted;
		sum.zones_lost += t->ledgers[i].zones_lost;
		sum.rows_emitted += t->ledgers[i].rows_emitted;
		sum.rows_lost += t->ledgers[i].rows_lost;
	}
	c->result->emitted = sum.zones_emitted + sum.rows_emitted;
	c->result->stored = c->result->zones + c->rows_counted;
	c->result->lost = sum.zones_lost + sum.rows_lost;
	/* A file without ledgers (an import) has nothing to compare; a cut one cannot be right. */
	if (c->result->emitted + c->result->lost == 0 || t->damage.unfinished)
		return;
	if (sum.zones_emitted != c->result->zones + sum.zones_lost)
		fault(c, "%llu zones were emitted, %llu are stored and %llu lost",
		      AT(sum.zones_emitted), AT(c->result->zones), AT(sum.zones_lost));
	if (sum.rows_emitted != c->rows_counted + sum.rows_lost)
		fault(c, "%llu rows were emitted, %llu are stored and %llu lost",
		      AT(sum.rows_emitted), AT(c->rows_counted), AT(sum.rows_lost));
}

int trace_check(struct trace *trace, struct trace_check *result, struct tacho_error *err)
{
	struct checker c = {.p = private_of(trace), .result = result};
	int r = TACHO_ENOMEM;

	memset(result, 0, sizeof(*result));
	c.lane_end = calloc(trace->lane_count + 1, sizeof(*c.lane_end));
	if (c.lane_end)
		r = check_blocks(&c);
	if (r == 0) {
		const struct trace_private *p;
		const struct trace_damage *d;

		check_ledgers(&c);
		p = c.p;
		d = &p->trace.damage;
		if (c.result->zones != p->trace.zones || c.zone_segments != p->zone_segments)
			fault(&c, "the blocks hold %llu zones, the index says %llu",
			      AT(c.result->zones), AT(p->trace.zones));
		if (c.result->rows != p->trace.rows || c.row_segments != p->rows.n)
			fault(&c, "the blocks hold %llu rows, the index says %llu",
			      AT(c.result->rows), AT(p->trace.rows));
		if (d->unfinished)
			fault(&c, "the recorder did not close the file");
	} else {
		err_set(err, r, "cannot check %s: %s", trace->path, err_text(r));
	}
	free(c.lane_end);
	free(c.columns.start);
	return r;
}
