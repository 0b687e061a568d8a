/* SPDX-License-Identifier: Apache-2.0 */
/* Find the function that answers a query, for view_ask(); helpers of all answers. */
#include "base/now.h"
#include "view/answer_cache.h"
#include "view/call_args.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OPS     (SCAN | OPS_TOO)
#define OPS_TOO 16
#define CHANGE  (ROWS | CHANGES)
#define CHANGES 32

static const struct route {
	const char *name;
	int use;
	int (*call)(struct view_call *c);
} routes[] = {
#define X(name, use) {#name, use, call_##name},
	VIEW_CALLS(X)
#undef X
};

#define ROUTES (sizeof(routes) / sizeof(*routes))

/* Calls that are not about one trace. */
static const struct {
	const char *name;
	int (*call)(struct view_call *c);
} general[] = {
	{"traces", call_traces},
	{"compare", call_compare},
	{"compare/hist", call_compare_hist},
	{"compare/stacks", call_compare_stacks},
	{"compare/flame", call_compare_flame},
};

void call_reset(struct view_call *c)
{
	struct view_answer *answer = c->answer;

	buf_reset(&answer->body);
	if (answer->file)
		fclose(answer->file);
	*answer = (struct view_answer){.body = answer->body};
}

int call_fail(struct view_call *c, enum view_status status, const char *format, ...)
{
	char text[300];
	struct json j;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	call_reset(c);
	c->answer->status = status;
	json_init(&j, &c->answer->body);
	j.flat = 1;
	json_object(&j, NULL);
	json_text(&j, "error", text);
	json_end(&j);
	return TACHO_EUSAGE;
}

bool call_gone(struct view_call *c)
{
	return c->gone && c->gone(c->context);
}

void call_begin(struct view_call *c)
{
	json_init(&c->json, &c->answer->body);
	c->json.flat = 1;
	json_object(&c->json, NULL);
	if (c->on)
		json_uint(&c->json, "gen", c->gen);
}

/* ---------------------------------------------------------------- numbers */

double call_ns(const struct view_call *c, uint64_t ticks)
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

void json_ns(struct view_call *c, const char *key, uint64_t ticks)
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

void json_duration(struct view_call *c, const char *key, uint64_t start, uint64_t end)
{
	json_double(&c->json, key, trace_duration_ns(c->trace, start, end));
}

/* ----------------------------------------------------------------- traces */

static int call_enter(struct view_call *c, uint64_t id)
{
	struct view_trace *t;

	if (id >= c->view->traces.n)
		return call_fail(c, VIEW_MISSING, "no such trace");
	c->on = t = c->view->traces.v[id];
	pthread_mutex_lock(&t->lock);
	c->gen = t->now.gen;
	c->live = t->live;
	memcpy(c->tag, t->tag, sizeof(c->tag));
	pthread_mutex_unlock(&t->lock);
	return 0;
}

static int handle_for(struct view_call *c, enum view_use use, struct view_handle **handle)
{
	int r = handle_take(c->on, use, handle);

	if (r == 0 || r == TACHO_ENOMEM)
		return r;
	return call_fail(c, VIEW_FAILED,
			 "%s cannot be read any more: it was changed after it was opened",
			 c->on->name);
}

int call_on(struct view_call *c, const char *key, int (*call)(struct view_call *c, void *context),
	    void *context)
{
	struct view_handle *handle = NULL;
	uint64_t id;
	int r = arg_need(c, key, UINT32_MAX, &id);

	if (r == 0)
		r = call_enter(c, id);
	if (r < 0)
		return r;
	if (c->on->kind == VIEW_TRACE) {
		r = handle_for(c, SCAN, &handle);
		if (r < 0)
			return r;
		c->handle = handle;
		c->trace = handle->trace;
	}
	r = call(c, context);
	if (handle)
		handle_put(c->on, handle);
	c->handle = NULL;
	c->trace = NULL;
	c->on = NULL;
	return r;
}

static int call_with(struct view_call *c, const struct route *route)
{
	struct view_handle *handle;
	int r = handle_for(c, route->use & ~(OPS_TOO | CHANGES), &handle);

	if (r < 0)
		return r;
	c->handle = handle;
	c->trace = handle->trace;
	c->lod = handle->lod;
	if (route->use == QUICK) {
		r = route->call(c);
	} else if (route->use & CHANGES) {
		r = route->call(c);
	} else if (!answer_cache_find(c, route->name)) {
		double began = now_seconds();

		r = route->call(c);
		if (r == 0)
			answer_cache_keep(c, route->name, began);
	}
	handle_put(c->on, handle);
	return r;
}

void call_prepare(struct view_trace *t, const char *question, bool (*gone)(void *context),
		  void *context)
{
	struct view_query *query = malloc(sizeof(*query));
	struct view_answer answer = {.body = BUF_INIT};
	struct view_call c = {
		.on = t, .query = query, .answer = &answer, .gone = gone, .context = context};
	size_t name = strcspn(question, "?");

	c.gen = 1;
	memcpy(c.tag, t->tag, sizeof(c.tag));
	if (query && query_parse(query, question[name] ? question + name + 1 : NULL))
		for (size_t i = 0; i < ROUTES; i++)
			if (strlen(routes[i].name) == name &&
			    !strncmp(routes[i].name, question, name))
				call_with(&c, &routes[i]);
	if (answer.file)
		fclose(answer.file);
	buf_free(&answer.body);
	free(query);
}

/* NULL: CALL is none of an extension. */
static const struct view_extension *extension_find(const struct view *view, const char *call,
						   bool any)
{
	for (size_t i = 0; i < view->extension_count; i++)
		if (view->extensions[i].general == any && !strcmp(view->extensions[i].name, call))
			return &view->extensions[i];
	return NULL;
}

static int call_extension(struct view_call *c, const struct view_extension *e)
{
	struct tacho_error err = {0};
	int r = e->answer(e->context, e->general ? NULL : c->on->path, c->query, &c->answer->body,
			  &err);

	if (r == 0 || r == TACHO_ENOMEM)
		return r;
	return call_fail(c,
			 r == TACHO_EUSAGE || r == TACHO_ELIMIT ? VIEW_BAD
			 : r == TACHO_ENO                       ? VIEW_MISSING
								: VIEW_FAILED,
			 "%s", err.text[0] ? err.text : err_text(r));
}

void view_extend(struct view *view, const struct view_extension *extension)
{
	if (view->extension_count < VIEW_EXTENSIONS)
		view->extensions[view->extension_count++] = *extension;
}

static int call_of_trace(struct view_call *c, const struct view_question *q)
{
	const struct view_extension *e = extension_find(c->view, q->call, false);
	int r = call_enter(c, q->trace);

	if (r == 0 && !q->changes && e)
		return call_extension(c, e);
	for (size_t i = 0; r == 0 && i < ROUTES; i++) {
		if (strcmp(routes[i].name, q->call))
			continue;
		if (q->changes != !!(routes[i].use & CHANGES))
			return call_fail(c, VIEW_METHOD, "%s",
					 q->changes ? "this call is read-only: use GET"
						    : "this call changes something: use POST");
		if (c->on->kind == VIEW_TRACE)
			return call_with(c, &routes[i]);
		if (routes[i].use & OPS_TOO)
			return routes[i].call(c);
		return call_fail(c, VIEW_MISSING, "this is no trace: it has ops alone");
	}
	return r < 0 ? r : call_fail(c, VIEW_MISSING, "no such call");
}

static int call_general(struct view_call *c, const char *name)
{
	const struct view_extension *e = extension_find(c->view, name, true);

	if (e)
		return call_extension(c, e);
	for (size_t i = 0; i < sizeof(general) / sizeof(*general); i++)
		if (!strcmp(general[i].name, name))
			return general[i].call(c);
	return call_fail(c, VIEW_MISSING, "no such call");
}

void view_ask(struct view *view, const struct view_question *q, struct view_answer *answer)
{
	struct view_call c = {.view = view,
			      .query = q->query,
			      .answer = answer,
			      .gone = q->gone,
			      .context = q->context};
	int r;

	*answer = (struct view_answer){.body = BUF_INIT};
	if (q->changes && q->trace == VIEW_NO_TRACE)
		r = call_fail(&c, VIEW_METHOD, "this call is read-only: use GET");
	else
		r = q->trace == VIEW_NO_TRACE ? call_general(&c, q->call) : call_of_trace(&c, q);
	if (r < 0 && answer->status == VIEW_OK)
		call_fail(&c, r == TACHO_ENOMEM ? VIEW_BUSY : VIEW_FAILED, "%s", err_text(r));
	if (answer->body.failed)
		call_fail(&c, VIEW_BUSY, "%s", err_text(TACHO_ENOMEM));
}
