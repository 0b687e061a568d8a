/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definition records, writing side. Readers skip kinds and trailing fields that they do not know.
 */
#include "base/limits.h"
#include "trace/writer.h"

static void defs_text_add(struct buf *b, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	format_string_add(b, s, len < LIMIT_NAME ? len : LIMIT_NAME);
}

/* Kind and length in front: BODY is written first, to a buffer of its own. */
static void add_record(struct buf *b, enum def_kind kind, struct buf *body)
{
	buf_addc(b, (char)kind);
	format_string_add(b, body->data, body->len);
	b->failed |= body->failed;
	buf_free(body);
}

void defs_add_property(struct buf *b, const char *key, const char *value)
{
	struct buf body = BUF_INIT;

	defs_text_add(&body, key);
	defs_text_add(&body, value);
	add_record(b, DEF_PROPERTY, &body);
}

void defs_add_clock_point(struct buf *b, const struct trace_clock_point *p)
{
	struct buf body = BUF_INIT;

	add_varint(&body, p->ticks);
	add_varint(&body, zigzag_encode(p->monotonic_ns));
	add_varint(&body, zigzag_encode(p->realtime_ns));
	add_varint(&body, p->bound_ns);
	add_record(b, DEF_CLOCK_POINT, &body);
}

void defs_add_absent(struct buf *b, uint32_t id, const struct trace_absent *a)
{
	struct buf body = BUF_INIT;

	add_varint(&body, id);
	add_varint(&body, a->count);
	add_varint(&body, a->pid);
	add_varint(&body, a->reason);
	add_varint(&body, a->error);
	defs_text_add(&body, a->name);
	add_record(b, DEF_ABSENT, &body);
}

void defs_add_open_zones(struct buf *b, const struct trace_open_zone *v, size_t count)
{
	struct buf body = BUF_INIT;
	uint64_t last = 0;

	add_varint(&body, count);
	for (size_t i = 0; i < count; i++) {
		add_varint(&body, v[i].track);
		add_varint(&body, v[i].depth);
		add_varint(&body, v[i].srcloc);
		add_varint(&body, zigzag_encode((int64_t)(v[i].start - last)));
		last = v[i].start;
	}
	add_record(b, DEF_OPEN_ZONES, &body);
}

void defs_add_process(struct buf *b, uint32_t id, const struct trace_process *p)
{
	struct buf body = BUF_INIT;

	add_varint(&body, id);
	add_varint(&body, p->pid);
	add_varint(&body, p->parent_pid);
	add_varint(&body, p->start);
	add_varint(&body, p->end);
	add_varint(&body, zigzag_encode(p->exit_status));
	defs_text_add(&body, p->name);
	defs_text_add(&body, p->command);
	add_record(b, DEF_PROCESS, &body);
}

void defs_add_track(struct buf *b, uint32_t id, const struct trace_track *t)
{
	struct buf body = BUF_INIT;

	add_varint(&body, id);
	add_varint(&body, t->process);
	add_varint(&body, t->kind);
	add_varint(&body, t->id);
	add_varint(&body, (uint32_t)(t->srcloc + 1));
	add_varint(&body, t->color);
	add_varint(&body, t->format);
	add_varint(&body, t->flags);
	defs_text_add(&body, t->name);
	add_record(b, DEF_TRACK, &body);
}

void defs_add_srcloc(struct buf *b, uint32_t id, const struct trace_srcloc *s)
{
	struct buf body = BUF_INIT;

	add_varint(&body, id);
	add_varint(&body, s->line);
	add_varint(&body, s->color);
	defs_text_add(&body, s->name);
	defs_text_add(&body, s->function);
	defs_text_add(&body, s->file);
	add_record(b, DEF_SRCLOC, &body);
}

void defs_add_ledger(struct buf *b, uint32_t track, const struct trace_ledger *l)
{
	struct buf body = BUF_INIT;

	add_varint(&body, track);
	add_varint(&body, l->zones_emitted);
	add_varint(&body, l->zones_lost);
	add_varint(&body, l->rows_emitted);
	add_varint(&body, l->rows_lost);
	add_record(b, DEF_LEDGER, &body);
}
