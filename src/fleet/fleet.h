/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several recordings of one job on one clock. Recordings with one boot id share the tick clock of
 * their host; hosts are aligned by collectives (align.h), or by their real-time clocks.
 */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fleet_method {
	FLEET_REFERENCE,
	FLEET_COLLECTIVES,
	FLEET_REALTIME,
	FLEET_OFFSET, /* given by the user */
	FLEET_METHODS,
};

enum fleet_align { FLEET_ALIGN_AUTO, FLEET_ALIGN_COLLECTIVES, FLEET_ALIGN_REALTIME };

struct fleet_offset {
	int64_t rank;
	double ns; /* added to the times of its host */
};

struct fleet_options {
	int align;           /* enum fleet_align */
	int64_t reference;   /* rank of the reference; -1: the lowest */
	const char *markers; /* names of zones that are collectives; NULL: the usual ones */
	const struct fleet_offset *offsets;
	size_t offset_count;
	bool force; /* replace an existing file */
};

/* How a host was placed. Strings live as long as the result. */
struct fleet_host {
	char *name;
	char *ranks;                                  /* "0 1" */
	double offset_ns, drift, bound_ns, spread_ns; /* to the reference; bound NaN: unknown */
	enum fleet_method method;
	size_t collectives, unmatched;
	size_t windows;    /* 1: one line */
	char trouble[200]; /* why collectives could not place it; "": they could */
};

struct fleet_result {
	struct fleet_host *hosts;
	size_t host_count, sources;
	uint64_t zones;
	double span_ns;
	double worst_bound_ns; /* of hosts with a known bound */
};

extern const char fleet_markers[]; /* the usual names of collectives: a regular expression */

/* The last path component "rank<N>"; -1: none. */
int64_t fleet_path_rank(const char *path);

/*
 * Merges the recordings PATHS (.tacho, .tracy) into a new trace. The result is filled on success;
 * the caller frees it. A host that contradicts itself is placed by real time, with .trouble.
 */
int fleet_merge(const char *const *paths, size_t count, const char *output,
		const struct fleet_options *options, struct fleet_result *result,
		struct tacho_error *err);
void fleet_result_free(struct fleet_result *result);

#endif
