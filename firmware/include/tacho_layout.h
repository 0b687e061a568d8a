/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host and the firmware agree on: where things lie in L1, and the words of a launch. Plain
 * #defines, so that both can include it.
 *
 * Offsets below M_ are from the mailbox base, which is part of the architecture (TACHO_MAILBOX).
 */
#ifndef TACHO_LAYOUT_H
#define TACHO_LAYOUT_H

/* ---- mailboxes ---- */
#define M_SYNC          8 /* one byte for NC, T0, T1, T2 */
#define M_LAUNCH_RD_PTR 12
#define M_LAUNCH        16   /* eight launch messages */
#define M_GO            1168 /* the signal is the top byte */
#define M_GO_INDEX      1216
#define M_DPRINT        1520 /* per RISC DPRINT_SIZE bytes: words written and read, then data */
#define M_PROF_CONTROL  2800 /* 64 words */
#define M_PROF_BUFFER   3056 /* per RISC 512 words */
#define M_END           13296

#define LAUNCH_SIZE    144
#define LAUNCH_BASE    0   /* kernel config base, by kind of core */
#define LAUNCH_SEMS    16  /* u16: offset of the semaphores from the base */
#define LAUNCH_CBS     24  /* u16: of the circular buffers */
#define LAUNCH_ARGS    28  /* per RISC {u16 own, u16 common} arguments */
#define LAUNCH_MODE    48  /* 1: the host started it, 0: a dispatch core */
#define LAUNCH_TEXT    52  /* per RISC: offset of the kernel */
#define LAUNCH_CB_MASK 104 /* u64 */
#define LAUNCH_NOC     112 /* u8: the NoC of BRISC; NCRISC takes the other one */
#define LAUNCH_ID      116 /* the host's number of the op */
#define LAUNCH_ENABLES 120 /* bit per RISC */
#define LAUNCH_TRACE   124 /* u32: number of the trace that it is part of, 0: none */
#define LAUNCH_LOGICAL 128 /* u8 x, y: logical coordinates of the core */

#define GO_INIT   0x40
#define GO_RUN    0x80
#define GO_REPLAY 0xf0
#define GO_DONE   0x00

/* ---- firmware and kernels ---- */
#define FW_BRISC         0x3A00
#define FW_TRISC0        0x6000
#define FW_TRISC1        0xA000
#define FW_TRISC2        0xE000
#define FW_NCRISC        0x12000
#define BANK_TABLE       53440   /* u16 dram xy[2][banks], u16 l1 xy[2][cores], i32 offsets */
#define KERNEL_TEXT      0x14000 /* one slot per RISC */
#define KERNEL_TEXT_SLOT 0x4000
#define KERNEL_CONFIG    0x28000
#define CONFIG_SEMS      0x000 /* 16 of 16 bytes */
#define CONFIG_CBS       0x100 /* 32 of {address, size, pages, page size} */
#define CONFIG_ARGS      0x300 /* per RISC 1.5 KiB, then the common ones */
#define CONFIG_ARGS_SIZE 0x600
#define CONFIG_END       0x3F00
#define TACHO_ZEROS      (L1_FREE - TACHO_ZEROS_SIZE) /* never written */
#define TACHO_ZEROS_SIZE 256
#define L1_FREE          0x2C000 /* circular buffers upwards, L1 buffers downwards from the end */

/* ---- a dispatch core's memory, from L1_FREE ---- */
#define DISPATCH_COUNT        0  /* workers */
#define DISPATCH_ID           4  /* the op, as reports have it */
#define DISPATCH_DONE         16 /* workers count themselves here */
#define DISPATCH_NOTIFY       32 /* BRISC to NCRISC */
#define DISPATCH_WORKERS      64 /* y << 6 | x */
#define DISPATCH_MESSAGES     0x1000
#define DISPATCH_MESSAGE_SIZE 160

#define MAX_SEMS   16
#define SEM_STRIDE 16
#define MAX_CBS    32
#define MAX_ARGS   341

/* Local RAM: firmware's data come first, then the kernel's, the stack is at the end. */
#define LOCAL_RAM   0xFFB00000
#define KERNEL_DATA 0xFFB00380

/* ---- kernel profiler ---- */
#define PROF_RISCS      24
#define PROF_HOST_END   0
#define PROF_LOST       5  /* per RISC: markers that found no room */
#define PROF_TAKEN      10 /* per RISC, streaming: words that the host has taken in this run */
#define PROF_WAITED     15 /* per RISC, streaming: cycles that it waited for the host */
#define PROF_DEVICE_END 24
#define PROF_SYNC_HIGH  48
#define PROF_SYNC       49
#define PROF_DRAM       50
#define PROF_RUNS       51
#define PROF_NOC_X      52
#define PROF_NOC_Y      53
#define PROF_FLAT_ID    54
#define PROF_PER_BANK   55
#define PROF_DROPPED    56
#define PROF_DONE       57
#define PROF_REPLAY     58
#define PROF_DISPATCH   59
/* Bits of PROF_REPLAY, when only whole traces are recorded. */
#define PROF_REPLAY_FW     0x80000000u /* a firmware zone has begun */
#define PROF_REPLAY_KERNEL 0x40000000u /* a kernel zone has begun */
#define PROF_REPLAY_ENDS   0x20000000u /* ends are there */
#define PROF_REPLAY_ON     0x10000000u /* the program that runs is of a trace */
/* A bit of PROF_DROPPED: a kernel has overwritten the control vector. */
#define PROF_DROPPED_CONTROL 0x80000000u
#define PROF_WORDS           64

#define PROF_BUFFER_WORDS 512
#define PROF_GUARANTEED   4  /* first word of the four guaranteed markers */
#define PROF_OPTIONAL     12 /* first word of the others */

#define PROF_ZONE_START 0u
#define PROF_ZONE_END   1u
#define PROF_ZONE_TOTAL 2u
#define PROF_DATA       3u
#define PROF_EVENT      4u
#define PROF_DATA_16    5u

#define PROF_ID_NOC       12345
#define PROF_ID_NOC_DEBUG 23456
#define PROF_ID_COUNTERS  9090

/* Bits of PROFILE_KERNEL. */
#define PROF_MODE_ON         1
#define PROF_MODE_DISPATCH   2
#define PROF_MODE_TRACE      4
#define PROF_MODE_SUM        8
#define PROF_MODE_ACCUMULATE 16
#define PROF_MODE_STREAM     32 /* ours: the host takes markers out of L1 as they come */

/* ---- prints of kernels ---- */
#define DPRINT_SIZE 204
#define DPRINT_DATA 196
#define DPRINT_OFF  0xffffffffu /* in place of the words read: prints of this RISC are off */

/* Kinds of items; what follows each. */
#define DPRINT_TEXT      1 /* length, bytes */
#define DPRINT_U32       2
#define DPRINT_I32       3
#define DPRINT_U64       4
#define DPRINT_I64       5
#define DPRINT_FLOAT     6
#define DPRINT_CHAR      7
#define DPRINT_HEX_ON    8  /* a byte that means nothing */
#define DPRINT_DEC_ON    9  /* likewise */
#define DPRINT_WIDTH     10 /* of the next number only */
#define DPRINT_PRECISION 11

/* ---- performance counters: bits of PROFILE_PERF_COUNTERS, as users give them ---- */
#define COUNTERS_FPU    1
#define COUNTERS_PACK   2
#define COUNTERS_UNPACK 4
#define COUNTERS_L1_0   8
#define COUNTERS_L1_1   16
#define COUNTERS_INSTRN 32
#define COUNTERS_ALL    47 /* all but L1_1: the hardware has one selector for both */

/* One of each thread of the tile engine. */
#define PROF_THREADS(X, select, type, name)                                   \
	X(COUNTERS_INSTRN, 0x000, 0x100, select, type, name "_0")             \
	X(COUNTERS_INSTRN, 0x000, 0x100, (select) + 1, (type) + 1, name "_1") \
	X(COUNTERS_INSTRN, 0x000, 0x100, (select) + 2, (type) + 2, name "_2")

/*
 * Those that the model counts: bit, control, output, select, type, name. Bits 12 and above of
 * select are what the L1 group's selector register is set to.
 */
#define PROF_COUNTERS(X)                                                            \
	X(COUNTERS_FPU, 0x018, 0x120, 0, 1, "FPU_COUNTER")                          \
	X(COUNTERS_FPU, 0x018, 0x120, 1, 2, "SFPU_COUNTER")                         \
	X(COUNTERS_FPU, 0x018, 0x120, 257, 3, "MATH_COUNTER")                       \
	X(COUNTERS_UNPACK, 0x00C, 0x108, 3, 7, "MATH_INSTRN_STARTED")               \
	X(COUNTERS_UNPACK, 0x00C, 0x108, 7, 11, "UNPACK0_BUSY_THREAD0")             \
	X(COUNTERS_UNPACK, 0x00C, 0x108, 8, 12, "UNPACK1_BUSY_THREAD0")             \
	X(COUNTERS_PACK, 0x0F0, 0x110, 18, 19, "PACKER_BUSY")                       \
	X(COUNTERS_L1_0, 0x030, 0x118, 0, 76, "L1_0_UNPACKER_0")                    \
	X(COUNTERS_L1_0, 0x030, 0x118, 1, 77, "L1_0_UNPACKER_1_ECC_PACK1")          \
	X(COUNTERS_L1_0, 0x030, 0x118, 4, 80, "L1_0_NOC_RING0_OUTGOING_0")          \
	X(COUNTERS_L1_0, 0x030, 0x118, 6, 82, "L1_0_NOC_RING0_INCOMING_0")          \
	X(COUNTERS_L1_1, 0x030, 0x118, 0x1000 + 4, 88, "L1_1_NOC_RING1_OUTGOING_0") \
	X(COUNTERS_L1_1, 0x030, 0x118, 0x1000 + 6, 90, "L1_1_NOC_RING1_INCOMING_0") \
	X(COUNTERS_INSTRN, 0x000, 0x100, 27, 45, "WAITING_FOR_SRCA_CLEAR")          \
	X(COUNTERS_INSTRN, 0x000, 0x100, 28, 46, "WAITING_FOR_SRCB_CLEAR")          \
	X(COUNTERS_INSTRN, 0x000, 0x100, 29, 47, "WAITING_FOR_SRCA_VALID")          \
	X(COUNTERS_INSTRN, 0x000, 0x100, 30, 48, "WAITING_FOR_SRCB_VALID")          \
	PROF_THREADS(X, 0, 21, "CFG_INSTRN_AVAILABLE")                              \
	PROF_THREADS(X, 3, 24, "SYNC_INSTRN_AVAILABLE")                             \
	PROF_THREADS(X, 15, 33, "FPU_INSTRN_AVAILABLE")                             \
	PROF_THREADS(X, 18, 36, "UNPACK_INSTRN_AVAILABLE")                          \
	PROF_THREADS(X, 21, 39, "PACK_INSTRN_AVAILABLE")                            \
	PROF_THREADS(X, 24, 42, "THREAD_STALLS")                                    \
	PROF_THREADS(X, 43, 61, "WAITING_FOR_NONZERO_SEM")                          \
	PROF_THREADS(X, 46, 64, "WAITING_FOR_NONFULL_SEM")                          \
	PROF_THREADS(X, 256, 110, "THREAD_INSTRUCTIONS")

#endif
