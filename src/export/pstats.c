/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of Python's cProfile, for pstats and its viewers: a marshalled dictionary of functions
 * (file, line, name) with their calls, times and callers.
 */
#include "base/map.h"
#include "base/order.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "export/files.h"

#include <string.h>

/* Of a function, or of its calls from one other. */
struct call_sums {
	uint64_t calls, primitive; /* all; those that are not recursive */
	double self_ns, total_ns;
};

struct pstats_call {
	uint32_t caller, callee;
	struct call_sums sums;
};

struct pstats_open {
	uint32_t function;
	uint64_t start, end, inside;
	bool recursive;
};

struct pstats {
	struct trace *trace;
	const struct view_filter *filter;
	uint32_t *function_of; /* by source location: the first of those that are the same place */
	struct call_sums *functions;
	struct {
		VEC(struct pstats_call);
	} calls;
	struct map call_of; /* callee << 32 | caller to index in calls */
	struct {
		VEC(struct pstats_open);
	} open;
	uint64_t done; /* zones */
};

/* Source locations of one place are one function: Python's key has nothing else. */
static int functions_fold(struct pstats *p)
{
	const struct trace *t = p->trace;
	struct map known = {0};
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < t->srcloc_count; i++) {
		const char *texts[] = {t->srclocs[i].file, trace_srcloc_name(t, i)};
		uint64_t h = t->srclocs[i].line * 0x9e3779b97f4a7c15ull;
		uint32_t *at;

		for (int k = 0; k < 2; k++)
			h = hash_text(h, texts[k]);
		for (; (at = map_get(&known, h)) != NULL; h++)
			if (t->srclocs[*at].line == t->srclocs[i].line &&
			    !strcmp(t->srclocs[*at].file, texts[0]) &&
			    !strcmp(trace_srcloc_name(t, *at), texts[1]))
				break;
		p->function_of[i] = at ? *at : i;
		r = at ? 0 : map_set(&known, h, i);
	}
	map_free(&known);
	return r;
}

static int call_add(struct pstats *p, uint32_t caller, uint32_t callee, const struct call_sums *one)
{
	uint64_t key = (uint64_t)callee << 32 | caller;
	uint32_t *at = map_get(&p->call_of, key);
	struct pstats_call new = {caller, callee, *one};
	struct call_sums *s;

	if (!at) {
		if (map_set(&p->call_of, key, (uint32_t)p->calls.n) < 0)
			return TACHO_ENOMEM;
		return vec_push(&p->calls, new);
	}
	s = &p->calls.v[*at].sums;
	s->calls += one->calls;
	s->primitive += one->primitive;
	s->self_ns += one->self_ns;
	s->total_ns += one->total_ns;
	return 0;
}

/* The innermost open zone has ended. */
static int innermost_end(struct pstats *p)
{
	struct pstats_open z = p->open.v[--p->open.n];
	struct call_sums *f = &p->functions[z.function];
	uint64_t self = z.end - z.start > z.inside ? z.end - z.start - z.inside : 0;
	struct call_sums one = {.calls = 1, .primitive = !z.recursive};

	one.self_ns = trace_duration_ns(p->trace, z.start, z.start + self);
	one.total_ns = z.recursive ? 0 : trace_duration_ns(p->trace, z.start, z.end);
	f->calls++;
	f->primitive += one.primitive;
	f->self_ns += one.self_ns;
	f->total_ns += one.total_ns;
	if (!p->open.n)
		return 0;
	p->open.v[p->open.n - 1].inside += z.end - z.start;
	return call_add(p, p->open.v[p->open.n - 1].function, z.function, &one);
}

static int pstats_track_add(struct pstats *p, uint32_t track, struct progress *progress)
{
	const struct trace_filter *in = &p->filter->in;
	struct trace_walk *walk;
	struct trace_zone z;
	uint32_t lane;
	int r = trace_walk_open(&walk, p->trace, track, in->t0, in->t1), added = 0;

	if (r < 0)
		return r;
	while (added == 0 && (r = trace_walk_next(walk, &z, &lane)) > 0) {
		struct pstats_open open = {
			p->function_of[z.srcloc], z.start > in->t0 ? z.start : in->t0,
			z.end < in->t1 ? z.end : in->t1, 0, z.flags & TRACE_ZONE_RECURSIVE};

		while (added == 0 && p->open.n && p->open.v[p->open.n - 1].end <= z.start)
			added = innermost_end(p);
		if (added == 0 && (!in->srclocs || in->srclocs[z.srcloc]))
			added = vec_push(&p->open, open);
		files_progress(progress, ++p->done, p->trace->zones);
	}
	trace_walk_close(walk);
	while (added == 0 && p->open.n)
		added = innermost_end(p);
	return added < 0 ? added : r;
}

/* ---------------------------------------------------------------- marshal */

static void marshal_word(struct buf *out, uint32_t value)
{
	char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)};

	buf_add(out, bytes, sizeof(bytes));
}

/* Beyond 31 bits, digits of 15 bits. */
static void marshal_int(struct buf *out, uint64_t value)
{
	unsigned digits = 0;

	if (value <= INT32_MAX) {
		buf_addc(out, 'i');
		marshal_word(out, (uint32_t)value);
		return;
	}
	while (value >> 15 * digits)
		digits++;
	buf_addc(out, 'l');
	marshal_word(out, digits);
	for (unsigned i = 0; i < digits; i++) {
		buf_addc(out, (char)(value >> 15 * i & 0xff));
		buf_addc(out, (char)(value >> (15 * i + 8) & 0x7f));
	}
}

static void marshal_seconds(struct buf *out, double ns)
{
	double seconds = ns / 1e9;

	buf_addc(out, 'g');
	buf_add(out, &seconds, sizeof(seconds));
}

/* Bytes that are not UTF-8 become U+FFFD: Python rejects the whole file otherwise. */
static void marshal_text(struct buf *out, const char *text)
{
	size_t len = strlen(text), at = out->len + 1, n;

	buf_addc(out, 'u');
	marshal_word(out, 0);
	for (size_t i = 0; i < len; i += n) {
		n = (unsigned char)text[i] < 0x80 ? 1 : utf8_char(text + i, len - i);
		if (n)
			buf_add(out, text + i, n);
		else
			buf_add(out, "\xef\xbf\xbd", 3);
		n += !n;
	}
	len = out->len - at - 4;
	for (int i = 0; i < 4 && !out->failed; i++)
		out->data[at + (size_t)i] = (char)(len >> 8 * i);
}

static void marshal_function(struct buf *out, const struct trace *t, uint32_t function)
{
	buf_addc(out, '(');
	marshal_word(out, 3);
	marshal_text(out, t->srclocs[function].file);
	marshal_int(out, t->srclocs[function].line);
	marshal_text(out, trace_srcloc_name(t, function));
}

ORDER_BY(calls_compare, struct pstats_call, ORDER_UP(callee) ?: ORDER_UP(caller));

/* The callers of a function begin with *AT, by callee. */
static void callers_put(struct buf *out, const struct pstats *p, uint32_t function, size_t *at)
{
	buf_addc(out, '{');
	for (; *at < p->calls.n && p->calls.v[*at].callee == function; ++*at) {
		const struct pstats_call *c = &p->calls.v[*at];

		marshal_function(out, p->trace, c->caller);
		buf_addc(out, '(');
		marshal_word(out, 4);
		marshal_int(out, c->sums.calls);
		marshal_int(out, c->sums.primitive);
		marshal_seconds(out, c->sums.self_ns);
		marshal_seconds(out, c->sums.total_ns);
	}
	buf_addc(out, '0');
}

static int pstats_put(FILE *out, struct pstats *p)
{
	struct buf text = BUF_INIT;
	size_t at = 0;
	int r = 0;

	if (p->calls.n)
		qsort(p->calls.v, p->calls.n, sizeof(*p->calls.v), calls_compare);
	buf_addc(&text, '{');
	for (uint32_t i = 0; r == 0 && i < p->trace->srcloc_count; i++) {
		const struct call_sums *f = &p->functions[i];

		if (!f->calls)
			continue;
		marshal_function(&text, p->trace, i);
		buf_addc(&text, '(');
		marshal_word(&text, 5);
		marshal_int(&text, f->primitive);
		marshal_int(&text, f->calls);
		marshal_seconds(&text, f->self_ns);
		marshal_seconds(&text, f->total_ns);
		callers_put(&text, p, i, &at);
		if (text.failed)
			r = TACHO_ENOMEM;
		else if (fwrite(text.data, 1, text.len, out) != text.len)
			r = TACHO_EWRITE;
		buf_reset(&text);
	}
	buf_addc(&text, '0');
	if (r == 0 && fwrite(text.data, 1, text.len, out) != text.len)
		r = TACHO_EWRITE;
	buf_free(&text);
	return r;
}

int files_pstats(FILE *out, struct trace *trace, const struct view_filter *filter,
		 struct progress *progress)
{
	uint32_t n = trace->srcloc_count;
	struct pstats p = {.trace = trace,
			   .filter = filter,
			   .function_of = calloc(n + 1, sizeof(*p.function_of)),
			   .functions = calloc(n + 1, sizeof(*p.functions))};
	int r = p.function_of && p.functions ? trace_find_recursion(trace) : TACHO_ENOMEM;

	if (r >= 0)
		r = functions_fold(&p);
	for (uint32_t i = 0; r == 0 && i < trace->track_count; i++)
		if (trace->tracks[i].kind <= TRACE_CORE &&
		    (!filter->in.tracks || filter->in.tracks[i]))
			r = pstats_track_add(&p, i, progress);
	if (r == 0)
		r = pstats_put(out, &p);
	vec_free(&p.calls);
	vec_free(&p.open);
	map_free(&p.call_of);
	free(p.function_of);
	free(p.functions);
	return r;
}
