/* SPDX-License-Identifier: Apache-2.0 */
/* Every macro of Tracy.hpp, once. Compiled with and without TRACY_ENABLE. */
#include <mutex>
#include <shared_mutex>
#include <string>
#include <tracy/Tracy.hpp>

using shared_lock_type = std::shared_timed_mutex;

struct guarded {
	TracyLockable(std::mutex, plain);
	TracyLockableN(std::mutex, named, "named lock");
	TracySharedLockable(shared_lock_type, shared);
	TracySharedLockableN(shared_lock_type, shared_named, "named shared lock");
};

static void scoped(int x)
{
	ZoneScoped;
	ZoneText("abc", 3);
	ZoneTextF("x=%d", x);
	ZoneName("q", 1);
	ZoneNameF("n%d", x);
	ZoneColor(tracy::Color::Tomato);
	ZoneValue(x);
	if (ZoneIsActive) {
		ZoneText("active", 6);
	}
	{
		ZoneScopedN("n");
	}
	{
		ZoneScopedC(tracy::Color::Red);
	}
	{
		ZoneScopedNC("nc", 0xff);
	}
	{
		ZoneScopedS(4);
	}
	{
		ZoneScopedNS("ns", 4);
	}
	{
		ZoneScopedCS(1, 2);
	}
	{
		ZoneScopedNCS("ncs", 1, 2);
	}
	(void)x;
}

static void named(int x)
{
	std::string text = "run-time";
	ZoneNamed(v, true);
	ZoneTextV(v, "a", 1);
	ZoneTextVF(v, "%s", "y");
	ZoneNameV(v, "b", 1);
	ZoneNameVF(v, "%d", 1);
	ZoneColorV(v, 3);
	ZoneValueV(v, 4);
	if (ZoneIsActiveV(v))
		x++;
	ZoneNamedN(a, "a", x > 1);
	ZoneNamedC(b, 1, true);
	ZoneNamedNC(c, "n", 2, true);
	ZoneNamedS(d, 1, true);
	ZoneNamedNS(e, "d", 1, true);
	ZoneNamedCS(f, 1, 1, true);
	ZoneNamedNCS(g, "g", 1, 1, true);
	ZoneTransient(h, true);
	ZoneTransientN(i, text.c_str(), true);
	ZoneTransientS(j, 1, true);
	ZoneTransientNS(k, text.c_str(), 1, true);
	ZoneTransientNC(l, text.c_str(), 0xff, true);
	ZoneTransientNCS(m, text.c_str(), 0xff, 1, true);
}

template <class T> static T generic(T t)
{
	ZoneScopedN("generic");
	return t;
}

static void messages_and_plots()
{
	TracyMessage("hello", 5);
	TracyMessageL("literal");
	TracyMessageC("hello", 5, 0xff);
	TracyMessageLC("literal", 0xff);
	TracyMessageS("hello", 5, 1);
	TracyMessageLS("literal", 1);
	TracyMessageCS("hello", 5, 2, 3);
	TracyMessageLCS("literal", 1, 2);
	TracyAppInfo("info", 4);
	TracyLogString(tracy::MessageSeverity::Warning, 0xff, 0, 3, "abc");
	TracyLogString(tracy::MessageSeverity::Error, 0, 0, "literal");
	TracyPlot("plot", (int64_t)1);
	TracyPlot("plot", 1.5f);
	TracyPlot("plot", 2.5);
	TracyPlotConfig("plot", tracy::PlotFormatType::Memory, true, false, 0xff);
	FrameMark;
	FrameMarkNamed("frame");
	FrameMarkStart("span");
	FrameMarkEnd("span");
	FrameImage(nullptr, 4, 4, 0, false);
}

static void memory()
{
	static int q;
	(void)q;
	TracyAlloc(&q, 4);
	TracyFree(&q);
	TracySecureAlloc(&q, 4);
	TracySecureFree(&q);
	TracyAllocN(&q, 4, "pool");
	TracyFreeN(&q, "pool");
	TracySecureAllocN(&q, 4, "pool");
	TracySecureFreeN(&q, "pool");
	TracyAllocS(&q, 4, 1);
	TracyFreeS(&q, 1);
	TracySecureAllocS(&q, 4, 1);
	TracySecureFreeS(&q, 1);
	TracyAllocNS(&q, 4, 1, "pool");
	TracyFreeNS(&q, 1, "pool");
	TracySecureAllocNS(&q, 4, 1, "pool");
	TracySecureFreeNS(&q, 1, "pool");
	TracyMemoryDiscard("pool");
	TracyMemoryDiscardS("pool", 1);
	TracySecureMemoryDiscard("pool");
	TracySecureMemoryDiscardS("pool", 1);
}

static void locks()
{
	guarded g;
	auto &plain = g.plain;
	{
		std::lock_guard<LockableBase(std::mutex)> hold(g.plain);
		LockMark(plain);
	}
	{
		std::unique_lock<LockableBase(std::mutex)> hold(g.named);
		LockableName(g.named, "custom", 6);
	}
	if (g.plain.try_lock())
		g.plain.unlock();
	SharedLockableBase(shared_lock_type) &shared = g.shared;
	shared.lock_shared();
	shared.unlock_shared();
	shared.lock();
	shared.unlock();
	if (g.shared_named.try_lock_shared())
		g.shared_named.unlock_shared();
}

#ifdef TRACY_ENABLE
static constexpr tracy::SourceLocationData place{"direct", "main", "file", 1, 0};

static void direct()
{
	tracy::ScopedZone zone(&place, true);
	tracy::ScopedZone deep(&place, 3, true);
	tracy::ScopedZone made(1, "file", 4, "function", 8, "name", 4, true);
	tracy::Profiler::SendFrameMark("direct");
	zone.Text("t", 1);
}
#else
static void direct()
{
}
#endif

int main()
{
	TracyNoop;
	tracy::SetThreadName("tracy main");
	TracySetProgramName("tracy_all");
	(void)tracy::GetThreadName(tracy::GetThreadHandle());
	scoped(1);
	named(2);
	generic(1);
	generic(2.0);
	auto lambda = [] { ZoneScoped; };
	lambda();
	messages_and_plots();
	memory();
	locks();
	direct();
	TracyParameterRegister([](void *, uint32_t, int32_t) {}, nullptr);
	TracyParameterSetup(0, "x", true, 1);
	TracyParameterSetup(1, "integer", TracyParamTypeInt, 1);
	TracyParameterSetup(2, "boolean", TracyParamTypeBool, 1);
	TracyParameterSetup(3, "trigger", TracyParamTypeTrigger, 1);
	TracySectionSetup(2, "%s", "screens");
	{
		auto level = TracySectionEnter("level %d", 1);
		auto menu = TracySectionEnterCategory(2, "menu");
		(void)level;
		(void)menu;
		TracySectionLeave(menu);
		TracySectionLeave(level);
	}
	TracySourceCallbackRegister(nullptr, nullptr);
	TracyFiberEnter("fiber");
	{
		ZoneScopedN("in fiber");
	}
	TracyFiberLeave;
	TracyFiberEnterHint("fiber", 1);
	TracyFiberLeave;
	(void)TracyBeginSamplingProfiling();
	TracyEndSamplingProfiling();
	return TracyIsConnected && !TracyIsStarted;
}
