/* SPDX-License-Identifier: Apache-2.0 */
/* Names of tracy:: for events, which programs expect at this path. */
#ifndef TACHO_TRACY_QUEUE_HPP
#define TACHO_TRACY_QUEUE_HPP

#include "../client/TracyProfiler.hpp"

#endif
