/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of a Tracy viewer: greeting, queries and answers. */
#include "tracy/serve.h"

#include <lz4.h>
#include <stdlib.h>

#define FRAME_FULL (128u << 10) /* an item is at most 64 KiB, a frame at most WIRE_FRAME */
#define OUT_ENOUGH (512u << 10)
#define INPUT_MAX  (256u << 10)

/* ------------------------------------------------------------------ output */

static void flush_frame(struct serve *s)
{
	int n;
	uint32_t size;

	if (!s->frame.len)
		return;
	n = LZ4_compress_default(s->frame.data, s->packed, (int)s->frame.len,
				 LZ4_COMPRESSBOUND(WIRE_FRAME));
	size = (uint32_t)n;
	buf_add(&s->out, &size, sizeof(size));
	buf_add(&s->out, s->packed, size);
	buf_reset(&s->frame);
	s->failed |= n <= 0 || s->out.failed;
}

void serve_put(struct serve *s, enum wire_kind kind, const uint64_t *v)
{
	if (s->frame.len > FRAME_FULL)
		flush_frame(s);
	s->failed |= wire_put(&s->frame, &s->protocol, kind, v) < 0;
}

void serve_append(struct serve *s, const struct buf *items)
{
	if (s->frame.len > FRAME_FULL)
		flush_frame(s);
	buf_add(&s->frame, items->data, items->len);
	s->failed |= items->failed || s->frame.failed;
}

void serve_bytes(struct serve *s, enum wire_kind kind, uint64_t id, const void *bytes, size_t len)
{
	if (s->frame.len > FRAME_FULL)
		flush_frame(s);
	s->failed |= wire_put_bytes(&s->frame, &s->protocol, kind, id, bytes, len) < 0;
}

static void answer_questions(struct serve *s);

bool serve_takes_input(const struct serve *s)
{
	return !s->greeted || s->in.len < WIRE_QUERY;
}

bool serve_has_more(const struct serve *s)
{
	return s->greeted && !s->over && (s->step < SERVE_WAIT || !serve_takes_input(s));
}

void serve_more(struct serve *s)
{
	if (s->greeted)
		answer_questions(s);
	while (s->greeted && !s->over && !s->failed && s->step < SERVE_WAIT &&
	       s->out.len < OUT_ENOUGH)
		if (stream_step(s) < 0)
			s->failed = true;
	if (s->greeted && !s->over)
		flush_frame(s);
	s->over |= s->failed;
}

void serve_grown(struct serve *s, bool ended)
{
	if (s->step != SERVE_WAIT)
		return;
	s->live = !ended;
	s->step = SERVE_START;
	serve_more(s);
}

void serve_keep_alive(struct serve *s)
{
	if (!s->greeted || s->over || s->step != SERVE_WAIT)
		return;
	SERVE_PUT(s, WIRE_KEEP_ALIVE);
	flush_frame(s);
}

/* ---------------------------------------------------------------- greeting */

static void serve_text_copy(char *to, size_t size, const char *text)
{
	memset(to, 0, size);
	memcpy(to, text, strnlen(text, size - 1));
}

static void put_welcome(struct serve *s)
{
	const struct trace *t = s->trace;
	const char *host = trace_property(t, "system");
	const struct trace_process *p =
		s->model->process < t->process_count ? &t->processes[s->model->process] : NULL;
	double tick_ns = 1;
	int64_t begin = SERVE_EPOCH;
	uint64_t numbers[5] = {0, 1, 0, 0, p ? p->pid : 0}; /* the first is the queue delay */
	size_t from = s->protocol.welcome < WIRE_WELCOME;
	char program[64], info[1024], rest[8 + 2 + 12 + 4] = {0};

	numbers[2] = (uint64_t)(trace_realtime_ns(t, t->origin) / 1000000000);
	rest[9] = 2; /* x64 */
	serve_text_copy(program, sizeof(program), p ? p->name : "tacho");
	serve_text_copy(info, sizeof(info), host ? host : "");
	buf_addc(&s->out, WIRE_OK);
	buf_add(&s->out, &tick_ns, 8);
	buf_add(&s->out, &begin, 8);
	buf_add(&s->out, &begin, 8);
	buf_add(&s->out, numbers + from, sizeof(numbers) - from * sizeof(numbers[0]));
	buf_add(&s->out, rest, sizeof(rest));
	buf_add(&s->out, program, sizeof(program));
	buf_add(&s->out, info, sizeof(info));
}

/*
 * Accepts any version that we know. 66 is taken as Tenstorrent's 0.10, not as upstream's 0.11.0,
 * which has the same number and a narrower context.
 */
static bool serve_speak(struct serve *s, uint32_t version)
{
	if (version < SERVE_OLDEST || !wire_protocol(&s->protocol, version, version == 66))
		return false;
	s->tids = version > 66;
	return true;
}

/* Returns 1 if greeted, 0 if more is needed, -1 to close. */
static int take_greeting(struct serve *s)
{
	uint32_t version;

	if (s->in.len < 12)
		return memcmp(s->in.data, WIRE_MAGIC, s->in.len < 8 ? s->in.len : 8) ? -1 : 0;
	memcpy(&version, s->in.data + 8, 4);
	if (memcmp(s->in.data, WIRE_MAGIC, 8))
		return -1;
	if (!serve_speak(s, version)) {
		buf_addc(&s->out, WIRE_MISMATCH);
		return -1;
	}
	put_welcome(s);
	s->greeted = true;
	return 1;
}

/* --------------------------------------------------------------- questions */

static void answer_string(struct serve *s, enum wire_kind kind, uint64_t pointer)
{
	const struct strings *strings = &s->model->strings;
	uint64_t index = (pointer - STRING_POINTER(0)) / 16;
	uint64_t parameter = (pointer - SERVE_PARAMETER) / 64;

	if (pointer >= SERVE_PARAMETER && parameter < s->parameters.n) {
		const char *name = s->parameters.v[parameter].name;

		serve_bytes(s, kind, pointer, name, strlen(name));
		return;
	}
	if (pointer < STRING_POINTER(0) || pointer % 16 || index >= strings->list.n) {
		s->refused++;
		serve_bytes(s, kind, pointer, "", 0);
		return;
	}
	serve_bytes(s, kind, pointer, strings->text.data + strings->list.v[index].at,
		    strings->list.v[index].len);
}

static void answer_thread(struct serve *s, uint64_t tid)
{
	uint32_t track = tid & SERVE_DEVICE ? serve_device_track(s, tid) : serve_track(s, tid);
	int64_t name = track == TRACE_NONE ? -1 : s->model->names[track];
	const struct string_entry *e = name < 0 ? NULL : &s->model->strings.list.v[name];

	s->refused += track == TRACE_NONE;
	serve_bytes(s, WIRE_THREAD_NAME, tid, e ? s->model->strings.text.data + e->at : "???",
		    e ? e->len : 3);
}

static uint64_t pointer_of(int64_t string)
{
	return string < 0 ? 0 : STRING_POINTER(string);
}

static void answer_srcloc(struct serve *s, uint64_t pointer)
{
	uint64_t index = (pointer - SERVE_SRCLOC) / 64;
	static const struct out_srcloc none = {.name = -1, .function = -1, .file = -1};
	const struct out_srcloc *l = &none;

	if (pointer < SERVE_SRCLOC || pointer % 64 || index >= s->model->srclocs.n)
		s->refused++;
	else
		l = &s->model->srclocs.v[index];
	SERVE_PUT(s, WIRE_SOURCE_LOCATION, pointer_of(l->name), pointer_of(l->function),
		  pointer_of(l->file), l->line, l->color >> 16 & 0xff, l->color >> 8 & 0xff,
		  l->color & 0xff);
}

static void serve_set_parameter(struct serve *s, uint64_t pair)
{
	uint32_t index = (uint32_t)(pair >> 32);
	const struct serve_parameter *p;

	SERVE_PUT(s, WIRE_ACK_NOOP);
	if (index >= s->parameters.n) {
		s->refused++;
		return;
	}
	p = &s->parameters.v[index];
	if (s->options && s->options->set_parameter && p->process < s->trace->process_count)
		s->options->set_parameter(s->options->context, s->trace->processes[p->process].pid,
					  p->number, (int32_t)pair);
}

static void serve_answer_one(struct serve *s, uint8_t type, uint64_t pointer)
{
	switch (type) {
	case QUERY_TERMINATE:
	case QUERY_DISCONNECT:
		s->over = true;
		break;
	case QUERY_STRING:
		answer_string(s, WIRE_STRING_DATA, pointer);
		break;
	case QUERY_THREAD:
		answer_thread(s, pointer);
		break;
	case QUERY_SRCLOC:
		answer_srcloc(s, pointer);
		break;
	case QUERY_PLOT:
		answer_string(s, WIRE_PLOT_NAME, pointer);
		break;
	case QUERY_FRAME:
		answer_string(s, WIRE_FRAME_NAME, pointer);
		break;
	case QUERY_FIBER:
		answer_string(s, WIRE_FIBER_NAME, pointer);
		break;
	case QUERY_EXTERNAL:
		serve_bytes(s, WIRE_EXTERNAL_THREAD_NAME, pointer, "???", 3);
		serve_bytes(s, WIRE_EXTERNAL_NAME, pointer, "???", 3);
		break;
	case QUERY_PARAMETER:
		serve_set_parameter(s, pointer);
		break;
	case QUERY_SYMBOL_CODE:
		SERVE_PUT(s, WIRE_ACK_NO_SYMBOL_CODE);
		break;
	case QUERY_SOURCE:
		SERVE_PUT(s, WIRE_ACK_NO_SOURCE, (uint32_t)pointer);
		break;
	default:
		s->failed |= type >= QUERY_COUNT;
		SERVE_PUT(s, WIRE_ACK_NOOP);
		break;
	}
}

/* Answers as many as there is room for; the rest stay in serve.in. */
static void answer_questions(struct serve *s)
{
	size_t at = 0;

	while (!s->over && s->out.len < OUT_ENOUGH && s->in.len - at >= WIRE_QUERY) {
		serve_answer_one(s, (uint8_t)s->in.data[at],
				 wire_u64((const uint8_t *)s->in.data + at + 1));
		at += WIRE_QUERY;
	}
	memmove(s->in.data, s->in.data + at, s->in.len - at);
	s->in.len -= at;
}

void serve_input(struct serve *s, const void *bytes, size_t len)
{
	if (s->over || buf_add(&s->in, bytes, len) < 0 || s->in.len > INPUT_MAX) {
		s->over = true;
		return;
	}
	if (!s->greeted) {
		int r = take_greeting(s);

		s->over |= r < 0;
		if (r <= 0)
			return;
		memmove(s->in.data, s->in.data + 12, s->in.len - 12);
		s->in.len -= 12;
	}
	serve_more(s);
}

/* ---------------------------------------------------------------- lifetime */

struct serve *serve_new(const struct write *model, bool live)
{
	struct serve *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->in = s->out = s->frame = (struct buf)BUF_INIT;
	s->model = model;
	s->trace = model->trace;
	s->live = live;
	s->packed = malloc(LZ4_COMPRESSBOUND(WIRE_FRAME));
	if (!s->packed) {
		serve_free(s);
		return NULL;
	}
	return s;
}

void serve_free(struct serve *s)
{
	if (!s)
		return;
	stream_close(s);
	buf_free(&s->in);
	buf_free(&s->out);
	buf_free(&s->frame);
	free(s->packed);
	free(s);
}
