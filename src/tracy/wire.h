/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the items of Tracy's wire protocol. An item is one byte, its type, and a payload that
 * the type alone describes; string carriers have a length and bytes after it. Types are numbered
 * without gaps, so each version that added one in the middle has its own numbers: wire_protocol()
 * gives the table of a version.
 *
 * A layout is a letter per field, little-endian and packed:
 *	Q q 8 bytes	I i 4	H 2	B 1	S 6	f float		d double
 *	C the number of a device context: 2 bytes with Tenstorrent's client, 1 with others
 */
#ifndef TRACY_WIRE_H
#define TRACY_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WIRE_FRAME     (256u << 10) /* maximum bytes of an unpacked frame */
#define WIRE_FIELDS    8
#define WIRE_MAGIC     "TracyPrf"
#define WIRE_PORT      8086
#define WIRE_QUERY     13   /* bytes of a query: type, pointer, extra */
#define WIRE_WELCOME   1178 /* bytes of the welcome message; 8 less without the queue delay */
#define WIRE_ON_DEMAND 16

/*
 * From version 82 on zones have items for short times, and the longer ones are relative to their
 * ends.
 */
#define WIRE_OFFSET16 65536ll
#define WIRE_OFFSET32 (65536 + (1ll << 32))

enum wire_status { WIRE_PENDING, WIRE_OK, WIRE_MISMATCH, WIRE_NOT_AVAILABLE, WIRE_DROPPED };

enum wire_query {
	QUERY_TERMINATE,
	QUERY_STRING,
	QUERY_THREAD,
	QUERY_SRCLOC,
	QUERY_PLOT,
	QUERY_FRAME,
	QUERY_PARAMETER,
	QUERY_FIBER,
	QUERY_EXTERNAL,
	QUERY_DISCONNECT,
	QUERY_CALLSTACK,
	QUERY_SYMBOL,
	QUERY_SYMBOL_CODE,
	QUERY_SOURCE,
	QUERY_TRANSFER,
	QUERY_TRANSFER_PART,
	QUERY_COUNT
};

/* The data after the payload. */
enum wire_tail {
	TAIL_NONE,
	TAIL_BYTES16, /* 2-byte length */
	TAIL_BYTES32,
	TAIL_BYTES8,
};

/*
 * All items in the order of their types: name, first version that has it, layout, tail. A version's
 * types are counted over the items that it has.
 */
#define WIRE_ITEMS(X)                                         \
	X(ZONE_TEXT, 64, "", NONE)                            \
	X(ZONE_NAME, 64, "", NONE)                            \
	X(MESSAGE, 64, "q", NONE)                             \
	X(MESSAGE_COLOR, 64, "qBBB", NONE)                    \
	X(MESSAGE_CALLSTACK, 64, "q", NONE)                   \
	X(MESSAGE_COLOR_CALLSTACK, 64, "qBBB", NONE)          \
	X(MESSAGE_APP_INFO, 64, "q", NONE)                    \
	X(ZONE_BEGIN_ALLOC, 64, "q", NONE)                    \
	X(ZONE_BEGIN_ALLOC_CALLSTACK, 64, "q", NONE)          \
	X(CALLSTACK_SERIAL, 64, "", NONE)                     \
	X(CALLSTACK, 64, "", NONE)                            \
	X(CALLSTACK_ALLOC, 64, "", NONE)                      \
	X(CALLSTACK_SAMPLE, 64, "qI", NONE)                   \
	X(CALLSTACK_SAMPLE32, 82, "II", NONE)                 \
	X(CALLSTACK_SAMPLE16, 82, "IH", NONE)                 \
	X(CALLSTACK_SAMPLE_SWITCH, 64, "qI", NONE)            \
	X(CALLSTACK_SAMPLE_SWITCH32, 82, "II", NONE)          \
	X(CALLSTACK_SAMPLE_SWITCH16, 82, "IH", NONE)          \
	X(FRAME_IMAGE, 64, "IHHB", NONE)                      \
	X(ZONE_BEGIN, 64, "qQ", NONE)                         \
	X(ZONE_BEGIN32, 82, "IQ", NONE)                       \
	X(ZONE_BEGIN16, 82, "HQ", NONE)                       \
	X(ZONE_BEGIN_CALLSTACK, 64, "qQ", NONE)               \
	X(ZONE_BEGIN_CALLSTACK32, 82, "IQ", NONE)             \
	X(ZONE_BEGIN_CALLSTACK16, 82, "HQ", NONE)             \
	X(ZONE_END, 64, "q", NONE)                            \
	X(ZONE_END32, 82, "I", NONE)                          \
	X(ZONE_END16, 82, "H", NONE)                          \
	X(LOCK_WAIT, 64, "IIq", NONE)                         \
	X(LOCK_OBTAIN, 64, "IIq", NONE)                       \
	X(LOCK_RELEASE, 64, "Iq", NONE)                       \
	X(LOCK_SHARED_WAIT, 64, "IIq", NONE)                  \
	X(LOCK_SHARED_OBTAIN, 64, "IIq", NONE)                \
	X(LOCK_SHARED_RELEASE, 64, "IqI", NONE)               \
	X(LOCK_NAME, 64, "I", NONE)                           \
	X(MEM_ALLOC, 64, "qIQS", NONE)                        \
	X(MEM_ALLOC_NAMED, 64, "qIQS", NONE)                  \
	X(MEM_FREE, 64, "qIQ", NONE)                          \
	X(MEM_FREE_NAMED, 64, "qIQ", NONE)                    \
	X(MEM_ALLOC_CALLSTACK, 64, "qIQS", NONE)              \
	X(MEM_ALLOC_CALLSTACK_NAMED, 64, "qIQS", NONE)        \
	X(MEM_FREE_CALLSTACK, 64, "qIQ", NONE)                \
	X(MEM_FREE_CALLSTACK_NAMED, 64, "qIQ", NONE)          \
	X(MEM_DISCARD, 74, "qIQ", NONE)                       \
	X(MEM_DISCARD_CALLSTACK, 74, "qIQ", NONE)             \
	X(GPU_BEGIN, 64, "qIHCQ", NONE)                       \
	X(GPU_BEGIN_CALLSTACK, 64, "qIHCQ", NONE)             \
	X(GPU_BEGIN_ALLOC, 64, "qIHC", NONE)                  \
	X(GPU_BEGIN_ALLOC_CALLSTACK, 64, "qIHC", NONE)        \
	X(GPU_END, 64, "qIHC", NONE)                          \
	X(GPU_BEGIN_SERIAL, 64, "qIHCQ", NONE)                \
	X(GPU_BEGIN_CALLSTACK_SERIAL, 64, "qIHCQ", NONE)      \
	X(GPU_BEGIN_ALLOC_SERIAL, 64, "qIHC", NONE)           \
	X(GPU_BEGIN_ALLOC_CALLSTACK_SERIAL, 64, "qIHC", NONE) \
	X(GPU_END_SERIAL, 64, "qIHC", NONE)                   \
	X(PLOT_INT, 64, "Qqq", NONE)                          \
	X(PLOT_FLOAT, 64, "Qqf", NONE)                        \
	X(PLOT_DOUBLE, 64, "Qqd", NONE)                       \
	X(CONTEXT_SWITCH, 64, "qIIBBB", NONE)                 \
	X(THREAD_WAKEUP, 64, "qI", NONE)                      \
	X(GPU_TIME, 64, "qHC", NONE)                          \
	X(GPU_CONTEXT_NAME, 64, "C", NONE)                    \
	X(GPU_ANNOTATION_NAME, 76, "qC", NONE)                \
	X(CALLSTACK_FRAME_SIZE, 64, "QB", NONE)               \
	X(SYMBOL_INFORMATION, 64, "IQ", NONE)                 \
	X(EXTERNAL_NAME_METADATA, 64, "", NONE)               \
	X(SYMBOL_CODE_METADATA, 64, "", NONE)                 \
	X(SOURCE_CODE_METADATA, 64, "", NONE)                 \
	X(FIBER_ENTER, 64, "qQI", NONE)                       \
	X(FIBER_LEAVE, 64, "qI", NONE)                        \
	X(SECTION_ENTER, 82, "qIH", NONE)                     \
	X(SECTION_LEAVE, 82, "qI", NONE)                      \
	X(SECTION_SETUP, 82, "H", NONE)                       \
	X(TERMINATE, 64, "", NONE)                            \
	X(KEEP_ALIVE, 64, "", NONE)                           \
	X(THREAD_CONTEXT, 64, "I", NONE)                      \
	X(GPU_CALIBRATION, 64, "qqqC", NONE)                  \
	X(GPU_TIME_SYNC, 66, "qqC", NONE)                     \
	X(CRASH, 64, "", NONE)                                \
	X(CRASH_REPORT, 64, "qQ", NONE)                       \
	X(ZONE_VALIDATION, 64, "I", NONE)                     \
	X(ZONE_COLOR, 64, "BBB", NONE)                        \
	X(ZONE_VALUE, 64, "Q", NONE)                          \
	X(FRAME_MARK, 64, "qQ", NONE)                         \
	X(FRAME_MARK_START, 64, "qQ", NONE)                   \
	X(FRAME_MARK_END, 64, "qQ", NONE)                     \
	X(FRAME_VSYNC, 64, "qI", NONE)                        \
	X(SOURCE_LOCATION, 64, "QQQIBBB", NONE)               \
	X(LOCK_ANNOUNCE, 64, "IqQB", NONE)                    \
	X(LOCK_TERMINATE, 64, "Iq", NONE)                     \
	X(LOCK_MARK, 64, "IIQ", NONE)                         \
	X(MESSAGE_LITERAL, 64, "qQ", NONE)                    \
	X(MESSAGE_LITERAL_COLOR, 64, "qBBBQ", NONE)           \
	X(MESSAGE_LITERAL_CALLSTACK, 64, "qQ", NONE)          \
	X(MESSAGE_LITERAL_COLOR_CALLSTACK, 64, "qBBBQ", NONE) \
	X(GPU_NEW_CONTEXT, 64, "qqIfCBB", NONE)               \
	X(CALLSTACK_FRAME, 64, "IQI", NONE)                   \
	X(SYS_TIME, 64, "qf", NONE)                           \
	X(SYS_POWER, 64, "qQQ", NONE)                         \
	X(TID_TO_PID, 64, "QQ", NONE)                         \
	X(HW_CYCLE, 64, "Qq", NONE)                           \
	X(HW_RETIRED, 64, "Qq", NONE)                         \
	X(HW_CACHE_REFERENCE, 64, "Qq", NONE)                 \
	X(HW_CACHE_MISS, 64, "Qq", NONE)                      \
	X(HW_BRANCH_RETIRED, 64, "Qq", NONE)                  \
	X(HW_BRANCH_MISS, 64, "Qq", NONE)                     \
	X(PLOT_CONFIG, 64, "QBBBI", NONE)                     \
	X(PARAM_SETUP, 64, "IQBi", NONE)                      \
	X(ACK_NOOP, 64, "", NONE)                             \
	X(ACK_NO_SOURCE, 64, "I", NONE)                       \
	X(ACK_NO_SYMBOL_CODE, 64, "", NONE)                   \
	X(CPU_TOPOLOGY, 64, "III", NONE)                      \
	X(SINGLE_STRING, 64, "", BYTES16)                     \
	X(SECOND_STRING, 64, "", BYTES16)                     \
	X(SINGLE_STRING8, 82, "", BYTES8)                     \
	X(SECOND_STRING8, 82, "", BYTES8)                     \
	X(MEM_NAME, 64, "Q", NONE)                            \
	X(THREAD_GROUP_HINT, 69, "Ii", NONE)                  \
	X(GPU_ZONE_ANNOTATION, 76, "qdIHC", NONE)             \
	X(STRING_DATA, 64, "Q", BYTES16)                      \
	X(THREAD_NAME, 64, "Q", BYTES16)                      \
	X(PLOT_NAME, 64, "Q", BYTES16)                        \
	X(SRCLOC_PAYLOAD, 64, "Q", BYTES16)                   \
	X(CALLSTACK_PAYLOAD, 64, "Q", BYTES16)                \
	X(CALLSTACK_ALLOC_PAYLOAD, 64, "Q", BYTES16)          \
	X(FRAME_NAME, 64, "Q", BYTES16)                       \
	X(FRAME_IMAGE_DATA, 64, "Q", BYTES32)                 \
	X(EXTERNAL_NAME, 64, "Q", BYTES16)                    \
	X(EXTERNAL_THREAD_NAME, 64, "Q", BYTES16)             \
	X(SYMBOL_CODE, 64, "Q", BYTES32)                      \
	X(SOURCE_CODE, 64, "Q", BYTES32)                      \
	X(FIBER_NAME, 64, "Q", BYTES16)

enum wire_kind {
#define X(name, since, layout, tail) WIRE_##name,
	WIRE_ITEMS(X)
#undef X
		WIRE_KINDS
};

struct wire_item {
	uint8_t kind; /* enum wire_kind */
	uint8_t tail; /* enum wire_tail */
	uint8_t size; /* of the payload */
	const char *layout;
};

enum wire_zone {
	ZONE_NOT,
	ZONE_END16,
	ZONE_END32,
	ZONE_END64,
	ZONE_BEGIN16,
	ZONE_BEGIN32,
	ZONE_BEGIN64
};

struct wire_protocol {
	uint32_t number;
	bool wide_context;                  /* C is 2 bytes */
	bool short_items;                   /* 82: zone times have one of three sizes */
	unsigned count;                     /* types */
	size_t welcome;                     /* bytes of the welcome message */
	struct wire_item items[WIRE_KINDS]; /* by type */
	uint8_t types[WIRE_KINDS];          /* by kind; 0xff: not in this version */
	/*
	 * By type. Almost all of a stream is zone begins and ends, which are read without the
	 * layout; fixed-size items without a context are skipped by size.
	 */
	uint8_t zones[256]; /* enum wire_zone */
	uint8_t plain[256]; /* bytes with the type; 0: use the layout */
};

/* The supported versions, in the order in which they are tried; 0 ends the list. */
extern const uint32_t wire_versions[];

/*
 * Fills *P. WIDE: Tenstorrent's client. False if the version is unknown. Two programs may use the
 * same version with either width; see wire_frame_fits().
 */
bool wire_protocol(struct wire_protocol *p, uint32_t version, bool wide);

/* One item of a frame, its fields as numbers (floats as the bits of a double). */
struct wire_read {
	enum wire_kind kind;
	uint64_t v[WIRE_FIELDS];
	const uint8_t *bytes; /* of a carrier */
	uint32_t len;
};

/* Reads the item at AT. Returns its size, or 0 if there is no whole item of a known type. */
size_t wire_read(const struct wire_protocol *p, const uint8_t *at, size_t left,
		 struct wire_read *item);

/* The size alone. */
size_t wire_size(const struct wire_protocol *p, const uint8_t *at, size_t left);

/* True if a frame consists of whole items. *DEVICES: some of them have a context. */
bool wire_frame_fits(const struct wire_protocol *p, const uint8_t *frame, size_t len,
		     bool *devices);

/* Appends an item; floats are given as the bits of a double. The type must not be 0xff. */
struct buf;
int wire_put(struct buf *b, const struct wire_protocol *p, enum wire_kind kind, const uint64_t *v);
int wire_put_bytes(struct buf *b, const struct wire_protocol *p, enum wire_kind kind, uint64_t id,
		   const void *bytes, size_t len);

static inline uint64_t wire_u64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

#endif
