#include "base/utf8.h"

#include <stdint.h>

size_t utf8_char(const char *text, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	uint32_t code;
	size_t n;

	if (len == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
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
	return n;
}
