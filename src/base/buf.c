/* SPDX-License-Identifier: Apache-2.0 */
/* Growable byte buffers. A failed allocation is remembered and reported once, by the caller. */
#include "base/buf.h"
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char buf_empty[1];

int buf_reserve(struct buf *b, size_t more)
{
	size_t need = b->len + more + 1;
	size_t cap = b->cap ? b->cap : 64;
	char *data;

	if (need <= b->cap)
		return 0;
	while (cap < need)
		cap += cap / 2;
	data = realloc(b->cap ? b->data : NULL, cap);
	if (!data || need < more) {
		b->failed = true;
		return TACHO_ENOMEM;
	}
	data[b->len] = 0;
	b->data = data;
	b->cap = cap;
	return 0;
}

int buf_add(struct buf *b, const void *bytes, size_t len)
{
	if (buf_reserve(b, len) < 0)
		return TACHO_ENOMEM;
	if (len)
		memcpy(b->data + b->len, bytes, len);
	b->len += len;
	b->data[b->len] = 0;
	return 0;
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

/* Most texts fit in what is free already, so they are formatted once. */
int buf_addf(struct buf *b, const char *format, ...)
{
	va_list args, again;
	size_t room;
	int n;

	if (buf_reserve(b, 32) < 0)
		return TACHO_ENOMEM;
	room = b->cap - b->len;
	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(b->data + b->len, room, format, args);
	va_end(args);
	if (n >= 0 && (size_t)n >= room && buf_reserve(b, (size_t)n) == 0)
		vsnprintf(b->data + b->len, (size_t)n + 1, format, again);
	va_end(again);
	if (n < 0 || b->cap - b->len <= (size_t)n) {
		b->data[b->len] = 0;
		b->failed = true;
		return TACHO_ENOMEM;
	}
	b->len += (size_t)n;
	return 0;
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->cap)
		b->data[0] = 0;
}

void buf_free(struct buf *b)
{
	if (b->cap)
		free(b->data);
	*b = (struct buf)BUF_INIT;
}

char *buf_detach(struct buf *b)
{
	char *data = NULL;

	if (!b->failed && buf_reserve(b, 0) == 0) {
		data = b->data;
		*b = (struct buf)BUF_INIT;
	}
	buf_free(b);
	return data;
}
