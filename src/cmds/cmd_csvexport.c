/* SPDX-License-Identifier: Apache-2.0 */
/* csvexport under its three names: the two original lines differ in the meaning of -p. */
#include "base/term.h"
#include "cmds/cmds.h"
#include "tracy/tracy.h"

#include <string.h>

struct conf {
	struct tracy_csv_options csv;
	bool version;
};

#define COMMON_OPTS                                                                                \
	OPT_STR('f', "filter", "TEXT", struct conf, csv.filter, "select names that contain TEXT"), \
		OPT_STR('s', "sep", "TEXT", struct conf, csv.separator,                            \
			"separate columns by TEXT (default: a comma)"),                            \
		OPT_FLAG('c', "case", struct conf, csv.case_sensitive,                             \
			 "distinguish upper and lower case in --filter"),                          \
		OPT_FLAG('e', "self", struct conf, csv.self,                                       \
			 "print self times, without the zones inside"),                            \
		OPT_FLAG('u', "unwrap", struct conf, csv.unwrap,                                   \
			 "print a row per zone instead of a row per source location"),             \
		OPT_FLAG('m', "messages", struct conf, csv.messages,                               \
			 "print messages instead of zones"),                                       \
		OPT_FLAG('g', "gpu", struct conf, csv.devices, "print zones of devices"),          \
		OPT_STR('x', "specialFunctions", "NAMES", struct conf, csv.special,                \
			"names, separated by commas, whose parent's text is printed beside them"), \
		OPT_FLAG(0, "tid", struct conf, csv.tid,                                           \
			 "print the system's thread ids, not numbers from 1")

static const char *const layouts[] = {"tt", "tt-0.10", "upstream", NULL};

static const struct opt opts[] = {
	COMMON_OPTS,
	OPT_STR('t', "specialParent", "TEXT", struct conf, csv.parent,
		"select parents whose name contains TEXT"),
	OPT_FLAG('p', "plots", struct conf, csv.plots,
		 "with --unwrap: print points of plots and memory too"),
	OPT_ENUM(0, "layout", struct conf, csv.layout, layouts,
		 "whose columns --unwrap prints: Tenstorrent's, those of its 0.10, or those of "
		 "Tracy 0.14"),
	OPT_FLAG('V', "version", struct conf, version, "print the version"),
	OPT_END,
};

static const struct opt release_opts[] = {
	COMMON_OPTS,
	OPT_STR('p', "specialParent", "TEXT", struct conf, csv.parent,
		"select parents whose name contains TEXT"),
	OPT_STR('t', NULL, "TEXT", struct conf, csv.parent, "the same"),
	OPT_END,
};

static void release_init(void *conf)
{
	((struct conf *)conf)->csv.layout = TRACY_CSV_TT10;
}

static int cmd_csvexport_run(void *verb_conf, const struct cmd_common *common, int argc,
			     char **argv)
{
	const struct conf *conf = verb_conf;
	struct tacho_error err = {0};
	struct trace *trace = NULL;
	FILE *out;
	int r;

	if (conf->version) {
		printf("tacho csvexport %s\n", TACHO_VERSION);
		return 0;
	}
	if (argc != 1)
		r = err_set(&err, TACHO_EUSAGE, "csvexport takes one file");
	else
		r = tracy_open_any(&trace, argv[0], NULL, &err);
	if (r == 0) {
		out = term_guard(stdout);
		r = tracy_csv(trace, out, &conf->csv, &err);
		term_unguard(out, stdout);
	}
	if (r < 0) {
		r = cmds_stdout_failed() ? 0 : err_report(&err, r);
	} else if (trace->damage.text[0]) {
		fflush(stdout);
		err_set(&err, TACHO_EDAMAGED, "%s", trace->damage.text);
		if (!common->quiet)
			err_report(&err, TACHO_EDAMAGED);
		r = err_exit_code(TACHO_EDAMAGED);
	}
	if (trace)
		trace_close(trace);
	return r;
}

const struct cmd cmd_csvexport = {
	.name = "csvexport",
	.aliases = {"tracy-csvexport"},
	.summary = "print a trace as Tracy's csvexport does",
	.usage = "[options] FILE",
	.description =
		"Prints what tracy-csvexport prints of a .tracy file, and of a .tacho file too: a row "
		"per source location with count, total, mean, smallest, largest and deviation, or "
		"with -u a row per zone, with -m messages, with -g zones of devices.\n\n"
		"Columns and options are those of the original, and so are the numbers of threads "
		"unless --tid asks for the system's. Better than there: a text belongs to its own row "
		"only, the deviation of -e is that of the times shown, quotes and line ends in names "
		"do not break a row, zones of no length count, rows come in a fixed order (by total "
		"time, or by start), device zones are found.",
	.examples = "tracy-csvexport -u -t TT_ -x CompileProgram run.tracy\n"
		    "  all zones; beside CompileProgram the text of the op around it\n"
		    "tacho csvexport -m -s ';' run.tracy\n  messages and their times\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = cmd_csvexport_run,
};

const struct cmd cmd_csv_release = {
	.name = "csvexport-release",
	.aliases = {"csvexport-release"},
	.summary = "print a trace as the csvexport of Tenstorrent's Tracy 0.10 does",
	.usage = "[options] FILE",
	.description = "As 'tacho csvexport', but -p names the parent of special functions and the "
		       "rows of -u have no column 'value'.",
	.examples = "csvexport-release -u -p TT_DNN -x CompileProgram run.tracy\n"
		    "  all zones; beside CompileProgram the text of the op around it\n",
	.opts = release_opts,
	.conf_size = sizeof(struct conf),
	.init = release_init,
	.run = cmd_csvexport_run,
};
