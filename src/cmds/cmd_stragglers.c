/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "stragglers": who is late to the collectives of a job, and why. */
#include "base/fmt.h"
#include "base/table.h"
#include "cmds/cmds.h"
#include "cmds/ranks.h"
#include "fleet/stragglers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const bys[] = {"auto", "rank", "device", "host", NULL};
static const char *const lists[] = {"members", "collectives", "causes", NULL};
enum { LIST_MEMBERS, LIST_COLLECTIVES, LIST_CAUSES };

struct conf {
	const char *markers;
	int by, list, format;
	int64_t ring, top;
};

static const struct opt opts[] = {
	OPT_ENUM(0, "by", struct conf, by, bys,
		 "choose what a member is; auto: a device if ranks have several, else a rank"),
	OPT_STR(0, "markers", "REGEX", struct conf, markers,
		"names of ops or zones that no member leaves before all have arrived (default: "
		"all-reduce, all-gather, reduce-scatter, all-to-all, barrier)"),
	OPT_INT(0, "ring", "N", struct conf, ring,
		"split the members into groups of N in order: 0 to N-1, N to 2N-1 and so on "
		"(default: one group)"),
	OPT_ENUM(
		'l', "list", struct conf, list, lists,
		"list members; each collective with its last member; or what the straggler spent more "
		"time in before its collectives"),
	OPT_INT('n', "top", "N", struct conf, top, "print the first N rows of --list"),
	OPT_ENUM(0, "format", struct conf, format, table_formats, "choose the format of tables"),
	OPT_END,
};

static void stragglers_cell(struct table *t, double value)
{
	if (isnan(value))
		table_none(t);
	else
		table_real(t, value);
}

static const struct table_column member_columns[] = {
	{"member", "member", TABLE_STRING},
	{"rank", NULL, TABLE_ID},
	{"device", NULL, TABLE_ID},
	{"pid", NULL, TABLE_ID},
	{"host", NULL, TABLE_STRING},
	{"collectives", "collectives", TABLE_COUNT},
	{"last", "last", TABLE_COUNT},
	{"last_percent", "last %", TABLE_PERCENT},
	{"waited_ns", "waited", TABLE_NS},
	{"mean_wait_ns", "mean wait", TABLE_NS},
	{"clock_waited_ns", "by clock", TABLE_NS},
	{"transfer_ns", "transfer", TABLE_NS},
	{"compute_ns", "compute", TABLE_NS},
	{"communication_ns", "comm", TABLE_NS},
	{"both_ns", "both", TABLE_NS},
	{"idle_ns", "idle", TABLE_NS},
	{"short_idle_ns", "short gaps", TABLE_NS},
	{"straggler", NULL, TABLE_ID},
};

static void member_add(struct table *t, const struct stragglers *s, uint32_t i)
{
	const struct stragglers_member *m = &s->members[i];
	double n = (double)m->collectives;
	char text[100];

	table_text(t, stragglers_name(s, m, text));
	if (m->rank < 0)
		table_none(t);
	else
		table_int(t, m->rank);
	if (m->device < 0)
		table_none(t);
	else
		table_int(t, m->device);
	if (m->pid)
		table_uint(t, m->pid);
	else
		table_none(t);
	table_text(t, m->host);
	table_uint(t, m->collectives);
	table_uint(t, m->last);
	stragglers_cell(t, n > 0 ? 100 * (double)m->last / n : NAN);
	table_real(t, m->waited);
	stragglers_cell(t, n > 0 ? m->waited / n : NAN);
	stragglers_cell(t, m->clock_waited);
	table_real(t, m->transfer);
	table_real(t, m->compute);
	table_real(t, m->comm);
	table_real(t, m->both);
	stragglers_cell(t, m->idle);
	stragglers_cell(t, m->short_idle);
	table_uint(t, i == s->straggler);
	if (i == s->straggler)
		table_color(t, TERM_RED);
}

static const struct table_column collective_columns[] = {
	{"name", "collective", TABLE_STRING},
	{"number", "number", TABLE_ID},
	{"group", NULL, TABLE_ID},
	{"last", "last", TABLE_STRING},
	{"lead_ns", "lead", TABLE_NS},
	{"clock_lead_ns", "by clock", TABLE_NS},
	{"transfer_ns", "transfer", TABLE_NS},
	{"mean_wait_ns", "mean wait", TABLE_NS},
	{"longest_wait_ns", "longest wait", TABLE_NS},
};

static void collective_add(struct table *t, const struct stragglers *s, size_t index)
{
	const struct stragglers_instance *i = &s->instances[index];
	char text[100];

	table_text(t, i->name);
	table_uint(t, i->number);
	table_uint(t, i->group);
	if (i->last == STRAGGLERS_NOBODY)
		table_none(t);
	else
		table_text(t, stragglers_name(s, &s->members[i->last], text));
	table_real(t, i->lead);
	stragglers_cell(t, i->clock_lead);
	table_real(t, i->transfer);
	table_real(t, i->mean_wait);
	table_real(t, i->longest_wait);
}

static const struct table_column cause_columns[] = {
	{"name", "op or zone", TABLE_STRING},      {"straggler_ns", "straggler", TABLE_NS},
	{"others_ns", "others", TABLE_NS},         {"more_ns", "more", TABLE_NS},
	{"more_percent", "more %", TABLE_PERCENT},
};

static int stragglers_print(const struct stragglers *s, const struct conf *conf,
			    const struct cmd_common *common)
{
	static const char *const no_clock[] = {"clock_waited_ns", "clock_lead_ns", NULL};
	struct table_style style = {.format = (enum table_format)conf->format,
				    .color = term_use_color(common->color, stdout),
				    .width = term_columns(stdout),
				    .hidden = s->clock ? NULL : no_clock};
	size_t n = conf->list == LIST_MEMBERS       ? s->member_count
		   : conf->list == LIST_COLLECTIVES ? s->instance_count
						    : s->cause_count;
	struct table t;
	int r = 0, closed;

	if (conf->list == LIST_MEMBERS)
		table_open(&t, stdout, &style, TABLE_COLUMNS(member_columns));
	else if (conf->list == LIST_COLLECTIVES)
		table_open(&t, stdout, &style, TABLE_COLUMNS(collective_columns));
	else
		table_open(&t, stdout, &style, TABLE_COLUMNS(cause_columns));
	if (conf->top > 0 && (uint64_t)conf->top < n)
		n = (size_t)conf->top;
	for (size_t i = 0; i < n && r == 0; i++) {
		if (conf->list == LIST_MEMBERS)
			member_add(&t, s, (uint32_t)i);
		else if (conf->list == LIST_COLLECTIVES)
			collective_add(&t, s, i);
		else {
			table_text(&t, s->causes[i].name);
			table_real(&t, s->causes[i].late);
			table_real(&t, s->causes[i].others);
			table_real(&t, s->causes[i].late - s->causes[i].others);
			stragglers_cell(
				&t, s->causes[i].others > 0
					    ? 100 * (s->causes[i].late / s->causes[i].others - 1)
					    : NAN);
		}
		r = table_row(&t);
	}
	closed = table_close(&t);
	return r < 0 ? r : closed;
}

/* The verdict, for people. */
static void stragglers_verdict(const struct stragglers *s)
{
	char a[FMT_SIZE], b[FMT_SIZE], name[100];

	printf("\n%zu collectives; %llu ties (a lead below 2 %% of the transfer)",
	       s->instance_count, (unsigned long long)s->ties);
	if (s->incomplete)
		printf("; %llu skipped: not all members have them",
		       (unsigned long long)s->incomplete);
	putchar('\n');
	if (s->straggler == STRAGGLERS_NOBODY) {
		puts("no straggler: no member is last often enough, or the waits are short");
		return;
	}
	printf("straggler: %s; the others wait %s to %s per collective for it\n",
	       stragglers_name(s, &s->members[s->straggler], name), fmt_ns(a, s->others_least),
	       fmt_ns(b, s->others_most));
	for (size_t i = 0; i < s->cause_count && i < 3; i++) {
		const struct stragglers_cause *c = &s->causes[i];
		double more = c->late - c->others;

		if (more <= 0 || more < (s->causes[0].late - s->causes[0].others) / 100)
			break;
		fputs(i ? ", " : "before its collectives it spends more in: ", stdout);
		term_print_safe(stdout, c->name);
		printf(" (+%s", fmt_ns(a, more));
		if (c->others > 0)
			printf(", +%.1f %%", 100 * more / c->others);
		putchar(')');
	}
	if (s->cause_count && s->causes[0].late > s->causes[0].others)
		putchar('\n');
}

static int stragglers_run(void *verb_conf, const struct cmd_common *common, int argc, char **argv)
{
	const struct conf *conf = verb_conf;
	struct stragglers_options options = {.by = (enum stragglers_by)conf->by,
					     .markers = conf->markers,
					     .ring = (uint32_t)conf->ring};
	struct stragglers s = {0};
	struct rank_paths paths = {0};
	struct tacho_error err = {0};
	char text[FMT_SIZE];
	int r = 0;

	if (argc < 1)
		r = err_set(&err, TACHO_EUSAGE,
			    "stragglers takes traces, reports or the folder of a job");
	else if (conf->ring == 1 || conf->ring < 0 || conf->ring > 65535)
		r = err_set(&err, TACHO_EUSAGE, "--ring: a group has 2 to 65535 members");
	for (int i = 0; i < argc && r == 0; i++)
		r = ranks_reports(argv[i], &paths);
	if (r == 0)
		r = stragglers_read(&s, (const char *const *)paths.v, paths.n, &options, &err);
	if (r == 0)
		r = stragglers_print(&s, conf, common);
	if (r == 0 && conf->format == TABLE_AS_TEXT && conf->list == LIST_MEMBERS)
		stragglers_verdict(&s);
	if (r == 0 && s.clock && s.clock_differ && !common->quiet)
		err_warn("%llu waits differ by the clock (error at most %s): members do not leave "
			 "together",
			 (unsigned long long)s.clock_differ, fmt_ns(text, s.clock_error));
	stragglers_free(&s);
	ranks_free(&paths);
	return r < 0 ? err_report(&err, r) : 0;
}

const struct cmd cmd_stragglers = {
	.name = "stragglers",
	.summary = "show who is late to the collectives of a job, and why",
	.usage = "[options] FILE...|FOLDER",
	.description =
		"Reads a merged trace, a trace or ops report of each rank, or the folder of a job "
		"(rank0, rank1 ...). No member leaves a collective before the last one has arrived. So the "
		"shortest duration of each is the transfer, that member was last, and the others waited "
		"for the rest of their time. This needs no common clock. In a merged trace the column "
		"\"by clock\" also has the waits by arrivals.\n\n"
		"Compute, comm, both and idle add up to a member's time by its own clock; short gaps "
		"are idle times of up to 6.5 us. A straggler is named if it was last in most of at least 20 "
		"collectives and the others wait for more than 5 % of the time between them.\n\n"
		"Ops of devices are used if any of them is a collective, else zones of threads. The n-th "
		"collective of one name is taken to be the same on all members.",
	.examples = "tacho stragglers all.tacho\n  compare the ranks of a merged trace\n"
		    "tacho stragglers ttrun/\n  compare the devices of all ranks of a job\n"
		    "tacho stragglers --list=collectives --format=csv r0.csv r1.csv\n"
		    "  list who was last in each\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = stragglers_run,
};
