/* SPDX-License-Identifier: Apache-2.0 */
/* Only the memory functions. memcpy() and memset() are in every kernel (firmware/src/kernel.c). */
#ifndef TACHO_STD_STRING_H
#define TACHO_STD_STRING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *memcpy(void *to, const void *from, size_t len);
void *memset(void *to, int value, size_t len);

static inline void *memmove(void *to, const void *from, size_t len)
{
	unsigned char *t = (unsigned char *)to;
	const unsigned char *f = (const unsigned char *)from;

	if (t <= f)
		for (size_t i = 0; i < len; i++)
			t[i] = f[i];
	else
		while (len--)
			t[len] = f[len];
	return to;
}

static inline int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;

	for (size_t i = 0; i < len; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

#ifdef __cplusplus
}
#endif
#endif
