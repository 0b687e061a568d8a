/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code that was compiled at run time, from /tmp/perf-PID.map: lines "START SIZE NAME" that
 * compilers append (node --perf-basic-prof, python -X perf, ...).
 */
#ifndef SAMPLE_PERFMAP_H
#define SAMPLE_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfmap;
/* NULL: there is none, or it is not a plain file of this user. */
struct perfmap *perfmap_open(uint32_t pid);
/* The same from memory; copies BYTES. Lines that are not understood are skipped. */
struct perfmap *perfmap_parse(const char *bytes, size_t len);
void perfmap_free(struct perfmap *m);

/*
 * The name of the code at ADDRESS, which the last line that covers it has. Memory is reused: if an
 * earlier line has another name, a question mark follows the name. False: none.
 */
bool perfmap_find(const struct perfmap *m, uint64_t address, char *text, size_t size);

#endif
