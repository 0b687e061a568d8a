/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TACHO_STD_ASSERT_H
#define TACHO_STD_ASSERT_H

/* As with NDEBUG; kernels that must stop use ASSERT of api/debug/assert.h. */
#ifndef assert
#define assert(condition) ((void)0)
#endif

#endif
