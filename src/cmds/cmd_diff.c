/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "diff": compare the statistics of two traces. */
#include "cmds/cmds.h"
#include "op/compare.h"

#include <inttypes.h>

struct conf {
	struct op_compare_options compare;
};

static const struct opt opts[] = {
	OPT_INT(0, "max-differences", "N", struct conf, compare.max_differences,
		"print at most N differences (default 20)"),
	OPT_DOUBLE(0, "tolerance", "PERCENT", struct conf, compare.tolerance,
		   "treat numbers that differ by at most PERCENT as equal"),
	OPT_FLAG(0, "only-compare-op-ids", struct conf, compare.ids_only,
		 "compare only which ops occur"),
	OPT_END,
};

static void cmd_diff_init(void *conf)
{
	((struct conf *)conf)->compare.max_differences = 20;
}

static int cmd_diff_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct op_compare_result result = {0};
	struct tacho_error err = {0};
	int r;

	if (argc != 2) {
		err_set(&err, TACHO_EUSAGE, "diff takes two ops reports");
		return err_report(&err, TACHO_EUSAGE);
	}
	r = op_compare(argv[0], argv[1], &cf->compare, stdout, &result, &err);
	if (r < 0)
		return err_report(&err, r);
	if (!common->quiet)
		printf("%" PRIu64 " rows and %" PRIu64 " columns compared: %" PRIu64
		       " cells differ; %" PRIu64 " rows only in the first, %" PRIu64
		       " only in the second\n",
		       result.matched, result.columns, result.differences, result.only_a,
		       result.only_b);
	return result.differences || result.only_a || result.only_b ? 1 : 0;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "compare two ops reports, op by op",
	.usage = "[options] FIRST.csv SECOND.csv",
	.description =
		"Brings together the rows of two ops reports by call count, trace and replay, and "
		"prints the cells that differ in the columns that both have. Numbers are compared as "
		"numbers, and empty, nan and None are the same; columns that only one of the two ways "
		"to measure fills may be empty on one side. Exits with 1 when anything differs.",
	.examples = "  tacho diff a/reports/ops_perf_results.csv b/reports/ops_perf_results.csv\n"
		    "  tacho diff --tolerance 5 before.csv after.csv\n"
		    "      what changed by more than 5 %\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_diff_init,
	.run = cmd_diff_run,
};
