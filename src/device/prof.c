/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host side of the kernel profiler: enables it, drains the cores' buffers in DRAM while
 * programs run, resolves zone numbers to names, hands over the items.
 */
#include "device/prof.h"
#include "device/kernel_build.h"
#include "device/launch.h"
#include "device/prof_decode.h"
#include "tacho_layout.h"

#include <tacho/tacho.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_PROGRAM   48u /* minimum size of a run in bytes: ids and guaranteed markers */
#define PER_PROGRAM_S 64u /* with sums */
#define LEAST         43u /* programs: one full L1 buffer must fit */
#define DEFAULT_COUNT 1000u
#define ITEMS_ASKED   (64u << 20)
#define ITEMS_UNASKED (1u << 20)
#define CLOCK_SLACK   (1u << 16) /* cycles a core's clock may be off */

/* The program always gets half of DRAM. */
static int set_area(struct tacho_device *d, unsigned count)
{
	uint64_t area =
		(uint64_t)count * (d->profile & PROF_MODE_SUM ? PER_PROGRAM_S : PER_PROGRAM);
	uint64_t bank = area * DEVICE_RISCS * d->prof->per_bank;

	if (bank > d->shape.dram_bank_size / 2)
		return device_fail(
			TACHO_ELIMIT,
			"profiler buffers for %u programs are too large: at most %llu", count,
			(unsigned long long)(d->shape.dram_bank_size / 2 * count / bank));
	d->prof->area = (uint32_t)area;
	return 0;
}

int prof_configure(struct tacho_device *d)
{
	struct prof *p;
	unsigned count = env_number("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT", 0);
	unsigned banks = d->shape.dram_banks;

	if (!d->options.profile && !env_number("TT_METAL_DEVICE_PROFILER", 0))
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return device_fail(TACHO_ENOMEM, "no memory");
	d->prof = p;
	d->profile = PROF_MODE_ON;
	p->noc_events = env_number("TT_METAL_DEVICE_PROFILER_NOC_EVENTS", 0);
	if (prof_modes(d) < 0)
		return TACHO_EUSAGE;
	p->classic = count != 0 || d->options.program_count != 0;
	if (d->options.program_count)
		count = d->options.program_count;
	p->mid_run = env_number("TT_METAL_PROFILER_MID_RUN_DUMP", 0) != 0;
	if (!p->classic && !(d->profile & (PROF_MODE_TRACE | PROF_MODE_ACCUMULATE)))
		d->profile |= PROF_MODE_STREAM;
	if (count && count < LEAST && !d->options.program_count)
		fprintf(stderr,
			"tacho: warning: buffers for %u programs would not hold one full one: %u\n",
			count, LEAST);
	count = !count ? DEFAULT_COUNT : count < LEAST ? LEAST : count;
	p->per_bank = (d->shape.cores + banks - 1) / banks;
	if (set_area(d, count) < 0)
		return TACHO_ELIMIT;
	p->readers = calloc((size_t)d->shape.cores * DEVICE_RISCS, sizeof(*p->readers));
	p->lost = calloc((size_t)d->shape.cores * DEVICE_RISCS, sizeof(*p->lost));
	p->named = calloc((size_t)d->shape.cores * DEVICE_RISCS, sizeof(*p->named));
	p->words = malloc(p->area);
	p->streams = calloc((size_t)d->shape.cores * DEVICE_RISCS, sizeof(*p->streams));
	p->runs = calloc(d->shape.cores, sizeof(*p->runs));
	return p->readers && p->lost && p->named && p->words && p->streams && p->runs
		       ? 0
		       : device_fail(TACHO_ENOMEM, "no memory");
}

uint64_t prof_dram_end(const struct tacho_device *d)
{
	return d->shape.dram_alignment +
	       (d->prof ? (uint64_t)d->prof->per_bank * DEVICE_RISCS * d->prof->area : 0);
}

/* Requested and possible: measure the clocks before anything else, and after everything. */
static void sync_classically(struct tacho_device *d)
{
	if (d->prof->classic_sync && !d->broken && sync_classic_run(d, d->prof->classic_sync) == 0)
		log_sync(d);
}

int prof_open(struct tacho_device *d)
{
	struct prof *p = d->prof;

	if (!p)
		return 0;
	if (env_number("TT_METAL_PROFILER_SYNC", 0)) {
		p->classic_sync = calloc(1, sizeof(*p->classic_sync));
		if (!p->classic_sync)
			return device_fail(TACHO_ENOMEM, "no memory");
	}
	if (log_open(d) < 0)
		return TACHO_ENOMEM;
	p->no_tracks = env_number("TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY", 0) != 0;
	sync_classically(d);
	return sync_open(d);
}

void prof_settle(struct tacho_device *d)
{
	if (!sync_is_open(d))
		return;
	if (d->broken)
		sync_now(d);
	prof_drain(d, true);
	log_dump(d);
	device_warn_losses(d);
	sync_close(d);
	sync_classically(d);
}

void prof_close(struct tacho_device *d)
{
	struct prof *p = d->prof;

	if (!p)
		return;
	sync_close(d);
	sync_classic_free(p->classic_sync);
	log_close(d);
	vec_free(&p->items);
	vec_free(&p->srclocs);
	free(p->readers);
	free(p->lost);
	free(p->named);
	free(p->words);
	drain_free(d);
	free(p);
	d->prof = NULL;
}

void prof_begin(struct tacho_device *d)
{
	drain_begin(d);
	if (!sync_is_open(d))
		return;
	sync_begin(d);
	d->prof->begun = d->prof->sync.line.last.cycles;
}

bool prof_running(struct tacho_device *d)
{
	bool any = false;

	if (sync_is_open(d) && sync_is_due(d))
		sync_now(d);
	/* Linked devices run together, whichever one is waited for. */
	for (struct tacho_device *m = d->mesh_next; m != d; m = m->mesh_next)
		any |= drain_poll(m);
	return any | drain_poll(d);
}

void prof_end(struct tacho_device *d)
{
	if (!sync_is_open(d))
		return;
	sync_now(d);
	/* A whole trace is one record, complete when the next replay starts. */
	prof_drain(d, d->prof->mid_run && !(d->profile & PROF_MODE_TRACE));
}

static uint32_t control_address(const struct tacho_device *d, unsigned word)
{
	return d->shape.mailbox + M_PROF_CONTROL + 4 * word;
}

static void control_fill(const struct tacho_device *d, unsigned core, uint32_t *control)
{
	control[PROF_DRAM] = d->shape.dram_alignment;
	control[PROF_FLAT_ID] = core;
	control[PROF_PER_BANK] = d->prof->per_bank;
}

int prof_start_core(struct tacho_device *d, unsigned core)
{
	uint32_t control[PROF_WORDS] = {0};

	if (!d->prof)
		return 0;
	control_fill(d, core, control);
	if (drain_clear_core(d, core) < 0)
		return TACHO_EUSAGE;
	return core_write(d, core, control_address(d, 0), control, sizeof(control));
}

/* State while a RISC's words are decoded. */
struct taking {
	struct tacho_device *d;
	unsigned core, risc;
};

static void item_keep(void *context, const struct prof_item *item)
{
	const struct taking *t = context;

	if (item->kind == PROF_K_DAMAGE)
		prof_damaged(t->d, t->core, t->risc, item->op, item->data[0]);
	else if (vec_push(&t->d->prof->items, *item) < 0)
		prof_damaged(t->d, t->core, t->risc, item->op, 1);
}

void prof_damaged(struct tacho_device *d, unsigned core, unsigned risc, uint32_t op,
		  uint64_t markers)
{
	struct prof *p = d->prof;
	struct prof_damage *first = &p->damage;

	if (!first->markers)
		*first = (struct prof_damage){.core = core, .risc = risc, .op = op};
	first->markers += markers;
	p->lost[core * DEVICE_RISCS + risc].markers += markers;
	p->losses += markers;
	tracks_damaged(d, core, risc, markers);
	device_report_damaged(d, core, risc, op, markers);
}

/* The words that one RISC sent to DRAM since the last call. */
static void drain_risc(struct tacho_device *d, unsigned core, unsigned risc, uint32_t words,
		       bool cut)
{
	struct prof *p = d->prof;
	uint64_t at = d->shape.dram_alignment +
		      ((uint64_t)(core % p->per_bank) * DEVICE_RISCS + risc) * p->area;

	if (words > p->area / 4) {
		prof_damaged(d, core, risc, 0, 1);
		words = p->area / 4;
	}
	if (d->ops->dram_read(d->self, core / p->per_bank, at, p->words, 4 * (size_t)words) == 0)
		prof_take(d, core, risc, p->words, words, cut);
}

/* Bounds for a RISC's words. Clocks of cores are known to a few microseconds. */
static struct prof_expect expect_of(const struct tacho_device *d, unsigned core, unsigned risc,
				    bool cut)
{
	const struct prof *p = d->prof;
	struct prof_expect e = {
		.risc = risc,
		.flat = core,
		.zones = d->hashed ? 0 : d->next_zone,
		.lap = drain_is_on(d) ? PROF_BUFFER_WORDS - PROF_OPTIONAL : 0,
		.accumulated = (d->profile & PROF_MODE_ACCUMULATE) != 0,
		.cut = cut,
	};

	if (p->sync.line.last.bound_ns == DEVICE_CLOCK_UNKNOWN)
		return e;
	e.latest = sync_last(d, core) + CLOCK_SLACK;
	if (e.lap) {
		e.earliest = p->begun + (uint64_t)p->sync.offsets[core];
		e.earliest -= e.earliest < CLOCK_SLACK ? e.earliest : CLOCK_SLACK;
	}
	return e;
}

void prof_take(struct tacho_device *d, unsigned core, unsigned risc, const uint32_t *words,
	       size_t n, bool cut)
{
	struct prof *p = d->prof;
	struct prof_reader *reader = &p->readers[core * DEVICE_RISCS + risc];
	struct prof_expect expect = expect_of(d, core, risc, cut);
	struct taking taking = {d, core, risc};
	size_t before = p->items.n;

	/* Markers have 44 bits of the time, and are never in the future. */
	reader->last = sync_last(d, core);
	reader->until = d->broken && d->cores[core].busy ? reader->last : 0;
	p->changing = true;
	prof_decode(reader, words, n, &expect, item_keep, &taking, &p->counts);
	p->changing = false;
	if (p->items.n > before)
		tracks_put(d, core, risc, p->items.v + before, p->items.n - before);
}

/* Lost markers: a bit for a RISC whose area was full, and counts of markers that found L1 full. */
static bool take_losses(struct tacho_device *d, unsigned core, uint32_t *control)
{
	struct prof *p = d->prof;
	bool any = false;

	for (unsigned r = 0; r < DEVICE_RISCS; r++) {
		struct prof_loss *l = &p->lost[core * DEVICE_RISCS + r];
		uint32_t markers = control[PROF_LOST + r], cut = control[PROF_DROPPED] >> r & 1;

		if (cut && !p->full.riscs++)
			p->full = (struct prof_full){core, r, control[PROF_HOST_END + r], 1};
		if (cut)
			device_report_full(d, core, r, control[PROF_HOST_END + r]);
		if (!cut && !markers)
			continue;
		tracks_lost(d, core, r, markers);
		l->runs_cut += cut;
		l->markers += markers;
		p->losses += markers + cut;
		control[PROF_LOST + r] = 0;
		any = true;
	}
	control[PROF_DROPPED] = 0;
	return any;
}

/*
 * The firmware never changes the words of control_fill(), and restores them at the end of a run. If
 * a kernel overwrote them nevertheless, no count can be trusted. True: write them back.
 */
static bool control_repair(struct tacho_device *d, unsigned core, uint32_t *control)
{
	bool repaired = control[PROF_DROPPED] & PROF_DROPPED_CONTROL;
	uint32_t want[PROF_WORDS] = {0};

	control_fill(d, core, want);
	if (repaired)
		prof_damaged(d, core, 0, d->running_op, 1);
	control[PROF_DROPPED] &= ~PROF_DROPPED_CONTROL;
	if (!memcmp(want + PROF_DRAM, control + PROF_DRAM, 4) &&
	    !memcmp(want + PROF_FLAT_ID, control + PROF_FLAT_ID, 8))
		return repaired;
	want[PROF_RUNS] = control[PROF_RUNS];
	memcpy(control, want, sizeof(want));
	prof_damaged(d, core, 0, d->running_op, 1);
	return true;
}

static void drain_core(struct tacho_device *d, unsigned core, bool full)
{
	uint32_t control[PROF_WORDS], cut;
	bool any;

	if (d->ops->read(d->self, core, control_address(d, 0), control, sizeof(control)) < 0)
		return;
	any = control_repair(d, core, control);
	cut = control[PROF_DROPPED];
	any |= take_losses(d, core, control);
	for (unsigned r = 0; r < d->cores[core].info.riscs; r++) {
		if (!control[PROF_HOST_END + r])
			continue;
		drain_risc(d, core, r, control[PROF_HOST_END + r], cut >> r & 1);
		control[PROF_HOST_END + r] = 0;
		any = true;
	}
	any |= full && prof_drain_l1(d, core, control);
	any |= drain_end_core(d, core, control);
	if (any)
		d->ops->write(d->self, core, control_address(d, 0), control, sizeof(control));
}

/*
 * Items wait for tacho_profiler_read(), which not every program calls: if the program did not
 * enable profiling itself, the oldest are dropped once they are in the log.
 */
static void bound_items(struct tacho_device *d)
{
	struct prof *p = d->prof;
	size_t most = d->options.profile ? ITEMS_ASKED : ITEMS_UNASKED;

	if (p->mid_run || p->items.n - p->log.done > ITEMS_UNASKED)
		log_dump(d);
	if (p->items.n <= most)
		return;
	log_dump(d);
	p->forgotten += p->items.n;
	p->items.n = p->log.done = 0;
}

/* Losses, and the time that recording cost the program, are reported where they happened. */
static void costs_report(const struct tacho_device *d, uint64_t lost, uint64_t waited)
{
	if (lost && tacho_is_recording())
		tacho_messagef(TACHO_WARNING, 0, "device %u: %llu markers of kernels found no room",
			       d->number, (unsigned long long)lost);
	if (waited && tacho_is_recording())
		tacho_messagef(TACHO_WARNING, 0,
			       "device %u: RISCs waited %llu cycles for their markers to be taken",
			       d->number, (unsigned long long)waited);
}

/* FULL: drain all buffers. Otherwise only if buffers are drained during a run. */
void prof_drain(struct tacho_device *d, bool full)
{
	uint64_t lost, waited;

	if (!sync_is_open(d) || (d->prof->classic && !full))
		return;
	TACHO_ZONE("drain kernel profiler");
	lost = d->prof->losses;
	waited = d->prof->waited;
	for (unsigned i = 0; i < d->shape.cores; i++)
		drain_core(d, i, full);
	/* These stay on the device until they are requested. */
	if (full || !(d->profile & (PROF_MODE_TRACE | PROF_MODE_ACCUMULATE)))
		sync_trim(d);
	bound_items(d);
	costs_report(d, d->prof->losses - lost, d->prof->waited - waited);
}

/* ---- names ---- */
static const char *string_at(const uint8_t *strings, uint32_t size, const uint8_t *word)
{
	uint32_t offset;

	memcpy(&offset, word, 4);
	return offset < size && memchr(strings + offset, 0, size - offset)
		       ? (const char *)strings + offset
		       : "";
}

void prof_name(const struct tacho_device *d, uint16_t id, struct tacho_device_event *e)
{
	const struct zone_name *hashed;

	e->name = e->file = "";
	e->line = 0;
	for (const struct binary *b = d->binaries; b; b = b->next) {
		const uint8_t *records, *strings, *r;
		uint32_t size, strings_size;

		if (id < b->zones_from || id - b->zones_from >= b->zones ||
		    !elf_section(&b->elf, ".tsc_zones", &records, &size) ||
		    !elf_section(&b->elf, ".tsc_strings", &strings, &strings_size))
			continue;
		r = records + 16 * (id - b->zones_from);
		e->name = string_at(strings, strings_size, r);
		e->file = string_at(strings, strings_size, r + 4);
		memcpy(&e->line, r + 8, 4);
		return;
	}
	hashed = names_find(&d->names, id);
	if (!hashed)
		return;
	e->name = hashed->name;
	e->file = hashed->file;
	e->line = hashed->line;
}

/* False: too damaged for an event. */
static bool make_event(struct tacho_device *d, const struct prof_item *item,
		       struct tacho_device_event *out)
{
	static const enum tacho_device_event_kind kinds[] = {[PROF_K_ZONE] = TACHO_DEVICE_ZONE,
							     [PROF_K_TOTAL] = TACHO_DEVICE_TOTAL,
							     [PROF_K_DATA] = TACHO_DEVICE_DATA,
							     [PROF_K_EVENT] = TACHO_DEVICE_EVENT,
							     [PROF_K_DATA_16] =
								     TACHO_DEVICE_DATA16};
	const struct tacho_device_core *c;
	struct device_replay replayed;
	struct tacho_device_event e = {
		.kind = kinds[item->kind],
		.device = d->number,
		.id = item->id,
		.op = item->op,
		.start = item->start,
		.end = item->end,
		.data = {item->data[0], item->data[1]},
		.damaged = item->flags != 0,
	};

	if (item->flat >= d->shape.cores)
		return false;
	if (replay_find(d, item->op, item->replay, &replayed)) {
		e.trace = replayed.trace;
		e.replay = replayed.replay;
	}
	c = &d->cores[item->flat].info;
	e.core = (struct tacho_core){c->logical_x, c->logical_y};
	e.noc = (struct tacho_core){c->x, c->y};
	e.risc = prof_risc_name(d, item->risc, c->ethernet);
	e.name = e.file = "";
	if (item->kind != PROF_K_EVENT) {
		if (item->id == PROF_ID_NOC)
			e.name = prof_noc_name(item->data[0] & 0xff);
		else if (item->id == PROF_ID_COUNTERS)
			e.name = prof_counter_name(item->data[1] & 0xff);
		else
			prof_name(d, item->id, &e);
	}
	*out = e;
	return true;
}

/* Takes all items; the caller owns them. */
static int take_items(struct tacho_device *d, struct prof_items *items)
{
	int r;

	DEVICE_HOLD(d);
	r = device_wait(d);
	if (!d->prof)
		return r < 0 ? r
			     : device_fail(TACHO_EUSAGE, "device %u was opened without profiling",
					   d->number);
	if (d->broken && sync_is_open(d))
		sync_now(d);
	prof_drain(d, true);
	log_dump(d);
	*items = d->prof->items;
	d->prof->items = (struct prof_items){0};
	d->prof->log.done = 0;
	return r;
}

/* Converts items to events; returns the number of events. */
static size_t make_events(struct tacho_device *d, const struct prof_item *items, size_t n,
			  struct tacho_device_event *out)
{
	size_t count = 0;

	DEVICE_HOLD(d);
	for (size_t i = 0; i < n; i++)
		count += make_event(d, &items[i], &out[count]);
	return count;
}

/* The device is unlocked while FN runs: it may wait for other threads. */
int tacho_profiler_read(struct tacho_device *d, tacho_device_event_fn fn, void *context)
{
	struct tacho_device_event events[128];
	struct prof_items items = {0};
	size_t part, made;
	int r;

	TACHO_ZONE("tacho_profiler_read");
	r = take_items(d, &items);
	for (size_t i = 0; i < items.n; i += part) {
		part = items.n - i < 128 ? items.n - i : 128;
		made = make_events(d, items.v + i, part, events);
		for (size_t k = 0; k < made; k++)
			fn(context, &events[k]);
	}
	vec_free(&items);
	return r;
}

int tacho_profiler_dump(struct tacho_device *d)
{
	int r;

	TACHO_ZONE("tacho_profiler_dump");
	DEVICE_HOLD(d);
	r = device_wait(d);
	if (r < 0 || !d->prof)
		return r;
	prof_drain(d, true);
	log_dump(d);
	return d->prof->log.failed ? device_fail(TACHO_EWRITE, "the logs in %s cannot be written",
						 d->prof->log.folder)
				   : 0;
}

uint64_t tacho_profiler_lost_all(const struct tacho_device *d)
{
	DEVICE_HOLD(d);
	return d->prof ? d->prof->losses : 0;
}

uint64_t tacho_profiler_damaged(const struct tacho_device *d)
{
	DEVICE_HOLD(d);
	return d->prof ? d->prof->damage.markers : 0;
}

uint64_t tacho_profiler_lost(const struct tacho_device *d, struct tacho_core core, unsigned risc,
			     uint64_t *runs_cut)
{
	int i = device_core_at(d, false, core.x, core.y);
	const struct prof_loss *l;

	if (runs_cut)
		*runs_cut = 0;
	if (i < 0 || risc >= DEVICE_RISCS || !d->prof)
		return 0;
	DEVICE_HOLD(d);
	l = &d->prof->lost[(unsigned)i * DEVICE_RISCS + risc];
	if (runs_cut)
		*runs_cut = l->runs_cut;
	return l->markers;
}
