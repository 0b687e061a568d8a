/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacked report as a picture: one bar, or one per device, of the shares of all time, by
 * category and then by time. The same layout is drawn as SVG and as PNG.
 */
#ifndef PERF_PICTURE_H
#define PERF_PICTURE_H

#include "base/buf.h"
#include "perf/stacked.h"

#define PERF_SVG_START \
	"<svg xmlns=\"http://www.w3.org/2000/svg\" data-made-by=\"tacho perf-report\""
#define PERF_PNG_HEAD 128 /* bytes that identify our PNG files */

/* CLASSIC: a colour per op instead of shades by category. 0 or TACHO_ENOMEM. */
int perf_picture_svg(const struct perf_stacked *stacked, bool classic, struct buf *out);
int perf_picture_png(const struct perf_stacked *stacked, bool classic, struct buf *out);

/* True if the first bytes of a file show that perf_picture_png() wrote it. */
bool perf_png_ours(const char *head, size_t len);

#endif
