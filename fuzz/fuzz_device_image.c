/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that is only a memory image: any bytes as control vectors, buffers and clocks, read
 * while a program runs and at its end, and passed to a reader.
 */
#include "device/launch.h"
#include "device/prof.h"
#include "tacho_layout.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CORES = 3, BANKS = 2 };

struct image {
	const uint8_t *data;
	size_t size;
	uint64_t cycles;
};

/* The image repeats, at a different offset for each core; writes are dropped. */
static int image_bytes(const struct image *m, uint64_t at, uint8_t *to, size_t len)
{
	memset(to, 0, len);
	for (size_t done = 0, n; m->size && done < len; done += n) {
		size_t from = (at + done) % m->size;

		n = m->size - from < len - done ? m->size - from : len - done;
		memcpy(to + done, m->data + from, n);
	}
	return 0;
}

static int image_read(void *self, unsigned core, uint32_t address, void *to, size_t len)
{
	return image_bytes(self, (uint64_t)core * 20011 + address, to, len);
}

static int image_write(void *self, unsigned core, uint32_t address, const void *from, size_t len)
{
	(void)self, (void)core, (void)address, (void)from, (void)len;
	return 0;
}

static int image_dram_read(void *self, unsigned bank, uint64_t address, void *to, size_t len)
{
	return image_bytes(self, (uint64_t)bank * 40009 + address, to, len);
}

static uint64_t image_cycles(void *self)
{
	struct image *m = self;

	return m->cycles += 1000;
}

static void image_close(void *self)
{
	(void)self;
}

static const struct tacho_device_ops image_ops = {
	.close = image_close,
	.read = image_read,
	.write = image_write,
	.dram_read = image_dram_read,
	.cycles = image_cycles,
};

static void event_take(void *context, const struct tacho_device_event *e)
{
	uint64_t *sum = context;

	*sum += e->end - e->start + strlen(e->name) + strlen(e->file) + strlen(e->risc);
}

static void device_use(struct tacho_device *d)
{
	uint64_t sum = 0;

	if (prof_configure(d) == 0 && prof_open(d) == 0) {
		for (int run = 0; run < 2; run++) {
			prof_begin(d);
			prof_running(d);
			d->cores[0].busy = run == 1;
			prof_end(d);
		}
		tacho_profiler_read(d, event_take, &sum);
	}
	prof_close(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const modes[] = {"TT_METAL_PROFILER_ACCUMULATE",
					    "TT_METAL_TRACE_PROFILER"};
	struct image m = {data + 1, size - 1, 0};
	struct device_core cores[CORES] = {{.busy = true}, {.busy = true}, {.busy = true}};
	struct tacho_device d = {
		.ops = &image_ops,
		.self = &m,
		.mesh_next = &d,
		.shape = {.arch = "image",
			  .columns = CORES,
			  .rows = 1,
			  .cores = CORES,
			  .dram_banks = BANKS,
			  .dram_alignment = 32,
			  .mailbox = 16,
			  .mhz = 1000},
		.options = {.profile = 1},
		.cores = cores,
		.workers = CORES,
		.next_zone = 1,
	};

	if (!size)
		return 0;
	for (unsigned i = 0; i < CORES; i++)
		cores[i].info = (struct tacho_device_core){
			.x = (uint8_t)i, .logical_x = (uint8_t)i, .riscs = 5};
	d.options.program_count = data[0] & 1 ? 43 : 0;
	for (unsigned i = 0; i < 2; i++)
		if (data[0] >> (1 + i) & 1)
			setenv(modes[i], "1", 1);
		else
			unsetenv(modes[i]);
	device_use(&d);
	names_free(&d.names);
	vec_free(&d.replayed);
	map_free(&d.traced);
	return 0;
}
