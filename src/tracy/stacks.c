/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of modules, symbols and stacks. */
#include "tracy/stacks.h"
#include "base/buf.h"

#include <string.h>
#include <xxhash.h>

#define OFFSET_BITS 48
#define OFFSET      ((1ull << OFFSET_BITS) - 1)
#define MODULE_FILE 1u
#define MODULES_MAX 0xffffu

static void stacks_row(struct stacks *s, struct sink *sink, uint32_t kind, uint64_t a, uint64_t b,
		       uint64_t c, const struct buf *text)
{
	struct trace_row row = {.time = s->time,
				.kind = kind,
				.thread = TRACE_NONE,
				.a = a,
				.b = b,
				.c = c,
				.text = text ? text->data : "",
				.text_len = text ? (uint32_t)text->len : 0};
	struct trace_track t = {.process = s->process,
				.kind = TRACE_OTHER,
				.srcloc = TRACE_NONE,
				.name = TRACE_STACKS};

	if (!s->made)
		s->track = sink_track(sink, &t);
	s->made = true;
	sink_row(sink, s->track, &row);
}

/* Two strings, the first with its NUL. */
static void stacks_text_row(struct stacks *s, struct sink *sink, uint32_t kind, uint64_t a,
			    uint64_t b, uint64_t c, const char *first, const char *second)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, first);
	buf_addc(&text, 0);
	buf_adds(&text, second);
	if (text.failed)
		sink_error(sink, TACHO_ENOMEM);
	else
		stacks_row(s, sink, kind, a, b, c, &text);
	buf_free(&text);
}

/* Beyond the last number all modules share one. */
static uint32_t module_of(struct stacks *s, struct sink *sink, const char *image)
{
	uint64_t hash = XXH3_64bits(image, strlen(image));
	const uint32_t *known = map_get(&s->modules, hash);
	uint32_t number = (uint32_t)s->modules.n + 1;

	if (known)
		return *known;
	if (number > MODULES_MAX)
		return MODULES_MAX;
	sink_error(sink, map_set(&s->modules, hash, number));
	stacks_text_row(s, sink, TRACE_ROW_MODULE, number, MODULE_FILE, 0,
			image[0] ? image : "[unknown]", "");
	return number;
}

uint64_t stacks_frame(struct stacks *s, struct sink *sink, const char *image, uint64_t address)
{
	return (uint64_t)module_of(s, sink, image) << OFFSET_BITS | (address & OFFSET);
}

void stacks_symbol(struct stacks *s, struct sink *sink, uint64_t key, uint32_t line,
		   uint32_t inlined, const char *name, const char *file)
{
	stacks_text_row(s, sink, TRACE_ROW_SYMBOL, key, line, inlined, name, file);
}

uint32_t stacks_node(struct stacks *s, struct sink *sink, uint32_t caller, uint64_t key)
{
	uint64_t hash = key ^ (uint64_t)caller * 0x9e3779b97f4a7c15u;
	const uint32_t *known = map_get(&s->node_of, hash);
	struct stacks_node node = {key, caller};

	if (known && s->nodes.v[*known - 1].key == key && s->nodes.v[*known - 1].caller == caller)
		return *known;
	if (s->nodes.n >= LIMIT_STACK_NODES)
		return 0;
	if (vec_push(&s->nodes, node) < 0 || map_set(&s->node_of, hash, (uint32_t)s->nodes.n) < 0) {
		sink_error(sink, TACHO_ENOMEM);
		return 0;
	}
	stacks_row(s, sink, TRACE_ROW_STACK, s->nodes.n, caller, key, NULL);
	return (uint32_t)s->nodes.n;
}

void stacks_free(struct stacks *s)
{
	map_free(&s->modules);
	map_free(&s->node_of);
	vec_free(&s->nodes);
}
