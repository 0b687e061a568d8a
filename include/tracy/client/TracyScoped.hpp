/* SPDX-License-Identifier: Apache-2.0 */
/* tracy::ScopedZone: a zone that ends with its scope. */
#ifndef TACHO_TRACY_SCOPED_HPP
#define TACHO_TRACY_SCOPED_HPP
#ifdef TRACY_ENABLE

#include "../TracyC.h"
#include "TracyProfiler.hpp"

#include <stdarg.h>

namespace tracy
{
class ScopedZone
{
public:
	ScopedZone(const ScopedZone &) = delete;
	ScopedZone(ScopedZone &&) = delete;
	ScopedZone &operator=(const ScopedZone &) = delete;
	ScopedZone &operator=(ScopedZone &&) = delete;

	/* For the macros: as fast as a zone of tacho.h. */
	__attribute__((always_inline)) ScopedZone(struct tacho_srcloc *loc, bool active)
	    : zone_(active ? tacho_zone_begin(loc) : tacho_zone{0, 0})
	{
	}

	/* A location in read-only data is looked up by its content. */
	explicit ScopedZone(const SourceLocationData *srcloc, bool active = true)
	    : zone_(begin(srcloc, active))
	{
	}
	ScopedZone(const SourceLocationData *srcloc, int depth, bool active = true)
	    : zone_(begin(srcloc, active))
	{
		if (depth > 0)
			tacho_zone_stack(zone_, (unsigned)depth);
	}

	ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function,
		   size_t functionSz, const char *name, size_t nameSz, bool active = true)
	    : zone_(begin(line, source, sourceSz, function, functionSz, name, nameSz, 0, active))
	{
	}
	ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function,
		   size_t functionSz, const char *name, size_t nameSz, int depth,
		   bool active = true)
	    : zone_(begin(line, source, sourceSz, function, functionSz, name, nameSz, 0, active))
	{
		if (depth > 0)
			tacho_zone_stack(zone_, (unsigned)depth);
	}
	ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function,
		   size_t functionSz, const char *name, size_t nameSz, uint32_t color, int depth,
		   bool active = true)
	    : zone_(begin(line, source, sourceSz, function, functionSz, name, nameSz, color,
			  active))
	{
		if (depth > 0)
			tacho_zone_stack(zone_, (unsigned)depth);
	}

	__attribute__((always_inline)) ~ScopedZone()
	{
		tacho_zone_end(zone_);
	}

	struct tacho_zone Handle() const
	{
		return zone_;
	}

	void Text(const char *text, size_t size)
	{
		tacho_zone_text(zone_, text, size);
	}
	void TextFmt(const char *format, ...) __attribute__((format(printf, 2, 3)))
	{
		va_list args;

		va_start(args, format);
		tacho_zone_vtextf(zone_, format, args);
		va_end(args);
	}
	void Name(const char *text, size_t size)
	{
		tacho_zone_name(zone_, text, size);
	}
	void NameFmt(const char *format, ...) __attribute__((format(printf, 2, 3)))
	{
		va_list args;

		va_start(args, format);
		tacho_zone_vnamef(zone_, format, args);
		va_end(args);
	}
	void Color(uint32_t color)
	{
		tacho_zone_color(zone_, color);
	}
	void Value(uint64_t value)
	{
		tacho_zone_value(zone_, value);
	}
	bool IsActive() const
	{
		return zone_.session != 0;
	}

private:
	static struct tacho_zone begin(const SourceLocationData *s, bool active)
	{
		if (!active || !tacho_is_recording())
			return tacho_zone{0, 0};
		return tacho_zone_begin_runtime(s->name, s->name ? strlen(s->name) : 0, s->function,
						s->file, s->line, s->color);
	}
	static struct tacho_zone begin(uint32_t line, const char *source, size_t sourceSz,
				       const char *function, size_t functionSz, const char *name,
				       size_t nameSz, uint32_t color, bool active)
	{
		uint64_t loc;

		if (!active || !tacho_is_recording())
			return tacho_zone{0, 0};
		loc = ___tracy_alloc_srcloc_name(line, source, sourceSz, function, functionSz, name,
						 nameSz, color);
		return tacho_tracy_zone(___tracy_emit_zone_begin_alloc(loc, 1));
	}
	struct tacho_zone zone_;
};
} // namespace tracy

#define TACHO_TRACY_SCOPE_(varname, name, color, depth, active)                     \
	static struct tacho_srcloc TracyConcat(tacho_tracy_loc_, varname) = {       \
		name, TracyFunction, TracyFile, (uint32_t)TracyLine, color, 0, 0};  \
	tracy::ScopedZone varname(&TracyConcat(tacho_tracy_loc_, varname), active); \
	/* not in a function: an inlined one would be a frame of the stack */       \
	((depth) > 0 ? tacho_zone_stack(varname.Handle(), (unsigned)(depth)) : (void)0)

#define TACHO_TRACY_TRANSIENT_(varname, name, size, color, depth, active)            \
	tracy::ScopedZone varname((uint32_t)TracyLine, TracyFile, strlen(TracyFile), \
				  TracyFunction, strlen(TracyFunction), name, size,  \
				  (uint32_t)(color), depth, active)

#endif /* TRACY_ENABLE */
#endif
