/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of kernels in C++: at compile time, at run time, and by name. */
#ifndef TACHO_KERNEL_ARGS_H
#define TACHO_KERNEL_ARGS_H

#include "kernel/types.h"

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif

namespace tacho
{
template <class... T> constexpr std::array<uint32_t, sizeof...(T)> words(T... values)
{
	return {{uint32_t(values)...}};
}
} // namespace tacho
constexpr auto kernel_compile_time_args = tacho::words(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t i> constexpr uint32_t get_ct_arg()
{
	static_assert(i < kernel_compile_time_args.size(),
		      "the kernel was given fewer compile-time arguments");
	if constexpr (i < kernel_compile_time_args.size())
		return kernel_compile_time_args[i];
	else
		return 0;
}
#define get_compile_time_arg_val(i) get_ct_arg<(i)>()

struct tacho_named_word {
	std::string_view first;
	uint32_t second;
};
#ifdef KERNEL_COMPILE_TIME_ARG_MAP
constexpr tacho_named_word named_args_map[] = {KERNEL_COMPILE_TIME_ARG_MAP};
#else
constexpr tacho_named_word named_args_map[] = {{"", 0}};
#endif
/* Not constant: a call is a compile error in a constant expression, and a link error otherwise. */
uint32_t the_kernel_was_given_no_compile_time_argument_of_this_name();
constexpr uint32_t get_named_ct_arg(std::string_view name)
{
	for (const auto &arg : named_args_map)
		if (arg.first == name)
			return arg.second;
	return the_kernel_was_given_no_compile_time_argument_of_this_name();
}
constexpr uint32_t get_named_compile_time_arg_val(std::string_view name)
{
	return get_named_ct_arg(name);
}

FORCE_INLINE uintptr_t get_arg_addr(int i)
{
	return (uintptr_t)(tacho_args + i);
}
FORCE_INLINE uintptr_t get_common_arg_addr(int i)
{
	return (uintptr_t)(tacho_common_args + i);
}
template <typename T = uint32_t> FORCE_INLINE T get_arg_val(int i)
{
	static_assert(sizeof(T) == 4, "arguments are words");
	return __builtin_bit_cast(T, (uint32_t)tacho_args[i]);
}
template <typename T = uint32_t> FORCE_INLINE T get_common_arg_val(int i)
{
	static_assert(sizeof(T) == 4, "arguments are words");
	return __builtin_bit_cast(T, (uint32_t)tacho_common_args[i]);
}

/* Names that the host generates before the kernel: args::n, common ones, compile-time ones. */
namespace experimental
{
template <typename T> struct RtaArg {
	uint32_t byte_offset;
};
template <typename T> struct CrtaArg {
	uint32_t byte_offset;
};
template <typename T> struct CtaVal {
	T value;
	constexpr operator T() const
	{
		return value;
	}
};
template <typename T> FORCE_INLINE T get_arg(RtaArg<T> arg)
{
	return get_arg_val<T>((int)(arg.byte_offset / 4));
}
template <typename T> FORCE_INLINE T get_arg(CrtaArg<T> arg)
{
	return get_common_arg_val<T>((int)(arg.byte_offset / 4));
}
template <typename T> FORCE_INLINE constexpr T get_arg(CtaVal<T> arg)
{
	return arg.value;
}
} // namespace experimental
using experimental::get_arg;

/* Arguments without names come after those with names, which the host counts. */
#define TACHO_NAMED_ARGS        0
#define TACHO_NAMED_COMMON_ARGS 0
#define get_vararg(i)           get_arg_val<uint32_t>(TACHO_NAMED_ARGS + (i))
#define get_common_vararg(i)    get_common_arg_val<uint32_t>(TACHO_NAMED_COMMON_ARGS + (i))

#define TT_KERNEL

#endif
