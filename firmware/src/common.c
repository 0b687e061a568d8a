/* Part of each RISC's firmware: entry, state that kernels use, launch. */
#include "firmware.h"

struct cb_interface tacho_cbs[MAX_CBS];
volatile uint32_t *tacho_args, *tacho_common_args;
uint32_t tacho_sems;
uint8_t my_x[2], my_y[2];
uint8_t noc_index;
uint32_t noc_reads_num_issued[2], noc_nonposted_writes_num_issued[2], noc_nonposted_writes_acked[2],
	noc_nonposted_atomics_acked[2], noc_posted_writes_num_issued[2];
uint32_t tacho_prof_index, tacho_prof_stack, tacho_prof_sum[2], tacho_prof_sum_id[2],
	tacho_prof_replays;

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
		struct cb_interface *cb = &tacho_cbs[i];

		if (!(mask & 1))
			continue;
		cb->size = config[1];
		cb->pages = config[2];
		cb->page = config[3];
		cb->rd = cb->wr = config[0];
		cb->limit = config[0] + cb->size;
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

#if PROFILE_KERNEL && defined(PROFILE_PERF_COUNTERS) && (TACHO_RISC == 0 || TACHO_RISC == 3)
static const struct {
	uint16_t group, control, output, select;
	uint32_t type;
} counters[] = {
#define X(group, control, output, select, type, name) {group, control, output, select, type},
	PROF_COUNTERS(X)
#undef X
};

#define COUNTER_REG(offset) REG32(0xFFB12000 + (offset))
#define COUNTERS            (sizeof(counters) / sizeof(counters[0]))

/* Starts (1) or stops (2) the groups that were asked for: TRISC1, around its kernel. */
static inline void counters_switch(uint32_t to)
{
	for (uint32_t i = 0; i < COUNTERS; i++) {
		if (!(PROFILE_PERF_COUNTERS & counters[i].group))
			continue;
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
		COUNTER_REG(counters[i].control + 4) = (uint32_t)counters[i].select << 8;
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

#if PROFILE_KERNEL
void prof_init(void)
{
	tacho_prof_index = PROF_OPTIONAL;
	tacho_prof_stack = 0;
	tacho_prof_sum[0] = tacho_prof_sum[1] = 0;
#if TACHO_RISC == 0
	PROF_CONTROL[PROF_DONE] = 0;
	for (uint32_t r = 0; r < 5; r++) {
		volatile uint32_t *b = PROF_BUFFER(r);

		PROF_CONTROL[PROF_DEVICE_END + r] = 0;
		if (PROF_CONTROL[PROF_RUNS] == 0)
			for (uint32_t i = 0; i < 4; i++)
				b[i] = 0;
		for (uint32_t i = PROF_GUARANTEED; i < PROF_OPTIONAL; i++)
			b[i] = 0x80000000u;
	}
	PROF_CONTROL[PROF_NOC_X] = my_x[0];
	PROF_CONTROL[PROF_NOC_Y] = my_y[0];
#endif
}

#if TACHO_RISC == 0
/* Sends what RISC R has stored to its place in DRAM, or only the guaranteed words, or nothing. */
static void prof_push(uint32_t r)
{
	const uint32_t full = PROFILER_FULL_HOST_BUFFER_SIZE_PER_RISC / 4;
	uint32_t words = PROF_CONTROL[PROF_DEVICE_END + r], sent = PROF_CONTROL[PROF_HOST_END + r];
	uint32_t flat = PROF_CONTROL[PROF_FLAT_ID], per_bank = PROF_CONTROL[PROF_PER_BANK];
	uint32_t bank, offset;

	PROF_BUFFER(r)[2] = r | flat << 5 | tacho_prof_replays << 13;
	if (sent + words > full) {
		PROF_CONTROL[PROF_DROPPED] |= 1u << r;
		words = sent + PROF_OPTIONAL <= full ? PROF_OPTIONAL : 0;
	}
	if (!words)
		return;
	bank = flat / per_bank;
	offset = PROF_CONTROL[PROF_DRAM] +
		 ((flat % per_bank) * 5 + r) * PROFILER_FULL_HOST_BUFFER_SIZE_PER_RISC + sent * 4;
	offset +=
		((volatile uint32_t *)(BANK_TABLE + ((TACHO_DRAM_BANKS + TACHO_L1_BANKS) * 4 + 3) /
							    4 * 4))[bank];
	niu_write_packet(
		noc_index, (uint32_t)(uintptr_t)PROF_BUFFER(r),
		(uint64_t)((volatile uint16_t *)BANK_TABLE)[noc_index * TACHO_DRAM_BANKS + bank]
				<< 36 |
			offset,
		words * 4, NIU_CTRL_POSTED);
	noc_posted_writes_num_issued[noc_index]++;
	PROF_CONTROL[PROF_HOST_END + r] = sent + words;
}
#endif

void prof_finish(void)
{
	volatile uint32_t *b = PROF_BUFFER(TACHO_RISC);

	if (PROF_CONTROL[PROF_DONE])
		return;
#if PROFILE_KERNEL & PROF_MODE_SUM
	for (uint32_t i = 0; i < 2; i++) {
		if (!tacho_prof_sum[i] || tacho_prof_index + 2 > PROF_BUFFER_WORDS)
			continue;
		b[tacho_prof_index++] = 0x80000000u | tacho_prof_sum_id[i] | PROF_ZONE_TOTAL << 28;
		b[tacho_prof_index++] = tacho_prof_sum[i];
	}
#endif
	/* The NoC moves 16 bytes at a time. */
	while (tacho_prof_index % 4) {
		b[tacho_prof_index++] = 0x80000000u;
		b[tacho_prof_index++] = 0;
	}
	PROF_CONTROL[PROF_DEVICE_END + TACHO_RISC] = tacho_prof_index;
#if TACHO_RISC == 0
	if (PROF_CONTROL[PROF_DRAM]) {
		for (uint32_t r = 0; r < 5; r++)
			if (PROF_CONTROL[PROF_DEVICE_END + r])
				prof_push(r);
		while (NIU_COUNTER(noc_index, NIU_POSTED_SENT) !=
		       noc_posted_writes_num_issued[noc_index])
			;
	}
	PROF_CONTROL[PROF_RUNS]++;
	PROF_CONTROL[PROF_DONE] = 1;
#endif
}
#endif
