/* SPDX-License-Identifier: Apache-2.0 */
/* Why a program did not work: report.c. */
#ifndef DEVICE_REPORT_H
#define DEVICE_REPORT_H

#include "device/device.h"

/* ---- report.c ---- */
void report_fault(struct tacho_device *d, const struct tacho_device_risc *r, struct buf *text);
/* All 32, eight a line. */
void report_registers(const uint32_t *x, struct buf *text);
void report_waiting(struct tacho_device *d, struct buf *text);
/* The op that runs and the first RISC that is in its kernel, behind the beginning of a line. */
void report_unfinished(struct tacho_device *d, struct buf *text);
const char *risc_name(unsigned risc, bool ethernet);

#endif
