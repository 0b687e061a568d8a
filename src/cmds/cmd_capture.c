/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "capture": record programs that are running or start later. */
#include "base/now.h"
#include "cmds/cmds.h"
#include "cmds/record.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct conf {
	struct record_conf record;
	struct opt_list pids, tracy_ports;
	bool tracy;
	const char *session, *tracy_address;
	int64_t duration;
};

static const struct opt opts[] = {
	RECORD_OPTS(struct conf, record),
	RECORD_SAMPLE_OPTS(struct conf, record),
	OPT_LIST('p', "pid", "PID", struct conf, pids,
		 "record a running program that links libtacho, with --sample any program; may be "
		 "given several times"),
	OPT_LIST(
		0, "tracy-port", "PORT", struct conf, tracy_ports,
		"record programs built with Tracy that listen on PORT of this machine; may be repeated"),
	OPT_STR(0, "tracy-address", "ADDRESS", struct conf, tracy_address,
		"with --tracy-port: of this host, or IPv4 or IPv6 address, instead of this machine"),
	OPT_FLAG(0, "tracy", struct conf, tracy,
		 "record every program built with Tracy that announces itself on this machine"),
	OPT_STR('s', "session", "DIR", struct conf, session,
		"use this session directory; one whose recorder was killed is taken over"),
	OPT_TIME('t', "time", "TIME", struct conf, duration, "stop after TIME, such as 10s"),
	OPT_END,
};

static void cmd_capture_init(void *conf)
{
	record_init(&((struct conf *)conf)->record);
}

static bool has_control(const char *dir)
{
	char path[RING_PATH + 16];

	snprintf(path, sizeof(path), "%s/control", dir);
	return access(path, F_OK) == 0;
}

/*
 * Opens the session that programs started with TACHO_CAPTURE=1 look for: the existing one, or a new
 * one. False if there is no place for it.
 */
static bool well_known(char *dir, size_t size)
{
	struct ring_place places[RING_PLACES], place;
	unsigned n = ring_places_open(places);
	char note[RING_PLACE_PATH + 64];
	bool found = false;

	for (unsigned i = 0; i < n && !found; i++) {
		snprintf(dir, size, "%s/" RING_CAPTURE, places[i].path);
		found = has_control(dir);
	}
	ring_places_close(places, n);
	if (found)
		return true;
	if (ring_place_for_session(&place, note, sizeof(note), NULL) < 0)
		return false;
	if (note[0])
		err_warn("%s; using %s", note, place.path);
	snprintf(dir, size, "%s/" RING_CAPTURE, place.path);
	close(place.fd);
	return true;
}

/*
 * If another recorder owns the well-known session, open a private one for programs with
 * TACHO_SESSION.
 */
static int capture_session_open(struct capture **c, struct conf *cf,
				struct capture_options *options, struct tacho_error *err)
{
	static char dir[RING_PATH];
	int r;

	options->session = cf->session;
	if (!cf->session) {
		if (!options->output)
			options->output = "capture.tacho";
		if (!cf->pids.n && well_known(dir, sizeof(dir)))
			options->session = dir;
	}
	if (options->session && has_control(options->session)) {
		r = capture_resume(c, options->session, options, err);
		if (r != TACHO_ENO && (r != TACHO_ECONNECT || cf->session))
			return r;
		if (r == TACHO_ECONNECT)
			options->session = NULL;
	}
	if (!options->output)
		options->output = "capture.tacho";
	r = capture_open(c, options, err);
	return r == TACHO_ENO ? TACHO_EWRITE : r;
}

/*
 * Attaches to the program's own events, samples it, or both. A program without libtacho is recorded
 * if it can be sampled.
 */
static int attach_all(struct recording *rec, const struct conf *cf, struct tacho_error *err)
{
	bool sampled;

	for (size_t i = 0; i < cf->pids.n; i++) {
		char *end;
		unsigned long pid = strtoul(cf->pids.v[i], &end, 10);
		int r;

		if (*end || !pid || pid > UINT32_MAX)
			return err_set(err, TACHO_EUSAGE, "--pid: '%s' is not a process id",
				       cf->pids.v[i]);
		r = record_sample_add(rec, &cf->record, (pid_t)pid, false);
		if (r < 0)
			return r;
		sampled = rec->sampling;
		r = capture_attach(rec->capture, (uint32_t)pid, err);
		if (r < 0 && !sampled)
			return r;
	}
	return 0;
}

static int add_tracy(struct capture *c, const struct conf *cf, struct tacho_error *err)
{
	int r = cf->tracy ? capture_tracy_discover(c, 8086, err) : 0;

	for (size_t i = 0; i < cf->tracy_ports.n && r == 0; i++) {
		char *end;
		unsigned long port = strtoul(cf->tracy_ports.v[i], &end, 10);

		if (*end || !port || port > 65535)
			return err_set(err, TACHO_EUSAGE, "--tracy-port: '%s' is not a port",
				       cf->tracy_ports.v[i]);
		r = capture_tracy(c, cf->tracy_address, (uint16_t)port, err);
	}
	return r;
}

/* Sampled programs that are still alive. */
static bool sampled_are_alive(const struct recording *r, const struct conf *cf)
{
	bool alive = false;

	for (size_t i = 0; r->sampling && i < cf->pids.n; i++)
		alive |= kill((pid_t)strtoul(cf->pids.v[i], NULL, 10), 0) == 0;
	return alive;
}

/* Ends on Ctrl-C, at the time limit, or when all attached programs have ended. */
static void capture_loop(struct recording *r, const struct conf *cf)
{
	uint64_t end = cf->duration > 0 ? now_ns() + (uint64_t)cf->duration : UINT64_MAX;
	bool seen = false;

	while (!record_stops() && now_ns() < end && record_round(r)) {
		size_t alive = capture_alive(r->capture);

		seen |= alive > 0;
		if (cf->pids.n && !capture_attached_alive(r->capture) && !(seen && alive) &&
		    !sampled_are_alive(r, cf))
			break;
		capture_wait(r->capture);
	}
}

static int cmd_capture_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct recording r = {.quiet = common->quiet};
	struct capture_options options;
	struct tacho_error err = {0};
	int code;

	if (argc) {
		err_set(&err, TACHO_EUSAGE,
			"capture takes no operand '%s'; 'tacho run -- %s' runs it", argv[0],
			argv[0]);
		return err_report(&err, TACHO_EUSAGE);
	}
	environ_check(common->quiet);
	record_options(&cf->record, &options);
	/* First, so that a signal never leaks a session. */
	record_catch_signals();
	record_raise_files();
	code = capture_session_open(&r.capture, cf, &options, &err);
	if (code < 0)
		return err_report(&err, code);
	if (capture_note(r.capture)[0])
		err_warn("%s", capture_note(r.capture));
	code = record_sample_open(&r, &cf->record);
	if (code == 0)
		code = attach_all(&r, cf, &err);
	if (code == 0)
		code = add_tracy(r.capture, cf, &err);
	if (code == 0)
		code = record_sample_start(&r, &cf->record);
	if (code < 0) {
		capture_abandon(r.capture);
		opt_list_free(&cf->pids);
		opt_list_free(&cf->tracy_ports);
		return err.code ? err_report(&err, code) : err_exit_code(code);
	}
	capture_start(r.capture);
	if (!common->quiet) {
		if (cf->pids.n)
			fprintf(stderr, "tacho: recording; Ctrl-C stops and saves\n");
		else
			fprintf(stderr,
				"tacho: waiting for programs; start them with\n"
				"    TACHO_SESSION=%s ./app\n"
				"tacho: Ctrl-C stops and saves\n",
				capture_session(r.capture));
	}
	capture_loop(&r, cf);
	opt_list_free(&cf->pids);
	opt_list_free(&cf->tracy_ports);
	return record_finish(&r, &cf->record);
}

const struct cmd cmd_capture = {
	.name = "capture",
	.summary = "record programs that are running or start later",
	.usage = "[options]",
	.description =
		"Makes a session and records every program that joins it until Ctrl-C: programs that "
		"are started with TACHO_SESSION set to the directory that is printed, or with "
		"TACHO_CAPTURE=1, and with --pid a program that is already running.\n\n"
		"With --session the directory of a recorder that was killed can be given: its rings "
		"are read on and its trace is continued, with -f where it was or with -o in FILE.",
	.examples = "  tacho capture -o all.tacho\n"
		    "      waits for programs\n"
		    "  tacho capture --pid 1234 --time 5s -o live.tacho\n"
		    "      records a running program for five seconds\n"
		    "  tacho capture --pid 1234 --sample --time 5s -o live.tacho\n"
		    "      samples a running program that knows nothing of it\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_capture_init,
	.run = cmd_capture_run,
};
