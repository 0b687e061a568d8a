/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "tracy-capture": Tracy's capture tool with its options, output and exit codes. */
#include "base/buf.h"
#include "base/fmt.h"
#include "base/now.h"
#include "base/output.h"
#include "base/text.h"
#include "cmds/cmds.h"
#include "cmds/record.h"
#include "cmds/tracy_notes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Exit codes of the original. */
enum { MISMATCH = 1, NOT_AVAILABLE = 2, DROPPED = 3, EXISTS = 4, CANNOT_WRITE = 5 };

struct conf {
	const char *output, *address;
	struct opt_list ports;
	bool force, discover;
	int64_t seconds, memory, level;
	int version;
};

static const char *const versions[] = TRACY_FILE_VERSIONS;

static const struct opt opts[] = {
	OPT_STR('o', "output", "FILE", struct conf, output,
		"write to FILE: a .tracy file, or a .tacho file if its name ends in .tacho"),
	OPT_STR('a', "address", "ADDRESS", struct conf, address,
		"connect to this host, or IPv4 or IPv6 address (default: this machine)"),
	OPT_LIST(
		'p', "port", "PORT", struct conf, ports,
		"connect to this port (default 8086); may be repeated: several programs give one trace"),
	OPT_FLAG('f', "force", struct conf, force, "replace FILE if it exists"),
	OPT_INT('s', "seconds", "N", struct conf, seconds,
		"stop N seconds after the first welcome"),
	OPT_INT('m', "memlimit", "PERCENT", struct conf, memory,
		"accepted for compatibility, no effect: memory does not grow with the trace"),
	OPT_INT('z', "level", "N", struct conf, level,
		"compress with Zstd at level 1 to 19 (default 3, as Tracy's capture does)"),
	OPT_ENUM(
		0, "tracy-version", struct conf, version, versions,
		"write this version of the file. 0.14: Tracy 0.14 and newer; 0.10: Tenstorrent's 0.10, and "
		"Tracy up to 0.14.0; auto: 0.10 for a file named " TRACY_TT_FILE ", else 0.14"),
	OPT_FLAG(0, "discover", struct conf, discover,
		 "record every program on this machine that announces itself, until Ctrl-C"),
	OPT_END,
};

struct session {
	const struct conf *conf;
	const struct cmd_common *common;
	struct trace_writer *writer;
	struct tracy_hub *hub;
	char *trace; /* path of the .tacho file */
	bool native; /* it is the result */
	bool greeted;
	uint64_t started, first_welcome, shown; /* ns */
	struct tracy_peer sum;
	uint64_t programs;
};

/* ------------------------------------------------------------------- words */

/* 2.38 s, 514.8 ms, 12 ns: at most two decimals, no trailing zeros. */
static char *time_text(char *text, double ns)
{
	static const struct {
		double from, unit;
		const char *name;
	} units[] = {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}};
	int i = 0;
	size_t n;

	while (ns < units[i].from)
		i++;
	snprintf(text, FMT_SIZE, "%.2f", ns / units[i].unit);
	n = strlen(text);
	while (text[n - 1] == '0')
		n--;
	n -= text[n - 1] == '.';
	snprintf(text + n, FMT_SIZE - n, " %s", units[i].name);
	return text;
}

static char *size_text(char *text, double bytes)
{
	static const char *const names[] = {"KB", "MB", "GB", "TB"};
	int i = -1;

	if (bytes < 10000) {
		snprintf(text, FMT_SIZE, "%.0f bytes", bytes);
		return text;
	}
	do {
		bytes /= 1024;
		i++;
	} while (bytes >= 1024 && i < 3);
	snprintf(text, FMT_SIZE, "%.2f %s", bytes, names[i]);
	return text;
}

static void print_summary(const struct session *s)
{
	char text[FMT_SIZE];

	printf("\nFrames: %s\n", fmt_count(text, s->sum.frames));
	printf("Time span: %s\n", time_text(text, s->sum.span_ns));
	printf("Zones: %s\n", fmt_count(text, s->sum.zones));
	printf("Elapsed time: %s\n", time_text(text, (double)(now_ns() - s->started)));
	printf("Saving trace...");
	fflush(stdout);
}

/* -------------------------------------------------------------------- loop */

/* Sums up the clients. Returns how many have not ended. */
static size_t tracy_capture_poll(struct session *s, int *failure)
{
	size_t open = 0;

	memset(&s->sum, 0, sizeof(s->sum));
	s->programs = 0;
	for (size_t i = 0; i < tracy_hub_peers(s->hub); i++) {
		static const int codes[] = {[TRACY_PEER_MISMATCH] = MISMATCH,
					    [TRACY_PEER_NOT_AVAILABLE] = NOT_AVAILABLE,
					    [TRACY_PEER_DROPPED] = DROPPED,
					    [TRACY_PEER_FAILED] = DROPPED};
		struct tracy_peer p;

		tracy_hub_peer(s->hub, i, &p);
		if (p.protocol && !s->greeted) {
			if (p.protocol < 76)
				printf("Queue delay: %.0f ns\n", p.delay_ns);
			printf("Timer resolution: %.0f ns\n", p.resolution_ns);
			fflush(stdout);
			s->greeted = true;
			s->first_welcome = now_ns();
		}
		s->programs += p.protocol != 0;
		open += p.state <= TRACY_PEER_RECORDING;
		if (p.state > TRACY_PEER_ENDED && !p.protocol)
			*failure = codes[p.state];
		s->sum.zones += p.zones;
		s->sum.frames += p.frames;
		s->sum.received += p.received;
		s->sum.raw += p.raw;
		s->sum.span_ns = p.span_ns > s->sum.span_ns ? p.span_ns : s->sum.span_ns;
	}
	return open;
}

static bool time_is_up(const struct session *s)
{
	return s->conf->seconds > 0 && s->first_welcome &&
	       now_ns() - s->first_welcome >= (uint64_t)s->conf->seconds * 1000000000u;
}

/* Runs until all have ended, the time is up, or a signal stops it. 0 or an error of the trace. */
static int tracy_capture_record(struct session *s, int *failure, struct tacho_error *err)
{
	int r = 0;

	while (r >= 0 && !record_stops() && !time_is_up(s)) {
		size_t open;
		char zones[FMT_SIZE], bytes[FMT_SIZE];
		uint64_t now;

		r = tracy_hub_round(s->hub, 100, err);
		open = tracy_capture_poll(s, failure);
		if (!open && !s->conf->discover)
			break;
		now = now_ns();
		if (s->common->quiet || now - s->shown < 200000000 || !isatty(STDERR_FILENO) ||
		    !s->greeted)
			continue;
		s->shown = now;
		fprintf(stderr, "\r\033[K%.1f s  %s zones  %s received",
			(double)(now - s->started) / 1e9, fmt_count(zones, s->sum.zones),
			size_text(bytes, (double)s->sum.received));
	}
	tracy_hub_stop(s->hub);
	while (r >= 0 && tracy_hub_recording(s->hub) && record_stops() < 2)
		r = tracy_hub_round(s->hub, 50, err);
	tracy_capture_poll(s, failure);
	if (s->shown)
		fputs("\r\033[K", stderr);
	return r < 0 ? r : 0;
}

/* -------------------------------------------------------------------- files */

static int save_tracy(struct session *s, struct tacho_error *err)
{
	struct tracy_write_options options = {.version = s->conf->version,
					      .level = (int)s->conf->level};
	struct tracy_notes notes = {{0}};
	struct trace *t = NULL;
	struct output out = {0};
	int r = trace_open(&t, s->trace, err);

	if (r == 0)
		r = output_open(&out, s->conf->output, s->conf->force, err);
	if (r == 0)
		r = tracy_write(t, fileno(out.file), s->conf->output, &options, &notes, err);
	if (r == 0)
		r = output_close(&out, err);
	else
		output_abandon(&out);
	if (t)
		trace_close(t);
	if (r == 0)
		unlink(s->trace);
	else
		err_warn("what was recorded is in %s", s->trace);
	return r;
}

static int tracy_capture_finish(struct session *s, struct tacho_error *err)
{
	struct tracy_notes notes = *tracy_hub_notes(s->hub);
	int r;

	for (size_t i = 0; i < tracy_hub_peers(s->hub); i++) {
		struct tracy_peer p;

		tracy_hub_peer(s->hub, i, &p);
		if (p.error[0])
			err_warn("%s:%u: %s", p.address, p.port, p.error);
		if (p.crashed)
			err_warn("%s (process %u) has crashed", p.program, p.pid);
	}
	r = tracy_hub_close(s->hub);
	s->hub = NULL;
	if (!s->programs) {
		trace_writer_abandon(s->writer);
		return TACHO_ENO;
	}
	print_summary(s);
	if (trace_writer_close(s->writer, err) < 0)
		return TACHO_EWRITE;
	if (r == 0 && !s->native)
		r = save_tracy(s, err);
	if (r == 0) {
		char text[FMT_SIZE];
		struct stat st;

		printf(" done!\n");
		if (stat(s->conf->output, &st) == 0)
			printf("Trace size %s (%.2f%% ratio)\n",
			       size_text(text, (double)st.st_size),
			       s->sum.raw ? 100. * (double)st.st_size / (double)s->sum.raw : 0.);
		if (!s->common->quiet)
			tracy_notes_print(&notes);
	}
	return r;
}

/* --------------------------------------------------------------------- open */

static int add_ports(struct session *s, struct tacho_error *err)
{
	const struct opt_list *ports = &s->conf->ports;
	const char *address = s->conf->address;
	const char *given = getenv("TRACY_PORT");
	size_t n = ports->n ? ports->n : !s->conf->discover;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const char *text = ports->n ? ports->v[i] : given && *given ? given : "8086";
		char *end;
		unsigned long port = strtoul(text, &end, 10);

		if (*end || !port || port > 65535)
			return err_set(err, TACHO_EUSAGE, "-p: '%s' is not a port", text);
		r = tracy_hub_add(s->hub, address, (uint16_t)port, err);
		if (r == 0)
			printf("Connecting to %s:%lu...\n", address ? address : "127.0.0.1", port);
	}
	if (r == 0 && s->conf->discover)
		r = tracy_hub_listen(s->hub, 8086, err);
	fflush(stdout);
	return r;
}

static int open_session(struct session *s, struct tacho_error *err)
{
	struct tracy_hub_options options = {.own_clock = true};
	struct trace_writer_options writer = {.force = true};
	struct stat st;
	int r;

	if (s->conf->level < 0 || s->conf->level > TRACY_LEVEL_MAX)
		return err_set(err, TACHO_EUSAGE, "--level: 1 to %d", TRACY_LEVEL_MAX);
	s->native = text_ends_with(s->conf->output, ".tacho");
	if (lstat(s->conf->output, &st) == 0 && !s->conf->force)
		return err_set(err, TACHO_EEXISTS, "%s exists; -f replaces it", s->conf->output);
	if (asprintf(&s->trace, "%s%s", s->conf->output, s->native ? "" : ".tacho") < 0) {
		s->trace = NULL;
		return TACHO_ENOMEM;
	}
	r = trace_writer_open(&s->writer, s->trace, &writer, err);
	if (r < 0)
		return r;
	trace_set_property(s->writer, "recorder", "tacho " TACHO_VERSION);
	r = tracy_hub_open(&s->hub, s->writer, &options, err);
	return r < 0 ? r : add_ports(s, err);
}

static int cmd_tracy_capture_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct session s = {.conf = conf, .common = common, .started = now_ns()};
	struct tacho_error err = {0};
	int failure = 0, r;

	if (argc || !s.conf->output)
		r = err_set(&err, TACHO_EUSAGE,
			    argc ? "unexpected argument: '%s'" : "-o FILE is missing",
			    argc ? argv[0] : "");
	else
		r = open_session(&s, &err);
	if (r == 0) {
		record_catch_signals();
		tracy_capture_record(&s, &failure, &err);
		r = tracy_capture_finish(&s, &err);
	} else {
		tracy_hub_close(s.hub);
		trace_writer_abandon(s.writer);
	}
	if (!s.programs) {
		char *part = NULL;

		if (s.trace && asprintf(&part, "%s.part", s.trace) >= 0)
			unlink(part);
		free(part);
	}
	free(s.trace);
	opt_list_free(&((struct conf *)conf)->ports);
	if (r == TACHO_ENO)
		return failure ? failure : 0;
	if (r == 0)
		return 0;
	err_report(&err, r);
	if (r == TACHO_EEXISTS)
		return EXISTS;
	return r == TACHO_EUSAGE ? MISMATCH : CANNOT_WRITE;
}

const struct cmd cmd_tracy_capture = {
	.name = "tracy-capture",
	.aliases = {"tracy-capture", "capture-release"},
	.summary = "record programs that were built with Tracy",
	.usage = "-o FILE [options]",
	.description =
		"Connects to a program that was built with Tracy's client, records it until it ends "
		"and writes a .tracy file. Protocols 64, 66 (Tenstorrent's 0.10 line and 0.11.0), 69, "
		"74, 76 and 82 are supported.\n\n"
		"Several ports give one trace of several programs on one timeline. Ctrl-C and SIGTERM "
		"save what was received so far; a program that is killed is saved up to its last block, "
		"and its open zones are marked unfinished. The program's exit is never delayed.\n\n"
		"Exits with 0 if a trace was saved, 1 for wrong usage or an unsupported protocol, "
		"2 if another recorder has already recorded the program, 3 if it ended "
		"before its welcome, 4 if FILE exists, 5 if it cannot be written.",
	.examples = "tracy-capture -o run.tracy -p 8086\n  records one program\n"
		    "tracy-capture -f -o all.tacho --discover\n"
		    "  all programs of this machine, until Ctrl-C\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.usage_code = MISMATCH,
	.run = cmd_tracy_capture_run,
};
