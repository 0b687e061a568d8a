/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lines of profile_log_device.csv. */
#include "ttlog/devrow.h"

#include "ttlog/device_log.h"

#include <stdio.h>
#include <string.h>

void devrow_header(struct buf *out, const char *arch, uint32_t mhz, unsigned max_cores)
{
	buf_addf(out, "ARCH: %s, CHIP_FREQ[MHz]: %u, Max Compute Cores: %u\n", arch, mhz,
		 max_cores);
	buf_adds(out, "PCIe slot, core_x, core_y, RISC processor type, timer_id, "
		      "time[cycles since reset], data, run host ID, trace id, trace id counter, "
		      "zone name, type, source line, source file, meta data\n");
}

/* The columns are not quoted. Text without special characters is copied at once. */
static void devrow_text_add(struct buf *out, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, ",\n\r");

		buf_add(out, text, n);
		text += n;
		if (*text)
			buf_addc(out, *text++ == ',' ? ';' : ' ');
	}
}

static void devrow_cell_add(struct buf *out, uint64_t v)
{
	char digits[21];
	unsigned n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	buf_add(out, digits + n, sizeof(digits) - n);
	buf_addc(out, ',');
}

struct devrow_noc devrow_noc(uint64_t word)
{
	return (struct devrow_noc){
		.to = (uint32_t)(word & 0x3fffff) << 2 | (word >> 22 & 3),
		.from = (uint32_t)(word >> 26 & 0x3fffff) << 2 | (word >> 48 & 3),
		.counter = (uint32_t)(word >> 52),
	};
}

static void devrow_meta_add(struct buf *out, const struct op_marker *m, const char *name)
{
	struct devrow_noc n = devrow_noc(m->value2);

	if (m->kind == TRACE_MARK_COUNTER && m->values > 1) {
		buf_adds(out, "{\"counter type\":\"");
		devrow_text_add(out, name);
		buf_addf(out, "\";\"ref cnt\":%llu;\"value\":%llu}", (unsigned long long)m->value2,
			 (unsigned long long)m->value);
	} else if (m->meta.len) {
		devrow_text_add(out, m->meta.text);
	} else if (m->kind == TRACE_MARK_NOC && m->values > 1) {
		buf_addf(out, "{\"dst_addr\":%u;\"noc_status_counter\":%u;\"src_addr\":%u}", n.to,
			 n.counter, n.from);
	}
}

/* Markers without a name in the log have well-known numbers. */
#define TIMER_NOC 12345

void devrow_add(struct buf *out, const struct op_marker *m, const struct devrow_place *place)
{
	static const char *const types[TRACE_MARKS] = {
		[TRACE_MARK_START] = ",ZONE_START,", [TRACE_MARK_END] = ",ZONE_END,",
		[TRACE_MARK_TOTAL] = ",ZONE_TOTAL,", [TRACE_MARK_DATA] = ",TS_DATA,",
		[TRACE_MARK_EVENT] = ",TS_EVENT,",   [TRACE_MARK_NOC] = ",TS_DATA,",
		[TRACE_MARK_COUNTER] = ",TS_DATA,",
	};
	bool named = m->kind < TRACE_MARK_EVENT;
	uint64_t timer = place->timer, data = m->value;

	if (m->kind == TRACE_MARK_EVENT) {
		timer = m->value & 0xffff;
		data = 0;
	} else if (!named) {
		timer = m->kind == TRACE_MARK_NOC ? TIMER_NOC : DEVLOG_TIMER_COUNTER;
	}
	if (m->kind == TRACE_MARK_COUNTER && m->values > 1)
		data = m->value2 << 32 | (m->value & UINT32_MAX);
	devrow_cell_add(out, place->device);
	devrow_cell_add(out, place->x);
	devrow_cell_add(out, place->y);
	buf_adds(out, place->risc);
	buf_addc(out, ',');
	devrow_cell_add(out, timer);
	devrow_cell_add(out, m->cycle);
	devrow_cell_add(out, data);
	devrow_cell_add(out, m->id);
	if (m->session > 0) {
		devrow_cell_add(out, (uint64_t)m->trace);
		devrow_cell_add(out, (uint64_t)m->session);
	} else {
		buf_adds(out, ",,");
	}
	devrow_text_add(out, named ? place->name : "");
	buf_adds(out, types[m->kind]);
	devrow_cell_add(out, named ? place->line : 0);
	devrow_text_add(out, named ? place->file : "");
	buf_addc(out, ',');
	devrow_meta_add(out, m, place->name);
	buf_addc(out, '\n');
}
