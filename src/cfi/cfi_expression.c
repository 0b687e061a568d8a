/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the DWARF expressions that .eh_frame uses: PLT stubs, realigned and signal frames. */
#include "cfi/cfi.h"

#include "base/limits.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH 16

struct expression {
	const uint8_t *at, *end;
	uint64_t stack[DEPTH];
	unsigned depth;
	bool bad;
	const uint64_t *regs;
	uint32_t known;
	const struct cfi_memory *memory;
};

static uint64_t expression_word(struct expression *e, size_t size, bool is_signed)
{
	uint64_t v = 0;

	if (e->bad || (size_t)(e->end - e->at) < size) {
		e->bad = true;
		return 0;
	}
	memcpy(&v, e->at, size);
	e->at += size;
	if (is_signed && size < 8 && v >> (size * 8 - 1))
		v |= ~0ull << (size * 8);
	return v;
}

static uint64_t expression_leb(struct expression *e, bool is_signed)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64;) {
		uint8_t byte = (uint8_t)expression_word(e, 1, false);

		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && shift < 64)
			v |= ~0ull << shift;
		return v;
	}
	e->bad = true;
	return 0;
}

static void expression_push(struct expression *e, uint64_t v)
{
	if (e->depth == DEPTH)
		e->bad = true;
	else
		e->stack[e->depth++] = v;
}

static uint64_t expression_pop(struct expression *e)
{
	if (!e->depth) {
		e->bad = true;
		return 0;
	}
	return e->stack[--e->depth];
}

static uint64_t expression_register(struct expression *e, unsigned reg)
{
	if (reg >= CFI_REGS || !(e->known >> reg & 1)) {
		e->bad = true;
		return 0;
	}
	return e->regs[reg];
}

static uint64_t two_operands(struct expression *e, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	case DW_OP_gt:
		return (int64_t)a > (int64_t)b;
	case DW_OP_le:
		return (int64_t)a <= (int64_t)b;
	case DW_OP_lt:
		return (int64_t)a < (int64_t)b;
	default:
		e->bad = true;
		return 0;
	}
}

static void expression_step(struct expression *e, uint8_t op)
{
	static const struct {
		uint8_t op, size, is_signed;
	} constants[] = {
		{DW_OP_const1u, 1, 0}, {DW_OP_const1s, 1, 1}, {DW_OP_const2u, 2, 0},
		{DW_OP_const2s, 2, 1}, {DW_OP_const4u, 4, 0}, {DW_OP_const4s, 4, 1},
		{DW_OP_const8u, 8, 0}, {DW_OP_const8s, 8, 1}, {DW_OP_addr, 8, 0},
	};
	uint64_t b;

	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		if (constants[i].op == op) {
			expression_push(
				e, expression_word(e, constants[i].size, constants[i].is_signed));
			return;
		}
	}
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		expression_push(e, (uint64_t)(op - DW_OP_lit0));
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		b = expression_leb(e, true);
		expression_push(e, expression_register(e, (unsigned)(op - DW_OP_breg0)) + b);
	} else if (op == DW_OP_plus_uconst) {
		expression_push(e, expression_pop(e) + expression_leb(e, false));
	} else if (op == DW_OP_constu || op == DW_OP_consts) {
		expression_push(e, expression_leb(e, op == DW_OP_consts));
	} else if (op == DW_OP_deref) {
		uint64_t v, address = expression_pop(e);

		if (e->bad || !e->memory->read(e->memory->context, address, &v))
			e->bad = true;
		else
			expression_push(e, v);
	} else if (op == DW_OP_dup) {
		b = expression_pop(e);
		expression_push(e, b);
		expression_push(e, b);
	} else if (op == DW_OP_drop) {
		expression_pop(e);
	} else {
		b = expression_pop(e);
		expression_push(e, two_operands(e, op, expression_pop(e), b));
	}
}

bool cfi_evaluate(const struct cfi_section *frame, uint32_t offset, uint32_t len,
		  const uint64_t *regs, uint32_t known, const struct cfi_memory *memory,
		  const uint64_t *first, uint64_t *result)
{
	struct expression e = {.regs = regs, .known = known, .memory = memory};

	if (offset > frame->size || len > frame->size - offset)
		return false;
	e.at = frame->bytes + offset;
	e.end = e.at + len;
	if (first)
		expression_push(&e, *first);
	for (unsigned steps = 0; e.at < e.end && !e.bad; steps++) {
		if (steps == LIMIT_CFI_STEPS)
			return false;
		expression_step(&e, *e.at++);
	}
	*result = expression_pop(&e);
	return !e.bad;
}

bool cfi_evaluate_rule(const struct cfi_section *frame, uint32_t offset, uint64_t cfa,
		       const uint64_t *regs, uint32_t known, const struct cfi_memory *memory,
		       uint64_t *result)
{
	struct expression e = {0};
	uint64_t len;

	if (offset > frame->size)
		return false;
	e.at = frame->bytes + offset;
	e.end = frame->bytes + frame->size;
	len = expression_leb(&e, false);
	if (e.bad || len > UINT32_MAX)
		return false;
	return cfi_evaluate(frame, (uint32_t)(e.at - frame->bytes), (uint32_t)len, regs, known,
			    memory, &cfa, result);
}
