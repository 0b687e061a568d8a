/*
 * Figures of the chips, for all who compute with them: the software device (src/tensix), what it
 * tells programs and the package ttnn (src/device), and perf-report (src/perf). They are here
 * because neither of those may include the other.
 */
#ifndef BASE_CHIP_H
#define BASE_CHIP_H

/*       chip            MHz  DRAM banks, their GB/s together; 0: not public */
#define CHIPS(X)                        \
	X(WORMHOLE, 1000, 12, 288)      \
	X(BLACKHOLE, 1350, 8, 512)      \
	X(BLACKHOLE_P100, 1350, 7, 448) \
	X(N1, 650, 0, 120)              \
	X(TINY, 1000, 2, 48) /* no chip: a small device for tests */

enum {
#define X(chip, mhz, banks, gbs) \
	CHIP_##chip##_MHZ = (mhz), CHIP_##chip##_BANKS = (banks), CHIP_##chip##_GBS = (gbs),
	CHIPS(X)
#undef X
};

/* What a bank brings in a cycle. */
#define CHIP_BANK_BYTES(chip) \
	(CHIP_##chip##_GBS * 1000.0 / (CHIP_##chip##_BANKS * CHIP_##chip##_MHZ))

/* Of one core: operations of a matrix product in a cycle when each operand goes through once. */
#define CHIP_MATMUL_OPS 4096
/* So a product of two 32 x 32 tiles takes this many cycles per pass. */
#define CHIP_MATMUL_CYCLES (2 * 32 * 32 * 32 / CHIP_MATMUL_OPS)

#endif
