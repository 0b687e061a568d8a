/* SPDX-License-Identifier: Apache-2.0 */
/* Decode UTF-8 and recognise control characters. */
#include "base/utf8.h"

#include <stdbool.h>

/* As utf8_char(); *CODE is untouched when there is none. */
static size_t utf8_decode(const char *text, size_t len, uint32_t *out)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	uint32_t code;
	size_t n;

	if (len == 0)
		return 0;
	if (s[0] < 0x80) {
		*out = s[0];
		return 1;
	}
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	code = s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*out = code;
	return n;
}

size_t utf8_char(const char *text, size_t len)
{
	uint32_t code;

	return utf8_decode(text, len, &code);
}

static bool utf8_is_control(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad}, {0x061c, 0x061c},
		{0x180e, 0x180e},   {0x200b, 0x200b},   {0x200e, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb}, {0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a}, {0xe0000, 0xe007f},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code <= ranges[i].last)
			return code >= ranges[i].first;
	return false;
}

size_t utf8_control(const char *text, size_t len, uint32_t *code)
{
	uint32_t found;
	size_t n = utf8_decode(text, len, &found);

	if (!n || !utf8_is_control(found))
		return 0;
	*code = found;
	return n;
}
