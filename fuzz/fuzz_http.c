/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of any kind to the viewer's server, without a socket: the head is split at line ends
 * into target, host, origin, cookie and so on; the response to a client with the token is sound.
 */
#include "base/jread.h"
#include "http/private.h"
#include "model_trace.h"

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

static void set_up(void)
{
	static const char *const sources[] = {"/nowhere"};
	struct view_options options = {.sources = sources, .source_count = 1};
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	model_trace_write(path);
	fd = mkstemps(csv, 4);
	if (fd < 0)
		abort();
	model_csv_write(fd);
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
