/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as it comes from outside: perhaps not UTF-8 at all. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of the character that starts at TEXT (LEN bytes are readable), or 0 when none does: a stray
 * or missing continuation byte, an overlong form, a surrogate, a value above U+10FFFF.
 */
size_t utf8_char(const char *text, size_t len);

/*
 * Bytes of the character that starts at TEXT if it is not to be shown as it is: it moves the cursor
 * (C0, DEL, C1, separators of lines and paragraphs), turns the direction of what is around it, or
 * cannot be seen. *CODE is its number. 0: another one, or none at all. The joiners of scripts and
 * emoji (U+200C, U+200D) are others.
 */
size_t utf8_control(const char *text, size_t len, uint32_t *code);

#endif
