/* SPDX-License-Identifier: Apache-2.0 */
/* Names that programs expect by this path: those of tracy:: that belong to events. */
#ifndef TACHO_TRACY_QUEUE_HPP
#define TACHO_TRACY_QUEUE_HPP

#include "../client/TracyProfiler.hpp"

#endif
