/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ and Rust functions as in their sources. */
#ifndef SAMPLE_DEMANGLE_H
#define SAMPLE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NAME itself if it is a C name or cannot be demangled; else TEXT, which holds SIZE bytes. */
const char *demangle(const char *name, char *text, size_t size);

/* The same for names of Rust's own form alone; false: it is none, and TEXT is of no use. */
bool demangle_rust(const char *name, char *text, size_t size);

#endif
