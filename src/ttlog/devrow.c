/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lines of profile_log_device.csv. */
#include "ttlog/devrow.h"

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

void devrow_add(struct buf *out, const struct devrow *row)
{
	static const char *const types[] = {
		[DEVROW_ZONE_START] = ",ZONE_START,", [DEVROW_ZONE_END] = ",ZONE_END,",
		[DEVROW_ZONE_TOTAL] = ",ZONE_TOTAL,", [DEVROW_TS_DATA] = ",TS_DATA,",
		[DEVROW_TS_EVENT] = ",TS_EVENT,",
	};

	devrow_cell_add(out, row->device);
	devrow_cell_add(out, row->x);
	devrow_cell_add(out, row->y);
	buf_adds(out, row->risc);
	buf_addc(out, ',');
	devrow_cell_add(out, row->timer);
	devrow_cell_add(out, row->cycles);
	devrow_cell_add(out, row->data);
	devrow_cell_add(out, row->run);
	if (row->counter) {
		devrow_cell_add(out, row->trace);
		devrow_cell_add(out, row->counter);
	} else {
		buf_adds(out, ",,");
	}
	devrow_text_add(out, row->name);
	buf_adds(out, types[row->type]);
	devrow_cell_add(out, row->line);
	devrow_text_add(out, row->file);
	buf_addc(out, ',');
	devrow_text_add(out, row->meta);
	buf_addc(out, '\n');
}

void devrow_counter_meta(struct buf *out, const char *counter, uint64_t cycles, uint64_t value)
{
	buf_addf(out, "{\"counter type\":\"%s\",\"ref cnt\":%llu,\"value\":%llu}", counter,
		 (unsigned long long)cycles, (unsigned long long)value);
}

struct devrow_noc devrow_noc(uint64_t word)
{
	return (struct devrow_noc){
		.to = (uint32_t)(word & 0x3fffff) << 2 | (word >> 22 & 3),
		.from = (uint32_t)(word >> 26 & 0x3fffff) << 2 | (word >> 48 & 3),
		.counter = (uint32_t)(word >> 52),
	};
}

void devrow_noc_meta(struct buf *out, uint64_t word)
{
	struct devrow_noc n = devrow_noc(word);

	buf_addf(out, "{\"dst_addr\":%u,\"noc_status_counter\":%u,\"src_addr\":%u}", n.to,
		 n.counter, n.from);
}
