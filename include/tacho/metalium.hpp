/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs written for tt-metal compile against this and run on Tacho's devices; its headers
 * (tt-metalium/host_api.hpp and all others) include this one. See docs/metalium.md.
 */
#pragma once

#include <tacho/metalium/accessor.hpp>
#include <tacho/metalium/blocks.hpp>
#include <tacho/metalium/experimental.hpp>
#include <tacho/metalium/numbers.hpp>
#include <tacho/metalium/queue.hpp>
#include <tacho/metalium/train.hpp>

#if TACHO_METALIUM_API == 2024
using tt::tt_metal::Program;
#endif
