/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by run, capture and recover: the loop, signals, the progress line, the last line. */
#ifndef CMDS_RECORD_H
#define CMDS_RECORD_H

#include "base/cmd.h"
#include "base/progress.h"
#include "capture/capture.h"

#define RECORD_PORTS 8

/* Options of every verb that records. */
struct record_conf {
	const char *output;
	bool force, durable, strict;
	int64_t limit_mb, session_mb, block_ms;
	int policy;
	/* Also records programs built with Tracy that listen on these ports. */
	uint16_t tracy_ports[RECORD_PORTS];
	size_t tracy_port_count;
	const char *sample; /* of --sample: NULL = not given */
	int64_t stack_kb;   /* 0 = as programs need */
};

#define RECORD_OPTS(s, f)                                                                                     \
	OPT_STR('o', "output", "FILE", s, f.output, "write the trace to FILE"),                               \
		OPT_FLAG('f', "force", s, f.force, "replace FILE if it exists"),                              \
		OPT_FLAG(0, "strict", s, f.strict, "exit with 6 if data was lost"),                           \
		OPT_FLAG(0, "durable", s, f.durable,                                                          \
			 "flush data to the disk every second: survives a power cut"),                        \
		OPT_INT(0, "limit-mb", "MB", s, f.limit_mb,                                                   \
			"limit the memory for events per process; beyond it --policy applies (default 512)"), \
		OPT_INT(0, "session-mb", "MB", s, f.session_mb,                                               \
			"limit the memory of all processes together (default: a quarter of what is free "     \
			"there, at least 512)"),                                                              \
		OPT_ENUM(                                                                                     \
			0, "policy", s, f.policy, record_policies,                                            \
			"at that limit: drop new events, block the program, or overwrite the oldest"),        \
		OPT_INT(0, "block-ms", "MS", s, f.block_ms,                                                   \
			"limit each wait of --policy=block to MS (default 100)")

/* For verbs that start or find programs themselves. */
#define RECORD_SAMPLE_OPTS(s, f)                                                                     \
	{.type = OPT_T_STR,                                                                          \
	 .name = "sample",                                                                           \
	 .arg = "HZ",                                                                                \
	 .bare = "auto",                                                                             \
	 .offset = offsetof(s, f.sample),                                                            \
	 .help = "also sample call stacks, HZ times per second of CPU time (default 997), and "      \
		 "follow what threads wait for; needs nothing of the program; strict: fail when "    \
		 "the kernel does not allow it"},                                                    \
		OPT_INT(0, "stack-kb", "KB", s, f.stack_kb,                                          \
			"copy this much of the stack with each sample, 1 to 58 KiB (default 16, or " \
			"58 as soon as stacks are found to be larger)")

extern const char *const record_policies[];

/* Defaults, then the environment (TACHO_OUTPUT, TACHO_LIMIT_MB, TACHO_SESSION_MB,
 * TACHO_POLICY, TACHO_RING_KB). */
void record_init(struct record_conf *conf);
void record_options(const struct record_conf *conf, struct capture_options *options);
/* Makes programs built with Tracy use PORT, through the environment, and records them there. */
int record_tracy(struct record_conf *conf, int64_t port, struct tacho_error *err);

/* A recording in progress. */
struct recording {
	struct capture *capture;
	bool quiet, failed;
	bool sampling; /* a sampler is open */
	int code;      /* of the failure */
	struct progress progress;
};

/*
 * With --sample: the sampler of R. record_sample_child() is for a child that waits before exec. If
 * the kernel denies sampling, it is reported once and recording continues without it, unless
 * --sample=strict: then these return an error that has been reported.
 */
int record_sample_open(struct recording *r, const struct record_conf *conf);
int record_sample_add(struct recording *r, const struct record_conf *conf, pid_t pid, bool on_exec);
int record_sample_start(struct recording *r, const struct record_conf *conf);

/* Raises the descriptor limit to the maximum: each recorded process costs two. */
void record_raise_files(void);
/* Records signals from here on: the number of stop requests, and the last signal. */
void record_catch_signals(void);
/* The parent forwards its signals to us: do not forward those sent to the group. */
void record_wrapped(void);
bool record_is_wrapped(void);
/* That parent was killed: the signal was meant for the command. */
bool record_orphaned(void);
/* From now on there is a command, which receives signals to the group itself. */
void record_has_command(void);
/* Undoes both, for the child between fork and exec. Signals received meanwhile are raised again. */
void record_restore(void);
int record_stops(void);
/* Stopped more than once: save at once. With a parent, the command decides. */
bool record_insisted(void);
/* A signal sent to this process only that the command should get too; 0 = none. Clears it. */
int record_take_signal(void);

/*
 * One round with progress. A write error is reported once and stops recording. False if it failed.
 */
bool record_round(struct recording *r);

/*
 * Runs argv and records it and its children into conf->output. SESSION is a directory or NULL; WAIT
 * continues while processes left by the command are alive. Returns the command's exit status, or an
 * error's after reporting it.
 */
int record_command(const struct record_conf *conf, const struct cmd_common *common,
		   const char *session, bool wait, char **argv);

/* Stops, saves, prints the last line. Returns the exit code, 0 on success. */
int record_finish(struct recording *r, const struct record_conf *conf);

#endif
