/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launch a program on the cores: texts, arguments, launch message, go signal; and wait for its end.
 */
#include "device/launch.h"
#include "device/debug.h"
#include "device/kernel_build.h"
#include "device/prof.h"
#include "device/program.h"
#include "device/report.h"
#include "tacho_layout.h"

#include <tacho/tacho.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int core_write(struct tacho_device *d, unsigned core, uint32_t address, const void *data,
	       size_t len)
{
	if (d->ops->write(d->self, core, address, data, len) < 0)
		return device_fail(TACHO_EUSAGE, "no memory for %zu bytes at 0x%x of core %u", len,
				   address, core);
	return 0;
}

/* ---- the end of a program ---- */
static int fail_with(struct tacho_device *d, int code, struct buf *text)
{
	int r = text->failed ? device_fail(TACHO_ENOMEM, "no memory")
			     : device_fail_text(code, text->data);

	/* Readers of the recording have not seen the program's output, if it had any. */
	if (tacho_is_recording())
		tacho_message(tacho_device_error(), strlen(tacho_device_error()), TACHO_ERROR, 0);
	d->broken = true;
	buf_free(text);
	return r;
}

/* A signal is about to end the process: the run so far is all that will be recorded. */
static int launch_is_interrupted(struct tacho_device *d)
{
	struct buf text = BUF_INIT;
	int r;

	buf_addf(&text, "%s: the program of device %u has not ended", interrupt_name(), d->number);
	report_unfinished(d, &text);
	if (!text.failed)
		fprintf(stderr, "tacho: %s\n", text.data);
	r = fail_with(d, TACHO_ENO, &text);
	device_settle(d);
	return r;
}

static int wait_for_end(struct tacho_device *d)
{
	uint64_t end = d->ops->cycles(d->self) + d->options.max_cycles;
	struct buf text = BUF_INIT;
	struct tacho_device_risc risc;
	bool all;

	for (;;) {
		enum tacho_device_stop stop;
		bool printed;

		d->stepping = true;
		stop = d->ops->run(d->self, drain_step(d));
		d->stepping = false;
		printed = dprint_poll(d);
		if (stop == TACHO_STOP_FAULT && d->ops->fault(d->self, &risc)) {
			report_fault(d, &risc, &text);
			return fail_with(d, TACHO_EDAMAGED, &text);
		}
		all = true;
		for (unsigned i = 0; i < d->shape.cores; i++) {
			uint32_t go = 0;

			if (d->cores[i].busy)
				d->ops->read(d->self, i, d->shape.mailbox + M_GO, &go, 4);
			if (go >> 24 == GO_DONE)
				d->cores[i].busy = false;
			all &= !d->cores[i].busy;
		}
		if (all)
			break;
		if (interrupt_noted())
			return launch_is_interrupted(d);
		if (interrupt_broken_off()) {
			buf_addf(&text, "SIGINT: the program of device %u has not ended",
				 d->number);
			report_unfinished(d, &text);
			return fail_with(d, TACHO_ENO, &text);
		}
		if (!prof_running(d) && !printed && stop == TACHO_STOP_IDLE) {
			buf_addf(&text, "device %u waits for ever: no RISC can go on\n", d->number);
			report_waiting(d, &text);
			return fail_with(d, TACHO_EDAMAGED, &text);
		}
		if (d->ops->cycles(d->self) >= end) {
			buf_addf(&text, "device %u is not done after %llu cycles\n", d->number,
				 (unsigned long long)d->options.max_cycles);
			report_waiting(d, &text);
			return fail_with(d, TACHO_ELIMIT, &text);
		}
	}
	d->running = false;
	prof_end(d);
	return 0;
}

int device_wait(struct tacho_device *d)
{
	int r;

	if (d->broken)
		return device_fail(TACHO_EUSAGE, "device %u has stopped: close it", d->number);
	if (!d->running)
		return 0;
	interrupt_begin();
	r = wait_for_end(d);
	interrupt_end();
	return r;
}

int tacho_finish(struct tacho_device *d)
{
	TACHO_ZONE("tacho_finish");
	DEVICE_HOLD(d);
	return device_wait(d);
}

/* ---- the start ---- */
static void launch_put16(uint8_t *at, uint32_t value)
{
	uint16_t v = (uint16_t)value;

	memcpy(at, &v, 2);
}

static void launch_put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, 4);
}

/* A kernel's data is below its stack. */
static uint32_t launch_stack_end(const struct binary *b)
{
	uint32_t end = KERNEL_DATA;

	for (unsigned i = 0; i < b->elf.segments; i++) {
		const struct elf_segment *s = &b->elf.segment[i];

		if (s->address >= KERNEL_DATA && s->address + s->size > end)
			end = s->address + s->size;
	}
	return end;
}

int launch_text(struct tacho_device *d, unsigned core, unsigned risc, const struct binary *b)
{
	struct device_core *c = &d->cores[core];
	int r;

	if (c->loaded[risc] == b)
		return 0;
	r = core_write(d, core, b->load, b->text, b->text_size);
	if (r == 0 && d->ops->stack_end)
		d->ops->stack_end(d->self, core, risc, launch_stack_end(b));
	c->loaded[risc] = r == 0 ? b : NULL;
	return r;
}

/* Writes text and arguments of one core's kernels; ENABLES gets a bit per RISC. */
static int load_kernels(struct tacho_device *d, const struct tacho_program *p, unsigned core,
			uint32_t *enables)
{
	const struct device_core *c = &d->cores[core];
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->kernels.n; i++) {
		const struct program_kernel *k = &p->kernels.v[i];
		const struct program_args *own = NULL;

		for (size_t n = 0; n < k->args.n && !own; n++)
			if (k->args.v[n].core == core)
				own = &k->args.v[n];

		if ((k->risc == TACHO_ERISC) != c->info.ethernet ||
		    !core_set_has(&k->cores, c->info.logical_x, c->info.logical_y))
			continue;
		for (unsigned risc = 0; r == 0 && risc < DEVICE_RISCS; risc++) {
			const struct binary *b = k->binary[risc];
			uint32_t at = KERNEL_CONFIG + CONFIG_ARGS + risc * CONFIG_ARGS_SIZE;

			if (!b)
				continue;
			*enables |= 1u << risc;
			r = launch_text(d, core, risc, b);
			if (r == 0 && own && own->n)
				r = core_write(d, core, at, own->v, 4 * own->n);
			if (r == 0 && k->common.n)
				r = core_write(d, core, at + DEVICE_RISCS * CONFIG_ARGS_SIZE,
					       k->common.v, 4 * k->common.n);
		}
	}
	return r;
}

/* Writes circular buffers and semaphores; MASK gets a bit per circular buffer. */
static int load_config(struct tacho_device *d, const struct tacho_program *p, unsigned core,
		       uint32_t *mask)
{
	const struct tacho_device_core *c = &d->cores[core].info;
	uint8_t config[CONFIG_ARGS] = {0};
	bool any = false;

	for (size_t i = 0; i < p->sems.n; i++) {
		if (!core_set_has(&p->sems.v[i].cores, c->logical_x, c->logical_y))
			continue;
		launch_put32(config + CONFIG_SEMS + p->sems.v[i].number * SEM_STRIDE,
			     p->sems.v[i].value);
		any = true;
	}
	for (size_t i = 0; i < p->cbs.n; i++) {
		const struct tacho_cb *cb = &p->cbs.v[i].conf;
		uint8_t *at = config + CONFIG_CBS + 16 * cb->index;

		if (!core_set_has(&p->cbs.v[i].cores, c->logical_x, c->logical_y))
			continue;
		*mask |= 1u << cb->index;
		launch_put32(at, p->cbs.v[i].address);
		launch_put32(at + 4, cb->pages * cb->page_size);
		launch_put32(at + 8, cb->pages);
		launch_put32(at + 12, cb->page_size);
	}
	return any || *mask ? core_write(d, core, KERNEL_CONFIG, config, sizeof(config)) : 0;
}

/* The part of a program that one core gets. */
struct core_launch {
	uint32_t enables, cbs; /* bits of RISCs, of circular buffers */
	uint8_t noc;           /* of BRISC */
};

static void make_message(struct tacho_device *d, uint8_t *m, unsigned core, uint32_t op,
			 const struct core_launch *l)
{
	const uint32_t *trace = map_get(&d->traced, op);

	memset(m, 0, LAUNCH_SIZE);
	launch_put32(m + LAUNCH_BASE, KERNEL_CONFIG);
	launch_put16(m + LAUNCH_SEMS, CONFIG_SEMS);
	launch_put16(m + LAUNCH_CBS, CONFIG_CBS);
	for (unsigned r = 0; r < DEVICE_RISCS; r++) {
		uint32_t own = CONFIG_ARGS + r * CONFIG_ARGS_SIZE;

		launch_put16(m + LAUNCH_ARGS + 4 * r, own);
		launch_put16(m + LAUNCH_ARGS + 4 * r + 2, own + DEVICE_RISCS * CONFIG_ARGS_SIZE);
		/* The kernels' slots are below the config base: the offset wraps. */
		launch_put32(m + LAUNCH_TEXT + 4 * r,
			     KERNEL_TEXT + r * KERNEL_TEXT_SLOT - KERNEL_CONFIG);
	}
	m[LAUNCH_MODE] = 1;
	m[LAUNCH_NOC] = l->noc;
	m[LAUNCH_LOGICAL] = d->cores[core].info.logical_x;
	m[LAUNCH_LOGICAL + 1] = d->cores[core].info.logical_y;
	launch_put32(m + LAUNCH_CB_MASK, l->cbs);
	launch_put32(m + LAUNCH_ID, op);
	launch_put32(m + LAUNCH_ENABLES, l->enables);
	launch_put32(m + LAUNCH_TRACE, trace ? *trace : 0);
}

static int launch_message(struct tacho_device *d, unsigned core, uint32_t op,
			  const struct core_launch *l)
{
	uint8_t m[LAUNCH_SIZE];

	make_message(d, m, core, op, l);
	if (d->dispatch_core < 0)
		return core_write(d, core, d->shape.mailbox + M_LAUNCH, m, sizeof(m));
	m[LAUNCH_MODE] = 0;
	return dispatch_stage(d, core, m);
}

/* The two data movers use different NoCs: either kernel decides. */
static uint8_t brisc_noc(const struct tacho_device *d, const struct tacho_program *p, unsigned core)
{
	const struct tacho_device_core *c = &d->cores[core].info;

	for (size_t i = 0; i < p->kernels.n; i++) {
		const struct program_kernel *k = &p->kernels.v[i];

		if (k->risc == TACHO_COMPUTE || (k->risc == TACHO_ERISC) != c->ethernet ||
		    !core_set_has(&k->cores, c->logical_x, c->logical_y))
			continue;
		return (k->noc == TACHO_NOC_1) ^ (k->risc == TACHO_NCRISC);
	}
	return 0;
}

/* Signals last, so that all cores start together. */
static int launch_signal_go(struct tacho_device *d, uint32_t op)
{
	uint32_t word = (uint32_t)GO_RUN << 24;
	uint8_t m[LAUNCH_SIZE];
	int r = 0;

	if (d->dispatch_core >= 0) {
		make_message(d, m, (unsigned)d->dispatch_core, 0,
			     &(struct core_launch){.enables = 3});
		return dispatch_go(d, op, m);
	}
	for (unsigned i = 0; r == 0 && i < d->shape.cores; i++)
		if (d->cores[i].busy)
			r = core_write(d, i, d->shape.mailbox + M_GO, &word, 4);
	return r;
}

static int launch_core(struct tacho_device *d, struct tacho_program *p, unsigned core, uint32_t op)
{
	struct core_launch l = {.noc = brisc_noc(d, p, core)};
	int r = load_kernels(d, p, core, &l.enables);

	if (r < 0 || !l.enables)
		return r;
	r = load_config(d, p, core, &l.cbs);
	if (r == 0)
		r = drain_clear_core(d, core);
	if (r == 0)
		r = launch_message(d, core, op, &l);
	d->cores[core].enables = l.enables;
	d->cores[core].busy = r == 0;
	d->cores[core].program = p;
	return r;
}

int launch_program(struct tacho_device *d, struct tacho_program *p, uint32_t op)
{
	int r = device_wait(d);

	if (r == 0)
		r = cbs_check(p);
	if (r < 0)
		return r;
	prof_begin(d);
	for (unsigned i = 0; r == 0 && i < d->shape.cores; i++)
		r = launch_core(d, p, i, op);
	if (r == 0)
		r = launch_signal_go(d, op);
	d->running = true;
	d->running_op = op;
	return r;
}

static int launch_enqueue(struct tacho_device *d, struct tacho_program *p, uint32_t op)
{
	int r;

	TACHO_ZONE("tacho_enqueue");
	r = tacho_program_compile(p);
	if (r == 0)
		r = d->capture ? replay_take(d, p, op) : launch_program(d, p, op);
	return r;
}

int tacho_enqueue(struct tacho_device *d, struct tacho_program *p)
{
	struct op_run op;
	int r;

	if (p->device != d)
		return device_fail(TACHO_EUSAGE, "the program belongs to device %u",
				   p->device->number);
	DEVICE_HOLD(d);
	device_describe(d);
	op = op_run_begin(d, p);
	r = launch_enqueue(d, p, op.base);
	op_run_end(d, p, op);
	return r;
}
