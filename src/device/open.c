/* SPDX-License-Identifier: Apache-2.0 */
/* A device: its cores, its firmware, its bank tables. */
#include "base/environ.h"
#include "device/debug.h"
#include "device/kernel_build.h"
#include "device/launch.h"
#include "device/prof.h"
#include "tacho_layout.h"

#include <tacho/tacho.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CYCLES  10000000000ull
#define RESET       0xFFB121B0u
#define RESET_BRISC 0x00047000u /* all except BRISC are held in reset */
#define RESET_ALL   0x00047800u

/* ---- errors ---- */
static _Thread_local struct tacho_error last_error;
static _Thread_local char *last_text;

struct tacho_error *device_error(void)
{
	free(last_text);
	last_text = NULL;
	last_error.text[0] = 0;
	return &last_error;
}

const char *tacho_device_error(void)
{
	return last_text ? last_text : last_error.text;
}

int device_fail(int code, const char *format, ...)
{
	struct tacho_error *err = device_error();
	va_list args;

	va_start(args, format);
	err->code = code;
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

int device_fail_text(int code, const char *text)
{
	struct tacho_error *err = device_error();
	size_t len = strlen(text);

	while (len && text[len - 1] == '\n')
		len--;
	err->code = code;
	snprintf(err->text, sizeof(err->text), "%s", text);
	last_text = strndup(text, len);
	return code;
}

/* ---- cores ---- */
int device_core_at(const struct tacho_device *d, bool ethernet, unsigned x, unsigned y)
{
	for (unsigned i = 0; i < d->shape.cores; i++) {
		const struct tacho_device_core *c = &d->cores[i].info;

		if (!c->ethernet == !ethernet && c->logical_x == x && c->logical_y == y)
			return (int)i;
	}
	return device_fail(TACHO_EUSAGE, "device %u has no %score %u,%u", d->number,
			   ethernet ? "Ethernet " : "", x, y);
}

int tacho_core_noc(const struct tacho_device *d, struct tacho_core core, struct tacho_core *noc)
{
	int i = device_core_at(d, false, core.x, core.y);

	if (i < 0)
		return i;
	noc->x = d->cores[i].info.x;
	noc->y = d->cores[i].info.y;
	return 0;
}

int tacho_bank_noc(const struct tacho_device *d, unsigned bank, struct tacho_core *noc,
		   uint64_t *offset)
{
	struct tacho_device_bank b;

	if (bank >= d->shape.dram_banks)
		return device_fail(TACHO_EUSAGE, "device %u has no DRAM bank %u", d->number, bank);
	d->ops->bank(d->self, bank, &b);
	*noc = (struct tacho_core){b.x, b.y};
	*offset = b.offset;
	return 0;
}

void tacho_device_info(const struct tacho_device *d, struct tacho_device_info *info)
{
	*info = (struct tacho_device_info){
		.arch = d->shape.arch,
		.number = d->number,
		.columns = d->shape.columns,
		.rows = d->shape.rows,
		.cores = d->workers,
		.ethernet_cores = d->shape.cores - d->workers,
		.dram_banks = d->shape.dram_banks,
		.dram_bank_size = d->shape.dram_bank_size,
		.l1_size = d->shape.l1_size,
		.l1_free = d->shape.l1_size - L1_FREE,
		.mhz = d->shape.mhz,
		.dram_gbs = d->shape.dram_gbs,
	};
}

/* Devices that run together form a ring. */
static void join_mesh(struct tacho_device *a, struct tacho_device *b)
{
	struct tacho_device *next = a->mesh_next;

	for (struct tacho_device *m = next; m != a; m = m->mesh_next)
		if (m == b)
			return;
	a->mesh_next = b->mesh_next;
	b->mesh_next = next;
}

struct cable {
	struct tacho_device *a, *b;
	unsigned a_core, b_core; /* of all cores */
};

static int plug_in(void *context)
{
	const struct cable *c = context;

	if (c->a->ops != c->b->ops || !c->a->ops->link ||
	    c->a->ops->link(c->a->self, c->a_core, c->b->self, c->b_core) < 0)
		return TACHO_EUSAGE;
	join_mesh(c->a, c->b);
	return 0;
}

int tacho_device_link(struct tacho_device *a, unsigned a_core, struct tacho_device *b,
		      unsigned b_core)
{
	int x = device_core_at(a, true, a_core, 0),
	    y = x < 0 ? x : device_core_at(b, true, b_core, 0);
	struct cable cable = {a, b, (unsigned)x, (unsigned)y};

	if (y < 0)
		return y;
	return guard_link(a, b, plug_in, &cable) < 0
		       ? device_fail(TACHO_EUSAGE,
				     "Ethernet core %u of device %u cannot be linked with %u of %u",
				     a_core, a->number, b_core, b->number)
		       : 0;
}

uint64_t tacho_device_cycles(const struct tacho_device *d)
{
	DEVICE_HOLD(d);
	return d->ops->cycles(d->self);
}

/* ---- start ---- */

/* xy of the DRAM banks for both NoCs, of the L1 banks for both, then the offsets of the DRAM banks.
 */
static int write_bank_table(struct tacho_device *d, unsigned core)
{
	unsigned dram = d->shape.dram_banks, l1 = d->workers, n = 0;
	uint8_t bytes[(2 * 12 + 2 * 256) * 2 + 12 * 4];
	uint16_t xy[2 * 12 + 2 * 256];
	struct tacho_device_bank b;
	uint32_t at;

	for (unsigned noc = 0; noc < 2; noc++)
		for (unsigned i = 0; i < dram; i++) {
			d->ops->bank(d->self, i, &b);
			xy[n++] = (uint16_t)(b.y << 6 | b.x);
		}
	for (unsigned noc = 0; noc < 2; noc++)
		for (unsigned i = 0; i < l1; i++) {
			int c = device_core_at(d, false, i % d->shape.columns,
					       i / d->shape.columns);

			xy[n++] = (uint16_t)(d->cores[c].info.y << 6 | d->cores[c].info.x);
		}
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, xy, 2 * n);
	at = (2 * n + 3) / 4 * 4;
	for (unsigned i = 0; i < dram; i++) {
		uint32_t offset;

		d->ops->bank(d->self, i, &b);
		offset = (uint32_t)b.offset;
		memcpy(bytes + at + 4 * i, &offset, 4);
	}
	return core_write(d, core, BANK_TABLE, bytes, at + 4 * dram);
}

static int build_firmware(struct tacho_device *d)
{
	static const char *const sources[] = {"brisc.c", "subordinate.c", "subordinate.c",
					      "subordinate.c", "subordinate.c"};
	struct build b = {.firmware = true};
	int r = 0;

	for (b.risc = 0; r == 0 && b.risc < DEVICE_RISCS; b.risc++) {
		b.source = sources[b.risc];
		r = build_binary(d, &b, &d->firmware[b.risc]);
	}
	b = (struct build){.firmware = true, .ethernet = true, .source = "brisc.c"};
	if (r == 0)
		r = build_binary(d, &b, &d->ethernet_firmware);
	return r;
}

uint32_t core_jump(uint32_t offset)
{
	return 0x6fu | (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21 |
	       (offset >> 11 & 1) << 20 | (offset >> 12 & 255) << 12;
}

static int start_core(struct tacho_device *d, unsigned core)
{
	const struct tacho_device_core *c = &d->cores[core].info;
	uint32_t words[] = {core_jump(FW_BRISC), RESET_ALL, RESET_BRISC, (uint32_t)GO_INIT << 24};
	int r = 0;

	core_write(d, core, RESET, &words[1], 4);
	for (unsigned i = 0; r == 0 && i < c->riscs; i++) {
		const struct binary *b = dispatch_firmware(d, core, i);

		r = core_write(d, core, b->load, b->text, b->text_size);
	}
	if (r == 0)
		r = prof_start_core(d, core);
	if (r == 0)
		r = dprint_start_core(d, core);
	if (r == 0)
		r = core_write(d, core, 0, &words[0], 4);
	if (r == 0)
		r = core_write(d, core, d->shape.mailbox + M_GO, &words[3], 4);
	return r == 0 ? core_write(d, core, RESET, &words[2], 4) : r;
}

static int open_start(struct tacho_device *d)
{
	int r = build_firmware(d);

	if (r == 0)
		r = dispatch_build(d);

	for (unsigned i = 0; r == 0 && i < d->shape.cores; i++)
		r = start_core(d, i);
	for (unsigned i = 0; r == 0 && i < d->shape.cores; i++)
		r = write_bank_table(d, i);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < d->shape.cores; i++)
		d->cores[i].busy = true;
	d->running = true;
	r = device_wait(d);
	return r == 0 ? prof_open(d) : r;
}

/* The functions that every device must have. */
static int ops_check(const struct tacho_device_ops *o)
{
	if (o->close && o->shape && o->core && o->bank && o->read && o->write && o->dram_read &&
	    o->dram_write && o->run && o->cycles && o->risc && o->fault)
		return 0;
	return device_fail(TACHO_EUSAGE, "the device lacks a function that is needed: see "
					 "tacho/device_ops.h");
}

int tacho_device_open_with(struct tacho_device **out, const struct tacho_device_ops *ops,
			   void *self, const struct tacho_device_options *options)
{
	struct tacho_device *d;
	int r = ops_check(ops);

	if (r < 0) {
		if (ops->close)
			ops->close(self);
		return r;
	}
	d = calloc(1, sizeof(*d));
	if (!d) {
		ops->close(self);
		return device_fail(TACHO_ENOMEM, "no memory");
	}
	d->mesh_next = d;
	d->ops = ops;
	d->self = self;
	if (options)
		d->options = *options;
	if (!d->options.max_cycles)
		d->options.max_cycles = MAX_CYCLES;
	d->next_zone = 1;
	ops->shape(self, &d->shape);
	d->cores = calloc(d->shape.cores, sizeof(*d->cores));
	r = d->cores ? number_take(d) : device_fail(TACHO_ENOMEM, "no memory");
	guard_init(d);
	if (r == 0)
		r = prof_configure(d);
	if (r == 0) {
		/* A bank is free at first, except for the kernel profiler's part of DRAM. */
		uint64_t reserved = (prof_dram_end(d) + 63) / 64 * 64;
		struct range_free dram = {reserved, d->shape.dram_bank_size - reserved};
		struct range_free l1 = {L1_FREE, d->shape.l1_size - L1_FREE};

		d->l1_top = d->shape.l1_size;
		r = vec_push(&d->space[TACHO_DRAM], dram) < 0 ||
				    vec_push(&d->space[TACHO_L1], l1) < 0
			    ? device_fail(TACHO_ENOMEM, "no memory")
			    : 0;
	}
	for (unsigned i = 0; r == 0 && i < d->shape.cores; i++) {
		r = ops->core(self, i, &d->cores[i].info);
		d->workers += !d->cores[i].info.ethernet;
	}
	if (r == 0)
		r = dispatch_reserve(d);
	if (r == 0)
		r = dprint_open(d);
	if (r == 0)
		r = delay_configure(d);
	if (r == 0)
		r = open_start(d);
	if (r < 0) {
		tacho_device_close(d);
		return r;
	}
	device_describe(d);
	guard_open(d);
	*out = d;
	return 0;
}

int tacho_device_open(struct tacho_device **device, const struct tacho_device_options *options)
{
	struct tacho_device_options conf = options ? *options : (struct tacho_device_options){0};
	const struct tacho_device_ops *ops;
	void *self;
	int r;

	TACHO_ZONE("tacho_device_open");
	if (environ_is_secure())
		return build_refuse();
	env_check();
	if (!conf.arch)
		conf.arch = environ_get("TACHO_ARCH");
	if (!conf.cores)
		conf.cores = env_number("TACHO_CORES", 0);
	if (!conf.simulator)
		conf.simulator = environ_get("TT_METAL_SIMULATOR");
	r = conf.simulator && *conf.simulator ? backend_ttsim(&ops, &self, conf.simulator, &conf)
					      : backend_tensix(&ops, &self, &conf, 0);
	return r < 0 ? r : tacho_device_open_with(device, ops, self, &conf);
}

void device_settle(struct tacho_device *d)
{
	if (d->pid) {
		bool unseen = d->running && !d->broken;

		/* A program that was never waited for may have failed unreported. */
		if (unseen && device_wait(d) < 0 && !interrupt_noted())
			fprintf(stderr, "tacho: warning: the last program failed: %s\n",
				tacho_device_error());
	}
	if (d->prof)
		prof_settle(d);
	if (d->dprint)
		dprint_settle(d);
}

void tacho_device_close(struct tacho_device *d)
{
	struct tacho_device *before;

	if (!d)
		return;
	TACHO_ZONE("tacho_device_close");
	device_hold(d);
	device_settle(d);
	prof_close(d);
	before = d;
	while (before->mesh_next != d)
		before = before->mesh_next;
	before->mesh_next = d->mesh_next;
	d->mesh_next = d;
	dprint_close(d);
	guard_close(d);
	number_give(d);
	device_release(&d);
	op_forget(d);
	d->ops->close(d->self);
	while (d->binaries) {
		struct binary *b = d->binaries;

		d->binaries = b->next;
		binary_free(b);
	}
	tacho_trace_free(d->capture);
	names_free(&d->names);
	vec_free(&d->space[0]);
	vec_free(&d->space[1]);
	vec_free(&d->replayed);
	map_free(&d->traced);
	map_free(&d->warned);
	free(d->cores);
	free(d);
}
