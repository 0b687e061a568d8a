/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the container of a .tracy file, a stream of bytes cut into compressed blocks.
 *
 * Every block but the last unpacks to BLOCK bytes. An LZ4 block may refer to the previous block of
 * the same stream, so a reader keeps one block of history per stream; Zstd keeps its own. There is
 * no length, no checksum and no end mark: the body ends with the file.
 */
#ifndef TRACY_CONTAINER_H
#define TRACY_CONTAINER_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CONTAINER_BLOCK 65536u

/* ------------------------------------------------------------------ reading */

struct container_stream;

struct in {
	const uint8_t *at, *end; /* unread part of the unpacked block */
	struct container_stream *streams;
	unsigned stream_count, next;
	bool zstd;
	int fd;
	uint8_t *file; /* bytes of the file read ahead */
	size_t file_at, file_n;
	uint8_t *packed; /* one packed block */
	uint64_t offset; /* offset in the body of the end of the unpacked block */
	uint64_t file_size;
	uint64_t file_read;       /* bytes of the file used */
	struct tacho_error error; /* sticky; if code != 0, every get returns 0 */
};

/* Reads the magic. TACHO_EFORMAT if FD is not a .tracy file. The caller keeps FD. */
int in_open(struct in *in, int fd, const char *path, struct tacho_error *err);
void in_close(struct in *in);

/* Records the first error, with the offset in the body. Returns the sticky code. */
int in_fail(struct in *in, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Bytes of the body before the read position. */
static inline uint64_t in_offset(const struct in *in)
{
	return in->offset - (uint64_t)(in->end - in->at);
}

/* Copies LEN bytes; zeroes and an error if the body ends first. */
void in_copy(struct in *in, void *to, size_t len);
void in_skip(struct in *in, uint64_t len);
/* Returns 1 at the end of the body, 0 if there is more, or an error. */
int in_at_end(struct in *in);

static inline void format_in_bytes(struct in *in, void *to, size_t len)
{
	if (__builtin_expect((size_t)(in->end - in->at) >= len, 1)) {
		memcpy(to, in->at, len);
		in->at += len;
	} else {
		in_copy(in, to, len);
	}
}

#define IN_GET(name, type)                          \
	static inline type in_##name(struct in *in) \
	{                                           \
		type v;                             \
		format_in_bytes(in, &v, sizeof(v)); \
		return v;                           \
	}
IN_GET(u8, uint8_t)
IN_GET(u16, uint16_t)
IN_GET(i16, int16_t)
IN_GET(u32, uint32_t)
IN_GET(u64, uint64_t)
IN_GET(i64, int64_t)
IN_GET(f32, float)
IN_GET(f64, double)
#undef IN_GET

static inline uint32_t in_u24(struct in *in)
{
	uint8_t b[3];

	format_in_bytes(in, b, 3);
	return (uint32_t)(b[0] | b[1] << 8 | b[2] << 16);
}

/* ------------------------------------------------------------------ writing */

/* Streams of a new container: a viewer unpacks this many blocks in parallel. */
#define CONTAINER_STREAMS 4

/* Older containers have one stream and a magic per compression. */
enum container_kind { CONTAINER_LZ4, CONTAINER_ZSTD, CONTAINER_STREAMED };

struct out {
	int fd;
	enum container_kind kind;
	uint8_t *block;
	size_t n;
	uint8_t *packed;
	size_t packed_n; /* packed blocks not yet written */
	void *zstd[CONTAINER_STREAMS];
	unsigned stream_count, next;
	uint64_t raw;     /* bytes put in */
	uint64_t written; /* bytes written to the file */
	const char *path;
	struct tacho_error error; /* sticky */
};

/* LEVEL is Zstd's. */
int out_open(struct out *out, int fd, const char *path, enum container_kind kind, int level,
	     struct tacho_error *err);
/* Writes the last block. Frees OUT's buffers even on failure; the caller keeps FD. */
int out_close(struct out *out, struct tacho_error *err);
void out_abandon(struct out *out);

void out_copy(struct out *out, const void *bytes, size_t len);

static inline void out_bytes(struct out *out, const void *bytes, size_t len)
{
	if (__builtin_expect(CONTAINER_BLOCK - out->n >= len, 1)) {
		memcpy(out->block + out->n, bytes, len);
		out->n += len;
	} else {
		out_copy(out, bytes, len);
	}
}

#define OUT_PUT(name, type)                                    \
	static inline void out_##name(struct out *out, type v) \
	{                                                      \
		out_bytes(out, &v, sizeof(v));                 \
	}
OUT_PUT(u8, uint8_t)
OUT_PUT(u16, uint16_t)
OUT_PUT(i16, int16_t)
OUT_PUT(u32, uint32_t)
OUT_PUT(u64, uint64_t)
OUT_PUT(i64, int64_t)
OUT_PUT(f32, float)
OUT_PUT(f64, double)
#undef OUT_PUT

static inline void out_u24(struct out *out, uint32_t v)
{
	uint8_t b[3] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16)};

	out_bytes(out, b, 3);
}

#endif
