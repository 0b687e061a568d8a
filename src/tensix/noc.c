/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two NoCs: tori of routers, NoC 0 goes right and down, NoC 1 left and up, x before y. A packet
 * waits for each link of its route and then occupies it for one cycle per flit. Also DRAM, a set of
 * nodes with large memories.
 */
#include "tensix/private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NIU_CYCLES = 5, HOP_CYCLES = 9 };

uint32_t noc_node(const struct tensix *t, uint32_t x, uint32_t y)
{
	const struct arch *a = t->arch;

	if (a->virtual_x && x >= a->virtual_x && y >= a->virtual_y) {
		x -= a->virtual_x;
		y -= a->virtual_y;
		if (x >= t->columns || y >= t->rows)
			return UINT32_MAX;
		x = (uint8_t)a->worker_x[x];
		y = (uint8_t)a->worker_y[y];
	}
	return x < a->noc_x && y < a->noc_y ? y * a->noc_x + x : UINT32_MAX;
}

static uint64_t noc_cross(uint64_t *link, uint32_t flits, uint64_t head)
{
	if (*link > head)
		head = *link;
	*link = head + flits;
	return head + HOP_CYCLES;
}

uint64_t noc_travel(struct tensix *t, unsigned noc, uint32_t from, uint32_t to, uint32_t flits,
		    uint64_t cycle)
{
	const uint32_t w = t->arch->noc_x, h = t->arch->noc_y;
	uint32_t x = from % w, y = from / w;
	const uint32_t to_x = to % w, to_y = to / w;
	uint64_t head = cycle + NIU_CYCLES;

	while (x != to_x) {
		head = noc_cross(&t->link_free[noc][y * w + x][0], flits, head);
		x = noc ? (x ? x - 1 : w - 1) : (x + 1 == w ? 0 : x + 1);
	}
	while (y != to_y) {
		head = noc_cross(&t->link_free[noc][y * w + x][1], flits, head);
		y = noc ? (y ? y - 1 : h - 1) : (y + 1 == h ? 0 : y + 1);
	}
	t->stats.packets++;
	t->stats.flits += flits;
	/* The first flit is the header: it neither comes from L1 nor goes there. */
	if (t->node_core[from] >= 0)
		t->cores[t->node_core[from]].niu[noc].flits_out += flits - 1;
	if (t->node_core[to] >= 0)
		t->cores[t->node_core[to]].niu[noc].flits_in += flits - 1;
	return head + NIU_CYCLES + flits;
}

/* ---- packets ---- */
struct packet *packet_new(struct tensix *t, uint32_t len)
{
	struct packet *p = t->free_packets;
	uint8_t *data;

	if (p) {
		t->free_packets = p->next;
		data = p->data;
		memset(p, 0, offsetof(struct packet, cap));
		p->data = data;
	} else {
		p = calloc(1, sizeof(*p));
		if (!p)
			return NULL;
	}
	/* Never allocate 0 bytes: even an empty transfer has a data buffer. */
	if (len < 64)
		len = 64;
	if (p->cap < len) {
		data = realloc(p->data, len);
		if (!data) {
			packet_free(t, p);
			return NULL;
		}
		p->data = data;
		p->cap = len;
	}
	return p;
}

void packet_free(struct tensix *t, struct packet *p)
{
	p->next = t->free_packets;
	t->free_packets = p;
}

/* ---- events ---- */
static bool noc_is_earlier(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static int noc_push(struct events *e, struct event item)
{
	size_t i = e->n;

	if (vec_push(e, item) < 0)
		return TACHO_ENOMEM;
	for (; i && noc_is_earlier(&item, &e->v[(i - 1) / 2]); i = (i - 1) / 2)
		e->v[i] = e->v[(i - 1) / 2];
	e->v[i] = item;
	return 0;
}

struct event events_pop(struct events *e)
{
	struct event first = e->v[0], last = e->v[--e->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < e->n) {
		if (child + 1 < e->n && noc_is_earlier(&e->v[child + 1], &e->v[child]))
			child++;
		if (!noc_is_earlier(&e->v[child], &last))
			break;
		e->v[i] = e->v[child];
		i = child;
	}
	if (e->n)
		e->v[i] = last;
	return first;
}

void noc_send(struct tensix *t, struct packet *p, uint32_t node, uint64_t time)
{
	int core = t->node_core[node];
	struct event item = {time, t->order++, p};
	struct events *e = core >= 0 ? &t->cores[core].events : &t->dram_events;

	p->node = node;
	if (noc_push(e, item) < 0) {
		packet_free(t, p);
		return;
	}
	t->under_way++;
	if (core >= 0)
		t->cores[core].next_event = t->cores[core].events.v[0].time;
}

/* ---- DRAM ---- */
uint8_t *dram_bank_bytes(struct tensix *t, unsigned bank)
{
	struct dram_bank *b = &t->banks[bank];

	if (!b->bytes) {
		void *p = mmap(NULL, t->arch->dram_size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		b->bytes = p == MAP_FAILED ? NULL : p;
	}
	return b->bytes;
}

uint8_t *dram_bytes(struct tensix *t, uint32_t node, uint64_t address, uint32_t len, unsigned *bank)
{
	uint64_t size = t->arch->dram_size;
	unsigned within = (unsigned)(address / size);
	uint8_t *bytes;

	if (t->node_group[node] < 0 || within >= t->arch->banks_per_group ||
	    address % size + len > size)
		return NULL;
	*bank = (unsigned)t->node_group[node] * t->arch->banks_per_group + within;
	bytes = dram_bank_bytes(t, *bank);
	return bytes ? bytes + address % size : NULL;
}

/*
 * When the first byte of a request leaves: after the earlier requests, the bank's latency and some
 * jitter.
 */
uint64_t dram_serve(struct tensix *t, unsigned bank, uint32_t len, uint64_t time)
{
	struct dram_bank *b = &t->banks[bank];
	uint64_t at = time > b->free ? time : b->free;

	t->random = t->random * 6364136223846793005ull + 1442695040888963407ull;
	b->free = at + (uint64_t)((double)len / t->arch->dram_bytes_per_cycle) + 1;
	t->stats.dram_bytes += len;
	return at + t->config.dram_latency + (t->random >> 33) % 8;
}

void dram_free(struct tensix *t)
{
	for (unsigned i = 0; i < TENSIX_MAX_BANKS; i++)
		if (t->banks[i].bytes)
			munmap(t->banks[i].bytes, t->arch->dram_size);
	for (size_t i = 0; i < t->dram_events.n; i++)
		packet_free(t, t->dram_events.v[i].packet);
	vec_free(&t->dram_events);
}
