/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring file with arbitrary contents: reading it ends, stays within it, and gives bounded events.
 */
#include "ring/ring.h"
#include "ring_image.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/dev/shm/fuzz_ring.XXXXXX";
static char *image;
static int folder;

static void clean_up(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/p.1.0", dir);
	unlink(path);
	rmdir(dir);
}

static char *open_image(void)
{
	char path[64];
	int fd;

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/p.1.0", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	folder = open(dir, O_RDONLY | O_DIRECTORY);
	if (fd < 0 || folder < 0 || ftruncate(fd, IMAGE_SIZE) < 0)
		abort();
	atexit(clean_up);
	return mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* Reads every byte that an event points to, for the sanitizer to check. */
static uint64_t look_at(const struct ring_event *e)
{
	uint64_t sum = e->time + e->id;

	if (e->type >= RING_T_BEGIN)
		return sum;
	for (unsigned i = 0; i < e->count; i++)
		sum += e->words[i];
	for (uint32_t i = 0; e->text && i <= e->len; i++)
		sum += (unsigned char)e->text[i];
	assert(!e->text || e->text[e->len] == 0);
	return sum;
}

/* One pass over all streams; returns the number of events. */
static size_t read_all(struct ring_reader *r, uint64_t *sum)
{
	struct ring_event events[64];
	struct ring_stream **streams;
	size_t count, n, total = 0;

	ring_streams(r, &streams, &count);
	for (size_t i = 0; i < count; i++) {
		struct ring_position at;

		ring_stream_position(streams[i], &at);
		while ((n = ring_read(streams[i], events, 64)) > 0) {
			for (size_t k = 0; k < n; k++)
				*sum += look_at(&events[k]);
			total += n;
			/* At most as many as its memory can hold. */
			assert(total <= 2 * IMAGE_SIZE / 8);
		}
		/* A recorder that takes over starts at any saved position. */
		if (i == 1 && !ring_stream_finished(streams[i]))
			ring_stream_seek(streams[i], &at);
	}
	return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring_reader *r;
	uint64_t sum = 0;

	if (!image)
		image = open_image();
	image_make(image);
	image_patch(image, data, size);
	if (ring_open(&r, folder, "p.1.0", 0, NULL) < 0)
		return 0;
	read_all(r, &sum);
	ring_release(r);
	ring_set_dead(r);
	for (int i = 0; i < 4; i++) {
		read_all(r, &sum);
		ring_release(r);
	}
	ring_trim(r, 0);
	ring_close(r);
	return sum == 1; /* so that the sums are computed */
}
