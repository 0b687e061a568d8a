/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracy's C interface on top of libtacho: a program written for it compiles unchanged by switching
 * the include path. Semantics are those of tacho.h; arguments that Tacho has no use for (call-stack
 * depths, frame images, the "secure" flag) are accepted and ignored. Without TRACY_ENABLE the
 * macros expand to nothing.
 *
 * Argument lists of 0.10 to 0.14 are supported: where a later version dropped or added an argument,
 * both forms compile.
 */
#ifndef TACHO_TRACY_C_H
#define TACHO_TRACY_C_H

#include <stddef.h>
#include <stdint.h>

enum TracyPlotFormatEnum {
	TracyPlotFormatNumber,
	TracyPlotFormatMemory,
	TracyPlotFormatPercentage,
	TracyPlotFormatWatt
};

enum TracyMessageSeverity {
	TracyMessageSeverityTrace,
	TracyMessageSeverityDebug,
	TracyMessageSeverityInfo,
	TracyMessageSeverityWarning,
	TracyMessageSeverityError,
	TracyMessageSeverityFatal
};

#ifndef TracyFunction
#define TracyFunction __FUNCTION__
#endif
#ifndef TracyFile
#define TracyFile __FILE__
#endif
#ifndef TracyLine
#define TracyLine __LINE__
#endif

#ifndef TRACY_ENABLE

typedef const void *TracyCZoneCtx;
typedef const void *TracyCLockCtx;
typedef const void *TracyCSharedLockCtx;

#define TracyCSetThreadName(name)

#define TracyCZone(ctx, active)
#define TracyCZoneN(ctx, name, active)
#define TracyCZoneC(ctx, color, active)
#define TracyCZoneNC(ctx, name, color, active)
#define TracyCZoneS(ctx, depth, active)
#define TracyCZoneNS(ctx, name, depth, active)
#define TracyCZoneCS(ctx, color, depth, active)
#define TracyCZoneNCS(ctx, name, color, depth, active)
#define TracyCZoneEnd(ctx)
#define TracyCZoneText(ctx, text, size)
#define TracyCZoneTextF(ctx, ...)
#define TracyCZoneName(ctx, text, size)
#define TracyCZoneNameF(ctx, ...)
#define TracyCZoneColor(ctx, color)
#define TracyCZoneValue(ctx, value)

#define TracyCAlloc(ptr, size)
#define TracyCFree(ptr)
#define TracyCMemoryDiscard(name)
#define TracyCSecureAlloc(ptr, size)
#define TracyCSecureFree(ptr)
#define TracyCSecureMemoryDiscard(name)
#define TracyCAllocN(ptr, size, name)
#define TracyCFreeN(ptr, name)
#define TracyCSecureAllocN(ptr, size, name)
#define TracyCSecureFreeN(ptr, name)
#define TracyCAllocS(ptr, size, depth)
#define TracyCFreeS(ptr, depth)
#define TracyCMemoryDiscardS(name, depth)
#define TracyCSecureAllocS(ptr, size, depth)
#define TracyCSecureFreeS(ptr, depth)
#define TracyCSecureMemoryDiscardS(name, depth)
#define TracyCAllocNS(ptr, size, depth, name)
#define TracyCFreeNS(ptr, depth, name)
#define TracyCSecureAllocNS(ptr, size, depth, name)
#define TracyCSecureFreeNS(ptr, depth, name)

#define TracyCFrameMark
#define TracyCFrameMarkNamed(name)
#define TracyCFrameMarkStart(name)
#define TracyCFrameMarkEnd(name)
#define TracyCFrameImage(image, width, height, offset, flip)

#define TracyCPlot(name, value)
#define TracyCPlotF(name, value)
#define TracyCPlotI(name, value)
#define TracyCPlotConfig(name, type, step, fill, color)

#define TracyCMessage(text, size)
#define TracyCMessageL(text)
#define TracyCMessageC(text, size, color)
#define TracyCMessageLC(text, color)
#define TracyCMessageS(text, size, depth)
#define TracyCMessageLS(text, depth)
#define TracyCMessageCS(text, size, color, depth)
#define TracyCMessageLCS(text, color, depth)
#define TracyCAppInfo(text, size)

#define TracyCLockCtx(lock)
#define TracyCLockAnnounce(lock)
#define TracyCLockTerminate(lock)
#define TracyCLockBeforeLock(lock)
#define TracyCLockAfterLock(lock)
#define TracyCLockAfterUnlock(lock)
#define TracyCLockAfterTryLock(lock, acquired)
#define TracyCLockMark(lock)
#define TracyCLockCustomName(lock, name, size)
#define TracyCSharedLockCtx(lock)
#define TracyCSharedLockAnnounce(lock)
#define TracyCSharedLockAnnonce(lock) /* as upstream spells it here */
#define TracyCSharedLockTerminate(lock)
#define TracyCSharedLockBeforeLock(lock)
#define TracyCSharedLockAfterLock(lock)
#define TracyCSharedLockAfterUnlock(lock)
#define TracyCSharedLockAfterTryLock(lock, acquired)
#define TracyCSharedLockBeforeSharedLock(lock)
#define TracyCSharedLockAfterSharedLock(lock)
#define TracyCSharedLockAfterSharedUnlock(lock)
#define TracyCSharedLockAfterTrySharedLock(lock, acquired)
#define TracyCSharedLockMark(lock)
#define TracyCSharedLockCustomName(lock, name, size)

#define TracyCIsConnected              0
#define TracyCIsStarted                0
#define TracyCBeginSamplingProfiling() 0
#define TracyCEndSamplingProfiling()
#define TracyCFiberEnter(fiber)
#define TracyCFiberLeave

#else /* TRACY_ENABLE */

#include <tacho/tacho.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TracyConcat
#define TracyConcat(x, y) TracyConcatIndirect(x, y)
#endif
#ifndef TracyConcatIndirect
#define TracyConcatIndirect(x, y) x##y
#endif
#ifndef TRACY_CALLSTACK
#define TRACY_CALLSTACK 0
#endif
#ifndef TRACY_API
#define TRACY_API TACHO_API
#endif

struct ___tracy_source_location_data {
	const char *name;
	const char *function;
	const char *file;
	uint32_t line;
	uint32_t color;
};

/* Opaque: a struct tacho_zone in disguise. */
struct ___tracy_c_zone_context {
	uint32_t id;
	int32_t active;
};
typedef struct ___tracy_c_zone_context TracyCZoneCtx;

struct ___tracy_gpu_time_data {
	int64_t gpuTime;
	uint16_t queryId;
	uint8_t context;
};

struct ___tracy_gpu_zone_begin_data {
	uint64_t srcloc;
	uint16_t queryId;
	uint8_t context;
};

struct ___tracy_gpu_zone_begin_callstack_data {
	uint64_t srcloc;
	int32_t depth;
	uint16_t queryId;
	uint8_t context;
};

struct ___tracy_gpu_zone_end_data {
	uint16_t queryId;
	uint8_t context;
};

struct ___tracy_gpu_new_context_data {
	int64_t gpuTime;
	float period; /* nanoseconds */
	uint8_t context;
	uint8_t flags;
	uint8_t type;
};

struct ___tracy_gpu_context_name_data {
	uint8_t context;
	const char *name;
	uint16_t len;
};

struct ___tracy_gpu_calibration_data {
	int64_t gpuTime;
	int64_t cpuDelta; /* nanoseconds since the last one */
	uint8_t context;
};

struct ___tracy_gpu_time_sync_data {
	int64_t gpuTime;
	uint8_t context;
};

struct __tracy_lockable_context_data;
struct __tracy_shared_lockable_context_data;
typedef struct __tracy_lockable_context_data *TracyCLockCtx;
typedef struct __tracy_shared_lockable_context_data *TracyCSharedLockCtx;

/* ---- life: there is nothing to start or stop ---- */

TRACY_API void ___tracy_startup_profiler(void);
TRACY_API void ___tracy_shutdown_profiler(void);
TRACY_API int32_t ___tracy_profiler_started(void);
TRACY_API int32_t ___tracy_connected(void);
TRACY_API void ___tracy_set_thread_name(const char *name);
TRACY_API int64_t ___tracy_get_time(void);                 /* ticks */
TRACY_API int32_t ___tracy_begin_sampling_profiling(void); /* 0: there is no sampling */
TRACY_API void ___tracy_end_sampling_profiling(void);
TRACY_API void ___tracy_fiber_enter(const char *fiber);
TRACY_API void ___tracy_fiber_leave(void);

#define TracyCSetThreadName(name)      ___tracy_set_thread_name(name);
#define TracyCIsConnected              ___tracy_connected()
#define TracyCIsStarted                ___tracy_profiler_started()
#define TracyCBeginSamplingProfiling() ___tracy_begin_sampling_profiling()
#define TracyCEndSamplingProfiling()   ___tracy_end_sampling_profiling()
#define TracyCFiberEnter(fiber)        ___tracy_fiber_enter(fiber);
#define TracyCFiberLeave               ___tracy_fiber_leave();

/* ---- zones ---- */

TRACY_API uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz,
					 const char *function, size_t functionSz, uint32_t color);
TRACY_API uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source, size_t sourceSz,
					      const char *function, size_t functionSz,
					      const char *name, size_t nameSz, uint32_t color);

/* These look the location up by its content; the macros below are much faster. */
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc,
						 int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_callstack(
	const struct ___tracy_source_location_data *srcloc, int32_t depth, int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int32_t depth,
								 int32_t active);
TRACY_API void ___tracy_emit_zone_end(TracyCZoneCtx ctx);
TRACY_API void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_text_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
TRACY_API void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_name_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
TRACY_API void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color);
TRACY_API void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value);

TACHO_INLINE TracyCZoneCtx tacho_tracy_begin(struct tacho_srcloc *loc, int active)
{
	TracyCZoneCtx ctx = {0, 0};

	if (active) {
		struct tacho_zone zone = tacho_zone_begin(loc);

		ctx.id = zone.word;
		ctx.active = (int32_t)zone.session;
	}
	return ctx;
}

TACHO_INLINE struct tacho_zone tacho_tracy_zone(TracyCZoneCtx ctx)
{
	struct tacho_zone zone = {ctx.id, (uint32_t)ctx.active};

	return zone;
}

#define TACHO_TRACY_ZONE_(ctx, name, color, active)                           \
	static struct tacho_srcloc TracyConcat(tacho_tracy_loc_, ctx) = {     \
		name, __func__, TracyFile, (uint32_t)TracyLine, color, 0, 0}; \
	TracyCZoneCtx ctx = tacho_tracy_begin(&TracyConcat(tacho_tracy_loc_, ctx), (active) ? 1 : 0)
#define TACHO_TRACY_ZONE_S_(ctx, name, color, depth, active) \
	TACHO_TRACY_ZONE_(ctx, name, color, active);         \
	if ((depth) > 0)                                     \
		tacho_zone_stack(tacho_tracy_zone(ctx), depth);

#define TracyCZone(ctx, active)        TACHO_TRACY_ZONE_S_(ctx, NULL, 0, TRACY_CALLSTACK, active)
#define TracyCZoneN(ctx, name, active) TACHO_TRACY_ZONE_S_(ctx, name, 0, TRACY_CALLSTACK, active)
#define TracyCZoneC(ctx, color, active) \
	TACHO_TRACY_ZONE_S_(ctx, NULL, color, TRACY_CALLSTACK, active)
#define TracyCZoneNC(ctx, name, color, active) \
	TACHO_TRACY_ZONE_S_(ctx, name, color, TRACY_CALLSTACK, active)
#define TracyCZoneS(ctx, depth, active)         TACHO_TRACY_ZONE_S_(ctx, NULL, 0, depth, active)
#define TracyCZoneNS(ctx, name, depth, active)  TACHO_TRACY_ZONE_S_(ctx, name, 0, depth, active)
#define TracyCZoneCS(ctx, color, depth, active) TACHO_TRACY_ZONE_S_(ctx, NULL, color, depth, active)
#define TracyCZoneNCS(ctx, name, color, depth, active) \
	TACHO_TRACY_ZONE_S_(ctx, name, color, depth, active)
#define TracyCZoneEnd(ctx)              tacho_zone_end(tacho_tracy_zone(ctx));
#define TracyCZoneText(ctx, text, size) ___tracy_emit_zone_text(ctx, text, size);
#define TracyCZoneTextF(ctx, ...)       ___tracy_emit_zone_text_fmt(ctx, __VA_ARGS__);
#define TracyCZoneName(ctx, text, size) ___tracy_emit_zone_name(ctx, text, size);
#define TracyCZoneNameF(ctx, ...)       ___tracy_emit_zone_name_fmt(ctx, __VA_ARGS__);
#define TracyCZoneColor(ctx, color)     ___tracy_emit_zone_color(ctx, color);
#define TracyCZoneValue(ctx, value)     ___tracy_emit_zone_value(ctx, value);

/*
 * ---- zones of devices that the program reads itself ----
 *
 * A context is a track. Begins and ends of zones nest in the order of the calls; each names a
 * query, whose time comes later, in any order. _alloc: srcloc is of ___tracy_alloc_srcloc(), else
 * it is the address of a struct ___tracy_source_location_data. The calls with the suffix _serial do
 * the same.
 */

TRACY_API void ___tracy_emit_gpu_zone_begin(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void
___tracy_emit_gpu_zone_begin_callstack(const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void ___tracy_emit_gpu_zone_begin_alloc(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void ___tracy_emit_gpu_zone_begin_alloc_callstack(
	const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void ___tracy_emit_gpu_zone_end(const struct ___tracy_gpu_zone_end_data data);
TRACY_API void ___tracy_emit_gpu_time(const struct ___tracy_gpu_time_data data);
TRACY_API void ___tracy_emit_gpu_new_context(const struct ___tracy_gpu_new_context_data data);
TRACY_API void ___tracy_emit_gpu_context_name(const struct ___tracy_gpu_context_name_data data);
TRACY_API void ___tracy_emit_gpu_calibration(const struct ___tracy_gpu_calibration_data data);
TRACY_API void ___tracy_emit_gpu_time_sync(const struct ___tracy_gpu_time_sync_data data);

TRACY_API void ___tracy_emit_gpu_zone_begin_serial(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void ___tracy_emit_gpu_zone_begin_callstack_serial(
	const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void
___tracy_emit_gpu_zone_begin_alloc_serial(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void ___tracy_emit_gpu_zone_begin_alloc_callstack_serial(
	const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void ___tracy_emit_gpu_zone_end_serial(const struct ___tracy_gpu_zone_end_data data);
TRACY_API void ___tracy_emit_gpu_time_serial(const struct ___tracy_gpu_time_data data);
TRACY_API void
___tracy_emit_gpu_new_context_serial(const struct ___tracy_gpu_new_context_data data);
TRACY_API void
___tracy_emit_gpu_context_name_serial(const struct ___tracy_gpu_context_name_data data);
TRACY_API void
___tracy_emit_gpu_calibration_serial(const struct ___tracy_gpu_calibration_data data);
TRACY_API void ___tracy_emit_gpu_time_sync_serial(const struct ___tracy_gpu_time_sync_data data);

/* ---- memory ---- */

TRACY_API void ___tracy_emit_memory_alloc(const void *ptr, size_t size, int32_t secure);
TRACY_API void ___tracy_emit_memory_alloc_callstack(const void *ptr, size_t size, int32_t depth,
						    int32_t secure);
TRACY_API void ___tracy_emit_memory_free(const void *ptr, int32_t secure);
TRACY_API void ___tracy_emit_memory_free_callstack(const void *ptr, int32_t depth, int32_t secure);
TRACY_API void ___tracy_emit_memory_alloc_named(const void *ptr, size_t size, int32_t secure,
						const char *name);
TRACY_API void ___tracy_emit_memory_alloc_callstack_named(const void *ptr, size_t size,
							  int32_t depth, int32_t secure,
							  const char *name);
TRACY_API void ___tracy_emit_memory_free_named(const void *ptr, int32_t secure, const char *name);
TRACY_API void ___tracy_emit_memory_free_callstack_named(const void *ptr, int32_t depth,
							 int32_t secure, const char *name);
TRACY_API void ___tracy_emit_memory_discard(const char *name, int32_t secure);
TRACY_API void ___tracy_emit_memory_discard_callstack(const char *name, int32_t secure,
						      int32_t depth);

/* Not functions: inlined ones would be frames of the stack. */
#define TACHO_TRACY_ALLOC_(name, ptr, size, depth)                           \
	((depth) > 0 ? tacho_alloc_stack(name, ptr, size, (unsigned)(depth)) \
		     : tacho_alloc(name, ptr, size))
#define TACHO_TRACY_FREE_(name, ptr, depth) \
	((depth) > 0 ? tacho_free_stack(name, ptr, (unsigned)(depth)) : tacho_free(name, ptr))

#define TracyCAlloc(ptr, size)        TracyCAllocS(ptr, size, TRACY_CALLSTACK)
#define TracyCFree(ptr)               TracyCFreeS(ptr, TRACY_CALLSTACK)
#define TracyCAllocN(ptr, size, name) TracyCAllocNS(ptr, size, TRACY_CALLSTACK, name)
#define TracyCFreeN(ptr, name)        TracyCFreeNS(ptr, TRACY_CALLSTACK, name)
#define TracyCMemoryDiscard(name)     tacho_discard(name);

#define TracyCSecureAlloc(ptr, size)                TracyCAlloc(ptr, size)
#define TracyCSecureFree(ptr)                       TracyCFree(ptr)
#define TracyCSecureMemoryDiscard(name)             TracyCMemoryDiscard(name)
#define TracyCSecureAllocN(ptr, size, name)         TracyCAllocN(ptr, size, name)
#define TracyCSecureFreeN(ptr, name)                TracyCFreeN(ptr, name)
#define TracyCAllocS(ptr, size, depth)              TACHO_TRACY_ALLOC_(NULL, ptr, size, depth)
#define TracyCFreeS(ptr, depth)                     TACHO_TRACY_FREE_(NULL, ptr, depth)
#define TracyCMemoryDiscardS(name, depth)           TracyCMemoryDiscard(name)
#define TracyCSecureAllocS(ptr, size, depth)        TracyCAllocS(ptr, size, depth)
#define TracyCSecureFreeS(ptr, depth)               TracyCFreeS(ptr, depth)
#define TracyCSecureMemoryDiscardS(name, depth)     TracyCMemoryDiscard(name)
#define TracyCAllocNS(ptr, size, depth, name)       TACHO_TRACY_ALLOC_(name, ptr, size, depth)
#define TracyCFreeNS(ptr, depth, name)              TACHO_TRACY_FREE_(name, ptr, depth)
#define TracyCSecureAllocNS(ptr, size, depth, name) TracyCAllocNS(ptr, size, depth, name)
#define TracyCSecureFreeNS(ptr, depth, name)        TracyCFreeNS(ptr, depth, name)

/* ---- messages ---- */

TRACY_API void ___tracy_emit_message(const char *txt, size_t size, int32_t callstack_depth);
TRACY_API void ___tracy_emit_messageL(const char *txt, int32_t callstack_depth);
TRACY_API void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color,
				      int32_t callstack_depth);
TRACY_API void ___tracy_emit_messageLC(const char *txt, uint32_t color, int32_t callstack_depth);
TRACY_API void ___tracy_emit_message_appinfo(const char *txt, size_t size);
TRACY_API void ___tracy_emit_logString(int8_t severity, int32_t color, int32_t callstack_depth,
				       size_t size, const char *txt);
TRACY_API void ___tracy_emit_logStringL(int8_t severity, int32_t color, int32_t callstack_depth,
					const char *txt);

#define TracyCMessage(text, size) ___tracy_emit_message(text, size, TRACY_CALLSTACK);
#define TracyCMessageL(text)      ___tracy_emit_messageL(text, TRACY_CALLSTACK);
#define TracyCMessageC(text, size, color) \
	___tracy_emit_messageC(text, size, color, TRACY_CALLSTACK);
#define TracyCMessageLC(text, color)              ___tracy_emit_messageLC(text, color, TRACY_CALLSTACK);
#define TracyCMessageS(text, size, depth)         ___tracy_emit_message(text, size, depth);
#define TracyCMessageLS(text, depth)              ___tracy_emit_messageL(text, depth);
#define TracyCMessageCS(text, size, color, depth) ___tracy_emit_messageC(text, size, color, depth);
#define TracyCMessageLCS(text, color, depth)      ___tracy_emit_messageLC(text, color, depth);
#define TracyCAppInfo(text, size)                 ___tracy_emit_message_appinfo(text, size);

/* ---- frames and plots ---- */

TRACY_API void ___tracy_emit_frame_mark(const char *name);
TRACY_API void ___tracy_emit_frame_mark_start(const char *name);
TRACY_API void ___tracy_emit_frame_mark_end(const char *name);
TRACY_API void ___tracy_emit_frame_image(const void *image, uint16_t w, uint16_t h, uint8_t offset,
					 int32_t flip);
TRACY_API void ___tracy_emit_plot(const char *name, double val);
TRACY_API void ___tracy_emit_plot_float(const char *name, float val);
TRACY_API void ___tracy_emit_plot_int(const char *name, int64_t val);
TRACY_API void ___tracy_emit_plot_config(const char *name, int32_t type, int32_t step, int32_t fill,
					 uint32_t color);

#define TracyCFrameMark            ___tracy_emit_frame_mark(0);
#define TracyCFrameMarkNamed(name) ___tracy_emit_frame_mark(name);
#define TracyCFrameMarkStart(name) ___tracy_emit_frame_mark_start(name);
#define TracyCFrameMarkEnd(name)   ___tracy_emit_frame_mark_end(name);
#define TracyCFrameImage(image, width, height, offset, flip) \
	___tracy_emit_frame_image(image, width, height, offset, flip);
#define TracyCPlot(name, value)  ___tracy_emit_plot(name, value);
#define TracyCPlotF(name, value) ___tracy_emit_plot_float(name, value);
#define TracyCPlotI(name, value) ___tracy_emit_plot_int(name, value);
#define TracyCPlotConfig(name, type, step, fill, color) \
	___tracy_emit_plot_config(name, type, step, fill, color);

/* ---- locks ---- */

TRACY_API struct __tracy_lockable_context_data *
___tracy_announce_lockable_ctx(const struct ___tracy_source_location_data *srcloc);
TRACY_API void ___tracy_terminate_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API int32_t ___tracy_before_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_unlock_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_try_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
						    int32_t acquired);
TRACY_API void ___tracy_mark_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
					  const struct ___tracy_source_location_data *srcloc);
TRACY_API void ___tracy_custom_name_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
						 const char *name, size_t nameSz);

TRACY_API struct __tracy_shared_lockable_context_data *
___tracy_announce_shared_lockable_ctx(const struct ___tracy_source_location_data *srcloc);
TRACY_API void
___tracy_terminate_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API int32_t
___tracy_before_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_unlock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_try_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
					    int32_t acquired);
TRACY_API int32_t ___tracy_before_lock_shared_shared_lockable_ctx(
	struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_lock_shared_shared_lockable_ctx(
	struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_unlock_shared_shared_lockable_ctx(
	struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_try_lock_shared_shared_lockable_ctx(
	struct __tracy_shared_lockable_context_data *lockdata, int32_t acquired);
TRACY_API void
___tracy_mark_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
				  const struct ___tracy_source_location_data *srcloc);
TRACY_API void
___tracy_custom_name_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
					 const char *name, size_t nameSz);

#define TACHO_TRACY_HERE_                                                                        \
	static const struct ___tracy_source_location_data TracyConcat(                           \
		tacho_tracy_here_, TracyLine) = {NULL, __func__, TracyFile, (uint32_t)TracyLine, \
						 0};
#define TACHO_TRACY_HERE_PTR_ (&TracyConcat(tacho_tracy_here_, TracyLine))

#define TracyCLockAnnounce(lock) \
	TACHO_TRACY_HERE_ lock = ___tracy_announce_lockable_ctx(TACHO_TRACY_HERE_PTR_);
#define TracyCLockTerminate(lock)              ___tracy_terminate_lockable_ctx(lock);
#define TracyCLockBeforeLock(lock)             ___tracy_before_lock_lockable_ctx(lock);
#define TracyCLockAfterLock(lock)              ___tracy_after_lock_lockable_ctx(lock);
#define TracyCLockAfterUnlock(lock)            ___tracy_after_unlock_lockable_ctx(lock);
#define TracyCLockAfterTryLock(lock, acquired) ___tracy_after_try_lock_lockable_ctx(lock, acquired);
#define TracyCLockMark(lock) \
	TACHO_TRACY_HERE_ ___tracy_mark_lockable_ctx(lock, TACHO_TRACY_HERE_PTR_);
#define TracyCLockCustomName(lock, name, size) ___tracy_custom_name_lockable_ctx(lock, name, size);

#define TracyCSharedLockAnnounce(lock) \
	TACHO_TRACY_HERE_ lock = ___tracy_announce_shared_lockable_ctx(TACHO_TRACY_HERE_PTR_);
#define TracyCSharedLockTerminate(lock)   ___tracy_terminate_shared_lockable_ctx(lock);
#define TracyCSharedLockBeforeLock(lock)  ___tracy_before_lock_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterLock(lock)   ___tracy_after_lock_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterUnlock(lock) ___tracy_after_unlock_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterTryLock(lock, acquired) \
	___tracy_after_try_lock_shared_lockable_ctx(lock, acquired);
#define TracyCSharedLockBeforeSharedLock(lock) \
	___tracy_before_lock_shared_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterSharedLock(lock) ___tracy_after_lock_shared_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterSharedUnlock(lock) \
	___tracy_after_unlock_shared_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterTrySharedLock(lock, acquired) \
	___tracy_after_try_lock_shared_shared_lockable_ctx(lock, acquired);
#define TracyCSharedLockMark(lock) \
	TACHO_TRACY_HERE_ ___tracy_mark_shared_lockable_ctx(lock, TACHO_TRACY_HERE_PTR_);
#define TracyCSharedLockCustomName(lock, name, size) \
	___tracy_custom_name_shared_lockable_ctx(lock, name, size);

/*
 * One name, two argument lists: with and without the colour of a location, with and without the
 * "secure" flag. TACHO_TRACY_PICKn_ chooses by the number of arguments.
 */
#define TACHO_TRACY_PICK2_(a, b, f, ...)                   f
#define TACHO_TRACY_PICK3_(a, b, c, f, ...)                f
#define TACHO_TRACY_PICK4_(a, b, c, d, f, ...)             f
#define TACHO_TRACY_PICK5_(a, b, c, d, e, f, ...)          f
#define TACHO_TRACY_PICK6_(a, b, c, d, e, g, f, ...)       f
#define TACHO_TRACY_PICK8_(a, b, c, d, e, g, h, i, f, ...) f

#define tacho_tracy_alloc2(p, s)          (___tracy_emit_memory_alloc)(p, s, 0)
#define tacho_tracy_alloc3(p, s, x)       (___tracy_emit_memory_alloc)(p, s, x)
#define tacho_tracy_alloc_cs3(p, s, d)    (___tracy_emit_memory_alloc_callstack)(p, s, d, 0)
#define tacho_tracy_alloc_cs4(p, s, d, x) (___tracy_emit_memory_alloc_callstack)(p, s, d, x)
#define tacho_tracy_free1(p)              (___tracy_emit_memory_free)(p, 0)
#define tacho_tracy_free2(p, x)           (___tracy_emit_memory_free)(p, x)
#define tacho_tracy_free_cs2(p, d)        (___tracy_emit_memory_free_callstack)(p, d, 0)
#define tacho_tracy_free_cs3(p, d, x)     (___tracy_emit_memory_free_callstack)(p, d, x)
#define tacho_tracy_alloc_n3(p, s, n)     (___tracy_emit_memory_alloc_named)(p, s, 0, n)
#define tacho_tracy_alloc_n4(p, s, x, n)  (___tracy_emit_memory_alloc_named)(p, s, x, n)
#define tacho_tracy_alloc_csn4(p, s, d, n) \
	(___tracy_emit_memory_alloc_callstack_named)(p, s, d, 0, n)
#define tacho_tracy_alloc_csn5(p, s, d, x, n) \
	(___tracy_emit_memory_alloc_callstack_named)(p, s, d, x, n)
#define tacho_tracy_free_n2(p, n)               (___tracy_emit_memory_free_named)(p, 0, n)
#define tacho_tracy_free_n3(p, x, n)            (___tracy_emit_memory_free_named)(p, x, n)
#define tacho_tracy_free_csn3(p, d, n)          (___tracy_emit_memory_free_callstack_named)(p, d, 0, n)
#define tacho_tracy_free_csn4(p, d, x, n)       (___tracy_emit_memory_free_callstack_named)(p, d, x, n)
#define tacho_tracy_discard1(n)                 (___tracy_emit_memory_discard)(n, 0)
#define tacho_tracy_discard2(n, x)              (___tracy_emit_memory_discard)(n, x)
#define tacho_tracy_discard_cs2(n, d)           (___tracy_emit_memory_discard)(n, 0)
#define tacho_tracy_discard_cs3(n, x, d)        (___tracy_emit_memory_discard)(n, x)
#define tacho_tracy_srcloc5(l, s, sl, f, fl)    (___tracy_alloc_srcloc)(l, s, sl, f, fl, 0)
#define tacho_tracy_srcloc6(l, s, sl, f, fl, c) (___tracy_alloc_srcloc)(l, s, sl, f, fl, c)
#define tacho_tracy_srcloc7(l, s, sl, f, fl, n, nl) \
	(___tracy_alloc_srcloc_name)(l, s, sl, f, fl, n, nl, 0)
#define tacho_tracy_srcloc8(l, s, sl, f, fl, n, nl, c) \
	(___tracy_alloc_srcloc_name)(l, s, sl, f, fl, n, nl, c)

#define ___tracy_emit_memory_alloc(...) \
	TACHO_TRACY_PICK3_(__VA_ARGS__, tacho_tracy_alloc3, tacho_tracy_alloc2, 0)(__VA_ARGS__)
#define ___tracy_emit_memory_alloc_callstack(...)                                        \
	TACHO_TRACY_PICK4_(__VA_ARGS__, tacho_tracy_alloc_cs4, tacho_tracy_alloc_cs3, 0) \
	(__VA_ARGS__)
#define ___tracy_emit_memory_free(...) \
	TACHO_TRACY_PICK2_(__VA_ARGS__, tacho_tracy_free2, tacho_tracy_free1, 0)(__VA_ARGS__)
#define ___tracy_emit_memory_free_callstack(...) \
	TACHO_TRACY_PICK3_(__VA_ARGS__, tacho_tracy_free_cs3, tacho_tracy_free_cs2, 0)(__VA_ARGS__)
#define ___tracy_emit_memory_alloc_named(...) \
	TACHO_TRACY_PICK4_(__VA_ARGS__, tacho_tracy_alloc_n4, tacho_tracy_alloc_n3, 0)(__VA_ARGS__)
#define ___tracy_emit_memory_alloc_callstack_named(...)                                    \
	TACHO_TRACY_PICK5_(__VA_ARGS__, tacho_tracy_alloc_csn5, tacho_tracy_alloc_csn4, 0) \
	(__VA_ARGS__)
#define ___tracy_emit_memory_free_named(...) \
	TACHO_TRACY_PICK3_(__VA_ARGS__, tacho_tracy_free_n3, tacho_tracy_free_n2, 0)(__VA_ARGS__)
#define ___tracy_emit_memory_free_callstack_named(...)                                   \
	TACHO_TRACY_PICK4_(__VA_ARGS__, tacho_tracy_free_csn4, tacho_tracy_free_csn3, 0) \
	(__VA_ARGS__)
#define ___tracy_emit_memory_discard(...) \
	TACHO_TRACY_PICK2_(__VA_ARGS__, tacho_tracy_discard2, tacho_tracy_discard1, 0)(__VA_ARGS__)
#define ___tracy_emit_memory_discard_callstack(...)                                          \
	TACHO_TRACY_PICK3_(__VA_ARGS__, tacho_tracy_discard_cs3, tacho_tracy_discard_cs2, 0) \
	(__VA_ARGS__)
#define ___tracy_alloc_srcloc(...) \
	TACHO_TRACY_PICK6_(__VA_ARGS__, tacho_tracy_srcloc6, tacho_tracy_srcloc5, 0)(__VA_ARGS__)
#define ___tracy_alloc_srcloc_name(...) \
	TACHO_TRACY_PICK8_(__VA_ARGS__, tacho_tracy_srcloc8, tacho_tracy_srcloc7, 0)(__VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif /* TRACY_ENABLE */
#endif
