/* SPDX-License-Identifier: Apache-2.0 */
/* "stats --samples": what threads did in the self time of zones, and in which function they ran. */
#include "base/order.h"
#include "cmds/stacks.h"
#include "trace/names.h"

#include <stdlib.h>

static const struct table_column columns[] = {
	{"self_ns", "self", TABLE_NS},
	{"running_ns", "running", TABLE_NS},
	{"kernel_ns", "[kernel]", TABLE_NS},
	{"runnable_ns", "for a CPU", TABLE_NS},
	{"lock_ns", "for a lock", TABLE_NS},
	{"sleep_ns", "sleeping", TABLE_NS},
	{"poll_ns", "polling", TABLE_NS},
	{"io_ns", "I/O", TABLE_NS},
	{"child_ns", "child", TABLE_NS},
	{"other_ns", "other", TABLE_NS},
	{"unknown_ns", "unknown", TABLE_NS},
	{"samples", "samples", TABLE_COUNT},
	{"name", "name", TABLE_STRING},
	{"top_percent", "%", TABLE_PERCENT},
	{"top_function", "most samples in", TABLE_STRING},
	{"function", NULL, TABLE_STRING},
	{"file", NULL, TABLE_STRING},
	{"line", NULL, TABLE_ID},
};

struct split_row {
	double self;
	uint32_t srcloc;
};

ORDER_BY(larger_self_first, struct split_row, ORDER_DOWN(self) ?: ORDER_UP(srcloc));

/* Text omits states that hardly any zone was in. */
static void columns_hide(const char **hidden, const double *sum)
{
	double all = 0;

	for (int i = 0; i < PROFILE_STATES; i++)
		all += sum[i];
	for (int i = PROFILE_KERNEL; i < PROFILE_STATES; i++)
		if (sum[i] < 1e-5 * all)
			*hidden++ = columns[1 + i].key;
	*hidden = NULL;
}

static int rows_print(struct query *q, const struct profile *p, const struct profile_zone *zones,
		      const struct split_row *rows, size_t n, const double *sum)
{
	const char *hidden[PROFILE_STATES + 1];
	struct table_style style = q->style;
	struct table t;

	columns_hide(hidden, sum);
	style.hidden = hidden;
	table_open(&t, stdout, &style, TABLE_COLUMNS(columns));
	for (size_t i = 0; i < n; i++) {
		const struct profile_zone *z = &zones[rows[i].srcloc];
		const struct trace_srcloc *loc = trace_srcloc_of(q->trace, rows[i].srcloc);

		table_real(&t, rows[i].self);
		for (int k = 0; k < PROFILE_STATES; k++)
			table_real(&t, z->ns[k]);
		table_uint(&t, z->samples);
		table_text(&t, trace_srcloc_name(q->trace, rows[i].srcloc));
		if (z->top_samples) {
			table_real(&t, 100 * (double)z->top_samples / (double)z->samples);
			table_text(&t, p->functions.v[z->top_function].name);
		} else {
			table_none(&t);
			table_none(&t);
		}
		table_text(&t, loc->function);
		table_text(&t, loc->file);
		table_uint(&t, loc->line);
		table_row(&t);
	}
	return table_close(&t);
}

int stats_samples_print(struct query *q, int64_t top)
{
	struct profile_filter filter = {
		.t0 = q->filter.in.t0, .t1 = q->filter.in.t1, .tracks = q->filter.in.tracks};
	uint32_t all = q->trace->srcloc_count;
	struct profile_zone *zones = calloc(all + 1, sizeof(*zones));
	struct split_row *rows = calloc(all + 1, sizeof(*rows));
	double sum[PROFILE_STATES] = {0};
	struct profile *p = NULL;
	int r = zones && rows ? profile_open(&p, q->trace, &q->err) : TACHO_ENOMEM;
	size_t n = 0;

	if (r == 0)
		r = profile_zones(p, &filter, zones);
	for (uint32_t i = 0; r == 0 && i < all; i++) {
		if (q->srclocs && !q->srclocs[i])
			continue;
		rows[n] = (struct split_row){.srcloc = i};
		for (int k = 0; k < PROFILE_STATES; k++) {
			rows[n].self += zones[i].ns[k];
			sum[k] += zones[i].ns[k];
		}
		n += rows[n].self > 0;
	}
	if (r == 0) {
		if (!n && !q->common->quiet)
			err_note("no zones of sampled threads here: 'tacho run --sample' records "
				 "both");
		qsort(rows, n, sizeof(*rows), larger_self_first);
		r = rows_print(q, p, zones, rows, top && (size_t)top < n ? (size_t)top : n, sum);
	}
	profile_close(p);
	free(rows);
	free(zones);
	return r;
}
