/*
 * Private: sums of each of the tracks of a kind, made by one pass over the rows of all of them. For
 * tables of more tracks than can be kept one by one: to read each alone would read most of the
 * blocks again and again.
 */
#ifndef WEB_FIGURES_H
#define WEB_FIGURES_H

#include "web/kept.h"

#define FIGURES_FROM 64u /* tracks */

struct figures;

struct figures_kind {
	struct kept_kind kept; /* FIGURES_KEPT */
	uint32_t tracks;       /* of which kind */
	bool before;           /* rows before the range are taken, too */
	size_t size;           /* of the sums of a track, which begin as zeros */
	int (*take)(const struct figures *f, void *sums, const struct trace_row *row);
	void (*clear)(void *sums); /* or NULL */
};

struct figures {
	struct kept kept;
	const struct figures_kind *kind;
	uint8_t *sums; /* by track */
	uint32_t tracks;
	uint64_t t0;   /* the range begins there */
	bool of_range; /* the caller's, not kept */
};

/* Are there so many tracks of this kind? */
bool figures_wanted(const struct web_call *c, uint32_t tracks);

/*
 * Of all rows if t0 is 0 and t1 UINT64_MAX, which are kept and read on, else of those in [t0, t1).
 * figures_put() after use. TACHO_ENO: the client has gone.
 */
int figures_of(struct web_call *c, const struct figures_kind *kind, uint64_t t0, uint64_t t1,
	       struct figures **f);
/* The sums of a track; NULL: it has no rows. */
const void *figures_at(const struct figures *f, uint32_t track);
void figures_put(struct figures *f);

/* For the tables of kinds: FIGURES_KEPT. */
struct kept *figures_make(const struct kept_kind *kind);
int figures_take(struct kept *k, const struct trace_row *row);
size_t figures_memory(const struct kept *k);
void figures_rest(struct kept *k, bool last);
void figures_free(struct kept *k);

#define FIGURES_KEPT                                                                   \
	{                                                                              \
		figures_make, figures_take, figures_memory, figures_rest, figures_free \
	}

#endif
