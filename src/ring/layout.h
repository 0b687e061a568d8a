/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory layout of rings: the ABI between a program and the recorder. docs/ring.md explains it.
 * Everything is little-endian and 64-bit.
 *
 * Session directory (place.h says where):
 *	control		one page, struct ring_control; mapped by the recorder and by every process
 *	pool		struct ring_pool: the session's memory account, and ring areas for processes
 *			that cannot create a file
 *	p.PID.N		the ring file of a process; N counts when a pid joins more than once
 *
 * Ring file: one header page, the table of extents, then at RING_DATA one stride of 128 KiB per
 * table entry, of which only the upper 64 KiB are used (the file is sparse). A stride holds either
 *	a segment: a struct ring_segment followed by 64 KiB of words, or
 *	a thread page: the last 4 KiB of the stride, a struct ring_page and words.
 * A thread starts on its thread page and continues in segments, linked by .next. Bit 16 of a word's
 * address is always 1; where it becomes 0 the stride is full. So position 0, the state of a thread
 * after a fork wiped it, also means "full" and is never written to.
 *
 * A word that is 0 is not written yet. The recorder zeroes strides when it frees them.
 *
 * With RING_OVERWRITE a thread reuses its own oldest segment when it gets no other: .sequence then
 * jumps, and the thread page's .next points to the oldest segment left. Under this policy the
 * recorder therefore reads a stream only after its thread or process has ended, or when recording
 * has stopped.
 */
#ifndef RING_LAYOUT_H
#define RING_LAYOUT_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RING_VERSION    3u
#define RING_MAGIC      0x474e495254434154ull /* "TACTRING" */
#define RING_CONTROL    0x4c52544354434154ull /* "TACTCTRL" */
#define RING_POOL_MAGIC 0x4c4f4f5054434154ull /* "TACTPOOL" */
#define RING_SEG_MAGIC  0x53474d54u           /* "TMGS" */
#define RING_PAGE_MAGIC 0x47505454u           /* "TTPG" */

#define RING_PAGE_SIZE   4096u
#define RING_SEG_SIZE    0x10000u
#define RING_STRIDE      0x20000u
#define RING_DATA        0x100000u /* file offset of stride 0 */
#define RING_MAX_EXTENTS 0xE000u   /* the table ends before RING_DATA */
#define RING_PATH        1024u

/* ---- words: ticks << 26 | what << 2 | kind; kind 3: what = type << 16 | payload words ---- */
#define RING_TICK_SHIFT        26
#define RING_TICK_BITS         38
#define RING_KIND(word)        ((unsigned)((word)&3))
#define RING_ID(word)          ((uint32_t)((word) >> 2) & 0xffffffu)
#define RING_TYPE(word)        ((unsigned)((word) >> 18) & 0xffu)
#define RING_LEN(word)         ((unsigned)((word) >> 2) & 0xffffu)
#define RING_WHAT              ((1ull << RING_TICK_SHIFT) - 1) /* of a word: all but its time */
#define RING_MORE(type, words) ((uint32_t)(type) << 18 | (uint32_t)(words) << 2 | 3u)

enum ring_kind { RING_BEGIN = 1, RING_END = 2, RING_RECORD = 3 };

/*
 * Records. STRING means one word (byte length | flags) and the bytes, padded to words.
 * A string longer than RING_PART is preceded by RING_TEXT_PART records with its beginning.
 */
enum ring_type {
	RING_PAD = 1,      /* claimed and not (or never) written: skipped */
	RING_SEG_END,      /* nothing more here: go to .next */
	RING_TIME,         /* full ticks: the anchor of the words that follow */
	RING_LOSS,         /* reason, zones, ends, others, first ticks */
	RING_TEXT_PART,    /* STRING: to be put before the string of the next record */
	RING_ZONE_TEXT,    /* srcloc id or 0 = innermost, STRING */
	RING_ZONE_NAME,    /* same */
	RING_ZONE_COLOR,   /* srcloc id, 0xRRGGBB */
	RING_ZONE_VALUE,   /* srcloc id, value */
	RING_MESSAGE,      /* colour | severity << 32, STRING */
	RING_MESSAGE_NAME, /* colour | severity << 32, name id: a literal, sent once */
	RING_FRAME,        /* name id (0 = main), enum ring_frame */
	RING_PLOT_INT,     /* name id, int64 */
	RING_PLOT_REAL,    /* name id, double */
	RING_PLOT_CONFIG,  /* name id, format | flags << 8, colour */
	RING_ALLOC,        /* pool name id (0 = default), address, size */
	RING_FREE,         /* pool name id, address */
	RING_LOCK_NEW,     /* lock id, srcloc id, 1 = shared */
	RING_LOCK,         /* lock id, enum trace_lock_op, srcloc id or 0 */
	RING_LOCK_NAME,    /* lock id, STRING */
	RING_LOCK_GONE,    /* lock id */
	RING_THREAD_NAME,  /* STRING */
	RING_FIBER_ENTER,  /* name id */
	RING_FIBER_LEAVE,  /* nothing */
	RING_APP_INFO,     /* STRING */
	/* On the process's own stream (thread number 0) only: */
	RING_SRCLOC, /* id, line | colour << 32, STRING = name NUL function NUL file */
	RING_NAME,   /* id, STRING */
	/* Of a device's core, on any stream; they carry their own time: */
	RING_CORE,         /* core, colour, STRING: names the track of a RISC */
	RING_CORE_BEGIN,   /* core, srcloc id, ticks, value or 0 */
	RING_CORE_END,     /* core, srcloc id, ticks */
	RING_CORE_VALUE,   /* core, srcloc id, value: attached to the open zone */
	RING_DEVICE,       /* device, STRING = JSON: what it is */
	RING_CORE_LOSS,    /* core, ticks, markers or 0 = not known */
	RING_DEVICE_CLOCK, /* device, ticks, cycles, bound in ns, MHz */
	RING_CORE_DAMAGE,  /* core, ticks, markers that a kernel has overwritten */
	RING_CORE_MARKER,  /* core, srcloc id | kind << 32 | values << 40, ticks, cycle, values */
	/* On any stream: */
	RING_FRAME_IMAGE,   /* RING_IMAGE(), STRING = DXT1 blocks */
	RING_SECTION,       /* RING_SECTION_WORD(), STRING */
	RING_PARAMETER,     /* number | type << 32, value, name id */
	RING_PARAMETER_SET, /* number, value: the program has taken it */
	/* Of a device, on any stream; as the rows of a trace: */
	RING_OP,       /* id, device | hit << 32, hash, STRING = name, NUL, description as JSON */
	RING_OP_TRACE, /* trace, device | enum trace_op_step << 32, id of an op */
	/* On any stream: */
	RING_DISCARD, /* pool name id: all of its memory is freed */
	/*
	 * Call stacks. Ids are hashes of the content; a stream has the definitions of all that its
	 * events refer to. ALLOC and FREE may have one more word, the id of a stack.
	 */
	RING_MODULE,        /* id, STRING = path */
	RING_STACK,         /* id, enum stack_end, then id of module, address: innermost first */
	RING_ZONE_STACK,    /* srcloc id or 0 = innermost, id of the stack */
	RING_MESSAGE_STACK, /* colour | severity << 32, id of the stack, STRING */
	RING_TYPES
};

/*
 * What belongs to the zone or the string before it has no time of its own: its word has 0 there, as
 * reading the clock would take longer than all the rest.
 */
static inline int ring_is_timeless(unsigned type)
{
	return (type >= RING_TEXT_PART && type <= RING_ZONE_VALUE) ||
	       (type >= RING_MODULE && type <= RING_ZONE_STACK);
}

enum ring_frame { RING_FRAME_MARK, RING_FRAME_START, RING_FRAME_STOP };

/* OFFSET: how many frames ago the image was made. */
#define RING_IMAGE(width, height, flip, offset)                                  \
	((uint64_t)(width) | (uint64_t)(height) << 16 | (uint64_t)(flip) << 32 | \
	 (uint64_t)(offset) << 40)
/* OP: enum trace_section_op. */
#define RING_SECTION_WORD(id, category, op) \
	((uint64_t)(id) | (uint64_t)(category) << 32 | (uint64_t)(op) << 48)

#define RING_PART             2048u /* most bytes of string in one record */
#define RING_STRING_TRUNCATED (1ull << 32)
#define RING_STRING_GROUP_SHIFT                                          \
	38 /* not 0: RING_TEXT_PART records with this number come before \
	    */

/* ---- control page ---- */
enum ring_policy { RING_DROP, RING_BLOCK, RING_OVERWRITE };

/*
 * A process that could not join. It claims a slot that is free, fills it and marks it as written.
 * The recorder frees slots once they are in the file. A process that is killed in between leaves
 * its slot claimed; joins_failed counts all, with or without a slot.
 */
enum ring_join_state { RING_JOIN_FREE, RING_JOIN_CLAIMED, RING_JOIN_WRITTEN };

/* Why: the numbers of enum trace_absence. */
enum ring_join_reason {
	RING_JOIN_VERSION = 1, /* the session is of another version */
	RING_JOIN_CREATE,      /* the ring file cannot be created */
	RING_JOIN_MAP,         /* it cannot be mapped */
	RING_JOIN_MEMORY,      /* there is no memory for it */
	RING_JOIN_BOUND,       /* the session's memory limit is reached */
};

struct ring_join {
	_Atomic uint32_t state; /* enum ring_join_state */
	uint32_t pid;
	uint32_t reason; /* enum ring_join_reason */
	uint32_t error;  /* errno */
	char name[16];   /* the kernel's name of the thread */
};

#define RING_JOINS 48u

/*
 * A value that a viewer has set for a parameter of a program, until the program takes it. Both
 * sides get a slot to themselves by compare and swap of .owner: a viewer from 0, or to replace a
 * value that was not taken yet; the program to take it. A side that is killed in between leaves its
 * slot unusable for the rest of the session.
 */
#define RING_PARAMETERS                   16u
#define RING_PARAMETER_BUSY               1ull
#define RING_PARAMETER_OWNER(pid, number) ((uint64_t)(pid) << 32 | (uint32_t)(number))

struct ring_parameter {
	_Atomic uint64_t owner; /* RING_PARAMETER_OWNER(), 0 = free, or RING_PARAMETER_BUSY */
	_Atomic uint32_t value;
	uint32_t reserved;
};

struct ring_control {
	_Atomic uint64_t key; /* session generation << 32 while recording, else 0 */
	uint64_t magic;
	uint32_t version;
	uint32_t policy;
	uint32_t limit_mb;
	uint32_t block_ms;
	uint32_t recorder_pid;
	uint32_t ring_kb;              /* memory that a process keeps when idle */
	_Atomic uint32_t asleep;       /* the recorder waits on doorbell */
	_Atomic uint32_t doorbell;     /* futex */
	_Atomic uint32_t joins_failed; /* processes that could not make their ring file */
	uint32_t owner_pid;            /* attach files: the program's pid */
	char session[RING_PATH];       /* directory */
	char output[RING_PATH];        /* the trace being written: for messages and followers */
	uint64_t generation;           /* the key of this session, also while it is stopped */
	uint32_t reserved;
	/* CLOCK_MONOTONIC ns of the last touch by a follower: see follow.c */
	_Atomic uint64_t followed;
	_Atomic uint32_t written; /* checkpoints written; followers wait on it as a futex */
	uint32_t filters;         /* attach files: as in ring_header */
	struct ring_join joins[RING_JOINS];
	struct ring_parameter parameters[RING_PARAMETERS];
};

/*
 * Takes a value of process PID from its slot: true and *NUMBER, *VALUE, or false if there is none.
 */
static inline int ring_parameter_take(struct ring_control *control, uint32_t pid, uint32_t *number,
				      uint32_t *value)
{
	for (unsigned i = 0; i < RING_PARAMETERS; i++) {
		struct ring_parameter *p = &control->parameters[i];
		uint64_t owner = atomic_load_explicit(&p->owner, memory_order_relaxed);

		if (owner >> 32 != pid || !pid ||
		    !atomic_compare_exchange_strong(&p->owner, &owner, RING_PARAMETER_BUSY))
			continue;
		*number = (uint32_t)owner;
		*value = atomic_load_explicit(&p->value, memory_order_relaxed);
		atomic_store(&p->owner, 0);
		return 1;
	}
	return 0;
}

/* ---- pool ---- */

/*
 * Ring areas: each has the layout of a ring file. A process that joined has them mapped, and so
 * have its children, which can claim one whatever has become of their user, root and descriptors.
 */
#define RING_POOL_AREAS   128u
#define RING_POOL_EXTENTS 2048u       /* of an area */
#define RING_POOL_DATA    RING_STRIDE /* file offset of area 0 */

struct ring_pool {
	uint64_t magic;
	uint32_t version;
	uint32_t areas;
	uint64_t limit; /* bytes of memory for all processes of the session */
	_Atomic uint64_t
		used; /* bytes taken. A hint: the recorder corrects it by what the kernel says */
	_Atomic uint64_t claims; /* areas claimed so far: a change makes the recorder check */
	/* Per area: number of its claim << 32 | pid of its owner, 0 = free. The owner claims it by
	   compare and swap; the recorder frees it when all is read. */
	_Atomic uint64_t owner[RING_POOL_AREAS];
};

/* ---- ring file ---- */
enum ring_extent_state {
	RING_EXTENT_EMPTY, /* no memory allocated */
	RING_EXTENT_FREE,  /* zeroed and ready */
	RING_EXTENT_SEGMENT,
	RING_EXTENT_PAGE,
	RING_EXTENT_BUSY, /* between FREE and another state: owned by the side that set it */
};

struct ring_extent {
	_Atomic uint32_t state;
	uint32_t reserved;
	uint64_t thread; /* number of the thread that owns it */
};

struct ring_header {
	_Atomic uint64_t magic; /* stored last: the header is complete */
	uint32_t version;
	uint32_t word_size;  /* 8 */
	uint32_t byte_order; /* 0x01020304 */
	uint32_t pid;
	uint32_t parent_pid;
	uint32_t max_extents;
	uint64_t key;
	uint64_t start_time;           /* field 22 of /proc/PID/stat: detects a reused pid */
	uint64_t ticks;                /* when the process joined */
	_Atomic uint32_t extents;      /* table entries in use: grows */
	_Atomic uint32_t threads;      /* threads that ever joined */
	_Atomic uint64_t threads_lost; /* threads that got no thread page at their first try */
	_Atomic uint64_t lost_zones;   /* events of threads while they had no page */
	_Atomic uint64_t lost_others;
	uint64_t pid_namespace; /* inode of /proc/self/ns/pid: in another one pid means another
				   process */
	uint32_t policy;        /* enum ring_policy, as it was when the process joined */
	uint32_t command_len;   /* bytes of command; words end in NUL */
	char command[3072];
	uint32_t filters;        /* 1 + seccomp filters when the process joined; 0 = not known */
	_Atomic uint32_t sealed; /* the recorder has seen more: no system calls from here on */
};

struct ring_segment {
	uint32_t magic;
	uint32_t extent; /* own index */
	uint64_t thread;
	uint64_t sequence;     /* 0 on the thread page, then 1, 2, ... */
	uint64_t ticks;        /* anchor of the first word */
	_Atomic uint32_t next; /* extent index + 1 of what follows, 0 = nothing yet */
	uint32_t reserved[7];
};

/* A thread page: a segment of one page with the thread's state. */
struct ring_page {
	struct ring_segment segment;
	uint32_t tid;
	_Atomic uint32_t closed;     /* the thread has ended: nothing more comes */
	_Atomic uint64_t lost_zones; /* all so far; RING_LOSS records say where */
	_Atomic uint64_t lost_ends;
	_Atomic uint64_t lost_others;
	char name[16]; /* the kernel's name of the thread when it joined */
	uint64_t reserved[6];
};

_Static_assert(sizeof(struct ring_extent) == 16, "ABI");
_Static_assert(sizeof(struct ring_segment) == 64, "ABI");
_Static_assert(sizeof(struct ring_page) == 160, "ABI");
_Static_assert(sizeof(struct ring_header) <= RING_PAGE_SIZE, "ABI");
_Static_assert(sizeof(struct ring_control) <= RING_PAGE_SIZE, "ABI");
_Static_assert(sizeof(struct ring_pool) <= RING_PAGE_SIZE, "ABI");
_Static_assert(RING_PAGE_SIZE + RING_MAX_EXTENTS * 16u <= RING_DATA, "ABI");

/* ring_header.start_time in the text of /proc/PID/stat, 0 if missing. */
static inline uint64_t ring_start_time(const char *stat)
{
	const char *at = strrchr(stat, ')'); /* the name before it may hold anything */

	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/*
 * Seccomp filters in the text of /proc/PID/status; the strict mode counts as one. Before Linux 5.9
 * it only says whether there is any.
 */
static inline uint32_t ring_filters(const char *status)
{
	static const char mode[] = "\nSeccomp:", filters[] = "\nSeccomp_filters:";
	const char *at = strstr(status, mode), *count = strstr(status, filters);
	uint32_t m = at ? (uint32_t)strtoul(at + sizeof(mode) - 1, NULL, 10) : 0;

	if (!count)
		return m != 0;
	return (uint32_t)strtoul(count + sizeof(filters) - 1, NULL, 10) + (m == 1);
}

static inline struct ring_extent *ring_extents(void *base)
{
	return (struct ring_extent *)((char *)base + RING_PAGE_SIZE);
}

static inline uint64_t ring_segment_offset(uint32_t extent)
{
	return RING_DATA + (uint64_t)extent * RING_STRIDE + (RING_STRIDE - RING_SEG_SIZE);
}

static inline uint64_t ring_page_offset(uint32_t extent)
{
	return ring_segment_offset(extent) + RING_SEG_SIZE - RING_PAGE_SIZE;
}

static inline uint64_t ring_file_size(uint32_t max_extents)
{
	return RING_DATA + (uint64_t)max_extents * RING_STRIDE;
}

static inline uint64_t ring_area_offset(uint32_t area)
{
	return RING_POOL_DATA + area * ring_file_size(RING_POOL_EXTENTS);
}

#endif
