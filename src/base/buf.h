/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growable byte string. Always NUL-terminated, so buf.data is a C string if the content has no
 * NUL. Start with "struct buf b = BUF_INIT", end with buf_free(). Growing never fails halfway: on
 * TACHO_ENOMEM the content is unchanged. buf.failed stays set, so a caller that appends many pieces
 * may check once.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;
	size_t len;
	size_t cap;
	bool failed;
};

extern char buf_empty[1];
#define BUF_INIT                  \
	{                         \
		.data = buf_empty \
	}

/* Reserves room for MORE bytes; the caller may then write to data + len directly. */
int buf_reserve(struct buf *b, size_t more);
int buf_add(struct buf *b, const void *bytes, size_t len);
int buf_adds(struct buf *b, const char *s);
static inline int buf_addc(struct buf *b, char c)
{
	if (b->len + 1 >= b->cap)
		return buf_add(b, &c, 1);
	b->data[b->len++] = c;
	b->data[b->len] = 0;
	return 0;
}
int buf_addf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_reset(struct buf *b);
void buf_free(struct buf *b);

/* Takes the content out as a malloc()ed string; B is empty then. NULL when growing had failed. */
char *buf_detach(struct buf *b);

#endif
