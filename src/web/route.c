/* From a request to its call. */
#include "web/ws.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define OPS     (SCAN | OPS_TOO)
#define OPS_TOO 16

static const struct route {
	const char *name;
	int use;
	int (*call)(struct web_call *c);
} routes[] = {
#define X(name, use) {#name, use, call_##name},
	WEB_CALLS(X)
#undef X
};

#define ROUTES (sizeof(routes) / sizeof(*routes))

void call_reset(struct web_call *c)
{
	struct web_reply *reply = c->reply;

	buf_reset(&reply->body);
	reply->status = 200;
	reply->type = "application/json";
	reply->cache = NULL;
	reply->etag[0] = reply->attachment[0] = 0;
	reply->gzip = reply->deflate = false;
	if (reply->file)
		fclose(reply->file);
	reply->file = NULL;
}

/* The call is about this trace. */
static void call_enter(struct web_call *c, struct web_trace *t)
{
	c->on = t;
	pthread_mutex_lock(&t->lock);
	c->gen = t->gen;
	c->live = t->live;
	memcpy(c->tag, t->tag, sizeof(c->tag));
	pthread_mutex_unlock(&t->lock);
}

static int handle_for(struct web_call *c, enum web_use use, struct web_handle **handle)
{
	int r = handle_take(c->on, use, handle);

	if (r == 0 || r == TACHO_ENOMEM)
		return r;
	return call_fail(c, 500, "%s cannot be read any more: it was changed after it was opened",
			 c->on->name);
}

int call_on(struct web_call *c, const char *key, int (*call)(struct web_call *c, void *context),
	    void *context)
{
	struct web_handle *handle = NULL;
	uint64_t id;
	int r = arg_need(c, key, UINT32_MAX, &id);

	if (r < 0)
		return r;
	if (id >= c->web->traces.n)
		return call_fail(c, 404, "there is no such trace");
	call_enter(c, c->web->traces.v[id]);
	if (c->on->kind == WEB_TRACE) {
		r = handle_for(c, SCAN, &handle);
		if (r < 0)
			return r;
		c->trace = handle->trace;
	}
	r = call(c, context);
	if (handle)
		handle_put(c->on, handle);
	c->trace = NULL;
	c->on = NULL;
	return r;
}

int call_fail(struct web_call *c, int status, const char *format, ...)
{
	struct web_reply *reply = c->reply;
	char text[300];
	struct json j;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	call_reset(c);
	reply->status = status;
	json_init(&j, &reply->body);
	j.flat = 1;
	json_object(&j, NULL);
	json_text(&j, "error", text);
	json_end(&j);
	return TACHO_EUSAGE;
}

bool call_gone(struct web_call *c)
{
	return c->gone && c->gone(c->context);
}

void call_begin(struct web_call *c)
{
	json_init(&c->json, &c->reply->body);
	c->json.flat = 1;
	json_object(&c->json, NULL);
	if (c->on)
		json_uint(&c->json, "gen", c->gen);
}

double call_ns(const struct web_call *c, uint64_t ticks)
{
	return (double)trace_ns(c->trace, ticks);
}

void json_cut(struct json *j, const char *key, const char *text, size_t len, size_t most)
{
	if (len > most)
		for (len = most; len && ((unsigned char)text[len] & 0xc0) == 0x80;)
			len--;
	json_string(j, key, text, len);
}

void json_ns(struct web_call *c, const char *key, uint64_t ticks)
{
	json_int(&c->json, key, trace_ns(c->trace, ticks));
}

void json_thread(struct json *j, const char *key, uint32_t thread)
{
	if (thread == TRACE_NONE)
		json_null(j, key);
	else
		json_uint(j, key, thread);
}

void json_duration(struct web_call *c, const char *key, uint64_t start, uint64_t end)
{
	json_double(&c->json, key, trace_duration_ns(c->trace, start, end));
}

static int call_with(struct web_call *c, const struct route *route)
{
	struct web_handle *handle;
	int r = handle_for(c, route->use & ~OPS_TOO, &handle);

	if (r < 0)
		return r;
	c->handle = handle;
	c->trace = handle->trace;
	c->lod = handle->lod;
	r = route->call(c);
	handle_put(c->on, handle);
	return r;
}

/* "ID/name" behind "/api/v1/t/". */
static int call_of_trace(struct web_call *c, const char *path)
{
	uint64_t id = 0;

	for (; *path >= '0' && *path <= '9' && id < UINT32_MAX; path++)
		id = id * 10 + (uint64_t)(*path - '0');
	if (*path++ != '/' || id >= c->web->traces.n)
		return call_fail(c, 404, "there is no such trace");
	call_enter(c, c->web->traces.v[id]);
	for (size_t i = 0; i < ROUTES; i++) {
		if (strcmp(routes[i].name, path))
			continue;
		if (c->on->kind == WEB_TRACE)
			return call_with(c, &routes[i]);
		if (routes[i].use & OPS_TOO)
			return routes[i].call(c);
		return call_fail(c, 404, "this is no trace: it has ops alone");
	}
	return call_fail(c, 404, "there is no such call");
}

static int call_ws(struct web_call *c)
{
	const struct web_request *r = c->request;

	if (!r->upgrade || strcasecmp(r->upgrade, "websocket") || !r->ws_version ||
	    strcmp(r->ws_version, "13") || !ws_accept(r->ws_key, c->reply->accept))
		return call_fail(c, 400, "this is for WebSockets");
	c->reply->status = 101;
	return 0;
}

static int call_find(struct web_call *c)
{
	const char *path = c->query.path;

	if (!strcmp(path, "/ws"))
		return call_ws(c);
	if (strncmp(path, "/api/", 5))
		return assets_answer(c);
	if (!strcmp(path, "/api/v1/traces"))
		return call_traces(c);
	if (!strcmp(path, "/api/v1/compare"))
		return call_compare(c);
	if (!strcmp(path, "/api/v1/compare/hist"))
		return call_compare_hist(c);
	if (!strncmp(path, "/api/v1/t/", 10))
		return call_of_trace(c, path + 10);
	return call_fail(c, 404, "there is no such call");
}

void web_answer(struct web *web, const struct web_request *request, struct web_reply *reply,
		bool (*gone)(void *context), void *context)
{
	struct web_call *c = malloc(sizeof(*c));
	int r;

	*reply = (struct web_reply){.status = 200, .type = "application/json", .body = BUF_INIT};
	if (!c) {
		reply->status = 503;
		return;
	}
	*c = (struct web_call){
		.web = web, .request = request, .reply = reply, .gone = gone, .context = context};
	r = query_parse(&c->query, request->target);
	if (r)
		call_fail(c, r, r == 414 ? "the request is too long" : "the request is malformed");
	else if (guard_admits(web, request, c)) {
		r = call_find(c);
		if (r < 0 && reply->status == 200)
			call_fail(c, r == TACHO_ENOMEM ? 503 : 500, "%s", err_text(r));
	}
	if (reply->body.failed)
		call_fail(c, 503, "%s", err_text(TACHO_ENOMEM));
	if (reply->status == 200 && reply->etag[0] && request->if_none_match &&
	    !strcmp(request->if_none_match, reply->etag)) {
		buf_reset(&reply->body);
		reply->body_static = NULL;
		reply->status = 304;
	}
	free(c);
}
