/*
 * Zones inside kernels. Include it in a kernel (dataflow_api.h and compute_kernel_api.h do):
 *
 *	DeviceZoneScopedN("load");              until the end of the block
 *	DeviceZoneScopedSumN1("wait");          only the sum of all is kept; needs sum profiling
 *	DeviceTimestampedData("index", i);      a 64-bit value with its time
 *	DeviceRecordEvent(7);                   a 16-bit number with its time
 *	DeviceValidateProfiler(condition);      false: what this core records in this run is not
 * kept DeviceZoneSetCounter(id);               the number under which the run is reported
 *
 * Nothing is left of them unless the kernel is compiled with PROFILE_KERNEL (the device library
 * does that when TT_METAL_DEVICE_PROFILER is set). A zone takes about 67 cycles, of which
 * 31 lie inside it (examples/device/full_buffer prints it). Each RISC has room for 125 zones per
 * run; the firmware's own two (MainN, MainChildN) always fit. Zones that found no room are counted.
 *
 * Names go to a section of the ELF file that is not loaded; on the device a zone is a number that
 * the linker gave it. A name must be a string literal without quotes and backslashes.
 *
 * The words in memory are described in docs/device.md.
 */
#ifndef TACHO_KERNEL_PROFILER_H
#define TACHO_KERNEL_PROFILER_H

#include "tacho_hw.h"

#ifndef PROFILE_KERNEL
#define PROFILE_KERNEL 0
#endif

#if PROFILE_KERNEL

#define TACHO_PROF_CAT_(a, b) a##b
#define TACHO_PROF_CAT(a, b)  TACHO_PROF_CAT_(a, b)
#define TACHO_PROF_STR_(a)    #a
#define TACHO_PROF_STR(a)     TACHO_PROF_STR_(a)

/*
 * A record of 16 bytes in .tsc_zones: name, file, line. Its address / 16 is the zone's number. The
 * .ifndef is for code that the compiler copies: the record is made once.
 */
#define TACHO_PROF_RECORD(n, name)                             \
	__asm__(".ifndef .Ltsc" #n "\n"                        \
		".pushsection .tsc_strings, \"\", @progbits\n" \
		".Ltscn" #n ": .asciz \"" name "\"\n"          \
		".Ltscf" #n ": .asciz \"" __FILE__ "\"\n"      \
		".popsection\n"                                \
		".pushsection .tsc_zones, \"\", @progbits\n"   \
		".balign 16\n"                                 \
		".Ltsc" #n ": .word .Ltscn" #n ", .Ltscf" #n   \
		", " TACHO_PROF_STR(__LINE__) ", 0\n"          \
					      ".popsection\n"  \
					      ".endif\n")
#define TACHO_PROF_SYMBOL(n) extern const char TACHO_PROF_CAT(tacho_zone_, n)[] __asm__(".Ltsc" #n)
#define TACHO_PROF_DECLARE_(n, name) \
	TACHO_PROF_SYMBOL(n);        \
	TACHO_PROF_RECORD(n, name)
#define TACHO_PROF_DECLARE(n, name) TACHO_PROF_DECLARE_(n, name)
/* The number, shifted to where a marker has it. */
#define TACHO_PROF_ID(n) ((uint32_t)(uintptr_t)TACHO_PROF_CAT(tacho_zone_, n) << 8)

#define TACHO_PROF_VALID       0x80000000u
#define TACHO_PROF_TYPE(type)  ((type) << 28)
#define TACHO_PROF_LOST(r)     (PROF_CONTROL[5 + (r)]) /* markers that found no room in L1 */
#define TACHO_PROF_ROOM(words) (tacho_prof_index + (words) <= PROF_BUFFER_WORDS - tacho_prof_stack)

/* ID: type and number in place. */
FORCE_INLINE void tacho_prof_mark(uint32_t index, uint32_t id)
{
	volatile uint32_t *words = PROF_BUFFER(TACHO_RISC) + index;
	uint64_t now = tacho_wall_clock();

	words[0] = TACHO_PROF_VALID | id | ((uint32_t)(now >> 32) & 0xfff);
	words[1] = (uint32_t)now;
}

/* What a zone keeps until it ends: its number, or 0 when it found no room. */
FORCE_INLINE uint32_t tacho_prof_begin(uint32_t id)
{
	if (!TACHO_PROF_ROOM(4)) {
		TACHO_PROF_LOST(TACHO_RISC)++;
		return 0;
	}
	tacho_prof_mark(tacho_prof_index, id | TACHO_PROF_TYPE(PROF_ZONE_START));
	tacho_prof_index += 2;
	tacho_prof_stack += 2;
	return id;
}

FORCE_INLINE void tacho_prof_end(const uint32_t *zone)
{
	if (!*zone)
		return;
	tacho_prof_mark(tacho_prof_index, *zone | TACHO_PROF_TYPE(PROF_ZONE_END));
	tacho_prof_index += 2;
	tacho_prof_stack -= 2;
}

/* Guaranteed zones have their own words. */
FORCE_INLINE uint32_t tacho_prof_main_begin(uint32_t id, uint32_t slot)
{
	tacho_prof_mark(PROF_GUARANTEED + 4 * slot, id | TACHO_PROF_TYPE(PROF_ZONE_START));
	return id | slot;
}

FORCE_INLINE void tacho_prof_main_end(const uint32_t *zone)
{
	tacho_prof_mark(PROF_GUARANTEED + 4 * (*zone & 1) + 2,
			(*zone & ~1u) | TACHO_PROF_TYPE(PROF_ZONE_END));
}

struct tacho_prof_sum {
	uint64_t start;
	uint32_t id, slot;
};

FORCE_INLINE void tacho_prof_sum_end(const struct tacho_prof_sum *zone)
{
	tacho_prof_sum[zone->slot] += (uint32_t)(tacho_wall_clock() - zone->start);
	tacho_prof_sum_id[zone->slot] = zone->id;
}

FORCE_INLINE void tacho_prof_data(uint32_t id, uint64_t value)
{
	volatile uint32_t *words = PROF_BUFFER(TACHO_RISC) + tacho_prof_index;

	if (!TACHO_PROF_ROOM(4)) {
		TACHO_PROF_LOST(TACHO_RISC)++;
		return;
	}
	tacho_prof_mark(tacho_prof_index, id | TACHO_PROF_TYPE(PROF_DATA));
	words[2] = (uint32_t)(value >> 32);
	words[3] = (uint32_t)value;
	tacho_prof_index += 4;
}

FORCE_INLINE void tacho_prof_data_16(uint32_t id, uint64_t first, uint64_t second)
{
	volatile uint32_t *words = PROF_BUFFER(TACHO_RISC) + tacho_prof_index;

	if (!TACHO_PROF_ROOM(6)) {
		TACHO_PROF_LOST(TACHO_RISC)++;
		return;
	}
	tacho_prof_mark(tacho_prof_index, id | TACHO_PROF_TYPE(PROF_DATA_16));
	words[2] = (uint32_t)(first >> 32);
	words[3] = (uint32_t)first;
	words[4] = (uint32_t)(second >> 32);
	words[5] = (uint32_t)second;
	tacho_prof_index += 6;
}

FORCE_INLINE void tacho_prof_event(uint32_t number)
{
	if (!TACHO_PROF_ROOM(2)) {
		TACHO_PROF_LOST(TACHO_RISC)++;
		return;
	}
	tacho_prof_mark(tacho_prof_index, (number & 0xffff) << 12 | TACHO_PROF_TYPE(PROF_EVENT));
	tacho_prof_index += 2;
}

#define TACHO_PROF_SCOPED(end) __attribute__((cleanup(end), unused)) uint32_t

#define TACHO_PROF_ZONE_(n, name)         \
	TACHO_PROF_DECLARE(n, name);      \
	TACHO_PROF_SCOPED(tacho_prof_end) \
	TACHO_PROF_CAT(tacho_prof_zone_, n) = tacho_prof_begin(TACHO_PROF_ID(n))
#define TACHO_PROF_ZONE(n, name) TACHO_PROF_ZONE_(n, name)
#define TACHO_PROF_MAIN_(n, name, slot)        \
	TACHO_PROF_DECLARE(n, name);           \
	TACHO_PROF_SCOPED(tacho_prof_main_end) \
	TACHO_PROF_CAT(tacho_prof_zone_, n) = tacho_prof_main_begin(TACHO_PROF_ID(n), slot)
#define TACHO_PROF_MAIN(n, name, slot) TACHO_PROF_MAIN_(n, name, slot)
#define TACHO_PROF_SUM_(n, name, slot_)                                                            \
	TACHO_PROF_DECLARE(n, name);                                                               \
	__attribute__((cleanup(tacho_prof_sum_end), unused)) struct tacho_prof_sum TACHO_PROF_CAT( \
		tacho_prof_zone_, n) = {tacho_wall_clock(), TACHO_PROF_ID(n), slot_}
#define TACHO_PROF_SUM(n, name, slot) TACHO_PROF_SUM_(n, name, slot)
#define TACHO_PROF_DATA_(n, name, value)                    \
	do {                                                \
		TACHO_PROF_DECLARE(n, name);                \
		tacho_prof_data(TACHO_PROF_ID(n), (value)); \
	} while (0)
#define TACHO_PROF_DATA(n, name, value) TACHO_PROF_DATA_(n, name, value)

#define DeviceZoneScopedN(name)          TACHO_PROF_ZONE(__COUNTER__, name)
#define DeviceZoneScopedMainN(name)      TACHO_PROF_MAIN(__COUNTER__, name, 0)
#define DeviceZoneScopedMainChildN(name) TACHO_PROF_MAIN(__COUNTER__, name, 1)
#if PROFILE_KERNEL & PROF_MODE_SUM
#define DeviceZoneScopedSumN1(name) TACHO_PROF_SUM(__COUNTER__, name, 0)
#define DeviceZoneScopedSumN2(name) TACHO_PROF_SUM(__COUNTER__, name, 1)
#else
#define DeviceZoneScopedSumN1(name)
#define DeviceZoneScopedSumN2(name)
#endif
#define DeviceTimestampedData(name, value) TACHO_PROF_DATA(__COUNTER__, name, value)
#define DeviceRecordEvent(number)          tacho_prof_event(number)
#define DeviceValidateProfiler(condition)  (PROF_CONTROL[PROF_DONE] = !(condition))
#define DeviceZoneSetCounter(id)                             \
	do {                                                 \
		for (uint32_t r_ = 0; r_ < 5; r_++)          \
			PROF_BUFFER(r_)[3] = (uint32_t)(id); \
	} while (0)

#else /* nothing is recorded */

#define DeviceZoneScopedN(name)
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#define DeviceZoneScopedSumN1(name)
#define DeviceZoneScopedSumN2(name)
#define DeviceTimestampedData(name, value) ((void)(value))
#define DeviceRecordEvent(number)          ((void)(number))
#define DeviceValidateProfiler(condition)  ((void)(condition))
#define DeviceZoneSetCounter(id)           ((void)(id))

#endif

/* ---- NoC events: one TS_DATA of id PROF_ID_NOC per transfer; barriers too when asked for by 2
 * ---- */
#define TACHO_NOC_READ                    1
#define TACHO_NOC_READ_BARRIER_START      6
#define TACHO_NOC_READ_BARRIER_END        7
#define TACHO_NOC_WRITE_                  11
#define TACHO_NOC_WRITE_INLINE            14
#define TACHO_NOC_WRITE_MULTICAST         15
#define TACHO_NOC_WRITE_BARRIER_START     20
#define TACHO_NOC_WRITE_BARRIER_END       21
#define TACHO_NOC_WRITE_FLUSH             23
#define TACHO_NOC_ATOMIC_BARRIER          26
#define TACHO_NOC_SEMAPHORE_INC           27
#define TACHO_NOC_SEMAPHORE_WAIT          28
#define TACHO_NOC_SEMAPHORE_SET           29
#define TACHO_NOC_SEMAPHORE_SET_REMOTE    30
#define TACHO_NOC_SEMAPHORE_SET_MULTICAST 31

#if PROFILE_KERNEL && defined(PROFILE_NOC_EVENTS) && TACHO_RISC < 2
#define TACHO_NOC_QUIET(type)                                                               \
	((type) != TACHO_NOC_READ && (type) != TACHO_NOC_WRITE_ &&                          \
	 (type) != TACHO_NOC_WRITE_MULTICAST && (type) != TACHO_NOC_SEMAPHORE_SET_REMOTE && \
	 (type) != TACHO_NOC_SEMAPHORE_SET_MULTICAST)

FORCE_INLINE void tacho_noc_event(uint32_t type, uint64_t address, uint32_t size, uint32_t posted)
{
	uint32_t x = (uint32_t)(address >> 36) & 63, y = (uint32_t)(address >> 42) & 63;
	uint32_t end_x = (uint32_t)(address >> 48) & 63, end_y = (uint32_t)(address >> 54) & 63;
	uint32_t chunks = (size + 31) / 32;

	if (TACHO_NOC_QUIET(type) && PROFILE_NOC_EVENTS < 2)
		return;
	tacho_prof_data((uint32_t)PROF_ID_NOC << 12,
			type | x << 8 | y << 16 | end_x << 24 | (uint64_t)end_y << 32 |
				(uint64_t)(0xf0u | (noc_index + 1u)) << 40 |
				(uint64_t)(chunks > 255 ? 255 : chunks) << 48 |
				(uint64_t)posted << 56);
}
#define TACHO_NOC_EVENT(type, address, size, posted) \
	tacho_noc_event(TACHO_NOC_##type, address, size, posted)
#else
#define TACHO_NOC_EVENT(type, address, size, posted) ((void)0)
#endif

#endif
