/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of programs: their values, and new ones for a program that is being recorded. */
#include "view/call_args.h"
#include "view/row_cache.h"

#include <stdlib.h>
#include <string.h>

struct parameter {
	uint32_t number, type;
	int32_t value;
	uint64_t changes; /* values that the program has taken */
	uint64_t time;    /* of the last row */
	char *name;
};

struct parameters {
	struct row_cache cache;
	VEC(struct parameter);
	struct map numbers; /* their places */
};

static int parameter_declare(struct parameters *s, const struct trace_row *row)
{
	uint32_t *at = map_get(&s->numbers, row->a);
	struct parameter *p = at ? &s->v[*at] : NULL;
	size_t len = row->text_len < VIEW_TEXT ? row->text_len : VIEW_TEXT;
	char *name = strndup(row->text, len);

	if (!name)
		return TACHO_ENOMEM;
	if (!p) {
		if (vec_push(s, (struct parameter){0}) < 0 ||
		    map_set(&s->numbers, row->a, (uint32_t)s->n - 1) < 0) {
			free(name);
			return TACHO_ENOMEM;
		}
		p = &s->v[s->n - 1];
	}
	free(p->name);
	p->number = (uint32_t)row->a;
	p->type = TRACE_PARAMETER_TYPE(row->b);
	p->value = (int32_t)row->c;
	p->time = row->time;
	p->name = name;
	return 0;
}

static int parameters_take(struct row_cache *k, const struct trace_row *row)
{
	struct parameters *s = (struct parameters *)k;
	uint32_t *at = map_get(&s->numbers, row->a);

	if (row->kind != TRACE_ROW_PARAMETER)
		return 0;
	if (!TRACE_PARAMETER_IS_SET(row->b))
		return parameter_declare(s, row);
	if (at) {
		s->v[*at].value = (int32_t)row->c;
		s->v[*at].time = row->time;
		s->v[*at].changes++;
	}
	return 0;
}

static size_t parameters_memory(const struct row_cache *k)
{
	const struct parameters *s = (const struct parameters *)k;

	return sizeof(*s) + s->n * (sizeof(*s->v) + 64) + s->numbers.cap * sizeof(struct map_slot);
}

static void parameters_free(struct row_cache *k)
{
	struct parameters *s = (struct parameters *)k;

	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	vec_free(s);
	map_free(&s->numbers);
	free(s);
}

static const struct row_cache_kind parameters_kind = {sizeof(struct parameters), parameters_take,
						      parameters_memory, NULL, parameters_free};

static bool is_parameters_track(const struct trace_track *t)
{
	return t->kind == TRACE_OTHER && !strcmp(t->name, TRACE_PARAMETERS);
}

static bool parameter_is_settable(const struct view_call *c, uint32_t process)
{
	return c->live && process < c->trace->process_count && !c->trace->processes[process].end;
}

static void parameters_put(struct view_call *c, const struct parameters *s, uint32_t process,
			   uint64_t *room)
{
	static const char *const types[] = {[TRACE_PARAMETER_INT] = "number",
					    [TRACE_PARAMETER_BOOL] = "bool",
					    [TRACE_PARAMETER_TRIGGER] = "trigger"};
	struct json *j = &c->json;

	for (size_t i = 0; i < s->n && *room; i++, --*room) {
		const struct parameter *p = &s->v[i];

		json_object(j, NULL);
		json_uint(j, "process", process);
		json_uint(j, "number", p->number);
		json_cut(j, "name", p->name, strlen(p->name), VIEW_TEXT);
		json_text(j, "type", types[p->type < sizeof(types) / sizeof(*types) ? p->type : 0]);
		json_int(j, "value", p->value);
		json_uint(j, "changes", p->changes);
		json_ns(c, "t", p->time);
		json_bool(j, "settable", parameter_is_settable(c, process));
		json_end(j);
	}
}

int call_parameters(struct view_call *c)
{
	uint64_t room = VIEW_ROWS;
	int r = 0;

	call_begin(c);
	json_array(&c->json, "rows");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++) {
		struct row_cache *k = NULL;

		if (!is_parameters_track(&c->trace->tracks[i]))
			continue;
		r = row_cache_get(c, i, &parameters_kind, &k);
		if (r == 0)
			parameters_put(c, (struct parameters *)k, c->trace->tracks[i].process,
				       &room);
	}
	json_end(&c->json);
	json_end(&c->json);
	return r;
}

/* True if the process has declared it. */
static int parameter_find(struct view_call *c, uint32_t process, uint64_t number)
{
	for (uint32_t i = 0; i < c->trace->track_count; i++) {
		struct row_cache *k = NULL;
		int r;

		if (!is_parameters_track(&c->trace->tracks[i]) ||
		    c->trace->tracks[i].process != process)
			continue;
		r = row_cache_get(c, i, &parameters_kind, &k);
		if (r < 0)
			return r;
		if (map_get(&((struct parameters *)k)->numbers, number))
			return 0;
	}
	return call_fail(c, VIEW_MISSING, "there is no such parameter");
}

int call_parameter(struct view_call *c)
{
	uint64_t process, number;
	int32_t value;
	int r = arg_need(c, "process", UINT32_MAX - 1, &process);

	if (r == 0)
		r = arg_need(c, "number", UINT32_MAX, &number);
	if (r == 0)
		r = arg_int32(c, "value", &value);
	if (r == 0)
		r = parameter_find(c, (uint32_t)process, number);
	if (r < 0)
		return r;
	if (!parameter_is_settable(c, (uint32_t)process))
		return call_fail(c, VIEW_BAD, "the program is not being recorded any more");
	if (!follow_set_parameter(c->on, c->trace->processes[process].pid, (uint32_t)number, value))
		return call_fail(c, VIEW_BUSY, "too many values are pending");
	call_begin(c);
	json_end(&c->json);
	return 0;
}
