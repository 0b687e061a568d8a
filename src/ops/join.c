#include "ops/join.h"

#include "ops/devlog.h"
#include "ops/figures.h"
#include "ops/hostlog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t host_ns(const struct ops_host_op *op)
{
	return op->timed ? op->start_ns : op->message_ns;
}

/* An op that a device has, and the host's log in part: a message that refers to nothing. */
static int add_salvaged(struct ops_host *host, uint64_t id, int64_t device)
{
	uint32_t *at = ops_host_find(host, id) ? NULL : map_get(&host->salvaged_by_id, id);

	return at && host->salvaged.v[*at].device == device ? ops_host_add_unknown(host, id, device)
							    : 0;
}

static int add_host_rows(const struct ops_host *host, struct ops_rows *rows,
			 struct ops_issues *issues)
{
	for (size_t i = 0; i < host->ops.n; i++) {
		const struct ops_host_op *op = &host->ops.v[i];
		struct ops_row row = {.kind = OPS_ROW_OP,
				      .ns = host_ns(op),
				      .host = (uint32_t)i,
				      .device = OPS_NO_INDEX,
				      .cpp = OPS_NO_INDEX,
				      .trace = OPS_NONE,
				      .session = OPS_NONE};

		if (!op->timed && op->info)
			ops_issue_add(
				issues, OPS_ISSUE_NO_HOST_TIME, OPS_DATA_FILE, op->line,
				OPS_AT(op->id, op->device),
				"no zone of the host gives its time; the message's is its place");
		if (vec_push(rows, row) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static int add_signposts(const struct ops_host *host, struct ops_rows *rows)
{
	for (size_t i = 0; i < host->signposts.n; i++) {
		struct ops_row row = {.kind = OPS_ROW_SIGNPOST,
				      .ns = host->signposts.v[i].ns,
				      .host = (uint32_t)i,
				      .device = OPS_NO_INDEX,
				      .cpp = OPS_NO_INDEX,
				      .trace = OPS_NONE,
				      .session = OPS_NONE};

		if (vec_push(rows, row) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* A stable merge sort by time: rows of the same time keep their order. */
static int sort_rows(struct ops_rows *rows)
{
	struct ops_row *tmp = malloc((rows->n + 1) * sizeof(*tmp)), *in = rows->v, *out = tmp;

	if (!tmp)
		return TACHO_ENOMEM;
	for (size_t width = 1; width < rows->n; width *= 2) {
		struct ops_row *swap = in;

		for (size_t from = 0; from < rows->n; from += 2 * width) {
			size_t middle = from + width < rows->n ? from + width : rows->n;
			size_t end = from + 2 * width < rows->n ? from + 2 * width : rows->n;
			size_t a = from, b = middle;

			for (size_t to = from; to < end; to++)
				out[to] = b == end || (a < middle && in[a].ns <= in[b].ns)
						  ? in[a++]
						  : in[b++];
		}
		in = out;
		out = swap;
	}
	if (in != rows->v)
		memcpy(rows->v, in, rows->n * sizeof(*in));
	free(tmp);
	return 0;
}

static int finish(struct ops_host *host, struct ops_rows *rows, int r, struct tacho_error *err)
{
	if (r == 0)
		r = add_signposts(host, rows);
	if (r == 0)
		r = sort_rows(rows);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

/* --- replays --- */

struct trace_state {
	int64_t device, trace;
	struct {
		VEC(uint64_t);
	} replays;       /* their times */
	size_t now;      /* the replay that device ops are being put into */
	struct map seen; /* op id to the replay that it was last seen in, + 1 */
	bool by_counter; /* the device's own numbers decide */
};

struct traces {
	VEC(struct trace_state);
	struct map by_key; /* of device and trace */
};

/* NULL when the host tells of no replay of it; then *FREE_KEY, if asked for, is where it belongs.
 */
static struct trace_state *find_key(const struct traces *traces, int64_t device, int64_t trace,
				    uint64_t *free_key)
{
	for (uint64_t key = ops_mix((uint64_t)device, (uint64_t)trace);; key++) {
		uint32_t *at = map_get(&traces->by_key, key);

		if (!at) {
			if (free_key)
				*free_key = key;
			return NULL;
		}
		if (traces->v[*at].device == device && traces->v[*at].trace == trace)
			return &traces->v[*at];
	}
}

static struct trace_state *find_trace(const struct traces *traces, int64_t device, int64_t trace)
{
	return find_key(traces, device, trace, NULL);
}

static int collect_traces(const struct ops_host *host, struct traces *traces)
{
	for (size_t i = 0; i < host->replays.n; i++) {
		const struct ops_replay *r = &host->replays.v[i];
		uint64_t key = 0;
		struct trace_state *t = find_key(traces, r->device, r->trace, &key);

		if (!t) {
			if (map_set(&traces->by_key, key, (uint32_t)traces->n) < 0 ||
			    vec_push(traces, ((struct trace_state){.device = r->device,
								   .trace = r->trace})) < 0)
				return TACHO_ENOMEM;
			t = &traces->v[traces->n - 1];
		}
		if (vec_push(&t->replays, r->ns) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static void traces_free(struct traces *traces)
{
	for (size_t i = 0; i < traces->n; i++) {
		vec_free(&traces->v[i].replays);
		map_free(&traces->v[i].seen);
	}
	vec_free(traces);
	map_free(&traces->by_key);
}

/*
 * Counting replays by the ops that come again is right only when none is missing. When a trace's
 * ops did not run equally often and the device numbered them, its numbers are taken.
 */
static int choose_counters(const struct ops_host *host, const struct ops_device_ops *ops,
			   struct traces *traces)
{
	for (size_t i = 0; i < ops->n; i++) {
		const struct ops_host_op *op = ops_host_find(host, ops->v[i].id);
		struct trace_state *t = op ? find_trace(traces, ops->v[i].device, op->trace) : NULL;
		uint32_t *n = t ? map_get(&t->seen, ops->v[i].id) : NULL;

		if (t && map_set(&t->seen, ops->v[i].id, n ? *n + 1 : 1) < 0)
			return TACHO_ENOMEM;
	}
	for (size_t i = 0; i < traces->n; i++) {
		struct trace_state *t = &traces->v[i];
		uint32_t least = UINT32_MAX, most = 0;

		for (size_t s = 0; s < t->seen.cap; s++)
			if (t->seen.slots[s].used) {
				least = t->seen.slots[s].value < least ? t->seen.slots[s].value
								       : least;
				most = t->seen.slots[s].value > most ? t->seen.slots[s].value
								     : most;
			}
		t->by_counter = least < most || most > t->replays.n;
		map_free(&t->seen);
		t->seen = (struct map){0};
	}
	return 0;
}

/* Which replay (from 0) the next execution of op ID on the device is. */
static int64_t next_replay(struct trace_state *t, const struct ops_device_op *op)
{
	uint32_t *seen = map_get(&t->seen, op->id);

	if (t->by_counter && op->session != OPS_NONE && op->session > 0)
		return op->session - 1;
	if (seen && *seen == t->now + 1)
		t->now++;
	if (map_set(&t->seen, op->id, (uint32_t)t->now + 1) < 0)
		return TACHO_ENOMEM;
	return (int64_t)t->now;
}

/* --- the raw device log --- */

struct join {
	struct ops_host *host;
	struct ops_device_ops *ops;
	struct ops_rows *rows;
	struct ops_issues *issues;
	struct traces traces;
	struct ops_rows replays; /* added behind the host's rows, by op id and session */
};

static int by_time(const void *a, const void *b)
{
	const struct ops_device_op *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_id_and_time(const void *a, const void *b)
{
	const struct ops_device_op *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int add_replay(struct join *j, uint32_t device_op, const struct ops_host_op *op,
		      struct trace_state *t)
{
	const struct ops_device_op *d = &j->ops->v[device_op];
	int64_t replay = next_replay(t, d);
	struct ops_row row = {.kind = OPS_ROW_REPLAY,
			      .host = (uint32_t)(op - j->host->ops.v),
			      .device = device_op,
			      .cpp = OPS_NO_INDEX,
			      .trace = t->trace};

	if (replay < 0)
		return (int)replay;
	row.session = replay + 1;
	if ((size_t)replay < t->replays.n) {
		row.ns = t->replays.v[replay];
	} else {
		row.ns = t->replays.v[t->replays.n - 1];
		ops_issue_add(j->issues, OPS_ISSUE_REPLAY_COUNT, OPS_DEVICE_FILE, 0,
			      OPS_AT(d->id, d->device),
			      "replay %" PRId64 " of trace %" PRId64
			      ", but the host tells of %zu replays",
			      row.session, t->trace, t->replays.n);
	}
	return vec_push(&j->replays, row);
}

/* An execution that the host's log has no call for: a row of its own behind the last one matched.
 */
static int add_extra(struct join *j, uint32_t device_op, uint64_t ns, uint32_t host)
{
	const struct ops_device_op *d = &j->ops->v[device_op];
	bool traced = d->trace != OPS_NONE && d->session != OPS_NONE;
	struct ops_row row = {.kind = traced ? OPS_ROW_REPLAY : OPS_ROW_OP,
			      .ns = ns,
			      .host = host,
			      .device = device_op,
			      .cpp = OPS_NO_INDEX,
			      .trace = traced ? d->trace : OPS_NONE,
			      .session = traced ? d->session : OPS_NONE};

	return vec_push(&j->replays, row);
}

static int match_with_replays(struct join *j, uint32_t i, uint64_t *last_ns)
{
	struct ops_device_op *d = &j->ops->v[i];
	struct ops_host_op *op = ops_host_find(j->host, d->id);
	struct trace_state *t;

	if (!op || op->device != d->device) {
		ops_issue_add(
			j->issues, OPS_ISSUE_EXTRA_REPLAYED, OPS_DEVICE_FILE, 0,
			OPS_AT(d->id, d->device),
			"ran on the device while traces were replayed; the host's log does not "
			"name it");
		return add_extra(j, i, *last_ns, OPS_NO_INDEX);
	}
	t = op->trace == OPS_NONE ? NULL : find_trace(&j->traces, d->device, op->trace);
	if (t) {
		int r = add_replay(j, i, op, t);

		if (r == 0)
			*last_ns = j->replays.v[j->replays.n - 1].ns;
		return r;
	}
	j->rows->v[op - j->host->ops.v].device = i;
	*last_ns = j->rows->v[op - j->host->ops.v].ns;
	return 0;
}

static int match_once(struct join *j, uint32_t i, uint64_t *last_ns)
{
	struct ops_device_op *d = &j->ops->v[i];
	struct ops_host_op *op = ops_host_find(j->host, d->id);
	struct ops_row *row = op ? &j->rows->v[op - j->host->ops.v] : NULL;

	if (op && op->trace != OPS_NONE && d->trace != OPS_NONE && d->session != OPS_NONE) {
		ops_issue_add(j->issues, OPS_ISSUE_REPLAY_COUNT, OPS_DEVICE_FILE, 0,
			      OPS_AT(d->id, d->device),
			      "replay %" PRId64 " of trace %" PRId64
			      ", but the host tells of no replays",
			      d->session, d->trace);
		row->replayed = true;
		return add_extra(j, i, row->ns, row->host);
	}
	if (row && row->device == OPS_NO_INDEX) {
		row->device = i;
		*last_ns = row->ns;
		return 0;
	}
	if (op) {
		ops_issue_add(j->issues, OPS_ISSUE_REPEATED_OP, OPS_DEVICE_FILE, 0,
			      OPS_AT(d->id, d->device),
			      "the device ran it more often than the host called it");
		return add_extra(j, i, row->ns, row->host);
	}
	ops_issue_add(j->issues, OPS_ISSUE_EXTRA_OP, OPS_DEVICE_FILE, 0, OPS_AT(d->id, d->device),
		      "ran on the device, but the host's log does not name it");
	return add_extra(j, i, *last_ns, OPS_NO_INDEX);
}

static void missing_data(struct join *j, bool replays)
{
	for (size_t i = 0; i < j->host->ops.n; i++) {
		const struct ops_host_op *op = &j->host->ops.v[i];
		bool replayed =
			op->trace != OPS_NONE && find_trace(&j->traces, op->device, op->trace);

		if (op->device == OPS_NONE || j->rows->v[i].device != OPS_NO_INDEX || replays ||
		    replayed || j->rows->v[i].replayed)
			continue;
		if (op->trace != OPS_NONE)
			ops_issue_add(j->issues, OPS_ISSUE_NOT_REPLAYED, OPS_DATA_FILE, op->line,
				      OPS_AT(op->id, op->device),
				      "captured into trace %" PRId64 ", which was never replayed",
				      op->trace);
		else
			ops_issue_add(j->issues, OPS_ISSUE_NO_DEVICE_DATA, OPS_DATA_FILE, op->line,
				      OPS_AT(op->id, op->device),
				      "the device's log has nothing about it");
	}
}

/* Which of the replay rows comes first: by device op id, then by session. */
struct order {
	uint64_t id;
	int64_t session;
	uint32_t row;
};

static int by_id_and_session(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static int append_replays(struct join *j)
{
	struct order *order = calloc(j->replays.n + 1, sizeof(*order));
	int r = order ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; i < j->replays.n && r == 0; i++)
		order[i] = (struct order){j->ops->v[j->replays.v[i].device].id,
					  j->replays.v[i].session, (uint32_t)i};
	if (r == 0)
		qsort(order, j->replays.n, sizeof(*order), by_id_and_session);
	for (size_t i = 0; i < j->replays.n && r == 0; i++)
		r = vec_push(j->rows, j->replays.v[order[i].row]);
	free(order);
	return r;
}

static int match_all(struct join *j)
{
	bool replays = j->host->replays.n > 0;
	uint64_t last_ns = 0;
	int r = collect_traces(j->host, &j->traces);

	if (r == 0)
		r = choose_counters(j->host, j->ops, &j->traces);
	if (j->ops->n)
		qsort(j->ops->v, j->ops->n, sizeof(*j->ops->v), replays ? by_time : by_id_and_time);
	for (size_t i = 0; i < j->ops->n && r == 0; i++)
		r = replays ? match_with_replays(j, (uint32_t)i, &last_ns)
			    : match_once(j, (uint32_t)i, &last_ns);
	if (r < 0)
		return r;
	missing_data(j, replays);
	return append_replays(j);
}

int ops_join_device(struct ops_host *host, struct ops_device_ops *device_ops, struct ops_rows *rows,
		    struct ops_issues *issues, struct tacho_error *err)
{
	struct join j = {.host = host, .ops = device_ops, .rows = rows, .issues = issues};
	int r = 0;

	for (size_t i = 0; i < device_ops->n && r == 0; i++)
		r = add_salvaged(host, device_ops->v[i].id, device_ops->v[i].device);
	if (r == 0)
		r = add_host_rows(host, rows, issues);
	if (r == 0)
		r = match_all(&j);
	traces_free(&j.traces);
	vec_free(&j.replays);
	return finish(host, rows, r, err);
}

/* --- the runtime's report --- */

static int add_candidate(struct ops_host *host, uint32_t at, const struct ops_cpp *cpp,
			 uint32_t row, const struct traces *traces, struct ops_rows *rows)
{
	const struct ops_cpp_row *c = &cpp->v[row];
	struct ops_row out = {.kind = OPS_ROW_REPLAY,
			      .ns = host->ops.v[at].message_ns,
			      .host = at,
			      .device = OPS_NO_INDEX,
			      .cpp = row,
			      .trace = c->trace != OPS_NONE ? c->trace : host->ops.v[at].trace,
			      .session = c->session};
	const struct trace_state *t;

	if (c->session == OPS_NONE) {
		rows->v[at].cpp = row;
		return 0;
	}
	t = find_trace(traces, c->device, c->trace);
	if (t && c->session >= 1 && (size_t)c->session <= t->replays.n)
		out.ns = t->replays.v[c->session - 1];
	return vec_push(rows, out);
}

static int match_cpp(struct ops_host *host, uint32_t at, const struct ops_cpp *cpp,
		     const struct traces *traces, struct ops_rows *rows, struct ops_issues *issues)
{
	const struct ops_host_op *op = &host->ops.v[at];
	int64_t first = ops_cpp_first(cpp, op->device, op->id);
	bool exact = false;
	int r = 0;

	for (int64_t i = first; i >= 0; i = (int64_t)cpp->next.v[i] - 1)
		exact |= cpp->v[i].trace == op->trace;
	for (int64_t i = first; i >= 0 && r == 0; i = (int64_t)cpp->next.v[i] - 1)
		if (!exact || cpp->v[i].trace == op->trace)
			r = add_candidate(host, at, cpp, (uint32_t)i, traces, rows);
	if (first >= 0 && cpp->v[first].whole)
		ops_issue_add(issues, OPS_ISSUE_WHOLE_REPLAY, OPS_CPP_FILE, 0,
			      OPS_AT(op->id, op->device),
			      "the figures are of whole replays of trace %" PRId64
			      ": TT_METAL_TRACE_PROFILER=1 records nothing else",
			      cpp->v[first].trace);
	if (first >= 0 || cpp->whole)
		return r;
	if (op->trace != OPS_NONE)
		ops_issue_add(issues, OPS_ISSUE_NOT_REPLAYED, OPS_DATA_FILE, op->line,
			      OPS_AT(op->id, op->device),
			      "captured into trace %" PRId64 "; no replay of it was measured",
			      op->trace);
	else
		ops_issue_add(issues, OPS_ISSUE_NO_DEVICE_DATA, OPS_DATA_FILE, op->line,
			      OPS_AT(op->id, op->device), "%s has nothing about %s",
			      issues->of_trace ? "the trace" : OPS_CPP_FILE,
			      ops_cpp_has_device(cpp, op->device) ? "it" : "its device");
	return 0;
}

struct by_device {
	int64_t device;
	uint32_t rank; /* devices in order of their first op */
	uint64_t id;
	uint32_t at;
};

static int by_device_and_id(const void *a, const void *b)
{
	const struct by_device *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* The ops that ran on devices, by device and id; their number. */
static int64_t device_order(const struct ops_host *host, struct by_device **list)
{
	struct by_device *v = calloc(host->ops.n + 1, sizeof(*v));
	struct map ranks = {0};
	int64_t n = 0;

	if (!v)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < host->ops.n; i++) {
		const struct ops_host_op *op = &host->ops.v[i];
		uint32_t *rank;

		if (op->device == OPS_NONE)
			continue;
		rank = map_get(&ranks, (uint64_t)op->device);
		if (!rank && map_set(&ranks, (uint64_t)op->device, (uint32_t)ranks.n) < 0) {
			map_free(&ranks);
			free(v);
			return TACHO_ENOMEM;
		}
		rank = map_get(&ranks, (uint64_t)op->device);
		v[n++] = (struct by_device){op->device, *rank, op->id, (uint32_t)i};
	}
	map_free(&ranks);
	qsort(v, (size_t)n, sizeof(*v), by_device_and_id);
	*list = v;
	return n;
}

/* Rows of the runtime's report that the host's log has no op for: behind the one before them. */
static int add_cpp_extras(const struct ops_host *host, const struct ops_cpp *cpp,
			  const struct traces *traces, struct ops_rows *rows,
			  struct ops_issues *issues)
{
	uint64_t last_ns = 0;
	int r = 0;

	for (size_t i = 0; i < cpp->n && r == 0; i++) {
		const struct ops_cpp_row *c = &cpp->v[i];
		const struct ops_host_op *op = ops_host_find(host, c->id);
		const struct trace_state *t = find_trace(traces, c->device, c->trace);
		struct ops_row row = {.kind = c->session == OPS_NONE ? OPS_ROW_OP : OPS_ROW_REPLAY,
				      .ns = last_ns,
				      .host = OPS_NO_INDEX,
				      .device = OPS_NO_INDEX,
				      .cpp = (uint32_t)i,
				      .trace = c->trace,
				      .session = c->session};

		if (op && op->device == c->device) {
			last_ns = host_ns(op);
			continue;
		}
		if (c->id == 0)
			continue;
		if (t && c->session >= 1 && (size_t)c->session <= t->replays.n)
			row.ns = t->replays.v[c->session - 1];
		ops_issue_add(issues,
			      host->replays.n ? OPS_ISSUE_EXTRA_REPLAYED : OPS_ISSUE_EXTRA_OP,
			      OPS_CPP_FILE, 0, OPS_AT(c->id, c->device),
			      "ran on the device, but the host's log does not name it");
		r = vec_push(rows, row);
	}
	return r;
}

int ops_join_cpp(struct ops_host *host, const struct ops_cpp *cpp, struct ops_rows *rows,
		 struct ops_issues *issues, struct tacho_error *err)
{
	struct traces traces = {0};
	struct by_device *order = NULL;
	int64_t n = 0;
	int r = 0;

	for (size_t i = 0; i < cpp->n && r == 0; i++)
		r = add_salvaged(host, cpp->v[i].id, cpp->v[i].device);
	if (r == 0)
		r = add_host_rows(host, rows, issues);
	if (r == 0 && (n = device_order(host, &order)) < 0)
		r = (int)n;
	if (r == 0)
		r = collect_traces(host, &traces);
	for (int64_t i = 0; i < n && r == 0; i++)
		r = match_cpp(host, order[i].at, cpp, &traces, rows, issues);
	if (r == 0)
		r = add_cpp_extras(host, cpp, &traces, rows, issues);
	free(order);
	traces_free(&traces);
	return finish(host, rows, r, err);
}

int ops_join_host(struct ops_host *host, struct ops_rows *rows, struct ops_issues *issues,
		  struct tacho_error *err)
{
	return finish(host, rows, add_host_rows(host, rows, issues), err);
}
