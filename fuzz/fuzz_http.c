/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of any kind to the viewer's server, without a socket: the head is split at line ends
 * into target, host, origin, cookie and so on; the response to a client with the token is sound.
 */
#include "base/jread.h"
#include "http/private.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct view *view;
static struct http *http;
static char path[] = "/dev/shm/fuzz_http.XXXXXX", csv[] = "/dev/shm/fuzz_http_ops.XXXXXX.csv";

static void clean_up(void)
{
	http_close(http);
	view_close(view);
	unlink(path);
	unlink(csv);
}

static void zones_write(struct trace_writer *w, uint32_t track, uint32_t srclocs)
{
	struct trace_extra extra = {.kind = TRACE_EXTRA_TEXT, .len = 4, .text = "text"};
	uint64_t at = 1000000;

	for (uint32_t i = 0; i < 200; i++) {
		for (uint32_t depth = 3; depth-- > 0;)
			trace_lane_add_full(w, trace_lane(w, track, depth), at + depth * 100,
					    at + 1000 - depth * 100, (i + depth) % srclocs, 0,
					    i == 199 ? TRACE_ZONE_UNFINISHED : 0, &extra,
					    i % 3 == 0);
		at += 1500;
	}
}

/* A trace with a little of everything. */
static void trace_write(void)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .start = 1, .name = "p", .command = "p"};
	struct trace_writer *w;

	if (trace_writer_open(&w, path, &options, NULL) < 0)
		abort();
	trace_set_property(w, "ticks per second", "1000000000");
	trace_set_property(w, "device 0 of 1", "{\"device\":0,\"cores\":[[1,1,0,0,\"worker\"]]}");
	trace_add_process(w, &p);
	for (uint32_t i = 0; i < 5; i++) {
		struct trace_srcloc s = {"zone", "f", "/etc/passwd", i, 0};

		trace_add_srcloc(w, &s);
	}
	for (uint32_t kind = 0; kind < TRACE_TRACK_KINDS; kind++) {
		struct trace_track t = {.kind = kind,
					.srcloc = TRACE_NONE,
					.id = kind == TRACE_CORE ? TRACE_CORE_ID(0, 1, 1, 0) : 0,
					.name = kind == TRACE_CORE
							? "Device 0, core 0,0 (NoC 1,1)/BRISC"
							: "Device 0 clock"};

		trace_add_track(w, &t);
		if (kind <= TRACE_CORE)
			zones_write(w, kind, 5);
		for (uint32_t row = 0; row < 4 * TRACE_ROW_KINDS && kind > TRACE_CORE; row++) {
			struct trace_row r = {.time = 1000000 + row * 1000,
					      .kind = row % TRACE_ROW_KINDS,
					      .thread = 0,
					      .a = row % 6,
					      .b = row,
					      .text = "TT_SIGNPOST: head\nmessage",
					      .text_len = 25};

			trace_add_row(w, kind, &r);
		}
	}
	if (trace_writer_close(w, NULL) < 0)
		abort();
}

static void csv_write(int fd)
{
	static const char text[] = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,"
				   "DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]\n"
				   "Matmul,tt_dnn_device,1024,0,8,1000,2000\n"
				   "here,signpost,,,,,\nSoftmax,tt_dnn_device,2048,1,8,5000,\n";

	if (write(fd, text, sizeof(text) - 1) < 0)
		abort();
	close(fd);
}

static void set_up(void)
{
	static const char *const sources[] = {"/nowhere"};
	struct view_options options = {.sources = sources, .source_count = 1};
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	trace_write();
	fd = mkstemps(csv, 4);
	if (fd < 0)
		abort();
	csv_write(fd);
	setenv("XDG_CACHE_HOME", "", 1);
	unsetenv("HOME");
	if (view_open(&view, &options, NULL) < 0 || view_add(view, path, NULL) < 0 ||
	    view_add(view, csv, NULL) < 0 ||
	    http_open(&http, view, &(struct http_options){0}, NULL) < 0)
		abort();
	atexit(clean_up);
}

/* The next line of the input; NULL if it is empty or missing. */
static const char *line_next(char **at)
{
	char *text = *at;

	if (!text)
		return NULL;
	*at = strchr(text, '\n');
	if (*at)
		*(*at)++ = 0;
	return *text ? text : NULL;
}

static void reply_check(const struct http_reply *reply, bool admitted)
{
	struct jread reader = {0};
	const char *body = reply->body_static ? reply->body_static : reply->body.data;
	size_t len = reply->body_static ? reply->body_len : reply->body.len;

	if (reply->status < 100 || reply->status > 503 || reply->status == 500)
		abort();
	if (!admitted && reply->status == 200 && !reply->body_static)
		abort();
	if (memmem(body, len, "root:", 5))
		abort();
	if (!reply->file && !reply->deflate && !reply->gzip && reply->status != 304 && len &&
	    !strcmp(reply->type, "application/json") && !jread_parse(&reader, body, len, NULL))
		abort();
	jread_free(&reader);
}

static void request_answer(const struct http_request *request, bool admitted)
{
	struct http_reply reply;

	http_answer(http, request, &reply, NULL, NULL);
	reply_check(&reply, admitted);
	if (reply.file)
		fclose(reply.file);
	buf_free(&reply.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *at = text, bearer[64];
	struct http_request r = {.method = "GET"}, ours;

	if (!view)
		set_up();
	memcpy(text, data, size);
	text[size] = 0;
	r.target = line_next(&at);
	r.host = line_next(&at);
	r.origin = line_next(&at);
	r.fetch_site = line_next(&at);
	r.cookie = line_next(&at);
	r.authorization = line_next(&at);
	r.if_none_match = line_next(&at);
	r.upgrade = line_next(&at);
	r.ws_key = line_next(&at);
	r.ws_version = line_next(&at);
	if (!r.target)
		r.target = "";
	/* First unchanged: without the token there is no data. Then as the page would ask. */
	if (!strstr(text, http_token(http)))
		request_answer(&r, false);
	ours = r;
	snprintf(bearer, sizeof(bearer), "Bearer %s", http_token(http));
	ours.authorization = bearer;
	ours.host = "localhost";
	ours.origin = ours.fetch_site = NULL;
	request_answer(&ours, true);
	free(text);
	return 0;
}
