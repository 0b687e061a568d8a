/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "locks": show how long threads waited for each lock and held it. */
#include "cmds/query.h"
#include "trace/names.h"
#include "view/lock_spans.h"

#include <stdlib.h>
#include <string.h>

struct conf {
	struct query_conf query;
};

static const struct opt opts[] = {
	OPT_STR('n', "name", "PATTERN", struct conf, query.name, "select locks by name"),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	QUERY_THREAD(struct conf, query),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

static int locks_row_take(void *context, const struct trace_row *row, uint32_t track)
{
	return view_lock_row(&((struct view_lock *)context)[track], row, NULL, NULL);
}

static const struct table_column columns[] = {
	{"pid", "pid", TABLE_ID},
	{"name", "lock", TABLE_STRING},
	{"kind", "kind", TABLE_STRING},
	{"threads", "threads", TABLE_COUNT},
	{"obtained", "obtained", TABLE_COUNT},
	{"wait_ns", "wait", TABLE_NS},
	{"wait_mean_ns", NULL, TABLE_NS},
	{"wait_max_ns", "max", TABLE_NS},
	{"held_ns", "held", TABLE_NS},
	{"held_mean_ns", NULL, TABLE_NS},
	{"held_max_ns", "max", TABLE_NS},
	{"file", NULL, TABLE_STRING},
	{"line", NULL, TABLE_ID},
};

static void add_spans(struct table *t, const struct query *q, uint64_t n, uint64_t total,
		      uint64_t max)
{
	table_real(t, query_ns(q, (double)total));
	table_real(t, n ? query_ns(q, (double)total / (double)n) : 0);
	table_real(t, query_ns(q, (double)max));
}

static int locks_print(struct query *q, void *conf)
{
	uint32_t n = q->trace->track_count;
	struct view_lock *locks = calloc(n + 1, sizeof(*locks));
	struct table t;
	int r, closed;

	(void)conf;
	if (!locks)
		return TACHO_ENOMEM;
	table_open(&t, stdout, &q->style, TABLE_COLUMNS(columns));
	r = query_rows(q, TRACE_LOCK, locks_row_take, locks);
	for (uint32_t i = 0; i < n; i++) {
		if (r == 0 && query_shows(q, i, TRACE_LOCK)) {
			const struct trace_srcloc *srcloc =
				trace_srcloc_of(q->trace, q->trace->tracks[i].srcloc);
			char text[64];

			table_uint(&t, trace_process_of(q->trace, i)->pid);
			table_text(&t, trace_track_name(q->trace, i, text, sizeof(text)));
			table_text(&t, q->trace->tracks[i].format == 1 ? "shared" : "exclusive");
			table_uint(&t, locks[i].uses.n);
			table_uint(&t, locks[i].obtained);
			add_spans(&t, q, locks[i].waits, locks[i].wait_total, locks[i].wait_max);
			add_spans(&t, q, locks[i].holds, locks[i].hold_total, locks[i].hold_max);
			table_text(&t, srcloc->file);
			table_uint(&t, srcloc->line);
			table_row(&t);
		}
		view_lock_free(&locks[i]);
	}
	free(locks);
	closed = table_close(&t);
	return r < 0 ? r : closed;
}

QUERY_RUN(locks_print)

const struct cmd cmd_locks = {
	.name = "locks",
	.summary = "list locks with their wait and hold times",
	.usage = "[options] FILE",
	.description =
		"Prints for each lock how many threads used it, how often it was obtained, and "
		"the sum, mean and greatest of the times that threads waited for it and held "
		"it. A thread that takes a lock again while it holds it counts as one hold. A hold "
		"ends at the latest when another thread obtains the lock, unless both share it.",
	.examples = "tacho locks app.tacho\n  all locks\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
