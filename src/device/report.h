/* SPDX-License-Identifier: Apache-2.0 */
/* Explain why a program failed: report.c. */
#ifndef DEVICE_REPORT_H
#define DEVICE_REPORT_H

#include "device/device.h"

/* ---- report.c ---- */
void report_fault(struct tacho_device *d, const struct tacho_device_risc *r, struct buf *text);
/* All 32 registers, eight per line. */
void report_registers(const uint32_t *x, struct buf *text);
void report_waiting(struct tacho_device *d, struct buf *text);
/* Appends the current op and the first RISC inside its kernel to a line. */
void report_unfinished(struct tacho_device *d, struct buf *text);
const char *risc_name(unsigned risc, bool ethernet);

#endif
