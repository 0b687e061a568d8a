/* SPDX-License-Identifier: Apache-2.0 */
/* The names of tracy:: that programs use directly, in addition to the macros of Tracy.hpp. */
#ifndef TACHO_TRACY_PROFILER_HPP
#define TACHO_TRACY_PROFILER_HPP
#ifdef TRACY_ENABLE

#include "../TracyC.h"
#include "../common/TracySystem.hpp"

#include <mutex>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tacho/tacho.h>
#include <thread>
#include <time.h>
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
	static void SendFrameImage(const void *image, uint16_t w, uint16_t h, uint8_t offset,
				   bool flip)
	{
		tacho_frame_image(image, w, h, offset, flip);
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

	static void Message(const char *text, size_t size, int depth)
	{
		___tracy_emit_message(text, size, depth);
	}
	/* A literal: sent once, then by its number. */
	static void Message(const char *text, int depth)
	{
		___tracy_emit_messageL(text, depth);
	}
	static void MessageColor(const char *text, size_t size, uint32_t color, int depth)
	{
		___tracy_emit_messageC(text, size, color, depth);
	}
	static void MessageColor(const char *text, uint32_t color, int depth)
	{
		___tracy_emit_messageLC(text, color, depth);
	}
	static void LogString(MessageSourceType, MessageSeverity severity, uint32_t color,
			      int depth, size_t size, const char *text)
	{
		___tracy_emit_logString((int8_t)severity, (int32_t)color, depth, size, text);
	}
	static void LogString(MessageSourceType, MessageSeverity severity, uint32_t color,
			      int depth, const char *text)
	{
		___tracy_emit_logStringL((int8_t)severity, (int32_t)color, depth, text);
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
	static void MemAllocCallstack(const void *ptr, size_t size, int depth, bool)
	{
		TACHO_TRACY_ALLOC_(nullptr, ptr, size, depth);
	}
	static void MemFreeCallstack(const void *ptr, int depth, bool)
	{
		TACHO_TRACY_FREE_(nullptr, ptr, depth);
	}
	static void MemAllocNamed(const void *ptr, size_t size, bool, const char *name)
	{
		tacho_alloc(name, ptr, size);
	}
	static void MemFreeNamed(const void *ptr, bool, const char *name)
	{
		tacho_free(name, ptr);
	}
	static void MemAllocCallstackNamed(const void *ptr, size_t size, int depth, bool,
					   const char *name)
	{
		TACHO_TRACY_ALLOC_(name, ptr, size, depth);
	}
	static void MemFreeCallstackNamed(const void *ptr, int depth, bool, const char *name)
	{
		TACHO_TRACY_FREE_(name, ptr, depth);
	}
	static void MemDiscard(const char *name, bool = false)
	{
		tacho_discard(name);
	}
	static void MemDiscardCallstack(const char *name, int)
	{
		tacho_discard(name);
	}

	/*
	 * The callback is called by a thread of its own, as in Tracy. libtacho starts no threads:
	 * this one is the program's, and exists only if the program registers a callback.
	 */
	static void ParameterRegister(ParameterCallback callback, void *data = nullptr)
	{
		static bool started;
		registered &r = parameter_callback();
		std::lock_guard<std::mutex> held(r.lock);

		r.callback = callback;
		r.data = data;
		if (callback && !started)
			std::thread(parameter_run).detach();
		started |= callback != nullptr;
	}
	static void ParameterSetup(uint32_t idx, const char *name, uint8_t type, int32_t value)
	{
		tacho_parameter(idx, name, (tacho_parameter_type)type, value);
	}
	__attribute__((format(printf, 2, 3))) static uint32_t SectionEnter(uint16_t category,
									   const char *format, ...)
	{
		section_text text;
		va_list args;

		if (!tacho_is_recording())
			return 0;
		va_start(args, format);
		text.make(format, args);
		va_end(args);
		return tacho_section_enter(category, text.bytes, text.len);
	}
	static void SectionLeave(uint32_t id)
	{
		tacho_section_leave(id);
	}
	__attribute__((format(printf, 2, 3))) static void SectionSetup(uint16_t category,
								       const char *format, ...)
	{
		section_text text;
		va_list args;

		va_start(args, format);
		text.make(format, args);
		va_end(args);
		tacho_section_name(category, text.bytes, text.len);
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
	struct registered {
		std::mutex lock;
		ParameterCallback callback = nullptr;
		void *data = nullptr;
	};
	/* Never destroyed: the thread outlives main(). */
	static registered &parameter_callback()
	{
		static registered *one = new registered;

		return *one;
	}
	static void parameter_run()
	{
		struct timespec pause = {0, 50 * 1000 * 1000};
		uint32_t idx;
		int32_t value;
		sigset_t all;

		/* Signals are for the program's other threads. */
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, nullptr);
		for (;; nanosleep(&pause, nullptr))
			while (tacho_parameter_next(&idx, &value)) {
				registered &r = parameter_callback();
				std::unique_lock<std::mutex> held(r.lock);
				ParameterCallback callback = r.callback;
				void *data = r.data;

				held.unlock();
				if (callback)
					callback(data, idx, value);
			}
	}
	/* A text that is too long is truncated. */
	struct section_text {
		char bytes[1024];
		size_t len = 0;

		void make(const char *format, va_list args)
		{
			int n = vsnprintf(bytes, sizeof(bytes), format, args);

			if (n > 0)
				len = (size_t)n < sizeof(bytes) ? (size_t)n : sizeof(bytes) - 1;
		}
	};
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
