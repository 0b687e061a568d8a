/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ and Rust functions as in their sources. */
#ifndef SAMPLE_DEMANGLE_H
#define SAMPLE_DEMANGLE_H

#include <stddef.h>

/* NAME itself if it is a C name or cannot be demangled; else TEXT, which holds SIZE bytes. */
const char *demangle(const char *name, char *text, size_t size);

#endif
