/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of cached files, shared by several processes. Using a file updates its modification
 * time; trimming removes the least recently used ones.
 */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct cache_kind {
	/* True if it is one of these files by its NAME. *WHOLE: false if it was never completed. */
	bool (*is_ours)(const char *name, bool *whole);
	uint64_t bytes; /* of all; those that were used last stay */
};

/* The file at PATH is used now. Cheap when that was said today. */
void cache_touch(const char *path);

/* Removes what nobody has used for a month, what was never completed, and what is too much, but not
 * the file KEEP (NULL: none). Files of other users and of other names are left alone. */
void cache_trim(const char *folder, const struct cache_kind *kind, const char *keep);

#endif
