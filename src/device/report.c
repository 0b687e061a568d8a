/* SPDX-License-Identifier: Apache-2.0 */
/* Explain why a device stopped: device, core, RISC, source line, registers. */
#include "device/report.h"
#include "base/arch.h"
#include "device/kernel_build.h"
#include "device/launch.h"
#include "tacho_layout.h"
#include "tensix/rv32.h"
#include "tensix/tensix.h"

const char *risc_name(unsigned risc, bool ethernet)
{
	return arch_risc_track_name(arch_risc_at(risc, ethernet));
}

/* The firmware or kernel that contains PC, or NULL. */
static const struct binary *binary_at(const struct tacho_device *d, unsigned core, unsigned risc,
				      uint32_t pc)
{
	const struct binary *b[] = {d->cores[core].loaded[risc], dispatch_firmware(d, core, risc)};

	for (unsigned i = 0; i < 2; i++)
		if (b[i] && pc - b[i]->load < b[i]->text_size)
			return b[i];
	return NULL;
}

static void add_place(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t pc,
		      struct buf *text)
{
	const struct binary *b = binary_at(d, core, risc, pc);
	const struct elf_symbol *s = b ? elf_symbol_at(&b->elf, pc) : NULL;

	buf_addf(text, "pc 0x%x", pc);
	if (s)
		buf_addf(text, " in %s+0x%x", s->name, pc - s->address);
	if (b)
		buf_addf(text, " of %s", b->source ? b->source : "the firmware");
}

static void report_core_add(const struct tacho_device *d, unsigned core, unsigned risc,
			    struct buf *text)
{
	const struct tacho_device_core *c = &d->cores[core].info;

	buf_addf(text, "device %u, %score %u,%u (NoC %u,%u), %s", d->number,
		 c->ethernet ? "Ethernet " : "", c->logical_x, c->logical_y, c->x, c->y,
		 risc_name(risc, c->ethernet));
}

void report_registers(const uint32_t *x, struct buf *text)
{
	for (unsigned i = 0; i < 32; i++)
		buf_addf(text, "%s%5s %08x%s", i % 8 ? " " : "  ", rv32_reg_name(i), x[i],
			 i % 8 == 7 ? "\n" : "");
}

void report_fault(struct tacho_device *d, const struct tacho_device_risc *r, struct buf *text)
{
	char insn[128];

	report_core_add(d, r->core, r->risc, text);
	buf_addf(text, ": %s\n  ", r->reason);
	add_place(d, r->core, r->risc, r->pc, text);
	buf_addf(text, ", cycle %llu\n  %s\n", (unsigned long long)r->cycle,
		 rv32_disasm(insn, sizeof(insn), r->word, r->pc, NULL, NULL));
	report_registers(r->x, text);
}

#define REPORT_MAX 20

/*
 * The next RISC inside a kernel, from *AT on, which numbers all of them. ANYWHERE: includes RISCs
 * outside, such as one that jumped out of its kernel.
 */
static bool next_unfinished(struct tacho_device *d, bool anywhere, unsigned *at,
			    struct tacho_device_risc *r)
{
	for (; *at < d->shape.cores * DEVICE_RISCS; ++*at) {
		unsigned core = *at / DEVICE_RISCS, risc = *at % DEVICE_RISCS;
		const struct binary *kernel = d->cores[core].loaded[risc];

		if (!d->cores[core].busy || risc >= d->cores[core].info.riscs ||
		    d->ops->risc(d->self, core, risc, r) < 0 || (!r->waiting && !r->running))
			continue;
		/* RISCs without a kernel wait in the firmware, as they should. */
		if (anywhere || (kernel && binary_at(d, core, risc, r->pc) == kernel))
			return true;
	}
	return false;
}

#define CB_COUNTERS 0x1000u /* of a circular buffer, from TENSIX_STREAMS on */
#define CB_PUSHED   40u
#define CB_POPPED   32u

static uint32_t word_at(const struct tacho_device *d, unsigned core, uint32_t address)
{
	uint32_t word = 0;

	d->ops->read(d->self, core, address, &word, sizeof(word));
	return word;
}

static void add_awaited_cb(const struct tacho_device *d, unsigned core, unsigned cb,
			   struct buf *text)
{
	uint32_t counters = TENSIX_STREAMS + cb * CB_COUNTERS;
	uint32_t mask = word_at(d, core, d->shape.mailbox + M_LAUNCH + LAUNCH_CB_MASK);
	uint16_t full = (uint16_t)(word_at(d, core, counters + CB_PUSHED) -
				   word_at(d, core, counters + CB_POPPED));

	buf_addf(text, ", for circular buffer %u, which ", cb);
	if (mask >> cb & 1)
		buf_addf(text, "has %u of %u pages", full,
			 word_at(d, core, KERNEL_CONFIG + CONFIG_CBS + cb * 16 + 8));
	else
		buf_adds(text, "the program does not have on this core");
}

/* What the word or register at ADDRESS is for the program. */
static void add_awaited(const struct tacho_device *d, unsigned core, uint32_t address,
			struct buf *text)
{
	uint32_t cb = (address - TENSIX_STREAMS) / CB_COUNTERS;
	uint32_t semaphore = (address - KERNEL_CONFIG - CONFIG_SEMS) / SEM_STRIDE;

	if (cb < MAX_CBS)
		add_awaited_cb(d, core, cb, text);
	else if (semaphore < MAX_SEMS)
		buf_addf(text, ", for semaphore %u, which is %u", semaphore,
			 word_at(d, core, address));
	else if (address >= TENSIX_MAILBOX)
		buf_adds(text, ", for a word from another RISC");
	else if (address >= TENSIX_PUSH)
		buf_adds(text, ", for the tile engine");
	else if (address - TENSIX_NIU0 < 0x20000)
		buf_addf(text, ", for NoC %u", address >= TENSIX_NIU1);
	else if (address < d->shape.l1_size)
		buf_addf(text, ", for the word at 0x%x, which is 0x%x", address,
			 word_at(d, core, address));
	else
		buf_addf(text, ", for the register at 0x%x", address);
}

static void add_unfinished(const struct tacho_device *d, unsigned at,
			   const struct tacho_device_risc *r, struct buf *text)
{
	report_core_add(d, at / DEVICE_RISCS, at % DEVICE_RISCS, text);
	buf_addf(text, " %s: ", r->waiting ? "waits" : "runs");
	add_place(d, at / DEVICE_RISCS, at % DEVICE_RISCS, r->pc, text);
	if (r->waiting && r->address)
		add_awaited(d, at / DEVICE_RISCS, r->address, text);
}

void report_waiting(struct tacho_device *d, struct buf *text)
{
	struct tacho_device_risc r;
	unsigned reported = 0, more = 0, first = 0;
	bool anywhere = !next_unfinished(d, false, &first, &r);

	for (unsigned at = 0; next_unfinished(d, anywhere, &at, &r); at++) {
		if (reported++ >= REPORT_MAX) {
			more++;
			continue;
		}
		buf_adds(text, "  ");
		add_unfinished(d, at, &r, text);
		buf_adds(text, "\n");
	}
	if (more)
		buf_addf(text, "  and %u more\n", more);
}

void report_unfinished(struct tacho_device *d, struct buf *text)
{
	struct tacho_device_risc r;
	unsigned at = 0, more = 0;

	if (d->running_op)
		buf_addf(text, ", op %llu", (unsigned long long)op_id(d, d->running_op));
	if (!next_unfinished(d, false, &at, &r))
		return;
	buf_adds(text, ": ");
	add_unfinished(d, at, &r, text);
	while (at++, next_unfinished(d, false, &at, &r))
		more++;
	if (more)
		buf_addf(text, ", and %u more", more);
}
