/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorder session for the fuzz targets, in its own temporary folder: the names of its files, and
 * the ring of one process.
 */
#ifndef FUZZ_SESSION_FILES_H
#define FUZZ_SESSION_FILES_H

#include "ring_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char fuzz_dir[] = "/dev/shm/tacho-fuzz.XXXXXX";
static char output[64], part[80], session[64], ring[80];

static void clean_up(void)
{
	unlink(output);
	unlink(part);
	rmdir(fuzz_dir);
}

static void make_names(void)
{
	if (output[0])
		return;
	if (!mkdtemp(fuzz_dir))
		abort();
	snprintf(output, sizeof(output), "%s/t.tacho", fuzz_dir);
	snprintf(part, sizeof(part), "%s.part", output);
	snprintf(session, sizeof(session), "%s/session", fuzz_dir);
	snprintf(ring, sizeof(ring), "%s/p.1.0", session);
	atexit(clean_up);
}

/* The recorder ignores rings of other sessions. */
static uint64_t session_key(void)
{
	char path[80];
	uint64_t key;
	int fd;

	snprintf(path, sizeof(path), "%s/control", session);
	fd = open(path, O_RDONLY);
	if (pread(fd, &key, sizeof(key), offsetof(struct ring_control, generation)) != sizeof(key))
		abort();
	close(fd);
	return key;
}

/* A sound ring overwritten by the input's bytes. */
static void put_ring(const uint8_t *data, size_t size)
{
	int fd = open(ring, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *image;

	if (fd < 0 || ftruncate(fd, IMAGE_SIZE) < 0)
		abort();
	image = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	image_fill(image); /* touching all pages of a new file would be most of the work */
	((struct ring_header *)image)->key = session_key();
	if (size)
		image_patch(image, data, size);
	munmap(image, IMAGE_SIZE);
}

#endif
