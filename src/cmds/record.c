/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by "run" and "capture": options, signals, progress, the last lines. */
#include "cmds/record.h"
#include "base/fmt.h"
#include "cmds/port.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

const char *const record_policies[] = {"drop", "block", "overwrite", NULL};

static volatile sig_atomic_t stops, forward[NSIG];
static volatile sig_atomic_t has_command; /* it is in our group */
static volatile sig_atomic_t late[NSIG];  /* received by the child that will be the command */
static pid_t recorder;
static bool wrapped;
static pid_t parent; /* then */
/* Caught signals; those after SIGCHLD are ignored: a closed pipe or a full file fails one write. */
static const int caught[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
			     SIGUSR2, SIGCHLD, SIGPIPE, SIGXFSZ};
#define CAUGHT (int)(sizeof(caught) / sizeof(caught[0]))
static struct sigaction old_actions[CAUGHT];
static struct rlimit old_files;
static bool files_raised;

#define SESSION_MB_DEFAULT (-1) /* depends on the free memory */

static int64_t record_env_number(const char *name, int64_t otherwise)
{
	const char *text = getenv(name);
	char *end;
	long long n;

	if (!text || !*text)
		return otherwise;
	n = strtoll(text, &end, 10);
	if (*end || n <= 0) {
		err_warn("%s='%s' is not a positive number; it is ignored", name, text);
		return otherwise;
	}
	return n;
}

void record_init(struct record_conf *conf)
{
	const char *policy = getenv("TACHO_POLICY"), *output = getenv("TACHO_OUTPUT");

	conf->output = output && *output ? output : NULL;
	conf->limit_mb = record_env_number("TACHO_LIMIT_MB", 512);
	conf->session_mb = record_env_number("TACHO_SESSION_MB", SESSION_MB_DEFAULT);
	conf->block_ms = 100;
	for (int i = 0; policy && *policy && record_policies[i]; i++)
		if (!strcmp(policy, record_policies[i]))
			conf->policy = i;
}

void record_options(const struct record_conf *conf, struct capture_options *options)
{
	memset(options, 0, sizeof(*options));
	options->output = conf->output;
	options->force = conf->force;
	options->durable = conf->durable;
	options->ring.limit_mb = (uint32_t)(conf->limit_mb > 0 ? conf->limit_mb : 1);
	if (conf->session_mb != SESSION_MB_DEFAULT)
		options->ring.session_mb = (uint32_t)(conf->session_mb > 0 ? conf->session_mb : 1);
	options->ring.policy = (uint32_t)conf->policy;
	options->ring.block_ms = (uint32_t)conf->block_ms;
	options->ring.ring_kb = (uint32_t)record_env_number("TACHO_RING_KB", 4096);
}

/*
 * A program built with Tracy listens on its port, or on one of the next if that is taken, for
 * example by its parent. Ports that were already taken are skipped.
 */
int record_tracy(struct record_conf *conf, int64_t port, struct tacho_error *err)
{
	char number[24];

	if (port < 1 || port > 65535)
		return err_set(err, TACHO_EUSAGE, "no port %lld", (long long)port);
	for (int i = 0; i < RECORD_PORTS && port + i <= 65535; i++)
		if (port_is_free((int)port + i))
			conf->tracy_ports[conf->tracy_port_count++] = (uint16_t)(port + i);
	snprintf(number, sizeof(number), "%lld", (long long)port);
	setenv("TRACY_PORT", number, 1);
	return 0;
}

/* ------------------------------------------------------------- sampling */

static bool sample_is_strict(const struct record_conf *conf)
{
	return conf->sample && !strcmp(conf->sample, "strict");
}

static int sample_options(const struct record_conf *conf, struct sampler_options *options,
			  struct tacho_error *err)
{
	long long hz = SAMPLER_HZ;
	char *end = NULL;

	if (strcmp(conf->sample, "auto") != 0 && !sample_is_strict(conf)) {
		hz = strtoll(conf->sample, &end, 10);
		if (end == conf->sample || *end || hz < 1 || hz > SAMPLER_HZ_MOST)
			return err_set(err, TACHO_EUSAGE,
				       "--sample: '%s' is neither strict nor a rate from 1 to %d "
				       "per second",
				       conf->sample, SAMPLER_HZ_MOST);
	}
	if (conf->stack_kb < 0 || conf->stack_kb > SAMPLER_STACK_MOST / 1024)
		return err_set(err, TACHO_EUSAGE, "--stack-kb is from 1 to %d",
			       SAMPLER_STACK_MOST / 1024);
	options->hz = (uint32_t)hz;
	options->adaptive = !conf->stack_kb;
	options->stack_bytes =
		conf->stack_kb ? (uint32_t)conf->stack_kb * 1024 : SAMPLER_STACK_BYTES;
	return 0;
}

/* Continues without sampling, or not at all. */
static int sample_refused(struct recording *r, const struct record_conf *conf,
			  const struct tacho_error *err)
{
	if (r->sampling)
		capture_sample_cancel(r->capture);
	r->sampling = false;
	if (sample_is_strict(conf)) {
		err_report(err, err->code);
		return TACHO_ECONNECT;
	}
	err_warn("not sampled: %s", err->text);
	return 0;
}

int record_sample_open(struct recording *r, const struct record_conf *conf)
{
	struct sampler_options options = {0};
	struct tacho_error err = {0};
	int code;

	if (!conf->sample)
		return 0;
	code = sample_options(conf, &options, &err);
	if (code < 0) {
		err_report(&err, code);
		return code;
	}
	if (capture_sample(r->capture, &options, &err) < 0)
		return sample_refused(r, conf, &err);
	r->sampling = true;
	return 0;
}

int record_sample_add(struct recording *r, const struct record_conf *conf, pid_t pid, bool on_exec)
{
	struct tacho_error err = {0};

	if (!r->sampling || capture_sample_add(r->capture, pid, on_exec, &err) == 0)
		return 0;
	if (sample_is_strict(conf) || capture_sample_poll(r->capture, pid) < 0)
		return sample_refused(r, conf, &err);
	err_warn("only waiting threads are sampled, not running code: %s", err.text);
	return 0;
}

int record_sample_start(struct recording *r, const struct record_conf *conf)
{
	struct tacho_error err = {0};

	if (!r->sampling || capture_sample_start(r->capture, &err) == 0)
		return 0;
	return sample_refused(r, conf, &err);
}

/* -------------------------------------------------------------- signals */

static int64_t ms_between(const struct timespec *from, const struct timespec *to)
{
	return (to->tv_sec - from->tv_sec) * 1000 + (to->tv_nsec - from->tv_nsec) / 1000000;
}

static bool asks_to_stop(int number)
{
	return number != SIGUSR1 && number != SIGUSR2;
}

/*
 * Our parent forwards its signals. A signal to the whole group also reached us, and the command,
 * directly. Counts cannot be compared, since pending signals merge: a forwarded signal shortly
 * after a direct one counts as the same. On a busy machine it may be late.
 */
static void on_signal_wrapped(int number, const siginfo_t *info, const struct timespec *now)
{
	static struct timespec direct[NSIG];
	bool by_parent = info->si_code != SI_KERNEL && info->si_pid == getppid();

	if (!has_command)
		forward[number] = 1;
	if (!by_parent)
		direct[number] = *now;
	else if (direct[number].tv_sec && ms_between(&direct[number], now) < 10000)
		return;
	else
		forward[number] = 1;
	stops += asks_to_stop(number);
}

static void record_on_signal(int number, siginfo_t *info, void *context)
{
	static struct timespec last;
	static int last_number;
	struct timespec now;

	(void)context;
	if (number == SIGCHLD)
		return; /* only to interrupt a sleep */
	if (getpid() != recorder) {
		late[number] = 1;
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (wrapped) {
		on_signal_wrapped(number, info, &now);
		return;
	}
	/*
	 * timeout(1) and others signal the process and its group: that is one request. Two keys on
	 * a terminal are two.
	 */
	if (asks_to_stop(number)) {
		if (stops && info->si_code != SI_KERNEL && number == last_number &&
		    ms_between(&last, &now) < 250)
			return;
		last = now;
		last_number = number;
		stops++;
	}
	/*
	 * A terminal signals the whole group, so the command, if there is one, has it too; kill(1)
	 * signals only us.
	 */
	if (info->si_code != SI_KERNEL || !has_command)
		forward[number] = 1;
}

void record_wrapped(void)
{
	wrapped = true;
	parent = getppid();
	prctl(PR_SET_PDEATHSIG, SIGCHLD); /* to interrupt a sleep */
}

bool record_is_wrapped(void)
{
	return wrapped;
}

bool record_orphaned(void)
{
	return wrapped && getppid() != parent;
}

void record_catch_signals(void)
{
	struct sigaction note, ignore;

	/* A second recording in one process: the saved signal actions are not ours. */
	if (recorder == getpid())
		return;
	recorder = getpid();
	memset(&note, 0, sizeof(note));
	memset(&ignore, 0, sizeof(ignore));
	note.sa_sigaction = record_on_signal;
	note.sa_flags = SA_SIGINFO;
	sigfillset(&note.sa_mask);
	ignore.sa_handler = SIG_IGN;
	for (int i = 0; i < CAUGHT; i++) {
		bool noted = caught[i] != SIGPIPE && caught[i] != SIGXFSZ;

		sigaction(caught[i], NULL, &old_actions[i]);
		/* Ignored signals stay ignored: nohup. */
		if (old_actions[i].sa_handler != SIG_IGN || caught[i] == SIGCHLD)
			sigaction(caught[i], noted ? &note : &ignore, NULL);
	}
}

void record_raise_files(void)
{
	struct rlimit files;

	if (files_raised || getrlimit(RLIMIT_NOFILE, &old_files) < 0)
		return;
	files_raised = true;
	files = old_files;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

void record_has_command(void)
{
	has_command = 1;
}

void record_restore(void)
{
	if (files_raised)
		setrlimit(RLIMIT_NOFILE, &old_files);
	for (int i = 0; i < CAUGHT; i++)
		sigaction(caught[i], &old_actions[i], NULL);
	for (int number = 1; number < NSIG; number++)
		if (late[number])
			raise(number);
}

int record_stops(void)
{
	return stops;
}

bool record_insisted(void)
{
	return stops > 1 && !wrapped;
}

int record_take_signal(void)
{
	for (int number = 1; number < NSIG; number++) {
		if (forward[number]) {
			forward[number] = 0;
			return number;
		}
	}
	return 0;
}

/* ----------------------------------------------------------------- loop */

static void record_progress_show(struct recording *r)
{
	struct capture_summary s;
	char zones[FMT_SIZE], bytes[FMT_SIZE], lost[FMT_SIZE];

	if (!r->progress.start_ns)
		progress_start(&r->progress, r->quiet);
	if (!progress_due(&r->progress))
		return;
	capture_summary(r->capture, &s);
	progress_update(&r->progress, "%s zones  %s  %s lost", fmt_count(zones, s.zones),
			fmt_bytes(bytes, (double)s.bytes), fmt_count(lost, s.lost));
}

/*
 * A failed write loses nothing: report what is saved, what is in memory, and how to continue. One
 * line, since it appears in the middle of the program's output.
 */
static void report_stop(const char *why, const char *session, const struct capture_summary *s)
{
	char zones[FMT_SIZE], rings[FMT_SIZE];

	err_warn(
		"recording has stopped: %s; %s zones are saved there and %s of rings are kept in "
		"memory: free some space, then 'tacho recover -f %s' completes the trace, or -o FILE "
		"writes it elsewhere",
		why, fmt_count(zones, s->saved), fmt_bytes(rings, (double)s->rings), session);
}

bool record_round(struct recording *r)
{
	struct capture_summary s;
	struct tacho_error err;

	if (r->failed)
		return false;
	if (capture_round(r->capture, &err) < 0) {
		progress_end(&r->progress);
		r->failed = true;
		r->code = err.code;
		capture_summary(r->capture, &s);
		report_stop(err.text, capture_session(r->capture), &s);
		capture_give_up(r->capture);
		return false;
	}
	record_progress_show(r);
	return true;
}

/* Reported even with --quiet. */
static void last_warnings(const struct recording *r, const struct capture_summary *s,
			  const char *output)
{
	char lost[FMT_SIZE];

	if (r->quiet && s->lost)
		err_warn("%s: %s events were lost", output, fmt_count(lost, s->lost));
	if (s->failed)
		err_warn("%llu thread%s got no memory for a ring: what %s emitted is lost",
			 (unsigned long long)s->failed, s->failed == 1 ? "" : "s",
			 s->failed == 1 ? "it" : "they");
}

int record_finish(struct recording *r, const struct record_conf *conf)
{
	struct capture_summary s = {0};
	struct tacho_error err = {0};
	char output[RING_PATH], session[RING_PATH];
	uint64_t reported = 0;
	int code;

	progress_end(&r->progress);
	snprintf(output, sizeof(output), "%s", capture_output(r->capture));
	snprintf(session, sizeof(session), "%s", capture_session(r->capture));
	code = capture_finish(r->capture, &s, &err);
	if (code < 0 && r->failed)
		return err_exit_code(r->code);
	if (code < 0 && access(session, F_OK) != 0)
		return err_report(&err, code);
	if (code < 0) {
		report_stop(err.text, session, &s);
		return err_exit_code(code);
	}
	if (!r->quiet) {
		char zones[FMT_SIZE], bytes[FMT_SIZE], lost[FMT_SIZE];

		err_note("%s: %llu process%s, %llu thread%s, %s zones, %s, %s%s lost", output,
			 (unsigned long long)s.processes, s.processes == 1 ? "" : "es",
			 (unsigned long long)s.threads, s.threads == 1 ? "" : "s",
			 fmt_count(zones, s.zones), fmt_bytes(bytes, (double)s.bytes),
			 s.lost ? fmt_count(lost, s.lost) : "nothing", s.lost ? " events" : "");
		if (s.processes == 0)
			err_note(
				"no program recorded anything: does it link libtacho? One that is written "
				"for Tracy needs -DTRACY_ENABLE, one that is built with Tracy a port");
	}
	last_warnings(r, &s, output);
	for (int i = 0; i < CAPTURE_ABSENT_LINES && s.absent_text[i][0]; i++, reported++)
		err_warn("%s", s.absent_text[i]);
	if (s.absent > reported)
		err_warn(
			"%llu %sprocess%s could not be recorded; 'tacho info --show=absent %s' lists "
			"what is known",
			(unsigned long long)(s.absent - reported), reported ? "more " : "",
			s.absent - reported == 1 ? "" : "es", output);
	return conf->strict && (s.lost || s.failed || s.absent) ? 6 : 0;
}
