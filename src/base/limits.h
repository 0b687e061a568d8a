/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every size that comes from outside is checked against one of these before it is used. A limit is
 * here because a hostile or broken input must not make a tool use unbounded memory or time; each is
 * far above what a sane input needs.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define LIMIT_BLOCK_RAW    (65u << 20) /* bytes of one trace block when unpacked */
#define LIMIT_BLOCK_PACKED (66u << 20) /* bytes of one trace block in the file */
#define LIMIT_BLOCK_TEXT   (32u << 20) /* a row's text, a zone's texts together: cut there */
#define LIMIT_DECODED      (1u << 30)  /* bytes of decoded blocks that a reader holds at once */
#define LIMIT_NAME         (1u << 20)  /* bytes of one name, file name or function */
#define LIMIT_TEXT         (64u << 20) /* bytes of one message or zone text */
#define LIMIT_ZONE_DEPTH   (1u << 20)  /* open zones on one track */
#define LIMIT_TRACKS       (1u << 24)  /* tracks of one trace */
#define LIMIT_OWNED        (1u << 20)  /* addresses in use of a memory pool that may be discarded */
#define LIMIT_ABSENT       (1u << 16)  /* processes of a trace that could not be recorded */
#define LIMIT_SRCLOCS      (1u << 26)  /* source locations of one trace */
#define LIMIT_CSV_RECORD   (64u << 20) /* bytes of one CSV record */
#define LIMIT_CSV_CELLS    (1u << 16)  /* cells of one CSV record */
#define LIMIT_OPS_FILE     (2ull << 30)  /* bytes of a host log, which is held whole */
#define LIMIT_OPS_ISSUES   10000         /* problems of one kind that a report lists */
#define LIMIT_OPS_NAMES    (1u << 22)    /* different zone names, cores, programs of a device log */
#define LIMIT_OPS_LINE     (1u << 20)    /* bytes of one line of a device log */
#define LIMIT_OPS_TENSORS  1000          /* inputs or outputs of one op that become columns */
#define LIMIT_OPS_COLUMNS  4096          /* host functions, or kernel sizes, that become columns */
#define LIMIT_RING_FILE    (64ull << 30) /* bytes of one process's ring file */
#define LIMIT_CFI_STATES   16            /* states that an .eh_frame entry may remember */
#define LIMIT_CFI_STEPS    4096u         /* instructions of one .eh_frame entry */
#define LIMIT_EH_FRAME     (64u << 20)   /* bytes of .eh_frame of one file */
#define LIMIT_ELF_SEGMENTS 64            /* program headers of one file */
#define LIMIT_ELF_SECTIONS 256           /* sections of a file that is searched for symbols */
#define LIMIT_STACK_FRAMES 512           /* frames of one sampled stack */
#define LIMIT_STACK_NODES  (1u << 24)    /* different stacks of one trace */
#define LIMIT_MODULES      0xfff0u       /* files and other places of code of one trace */
#define LIMIT_MAPPINGS     (1u << 16)    /* mappings of code of one process */
#define LIMIT_SAMPLED      (1u << 16)    /* processes that are sampled at once */
#define LIMIT_SAMPLE_QUEUE (1u << 20)    /* sampled events that wait to be written */
#define LIMIT_DB_ANSWER    (1u << 30)    /* bytes of one answer of a database server */
#define LIMIT_TRACY_RATIO  4096u /* bytes that one byte of a .tracy file may unpack to ... */
#define LIMIT_TRACY_FREE   (256ull << 20) /* ... beyond these */
#define LIMIT_TRACY_TABLES \
	(64ull << 20)                /* bytes of a .tracy file's names and texts in memory, ... */
#define LIMIT_TRACY_TABLES_RATIO 16u /* ... and as many more per byte of the file */

/* Tables are filled up to the largest number that is used. No fuzzer learns from filling them. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define LIMIT_RING_ID 0xfffu
#define LIMIT_HOLES   (1u << 12)
#else
#define LIMIT_RING_ID 0xffffffu  /* of a source location or name of a process */
#define LIMIT_HOLES   (1u << 20) /* definitions that are made up for missing ids */
#endif

#endif
