/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that move into an unnamed file when they get large. */
#include "view/spill_array.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Allocates disk space now, so that a full disk is an error here and not a signal when a page is
 * written. Growing by half limits the waste.
 */
static int file_grow(struct spill *s, size_t room)
{
	void *data;

	if (posix_fallocate(fileno(s->file), 0, (off_t)room))
		return TACHO_ENOMEM;
	data = s->room ? mremap(s->data, s->room, room, MREMAP_MAYMOVE)
		       : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(s->file), 0);
	if (data == MAP_FAILED)
		return TACHO_ENOMEM;
	s->data = data;
	s->room = room;
	return 0;
}

/* Number of open files: connections need descriptors too. */
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned files;

static FILE *spill_array_file_open(void)
{
	FILE *file = NULL;

	pthread_mutex_lock(&files_lock);
	if (files < SPILL_FILES)
		file = tmpfile();
	files += file != NULL;
	pthread_mutex_unlock(&files_lock);
	return file;
}

static void file_close(FILE *file)
{
	fclose(file);
	pthread_mutex_lock(&files_lock);
	files--;
	pthread_mutex_unlock(&files_lock);
}

/* From memory into a file. */
static int spill_move(struct spill *s, size_t room)
{
	struct spill to = {.file = spill_array_file_open()};

	if (!to.file)
		return TACHO_ENOMEM;
	if (file_grow(&to, room) < 0) {
		file_close(to.file);
		return TACHO_ENOMEM;
	}
	memcpy(to.data, s->data, s->room);
	free(s->data);
	*s = to;
	return 0;
}

int spill_grow(struct spill *s, void **v, size_t bytes)
{
	size_t room = s->room + s->room / 2;
	void *data;
	int r = 0;

	room = ((room > bytes ? room : bytes) + 4095) & ~(size_t)4095;
	if (s->file) {
		r = file_grow(s, room);
	} else if (room <= SPILL_FROM || spill_move(s, room) < 0) {
		/* Falls back to memory if there is no file. */
		data = realloc(s->data, room);
		if (!data)
			return TACHO_ENOMEM;
		s->data = data;
		s->room = room;
	}
	*v = s->data;
	return r;
}

size_t spill_memory(const struct spill *s)
{
	return s->file ? 0 : s->room;
}

void spill_rest(const struct spill *s)
{
	if (s->file)
		madvise(s->data, s->room, MADV_DONTNEED);
}

void spill_close(struct spill *s)
{
	if (s->file) {
		munmap(s->data, s->room);
		file_close(s->file);
	} else {
		free(s->data);
	}
	*s = (struct spill){0};
}
