/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tacho: record what a program does and when.
 *
 *	#include <tacho/tacho.h>
 *
 *	void work(int item)
 *	{
 *		TACHO_FUNCTION();              // a zone: from here to the closing brace
 *		TACHO_ZONE_TEXTF("item %d", item);
 *		TACHO_PLOT("queue", queue_length());
 *		if (!item)
 *			TACHO_MESSAGE("nothing to do");
 *	}
 *
 *	$ cc work.c $(pkg-config --cflags --libs tacho) && tacho run -- ./a.out
 *
 * Rules for everything here:
 *
 *  - While nobody records, a zone or macro costs one load and one branch, a function one call that
 *    returns at once. With TACHO_DISABLE defined before this header, nothing is left and libtacho
 *    need not be linked.
 *  - Any thread may make any call at any time: before main, in destructors, in a signal handler, in
 *    a child after fork, while another thread is cancelled. No call sets errno, takes a lock that
 *    the program could wait for, calls malloc, or waits (except with the blocking policy). No call
 *    fails: events that find no room are counted, and the recorder reports them.
 *  - Strings belong to the caller and are copied before the call returns. A macro argument called
 *    NAME must be a string literal (or live forever): it is read once and its number is cached at
 *    the call site.
 *  - A colour is 0xRRGGBB; 0 leaves the choice to the viewer.
 *
 * Costs while recording, as multiples of reading the clock twice (bench_zone prints them for your
 * machine): a zone 1.14, a plot point 1.0, a message 1.2.
 */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum tacho_severity {
	TACHO_TRACE,
	TACHO_DEBUG,
	TACHO_INFO,
	TACHO_WARNING,
	TACHO_ERROR,
	TACHO_FATAL
};

enum tacho_plot_format {
	TACHO_PLOT_NUMBER,
	TACHO_PLOT_MEMORY, /* bytes */
	TACHO_PLOT_PERCENT,
	TACHO_PLOT_WATT
};
#define TACHO_PLOT_STEP 1u /* the value holds until the next one, instead of a slope */
#define TACHO_PLOT_FILL 2u /* the area below is filled */

enum tacho_lock_op {
	TACHO_LOCK_WAIT,
	TACHO_LOCK_OBTAIN,
	TACHO_LOCK_RELEASE,
	TACHO_LOCK_WAIT_SHARED,
	TACHO_LOCK_OBTAIN_SHARED,
	TACHO_LOCK_RELEASE_SHARED
};

/*
 * A lock as the profiler sees it: put one beside each mutex that matters, initialised by
 * TACHO_LOCK_INIT (or _SHARED for a reader-writer lock). It announces itself when it is first used
 * in a recording, so locks that are older than the recording are known too.
 */
struct tacho_lock {
	const char *name; /* as declared */
	const char *file;
	uint32_t line;
	uint32_t shared;
	uint32_t id; /* 0 until first used */
	uint32_t srcloc;
	const char *custom; /* the name that tacho_lock_name() gave */
	uint64_t announced; /* in which recording of which process */
};
#define TACHO_LOCK_INIT(name)                              \
	{                                                  \
		name, __FILE__, __LINE__, 0, 0, 0, NULL, 0 \
	}
#define TACHO_LOCK_INIT_SHARED(name)                       \
	{                                                  \
		name, __FILE__, __LINE__, 1, 0, 0, NULL, 0 \
	}

enum tacho_parameter_type {
	TACHO_PARAMETER_INT,
	TACHO_PARAMETER_BOOL,
	TACHO_PARAMETER_TRIGGER /* a button */
};

#define TACHO_CAT_(a, b) a##b
#define TACHO_CAT(a, b)  TACHO_CAT_(a, b)

#ifdef TACHO_DISABLE
#include <tacho/disable.h>
#else
#include <tacho/detail.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Not 0 while recording. Costs one load. */
TACHO_INLINE int tacho_is_recording(void)
{
	return tacho_key() != 0;
}

/* ------------------------------------------------------------------ zones
 *
 * A zone is a span of time of one thread. Zones nest, to any depth; they end in the opposite order.
 *
 *	TACHO_FUNCTION();                   named after the function, until the end of the block
 *	TACHO_ZONE("load");                 with a name
 *	TACHO_ZONE_C("load", 0x4080ff);     and a colour
 *	TACHO_ZONE_RUNTIME(text);           with a name that is known at run time only
 *	TACHO_ZONE_AS(zone, "load", 0);     as the variable "zone", for the functions below
 *
 * Without a block, by hand:
 *
 *	static struct tacho_srcloc here = TACHO_SRCLOC("load", 0);
 *	struct tacho_zone zone = tacho_zone_begin(&here);
 *	...
 *	tacho_zone_end(zone);
 */
#define TACHO_SRCLOC(name, color)                                         \
	{                                                                 \
		name, __func__, __FILE__, (uint32_t)__LINE__, color, 0, 0 \
	}

/* LOC is static data. The zone may be ended by any code of the same thread (or fiber). */
TACHO_INLINE struct tacho_zone tacho_zone_begin(struct tacho_srcloc *loc)
{
	return tacho_begin(loc);
}

/* A zone that was not recorded, or a recording that ended meanwhile: does nothing. */
TACHO_INLINE void tacho_zone_end(struct tacho_zone zone)
{
	tacho_end(zone);
}

/*
 * A number for a source location that is created at run time; the same content gives the same
 * number, for the life of the process. Costs a look-up by content. Strings may be NULL. 0 when
 * there are too many (2^18, or 64 MB of text): tacho_zone_begin_runtime() then still works.
 */
TACHO_API uint32_t tacho_srcloc_make(const char *name, const char *function, const char *file,
				     uint32_t line, uint32_t color);

/* Begins a zone by such a number: as fast as a static one. 0 begins nothing. */
TACHO_INLINE struct tacho_zone tacho_zone_begin_id(uint32_t id)
{
	struct tacho_zone none = {0, 0};
	uint64_t key = tacho_key();

	return TACHO_UNLIKELY(key) && id ? tacho_begin_word(key, id << 2) : none;
}

/* Begins a zone with a name of LEN bytes (NULL: the function's). For many different names. */
TACHO_API struct tacho_zone tacho_zone_begin_runtime(const char *name, size_t len,
						     const char *function, const char *file,
						     uint32_t line, uint32_t color);

/* The innermost open zone of the thread, to attach something to it. */
TACHO_INLINE struct tacho_zone tacho_zone_current(void)
{
	struct tacho_zone zone = {0, (uint32_t)(tacho_key() >> 32)};

	return zone;
}

/* Attach to a zone that is open: text (any number of times), another name or colour, a value. */
TACHO_API void tacho_zone_text(struct tacho_zone zone, const char *text, size_t len);
TACHO_API void tacho_zone_textf(struct tacho_zone zone, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
TACHO_API void tacho_zone_vtextf(struct tacho_zone zone, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
TACHO_API void tacho_zone_name(struct tacho_zone zone, const char *text, size_t len);
TACHO_API void tacho_zone_vnamef(struct tacho_zone zone, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
TACHO_API void tacho_zone_namef(struct tacho_zone zone, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
TACHO_API void tacho_zone_color(struct tacho_zone zone, uint32_t color);
TACHO_API void tacho_zone_value(struct tacho_zone zone, uint64_t value);

/* The same for the innermost zone. */
#define TACHO_ZONE_TEXT(text, len) \
	(tacho_is_recording() ? tacho_zone_text(tacho_zone_current(), text, len) : (void)0)
#define TACHO_ZONE_TEXTF(...) \
	(tacho_is_recording() ? tacho_zone_textf(tacho_zone_current(), __VA_ARGS__) : (void)0)
#define TACHO_ZONE_NAME(text, len) \
	(tacho_is_recording() ? tacho_zone_name(tacho_zone_current(), text, len) : (void)0)
#define TACHO_ZONE_NAMEF(...) \
	(tacho_is_recording() ? tacho_zone_namef(tacho_zone_current(), __VA_ARGS__) : (void)0)
#define TACHO_ZONE_COLOR(color) \
	(tacho_is_recording() ? tacho_zone_color(tacho_zone_current(), color) : (void)0)
#define TACHO_ZONE_VALUE(value) \
	(tacho_is_recording() ? tacho_zone_value(tacho_zone_current(), value) : (void)0)

/*
 * Call stacks. The functions with DEPTH record the stack of their caller with the event, at most
 * DEPTH frames of it; 0: none. The thread walks its own stack by the unwinding tables of the
 * program and its libraries, which takes about 10 ns per frame, and a stack is stored once.
 *
 *	TACHO_ZONE_STACK("load");           a zone with the stack of its function
 */
#define TACHO_STACK_MAX 62
TACHO_API void tacho_zone_stack(struct tacho_zone zone, unsigned depth);

/* --------------------------------------------------------------- messages
 *
 *	TACHO_MESSAGE("ready");                         a literal: sent once, then by number
 *	TACHO_MESSAGE_C("ready", TACHO_WARNING, 0xff0000);
 *	TACHO_MESSAGEF("%d left", n);                   printf, severity TACHO_INFO, any length
 */
TACHO_API void tacho_message(const char *text, size_t len, unsigned severity, uint32_t color);
TACHO_API void tacho_message_stack(const char *text, size_t len, unsigned severity, uint32_t color,
				   unsigned depth);
TACHO_API void tacho_messagef(unsigned severity, uint32_t color, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
TACHO_API void tacho_message_literal(struct tacho_name *text, unsigned severity, uint32_t color);

#define TACHO_MESSAGE_C(literal, severity, color)                                 \
	do {                                                                      \
		static struct tacho_name tacho_text_ = {literal, 0, 0};           \
		if (tacho_is_recording())                                         \
			tacho_message_literal(&tacho_text_, (severity), (color)); \
	} while (0)
#define TACHO_MESSAGE(literal) TACHO_MESSAGE_C(literal, TACHO_INFO, 0)
#define TACHO_MESSAGEF(...) \
	(tacho_is_recording() ? tacho_messagef(TACHO_INFO, 0, __VA_ARGS__) : (void)0)

/*
 * Marks a point of the run: a message, and a row of its own in the report of ops. HEADER is one
 * line; MESSAGE may be NULL. Backticks, which end the text for readers, become apostrophes, and
 * TT_DNN and TT_METAL, by which readers know other messages, become TT-DNN and TT-METAL.
 */
TACHO_API void tacho_signpost(const char *header, const char *message);

/* Describes the program. Call it once, early: it is stored until a recording starts. */
TACHO_API void tacho_app_info(const char *text, size_t len);

/* ----------------------------------------------------------------- frames
 *
 * The main sequence has no name (NULL): tacho_frame(NULL) at the end of each frame. Others have
 * one: tacho_frame("physics"), or start and stop for frames with pauses in between.
 */
TACHO_API void tacho_frame(const char *name);
TACHO_API void tacho_frame_start(const char *name);
TACHO_API void tacho_frame_stop(const char *name);

/*
 * An image of the main sequence's frame that is in progress, or of the one OFFSET (up to 255)
 * frames before it. RGBA has 4 bytes per pixel, rows from top to bottom (FLIP: from bottom to top).
 * Width and height are multiples of 4, or the image is ignored. The call compresses the image, to
 * half a byte per pixel, which takes about 5 ns per pixel: use small images, 320 x 180 say. It
 * needs 4 KiB of stack.
 */
TACHO_API void tacho_frame_image(const void *rgba, unsigned width, unsigned height, unsigned offset,
				 int flip);

/* --------------------------------------------------------------- sections
 *
 * A section is a phase of the program (a level, a request, an epoch). Sections overlap freely and
 * belong to no thread. CATEGORY is a number up to 65,535 of the program's choice: sections of one
 * category are shown together; 0 is the usual one.
 */
/* Returns the section's number for tacho_section_leave(); 0 while nobody records. */
TACHO_API uint32_t tacho_section_enter(unsigned category, const char *text, size_t len);
TACHO_API void tacho_section_leave(uint32_t section);
/* Names a category. Stored until a recording starts. */
TACHO_API void tacho_section_name(unsigned category, const char *name, size_t len);

/* ------------------------------------------------------------- parameters
 *
 * Parameters are numbers of the program that viewers show and can set:
 *
 *	tacho_parameter(0, "speed", TACHO_PARAMETER_INT, speed);
 *	...
 *	uint32_t number;
 *	int32_t value;
 *
 *	while (tacho_parameter_next(&number, &value))
 *		if (number == 0)
 *			speed = value;
 *
 * The program gets a new value only when it asks. While there is none,
 * that costs about as much as a zone.
 */
/* Declares a parameter. NUMBER is the program's choice. Stored until a recording starts. */
TACHO_API void tacho_parameter(uint32_t number, const char *name, enum tacho_parameter_type type,
			       int32_t value);
/* Takes a value that a viewer has set. 0: there is none. */
TACHO_API int tacho_parameter_next(uint32_t *number, int32_t *value);

/* ------------------------------------------------------------------ plots
 *
 *	TACHO_PLOT("queue", n);       int64
 *	TACHO_PLOT_REAL("load", x);   double
 *
 * The functions look the name up by its content and take any name.
 */
TACHO_API void tacho_plot_int(const char *name, int64_t value);
TACHO_API void tacho_plot_float(const char *name, float value);
TACHO_API void tacho_plot_double(const char *name, double value);
/*
 * FORMAT: enum tacho_plot_format; FLAGS: TACHO_PLOT_STEP, _FILL. Stored until a recording starts.
 */
TACHO_API void tacho_plot_config(const char *name, unsigned format, unsigned flags, uint32_t color);
TACHO_API void tacho_plot_point_int(struct tacho_name *name, int64_t value);
TACHO_API void tacho_plot_point_real(struct tacho_name *name, double value);

#define TACHO_PLOT_AS_(function, name, value)                        \
	do {                                                         \
		static struct tacho_name tacho_plot_ = {name, 0, 0}; \
		if (tacho_is_recording())                            \
			function(&tacho_plot_, value);               \
	} while (0)
#define TACHO_PLOT(name, value)      TACHO_PLOT_AS_(tacho_plot_point_int, name, (int64_t)(value))
#define TACHO_PLOT_REAL(name, value) TACHO_PLOT_AS_(tacho_plot_point_real, name, (double)(value))

/*
 * ----------------------------------------------------------------- memory
 *
 * POOL is a name, NULL for the program's ordinary memory. Report an allocation after making it and
 * a release before doing it; otherwise another thread may get the same address in between.
 */
TACHO_API void tacho_alloc(const char *pool, const void *address, size_t size);
TACHO_API void tacho_free(const char *pool, const void *address);
TACHO_API void tacho_alloc_stack(const char *pool, const void *address, size_t size,
				 unsigned depth);
TACHO_API void tacho_free_stack(const char *pool, const void *address, unsigned depth);
/* Releases all memory of a pool that has a name, as an arena does at its end. */
TACHO_API void tacho_discard(const char *pool);

/* ------------------------------------------------------------------ locks
 *
 *	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
 *	static struct tacho_lock lock = TACHO_LOCK_INIT("queue");
 *
 *	tacho_lock_event(&lock, TACHO_LOCK_WAIT);
 *	pthread_mutex_lock(&mutex);
 *	tacho_lock_event(&lock, TACHO_LOCK_OBTAIN);
 *	...
 *	pthread_mutex_unlock(&mutex);
 *	tacho_lock_event(&lock, TACHO_LOCK_RELEASE);
 *
 * A successful trylock is an OBTAIN without a WAIT, a failed one is nothing.
 */
TACHO_API void tacho_lock_emit(struct tacho_lock *lock, unsigned op, uint32_t srcloc);
TACHO_API void tacho_lock_mark_emit(struct tacho_lock *lock, struct tacho_srcloc *where);

TACHO_INLINE void tacho_lock_event(struct tacho_lock *lock, enum tacho_lock_op op)
{
	if (tacho_is_recording())
		tacho_lock_emit(lock, (unsigned)op, 0);
}

/* Records where the thread is that holds the lock or waits for it. */
#define TACHO_LOCK_MARK(lock)                                                   \
	do {                                                                    \
		static struct tacho_srcloc tacho_mark_ = TACHO_SRCLOC(NULL, 0); \
		if (tacho_is_recording())                                       \
			tacho_lock_mark_emit((lock), &tacho_mark_);             \
	} while (0)

/* Names one lock of many that are declared at the same place. */
TACHO_API void tacho_lock_name(struct tacho_lock *lock, const char *name, size_t len);
/* The lock is destroyed. */
TACHO_API void tacho_lock_gone(struct tacho_lock *lock);

/* ------------------------------------------------- threads and fibers */

/* Names the calling thread; also for the kernel, which stores 15 bytes of it. */
TACHO_API void tacho_thread_name(const char *name);

/*
 * A fiber (coroutine, green thread) has its own track: from enter to leave, events of the thread go
 * there. A fiber is identified by its name and may continue in another thread after it has left.
 */
TACHO_API void tacho_fiber_enter(const char *name);
TACHO_API void tacho_fiber_leave(void);

/* ----------------------------------------------------------- sandboxes */

/*
 * From here on libtacho makes no system call in this process and its children. Call it before
 * installing a seccomp filter that forbids them. Recording continues in the memory allocated so
 * far, which is reused as the recorder reads it; events that find no room are lost and counted.
 * Threads that start later have no number and no name in the trace; children are not recorded.
 */
TACHO_API void tacho_seal(void);

#ifdef __cplusplus
}

namespace tacho
{
/* A zone that ends with its scope, also when an exception leaves it. */
class Zone
{
public:
	__attribute__((always_inline)) explicit Zone(struct tacho_srcloc &loc)
	    : zone_(tacho_zone_begin(&loc))
	{
	}
	explicit Zone(struct tacho_zone zone) : zone_(zone)
	{
	}
	__attribute__((always_inline)) ~Zone()
	{
		tacho_zone_end(zone_);
	}
	Zone(const Zone &) = delete;
	Zone &operator=(const Zone &) = delete;
	operator struct tacho_zone() const
	{
		return zone_;
	}

private:
	struct tacho_zone zone_;
};

inline void signpost(const char *header, const char *message = nullptr)
{
	tacho_signpost(header, message);
}
} // namespace tacho

#define TACHO_ZONE_AS(var, name, color)                                                         \
	static struct tacho_srcloc TACHO_CAT(tacho_loc_, __LINE__) = TACHO_SRCLOC(name, color); \
	tacho::Zone var(TACHO_CAT(tacho_loc_, __LINE__))
#define TACHO_ZONE_RUNTIME(text) tacho::Zone TACHO_CAT(tacho_zone_, __LINE__)(TACHO_RUNTIME_(text))
#else
TACHO_INLINE void tacho_zone_leave_(const struct tacho_zone *zone)
{
	tacho_zone_end(*zone);
}

#define TACHO_SCOPED_ __attribute__((cleanup(tacho_zone_leave_), unused)) struct tacho_zone
#define TACHO_ZONE_AS(var, name, color)                                                         \
	static struct tacho_srcloc TACHO_CAT(tacho_loc_, __LINE__) = TACHO_SRCLOC(name, color); \
	TACHO_SCOPED_ var = tacho_zone_begin(&TACHO_CAT(tacho_loc_, __LINE__))
#define TACHO_ZONE_RUNTIME(text) \
	TACHO_SCOPED_ TACHO_CAT(tacho_zone_, __LINE__) = TACHO_RUNTIME_(text)
#endif

/* The name is not even evaluated while nothing is recorded. */
TACHO_INLINE struct tacho_zone tacho_runtime_(const char *text, const char *function,
					      const char *file, uint32_t line)
{
	struct tacho_zone none = {0, 0};

	return tacho_is_recording() ? tacho_zone_begin_runtime(text, __builtin_strlen(text),
							       function, file, line, 0)
				    : none;
}
#define TACHO_RUNTIME_(text) tacho_runtime_(text, __func__, __FILE__, (uint32_t)__LINE__)

#define TACHO_ZONE_C(name, color) TACHO_ZONE_AS(TACHO_CAT(tacho_zone_, __LINE__), name, color)
#define TACHO_ZONE(name)          TACHO_ZONE_C(name, 0)
#define TACHO_FUNCTION()          TACHO_ZONE_C(NULL, 0)
#define TACHO_ZONE_STACK(name) \
	TACHO_ZONE(name);      \
	tacho_zone_stack(TACHO_CAT(tacho_zone_, __LINE__), TACHO_STACK_MAX)

#endif /* TACHO_DISABLE */
#endif
