/* SPDX-License-Identifier: Apache-2.0 */
/* printf-style texts of events: on the stack if short, else in their own memory. */
#include "client/format.h"
#include "client/client.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

void formatted_make(struct formatted *f, const char *format, va_list args)
{
	int error = errno;
	va_list again;
	char *pages;
	int n;

	va_copy(again, args);
	f->text = f->buffer;
	f->mapped = 0;
	n = vsnprintf(f->buffer, sizeof(f->buffer), format, args);
	f->len = n < 0 ? 0 : (size_t)n;
	if (f->len >= sizeof(f->buffer)) {
		pages = client_is_sealed() ? MAP_FAILED
					   : mmap(NULL, f->len + 1, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pages == MAP_FAILED) {
			f->len = sizeof(f->buffer) - 1;
		} else {
			f->mapped = f->len + 1;
			f->text = pages;
			vsnprintf(pages, f->mapped, format, again);
		}
	}
	va_end(again);
	errno = error;
}

void formatted_free(struct formatted *f)
{
	int error = errno;

	if (f->mapped)
		munmap(f->text, f->mapped);
	errno = error;
}
