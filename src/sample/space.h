/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces: the mapped modules of each sampled process. */
#ifndef SAMPLE_SPACE_H
#define SAMPLE_SPACE_H

#include "sample/module.h"

struct mapping {
	uint64_t start, end, offset; /* offset: of start in the file */
	struct module *module;
};

struct space {
	pid_t pid;
	uint32_t generation; /* changes whenever the mappings change */
	struct {
		VEC(struct mapping);
	} mappings; /* by start; they do not overlap */
};

/* Adds a mapping, replacing what it overlaps. */
int space_map(struct space *s, const struct mapping *m);
/* NULL: no executable mapping is known there. */
const struct mapping *space_find(const struct space *s, uint64_t address);
int space_copy(struct space *to, const struct space *from);
void space_clear(struct space *s);

#endif
