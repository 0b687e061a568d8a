/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb "stacks": show where sampled threads spent their time, as a tree or a list of functions.
 */
#include "base/fmt.h"
#include "cmds/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	struct query_conf query;
	bool bottom_up, flat, off_cpu, self;
	const char *zone, *before;
	int by;
	double min;
	int64_t depth;
};

/* The first ones are those of enum profile_by, the others of enum stacks_by. */
static const char *const stacks_by[] = {"function", "line", "file", "library", "thread",
					"state",    "lock", "cpu",  NULL};

static const struct opt opts[] = {
	OPT_FLAG('b', "bottom-up", struct conf, bottom_up,
		 "show innermost functions first, with their callers below"),
	OPT_FLAG(
		'l', "list", struct conf, flat,
		"show a list instead of a tree: each function once, with its total and its own time"),
	OPT_ENUM(0, "by", struct conf, by, stacks_by,
		 "show a line for each of these (default function); thread and state show "
		 "what threads did: ran, waited for a CPU, for a lock ...; lock which locks they "
		 "waited for, cpu which of them ran where"),
	OPT_STR('z', "zone", "PATTERN", struct conf, zone,
		"count only the time inside of zones with a matching name"),
	OPT_FLAG(0, "self", struct conf, self,
		 "with --zone: not the time inside of other zones in them"),
	OPT_STR(0, "diff", "BEFORE", struct conf, before,
		"compare with this recording: how the share of each function has changed"),
	OPT_FLAG(0, "off-cpu", struct conf, off_cpu,
		 "show where threads waited instead of where they ran"),
	OPT_DOUBLE(0, "min", "PERCENT", struct conf, min,
		   "omit lines with less than this share of the time (default 0.5)"),
	OPT_INT(0, "depth", "N", struct conf, depth, "show at most N levels of the tree"),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	QUERY_THREAD(struct conf, query),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

static void cmd_stacks_init(void *conf)
{
	((struct conf *)conf)->min = 0.5;
}

static const struct table_column columns[] = {
	{"total_percent", "total %", TABLE_PERCENT},
	{"error_percent", "+- %", TABLE_PERCENT},
	{"self_percent", "self %", TABLE_PERCENT},
	{"total_ns", "total", TABLE_NS},
	{"self_ns", NULL, TABLE_NS},
	{"samples", "samples", TABLE_COUNT},
	{"depth", NULL, TABLE_ID},
	{"name", "function", TABLE_STRING},
	{"library", "library", TABLE_STRING},
	{"file", NULL, TABLE_STRING},
	{"line", NULL, TABLE_ID},
};

struct printer {
	struct query *q;
	const struct conf *conf;
	const struct profile *p;
	const struct profile_view *view;
	struct table table;
	struct buf name;
};

static int stacks_item_print(struct printer *x, const struct profile_item *item, unsigned depth)
{
	const struct profile_item *all = &x->view->items.v[0];
	const struct profile_label *label = &x->view->labels.v[item->label];
	const struct profile_function *f = &x->p->functions.v[label->function];
	bool text = x->q->style.format == TABLE_AS_TEXT;
	double total = (double)all->samples;
	double share = all->samples ? (double)item->samples / total : 0;

	buf_reset(&x->name);
	for (unsigned i = 1; text && i < depth; i++)
		buf_adds(&x->name, "  ");
	buf_adds(&x->name, label->name);
	if (text && x->conf->by == PROFILE_BY_LINE && label->line)
		buf_addf(&x->name, ":%u", label->line);
	table_real(&x->table, all->ns > 0 ? 100 * item->ns / all->ns : 0);
	/* One standard deviation of a share that so many samples give, in percent. */
	table_real(&x->table, all->samples ? 100 * sqrt(share * (1 - share) / total) : 0);
	table_real(&x->table, all->ns > 0 ? 100 * item->self_ns / all->ns : 0);
	table_real(&x->table, item->ns);
	table_real(&x->table, item->self_ns);
	table_uint(&x->table, item->samples);
	table_uint(&x->table, depth);
	table_string(&x->table, x->name.data, x->name.len);
	table_text(&x->table, f->special ? "" : x->p->modules.v[f->module].name);
	table_text(&x->table, label->file);
	table_uint(&x->table, x->conf->by == PROFILE_BY_LINE ? label->line : 0);
	return table_row(&x->table);
}

/* Prints in tree order, without recursion: stacks may be 512 deep. */
static int items_print(struct printer *x)
{
	const struct profile_item *items = x->view->items.v;
	uint32_t at = items[0].child;
	int64_t deepest = x->conf->depth > 0 ? x->conf->depth : INT64_MAX;
	double least = items[0].ns * x->conf->min / 100;
	unsigned depth = 1;
	int r = 0;

	while (at && r == 0) {
		bool shown = items[at].ns >= least;

		if (shown)
			r = stacks_item_print(x, &items[at], depth);
		if (shown && items[at].child && depth < deepest) {
			at = items[at].child;
			depth++;
			continue;
		}
		while (at && !items[at].next) {
			at = items[at].parent;
			depth--;
		}
		at = at ? items[at].next : 0;
	}
	return r;
}

/* Prints caveats before the figures. */
static void notes_print(const struct query *q, const struct profile *p,
			const struct profile_counts *c)
{
	char n[FMT_SIZE], lost[FMT_SIZE];

	if (q->common->quiet)
		return;
	if (!c->total)
		err_note(
			"no samples: 'tacho run --sample' records them, one per millisecond of CPU time");
	else if ((double)c->whole < 0.99 * (double)c->stacked)
		err_note("%.1f %% of %s stacks are whole",
			 100 * (double)c->whole / (double)c->stacked, fmt_count(n, c->stacked));
	if (p->lost)
		err_note("%s records of the sampler were lost", fmt_count(lost, p->lost));
}

static int view_build(const struct conf *conf, struct profile *p,
		      const struct profile_counts *counts, struct profile_view *view)
{
	enum profile_by by = (enum profile_by)conf->by;

	return conf->flat ? profile_flat(p, counts, by, view)
			  : profile_tree(p, counts, by, conf->bottom_up, view);
}

static const char *const flat_hidden[] = {"depth", NULL};

static int view_print(struct query *q, const struct conf *conf, struct profile *p,
		      const struct profile_counts *counts)
{
	struct profile_view view;
	struct printer x = {.q = q, .conf = conf, .p = p, .view = &view, .name = BUF_INIT};
	struct table_style style = q->style;
	int r = view_build(conf, p, counts, &view), closed;

	if (r < 0)
		return r;
	if (conf->flat)
		style.hidden = flat_hidden;
	table_open(&x.table, stdout, &style, TABLE_COLUMNS(columns));
	r = items_print(&x);
	closed = table_close(&x.table);
	buf_free(&x.name);
	profile_view_free(&view);
	return r < 0 ? r : closed;
}

/* A byte per source location of TRACE that --zone names; freed by the caller. */
static int zones_choose(struct query *q, const struct trace *trace, const char *text,
			uint8_t **zones)
{
	struct pattern pattern;
	bool any = false;
	int r = pattern_init(&pattern, text, &q->err);

	if (r < 0)
		return r;
	*zones = calloc(trace->srcloc_count + 1, 1);
	for (uint32_t i = 0; *zones && i < trace->srcloc_count; i++) {
		(*zones)[i] = pattern_match(&pattern, trace_srcloc_name(trace, i));
		any |= (*zones)[i];
	}
	pattern_free(&pattern);
	if (!*zones)
		return TACHO_ENOMEM;
	return any ? 0 : err_set(&q->err, TACHO_EUSAGE, "no zone is named like '%s'", text);
}

/* ------------------------------------------------------------- --diff */

static const struct table_column diff_columns[] = {
	{"change_percent", "change %", TABLE_PERCENT},
	{"error_percent", "+- %", TABLE_PERCENT},
	{"before_percent", "before %", TABLE_PERCENT},
	{"after_percent", "after %", TABLE_PERCENT},
	{"before_ns", "before", TABLE_NS},
	{"after_ns", "after", TABLE_NS},
	{"before_samples", NULL, TABLE_COUNT},
	{"after_samples", NULL, TABLE_COUNT},
	{"depth", NULL, TABLE_ID},
	{"name", "function", TABLE_STRING},
	{"library", "library", TABLE_STRING},
	{"line", NULL, TABLE_ID},
};

static int change_print(struct query *q, struct table *t, struct buf *name,
			const struct profile_change *c, unsigned depth)
{
	bool text = q->style.format == TABLE_AS_TEXT;

	buf_reset(name);
	for (unsigned i = 1; text && i < depth; i++)
		buf_adds(name, "  ");
	buf_adds(name, c->name);
	if (text && c->line)
		buf_addf(name, ":%u", c->line);
	table_real(t, c->change);
	table_real(t, c->error);
	for (int i = 0; i < 2; i++)
		table_real(t, c->share[i]);
	for (int i = 0; i < 2; i++)
		table_real(t, c->side[i].ns);
	for (int i = 0; i < 2; i++)
		table_uint(t, c->side[i].samples);
	table_uint(t, depth);
	table_string(t, name->data, name->len);
	table_text(t, c->library);
	table_uint(t, c->line);
	return table_row(t);
}

static int changes_print(struct query *q, const struct conf *conf, const struct profile_changes *d)
{
	const struct profile_change *items = d->items.v;
	int64_t deepest = conf->depth > 0 ? conf->depth : INT64_MAX;
	struct table_style style = q->style;
	struct buf name = BUF_INIT;
	uint32_t at = items[0].child;
	unsigned depth = 1;
	struct table t;
	int r = 0, closed;

	if (conf->flat)
		style.hidden = flat_hidden;
	table_open(&t, stdout, &style, TABLE_COLUMNS(diff_columns));
	while (at && r == 0) {
		const struct profile_change *c = &items[at];
		double most = fmax(c->share[0], c->share[1]);
		/* Changes within twice their error may be chance: --min=0 shows them too. */
		bool shown =
			conf->min <= 0 || (most >= conf->min && fabs(c->change) > 2 * c->error);

		if (shown)
			r = change_print(q, &t, &name, &items[at], depth);
		/* Changes below a function can cancel out in its total. */
		if (items[at].child && depth < deepest) {
			at = items[at].child;
			depth++;
			continue;
		}
		while (at && !items[at].next) {
			at = items[at].parent;
			depth--;
		}
		at = at ? items[at].next : 0;
	}
	closed = table_close(&t);
	buf_free(&name);
	return r < 0 ? r : closed;
}

/* The recording BEFORE, read with the same options: its view and its profile. */
static int before_open(struct query *q, const struct conf *conf, struct trace **trace,
		       struct profile **p, struct profile_view *view)
{
	struct profile_filter filter = {.t1 = UINT64_MAX,
					.what = conf->off_cpu ? PROFILE_OFF_CPU : PROFILE_CPU};
	struct profile_counts counts = {0};
	uint8_t *zones = NULL;
	int r = trace_open(trace, conf->before, &q->err);

	if (r == 0 && conf->query.range)
		r = query_range(*trace, conf->query.range, &filter.t0, &filter.t1, &q->err);
	if (r == 0 && conf->zone)
		r = zones_choose(q, *trace, conf->zone, &zones);
	if (r == 0)
		r = profile_open(p, *trace, &q->err);
	filter.zones = zones;
	filter.self = conf->self;
	if (r == 0)
		r = profile_count(*p, &filter, &counts);
	if (r == 0) {
		notes_print(q, *p, &counts);
		r = view_build(conf, *p, &counts, view);
	}
	profile_counts_free(&counts);
	free(zones);
	return r;
}

static int diff_print(struct query *q, const struct conf *conf, struct profile *after,
		      const struct profile_counts *counts)
{
	struct trace *trace = NULL;
	struct profile *before = NULL;
	struct profile_view views[2] = {0};
	struct profile_changes d = {0};
	int r;

	if (conf->query.processes.n || conf->query.threads.n)
		return err_set(&q->err, TACHO_EUSAGE,
			       "--diff compares whole recordings: --process and --thread select "
			       "in one only");
	r = before_open(q, conf, &trace, &before, &views[0]);
	if (r == 0)
		r = view_build(conf, after, counts, &views[1]);
	if (r == 0)
		r = profile_changes_add(&d, before, &views[0], (enum profile_by)conf->by, 0);
	if (r == 0)
		r = profile_changes_add(&d, after, &views[1], (enum profile_by)conf->by, 1);
	if (r == 0)
		r = profile_changes_link(&d);
	if (r == 0)
		r = changes_print(q, conf, &d);
	profile_changes_free(&d);
	profile_view_free(&views[0]);
	profile_view_free(&views[1]);
	profile_close(before);
	trace_close(trace);
	return r;
}

static int stacks_print(struct query *q, void *conf)
{
	const struct conf *cf = conf;
	uint8_t *zones = NULL;
	struct profile_filter filter = {.t0 = q->filter.in.t0,
					.t1 = q->filter.in.t1,
					.tracks = q->filter.in.tracks,
					.what = cf->off_cpu ? PROFILE_OFF_CPU : PROFILE_CPU};
	struct profile_counts counts = {0};
	struct profile *p;
	int r;

	if (cf->before && cf->by >= STACKS_BY_THREAD)
		return err_set(&q->err, TACHO_EUSAGE, "--diff has no lines by %s",
			       stacks_by[cf->by]);
	if (cf->self && !cf->zone)
		return err_set(&q->err, TACHO_EUSAGE, "--self needs --zone");
	r = cf->zone ? zones_choose(q, q->trace, cf->zone, &zones) : 0;

	if (r == 0)
		r = profile_open(&p, q->trace, &q->err);
	if (r < 0) {
		free(zones);
		return r;
	}
	filter.zones = zones;
	filter.self = cf->self;
	if (cf->by >= STACKS_BY_THREAD)
		r = stacks_states_print(q, (enum stacks_by)cf->by, p, &filter);
	else
		r = profile_count(p, &filter, &counts);
	if (r == 0 && cf->by < STACKS_BY_THREAD) {
		notes_print(q, p, &counts);
		r = cf->before ? diff_print(q, cf, p, &counts) : view_print(q, cf, p, &counts);
	}
	profile_counts_free(&counts);
	profile_close(p);
	free(zones);
	return r;
}

QUERY_RUN(stacks_print)

const struct cmd cmd_stacks = {
	.name = "stacks",
	.summary = "show where sampled threads spent their time, by call stack",
	.usage = "[options] FILE",
	.description =
		"Prints the call stacks of a recording that was made with --sample as a tree: each "
		"line has the share of all time that was spent in a function and what it called, "
		"the standard error of that share, and the share of the function itself. Stacks "
		"that could not be followed to their start begin with the reason, such as [cut]. "
		"--diff shows functions whose share changed by more than twice its standard error; "
		"--min=0 shows all.",
	.examples = "tacho run --sample -- ./app && tacho stacks app.tacho\n"
		    "  where did the time go?\n"
		    "tacho stacks --list app.tacho\n  the same by function\n"
		    "tacho stacks --bottom-up --by=line app.tacho\n  the hottest lines\n"
		    "tacho stacks --list --diff=before.tacho after.tacho\n"
		    "  which functions take more or less of the time than before\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_stacks_init,
	.run = run,
};
