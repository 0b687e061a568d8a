/* SPDX-License-Identifier: Apache-2.0 */
/* Joins ops of the host with their executions on devices into rows of the report. */
#include "op/join.h"

#include "base/order.h"
#include "op/devlog.h"
#include "op/figures.h"
#include "op/messages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t host_ns(const struct op_host_op *op)
{
	return op->timed ? op->start_ns : op->message_ns;
}

/*
 * An op that a device ran and the host's log has only in part: its message has a dangling
 * reference.
 */
static int add_salvaged(struct op_host *host, uint64_t id, int64_t device)
{
	uint32_t *at = op_host_find(host, id) ? NULL : map_get(&host->salvaged_by_id, id);

	return at && host->salvaged.v[*at].device == device ? op_host_add_unknown(host, id, device)
							    : 0;
}

static int add_host_rows(const struct op_host *host, struct op_rows *rows, struct op_issues *issues)
{
	for (size_t i = 0; i < host->ops.n; i++) {
		const struct op_host_op *op = &host->ops.v[i];
		struct op_row row = {.kind = OP_ROW_OP,
				     .ns = host_ns(op),
				     .host = (uint32_t)i,
				     .device = OP_NO_INDEX,
				     .measured = OP_NO_INDEX,
				     .trace = OP_NONE,
				     .session = OP_NONE};

		if (!op->timed && op->program)
			op_issue_add(
				issues, OP_ISSUE_NO_HOST_TIME, TTLOG_DATA_FILE, op->line,
				OP_AT(op->id, op->device),
				"no zone of the host gives its time; the message's is its place");
		if (vec_push(rows, row) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static int add_signposts(const struct op_host *host, struct op_rows *rows)
{
	for (size_t i = 0; i < host->signposts.n; i++) {
		struct op_row row = {.kind = OP_ROW_SIGNPOST,
				     .ns = host->signposts.v[i].ns,
				     .host = (uint32_t)i,
				     .device = OP_NO_INDEX,
				     .measured = OP_NO_INDEX,
				     .trace = OP_NONE,
				     .session = OP_NONE};

		if (vec_push(rows, row) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* A stable merge sort by time: rows of the same time keep their order. */
static int sort_rows(struct op_rows *rows)
{
	struct op_row *tmp = malloc((rows->n + 1) * sizeof(*tmp)), *in = rows->v, *out = tmp;

	if (!tmp)
		return TACHO_ENOMEM;
	for (size_t width = 1; width < rows->n; width *= 2) {
		struct op_row *swap = in;

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

static int join_finish(struct op_host *host, struct op_rows *rows, int r, struct tacho_error *err)
{
	if (r == 0)
		r = add_signposts(host, rows);
	if (r == 0)
		r = sort_rows(rows);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

/* --- replays --- */

struct replay_state {
	int64_t device, trace;
	struct {
		VEC(uint64_t);
	} replays;       /* their times */
	size_t now;      /* the current replay, to which device ops are assigned */
	struct map seen; /* op id to the replay that it was last seen in, + 1 */
	bool by_counter; /* the device's own numbers decide */
};

struct traces {
	VEC(struct replay_state);
	struct map by_key; /* of device and trace */
};

/*
 * NULL when the host reports no replay of it; *FREE_KEY, if requested, is then the key to add it
 * at.
 */
static struct replay_state *join_key_find(const struct traces *traces, int64_t device,
					  int64_t trace, uint64_t *free_key)
{
	for (uint64_t key = op_mix((uint64_t)device, (uint64_t)trace);; key++) {
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

static struct replay_state *find_trace(const struct traces *traces, int64_t device, int64_t trace)
{
	return join_key_find(traces, device, trace, NULL);
}

static int collect_traces(const struct op_host *host, struct traces *traces)
{
	for (size_t i = 0; i < host->replays.n; i++) {
		const struct op_replay *r = &host->replays.v[i];
		uint64_t key = 0;
		struct replay_state *t = join_key_find(traces, r->device, r->trace, &key);

		if (!t) {
			if (map_set(&traces->by_key, key, (uint32_t)traces->n) < 0 ||
			    vec_push(traces, ((struct replay_state){.device = r->device,
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
 * Counting replays by repeated ops is right only when none is missing. When a trace's ops did not
 * run equally often and the device numbered them, use its numbers.
 */
static int choose_counters(const struct op_host *host, const struct op_executions *ops,
			   struct traces *traces)
{
	for (size_t i = 0; i < ops->n; i++) {
		const struct op_host_op *op = op_host_find(host, ops->v[i].id);
		struct replay_state *t =
			op ? find_trace(traces, ops->v[i].device, op->trace) : NULL;
		uint32_t *n = t ? map_get(&t->seen, ops->v[i].id) : NULL;

		if (t && map_set(&t->seen, ops->v[i].id, n ? *n + 1 : 1) < 0)
			return TACHO_ENOMEM;
	}
	for (size_t i = 0; i < traces->n; i++) {
		struct replay_state *t = &traces->v[i];
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
static int64_t next_replay(struct replay_state *t, const struct op_execution *op)
{
	uint32_t *seen = map_get(&t->seen, op->id);

	if (t->by_counter && op->session != OP_NONE && op->session > 0)
		return op->session - 1;
	if (seen && *seen == t->now + 1)
		t->now++;
	if (map_set(&t->seen, op->id, (uint32_t)t->now + 1) < 0)
		return TACHO_ENOMEM;
	return (int64_t)t->now;
}

/* --- the raw device log --- */

struct join {
	struct op_host *host;
	struct op_executions *ops;
	struct op_rows *rows;
	struct op_issues *issues;
	struct traces traces;
	struct op_rows replays; /* added after the host's rows, by op id and session */
};

ORDER_BY(join_by_time, struct op_execution, ORDER_UP(first) ?: ORDER_UP(id));

ORDER_BY(by_id_and_time, struct op_execution, ORDER_UP(id) ?: ORDER_UP(first));

static int add_replay(struct join *j, uint32_t device_op, const struct op_host_op *op,
		      struct replay_state *t)
{
	const struct op_execution *d = &j->ops->v[device_op];
	int64_t replay = next_replay(t, d);
	struct op_row row = {.kind = OP_ROW_REPLAY,
			     .host = (uint32_t)(op - j->host->ops.v),
			     .device = device_op,
			     .measured = OP_NO_INDEX,
			     .trace = t->trace};

	if (replay < 0)
		return (int)replay;
	row.session = replay + 1;
	if ((size_t)replay < t->replays.n) {
		row.ns = t->replays.v[replay];
	} else {
		row.ns = t->replays.v[t->replays.n - 1];
		op_issue_add(j->issues, OP_ISSUE_REPLAY_COUNT, TTLOG_DEVICE_FILE, 0,
			     OP_AT(d->id, d->device),
			     "replay %" PRId64 " of trace %" PRId64
			     ", but the host reports %zu replays",
			     row.session, t->trace, t->replays.n);
	}
	return vec_push(&j->replays, row);
}

/* An execution without a call in the host's log: a row of its own after the last match. */
static int join_extra_add(struct join *j, uint32_t device_op, uint64_t ns, uint32_t host)
{
	const struct op_execution *d = &j->ops->v[device_op];
	bool traced = d->trace != OP_NONE && d->session != OP_NONE;
	struct op_row row = {.kind = traced ? OP_ROW_REPLAY : OP_ROW_OP,
			     .ns = ns,
			     .host = host,
			     .device = device_op,
			     .measured = OP_NO_INDEX,
			     .trace = traced ? d->trace : OP_NONE,
			     .session = traced ? d->session : OP_NONE};

	return vec_push(&j->replays, row);
}

static int join_again(struct join *j, uint32_t i, const struct op_row *row)
{
	op_issue_add(j->issues, OP_ISSUE_REPEATED_OP, TTLOG_DEVICE_FILE, 0,
		     OP_AT(j->ops->v[i].id, j->ops->v[i].device),
		     "the device ran it more often than the host called it");
	return join_extra_add(j, i, row->ns, row->host);
}

static int match_with_replays(struct join *j, uint32_t i, uint64_t *last_ns)
{
	struct op_execution *d = &j->ops->v[i];
	struct op_host_op *op = op_host_find(j->host, d->id);
	struct replay_state *t;
	struct op_row *row;

	if (!op || op->device != d->device) {
		op_issue_add(
			j->issues, OP_ISSUE_EXTRA_REPLAYED, TTLOG_DEVICE_FILE, 0,
			OP_AT(d->id, d->device),
			"ran on the device while traces were replayed; the host's log does not "
			"name it");
		return join_extra_add(j, i, *last_ns, OP_NO_INDEX);
	}
	t = op->trace == OP_NONE ? NULL : find_trace(&j->traces, d->device, op->trace);
	if (t) {
		int r = add_replay(j, i, op, t);

		if (r == 0)
			*last_ns = j->replays.v[j->replays.n - 1].ns;
		return r;
	}
	row = &j->rows->v[op - j->host->ops.v];
	*last_ns = row->ns;
	if (row->device != OP_NO_INDEX)
		return join_again(j, i, row);
	row->device = i;
	return 0;
}

static int match_once(struct join *j, uint32_t i, uint64_t *last_ns)
{
	struct op_execution *d = &j->ops->v[i];
	struct op_host_op *op = op_host_find(j->host, d->id);
	struct op_row *row = op ? &j->rows->v[op - j->host->ops.v] : NULL;

	if (op && op->trace != OP_NONE && d->trace != OP_NONE && d->session != OP_NONE) {
		op_issue_add(j->issues, OP_ISSUE_REPLAY_COUNT, TTLOG_DEVICE_FILE, 0,
			     OP_AT(d->id, d->device),
			     "replay %" PRId64 " of trace %" PRId64
			     ", but the host reports no replays",
			     d->session, d->trace);
		row->replayed = true;
		return join_extra_add(j, i, row->ns, row->host);
	}
	if (row && row->device == OP_NO_INDEX) {
		row->device = i;
		*last_ns = row->ns;
		return 0;
	}
	if (op)
		return join_again(j, i, row);
	op_issue_add(j->issues, OP_ISSUE_EXTRA_OP, TTLOG_DEVICE_FILE, 0, OP_AT(d->id, d->device),
		     "ran on the device, but the host's log does not name it");
	return join_extra_add(j, i, *last_ns, OP_NO_INDEX);
}

/* Which of the replay rows comes first: by device op id, then by session. */
struct order {
	uint64_t id;
	int64_t session;
	uint32_t row;
};

ORDER_BY(by_id_and_session, struct order, ORDER_UP(id) ?: ORDER_UP(session) ?: ORDER_UP(row));

static int match_all(struct join *j)
{
	bool replays = j->host->replays.n > 0;
	uint64_t last_ns = 0;
	int r = collect_traces(j->host, &j->traces);
	struct order *order;

	if (r == 0)
		r = choose_counters(j->host, j->ops, &j->traces);
	if (j->ops->n)
		qsort(j->ops->v, j->ops->n, sizeof(*j->ops->v),
		      replays ? join_by_time : by_id_and_time);
	for (size_t i = 0; i < j->ops->n && r == 0; i++)
		r = replays ? match_with_replays(j, (uint32_t)i, &last_ns)
			    : match_once(j, (uint32_t)i, &last_ns);
	if (r < 0)
		return r;
	for (size_t i = 0; i < j->host->ops.n; i++) {
		const struct op_host_op *op = &j->host->ops.v[i];
		bool replayed =
			op->trace != OP_NONE && find_trace(&j->traces, op->device, op->trace);

		if (op->device == OP_NONE || j->rows->v[i].device != OP_NO_INDEX || replays ||
		    replayed || j->rows->v[i].replayed)
			continue;
		if (op->trace != OP_NONE)
			op_issue_add(j->issues, OP_ISSUE_NOT_REPLAYED, TTLOG_DATA_FILE, op->line,
				     OP_AT(op->id, op->device),
				     "captured into trace %" PRId64 ", which was never replayed",
				     op->trace);
		else
			op_issue_add(j->issues, OP_ISSUE_NO_DEVICE_DATA, TTLOG_DATA_FILE, op->line,
				     OP_AT(op->id, op->device),
				     "the device's log does not mention it");
	}
	order = calloc(j->replays.n + 1, sizeof(*order));
	r = order ? 0 : TACHO_ENOMEM;
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

int op_join_device(struct op_host *host, struct op_executions *device_ops, struct op_rows *rows,
		   struct op_issues *issues, struct tacho_error *err)
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
	return join_finish(host, rows, r, err);
}

/* --- the runtime's report --- */

static int add_candidate(struct op_host *host, uint32_t at, const struct op_measurements *measured,
			 uint32_t row, const struct traces *traces, struct op_rows *rows)
{
	const struct op_measurement *c = &measured->v[row];
	struct op_row out = {.kind = OP_ROW_REPLAY,
			     .ns = host->ops.v[at].message_ns,
			     .host = at,
			     .device = OP_NO_INDEX,
			     .measured = row,
			     .trace = c->op.trace != OP_NONE ? c->op.trace : host->ops.v[at].trace,
			     .session = c->op.session};
	const struct replay_state *t;

	if (c->op.session == OP_NONE) {
		rows->v[at].measured = row;
		return 0;
	}
	t = find_trace(traces, c->op.device, c->op.trace);
	if (t && c->op.session >= 1 && (size_t)c->op.session <= t->replays.n)
		out.ns = t->replays.v[c->op.session - 1];
	return vec_push(rows, out);
}

static int match_measured(struct op_host *host, uint32_t at, const struct op_measurements *measured,
			  const struct traces *traces, struct op_rows *rows,
			  struct op_issues *issues)
{
	const struct op_host_op *op = &host->ops.v[at];
	int64_t first = op_measurements_first(measured, op->device, (int64_t)op->id);
	bool exact = false;
	int r = 0;

	for (int64_t i = first; i >= 0; i = (int64_t)measured->next.v[i] - 1)
		exact |= measured->v[i].op.trace == op->trace;
	for (int64_t i = first; i >= 0 && r == 0; i = (int64_t)measured->next.v[i] - 1)
		if (!exact || measured->v[i].op.trace == op->trace)
			r = add_candidate(host, at, measured, (uint32_t)i, traces, rows);
	if (first >= 0 && measured->v[first].whole)
		op_issue_add(issues, OP_ISSUE_WHOLE_REPLAY, TTLOG_CPP_FILE, 0,
			     OP_AT(op->id, op->device),
			     "the figures are of whole replays of trace %" PRId64
			     ": TT_METAL_TRACE_PROFILER=1 records nothing else",
			     measured->v[first].op.trace);
	if (first >= 0 || measured->whole)
		return r;
	if (op->trace != OP_NONE)
		op_issue_add(issues, OP_ISSUE_NOT_REPLAYED, TTLOG_DATA_FILE, op->line,
			     OP_AT(op->id, op->device),
			     "captured into trace %" PRId64 "; no replay of it was measured",
			     op->trace);
	else
		op_issue_add(issues, OP_ISSUE_NO_DEVICE_DATA, TTLOG_DATA_FILE, op->line,
			     OP_AT(op->id, op->device), "%s has nothing about %s",
			     issues->of_trace ? "the trace" : TTLOG_CPP_FILE,
			     op_measurements_has_device(measured, op->device) ? "it"
									      : "its device");
	return 0;
}

struct by_device {
	int64_t device;
	uint32_t rank; /* devices in order of their first op */
	uint64_t id;
	uint32_t at;
};

ORDER_BY(by_device_and_id, struct by_device, ORDER_UP(rank) ?: ORDER_UP(id));

/* The ops that ran on devices, by device and id; their number. */
static int64_t device_order(const struct op_host *host, struct by_device **list)
{
	struct by_device *v = calloc(host->ops.n + 1, sizeof(*v));
	struct map ranks = {0};
	int64_t n = 0;

	if (!v)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < host->ops.n; i++) {
		const struct op_host_op *op = &host->ops.v[i];
		uint32_t *rank;

		if (op->device == OP_NONE)
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

/* Rows of the runtime's report without an op in the host's log go after the row before them. */
static int add_measured_extras(const struct op_host *host, const struct op_measurements *measured,
			       const struct traces *traces, struct op_rows *rows,
			       struct op_issues *issues)
{
	uint64_t last_ns = 0;
	int r = 0;

	for (size_t i = 0; i < measured->n && r == 0; i++) {
		const struct op_measurement *c = &measured->v[i];
		const struct op_host_op *op = op_host_find(host, (uint64_t)c->op.id);
		const struct replay_state *t = find_trace(traces, c->op.device, c->op.trace);
		struct op_row row = {.kind = c->op.session == OP_NONE ? OP_ROW_OP : OP_ROW_REPLAY,
				     .ns = last_ns,
				     .host = OP_NO_INDEX,
				     .device = OP_NO_INDEX,
				     .measured = (uint32_t)i,
				     .trace = c->op.trace,
				     .session = c->op.session};

		if (op && op->device == c->op.device) {
			last_ns = host_ns(op);
			continue;
		}
		if ((uint64_t)c->op.id == 0)
			continue;
		if (t && c->op.session >= 1 && (size_t)c->op.session <= t->replays.n)
			row.ns = t->replays.v[c->op.session - 1];
		op_issue_add(issues, host->replays.n ? OP_ISSUE_EXTRA_REPLAYED : OP_ISSUE_EXTRA_OP,
			     TTLOG_CPP_FILE, 0, OP_AT((uint64_t)c->op.id, c->op.device),
			     "ran on the device, but the host's log does not name it");
		r = vec_push(rows, row);
	}
	return r;
}

int op_join_measured(struct op_host *host, const struct op_measurements *measured,
		     struct op_rows *rows, struct op_issues *issues, struct tacho_error *err)
{
	struct traces traces = {0};
	struct by_device *order = NULL;
	int64_t n = 0;
	int r = 0;

	for (size_t i = 0; i < measured->n && r == 0; i++)
		r = add_salvaged(host, (uint64_t)measured->v[i].op.id, measured->v[i].op.device);
	if (r == 0)
		r = add_host_rows(host, rows, issues);
	if (r == 0 && (n = device_order(host, &order)) < 0)
		r = (int)n;
	if (r == 0)
		r = collect_traces(host, &traces);
	for (int64_t i = 0; i < n && r == 0; i++)
		r = match_measured(host, order[i].at, measured, &traces, rows, issues);
	if (r == 0)
		r = add_measured_extras(host, measured, &traces, rows, issues);
	free(order);
	traces_free(&traces);
	return join_finish(host, rows, r, err);
}

int op_join_host(struct op_host *host, struct op_rows *rows, struct op_issues *issues,
		 struct tacho_error *err)
{
	return join_finish(host, rows, add_host_rows(host, rows, issues), err);
}
