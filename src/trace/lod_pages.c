/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a level-of-detail index: in a file, read by blocks into memory of our own.
 *
 * The file is not mapped, because whoever truncates or changes a mapped file kills or misleads the
 * reader. A block is read when it is first used and its checksum is verified then; what is in
 * memory cannot change afterwards. Blocks are read into frames, which are used again when there are
 * too many: so the memory in use does not depend on the size of the index. Frames are not given
 * back to the kernel in between, since page faults would cost more than the reading.
 */
#include "trace/block.h"
#include "trace/lod.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#define CHUNK_FRAMES 64u /* that are allocated at once */

int lod_write(int fd, uint64_t at, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		ssize_t n = pwrite(fd, from, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return TACHO_EWRITE;
		from += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* ------------------------------------------------------------------ frames */

static uint8_t *frame_new(struct lod_file *file)
{
	size_t chunk = file->frames / CHUNK_FRAMES;

	if (chunk == file->chunks.n) {
		uint8_t *memory = malloc(CHUNK_FRAMES * (size_t)LOD_BLOCK);

		if (!memory || vec_push(&file->chunks, memory) < 0) {
			free(memory);
			return NULL;
		}
	}
	return file->chunks.v[chunk] + file->frames++ % CHUNK_FRAMES * LOD_BLOCK;
}

int lod_block_read(struct lod_file *file, struct lod_pages *p, uint64_t block)
{
	uint8_t *to = frame_new(file);

	if (!to)
		return TACHO_ENOMEM;
	if (read_at(file->fd, p->blocks[block].place, to, LOD_BLOCK) < 0 ||
	    XXH3_64bits(to, LOD_BLOCK) != p->blocks[block].sum) {
		file->frames--;
		return TACHO_EDAMAGED;
	}
	p->blocks[block].frame = to;
	return 0;
}

void lod_pages_drop(struct lod_pages *p)
{
	for (uint64_t i = 0; i < p->settled; i++)
		p->blocks[i].frame = NULL;
}

uint64_t lod_file_memory(const struct lod_file *file)
{
	return file->chunks.n * CHUNK_FRAMES * LOD_BLOCK;
}

void lod_file_close(struct lod_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	for (size_t i = 0; i < file->chunks.n; i++)
		free(file->chunks.v[i]);
	vec_free(&file->chunks);
	*file = (struct lod_file){.fd = -1, .limit = file->limit};
}

/* ------------------------------------------------------------------ growth */

/* From the heap to a mapping, whose pages can be given back one by one. */
static int pages_move(struct lod_pages *p, uint64_t room)
{
	void *map = p->mapped ? mremap(p->map, p->room, room, MREMAP_MAYMOVE)
			      : mmap(NULL, room, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return TACHO_ENOMEM;
	if (!p->mapped) {
		if (p->room)
			memcpy(map, p->map, p->room);
		free(p->map);
	}
	p->map = map;
	p->mapped = true;
	return 0;
}

int lod_pages_grow(struct lod_pages *p, uint64_t bytes)
{
	uint64_t room = p->room + p->room / 2;
	void *map;

	if (bytes <= p->room)
		return 0;
	room = ((room > bytes ? room : bytes) + LOD_BLOCK - 1) / LOD_BLOCK * LOD_BLOCK;
	if (room > LOD_HEAP) {
		if (vec_grow((void **)&p->blocks, &p->block_room, room / LOD_BLOCK,
			     sizeof(*p->blocks)) < 0 ||
		    pages_move(p, room) < 0)
			return TACHO_ENOMEM;
	} else {
		map = realloc(p->map, room);
		if (!map)
			return TACHO_ENOMEM;
		p->map = map;
	}
	p->room = room;
	return 0;
}

void lod_pages_settle(struct lod_pages *p, struct lod_file *file, uint64_t bytes)
{
	uint64_t first = p->settled;

	if (!p->mapped || file->fd < 0)
		return;
	for (; (p->settled + 1) * LOD_BLOCK <= bytes; p->settled++) {
		const uint8_t *from = p->map + p->settled * LOD_BLOCK;

		/* A full disk: the rest stays in memory. */
		if (lod_write(file->fd, file->end, from, LOD_BLOCK) < 0)
			break;
		p->blocks[p->settled] =
			(struct lod_block){.sum = XXH3_64bits(from, LOD_BLOCK), .place = file->end};
		file->end += LOD_BLOCK;
	}
	if (p->settled > first)
		madvise(p->map + first * LOD_BLOCK, (p->settled - first) * LOD_BLOCK,
			MADV_DONTNEED);
}

uint64_t lod_pages_memory(const struct lod_pages *p, uint64_t bytes)
{
	return p->block_room * sizeof(*p->blocks) +
	       (p->mapped ? bytes - p->settled * LOD_BLOCK : p->room);
}

void lod_pages_free(struct lod_pages *p)
{
	if (p->mapped)
		munmap(p->map, p->room);
	else
		free(p->map);
	free(p->blocks);
	*p = (struct lod_pages){0};
}
