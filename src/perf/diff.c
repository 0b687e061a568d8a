/*
 * What changed between two reports. Ops are the same when they have the same name and sizes; the
 * first of them in one report is compared with the first in the other, and so on.
 */
#include "base/fmt.h"
#include "base/json.h"
#include "perf/output.h"

#include <math.h>
#include <string.h>

#define DEFAULT 20 /* lines of each list */

enum { BEFORE, AFTER, SIDES };

/* An op of one side, in the order of its label and then of the report. */
struct entry {
	const char *label;
	uint32_t op;
};

/* All ops of one label, or one pair of ops. */
struct change {
	const char *label;
	uint32_t op[SIDES]; /* the pair; UINT32_MAX: that side has none */
	uint64_t n[SIDES];
	double time[SIDES], gap[SIDES];
};

struct changes {
	VEC(struct change);
};

struct diff {
	const struct perf_report *r[SIDES];
	struct changes groups, pairs;
	struct perf_style style;
	int64_t top;
	struct buf *out;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = x->label == y->label ? 0 : strcmp(x->label, y->label);

	return order ? order : x->op < y->op ? -1 : x->op > y->op;
}

static struct entry *entries_of(const struct perf_report *r, size_t *n)
{
	struct entry *e = malloc((r->ops.n + 1) * sizeof(*e));

	*n = 0;
	for (size_t i = 0; e && i < r->ops.n; i++)
		if (r->ops.v[i].type != TYPE_SIGNPOST)
			e[(*n)++] =
				(struct entry){perf_op_kind(r, &r->ops.v[i])->label, (uint32_t)i};
	if (e)
		qsort(e, *n, sizeof(*e), compare_entries);
	return e;
}

static void add_side(struct change *c, const struct diff *d, int side, uint32_t index)
{
	const struct perf_op *op = &d->r[side]->ops.v[index];

	c->op[side] = index;
	c->n[side]++;
	c->time[side] += op->has & HAS_TIME ? op->time : 0;
	c->gap[side] += op->has & HAS_GAP ? op->gap : 0;
}

/* Walks both sorted lists at once: one label is one group, its ops are paired by their order. */
static int pair_up(struct diff *d, struct entry *e[SIDES], const size_t n[SIDES])
{
	size_t at[SIDES] = {0, 0};

	while (at[0] < n[0] || at[1] < n[1]) {
		int order = at[0] == n[0]   ? 1
			    : at[1] == n[1] ? -1
					    : strcmp(e[0][at[0]].label, e[1][at[1]].label);
		const char *label = order <= 0 ? e[0][at[0]].label : e[1][at[1]].label;
		struct change group = {.label = label, .op = {UINT32_MAX, UINT32_MAX}};
		bool more = true;

		while (more) {
			struct change pair = {.label = label, .op = {UINT32_MAX, UINT32_MAX}};

			more = false;
			for (int s = 0; s < SIDES; s++) {
				if (at[s] == n[s] || strcmp(e[s][at[s]].label, label))
					continue;
				add_side(&pair, d, s, e[s][at[s]].op);
				add_side(&group, d, s, e[s][at[s]].op);
				at[s]++;
				more = true;
			}
			if (more && vec_push(&d->pairs, pair) < 0)
				return TACHO_ENOMEM;
		}
		if (vec_push(&d->groups, group) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static double lost(const struct change *c)
{
	return c->time[AFTER] - c->time[BEFORE] + (c->gap[AFTER] - c->gap[BEFORE]);
}

static int compare_lost(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int order = strcmp(x->label, y->label);

	if (lost(x) != lost(y))
		return lost(x) > lost(y) ? -1 : 1;
	return order ? order : x->op[0] < y->op[0] ? -1 : x->op[0] > y->op[0];
}

static void sort_changes(struct changes *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), compare_lost);
}

static double relative(double before, double after)
{
	return before > 0 ? (after / before - 1) * 100 : NAN;
}

static void add_number(struct buf *out, double value, int width, int decimals)
{
	char text[FMT_FIXED_SIZE];

	fmt_fixed(text, value, decimals);
	buf_addf(out, "%*s", width, text);
}

static void add_change(struct diff *d, const struct change *c, bool ids)
{
	double before = c->time[BEFORE] + c->gap[BEFORE], after = c->time[AFTER] + c->gap[AFTER];
	double percent = relative(before, after);
	enum term_color color = !d->style.color  ? TERM_NONE
				: after > before ? TERM_RED
						 : TERM_GREEN;
	struct buf number = BUF_INIT;

	add_number(&number, after - before, 13, 1);
	term_add(d->out, color, number.data, number.len);
	buf_free(&number);
	if (isnan(percent))
		buf_adds(d->out, "         -");
	else
		buf_addf(d->out, " %+7.1f %%", percent);
	add_number(d->out, before, 15, 1);
	add_number(d->out, after, 15, 1);
	add_number(d->out, c->time[AFTER] - c->time[BEFORE], 13, 1);
	add_number(d->out, c->gap[AFTER] - c->gap[BEFORE], 13, 1);
	for (int s = 0; s < SIDES; s++) {
		if (!ids)
			buf_addf(d->out, "%8llu", (unsigned long long)c->n[s]);
		else if (c->op[s] == UINT32_MAX)
			buf_addf(d->out, "%8s", "-");
		else
			buf_addf(d->out, "%8u", perf_op_id(&d->r[s]->ops.v[c->op[s]]));
	}
	buf_adds(d->out, "  ");
	if (d->style.safe)
		term_add_safe(d->out, c->label, strlen(c->label));
	else
		buf_adds(d->out, c->label);
	buf_addc(d->out, '\n');
}

static void add_heading(struct diff *d, const char *title, bool ids)
{
	buf_addf(d->out, "\n%s\n", title);
	buf_addf(d->out, "%13s %9s%15s%15s%13s%13s%8s%8s  %s\n", "change us", "", "before us",
		 "after us", "of time", "of gaps", ids ? "ID" : "ops", ids ? "ID" : "ops", "op");
}

/* The list is sorted by time lost: slower ones from the front, faster ones from the back. */
static void add_list(struct diff *d, const struct changes *list, bool slower, bool ids,
		     const char *heading)
{
	int64_t shown = 0;

	for (size_t i = 0; i < list->n && shown < d->top; i++) {
		const struct change *c = slower ? &list->v[i] : &list->v[list->n - 1 - i];

		if (slower ? lost(c) <= 0 : lost(c) >= 0)
			break;
		if (shown++ == 0)
			add_heading(d, heading, ids);
		add_change(d, c, ids);
	}
}

static void add_totals(struct diff *d)
{
	static const char *const names[SIDES] = {"before", "after"};
	double all[SIDES];

	for (int s = 0; s < SIDES; s++) {
		const struct perf_report *r = d->r[s];

		all[s] = r->time_sum + r->gap_sum;
		buf_addf(d->out, "%-7s %8llu ops", names[s],
			 (unsigned long long)(r->device_ops + r->host_ops));
		add_number(d->out, r->time_sum, 15, 1);
		buf_adds(d->out, " " MICRO " on the device");
		add_number(d->out, r->gap_sum, 15, 1);
		buf_adds(d->out, " " MICRO " in gaps");
		add_number(d->out, all[s], 15, 1);
		buf_adds(d->out, " " MICRO " in all\n");
	}
	buf_adds(d->out, "change ");
	add_number(d->out, all[AFTER] - all[BEFORE], 15, 1);
	buf_adds(d->out, " " MICRO);
	if (!isnan(relative(all[BEFORE], all[AFTER])))
		buf_addf(d->out, " (%+.1f %%)", relative(all[BEFORE], all[AFTER]));
	buf_addc(d->out, '\n');
}

static void add_unpaired(struct diff *d, int side, const char *text)
{
	uint64_t n = 0;
	double time = 0;

	for (size_t i = 0; i < d->pairs.n; i++) {
		if (d->pairs.v[i].op[!side] != UINT32_MAX)
			continue;
		n++;
		time += d->pairs.v[i].time[side] + d->pairs.v[i].gap[side];
	}
	if (n)
		buf_addf(d->out, "\n%llu op%s %s (%.1f " MICRO "); listed with '-' as the ID\n",
			 (unsigned long long)n, n > 1 ? "s" : "", text, time);
}

static void write_text(struct diff *d)
{
	add_totals(d);
	add_list(d, &d->groups, true, false, "Slower, by op");
	add_list(d, &d->groups, false, false, "Faster, by op");
	add_list(d, &d->pairs, true, true, "Slower, one by one");
	add_list(d, &d->pairs, false, true, "Faster, one by one");
	add_unpaired(d, BEFORE, "only before");
	add_unpaired(d, AFTER, "only after");
}

static void json_side(struct json *j, const char *key, const struct diff *d, const struct change *c,
		      int side)
{
	json_object(j, key);
	json_int(j, "ops", (int64_t)c->n[side]);
	if (c->op[side] != UINT32_MAX)
		json_int(j, "id", perf_op_id(&d->r[side]->ops.v[c->op[side]]));
	else
		json_null(j, "id");
	json_double(j, "device_time_us", c->time[side]);
	json_double(j, "op_to_op_gap_us", c->gap[side]);
	json_end(j);
}

static void json_list(struct json *j, const char *key, const struct diff *d,
		      const struct changes *list)
{
	json_array(j, key);
	for (size_t i = 0; i < list->n; i++) {
		json_object(j, NULL);
		json_text(j, "op_code", list->v[i].label);
		json_double(j, "change_us", lost(&list->v[i]));
		json_side(j, "before", d, &list->v[i], BEFORE);
		json_side(j, "after", d, &list->v[i], AFTER);
		json_end(j);
	}
	json_end(j);
}

static void write_json(struct diff *d)
{
	struct json j;

	json_init(&j, d->out);
	json_object(&j, NULL);
	json_text(&j, "report", "tacho perf-report --diff");
	json_double(&j, "change_us",
		    d->r[AFTER]->time_sum + d->r[AFTER]->gap_sum - d->r[BEFORE]->time_sum -
			    d->r[BEFORE]->gap_sum);
	json_list(&j, "by_op", d, &d->groups);
	json_list(&j, "one_by_one", d, &d->pairs);
	json_end(&j);
}

int perf_diff_write(const struct perf_report *before, const struct perf_report *after, int64_t top,
		    bool json, struct perf_style style, FILE *file)
{
	struct buf out = BUF_INIT;
	struct diff d = {
		.r = {before, after}, .style = style, .top = top > 0 ? top : DEFAULT, .out = &out};
	size_t n[SIDES] = {0};
	struct entry *e[SIDES] = {entries_of(before, &n[0]), entries_of(after, &n[1])};
	int r = e[0] && e[1] ? pair_up(&d, e, n) : TACHO_ENOMEM;

	if (r == 0) {
		sort_changes(&d.groups);
		sort_changes(&d.pairs);
		if (json)
			write_json(&d);
		else
			write_text(&d);
		r = perf_flush(&out, file);
	}
	free(e[0]);
	free(e[1]);
	vec_free(&d.groups);
	vec_free(&d.pairs);
	buf_free(&out);
	return r;
}
