/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the trace file on the disk: numbers of the format and the small words it is made of.
 * What they mean is in docs/format.md; this header and that document change together.
 *
 * Everything is little-endian. A varint is 7 bits per byte, low bits first, at most 10 bytes. A
 * string is a varint length and its bytes. A zigzag is a signed number as a varint.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file format is little-endian");

#define FILE_MAGIC           "\x89TACHO\r\n"
#define FILE_ORDER           0x01020304u
#define FILE_VERSION         1u
#define FILE_HEADER_SIZE     64u
#define FILE_SPARSE          1ull /* incompatible feature: METHOD_SPARSE */
#define FILE_INCOMPATIBLE    1ull /* feature bits that this version knows */
#define FILE_ABSENT          2ull /* compatible feature: DEF_ABSENT is written when it applies */
#define FILE_FEATURES_OFFSET 16u
#define FILE_RECURSION       1ull /* compatible feature: zones inside of their like are marked */

#define BLOCK_MAGIC       0x4b4c4254u /* "TBLK" */
#define BLOCK_HEADER_SIZE 32u
#define BLOCK_ZSTD        1u     /* flag: the payload is one zstd frame */
#define BLOCK_FLAGS       1u     /* flags that this version knows */
#define BLOCK_RATIO       256u   /* an unpacked payload is at most this many times the packed one */
#define BLOCK_ITEMS       8192u  /* zones or rows that a writer puts into one block at most */
#define BLOCK_ITEMS_MAX   16384u /* and that a reader accepts */

enum block_type {
	BLOCK_DEFS = 1,   /* definitions: properties, processes, tracks, source locations ... */
	BLOCK_ZONES,      /* zones of one lane, or of several small ones */
	BLOCK_ROWS,       /* rows of one track, or of several small ones */
	BLOCK_CHECKPOINT, /* the recorder's own state; all before it is complete */
	BLOCK_STATS,      /* statistics of the whole trace */
	BLOCK_INDEX,      /* where the blocks are */
	BLOCK_TRAILER,    /* the last block of a closed file: where index and statistics are */
	BLOCK_TYPES
};

/* Records of a definitions block. */
enum def_kind {
	DEF_PROPERTY = 1,
	DEF_CLOCK_POINT,
	DEF_PROCESS,
	DEF_TRACK,
	DEF_SRCLOC,
	DEF_LEDGER,
	DEF_OPEN_ZONES,
	DEF_ABSENT,
};

/* True if an attachment of a zone has a text: names, texts, and what later versions add with this
 * bit. */
static inline bool extra_has_text(uint64_t kind)
{
	return kind <= 1 || kind & 64;
}

/* How a plane of a column or a string is stored. */
enum pack_method { METHOD_CONSTANT, METHOD_RAW, METHOD_ZSTD, METHOD_SPARSE };

#define SPARSE_FAR 255u /* in the list of a sparse plane: as many zeros, and no other byte yet */

#define COLUMN_DELTA 0x10u /* flag beside a column's number of planes */

#define ROW_COLUMNS 7 /* of numbers: time, kind, thread + 1, a, b, c, length of the text */

#define TRAILER_PAYLOAD 48u
#define TRAILER_SIZE    (BLOCK_HEADER_SIZE + TRAILER_PAYLOAD)

/* ----------------------------------------------------------- plain words */

static inline void le_put16(void *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void le_put32(void *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void le_put64(void *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline uint16_t le_get16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t le_get32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t le_get64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t zigzag_encode(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t zigzag_decode(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* ------------------------------------------- writing: appended to a buf */

/* Failures stay in buf.failed: a writer of many words checks once at its end. */
void add_varint(struct buf *b, uint64_t v);
void format_string_add(struct buf *b, const char *s, size_t len);

/* ---------------------------------------- reading: a window that shrinks */

/* BAD is set by the first word that does not fit; all words after it are 0. */
struct in {
	const uint8_t *p, *end;
	bool bad;
};

uint64_t in_varint(struct in *in);
/* A varint that must be at most LIMIT. */
uint64_t in_limited(struct in *in, uint64_t limit);
uint8_t in_byte(struct in *in);
/* LEN bytes, or NULL and bad. */
const uint8_t *format_in_bytes(struct in *in, size_t len);

static inline size_t in_left(const struct in *in)
{
	return (size_t)(in->end - in->p);
}

#endif
