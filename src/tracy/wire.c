/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the items of each version; read and write items with them. */
#include "tracy/wire.h"
#include "base/buf.h"
#include "base/err.h"

const uint32_t wire_versions[] = {66, 82, 76, 74, 69, 64, 0};

static const struct {
	uint8_t since;
	const char *layout;
	uint8_t tail;
} items[WIRE_KINDS] = {
#define X(name, since, layout, tail) [WIRE_##name] = {since, layout, TAIL_##tail},
	WIRE_ITEMS(X)
#undef X
};

/* Items whose payload has changed: the layout from this version on. */
static const struct {
	uint8_t kind, since;
	const char *layout;
} changes[] = {
	{WIRE_FIBER_ENTER, 69, "qQIi"},
	{WIRE_CPU_TOPOLOGY, 69, "IIII"},
	{WIRE_CONTEXT_SWITCH, 74, "qIIBBBBBB"},
	{WIRE_THREAD_WAKEUP, 74, "qIBBB"},
	{WIRE_MESSAGE, 82, "qB"},
	{WIRE_MESSAGE_COLOR, 82, "qBBBB"},
	{WIRE_MESSAGE_CALLSTACK, 82, "qB"},
	{WIRE_MESSAGE_COLOR_CALLSTACK, 82, "qBBBB"},
	{WIRE_CALLSTACK_SAMPLE, 82, "Iq"},
	{WIRE_CALLSTACK_SAMPLE_SWITCH, 82, "Iq"},
};

static size_t field_size(char letter, bool wide)
{
	switch (letter) {
	case 'Q':
	case 'q':
	case 'd':
		return 8;
	case 'I':
	case 'i':
	case 'f':
		return 4;
	case 'H':
		return 2;
	case 'S':
		return 6;
	case 'C':
		return wide ? 2 : 1;
	default:
		return 1;
	}
}

static enum wire_zone zone_of(enum wire_kind kind)
{
	switch (kind) {
	case WIRE_ZONE_END:
		return ZONE_END64;
	case WIRE_ZONE_END32:
		return ZONE_END32;
	case WIRE_ZONE_END16:
		return ZONE_END16;
	case WIRE_ZONE_BEGIN:
		return ZONE_BEGIN64;
	case WIRE_ZONE_BEGIN32:
		return ZONE_BEGIN32;
	case WIRE_ZONE_BEGIN16:
		return ZONE_BEGIN16;
	default:
		return ZONE_NOT;
	}
}

static const char *wire_layout_of(enum wire_kind kind, uint32_t version)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].kind == kind && version >= changes[i].since)
			return changes[i].layout;
	return items[kind].layout;
}

bool wire_protocol(struct wire_protocol *p, uint32_t version, bool wide)
{
	bool known = false;

	for (int i = 0; wire_versions[i]; i++)
		known |= wire_versions[i] == version;
	memset(p, 0, sizeof(*p));
	memset(p->types, 0xff, sizeof(p->types));
	p->number = version;
	p->wide_context = wide;
	p->short_items = version >= 82;
	p->welcome = version >= 76 ? WIRE_WELCOME - 8 : WIRE_WELCOME;
	for (int kind = 0; kind < WIRE_KINDS; kind++) {
		struct wire_item *item = &p->items[p->count];

		if (version < items[kind].since)
			continue;
		item->kind = (uint8_t)kind;
		item->tail = items[kind].tail;
		item->layout = wire_layout_of((enum wire_kind)kind, version);
		for (const char *l = item->layout; *l; l++)
			item->size = (uint8_t)(item->size + field_size(*l, wide));
		p->zones[p->count] = (uint8_t)zone_of((enum wire_kind)kind);
		if (!item->tail && !strchr(item->layout, 'C'))
			p->plain[p->count] = (uint8_t)(1 + item->size);
		p->types[kind] = (uint8_t)p->count++;
	}
	return known;
}

#define SHORT_STRING 256u

/*
 * From version 82 on a short string has its own item; a long one stores its length less
 * SHORT_STRING.
 */
static uint32_t tail_offset(const struct wire_protocol *p, const struct wire_item *item)
{
	return p->short_items && (item->kind == WIRE_SINGLE_STRING ||
				  item->kind == WIRE_SECOND_STRING)
		       ? SHORT_STRING
		       : 0;
}

static const size_t tail_sizes[] = {
	[TAIL_NONE] = 0, [TAIL_BYTES16] = 2, [TAIL_BYTES32] = 4, [TAIL_BYTES8] = 1};

size_t wire_size(const struct wire_protocol *p, const uint8_t *at, size_t left)
{
	const struct wire_item *item;
	size_t size;
	uint32_t len = 0;

	if (!left || at[0] >= p->count)
		return 0;
	item = &p->items[at[0]];
	size = 1 + (size_t)item->size;
	if (item->tail) {
		size_t width = tail_sizes[item->tail];

		if (size + width > left)
			return 0;
		memcpy(&len, at + size, width);
		size += width + tail_offset(p, item);
	}
	return len <= WIRE_FRAME && size + len <= left ? size + len : 0;
}

size_t wire_read(const struct wire_protocol *p, const uint8_t *at, size_t left,
		 struct wire_read *read)
{
	size_t size = wire_size(p, at, left);
	const struct wire_item *item;
	int n = 0;

	if (!size)
		return 0;
	item = &p->items[*at++];
	read->kind = (enum wire_kind)item->kind;
	for (const char *l = item->layout; *l; l++) {
		size_t width = field_size(*l, p->wide_context);
		uint64_t v = 0;
		float f;
		double d;

		memcpy(&v, at, width);
		if (*l == 'i')
			v = (uint64_t)(int32_t)v;
		if (*l == 'f') {
			memcpy(&f, at, sizeof(f));
			d = (double)f;
			memcpy(&v, &d, sizeof(v));
		}
		if (n < WIRE_FIELDS)
			read->v[n++] = v;
		at += width;
	}
	if (item->tail) {
		size_t width = tail_sizes[item->tail];

		read->bytes = at + width;
		read->len = (uint32_t)(size - 1 - item->size - width);
	}
	return size;
}

/* A new context read with the wrong width has flags or a type that no client sends. */
static bool is_plausible(const struct wire_item *item, const uint8_t *at)
{
	const uint8_t *end = at + 1 + item->size;

	return item->kind != WIRE_GPU_NEW_CONTEXT || (end[-1] >= 1 && end[-1] < 32 && end[-2] <= 1);
}

bool wire_frame_fits(const struct wire_protocol *p, const uint8_t *frame, size_t len, bool *devices)
{
	size_t at = 0, size;

	while (at < len) {
		size = p->plain[frame[at]];
		if (size && size <= len - at) {
			at += size;
			continue;
		}
		size = wire_size(p, frame + at, len - at);
		if (!size || !is_plausible(&p->items[frame[at]], frame + at))
			return false;
		*devices |= strchr(p->items[frame[at]].layout, 'C') != NULL;
		at += size;
	}
	return true;
}

static void put_field(uint8_t *to, char letter, size_t width, uint64_t v)
{
	double d;
	float f;

	if (letter == 'f') {
		memcpy(&d, &v, sizeof(d));
		f = (float)d;
		memcpy(to, &f, sizeof(f));
	} else {
		memcpy(to, &v, width);
	}
}

int wire_put(struct buf *b, const struct wire_protocol *p, enum wire_kind kind, const uint64_t *v)
{
	const struct wire_item *item = &p->items[p->types[kind]];
	uint8_t bytes[64] = {p->types[kind]};
	size_t at = 1;

	for (const char *l = item->layout; *l; l++) {
		size_t width = field_size(*l, p->wide_context);

		put_field(bytes + at, *l, width, *v++);
		at += width;
	}
	return buf_add(b, bytes, at);
}

int wire_put_bytes(struct buf *b, const struct wire_protocol *p, enum wire_kind kind, uint64_t id,
		   const void *bytes, size_t len)
{
	const struct wire_item *item;
	uint32_t size, offset;
	size_t most;

	if (p->short_items && kind == WIRE_SINGLE_STRING && len < SHORT_STRING)
		kind = WIRE_SINGLE_STRING8;
	item = &p->items[p->types[kind]];
	most = item->tail == TAIL_BYTES32 ? WIRE_FRAME / 2 : UINT16_MAX;
	size = (uint32_t)(len < most ? len : most);
	offset = size - tail_offset(p, item);
	wire_put(b, p, kind, &id);
	buf_add(b, &offset, tail_sizes[item->tail]);
	return buf_add(b, bytes, size);
}
