/* UTF-8 as it comes from outside: perhaps not UTF-8 at all. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/*
 * Bytes of the character that starts at TEXT (LEN bytes are readable), or 0 when none does: a stray
 * or missing continuation byte, an overlong form, a surrogate, a value above U+10FFFF.
 */
size_t utf8_char(const char *text, size_t len);

#endif
