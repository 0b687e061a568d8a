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
#else
static void functions(void)
{
}
#endif

int main(void)
{
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
