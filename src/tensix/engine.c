/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile engine: three instruction queues, one per TRISC, and the units that they feed. It works
 * a tile at a time, not a row at a time: the instructions TE_FORMAT and above are the model's own
 * and are what the kernel API pushes (tacho_engine.h); semaphores and waits are the hardware's. An
 * instruction that the model does not know takes a cycle and is counted.
 *
 * An instruction runs as soon as its inputs are decided, and its times are computed: it starts when
 * it was pushed, its unit is free and its data are valid, whichever is last. So the order in which
 * the RISCs are simulated does not matter.
 */
#include "base/arch.h"
#include "tensix/private.h"

#include "tacho_engine.h"

#include <stdlib.h>
#include <string.h>

enum engine_op { OP_NOP = 0x02, OP_STALLWAIT = 0xA2, OP_SEMINIT = 0xA3 };

enum { LATENCY_UNIT = 5, UNPACK_BYTES = 64, PACK_BYTES = 64 };

/* Cycles of a tile, by operation; matmul, multiply and reduce go through the fidelity's phases. */
static const struct {
	uint8_t cycles;
	bool phases, two; /* by fidelity; uses B too */
} math_ops[] = {
	[TE_MATMUL] = {ARCH_MATMUL_CYCLES, true, true},
	[TE_ADD] = {8, false, true},
	[TE_SUB] = {8, false, true},
	[TE_MUL] = {8, true, true},
	[TE_COPY] = {8, false, false},
	[TE_TRANSPOSE] = {16, false, false},
	[TE_REDUCE] = {16, true, true},
};
struct sfpu_op {
	const char *name;
	uint16_t cycles;
};
#define X(op, text, cycles) {text, cycles},
static const struct sfpu_op unary_ops[] = {TE_UNARIES(X)};
static const struct sfpu_op binary_ops[] = {TE_BINARIES(X)};
static const struct sfpu_op ternary_ops[] = {TE_TERNARIES(X)};
#undef X

static unsigned sfpu_cycles(const struct sfpu_op *ops, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(ops[i].name, name))
			return ops[i].cycles;
	return 0;
}

unsigned tensix_tile_cycles(const char *op, unsigned phases)
{
	static const char *const maths[] = {"matmul", "add",       "sub",   "mul",
					    "copy",   "transpose", "reduce"};
	unsigned cycles;

	for (unsigned i = 0; i < sizeof(maths) / sizeof(maths[0]); i++)
		if (!strcmp(op, maths[i]))
			return math_ops[i].cycles * (math_ops[i].phases ? phases : 1u);
	cycles = sfpu_cycles(unary_ops, TE_UNARY_COUNT, op);
	if (!cycles)
		cycles = sfpu_cycles(binary_ops, TE_BINARY_COUNT, op);
	return cycles ? cycles : sfpu_cycles(ternary_ops, TE_TERNARY_COUNT, op);
}

struct engine *engine_get(struct tensix_core *c)
{
	if (!c->engine) {
		c->engine = calloc(1, sizeof(*c->engine));
		for (unsigned i = 0; c->engine && i < ENGINE_SEMS; i++)
			c->engine->sem_max[i] = 15;
		for (unsigned i = 0; c->engine && i < 3; i++)
			c->engine->shape[i] = TILE_WHOLE;
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

static uint64_t engine_max_time(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Waits until AT; COUNT is the counter for the reason. */
static void engine_wait_for(struct issue *s, uint64_t at, unsigned count)
{
	if (at <= s->start)
		return;
	s->e->count[count] += at - s->start;
	s->start = at;
}

static void use_unit(struct issue *s, enum engine_unit unit, uint32_t cycles)
{
	s->start = engine_max_time(s->start, s->e->unit_free[unit]);
	s->e->unit_free[unit] = s->start + cycles;
	s->e->count[COUNT_BUSY + unit] += cycles;
	s->end = s->start + cycles + LATENCY_UNIT;
}

/* True: done (a fault stops the TRISC, so the instruction is over as well). */
static bool engine_fault(struct issue *s, uint32_t address)
{
	hart_fault(&s->c->hart[TENSIX_T0 + s->thread], TENSIX_FAULT_ENGINE, address);
	return true;
}

/* True if the range is inside L1. It extends to the end of a tile, or of the last of 32 rows. */
static bool in_l1(const struct issue *s, uint32_t address, uint64_t bytes)
{
	return bytes && address + bytes <= s->c->l1_size;
}

/* Bytes from the first to the end of the last row; 0 for a format that has no rows. */
static uint64_t rows_bytes(const struct issue *s, unsigned format, struct tile_shape shape)
{
	uint32_t value = tile_value_bytes(format);
	uint64_t before = (uint64_t)(shape.rows - 1) * s->e->parameter[s->thread][0];

	return value ? before + shape.columns * value : 0;
}

static bool engine_unpack(struct issue *s, unsigned which, bool rows)
{
	struct engine *e = s->e;
	struct engine_src *src = &e->src[which][e->fill[which]];
	struct tile_shape shape = e->shape[which];
	uint32_t address = s->operand * 16, bytes = tile_shape_bytes(e->format[which], shape);

	if (src->full)
		return false;
	if (!in_l1(s, address, rows ? rows_bytes(s, e->format[which], shape) : bytes))
		return engine_fault(s, address);
	if (rows)
		tile_unpack_rows(&src->tile, s->c->l1 + address, e->format[which],
				 e->parameter[s->thread][0], shape);
	else
		tile_unpack_shape(&src->tile, s->c->l1 + address, e->format[which], shape);
	engine_wait_for(s, src->at, COUNT_CLEAR + which);
	use_unit(s, which ? UNIT_UNPACK1 : UNIT_UNPACK0, (bytes + UNPACK_BYTES - 1) / UNPACK_BYTES);
	src->full = true;
	src->shape = shape;
	src->at = s->end;
	e->fill[which] ^= 1;
	return true;
}

/*
 * A tile of dst as WHO sees it. Halves are cleared when the packer is done with them, but lazily: a
 * tile that was not written since is cleared on first use.
 */
static struct tile *dst_tile(struct engine *e, unsigned who, unsigned index, bool *fresh)
{
	unsigned at = index + e->half[who] * (DST_TILES / 2);
	struct tile *t = &e->dst[at];

	*fresh = !(e->written >> at & 1);
	if (*fresh)
		memset(t, 0, sizeof(*t));
	e->written |= 1u << at;
	return t;
}

/* A tile of dst that will be overwritten completely. */
static struct tile *dst_result(struct engine *e, unsigned index)
{
	unsigned at = index + e->half[0] * (DST_TILES / 2);

	e->written |= 1u << at;
	return &e->dst[at];
}

static void release_src(struct issue *s, unsigned which)
{
	struct engine_src *src = &s->e->src[which][s->e->drain[which]];

	src->full = false;
	src->at = s->end;
	s->e->drain[which] ^= 1;
}

/* Sums, differences and products; one operand may be dst itself. */
static void compute_pair(struct engine *e, unsigned index, const struct tile *a,
			 const struct tile *b, unsigned op, unsigned how)
{
	enum tile_broadcast broadcast = (enum tile_broadcast)(how & 3);
	unsigned row = how & TE_HOW_ROW ? e->parameter[1][0] : 0;
	struct tile result;
	struct tile *dst;
	bool fresh;

	if (how & (TE_HOW_DST_A | TE_HOW_DST_B)) {
		dst = dst_tile(e, 0, index, &fresh);
		b = how & TE_HOW_DST_A ? a : dst;
		a = how & TE_HOW_DST_A ? dst : a;
		tile_binary(dst, a, b, (enum tile_binary)(op - TE_ADD), broadcast, row);
	} else if (how & TE_HOW_ACCUMULATE) {
		dst = dst_tile(e, 0, index, &fresh);
		tile_binary(&result, a, b, (enum tile_binary)(op - TE_ADD), broadcast, row);
		if (fresh)
			*dst = result;
		else
			tile_binary(dst, dst, &result, TILE_ADD, TILE_BCAST_NONE, 0);
	} else {
		tile_binary(dst_result(e, index), a, b, (enum tile_binary)(op - TE_ADD), broadcast,
			    row);
	}
}

static void engine_compute(struct engine *e, unsigned index, const struct engine_src *src,
			   const struct tile *b, unsigned op, unsigned how)
{
	const struct tile *a = &src->tile;
	struct tile *dst;
	bool fresh;

	switch (op) {
	case TE_MATMUL:
		dst = dst_tile(e, 0, index, &fresh);
		tile_matmul(dst, a, b, how & TE_HOW_TRANSPOSE_A, how & TE_HOW_TRANSPOSE);
		break;
	case TE_COPY:
		if (how & 3)
			tile_broadcast(dst_result(e, index), a, (enum tile_broadcast)(how & 3));
		else
			*dst_result(e, index) = *a;
		break;
	case TE_TRANSPOSE:
		tile_transpose(dst_result(e, index), a);
		break;
	case TE_REDUCE:
		dst = dst_tile(e, 0, index, &fresh);
		tile_reduce(dst, a, b, (enum tile_reduce)(how & 3), (enum tile_axis)(how >> 2 & 3),
			    fresh, src->shape);
		break;
	default:
		compute_pair(e, index, a, b, op, how);
		break;
	}
}

static bool engine_math(struct issue *s)
{
	struct engine *e = s->e;
	struct engine_src *a = &e->src[0][e->drain[0]], *b = &e->src[1][e->drain[1]];
	unsigned op = s->operand >> 8 & 127, index = s->operand & 255, how = s->operand >> 16 & 255;
	bool two;

	if (op > TE_REDUCE || index >= DST_TILES / 2)
		return engine_fault(s, s->operand);
	two = math_ops[op].two && !(op != TE_REDUCE && how & (TE_HOW_DST_A | TE_HOW_DST_B));
	if (!a->full || (two && !b->full))
		return false;
	engine_wait_for(s, a->at, COUNT_VALID);
	if (two)
		engine_wait_for(s, b->at, COUNT_VALID + 1);
	e->count[COUNT_STARTED]++;
	use_unit(s, UNIT_FPU, math_ops[op].cycles * (math_ops[op].phases ? e->fidelity + 1u : 1u));
	engine_compute(e, index, a, &b->tile, op, how);
	if (!(s->operand & TE_KEEP_A))
		release_src(s, 0);
	if (two)
		release_src(s, 1);
	return true;
}

/* The SFPU works on the FPU's results in dst. */
static void use_sfpu(struct issue *s, unsigned cycles)
{
	s->start = engine_max_time(s->start, s->e->unit_free[UNIT_FPU] + LATENCY_UNIT);
	use_unit(s, UNIT_SFPU, cycles);
}

/* The packer's thread works on its own half of dst. */
static bool engine_sfpu(struct issue *s)
{
	unsigned op = s->operand >> 8 & 255, index = s->operand & 255, who = s->thread == 2;
	bool sort = op >= TE_U_TOPK_SORT && op <= TE_U_TOPK_REBUILD, fresh;
	const uint32_t *p = &s->e->parameter[s->thread][s->operand & TE_LATER ? 4 : 0];
	struct tile *t[4];

	if (op >= TE_UNARY_COUNT || index + (sort ? 3 : 0) >= DST_TILES / 2)
		return engine_fault(s, s->operand);
	use_sfpu(s, unary_ops[op].cycles);
	for (unsigned i = 0; i < (sort ? 4 : 1); i++)
		t[i] = dst_tile(s->e, who, index + i, &fresh);
	if (sort)
		tile_topk(t, op, p);
	else
		tile_unary(t[0], op, s->operand, p, &s->e->state);
	return true;
}

static bool sfpu_pair(struct issue *s)
{
	unsigned op = s->operand >> 12 & 255;
	struct tile *a, *b;
	bool fresh;

	if (op >= TE_BINARY_COUNT)
		return engine_fault(s, s->operand);
	use_sfpu(s, binary_ops[op].cycles);
	a = dst_tile(s->e, 0, s->operand >> 8 & 15, &fresh);
	b = dst_tile(s->e, 0, s->operand >> 4 & 15, &fresh);
	tile_pair(dst_result(s->e, s->operand & 15), a, b, op, s->operand,
		  s->e->parameter[s->thread]);
	return true;
}

static bool sfpu_triple(struct issue *s)
{
	unsigned op = s->operand >> 16 & 63;
	struct tile *a, *b, *c;
	bool fresh;

	if (op >= TE_TERNARY_COUNT)
		return engine_fault(s, s->operand);
	use_sfpu(s, ternary_ops[op].cycles);
	a = dst_tile(s->e, 0, s->operand >> 12 & 15, &fresh);
	b = dst_tile(s->e, 0, s->operand >> 8 & 15, &fresh);
	c = dst_tile(s->e, 0, s->operand >> 4 & 15, &fresh);
	tile_triple(dst_result(s->e, s->operand & 15), a, b, c, op, s->e->parameter[s->thread]);
	return true;
}

/*
 * The packer's options for a tile: negative values become 0, or those below a threshold do, or
 * those above it become the threshold; values are added to those in memory.
 */
static const struct tile *pack_tile(const struct issue *s, const struct tile *t, uint32_t address,
				    struct tile *space)
{
	const struct engine *e = s->e;
	uint32_t threshold = e->parameter[s->thread][2];
	/* An operation has three parameters. */
	const uint32_t first[3] = {threshold}, second[3] = {0, threshold};
	uint32_t flags = t->integer ? TE_INT : 0;
	struct tile old;

	if (!e->pack_mode)
		return t;
	*space = *t;
	if (e->pack_mode & TE_PACK_RELU)
		tile_unary(space, TE_U_RELU, flags, first, &s->e->state);
	if (e->pack_mode & TE_PACK_ABOVE)
		tile_unary(space, TE_U_THRESHOLD, flags, first, &s->e->state);
	if (e->pack_mode & TE_PACK_BELOW)
		tile_unary(space, TE_U_CLAMP, flags, second, &s->e->state);
	if (e->pack_mode & TE_PACK_ADD) {
		tile_unpack_shape(&old, s->c->l1 + address, e->format[2], e->shape[2]);
		tile_binary(space, space, &old, TILE_ADD, TILE_BCAST_NONE, 0);
	}
	return space;
}

static bool engine_pack(struct issue *s, bool as_rows)
{
	struct engine *e = s->e;
	struct tile_shape shape = e->shape[2];
	uint32_t address = s->operand * 16, bytes = tile_shape_bytes(e->format[2], shape);
	unsigned rows = e->parameter[s->thread][1];
	uint64_t span = bytes;
	struct tile space;
	const struct tile *t;
	bool fresh;

	if (as_rows && rows && rows < shape.rows)
		shape.rows = (uint8_t)rows;
	if (as_rows)
		span = rows_bytes(s, e->format[2], shape);
	if (!in_l1(s, address, span) || e->pack_dst >= DST_TILES / 2)
		return engine_fault(s, address);
	use_unit(s, UNIT_PACK, (bytes + PACK_BYTES - 1) / PACK_BYTES);
	t = dst_tile(e, 1, e->pack_dst, &fresh);
	if (as_rows)
		tile_pack_rows(s->c->l1 + address, t, e->format[2], e->parameter[s->thread][0],
			       shape);
	else
		tile_pack_shape(s->c->l1 + address, pack_tile(s, t, address, &space), e->format[2],
				shape);
	core_touched(s->c, address, (uint32_t)span, s->end);
	return true;
}

static void set_parameter(struct issue *s, bool high)
{
	uint32_t *p = &s->e->parameter[s->thread][s->operand >> 16 & 7];

	*p = high ? (*p & 0xffff) | s->operand << 16 : (*p & 0xffff0000) | (s->operand & 0xffff);
}

static bool set_config(struct issue *s, unsigned op)
{
	unsigned which = s->operand >> 16 & 255;

	switch (op) {
	case TE_FORMAT:
		if (which > 2)
			return engine_fault(s, s->operand);
		s->e->format[which] = s->operand & 255;
		s->e->shape[which].rows = (uint8_t)(TILE_DIM >> (s->operand >> 8 & 7));
		s->e->shape[which].columns = s->operand & TE_NARROW ? 16 : 32;
		break;
	case TE_FIDELITY:
		s->e->fidelity = s->operand & 3;
		break;
	case TE_PARAM_LOW:
	case TE_PARAM_HIGH:
		set_parameter(s, op == TE_PARAM_HIGH);
		break;
	case TE_PACK_MODE:
		s->e->pack_mode = (uint8_t)((s->e->pack_mode & ~(s->operand >> 8)) |
					    (s->operand & s->operand >> 8 & 15));
		break;
	default:
		s->e->pack_dst = s->operand & 255;
		break;
	}
	return true;
}

/* Bits 9..2 choose semaphores. A post or get happens when all earlier instructions have ended. */
static bool engine_semaphore(struct issue *s, unsigned op)
{
	struct engine *e = s->e;
	uint32_t chosen = s->operand >> 2 & 255;

	for (unsigned i = 0; i < ENGINE_SEMS; i++) {
		if (!(chosen >> i & 1))
			continue;
		if (op == TE_SEMWAIT) {
			if (((s->operand & 1) && !e->sem[i]) ||
			    ((s->operand & 2) && e->sem[i] >= e->sem_max[i]))
				return false;
			engine_wait_for(s, e->sem_time[i],
					(s->operand & 1 ? COUNT_NONZERO : COUNT_NONFULL) +
						s->thread);
			continue;
		}
		s->start = engine_max_time(s->start, s->q->done);
		if (op == OP_SEMINIT) {
			e->sem_max[i] = s->operand >> 20 & 15;
			e->sem[i] = s->operand >> 16 & 15;
		} else if (op == TE_SEMPOST) {
			e->sem[i] += e->sem[i] < 15;
		} else {
			e->sem[i] -= e->sem[i] > 0;
		}
		e->sem_time[i] = engine_max_time(e->sem_time[i], s->start);
	}
	s->end = s->start + 1;
	return true;
}

static bool engine_execute(struct issue *s, uint32_t word)
{
	unsigned op = word >> 24;
	unsigned who;

	s->operand = word & 0xffffff;
	switch (op) {
	case OP_NOP:
		return true;
	case OP_STALLWAIT:
		s->start = engine_max_time(s->start, s->q->done);
		return true;
	case OP_SEMINIT:
	case TE_SEMPOST:
	case TE_SEMGET:
	case TE_SEMWAIT:
		return engine_semaphore(s, op);
	case TE_FORMAT:
	case TE_FIDELITY:
	case TE_PACK_DST:
	case TE_PARAM_LOW:
	case TE_PARAM_HIGH:
	case TE_PACK_MODE:
		return set_config(s, op);
	case TE_UNPACK_A:
	case TE_UNPACK_ROWS:
		return engine_unpack(s, 0, op == TE_UNPACK_ROWS);
	case TE_UNPACK_B:
		return engine_unpack(s, 1, false);
	case TE_MATH:
		return engine_math(s);
	case TE_SFPU:
		return engine_sfpu(s);
	case TE_SFPU2:
		return sfpu_pair(s);
	case TE_SFPU3:
		return sfpu_triple(s);
	case TE_PACK:
	case TE_PACK_ROWS:
		return engine_pack(s, op == TE_PACK_ROWS);
	case TE_FLIP:
		/* The packer is done with its half: math finds it cleared. */
		who = s->operand & 1;
		if (who)
			s->e->written &=
				~(((1u << DST_TILES / 2) - 1) << s->e->half[1] * (DST_TILES / 2));
		s->e->half[who] ^= 1;
		return true;
	default:
		s->c->dev->stats.engine_unknown++;
		return true;
	}
}

/* The counted kind of the available instruction; ENGINE_COUNTS: none. */
static unsigned engine_kind_of(unsigned op)
{
	switch (op) {
	case TE_FORMAT:
	case TE_FIDELITY:
	case TE_PACK_DST:
	case TE_PARAM_LOW:
	case TE_PARAM_HIGH:
	case TE_PACK_MODE:
	case TE_FLIP:
		return COUNT_CFG;
	case OP_STALLWAIT:
	case OP_SEMINIT:
	case TE_SEMPOST:
	case TE_SEMGET:
	case TE_SEMWAIT:
		return COUNT_SYNC;
	case TE_UNPACK_A:
	case TE_UNPACK_B:
	case TE_UNPACK_ROWS:
		return COUNT_UNPACK;
	case TE_MATH:
	case TE_SFPU:
	case TE_SFPU2:
	case TE_SFPU3:
		return COUNT_MATH;
	case TE_PACK:
	case TE_PACK_ROWS:
		return COUNT_PACK;
	default:
		return ENGINE_COUNTS;
	}
}

/* Runs the first instruction of a queue; false: it has to wait. */
static bool engine_issue(struct tensix_core *c, unsigned thread)
{
	struct engine_queue *q = &c->engine->queue[thread];
	struct issue s = {.c = c, .e = c->engine, .q = q, .thread = thread};
	uint64_t ready = engine_max_time(q->time[q->head], q->last + 1);
	unsigned kind;

	s.start = ready;
	s.end = s.start + 1;
	if (!engine_execute(&s, q->word[q->head]))
		return false;
	/* The instruction was the next one from READY until START. */
	kind = engine_kind_of(q->word[q->head] >> 24);
	s.e->count[COUNT_INSTRUCTIONS + s.thread]++;
	s.e->count[COUNT_STALLS + s.thread] += s.start - ready;
	if (kind < ENGINE_COUNTS)
		s.e->count[kind + s.thread] += s.start - ready + 1;
	q->head = (q->head + 1) % ENGINE_QUEUE;
	q->count--;
	q->last = s.start;
	q->issued[q->issues++ % ENGINE_QUEUE] = s.start;
	q->done = engine_max_time(q->done, engine_max_time(s.end, s.start + 1));
	c->dev->stats.engine_ops++;
	return true;
}

void engine_advance(struct tensix_core *c)
{
	bool moved, any = false;

	do {
		moved = false;
		for (unsigned i = 0; i < 3; i++) {
			while (c->engine->queue[i].count && engine_issue(c, i))
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
	/* The instruction that was pushed ENGINE_QUEUE instructions ago must have left. */
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
