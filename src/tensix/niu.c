/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two NoC interfaces of a core: command buffers and counters, and the arrival of packets at a
 * node.
 */
#include "tensix/private.h"

#include <string.h>

/* Registers of a command buffer, in words. */
enum {
	R_TARG_LO = 0,
	R_TARG_MID = 1,
	R_RET_LO = 3,
	R_RET_MID = 4,
	R_TAG = 6,
	R_CTRL = 7,
	R_LEN = 8,
	R_DATA = 9,
	R_GO = 10,
	R_NODE = 11,
};

enum {
	CTRL_ATOMIC = 1u << 0,
	CTRL_WRITE = 1u << 1,
	CTRL_INLINE = 1u << 3,
	CTRL_ANSWER = 1u << 4,
	CTRL_MULTICAST = 1u << 5,
	CTRL_WITH_SOURCE = 1u << 17,
};

enum {
	N_ATOMIC_RESP = 0x0,
	N_WRITE_ACK = 0x1,
	N_READ_RESP = 0x2,
	N_READ_SENT = 0x5,
	N_WRITE_SENT = 0xA,
	N_POSTED_SENT = 0xB,
	N_WRITE_STARTED = 0xC,
	N_POSTED_STARTED = 0xD,
	N_READ_STARTED = 0xE,
	N_ATOMIC_STARTED = 0xF,
	N_OUTSTANDING = 0x10, /* + transaction id */
};

#define OFFSET_CONFIG   0x100u
#define OFFSET_COUNTERS 0x200u
#define CONFIG_ID       0xEu
#define MAX_LEN         (1u << 20)

void niu_init(struct tensix_core *c)
{
	uint32_t id = (uint32_t)c->place.y << 6 | c->place.x;

	for (unsigned i = 0; i < 2; i++) {
		struct niu *n = &c->niu[i];

		n->config[CONFIG_ID] = id;
		for (unsigned b = 0; b < NIU_BUFFERS; b++)
			n->buffer[b][R_NODE] = id | (uint32_t)c->dev->arch->noc_x << 12 |
					       (uint32_t)c->dev->arch->noc_y << 19;
	}
}

uint32_t niu_read(struct tensix_core *c, unsigned noc, uint32_t offset, uint64_t *cycle)
{
	struct niu *n = &c->niu[noc];
	uint32_t buffer = offset / c->dev->arch->niu_stride;
	uint32_t at = offset % c->dev->arch->niu_stride;

	if (at >= OFFSET_COUNTERS && at < OFFSET_COUNTERS + 4 * NIU_COUNTERS)
		return n->counter[(at - OFFSET_COUNTERS) / 4];
	if (at >= OFFSET_CONFIG && at < OFFSET_COUNTERS)
		return n->config[(at - OFFSET_CONFIG) / 4];
	if (buffer >= NIU_BUFFERS || at / 4 >= NIU_REGS)
		return 0;
	if (at / 4 == R_GO) {
		/* As if the RISC had polled until the packet was accepted. */
		if (n->busy[buffer] > *cycle)
			*cycle = n->busy[buffer];
		return 0;
	}
	return n->buffer[buffer][at / 4];
}

static uint32_t niu_flits(const struct tensix *t, uint32_t bytes)
{
	return (bytes + t->arch->flit_bytes - 1) / t->arch->flit_bytes;
}

struct command {
	struct tensix_core *c;
	struct tensix_hart *h;
	unsigned noc;
	const uint32_t *r;
	uint64_t at; /* when the packet leaves */
};

static bool niu_bad(const struct command *k, uint32_t address)
{
	if (k->h)
		hart_fault(k->h, TENSIX_FAULT_NOC, address);
	return false;
}

/* The grid has no such coordinates. MID: TARG_MID or RET_MID. */
static bool niu_no_target(const struct command *k, uint32_t mid)
{
	if (k->h)
		hart_fault(k->h, TENSIX_FAULT_NODE, mid >> 4 & 0xfff);
	return false;
}

/* x and y of a TARG_MID or RET_MID word: address bits 35..32 are below them. */
static uint32_t node_of(const struct tensix *t, uint32_t mid)
{
	return noc_node(t, mid >> 4 & 63, mid >> 10 & 63);
}

static struct packet *packet_for(const struct command *k, enum packet_kind kind, uint32_t len)
{
	struct tensix *t = k->c->dev;
	struct packet *p = packet_new(t, len);

	if (!p)
		return NULL;
	p->kind = (uint8_t)kind;
	p->noc = (uint8_t)k->noc;
	p->trid = k->r[R_TAG] >> 10 & 15;
	p->source = k->c->number;
	p->risc = k->h ? (uint8_t)k->h->risc : 0;
	p->from = noc_node(t, k->c->place.x, k->c->place.y);
	p->len = len;
	p->answer = k->r[R_CTRL] & CTRL_ANSWER;
	return p;
}

static bool read_command(struct command *k)
{
	struct tensix *t = k->c->dev;
	struct niu *n = &k->c->niu[k->noc];
	uint32_t len = k->r[R_LEN], to = node_of(t, k->r[R_TARG_MID]);
	struct packet *p;

	if (to == UINT32_MAX)
		return niu_no_target(k, k->r[R_TARG_MID]);
	if (len > MAX_LEN || (uint64_t)k->r[R_RET_LO] + len > k->c->l1_size)
		return niu_bad(k, k->r[R_RET_LO]);
	p = packet_for(k, PACKET_READ, len);
	if (!p)
		return niu_bad(k, 0);
	p->remote = k->r[R_TARG_LO] | (uint64_t)(k->r[R_TARG_MID] & 15) << 32;
	p->local = k->r[R_RET_LO];
	p->counter = N_READ_RESP;
	n->counter[N_READ_SENT]++;
	n->counter[N_READ_STARTED]++;
	n->counter[N_OUTSTANDING + p->trid]++;
	noc_send(t, p, to, noc_travel(t, k->noc, p->from, to, 1, k->at));
	n->out_free = k->at + 1;
	return true;
}

/* A write to one node or, by multicast, to each of many. */
struct payload {
	uint64_t address;
	uint32_t len;
	const uint8_t *data;
	uint32_t bytes; /* a bit per byte to write, for a single word; 0: all */
};

static bool send_write(struct command *k, uint32_t to, const struct payload *load)
{
	struct tensix *t = k->c->dev;
	struct niu *n = &k->c->niu[k->noc];
	struct packet *p = packet_for(k, PACKET_WRITE, load->len);

	if (!p)
		return niu_bad(k, 0);
	memcpy(p->data, load->data, load->len);
	p->remote = load->address;
	p->operation = load->bytes;
	p->counter = N_WRITE_ACK;
	if (p->answer)
		n->counter[N_OUTSTANDING + p->trid]++;
	noc_send(t, p, to, noc_travel(t, k->noc, p->from, to, 1 + niu_flits(t, load->len), k->at));
	return true;
}

static bool send_atomic(struct command *k, uint32_t to, const struct payload *load)
{
	struct tensix *t = k->c->dev;
	struct niu *n = &k->c->niu[k->noc];
	struct packet *p = packet_for(k, PACKET_ATOMIC, 4);

	if (!p)
		return niu_bad(k, 0);
	p->remote = load->address;
	p->local = k->r[R_RET_LO];
	p->operation = k->r[R_LEN];
	p->operand = k->r[R_DATA];
	p->counter = N_ATOMIC_RESP;
	if (p->answer) {
		n->counter[N_ATOMIC_STARTED]++;
		n->counter[N_OUTSTANDING + p->trid]++;
	}
	noc_send(t, p, to, noc_travel(t, k->noc, p->from, to, 2, k->at));
	return true;
}

/* A rectangle of Tensix cores; the corner words hold end and start. */
static bool niu_multicast(struct command *k, uint32_t mid, const struct payload *load,
			  bool (*send)(struct command *, uint32_t, const struct payload *))
{
	struct tensix *t = k->c->dev;
	uint32_t x1 = mid >> 4 & 63, y1 = mid >> 10 & 63, x0 = mid >> 16 & 63, y0 = mid >> 22 & 63;

	if (x0 > x1 || y0 > y1) {
		uint32_t x = x0, y = y0;

		x0 = x1, x1 = x;
		y0 = y1, y1 = y;
	}
	for (uint32_t x = x0; x <= x1; x++) {
		for (uint32_t y = y0; y <= y1; y++) {
			uint32_t to = noc_node(t, x, y);
			int core = to == UINT32_MAX ? -1 : t->node_core[to];

			if (core < 0 || t->cores[core].place.tile != TENSIX_WORKER)
				continue;
			if (core == k->c->number && !(k->r[R_CTRL] & CTRL_WITH_SOURCE))
				continue;
			if (!send(k, to, load))
				return false;
		}
	}
	return true;
}

static bool write_command(struct command *k)
{
	struct tensix *t = k->c->dev;
	struct niu *n = &k->c->niu[k->noc];
	uint32_t ctrl = k->r[R_CTRL], len = k->r[R_LEN], mid = k->r[R_RET_MID];
	uint32_t local = k->r[R_TARG_LO], remote = k->r[R_RET_LO], word = k->r[R_DATA];
	const uint8_t *data = k->c->l1 + local;
	bool answer = ctrl & CTRL_ANSWER, ok;
	uint32_t to, bytes = 0;
	struct payload load;

	if (ctrl & CTRL_INLINE) {
		/* Inline writes name their target in TARG. LEN is a mask of bytes, of the word
		 * alone or of the flit that it is in. */
		for (bytes = len; bytes && !(bytes & 15);)
			bytes >>= 4;
		bytes &= 15;
		len = 4;
		mid = k->r[R_TARG_MID];
		remote = k->r[R_TARG_LO] & ~3u;
		data = (const uint8_t *)&word;
	} else if (len > MAX_LEN || (uint64_t)local + len > k->c->l1_size) {
		return niu_bad(k, local);
	}
	n->counter[answer ? N_WRITE_SENT : N_POSTED_SENT]++;
	n->counter[answer ? N_WRITE_STARTED : N_POSTED_STARTED]++;
	to = node_of(t, mid);
	load = (struct payload){remote | (uint64_t)(mid & 15) << 32, len, data, bytes};
	if (ctrl & CTRL_MULTICAST)
		ok = niu_multicast(k, mid, &load, send_write);
	else if (to == UINT32_MAX)
		return niu_no_target(k, mid);
	else
		ok = send_write(k, to, &load);
	n->out_free = k->at + 1 + niu_flits(t, len);
	return ok;
}

static bool atomic_command(struct command *k)
{
	struct niu *n = &k->c->niu[k->noc];
	uint32_t mid = k->r[R_TARG_MID], to = node_of(k->c->dev, mid);
	struct payload load = {.address = k->r[R_TARG_LO] | (uint64_t)(mid & 15) << 32};

	n->out_free = k->at + 2;
	if (k->r[R_CTRL] & CTRL_MULTICAST)
		return niu_multicast(k, mid, &load, send_atomic);
	return to == UINT32_MAX ? niu_no_target(k, mid) : send_atomic(k, to, &load);
}

/* The store is retried after the delay, so that the links are not occupied too early. */
static bool must_wait(struct tensix_hart *h, enum tensix_transfer kind, uint64_t *cycle)
{
	h->delayed = !h->delayed && h->delay[kind];
	if (h->delayed)
		*cycle += h->delay[kind];
	return h->delayed;
}

enum mmio_result niu_write(struct tensix_core *c, struct tensix_hart *h, unsigned noc,
			   uint32_t offset, uint32_t value, uint64_t *cycle)
{
	struct niu *n = &c->niu[noc];
	uint32_t buffer = offset / c->dev->arch->niu_stride;
	uint32_t at = offset % c->dev->arch->niu_stride;
	struct command k = {c, h, noc, NULL, 0};
	enum tensix_transfer kind;

	if (at >= OFFSET_CONFIG && at < OFFSET_COUNTERS)
		n->config[(at - OFFSET_CONFIG) / 4] = value;
	if (buffer >= NIU_BUFFERS || at / 4 >= NIU_REGS)
		return MMIO_OK;
	if (at / 4 != R_GO) {
		n->buffer[buffer][at / 4] = value;
		return MMIO_OK;
	}
	if (!(value & 1))
		return MMIO_OK;
	k.r = n->buffer[buffer];
	kind = k.r[R_CTRL] & CTRL_ATOMIC  ? TENSIX_ATOMIC
	       : k.r[R_CTRL] & CTRL_WRITE ? TENSIX_WRITE
					  : TENSIX_READ;
	if (h && must_wait(h, kind, cycle))
		return MMIO_LATER;
	k.at = *cycle > n->out_free ? *cycle : n->out_free;
	n->busy[buffer] = k.at;
	if (k.r[R_CTRL] & CTRL_ATOMIC)
		atomic_command(&k);
	else if (k.r[R_CTRL] & CTRL_WRITE)
		write_command(&k);
	else
		read_command(&k);
	core_registers_changed(c, *cycle);
	return MMIO_OK;
}

/* ---- arrival ---- */

/* Memory at a node: L1 of a core or a DRAM bank (then *bank is set). NULL: none. */
static uint8_t *memory_at(struct tensix *t, uint32_t node, uint64_t address, uint32_t len,
			  int *core, unsigned *bank)
{
	*core = t->node_core[node];
	*bank = UINT32_MAX;
	if (*core >= 0) {
		struct tensix_core *c = &t->cores[*core];

		return address + len <= c->l1_size ? c->l1 + address : NULL;
	}
	return dram_bytes(t, node, address, len, bank);
}

/* The target detects errors of the requester; they are reported as the requester's fault. */
static void bad_target(struct tensix *t, struct packet *p)
{
	hart_fault(&t->cores[p->source].hart[p->risc], TENSIX_FAULT_NOC, (uint32_t)p->remote);
	packet_free(t, p);
}

static void niu_answer(struct tensix *t, struct packet *p, enum packet_kind kind, uint32_t count,
		       uint64_t time)
{
	p->kind = (uint8_t)kind;
	noc_send(t, p, p->from, noc_travel(t, p->noc, p->node, p->from, count, time));
}

static void arrive_read(struct tensix *t, struct packet *p, uint64_t time)
{
	unsigned bank;
	int core;
	uint8_t *bytes = memory_at(t, p->node, p->remote, p->len, &core, &bank);

	if (bytes) {
		memcpy(p->data, bytes, p->len);
	} else if (core >= 0 && p->len == 4) {
		uint32_t value;
		unsigned latency;

		if (mmio_load(&t->cores[core], NULL, (uint32_t)p->remote, 4, &time, &value,
			      &latency))
			value = 0;
		memcpy(p->data, &value, 4);
	} else {
		bad_target(t, p);
		return;
	}
	if (bank != UINT32_MAX)
		time = dram_serve(t, bank, p->len, time);
	niu_answer(t, p, PACKET_READ_DATA, 1 + niu_flits(t, p->len), time);
}

static void arrive_write(struct tensix *t, struct packet *p, uint64_t time)
{
	unsigned bank;
	int core;
	uint8_t *bytes = memory_at(t, p->node, p->remote, p->len, &core, &bank);

	if (bytes && p->operation && p->operation != 15) {
		for (uint32_t i = 0; i < 4; i++)
			if (p->operation >> i & 1)
				bytes[i] = p->data[i];
		if (core >= 0)
			core_touched(&t->cores[core], (uint32_t)p->remote, 4, time);
	} else if (bytes) {
		memcpy(bytes, p->data, p->len);
		if (core >= 0 && p->len)
			core_touched(&t->cores[core], (uint32_t)p->remote, p->len, time);
	} else if (core >= 0 && p->len == 4) {
		uint32_t value;

		memcpy(&value, p->data, 4);
		mmio_store(&t->cores[core], NULL, (uint32_t)p->remote, 4, &time, value);
	} else {
		bad_target(t, p);
		return;
	}
	if (bank != UINT32_MAX)
		time = dram_serve(t, bank, p->len, time);
	if (p->answer)
		niu_answer(t, p, PACKET_WRITE_ACK, 1, time);
	else
		packet_free(t, p);
}

/*
 * LEN<<12 is the operation; 1: add and return the old value, bits 6..2: after how many bits to
 * wrap.
 */
static void arrive_atomic(struct tensix *t, struct packet *p, uint64_t time)
{
	unsigned bank;
	int core;
	uint8_t *bytes = memory_at(t, p->node, p->remote & ~3ull, 4, &core, &bank);
	uint32_t old, wrap = p->operation >> 2 & 31, mask;

	if (bytes) {
		memcpy(&old, bytes, 4);
	} else if (core >= 0 && mmio_peek(&t->cores[core], NULL, (uint32_t)p->remote & ~3u, &old)) {
		/* a stream register */
	} else {
		bad_target(t, p);
		return;
	}
	memcpy(p->data, &old, 4);
	mask = wrap == 31 ? UINT32_MAX : (2u << wrap) - 1;
	old = (old & ~mask) | ((old + p->operand) & mask);
	if (bytes) {
		memcpy(bytes, &old, 4);
		if (core >= 0)
			core_touched(&t->cores[core], (uint32_t)p->remote & ~3u, 4, time);
	} else {
		mmio_store(&t->cores[core], NULL, (uint32_t)p->remote & ~3u, 4, &time, old);
	}
	if (p->answer)
		niu_answer(t, p, PACKET_ATOMIC_DATA, 2, time);
	else
		packet_free(t, p);
}

void noc_arrive(struct tensix *t, struct packet *p, uint64_t time)
{
	struct tensix_core *c;
	struct niu *n;

	t->under_way--;
	switch ((enum packet_kind)p->kind) {
	case PACKET_READ:
		arrive_read(t, p, time);
		break;
	case PACKET_WRITE:
		arrive_write(t, p, time);
		break;
	case PACKET_ATOMIC:
		arrive_atomic(t, p, time);
		break;
	case PACKET_ETHERNET:
	case PACKET_ETHERNET_WORD:
		link_arrive(t, p, time);
		break;
	default:
		/* A response has reached its requester. */
		c = &t->cores[p->source];
		n = &c->niu[p->noc];
		if (p->kind == PACKET_READ_DATA && p->len) {
			memcpy(c->l1 + p->local, p->data, p->len);
			core_touched(c, p->local, p->len, time);
		} else if (p->kind == PACKET_ATOMIC_DATA && p->local &&
			   p->local + 4 <= c->l1_size) {
			memcpy(c->l1 + (p->local & ~3u), p->data, 4);
			core_touched(c, p->local & ~3u, 4, time);
		}
		n->counter[p->counter]++;
		n->counter[N_OUTSTANDING + p->trid]--;
		core_registers_changed(c, time);
		packet_free(t, p);
		break;
	}
}
