/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a program: phases that overlap freely. */
#include "client/client.h"
#include "client/kept.h"

#include <tacho/tacho.h>

/* The numbers of enum trace_section_op. */
enum section_op { SECTION_ENTER, SECTION_LEAVE, SECTION_NAME };

static void section_emit(uint64_t word, const char *text, size_t len)
{
	struct thread *t = thread_current();

	if (t)
		record_emit(t, RING_SECTION, &word, 1, text, len);
}

TACHO_API uint32_t tacho_section_enter(unsigned category, const char *text, size_t len)
{
	static uint32_t last;
	uint32_t id = 0;

	if (!tacho_is_recording())
		return 0;
	while (!id) /* 0 is not a section */
		id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	section_emit(RING_SECTION_WORD(id, category & 0xffff, SECTION_ENTER), text, len);
	return id;
}

TACHO_API void tacho_section_leave(uint32_t section)
{
	if (section && tacho_is_recording())
		section_emit(RING_SECTION_WORD(section, 0, SECTION_LEAVE), "", 0);
}

TACHO_API void tacho_section_name(unsigned category, const char *name, size_t len)
{
	uint64_t word = RING_SECTION_WORD(0, category & 0xffff, SECTION_NAME);

	kept_add(RING_SECTION, &word, 1, name, len);
	section_emit(word, name, len);
}
