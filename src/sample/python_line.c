/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the line tables of Python's code objects; each version has its own format. */
#include "sample/python.h"

struct table {
	const uint8_t *at, *end;
};

static uint32_t table_varint(struct table *t)
{
	uint32_t v = 0;

	for (unsigned shift = 0; t->at < t->end && shift < 32; shift += 6) {
		uint8_t byte = *t->at++;

		v |= (uint32_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return v;
}

/* 3.11 and later: entries of a head byte and 0 to many others, for 1 to 8 code units each. */
static uint32_t line_by_locations(struct table t, uint32_t line, int32_t offset)
{
	int32_t at = 0;

	while (t.at < t.end) {
		uint8_t head = *t.at++;
		unsigned code = head >> 3 & 15;

		at += ((head & 7) + 1) * 2;
		if (code < 10) {
			t.at += 1;
		} else if (code < 13) {
			line += code - 10;
			t.at += 2;
		} else if (code < 15) {
			uint32_t v = table_varint(&t);

			line += v & 1 ? -(v >> 1) : v >> 1;
			for (int i = 0; code == 14 && i < 3; i++)
				table_varint(&t);
		}
		if (offset < at)
			return line;
	}
	return line;
}

/* 3.10: pairs of bytes of code and a line's difference, -128 for none. */
static uint32_t line_by_ranges(struct table t, uint32_t line, int32_t offset)
{
	int32_t at = 0;

	for (; t.end - t.at >= 2; t.at += 2) {
		int8_t delta = (int8_t)t.at[1];

		if (delta != -128)
			line += (uint32_t)delta;
		at += t.at[0];
		if (offset < at)
			return line;
	}
	return line;
}

/* 3.9: pairs of differences; a line begins where they add up to. */
static uint32_t line_by_starts(struct table t, uint32_t line, int32_t offset)
{
	int32_t at = 0;

	for (; t.end - t.at >= 2; t.at += 2) {
		at += t.at[0];
		if (at > offset)
			return line;
		line += (uint32_t)(int8_t)t.at[1];
	}
	return line;
}

uint32_t python_line(uint16_t version, const uint8_t *table, size_t len, uint32_t first_line,
		     int32_t offset)
{
	struct table t = {table, table + len};

	if (offset < 0)
		return first_line;
	if (version >= 0x030b)
		return line_by_locations(t, first_line, offset);
	return version == 0x030a ? line_by_ranges(t, first_line, offset)
				 : line_by_starts(t, first_line, offset);
}
