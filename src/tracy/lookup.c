/* SPDX-License-Identifier: Apache-2.0 */
/* First pass over a frame: query unknown addresses, store answers. */
#include "tracy/decode.h"

#include <stdlib.h>

/* Bounds the memory used for a client that keeps sending new addresses. */
#define NAMES_MAX (1u << 20)
#define TEXT_MAX  (64u << 20)

enum { ASKED = 1, ANSWERED };

static void lookup_ask(struct decoder *d, enum wire_query type, uint64_t pointer)
{
	struct decode_query q = {(uint8_t)type, pointer};

	if (!pointer || map_get(&d->asked[type], pointer) || d->asked[type].n >= NAMES_MAX)
		return;
	if (map_set(&d->asked[type], pointer, ASKED) < 0 || vec_push(&d->queries, q) < 0) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return;
	}
	d->asked_count++;
}

static void ask_srcloc(struct decoder *d, uint64_t pointer)
{
	struct wire_srcloc s = {.id = TRACE_NONE};

	if (map_get(&d->srcloc_of, pointer) || d->srclocs.n >= NAMES_MAX || !pointer)
		return;
	if (map_set(&d->srcloc_of, pointer, (uint32_t)d->srclocs.n) < 0 ||
	    vec_push(&d->srcloc_queue, (uint32_t)d->srclocs.n) < 0 ||
	    vec_push(&d->srclocs, s) < 0) {
		sink_error(&d->sink, TACHO_ENOMEM);
		return;
	}
	lookup_ask(d, QUERY_SRCLOC, pointer);
}

/* Answers have no address: they arrive in the order of the queries. */
static void take_srcloc(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	struct wire_srcloc *s;

	if (d->srcloc_head == d->srcloc_queue.n)
		return;
	s = &d->srclocs.v[d->srcloc_queue.v[d->srcloc_head++]];
	if (d->srcloc_head == d->srcloc_queue.n)
		d->srcloc_head = d->srcloc_queue.n = 0;
	*s = (struct wire_srcloc){.name = v[0],
				  .function = v[1],
				  .file = v[2],
				  .line = (uint32_t)v[3],
				  .color = (uint32_t)(v[6] << 16 | v[5] << 8 | v[4]),
				  .id = TRACE_NONE,
				  .known = true};
	d->answered++;
	for (int i = 0; i < 3; i++)
		lookup_ask(d, QUERY_STRING, v[i]);
}

static void take_string(struct decoder *d, struct map *to, enum wire_query type,
			const struct wire_read *item)
{
	uint32_t *asked = map_get(&d->asked[type], item->v[0]);
	size_t at = d->texts.len;

	if (!asked || *asked != ASKED)
		return; /* not needed */
	*asked = ANSWERED;
	d->answered++;
	if (map_get(to, item->v[0]) || d->texts.len + item->len > TEXT_MAX)
		return;
	if (buf_add(&d->texts, &item->len, sizeof(item->len)) < 0 ||
	    buf_add(&d->texts, item->bytes, item->len) < 0 || buf_addc(&d->texts, 0) < 0 ||
	    map_set(to, item->v[0], (uint32_t)d->strings.n) < 0 || vec_push(&d->strings, at) < 0)
		sink_error(&d->sink, TACHO_ENOMEM);
}

static const char *lookup_string_at(const struct decoder *d, const uint32_t *index, uint32_t *len)
{
	const char *at;

	if (len)
		*len = 0;
	if (!index)
		return "";
	at = d->texts.data + d->strings.v[*index];
	if (len)
		memcpy(len, at, sizeof(*len));
	return at + sizeof(*len);
}

const char *lookup_string(const struct decoder *d, uint64_t pointer, uint32_t *len)
{
	return lookup_string_at(d, map_get(&d->names, pointer), len);
}

const char *lookup_thread(const struct decoder *d, uint32_t tid)
{
	return lookup_string_at(d, map_get(&d->thread_names, tid), NULL);
}

uint32_t lookup_srcloc(struct decoder *d, uint64_t pointer)
{
	static const struct trace_srcloc unknown = {.name = "?", .function = "", .file = ""};
	const uint32_t *at = map_get(&d->srcloc_of, pointer);
	struct wire_srcloc *s = at ? &d->srclocs.v[*at] : NULL;
	struct trace_srcloc l;

	if (!s || !s->known)
		return sink_srcloc(&d->sink, &unknown);
	if (s->id == TRACE_NONE) {
		l = (struct trace_srcloc){.name = lookup_string(d, s->name, NULL),
					  .function = lookup_string(d, s->function, NULL),
					  .file = lookup_string(d, s->file, NULL),
					  .line = s->line,
					  .color = s->color};
		s->id = sink_srcloc(&d->sink, &l);
	}
	return s->id;
}

/* Items with the address of a source location, and its field. */
static int srcloc_field(enum wire_kind kind)
{
	switch (kind) {
	case WIRE_ZONE_BEGIN:
	case WIRE_ZONE_BEGIN32:
	case WIRE_ZONE_BEGIN16:
	case WIRE_ZONE_BEGIN_CALLSTACK:
	case WIRE_ZONE_BEGIN_CALLSTACK32:
	case WIRE_ZONE_BEGIN_CALLSTACK16:
		return 1;
	case WIRE_LOCK_ANNOUNCE:
	case WIRE_LOCK_MARK:
		return 2;
	case WIRE_GPU_BEGIN:
	case WIRE_GPU_BEGIN_CALLSTACK:
	case WIRE_GPU_BEGIN_SERIAL:
	case WIRE_GPU_BEGIN_CALLSTACK_SERIAL:
		return 4;
	default:
		return -1;
	}
}

static uint64_t lookup_literal(const struct decoder *d, uint64_t tagged)
{
	return d->protocol.short_items ? tagged >> 8 : tagged;
}

static void scan_item(struct decoder *d, const struct wire_read *item)
{
	const uint64_t *v = item->v;
	int field = srcloc_field(item->kind);

	if (field >= 0)
		ask_srcloc(d, v[field]);
	switch (item->kind) {
	case WIRE_THREAD_CONTEXT:
	case WIRE_LOCK_WAIT:
	case WIRE_LOCK_SHARED_WAIT:
		lookup_ask(d, QUERY_THREAD, v[0]);
		break;
	case WIRE_MEM_ALLOC ... WIRE_MEM_DISCARD_CALLSTACK:
		lookup_ask(d, QUERY_THREAD, v[1]);
		break;
	case WIRE_MESSAGE_LITERAL:
	case WIRE_MESSAGE_LITERAL_CALLSTACK:
		lookup_ask(d, QUERY_STRING, lookup_literal(d, v[1]));
		break;
	case WIRE_MESSAGE_LITERAL_COLOR:
	case WIRE_MESSAGE_LITERAL_COLOR_CALLSTACK:
		lookup_ask(d, QUERY_STRING, lookup_literal(d, v[4]));
		break;
	case WIRE_PLOT_INT:
	case WIRE_PLOT_FLOAT:
	case WIRE_PLOT_DOUBLE:
	case WIRE_PLOT_CONFIG:
		lookup_ask(d, QUERY_PLOT, v[0]);
		break;
	case WIRE_FRAME_MARK:
	case WIRE_FRAME_MARK_START:
	case WIRE_FRAME_MARK_END:
		lookup_ask(d, QUERY_FRAME, v[1]);
		break;
	case WIRE_FIBER_ENTER:
		lookup_ask(d, QUERY_FIBER, v[1]);
		break;
	case WIRE_MEM_NAME:
		lookup_ask(d, QUERY_STRING, v[0]);
		break;
	case WIRE_CRASH_REPORT:
		lookup_ask(d, QUERY_STRING, v[1]);
		break;
	case WIRE_PARAM_SETUP:
		lookup_ask(d, QUERY_STRING, v[1]);
		break;
	case WIRE_SYS_POWER:
		lookup_ask(d, QUERY_STRING, v[2]);
		break;
	case WIRE_SOURCE_LOCATION:
		take_srcloc(d, item);
		break;
	case WIRE_STRING_DATA:
		take_string(d, &d->names, QUERY_STRING, item);
		break;
	case WIRE_PLOT_NAME:
		take_string(d, &d->names, QUERY_PLOT, item);
		break;
	case WIRE_FRAME_NAME:
		take_string(d, &d->names, QUERY_FRAME, item);
		break;
	case WIRE_FIBER_NAME:
		take_string(d, &d->names, QUERY_FIBER, item);
		break;
	case WIRE_THREAD_NAME:
		take_string(d, &d->thread_names, QUERY_THREAD, item);
		break;
	case WIRE_CALLSTACK_SAMPLE ... WIRE_CALLSTACK_SAMPLE16:
		lookup_ask(d, QUERY_THREAD, v[d->protocol.short_items ? 0 : 1]);
		break;
	case WIRE_TERMINATE:
		d->terminated = true;
		break;
	default:
		break;
	}
}

static bool srcloc_is_asked(const struct decoder *d, uint64_t pointer)
{
	return d->recent[DECODE_RECENT(pointer)].pointer == pointer ||
	       map_get(&d->srcloc_of, pointer);
}

int lookup_frame(struct decoder *d, const uint8_t *frame, size_t len)
{
	struct wire_read item;
	size_t at = 0, size;

	while (at < len) {
		uint8_t zone = d->protocol.zones[frame[at]], plain = d->protocol.plain[frame[at]];

		/* Fast path: zone begin and end rarely carry a new address. */
		if (zone &&
		    (zone < ZONE_BEGIN16 || srcloc_is_asked(d, wire_u64(frame + at + plain - 8)))) {
			at += plain;
			continue;
		}
		size = wire_read(&d->protocol, frame + at, len - at, &item);
		if (!size)
			break;
		scan_item(d, &item);
		at += size;
	}
	return d->sink.error;
}

void lookup_free(struct decoder *d)
{
	buf_free(&d->texts);
	vec_free(&d->strings);
	vec_free(&d->srclocs);
	vec_free(&d->queries);
	vec_free(&d->srcloc_queue);
	map_free(&d->names);
	map_free(&d->thread_names);
	map_free(&d->srcloc_of);
	for (int i = 0; i < QUERY_COUNT; i++)
		map_free(&d->asked[i]);
}
