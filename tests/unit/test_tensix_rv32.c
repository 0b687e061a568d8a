/* SPDX-License-Identifier: Apache-2.0 */
/* Every RV32IM instruction and its corners, on both interpreters. */
#include "tensix_tools.h"

static struct tensix *device;

static int cpu_setup(void **state)
{
	(void)state;
	device = tools_device("tiny");
	return 0;
}

static int cpu_teardown(void **state)
{
	(void)state;
	tensix_free(device);
	return 0;
}

/* a0 = 10, a1 = 11, a2 = 12 */
static uint32_t run_rr(uint32_t match, uint32_t a, uint32_t b)
{
	struct tensix_fault f =
		TOOLS_RUN(device, LI(10, a), LI(11, b), RR(match, 12, 10, 11), EBREAK);

	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	return f.x[12];
}

static uint32_t run_ri(uint32_t match, uint32_t a, uint32_t imm)
{
	struct tensix_fault f =
		TOOLS_RUN(device, LI(10, a), RI(match, 12, 10, imm & 0xfff), EBREAK);

	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	return f.x[12];
}

static const struct {
	uint32_t match, a, b, result;
} register_cases[] = {
	{0x00000033, 0xffffffff, 1, 0},                   /* add */
	{0x40000033, 0, 1, 0xffffffff},                   /* sub */
	{0x00001033, 1, 33, 2},                           /* sll: five bits count */
	{0x00002033, 0x80000000, 1, 1},                   /* slt */
	{0x00003033, 0x80000000, 1, 0},                   /* sltu */
	{0x00004033, 0xff00, 0x0ff0, 0xf0f0},             /* xor */
	{0x00005033, 0x80000000, 31, 1},                  /* srl */
	{0x40005033, 0x80000000, 31, 0xffffffff},         /* sra */
	{0x00006033, 0xf0, 0x0f, 0xff},                   /* or */
	{0x00007033, 0xf0, 0x3c, 0x30},                   /* and */
	{0x02000033, 0xffffffff, 0xffffffff, 1},          /* mul */
	{0x02001033, 0x80000000, 0x80000000, 0x40000000}, /* mulh: both negative */
	{0x02001033, 0xffffffff, 1, 0xffffffff},          /* mulh: one negative */
	{0x02002033, 0xffffffff, 0xffffffff, 0xffffffff}, /* mulhsu: -1 x big */
	{0x02002033, 0x80000000, 0xffffffff, 0x80000000}, /* mulhsu: the extreme */
	{0x02002033, 0x7fffffff, 0xffffffff, 0x7ffffffe}, /* mulhsu: both positive */
	{0x02003033, 0xffffffff, 0xffffffff, 0xfffffffe}, /* mulhu */
	{0x02004033, 7, 0, 0xffffffff},                   /* div by zero */
	{0x02004033, 0x80000000, 0xffffffff, 0x80000000}, /* div: overflow */
	{0x02004033, 0xfffffff9, 2, 0xfffffffd},          /* div rounds to zero */
	{0x02005033, 7, 0, 0xffffffff},                   /* divu by zero */
	{0x02005033, 0xfffffff9, 2, 0x7ffffffc},          /* divu */
	{0x02006033, 7, 0, 7},                            /* rem by zero */
	{0x02006033, 0x80000000, 0xffffffff, 0},          /* rem: overflow */
	{0x02006033, 0xfffffff9, 2, 0xffffffff},          /* rem has the dividend's sign */
	{0x02007033, 7, 0, 7},                            /* remu by zero */
	{0x02007033, 0xfffffff9, 2, 1},                   /* remu */
};

static void test_registers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(register_cases) / sizeof(register_cases[0]); i++)
		assert_int_equal(
			run_rr(register_cases[i].match, register_cases[i].a, register_cases[i].b),
			register_cases[i].result);
}

static const struct {
	uint32_t match, a, imm, result;
} immediate_cases[] = {
	{0x0013, 5, 0xfff, 4},                        /* addi -1 */
	{0x2013, 0xfffffffe, 0xfff, 1},               /* slti */
	{0x3013, 0xfffffffe, 0xfff, 1},               /* sltiu: the immediate is extended first */
	{0x4013, 0x0f, 0xfff, 0xfffffff0},            /* xori */
	{0x6013, 0xf00, 0x0ff, 0xfff},                /* ori */
	{0x7013, 0xfff, 0xff0, 0xff0},                /* andi */
	{0x1013, 1, 31, 0x80000000},                  /* slli */
	{0x5013, 0x80000000, 31, 1},                  /* srli */
	{0x5013, 0x80000000, 0x400 | 31, 0xffffffff}, /* srai */
};

static void test_immediates(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(immediate_cases) / sizeof(immediate_cases[0]); i++)
		assert_int_equal(run_ri(immediate_cases[i].match, immediate_cases[i].a,
					immediate_cases[i].imm),
				 immediate_cases[i].result);
}

static void test_upper(void **state)
{
	struct tensix_fault f;

	(void)state;
	f = TOOLS_RUN(device, LUI(5, 0xfffff000), AUIPC(6, 0x1000), EBREAK);
	assert_int_equal(f.x[5], 0xfffff000);
	assert_int_equal(f.x[6], 0x1004);
	assert_int_equal(f.pc, 8);
}

static void test_x0(void **state)
{
	struct tensix_fault f;

	(void)state;
	f = TOOLS_RUN(device, ADDI(0, 0, 5), LUI(0, 0x1000), LW(0, 0, 0), ADD(5, 0, 0), EBREAK);
	assert_int_equal(f.x[0], 0);
	assert_int_equal(f.x[5], 0);
}

static void test_branches(void **state)
{
	/* funct3, a, b, taken */
	static const struct {
		uint32_t funct3, a, b;
		bool taken;
	} cases[] = {
		{0, 1, 1, true},          {0, 1, 2, false},          {1, 1, 2, true},
		{1, 2, 2, false},         {4, 0xffffffff, 0, true},  {4, 0, 0xffffffff, false},
		{4, 1, 1, false},         {5, 1, 1, true},           {5, 0xffffffff, 0, false},
		{5, 0, 0xffffffff, true}, {6, 0xffffffff, 0, false}, {6, 0, 0xffffffff, true},
		{7, 0xffffffff, 0, true}, {7, 0, 0xffffffff, false}, {7, 3, 3, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tensix_fault f = TOOLS_RUN(
			device, LI(10, cases[i].a), LI(11, cases[i].b), ADDI(12, 0, 1),
			RB(0x63u | cases[i].funct3 << 12, 10, 11, 8), ADDI(12, 0, 0), EBREAK);

		assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
		assert_int_equal(f.x[12], cases[i].taken);
	}
}

static void test_loop_and_calls(void **state)
{
	struct tensix_fault f;

	(void)state;
	/* sum 1..10, then a call and a return */
	f = TOOLS_RUN(device, ADDI(5, 0, 10), ADD(6, 6, 5), ADDI(5, 5, -1 & 0xfff), BNE(5, 0, -8),
		      J(12) | 1u << 7, ADDI(7, 7, 1), EBREAK, ADDI(7, 0, 40), RI(0x67u, 0, 1, 0));
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	assert_int_equal(f.x[6], 55);
	assert_int_equal(f.x[7], 41);
	assert_int_equal(f.x[1], 20);
}

/* A program that crosses a page of decoded text, forwards and backwards. */
static void test_pages(void **state)
{
	uint32_t words[600];
	struct tensix_fault f;
	size_t n = 0;

	(void)state;
	words[n++] = ADDI(5, 0, 3);
	for (; n < 500;)
		words[n++] = ADDI(6, 6, 1);
	words[n++] = ADDI(5, 5, -1 & 0xfff);
	words[n] = BNE(5, 0, -(int32_t)(n - 1) * 4);
	n++;
	words[n++] = EBREAK;
	f = tools_run(device, words, n);
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	assert_int_equal(f.x[6], 3 * 499);
}

static void test_loads(void **state)
{
	struct tensix_fault f;
	int core = tools_core(device, 0, 0);

	(void)state;
	tools_write32(device, core, 0x2000, 0x8081ff7f);
	f = TOOLS_RUN(device, LUI(5, 0x2000), RI(0x0003u, 10, 5, 1), RI(0x4003u, 11, 5, 1),
		      RI(0x1003u, 12, 5, 2), RI(0x5003u, 13, 5, 2), LW(14, 5, 0),
		      RI(0x0003u, 15, 5, 0), EBREAK);
	assert_int_equal(f.x[10], 0xffffffff);
	assert_int_equal(f.x[11], 0xff);
	assert_int_equal(f.x[12], 0xffff8081);
	assert_int_equal(f.x[13], 0x8081);
	assert_int_equal(f.x[14], 0x8081ff7f);
	assert_int_equal(f.x[15], 0x7f);
}

static void test_stores(void **state)
{
	int core = tools_core(device, 0, 0);

	(void)state;
	tools_write32(device, core, 0x2000, 0);
	TOOLS_RUN(device, LUI(5, 0x2000), LI(6, 0x11223344), RS(0x0023u, 6, 5, 3),
		  RS(0x1023u, 6, 5, 0), LUI(7, TENSIX_LOCAL), SW(6, 7, 0x7fc), LW(8, 7, 0x7fc),
		  SW(8, 5, 4), EBREAK);
	assert_int_equal(tools_read32(device, core, 0x2000), 0x44003344);
	assert_int_equal(tools_read32(device, core, 0x2004), 0x11223344);
}

/* Jumps: where they go, what they leave, and what the lowest bit does. */
static void test_jumps(void **state)
{
	struct tensix_fault f;

	(void)state;
	/* jal links; jalr clears bit 0 and reads its register before it writes it */
	f = TOOLS_RUN(device, J(8) | 5u << 7, EBREAK, ADDI(6, 0, 25), RI(0x67u, 6, 6, 0), EBREAK,
		      EBREAK, ADDI(7, 0, 9), EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	assert_int_equal(f.x[5], 4);
	assert_int_equal(f.x[6], 16);
	assert_int_equal(f.x[7], 9);
	/* with a negative offset, and rd = x0 */
	f = TOOLS_RUN(device, ADDI(6, 0, 24), RI(0x67u, 0, 6, (-8) & 0xfff), EBREAK, EBREAK,
		      ADDI(7, 0, 3), EBREAK);
	assert_int_equal(f.x[7], 3);
	assert_int_equal(f.x[0], 0);
	/* a taken branch that leaves the page backwards and one that stays */
	f = TOOLS_RUN(device, ADDI(5, 0, 2), BEQ(5, 0, 12), ADDI(5, 5, -1 & 0xfff), J(-8), EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	assert_int_equal(f.x[5], 0);
	/* without compressed instructions no branch can have a target that is not a multiple of
	 * four */
	f = TOOLS_RUN(device, RB(0x63u, 0, 0, 6), EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_ILLEGAL);
	f = TOOLS_RUN(device, J(6), EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_ILLEGAL);
}

/* Words that look like instructions and are none. */
static void test_illegal(void **state)
{
	static const uint32_t words[] = {
		0x0000007f,          /* no such opcode */
		0x00007063 ^ 0x5000, /* branch with funct3 2 */
		0x00003063,          /* branch with funct3 3 */
		0x00003003,          /* ld */
		0x00006003,          /* lwu */
		0x00007003,
		0x00003023,            /* sd */
		0x40001033,            /* sll with sub's bit */
		0x04000033,            /* funct7 2 */
		0x02000013 | 1u << 12, /* slli by 32 */
		0x80005013,            /* srli with a bit too many */
		0x00001067,            /* jalr with funct3 1 */
		0x0000003b,            /* addw */
		0x0000202f,            /* an atomic */
		0x00000053,            /* a float */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct tensix_fault f = TOOLS_RUN(device, words[i], EBREAK);

		if (f.kind != TENSIX_FAULT_ILLEGAL)
			fail_msg("0x%08x: %s", words[i], tensix_fault_name(f.kind));
		assert_int_equal(f.word, words[i]);
		assert_int_equal(f.pc, 0);
	}
}

/* Bytes and halves of registers: a load takes its part, a store leaves the others. */
static void test_register_parts(void **state)
{
	struct tensix_fault f;

	(void)state;
	f = TOOLS_RUN(device, LI(5, TENSIX_STREAMS + 40), LI(6, 0x11228344), SW(6, 5, 0),
		      RI(0x0003u, 10, 5, 1), RI(0x4003u, 11, 5, 1), RI(0x5003u, 12, 5, 2),
		      ADDI(7, 0, 0x55), RS(0x0023u, 7, 5, 2), LW(13, 5, 0), EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	assert_int_equal(f.x[10], 0xffffff83);
	assert_int_equal(f.x[11], 0x83);
	assert_int_equal(f.x[12], 0x1122);
	assert_int_equal(f.x[13], 0x11558344);
}

static void test_faults(void **state)
{
	static const struct {
		uint32_t address;
		uint32_t match;
		enum tensix_fault_kind kind;
	} cases[] = {
		{0x2001, 0x2003, TENSIX_FAULT_MISALIGNED},
		{0x2002, 0x2003, TENSIX_FAULT_MISALIGNED},
		{0x2001, 0x1003, TENSIX_FAULT_MISALIGNED},
		{0x2001, 0x5003, TENSIX_FAULT_MISALIGNED},
		{0x200000, 0x2003, TENSIX_FAULT_WILD},
		{0x80000000, 0x0003, TENSIX_FAULT_WILD},
		{TENSIX_LOCAL + 4096, 0x2003, TENSIX_FAULT_WILD},
	};
	struct tensix_fault f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f = TOOLS_RUN(device, LI(5, cases[i].address), RI(cases[i].match, 6, 5, 0), EBREAK);
		assert_int_equal(f.kind, cases[i].kind);
		assert_int_equal(f.address, cases[i].address);
		assert_int_equal(f.pc, 8);
		assert_int_equal(f.x[5], cases[i].address);
		assert_int_equal(f.word, RI(cases[i].match, 6, 5, 0));
	}
	f = TOOLS_RUN(device, LI(5, 0x2001), RS(0x1023u, 6, 5, 0), EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_MISALIGNED);
	f = TOOLS_RUN(device, 0xffffffffu);
	assert_int_equal(f.kind, TENSIX_FAULT_ILLEGAL);
	f = TOOLS_RUN(device, 0u);
	assert_int_equal(f.kind, TENSIX_FAULT_ILLEGAL);
	f = TOOLS_RUN(device, LI(5, 0x90000000), RI(0x67u, 0, 5, 0));
	assert_int_equal(f.kind, TENSIX_FAULT_FETCH);
	f = TOOLS_RUN(device, ADDI(5, 0, 6), RI(0x67u, 0, 5, 0));
	assert_int_equal(f.kind, TENSIX_FAULT_FETCH);
	f = TOOLS_RUN(device, 0x73u);
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
}

static void test_fence_and_csr(void **state)
{
	struct tensix_fault f;

	(void)state;
	f = TOOLS_RUN(device, 0x0ff0000fu, 0x0000100fu, ADDI(5, 0, 7), 0xf14022f3u, EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	assert_int_equal(f.x[5], 0);
}

/* A program may write its own text: the written code runs. */
static void test_self_modification(void **state)
{
	struct tensix_fault f;

	(void)state;
	f = TOOLS_RUN(device, LI(5, ADDI(7, 0, 42)), SW(5, 0, 16), ADDI(8, 0, 1), ADDI(7, 0, 1),
		      EBREAK);
	assert_int_equal(f.x[7], 42);
}

/* Counters as the hardware has them: a value that is loaded from L1 can be used 8 cycles later. */
static void test_latencies(void **state)
{
	struct tensix_fault a, b;
	uint64_t plain, waits;
	uint64_t start = tensix_now(device);

	(void)state;
	a = TOOLS_RUN(device, LUI(5, 0x2000), LW(6, 5, 0), ADDI(7, 0, 1), EBREAK);
	plain = a.cycle - start;
	start = tensix_now(device);
	b = TOOLS_RUN(device, LUI(5, 0x2000), LW(6, 5, 0), ADDI(7, 6, 1), EBREAK);
	waits = b.cycle - start;
	assert_int_equal(waits - plain, LATENCY_L1 - 1);
	start = tensix_now(device);
	a = TOOLS_RUN(device, LI(5, 0xffffffff), LI(6, 1), RR(0x02005033, 7, 5, 6), EBREAK);
	assert_int_equal(a.cycle - start, 4 + 33);
}

static uint32_t random_state = 12345;
static uint32_t random_word(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state ^ random_state >> 13;
}

static int bus_load(void *context, uint32_t address, unsigned size, uint32_t *value)
{
	uint8_t *memory = context;

	memcpy(value, memory + (address - 0x4000), size);
	return 0;
}

static int bus_store(void *context, uint32_t address, unsigned size, uint32_t value)
{
	uint8_t *memory = context;

	memcpy(memory + (address - 0x4000), &value, size);
	return 0;
}

/*
 * A random instruction; loads and stores go through s0, which holds 0x4000; branches and jumps go
 * forward by a few instructions, of which LEFT are there.
 */
static uint32_t random_insn(uint32_t left)
{
	static const uint32_t rr[] = {
		0x00000033, 0x40000033, 0x00001033, 0x00002033, 0x00003033, 0x00004033,
		0x00005033, 0x40005033, 0x00006033, 0x00007033, 0x02000033, 0x02001033,
		0x02002033, 0x02003033, 0x02004033, 0x02005033, 0x02006033, 0x02007033,
	};
	static const uint32_t ri[] = {0x0013, 0x2013, 0x3013, 0x4013, 0x6013, 0x7013};
	static const uint32_t shifts[] = {0x1013, 0x5013, 0x40005013};
	static const uint32_t loads[] = {0x0003, 0x1003, 0x2003, 0x4003, 0x5003};
	static const uint32_t stores[] = {0x0023, 0x1023, 0x2023};
	static const uint32_t branches[] = {0x0063, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};
	uint32_t rd = random_word() % 32, r = random_word() % 11, how = random_word() % 3;
	uint32_t far = left > 4 ? 4 * (1 + random_word() % 4) : 4;

	if (rd == 8)
		rd = 9;
	if (r == 8)
		return RB(branches[random_word() % 6], random_word() % 32, random_word() % 32, far);
	if (r == 9)
		return J(far) | rd << 7;
	if (r == 10)
		return (random_word() & 1 ? LUI(rd, random_word()) : AUIPC(rd, random_word()));
	if (r < 4)
		return RR(rr[random_word() % 18], rd, random_word() % 32, random_word() % 32);
	if (r < 6)
		return how ? RI(ri[random_word() % 6], rd, random_word() % 32, random_word() % 4096)
			   : RI(shifts[random_word() % 3], rd, random_word() % 32,
				random_word() % 32);
	if (r == 6)
		return RI(loads[random_word() % 5], rd, 8, random_word() % 256 * 4);
	return RS(stores[how], random_word() % 32, 8, random_word() % 256 * 4);
}

static void test_both_interpreters_agree(void **state)
{
	static uint8_t memory[1024];
	struct step_bus bus = {memory, bus_load, bus_store};
	int core = tools_core(device, 0, 0);

	(void)state;
	for (int round = 0; round < 200; round++) {
		uint32_t words[200], x[RV32_REGS] = {0}, pc = 0, end[256];
		struct tensix_fault f;
		size_t n = 0;

		for (unsigned i = 1; i < 32; i++) {
			uint32_t v = i == 8 ? 0x4000 : random_word() >> random_word() % 32;

			words[n++] = LUI(i, v + 0x800u);
			words[n++] = ADDI(i, i, v & 0xfff);
		}
		while (n < 199)
			words[n] = random_insn(199 - (uint32_t)n), n++;
		words[n++] = EBREAK;
		for (unsigned i = 0; i < 256; i++) {
			uint32_t v = random_word();

			memcpy(memory + 4 * i, &v, 4);
		}
		assert_int_equal(tensix_write(device, (unsigned)core, 0x4000, memory, 1024), 0);
		f = tools_run(device, words, n);
		for (enum step_result r = STEP_OK; r == STEP_OK;)
			r = rv32_step(x, &pc, words[pc / 4], &bus);
		assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
		assert_int_equal(f.pc, pc);
		assert_memory_equal(f.x, x, sizeof(f.x));
		assert_int_equal(tensix_read(device, (unsigned)core, 0x4000, end, 1024), 0);
		assert_memory_equal(end, memory, 1024);
	}
}

static void test_disasm(void **state)
{
	char text[128];

	(void)state;
	assert_string_equal(rv32_disasm(text, sizeof(text), ADDI(10, 11, 0xfff), 0, NULL, NULL),
			    "addi a0, a1, -1");
	assert_string_equal(rv32_disasm(text, sizeof(text), LW(10, 2, 8), 0, NULL, NULL),
			    "lw a0, 8(sp)");
	assert_string_equal(rv32_disasm(text, sizeof(text), SW(10, 2, 8), 0, NULL, NULL),
			    "sw a0, 8(sp)");
	assert_string_equal(rv32_disasm(text, sizeof(text), BNE(5, 0, -8), 0x100, NULL, NULL),
			    "bne t0, zero, 0xf8");
	assert_string_equal(rv32_disasm(text, sizeof(text), LUI(10, 0x12345000), 0, NULL, NULL),
			    "lui a0, 0x12345");
	assert_string_equal(rv32_disasm(text, sizeof(text), 0xffffffff, 0, NULL, NULL),
			    ".word 0xffffffff");
	assert_string_equal(rv32_disasm(text, sizeof(text), 0x08000000u, 0, NULL, NULL),
			    "ttinsn 0x02000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_immediates),
		cmocka_unit_test(test_upper),
		cmocka_unit_test(test_x0),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_loop_and_calls),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_stores),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_illegal),
		cmocka_unit_test(test_register_parts),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_fence_and_csr),
		cmocka_unit_test(test_self_modification),
		cmocka_unit_test(test_latencies),
		cmocka_unit_test(test_both_interpreters_agree),
		cmocka_unit_test(test_disasm),
	};

	return cmocka_run_group_tests(tests, cpu_setup, cpu_teardown);
}
