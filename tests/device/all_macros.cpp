/* SPDX-License-Identifier: Apache-2.0 */
/* The same source in C++: a zone ends by a destructor. */
#include "all_macros.c"
