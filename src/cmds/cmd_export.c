#include "base/output.h"
#include "cmds/query.h"

#include <stdlib.h>
#include <string.h>

struct conf {
	struct query_conf query;
	int to;
	const char *output;
	bool force;
};

static const struct opt opts[] = {
	OPT_ENUM(0, "to", struct conf, to, export_formats,
		 "chrome: events for Perfetto and chrome://tracing; csv: all zones; json: "
		 "everything"),
	OPT_STR('o', "output", "FILE", struct conf, output,
		"write to FILE, - is standard output; the default is the name of the trace "
		"with another ending"),
	OPT_FLAG('f', "force", struct conf, force, "replace an existing file"),
	QUERY_NAME(struct conf, query),
	OPT_STR('r', "range", "T0..T1", struct conf, query.range,
		"only what reaches into this time: 1s..2.5s, 250ms.., ..3s, 1s+20ms, 10%..20%, "
		"-1s.. (the last second)"),
	QUERY_PROCESS(struct conf, query),
	QUERY_THREAD(struct conf, query),
	OPT_END,
};

static bool strip(char *path, const char *ending)
{
	size_t len = strlen(path), n = strlen(ending);

	if (len <= n || strcmp(path + len - n, ending))
		return false;
	path[len - n] = 0;
	return true;
}

/* app.tacho gives app.json or app.csv, beside it. */
static char *default_output(const char *trace, enum export_format format)
{
	char *stem = strdup(trace), *path = NULL;

	if (!stem)
		return NULL;
	strip(stem, ".part");
	strip(stem, ".tacho");
	if (asprintf(&path, "%s.%s", stem, format == EXPORT_CSV ? "csv" : "json") < 0)
		path = NULL;
	free(stem);
	return path;
}

static int write_file(struct query *q, const struct conf *conf, const char *path)
{
	struct output out;
	struct progress progress;
	int r = output_open(&out, path, conf->force, &q->err);

	if (r < 0)
		return r;
	progress_start(&progress, q->common->quiet);
	r = export_write(out.file, q->trace, (enum export_format)conf->to, &q->filter, &progress);
	progress_end(&progress);
	if (r == TACHO_EWRITE || r == 0)
		return output_close(&out, &q->err);
	output_abandon(&out);
	return r;
}

static int print(struct query *q, void *verb_conf)
{
	const struct conf *conf = verb_conf;
	char *path = conf->output ? strdup(conf->output)
				  : default_output(q->trace->path, (enum export_format)conf->to);
	int r = TACHO_ENOMEM;

	q->filter.overlap = true;
	if (path)
		r = write_file(q, conf, path);
	if (r == 0 && strcmp(path, "-") && !q->common->quiet)
		fprintf(stderr, "tacho: wrote %s\n", path);
	free(path);
	return r;
}

QUERY_RUN(print)

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write a trace in another format",
	.usage = "[--to=chrome|csv|json] [-o FILE] [-f] [options] FILE",
	.description =
		"Writes a trace, or a part of it, in a format that other tools read.\n\n"
		"chrome is the trace event format of Perfetto and chrome://tracing: zones, "
		"messages, plots, frames, memory, locks and losses of all processes. csv is a "
		"table of all zones, the same as that of 'tacho zones --format=csv'. json is "
		"one object with everything that the trace holds.",
	.examples =
		"tacho export --to=chrome app.tacho\n  writes app.json, to be opened in Perfetto\n"
		"tacho export --to=csv -o - -r 1s..2s app.tacho\n"
		"  zones of the second second on standard output\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
