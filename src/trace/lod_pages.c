/*
 * The bytes of a level-of-detail index: in a file, read by blocks into memory of our own.
 *
 * The file is not mapped, because whoever truncates or changes a mapped file kills or misleads the
 * reader. A block is read when it is first used and its checksum is verified then; what is in
 * memory cannot change afterwards. Blocks are dropped when too many are resident, so the memory in
 * use does not depend on the size of the index.
 */
#include "trace/block.h"
#include "trace/lod.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

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

/* From the heap to a mapping, whose blocks can be given back to the kernel one by one. */
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
	uint64_t room = p->room + p->room / 2, blocks;
	void *map;

	if (bytes <= p->room)
		return 0;
	room = ((room > bytes ? room : bytes) + LOD_BLOCK - 1) / LOD_BLOCK * LOD_BLOCK;
	blocks = room / LOD_BLOCK;
	map = realloc(p->here, blocks);
	if (!map)
		return TACHO_ENOMEM;
	p->here = map;
	map = reallocarray(p->blocks, blocks, sizeof(*p->blocks));
	if (!map)
		return TACHO_ENOMEM;
	p->blocks = map;
	if (room > LOD_HEAP) {
		if (pages_move(p, room) < 0)
			return TACHO_ENOMEM;
	} else {
		map = realloc(p->map, room);
		if (!map)
			return TACHO_ENOMEM;
		p->map = map;
	}
	memset(p->here + p->room / LOD_BLOCK, 1, blocks - p->room / LOD_BLOCK);
	p->room = room;
	return 0;
}

void lod_pages_settle(struct lod_pages *p, struct lod_file *file, uint64_t bytes)
{
	if (!p->mapped || file->fd < 0)
		return;
	for (; (p->settled + 1) * LOD_BLOCK <= bytes; p->settled++) {
		const uint8_t *from = p->map + p->settled * LOD_BLOCK;

		/* A full disk: the rest stays in memory. */
		if (lod_write(file->fd, file->end, from, LOD_BLOCK) < 0)
			return;
		p->blocks[p->settled] = (struct lod_block){XXH3_64bits(from, LOD_BLOCK), file->end};
		file->end += LOD_BLOCK;
		file->resident += LOD_BLOCK;
	}
}

void lod_pages_drop(struct lod_pages *p)
{
	if (!p->settled)
		return;
	madvise(p->map, p->settled * LOD_BLOCK, MADV_DONTNEED);
	memset(p->here, 0, p->settled);
}

int lod_pages_load(struct lod_pages *p, struct lod_file *file, uint64_t block)
{
	uint8_t *to = p->map + block * LOD_BLOCK;

	if (read_at(file->fd, p->blocks[block].place, to, LOD_BLOCK) < 0 ||
	    XXH3_64bits(to, LOD_BLOCK) != p->blocks[block].sum)
		return TACHO_EDAMAGED;
	p->here[block] = 1;
	file->resident += LOD_BLOCK;
	return 0;
}

uint64_t lod_pages_memory(const struct lod_pages *p, uint64_t bytes)
{
	uint64_t tables = p->room / LOD_BLOCK * (sizeof(*p->blocks) + sizeof(*p->here));

	return tables + (p->mapped ? bytes - p->settled * LOD_BLOCK : p->room);
}

void lod_pages_free(struct lod_pages *p)
{
	if (p->mapped)
		munmap(p->map, p->room);
	else
		free(p->map);
	free(p->here);
	free(p->blocks);
	*p = (struct lod_pages){0};
}
