/* SPDX-License-Identifier: Apache-2.0 */
/* Tracy's C functions, for programs and language bindings that call them by name. */
#define TRACY_ENABLE
#include "client/client.h"

#include <stdarg.h>
#include <string.h>
#include <tracy/TracyC.h>

/* The names are functions here, not the macros that choose between argument lists. */
#undef ___tracy_emit_memory_alloc
#undef ___tracy_emit_memory_alloc_callstack
#undef ___tracy_emit_memory_free
#undef ___tracy_emit_memory_free_callstack
#undef ___tracy_emit_memory_alloc_named
#undef ___tracy_emit_memory_alloc_callstack_named
#undef ___tracy_emit_memory_free_named
#undef ___tracy_emit_memory_free_callstack_named
#undef ___tracy_emit_memory_discard
#undef ___tracy_emit_memory_discard_callstack
#undef ___tracy_alloc_srcloc
#undef ___tracy_alloc_srcloc_name

/* ------------------------------------------------------------------- life */

TACHO_API void ___tracy_startup_profiler(void)
{
}

TACHO_API void ___tracy_shutdown_profiler(void)
{
}

TACHO_API int32_t ___tracy_profiler_started(void)
{
	return 1;
}

TACHO_API int32_t ___tracy_connected(void)
{
	return tacho_is_recording();
}

TACHO_API void ___tracy_set_thread_name(const char *name)
{
	tacho_thread_name(name);
}

TACHO_API int64_t ___tracy_get_time(void)
{
	return (int64_t)tacho_ticks();
}

TACHO_API int32_t ___tracy_begin_sampling_profiling(void)
{
	return 0;
}

TACHO_API void ___tracy_end_sampling_profiling(void)
{
}

TACHO_API void ___tracy_fiber_enter(const char *fiber)
{
	tacho_fiber_enter(fiber);
}

TACHO_API void ___tracy_fiber_leave(void)
{
	tacho_fiber_leave();
}

/* ------------------------------------------------------------------ zones */

/*
 * A run-time location is represented by its number. If there are too many, its name waits here for
 * the zone, which usually begins at once; the number is then a slot with this bit.
 */
#define STASHED     (1ull << 63)
#define STASH_SLOTS 64
#define STASH_TEXT  248

static struct stash {
	uint64_t ticket;
	char text[STASH_TEXT];
} stash[STASH_SLOTS];

static uint64_t stash_name(const char *name, size_t len)
{
	static uint64_t last;
	uint64_t ticket = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	struct stash *s = &stash[ticket % STASH_SLOTS];

	__atomic_store_n(&s->ticket, 0, __ATOMIC_RELAXED);
	len = len < STASH_TEXT ? len : STASH_TEXT - 1;
	memcpy(s->text, name, len);
	s->text[len] = 0;
	__atomic_store_n(&s->ticket, ticket, __ATOMIC_RELEASE);
	return STASHED | ticket;
}

TACHO_API uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source, size_t sourceSz,
					      const char *function, size_t functionSz,
					      const char *name, size_t nameSz, uint32_t color)
{
	const char *text[3] = {name, function, source};
	size_t len[3] = {nameSz, functionSz, sourceSz};
	uint32_t id;

	if (!tacho_is_recording())
		return 0;
	id = names_srcloc(text, len, line, color);
	if (id)
		return id;
	return nameSz ? stash_name(name, nameSz) : stash_name(function, functionSz);
}

TACHO_API uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz,
					 const char *function, size_t functionSz, uint32_t color)
{
	return ___tracy_alloc_srcloc_name(line, source, sourceSz, function, functionSz, NULL, 0,
					  color);
}

static TracyCZoneCtx tracy_context(struct tacho_zone zone)
{
	TracyCZoneCtx ctx = {zone.word, (int32_t)zone.session};

	return ctx;
}

static void tracy_zone_stack(TracyCZoneCtx ctx, int32_t depth, const void *caller)
{
	if (depth > 0)
		zone_stack(tacho_tracy_zone(ctx), (unsigned)depth, caller);
}

TACHO_API TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc,
						 int32_t active)
{
	struct tacho_zone none = {0, 0};

	if (!active || !tacho_is_recording())
		return tracy_context(none);
	return tracy_context(tacho_zone_begin_runtime(
		srcloc->name, srcloc->name ? strlen(srcloc->name) : 0, srcloc->function,
		srcloc->file, srcloc->line, srcloc->color));
}

TACHO_API TracyCZoneCtx ___tracy_emit_zone_begin_callstack(
	const struct ___tracy_source_location_data *srcloc, int32_t depth, int32_t active)
{
	TracyCZoneCtx ctx = ___tracy_emit_zone_begin(srcloc, active);

	tracy_zone_stack(ctx, depth, __builtin_return_address(0));
	return ctx;
}

TACHO_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int32_t active)
{
	const struct stash *s = &stash[(srcloc & ~STASHED) % STASH_SLOTS];
	struct tacho_zone none = {0, 0};

	if (!active || !tacho_is_recording())
		return tracy_context(none);
	if (srcloc && !(srcloc & STASHED))
		return tracy_context(tacho_zone_begin_id((uint32_t)srcloc));
	if (srcloc && __atomic_load_n(&s->ticket, __ATOMIC_ACQUIRE) == (srcloc & ~STASHED))
		return tracy_context(
			tacho_zone_begin_runtime(s->text, strlen(s->text), NULL, NULL, 0, 0));
	return tracy_context(tacho_zone_begin_runtime("(unknown)", 9, NULL, NULL, 0, 0));
}

TACHO_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int32_t depth,
								 int32_t active)
{
	TracyCZoneCtx ctx = ___tracy_emit_zone_begin_alloc(srcloc, active);

	tracy_zone_stack(ctx, depth, __builtin_return_address(0));
	return ctx;
}

TACHO_API void ___tracy_emit_zone_end(TracyCZoneCtx ctx)
{
	tacho_zone_end(tacho_tracy_zone(ctx));
}

TACHO_API void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size)
{
	tacho_zone_text(tacho_tracy_zone(ctx), txt, size);
}

TACHO_API void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size)
{
	tacho_zone_name(tacho_tracy_zone(ctx), txt, size);
}

TACHO_API void ___tracy_emit_zone_text_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tacho_zone_vtextf(tacho_tracy_zone(ctx), fmt, args);
	va_end(args);
}

TACHO_API void ___tracy_emit_zone_name_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tacho_zone_vnamef(tacho_tracy_zone(ctx), fmt, args);
	va_end(args);
}

TACHO_API void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color)
{
	tacho_zone_color(tacho_tracy_zone(ctx), color);
}

TACHO_API void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value)
{
	tacho_zone_value(tacho_tracy_zone(ctx), value);
}

/* ----------------------------------------------------------------- memory */

TACHO_API void ___tracy_emit_memory_alloc_named(const void *ptr, size_t size, int32_t secure,
						const char *name)
{
	(void)secure;
	tacho_alloc(name, ptr, size);
}

TACHO_API void ___tracy_emit_memory_free_named(const void *ptr, int32_t secure, const char *name)
{
	(void)secure;
	tacho_free(name, ptr);
}

TACHO_API void ___tracy_emit_memory_alloc(const void *ptr, size_t size, int32_t secure)
{
	___tracy_emit_memory_alloc_named(ptr, size, secure, NULL);
}

TACHO_API void ___tracy_emit_memory_free(const void *ptr, int32_t secure)
{
	___tracy_emit_memory_free_named(ptr, secure, NULL);
}

static void tracy_memory_stack(unsigned type, const char *name, const void *ptr, size_t size,
			       int32_t depth, const void *caller)
{
	if (tacho_is_recording())
		memory_stack(type, name, ptr, size, depth > 0 ? (unsigned)depth : 0, caller);
}

TACHO_API void ___tracy_emit_memory_alloc_callstack(const void *ptr, size_t size, int32_t depth,
						    int32_t secure)
{
	(void)secure;
	tracy_memory_stack(RING_ALLOC, NULL, ptr, size, depth, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_memory_free_callstack(const void *ptr, int32_t depth, int32_t secure)
{
	(void)secure;
	tracy_memory_stack(RING_FREE, NULL, ptr, 0, depth, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_memory_alloc_callstack_named(const void *ptr, size_t size,
							  int32_t depth, int32_t secure,
							  const char *name)
{
	(void)secure;
	tracy_memory_stack(RING_ALLOC, name, ptr, size, depth, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_memory_free_callstack_named(const void *ptr, int32_t depth,
							 int32_t secure, const char *name)
{
	(void)secure;
	tracy_memory_stack(RING_FREE, name, ptr, 0, depth, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_memory_discard(const char *name, int32_t secure)
{
	(void)secure;
	tacho_discard(name);
}

TACHO_API void ___tracy_emit_memory_discard_callstack(const char *name, int32_t secure,
						      int32_t depth)
{
	(void)depth;
	___tracy_emit_memory_discard(name, secure);
}

/* --------------------------------------------------------------- messages */

static void tracy_message(unsigned severity, uint32_t color, int32_t depth, const char *txt,
			  size_t size, const void *caller)
{
	if (depth > 0)
		message_stack(txt, size, (color & 0xffffff) | (uint64_t)severity << 32,
			      (unsigned)depth, caller);
	else
		tacho_message(txt, size, severity, color);
}

/* A literal is identified by its content: after dlclose() another one may have its address. */
static void tracy_literal(unsigned severity, uint32_t color, int32_t depth, const char *txt,
			  const void *caller)
{
	struct tacho_name name = {txt, 0, 0};

	if (!tacho_is_recording())
		return;
	if (depth > 0) {
		tracy_message(severity, color, depth, txt, strlen(txt), caller);
		return;
	}
	name.id = names_intern(txt);
	tacho_message_literal(&name, severity, color);
}

TACHO_API void ___tracy_emit_logString(int8_t severity, int32_t color, int32_t callstack_depth,
				       size_t size, const char *txt)
{
	tracy_message((unsigned)severity, (uint32_t)color, callstack_depth, txt, size,
		      __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_logStringL(int8_t severity, int32_t color, int32_t callstack_depth,
					const char *txt)
{
	tracy_literal((unsigned)severity, (uint32_t)color, callstack_depth, txt,
		      __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_message(const char *txt, size_t size, int32_t callstack_depth)
{
	tracy_message(TACHO_INFO, 0, callstack_depth, txt, size, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_messageL(const char *txt, int32_t callstack_depth)
{
	tracy_literal(TACHO_INFO, 0, callstack_depth, txt, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color,
				      int32_t callstack_depth)
{
	tracy_message(TACHO_INFO, color, callstack_depth, txt, size, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_messageLC(const char *txt, uint32_t color, int32_t callstack_depth)
{
	tracy_literal(TACHO_INFO, color, callstack_depth, txt, __builtin_return_address(0));
}

TACHO_API void ___tracy_emit_message_appinfo(const char *txt, size_t size)
{
	tacho_app_info(txt, size);
}

/* ------------------------------------------------------- frames and plots */

TACHO_API void ___tracy_emit_frame_mark(const char *name)
{
	tacho_frame(name);
}

TACHO_API void ___tracy_emit_frame_mark_start(const char *name)
{
	tacho_frame_start(name);
}

TACHO_API void ___tracy_emit_frame_mark_end(const char *name)
{
	tacho_frame_stop(name);
}

TACHO_API void ___tracy_emit_frame_image(const void *image, uint16_t w, uint16_t h, uint8_t offset,
					 int32_t flip)
{
	tacho_frame_image(image, w, h, offset, flip);
}

TACHO_API void ___tracy_emit_plot(const char *name, double val)
{
	tacho_plot_double(name, val);
}

TACHO_API void ___tracy_emit_plot_float(const char *name, float val)
{
	tacho_plot_float(name, val);
}

TACHO_API void ___tracy_emit_plot_int(const char *name, int64_t val)
{
	tacho_plot_int(name, val);
}

TACHO_API void ___tracy_emit_plot_config(const char *name, int32_t type, int32_t step, int32_t fill,
					 uint32_t color)
{
	tacho_plot_config(name, (unsigned)type,
			  (step ? TACHO_PLOT_STEP : 0) | (fill ? TACHO_PLOT_FILL : 0), color);
}

/* ------------------------------------------------------------------ locks */

struct __tracy_lockable_context_data {
	struct tacho_lock lock;
	struct __tracy_lockable_context_data *next_free;
};

static struct __tracy_lockable_context_data *free_locks;

static struct tacho_lock *tracy_lock_make(const struct ___tracy_source_location_data *srcloc,
					  bool shared)
{
	struct __tracy_lockable_context_data *l = NULL;
	struct guard guard;

	if (!client_process)
		return NULL;
	if (!client_lock(&guard))
		return NULL;
	l = free_locks;
	if (l)
		free_locks = l->next_free;
	else
		l = client_memory(sizeof(*l));
	client_unlock(&guard);
	if (!l)
		return NULL;
	memset(l, 0, sizeof(*l));
	l->lock.name = srcloc->name ? srcloc->name : srcloc->function;
	l->lock.file = srcloc->file;
	l->lock.line = srcloc->line;
	l->lock.shared = shared;
	return &l->lock;
}

static void lock_end(struct tacho_lock *lock)
{
	struct __tracy_lockable_context_data *l = (struct __tracy_lockable_context_data *)lock;
	struct guard guard;

	if (!lock)
		return;
	tacho_lock_gone(lock);
	if (!client_lock(&guard))
		return;
	l->next_free = free_locks;
	free_locks = l;
	client_unlock(&guard);
}

static int32_t lock_op(struct tacho_lock *lock, enum tacho_lock_op op)
{
	if (lock)
		tacho_lock_event(lock, op);
	return 1;
}

static void lock_mark(struct tacho_lock *lock, const struct ___tracy_source_location_data *srcloc)
{
	struct tacho_srcloc where = {
		srcloc->name, srcloc->function, srcloc->file, srcloc->line, srcloc->color, 0, 0};

	if (lock)
		tacho_lock_mark_emit(lock, &where);
}

static void tracy_lock_name(struct tacho_lock *lock, const char *name, size_t size)
{
	if (lock)
		tacho_lock_name(lock, name, size);
}

/* Both kinds of context are the same inside. */
#define EXCLUSIVE(kind)                                                                            \
	TACHO_API void ___tracy_terminate_##kind##_ctx(struct __tracy_##kind##_context_data *l)    \
	{                                                                                          \
		lock_end((struct tacho_lock *)l);                                                  \
	}                                                                                          \
	TACHO_API int32_t ___tracy_before_lock_##kind##_ctx(                                       \
		struct __tracy_##kind##_context_data *l)                                           \
	{                                                                                          \
		return lock_op((struct tacho_lock *)l, TACHO_LOCK_WAIT);                           \
	}                                                                                          \
	TACHO_API void ___tracy_after_lock_##kind##_ctx(struct __tracy_##kind##_context_data *l)   \
	{                                                                                          \
		lock_op((struct tacho_lock *)l, TACHO_LOCK_OBTAIN);                                \
	}                                                                                          \
	TACHO_API void ___tracy_after_unlock_##kind##_ctx(struct __tracy_##kind##_context_data *l) \
	{                                                                                          \
		lock_op((struct tacho_lock *)l, TACHO_LOCK_RELEASE);                               \
	}                                                                                          \
	TACHO_API void ___tracy_after_try_lock_##kind##_ctx(                                       \
		struct __tracy_##kind##_context_data *l, int32_t acquired)                         \
	{                                                                                          \
		if (acquired)                                                                      \
			lock_op((struct tacho_lock *)l, TACHO_LOCK_OBTAIN);                        \
	}                                                                                          \
	TACHO_API void ___tracy_mark_##kind##_ctx(                                                 \
		struct __tracy_##kind##_context_data *l,                                           \
		const struct ___tracy_source_location_data *srcloc)                                \
	{                                                                                          \
		lock_mark((struct tacho_lock *)l, srcloc);                                         \
	}                                                                                          \
	TACHO_API void ___tracy_custom_name_##kind##_ctx(struct __tracy_##kind##_context_data *l,  \
							 const char *name, size_t nameSz)          \
	{                                                                                          \
		tracy_lock_name((struct tacho_lock *)l, name, nameSz);                             \
	}

EXCLUSIVE(lockable)
EXCLUSIVE(shared_lockable)

TACHO_API struct __tracy_lockable_context_data *
___tracy_announce_lockable_ctx(const struct ___tracy_source_location_data *srcloc)
{
	return (struct __tracy_lockable_context_data *)tracy_lock_make(srcloc, false);
}

TACHO_API struct __tracy_shared_lockable_context_data *
___tracy_announce_shared_lockable_ctx(const struct ___tracy_source_location_data *srcloc)
{
	return (struct __tracy_shared_lockable_context_data *)tracy_lock_make(srcloc, true);
}

TACHO_API int32_t
___tracy_before_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *l)
{
	return lock_op((struct tacho_lock *)l, TACHO_LOCK_WAIT_SHARED);
}

TACHO_API void
___tracy_after_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *l)
{
	lock_op((struct tacho_lock *)l, TACHO_LOCK_OBTAIN_SHARED);
}

TACHO_API void
___tracy_after_unlock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *l)
{
	lock_op((struct tacho_lock *)l, TACHO_LOCK_RELEASE_SHARED);
}

TACHO_API void
___tracy_after_try_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *l,
						   int32_t acquired)
{
	if (acquired)
		lock_op((struct tacho_lock *)l, TACHO_LOCK_OBTAIN_SHARED);
}
