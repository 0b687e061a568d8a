/* SPDX-License-Identifier: Apache-2.0 */
/* Prints where the time of a report went. */
#include "op/summary.h"

#include "base/fmt.h"
#include "base/term.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void op_summary_add(struct op_summary *s, const struct op_summary_row *row)
{
	struct op_summary_op *op;
	int64_t name;
	double imbalance;

	if (row->captured) {
		s->captured++;
		return;
	}
	s->rows++;
	name = op_names_add(&s->names, row->code ? row->code : "", row->code_len);
	if (name < 0 ||
	    (name >= (int64_t)s->ops.n && vec_push(&s->ops, (struct op_summary_op){0}) < 0)) {
		s->failed = true;
		return;
	}
	op = &s->ops.v[name];
	op->count++;
	if (!isnan(row->kernel_ns)) {
		s->with_device++;
		op->measured++;
		op->kernel_ns += row->kernel_ns;
		s->kernel_ns += row->kernel_ns;
	}
	if (row->gap_ns > 0) {
		op->gap_ns += row->gap_ns;
		s->gap_ns += row->gap_ns;
		if (row->gap_ns > s->largest_gap) {
			s->largest_gap = row->gap_ns;
			s->largest_gap_id = row->id;
		}
	}
	imbalance =
		row->core_max_ns > 0 ? (row->core_max_ns - row->core_avg_ns) / row->core_max_ns : 0;
	if (imbalance > op->imbalance)
		op->imbalance = imbalance;
	if (imbalance > s->imbalance) {
		s->imbalance = imbalance;
		s->imbalance_id = row->id;
	}
}

static int summary_by_kernel(const void *a, const void *b, void *arg)
{
	const struct op_summary *s = arg;
	const struct op_summary_op *x = &s->ops.v[*(const uint32_t *)a];
	const struct op_summary_op *y = &s->ops.v[*(const uint32_t *)b];

	if (x->kernel_ns != y->kernel_ns)
		return x->kernel_ns > y->kernel_ns ? -1 : 1;
	return x->count > y->count ? -1 : x->count < y->count;
}

static void print_op(const struct op_summary *s, uint32_t index, FILE *out)
{
	const struct op_summary_op *op = &s->ops.v[index];
	char kernel[FMT_SIZE], mean[FMT_SIZE] = "-", gap[FMT_SIZE];
	struct buf text = BUF_INIT;

	/* Host ops have no time of their own. */
	if (op->measured)
		fmt_ns(mean, op->kernel_ns / (double)op->measured);

	fprintf(out, "%6.1f %%  %10s  %8" PRIu64 "  %10s  %10s",
		s->kernel_ns > 0 ? 100 * op->kernel_ns / s->kernel_ns : 0.0,
		fmt_ns(kernel, op->kernel_ns), op->count, mean, fmt_ns(gap, op->gap_ns));
	if (op->imbalance > 0)
		fprintf(out, "  %5.1f %%", 100 * op->imbalance);
	else if (s->imbalance > 0)
		fprintf(out, "        -");
	term_add_safe(&text, s->names.v[index].text, s->names.v[index].len);
	fprintf(out, "  %.44s", text.len ? text.data : "(unknown)");
	buf_free(&text);
	fputc('\n', out);
}

int op_summary_print(const struct op_summary *s, const struct op_issues *issues, int top, FILE *out)
{
	uint32_t *order = calloc(s->ops.n + 1, sizeof(*order));
	char a[FMT_SIZE], b[FMT_SIZE], c[FMT_SIZE];

	if (!order)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < s->ops.n; i++)
		order[i] = i;
	qsort_r(order, s->ops.n, sizeof(*order), summary_by_kernel, (void *)s);
	fprintf(out, "%s op%s, %s with device data; kernels %s\n", fmt_count(a, s->rows),
		s->rows == 1 ? "" : "s", fmt_count(b, s->with_device), fmt_ns(c, s->kernel_ns));
	if (s->captured)
		fprintf(out,
			"besides, %s captured into traces, which count when they are replayed\n",
			fmt_count(a, s->captured));
	if (s->gap_ns > 0)
		fprintf(out, "gaps between ops %s, the largest %s before op %" PRIu64 "\n",
			fmt_ns(a, s->gap_ns), fmt_ns(b, s->largest_gap), s->largest_gap_id);
	if (s->imbalance > 0)
		fprintf(out,
			"most uneven is op %" PRIu64
			": its cores are idle %.1f %% of its slowest one's time\n",
			s->imbalance_id, 100 * s->imbalance);
	if (issues->counts[OP_ISSUE_DROPPED])
		fprintf(out,
			"markers were dropped %" PRIu64 " times: ops may be measured too short\n",
			issues->counts[OP_ISSUE_DROPPED]);
	if (s->with_device) {
		/* Logs without figures of cores get no column for them. */
		fprintf(out, "\n%8s  %10s  %8s  %10s  %10s%s  op\n", "share", "kernels", "count",
			"mean", "gaps", s->imbalance > 0 ? "   uneven" : "");
		for (size_t i = 0; i < s->ops.n && i < (size_t)top; i++)
			print_op(s, order[i], out);
		if (s->ops.n > (size_t)top)
			fprintf(out, "  and %zu more\n", s->ops.n - (size_t)top);
	}
	if (op_issues_total(issues)) {
		fprintf(out, "\nissues:\n");
		for (int k = 0; k < OP_ISSUE_KINDS; k++)
			if (issues->counts[k])
				fprintf(out, "%8" PRIu64 "  %s%s\n", issues->counts[k],
					op_issue_word((enum op_issue_kind)k),
					op_issue_is_damage((enum op_issue_kind)k) ? ""
										  : " (a note)");
	}
	free(order);
	return ferror(out) ? TACHO_EWRITE : 0;
}

void op_summary_free(struct op_summary *s)
{
	op_names_free(&s->names);
	vec_free(&s->ops);
	memset(s, 0, sizeof(*s));
}
