/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, plots, memory: records of a name and some numbers. */
#include "client/client.h"
#include "client/kept.h"

#include <string.h>
#include <tacho/tacho.h>

static void value_emit(unsigned type, uint64_t name, uint64_t a, uint64_t b, unsigned count)
{
	struct thread *t = thread_current();
	uint64_t words[3] = {name, a, b};

	if (t)
		record_emit(t, type, words, count, NULL, 0);
}

static uint64_t name_or_0(const char *name)
{
	return name ? names_intern(name) : 0;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t name_id(struct tacho_name *name)
{
	uint32_t id = __atomic_load_n(&name->id, __ATOMIC_RELAXED);

	return id ? id : tacho_name_register(name);
}

/* ----------------------------------------------------------------- frames */

TACHO_API void tacho_frame(const char *name)
{
	if (tacho_is_recording())
		value_emit(RING_FRAME, name_or_0(name), RING_FRAME_MARK, 0, 2);
}

TACHO_API void tacho_frame_start(const char *name)
{
	if (tacho_is_recording())
		value_emit(RING_FRAME, name_or_0(name), RING_FRAME_START, 0, 2);
}

TACHO_API void tacho_frame_stop(const char *name)
{
	if (tacho_is_recording())
		value_emit(RING_FRAME, name_or_0(name), RING_FRAME_STOP, 0, 2);
}

/* ------------------------------------------------------------------ plots */

TACHO_API void tacho_plot_int(const char *name, int64_t value)
{
	if (tacho_is_recording())
		value_emit(RING_PLOT_INT, names_intern(name), (uint64_t)value, 0, 2);
}

TACHO_API void tacho_plot_double(const char *name, double value)
{
	if (tacho_is_recording())
		value_emit(RING_PLOT_REAL, names_intern(name), bits_of(value), 0, 2);
}

TACHO_API void tacho_plot_float(const char *name, float value)
{
	tacho_plot_double(name, (double)value);
}

TACHO_API void tacho_plot_point_int(struct tacho_name *name, int64_t value)
{
	if (tacho_is_recording())
		value_emit(RING_PLOT_INT, name_id(name), (uint64_t)value, 0, 2);
}

TACHO_API void tacho_plot_point_real(struct tacho_name *name, double value)
{
	if (tacho_is_recording())
		value_emit(RING_PLOT_REAL, name_id(name), bits_of(value), 0, 2);
}

TACHO_API void tacho_plot_config(const char *name, unsigned format, unsigned flags, uint32_t color)
{
	uint64_t words[3] = {0, (format & 0xff) | flags << 8, color & 0xffffff};

	if (!client_process)
		return;
	words[0] = names_intern(name);
	kept_add(RING_PLOT_CONFIG, words, 3, NULL, 0);
	value_emit(RING_PLOT_CONFIG, words[0], words[1], words[2], 3);
}

/* ----------------------------------------------------------------- memory */

TACHO_API void tacho_alloc(const char *pool, const void *address, size_t size)
{
	if (tacho_is_recording())
		value_emit(RING_ALLOC, name_or_0(pool), (uint64_t)(uintptr_t)address, size, 3);
}

TACHO_API void tacho_free(const char *pool, const void *address)
{
	if (tacho_is_recording())
		value_emit(RING_FREE, name_or_0(pool), (uint64_t)(uintptr_t)address, 0, 2);
}

TACHO_API void tacho_discard(const char *pool)
{
	if (pool && tacho_is_recording())
		value_emit(RING_DISCARD, name_or_0(pool), 0, 0, 1);
}

void memory_stack(unsigned type, const char *pool, const void *address, size_t size, unsigned depth,
		  const void *caller)
{
	struct thread *t = thread_current();
	uint64_t words[4] = {name_or_0(pool), (uint64_t)(uintptr_t)address, size};
	unsigned count = type == RING_ALLOC ? 3 : 2;

	if (!t)
		return;
	words[count] = stack_capture(t, depth, caller);
	record_emit(t, type, words, count + (words[count] != 0), NULL, 0);
}

TACHO_API void tacho_alloc_stack(const char *pool, const void *address, size_t size, unsigned depth)
{
	if (tacho_is_recording())
		memory_stack(RING_ALLOC, pool, address, size, depth, __builtin_return_address(0));
}

TACHO_API void tacho_free_stack(const char *pool, const void *address, unsigned depth)
{
	if (tacho_is_recording())
		memory_stack(RING_FREE, pool, address, 0, depth, __builtin_return_address(0));
}
