/* SPDX-License-Identifier: Apache-2.0 */
/* Cores, their registers, the NoC and DRAM, as a program sees them. */
#include "tensix_tools.h"

#define NIU(reg)   (TENSIX_NIU0 + 4 * (reg))
#define NIU_CTR(i) (TENSIX_NIU0 + 0x200 + 4 * (i))
#define MID(x, y)  ((uint32_t)(x) << 4 | (uint32_t)(y) << 10)
enum { LO, TMID, RLO = 3, RMID, TAG = 6, CTRL, LEN, DATA, GO };

static struct tensix *device;

static int core_setup(void **state)
{
	(void)state;
	device = tools_device("tiny");
	return 0;
}

static int core_teardown(void **state)
{
	(void)state;
	tensix_free(device);
	return 0;
}

/* One NoC command, given from outside as if a RISC had stored it. */
static void noc_command(int core, uint32_t tlo, uint32_t tmid, uint32_t rlo, uint32_t rmid,
			uint32_t ctrl, uint32_t len, uint32_t data)
{
	const uint32_t values[][2] = {{LO, tlo},    {TMID, tmid}, {RLO, rlo},   {RMID, rmid},
				      {CTRL, ctrl}, {LEN, len},   {DATA, data}, {GO, 1}};

	for (size_t i = 0; i < 8; i++)
		tools_write32(device, core, NIU(values[i][0]), values[i][1]);
}

static struct tensix_place code_place(int core)
{
	struct tensix_place p;

	tensix_place(device, (unsigned)core, &p);
	return p;
}

/*
 * A firmware that we did not write boots by the hardware's rules alone: a jump at 0, the mailbox's
 * go word, the answer in it. This one adds two words and lets NCRISC go, which runs from its own
 * address.
 */
static void test_boot(void **state)
{
	const uint32_t brisc[] = {
		LI(5, 1184),
		LW(6, 5, 0),
		RI(0x5013u, 7, 6, 24),
		ADDI(8, 0, 0x80),
		BNE(7, 8, -12),
		LI(9, 0x20000),
		LW(10, 9, 0),
		LW(11, 9, 4),
		ADD(10, 10, 11),
		SW(10, 9, 8),
		LI(12, TENSIX_SOFT_RESET),
		SW(0, 12, 0),
		LW(13, 9, 12),
		BEQ(13, 0, -4),
		SW(0, 5, 0),
		J(-16 * 4),
	};
	const uint32_t ncrisc[] = {LI(9, 0x20000), ADDI(10, 0, 77), SW(10, 9, 12), J(0)};
	uint32_t jump = J(0x3A00);
	int core = tools_core(device, 0, 0);

	(void)state;
	/* TRISCs come out of reset too: they find a loop. */
	for (uint32_t at = 0x6000; at <= 0xE000; at += 0x4000)
		tools_write32(device, core, at, J(0));
	tensix_write(device, (unsigned)core, 0x3A00, brisc, sizeof(brisc));
	tensix_write(device, (unsigned)core, 0x12000, ncrisc, sizeof(ncrisc));
	tools_write32(device, core, 0, jump);
	tools_write32(device, core, 0x20000, 30);
	tools_write32(device, core, 0x20004, 12);
	tools_start(device, core, 1u << TENSIX_B);
	assert_int_equal(tensix_run(device, 10000), TENSIX_IDLE);
	tools_write32(device, core, 1184, 0x80u << 24);
	assert_int_equal(tensix_run(device, 10000), TENSIX_IDLE);
	assert_int_equal(tools_read32(device, core, 0x20008), 42);
	assert_int_equal(tools_read32(device, core, 0x2000c), 77);
	assert_int_equal(tools_read32(device, core, 1184), 0);
}

/* A RISC that polls is found where it would be if it had polled all the time. */
static void test_sleep(void **state)
{
	const uint32_t words[] = {LI(5, 0x20000), LW(6, 5, 0), BEQ(6, 0, -4), EBREAK};
	int core = tools_core(device, 0, 0);
	struct tensix_hart_info info;
	struct tensix_stats stats;
	struct tensix_fault f;
	uint64_t start;

	(void)state;
	tensix_write(device, (unsigned)core, 0, words, sizeof(words));
	tools_start(device, core, 1);
	assert_int_equal(tensix_run(device, 100000), TENSIX_IDLE);
	tensix_hart(device, (unsigned)core, TENSIX_B, &info);
	assert_int_equal(info.state, TENSIX_WAITING);
	assert_int_equal(info.watched, 0x20000);
	start = info.cycle;
	tensix_advance(device, 1000000);
	assert_int_equal(tensix_now(device), 1000000);
	tools_write32(device, core, 0x20004, 1);
	assert_int_equal(tensix_run(device, 1000), TENSIX_IDLE);
	tools_write32(device, core, 0x20000, 1);
	assert_int_equal(tensix_run(device, 1000), TENSIX_FAULT);
	tensix_fault(device, &f, true);
	assert_int_equal(f.x[6], 1);
	assert_true(f.cycle >= 1000000 && f.cycle < 1000100);
	tensix_stats(device, &stats);
	assert_true(stats.slept > 2 * (1000000 - start) / 9 - 10);
	assert_true(stats.instructions < 100);
}

static void test_soft_reset(void **state)
{
	const uint32_t words[] = {ADDI(5, 5, 1), J(-4)};
	int core = tools_core(device, 0, 0);
	struct tensix_hart_info info;
	uint64_t n;

	(void)state;
	tensix_write(device, (unsigned)core, 0x9000, words, sizeof(words));
	assert_int_equal(tools_read32(device, core, TENSIX_SOFT_RESET), TENSIX_RESET_ALL);
	/* where TRISC1 starts, and that it counts */
	tools_write32(device, core, TENSIX_CONFIG + 4 * 159, 0x9000);
	tools_write32(device, core, TENSIX_CONFIG + 4 * 161, 7);
	tools_start(device, core, 1u << TENSIX_T1);
	assert_int_equal(tensix_run(device, 1000), TENSIX_LIMIT);
	tensix_hart(device, (unsigned)core, TENSIX_T1, &info);
	assert_int_equal(info.state, TENSIX_RUNNING);
	assert_true(info.instructions > 900);
	n = info.instructions;
	tools_write32(device, core, TENSIX_SOFT_RESET, TENSIX_RESET_ALL);
	assert_int_equal(tensix_run(device, 1000), TENSIX_IDLE);
	tensix_hart(device, (unsigned)core, TENSIX_T1, &info);
	assert_int_equal(info.state, TENSIX_RESET);
	assert_int_equal(info.instructions, n);
}

static void test_clock(void **state)
{
	int core = tools_core(device, 1, 0);

	(void)state;
	tensix_advance(device, 5000);
	assert_int_equal(tools_read32(device, core, TENSIX_CLOCK_LOW), 5000);
	tensix_clock_offset(device, (unsigned)core, (5ll << 32) - 5001);
	assert_int_equal(tools_read32(device, core, TENSIX_CLOCK_LOW), 0xffffffff);
	assert_int_equal(tools_read32(device, core, TENSIX_CLOCK_LATCH), 4);
	tensix_advance(device, 5001);
	/* the latch keeps what it had when the low word was read */
	assert_int_equal(tools_read32(device, core, TENSIX_CLOCK_LATCH), 4);
	assert_int_equal(tools_read32(device, core, TENSIX_CLOCK_HIGH), 5);
	tensix_clock_offset(device, (unsigned)core, 0);
	assert_int_equal(tensix_clock_rate(device, (unsigned)core, 10000, 0.5), 0);
	assert_int_equal(tensix_clock_rate(device, (unsigned)core, 20000, 2), 0);
	assert_int_equal(tensix_clock_rate(device, (unsigned)core, 15000, 1), TACHO_EUSAGE);
	assert_int_equal(tensix_clock_read(device, (unsigned)core, 10000), 10000);
	assert_int_equal(tensix_clock_read(device, (unsigned)core, 20000), 15000);
	assert_int_equal(tensix_clock_read(device, (unsigned)core, 30000), 35000);
}

static void test_noc_write_and_read(void **state)
{
	int a = tools_core(device, 0, 0), b = tools_core(device, 1, 1);
	struct tensix_place to = code_place(b);
	uint64_t start = tensix_now(device);

	(void)state;
	tools_write32(device, a, 0x30000, 0x12345678);
	noc_command(a, 0x30000, 0, 0x40000, MID(to.x, to.y), 0x12, 4, 0);
	assert_int_equal(tools_read32(device, a, NIU_CTR(0xA)), 1);
	assert_int_equal(tools_read32(device, a, NIU_CTR(1)), 0);
	assert_int_equal(tensix_run(device, 1000), TENSIX_IDLE);
	assert_int_equal(tools_read32(device, b, 0x40000), 0x12345678);
	assert_int_equal(tools_read32(device, a, NIU_CTR(1)), 1);
	/* there: 5 + 2 hops of 9 + 5 + 2 flits; the answer goes round the torus: 4 hops, 1 flit */
	assert_in_range(tensix_now(device) - start, 30, 30 + 47 + 3 * TENSIX_WINDOW);

	tools_write32(device, b, 0x50000, 0xabcdef01);
	noc_command(a, 0x50000, MID(to.x, to.y), 0x60000, 0, 0x10, 4, 0);
	assert_int_equal(tools_read32(device, a, NIU_CTR(5)), 1);
	assert_int_equal(tensix_run(device, 1000), TENSIX_IDLE);
	assert_int_equal(tools_read32(device, a, 0x60000), 0xabcdef01);
	assert_int_equal(tools_read32(device, a, NIU_CTR(2)), 1);
}

/* A transfer of no bytes is a transfer: it is answered and counted. */
static void test_noc_empty(void **state)
{
	int a = tools_core(device, 0, 0);

	(void)state;
	noc_command(a, 0x50000, MID(1, 1), 0x60000, 0, 0x10, 0, 0);
	noc_command(a, 0x50000, 0, 0x60000, MID(1, 1), 0x12, 0, 0);
	assert_int_equal(tensix_run(device, 1000), TENSIX_IDLE);
	assert_int_equal(tools_read32(device, a, NIU_CTR(2)), 1);
	assert_int_equal(tools_read32(device, a, NIU_CTR(1)), 1);
}

static void test_noc_latency(void **state)
{
	uint64_t near, far, long_one;

	(void)state;
	near = noc_travel(device, 0, noc_node(device, 1, 1), noc_node(device, 2, 1), 1, 1000);
	assert_int_equal(near, 1000 + 5 + 9 + 5 + 1);
	/* NoC 0 goes right: from 2 to 1 it is two hops in a ring of three */
	far = noc_travel(device, 0, noc_node(device, 2, 2), noc_node(device, 1, 2), 1, 1000);
	assert_int_equal(far, 1000 + 5 + 18 + 5 + 1);
	far = noc_travel(device, 1, noc_node(device, 2, 2), noc_node(device, 1, 2), 1, 1000);
	assert_int_equal(far, 1000 + 5 + 9 + 5 + 1);
	/* a link that is busy with 100 flits holds up the next packet */
	long_one = noc_travel(device, 0, noc_node(device, 1, 1), noc_node(device, 2, 1), 100, 2000);
	assert_int_equal(long_one, 2000 + 19 + 100);
	near = noc_travel(device, 0, noc_node(device, 1, 1), noc_node(device, 2, 1), 1, 2000);
	assert_int_equal(near, 2000 + 19 + 100 + 1);
}

static void test_multicast(void **state)
{
	int a = tools_core(device, 0, 0);
	uint32_t corners = MID(2, 2) | 1u << 16 | 1u << 22;

	(void)state;
	tools_write32(device, a, 0x30000, 99);
	noc_command(a, 0x30000, 0, 0x40000, corners, 0x32, 4, 0);
	tensix_run(device, 1000);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(tools_read32(device, tools_core(device, i % 2, i / 2), 0x40000),
				 99);
	assert_int_equal(tools_read32(device, a, 0x40000), 0);
	assert_int_equal(tools_read32(device, a, NIU_CTR(1)), 3);
	noc_command(a, 0x30000, 0, 0x40000, corners, 0x20032, 4, 0);
	tensix_run(device, 1000);
	assert_int_equal(tools_read32(device, a, 0x40000), 99);
	assert_int_equal(tools_read32(device, a, NIU_CTR(1)), 7);
}

static void test_atomic_and_inline(void **state)
{
	int a = tools_core(device, 0, 0), b = tools_core(device, 1, 0);
	struct tensix_place to = code_place(b);

	(void)state;
	tools_write32(device, b, 0x40000, 40);
	noc_command(a, 0x40000, MID(to.x, to.y), 0x30000, 0, 0x11, 1u << 12 | 31u << 2, 2);
	tensix_run(device, 1000);
	assert_int_equal(tools_read32(device, b, 0x40000), 42);
	assert_int_equal(tools_read32(device, a, 0x30000), 40);
	assert_int_equal(tools_read32(device, a, NIU_CTR(0)), 1);
	/* wraps after the number of bits that is asked for */
	tools_write32(device, b, 0x40000, 0x107);
	noc_command(a, 0x40000, MID(to.x, to.y), 0, 0, 0x11, 1u << 12 | 2u << 2, 1);
	tensix_run(device, 1000);
	assert_int_equal(tools_read32(device, b, 0x40000), 0x100);
	noc_command(a, 0x40004, MID(to.x, to.y), 0, 0, 0x1A, 0xf, 1234);
	tensix_run(device, 1000);
	assert_int_equal(tools_read32(device, b, 0x40004), 1234);
	/* a register of another core: its stream registers, its reset */
	noc_command(a, TENSIX_STREAMS + 40, MID(to.x, to.y), 0, 0, 0x1A, 0xf, 5);
	tensix_run(device, 1000);
	assert_int_equal(tools_read32(device, b, TENSIX_STREAMS + 40), 5);
}

static void test_dram(void **state)
{
	int a = tools_core(device, 0, 0);
	uint64_t start = tensix_now(device);
	uint32_t value = 0x55aa55aa, back = 0;
	struct arch_xy port;
	uint64_t offset;

	(void)state;
	tensix_bank(device, 1, &port, &offset);
	assert_int_equal(tensix_dram_write(device, 1, 0x1000, &value, 4), 0);
	assert_int_equal(tensix_dram_write(device, 2, 0, &value, 4), TACHO_ELIMIT);
	assert_int_equal(tensix_dram_write(device, 1, (64ull << 20) - 2, &value, 4), TACHO_ELIMIT);
	noc_command(a, 0x1000, MID(port.x, port.y), 0x30000, 0, 0x10, 4, 0);
	tensix_run(device, 1000);
	assert_int_equal(tools_read32(device, a, 0x30000), value);
	assert_true(tensix_now(device) - start > 100);
	noc_command(a, 0x30000, 0, 0x2000, MID(port.x, port.y), 0x12, 4, 0);
	tensix_run(device, 1000);
	assert_int_equal(tensix_dram_read(device, 1, 0x2000, &back, 4), 0);
	assert_int_equal(back, value);
}

/* Requests to one bank wait for each other; those to two banks do not. */
static void test_dram_bandwidth(void **state)
{
	uint64_t one, two;

	(void)state;
	dram_serve(device, 0, 8192, 1000);
	one = dram_serve(device, 0, 8192, 1000);
	two = dram_serve(device, 1, 8192, 1000);
	assert_in_range(one, 1000 + 341 + 100, 1000 + 342 + 108);
	assert_in_range(two, 1100, 1108);
}

static void test_noc_faults(void **state)
{
	const uint32_t words[] = {LI(5, TENSIX_NIU0), LI(6, 0x30000), LI(7, 0xfff0),
				  SW(6, 5, 0),        SW(7, 5, 16),   ADDI(8, 0, 0x12),
				  SW(8, 5, 28),       ADDI(8, 0, 16), SW(8, 5, 32),
				  ADDI(8, 0, 1),      SW(8, 5, 40),   J(0)};
	int core = tools_core(device, 0, 0);
	struct tensix_fault f;

	(void)state;
	tensix_write(device, (unsigned)core, 0, words, sizeof(words));
	tools_start(device, core, 1);
	assert_int_equal(tensix_run(device, 10000), TENSIX_FAULT);
	assert_true(tensix_fault(device, &f, true));
	assert_int_equal(f.kind, TENSIX_FAULT_NODE);
	assert_int_equal(f.address, 0xfff); /* 63,63 */
	assert_int_equal(f.core, core);
	assert_int_equal(f.pc, sizeof(words) - 8);
}

static void test_mailboxes(void **state)
{
	/* T0 reads from B: blocks until B writes. */
	const uint32_t t0[] = {LUI(5, TENSIX_MAILBOX), LW(6, 5, 0), LUI(7, 0x20000), SW(6, 7, 0),
			       J(0)};
	const uint32_t b[] = {LI(5, TENSIX_MAILBOX + 0x1000),
			      ADDI(9, 0, 500),
			      ADDI(9, 9, -1 & 0xfff),
			      BNE(9, 0, -4),
			      ADDI(6, 0, 123),
			      SW(6, 5, 0),
			      J(0)};
	int core = tools_core(device, 0, 0);

	(void)state;
	tensix_write(device, (unsigned)core, 0, b, sizeof(b));
	tensix_write(device, (unsigned)core, 0x6000, t0, sizeof(t0));
	tools_start(device, core, 1u << TENSIX_B | 1u << TENSIX_T0);
	tensix_run(device, 100);
	assert_int_equal(tools_read32(device, core, 0x20000), 0);
	assert_int_equal(tensix_run(device, 10000), TENSIX_IDLE);
	assert_int_equal(tools_read32(device, core, 0x20000), 123);
}

static void test_unknown_registers(void **state)
{
	struct tensix_fault f;
	const struct tensix_unknown *u = NULL;

	(void)state;
	f = TOOLS_RUN(device, LI(5, 0xFFB11800), ADDI(6, 0, 9), SW(6, 5, 0), LI(7, 0xFFD00000),
		      LW(8, 7, 4), LW(8, 7, 4), EBREAK);
	assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
	assert_int_equal(f.x[8], 0);
	for (size_t i = 0; i < tensix_unknown_count(device); i++)
		if (tensix_unknown(device, i)->address == 0xFFD00004)
			u = tensix_unknown(device, i);
	assert_non_null(u);
	assert_int_equal(u->reads, 2);
	assert_int_equal(u->pc, 24);
}

/* TDMA's mover fills NCRISC's instruction RAM, and it runs there. */
static void test_iram(void **state)
{
	const uint32_t nc[] = {LUI(5, 0x20000), ADDI(6, 0, 55), SW(6, 5, 0), J(0)};
	int core = tools_core(device, 0, 0);

	(void)state;
	tensix_write(device, (unsigned)core, 0x7000, nc, sizeof(nc));
	tools_write32(device, core, TENSIX_TDMA, 0x700);
	tools_write32(device, core, TENSIX_TDMA + 4, 0x4000);
	tools_write32(device, core, TENSIX_TDMA + 8, 1);
	tools_write32(device, core, TENSIX_TDMA + 16, 0x40);
	tools_write32(device, core, TENSIX_CONFIG + 4 * 162, TENSIX_IRAM);
	tools_start(device, core, 1u << TENSIX_NC);
	assert_int_equal(tensix_run(device, 1000), TENSIX_IDLE);
	assert_int_equal(tools_read32(device, core, 0x20000), 55);
}

/* Starts queue 0 of an Ethernet core, as a RISC would. */
static void noc_transmit(struct tensix *t, int core, uint32_t from, uint32_t to, uint32_t bytes,
			 uint32_t word)
{
	const uint32_t stores[][2] = {
		{0x14, from}, {0x1C, to}, {0x18, bytes}, {0x44, word}, {0x4, bytes ? 2 : 4}};

	for (size_t i = 0; i < 5; i++)
		tools_write32(t, core, TENSIX_ETH_QUEUES + stores[i][0], stores[i][1]);
}

/* A cable between two devices: bytes and words arrive after its length, and not before. */
static void test_links(void **state)
{
	struct tensix *other = tools_device("tiny"), *third = tools_device("tiny");
	int a = tensix_core_logical(device, TENSIX_ETHERNET, 0, 0), b = a;
	uint64_t start;

	(void)state;
	assert_int_equal(tensix_link(device, 0, other, 99), TACHO_EUSAGE);
	assert_int_equal(
		tensix_link(device, (unsigned)tools_core(device, 0, 0), other, (unsigned)b),
		TACHO_EUSAGE);
	assert_int_equal(tensix_link(device, (unsigned)a, device, (unsigned)a), TACHO_EUSAGE);
	/* nobody at the other end: sent, and gone */
	noc_transmit(device, a, 0x1000, 0x2000, 64, 0);
	assert_int_equal(tensix_run(device, 1000), TENSIX_IDLE);
	tensix_advance(other, 5000);
	assert_int_equal(tensix_link(device, (unsigned)a, other, (unsigned)b), 0);
	assert_int_equal(tensix_link(device, (unsigned)a, third, (unsigned)b), TACHO_EUSAGE);
	start = tensix_now(device);
	tools_write32(device, a, 0x1000, 1234);
	tools_write32(device, a, 0x103c, 5678);
	noc_transmit(device, a, 0x1000, 0x2000, 64, 0);
	noc_transmit(device, a, 0, 0x2100, 0, 99);
	assert_int_equal(tensix_run(device, 590), TENSIX_LIMIT);
	assert_int_equal(tools_read32(other, b, 0x2000), 0);
	assert_int_equal(tensix_run(device, 10000), TENSIX_IDLE);
	assert_int_equal(tools_read32(other, b, 0x2000), 1234);
	assert_int_equal(tools_read32(other, b, 0x203c), 5678);
	assert_int_equal(tools_read32(other, b, 0x2100), 99);
	assert_in_range(tensix_now(device) - start, 600, 1300);
	assert_int_equal(tensix_now(other) - 5000, tensix_now(device) - start);
	/* the other way, started by the other device's run; into a register */
	noc_transmit(other, b, 0, TENSIX_STREAMS + 40, 0, 7);
	assert_int_equal(tensix_run(other, 10000), TENSIX_IDLE);
	assert_int_equal(tools_read32(device, a, TENSIX_STREAMS + 40), 7);
	/* a worker has no such queue */
	tools_write32(device, tools_core(device, 0, 0), TENSIX_ETH_QUEUES + 4, 2);
	assert_int_equal(tensix_unknown_count(device), 1);
	/* a device that goes leaves the others able to run */
	noc_transmit(device, a, 0x1000, 0x2000, 64, 0);
	tensix_free(other);
	noc_transmit(device, a, 0x1000, 0x2000, 64, 0);
	assert_int_equal(tensix_run(device, 10000), TENSIX_IDLE);
	tensix_free(third);
}

/* Each device reports its own faults; the others continue. */
static void test_link_faults(void **state)
{
	const uint32_t bad[] = {0xffffffffu}, good[] = {ADDI(5, 5, 1), J(-4)};
	struct tensix *other = tools_device("tiny");
	int eth = tensix_core_logical(device, TENSIX_ETHERNET, 0, 0);
	int core = tools_core(device, 0, 0);
	struct tensix_hart_info info;
	struct tensix_fault f;

	(void)state;
	assert_int_equal(tensix_link(device, (unsigned)eth, other, (unsigned)eth), 0);
	tensix_write(device, (unsigned)core, 0, good, sizeof(good));
	tensix_write(other, (unsigned)core, 0, bad, sizeof(bad));
	tools_start(device, core, 1);
	tools_start(other, core, 1);
	assert_int_equal(tensix_run(device, 5000), TENSIX_LIMIT);
	tensix_hart(device, (unsigned)core, TENSIX_B, &info);
	assert_true(info.instructions > 4000);
	assert_false(tensix_fault(device, &f, true));
	assert_true(tensix_fault(other, &f, true));
	assert_int_equal(f.kind, TENSIX_FAULT_ILLEGAL);
	tensix_free(other);
}

/* A delay is waited for before the transfer, by the RISC that was chosen only. */
static void test_delays(void **state)
{
	const uint32_t words[] = {LI(5, TENSIX_NIU0), LI(6, 0x30000), LI(7, MID(2, 1)),
				  SW(6, 5, 0),        SW(6, 5, 12),   SW(7, 5, 16),
				  ADDI(8, 0, 0x12),   SW(8, 5, 28),   ADDI(8, 0, 16),
				  SW(8, 5, 32),       ADDI(8, 0, 1),  SW(8, 5, 40),
				  SW(8, 5, 40),       EBREAK};
	uint64_t cycles[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct tensix *t = tools_device("tiny");
		struct tensix_fault f;

		if (i)
			tensix_noc_delay(t, (unsigned)tools_core(t, 0, 0), TENSIX_B,
					 i == 1 ? TENSIX_READ : TENSIX_WRITE, 5000);
		f = tools_run(t, words, sizeof(words) / 4);
		assert_int_equal(f.kind, TENSIX_FAULT_BREAK);
		cycles[i] = f.cycle;
		tensix_free(t);
	}
	assert_int_equal(cycles[1], cycles[0]);
	assert_in_range(cycles[2] - cycles[0], 10000 - 5, 10000 + 5);
}

/* The same seed gives the same times, to the cycle; another one others. */
static uint64_t dram_reads(uint64_t seed)
{
	struct tensix_config config = {.arch = "tiny", .seed = seed};
	struct tensix *own = device;
	uint64_t sum = 0;

	assert_int_equal(tensix_new(&device, &config, NULL), 0);
	for (unsigned i = 0; i < 50; i++) {
		noc_command(tools_core(device, i % 2, i / 2 % 2), 64 * i, MID(0, i % 2), 0x30000, 0,
			    0x10, 512, 0);
		tensix_run(device, 10 * i);
		sum = sum * 31 + device->cores[0].next_event + device->order;
	}
	tensix_run(device, 100000);
	sum = sum * 31 + tensix_now(device);
	tensix_free(device);
	device = own;
	return sum;
}

static void test_deterministic(void **state)
{
	(void)state;
	assert_int_equal(dram_reads(7), dram_reads(7));
	assert_int_not_equal(dram_reads(7), dram_reads(8));
}

static void test_architectures(void **state)
{
	(void)state;
	for (unsigned i = 0; tensix_arch_at(i); i++) {
		const struct arch *a = tensix_arch_at(i);

		for (unsigned k = 0; k < 4 && a->core_choices[k]; k++) {
			struct tensix_config config = {.arch = a->name,
						       .cores = a->core_choices[k]};
			struct tensix *t;
			unsigned columns, rows, last = 0;

			assert_int_equal(tensix_new(&t, &config, NULL), 0);
			tensix_grid(t, &columns, &rows);
			assert_int_equal(columns * rows, a->core_choices[k]);
			assert_int_equal(tensix_cores(t), columns * rows + a->ethernet_count);
			for (unsigned c = 0; c < tensix_cores(t); c++) {
				struct tensix_place p;
				unsigned at;

				tensix_place(t, c, &p);
				at = p.x * 64u + p.y;
				assert_true(c == 0 || at > last);
				last = at;
				assert_int_equal(tensix_core_noc(t, p.x, p.y), c);
				assert_int_equal(t->node_group[noc_node(t, p.x, p.y)], -1);
			}
			for (unsigned b = 0; b < a->dram_banks; b++) {
				struct arch_xy port;
				uint64_t offset;
				unsigned bank = 99;

				tensix_bank(t, b, &port, &offset);
				assert_non_null(dram_bytes(t, noc_node(t, port.x, port.y), offset,
							   4, &bank));
				assert_int_equal(bank, b);
			}
			tensix_free(t);
		}
	}
	assert_null(arch_find("grayskull"));
	assert_int_equal(tensix_new(&device, &(struct tensix_config){.arch = "none"}, NULL),
			 TACHO_EUSAGE);
	assert_int_equal(
		tensix_new(&device, &(struct tensix_config){.arch = "tiny", .cores = 3}, NULL),
		TACHO_EUSAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, core_setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_boot),
		TEST(test_sleep),
		TEST(test_soft_reset),
		TEST(test_clock),
		TEST(test_noc_write_and_read),
		TEST(test_noc_empty),
		TEST(test_noc_latency),
		TEST(test_multicast),
		TEST(test_atomic_and_inline),
		TEST(test_dram),
		TEST(test_dram_bandwidth),
		TEST(test_noc_faults),
		TEST(test_mailboxes),
		TEST(test_unknown_registers),
		TEST(test_iram),
		TEST(test_links),
		TEST(test_link_faults),
		TEST(test_delays),
		TEST(test_deterministic),
		TEST(test_architectures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
