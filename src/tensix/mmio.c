/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers: a table of blocks. Registers that no block has read as 0, are counted and can be
 * listed (tensix_unknown()); only addresses that do not exist in the hardware stop a RISC.
 */
#include "tensix/private.h"

#include <string.h>

/* The parameters of an access; h is NULL for the host and the NoC. */
struct access {
	struct tensix_core *c;
	struct tensix_hart *h;
	uint32_t address, offset;
	uint64_t *cycle;
	bool known; /* cleared by a block that does not have the register */
};

struct block {
	uint32_t base, size;
	uint8_t latency;
	const char *name;
	enum mmio_result (*load)(struct access *a, uint32_t *value);
	enum mmio_result (*store)(struct access *a, uint32_t value);
	bool peek; /* loads have no effect and a constant latency */
};

/* The engine thread that an address range selects: a TRISC its own, others by 64 KiB. */
static unsigned thread_of(const struct access *a)
{
	if (a->h && a->h->risc >= TENSIX_T0 && a->h->risc <= TENSIX_T2)
		return a->h->risc - TENSIX_T0;
	return (a->offset >> 16) % 3;
}

/* ---- debug: resets, clocks, performance counters ---- */
enum { D_RESET = 0x1B0, D_LOW = 0x1F0, D_HIGH = 0x1F4, D_LATCH = 0x1F8, D_RESET_PC = 0x228 };

/* Alternative start addresses, as debug registers: the address and whether it is in effect. */
static const uint8_t reset_pc_index[] = {TENSIX_T0,    TENSIX_T1, TENSIX_T2,
					 TENSIX_RISCS, TENSIX_NC, TENSIX_RISCS};

static enum mmio_result debug_load(struct access *a, uint32_t *value)
{
	struct tensix_core *c = a->c;
	uint64_t clock;

	switch (a->offset) {
	case D_RESET:
		*value = c->reset;
		return MMIO_OK;
	case D_LOW:
		clock = core_clock(c, *a->cycle);
		c->clock_latch = (uint32_t)(clock >> 32);
		*value = (uint32_t)clock;
		return MMIO_OK;
	case D_HIGH:
		*value = (uint32_t)(core_clock(c, *a->cycle) >> 32);
		return MMIO_OK;
	case D_LATCH:
		*value = c->clock_latch;
		return MMIO_OK;
	}
	if (!perf_read(c, a->offset, *a->cycle, value)) {
		*value = c->debug[a->offset / 4];
		a->known = false;
	}
	return MMIO_OK;
}

static enum mmio_result debug_store(struct access *a, uint32_t value)
{
	struct tensix_core *c = a->c;
	uint32_t slot = (a->offset - D_RESET_PC) / 4;

	c->debug[a->offset / 4] = value;
	if (a->offset == D_RESET) {
		core_reset_write(c, value, *a->cycle);
		return MMIO_OK;
	}
	if (slot < sizeof(reset_pc_index)) {
		if (reset_pc_index[slot] < c->harts)
			c->reset_pc[reset_pc_index[slot]] = value;
		return MMIO_OK;
	}
	a->known = perf_write(c, a->offset, value, *a->cycle);
	return MMIO_OK;
}

/* ---- TDMA: the mover, which fills NCRISC's instruction RAM ---- */
enum { TDMA_SRC, TDMA_DST, TDMA_LEN, TDMA_DIRECTION, TDMA_COMMAND, TDMA_STATUS };
#define TDMA_IRAM_VIEW 0x4000u /* destination, in 16 bytes, at which the mover sees IRAM */

static enum mmio_result tdma_load(struct access *a, uint32_t *value)
{
	*value = a->offset / 4 == TDMA_STATUS ? 0x8 : a->c->tdma[a->offset / 4 % 64];
	return MMIO_OK;
}

static enum mmio_result tdma_store(struct access *a, uint32_t value)
{
	struct tensix_core *c = a->c;
	uint32_t *r = c->tdma, index = a->offset / 4;
	uint64_t from, to, len;

	if (index >= 64) {
		a->known = false;
		return MMIO_OK;
	}
	r[index] = value;
	if (index != TDMA_COMMAND)
		return MMIO_OK;
	from = (uint64_t)r[TDMA_SRC] * 16;
	len = (uint64_t)r[TDMA_LEN] * 16;
	to = (uint64_t)(r[TDMA_DST] - TDMA_IRAM_VIEW) * 16;
	if (r[TDMA_DST] < TDMA_IRAM_VIEW || !c->iram || from + len > c->l1_size ||
	    to + len > c->dev->arch->iram_size) {
		a->known = false;
		return MMIO_OK;
	}
	memcpy(c->iram + to, c->l1 + from, len);
	memset(c->iram_pages, 0, sizeof(c->iram_pages));
	return MMIO_OK;
}

/* ---- NoC interfaces ---- */
static enum mmio_result niu_load(struct access *a, uint32_t *value)
{
	*value = niu_read(a->c, a->address >= TENSIX_NIU1, a->offset & 0xffff, a->cycle);
	return MMIO_OK;
}

static enum mmio_result niu_store(struct access *a, uint32_t value)
{
	return niu_write(a->c, a->h, a->address >= TENSIX_NIU1, a->offset & 0xffff, value,
			 a->cycle);
}

/* ---- Ethernet: transmit queues ---- */
static enum mmio_result eth_load(struct access *a, uint32_t *value)
{
	a->known = link_read(a->c, a->offset, a->cycle, value);
	return MMIO_OK;
}

static enum mmio_result eth_store(struct access *a, uint32_t value)
{
	a->known = link_write(a->c, a->h, a->offset, value, a->cycle);
	return MMIO_OK;
}

/* ---- stream registers: storage, except one that adds to another ---- */
enum { STREAM_SPACE_UPDATE = 270, STREAM_SPACE = 297 };

static enum mmio_result mmio_stream_load(struct access *a, uint32_t *value)
{
	*value = a->c->streams[a->offset / 4];
	return MMIO_OK;
}

static enum mmio_result stream_store(struct access *a, uint32_t value)
{
	uint32_t *stream = a->c->streams + (a->offset / 4 & ~1023u);
	uint32_t reg = a->offset / 4 & 1023;

	if (reg == STREAM_SPACE_UPDATE)
		stream[STREAM_SPACE] += (uint32_t)((int32_t)value >> 6);
	else
		stream[reg] = value;
	core_registers_changed(a->c, *a->cycle);
	return MMIO_OK;
}

/* ---- tile engine ---- */
static enum mmio_result gpr_load(struct access *a, uint32_t *value)
{
	*value = a->c->gpr[thread_of(a)][a->offset / 4 & 63];
	return MMIO_OK;
}

static enum mmio_result gpr_store(struct access *a, uint32_t value)
{
	a->c->gpr[thread_of(a)][a->offset / 4 & 63] = value;
	return MMIO_OK;
}

static enum mmio_result push_store(struct access *a, uint32_t value)
{
	return engine_push(a->c, thread_of(a), value, a->cycle) ? MMIO_OK : MMIO_BLOCK;
}

enum { PC_SYNC = 4, PC_MOP = 8, PC_SEMS = 0x20 };

static enum mmio_result pcbuf_load(struct access *a, uint32_t *value)
{
	uint32_t at = a->offset & 0xffff;
	uint64_t idle;

	*value = 0;
	if (at == PC_SYNC || at == PC_MOP) {
		idle = engine_idle(a->c, thread_of(a));
		if (idle == TENSIX_NEVER)
			return MMIO_BLOCK;
		if (idle > *a->cycle)
			*a->cycle = idle;
	} else if (at - PC_SEMS < 4 * ENGINE_SEMS) {
		*value = engine_get(a->c) ? a->c->engine->sem[(at - PC_SEMS) / 4] : 0;
	}
	return MMIO_OK;
}

/* A store of 0 posts a semaphore, of 1 gets it. */
static enum mmio_result pcbuf_store(struct access *a, uint32_t value)
{
	uint32_t at = a->offset & 0xffff, *sem;

	if (at - PC_SEMS >= 4 * ENGINE_SEMS || !engine_get(a->c))
		return MMIO_OK;
	sem = &a->c->engine->sem[(at - PC_SEMS) / 4];
	if (!(value & 1) && *sem < 15)
		++*sem;
	else if ((value & 1) && *sem)
		--*sem;
	a->c->engine->sem_time[(at - PC_SEMS) / 4] = *a->cycle;
	engine_advance(a->c);
	core_registers_changed(a->c, *a->cycle);
	return MMIO_OK;
}

/* Mailboxes connect B, T0, T1 and T2; -1 for others. */
static int mailbox_index(const struct access *a)
{
	if (!a->h || a->h->risc == TENSIX_NC)
		return -1;
	return a->h->risc == TENSIX_B ? 0 : a->h->risc - TENSIX_T0 + 1;
}

static enum mmio_result mailbox_load(struct access *a, uint32_t *value)
{
	int me = mailbox_index(a);
	struct mailbox *m;

	*value = 0;
	if (me < 0) {
		a->known = false;
		return MMIO_OK;
	}
	m = &a->c->mailbox[a->offset >> 12 & 3][me];
	if (a->offset & 4) {
		*value = m->count != 0;
		return MMIO_OK;
	}
	if (!m->count)
		return MMIO_BLOCK;
	*value = m->value[m->head++ & 3];
	m->count--;
	core_registers_changed(a->c, *a->cycle);
	return MMIO_OK;
}

static enum mmio_result mailbox_store(struct access *a, uint32_t value)
{
	int me = mailbox_index(a);
	struct mailbox *m;

	if (me < 0) {
		a->known = false;
		return MMIO_OK;
	}
	m = &a->c->mailbox[me][a->offset >> 12 & 3];
	if (m->count == 4)
		return MMIO_BLOCK;
	m->value[(m->head + m->count++) & 3] = value;
	core_registers_changed(a->c, *a->cycle);
	return MMIO_OK;
}

/* Configuration words: storage, and the start addresses of T0-T2 and NC. */
#define CONFIG_WORDS    16384u
#define CONFIG_RESET_PC 158u

static enum mmio_result config_load(struct access *a, uint32_t *value)
{
	*value = a->c->config ? a->c->config[a->offset / 4] : 0;
	return MMIO_OK;
}

static enum mmio_result config_store(struct access *a, uint32_t value)
{
	uint32_t index = a->offset / 4, slot = index - CONFIG_RESET_PC;

	if (!a->c->config)
		a->c->config = calloc(CONFIG_WORDS, 4);
	if (a->c->config)
		a->c->config[index] = value;
	if (slot < sizeof(reset_pc_index) && reset_pc_index[slot] < a->c->harts)
		a->c->reset_pc[reset_pc_index[slot]] = value;
	return MMIO_OK;
}

static const struct block blocks[] = {
	{TENSIX_TDMA, 0x1000, LATENCY_REG, "TDMA", tdma_load, tdma_store, true},
	{TENSIX_DEBUG, 0x1000, LATENCY_REG, "debug", debug_load, debug_store, false},
	{TENSIX_NIU0, 0x20000, LATENCY_REG, "NIU", niu_load, niu_store, true},
	{TENSIX_STREAMS, 0x40000, LATENCY_REG, "stream", mmio_stream_load, stream_store, true},
	{TENSIX_GPR, 0x40000, LATENCY_CONFIG, "GPR", gpr_load, gpr_store, true},
	{TENSIX_PUSH, 0x40000, LATENCY_FIFO, "push", NULL, push_store, false},
	{TENSIX_PCBUF, 0x40000, LATENCY_FIFO, "PCBuf", pcbuf_load, pcbuf_store, true},
	{TENSIX_MAILBOX, 0x4000, LATENCY_FIFO, "mailbox", mailbox_load, mailbox_store, false},
	{TENSIX_CONFIG, 0x10000, LATENCY_CONFIG, "config", config_load, config_store, true},
	{TENSIX_ETH_QUEUES, 0x10000, LATENCY_REG, "Ethernet", eth_load, eth_store, true},
	{TENSIX_MOP, 0x10000, LATENCY_REG, "MOP", NULL, NULL, true},
};

#define MMIO_COUNT (sizeof(blocks) / sizeof(blocks[0]))

/* Only Ethernet tiles have queues, and they have no tile engine. */
static bool mmio_exists(const struct block *b, bool ethernet)
{
	bool queues = b->base == TENSIX_ETH_QUEUES;

	return ethernet ? queues || b->base < TENSIX_MOP : !queues;
}

void mmio_init(struct tensix *t)
{
	for (unsigned i = 0; i < MMIO_COUNT; i++)
		for (unsigned ethernet = 0; ethernet < 2; ethernet++)
			for (uint32_t at = 0; at < blocks[i].size; at += MMIO_PAGE)
				if (mmio_exists(&blocks[i], ethernet))
					t->mmio[ethernet][(blocks[i].base + at - MMIO_BASE) /
							  MMIO_PAGE] = (uint8_t)(i + 1);
}

static const struct block *mmio_find(const struct tensix_core *c, uint32_t address)
{
	unsigned number;

	if (address < MMIO_BASE)
		return NULL;
	number = c->dev->mmio[c->place.tile == TENSIX_ETHERNET][(address - MMIO_BASE) / MMIO_PAGE];
	return number ? &blocks[number - 1] : NULL;
}

static void count_unknown(const struct access *a, const struct block *b, const uint32_t *written)
{
	struct tensix *t = a->c->dev;
	uint32_t *slot = map_get(&t->unknown_index, a->address);
	struct tensix_unknown *u;

	if (!slot) {
		struct tensix_unknown first = {
			.address = a->address,
			.pc = a->h ? a->h->pc : 0,
			.core = a->c->number,
			.risc = a->h ? a->h->risc : TENSIX_RISCS,
			.name = b ? b->name : "none",
		};

		if (t->unknown.n >= 65536 || vec_push(&t->unknown, first) < 0)
			return;
		if (map_set(&t->unknown_index, a->address, (uint32_t)t->unknown.n - 1) < 0)
			return;
		u = &t->unknown.v[t->unknown.n - 1];
	} else {
		u = &t->unknown.v[*slot];
	}
	if (written) {
		u->writes++;
		u->last_value = *written;
	} else {
		u->reads++;
	}
}

/* Nothing exists below the registers or above a RISC's own local RAM. */
static bool mmio_unknown(uint32_t address)
{
	return address < TENSIX_TDMA;
}

enum mmio_result mmio_load(struct tensix_core *c, struct tensix_hart *h, uint32_t address,
			   unsigned size, uint64_t *cycle, uint32_t *value, unsigned *latency)
{
	struct access a = {c, h, address & ~3u, 0, cycle, true};
	const struct block *b = mmio_find(c, address);
	enum mmio_result r = MMIO_OK;

	(void)size;
	*value = 0;
	*latency = b ? b->latency : LATENCY_REG;
	if (mmio_unknown(address))
		return MMIO_WILD;
	if (b && b->load) {
		a.offset = a.address - b->base;
		r = b->load(&a, value);
		*value >>= 8 * (address & 3);
	}
	if (!b || !b->load || !a.known)
		count_unknown(&a, b, NULL);
	return r;
}

enum mmio_result mmio_store(struct tensix_core *c, struct tensix_hart *h, uint32_t address,
			    unsigned size, uint64_t *cycle, uint32_t value)
{
	struct access a = {c, h, address & ~3u, 0, cycle, true};
	const struct block *b = mmio_find(c, address);
	enum mmio_result r = MMIO_OK;

	if (mmio_unknown(address))
		return MMIO_WILD;
	if (size < 4) {
		uint32_t old = 0, mask = (size == 1 ? 0xffu : 0xffffu) << 8 * (address & 3);

		mmio_peek(c, h, a.address, &old);
		value = (old & ~mask) | (value << 8 * (address & 3) & mask);
	}
	if (b && b->store) {
		a.offset = a.address - b->base;
		r = b->store(&a, value);
	}
	if (!b || !b->store || !a.known)
		count_unknown(&a, b, &value);
	return r;
}

bool mmio_peek(struct tensix_core *c, struct tensix_hart *h, uint32_t address, uint32_t *value)
{
	const struct block *b = mmio_find(c, address);
	uint64_t cycle = h ? h->cycle : 0;
	struct access a = {c, h, address, b ? address - b->base : 0, &cycle, true};

	if (!b || !b->peek || !b->load)
		return false;
	return b->load(&a, value) == MMIO_OK && a.known;
}
