/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of each RISC's firmware: the kernel profiler between runs. A run begins with empty buffers;
 * when it ends BRISC sends those of all RISCs to DRAM. Two modes differ: accumulated runs stay in
 * L1 until a buffer is almost full, and of whole traces only one pair of zones per core is kept.
 */
#if PROFILE_KERNEL

#define PROF_MODE(mode) (PROFILE_KERNEL & PROF_MODE_##mode)

#if TACHO_RISC < 2
/* Where this core's buffers go. Read before the kernel runs, because a kernel may overwrite the
 * words in L1. */
static uint32_t prof_flat, prof_per_bank, prof_dram;
#if TACHO_RISC == 0 && !PROF_MODE(STREAM)
static uint32_t prof_sent[5]; /* words of each RISC that were in DRAM when the run began */
#endif

static void prof_place(void)
{
#if TACHO_RISC == 0 && !PROF_MODE(STREAM)
	for (uint32_t r = 0; r < 5; r++)
		prof_sent[r] = PROF_CONTROL[PROF_HOST_END + r];
#endif
	prof_flat = PROF_CONTROL[PROF_FLAT_ID];
	prof_per_bank = PROF_CONTROL[PROF_PER_BANK];
	prof_dram = PROF_CONTROL[PROF_DRAM];
}
#endif

#if TACHO_RISC < 2 && !PROF_MODE(STREAM)
static uint64_t prof_address(uint32_t r)
{
	uint32_t bank = prof_flat / prof_per_bank;
	uint32_t offset =
		prof_dram +
		((prof_flat % prof_per_bank) * 5 + r) * PROFILER_FULL_HOST_BUFFER_SIZE_PER_RISC +
		PROF_CONTROL[PROF_HOST_END + r] * 4;
	const uint32_t offsets = BANK_TABLE + ((TACHO_DRAM_BANKS + TACHO_L1_BANKS) * 4 + 3) / 4 * 4;

	offset += ((volatile uint32_t *)offsets)[bank];
	return (uint64_t)((volatile uint16_t *)BANK_TABLE)[noc_index * TACHO_DRAM_BANKS + bank]
		       << 36 |
	       offset;
}

/* The kernel may be in the middle of setting up its own write: restore the registers. */
static void prof_send(uint32_t r, uint32_t words)
{
	static const uint8_t registers[] = {NIU_TARG_LO, NIU_RET_LO, NIU_RET_MID, NIU_CTRL,
					    NIU_LEN};
	uint32_t saved[sizeof(registers)];

	niu_wait(noc_index, NIU_BUF_WRITE);
	for (uint32_t i = 0; i < sizeof(registers); i++)
		saved[i] = NIU(noc_index, NIU_BUF_WRITE, registers[i]);
	niu_write_packet(noc_index, (uint32_t)(uintptr_t)PROF_BUFFER(r), prof_address(r), words * 4,
			 NIU_CTRL_POSTED);
	noc_posted_writes_num_issued[noc_index]++;
	niu_wait(noc_index, NIU_BUF_WRITE);
	for (uint32_t i = 0; i < sizeof(registers); i++)
		NIU(noc_index, NIU_BUF_WRITE, registers[i]) = saved[i];
	PROF_CONTROL[PROF_HOST_END + r] += words;
}

static void prof_flush(void)
{
	while (NIU_COUNTER(noc_index, NIU_POSTED_SENT) != noc_posted_writes_num_issued[noc_index])
		;
}

static uint32_t prof_full(void)
{
	return PROFILER_FULL_HOST_BUFFER_SIZE_PER_RISC / 4;
}
#endif

/* The NoC moves 16 bytes at a time. */
static __attribute__((unused)) uint32_t prof_pad(volatile uint32_t *buffer, uint32_t index)
{
	while (index % 4) {
		buffer[index++] = 0x80000000u;
		buffer[index++] = 0;
	}
	return index;
}

#if PROF_MODE(STREAM)
/*
 * The buffer is one contiguous ring: the host reads words as they come and reports how many
 * it has read. Unread words are never overwritten. If a lap has no room for the next marker,
 * it is filled up and the next lap starts.
 * A RISC never waits while the host keeps up.
 */
#define LAP_WORDS (PROF_BUFFER_WORDS - PROF_OPTIONAL)
static uint32_t prof_lap; /* words of the laps before this one */

static void prof_next_lap(void)
{
	volatile uint32_t *b = PROF_BUFFER(TACHO_RISC);

	while (tacho_prof_index < PROF_BUFFER_WORDS) {
		b[tacho_prof_index++] = 0x80000000u;
		b[tacho_prof_index++] = 0;
	}
	tacho_prof_index = PROF_OPTIONAL;
	prof_lap += LAP_WORDS;
}

__attribute__((noinline, used)) int tacho_prof_wait(uint32_t words)
{
	volatile uint32_t *from_host = &PROF_CONTROL[PROF_TAKEN + TACHO_RISC];
	uint32_t need = words + tacho_prof_stack;

	if (need > LAP_WORDS)
		return 0;
	for (;;) {
		uint32_t taken = *from_host, room = taken + LAP_WORDS - prof_lap;
		uint64_t start;

		tacho_prof_limit = room >= LAP_WORDS ? PROF_BUFFER_WORDS : PROF_OPTIONAL + room;
		if (tacho_prof_index + need <= tacho_prof_limit)
			return 1;
		if (tacho_prof_limit == PROF_BUFFER_WORDS) {
			prof_next_lap();
			continue;
		}
		/* The host reads this many even if a kernel has made them unreadable. */
		PROF_CONTROL[PROF_DEVICE_END + TACHO_RISC] = prof_lap + tacho_prof_index;
		start = tacho_wall_clock();
		while (*from_host == taken)
			;
		PROF_CONTROL[PROF_WAITED + TACHO_RISC] += (uint32_t)(tacho_wall_clock() - start);
	}
}
#endif

#if TACHO_RISC < 2 && !PROF_MODE(TRACE) && !PROF_MODE(ACCUMULATE) && !PROF_MODE(STREAM)
/* No other command may come between a linked command and the next. */
static int prof_linked(void)
{
	for (uint32_t i = 0; i < 4; i++)
		if (NIU(noc_index, i, NIU_CTRL) & NIU_CTRL_LINKED)
			return 1;
	return 0;
}

/*
 * The block has the run's first words again, so the host knows what it belongs to. The words that
 * the end of the run needs stay free in DRAM.
 */
__attribute__((noinline, used)) void tacho_prof_quick_push(void)
{
	volatile uint32_t *b = PROF_BUFFER(TACHO_RISC);
	uint64_t start = tacho_wall_clock();
	uint32_t words = tacho_prof_index + 4, room = prof_full() - PROF_OPTIONAL;

	if (!prof_dram || (PROF_CONTROL[PROF_DROPPED] >> TACHO_RISC & 1) || prof_linked())
		return;
	if (PROF_CONTROL[PROF_HOST_END + TACHO_RISC] + words > room) {
		PROF_CONTROL[PROF_DROPPED] |= 1u << TACHO_RISC;
		return;
	}
	words = prof_pad(b, tacho_prof_index);
	prof_send(TACHO_RISC, words);
	prof_flush();
	tacho_prof_index = PROF_OPTIONAL;
	{
		TACHO_PROF_DECLARE(quick, "PROFILER-NOC-QUICK-PUSH")
		uint32_t id = TACHO_PROF_ID(quick, "PROFILER-NOC-QUICK-PUSH");

		b[PROF_OPTIONAL] = TACHO_PROF_VALID | id | TACHO_PROF_TYPE(PROF_ZONE_START) |
				   ((uint32_t)(start >> 32) & 0xfff);
		b[PROF_OPTIONAL + 1] = (uint32_t)start;
		tacho_prof_mark(PROF_OPTIONAL + 2, id | TACHO_PROF_TYPE(PROF_ZONE_END));
		tacho_prof_index += 4;
	}
}
#endif

#if TACHO_RISC == 0
static void prof_stamp(uint32_t r)
{
	volatile uint32_t *b = PROF_BUFFER(r);

	b[0] = PROF_MODE(TRACE) ? 0x80000000u : 0;
	b[1] = 0;
	b[2] = r | prof_flat << 5 | (tacho_prof_replays & 0xffff) << 13;
}

/* Ids of all buffers; the guaranteed words are cleared. */
static void prof_clear(uint32_t r)
{
	volatile uint32_t *b = PROF_BUFFER(r);

	prof_stamp(r);
	for (uint32_t i = PROF_GUARANTEED; i < PROF_OPTIONAL; i++)
		b[i] = 0x80000000u;
}

static void prof_init_all(const volatile uint8_t *launch)
{
	uint32_t first = PROF_CONTROL[PROF_RUNS] == 0;

	PROF_CONTROL[PROF_DONE] = 0;
	PROF_CONTROL[PROF_NOC_X] = NIU_CONFIG(0, 14) & 63;
	PROF_CONTROL[PROF_NOC_Y] = NIU_CONFIG(0, 14) >> 6 & 63;
#if PROF_MODE(TRACE)
	PROF_CONTROL[PROF_REPLAY] = (PROF_CONTROL[PROF_REPLAY] & ~PROF_REPLAY_ON) |
				    (LAUNCH_U32(launch, LAUNCH_TRACE) ? PROF_REPLAY_ON : 0);
	if (!(PROF_CONTROL[PROF_REPLAY] & PROF_REPLAY_FW))
		PROF_BUFFER(0)[3] = LAUNCH_U32(launch, LAUNCH_ID);
	(void)first;
#elif PROF_MODE(ACCUMULATE)
	for (uint32_t r = 0; first && r < 5; r++)
		prof_clear(r);
	(void)launch;
#else
	for (uint32_t r = 0; r < 5; r++) {
		PROF_CONTROL[PROF_DEVICE_END + r] = 0;
		PROF_CONTROL[PROF_TAKEN + r] = 0;
		prof_clear(r);
	}
	DeviceZoneSetCounter(LAUNCH_U32(launch, LAUNCH_ID));
	(void)first;
#endif
}
#endif

void prof_init(const volatile uint8_t *launch)
{
	tacho_prof_stack = 0;
	tacho_prof_sum[0] = tacho_prof_sum[1] = 0;
	tacho_prof_index = PROF_OPTIONAL;
#if TACHO_RISC < 2
	prof_place();
#endif
#if PROF_MODE(STREAM)
	tacho_prof_limit = PROF_BUFFER_WORDS;
	prof_lap = 0;
#endif
#if PROF_MODE(ACCUMULATE)
	if (PROF_CONTROL[PROF_DEVICE_END + TACHO_RISC])
		tacho_prof_index = PROF_CONTROL[PROF_DEVICE_END + TACHO_RISC];
#endif
#if TACHO_RISC == 0
	prof_init_all(launch);
#else
	(void)launch;
#endif
}

#if PROFILE_KERNEL & PROF_MODE_SUM
static void prof_store_sums(volatile uint32_t *b)
{
	for (uint32_t i = 0; i < 2; i++) {
		if (!tacho_prof_sum[i] || !tacho_prof_room(2, 0))
			continue;
		b[tacho_prof_index++] = 0x80000000u | tacho_prof_sum_id[i] | PROF_ZONE_TOTAL << 28;
		b[tacho_prof_index++] = tacho_prof_sum[i];
	}
}
#endif

#if TACHO_RISC == 0 && !PROF_MODE(STREAM)
/* Sends the words of RISC R to their place in DRAM, or only the guaranteed words, or nothing. */
static void prof_push(uint32_t r)
{
	uint32_t words = PROF_CONTROL[PROF_DEVICE_END + r], sent = PROF_CONTROL[PROF_HOST_END + r];

#if !PROF_MODE(TRACE) && !PROF_MODE(ACCUMULATE)
	prof_stamp(r); /* whatever the kernel did to it */
#endif
	if (sent + words > prof_full()) {
		PROF_CONTROL[PROF_DROPPED] |= 1u << r;
		words = sent + PROF_OPTIONAL <= prof_full() ? PROF_OPTIONAL : 0;
	}
	if (words)
		prof_send(r, words);
}

static void prof_push_all(void)
{
	for (uint32_t r = 0; r < 5; r++)
		if (PROF_CONTROL[PROF_DEVICE_END + r] - 1 < PROF_BUFFER_WORDS)
			prof_push(r);
}

#endif

#if TACHO_RISC == 0
#if PROF_MODE(ACCUMULATE)
static int prof_almost_full(void)
{
	for (uint32_t r = 0; r < 5; r++)
		if (PROF_CONTROL[PROF_DEVICE_END + r] + 8 > PROF_BUFFER_WORDS)
			return 1;
	return 0;
}

/* The guaranteed words of the next accumulation have the time it took. */
static void prof_push_accumulated(void)
{
	if (!prof_almost_full())
		return;
	for (uint32_t r = 0; r < 5; r++)
		PROF_CONTROL[PROF_DEVICE_END + r] =
			prof_pad(PROF_BUFFER(r), PROF_CONTROL[PROF_DEVICE_END + r]);
	{
		TACHO_PROF_DECLARE(push, "PROFILER-DRAM-PUSH")
		TACHO_PROF_DECLARE(flush, "PROFILER-NOC-FLUSH")
		uint32_t push = TACHO_PROF_ID(push, "PROFILER-DRAM-PUSH");
		uint32_t flush = TACHO_PROF_ID(flush, "PROFILER-NOC-FLUSH");
		volatile uint32_t *b = PROF_BUFFER(0) + PROF_GUARANTEED;
		uint32_t times[8];

		tacho_prof_store(times, push | TACHO_PROF_TYPE(PROF_ZONE_START));
		prof_push_all();
		tacho_prof_store(times + 2, push | TACHO_PROF_TYPE(PROF_ZONE_END));
		tacho_prof_store(times + 4, flush | TACHO_PROF_TYPE(PROF_ZONE_START));
		prof_flush();
		tacho_prof_store(times + 6, flush | TACHO_PROF_TYPE(PROF_ZONE_END));
		for (uint32_t i = 0; i < 8; i++)
			b[i] = times[i];
	}
	for (uint32_t r = 0; r < 5; r++)
		PROF_CONTROL[PROF_DEVICE_END + r] = 0;
}
#endif

/*
 * A kernel can overwrite the control vector. The host's words are restored, invalid counts are
 * reset to their values before the run, and a bit notifies the host.
 */
static void prof_repair(void)
{
#if !PROF_MODE(STREAM)
	for (uint32_t r = 0; r < 5; r++) {
		volatile uint32_t *sent = &PROF_CONTROL[PROF_HOST_END + r];

		if (*sent < prof_sent[r] || *sent > prof_full() || *sent % 4)
			*sent = prof_sent[r];
	}
#endif
	if (PROF_CONTROL[PROF_FLAT_ID] == prof_flat && PROF_CONTROL[PROF_DRAM] == prof_dram &&
	    PROF_CONTROL[PROF_PER_BANK] == prof_per_bank)
		return;
	PROF_CONTROL[PROF_FLAT_ID] = prof_flat;
	PROF_CONTROL[PROF_DRAM] = prof_dram;
	PROF_CONTROL[PROF_PER_BANK] = prof_per_bank;
	for (uint32_t r = 0; r < 5; r++) {
		PROF_CONTROL[PROF_LOST + r] = 0;
		PROF_CONTROL[PROF_WAITED + r] = 0;
	}
	PROF_CONTROL[PROF_DROPPED] = PROF_DROPPED_CONTROL;
}

static void prof_finish_all(void)
{
	prof_repair();
#if PROF_MODE(ACCUMULATE)
	if (prof_dram)
		prof_push_accumulated();
#elif !PROF_MODE(TRACE) && !PROF_MODE(STREAM)
	if (prof_dram) {
		prof_push_all();
		prof_flush();
	}
#endif
	PROF_CONTROL[PROF_RUNS]++;
	PROF_CONTROL[PROF_DONE] = 1;
}
#endif

void prof_finish(void)
{
#if PROF_MODE(TRACE)
#if TACHO_RISC == 0
	if (PROF_CONTROL[PROF_REPLAY] & PROF_REPLAY_ENDS) {
		PROF_BUFFER(0)[0] = 0;
		PROF_CONTROL[PROF_DEVICE_END] = PROF_OPTIONAL;
	}
#endif
#else
	volatile uint32_t *b = PROF_BUFFER(TACHO_RISC);

	if (PROF_CONTROL[PROF_DONE] == 1) /* DeviceValidateProfiler() writes no other value */
		return;
#if PROF_MODE(SUM)
	prof_store_sums(b);
#endif
#if !PROF_MODE(ACCUMULATE) && !PROF_MODE(STREAM)
	tacho_prof_index = prof_pad(b, tacho_prof_index);
#else
	(void)b;
#endif
#if PROF_MODE(STREAM)
	PROF_CONTROL[PROF_DEVICE_END + TACHO_RISC] = prof_lap + tacho_prof_index;
#else
	PROF_CONTROL[PROF_DEVICE_END + TACHO_RISC] = tacho_prof_index;
#endif
#endif
#if TACHO_RISC == 0
	prof_finish_all();
#endif
}

#if TACHO_RISC == 0
/* Data that the previous replay left goes to DRAM now. */
void prof_replay(void)
{
	tacho_prof_replays++;
	prof_place();
#if PROF_MODE(TRACE)
	if ((PROF_CONTROL[PROF_REPLAY] & PROF_REPLAY_ENDS) && PROF_CONTROL[PROF_DEVICE_END] &&
	    prof_dram) {
		prof_push(0);
		prof_flush();
	}
	prof_clear(0);
	PROF_CONTROL[PROF_DEVICE_END] = 0;
	PROF_CONTROL[PROF_REPLAY] = 0;
#endif
}
#endif

#else

void prof_init(const volatile uint8_t *launch)
{
	(void)launch;
}

void prof_finish(void)
{
}

void prof_replay(void)
{
}
#endif
