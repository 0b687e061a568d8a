/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's side of place.h: choose the folder of a new session, list the others. */
#include "ring/ring.h"

#include <sys/statvfs.h>

/*
 * Only the user can access $XDG_RUNTIME_DIR, but it is usually small (a tenth of the memory) and a
 * desktop fails when it is full. Rings are large: they go there only if there is this much room,
 * four times the default limit of one process. /dev/shm has half of the memory.
 */
#define ENOUGH_BYTES (2ull << 30)

unsigned ring_places_open(struct ring_place places[RING_PLACES])
{
	unsigned n = 0;

	for (unsigned i = 0; i < RING_PLACES; i++) {
		places[n].fd = ring_place_at((enum ring_where)i, false, places[n].path);
		n += places[n].fd >= 0;
	}
	return n;
}

void ring_places_close(struct ring_place *places, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		close(places[i].fd);
}

static uint64_t free_bytes(int fd)
{
	struct statvfs st;

	if (fstatvfs(fd, &st) < 0)
		return 0;
	return st.f_blocks ? (uint64_t)st.f_bavail * st.f_frsize : UINT64_MAX; /* tmpfs, size=0 */
}

int ring_place_for_session(struct ring_place *place, char *note, size_t size,
			   struct tacho_error *err)
{
	struct ring_place next;
	struct stat st;
	int error = 0;

	place->fd = -1;
	note[0] = 0;
	for (unsigned i = 0; i < RING_PLACES; i++) {
		next.fd = ring_place_at((enum ring_where)i, true, next.path);
		if (next.fd >= 0) {
			uint64_t has = place->fd < 0 ? 0 : free_bytes(place->fd);

			/* The first place with enough room, else the one with the most. */
			if (place->fd < 0 || (has < ENOUGH_BYTES && free_bytes(next.fd) > has)) {
				if (place->fd >= 0)
					close(place->fd);
				*place = next;
			} else {
				close(next.fd);
			}
			continue;
		}
		if (i != RING_SHARED)
			continue;
		error = errno;
		/* Another user has the name: worth a note. */
		if (lstat(next.path, &st) == 0)
			snprintf(note, size, "%s %s", next.path,
				 st.st_uid == geteuid() ? "is not a folder of this user alone"
							: "belongs to another user");
	}
	if (place->fd >= 0) {
		if (strncmp(place->path, RING_PLACE_FOLDER "/", sizeof(RING_PLACE_FOLDER)))
			note[0] = 0; /* the session goes elsewhere anyway */
		return 0;
	}
	errno = error;
	return err_errno(err, TACHO_EWRITE,
			 "no place for a session: cannot make a folder in " RING_PLACE_FOLDER
			 ", -s names another");
}
