/* SPDX-License-Identifier: Apache-2.0 */
/* The names of tracy:: that programs use directly, in addition to the macros of Tracy.hpp. */
#ifndef TACHO_TRACY_PROFILER_HPP
#define TACHO_TRACY_PROFILER_HPP
#ifdef TRACY_ENABLE

#include "../TracyC.h"
#include "../common/TracySystem.hpp"

#include <atomic>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tacho/tacho.h>
#include <type_traits>

namespace tracy
{
struct SourceLocationData {
	const char *name;
	const char *function;
	const char *file;
	uint32_t line;
	uint32_t color;
};

enum class PlotFormatType : uint8_t { Number, Memory, Percentage, Watt };
enum class MessageSeverity : uint8_t { Trace, Debug, Info, Warning, Error, Fatal };
enum class MessageSourceType : uint8_t { User, Tracy };
enum class QueueType : uint8_t { FrameMarkMsg, FrameMarkMsgStart, FrameMarkMsgEnd };

using ParameterCallback = void (*)(void *data, uint32_t idx, int32_t val);
using SourceContentsCallback = char *(*)(void *data, const char *filename, size_t &size);

class Profiler
{
public:
	static int64_t GetTime()
	{
		return (int64_t)tacho_ticks();
	}
	bool IsConnected() const
	{
		return tacho_is_recording() != 0;
	}
	bool HasShutdownFinished() const
	{
		return false;
	}
	void RequestShutdown()
	{
	}
	void SetProgramName(const char *name)
	{
		tacho_app_info(name, strlen(name));
	}

	static void SendFrameMark(const char *name)
	{
		tacho_frame(name);
	}
	static void SendFrameMark(const char *name, QueueType type)
	{
		if (type == QueueType::FrameMarkMsgStart)
			tacho_frame_start(name);
		else if (type == QueueType::FrameMarkMsgEnd)
			tacho_frame_stop(name);
		else
			tacho_frame(name);
	}
	static void SendFrameImage(const void *, uint16_t, uint16_t, uint8_t, bool)
	{
	}

	template <typename T> static void PlotData(const char *name, T value)
	{
		plot(name, value, std::is_floating_point<T>());
	}
	static void ConfigurePlot(const char *name, PlotFormatType type, bool step = false,
				  bool fill = true, uint32_t color = 0)
	{
		tacho_plot_config(name, (unsigned)type,
				  (step ? TACHO_PLOT_STEP : 0) | (fill ? TACHO_PLOT_FILL : 0),
				  color);
	}

	static void Message(const char *text, size_t size, int)
	{
		tacho_message(text, size, TACHO_INFO, 0);
	}
	/* A literal: sent once, then by its number. */
	static void Message(const char *text, int)
	{
		___tracy_emit_messageL(text, 0);
	}
	static void MessageColor(const char *text, size_t size, uint32_t color, int)
	{
		tacho_message(text, size, TACHO_INFO, color);
	}
	static void MessageColor(const char *text, uint32_t color, int)
	{
		___tracy_emit_messageLC(text, color, 0);
	}
	static void LogString(MessageSourceType, MessageSeverity severity, uint32_t color, int,
			      size_t size, const char *text)
	{
		tacho_message(text, size, (unsigned)severity, color);
	}
	static void LogString(MessageSourceType, MessageSeverity severity, uint32_t color, int,
			      const char *text)
	{
		___tracy_emit_logStringL((int8_t)severity, (int32_t)color, 0, text);
	}
	static void MessageAppInfo(const char *text, size_t size)
	{
		tacho_app_info(text, size);
	}

	static void MemAlloc(const void *ptr, size_t size, bool)
	{
		tacho_alloc(nullptr, ptr, size);
	}
	static void MemFree(const void *ptr, bool)
	{
		tacho_free(nullptr, ptr);
	}
	static void MemAllocCallstack(const void *ptr, size_t size, int, bool)
	{
		tacho_alloc(nullptr, ptr, size);
	}
	static void MemFreeCallstack(const void *ptr, int, bool)
	{
		tacho_free(nullptr, ptr);
	}
	static void MemAllocNamed(const void *ptr, size_t size, bool, const char *name)
	{
		tacho_alloc(name, ptr, size);
	}
	static void MemFreeNamed(const void *ptr, bool, const char *name)
	{
		tacho_free(name, ptr);
	}
	static void MemAllocCallstackNamed(const void *ptr, size_t size, int, bool,
					   const char *name)
	{
		tacho_alloc(name, ptr, size);
	}
	static void MemFreeCallstackNamed(const void *ptr, int, bool, const char *name)
	{
		tacho_free(name, ptr);
	}
	static void MemDiscard(const char *, bool)
	{
	}

	static void ParameterRegister(ParameterCallback, void * = nullptr)
	{
	}
	static void ParameterSetup(uint32_t, const char *, uint8_t, int32_t)
	{
	}
	__attribute__((format(printf, 2, 3))) static uint32_t SectionEnter(uint16_t category,
									   const char *format, ...)
	{
		uint32_t id = 0;
		va_list args;

		if (!tacho_is_recording())
			return 0;
		while (!id) /* 0 is no section */
			id = section_count()++ + 1;
		va_start(args, format);
		section_message(format, args, "section %u begins, category %u: ", id, category);
		va_end(args);
		return id;
	}
	static void SectionLeave(uint32_t id)
	{
		char text[40];

		if (id)
			tacho_message(text,
				      (size_t)snprintf(text, sizeof(text), "section %u ends", id),
				      TACHO_INFO, 0);
	}
	__attribute__((format(printf, 2, 3))) static void SectionSetup(uint16_t category,
								       const char *format, ...)
	{
		va_list args;

		va_start(args, format);
		section_message(format, args, "sections of category %u: ", category);
		va_end(args);
	}
	static void SourceCallbackRegister(SourceContentsCallback, void *)
	{
	}
	static void EnterFiber(const char *fiber, int32_t)
	{
		tacho_fiber_enter(fiber);
	}
	static void LeaveFiber()
	{
		tacho_fiber_leave();
	}

private:
	static std::atomic<uint32_t> &section_count()
	{
		static std::atomic<uint32_t> count{0};

		return count;
	}
	/* A text that is too long is truncated. */
	template <typename... Numbers>
	static void section_message(const char *format, va_list args, const char *head,
				    Numbers... numbers)
	{
		char text[1024];
		int at = snprintf(text, sizeof(text), head, numbers...);
		int more = vsnprintf(text + at, sizeof(text) - (size_t)at, format, args);
		size_t len = (size_t)at + (size_t)(more < 0 ? 0 : more);

		tacho_message(text, len < sizeof(text) ? len : sizeof(text) - 1, TACHO_INFO, 0);
	}
	template <typename T> static void plot(const char *name, T value, std::true_type)
	{
		tacho_plot_double(name, (double)value);
	}
	template <typename T> static void plot(const char *name, T value, std::false_type)
	{
		tacho_plot_int(name, (int64_t)value);
	}
};

inline Profiler &GetProfiler()
{
	static Profiler profiler;

	return profiler;
}

inline bool ProfilerAvailable()
{
	return true;
}

inline bool IsProfilerStarted()
{
	return true;
}

/* There is nothing to start, to stop, or to sample. */
inline void StartupProfiler()
{
}
inline void ShutdownProfiler()
{
}
inline int BeginSamplingProfiling()
{
	return 0;
}
inline void EndSamplingProfiling()
{
}
} // namespace tracy

#endif /* TRACY_ENABLE */
#endif
