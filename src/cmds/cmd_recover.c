/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "recover": finish the trace of a recorder that was killed. */
#include "base/term.h"
#include "cmds/cmds.h"
#include "cmds/record.h"

#include <stdio.h>
#include <stdlib.h>

struct conf {
	struct record_conf record;
	bool keep;
};

static const struct opt opts[] = {
	OPT_STR('o', "output", "FILE", struct conf, record.output, "write the trace to FILE"),
	OPT_FLAG(
		'f', "force", struct conf, record.force,
		"without -o write where the recorder was writing; replace the file when it exists"),
	OPT_FLAG(0, "keep", struct conf, keep,
		 "leave the session and its unfinished file as they are"),
	OPT_END,
};

/* Lists the sessions without a recorder, one per line. */
static int list_sessions(void)
{
	struct ring_session_info *list = NULL;
	size_t count = 0, found = 0;
	int r = ring_sessions(&list, &count);

	if (r < 0)
		return err_report(NULL, r);
	for (size_t i = 0; i < count; i++) {
		if (list[i].recorder)
			continue;
		term_print_safe(stdout, list[i].dir);
		printf("  was writing ");
		term_print_safe(stdout, list[i].output);
		putchar('\n');
		found++;
	}
	free(list);
	if (!found)
		printf("no session is waiting to be recovered\n");
	return 0;
}

static int cmd_recover_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct recording r = {.quiet = common->quiet};
	struct capture_options options;
	struct tacho_error err = {0};
	int code;

	if (argc == 0)
		return list_sessions();
	if (argc > 1) {
		err_set(&err, TACHO_EUSAGE, "recover takes one session directory");
		return err_report(&err, TACHO_EUSAGE);
	}
	record_options(&cf->record, &options);
	record_raise_files();
	options.keep = cf->keep;
	code = capture_resume(&r.capture, argv[0], &options, &err);
	if (code == TACHO_ENO) {
		if (!common->quiet)
			err_note("nothing is left to do, %s", err.text);
		return 0;
	}
	if (code < 0)
		return err_report(&err, code);
	return record_finish(&r, &cf->record);
}

const struct cmd cmd_recover = {
	.name = "recover",
	.summary = "finish the trace of a killed recorder",
	.usage = "[options] [DIRECTORY]",
	.description =
		"Without an operand lists the sessions whose recorder has died, or could not write. With "
		"a session directory it completes the trace from the recorder's unfinished file and from "
		"the rings of all its programs, dead or alive, and removes the directory. Programs of the "
		"session that are still alive stop recording; 'tacho capture --session DIRECTORY' goes "
		"on with them instead.\n\n"
		"Where the trace goes is for you to say: any process of the session can change what the "
		"session says. -o names a file, -f accepts the one that is listed.\n\n"
		"Only sessions of your own are read.",
	.examples = "  tacho recover\n"
		    "      lists what can be recovered\n"
		    "  tacho recover -f /dev/shm/tacho-1000/s.k3Jd8f\n"
		    "      writes the trace where its recorder was writing\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = cmd_recover_run,
};
