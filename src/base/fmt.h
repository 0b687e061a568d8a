/* Numbers for people. The one place that decides how a duration, a size or a count looks. */
#ifndef BASE_FMT_H
#define BASE_FMT_H

#include <stddef.h>
#include <stdint.h>

#define FMT_SIZE 40

/* All write into TEXT (FMT_SIZE bytes) and return it. */
char *fmt_ns(char *text, double ns);         /* 812 ns, 1.234 us, 45.67 ms, 3.210 s */
char *fmt_count(char *text, uint64_t n);     /* 1,234,567 */
char *fmt_bytes(char *text, double bytes);   /* 512 B, 1.50 KiB, 12.0 MiB */

/*
 * The shortest decimal that reads back as the same double; "NaN" and infinities give NULL, since
 * JSON has no word for them.
 */
char *fmt_double(char *text, double value);

#endif
