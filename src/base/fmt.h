/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for people. The one place that decides how a duration, a size or a count looks. */
#ifndef BASE_FMT_H
#define BASE_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FMT_SIZE       40
#define FMT_FIXED_SIZE 440

/* All write into TEXT (FMT_SIZE bytes) and return it. */
char *fmt_ns(char *text, double ns);    /* 812 ns, 1.234 us, 45.67 ms, 3.210 s */
char *fmt_uint(char *text, uint64_t n); /* 1234567, many times faster than printf */
char *fmt_int(char *text, int64_t n);
char *fmt_count(char *text, uint64_t n);   /* 1,234,567 */
char *fmt_bytes(char *text, double bytes); /* 512 B, 1.50 KiB, 12.0 MiB */

/*
 * The shortest decimal that reads back as the same double; "NaN" and infinities give NULL, since
 * JSON has no word for them.
 */
char *fmt_double(char *text, double value);

/* The same as Python prints a float: 7168.0, 1.5e-05, nan, inf. Never NULL. */
char *fmt_python(char *text, double value);

/*
 * With DECIMALS (0 to 3) places and thousands commas: 1,234.5. Rounds the exact value half to even,
 * as printf does, at a fraction of its cost. TEXT has FMT_FIXED_SIZE bytes; returns the length.
 */
size_t fmt_fixed(char *text, double value, int decimals);

#endif
