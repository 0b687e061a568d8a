/* SPDX-License-Identifier: Apache-2.0 */
/* For programs whose include path is the folder above: <tracy/TracyOpenCL.hpp>. */
#include "../TracyOpenCL.hpp"
