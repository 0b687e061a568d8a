/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the regions between signposts, by the words in their names: see region.h. */
#include "perf/region.h"

#include "base/buf.h"
#include "perf/report.h"

#include <ctype.h>
#include <string.h>

enum role {
	ROLE_NONE,
	ROLE_START,
	ROLE_END,
};

/* Words that mark a signpost as start or end of a region; the rest of its name is the region's. */
static const struct {
	const char *word;
	enum role role;
} role_words[] = {
	{"start", ROLE_START},   {"started", ROLE_START},   {"starting", ROLE_START},
	{"starts", ROLE_START},  {"begin", ROLE_START},     {"begins", ROLE_START},
	{"began", ROLE_START},   {"beginning", ROLE_START}, {"enter", ROLE_START},
	{"entered", ROLE_START}, {"end", ROLE_END},         {"ended", ROLE_END},
	{"ending", ROLE_END},    {"ends", ROLE_END},        {"stop", ROLE_END},
	{"stopped", ROLE_END},   {"stops", ROLE_END},       {"finish", ROLE_END},
	{"finished", ROLE_END},  {"finishes", ROLE_END},    {"done", ROLE_END},
	{"complete", ROLE_END},  {"completed", ROLE_END},   {"exit", ROLE_END},
	{"exited", ROLE_END},    {"leave", ROLE_END},       {"left", ROLE_END},
};

/* One signpost. STEM: its words in lower case, separated by blanks, without that of its role. */
struct post {
	const char *name;
	size_t place;
	char *stem;
	enum role role;
	size_t partner; /* the post at the other end of its region; SIZE_MAX: none */
};

#define PAIR_WORK 20000000u /* comparisons; beyond that signposts stay without a partner */

struct posts {
	VEC(struct post);
	uint32_t work;
};

static enum role word_role(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(role_words) / sizeof(role_words[0]); i++)
		if (strlen(role_words[i].word) == len && !memcmp(role_words[i].word, word, len))
			return role_words[i].role;
	return ROLE_NONE;
}

/* Removes the last word with a role from WORDS: "end to end start" is the start of "end to end". */
static enum role words_role(struct buf *words)
{
	size_t end = words->len;

	while (end) {
		size_t from = end;
		enum role role;

		while (from && words->data[from - 1] != ' ')
			from--;
		role = word_role(words->data + from, end - from);
		if (role != ROLE_NONE) {
			size_t after = end < words->len ? end + 1 : end;

			memmove(words->data + from, words->data + after, words->len - after);
			words->len -= after - from;
			while (words->len && words->data[words->len - 1] == ' ')
				words->len--;
			return role;
		}
		end = from ? from - 1 : 0;
	}
	return ROLE_NONE;
}

static int post_add(struct posts *posts, const char *name, size_t place)
{
	struct buf words = BUF_INIT;
	struct post post = {.name = name, .place = place, .partner = SIZE_MAX};

	/* "prefillStart_2" gives "prefill start 2". */
	for (const char *p = name; *p; p++) {
		unsigned char c = (unsigned char)*p;
		bool hump = p > name && isupper(c) && islower((unsigned char)p[-1]);

		if ((hump || !(isalnum(c) || c >= 0x80)) && words.len &&
		    words.data[words.len - 1] != ' ')
			buf_addc(&words, ' ');
		if (isalnum(c) || c >= 0x80)
			buf_addc(&words, (char)tolower(c));
	}
	while (words.len && words.data[words.len - 1] == ' ')
		words.len--;
	post.role = words_role(&words);
	buf_addc(&words, 0);
	post.stem = buf_detach(&words);
	if (!post.stem)
		return TACHO_ENOMEM;
	if (vec_push(posts, post) < 0) {
		free(post.stem);
		return TACHO_ENOMEM;
	}
	return 0;
}

/* True if A is a prefix of B, in whole words: "oftnet" is one of "oftnet module". */
static bool stem_begins(const char *a, const char *b)
{
	size_t n = strlen(a);

	return n && !strncmp(a, b, n) && (b[n] == 0 || b[n] == ' ');
}

static bool stems_match(const struct post *start, const struct post *end, bool exact)
{
	if (exact)
		return start->role != ROLE_END && !strcmp(start->stem, end->stem);
	return start->role == ROLE_START &&
	       (stem_begins(end->stem, start->stem) || stem_begins(start->stem, end->stem));
}

/* Matches each end with its latest start that has no end yet. */
static void posts_pair(struct posts *posts)
{
	for (int exact = 1; exact >= 0; exact--) {
		for (size_t i = 0; i < posts->n; i++) {
			struct post *end = &posts->v[i];

			if (end->role != ROLE_END || end->partner != SIZE_MAX)
				continue;
			for (size_t k = i; k-- > 0 && posts->work < PAIR_WORK; posts->work++) {
				struct post *start = &posts->v[k];

				if (start->partner != SIZE_MAX || !stems_match(start, end, exact))
					continue;
				start->partner = i;
				end->partner = k;
				break;
			}
		}
	}
}

/* Running counts over the order, so that a region's figures need two look-ups. */
struct sums {
	uint32_t *ops, *measured;
	double *time;
};

static int region_sums_make(struct sums *s, const struct perf_input *in,
			    const struct perf_order *order)
{
	s->ops = malloc((order->n + 1) * sizeof(*s->ops));
	s->measured = malloc((order->n + 1) * sizeof(*s->measured));
	s->time = malloc((order->n + 1) * sizeof(*s->time));
	if (!s->ops || !s->measured || !s->time)
		return TACHO_ENOMEM;
	s->ops[0] = s->measured[0] = 0;
	s->time[0] = 0;
	for (size_t i = 0; i < order->n; i++) {
		const struct perf_row *row = &in->rows.v[order->v[i]];
		bool op = row->type != TYPE_SIGNPOST, measured = op && row->duration > 0;

		s->ops[i + 1] = s->ops[i] + op;
		s->measured[i + 1] = s->measured[i] + measured;
		s->time[i + 1] = s->time[i] + (measured ? row->duration / 1000 : 0);
	}
	return 0;
}

/*
 * The same name twice is a pair if nothing was measured between the second and the next signpost;
 * otherwise both are starts, for example of a warm-up and of the run.
 */
static void posts_pair_twins(struct posts *posts, const struct sums *s, size_t end)
{
	for (size_t i = 1; i < posts->n; i++) {
		struct post *second = &posts->v[i];
		size_t next = i + 1 < posts->n ? posts->v[i + 1].place : end;

		if (second->role != ROLE_NONE || second->partner != SIZE_MAX ||
		    s->measured[next] > s->measured[second->place])
			continue;
		for (size_t k = i; k-- > 0 && posts->work < PAIR_WORK; posts->work++) {
			if (posts->v[k].partner != SIZE_MAX ||
			    strcmp(posts->v[k].name, second->name))
				continue;
			posts->v[k].partner = i;
			second->partner = k;
			break;
		}
	}
}

static int regions_fill(struct perf_regions *regions, const struct posts *posts,
			const struct sums *s, size_t end)
{
	for (size_t i = 0; i < posts->n; i++) {
		const struct post *p = &posts->v[i];
		struct perf_region r = {.name = p->name, .from = p->place, .to = end};

		if (p->partner != SIZE_MAX && p->partner < i)
			continue;
		if (p->partner != SIZE_MAX) {
			r.end_name = posts->v[p->partner].name;
			r.to = posts->v[p->partner].place;
		}
		r.leftover = !r.end_name && p->role == ROLE_END;
		r.ops = s->ops[r.to] - s->ops[r.from];
		r.measured = s->measured[r.to] - s->measured[r.from];
		r.time = s->time[r.to] - s->time[r.from];
		if (vec_push(regions, r) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

int perf_regions_find(struct perf_regions *regions, const struct perf_input *in,
		      const struct perf_order *order)
{
	struct posts posts = {0};
	struct sums sums = {0};
	int r = region_sums_make(&sums, in, order);

	for (size_t i = 0; i < order->n && r == 0; i++) {
		const struct perf_row *row = &in->rows.v[order->v[i]];

		if (row->type == TYPE_SIGNPOST)
			r = post_add(&posts, in->kinds.v[row->kind].op_code, i);
	}
	if (r == 0) {
		posts_pair(&posts);
		posts_pair_twins(&posts, &sums, order->n);
		r = regions_fill(regions, &posts, &sums, order->n);
	}
	for (size_t i = 0; i < posts.n; i++)
		free(posts.v[i].stem);
	vec_free(&posts);
	free(sums.ops);
	free(sums.measured);
	free(sums.time);
	return r;
}

/* Rank of a region for a report: measured ops, any ops, and within each, leftovers of an end last.
 */
static int region_rank(const struct perf_region *r)
{
	if (!r->ops)
		return 0;
	return (r->measured ? 3 : 1) + !r->leftover;
}

const struct perf_region *perf_region_choose(const struct perf_regions *regions, const char *name)
{
	const struct perf_region *best = NULL;

	for (size_t i = 0; i < regions->n; i++) {
		const struct perf_region *r = &regions->v[i];
		size_t last = r->end_name ? r->to : r->from;
		int rank = region_rank(r);

		if ((name && strcmp(r->name, name)) || !rank)
			continue;
		if (!best || rank > region_rank(best) ||
		    (rank == region_rank(best) && last >= (best->end_name ? best->to : best->from)))
			best = r;
	}
	return best;
}
