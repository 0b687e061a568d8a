/* SPDX-License-Identifier: Apache-2.0 */
/* Private: printf without malloc: on the stack, or in its own pages if long. */
#ifndef CLIENT_FORMAT_H
#define CLIENT_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

struct formatted {
	char *text; /* never NULL */
	size_t len;
	size_t mapped; /* bytes, 0: text is buffer */
	char buffer[512];
};

/* Preserves errno. Free with formatted_free(). */
void formatted_make(struct formatted *f, const char *format, va_list args);
void formatted_free(struct formatted *f);

#endif
