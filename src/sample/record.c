/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes records of perf rings for the sampler; see record.h. */
#include "sample/record.h"

#include <linux/perf_event.h>
#include <string.h>

/* Fields that sample_id_all appends to records other than samples: TID, TIME, CPU, IDENTIFIER. */
#define TRAILER 32

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static const uint8_t *cursor_take(struct cursor *c, size_t n)
{
	const uint8_t *at = c->at;

	if ((size_t)(c->end - c->at) < n) {
		c->bad = true;
		return NULL;
	}
	c->at += n;
	return at;
}

static uint32_t cursor_u32(struct cursor *c)
{
	uint32_t v = 0;
	const uint8_t *at = cursor_take(c, sizeof(v));

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

static uint64_t cursor_u64(struct cursor *c)
{
	uint64_t v = 0;
	const uint8_t *at = cursor_take(c, sizeof(v));

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

static const char *cursor_string(struct cursor *c)
{
	const char *s = (const char *)c->at;

	if (!memchr(s, 0, (size_t)(c->end - c->at)))
		c->bad = true;
	return s;
}

static void sample_decode(struct cursor *c, struct record *r)
{
	uint64_t abi, size;

	r->event = cursor_u64(c);
	r->ip = cursor_u64(c);
	r->pid = cursor_u32(c);
	r->tid = cursor_u32(c);
	r->time = cursor_u64(c);
	r->cpu = cursor_u32(c);
	cursor_u32(c);
	r->period = cursor_u64(c);
	abi = cursor_u64(c);
	if (abi == PERF_SAMPLE_REGS_ABI_64)
		r->regs = cursor_take(c, (size_t)RECORD_REG_COUNT * 8);
	else if (abi == PERF_SAMPLE_REGS_ABI_32)
		r->narrow = cursor_take(c, (size_t)RECORD_REG_COUNT * 8) != NULL;
	else if (abi != PERF_SAMPLE_REGS_ABI_NONE)
		c->bad = true;
	size = cursor_u64(c);
	if (c->bad || size > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return;
	}
	r->stack = cursor_take(c, (size_t)size);
	r->stack_asked = (size_t)size;
	if (size) {
		uint64_t used = cursor_u64(c);

		r->stack_size = used < size ? (size_t)used : (size_t)size;
	}
}

static void mmap_decode(struct cursor *c, struct record *r)
{
	r->pid = cursor_u32(c);
	r->tid = cursor_u32(c);
	r->start = cursor_u64(c);
	r->length = cursor_u64(c);
	r->page_offset = cursor_u64(c);
	r->major = cursor_u32(c);
	r->minor = cursor_u32(c);
	r->inode = cursor_u64(c);
	cursor_u64(c); /* generation */
	r->executable = cursor_u32(c) & 4;
	cursor_u32(c); /* flags */
	r->name = cursor_string(c);
}

/* Thread and time of records other than samples. SWITCH has its thread only here. */
static void trailer_decode(const uint8_t *at, struct record *r)
{
	struct cursor c = {at, at + TRAILER, false};
	uint32_t pid = cursor_u32(&c), tid = cursor_u32(&c);

	if (r->kind == RECORD_SWITCH) {
		r->pid = pid;
		r->tid = tid;
	}
	r->time = cursor_u64(&c);
	r->cpu = cursor_u32(&c);
}

size_t record_size(const uint8_t *bytes, size_t len)
{
	struct perf_event_header h;

	if (len < sizeof(h))
		return 0;
	memcpy(&h, bytes, sizeof(h));
	return h.size < sizeof(h) || h.size % 8 ? 0 : h.size;
}

bool record_decode(const uint8_t *bytes, size_t len, struct record *r)
{
	struct cursor c = {bytes + sizeof(struct perf_event_header), bytes + len, false};
	struct perf_event_header h;

	memset(r, 0, sizeof(*r));
	if (!record_size(bytes, len) || record_size(bytes, len) > len)
		return false;
	memcpy(&h, bytes, sizeof(h));
	c.end = bytes + h.size;
	if (h.type == PERF_RECORD_SAMPLE) {
		r->kind = RECORD_SAMPLE;
		sample_decode(&c, r);
		return !c.bad;
	}
	if (h.size < sizeof(h) + TRAILER)
		return false;
	c.end -= TRAILER;
	switch (h.type) {
	case PERF_RECORD_MMAP2:
		r->kind = RECORD_MMAP;
		mmap_decode(&c, r);
		break;
	case PERF_RECORD_COMM:
		r->kind = RECORD_COMM;
		r->exec = h.misc & PERF_RECORD_MISC_COMM_EXEC;
		r->pid = cursor_u32(&c);
		r->tid = cursor_u32(&c);
		r->name = cursor_string(&c);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		r->kind = h.type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
		r->pid = cursor_u32(&c);
		r->parent_pid = cursor_u32(&c);
		r->tid = cursor_u32(&c);
		r->parent_tid = cursor_u32(&c);
		cursor_u64(&c); /* time */
		break;
	case PERF_RECORD_SWITCH:
		r->kind = RECORD_SWITCH;
		r->out = h.misc & PERF_RECORD_MISC_SWITCH_OUT;
		r->preempted = h.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		break;
	case PERF_RECORD_LOST:
		r->kind = RECORD_LOST;
		cursor_u64(&c); /* identifier */
		r->lost = cursor_u64(&c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->kind = RECORD_LOST;
		r->lost = cursor_u64(&c);
		break;
	case PERF_RECORD_THROTTLE:
		r->kind = RECORD_THROTTLE;
		break;
	default:
		break;
	}
	trailer_decode(bytes + h.size - TRAILER, r);
	return !c.bad;
}
