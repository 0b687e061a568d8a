#include "client/client.h"

#include <tacho/tacho.h>

TACHO_API void tacho_message(const char *text, size_t len, unsigned severity, uint32_t color)
{
	struct thread *t = thread_current();
	uint64_t word = (color & 0xffffff) | (uint64_t)severity << 32;

	if (t)
		record_emit(t, RING_MESSAGE, &word, 1, text, len);
}
