/* SPDX-License-Identifier: Apache-2.0 */
/* Attach text and values to the open zone. */
#include "client/client.h"

#include <stdarg.h>
#include <string.h>
#include <tacho/tacho.h>

#include "client/format.h"

/* The thread to attach something to ZONE; NULL if the zone is not in the current recording. */
static struct thread *zone_thread_of(struct tacho_zone zone)
{
	if (!zone.session || zone.session != tacho_key() >> 32)
		return NULL;
	return thread_current();
}

static void attach_text(struct tacho_zone zone, unsigned type, const char *text, size_t len)
{
	struct thread *t = zone_thread_of(zone);
	uint64_t id = zone.word >> 2;

	if (t)
		record_emit(t, type, &id, 1, text, len);
}

static void attach_format(struct tacho_zone zone, unsigned type, const char *format, va_list args)
{
	struct formatted f;

	if (!zone_thread_of(zone))
		return;
	formatted_make(&f, format, args);
	attach_text(zone, type, f.text, f.len);
	formatted_free(&f);
}

static void attach_word(struct tacho_zone zone, unsigned type, uint64_t word)
{
	struct thread *t = zone_thread_of(zone);
	uint64_t words[2] = {zone.word >> 2, word};

	if (t)
		record_emit(t, type, words, 2, NULL, 0);
}

TACHO_API void tacho_zone_text(struct tacho_zone zone, const char *text, size_t len)
{
	attach_text(zone, RING_ZONE_TEXT, text, len);
}

TACHO_API void tacho_zone_textf(struct tacho_zone zone, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	attach_format(zone, RING_ZONE_TEXT, format, args);
	va_end(args);
}

TACHO_API void tacho_zone_vtextf(struct tacho_zone zone, const char *format, va_list args)
{
	attach_format(zone, RING_ZONE_TEXT, format, args);
}

TACHO_API void tacho_zone_name(struct tacho_zone zone, const char *text, size_t len)
{
	attach_text(zone, RING_ZONE_NAME, text, len);
}

TACHO_API void tacho_zone_namef(struct tacho_zone zone, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	attach_format(zone, RING_ZONE_NAME, format, args);
	va_end(args);
}

TACHO_API void tacho_zone_vnamef(struct tacho_zone zone, const char *format, va_list args)
{
	attach_format(zone, RING_ZONE_NAME, format, args);
}

TACHO_API void tacho_zone_color(struct tacho_zone zone, uint32_t color)
{
	attach_word(zone, RING_ZONE_COLOR, color & 0xffffff);
}

TACHO_API void tacho_zone_value(struct tacho_zone zone, uint64_t value)
{
	attach_word(zone, RING_ZONE_VALUE, value);
}

void zone_stack(struct tacho_zone zone, unsigned depth, const void *caller)
{
	struct thread *t = zone_thread_of(zone);
	uint64_t id = t ? stack_capture(t, depth, caller) : 0;

	if (id)
		attach_word(zone, RING_ZONE_STACK, id);
}

TACHO_API void tacho_zone_stack(struct tacho_zone zone, unsigned depth)
{
	zone_stack(zone, depth, __builtin_return_address(0));
}

TACHO_API struct tacho_zone tacho_zone_begin_runtime(const char *name, size_t len,
						     const char *function, const char *file,
						     uint32_t line, uint32_t color)
{
	static struct tacho_srcloc generic = {"(too many names)", NULL, NULL, 0, 0, 0, 0};
	struct tacho_zone zone = {0, 0};
	uint32_t id;

	if (!tacho_is_recording())
		return zone;
	id = names_srcloc_runtime(name, len, function, file, line, color);
	if (id)
		return tacho_zone_begin_id(id);
	zone = tacho_zone_begin(&generic);
	if (name && len)
		tacho_zone_name(zone, name, len);
	else if (function)
		tacho_zone_name(zone, function, strlen(function));
	return zone;
}
