/* SPDX-License-Identifier: Apache-2.0 */
/* Execute one instruction, for tracing and for polling loops; interp.c has the fast path. */
#include "tensix/private.h"

#include <string.h>

static int step_load(const struct step_bus *bus, uint32_t x[], const struct rv32_insn *in)
{
	static const struct {
		uint8_t size, shift;
	} how[] = {
		[RV32_OP_LB - RV32_OP_LB] = {1, 24}, [RV32_OP_LH - RV32_OP_LB] = {2, 16},
		[RV32_OP_LW - RV32_OP_LB] = {4, 0},  [RV32_OP_LBU - RV32_OP_LB] = {1, 0},
		[RV32_OP_LHU - RV32_OP_LB] = {2, 0},
	};
	unsigned shift = how[in->op - RV32_OP_LB].shift;
	uint32_t value = 0;

	if (bus->load(bus->context, x[in->rs1] + (uint32_t)in->imm, how[in->op - RV32_OP_LB].size,
		      &value))
		return 1;
	x[in->rd] = (uint32_t)((int32_t)(value << shift) >> shift);
	return 0;
}

static bool step_condition(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case RV32_OP_BEQ:
		return a == b;
	case RV32_OP_BNE:
		return a != b;
	case RV32_OP_BLT:
		return (int32_t)a < (int32_t)b;
	case RV32_OP_BGE:
		return (int32_t)a >= (int32_t)b;
	case RV32_OP_BLTU:
		return a < b;
	default:
		return a >= b;
	}
}

/* Register and immediate forms of the same operation; the rows of RV32_OPS have the same order. */
static uint32_t step_arithmetic(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case RV32_OP_ADDI:
	case RV32_OP_ADD:
		return a + b;
	case RV32_OP_SUB:
		return a - b;
	case RV32_OP_SLTI:
	case RV32_OP_SLT:
		return (int32_t)a < (int32_t)b;
	case RV32_OP_SLTIU:
	case RV32_OP_SLTU:
		return a < b;
	case RV32_OP_XORI:
	case RV32_OP_XOR:
		return a ^ b;
	case RV32_OP_ORI:
	case RV32_OP_OR:
		return a | b;
	case RV32_OP_ANDI:
	case RV32_OP_AND:
		return a & b;
	case RV32_OP_SLLI:
	case RV32_OP_SLL:
		return a << (b & 31);
	case RV32_OP_SRLI:
	case RV32_OP_SRL:
		return a >> (b & 31);
	case RV32_OP_SRAI:
	case RV32_OP_SRA:
		return (uint32_t)((int32_t)a >> (b & 31));
	case RV32_OP_MUL:
		return a * b;
	case RV32_OP_MULH:
		return (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32);
	case RV32_OP_MULHSU:
		return rv32_mulhsu(a, b);
	case RV32_OP_MULHU:
		return (uint32_t)(((uint64_t)a * b) >> 32);
	case RV32_OP_DIV:
		return rv32_div(a, b);
	case RV32_OP_DIVU:
		return b ? a / b : UINT32_MAX;
	case RV32_OP_REM:
		return rv32_rem(a, b);
	default:
		return b ? a % b : a;
	}
}

enum step_result rv32_step(uint32_t x[RV32_REGS], uint32_t *pc, uint32_t word,
			   const struct step_bus *bus)
{
	struct rv32_insn in = rv32_decode(word, *pc);
	uint32_t next = *pc + 4, to = *pc + (uint32_t)in.imm;

	if (in.op >= RV32_OP_BEQ && in.op <= RV32_OP_BGEU) {
		if (step_condition(in.op, x[in.rs1], x[in.rs2]))
			next = to;
	} else if (in.op >= RV32_OP_LB && in.op <= RV32_OP_LHU) {
		if (step_load(bus, x, &in))
			return STEP_BUS;
	} else if (in.op >= RV32_OP_SB && in.op <= RV32_OP_SW) {
		if (bus->store(bus->context, x[in.rs1] + (uint32_t)in.imm,
			       1u << (in.op - RV32_OP_SB), x[in.rs2]))
			return STEP_BUS;
	} else if (in.op >= RV32_OP_ADDI && in.op <= RV32_OP_SRAI) {
		x[in.rd] = step_arithmetic(in.op, x[in.rs1], (uint32_t)in.imm);
	} else if (in.op >= RV32_OP_ADD && in.op <= RV32_OP_REMU) {
		x[in.rd] = step_arithmetic(in.op, x[in.rs1], x[in.rs2]);
	} else {
		switch (in.op) {
		case RV32_OP_LUI:
		case RV32_OP_AUIPC:
			x[in.rd] = (uint32_t)in.imm;
			break;
		case RV32_OP_JAL:
			next = to;
			x[in.rd] = *pc + 4;
			break;
		case RV32_OP_JALR:
			next = (x[in.rs1] + (uint32_t)in.imm) & ~1u;
			x[in.rd] = *pc + 4;
			break;
		case RV32_OP_FENCE:
			break;
		case RV32_OP_CSR:
			x[in.rd] = 0;
			break;
		case RV32_OP_ECALL:
		case RV32_OP_EBREAK:
			return STEP_BREAK;
		default:
			return STEP_ILLEGAL;
		}
	}
	*pc = next;
	return STEP_OK;
}

/* ---- the spin detector ---- */
#define SPIN_STEPS 64

static int spin_load(void *context, uint32_t address, unsigned size, uint32_t *value)
{
	struct tensix_hart *h = context;
	struct tensix_core *c = h->core;

	if (address & (size - 1))
		return 1;
	*value = 0;
	if (address < c->l1_size) {
		memcpy(value, c->l1 + address, size);
		for (unsigned i = 0; i < h->watches; i++)
			if (h->watch[i] == (address & ~3u))
				return 0;
		if (h->watches == TENSIX_WATCHES)
			return 1;
		h->watch[h->watches++] = address & ~3u;
		return 0;
	}
	if (address - TENSIX_LOCAL < h->local_size) {
		memcpy(value, h->local + (address - TENSIX_LOCAL), size);
		return 0;
	}
	h->watch_registers = true;
	h->watch_register = address;
	return size == 4 && mmio_peek(c, h, address, value) ? 0 : 1;
}

static int spin_store(void *context, uint32_t address, unsigned size, uint32_t value)
{
	(void)context, (void)address, (void)size, (void)value;
	return 1;
}

bool spin_try(struct tensix_hart *h)
{
	struct step_bus bus = {h, spin_load, spin_store};
	uint32_t x[RV32_REGS], pc = h->pc, word;
	unsigned steps = 0;

	memcpy(x, h->x, sizeof(x));
	h->watches = 0;
	h->watch_registers = false;
	do {
		const uint8_t *text = code_text(h, pc);

		if (!text || ++steps > SPIN_STEPS)
			return false;
		memcpy(&word, text, 4);
		if (rv32_step(x, &pc, word, &bus) != STEP_OK)
			return false;
	} while (pc != h->pc);
	/* The sink may differ: it is never read. */
	if (memcmp(x, h->x, 32 * sizeof(x[0])))
		return false;
	h->loop = steps;
	h->period = (uint32_t)(h->cycle - h->spin_cycle);
	if (!h->period || h->period > 100000)
		return false;
	hart_sleep(h);
	return true;
}
