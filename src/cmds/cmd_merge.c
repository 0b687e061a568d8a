/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "merge": put recordings of several ranks and hosts on one clock. */
#include "base/fmt.h"
#include "base/table.h"
#include "cmds/cmds.h"
#include "fleet/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const aligns[] = {"auto", "collectives", "realtime", NULL};

struct conf {
	const char *output, *markers;
	bool force;
	int align, format;
	int64_t reference, max_bound;
	struct opt_list offsets;
};

static const struct opt opts[] = {
	OPT_STR('o', "output", "FILE", struct conf, output,
		"write to FILE (default: merged.tacho)"),
	OPT_FLAG('f', "force", struct conf, force, "replace FILE when it exists"),
	OPT_INT(0, "reference", "RANK", struct conf, reference,
		"the rank whose clock the others are moved to (default: the lowest)"),
	OPT_ENUM(0, "align", struct conf, align, aligns,
		 "auto: collectives that hosts share, else real time"),
	OPT_STR(0, "markers", "REGEX", struct conf, markers,
		"names of zones that no rank leaves before all have come (default: all-reduce, "
		"all-gather, reduce-scatter, all-to-all, barrier)"),
	OPT_LIST(0, "offset", "RANK=NS", struct conf, offsets,
		 "move the host of RANK by NS nanoseconds; may be repeated"),
	OPT_TIME(0, "max-bound", "TIME", struct conf, max_bound,
		 "exit with 4 if a clock is not known this well: 50us"),
	OPT_ENUM(0, "format", struct conf, format, table_formats,
		 "choose the format of the list of hosts; json has every figure"),
	OPT_END,
};

static void merge_init(void *conf)
{
	((struct conf *)conf)->reference = -1;
	((struct conf *)conf)->output = "merged.tacho";
}

static const struct table_column merge_columns[] = {
	{"host", "host", TABLE_STRING},
	{"ranks", "ranks", TABLE_STRING},
	{"offset_ns", "offset", TABLE_NS},
	{"drift_ppm", "drift ppm", TABLE_NUMBER},
	{"bound_ns", "error at most", TABLE_NS},
	{"spread_ns", "likely error", TABLE_NS},
	{"collectives", "collectives", TABLE_COUNT},
	{"unmatched", NULL, TABLE_COUNT},
	{"windows", NULL, TABLE_COUNT},
	{"by", "by", TABLE_STRING},
	{"trouble", "trouble", TABLE_STRING},
};

static void known_or_none(struct table *t, double value)
{
	if (isnan(value))
		table_none(t);
	else
		table_real(t, value);
}

static int merge_print(const struct fleet_result *result, const struct conf *conf,
		       const struct cmd_common *common)
{
	static const char *const methods[FLEET_METHODS] = {"reference", "collectives", "real time",
							   "--offset"};
	struct table_style style = {.format = (enum table_format)conf->format,
				    .color = term_use_color(common->color, stdout),
				    .width = term_columns(stdout)};
	struct table t;

	table_open(&t, stdout, &style, TABLE_COLUMNS(merge_columns));
	for (size_t i = 0; i < result->host_count; i++) {
		const struct fleet_host *h = &result->hosts[i];

		table_text(&t, h->name);
		table_text(&t, h->ranks);
		table_real(&t, h->offset_ns);
		table_real(&t, round(h->drift * 1e9) / 1e3);
		known_or_none(&t, h->bound_ns);
		known_or_none(&t, h->spread_ns);
		table_uint(&t, h->collectives);
		table_uint(&t, h->unmatched);
		table_uint(&t, h->windows);
		table_text(&t, methods[h->method]);
		table_text(&t, h->trouble);
		table_row(&t);
	}
	return table_close(&t);
}

/* "2=-1500" */
static int offsets_read(const struct opt_list *list, struct fleet_offset *offsets,
			struct tacho_error *err)
{
	for (size_t i = 0; i < list->n; i++) {
		char *end, *last;

		offsets[i].rank = strtoll(list->v[i], &end, 10);
		offsets[i].ns = *end == '=' ? strtod(end + 1, &last) : NAN;
		if (end == list->v[i] || *end != '=' || last == end + 1 || *last ||
		    !isfinite(offsets[i].ns))
			return err_set(err, TACHO_EUSAGE, "--offset: '%s' is not RANK=NS",
				       list->v[i]);
	}
	return 0;
}

static int merge_run(void *verb_conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *conf = verb_conf;
	struct fleet_offset *offsets = calloc(conf->offsets.n + 1, sizeof(*offsets));
	struct fleet_options options = {.align = conf->align,
					.reference = conf->reference,
					.markers = conf->markers,
					.offsets = offsets,
					.offset_count = conf->offsets.n,
					.force = conf->force};
	struct fleet_result result = {0};
	struct tacho_error err = {0};
	char zones[FMT_SIZE], span[FMT_SIZE];
	bool doubtful = false;
	int r = offsets ? offsets_read(&conf->offsets, offsets, &err) : TACHO_ENOMEM;

	if (r == 0 && argc < 2)
		r = err_set(&err, TACHO_EUSAGE, "merge takes two recordings or more");
	if (r == 0 && argc > 4096)
		r = err_set(&err, TACHO_EUSAGE, "more than 4096 recordings");
	if (r == 0)
		r = fleet_merge((const char *const *)argv, (size_t)argc, conf->output, &options,
				&result, &err);
	opt_list_free(&conf->offsets);
	free(offsets);
	if (r < 0)
		return err_report(&err, r);
	if (!common->quiet)
		err_note("%s: %zu recordings of %zu hosts, %s zones, %s", conf->output,
			 result.sources, result.host_count, fmt_count(zones, result.zones),
			 fmt_ns(span, result.span_ns));
	r = merge_print(&result, conf, common);
	for (size_t i = 0; i < result.host_count; i++) {
		const struct fleet_host *h = &result.hosts[i];

		doubtful |= h->trouble[0] || (conf->max_bound && h->method != FLEET_REFERENCE &&
					      !(h->bound_ns <= (double)conf->max_bound));
	}
	fleet_result_free(&result);
	return r < 0 ? err_report(NULL, r) : doubtful ? err_exit_code(TACHO_EDAMAGED) : 0;
}

const struct cmd cmd_merge = {
	.name = "merge",
	.summary = "put recordings of several ranks and hosts on one clock",
	.usage = "[options] FILE FILE...",
	.description =
		"Writes one trace with everything of the given ones. Recordings of one boot of a machine "
		"share its clock exactly. Other hosts are moved to the clock of the reference by the "
		"collectives that they have in common: no member leaves one before all have arrived, which "
		"bounds the difference of the clocks from both sides. Without collectives the real-time "
		"clocks are taken as equal, which is as good as NTP: the error is unknown.\n\n"
		"The table lists for each host how far its clock was off, its drift, the largest error that "
		"the collectives allow, and the likely one, by how much their ends differ. The rank of "
		"a recording is that of its job's launcher, else that of a folder rank<N>, else its "
		"position. Exits with 4 if a host could not be placed as asked for: then it is placed by "
		"real time.",
	.examples = "tacho merge -o all.tacho rank*/app.tacho\n  one trace of all ranks\n"
		    "tacho merge --markers '^step$' a.tacho b.tacho\n"
		    "  zones called step begin and end together\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = merge_init,
	.run = merge_run,
};
