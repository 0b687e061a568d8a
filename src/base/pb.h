/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes protocol buffers. A message is built in a buffer of its own and put into the outer one by
 * pb_bytes(). Fields of value 0 are left out where readers take 0 for a missing field.
 */
#ifndef BASE_PB_H
#define BASE_PB_H

#include "base/buf.h"
#include "base/utf8.h"

#include <string.h>

static inline void pb_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

/* With 0, for fields whose presence matters. */
static inline void pb_value(struct buf *b, unsigned field, uint64_t v)
{
	pb_varint(b, field << 3);
	pb_varint(b, v);
}

static inline void pb_number(struct buf *b, unsigned field, uint64_t v)
{
	if (v)
		pb_value(b, field, v);
}

static inline void pb_fixed64(struct buf *b, unsigned field, uint64_t v)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(v >> 8 * i);
	pb_varint(b, field << 3 | 1);
	buf_add(b, bytes, sizeof(bytes));
}

static inline void pb_double(struct buf *b, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	pb_fixed64(b, field, bits);
}

static inline void pb_bytes(struct buf *b, unsigned field, const void *bytes, size_t len)
{
	pb_varint(b, field << 3 | 2);
	pb_varint(b, len);
	buf_add(b, bytes, len);
}

/* A string field: what is not UTF-8 becomes U+FFFD, since strict readers refuse the message. */
static inline void pb_string(struct buf *b, unsigned field, const char *text, size_t len)
{
	size_t bad = 0, n;

	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_char(text + i, len - i);
		bad += n == 0;
	}
	pb_varint(b, field << 3 | 2);
	pb_varint(b, len + 2 * bad);
	for (size_t i = 0; i < len && bad; i += n ? n : 1) {
		n = utf8_char(text + i, len - i);
		buf_add(b, n ? text + i : "\xef\xbf\xbd", n ? n : 3);
	}
	if (!bad)
		buf_add(b, text, len);
}

static inline void pb_text(struct buf *b, unsigned field, const char *text)
{
	pb_string(b, field, text, strlen(text));
}

/* Appends the message in INNER as a field, and empties INNER. */
static inline void pb_message(struct buf *b, unsigned field, struct buf *inner)
{
	pb_bytes(b, field, inner->data, inner->len);
	b->failed |= inner->failed;
	buf_reset(inner);
}

#endif
