/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records a little, then attacks its own ring in one of several ways for some milliseconds:
 *
 *	fault_hostile garbage|table|header|links|lengths|time|threads|shrink|grow|empty MS SEED
 *
 * The recorder must survive it, and the other programs of the session must not notice.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/tacho.h>
#include <time.h>
#include <unistd.h>

#include "ring/layout.h"

static char *base, *end;
static char path[4096];
static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void find_ring(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4400], name[32];
	unsigned long from, to;

	snprintf(name, sizeof(name), "/p.%d.", (int)getpid());
	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, name) || sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		if (!base) {
			base = (char *)from;
			sscanf(strchr(line, '/'), "%4095[^\n]", path);
		}
		if (strstr(line, "rw-s"))
			end = (char *)to;
	}
	if (f)
		fclose(f);
	if (!base || !end)
		exit(9);
}

/* A word in memory that the ring has. */
static uint64_t *any_word(void)
{
	struct ring_header *h = (struct ring_header *)base;
	uint32_t extents = atomic_load(&h->extents), i;

	if (!extents || extents > 64)
		extents = 64;
	i = (uint32_t)(next_random() % extents);
	if (base + ring_segment_offset(i) + RING_SEG_SIZE > end)
		i = 0;
	if (next_random() % 2) /* thread pages are at the end of their stride */
		return (uint64_t *)(base + ring_page_offset(i) + next_random() % 512 * 8);
	return (uint64_t *)(base + ring_segment_offset(i) + next_random() % 8192 * 8);
}

static bool has_memory(uint32_t i)
{
	struct ring_extent *e = &ring_extents(base)[i];
	uint32_t s = atomic_load(&e->state);

	return s == RING_EXTENT_SEGMENT || s == RING_EXTENT_PAGE;
}

static void ring_garbage(void)
{
	*any_word() = next_random();
}

static void ring_table(void)
{
	struct ring_extent *e = &ring_extents(base)[next_random() % 32];

	atomic_store(&e->state, (uint32_t)(next_random() % 6));
	if (next_random() % 4 == 0)
		e->thread = next_random() % 8;
}

static void ring_header_damage(void)
{
	((uint64_t *)base)[next_random() % 16] = next_random();
}

static void ring_links(void)
{
	uint32_t i = (uint32_t)(next_random() % 8);
	struct ring_segment *s;

	if (!has_memory(i))
		return;
	s = (struct ring_segment *)(base + ring_segment_offset(i));
	if (atomic_load(&ring_extents(base)[i].state) == RING_EXTENT_PAGE)
		s = (struct ring_segment *)(base + ring_page_offset(i));
	atomic_store(&s->next, (uint32_t)(next_random() % 10));
	s->sequence = next_random() % 1000;
}

static void ring_lengths(void)
{
	static const unsigned types[] = {RING_MESSAGE, RING_TEXT_PART, RING_ZONE_TEXT, RING_PAD, 0,
					 200};
	uint64_t *w = any_word();
	uint64_t big[] = {0xffffffff, 0x80000000, 0x7fffffff, 1ull << 38 | 2048, next_random()};

	w[0] = next_random() << 26 | RING_MORE(types[next_random() % 6], next_random() & 0xffff);
	if (((uintptr_t)w & 0xfff) < 4000)
		w[1] = w[2] = big[next_random() % 5];
}

static void ring_backwards(void)
{
	*any_word() = next_random() << 26 | 1 << 2 | (1 + next_random() % 2);
}

/* Threads that come and go without end. */
static void ring_threads(void)
{
	struct ring_header *h = (struct ring_header *)base;
	uint32_t i = (uint32_t)(next_random() % 16);
	struct ring_page *page = (struct ring_page *)(base + ring_page_offset(i));

	atomic_fetch_add(&h->threads, 1);
	if ((char *)(page + 1) > end || !has_memory(i))
		return;
	page->segment.magic = RING_PAGE_MAGIC;
	page->segment.extent = i;
	page->segment.thread = ring_extents(base)[i].thread = next_random() % 1000;
	atomic_store(&page->closed, next_random() % 2);
	atomic_store(&ring_extents(base)[i].state, RING_EXTENT_PAGE);
}

static void ring_resize(off_t size)
{
	int fd = open(path, O_RDWR);

	if (fd < 0 || ftruncate(fd, size) < 0)
		_exit(9);
	close(fd);
}

static void ring_emit(int n)
{
	for (int i = 0; i < n; i++) {
		TACHO_ZONE("hostile");
		tacho_message("hostile", 7, 2, 0);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*attack)(void);
	} ways[] = {{"garbage", ring_garbage},      {"table", ring_table},
		    {"header", ring_header_damage}, {"links", ring_links},
		    {"lengths", ring_lengths},      {"time", ring_backwards},
		    {"threads", ring_threads},      {NULL, NULL}};
	struct timespec now;
	uint64_t stop;
	int way = 0;

	if (argc < 4)
		return 9;
	state = strtoull(argv[3], NULL, 10) * 2 + 1;
	ring_emit(1000);
	find_ring();
	if (!strcmp(argv[1], "shrink"))
		ring_resize((off_t)(RING_DATA + next_random() % 0x80000));
	if (!strcmp(argv[1], "empty"))
		ring_resize(0);
	if (!strcmp(argv[1], "grow"))
		ring_resize((off_t)1 << 42);
	while (ways[way].name && strcmp(ways[way].name, argv[1]))
		way++;
	clock_gettime(CLOCK_MONOTONIC, &now);
	stop = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 +
	       strtoull(argv[2], NULL, 10);
	if (!ways[way].attack) { /* touching the memory would be our own death */
		usleep((useconds_t)atoi(argv[2]) * 1000);
		_exit(0);
	}
	do {
		for (int i = 0; i < 200; i++)
			ways[way].attack();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 < stop);
	_exit(0);
}
