/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorder for the fuzz targets: one session for all inputs, the ring of one process, and an
 * unnamed trace. Creating a session takes longer than reading a small ring.
 */
#ifndef FUZZ_RECORDER_H
#define FUZZ_RECORDER_H

#include "capture/private.h"
#include "ring_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_NAME "p.1.0"

static struct ring_session recorder_session;
static char recorder_folder[] = "/dev/shm/tacho-fuzz.XXXXXX";
static int recorder_watch; /* without a folder: the recorder finds no rings of its own */

static void recorder_clean_up(void)
{
	ring_session_remove(&recorder_session);
	rmdir(recorder_folder);
}

static void recorder_set_up(void)
{
	struct ring_session_options options = {0};
	char path[64];

	if (!mkdtemp(recorder_folder))
		abort();
	snprintf(path, sizeof(path), "%s/session", recorder_folder);
	if (ring_session_create(&recorder_session, path, &options, NULL) < 0)
		abort();
	recorder_watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (recorder_watch < 0)
		abort();
	atexit(recorder_clean_up);
}

/* A sound ring overwritten by the input's bytes. */
static void recorder_ring_put(const uint8_t *data, size_t size)
{
	int fd = openat(recorder_session.folder.fd, RING_NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *image;

	if (fd < 0 || ftruncate(fd, IMAGE_SIZE) < 0)
		abort();
	image = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	image_fill(image); /* touching all pages of a new file would be most of the work */
	((struct ring_header *)image)->key = recorder_session.key;
	if (size)
		image_patch(image, data, size);
	/* Any other pid is looked up in /proc. */
	((struct ring_header *)image)->pid = 0x7fffffff;
	((struct ring_header *)image)->pid_namespace = 0;
	munmap(image, IMAGE_SIZE);
}

/* It borrows the session. */
static struct capture *recorder_open(void)
{
	static const struct trace_clock_point points[] = {{1, 1, 1, 1}, {1001, 1001, 1001, 1}};
	struct capture *c = capture_new();

	if (!c || trace_writer_open_temporary(&c->writer, "/dev/shm", NULL) < 0)
		abort();
	c->session = recorder_session;
	c->watch = recorder_watch;
	c->scan = false;
	c->output = strdup("fuzz");
	c->checkpoint_bytes = 1u << 20;
	for (size_t i = 0; i < 2; i++)
		trace_add_clock_point(c->writer, &points[i]);
	c->clock_points = 2;
	return c;
}

/* Ignores the writer. */
static void recorder_close(struct capture *c)
{
	ring_session_init(&c->session);
	c->watch = -1;
	capture_free(c);
	unlinkat(recorder_session.folder.fd, RING_NAME, 0);
}

#endif
