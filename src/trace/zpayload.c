/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: the parts of a zone block. */
#include "base/limits.h"
#include "trace/reader.h"

#define EXTRAS_MAX (1u << 22) /* attachments in one block */

static void column_window(struct in *in, struct in *column)
{
	const uint8_t *head = format_in_bytes(in, 4), *bytes = NULL;
	size_t len = head ? le_get32(head) : 0;

	if (head)
		bytes = format_in_bytes(in, len);
	*column = (struct in){.p = bytes, .end = bytes ? bytes + len : NULL, .bad = !bytes};
}

int zpayload_read(struct trace_private *p, uint64_t offset, struct zpayload *z)
{
	struct block b;
	struct directory d;
	struct segment s = {0};
	struct in in;
	int r = block_read(p->fd, offset, p->trace.file_size, &p->store, &b);

	if (r == 0 && b.type != BLOCK_ZONES)
		r = TACHO_EDAMAGED;
	if (r == 0)
		r = block_payload(p->unpacker, &p->store, &b, &p->unpacked, &in);
	if (r < 0)
		return r;
	z->offset = offset;
	z->directory = in;
	directory_read(&in, &d);
	for (uint32_t i = 0; i < d.segments && !in.bad; i++)
		directory_next(&in, &d, offset, &s);
	z->segments = d.segments;
	z->n = d.items;
	column_window(&in, &z->gap);
	column_window(&in, &z->duration);
	column_window(&in, &z->srcloc);
	z->marks = in;
	return in.bad ? TACHO_EDAMAGED : 0;
}

/*
 * Gaps and durations become starts and ends. False when a time overflows or the segment does not
 * end where it says.
 */
static bool times_join(uint64_t *start, uint64_t *end, const struct segment *s)
{
	uint64_t t = s->start, wrapped = 0;

	start += s->first;
	end += s->first;
	for (uint32_t i = 0; i < s->count; i++) {
		uint64_t from = t + start[i], to = from + end[i];

		wrapped |= (uint64_t)(from < t) | (uint64_t)(to < from);
		start[i] = from;
		end[i] = to;
		t = to;
	}
	return !wrapped && t == s->end;
}

/* The same from 32-bit numbers: their sum cannot wrap, so checking the end is enough. */
static bool times_join32(const uint32_t *gap, const uint32_t *duration, uint64_t *restrict start,
			 uint64_t *restrict end, const struct segment *s)
{
	uint64_t t = s->start;

	for (uint32_t i = s->first; i < s->first + s->count; i++) {
		t += gap[i];
		start[i] = t;
		t += duration[i];
		end[i] = t;
	}
	return t == s->end;
}

/* Nearly always no number is wider than 32 bits: 0 then, and TACHO_ENO else. */
static int times_read32(struct trace_private *p, const struct zpayload *z, uint32_t **numbers)
{
	struct in gap = z->gap, duration = z->duration;
	int r;

	*numbers = unpack_room32(p->unpacker, 2 * (size_t)z->n + 1);
	if (!*numbers)
		return TACHO_ENOMEM;
	r = unpack_column32(p->unpacker, &gap, *numbers, z->n);
	return r < 0 ? r : unpack_column32(p->unpacker, &duration, *numbers + z->n, z->n);
}

int zpayload_times(struct trace_private *p, const struct zpayload *z, uint64_t *start,
		   uint64_t *end)
{
	struct in directory = z->directory;
	struct segment s = {0};
	struct directory d;
	uint32_t *numbers;
	int narrow = times_read32(p, z, &numbers), r = narrow;

	if (narrow == TACHO_ENO) {
		struct in in = z->gap;

		r = unpack_column(p->unpacker, &in, start, z->n);
		r = r < 0 ? r : zpayload_durations(p, z, end);
	}
	directory_read(&directory, &d);
	for (uint32_t i = 0; r == 0 && i < z->segments; i++) {
		bool right;

		directory_next(&directory, &d, z->offset, &s);
		right = narrow ? times_join(start, end, &s)
			       : times_join32(numbers, numbers + z->n, start, end, &s);
		if (!right)
			r = TACHO_EDAMAGED;
	}
	return r;
}

int zone_columns_room(struct zone_columns *c, uint32_t n)
{
	if (n <= c->room)
		return 0;
	free(c->start);
	c->room = 0;
	c->start = malloc(n * (2 * sizeof(*c->start) + sizeof(*c->srcloc)));
	if (!c->start)
		return TACHO_ENOMEM;
	c->end = c->start + n;
	c->srcloc = (uint32_t *)(c->end + n);
	c->room = n;
	return 0;
}

int zpayload_durations(struct trace_private *p, const struct zpayload *z, uint64_t *duration)
{
	struct in in = z->duration;

	return unpack_column(p->unpacker, &in, duration, z->n);
}

int zpayload_srclocs(struct trace_private *p, const struct zpayload *z, uint32_t *srcloc)
{
	struct in in = z->srcloc;
	uint32_t max = 0;
	int r = unpack_column32(p->unpacker, &in, srcloc, z->n);

	if (r == TACHO_ENO)
		return TACHO_EDAMAGED;
	for (uint32_t i = 0; r == 0 && i < z->n; i++)
		max = srcloc[i] > max ? srcloc[i] : max;
	return r == 0 && z->n && max >= p->srclocs.n ? TACHO_EDAMAGED : r;
}

/* ------------------------------------------------------------------ marks */

struct mark_list {
	VEC(struct zone_mark);
};

static uint32_t next_zone(struct in *in, uint32_t last, uint32_t n)
{
	uint64_t zone = last + in_limited(in, n);

	if (zone >= n)
		in->bad = true;
	return (uint32_t)zone;
}

static int read_flags(struct in *in, uint32_t n, struct mark_list *marks)
{
	size_t count = in_limited(in, n);
	uint32_t zone = 0;

	for (size_t i = 0; i < count && !in->bad; i++) {
		uint32_t last = zone;

		zone = next_zone(in, zone, n);
		if (i && zone == last)
			in->bad = true;
		if (vec_push(marks, ((struct zone_mark){.zone = zone})) < 0)
			return TACHO_ENOMEM;
		marks->v[i].flags = (uint32_t)in_varint(in);
	}
	return in->bad ? TACHO_EDAMAGED : 0;
}

/* Entries first, then the texts in the same order. */
static int zpayload_extras_read(struct in *in, size_t count, struct zone_marks *m, uint32_t n,
				uint32_t *zones)
{
	uint32_t zone = 0;

	for (size_t i = 0; i < count; i++) {
		struct trace_extra *x = &m->extras[i];

		zone = zones[i] = next_zone(in, zone, n);
		x->kind = (uint32_t)in_limited(in, UINT32_MAX);
		x->value = in_varint(in);
	}
	for (size_t i = 0; i < count && !in->bad; i++) {
		struct trace_extra *x = &m->extras[i];

		if (!extra_has_text(x->kind))
			continue;
		x->len = (uint32_t)x->value;
		x->text = (const char *)format_in_bytes(in, x->value);
		x->value = 0;
	}
	return in->bad ? TACHO_EDAMAGED : 0;
}

/* Flags and attachments of a zone become one mark; both lists are sorted by zone. */
static int merge_marks(struct zone_marks *m, const struct mark_list *flags, const uint32_t *zones)
{
	size_t f = 0, x = 0, n = 0;

	m->v = calloc(flags->n + m->extra_count + 1, sizeof(*m->v));
	if (!m->v)
		return TACHO_ENOMEM;
	while (f < flags->n || x < m->extra_count) {
		uint32_t zone = f < flags->n ? flags->v[f].zone : UINT32_MAX;
		struct zone_mark *mark = &m->v[n++];

		if (x < m->extra_count && zones[x] < zone)
			zone = zones[x];
		mark->zone = zone;
		mark->first_extra = (uint32_t)x;
		if (f < flags->n && flags->v[f].zone == zone)
			mark->flags = flags->v[f++].flags;
		for (; x < m->extra_count && zones[x] == zone; x++)
			mark->extras++;
	}
	m->count = (uint32_t)n;
	return 0;
}

int zpayload_marks(struct trace_private *p, const struct zpayload *z, struct zone_marks *m)
{
	struct in in = z->marks, entries;
	struct mark_list flags = {0};
	uint32_t *zones = NULL;
	size_t count;
	int r = read_flags(&in, z->n, &flags);

	memset(m, 0, sizeof(*m));
	m->text = m->recursive = (struct buf)BUF_INIT;
	count = r == 0 ? in_limited(&in, EXTRAS_MAX) : 0;
	if (r == 0 && in.bad)
		r = TACHO_EDAMAGED;
	if (r == 0 && count) {
		r = unpack_string(p->unpacker, &in, LIMIT_BLOCK_RAW, &m->text);
		if (r == 0 && count > m->text.len / 3)
			r = TACHO_EDAMAGED;
		if (r == 0) {
			m->extras = calloc(count, sizeof(*m->extras));
			zones = calloc(count, sizeof(*zones));
			r = m->extras && zones ? 0 : TACHO_ENOMEM;
		}
		entries = (struct in){.p = (uint8_t *)m->text.data,
				      .end = (uint8_t *)m->text.data + m->text.len};
		if (r == 0)
			r = zpayload_extras_read(&entries, count, m, z->n, zones);
		m->extra_count = (uint32_t)count;
	}
	if (r == 0 && (flags.n || count))
		r = merge_marks(m, &flags, zones);
	if (r == 0 && in_left(&in)) {
		r = unpack_string(p->unpacker, &in, BLOCK_ITEMS_MAX / 8, &m->recursive);
		if (r == 0 && m->recursive.len != (z->n + 7) / 8)
			r = TACHO_EDAMAGED;
	}
	m->bytes = m->text.cap + m->recursive.cap + count * sizeof(*m->extras) +
		   (flags.n + count) * sizeof(*m->v);
	vec_free(&flags);
	free(zones);
	if (r < 0)
		zone_marks_free(m);
	return r;
}

void zone_marks_free(struct zone_marks *m)
{
	free(m->v);
	free(m->extras);
	buf_free(&m->text);
	buf_free(&m->recursive);
	memset(m, 0, sizeof(*m));
	m->text = m->recursive = (struct buf)BUF_INIT;
}
