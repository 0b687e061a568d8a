/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones inside kernels. Include it in a kernel (dataflow_api.h and compute_kernel_api.h do):
 *
 *	DeviceZoneScopedN("load");              until the end of the block
 *	DeviceZoneScopedMainN("main");          the same, and always has room; one per kernel
 *	DeviceZoneScopedMainChildN("inner");    the same, inside it
 *	DeviceZoneScopedSumN1("wait");          records only the sum; needs sum profiling
 *	DeviceTimestampedData("index", i);      a 64-bit value with its time
 *	DeviceRecordEvent(7);                   a 16-bit number with its time
 *	DeviceValidateProfiler(condition);      false: discard this core's run
 *	DeviceZoneSetCounter(id);               the id of the run in reports
 *
 * They compile to nothing unless PROFILE_KERNEL is defined (the device library defines it if
 * TT_METAL_DEVICE_PROFILER is set). A zone takes about 67 cycles, of which
 * 32 lie inside it (examples/device/full_buffer prints it). The host drains zones while the
 * kernel runs, so their number is not limited. With buffers of a fixed size (docs/device.md) each
 * RISC has room for 125 per run, the firmware's own two (MainN, MainChildN) always fit, and
 * zones without room are dropped and counted.
 *
 * Names go to a section of the ELF file that is not loaded; on the device a zone is a number that
 * the linker gave it. A name must be a string literal without quotes and backslashes. With
 * PROFILE_ZONE_HASH the number is a hash of name, file and line instead, and the compiler prints
 * them, for tools that read such logs.
 *
 * In C a zone ends by the cleanup attribute, in C++ by a destructor; the words in memory are the
 * same, and are described in docs/device.md.
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

#ifdef PROFILE_ZONE_HASH

/* The text is hashed (FNV-1a, folded to 16 bits) by the compiler. */
#define TACHO_PROF_TEXT(name) name "," __FILE__ "," TACHO_PROF_STR(__LINE__) ",KERNEL_PROFILER"
#define TACHO_PROF_PRAGMA(x)  _Pragma(#x)
#define TACHO_PROF_FOLD(h)    (((h) ^ (h) >> 16) & 0xffff)
#ifdef __cplusplus
template <__SIZE_TYPE__ N> constexpr uint32_t tacho_prof_hash(const char (&text)[N])
{
	uint32_t h = 2166136261u;

	for (__SIZE_TYPE__ i = 0; i + 1 < N; i++)
		h = (h ^ (uint8_t)text[i]) * 16777619u;
	return TACHO_PROF_FOLD(h);
}
#define TACHO_PROF_NUMBER(text) tacho_prof_hash(text)
#else
/* Steps beyond the end change nothing. */
#define TACHO_PROF_IN(s, i) ((i) < sizeof(s) - 1)
#define TACHO_PROF_H1(s, i, h)                                                              \
	(((h) ^ (TACHO_PROF_IN(s, i) ? (uint8_t)(s)[TACHO_PROF_IN(s, i) ? (i) : 0] : 0u)) * \
	 (TACHO_PROF_IN(s, i) ? 16777619u : 1u))
#define TACHO_PROF_H2(s, i, h)   TACHO_PROF_H1(s, (i) + 1, TACHO_PROF_H1(s, i, h))
#define TACHO_PROF_H4(s, i, h)   TACHO_PROF_H2(s, (i) + 2, TACHO_PROF_H2(s, i, h))
#define TACHO_PROF_H8(s, i, h)   TACHO_PROF_H4(s, (i) + 4, TACHO_PROF_H4(s, i, h))
#define TACHO_PROF_H16(s, i, h)  TACHO_PROF_H8(s, (i) + 8, TACHO_PROF_H8(s, i, h))
#define TACHO_PROF_H32(s, i, h)  TACHO_PROF_H16(s, (i) + 16, TACHO_PROF_H16(s, i, h))
#define TACHO_PROF_H64(s, i, h)  TACHO_PROF_H32(s, (i) + 32, TACHO_PROF_H32(s, i, h))
#define TACHO_PROF_H128(s, i, h) TACHO_PROF_H64(s, (i) + 64, TACHO_PROF_H64(s, i, h))
#define TACHO_PROF_H256(s, i, h) TACHO_PROF_H128(s, (i) + 128, TACHO_PROF_H128(s, i, h))
FORCE_INLINE uint32_t tacho_prof_fold(uint32_t h)
{
	return TACHO_PROF_FOLD(h);
}
#define TACHO_PROF_NUMBER(text)                                                          \
	({                                                                               \
		static const char text_[] = text;                                        \
		_Static_assert(sizeof(text_) <= 257, "zone name and path are too long"); \
		tacho_prof_fold(TACHO_PROF_H256(text_, 0, 2166136261u));                 \
	})
#endif
#define TACHO_PROF_DECLARE(n, name) TACHO_PROF_PRAGMA(message(TACHO_PROF_TEXT(name)))
#define TACHO_PROF_ID(n, name)      (TACHO_PROF_NUMBER(TACHO_PROF_TEXT(name)) << 12)

#else

/*
 * A record of 16 bytes in .tsc_zones: name, file, line. Its address / 16 is the zone's number.
 * The .ifndef handles code that the compiler duplicates: there is one record.
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
	TACHO_PROF_RECORD(n, name);
#define TACHO_PROF_DECLARE(n, name) TACHO_PROF_DECLARE_(n, name)
/* The number, shifted to its position in a marker. */
#define TACHO_PROF_ID(n, name)      ((uint32_t)(uintptr_t)TACHO_PROF_CAT(tacho_zone_, n) << 8)

#endif

#define TACHO_PROF_VALID      0x80000000u
#define TACHO_PROF_TYPE(type) ((type) << 28)
#define TACHO_PROF_LOST(r)    (PROF_CONTROL[PROF_LOST + (r)]) /* markers that found no room */
#if PROFILE_KERNEL & PROF_MODE_STREAM
#define TACHO_PROF_END tacho_prof_limit
#else
#define TACHO_PROF_END PROF_BUFFER_WORDS
#endif
#define TACHO_PROF_ROOM(words) (tacho_prof_index + (words) <= TACHO_PROF_END - tacho_prof_stack)

/* ID: type and number in place. */
FORCE_INLINE void tacho_prof_store(volatile uint32_t *words, uint32_t id)
{
	uint64_t now = tacho_wall_clock();

	words[0] = TACHO_PROF_VALID | id | ((uint32_t)(now >> 32) & 0xfff);
	words[1] = (uint32_t)now;
}

FORCE_INLINE void tacho_prof_mark(uint32_t index, uint32_t id)
{
	tacho_prof_store(PROF_BUFFER(TACHO_RISC) + index, id);
}

/*
 * Without streaming, NoC events, counters and zones of dispatch cores are not lost: a full
 * buffer is flushed to DRAM.
 */
#if TACHO_RISC < 2 && \
	!(PROFILE_KERNEL & (PROF_MODE_TRACE | PROF_MODE_ACCUMULATE | PROF_MODE_STREAM))
#define TACHO_PROF_PUSH 1
#else
#define TACHO_PROF_PUSH 0
#endif

FORCE_INLINE int tacho_prof_room(uint32_t words, int push)
{
	if (__builtin_expect(TACHO_PROF_ROOM(words), 1))
		return 1;
#if PROFILE_KERNEL & PROF_MODE_STREAM
	if (tacho_prof_wait(words))
		return 1;
#elif TACHO_PROF_PUSH
	if (push)
		tacho_prof_quick_push();
	if (push && TACHO_PROF_ROOM(words))
		return 1;
#endif
	(void)push;
	TACHO_PROF_LOST(TACHO_RISC)++;
	return 0;
}

/* The state of an open zone: its number, or 0 if there was no room. */
FORCE_INLINE uint32_t tacho_prof_begin(uint32_t id)
{
	if (!tacho_prof_room(4, 0))
		return 0;
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

/*
 * Zones that always have room. The firmware's have their own words in front of the others; when
 * runs are accumulated there is always room for them; when only whole traces are recorded all RISCs
 * of a core share one pair, and the first start and the last end are kept. A kernel's are ordinary
 * zones for which room is set aside before it starts.
 */
#ifdef TACHO_FIRMWARE
#if PROFILE_KERNEL & PROF_MODE_TRACE
FORCE_INLINE uint32_t tacho_prof_main_begin(uint32_t id, uint32_t slot)
{
	uint32_t status = PROF_CONTROL[PROF_REPLAY], bit = PROF_REPLAY_FW >> slot;

	if (!(status & PROF_REPLAY_ON) || (status & bit))
		return id | slot;
	PROF_CONTROL[PROF_REPLAY] = status | bit;
	tacho_prof_store(PROF_BUFFER(0) + PROF_GUARANTEED + 4 * slot,
			 id | TACHO_PROF_TYPE(PROF_ZONE_START));
	return id | slot;
}

FORCE_INLINE void tacho_prof_main_end(const uint32_t *zone)
{
	volatile uint32_t *start = PROF_BUFFER(0) + PROF_GUARANTEED + 4 * (*zone & 1);

	if (!(PROF_CONTROL[PROF_REPLAY] & PROF_REPLAY_ON))
		return;
	/* The number is that of the RISC that began. */
	tacho_prof_store(start + 2, (*start & 0x0ffff000u) | TACHO_PROF_TYPE(PROF_ZONE_END));
	if (!(*zone & 1))
		PROF_CONTROL[PROF_REPLAY] |= PROF_REPLAY_ENDS;
}
#elif PROFILE_KERNEL & PROF_MODE_ACCUMULATE
#define tacho_prof_main_begin(id, slot) tacho_prof_begin(id)
#define tacho_prof_main_end             tacho_prof_end
#else
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
#endif
#define TACHO_PROF_KEEP(slot)
#else
static __attribute__((unused)) uint32_t tacho_prof_main_used;

/* Room is reserved only for the first one of a run. */
FORCE_INLINE uint32_t tacho_prof_main_begin(uint32_t id, uint32_t slot)
{
	if (!(tacho_prof_main_used >> slot & 1)) {
		tacho_prof_main_used |= 1u << slot;
		tacho_prof_stack -= 4;
	}
	return tacho_prof_begin(id);
}
#define tacho_prof_main_end tacho_prof_end
/* Number of words that kernel_start() reserves. */
#define TACHO_PROF_KEEP(slot)                         \
	__asm__(".ifndef tacho_prof_main_" #slot "\n" \
		".globl tacho_prof_main_" #slot "\n"  \
		".set tacho_prof_main_" #slot ", 4\n.endif\n");
#endif

struct tacho_prof_summing {
	uint64_t start;
	uint32_t id, slot;
#ifdef __cplusplus
	inline ~tacho_prof_summing();
#endif
};

FORCE_INLINE void tacho_prof_sum_end(const struct tacho_prof_summing *zone)
{
	tacho_prof_sum[zone->slot] += (uint32_t)(tacho_wall_clock() - zone->start);
	tacho_prof_sum_id[zone->slot] = zone->id;
}

FORCE_INLINE void tacho_prof_data(uint32_t id, uint64_t value, int push)
{
	volatile uint32_t *words;

	if (!tacho_prof_room(4, push))
		return;
	words = PROF_BUFFER(TACHO_RISC) + tacho_prof_index;
	tacho_prof_mark(tacho_prof_index, id | TACHO_PROF_TYPE(PROF_DATA));
	words[2] = (uint32_t)(value >> 32);
	words[3] = (uint32_t)value;
	tacho_prof_index += 4;
}

FORCE_INLINE void tacho_prof_data_16(uint32_t id, uint64_t first, uint64_t second)
{
	volatile uint32_t *words;

	if (!tacho_prof_room(6, 1))
		return;
	words = PROF_BUFFER(TACHO_RISC) + tacho_prof_index;
	tacho_prof_mark(tacho_prof_index, id | TACHO_PROF_TYPE(PROF_DATA_16));
	words[2] = (uint32_t)(first >> 32);
	words[3] = (uint32_t)first;
	words[4] = (uint32_t)(second >> 32);
	words[5] = (uint32_t)second;
	tacho_prof_index += 6;
}

FORCE_INLINE void tacho_prof_event(uint32_t number)
{
	if (!tacho_prof_room(2, 0))
		return;
	tacho_prof_mark(tacho_prof_index, (number & 0xffff) << 12 | TACHO_PROF_TYPE(PROF_EVENT));
	tacho_prof_index += 2;
}

#ifdef __cplusplus
template <void (*End)(const uint32_t *)> struct tacho_prof_scope {
	uint32_t zone;
	__attribute__((always_inline)) ~tacho_prof_scope()
	{
		End(&zone);
	}
};

inline __attribute__((always_inline)) tacho_prof_summing::~tacho_prof_summing()
{
	tacho_prof_sum_end(this);
}
#define TACHO_PROF_SCOPE(end, name, value) \
	tacho_prof_scope<end> name         \
	{                                  \
		value                      \
	}
#define TACHO_PROF_SUM_SCOPE(name) tacho_prof_summing name
#else
#define TACHO_PROF_SCOPE(end, name, value) \
	__attribute__((cleanup(end), unused)) uint32_t name = value
#define TACHO_PROF_SUM_SCOPE(name) \
	__attribute__((cleanup(tacho_prof_sum_end), unused)) struct tacho_prof_summing name
#endif

#define TACHO_PROF_NAME(n) TACHO_PROF_CAT(tacho_prof_zone_, n)
#define TACHO_PROF_ZONE_(n, name)                            \
	TACHO_PROF_DECLARE(n, name)                          \
	TACHO_PROF_SCOPE(tacho_prof_end, TACHO_PROF_NAME(n), \
			 tacho_prof_begin(TACHO_PROF_ID(n, name)))
#define TACHO_PROF_ZONE(n, name) TACHO_PROF_ZONE_(n, name)
#define TACHO_PROF_MAIN_(n, name, slot)                           \
	TACHO_PROF_KEEP(slot)                                     \
	TACHO_PROF_DECLARE(n, name)                               \
	TACHO_PROF_SCOPE(tacho_prof_main_end, TACHO_PROF_NAME(n), \
			 tacho_prof_main_begin(TACHO_PROF_ID(n, name), slot))
#define TACHO_PROF_MAIN(n, name, slot) TACHO_PROF_MAIN_(n, name, slot)
#define TACHO_PROF_SUM_(n, name, slot)                                                          \
	TACHO_PROF_DECLARE(n, name)                                                             \
	TACHO_PROF_SUM_SCOPE(TACHO_PROF_NAME(n)) = {tacho_wall_clock(), TACHO_PROF_ID(n, name), \
						    slot}
#define TACHO_PROF_SUM(n, name, slot) TACHO_PROF_SUM_(n, name, slot)
#define TACHO_PROF_DATA_(n, name, value)                             \
	do {                                                         \
		TACHO_PROF_DECLARE(n, name)                          \
		tacho_prof_data(TACHO_PROF_ID(n, name), (value), 0); \
	} while (0)
#define TACHO_PROF_DATA(n, name, value) TACHO_PROF_DATA_(n, name, value)

#ifdef TACHO_FIRMWARE
#define TACHO_PROF_WHOLE 1 /* main zones are recorded in trace-only mode too */
#else
#define TACHO_PROF_WHOLE !(PROFILE_KERNEL & PROF_MODE_TRACE)
#endif

#if TACHO_PROF_WHOLE
#define DeviceZoneScopedMainN(name)      TACHO_PROF_MAIN(__COUNTER__, name, 0)
#define DeviceZoneScopedMainChildN(name) TACHO_PROF_MAIN(__COUNTER__, name, 1)
#endif
#if !(PROFILE_KERNEL & PROF_MODE_TRACE)
#define DeviceZoneScopedN(name)   TACHO_PROF_ZONE(__COUNTER__, name)
#define DeviceRecordEvent(number) tacho_prof_event(number)
#if !(PROFILE_KERNEL & PROF_MODE_ACCUMULATE)
#define DeviceTimestampedData(name, value) TACHO_PROF_DATA(__COUNTER__, name, value)
#if PROFILE_KERNEL & PROF_MODE_SUM
#define DeviceZoneScopedSumN1(name) TACHO_PROF_SUM(__COUNTER__, name, 0)
#define DeviceZoneScopedSumN2(name) TACHO_PROF_SUM(__COUNTER__, name, 1)
#endif
#endif
#endif
#define DeviceValidateProfiler(condition) (PROF_CONTROL[PROF_DONE] = !(condition))
#define DeviceZoneSetCounter(id)                             \
	do {                                                 \
		for (uint32_t r_ = 0; r_ < 5; r_++)          \
			PROF_BUFFER(r_)[3] = (uint32_t)(id); \
	} while (0)

#endif

/* Unrecorded markers compile to nothing. */
#ifndef DeviceZoneScopedN
#define DeviceZoneScopedN(name)
#endif
#ifndef DeviceZoneScopedMainN
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#endif
#ifndef DeviceZoneScopedSumN1
#define DeviceZoneScopedSumN1(name)
#define DeviceZoneScopedSumN2(name)
#endif
#ifndef DeviceTimestampedData
#define DeviceTimestampedData(name, value) ((void)(value))
#endif
#ifndef DeviceRecordEvent
#define DeviceRecordEvent(number) ((void)(number))
#endif
#ifndef DeviceValidateProfiler
#define DeviceValidateProfiler(condition) ((void)(condition))
#define DeviceZoneSetCounter(id)          ((void)(id))
#endif

/*
 * ---- NoC events: one TS_DATA of id PROF_ID_NOC per transfer; level 2 adds barriers and the
 * like, and a second word with addresses (TS_DATA_16B) ----
 */
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
#define TACHO_NOC_SEMAPHORE_INC_MULTICAST 32
#define TACHO_NOC_READ_SET_STATE          2
#define TACHO_NOC_READ_WITH_STATE         4
#define TACHO_NOC_WRITE_WITH_TRID         13
#define TACHO_NOC_WRITE_SET_STATE         16
#define TACHO_NOC_WRITE_WITH_STATE        17

#if PROFILE_KERNEL && defined(PROFILE_NOC_EVENTS) && TACHO_RISC < 2 && \
	!(PROFILE_KERNEL & (PROF_MODE_TRACE | PROF_MODE_ACCUMULATE))
#define TACHO_NOC_QUIET(type)                                                                 \
	((type) != TACHO_NOC_READ && (type) != TACHO_NOC_WRITE_ &&                            \
	 (type) != TACHO_NOC_WRITE_MULTICAST && (type) != TACHO_NOC_SEMAPHORE_SET_REMOTE &&   \
	 (type) != TACHO_NOC_SEMAPHORE_SET_MULTICAST &&                                       \
	 (type) != TACHO_NOC_SEMAPHORE_INC_MULTICAST && (type) != TACHO_NOC_READ_SET_STATE && \
	 (type) != TACHO_NOC_READ_WITH_STATE && (type) != TACHO_NOC_WRITE_SET_STATE &&        \
	 (type) != TACHO_NOC_WRITE_WITH_STATE && (type) != TACHO_NOC_WRITE_WITH_TRID)

/* Addresses are cut to 24 bits; COUNTER: transfers of this kind issued before. */
FORCE_INLINE uint64_t tacho_noc_trailer(uint32_t to, uint32_t from, uint32_t counter)
{
	return (to >> 2 & 0x3fffff) | (uint64_t)(to & 3) << 22 |
	       (uint64_t)(from >> 2 & 0x3fffff) << 26 | (uint64_t)(from & 3) << 48 |
	       (uint64_t)(counter & 0xfff) << 52;
}

/* ADDRESS: of the other side; LOCAL: in this core's L1. */
FORCE_INLINE void tacho_noc_event(uint32_t noc, uint32_t type, uint64_t address, uint32_t local,
				  uint32_t size, uint32_t posted)
{
	uint32_t x = (uint32_t)(address >> 36) & 63, y = (uint32_t)(address >> 42) & 63;
	uint32_t end_x = (uint32_t)(address >> 48) & 63, end_y = (uint32_t)(address >> 54) & 63;
	uint32_t chunks = (size + 31) / 32;
	uint64_t word = type | x << 8 | y << 16 | end_x << 24 | (uint64_t)end_y << 32 |
			(uint64_t)(0xf0u | (noc + 1u)) << 40 |
			(uint64_t)(chunks > 255 ? 255 : chunks) << 48 | (uint64_t)posted << 56;

	if (PROFILE_NOC_EVENTS < 2) {
		if (!TACHO_NOC_QUIET(type))
			tacho_prof_data((uint32_t)PROF_ID_NOC << 12, word, 1);
		return;
	}
	tacho_prof_data_16(
		(uint32_t)PROF_ID_NOC << 12, word,
		type == TACHO_NOC_READ
			? tacho_noc_trailer(local, (uint32_t)address, noc_reads_num_issued[noc])
			: tacho_noc_trailer((uint32_t)address, local,
					    noc_nonposted_writes_num_issued[noc]));
}
#define TACHO_NOC_EVENT_ON(noc, type, address, local, size, posted) \
	tacho_noc_event(noc, TACHO_NOC_##type, address, local, size, posted)
#else
#define TACHO_NOC_EVENT_ON(noc, type, address, local, size, posted) ((void)0)
#endif
#define TACHO_NOC_EVENT(type, address, local, size, posted) \
	TACHO_NOC_EVENT_ON(noc_index, type, address, local, size, posted)

#endif
