/* SPDX-License-Identifier: Apache-2.0 */
/* A tile: its memory, reset and clock, and the words that its sleeping RISCs wait for. */
#include "tensix/private.h"

#include <stdlib.h>
#include <string.h>

/* Soft reset bit and start address; T and NC may start elsewhere. */
static const struct {
	uint32_t bit, pc;
} resets[TENSIX_RISCS] = {
	[TENSIX_B] = {1u << 11, 0},       [TENSIX_NC] = {1u << 18, 0x12000},
	[TENSIX_T0] = {1u << 12, 0x6000}, [TENSIX_T1] = {1u << 13, 0xA000},
	[TENSIX_T2] = {1u << 14, 0xE000},
};

int core_init(struct tensix *t, struct tensix_core *c)
{
	c->dev = t;
	c->reset = TENSIX_RESET_ALL;
	c->next_event = TENSIX_NEVER;
	c->pages = calloc(c->l1_size / RV32_PAGE, sizeof(*c->pages));
	c->streams = calloc(STREAM_WORDS, 4);
	if (!c->pages || !c->streams)
		return TACHO_ENOMEM;
	if (t->arch->iram_size && c->place.tile == TENSIX_WORKER) {
		c->iram = calloc(1, t->arch->iram_size);
		if (!c->iram)
			return TACHO_ENOMEM;
	}
	for (unsigned i = 0; i < c->harts; i++) {
		struct tensix_hart *h = &c->hart[i];

		h->core = c;
		h->risc = (uint8_t)i;
		h->state = TENSIX_RESET;
		h->local_size = t->arch->local_size[i];
		h->local = calloc(1, h->local_size);
		if (!h->local)
			return TACHO_ENOMEM;
		c->reset_pc[i] = resets[i].pc;
	}
	niu_init(c);
	return 0;
}

void core_free(struct tensix_core *c)
{
	for (unsigned i = 0; i < TENSIX_RISCS; i++)
		free(c->hart[i].local);
	for (size_t i = 0; i < c->events.n; i++)
		packet_free(c->dev, c->events.v[i].packet);
	vec_free(&c->events);
	vec_free(&c->clock_rates);
	free(c->pages);
	free(c->streams);
	free(c->iram);
	free(c->config);
	engine_free(c->engine);
}

static void core_reset_start(struct tensix_hart *h, uint64_t cycle)
{
	struct tensix_core *c = h->core;

	h->state = TENSIX_RUNNING;
	c->awake |= 1u << h->risc;
	h->pc = c->reset_pc[h->risc];
	if (h->cycle < cycle)
		h->cycle = cycle;
	memset(h->x, 0, sizeof(h->x));
	memset(h->ready, 0, sizeof(h->ready));
	memset(h->load_slot, 0, sizeof(h->load_slot));
	h->store_free = 0;
	h->spin_head = NULL;
}

void core_reset_write(struct tensix_core *c, uint32_t value, uint64_t cycle)
{
	uint32_t before = c->reset;

	c->reset = value;
	for (unsigned i = 0; i < c->harts; i++) {
		struct tensix_hart *h = &c->hart[i];
		bool held = value & resets[i].bit, was = before & resets[i].bit;

		if (held && !was) {
			h->state = TENSIX_RESET;
			c->awake &= ~(1u << i);
		} else if (!held && was) {
			core_reset_start(h, cycle);
		}
	}
}

uint64_t core_clock(const struct tensix_core *c, uint64_t cycle)
{
	uint64_t clock = (uint64_t)c->clock_offset;
	uint64_t from = 0;
	double rate = 1;

	for (size_t i = 0; i < c->clock_rates.n && c->clock_rates.v[i].from <= cycle; i++) {
		clock += (uint64_t)((double)(c->clock_rates.v[i].from - from) * rate);
		from = c->clock_rates.v[i].from;
		rate = c->clock_rates.v[i].rate;
	}
	return rate == 1 ? clock + (cycle - from)
			 : clock + (uint64_t)((double)(cycle - from) * rate);
}

static void watch_update(struct tensix_core *c)
{
	c->watch_bits = 0;
	for (unsigned i = 0; i < c->harts; i++)
		if (c->hart[i].state == TENSIX_WAITING)
			for (unsigned k = 0; k < c->hart[i].watches; k++)
				c->watch_bits |= watch_bit(c->hart[i].watch[k]);
}

void hart_sleep(struct tensix_hart *h)
{
	struct tensix_core *c = h->core;

	h->state = TENSIX_WAITING;
	c->awake &= ~(1u << h->risc);
	for (unsigned k = 0; k < h->watches; k++)
		c->watch_bits |= watch_bit(h->watch[k]);
}

void core_wake(struct tensix_hart *h, uint64_t cycle)
{
	struct tensix_core *c = h->core;

	h->state = TENSIX_RUNNING;
	c->awake |= 1u << h->risc;
	h->spin_head = NULL;
	if (cycle > h->cycle) {
		if (h->period) {
			uint64_t rounds = (cycle - h->cycle + h->period - 1) / h->period;

			h->cycle += rounds * h->period;
			h->instructions += rounds * h->loop;
			c->dev->stats.slept += rounds * h->loop;
		} else {
			h->cycle = cycle;
		}
	}
}

void core_touched(struct tensix_core *c, uint32_t address, uint32_t len, uint64_t cycle)
{
	uint32_t end = address + len;
	bool woken = false;

	for (uint32_t p = address / RV32_PAGE; p <= (end - 1) / RV32_PAGE; p++)
		c->pages[p] = NULL;
	if (!c->watch_bits)
		return;
	for (unsigned i = 0; i < c->harts; i++) {
		struct tensix_hart *h = &c->hart[i];

		for (unsigned k = 0; h->state == TENSIX_WAITING && k < h->watches; k++) {
			if (h->watch[k] + 4 > address && h->watch[k] < end) {
				core_wake(h, cycle);
				woken = true;
			}
		}
	}
	if (woken)
		watch_update(c);
}

void core_registers_changed(struct tensix_core *c, uint64_t cycle)
{
	bool woken = false;

	for (unsigned i = 0; i < c->harts; i++) {
		struct tensix_hart *h = &c->hart[i];

		if (h->state == TENSIX_WAITING && h->watch_registers) {
			core_wake(h, cycle);
			woken = true;
		}
	}
	if (woken)
		watch_update(c);
}

void hart_fault(struct tensix_hart *h, enum tensix_fault_kind kind, uint32_t address)
{
	struct tensix *t = h->core->dev;
	struct tensix_fault *f = &t->fault;
	const uint8_t *text = code_text(h, h->pc);

	h->state = TENSIX_STOPPED;
	h->core->awake &= ~(1u << h->risc);
	if (f->kind)
		return;
	*f = (struct tensix_fault){
		.kind = kind,
		.device = t->config.number,
		.core = h->core->number,
		.risc = h->risc,
		.place = h->core->place,
		.pc = h->pc,
		.address = address,
		.cycle = h->cycle,
	};
	if (text)
		memcpy(&f->word, text, 4);
	memcpy(f->x, h->x, sizeof(f->x));
}
