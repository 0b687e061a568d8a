/* SPDX-License-Identifier: Apache-2.0 */
/* Decode RV32IM instructions, and print them. */
#include "tensix/rv32.h"

#include <stdio.h>
#include <string.h>

static const struct rv32_row {
	uint32_t mask, match;
	uint8_t op, format;
	const char *text;
} rows[] = {
#define X(name, text, format, mask, match) {mask, match, RV32_OP_##name, RV32_##format, text},
	RV32_OPS(X)
#undef X
};

static const char reg_names[32][5] = {
	"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

const char *rv32_reg_name(unsigned reg)
{
	return reg < 32 ? reg_names[reg] : "?";
}

/* NULL when no row matches. Words whose low bits are not 11 are never RISC-V instructions here. */
static const struct rv32_row *decode_find(uint32_t word)
{
	const size_t n = sizeof(rows) / sizeof(rows[0]) - 1;

	if ((word & 3) != 3)
		return &rows[n];
	for (size_t i = 0; i < n; i++)
		if ((word & rows[i].mask) == rows[i].match)
			return &rows[i];
	return NULL;
}

static int32_t decode_sign(uint32_t value, int bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static int32_t decode_immediate(uint32_t w, enum rv32_format format)
{
	switch (format) {
	case RV32_I:
	case RV32_L:
		return decode_sign(w >> 20, 12);
	case RV32_S:
		return decode_sign((w >> 25) << 5 | (w >> 7 & 31), 12);
	case RV32_B:
		return decode_sign((w >> 31) << 12 | (w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 |
					   (w >> 8 & 15) << 1,
				   13);
	case RV32_U:
		return (int32_t)(w & 0xfffff000u);
	case RV32_J:
		return decode_sign((w >> 31) << 20 | (w >> 12 & 255) << 12 | (w >> 20 & 1) << 11 |
					   (w >> 21 & 1023) << 1,
				   21);
	case RV32_H:
		return (int32_t)(w >> 20 & 31);
	case RV32_C:
		return (int32_t)(w >> 20);
	case RV32_T:
		return (int32_t)(w >> 2 | w << 30);
	default:
		return 0;
	}
}

struct rv32_insn rv32_decode(uint32_t word, uint32_t pc)
{
	const struct rv32_row *row = decode_find(word);
	struct rv32_insn in = {.op = RV32_OP_ILLEGAL, .rd = RV32_SINK, .imm = (int32_t)word};

	if (!row)
		return in;
	in.op = row->op;
	in.imm = decode_immediate(word, row->format);
	if (row->format == RV32_T)
		return in;
	if (row->format != RV32_S && row->format != RV32_B && (word >> 7 & 31))
		in.rd = word >> 7 & 31;
	in.rs1 = word >> 15 & 31;
	in.rs2 = word >> 20 & 31;
	if (row->op == RV32_OP_AUIPC)
		in.imm = (int32_t)((uint32_t)in.imm + pc);
	/* A branch to half an instruction would land between two decoded instructions. */
	if ((row->format == RV32_B || row->format == RV32_J) && (in.imm & 3))
		in.op = RV32_OP_ILLEGAL;
	return in;
}

static const uint8_t near[RV32_OP_COUNT] = {
	[RV32_OP_BEQ] = RV32_OP_BEQ_N,   [RV32_OP_BNE] = RV32_OP_BNE_N,
	[RV32_OP_BLT] = RV32_OP_BLT_N,   [RV32_OP_BGE] = RV32_OP_BGE_N,
	[RV32_OP_BLTU] = RV32_OP_BLTU_N, [RV32_OP_BGEU] = RV32_OP_BGEU_N,
	[RV32_OP_JAL] = RV32_OP_JAL_N,
};

/* Calls create stack frames with these: only here is the stack checked. */
static const uint8_t stack[RV32_OP_COUNT] = {
	[RV32_OP_ADDI] = RV32_OP_ADDI_SP,
	[RV32_OP_ADD] = RV32_OP_ADD_SP,
	[RV32_OP_SUB] = RV32_OP_SUB_SP,
};

void rv32_decode_page(struct rv32_page *page)
{
	for (uint32_t i = 0; i < RV32_PAGE_INSNS; i++) {
		uint32_t word, to;
		struct rv32_insn in;

		memcpy(&word, page->text + 4 * i, 4);
		in = rv32_decode(word, page->base + 4 * i);
		to = 4 * i + (uint32_t)in.imm;
		if (near[in.op] && to < RV32_PAGE) {
			in.op = near[in.op];
			in.imm /= 4;
			if (in.op == RV32_OP_JAL_N && in.rd == RV32_SINK)
				in.op = RV32_OP_J_N;
		}
		if (stack[in.op] && in.rd == RV32_SP)
			in.op = stack[in.op];
		page->insn[i] = in;
	}
	page->insn[RV32_PAGE_INSNS] = (struct rv32_insn){.op = RV32_OP_PAGE_END, .rd = RV32_SINK};
}

static int decode_target(char *text, size_t size, uint32_t to, rv32_symbol symbol, void *context)
{
	uint32_t offset = 0;
	const char *name = symbol ? symbol(context, to, &offset) : NULL;

	if (!name)
		return snprintf(text, size, "0x%x", to);
	if (!offset)
		return snprintf(text, size, "0x%x <%s>", to, name);
	return snprintf(text, size, "0x%x <%s+0x%x>", to, name, offset);
}

char *rv32_disasm(char *text, size_t size, uint32_t word, uint32_t pc, rv32_symbol symbol,
		  void *context)
{
	const struct rv32_row *row = decode_find(word);
	const char *rd = reg_names[word >> 7 & 31], *rs1 = reg_names[word >> 15 & 31],
		   *rs2 = reg_names[word >> 20 & 31];
	int32_t imm = row ? decode_immediate(word, row->format) : 0;
	char where[128];

	if (!row || !word) {
		snprintf(text, size, ".word 0x%08x", word);
		return text;
	}
	decode_target(where, sizeof(where), pc + (uint32_t)imm, symbol, context);
	switch ((enum rv32_format)row->format) {
	case RV32_R:
		snprintf(text, size, "%s %s, %s, %s", row->text, rd, rs1, rs2);
		break;
	case RV32_I:
	case RV32_H:
		snprintf(text, size, "%s %s, %s, %d", row->text, rd, rs1, imm);
		break;
	case RV32_L:
		snprintf(text, size, "%s %s, %d(%s)", row->text, rd, imm, rs1);
		break;
	case RV32_S:
		snprintf(text, size, "%s %s, %d(%s)", row->text, rs2, imm, rs1);
		break;
	case RV32_B:
		snprintf(text, size, "%s %s, %s, %s", row->text, rs1, rs2, where);
		break;
	case RV32_U:
		snprintf(text, size, "%s %s, 0x%x", row->text, rd, (uint32_t)imm >> 12);
		break;
	case RV32_J:
		snprintf(text, size, "%s %s, %s", row->text, rd, where);
		break;
	case RV32_C:
		snprintf(text, size, "%s %s, 0x%x", row->text, rd, (uint32_t)imm);
		break;
	case RV32_T:
		snprintf(text, size, "%s 0x%08x", row->text, (uint32_t)imm);
		break;
	case RV32_N:
		snprintf(text, size, "%s", row->text);
		break;
	}
	return text;
}
