/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RV32IM: instructions as data. RV32_OPS has one row per instruction; the decoder, the
 * disassembler, the reference interpreter and the threaded one are generated from it.
 *
 * Text is decoded a page at a time (RV32_PAGE bytes), and a decoded page is shared by all cores
 * that hold the same bytes at the same address, so 64 cores with one kernel have one copy. A
 * decoded page ends in RV32_OP_PAGE_END, which leads to the next one.
 *
 * Writes to x0 go to x[RV32_SINK], so that no instruction has to check its destination.
 */
#ifndef TENSIX_RV32_H
#define TENSIX_RV32_H

#include <stddef.h>
#include <stdint.h>

#define RV32_PAGE       1024u
#define RV32_PAGE_INSNS (RV32_PAGE / 4)
#define RV32_SP         2
#define RV32_SINK       32
#define RV32_REGS       33

/*    name    text      format mask        match */
#define RV32_OPS(X)                                    \
	X(LUI, "lui", U, 0x0000007f, 0x00000037)       \
	X(AUIPC, "auipc", U, 0x0000007f, 0x00000017)   \
	X(JAL, "jal", J, 0x0000007f, 0x0000006f)       \
	X(JALR, "jalr", I, 0x0000707f, 0x00000067)     \
	X(BEQ, "beq", B, 0x0000707f, 0x00000063)       \
	X(BNE, "bne", B, 0x0000707f, 0x00001063)       \
	X(BLT, "blt", B, 0x0000707f, 0x00004063)       \
	X(BGE, "bge", B, 0x0000707f, 0x00005063)       \
	X(BLTU, "bltu", B, 0x0000707f, 0x00006063)     \
	X(BGEU, "bgeu", B, 0x0000707f, 0x00007063)     \
	X(LB, "lb", L, 0x0000707f, 0x00000003)         \
	X(LH, "lh", L, 0x0000707f, 0x00001003)         \
	X(LW, "lw", L, 0x0000707f, 0x00002003)         \
	X(LBU, "lbu", L, 0x0000707f, 0x00004003)       \
	X(LHU, "lhu", L, 0x0000707f, 0x00005003)       \
	X(SB, "sb", S, 0x0000707f, 0x00000023)         \
	X(SH, "sh", S, 0x0000707f, 0x00001023)         \
	X(SW, "sw", S, 0x0000707f, 0x00002023)         \
	X(ADDI, "addi", I, 0x0000707f, 0x00000013)     \
	X(SLTI, "slti", I, 0x0000707f, 0x00002013)     \
	X(SLTIU, "sltiu", I, 0x0000707f, 0x00003013)   \
	X(XORI, "xori", I, 0x0000707f, 0x00004013)     \
	X(ORI, "ori", I, 0x0000707f, 0x00006013)       \
	X(ANDI, "andi", I, 0x0000707f, 0x00007013)     \
	X(SLLI, "slli", H, 0xfe00707f, 0x00001013)     \
	X(SRLI, "srli", H, 0xfe00707f, 0x00005013)     \
	X(SRAI, "srai", H, 0xfe00707f, 0x40005013)     \
	X(ADD, "add", R, 0xfe00707f, 0x00000033)       \
	X(SUB, "sub", R, 0xfe00707f, 0x40000033)       \
	X(SLL, "sll", R, 0xfe00707f, 0x00001033)       \
	X(SLT, "slt", R, 0xfe00707f, 0x00002033)       \
	X(SLTU, "sltu", R, 0xfe00707f, 0x00003033)     \
	X(XOR, "xor", R, 0xfe00707f, 0x00004033)       \
	X(SRL, "srl", R, 0xfe00707f, 0x00005033)       \
	X(SRA, "sra", R, 0xfe00707f, 0x40005033)       \
	X(OR, "or", R, 0xfe00707f, 0x00006033)         \
	X(AND, "and", R, 0xfe00707f, 0x00007033)       \
	X(MUL, "mul", R, 0xfe00707f, 0x02000033)       \
	X(MULH, "mulh", R, 0xfe00707f, 0x02001033)     \
	X(MULHSU, "mulhsu", R, 0xfe00707f, 0x02002033) \
	X(MULHU, "mulhu", R, 0xfe00707f, 0x02003033)   \
	X(DIV, "div", R, 0xfe00707f, 0x02004033)       \
	X(DIVU, "divu", R, 0xfe00707f, 0x02005033)     \
	X(REM, "rem", R, 0xfe00707f, 0x02006033)       \
	X(REMU, "remu", R, 0xfe00707f, 0x02007033)     \
	X(FENCE, "fence", N, 0x0000007f, 0x0000000f)   \
	X(ECALL, "ecall", N, 0xffffffff, 0x00000073)   \
	X(EBREAK, "ebreak", N, 0xffffffff, 0x00100073) \
	X(CSR, "csr", C, 0x0000007f, 0x00000073)       \
	X(TTINSN, "ttinsn", T, 0x00000000, 0x00000000)

/*
 * Only in decoded text: branches that stay in their page (imm counts instructions), changes of the
 * stack pointer, the end of a page, and words that match no row. TTINSN is any word whose low bits
 * are not 11: the word, rotated, is pushed to the tile engine.
 */
#define RV32_EXTRA(X) \
	X(BEQ_N)      \
	X(BNE_N)      \
	X(BLT_N)      \
	X(BGE_N)      \
	X(BLTU_N) X(BGEU_N) X(JAL_N) X(J_N) X(ADDI_SP) X(ADD_SP) X(SUB_SP) X(PAGE_END) X(ILLEGAL)

enum rv32_op {
#define X(name, ...) RV32_OP_##name,
	RV32_OPS(X) RV32_EXTRA(X)
#undef X
		RV32_OP_COUNT
};

enum rv32_format {
	RV32_R, /* rd, rs1, rs2 */
	RV32_I, /* rd, rs1, imm */
	RV32_H, /* rd, rs1, shift amount */
	RV32_L, /* rd, imm(rs1) */
	RV32_S, /* rs2, imm(rs1) */
	RV32_B, /* rs1, rs2, target */
	RV32_U, /* rd, imm */
	RV32_J, /* rd, target */
	RV32_N, /* nothing */
	RV32_C, /* rd, csr: treated as a read of 0 */
	RV32_T, /* a word for the tile engine */
};

struct rv32_insn {
	uint8_t op; /* enum rv32_op */
	uint8_t rd; /* RV32_SINK for x0 */
	uint8_t rs1, rs2;
	int32_t imm; /* U: the whole value, AUIPC: with pc added, TTINSN: the rotated word */
};

struct rv32_page {
	struct rv32_insn insn[RV32_PAGE_INSNS + 1];
	uint32_t base;
	uint64_t hash;
	struct rv32_page *next; /* next of the same bucket */
	uint8_t text[RV32_PAGE];
};

/* Decodes one word for address PC; branches keep byte offsets. Never fails: RV32_OP_ILLEGAL. */
struct rv32_insn rv32_decode(uint32_t word, uint32_t pc);

/* Fills page->insn from page->text and page->base. */
void rv32_decode_page(struct rv32_page *page);

/* "addi a0, a0, 4". SYMBOL (may be NULL) names branch targets. Returns text. */
typedef const char *(*rv32_symbol)(void *context, uint32_t address, uint32_t *offset);
char *rv32_disasm(char *text, size_t size, uint32_t word, uint32_t pc, rv32_symbol symbol,
		  void *context);

/* "a0" for 10. */
const char *rv32_reg_name(unsigned reg);

/* Results of the M instructions including corner cases; shared by both interpreters. */
static inline uint32_t rv32_div(uint32_t a, uint32_t b)
{
	if (!b)
		return UINT32_MAX;
	if (a == 0x80000000u && b == UINT32_MAX)
		return a;
	return (uint32_t)((int32_t)a / (int32_t)b);
}

static inline uint32_t rv32_rem(uint32_t a, uint32_t b)
{
	if (!b)
		return a;
	if (a == 0x80000000u && b == UINT32_MAX)
		return 0;
	return (uint32_t)((int32_t)a % (int32_t)b);
}

static inline uint32_t rv32_mulhsu(uint32_t a, uint32_t b)
{
	return (uint32_t)(((int64_t)(int32_t)a * (int64_t)(uint64_t)b) >> 32);
}

#endif
