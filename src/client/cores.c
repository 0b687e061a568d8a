/* SPDX-License-Identifier: Apache-2.0 */
/* Device zones: records that carry their own time. */
#include "client/client.h"

#include <string.h>
#include <tacho/cores.h>

TACHO_API void tacho_core_name(uint64_t core, const char *name, uint32_t color)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {core, color & 0xffffff};

	if (t)
		record_emit(t, RING_CORE, words, 2, name, strlen(name));
}

TACHO_API void tacho_core_begin(uint64_t core, uint32_t srcloc, uint64_t ticks, uint64_t value)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {core, srcloc, ticks, value};

	if (t)
		record_emit(t, RING_CORE_BEGIN, words, 4, NULL, 0);
}

TACHO_API void tacho_core_end(uint64_t core, uint32_t srcloc, uint64_t ticks)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {core, srcloc, ticks};

	if (t)
		record_emit(t, RING_CORE_END, words, 3, NULL, 0);
}

TACHO_API void tacho_core_value(uint64_t core, uint32_t srcloc, uint64_t value)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {core, srcloc, value};

	if (t)
		record_emit(t, RING_CORE_VALUE, words, 3, NULL, 0);
}

TACHO_API void tacho_core_marker(uint64_t core, const struct tacho_marker *m)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {
		core,        m->srcloc | (uint64_t)m->kind << 32 | (uint64_t)m->values << 40,
		m->ticks,    m->cycle,
		m->value[0], m->value[1]};

	if (t)
		record_emit(t, RING_CORE_MARKER, words, 6, NULL, 0);
}

TACHO_API int tacho_core_op(uint64_t id, uint64_t device_hit, uint64_t hash, const char *text,
			    size_t len)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {id, device_hit, hash};

	return t && record_emit(t, RING_OP, words, 3, text, len) &&
	       client_control->policy != RING_OVERWRITE;
}

TACHO_API void tacho_core_trace(uint64_t trace, uint64_t device_step, uint64_t op)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {trace, device_step, op};

	if (t)
		record_emit(t, RING_OP_TRACE, words, 3, NULL, 0);
}

TACHO_API void tacho_device_describe(unsigned device, const char *json, size_t len)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t word = device;

	if (t)
		record_emit(t, RING_DEVICE, &word, 1, json, len);
}

TACHO_API void tacho_core_lost(uint64_t core, uint64_t ticks, uint64_t markers)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {core, ticks, markers};

	if (t)
		record_emit(t, RING_CORE_LOSS, words, 3, NULL, 0);
}

TACHO_API void tacho_core_damaged(uint64_t core, uint64_t ticks, uint64_t markers)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {core, ticks, markers};

	if (t)
		record_emit(t, RING_CORE_DAMAGE, words, 3, NULL, 0);
}

TACHO_API void tacho_device_clock(uint32_t device, uint64_t ticks, uint64_t cycles,
				  uint64_t bound_ns, uint32_t mhz)
{
	struct thread *t = tacho_is_recording() ? thread_current() : NULL;
	uint64_t words[] = {device, ticks, cycles, bound_ns, mhz};

	if (t)
		record_emit(t, RING_DEVICE_CLOCK, words, 5, NULL, 0);
}
