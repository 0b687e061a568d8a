/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the reading verbs: open a trace, select a part of it, report what is missing. A verb is
 * a function that prints; query_run() does everything around it:
 *
 *	struct conf { struct query_conf query; bool reverse; };
 *	static const struct opt opts[] = {QUERY_NAME(struct conf, query), ..., OPT_END};
 *	static int print(struct query *q, void *conf) {...}
 *	QUERY_RUN(print)
 *	const struct cmd cmd_x = {.name = "x", .opts = opts, ..., .run = run};
 *
 * The query_conf is the first field of a verb's conf.
 */
#ifndef CMDS_QUERY_H
#define CMDS_QUERY_H

#include "cmds/cmds.h"
#include "tracy/tracy.h"
#include "view/zone_stream.h"

struct query_conf {
	const char *name;
	const char *range;
	struct opt_list processes, threads;
	int format; /* enum table_format */
	bool guard;
};

#define QUERY_NAME(s, f)                                                                           \
	OPT_STR('n', "name", "PATTERN", s, f.name,                                                 \
		"select names that contain PATTERN; =TEXT is the whole name, a pattern with * or " \
		"? a glob, /RE/ a regular expression")
#define QUERY_RANGE(s, f)                                                                       \
	OPT_STR('r', "range", "T0..T1", s, f.range,                                             \
		"select what starts in this time: 1s..2.5s, 250ms.., ..3s, 1s+20ms, 10%..20%, " \
		"-1s.. (the last second)")
#define QUERY_PROCESS(s, f)                                  \
	OPT_LIST('p', "process", "PID|NAME", s, f.processes, \
		 "select this process, by number or by a pattern for its name; may be repeated")
#define QUERY_THREAD(s, f)                                \
	OPT_LIST('t', "thread", "TID|NAME", s, f.threads, \
		 "select this thread, by number or by a pattern for its name; may be repeated")
#define QUERY_FORMAT(s, f)                                                            \
	OPT_ENUM(0, "format", s, f.format, table_formats,                             \
		 "text for people; csv and json have plain figures in ns and bytes"), \
		OPT_FLAG(0, "guard", s, f.guard,                                      \
			 "csv: put ' before cells that a spreadsheet would take for a formula")

struct query {
	const struct cmd_common *common;
	struct trace *trace;
	struct view_filter filter; /* .in has times, tracks and, with --name, source locations */
	struct pattern name;
	uint8_t *tracks, *srclocs; /* filter.in points to these */
	struct table_style style;
	double ns_per_tick;
	struct tacho_error err; /* for the details of an error that print() returns */
	int exit_code;          /* exit code of a successful verb; print() may set it */
};

/*
 * Opens argv[0], applies CONF, calls PRINT, reports its error or the file's damage, and frees
 * everything, including the lists in CONF. Returns the exit code.
 */
int query_run(void *conf, const struct cmd_common *common, int argc, char **argv,
	      int (*print)(struct query *q, void *conf));

/* The run() of a verb that consists of its PRINT. */
#define QUERY_RUN(print)                                                                   \
	static int run(void *conf, const struct cmd_common *common, int argc, char **argv) \
	{                                                                                  \
		return query_run(conf, common, argc, argv, print);                         \
	}

/* A number of ticks (a duration, a sum of durations) in nanoseconds. */
double query_ns(const struct query *q, double ticks);

/* Calls CALL for the rows of all selected tracks of one kind; an error from CALL ends the loop. */
int query_rows(struct query *q, uint32_t kind,
	       int (*call)(void *context, const struct trace_row *row, uint32_t track),
	       void *context);

/* True if this is a track of the kind, of a chosen process, and matches --name. */
bool query_shows(const struct query *q, uint32_t track, uint32_t kind);

/* "T0..T1" in ticks of the trace. 0 or TACHO_EUSAGE. */
int query_range(const struct trace *trace, const char *text, uint64_t *t0, uint64_t *t1,
		struct tacho_error *err);

#endif
