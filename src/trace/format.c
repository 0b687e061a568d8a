/* SPDX-License-Identifier: Apache-2.0 */
/* Variable-length integers and strings of the file. */
#include "trace/format.h"

void add_varint(struct buf *b, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	while (v >= 0x80) {
		bytes[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	bytes[n++] = (uint8_t)v;
	buf_add(b, bytes, n);
}

void format_string_add(struct buf *b, const char *s, size_t len)
{
	add_varint(b, len);
	buf_add(b, s, len);
}

uint64_t in_varint(struct in *in)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte;

		if (in->p == in->end)
			break;
		byte = *in->p++;
		if (shift == 63 && byte > 1)
			break;
		v |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	in->bad = true;
	in->p = in->end;
	return 0;
}

uint64_t in_limited(struct in *in, uint64_t limit)
{
	uint64_t v = in_varint(in);

	if (v <= limit)
		return v;
	in->bad = true;
	in->p = in->end;
	return 0;
}

uint8_t in_byte(struct in *in)
{
	const uint8_t *p = format_in_bytes(in, 1);

	return p ? *p : 0;
}

const uint8_t *format_in_bytes(struct in *in, size_t len)
{
	const uint8_t *p = in->p;

	if (in->bad || len > in_left(in)) {
		in->bad = true;
		in->p = in->end;
		return NULL;
	}
	in->p += len;
	return p;
}
