/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: packing: byte strings by zstd, and columns of numbers.
 *
 * A column is an array of 64-bit numbers. They are stored minus a base as byte planes (all lowest
 * bytes, then all second bytes ...), each plane packed by itself; the few numbers that would need
 * more planes are kept beside them as patches. Planes of clock jitter are what an entropy coder
 * likes, and taking them apart again is a loop without branches. docs/format.md has the layout and
 * the measurements against varints.
 */
#ifndef TRACE_PACK_H
#define TRACE_PACK_H

#include "trace/format.h"

struct packer;

/* LEVEL is a zstd level. NULL: no memory. */
struct packer *packer_new(int level);
void packer_free(struct packer *p);

/*
 * Appends the packed form of BYTES to OUT when that is smaller and within BLOCK_RATIO: returns
 * true. Else OUT is as before.
 */
bool pack_bytes(struct packer *p, const void *bytes, size_t len, struct buf *out);

/* Appends "method, length, bytes": packed if that is shorter. Read by unpack_string(). */
void pack_string(struct packer *p, const void *bytes, size_t len, struct buf *out);

/* Appends a column of 0 < N <= BLOCK_ITEMS numbers, or their differences if those are shorter. */
void pack_column(struct packer *p, const uint64_t *v, size_t n, struct buf *out);

/* A number that does not fit 32 bits: V has WIDE_MARK in its place. */
struct wide {
	uint32_t at;
	uint64_t value;
};

#define WIDE_MARK UINT32_MAX

/* The same for numbers that mostly fit 32 bits; WIDE lists the others by place. */
void pack_column32(struct packer *p, const uint32_t *v, size_t n, const struct wide *wide,
		   size_t wide_count, struct buf *out);

struct unpacker;

struct unpacker *unpacker_new(void);
void unpacker_free(struct unpacker *u);

/* Unpacks exactly RAW bytes into OUT; TACHO_EDAMAGED when that is not what is there. */
int unpack_bytes(struct unpacker *u, const void *bytes, size_t len, void *out, size_t raw);

/*
 * Unpacks a plane of exactly N bytes into OUT, which METHOD_ZSTD or METHOD_SPARSE made of it: LEN
 * bytes.
 */
int unpack_plane(struct unpacker *u, uint8_t method, const void *bytes, size_t len, uint8_t *out,
		 size_t n);

/* Reads what pack_string() wrote into OUT (reset first); at most LIMIT bytes. */
int unpack_string(struct unpacker *u, struct in *in, size_t limit, struct buf *out);

/* Reads a column of exactly N numbers. */
int unpack_column(struct unpacker *u, struct in *in, uint64_t *v, size_t n);
/*
 * The same into 32 bits, for columns that pack_column32() wrote. TACHO_ENO when a number is wider:
 * the column must then be read by unpack_column().
 */
int unpack_column32(struct unpacker *u, struct in *in, uint32_t *v, size_t n);

/* Room for N numbers, valid until the next call; NULL: no memory. */
uint32_t *unpack_room32(struct unpacker *u, size_t n);

#endif
