/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows RSP through the machine code of a function; see depth.h. The code is what the sampled
 * program has in its memory: any bytes, of which each is decoded at most once.
 */
#include "sample/depth.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- decoding */

enum flow {
	FLOW_NEXT,   /* the next instruction */
	FLOW_BRANCH, /* the next instruction or the target */
	FLOW_JUMP,   /* the target */
	FLOW_SWITCH, /* a jump that depends on data */
	FLOW_END,    /* a return, or a trap */
};

/* The effect of an instruction on RSP. */
enum effect {
	EFFECT_NONE,
	EFFECT_ADD,      /* RSP += value */
	EFFECT_ALIGN,    /* RSP &= value */
	EFFECT_FRAME,    /* RBP = RSP: the frame begins */
	EFFECT_FROM_RBP, /* RSP = RBP + value */
	EFFECT_UNFRAME,  /* RBP is the caller's again */
	EFFECT_UNKNOWN,
};

struct instruction {
	size_t len;
	enum flow flow;
	int64_t target; /* relative to the next instruction */
	enum effect effect;
	int64_t value;
};

struct decoder {
	const uint8_t *at, *end;
	bool bad, wide, small; /* wide: REX.W; small: 16-bit operands */
	uint8_t rex;
	uint8_t mod, reg, rm; /* with the bits of REX */
	uint8_t base;         /* register of the memory operand; 255: none, or it has an index */
	int32_t displacement;
};

static int64_t decode_number(struct decoder *d, unsigned size)
{
	int64_t value = 0;

	if ((size_t)(d->end - d->at) < size) {
		d->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (int64_t)((uint64_t)d->at[i] << (8 * i));
	d->at += size;
	switch (size) {
	case 1:
		return (int8_t)value;
	case 2:
		return (int16_t)value;
	case 4:
		return (int32_t)value;
	default:
		return value;
	}
}

static uint8_t decode_byte(struct decoder *d)
{
	return (uint8_t)decode_number(d, 1);
}

static void decode_operands(struct decoder *d)
{
	uint8_t modrm = decode_byte(d), low = modrm & 7;
	bool absolute = false;

	d->mod = modrm >> 6;
	d->reg = (uint8_t)((modrm >> 3 & 7) | (d->rex & 4) << 1);
	d->rm = (uint8_t)(low | (d->rex & 1) << 3);
	d->base = d->mod == 3 ? 255 : d->rm;
	d->displacement = 0;
	if (d->mod == 3)
		return;
	if (low == 4) {
		uint8_t sib = decode_byte(d);
		bool index = (sib >> 3 & 7) != 4 || d->rex & 2;

		low = sib & 7;
		d->base = index ? 255 : (uint8_t)(low | (d->rex & 1) << 3);
	}
	absolute = d->mod == 0 && low == 5;
	if (absolute)
		d->base = 255;
	if (d->mod == 1)
		d->displacement = (int32_t)decode_number(d, 1);
	else if (d->mod == 2 || absolute)
		d->displacement = (int32_t)decode_number(d, 4);
}

/*
 * Operands of the opcodes, a character each: - none, m ModRM, b a byte follows, z 2 or 4 bytes, B
 * ModRM and a byte, Z ModRM and 2 or 4, w 2 bytes, o a memory offset, x special, . invalid.
 */
static const char one_byte[257] = "mmmmbz..mmmmbz.x" /* 0x00 */
				  "mmmmbz..mmmmbz.." /* 0x10 */
				  "mmmmbz..mmmmbz.." /* 0x20 */
				  "mmmmbz..mmmmbz.." /* 0x30 */
				  "xxxxxxxxxxxxxxxx" /* 0x40 */
				  "----------------" /* 0x50 */
				  "..xm....zZbB----" /* 0x60 */
				  "xxxxxxxxxxxxxxxx" /* 0x70 */
				  "BZ.Bmmmmmmmmmmmm" /* 0x80 */
				  "----------.-----" /* 0x90 */
				  "oooo----bz------" /* 0xa0 */
				  "bbbbbbbbxxxxxxxx" /* 0xb0 */
				  "BBw-xxBZx-w--b.-" /* 0xc0 */
				  "mmmm...-mmmmmmmm" /* 0xd0 */
				  "xxxxbbbbxx.x----" /* 0xe0 */
				  "..........--..mx" /* 0xf0; f6 and f7 are handled apart */;
static const char two_byte[257] = "mmmm.-----.-.m-."  /* 0x00 */
				  "mmmmmmmmmmmmmmmm"  /* 0x10 */
				  "mmmm....mmmmmmmm"  /* 0x20 */
				  "------.-x.x....."  /* 0x30 */
				  "mmmmmmmmmmmmmmmm"  /* 0x40 */
				  "mmmmmmmmmmmmmmmm"  /* 0x50 */
				  "mmmmmmmmmmmmmmmm"  /* 0x60 */
				  "BBBBmmm-mmmmmmmm"  /* 0x70 */
				  "xxxxxxxxxxxxxxxx"  /* 0x80 */
				  "mmmmmmmmmmmmmmmm"  /* 0x90 */
				  "---mBm..---mBmmm"  /* 0xa0 */
				  "mmmmmmmmmmBmmmmm"  /* 0xb0 */
				  "mmBmBBBm--------"  /* 0xc0 */
				  "mmmmmmmmmmmmmmmm"  /* 0xd0 */
				  "mmmmmmmmmmmmmmmm"  /* 0xe0 */
				  "mmmmmmmmmmmmmmmm"; /* 0xf0 */

/* Returns the immediate value. */
static int64_t decode_shape(struct decoder *d, char shape)
{
	if (shape == 'm' || shape == 'B' || shape == 'Z')
		decode_operands(d);
	switch (shape) {
	case 'b':
	case 'B':
		return decode_number(d, 1);
	case 'z':
	case 'Z':
		return decode_number(d, d->small ? 2 : 4);
	case 'w':
		return decode_number(d, 2);
	case 'o':
		return decode_number(d, 8);
	case '.':
		d->bad = true;
		return 0;
	default:
		return 0;
	}
}

static struct instruction effect_of(enum effect effect, int64_t value)
{
	return (struct instruction){.effect = effect, .value = value};
}

static struct instruction flow_of(enum flow flow, int64_t target)
{
	return (struct instruction){.flow = flow, .target = target};
}

#define RSP 4
#define RBP 5

/* Instructions whose destination is the register RSP, opcode OP with immediate VALUE. */
static struct instruction rsp_written(const struct decoder *d, uint8_t op, int64_t value)
{
	if (op == 0x81 || op == 0x83) {
		switch (d->reg & 7) {
		case 0:
			return effect_of(EFFECT_ADD, value);
		case 4:
			return effect_of(EFFECT_ALIGN, value);
		case 5:
			return effect_of(EFFECT_ADD, -value);
		case 7:
			return effect_of(EFFECT_NONE, 0);
		default:
			return effect_of(EFFECT_UNKNOWN, 0);
		}
	}
	if (op == 0x8d && d->base == RSP)
		return effect_of(EFFECT_ADD, d->displacement);
	if (op == 0x8d && d->base == RBP)
		return effect_of(EFFECT_FROM_RBP, d->displacement);
	if ((op == 0x89 && d->reg == RBP) || (op == 0x8b && d->mod == 3 && d->rm == RBP))
		return effect_of(EFFECT_FROM_RBP, 0);
	return effect_of(EFFECT_UNKNOWN, 0);
}

/* The effect of an instruction of the one-byte map with ModRM or an immediate VALUE. */
static struct instruction one_byte_effect(const struct decoder *d, uint8_t op, int64_t value)
{
	bool arithmetic = op < 0x38 && (op & 7) < 4; /* 0x38 on: compare */
	bool to_rm = d->mod == 3 && d->rm == RSP;

	if (op >= 0x50 && op < 0x58)
		return effect_of(d->small ? EFFECT_UNKNOWN : EFFECT_ADD, -8);
	if (op >= 0x58 && op < 0x60) {
		uint8_t reg = (uint8_t)((op & 7) | (d->rex & 1) << 3);

		return reg == RBP ? effect_of(EFFECT_UNFRAME, 0)
				  : effect_of(reg == RSP ? EFFECT_UNKNOWN : EFFECT_ADD, 8);
	}
	if (op == 0x68 || op == 0x6a || op == 0x9c)
		return effect_of(EFFECT_ADD, -8);
	if (op == 0x9d || (op == 0x8f && !to_rm))
		return effect_of(EFFECT_ADD, 8);
	if (op == 0xc2 || op == 0xc3 || op == 0xca || op == 0xcb || op == 0xcf || op == 0xf4)
		return flow_of(FLOW_END, 0);
	if (op == 0xc9)
		return effect_of(EFFECT_UNFRAME, 0);
	if ((op == 0x89 && d->mod == 3 && d->rm == RBP && d->reg == RSP) ||
	    (op == 0x8b && d->mod == 3 && d->reg == RBP && d->rm == RSP))
		return effect_of(EFFECT_FRAME, 0);
	if (to_rm && ((arithmetic && !(op & 2)) || op == 0x81 || op == 0x83 || op == 0x87 ||
		      op == 0x89 || op == 0x8f || op == 0xc7))
		return rsp_written(d, op, value);
	if (d->reg == RSP && ((arithmetic && op & 2) || op == 0x63 || op == 0x87 || op == 0x8b ||
			      op == 0x8d || op == 0x69 || op == 0x6b))
		return rsp_written(d, op, value);
	return effect_of(EFFECT_NONE, 0);
}

/* Opcodes marked x in one_byte, after prefixes. */
static struct instruction special_decode(struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0xc8: /* enter */
		decode_number(d, 2);
		decode_number(d, 1);
		return effect_of(EFFECT_UNKNOWN, 0);
	case 0xe8:
		decode_number(d, 4);
		return effect_of(EFFECT_NONE, 0);
	case 0xe9:
		return flow_of(FLOW_JUMP, decode_number(d, 4));
	case 0xeb:
		return flow_of(FLOW_JUMP, decode_number(d, 1));
	case 0xff:
		decode_operands(d);
		if ((d->reg & 7) == 4 || (d->reg & 7) == 5)
			return flow_of(FLOW_SWITCH, 0);
		return (d->reg & 7) == 6 ? effect_of(EFFECT_ADD, -8) : effect_of(EFFECT_NONE, 0);
	default:
		break;
	}
	if ((op >= 0x70 && op < 0x80) || (op >= 0xe0 && op < 0xe4))
		return flow_of(FLOW_BRANCH, decode_number(d, 1));
	if (op >= 0xb8 && op < 0xc0) {
		decode_number(d, d->wide ? 8 : d->small ? 2 : 4);
		return effect_of((op & 7) == RSP && !(d->rex & 1) ? EFFECT_UNKNOWN : EFFECT_NONE,
				 0);
	}
	d->bad = true;
	return effect_of(EFFECT_UNKNOWN, 0);
}

static struct instruction two_byte_decode(struct decoder *d)
{
	uint8_t op = decode_byte(d);

	if (op >= 0x80 && op < 0x90)
		return flow_of(FLOW_BRANCH, decode_number(d, d->small ? 2 : 4));
	if (op == 0x38 || op == 0x3a) {
		decode_byte(d);
		decode_shape(d, op == 0x3a ? 'B' : 'm');
		return effect_of(EFFECT_NONE, 0);
	}
	decode_shape(d, two_byte[op]);
	if (op >= 0x40 && op < 0x50 && d->reg == RSP)
		return effect_of(EFFECT_UNKNOWN, 0);
	return op == 0x0b ? flow_of(FLOW_END, 0) : effect_of(EFFECT_NONE, 0);
}

/* Vector instructions: PAYLOAD bytes after the prefix, of which the first has the map. */
static struct instruction vector_decode(struct decoder *d, unsigned payload)
{
	uint8_t map = payload == 1 ? 1 : *d->at & (payload == 3 ? 7 : 31), op;

	decode_number(d, payload == 3 ? 2 : payload);
	if (payload == 3)
		decode_byte(d);
	op = decode_byte(d);
	d->rex = 0; /* vector registers: their numbers do not matter, lengths do */
	if (map == 1 && op == 0x77)
		return effect_of(EFFECT_NONE, 0);
	decode_shape(d, map == 3 || (map == 1 && two_byte[op] == 'B') ? 'B' : 'm');
	return effect_of(EFFECT_NONE, 0);
}

static struct instruction instruction_decode(struct decoder *d)
{
	struct instruction i;
	int64_t value;
	uint8_t op;

	for (;;) {
		op = decode_byte(d);
		if (op == 0x66)
			d->small = true;
		else if (op != 0xf0 && op != 0xf2 && op != 0xf3 && op != 0x2e && op != 0x36 &&
			 op != 0x3e && op != 0x26 && op != 0x64 && op != 0x65)
			break;
		if (d->bad)
			break;
	}
	if (op >= 0x40 && op < 0x50) {
		d->rex = op & 15;
		d->wide = op & 8;
		op = decode_byte(d);
	}
	if (d->wide)
		d->small = false;
	if (op == 0x0f) {
		i = two_byte_decode(d);
	} else if (op == 0xc4 || op == 0xc5 || op == 0x62) {
		if (d->end - d->at < 4)
			d->bad = true;
		i = d->bad ? effect_of(EFFECT_UNKNOWN, 0)
			   : vector_decode(d, op == 0xc5   ? 1
					      : op == 0xc4 ? 2
							   : 3);
	} else if (op == 0xf6 || op == 0xf7) {
		decode_operands(d);
		if ((d->reg & 7) < 2)
			decode_number(d, op == 0xf6 ? 1 : d->small ? 2 : 4);
		i = effect_of(EFFECT_NONE, 0);
	} else if (op == 0xf5 || op == 0xf8 || op == 0xf9 || op == 0xfc || op == 0xfd) {
		i = effect_of(EFFECT_NONE, 0);
	} else if (one_byte[op] == 'x') {
		i = special_decode(d, op);
	} else {
		d->mod = d->reg = d->rm = 255;
		value = decode_shape(d, one_byte[op]);
		i = one_byte_effect(d, op, value);
	}
	return i;
}

/* -------------------------------------------------------------- following */

/* States before an instruction: RBP - RSP, or: */
#define STATE_NONE   (-1) /* not reached */
#define STATE_BEFORE (-2) /* RBP is not the frame's */
#define STATE_MOST   (1 << 30)

struct follow {
	const uint8_t *code;
	size_t len;
	int32_t *state;  /* of each byte of the code */
	uint32_t *queue; /* reached, not decoded yet: each byte at most once */
	size_t queued;
	uint32_t *gaps; /* after instructions that do not continue: reached by a jump, if at all */
	size_t gap_count;
	int32_t switched; /* state at jumps that depend on data, so at all their targets */
	uint32_t slack;
	bool failed; /* the depth is not a constant */
};

static void follow_reach(struct follow *f, int64_t at, int32_t state)
{
	if (at < 0 || (uint64_t)at >= f->len) /* a tail call, or a part elsewhere */
		return;
	if (f->state[at] == STATE_NONE) {
		f->state[at] = state;
		f->queue[f->queued++] = (uint32_t)at;
	} else if (f->state[at] >= 0 && state >= 0 && f->state[at] != state) {
		f->failed = true;
	}
}

static int32_t state_after(struct follow *f, int32_t state, const struct instruction *i)
{
	int64_t next = state;

	switch (i->effect) {
	case EFFECT_NONE:
		return state;
	case EFFECT_FRAME:
		return 0;
	case EFFECT_UNFRAME:
		return STATE_BEFORE;
	case EFFECT_FROM_RBP:
		next = -i->value;
		break;
	case EFFECT_ADD:
		next -= i->value;
		break;
	case EFFECT_ALIGN:
		/* Twice, or not by a power of two: compilers do neither. */
		if (f->slack || i->value >= 0 || (-i->value & (-i->value - 1)) || -i->value > 4096)
			f->failed |= state >= 0;
		else if (state >= 0)
			f->slack = (uint32_t)-i->value - 1;
		break;
	default:
		f->failed |= state >= 0;
		return state;
	}
	if (state < 0 && i->effect != EFFECT_FROM_RBP)
		return state;
	if (next < 0 || next > STATE_MOST) {
		f->failed = true;
		return state;
	}
	return (int32_t)next;
}

static void follow_stop(struct follow *f, size_t next, int32_t state, enum flow flow)
{
	f->gaps[f->gap_count++] = (uint32_t)next;
	if (flow != FLOW_SWITCH || state < 0)
		return;
	f->failed |= f->switched >= 0 && f->switched != state;
	f->switched = state;
}

static bool follow_run(struct follow *f, size_t at, bool called, struct depth *depth)
{
	int32_t found = STATE_NONE;

	follow_reach(f, 0, STATE_BEFORE);
	while (f->queued && !f->failed) {
		size_t here = f->queue[--f->queued];
		struct decoder d = {.at = f->code + here, .end = f->code + f->len};
		struct instruction i = instruction_decode(&d);
		size_t next = (size_t)(d.at - f->code);
		int32_t state = f->state[here];

		if (d.bad)
			return false;
		if (called ? next == at : here == at)
			found = state;
		state = state_after(f, state, &i);
		if (i.flow == FLOW_NEXT || i.flow == FLOW_BRANCH)
			follow_reach(f, (int64_t)next, state);
		else
			follow_stop(f, next, state, i.flow);
		if (i.flow == FLOW_JUMP || i.flow == FLOW_BRANCH)
			follow_reach(f, (int64_t)next + i.target, state);
		/* Code that only a table of jumps leads to: it follows other code of the function.
		 */
		while (f->switched >= 0 && f->gap_count && !f->queued) {
			uint32_t gap = f->gaps[--f->gap_count];

			if (gap < f->len && f->state[gap] == STATE_NONE)
				follow_reach(f, gap, f->switched);
		}
	}
	if (f->failed || found < 0)
		return false;
	depth->least = (uint32_t)found;
	depth->slack = f->slack;
	return true;
}

bool depth_find(const uint8_t *code, size_t len, size_t at, bool called, struct depth *depth)
{
	struct follow f = {.code = code, .len = len, .switched = STATE_NONE};
	bool found = false;

	if (!len || len > DEPTH_CODE_MOST)
		return false;
	f.state = malloc(len * sizeof(*f.state));
	f.queue = malloc(len * sizeof(*f.queue));
	f.gaps = malloc(len * sizeof(*f.gaps));
	if (f.state && f.queue && f.gaps) {
		memset(f.state, 0xff, len * sizeof(*f.state)); /* STATE_NONE */
		found = follow_run(&f, at, called, depth);
	}
	free(f.state);
	free(f.queue);
	free(f.gaps);
	return found;
}
