/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "check": verify that a trace is intact and its ledgers balance. */
#include "base/fmt.h"
#include "cmds/query.h"

struct conf {
	struct query_conf query;
	bool strict;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "strict", struct conf, strict,
		 "exit with 6 if anything was lost or a process could not be recorded"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

static const struct table_column columns[] = {
	{"file", "file", TABLE_STRING},
	{"blocks", "blocks", TABLE_COUNT},
	{"zones", "zones", TABLE_COUNT},
	{"rows", "other events", TABLE_COUNT},
	{"emitted", "emitted", TABLE_COUNT},
	{"stored", "stored", TABLE_COUNT},
	{"lost", "lost", TABLE_COUNT},
	{"balance", "balance", TABLE_STRING},
	{"absent", "not recorded", TABLE_STRING},
	{"errors", "errors", TABLE_COUNT},
	{"first_error", "first error", TABLE_STRING},
	{"verdict", "verdict", TABLE_STRING},
};

static bool is_balanced(const struct trace_check *c)
{
	return c->emitted == c->stored + c->lost;
}

/* Processes that could not join the recording. */
static void add_absent(struct table *t, const struct trace *trace)
{
	uint64_t absent = trace_absent_total(trace);
	char text[2 * FMT_SIZE], count[FMT_SIZE];

	if (!absent && !trace->absent_known) {
		table_none(t);
		return;
	}
	snprintf(text, sizeof(text), "%s process%s", fmt_count(count, absent),
		 absent == 1 ? "" : "es");
	table_text(t, text);
}

static const char *verdict_of(bool broken, bool lost, bool absent)
{
	if (broken)
		return "damaged";
	if (lost && absent)
		return "whole, with losses and processes that were not recorded";
	if (absent)
		return "whole, with processes that were not recorded";
	return lost ? "whole, with losses" : "whole";
}

static int check_print(struct query *q, void *conf)
{
	const struct trace_damage *damage = &q->trace->damage;
	bool absent = trace_absent_total(q->trace) > 0;
	struct trace_check c;
	struct table_style style = q->style;
	bool broken;
	struct table t;
	int r = trace_check(q->trace, &c, &q->err);
	char text[4 * FMT_SIZE], emitted[FMT_SIZE], stored[FMT_SIZE], lost[FMT_SIZE];

	if (r < 0)
		return r;
	broken = c.errors || !is_balanced(&c) || damage->unfinished || damage->bad_blocks ||
		 damage->missing_bytes;
	style.record = true;
	table_open(&t, stdout, &style, TABLE_COLUMNS(columns));
	table_text(&t, q->trace->path);
	table_uint(&t, c.blocks);
	table_uint(&t, c.zones);
	table_uint(&t, c.rows);
	table_uint(&t, c.emitted);
	table_uint(&t, c.stored);
	table_uint(&t, c.lost);
	snprintf(text, sizeof(text), "emitted %s %s stored %s + lost %s",
		 fmt_count(emitted, c.emitted),
		 is_balanced(&c) ? "==" : "!=", fmt_count(stored, c.stored),
		 fmt_count(lost, c.lost));
	table_text(&t, text);
	add_absent(&t, q->trace);
	table_uint(&t, c.errors);
	table_text(&t, c.first_error);
	table_text(&t, verdict_of(broken, c.lost, absent));
	table_row(&t);
	if (broken)
		q->exit_code = err_exit_code(TACHO_EDAMAGED);
	else if ((c.lost || absent) && ((struct conf *)conf)->strict)
		q->exit_code = err_exit_code(TACHO_ELOST);
	return table_close(&t);
}

QUERY_RUN(check_print)

const struct cmd cmd_check = {
	.name = "check",
	.summary = "verify every byte of a trace and its counts of events",
	.usage = "[--strict] FILE",
	.description =
		"Reads the whole trace: checksums, the order of zones, ids, counts, the index. "
		"Then it checks the books: what the program emitted is what the file holds and "
		"what was counted as lost. Processes that tried to join the recording and could not "
		"are counted apart; 'tacho info --show=absent' lists them.\n\n"
		"Exits with 0 when the file is whole, with 4 when it is damaged or the books do "
		"not balance, and with --strict with 6 when anything was lost or a process could not "
		"be recorded.",
	.examples = "tacho check app.tacho\n  is the file whole?\n"
		    "tacho check --strict app.tacho && echo complete\n  and was nothing lost?\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
