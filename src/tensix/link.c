/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ethernet links between devices: a core's transmit queues write into L1 of the core at the other
 * end. Linked devices run together, in steps shorter than the latency of a link, so that no device
 * misses what another one sends.
 *
 * Times between devices are differences: each counts its own cycles, and a step starts at the same
 * moment for all.
 */
#include "tensix/private.h"

#include <stdlib.h>
#include <string.h>

/* Not public; of the order of what a frame needs. 100 Gbit/s. */
enum { LINK_NS = 600, LINK_MBYTES = 12500 };

/* Registers of a transmit queue, in bytes; queues are 4 KiB apart. */
enum {
	Q_COMMAND = 0x04,
	Q_STATUS = 0x08,
	Q_FROM = 0x14,
	Q_BYTES = 0x18,
	Q_TO = 0x1C,
	Q_TRANSFERS = 0x30,
	Q_WORD = 0x44, /* for a register of the other end */
};
enum { START_DATA = 2, START_REGISTER = 4 };

/* All devices that are linked with T, directly or indirectly, T first. */
#define FOR_MESH(m, t) \
	for (struct tensix *m = (t), *end_##m = NULL; m != end_##m; end_##m = (t), m = m->mesh_next)

int tensix_link(struct tensix *a, unsigned core_a, struct tensix *b, unsigned core_b)
{
	struct tensix_core *x, *y;
	struct tensix *next;

	if (a == b || core_a >= a->ncores || core_b >= b->ncores)
		return TACHO_EUSAGE;
	x = &a->cores[core_a];
	y = &b->cores[core_b];
	if (x->place.tile != TENSIX_ETHERNET || y->place.tile != TENSIX_ETHERNET || x->peer ||
	    y->peer)
		return TACHO_EUSAGE;
	x->peer = y;
	y->peer = x;
	FOR_MESH(m, a)
	if (m == b)
		return 0;
	/* Two rings of devices become one. */
	next = a->mesh_next;
	a->mesh_next = b->mesh_next;
	b->mesh_next = next;
	return 0;
}

void link_leave(struct tensix *t)
{
	struct tensix *before = t;

	for (unsigned i = 0; t->cores && i < t->ncores; i++)
		if (t->cores[i].peer)
			t->cores[i].peer->peer = NULL;
	while (before->mesh_next != t)
		before = before->mesh_next;
	before->mesh_next = t->mesh_next;
	t->mesh_next = t;
}

/* ---- registers ---- */
static uint32_t *link_queue_of(struct tensix_core *c, uint32_t offset, unsigned *queue)
{
	*queue = offset >> 12;
	return *queue < ETH_QUEUES && (offset & 0xfff) / 4 < ETH_REGS
		       ? &c->eth[*queue][(offset & 0xfff) / 4]
		       : NULL;
}

bool link_read(struct tensix_core *c, uint32_t offset, uint64_t *cycle, uint32_t *value)
{
	unsigned queue;
	uint32_t *r = link_queue_of(c, offset, &queue);

	if (!r)
		return false;
	*value = *r;
	if ((offset & 0xfff) == Q_COMMAND || (offset & 0xfff) == Q_STATUS) {
		/* As if the RISC had polled until the queue was free. */
		if (c->eth_free > *cycle)
			*cycle = c->eth_free;
		*value = 0;
	}
	return true;
}

/* Arrival time, in cycles of the other end, of a frame that leaves at CYCLE. */
static uint64_t link_arrival(const struct tensix *t, const struct tensix *peer, uint64_t cycle)
{
	uint64_t here = t->stepping ? t->step_start : t->now;
	uint64_t there = peer->stepping ? peer->step_start : peer->now;
	uint64_t since = cycle > here ? cycle - here : 0;

	return there + ((since * 1000 / t->arch->mhz + LINK_NS) * peer->arch->mhz + 999) / 1000;
}

static void link_transmit(struct tensix_core *c, struct tensix_hart *h, const uint32_t *q,
			  bool word, uint64_t cycle)
{
	uint32_t bytes = word ? 4 : q[Q_BYTES / 4], from = q[Q_FROM / 4];
	struct tensix *t = c->dev, *to;
	uint64_t start = cycle > c->eth_free ? cycle : c->eth_free;
	struct packet *p;

	if (!word && (from > c->l1_size || bytes > c->l1_size - from)) {
		if (h)
			hart_fault(h, TENSIX_FAULT_NOC, from);
		return;
	}
	c->eth_free = start + ((uint64_t)bytes + 32) * t->arch->mhz / LINK_MBYTES + 1;
	if (!c->peer)
		return; /* no core at the other end */
	to = c->peer->dev;
	p = packet_new(to, bytes);
	if (!p)
		return;
	p->kind = word ? PACKET_ETHERNET_WORD : PACKET_ETHERNET;
	p->remote = q[Q_TO / 4];
	p->len = bytes;
	memcpy(p->data, word ? (const uint8_t *)&q[Q_WORD / 4] : c->l1 + from, bytes);
	noc_send(to, p, noc_node(to, c->peer->place.x, c->peer->place.y),
		 link_arrival(t, to, c->eth_free));
}

bool link_write(struct tensix_core *c, struct tensix_hart *h, uint32_t offset, uint32_t value,
		uint64_t *cycle)
{
	unsigned queue;
	uint32_t *r = link_queue_of(c, offset, &queue);

	if (!r)
		return false;
	*r = value;
	if ((offset & 0xfff) != Q_COMMAND || !(value & (START_DATA | START_REGISTER)))
		return true;
	c->eth[queue][Q_TRANSFERS / 4]++;
	link_transmit(c, h, c->eth[queue], value & START_REGISTER, *cycle);
	return true;
}

/* Data sent to a nonexistent address is lost, as on a wire. */
void link_arrive(struct tensix *t, struct packet *p, uint64_t time)
{
	struct tensix_core *c = &t->cores[t->node_core[p->node]];
	uint32_t word;

	if (p->kind == PACKET_ETHERNET_WORD) {
		memcpy(&word, p->data, 4);
		if (p->remote >= c->l1_size)
			mmio_store(c, NULL, (uint32_t)p->remote, 4, &time, word);
	}
	if (p->remote + p->len <= c->l1_size && p->len) {
		memcpy(c->l1 + p->remote, p->data, p->len);
		core_touched(c, (uint32_t)p->remote, p->len, time);
	}
	packet_free(t, p);
}

/* ---- running together ---- */

/* Converts cycles of one device to cycles of another. */
static uint64_t same_time(uint64_t cycles, const struct tensix *of, const struct tensix *in)
{
	return of->arch->mhz == in->arch->mhz ? cycles : cycles * in->arch->mhz / of->arch->mhz;
}

/* Time until the next event on any of them, in cycles of T. */
static uint64_t link_is_quiet(struct tensix *t)
{
	uint64_t least = TENSIX_NEVER;

	FOR_MESH(m, t)
	{
		uint64_t next = m->fault.kind ? TENSIX_NEVER : sched_next(m), away = 0;

		if (next == TENSIX_NEVER)
			continue;
		if (next > m->now)
			away = same_time(next - m->now, m, t);
		least = away < least ? away : least;
	}
	return least;
}

static void link_step(struct tensix *t, uint64_t cycles)
{
	FOR_MESH(m, t)
	{
		m->stepping = true;
		m->step_start = m->now;
	}
	FOR_MESH(m, t)
	{
		uint64_t own = same_time(cycles, t, m);

		if (!m->fault.kind)
			sched_run(m, own);
		m->now = m->step_start + own;
	}
	FOR_MESH(m, t)
	m->stepping = false;
}

/* A fault of another device stops only that one, which reports it to its own user. */
enum tensix_stop link_run(struct tensix *t, uint64_t cycles)
{
	const uint64_t most = LINK_NS * t->arch->mhz / 1000;

	while (cycles) {
		uint64_t away = link_is_quiet(t);

		if (away == TENSIX_NEVER)
			return TENSIX_IDLE;
		away = away < cycles ? away : cycles;
		FOR_MESH(m, t)
		m->now += same_time(away, t, m);
		cycles -= away;
		away = cycles < most ? cycles : most;
		if (away)
			link_step(t, away);
		cycles -= away;
		if (t->fault.kind)
			return TENSIX_FAULT;
	}
	return TENSIX_LIMIT;
}
