/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ and Rust functions as their sources have them. */
#ifndef SAMPLE_DEMANGLE_H
#define SAMPLE_DEMANGLE_H

#include <stddef.h>

/* NAME itself when it is of C or nothing can be made of it; else TEXT, which holds SIZE bytes. */
const char *demangle(const char *name, char *text, size_t size);

#endif
