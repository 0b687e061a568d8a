/* SPDX-License-Identifier: Apache-2.0 */
/* Part of each RISC's firmware: entry, state that kernels use, launch. */
#include "firmware.h"

struct LocalCBInterface tacho_cbs[MAX_CBS];
volatile uint32_t *tacho_args, *tacho_common_args;
uint32_t tacho_sems;
uint8_t my_x[2], my_y[2];
uint8_t tacho_noc_index, tacho_logical_x, tacho_logical_y;
uint32_t noc_reads_num_issued[2], noc_nonposted_writes_num_issued[2], noc_nonposted_writes_acked[2],
	noc_nonposted_atomics_acked[2], noc_posted_writes_num_issued[2];
uint32_t tacho_prof_index, tacho_prof_stack, tacho_prof_sum[2], tacho_prof_sum_id[2],
	tacho_prof_replays, tacho_prof_limit;

int main(void);
extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];

static __attribute__((used, noreturn)) void start(void)
{
	for (uint32_t *to = __data_start, *from = __data_load; to < __data_end;)
		*to++ = *from++;
	for (uint32_t *to = __bss_start; to < __bss_end;)
		*to++ = 0;
	main();
	for (;;)
		;
}

__asm__(".pushsection .start, \"ax\"\n"
	".globl _start\n"
	"_start: li sp, " TACHO_STACK "\n"
	"j start\n"
	".popsection\n");

static void cb_setup(const volatile uint32_t *config, uint32_t mask)
{
	for (uint32_t i = 0; mask; i++, mask >>= 1, config += 4) {
		struct LocalCBInterface *cb = &tacho_cbs[i];

		if (!(mask & 1))
			continue;
		cb->fifo_size = config[1] >> CB_SHIFT;
		cb->fifo_num_pages = (uint16_t)config[2];
		cb->fifo_wr_tile_ptr = 0;
		cb->fifo_page_size = config[3] >> CB_SHIFT;
		cb->fifo_rd_ptr = cb->fifo_wr_ptr = config[0] >> CB_SHIFT;
		cb->fifo_limit = cb->fifo_wr_ptr + cb->fifo_size;
#if TACHO_RISC == 0
		CB_RECEIVED(i) = 0;
		CB_ACKED(i) = 0;
#endif
	}
}

void launch_setup(const volatile uint8_t *launch)
{
	uint32_t base = LAUNCH_U32(launch, LAUNCH_BASE);
	const volatile uint8_t *args = launch + LAUNCH_ARGS + 4 * TACHO_RISC;

	tacho_args = (volatile uint32_t *)(uintptr_t)(base + LAUNCH_U16(args, 0));
	tacho_common_args = (volatile uint32_t *)(uintptr_t)(base + LAUNCH_U16(args, 2));
	tacho_sems = base + LAUNCH_U16(launch, LAUNCH_SEMS);
	cb_setup((const volatile uint32_t *)(uintptr_t)(base + LAUNCH_U16(launch, LAUNCH_CBS)),
		 LAUNCH_U32(launch, LAUNCH_CB_MASK));
	tacho_logical_x = launch[LAUNCH_LOGICAL];
	tacho_logical_y = launch[LAUNCH_LOGICAL + 1];
#if TACHO_RISC < 2
	noc_index = launch[LAUNCH_NOC] ^ TACHO_RISC;
	for (uint32_t noc = 0; noc < 2; noc++) {
		uint32_t id = NIU_CONFIG(noc, 14);

		my_x[noc] = id & 63;
		my_y[noc] = id >> 6 & 63;
		niu_sync_counters(noc);
	}
#endif
}

#if TACHO_RISC == 3
/* Math may be two halves of dst ahead of the packer. */
static void engine_setup(void)
{
	REG32(0xFFE40000) = 0xA3u << 24 | 2u << 20 | 0u << 16 | 1u << 1 << 2;
}
#else
static void engine_setup(void)
{
}
#endif

#if PROFILE_KERNEL && !(PROFILE_KERNEL & (PROF_MODE_TRACE | PROF_MODE_ACCUMULATE)) && \
	defined(PROFILE_PERF_COUNTERS) && (TACHO_RISC == 0 || TACHO_RISC == 3)
static const struct {
	uint16_t group, control, output, select;
	uint32_t type;
} counters[] = {
#define X(group, control, output, select, type, name) {group, control, output, select, type},
	PROF_COUNTERS(X)
#undef X
};

#define COUNTER_REG(offset) REG32(0xFFB12000 + (offset))
#define COUNTER_MUX         0x218 /* which ports of L1 are counted */
#define COUNTERS            (sizeof(counters) / sizeof(counters[0]))

/* Starts (1) or stops (2) the requested groups: TRISC1, around its kernel. */
static inline void counters_switch(uint32_t to)
{
	uint32_t last = ~0u;

	for (uint32_t i = 0; i < COUNTERS; i++) {
		if (!(PROFILE_PERF_COUNTERS & counters[i].group) || counters[i].control == last)
			continue;
		last = counters[i].control;
		COUNTER_REG(counters[i].control + 8) = 0;
		COUNTER_REG(counters[i].control + 8) = to;
	}
}

/* BRISC, when all are done. */
static inline void counters_record(void)
{
	for (uint32_t i = 0; i < COUNTERS; i++) {
		uint32_t cycles, value;

		if (!(PROFILE_PERF_COUNTERS & counters[i].group))
			continue;
		COUNTER_REG(COUNTER_MUX) = (uint32_t)counters[i].select >> 12 << 4;
		COUNTER_REG(counters[i].control + 4) = ((uint32_t)counters[i].select & 0xfff) << 8;
		cycles = COUNTER_REG(counters[i].output);
		value = COUNTER_REG(counters[i].output + 4);
		tacho_prof_data_16((uint32_t)PROF_ID_COUNTERS << 12, (uint64_t)cycles << 32 | value,
				   counters[i].type);
	}
}
#else
#define counters_switch(to) ((void)0)
#define counters_record()   ((void)0)
#endif

void launch_kernel(const volatile uint8_t *launch)
{
	uint32_t address =
		LAUNCH_U32(launch, LAUNCH_BASE) + LAUNCH_U32(launch, LAUNCH_TEXT + 4 * TACHO_RISC);
	DeviceZoneScopedMainChildN(RISC_NAME "-KERNEL");

	engine_setup();
#if TACHO_RISC == 3
	counters_switch(1);
#endif
	((void (*)(void))(uintptr_t)address)();
#if TACHO_RISC == 3
	counters_switch(2);
#endif
}

#include "prof.c"
