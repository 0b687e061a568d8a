/* SPDX-License-Identifier: Apache-2.0 */
/* tacho.h with TACHO_DISABLE: the same names, without effect. Not an interface. */
#ifndef TACHO_DISABLE_H
#define TACHO_DISABLE_H

struct tacho_srcloc {
	const char *name;
};
struct tacho_zone {
	uint32_t word;
};
#define TACHO_SRCLOC(name, color) \
	{                         \
		name              \
	}

#define TACHO_FUNCTION()                          (void)0
#define TACHO_ZONE(name)                          (void)0
#define TACHO_ZONE_C(name, color)                 (void)0
#define TACHO_STACK_MAX                           62
#define TACHO_ZONE_STACK(name)                    (void)0
#define TACHO_ZONE_RUNTIME(text)                  (void)0
#define TACHO_ZONE_AS(var, name, color)           __attribute__((unused)) struct tacho_zone var = {0}
#define TACHO_ZONE_TEXT(text, len)                (void)0
#define TACHO_ZONE_TEXTF(...)                     (void)0
#define TACHO_ZONE_NAME(text, len)                (void)0
#define TACHO_ZONE_NAMEF(...)                     (void)0
#define TACHO_ZONE_COLOR(color)                   (void)0
#define TACHO_ZONE_VALUE(value)                   (void)0
#define TACHO_MESSAGE(literal)                    (void)0
#define TACHO_MESSAGE_C(literal, severity, color) (void)0
#define TACHO_MESSAGEF(...)                       (void)0
#define TACHO_PLOT(name, value)                   (void)0
#define TACHO_PLOT_REAL(name, value)              (void)0
#define TACHO_LOCK_MARK(lock)                     (void)0

#define TACHO_NOTHING_ static inline __attribute__((always_inline, unused))

TACHO_NOTHING_ int tacho_is_recording(void)
{
	return 0;
}
TACHO_NOTHING_ uint32_t tacho_srcloc_make(const char *name, const char *function, const char *file,
					  uint32_t line, uint32_t color)
{
	(void)name, (void)function, (void)file, (void)line, (void)color;
	return 0;
}
TACHO_NOTHING_ struct tacho_zone tacho_zone_begin(struct tacho_srcloc *loc)
{
	struct tacho_zone none = {0};

	(void)loc;
	return none;
}
TACHO_NOTHING_ struct tacho_zone tacho_zone_begin_id(uint32_t id)
{
	struct tacho_zone none = {0};

	(void)id;
	return none;
}
TACHO_NOTHING_ struct tacho_zone tacho_zone_begin_runtime(const char *name, size_t len,
							  const char *function, const char *file,
							  uint32_t line, uint32_t color)
{
	struct tacho_zone none = {0};

	(void)name, (void)len, (void)function, (void)file, (void)line, (void)color;
	return none;
}
TACHO_NOTHING_ struct tacho_zone tacho_zone_current(void)
{
	struct tacho_zone none = {0};

	return none;
}

#define TACHO_NOTHING_1_(name, a)     \
	TACHO_NOTHING_ void name(a x) \
	{                             \
		(void)x;              \
	}
#define TACHO_NOTHING_2_(name, a, b)       \
	TACHO_NOTHING_ void name(a x, b y) \
	{                                  \
		(void)x, (void)y;          \
	}
#define TACHO_NOTHING_3_(name, a, b, c)         \
	TACHO_NOTHING_ void name(a x, b y, c z) \
	{                                       \
		(void)x, (void)y, (void)z;      \
	}
#define TACHO_NOTHING_4_(name, a, b, c, d)           \
	TACHO_NOTHING_ void name(a x, b y, c z, d w) \
	{                                            \
		(void)x, (void)y, (void)z, (void)w;  \
	}

TACHO_NOTHING_1_(tacho_zone_end, struct tacho_zone)
TACHO_NOTHING_3_(tacho_zone_text, struct tacho_zone, const char *, size_t)
TACHO_NOTHING_3_(tacho_zone_name, struct tacho_zone, const char *, size_t)
TACHO_NOTHING_2_(tacho_zone_color, struct tacho_zone, uint32_t)
TACHO_NOTHING_2_(tacho_zone_value, struct tacho_zone, uint64_t)
TACHO_NOTHING_2_(tacho_zone_stack, struct tacho_zone, unsigned)
TACHO_NOTHING_4_(tacho_message, const char *, size_t, unsigned, uint32_t)
TACHO_NOTHING_2_(tacho_signpost, const char *, const char *)
TACHO_NOTHING_2_(tacho_app_info, const char *, size_t)
TACHO_NOTHING_1_(tacho_frame, const char *)
TACHO_NOTHING_1_(tacho_frame_start, const char *)
TACHO_NOTHING_1_(tacho_frame_stop, const char *)
TACHO_NOTHING_ void tacho_frame_image(const void *rgba, unsigned width, unsigned height,
				      unsigned offset, int flip)
{
	(void)rgba, (void)width, (void)height, (void)offset, (void)flip;
}
TACHO_NOTHING_ uint32_t tacho_section_enter(unsigned category, const char *text, size_t len)
{
	(void)category, (void)text, (void)len;
	return 0;
}
TACHO_NOTHING_1_(tacho_section_leave, uint32_t)
TACHO_NOTHING_3_(tacho_section_name, unsigned, const char *, size_t)
TACHO_NOTHING_4_(tacho_parameter, uint32_t, const char *, enum tacho_parameter_type, int32_t)
TACHO_NOTHING_ int tacho_parameter_next(uint32_t *number, int32_t *value)
{
	(void)number, (void)value;
	return 0;
}
TACHO_NOTHING_2_(tacho_plot_int, const char *, int64_t)
TACHO_NOTHING_2_(tacho_plot_float, const char *, float)
TACHO_NOTHING_2_(tacho_plot_double, const char *, double)
TACHO_NOTHING_4_(tacho_plot_config, const char *, unsigned, unsigned, uint32_t)
TACHO_NOTHING_3_(tacho_alloc, const char *, const void *, size_t)
TACHO_NOTHING_2_(tacho_free, const char *, const void *)
TACHO_NOTHING_1_(tacho_discard, const char *)
TACHO_NOTHING_4_(tacho_alloc_stack, const char *, const void *, size_t, unsigned)
TACHO_NOTHING_3_(tacho_free_stack, const char *, const void *, unsigned)
TACHO_NOTHING_ void tacho_message_stack(const char *text, size_t len, unsigned severity,
					uint32_t color, unsigned depth)
{
	(void)text, (void)len, (void)severity, (void)color, (void)depth;
}
TACHO_NOTHING_2_(tacho_lock_event, struct tacho_lock *, enum tacho_lock_op)
TACHO_NOTHING_3_(tacho_lock_name, struct tacho_lock *, const char *, size_t)
TACHO_NOTHING_1_(tacho_lock_gone, struct tacho_lock *)
TACHO_NOTHING_1_(tacho_thread_name, const char *)
TACHO_NOTHING_1_(tacho_fiber_enter, const char *)
TACHO_NOTHING_ void tacho_fiber_leave(void)
{
}
TACHO_NOTHING_ void tacho_seal(void)
{
}
static inline __attribute__((unused, format(printf, 2, 3))) void
tacho_zone_textf(struct tacho_zone zone, const char *format, ...)
{
	(void)zone, (void)format;
}
static inline __attribute__((unused, format(printf, 2, 3))) void
tacho_zone_namef(struct tacho_zone zone, const char *format, ...)
{
	(void)zone, (void)format;
}
static inline __attribute__((unused, format(printf, 3, 4))) void
tacho_messagef(unsigned severity, uint32_t color, const char *format, ...)
{
	(void)severity, (void)color, (void)format;
}

static inline __attribute__((unused, format(printf, 2, 0))) void
tacho_zone_vtextf(struct tacho_zone zone, const char *format, va_list args)
{
	(void)zone, (void)format, (void)args;
}
static inline __attribute__((unused, format(printf, 2, 0))) void
tacho_zone_vnamef(struct tacho_zone zone, const char *format, va_list args)
{
	(void)zone, (void)format, (void)args;
}

#ifdef __cplusplus
namespace tacho
{
TACHO_NOTHING_ void signpost(const char *header, const char *message = nullptr)
{
	(void)header, (void)message;
}
} // namespace tacho
#endif

#undef TACHO_NOTHING_
#undef TACHO_NOTHING_1_
#undef TACHO_NOTHING_2_
#undef TACHO_NOTHING_3_
#undef TACHO_NOTHING_4_

#endif
