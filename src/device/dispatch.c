/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dispatch core, when its zones are requested (TT_METAL_DEVICE_PROFILER_DISPATCH): the last row
 * of the grid is reserved; its first core runs firmware/src/dispatch.c for each program and starts
 * the workers over the NoC. Without it the host starts them.
 */
#include "device/kernel_build.h"
#include "device/launch.h"
#include "device/prof.h"
#include "tacho_layout.h"

#include <string.h>

int dispatch_reserve(struct tacho_device *d)
{
	d->dispatch_core = -1;
	if (!(d->profile & PROF_MODE_DISPATCH))
		return 0;
	if (d->shape.rows < 2)
		return device_fail(TACHO_EUSAGE, "%s with one row has none for dispatch cores",
				   d->shape.arch);
	d->dispatch_core = device_core_at(d, false, 0, d->shape.rows - 1);
	d->shape.rows--;
	d->workers -= d->shape.columns;
	return 0;
}

bool dispatch_has(const struct tacho_device *d, unsigned core)
{
	return d->dispatch_core >= 0 && !d->cores[core].info.ethernet &&
	       d->cores[core].info.logical_y == d->shape.rows;
}

/* Its firmware has no zones of its own: they would be attributed to an op. */
int dispatch_build(struct tacho_device *d)
{
	static const char *const defines[] = {"TACHO_DISPATCH_CORE", NULL};
	static const char *const sources[] = {"brisc.c", "subordinate.c"};
	int r = 0;

	for (unsigned i = 0; r == 0 && i < 2 && d->dispatch_core >= 0; i++) {
		struct build fw = {
			.firmware = true, .source = sources[i], .risc = i, .defines = defines};
		struct build kernel = {.builtin = true, .source = "dispatch.c", .risc = i};

		r = build_binary(d, &fw, &d->dispatch_fw[i]);
		kernel.symbols = d->dispatch_fw[i];
		if (r == 0)
			r = build_binary(d, &kernel, &d->dispatch_kernel[i]);
	}
	return r;
}

const struct binary *dispatch_firmware(const struct tacho_device *d, unsigned core, unsigned risc)
{
	if (d->cores[core].info.ethernet)
		return d->ethernet_firmware;
	return (int)core == d->dispatch_core && risc < 2 ? d->dispatch_fw[risc] : d->firmware[risc];
}

static int dispatch_write(struct tacho_device *d, uint32_t offset, const void *data, size_t len)
{
	return core_write(d, (unsigned)d->dispatch_core, L1_FREE + offset, data, len);
}

int dispatch_stage(struct tacho_device *d, unsigned core, const uint8_t *message)
{
	const struct tacho_device_core *c = &d->cores[core].info;
	uint32_t xy = (uint32_t)c->y << 6 | c->x, wait = (uint32_t)GO_INIT << 24;
	unsigned n = d->dispatch_staged++;
	int r = dispatch_write(d, DISPATCH_WORKERS + 4 * n, &xy, 4);

	if (r == 0)
		r = dispatch_write(d, DISPATCH_MESSAGES + n * DISPATCH_MESSAGE_SIZE, message,
				   LAUNCH_SIZE);
	/* Neither done nor about to start. */
	return r == 0 ? core_write(d, core, d->shape.mailbox + M_GO, &wait, 4) : r;
}

int dispatch_go(struct tacho_device *d, uint32_t op, uint8_t *message)
{
	uint32_t words[DISPATCH_WORKERS / 4] = {0}, go = (uint32_t)GO_RUN << 24;
	struct device_core *c = &d->cores[d->dispatch_core];
	unsigned core = (unsigned)d->dispatch_core;
	int r;

	words[DISPATCH_COUNT / 4] = d->dispatch_staged;
	words[DISPATCH_ID / 4] = (uint32_t)op_id(d, op);
	d->dispatch_staged = 0;
	r = drain_clear_core(d, core);
	if (r == 0)
		r = dispatch_write(d, 0, words, sizeof(words));
	for (unsigned i = 0; r == 0 && i < 2; i++)
		r = launch_text(d, core, i, d->dispatch_kernel[i]);
	if (r == 0)
		r = core_write(d, core, d->shape.mailbox + M_LAUNCH, message, LAUNCH_SIZE);
	c->enables = 3;
	c->busy = r == 0;
	return r == 0 ? core_write(d, core, d->shape.mailbox + M_GO, &go, 4) : r;
}
