/* SPDX-License-Identifier: Apache-2.0 */
/* Route a request: a file of the page, a WebSocket, or an answer of the view. */
#include "base/json.h"
#include "http/ws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define JSON_TYPE "application/json"

void reply_fail(struct http_reply *reply, int status, const char *text)
{
	struct json j;

	buf_reset(&reply->body);
	reply->status = status;
	reply->type = JSON_TYPE;
	json_init(&j, &reply->body);
	j.flat = 1;
	json_object(&j, NULL);
	json_text(&j, "error", text);
	json_end(&j);
}

/* ---------------------------------------------------------------- answers */

static void reply_take(struct http_reply *reply, const struct view_answer *a)
{
	static const int statuses[] = {[VIEW_OK] = 200,     [VIEW_BAD] = 400,  [VIEW_MISSING] = 404,
				       [VIEW_FAILED] = 500, [VIEW_BUSY] = 503, [VIEW_METHOD] = 405};
	static const char *const types[] = {[VIEW_JSON] = JSON_TYPE,
					    [VIEW_BINARY] = "application/octet-stream",
					    [VIEW_CSV] = "text/csv; charset=utf-8"};

	reply->status = statuses[a->status];
	reply->type = types[a->type];
	reply->body = a->body;
	reply->deflate = a->deflate;
	reply->file = a->file;
	memcpy(reply->attachment, a->file_name, sizeof(reply->attachment));
	if (a->version[0]) {
		snprintf(reply->etag, sizeof(reply->etag), "\"%s\"", a->version);
		reply->cache = a->still ? "private, max-age=86400, immutable" : "private, no-cache";
	}
}

/* "t/ID/NAME" or "NAME" after "/api/v1/". */
static bool question_read(struct view_question *q, const char *path)
{
	uint64_t id = 0;

	q->trace = VIEW_NO_TRACE;
	q->call = path;
	if (strncmp(path, "t/", 2) != 0)
		return true;
	for (path += 2; *path >= '0' && *path <= '9' && id < VIEW_NO_TRACE; path++)
		id = id * 10 + (uint64_t)(*path - '0');
	q->trace = (uint32_t)id;
	q->call = path + 1;
	return *path == '/' && id < VIEW_NO_TRACE;
}

static void view_forward(struct http_call *c)
{
	struct view_question q = {.query = &c->target.query,
				  .changes = !strcmp(c->request->method, "POST"),
				  .gone = c->gone,
				  .context = c->context};
	const char *path = c->target.path;
	struct view_answer answer;

	if (strncmp(path, "/api/v1/", 8) != 0) {
		reply_fail(c->reply, 404, "no such call");
	} else if (!question_read(&q, path + 8)) {
		reply_fail(c->reply, 404, "no such trace");
	} else {
		view_ask(c->http->view, &q, &answer);
		reply_take(c->reply, &answer);
	}
}

void http_answer(struct http *http, const struct http_request *request, struct http_reply *reply,
		 bool (*gone)(void *context), void *context)
{
	struct http_call *c = malloc(sizeof(*c));
	int status;

	*reply = (struct http_reply){.status = 200, .type = JSON_TYPE, .body = BUF_INIT};
	if (!c) {
		reply->status = 503;
		return;
	}
	c->http = http;
	c->request = request;
	c->reply = reply;
	c->gone = gone;
	c->context = context;
	status = target_parse(&c->target, request->target);
	if (status)
		reply_fail(reply, status,
			   status == 414 ? "the request is too long" : "the request is malformed");
	else if (guard_admits(c)) {
		if (!strcmp(c->target.path, "/ws")) {
			const struct http_request *r = c->request;

			if (!r->upgrade || strcasecmp(r->upgrade, "websocket") || !r->ws_version ||
			    strcmp(r->ws_version, "13") || !ws_accept(r->ws_key, c->reply->accept))
				reply_fail(c->reply, 400, "this is for WebSockets");
			else
				c->reply->status = 101;
		} else if (strncmp(c->target.path, "/api/", 5) != 0)
			assets_answer(c);
		else
			view_forward(c);
	}
	if (reply->body.failed)
		reply_fail(reply, 503, err_text(TACHO_ENOMEM));
	if (reply->status == 200 && reply->etag[0] && request->if_none_match &&
	    !strcmp(request->if_none_match, reply->etag)) {
		buf_reset(&reply->body);
		reply->body_static = NULL;
		reply->status = 304;
	}
	free(c);
}
