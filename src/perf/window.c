/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts the rows by time and selects the requested part. Each file is sorted and cut separately:
 * the clocks of two hosts are unrelated.
 */
#include "base/buf.h"
#include "perf/report.h"

#include <math.h>
#include <string.h>

static int compare_whole(const void *a, const void *b, void *arg)
{
	const struct perf_row *rows = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (rows[i].start != rows[k].start)
		return rows[i].start < rows[k].start ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* The same with the resolution of a double, for a column that has a blank or a fraction. */
static int compare_real(const void *a, const void *b, void *arg)
{
	const struct perf_row *rows = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if ((double)rows[i].start != (double)rows[k].start)
		return (double)rows[i].start < (double)rows[k].start ? -1 : 1;
	return i < k ? -1 : i > k;
}

static bool sorts_by_time(const struct perf_input *in, const struct perf_options *options)
{
	return in->has_start_column && !options->tracing_mode;
}

/*
 * The rows of a file in time. A report lists replays where they ran, but with the host's time of
 * their capture: if all other rows are in time, so is the file. The other models sort them too.
 */
static int sort_file(struct perf_order *order, const struct perf_input *in,
		     const struct perf_file *file, const struct perf_options *options)
{
	int (*compare)(const void *, const void *, void *) =
		in->start_real ? compare_real : compare_whole;
	const uint32_t *last = NULL;

	if (vec_reserve(order, file->end - file->first + 1) < 0)
		return TACHO_ENOMEM;
	order->n = 0;
	for (uint32_t i = file->first; i < file->end; i++)
		if (in->rows.v[i].type != TYPE_NOTHING)
			order->v[order->n++] = i;
	for (size_t i = 0; i < order->n && sorts_by_time(in, options); i++) {
		uint32_t *row = &order->v[i];

		if (options->model == PERF_MODEL_TACHO &&
		    in->rows.v[*row].session != PERF_NO_DEVICE)
			continue;
		if (last && compare(last, row, in->rows.v) > 0) {
			qsort_r(order->v, order->n, sizeof(*order->v), compare, in->rows.v);
			break;
		}
		last = row;
	}
	return 0;
}

static const char *name_of(const struct perf_input *in, uint32_t row)
{
	return in->kinds.v[in->rows.v[row].kind].op_code;
}

/* The window of one file. */
struct section {
	const struct perf_input *in;
	const struct perf_options *options;
	struct perf_notes *notes;
	const char *path, *colon;  /* prefix of notes if there are several files; else blank */
	struct perf_order order;   /* its rows in time */
	int64_t first, last;       /* selected are rows with FIRST < row < LAST */
	size_t from, to;           /* and of those, the ones at these indexes of the order */
	bool limited;              /* a requested signpost was found */
	struct perf_region region; /* the selected region, if any */
};

static bool is_signpost(const struct section *s, size_t i)
{
	return s->in->rows.v[s->order.v[i]].type == TYPE_SIGNPOST;
}

/*
 * The Nth signpost (from 1) of that name in time; -1 if there are fewer. *COUNT gets their number.
 */
static int64_t find_signpost(const struct section *s, const char *name, int nth, int *count)
{
	int64_t found = -1;

	*count = 0;
	for (size_t i = 0; i < s->order.n; i++)
		if (is_signpost(s, i) && !strcmp(name_of(s->in, s->order.v[i]), name) &&
		    ++*count == nth)
			found = s->order.v[i];
	return found;
}

static void find_start(struct section *s, const char *name)
{
	int count;
	int64_t at = find_signpost(s, name, 1, &count);

	if (at < 0) {
		perf_note(s->notes, NOTE_WARNING, "%s%sno signpost '%s' to start at", s->path,
			  s->colon, name);
		return;
	}
	s->first = at;
	s->limited = true;
	perf_note(s->notes, NOTE_INFO, "%s%sFrom signpost '%s' on", s->path, s->colon, name);
}

/* If both ends have the same name, the second signpost of that name ends the window. */
static void find_end(struct section *s, const char *name, bool second)
{
	int count;
	int64_t at = find_signpost(s, name, second ? 2 : 1, &count);

	if (at < 0) {
		perf_note(s->notes, NOTE_WARNING,
			  second && count ? "%s%sonly one signpost '%s': no end"
					  : "%s%sno signpost '%s' to end at",
			  s->path, s->colon, name);
		return;
	}
	s->last = at;
	s->limited = true;
	perf_note(s->notes, NOTE_INFO, "%s%sUntil signpost '%s'%s", s->path, s->colon, name,
		  !second     ? ""
		  : count > 2 ? ", the second of several"
			      : ", the second one");
}

/* Programs often end with a signpost: suggest one that has ops after it. */
static void note_empty(const struct section *s)
{
	const char *name = NULL, *busy = NULL;
	bool ops = false;

	for (size_t i = 0; i < s->order.n; i++) {
		if (is_signpost(s, i)) {
			name = name_of(s->in, s->order.v[i]);
		} else {
			ops = true;
			busy = name;
		}
	}
	if (busy)
		perf_note(
			s->notes, NOTE_WARNING,
			"%s%sno op follows that signpost: try --start-signpost='%s' or --ignore-signposts",
			s->path, s->colon, busy);
	else if (ops)
		perf_note(s->notes, NOTE_WARNING,
			  "%s%sno op follows that signpost: try --ignore-signposts", s->path,
			  s->colon);
}

static bool window_given(const char *name)
{
	return name && *name;
}

/* ". Others: a, b and 3 more (--list-signposts)", each name once. */
static void others_add(struct buf *out, const struct perf_regions *regions,
		       const struct perf_region *chosen)
{
	enum { SHOWN = 4 };
	const char *shown[SHOWN + 1] = {chosen ? chosen->name : ""};
	size_t n = 0, more = 0;

	for (size_t i = 0; i < regions->n; i++) {
		const char *name = regions->v[i].name;
		bool seen = !regions->v[i].ops;

		for (size_t k = 0; k <= n && !seen; k++)
			seen = !strcmp(shown[k], name);
		if (seen)
			continue;
		if (n == SHOWN) {
			more++;
			continue;
		}
		buf_addf(out, "%s'%s'", n ? ", " : ". Others: ", name);
		shown[++n] = name;
	}
	if (more)
		buf_addf(out, " and %zu more", more);
	if (n)
		buf_adds(out, " (--list-signposts)");
}

/* The requested region, or the last one that was measured: see region.h. */
static int find_region(struct section *s)
{
	struct perf_regions regions = {0};
	const char *name = window_given(s->options->signpost) ? s->options->signpost : NULL;
	const struct perf_region *r;
	int code = perf_regions_find(&regions, s->in, &s->order);
	struct buf others = BUF_INIT;

	if (code < 0) {
		vec_free(&regions);
		return code;
	}
	r = perf_region_choose(&regions, name);
	if (!r && name) {
		perf_note(s->notes, NOTE_WARNING, "%s%sno signpost '%s' with ops after it", s->path,
			  s->colon, name);
		r = perf_region_choose(&regions, NULL);
	}
	others_add(&others, &regions, r);
	if (!r)
		perf_note(s->notes, NOTE_INFO, "%s%sNo op follows a signpost: the whole file%s",
			  s->path, s->colon, others.failed || !others.data ? "" : others.data);
	else
		perf_note(s->notes, NOTE_INFO, "%s%sRegion: from '%s' to %s%s%s, %u op%s%s",
			  s->path, s->colon, r->name, r->end_name ? "'" : "the end",
			  r->end_name ? r->end_name : "", r->end_name ? "'" : "", r->ops,
			  r->ops == 1 ? "" : "s", others.failed || !others.data ? "" : others.data);
	buf_free(&others);
	if (r) {
		s->from = r->from + 1;
		s->to = r->to;
		s->region = *r;
	}
	vec_free(&regions);
	return 0;
}

static int find_window(struct section *s)
{
	const struct perf_options *o = s->options;
	bool ours = o->model == PERF_MODEL_TACHO;
	const char *start = !ours && window_given(o->signpost) ? o->signpost : o->start_signpost;
	const char *last;
	int names;

	if (window_given(start))
		find_start(s, start);
	if (window_given(o->end_signpost))
		find_end(s, o->end_signpost,
			 window_given(start) && !strcmp(start, o->end_signpost));
	if (s->limited)
		return 0;
	if (ours)
		return find_region(s);
	/*
	 * By default the last section counts: from the first row in time that has the name of the
	 * last signpost. With repeated names that is not the last section but the first of that
	 * name, as in release 1.2.4.
	 */
	last = NULL;
	names = 0;
	for (size_t i = 0; i < s->order.n; i++) {
		if (is_signpost(s, i)) {
			last = name_of(s->in, s->order.v[i]);
			names++;
		}
	}
	perf_note(s->notes, NOTE_INFO, "%s%sFrom the last of %d signposts on: '%s'", s->path,
		  s->colon, names, last);
	while (strcmp(name_of(s->in, s->order.v[s->from++]), last))
		;
	if (s->from == s->order.n)
		note_empty(s);
	return 0;
}

/* Appends the rows of the window to ORDER. */
static int keep_window(const struct section *s, struct perf_order *order, bool signposts)
{
	if (vec_reserve(order, order->n + s->order.n + 1) < 0)
		return TACHO_ENOMEM;
	for (size_t i = s->from; i < s->to; i++) {
		uint32_t row = s->order.v[i];

		if (row > s->first && row < s->last && (signposts || !is_signpost(s, i)))
			order->v[order->n++] = row;
	}
	return 0;
}

static bool has_signposts(const struct perf_input *in, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (in->rows.v[i].type == TYPE_SIGNPOST)
			return true;
	return false;
}

/* ANY: some file has signposts, and they count. */
static int add_file(struct perf_order *order, const struct perf_input *in,
		    const struct perf_file *file, const struct perf_options *o, bool any,
		    struct perf_notes *notes, struct perf_region *region)
{
	bool several = *file->path;
	bool here = any && has_signposts(in, file->first, file->end);
	struct section s = {.in = in,
			    .options = o,
			    .notes = notes,
			    .path = several ? file->path : "",
			    .colon = several ? ": " : "",
			    .first = -1,
			    .last = INT64_MAX};
	int r = sort_file(&s.order, in, file, o);

	s.to = s.order.n;
	if (r == 0 && here)
		r = find_window(&s);
	else if (r == 0 && any)
		perf_note(notes, NOTE_WARNING,
			  "%s: no signposts, unlike other files: the whole file counts",
			  file->path);
	if (r == 0)
		r = keep_window(&s, order, !here || o->print_signposts);
	if (file->first == 0)
		*region = s.region;
	vec_free(&s.order);
	return r;
}

/* Time since row FROM by the clock of their host; rows without a time come last. */
static double window_since(const struct perf_input *in, uint32_t from, uint32_t row)
{
	int64_t start = in->rows.v[row].start, zero = in->rows.v[from].start;

	if (start == PERF_NO_START || zero == PERF_NO_START)
		return INFINITY;
	return in->start_real ? (double)start - (double)zero
			      : (double)((__int128)start - (__int128)zero);
}

/*
 * Merges the rows of several files by time: each file counts time from its own first row, so that
 * the result does not depend on how the hosts' clocks are set.
 */
static int order_interleave(struct perf_order *order, const struct perf_input *in)
{
	struct {
		size_t at, end;
		uint32_t first;
		double reached; /* a replay has an earlier time than the rows before it */
	} *queue = calloc(in->files.n, sizeof(*queue));
	struct perf_order out = {0};
	size_t i = 0;

	if (!queue || vec_reserve(&out, order->n + 1) < 0) {
		free(queue);
		return TACHO_ENOMEM;
	}
	for (size_t f = 0; f < in->files.n; f++) {
		queue[f].at = i;
		queue[f].first = i < order->n ? order->v[i] : 0;
		while (i < order->n && order->v[i] < in->files.v[f].end)
			i++;
		queue[f].end = i;
	}
	while (out.n < order->n) {
		size_t next = in->files.n;
		double soonest = 0;

		for (size_t f = 0; f < in->files.n; f++) {
			double at;

			if (queue[f].at == queue[f].end)
				continue;
			at = fmax(queue[f].reached,
				  window_since(in, queue[f].first, order->v[queue[f].at]));
			if (next == in->files.n || at < soonest) {
				next = f;
				soonest = at;
			}
		}
		queue[next].reached = soonest;
		out.v[out.n++] = order->v[queue[next].at++];
	}
	free(queue);
	vec_free(order);
	*order = out;
	return 0;
}

int perf_file_regions(struct perf_regions *regions, const struct perf_input *in,
		      const struct perf_file *file, const struct perf_options *o)
{
	struct perf_order order = {0};
	int r = sort_file(&order, in, file, o);

	if (r == 0)
		r = perf_regions_find(regions, in, &order);
	vec_free(&order);
	return r;
}

int perf_window(struct perf_order *order, const struct perf_input *in, const struct perf_options *o,
		struct perf_notes *notes, struct perf_region *region)
{
	bool any = !o->ignore_signposts && has_signposts(in, 0, (uint32_t)in->rows.n);
	int r = 0;

	/* Release 1.2.4 treats all files as one, with one clock. */
	struct perf_file whole = {"", 0, (uint32_t)in->rows.n};
	bool together = o->model == PERF_MODEL_1_2_4 || in->files.n < 2;

	perf_note(notes, NOTE_INFO, "%s",
		  o->tracing_mode ? "Tracing mode: the rows stay in the order of the file"
		  : in->has_start_column
			  ? "Rows are in the order of 'HOST START TS'"
			  : "No column 'HOST START TS': the rows stay in the order of the file");
	if (o->ignore_signposts)
		perf_note(notes, NOTE_INFO, "The whole file, whatever its signposts");
	else if (!any)
		perf_note(notes, NOTE_INFO, "No signposts: the whole file");
	if (together)
		return add_file(order, in, &whole, o, any, notes, region);
	for (size_t f = 0; f < in->files.n && r == 0; f++)
		r = add_file(order, in, &in->files.v[f], o, any, notes, region);
	return r == 0 && sorts_by_time(in, o) ? order_interleave(order, in) : r;
}
