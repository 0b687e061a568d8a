/* SPDX-License-Identifier: Apache-2.0 */
/* Write the container of a .tracy file. */
#include "tracy/container.h"

#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define PACKED_ROOM (4 + CONTAINER_BLOCK + CONTAINER_BLOCK / 128 + 1024)
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define OUT_BYTES (4u << 10)
#else
#define OUT_BYTES (256u << 10)
#endif

static void flush_file(struct out *out)
{
	size_t done = 0;

	while (done < out->packed_n && !out->error.code) {
		ssize_t n = write(out->fd, out->packed + done, out->packed_n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			err_errno(&out->error, TACHO_EWRITE, "cannot write %s", out->path);
		else
			done += (size_t)n;
	}
	out->written += done;
	out->packed_n = 0;
}

static size_t pack_zstd(struct out *out, uint8_t *to)
{
	ZSTD_inBuffer from = {out->block, out->n, 0};
	ZSTD_outBuffer into = {to, PACKED_ROOM - 4, 0};
	size_t r;

	do
		r = ZSTD_compressStream2(out->zstd[out->next], &into, &from, ZSTD_e_flush);
	while (r && !ZSTD_isError(r) && into.pos < into.size);
	out->next = (out->next + 1) % out->stream_count;
	return r ? 0 : into.pos;
}

/* LZ4 blocks are packed independently; a reader that keeps history accepts that. */
static void put_block(struct out *out)
{
	uint8_t *to = out->packed + out->packed_n;
	uint32_t size;

	if (out->kind != CONTAINER_LZ4)
		size = (uint32_t)pack_zstd(out, to + 4);
	else
		size = (uint32_t)LZ4_compress_default((const char *)out->block, (char *)to + 4,
						      (int)out->n, PACKED_ROOM - 4);
	if (!size && !out->error.code)
		err_set(&out->error, TACHO_EINTERNAL, "cannot compress for %s", out->path);
	memcpy(to, &size, 4);
	out->packed_n += 4 + size;
	out->raw += out->n;
	out->n = 0;
	if (out->packed_n >= OUT_BYTES)
		flush_file(out);
}

static bool streams_open(struct out *out, int level)
{
	for (unsigned i = 0; i < out->stream_count; i++) {
		out->zstd[i] = ZSTD_createCCtx();
		if (!out->zstd[i])
			return false;
		ZSTD_CCtx_setParameter(out->zstd[i], ZSTD_c_compressionLevel, level);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
		/* Clearing large tables for small inputs would dominate the run time. */
		ZSTD_CCtx_setParameter(out->zstd[i], ZSTD_c_windowLog, 10);
		ZSTD_CCtx_setParameter(out->zstd[i], ZSTD_c_hashLog, 8);
		ZSTD_CCtx_setParameter(out->zstd[i], ZSTD_c_chainLog, 8);
#endif
	}
	return true;
}

int out_open(struct out *out, int fd, const char *path, enum container_kind kind, int level,
	     struct tacho_error *err)
{
	static const struct {
		uint8_t magic[6], len, streams;
	} kinds[] = {
		[CONTAINER_LZ4] = {{'t', 'l', 'Z', 4}, 4, 0},
		[CONTAINER_ZSTD] = {{'t', 'Z', 's', 't'}, 4, 1},
		[CONTAINER_STREAMED] = {{'t', 'r', 0xfd, 'P', 1, CONTAINER_STREAMS},
					6,
					CONTAINER_STREAMS},
	};

	memset(out, 0, sizeof(*out));
	out->fd = fd;
	out->path = path;
	out->kind = kind;
	out->stream_count = kinds[kind].streams;
	out->block = malloc(CONTAINER_BLOCK);
	out->packed = malloc(OUT_BYTES + PACKED_ROOM);
	if (!out->block || !out->packed || !streams_open(out, level)) {
		out_abandon(out);
		return err_set(err, TACHO_ENOMEM, "no memory to write %s", path);
	}
	out->packed_n = kinds[kind].len;
	memcpy(out->packed, kinds[kind].magic, out->packed_n);
	return 0;
}

void out_copy(struct out *out, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len) {
		size_t n = CONTAINER_BLOCK - out->n;

		if (!n) {
			put_block(out);
			continue;
		}
		n = n < len ? n : len;
		memcpy(out->block + out->n, at, n);
		out->n += n;
		at += n;
		len -= n;
	}
}

int out_close(struct out *out, struct tacho_error *err)
{
	int r;

	if (out->n)
		put_block(out);
	flush_file(out);
	r = out->error.code;
	if (r < 0)
		err_set(err, r, "%s", out->error.text);
	out_abandon(out);
	return r;
}

void out_abandon(struct out *out)
{
	free(out->block);
	free(out->packed);
	for (unsigned i = 0; i < CONTAINER_STREAMS; i++) {
		ZSTD_freeCCtx(out->zstd[i]);
		out->zstd[i] = NULL;
	}
	out->block = out->packed = NULL;
}
