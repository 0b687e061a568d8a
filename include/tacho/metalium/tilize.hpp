/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles in place, by names that programs without this header have functions of their own for. */
#pragma once

#include <tacho/metalium/numbers.hpp>

template <typename T> void tilize(std::vector<T> &values, uint32_t m, uint32_t n)
{
	values = tilize_nfaces(values, m, n);
}
template <typename T> void untilize(std::vector<T> &values, uint32_t m, uint32_t n)
{
	values = untilize_nfaces(values, m, n);
}
