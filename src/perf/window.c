/* The order of the rows in time, and the part of them that is asked for. */
#include "perf/report.h"

#include <string.h>

static int compare_whole(const void *a, const void *b, void *arg)
{
	const struct perf_row *rows = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (rows[i].start != rows[k].start)
		return rows[i].start < rows[k].start ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* As above, with the resolution of a double: what a column with a blank or a fraction in it has. */
static int compare_real(const void *a, const void *b, void *arg)
{
	const struct perf_row *rows = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if ((double)rows[i].start != (double)rows[k].start)
		return (double)rows[i].start < (double)rows[k].start ? -1 : 1;
	return i < k ? -1 : i > k;
}

static int sort_by_time(struct perf_order *order, const struct perf_input *in,
			const struct perf_options *options, struct perf_notes *notes)
{
	int (*compare)(const void *, const void *, void *) =
		in->start_real ? compare_real : compare_whole;

	if (vec_reserve(order, in->rows.n ? in->rows.n : 1) < 0)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < in->rows.n; i++)
		order->v[order->n++] = (uint32_t)i;
	if (options->tracing_mode)
		perf_note(notes, NOTE_INFO, "Tracing mode: the rows stay in the order of the file");
	else if (!in->has_start_column)
		perf_note(notes, NOTE_INFO,
			  "No column 'HOST START TS': the rows stay in the order of the file");
	else {
		for (size_t i = 1; i < order->n; i++) {
			if (compare(&order->v[i - 1], &order->v[i], in->rows.v) <= 0)
				continue;
			qsort_r(order->v, order->n, sizeof(*order->v), compare, in->rows.v);
			break;
		}
		perf_note(notes, NOTE_INFO, "Rows are in the order of 'HOST START TS'");
	}
	return 0;
}

static const char *name_of(const struct perf_input *in, uint32_t row)
{
	return in->kinds.v[in->rows.v[row].kind].op_code;
}

/* The Nth signpost (from 1) of that name in time; -1 if there are fewer. *COUNT gets how many. */
static int64_t find_signpost(const struct perf_order *order, const struct perf_input *in,
			     const char *name, int nth, int *count)
{
	int64_t found = -1;

	*count = 0;
	for (size_t i = 0; i < order->n; i++) {
		uint32_t row = order->v[i];

		if (in->rows.v[row].type == TYPE_SIGNPOST && !strcmp(name_of(in, row), name) &&
		    ++*count == nth)
			found = row;
	}
	return found;
}

/* What is kept: records with FIRST < index < LAST. */
struct limits {
	int64_t first, last;
	bool any;
};

static void find_start(struct limits *l, const struct perf_order *order,
		       const struct perf_input *in, const char *name, struct perf_notes *notes)
{
	int count;
	int64_t at = find_signpost(order, in, name, 1, &count);

	if (at < 0) {
		perf_note(notes, NOTE_WARNING, "no signpost '%s' to start at", name);
		return;
	}
	l->first = at;
	l->any = true;
	perf_note(notes, NOTE_INFO, "From signpost '%s' on", name);
}

/* When both ends have the same name, the second of that name ends the window. */
static void find_end(struct limits *l, const struct perf_order *order, const struct perf_input *in,
		     const char *name, bool second, struct perf_notes *notes)
{
	int count;
	int64_t at = find_signpost(order, in, name, second ? 2 : 1, &count);

	if (at < 0) {
		perf_note(notes, NOTE_WARNING,
			  second && count ? "only one signpost '%s': no end"
					  : "no signpost '%s' to end at",
			  name);
		return;
	}
	l->last = at;
	l->any = true;
	perf_note(notes, NOTE_INFO, "Until signpost '%s'%s", name,
		  !second     ? ""
		  : count > 2 ? ", the second of several"
			      : ", the second one");
}

/*
 * Without a word from the user the last section counts: from the first row in time that has the
 * name of the last signpost. With repeated names that is not the last section but the first of
 * that name, which is what the tool we agree with does.
 */
static size_t last_section(const struct perf_order *order, const struct perf_input *in,
			   struct perf_notes *notes)
{
	const char *last = NULL;
	int names = 0;

	for (size_t i = 0; i < order->n; i++) {
		if (in->rows.v[order->v[i]].type == TYPE_SIGNPOST) {
			last = name_of(in, order->v[i]);
			names++;
		}
	}
	perf_note(notes, NOTE_INFO, "From the last of %d signposts on: '%s'", names, last);
	for (size_t i = 0; i < order->n; i++)
		if (!strcmp(name_of(in, order->v[i]), last))
			return i + 1;
	return 0;
}

/* Programs often end with a signpost: which one has ops after it? */
static void note_empty(const struct perf_order *order, const struct perf_input *in,
		       struct perf_notes *notes)
{
	const char *name = NULL, *busy = NULL;
	bool ops = false;

	for (size_t i = 0; i < order->n; i++) {
		if (in->rows.v[order->v[i]].type == TYPE_SIGNPOST) {
			name = name_of(in, order->v[i]);
		} else {
			ops = true;
			busy = name;
		}
	}
	if (busy)
		perf_note(
			notes, NOTE_WARNING,
			"no op follows that signpost: try --start-signpost='%s' or --ignore-signposts",
			busy);
	else if (ops)
		perf_note(notes, NOTE_WARNING,
			  "no op follows that signpost: try --ignore-signposts");
}

static bool given(const char *name)
{
	return name && *name;
}

static void keep(struct perf_order *order, const struct perf_input *in, size_t from,
		 const struct limits *l, bool signposts)
{
	size_t n = 0;

	for (size_t i = from; i < order->n; i++) {
		uint32_t row = order->v[i];

		if (row > l->first && row < l->last &&
		    (signposts || in->rows.v[row].type != TYPE_SIGNPOST))
			order->v[n++] = row;
	}
	order->n = n;
}

int perf_window(struct perf_order *order, const struct perf_input *in, const struct perf_options *o,
		struct perf_notes *notes)
{
	struct limits l = {-1, INT64_MAX, false};
	bool any = false;
	size_t from = 0;

	if (sort_by_time(order, in, o, notes) < 0)
		return TACHO_ENOMEM;
	if (o->ignore_signposts) {
		perf_note(notes, NOTE_INFO, "The whole file, whatever its signposts");
		return 0;
	}
	for (size_t i = 0; i < order->n && !any; i++)
		any = in->rows.v[i].type == TYPE_SIGNPOST;
	if (!any) {
		perf_note(notes, NOTE_INFO, "No signposts: the whole file");
		return 0;
	}
	if (given(o->start_signpost))
		find_start(&l, order, in, o->start_signpost, notes);
	if (given(o->end_signpost))
		find_end(&l, order, in, o->end_signpost,
			 given(o->start_signpost) && !strcmp(o->start_signpost, o->end_signpost),
			 notes);
	if (!l.any) {
		from = last_section(order, in, notes);
		if (from == order->n)
			note_empty(order, in, notes);
	}
	keep(order, in, from, &l, o->print_signposts);
	return 0;
}
