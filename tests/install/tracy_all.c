/* SPDX-License-Identifier: Apache-2.0 */
/* Every macro of TracyC.h, once. Compiled with and without TRACY_ENABLE. */
#include <tracy/TracyC.h>

static void zones(int x)
{
	TracyCZone(a, 1);
	TracyCZoneN(b, "b", x > 0);
	TracyCZoneC(c, 0xff, 1);
	TracyCZoneNC(d, "d", 0xff, 1);
	TracyCZoneS(e, 1, 1);
	TracyCZoneNS(f, "f", 1, 1);
	TracyCZoneCS(g, 0xff, 1, 1);
	TracyCZoneNCS(h, "h", 0xff, 1, 1);
	TracyCZoneText(b, "t", 1);
	TracyCZoneTextF(b, "%d", x);
	TracyCZoneName(b, "n", 1);
	TracyCZoneNameF(b, "%d", x);
	TracyCZoneColor(b, 1);
	TracyCZoneValue(b, 2);
	TracyCZoneEnd(h);
	TracyCZoneEnd(g);
	TracyCZoneEnd(f);
	TracyCZoneEnd(e);
	TracyCZoneEnd(d);
	TracyCZoneEnd(c);
	TracyCZoneEnd(b);
	TracyCZoneEnd(a);
	(void)x;
}

static void messages_and_plots(void)
{
	TracyCMessage("hello", 5);
	TracyCMessageL("literal");
	TracyCMessageC("hello", 5, 0xff);
	TracyCMessageLC("literal", 0xff);
	TracyCMessageS("hello", 5, 1);
	TracyCMessageLS("literal", 1);
	TracyCMessageCS("hello", 5, 0xff, 1);
	TracyCMessageLCS("literal", 0xff, 1);
	TracyCAppInfo("info", 4);
	TracyCPlot("plot", 1.0);
	TracyCPlotF("plot", 1.0f);
	TracyCPlotI("plot", 3);
	TracyCPlotConfig("plot", TracyPlotFormatMemory, 1, 1, 0);
	TracyCFrameMark;
	TracyCFrameMarkNamed("frame");
	TracyCFrameMarkStart("span");
	TracyCFrameMarkEnd("span");
	TracyCFrameImage(NULL, 4, 4, 0, 0);
}

static void memory(void)
{
	static int q;
	(void)q;
	TracyCAlloc(&q, 4);
	TracyCFree(&q);
	TracyCSecureAlloc(&q, 4);
	TracyCSecureFree(&q);
	TracyCAllocN(&q, 4, "pool");
	TracyCFreeN(&q, "pool");
	TracyCSecureAllocN(&q, 4, "pool");
	TracyCSecureFreeN(&q, "pool");
	TracyCAllocS(&q, 4, 1);
	TracyCFreeS(&q, 1);
	TracyCSecureAllocS(&q, 4, 1);
	TracyCSecureFreeS(&q, 1);
	TracyCAllocNS(&q, 4, 1, "pool");
	TracyCFreeNS(&q, 1, "pool");
	TracyCSecureAllocNS(&q, 4, 1, "pool");
	TracyCSecureFreeNS(&q, 1, "pool");
	TracyCMemoryDiscard("pool");
	TracyCMemoryDiscardS("pool", 1);
	TracyCSecureMemoryDiscard("pool");
	TracyCSecureMemoryDiscardS("pool", 1);
}

static void locks(void)
{
	TracyCLockCtx lock;
	TracyCSharedLockCtx shared;
	(void)&lock;
	(void)&shared;
	TracyCLockAnnounce(lock);
	TracyCLockBeforeLock(lock);
	TracyCLockAfterLock(lock);
	TracyCLockMark(lock);
	TracyCLockAfterUnlock(lock);
	TracyCLockAfterTryLock(lock, 0);
	TracyCLockCustomName(lock, "name", 4);
	TracyCLockTerminate(lock);
	TracyCSharedLockAnnounce(shared);
	TracyCSharedLockBeforeLock(shared);
	TracyCSharedLockAfterLock(shared);
	TracyCSharedLockAfterUnlock(shared);
	TracyCSharedLockAfterTryLock(shared, 0);
	TracyCSharedLockBeforeSharedLock(shared);
	TracyCSharedLockAfterSharedLock(shared);
	TracyCSharedLockMark(shared);
	TracyCSharedLockAfterSharedUnlock(shared);
	TracyCSharedLockAfterTrySharedLock(shared, 0);
	TracyCSharedLockCustomName(shared, "name", 4);
	TracyCSharedLockTerminate(shared);
}

#ifdef TRACY_ENABLE
/* The functions by name, with the argument lists of older and newer versions. */
static void functions(void)
{
	static const struct ___tracy_source_location_data place = {"direct", "functions", "file", 1,
								   0};
	static int q;
	TracyCZoneCtx zone;

	zone = ___tracy_emit_zone_begin(&place, 1);
	___tracy_emit_zone_end(zone);
	zone = ___tracy_emit_zone_begin_callstack(&place, 4, 1);
	___tracy_emit_zone_end(zone);
	zone = ___tracy_emit_zone_begin_alloc(___tracy_alloc_srcloc(1, "f", 1, "fn", 2), 1);
	___tracy_emit_zone_end(zone);
	zone = ___tracy_emit_zone_begin_alloc(___tracy_alloc_srcloc(1, "f", 1, "fn", 2, 0xff), 1);
	___tracy_emit_zone_end(zone);
	zone = ___tracy_emit_zone_begin_alloc_callstack(
		___tracy_alloc_srcloc_name(1, "f", 1, "fn", 2, "nm", 2), 4, 1);
	___tracy_emit_zone_end(zone);
	zone = ___tracy_emit_zone_begin_alloc(
		___tracy_alloc_srcloc_name(1, "f", 1, "fn", 2, "nm", 2, 0xff), 1);
	___tracy_emit_zone_end(zone);
	___tracy_emit_memory_alloc(&q, 4);
	___tracy_emit_memory_free(&q);
	___tracy_emit_memory_alloc(&q, 4, 0);
	___tracy_emit_memory_free(&q, 0);
	___tracy_emit_memory_alloc_callstack(&q, 4, 3);
	___tracy_emit_memory_free_callstack(&q, 3);
	___tracy_emit_memory_alloc_callstack(&q, 4, 3, 0);
	___tracy_emit_memory_free_callstack(&q, 3, 0);
	___tracy_emit_memory_alloc_named(&q, 4, "pool");
	___tracy_emit_memory_free_named(&q, "pool");
	___tracy_emit_memory_alloc_named(&q, 4, 0, "pool");
	___tracy_emit_memory_free_named(&q, 0, "pool");
	___tracy_emit_memory_alloc_callstack_named(&q, 4, 3, "pool");
	___tracy_emit_memory_free_callstack_named(&q, 3, "pool");
	___tracy_emit_memory_alloc_callstack_named(&q, 4, 3, 0, "pool");
	___tracy_emit_memory_free_callstack_named(&q, 3, 0, "pool");
	___tracy_emit_logString(TracyMessageSeverityError, 0xff, 0, 4, "text");
	___tracy_emit_logStringL(TracyMessageSeverityDebug, 0xff, 0, "literal");
	___tracy_startup_profiler();
	___tracy_shutdown_profiler();
}
/* The rest of the functions. They compile and link; what they do is tested elsewhere. */
static void rest(void)
{
	static const struct ___tracy_source_location_data place = {"direct", "rest", "file", 1, 0};
	static const struct ___tracy_gpu_zone_begin_data begin = {0, 1, 2};
	static const struct ___tracy_gpu_zone_begin_callstack_data begin_deep = {0, 3, 1, 2};
	static const struct ___tracy_gpu_zone_end_data end = {2, 2};
	static const struct ___tracy_gpu_time_data time = {5, 1, 2};
	static const struct ___tracy_gpu_new_context_data context = {0, 1.0f, 2, 0, 2};
	static const struct ___tracy_gpu_context_name_data name = {2, "gpu", 3};
	static const struct ___tracy_gpu_calibration_data calibration = {5, 6, 2};
	static const struct ___tracy_gpu_time_sync_data sync = {5, 2};
	TracyCZoneCtx zone = ___tracy_emit_zone_begin(&place, 1);
	TracyCLockCtx lock = ___tracy_announce_lockable_ctx(&place);
	TracyCSharedLockCtx shared = ___tracy_announce_shared_lockable_ctx(&place);

	___tracy_emit_zone_text(zone, "text", 4);
	___tracy_emit_zone_text_fmt(zone, "%d", 1);
	___tracy_emit_zone_name(zone, "name", 4);
	___tracy_emit_zone_name_fmt(zone, "%d", 1);
	___tracy_emit_zone_color(zone, 0xff);
	___tracy_emit_zone_value(zone, 1);
	___tracy_emit_zone_end(zone);

	___tracy_emit_gpu_new_context(context);
	___tracy_emit_gpu_new_context_serial(context);
	___tracy_emit_gpu_context_name(name);
	___tracy_emit_gpu_context_name_serial(name);
	___tracy_emit_gpu_zone_begin(begin);
	___tracy_emit_gpu_zone_begin_serial(begin);
	___tracy_emit_gpu_zone_begin_callstack(begin_deep);
	___tracy_emit_gpu_zone_begin_callstack_serial(begin_deep);
	___tracy_emit_gpu_zone_begin_alloc(begin);
	___tracy_emit_gpu_zone_begin_alloc_serial(begin);
	___tracy_emit_gpu_zone_begin_alloc_callstack(begin_deep);
	___tracy_emit_gpu_zone_begin_alloc_callstack_serial(begin_deep);
	___tracy_emit_gpu_zone_end(end);
	___tracy_emit_gpu_zone_end_serial(end);
	___tracy_emit_gpu_time(time);
	___tracy_emit_gpu_time_serial(time);
	___tracy_emit_gpu_calibration(calibration);
	___tracy_emit_gpu_calibration_serial(calibration);
	___tracy_emit_gpu_time_sync(sync);
	___tracy_emit_gpu_time_sync_serial(sync);

	if (___tracy_before_lock_lockable_ctx(lock))
		___tracy_after_lock_lockable_ctx(lock);
	___tracy_mark_lockable_ctx(lock, &place);
	___tracy_after_unlock_lockable_ctx(lock);
	___tracy_after_try_lock_lockable_ctx(lock, 0);
	___tracy_custom_name_lockable_ctx(lock, "name", 4);
	___tracy_terminate_lockable_ctx(lock);
	if (___tracy_before_lock_shared_lockable_ctx(shared))
		___tracy_after_lock_shared_lockable_ctx(shared);
	___tracy_mark_shared_lockable_ctx(shared, &place);
	___tracy_after_unlock_shared_lockable_ctx(shared);
	___tracy_after_try_lock_shared_lockable_ctx(shared, 0);
	if (___tracy_before_lock_shared_shared_lockable_ctx(shared))
		___tracy_after_lock_shared_shared_lockable_ctx(shared);
	___tracy_after_unlock_shared_shared_lockable_ctx(shared);
	___tracy_after_try_lock_shared_shared_lockable_ctx(shared, 0);
	___tracy_custom_name_shared_lockable_ctx(shared, "name", 4);
	___tracy_terminate_shared_lockable_ctx(shared);

	___tracy_emit_memory_discard("pool");
	___tracy_emit_memory_discard_callstack("pool", 3);
	___tracy_emit_frame_mark(NULL);
	___tracy_emit_frame_mark_start("span");
	___tracy_emit_frame_mark_end("span");
	___tracy_emit_frame_image(NULL, 4, 4, 0, 0);
	___tracy_emit_plot("plot", 1.0);
	___tracy_emit_plot_float("plot", 1.0f);
	___tracy_emit_plot_int("plot", 1);
	___tracy_emit_plot_config("plot", TracyPlotFormatNumber, 0, 0, 0);
	___tracy_emit_message_appinfo("info", 4);
	___tracy_set_thread_name("name");
	___tracy_fiber_enter("fiber");
	___tracy_fiber_leave();
	if (___tracy_begin_sampling_profiling())
		___tracy_end_sampling_profiling();
	if (___tracy_connected() && ___tracy_profiler_started() && ___tracy_get_time() < 0)
		___tracy_shutdown_profiler();
}
#else
static void functions(void)
{
}

static void rest(void)
{
	TracyCSharedLockCtx shared;

	(void)&shared;
	TracyCSharedLockAnnonce(shared);
}
#endif

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		rest();
	TracyCSetThreadName("tracy main");
	zones(3);
	messages_and_plots();
	memory();
	locks();
	functions();
	TracyCFiberEnter("fiber");
	TracyCFiberLeave;
	(void)TracyCBeginSamplingProfiling();
	TracyCEndSamplingProfiling();
	return TracyCIsConnected && !TracyCIsStarted;
}
