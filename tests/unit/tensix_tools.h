/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the software device share: an assembler by macros and a core that runs words.
 */
#ifndef TENSIX_TOOLS_H
#define TENSIX_TOOLS_H

#include "tensix/private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define RR(match, rd, rs1, rs2) \
	((match) | (uint32_t)(rd) << 7 | (uint32_t)(rs1) << 15 | (uint32_t)(rs2) << 20)
#define RI(match, rd, rs1, imm) \
	((match) | (uint32_t)(rd) << 7 | (uint32_t)(rs1) << 15 | (uint32_t)(imm) << 20)
#define RS(match, rs2, rs1, imm)                                                               \
	((match) | ((uint32_t)(imm)&31) << 7 | (uint32_t)(rs1) << 15 | (uint32_t)(rs2) << 20 | \
	 ((uint32_t)(imm) >> 5 & 127) << 25)
#define RB(match, rs1, rs2, imm)                                                 \
	((match) | (uint32_t)(rs1) << 15 | (uint32_t)(rs2) << 20 |               \
	 ((uint32_t)(imm) >> 12 & 1) << 31 | ((uint32_t)(imm) >> 5 & 63) << 25 | \
	 ((uint32_t)(imm) >> 1 & 15) << 8 | ((uint32_t)(imm) >> 11 & 1) << 7)
#define LUI(rd, value)     (0x37u | (uint32_t)(rd) << 7 | ((uint32_t)(value)&0xfffff000u))
#define AUIPC(rd, value)   (0x17u | (uint32_t)(rd) << 7 | ((uint32_t)(value)&0xfffff000u))
#define ADDI(rd, rs1, imm) RI(0x13u, rd, rs1, imm)
#define ADD(rd, rs1, rs2)  RR(0x33u, rd, rs1, rs2)
#define LW(rd, rs1, imm)   RI(0x2003u, rd, rs1, imm)
#define SW(rs2, rs1, imm)  RS(0x2023u, rs2, rs1, imm)
#define BEQ(rs1, rs2, imm) RB(0x63u, rs1, rs2, imm)
#define BNE(rs1, rs2, imm) RB(0x1063u, rs1, rs2, imm)
#define EBREAK             0x00100073u
#define J(imm)                                                                             \
	(0x6fu | ((uint32_t)(imm) >> 20 & 1) << 31 | ((uint32_t)(imm) >> 1 & 1023) << 21 | \
	 ((uint32_t)(imm) >> 11 & 1) << 20 | ((uint32_t)(imm) >> 12 & 255) << 12)
/* Two instructions: any value. */
#define LI(rd, value) LUI(rd, (uint32_t)(value) + 0x800u), ADDI(rd, rd, (uint32_t)(value)&0xfffu)

static inline struct tensix *tools_device(const char *arch)
{
	struct tensix_config config = {.arch = arch, .seed = 1};
	struct tensix *t = NULL;
	struct tacho_error err;

	assert_int_equal(tensix_new(&t, &config, &err), 0);
	return t;
}

static inline int tools_core(struct tensix *t, unsigned x, unsigned y)
{
	return tensix_core_logical(t, TENSIX_WORKER, x, y);
}

static inline void tools_write32(struct tensix *t, int core, uint32_t address, uint32_t value)
{
	assert_int_equal(tensix_write(t, (unsigned)core, address, &value, 4), 0);
}

static inline uint32_t tools_read32(struct tensix *t, int core, uint32_t address)
{
	uint32_t value = 0;

	assert_int_equal(tensix_read(t, (unsigned)core, address, &value, 4), 0);
	return value;
}

/* Lets the RISCs of MASK (bit per enum tensix_risc) of a core go. */
static inline void tools_start(struct tensix *t, int core, unsigned mask)
{
	static const uint32_t bits[] = {1u << 11, 1u << 18, 1u << 12, 1u << 13, 1u << 14};
	uint32_t reset = TENSIX_RESET_ALL;

	for (unsigned i = 0; i < 5; i++)
		if (mask >> i & 1)
			reset &= ~bits[i];
	tools_write32(t, core, TENSIX_SOFT_RESET, reset);
}

/* Runs words on BRISC of core 0,0 until it stops; gives its fault and registers. */
static inline struct tensix_fault tools_run(struct tensix *t, const uint32_t *words, size_t n)
{
	struct tensix_fault fault = {0};
	int core = tools_core(t, 0, 0);

	tools_write32(t, core, TENSIX_SOFT_RESET, TENSIX_RESET_ALL);
	assert_int_equal(tensix_write(t, (unsigned)core, 0, words, 4 * n), 0);
	tools_start(t, core, 1u << TENSIX_B);
	tensix_run(t, 100000);
	tensix_fault(t, &fault, true);
	return fault;
}

#define TOOLS_RUN(t, ...) \
	tools_run(t, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

#endif
