/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracy's C++ interface on top of libtacho: a program written for it compiles unchanged by
 * switching the include path and linking libtacho. Semantics are those of tacho.h; call-stack
 * depths and source callbacks are accepted and ignored. Without
 * TRACY_ENABLE all macros are nothing and no library is needed.
 */
#ifndef TACHO_TRACY_HPP
#define TACHO_TRACY_HPP

#include "TracyC.h"
#include "common/TracyColor.hpp"
#include "common/TracySystem.hpp"

#define TracyParamTypeInt     0
#define TracyParamTypeBool    1
#define TracyParamTypeTrigger 2

#ifndef TRACY_ENABLE

#define TracyNoop

#define ZoneNamed(varname, active)
#define ZoneNamedN(varname, name, active)
#define ZoneNamedC(varname, color, active)
#define ZoneNamedNC(varname, name, color, active)
#define ZoneNamedS(varname, depth, active)
#define ZoneNamedNS(varname, name, depth, active)
#define ZoneNamedCS(varname, color, depth, active)
#define ZoneNamedNCS(varname, name, color, depth, active)
#define ZoneTransient(varname, active)
#define ZoneTransientN(varname, name, active)
#define ZoneTransientNC(varname, name, color, active)
#define ZoneTransientS(varname, depth, active)
#define ZoneTransientNS(varname, name, depth, active)
#define ZoneTransientNCS(varname, name, color, depth, active)
#define ZoneScoped
#define ZoneScopedN(name)
#define ZoneScopedC(color)
#define ZoneScopedNC(name, color)
#define ZoneScopedS(depth)
#define ZoneScopedNS(name, depth)
#define ZoneScopedCS(color, depth)
#define ZoneScopedNCS(name, color, depth)

#define ZoneText(text, size)
#define ZoneTextV(varname, text, size)
#define ZoneTextF(...)
#define ZoneTextVF(varname, ...)
#define ZoneName(text, size)
#define ZoneNameV(varname, text, size)
#define ZoneNameF(...)
#define ZoneNameVF(varname, ...)
#define ZoneColor(color)
#define ZoneColorV(varname, color)
#define ZoneValue(value)
#define ZoneValueV(varname, value)
#define ZoneIsActive           false
#define ZoneIsActiveV(varname) false

#define FrameMark
#define FrameMarkNamed(name)
#define FrameMarkStart(name)
#define FrameMarkEnd(name)
#define FrameImage(image, width, height, offset, flip)

#define TracyLockable(type, varname)              type varname
#define TracyLockableN(type, varname, desc)       type varname
#define TracySharedLockable(type, varname)        type varname
#define TracySharedLockableN(type, varname, desc) type varname
#define LockableBase(type)                        type
#define SharedLockableBase(type)                  type
#define LockMark(varname)                         (void)varname
#define LockableName(varname, text, size)

#define TracyPlot(name, value)
#define TracyPlotConfig(...)

#define TracyMessage(text, size)
#define TracyMessageL(text)
#define TracyMessageC(text, size, color)
#define TracyMessageLC(text, color)
#define TracyMessageS(text, size, depth)
#define TracyMessageLS(text, depth)
#define TracyMessageCS(text, size, color, depth)
#define TracyMessageLCS(text, color, depth)
#define TracyLogString(...)
#define TracyAppInfo(text, size)

#define TracyAlloc(ptr, size)
#define TracyFree(ptr)
#define TracyMemoryDiscard(name)
#define TracySecureAlloc(ptr, size)
#define TracySecureFree(ptr)
#define TracySecureMemoryDiscard(name)
#define TracyAllocN(ptr, size, name)
#define TracyFreeN(ptr, name)
#define TracySecureAllocN(ptr, size, name)
#define TracySecureFreeN(ptr, name)
#define TracyAllocS(ptr, size, depth)
#define TracyFreeS(ptr, depth)
#define TracyMemoryDiscardS(name, depth)
#define TracySecureAllocS(ptr, size, depth)
#define TracySecureFreeS(ptr, depth)
#define TracySecureMemoryDiscardS(name, depth)
#define TracyAllocNS(ptr, size, depth, name)
#define TracyFreeNS(ptr, depth, name)
#define TracySecureAllocNS(ptr, size, depth, name)
#define TracySecureFreeNS(ptr, depth, name)

#define TracySourceCallbackRegister(callback, data)
#define TracyParameterRegister(...)
#define TracyParameterSetup(idx, name, type, value)
#define TracySectionEnter(...)         0
#define TracySectionEnterCategory(...) 0
#define TracySectionLeave(id)
#define TracySectionSetup(...)
#define TracyIsConnected false
#define TracyIsStarted   false
#define TracySetProgramName(name)
#define TracyBeginSamplingProfiling() 0
#define TracyEndSamplingProfiling()

#define TracyFiberEnter(fiber)
#define TracyFiberEnterHint(fiber, groupHint)
#define TracyFiberLeave

#else /* TRACY_ENABLE */

#include "client/TracyLock.hpp"
#include "client/TracyProfiler.hpp"
#include "client/TracyScoped.hpp"

#define TracyNoop tracy::ProfilerAvailable()

/* ---- zones ---- */

#define ZoneNamed(varname, active)         ZoneNamedS(varname, TRACY_CALLSTACK, active)
#define ZoneNamedN(varname, name, active)  ZoneNamedNS(varname, name, TRACY_CALLSTACK, active)
#define ZoneNamedC(varname, color, active) ZoneNamedCS(varname, color, TRACY_CALLSTACK, active)
#define ZoneNamedNC(varname, name, color, active) \
	ZoneNamedNCS(varname, name, color, TRACY_CALLSTACK, active)

#define ZoneTransient(varname, active) ZoneTransientS(varname, TRACY_CALLSTACK, active)
#define ZoneTransientN(varname, name, active) \
	ZoneTransientNS(varname, name, TRACY_CALLSTACK, active)
#define ZoneTransientNC(varname, name, color, active) \
	ZoneTransientNCS(varname, name, color, TRACY_CALLSTACK, active)

#define ZoneScoped                ZoneNamed(___tracy_scoped_zone, true)
#define ZoneScopedN(name)         ZoneNamedN(___tracy_scoped_zone, name, true)
#define ZoneScopedC(color)        ZoneNamedC(___tracy_scoped_zone, color, true)
#define ZoneScopedNC(name, color) ZoneNamedNC(___tracy_scoped_zone, name, color, true)

#define ZoneNamedS(varname, depth, active) TACHO_TRACY_SCOPE_(varname, nullptr, 0, depth, active)
#define ZoneNamedNS(varname, name, depth, active) \
	TACHO_TRACY_SCOPE_(varname, name, 0, depth, active)
#define ZoneNamedCS(varname, color, depth, active) \
	TACHO_TRACY_SCOPE_(varname, nullptr, color, depth, active)
#define ZoneNamedNCS(varname, name, color, depth, active) \
	TACHO_TRACY_SCOPE_(varname, name, color, depth, active)
#define ZoneTransientS(varname, depth, active) \
	TACHO_TRACY_TRANSIENT_(varname, nullptr, 0, 0, depth, active)
#define ZoneTransientNS(varname, name, depth, active) \
	TACHO_TRACY_TRANSIENT_(varname, name, strlen(name), 0, depth, active)
#define ZoneTransientNCS(varname, name, color, depth, active) \
	TACHO_TRACY_TRANSIENT_(varname, name, strlen(name), color, depth, active)
#define ZoneScopedS(depth)         ZoneNamedS(___tracy_scoped_zone, depth, true)
#define ZoneScopedNS(name, depth)  ZoneNamedNS(___tracy_scoped_zone, name, depth, true)
#define ZoneScopedCS(color, depth) ZoneNamedCS(___tracy_scoped_zone, color, depth, true)
#define ZoneScopedNCS(name, color, depth) \
	ZoneNamedNCS(___tracy_scoped_zone, name, color, depth, true)

#define ZoneText(text, size)           ___tracy_scoped_zone.Text(text, size)
#define ZoneTextV(varname, text, size) varname.Text(text, size)
#define ZoneTextF(...)                 ___tracy_scoped_zone.TextFmt(__VA_ARGS__)
#define ZoneTextVF(varname, ...)       varname.TextFmt(__VA_ARGS__)
#define ZoneName(text, size)           ___tracy_scoped_zone.Name(text, size)
#define ZoneNameV(varname, text, size) varname.Name(text, size)
#define ZoneNameF(...)                 ___tracy_scoped_zone.NameFmt(__VA_ARGS__)
#define ZoneNameVF(varname, ...)       varname.NameFmt(__VA_ARGS__)
#define ZoneColor(color)               ___tracy_scoped_zone.Color(color)
#define ZoneColorV(varname, color)     varname.Color(color)
#define ZoneValue(value)               ___tracy_scoped_zone.Value(value)
#define ZoneValueV(varname, value)     varname.Value(value)
#define ZoneIsActive                   ___tracy_scoped_zone.IsActive()
#define ZoneIsActiveV(varname)         varname.IsActive()

/* ---- frames and plots ---- */

#define FrameMark            tracy::Profiler::SendFrameMark(nullptr)
#define FrameMarkNamed(name) tracy::Profiler::SendFrameMark(name)
#define FrameMarkStart(name) \
	tracy::Profiler::SendFrameMark(name, tracy::QueueType::FrameMarkMsgStart)
#define FrameMarkEnd(name) tracy::Profiler::SendFrameMark(name, tracy::QueueType::FrameMarkMsgEnd)
#define FrameImage(image, width, height, offset, flip) \
	tracy::Profiler::SendFrameImage(image, width, height, offset, flip)

#define TracyPlot(name, value) tracy::Profiler::PlotData(name, value)
#define TracyPlotConfig(...)   tracy::Profiler::ConfigurePlot(__VA_ARGS__)

/* ---- locks ---- */

#define TACHO_TRACY_DECLARED_(text)                                                         \
	[]() -> const tracy::SourceLocationData * {                                         \
		static constexpr tracy::SourceLocationData srcloc{nullptr, text, TracyFile, \
								  (uint32_t)TracyLine, 0};  \
		return &srcloc;                                                             \
	}()
#define TracyLockable(type, varname)                      \
	tracy::Lockable<type> varname                     \
	{                                                 \
		TACHO_TRACY_DECLARED_(#type " " #varname) \
	}
#define TracyLockableN(type, varname, desc) \
	tracy::Lockable<type> varname       \
	{                                   \
		TACHO_TRACY_DECLARED_(desc) \
	}
#define TracySharedLockable(type, varname)                \
	tracy::SharedLockable<type> varname               \
	{                                                 \
		TACHO_TRACY_DECLARED_(#type " " #varname) \
	}
#define TracySharedLockableN(type, varname, desc) \
	tracy::SharedLockable<type> varname       \
	{                                         \
		TACHO_TRACY_DECLARED_(desc)       \
	}
#define LockableBase(type)       tracy::Lockable<type>
#define SharedLockableBase(type) tracy::SharedLockable<type>
#define LockMark(varname)                                                           \
	static constexpr tracy::SourceLocationData __tracy_lock_location_##varname{ \
		nullptr, TracyFunction, TracyFile, (uint32_t)TracyLine, 0};         \
	varname.Mark(&__tracy_lock_location_##varname)
#define LockableName(varname, text, size) varname.CustomName(text, size)

/* ---- messages ---- */

#define TracyMessage(text, size)                 ___tracy_emit_message(text, size, TRACY_CALLSTACK)
#define TracyMessageL(text)                      ___tracy_emit_messageL(text, TRACY_CALLSTACK)
#define TracyMessageC(text, size, color)         ___tracy_emit_messageC(text, size, color, TRACY_CALLSTACK)
#define TracyMessageLC(text, color)              ___tracy_emit_messageLC(text, color, TRACY_CALLSTACK)
#define TracyMessageS(text, size, depth)         ___tracy_emit_message(text, size, depth)
#define TracyMessageLS(text, depth)              ___tracy_emit_messageL(text, depth)
#define TracyMessageCS(text, size, color, depth) ___tracy_emit_messageC(text, size, color, depth)
#define TracyMessageLCS(text, color, depth)      ___tracy_emit_messageLC(text, color, depth)
#define TracyAppInfo(text, size)                 tracy::Profiler::MessageAppInfo(text, size)
/* severity, colour, depth, then size and text, or a literal alone */
#define TracyLogString(severity, color, depth, ...)                                        \
	tracy::Profiler::LogString(tracy::MessageSourceType::User, severity, color, depth, \
				   __VA_ARGS__)

/* ---- memory ---- */

#define TracyAlloc(ptr, size)        TracyAllocS(ptr, size, TRACY_CALLSTACK)
#define TracyFree(ptr)               TracyFreeS(ptr, TRACY_CALLSTACK)
#define TracyAllocN(ptr, size, name) TracyAllocNS(ptr, size, TRACY_CALLSTACK, name)
#define TracyFreeN(ptr, name)        TracyFreeNS(ptr, TRACY_CALLSTACK, name)
#define TracyMemoryDiscard(name)     tracy::Profiler::MemDiscard(name, false)

#define TracySecureAlloc(ptr, size)                TracyAlloc(ptr, size)
#define TracySecureFree(ptr)                       TracyFree(ptr)
#define TracySecureMemoryDiscard(name)             TracyMemoryDiscard(name)
#define TracySecureAllocN(ptr, size, name)         TracyAllocN(ptr, size, name)
#define TracySecureFreeN(ptr, name)                TracyFreeN(ptr, name)
#define TracyAllocS(ptr, size, depth)              TACHO_TRACY_ALLOC_(nullptr, ptr, size, depth)
#define TracyFreeS(ptr, depth)                     TACHO_TRACY_FREE_(nullptr, ptr, depth)
#define TracyMemoryDiscardS(name, depth)           TracyMemoryDiscard(name)
#define TracySecureAllocS(ptr, size, depth)        TracyAllocS(ptr, size, depth)
#define TracySecureFreeS(ptr, depth)               TracyFreeS(ptr, depth)
#define TracySecureMemoryDiscardS(name, depth)     TracyMemoryDiscard(name)
#define TracyAllocNS(ptr, size, depth, name)       TACHO_TRACY_ALLOC_(name, ptr, size, depth)
#define TracyFreeNS(ptr, depth, name)              TACHO_TRACY_FREE_(name, ptr, depth)
#define TracySecureAllocNS(ptr, size, depth, name) TracyAllocNS(ptr, size, depth, name)
#define TracySecureFreeNS(ptr, depth, name)        TracyFreeNS(ptr, depth, name)

/* ---- the rest ---- */

#define TracySourceCallbackRegister(callback, data) \
	tracy::Profiler::SourceCallbackRegister(callback, data)
#define TracyParameterRegister(...) tracy::Profiler::ParameterRegister(__VA_ARGS__)
#define TracyParameterSetup(idx, name, type, value) \
	tracy::Profiler::ParameterSetup(idx, name, type, value)
#define TracySectionEnter(...) tracy::Profiler::SectionEnter(0, __VA_ARGS__)
#define TracySectionEnterCategory(category, ...) \
	tracy::Profiler::SectionEnter(category, __VA_ARGS__)
#define TracySectionLeave(id)            tracy::Profiler::SectionLeave(id)
#define TracySectionSetup(category, ...) tracy::Profiler::SectionSetup(category, __VA_ARGS__)
#define TracyIsConnected                 tracy::GetProfiler().IsConnected()
#define TracyIsStarted                   tracy::IsProfilerStarted()
#define TracySetProgramName(name)        tracy::GetProfiler().SetProgramName(name)
#define TracyBeginSamplingProfiling()    tracy::BeginSamplingProfiling()
#define TracyEndSamplingProfiling()      tracy::EndSamplingProfiling()

#define TracyFiberEnter(fiber)                tracy::Profiler::EnterFiber(fiber, 0)
#define TracyFiberEnterHint(fiber, groupHint) tracy::Profiler::EnterFiber(fiber, groupHint)
#define TracyFiberLeave                       tracy::Profiler::LeaveFiber()

#endif /* TRACY_ENABLE */
#endif
