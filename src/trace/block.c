/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the file: headers, checksums, and the search for the next one after damage. */
#include "trace/block.h"
#include "base/limits.h"

#include <errno.h>
#include <unistd.h>
#include <xxhash.h>

#define CHECKSUM_OFFSET 24u
#define RESYNC_STEP     (256u << 10)

static uint64_t block_checksum(const uint8_t *header, const void *payload, size_t len)
{
	return XXH3_64bits_withSeed(payload, len, XXH3_64bits(header, CHECKSUM_OFFSET));
}

void block_header_put(uint8_t *header, const struct block *b, const void *payload)
{
	le_put32(header, BLOCK_MAGIC);
	le_put16(header + 4, b->type);
	le_put16(header + 6, b->flags);
	le_put32(header + 8, b->packed);
	le_put32(header + 12, b->raw);
	le_put64(header + 16, b->sequence);
	le_put64(header + CHECKSUM_OFFSET, block_checksum(header, payload, b->packed));
}

bool block_header_get(const uint8_t *header, struct block *b)
{
	b->type = le_get16(header + 4);
	b->flags = le_get16(header + 6);
	b->packed = le_get32(header + 8);
	b->raw = le_get32(header + 12);
	b->sequence = le_get64(header + 16);
	b->checksum = le_get64(header + CHECKSUM_OFFSET);
	return le_get32(header) == BLOCK_MAGIC && b->packed <= LIMIT_BLOCK_PACKED &&
	       b->raw <= LIMIT_BLOCK_RAW;
}

bool block_intact(const uint8_t *header, const struct block *b, const void *payload)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	/* A fuzzer cannot guess checksums, so let it pass them. */
	(void)header, (void)b, (void)payload;
	return true;
#else
	return block_checksum(header, payload, b->packed) == b->checksum;
#endif
}

int read_at(int fd, uint64_t offset, void *bytes, size_t len)
{
	while (len) {
		ssize_t n = pread(fd, bytes, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return TACHO_EREAD;
		if (n == 0)
			return TACHO_EDAMAGED;
		bytes = (char *)bytes + n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int block_read(int fd, uint64_t offset, uint64_t file_size, struct buf *store, struct block *b)
{
	int r;

	buf_reset(store);
	if (offset > file_size || file_size - offset < BLOCK_HEADER_SIZE)
		return TACHO_EDAMAGED;
	if (buf_reserve(store, BLOCK_HEADER_SIZE) < 0)
		return TACHO_ENOMEM;
	r = read_at(fd, offset, store->data, BLOCK_HEADER_SIZE);
	if (r < 0)
		return r;
	store->len = BLOCK_HEADER_SIZE;
	b->offset = offset;
	if (!block_header_get((uint8_t *)store->data, b) ||
	    file_size - offset - BLOCK_HEADER_SIZE < b->packed)
		return TACHO_EDAMAGED;
	if (buf_reserve(store, b->packed) < 0)
		return TACHO_ENOMEM;
	r = read_at(fd, offset + BLOCK_HEADER_SIZE, store->data + BLOCK_HEADER_SIZE, b->packed);
	if (r < 0)
		return r;
	store->len += b->packed;
	if (!block_intact((uint8_t *)store->data, b, store->data + BLOCK_HEADER_SIZE))
		return TACHO_EDAMAGED;
	return 0;
}

int block_payload(struct unpacker *u, const struct buf *store, const struct block *b,
		  struct buf *unpacked, struct in *in)
{
	const uint8_t *payload = (const uint8_t *)store->data + BLOCK_HEADER_SIZE;
	size_t len = b->packed;
	int r;

	if (b->flags & ~BLOCK_FLAGS)
		return TACHO_EDAMAGED;
	if (b->flags & BLOCK_ZSTD) {
		if (b->raw > (uint64_t)b->packed * BLOCK_RATIO)
			return TACHO_EDAMAGED;
		buf_reset(unpacked);
		if (buf_reserve(unpacked, b->raw) < 0)
			return TACHO_ENOMEM;
		r = unpack_bytes(u, payload, b->packed, unpacked->data, b->raw);
		if (r < 0)
			return r;
		payload = (const uint8_t *)unpacked->data;
		len = b->raw;
	}
	*in = (struct in){.p = payload, .end = payload + len};
	return 0;
}

/* Tries each occurrence of the magic in WINDOW (LEN bytes of the file, from OFFSET on). */
static int resync_window(int fd, const char *window, size_t len, uint64_t offset,
			 uint64_t file_size, uint64_t *budget, struct buf *store, struct block *b)
{
	static const char magic[4] = {'T', 'B', 'L', 'K'};
	const char *p = window;

	while ((p = memmem(p, len - (size_t)(p - window), magic, sizeof(magic)))) {
		uint64_t at = offset + (uint64_t)(p - window);
		int r = block_read(fd, at, file_size, store, b);
		uint64_t cost = BLOCK_HEADER_SIZE + store->len;

		if (r != TACHO_EDAMAGED)
			return r;
		if (cost > *budget)
			return TACHO_ENO;
		*budget -= cost;
		p++;
	}
	return TACHO_EDAMAGED;
}

int block_resync(int fd, uint64_t from, uint64_t file_size, uint64_t *budget, struct buf *store,
		 struct block *b)
{
	struct buf window = BUF_INIT;
	int r = TACHO_EDAMAGED;

	if (buf_reserve(&window, file_size < RESYNC_STEP ? file_size : RESYNC_STEP) < 0)
		return TACHO_ENOMEM;
	while (r == TACHO_EDAMAGED) {
		size_t len = RESYNC_STEP;

		if (from >= file_size || file_size - from < BLOCK_HEADER_SIZE) {
			r = TACHO_ENO;
			break;
		}
		if (file_size - from < len)
			len = (size_t)(file_size - from);
		r = read_at(fd, from, window.data, len);
		if (r < 0)
			break;
		r = resync_window(fd, window.data, len, from, file_size, budget, store, b);
		/* The magic may lie across two windows. */
		from += len > 3 ? len - 3 : len;
	}
	buf_free(&window);
	return r;
}
