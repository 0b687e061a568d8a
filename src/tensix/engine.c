/*
 * The tile engine: three queues of instructions, one per TRISC, and the units behind them. A tile
 * at a time, not a row at a time: the instructions 0xE0-0xE8 are the model's own and are what the
 * kernel API pushes; semaphores and waits are the hardware's. An instruction that the model does
 * not know takes a cycle and is counted.
 *
 * An instruction runs as soon as what it needs has been decided, and its times are computed: it
 * starts when it was pushed, its unit is free and its data are valid, whichever is last. So the
 * order in which the RISCs are simulated does not matter.
 */
#include "base/arch.h"
#include "tensix/private.h"

#include <stdlib.h>
#include <string.h>

enum engine_op {
	OP_NOP = 0x02,
	OP_STALLWAIT = 0xA2,
	OP_SEMINIT = 0xA3,
	OP_SEMPOST = 0xA4,
	OP_SEMGET = 0xA5,
	OP_SEMWAIT = 0xA6,
	OP_FORMAT = 0xE0,   /* which (0 A, 1 B, 2 packer) << 16 | format */
	OP_UNPACK_A = 0xE1, /* address / 16 */
	OP_UNPACK_B = 0xE2,
	OP_FIDELITY = 0xE3, /* 0 LoFi, 1 HiFi2, 2 HiFi3, 3 HiFi4 */
	OP_MATH = 0xE4,     /* how << 16 | enum math_op << 8 | dst */
	OP_PACK_DST = 0xE5, /* dst */
	OP_PACK = 0xE6,     /* address / 16 */
	OP_FLIP = 0xE7, /* 0: math takes the other half of dst, 1: the packer, which clears its old
			   one */
	OP_SFPU = 0xE8, /* enum tile_unary << 8 | dst */
};

enum math_op { MATH_MATMUL, MATH_ADD, MATH_SUB, MATH_MUL, MATH_COPY, MATH_TRANSPOSE, MATH_REDUCE };

enum { LATENCY_UNIT = 5, UNPACK_BYTES = 64, PACK_BYTES = 64 };

/* Cycles of a tile, by operation; matmul, multiply and reduce go through the fidelity's phases. */
static const struct {
	uint8_t cycles;
	bool phases, two; /* by fidelity; uses B too */
} math_ops[] = {
	[MATH_MATMUL] = {ARCH_MATMUL_CYCLES, true, true},
	[MATH_ADD] = {8, false, true},
	[MATH_SUB] = {8, false, true},
	[MATH_MUL] = {8, true, true},
	[MATH_COPY] = {8, false, false},
	[MATH_TRANSPOSE] = {16, false, false},
	[MATH_REDUCE] = {16, true, true},
};
static const uint16_t sfpu_cycles[TILE_UNARIES] = {
	[TILE_RELU] = 64,  [TILE_GELU] = 384,  [TILE_EXP] = 256,
	[TILE_SQRT] = 256, [TILE_RECIP] = 224, [TILE_SIGMOID] = 384,
};

unsigned tensix_tile_cycles(const char *op, unsigned phases)
{
	static const char *const maths[] = {"matmul", "add",       "sub",   "mul",
					    "copy",   "transpose", "reduce"};
	static const char *const unaries[TILE_UNARIES] = {"relu", "gelu",  "exp",
							  "sqrt", "recip", "sigmoid"};

	for (unsigned i = 0; i < sizeof(maths) / sizeof(maths[0]); i++)
		if (!strcmp(op, maths[i]))
			return math_ops[i].cycles * (math_ops[i].phases ? phases : 1u);
	for (unsigned i = 0; i < TILE_UNARIES; i++)
		if (!strcmp(op, unaries[i]))
			return sfpu_cycles[i];
	return 0;
}

struct engine *engine_get(struct tensix_core *c)
{
	if (!c->engine) {
		c->engine = calloc(1, sizeof(*c->engine));
		for (unsigned i = 0; c->engine && i < ENGINE_SEMS; i++)
			c->engine->sem_max[i] = 15;
	}
	return c->engine;
}

void engine_free(struct engine *e)
{
	free(e);
}

struct issue {
	struct tensix_core *c;
	struct engine *e;
	struct engine_queue *q;
	unsigned thread;
	uint32_t operand;
	uint64_t start, end;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Waits until AT, for the reason that COUNT counts. */
static void wait_for(struct issue *s, uint64_t at, unsigned count)
{
	if (at <= s->start)
		return;
	s->e->count[count] += at - s->start;
	s->start = at;
}

static void use_unit(struct issue *s, enum engine_unit unit, uint32_t cycles)
{
	s->start = later(s->start, s->e->unit_free[unit]);
	s->e->unit_free[unit] = s->start + cycles;
	s->e->count[COUNT_BUSY + unit] += cycles;
	s->end = s->start + cycles + LATENCY_UNIT;
}

/* True: done (a fault stops the TRISC, so the instruction is over as well). */
static bool fault(struct issue *s, uint32_t address)
{
	hart_fault(&s->c->hart[TENSIX_T0 + s->thread], TENSIX_FAULT_ENGINE, address);
	return true;
}

static bool unpack(struct issue *s, unsigned which)
{
	struct engine *e = s->e;
	struct engine_src *src = &e->src[which][e->fill[which]];
	uint32_t address = s->operand * 16, bytes = tile_bytes(e->format[which]);

	if (src->full)
		return false;
	if (!bytes || address + bytes > s->c->l1_size)
		return fault(s, address);
	tile_unpack(&src->tile, s->c->l1 + address, e->format[which]);
	wait_for(s, src->at, COUNT_CLEAR + which);
	use_unit(s, which ? UNIT_UNPACK1 : UNIT_UNPACK0, (bytes + UNPACK_BYTES - 1) / UNPACK_BYTES);
	src->full = true;
	src->at = s->end;
	e->fill[which] ^= 1;
	return true;
}

static struct tile *dst_tile(struct engine *e, unsigned who, unsigned index)
{
	return &e->dst[(index + e->half[who] * (DST_TILES / 2)) % DST_TILES];
}

static void release_src(struct issue *s, unsigned which)
{
	struct engine_src *src = &s->e->src[which][s->e->drain[which]];

	src->full = false;
	src->at = s->end;
	s->e->drain[which] ^= 1;
}

static void compute(struct tile *dst, const struct tile *a, const struct tile *b, unsigned op,
		    unsigned how)
{
	switch ((enum math_op)op) {
	case MATH_MATMUL:
		tile_matmul(dst, a, b);
		break;
	case MATH_ADD:
	case MATH_SUB:
	case MATH_MUL:
		tile_binary(dst, a, b, (enum tile_binary)(op - MATH_ADD),
			    (enum tile_broadcast)(how & 3));
		break;
	case MATH_COPY:
		*dst = *a;
		break;
	case MATH_TRANSPOSE:
		tile_transpose(dst, a);
		break;
	case MATH_REDUCE:
		tile_reduce(dst, a, b, (enum tile_reduce)(how & 3), (enum tile_axis)(how >> 2 & 3));
		break;
	}
}

static bool math(struct issue *s)
{
	struct engine *e = s->e;
	struct engine_src *a = &e->src[0][e->drain[0]], *b = &e->src[1][e->drain[1]];
	unsigned op = s->operand >> 8 & 255, index = s->operand & 255;

	if (op > MATH_REDUCE || index >= DST_TILES)
		return fault(s, s->operand);
	if (!a->full || (math_ops[op].two && !b->full))
		return false;
	wait_for(s, a->at, COUNT_VALID);
	if (math_ops[op].two)
		wait_for(s, b->at, COUNT_VALID + 1);
	e->count[COUNT_STARTED]++;
	use_unit(s, UNIT_FPU, math_ops[op].cycles * (math_ops[op].phases ? e->fidelity + 1u : 1u));
	compute(dst_tile(e, 0, index), &a->tile, &b->tile, op, s->operand >> 16 & 255);
	release_src(s, 0);
	if (math_ops[op].two)
		release_src(s, 1);
	return true;
}

static bool sfpu(struct issue *s)
{
	unsigned op = s->operand >> 8 & 255;

	if (op >= TILE_UNARIES || (s->operand & 255) >= DST_TILES)
		return fault(s, s->operand);
	/* It works on what the FPU left in dst. */
	s->start = later(s->start, s->e->unit_free[UNIT_FPU] + LATENCY_UNIT);
	use_unit(s, UNIT_SFPU, sfpu_cycles[op]);
	tile_unary(dst_tile(s->e, 0, s->operand & 255), (enum tile_unary)op);
	return true;
}

static bool pack(struct issue *s)
{
	struct engine *e = s->e;
	uint32_t address = s->operand * 16, bytes = tile_bytes(e->format[2]);

	if (!bytes || address + bytes > s->c->l1_size)
		return fault(s, address);
	use_unit(s, UNIT_PACK, (bytes + PACK_BYTES - 1) / PACK_BYTES);
	tile_pack(s->c->l1 + address, dst_tile(e, 1, e->pack_dst), e->format[2]);
	core_touched(s->c, address, bytes, s->end);
	return true;
}

/* The packer is through with its half: math finds it cleared. */
static bool flip(struct issue *s)
{
	unsigned who = s->operand & 1;

	if (who)
		for (unsigned i = 0; i < DST_TILES / 2; i++)
			memset(dst_tile(s->e, 1, i), 0, sizeof(struct tile));
	s->e->half[who] ^= 1;
	return true;
}

static bool set_config(struct issue *s, unsigned op)
{
	switch (op) {
	case OP_FORMAT:
		if ((s->operand >> 16 & 255) > 2)
			return fault(s, s->operand);
		s->e->format[s->operand >> 16 & 255] = s->operand & 255;
		break;
	case OP_FIDELITY:
		s->e->fidelity = s->operand & 3;
		break;
	default:
		s->e->pack_dst = s->operand % DST_TILES;
		break;
	}
	return true;
}

/* Bits 9..2 choose semaphores. Posting and getting happen when all before has ended. */
static bool semaphore(struct issue *s, unsigned op)
{
	struct engine *e = s->e;
	uint32_t chosen = s->operand >> 2 & 255;

	for (unsigned i = 0; i < ENGINE_SEMS; i++) {
		if (!(chosen >> i & 1))
			continue;
		if (op == OP_SEMWAIT) {
			if (((s->operand & 1) && !e->sem[i]) ||
			    ((s->operand & 2) && e->sem[i] >= e->sem_max[i]))
				return false;
			wait_for(s, e->sem_time[i],
				 (s->operand & 1 ? COUNT_NONZERO : COUNT_NONFULL) + s->thread);
			continue;
		}
		s->start = later(s->start, s->q->done);
		if (op == OP_SEMINIT) {
			e->sem_max[i] = s->operand >> 20 & 15;
			e->sem[i] = s->operand >> 16 & 15;
		} else if (op == OP_SEMPOST) {
			e->sem[i] += e->sem[i] < 15;
		} else {
			e->sem[i] -= e->sem[i] > 0;
		}
		e->sem_time[i] = later(e->sem_time[i], s->start);
	}
	s->end = s->start + 1;
	return true;
}

static bool execute(struct issue *s, uint32_t word)
{
	unsigned op = word >> 24;

	s->operand = word & 0xffffff;
	switch (op) {
	case OP_NOP:
		return true;
	case OP_STALLWAIT:
		s->start = later(s->start, s->q->done);
		return true;
	case OP_SEMINIT:
	case OP_SEMPOST:
	case OP_SEMGET:
	case OP_SEMWAIT:
		return semaphore(s, op);
	case OP_FORMAT:
	case OP_FIDELITY:
	case OP_PACK_DST:
		return set_config(s, op);
	case OP_UNPACK_A:
		return unpack(s, 0);
	case OP_UNPACK_B:
		return unpack(s, 1);
	case OP_MATH:
		return math(s);
	case OP_SFPU:
		return sfpu(s);
	case OP_PACK:
		return pack(s);
	case OP_FLIP:
		return flip(s);
	default:
		s->c->dev->stats.engine_unknown++;
		return true;
	}
}

/* Which kind of instruction is available; ENGINE_COUNTS: none that is counted. */
static unsigned kind_of(unsigned op)
{
	switch (op) {
	case OP_FORMAT:
	case OP_FIDELITY:
	case OP_PACK_DST:
	case OP_FLIP:
		return COUNT_CFG;
	case OP_STALLWAIT:
	case OP_SEMINIT:
	case OP_SEMPOST:
	case OP_SEMGET:
	case OP_SEMWAIT:
		return COUNT_SYNC;
	case OP_UNPACK_A:
	case OP_UNPACK_B:
		return COUNT_UNPACK;
	case OP_MATH:
	case OP_SFPU:
		return COUNT_MATH;
	case OP_PACK:
		return COUNT_PACK;
	default:
		return ENGINE_COUNTS;
	}
}

/* The instruction was the next one from READY until START. */
static void count_issue(const struct issue *s, unsigned op, uint64_t ready)
{
	unsigned kind = kind_of(op);

	s->e->count[COUNT_INSTRUCTIONS + s->thread]++;
	s->e->count[COUNT_STALLS + s->thread] += s->start - ready;
	if (kind < ENGINE_COUNTS)
		s->e->count[kind + s->thread] += s->start - ready + 1;
}

/* Runs the first instruction of a queue; false: it has to wait. */
static bool issue(struct tensix_core *c, unsigned thread)
{
	struct engine_queue *q = &c->engine->queue[thread];
	struct issue s = {.c = c, .e = c->engine, .q = q, .thread = thread};
	uint64_t ready = later(q->time[q->head], q->last + 1);

	s.start = ready;
	s.end = s.start + 1;
	if (!execute(&s, q->word[q->head]))
		return false;
	count_issue(&s, q->word[q->head] >> 24, ready);
	q->head = (q->head + 1) % ENGINE_QUEUE;
	q->count--;
	q->last = s.start;
	q->issued[q->issues++ % ENGINE_QUEUE] = s.start;
	q->done = later(q->done, later(s.end, s.start + 1));
	c->dev->stats.engine_ops++;
	return true;
}

void engine_advance(struct tensix_core *c)
{
	bool moved, any = false;

	do {
		moved = false;
		for (unsigned i = 0; i < 3; i++) {
			while (c->engine->queue[i].count && issue(c, i))
				moved = true;
		}
		any |= moved;
	} while (moved);
	if (any)
		core_registers_changed(c, 0);
}

bool engine_push(struct tensix_core *c, unsigned thread, uint32_t word, uint64_t *cycle)
{
	struct engine *e = engine_get(c);
	struct engine_queue *q;
	uint64_t room;

	if (!e)
		return true;
	q = &e->queue[thread];
	if (q->count == ENGINE_QUEUE)
		return false;
	/* The one that was pushed ENGINE_QUEUE instructions ago must have left. */
	if (q->issues + q->count >= ENGINE_QUEUE) {
		room = q->issued[(q->issues + q->count) % ENGINE_QUEUE];
		if (!q->count && room > *cycle)
			*cycle = room;
	}
	q->word[(q->head + q->count) % ENGINE_QUEUE] = word;
	q->time[(q->head + q->count) % ENGINE_QUEUE] = *cycle;
	q->count++;
	engine_advance(c);
	return true;
}

uint64_t engine_idle(struct tensix_core *c, unsigned thread)
{
	if (!c->engine)
		return 0;
	return c->engine->queue[thread].count ? TENSIX_NEVER : c->engine->queue[thread].done;
}
