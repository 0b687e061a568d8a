/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "import": convert traces of other tools. */
#include "base/fmt.h"
#include "base/text.h"
#include "cmds/cmds.h"
#include "cmds/tracy_notes.h"
#include "import/import.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct conf {
	const char *output;
	bool force;
};

static const struct opt opts[] = {
	OPT_STR('o', "output", "FILE", struct conf, output,
		"write to FILE; the default is the name of the input with the ending .tacho"),
	OPT_FLAG('f', "force", struct conf, force, "replace FILE if it exists"),
	OPT_END,
};

/* x.tacho for x.tracy, x.json or the text x.perf */
static char *import_default_output(const char *input)
{
	size_t len = strlen(input);
	char *path;

	if (text_ends_with(input, ".tracy"))
		len -= 6;
	else if (text_ends_with(input, ".json") || text_ends_with(input, ".perf") ||
		 text_ends_with(input, ".data"))
		len -= 5;
	return asprintf(&path, "%.*s.tacho", (int)len, input) < 0 ? NULL : path;
}

static void left_out_print(const struct import_notes *n)
{
	char count[FMT_SIZE];

	if (n->left_out)
		fprintf(stderr, "tacho: %s events of other kinds were left out\n",
			fmt_count(count, n->left_out));
	if (n->copied)
		fprintf(stderr,
			"tacho: %s samples have copies of their stacks that cannot be walked: import "
			"what perf script prints\n",
			fmt_count(count, n->copied));
	if (n->cut)
		fprintf(stderr,
			"tacho: %s zones did not end within those they began in: cut there\n",
			fmt_count(count, n->cut));
}

/* A damaged input gives what precedes the damage, and exit code 4. */
static int import_convert(int fd, const char *input, const char *output, const struct conf *conf,
			  const struct cmd_common *common)
{
	struct trace_writer_options options = {.force = conf->force};
	struct tracy_notes notes = {{0}};
	struct import_notes left = {0};
	bool json = import_chrome_is(input);
	bool data = !json && import_perf_data_is(input);
	bool script = !json && !data && import_perf_script_is(input);
	struct tacho_error err = {0}, damage = {0};
	struct trace_writer *w;
	uint64_t zones;
	int r = trace_writer_open(&w, output, &options, &err);

	if (r < 0)
		return err_report(&err, r);
	if (json)
		r = import_chrome(w, fd, input, &left, &damage);
	else if (data)
		r = import_perf_data(w, fd, input, &left, &damage);
	else if (script)
		r = import_perf_script(w, fd, input, &left, &damage);
	else
		r = tracy_import(w, fd, input, &notes, &damage);
	if (r < 0 && r != TACHO_EDAMAGED) {
		char *part = NULL;

		trace_writer_abandon(w);
		if (asprintf(&part, "%s.part", output) >= 0)
			unlink(part);
		free(part);
		return err_report(&damage, r);
	}
	zones = trace_writer_zones(w);
	if (trace_writer_close(w, &err) < 0)
		return err_report(&err, err.code);
	if (!common->quiet) {
		char count[FMT_SIZE];

		err_note("%s: %s %s", output,
			 fmt_count(count, script || data ? left.samples : zones),
			 script || data ? "samples" : "zones");
		tracy_notes_print(&notes);
		left_out_print(&left);
	}
	return r < 0 ? err_report(&damage, r) : 0;
}

static int cmd_import_run(void *verb_conf, const struct cmd_common *common, int argc, char **argv)
{
	const struct conf *conf = verb_conf;
	struct tacho_error err = {0};
	char *output;
	int fd, r;

	if (argc != 1) {
		err_set(&err, TACHO_EUSAGE, "import takes one file");
		return err_report(&err, TACHO_EUSAGE);
	}
	fd = open(argv[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		err_errno(&err, TACHO_EREAD, "cannot read %s", argv[0]);
		return err_report(&err, TACHO_EREAD);
	}
	output = conf->output ? strdup(conf->output) : import_default_output(argv[0]);
	r = output ? import_convert(fd, argv[0], output, conf, common)
		   : err_report(NULL, TACHO_ENOMEM);
	free(output);
	close(fd);
	return r;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "convert the trace of another profiler",
	.usage = "[options] FILE.tracy|FILE.json|FILE.perf|perf.data",
	.description =
		"Converts a trace that Tracy has saved (versions 0.9.0 to 0.14.0) into one of ours. "
		"Zones, source locations, texts, messages, plots, frames, memory, locks and device "
		"contexts are kept; what has no place is counted and said. Every verb that reads a "
		"trace takes a .tracy file too; converting it once makes reading it faster.\n\n"
		"A .json file is read as a Chrome trace, as browsers, Perfetto and many tools write it: "
		"complete, begin, end, instant and counter events and names.\n\n"
		"A file of 'perf record', or the text of 'perf script', becomes samples with their call stacks, of the first event "
		"that it has. 'perf script -F +pid' adds the processes of threads. Samples of a "
		"clock count CPU time; those of another event, such as cycles, count that event, "
		"shown as if it were nanoseconds. Stacks and names of a file of 'perf record' "
		"are found by the files of this machine.",
	.examples =
		"tacho import run.tracy\n  writes run.tacho\n"
		"tacho import trace.json\n  writes trace.tacho\n"
		"perf script -F +pid >app.perf && tacho import app.perf && tacho stacks app.tacho\n"
		"  what perf has sampled\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = cmd_import_run,
};
