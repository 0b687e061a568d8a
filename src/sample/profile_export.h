/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in the formats of other tools. */
#ifndef SAMPLE_PROFILE_EXPORT_H
#define SAMPLE_PROFILE_EXPORT_H

#include "sample/profile.h"

#include <stdio.h>

/* One line per stack, root first: "main;work;memcpy 123", in samples. */
int profile_write_folded(FILE *out, struct profile *p, const struct profile_filter *filter);

/* JSON of speedscope: a profile per thread, in order of time. */
int profile_write_speedscope(FILE *out, struct profile *p, const struct profile_filter *filter);

/* The gzipped protocol buffer of pprof: samples and nanoseconds by stack. */
int profile_write_pprof(FILE *out, struct profile *p, const struct profile_filter *filter);

#endif
