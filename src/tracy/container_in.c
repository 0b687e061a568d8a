/* SPDX-License-Identifier: Apache-2.0 */
/* Read the compressed containers of .tracy files. */
#include "base/limits.h"
#include "tracy/container.h"

#include <errno.h>
#include <lz4.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define FILE_AHEAD (4u << 10) /* a large buffer per small input would dominate the run time */
#else
#define FILE_AHEAD (256u << 10)
#endif
/* LZ4 cannot expand 64 KiB to more, and Zstd does not in practice. */
#define PACKED_MAX (2 * CONTAINER_BLOCK)

/* Two alternating blocks: the previous one is the history of the current one. */
struct container_stream {
	uint8_t *blocks;
	unsigned turn;
	size_t last; /* bytes of the previous block */
	ZSTD_DStream *zstd;
};

int in_fail(struct in *in, int code, const char *format, ...)
{
	va_list args;

	if (in->error.code)
		return in->error.code;
	va_start(args, format);
	vsnprintf(in->error.text, sizeof(in->error.text), format, args);
	va_end(args);
	in->error.code = code;
	in->error.offset = in_offset(in);
	in->at = in->end;
	return code;
}

/* Reads up to LEN bytes of the file; fewer at its end. */
static size_t file_bytes(struct in *in, void *to, size_t len)
{
	size_t done = 0;

	while (done < len) {
		size_t n = in->file_n - in->file_at;

		if (!n) {
			ssize_t got = read(in->fd, in->file, FILE_AHEAD);

			if (got < 0 && errno == EINTR)
				continue;
			if (got < 0)
				in_fail(in, TACHO_EREAD, "cannot read: %s", strerror(errno));
			if (got <= 0)
				break;
			in->file_at = 0;
			in->file_n = (size_t)got;
			continue;
		}
		n = n < len - done ? n : len - done;
		memcpy((uint8_t *)to + done, in->file + in->file_at, n);
		in->file_at += n;
		done += n;
	}
	in->file_read += done;
	return done;
}

static int stream_open(struct in *in, struct container_stream *s)
{
	s->blocks = malloc(2 * CONTAINER_BLOCK);
	if (!s->blocks)
		return TACHO_ENOMEM;
	if (!in->zstd)
		return 0;
	s->zstd = ZSTD_createDStream();
	if (!s->zstd)
		return TACHO_ENOMEM;
	/* A frame may request a window; one of more than 8 MiB is hostile. */
	ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, 23);
	return 0;
}

static const struct {
	uint8_t magic[4];
	bool zstd, counted;
} magics[] = {
	{{'t', 'l', 'Z', 4}, false, false},
	{{'t', 'Z', 's', 't'}, true, false},
	{{'t', 'r', 0xfd, 'P'}, false, true},
};

static int read_magic(struct in *in, const char *path, struct tacho_error *err)
{
	uint8_t bytes[4], kind[2] = {0, 1};
	size_t i, n = file_bytes(in, bytes, 4);

	if (in->error.code)
		return err_set(err, TACHO_EREAD, "cannot read %s", path);
	for (i = 0; i < 3; i++)
		if (n == 4 && !memcmp(bytes, magics[i].magic, 4))
			break;
	if (i == 3)
		return err_set(err, TACHO_EFORMAT, "%s is not a Tracy trace", path);
	in->zstd = magics[i].zstd;
	in->stream_count = 1;
	if (!magics[i].counted)
		return 0;
	if (file_bytes(in, kind, 2) != 2 || kind[0] > 1 || !kind[1])
		return err_set(err, TACHO_EFORMAT, "%s has a damaged header", path);
	in->zstd = kind[0] == 1;
	in->stream_count = kind[1];
	return 0;
}

int in_open(struct in *in, int fd, const char *path, struct tacho_error *err)
{
	struct stat st;
	int r;

	memset(in, 0, sizeof(*in));
	in->fd = fd;
	if (fstat(fd, &st) == 0)
		in->file_size = (uint64_t)st.st_size;
	in->file = malloc(FILE_AHEAD);
	in->packed = malloc(PACKED_MAX);
	r = in->file && in->packed ? read_magic(in, path, err) : TACHO_ENOMEM;
	if (r == 0) {
		in->streams = calloc(in->stream_count, sizeof(*in->streams));
		r = in->streams ? 0 : TACHO_ENOMEM;
	}
	if (r < 0)
		in_close(in);
	return r;
}

void in_close(struct in *in)
{
	for (unsigned i = 0; in->streams && i < in->stream_count; i++) {
		free(in->streams[i].blocks);
		ZSTD_freeDStream(in->streams[i].zstd);
	}
	free(in->streams);
	free(in->file);
	free(in->packed);
	in->streams = NULL;
	in->file = in->packed = NULL;
	in->at = in->end = NULL;
}

static int64_t unpack_lz4(const struct in *in, const struct container_stream *s, uint8_t *to,
			  uint32_t size)
{
	const uint8_t *history = s->blocks + (s->turn ? 0 : CONTAINER_BLOCK);

	return LZ4_decompress_safe_usingDict((const char *)in->packed, (char *)to, (int)size,
					     CONTAINER_BLOCK, (const char *)history, (int)s->last);
}

static int64_t unpack_zstd(const struct in *in, struct container_stream *s, uint8_t *to,
			   uint32_t size)
{
	ZSTD_inBuffer from = {in->packed, size, 0};
	ZSTD_outBuffer into = {to, CONTAINER_BLOCK, 0};

	while (from.pos < from.size && into.pos < into.size) {
		size_t r = ZSTD_decompressStream(s->zstd, &into, &from);

		if (ZSTD_isError(r))
			return -1;
		if (r == 0) /* end of a frame: nothing may follow in this block */
			break;
	}
	return from.pos == from.size ? (int64_t)into.pos : -1;
}

/* Unpacks the next block. Returns 1, 0 at the end of the file, or an error. */
static int next_block(struct in *in)
{
	struct container_stream *s = &in->streams[in->next];
	uint32_t size;
	uint8_t *to;
	int64_t n;
	size_t got;

	if (in->error.code)
		return in->error.code;
	got = file_bytes(in, &size, 4);
	if (got == 0)
		return in->error.code;
	if (got < 4)
		return in_fail(in, TACHO_EDAMAGED, "the file ends inside a block");
	if (!size || size > PACKED_MAX)
		return in_fail(in, TACHO_EDAMAGED, "a block of %u bytes makes no sense", size);
	if (file_bytes(in, in->packed, size) != size)
		return in_fail(in, TACHO_EDAMAGED, "the file ends inside a block");
	if (in->offset >= LIMIT_TRACY_FREE + in->file_read * LIMIT_TRACY_RATIO)
		return in_fail(in, TACHO_ELIMIT, "it unpacks to more than %u times its size",
			       LIMIT_TRACY_RATIO);
	if (!s->blocks && stream_open(in, s) < 0)
		return in_fail(in, TACHO_ENOMEM, "no memory");
	to = s->blocks + s->turn * CONTAINER_BLOCK;
	n = in->zstd ? unpack_zstd(in, s, to, size) : unpack_lz4(in, s, to, size);
	if (n < 0)
		return in_fail(in, TACHO_EDAMAGED, "a block cannot be unpacked");
	s->last = (size_t)n;
	s->turn ^= 1;
	in->next = (in->next + 1) % in->stream_count;
	in->at = to;
	in->end = to + n;
	in->offset += (uint64_t)n;
	return 1;
}

int in_at_end(struct in *in)
{
	int r = 1;

	while (in->at == in->end && (r = next_block(in)) > 0)
		;
	return r < 0 ? r : in->at == in->end;
}

void in_copy(struct in *in, void *to, size_t len)
{
	uint8_t *at = to;

	while (len) {
		size_t n = (size_t)(in->end - in->at);

		if (!n) {
			if (next_block(in) > 0)
				continue;
			memset(at, 0, len);
			in_fail(in, TACHO_EDAMAGED, "the file ends too early");
			return;
		}
		n = n < len ? n : len;
		memcpy(at, in->at, n);
		in->at += n;
		at += n;
		len -= n;
	}
}

void in_skip(struct in *in, uint64_t len)
{
	while (len) {
		uint64_t n = (uint64_t)(in->end - in->at);

		if (!n) {
			if (next_block(in) > 0)
				continue;
			in_fail(in, TACHO_EDAMAGED, "the file ends too early");
			return;
		}
		n = n < len ? n : len;
		in->at += n;
		len -= n;
	}
}
