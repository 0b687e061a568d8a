/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables "stack" and "stack_frame": call stacks of samples and waits. A stack is its innermost
 * frame and the stack of its caller; with inlined functions it has several frames.
 */
#include "sql/private.h"

int sql_profile(struct sql *s, struct sql_source *source)
{
	if (source->profile || !source->trace)
		return 0;
	return profile_open(&source->profile, source->trace, &s->failure);
}

static double stack_rows(const struct sql *s)
{
	return s->sources.n * 1e4;
}

struct stack_cursor {
	struct sql_cursor c; /* .index: the node */
	uint32_t first, count, at;
};

/* The next node of a source that is within the bound of column 0. */
static int stack_next(struct sql_cursor *c)
{
	struct sql_source *s;
	int r;

	for (; c->source < c->sql->sources.n; c->source++, c->index = UINT32_MAX) {
		s = sql_source_of(c);
		r = sql_profile(c->sql, s);
		if (r < 0)
			return r;
		if (c->index == UINT32_MAX)
			c->index = 0; /* node 0 is none */
		while (s->profile && ++c->index < s->profile->nodes.n)
			if (sql_within(c, 0, sql_id(c, c->index)))
				return 1;
	}
	return 0;
}

/* From the innermost function, which may be inlined, to the one that the address belongs to. */
static int stack_frame_next(struct sql_cursor *c)
{
	struct stack_cursor *k = (struct stack_cursor *)c;
	int r;

	while (k->at + 1 >= k->count || c->row == 0) {
		r = stack_next(c);
		if (r <= 0)
			return r;
		profile_frames(sql_source_of(c)->profile, c->index, &k->first, &k->count);
		k->at = 0;
		if (k->count)
			return 1;
	}
	k->at++;
	return 1;
}

static void frame_out(struct sql_cursor *c, uint32_t frame, int column, sqlite3_context *out)
{
	const struct profile *p = sql_source_of(c)->profile;
	const struct profile_frame *f = &p->frames.v[frame];
	const struct profile_function *fn = &p->functions.v[f->function];

	switch (column) {
	case 0:
		sql_out_text(out, fn->name);
		break;
	case 1:
		sql_out_text(out, f->file ? f->file : fn->file);
		break;
	case 2:
		sqlite3_result_int64(out, f->line);
		break;
	case 3:
		if (fn->module < p->modules.n)
			sql_out_text(out, p->modules.v[fn->module].name);
		break;
	}
}

static void stack_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct profile *p = sql_source_of(c)->profile;
	uint32_t first, count, parent = p->nodes.v[c->index].parent;

	if (column == 0) {
		sql_out_id(c, out, c->index);
	} else if (column == 1) {
		if (parent)
			sql_out_id(c, out, parent);
	} else {
		profile_frames(p, c->index, &first, &count);
		if (count)
			frame_out(c, first, column - 2, out);
	}
}

static const struct sql_column stack_columns[] = {
	{"id INTEGER", SQL_KEY},
	{"parent_id INTEGER", 0},
	{"function TEXT", 0},
	{"file TEXT", 0},
	{"line INTEGER", 0},
	{"module TEXT", 0},
	{NULL, 0},
};

const struct sql_table sql_table_stack = {
	.name = "stack",
	.columns = stack_columns,
	.cursor_size = sizeof(struct stack_cursor),
	.order = {0, -1},
	.rows = stack_rows,
	.next = stack_next,
	.value = stack_value,
};

static void stack_frame_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct stack_cursor *k = (struct stack_cursor *)c;

	if (column == 0)
		sql_out_id(c, out, c->index);
	else if (column == 1)
		sqlite3_result_int64(out, k->at);
	else
		frame_out(c, k->first + k->at, column - 2, out);
}

static const struct sql_column stack_frame_columns[] = {
	{"stack_id INTEGER", SQL_EQ},
	{"inlined INTEGER", 0},
	{"function TEXT", 0},
	{"file TEXT", 0},
	{"line INTEGER", 0},
	{"module TEXT", 0},
	{NULL, 0},
};

const struct sql_table sql_table_stack_frame = {
	.name = "stack_frame",
	.columns = stack_frame_columns,
	.cursor_size = sizeof(struct stack_cursor),
	.order = {0, -1},
	.rows = stack_rows,
	.next = stack_frame_next,
	.value = stack_frame_value,
};
