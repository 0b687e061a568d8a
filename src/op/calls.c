/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of ops, and the descriptions that they refer to. */
#include "op/calls.h"

#include "op/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A program whose description was seen, by device and hash. */
struct op_described {
	uint64_t hash;
	int64_t device;
	uint32_t program; /* index + 1 */
	uint64_t lost; /* line of a call whose description was lost: only its head is known; or 0 */
};

void op_calls_open(struct op_calls *c, struct op_host *host, struct op_issues *issues)
{
	*c = (struct op_calls){.host = host, .issues = issues};
}

void op_calls_close(struct op_calls *c)
{
	vec_free(&c->described);
	map_free(&c->described_by_key);
	map_free(&c->capturing);
	jread_free(&c->json);
}

static uint64_t calls_key(int64_t device, uint64_t hash)
{
	return hash * 0x9e3779b97f4a7c15 ^ (uint64_t)device * 0xc2b2ae3d27d4eb4f;
}

static struct op_described *described_find(struct op_calls *c, int64_t device, uint64_t hash)
{
	for (uint64_t key = calls_key(device, hash);; key++) {
		uint32_t *at = map_get(&c->described_by_key, key);

		if (!at)
			return NULL;
		if (c->described.v[*at].device == device && c->described.v[*at].hash == hash)
			return &c->described.v[*at];
	}
}

/* LOST: line of a call of which only the head is known, or 0. */
static int described_set(struct op_calls *c, const struct op_call *call, uint32_t program,
			 uint64_t lost)
{
	struct op_described *old = described_find(c, call->device, call->hash);
	uint64_t key = calls_key(call->device, call->hash);

	if (old) {
		old->program = program;
		old->lost = lost;
		return 0;
	}
	while (map_get(&c->described_by_key, key))
		key++;
	if (map_set(&c->described_by_key, key, (uint32_t)c->described.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&c->described,
			((struct op_described){call->hash, call->device, program, lost}));
}

static int64_t captured_trace(const struct op_calls *c, int64_t device)
{
	uint32_t *trace = map_get(&c->capturing, (uint64_t)device);

	return trace && *trace ? (int64_t)*trace - 1 : OP_NONE;
}

static struct op_host_op host_op(const struct op_call *call)
{
	return (struct op_host_op){.id = call->id,
				   .device = call->device,
				   .trace = OP_NONE,
				   .hit = call->hit,
				   .message_ns = call->ns,
				   .line = call->line};
}

/* Of two calls with one id, as two programs leave them in the same logs, the later one counts. */
static int call_add(struct op_calls *c, const struct op_host_op *op)
{
	const struct op_host_op *old = op_host_find(c->host, op->id);

	if (old)
		op_issue_add(c->issues, OP_ISSUE_REPEATED_ID, TTLOG_DATA_FILE, op->line,
			     OP_AT(op->id, op->device),
			     "was called before with this id; only this call is in the report, and "
			     "the device's figures may be of either");
	return op_host_add(c->host, op);
}

static int program_hash(struct op_calls *c, struct op_program *p, uint64_t hash)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, hash);

	return op_program_cell(&c->host->table, p, OP_COL_PROGRAM_HASH, text, (size_t)len);
}

/* Stores the head of a call whose description is lost, in case another record names the op. */
static int calls_salvage(struct op_calls *c, const struct op_call *call)
{
	struct op_program program = op_program_unknown();
	struct op_table *t = &c->host->table;
	struct op_host_op op = host_op(call);

	op.trace = captured_trace(c, call->device);
	if (op_program_cell(t, &program, OP_COL_OP_CODE, call->name, call->name_len) < 0 ||
	    op_program_cell(t, &program, OP_COL_OP_TYPE, "tt_dnn_device", 13) < 0 ||
	    program_hash(c, &program, call->hash) < 0 || vec_push(&t->programs, program) < 0)
		return TACHO_ENOMEM;
	op.program = (uint32_t)t->programs.n;
	return op_host_salvage(c->host, &op);
}

int op_calls_lost(struct op_calls *c, const struct op_call *call, uint64_t line, const char *why)
{
	op_issue_add(c->issues, OP_ISSUE_BAD_MESSAGE, TTLOG_DATA_FILE, line,
		     OP_AT(call ? (int64_t)call->id : OP_NONE, call ? call->device : OP_NONE),
		     "%s; of the op only its head is known", why);
	if (!call)
		return 0;
	if (calls_salvage(c, call) < 0)
		return TACHO_ENOMEM;
	/* Later ops that refer to the hash of a lost description get at least its name. */
	if (!described_find(c, call->device, call->hash) &&
	    described_set(c, call, (uint32_t)c->host->table.programs.n, line) < 0)
		return TACHO_ENOMEM;
	return op_host_add_unknown(c->host, call->id, call->device);
}

int op_calls_describe(struct op_calls *c, struct op_call *call, const struct jread_value *json)
{
	struct op_program program = op_program_unknown();
	struct op_table *t = &c->host->table;
	struct op_host_op op = host_op(call);
	char no_number[OP_NO_NUMBER];

	if (op_program_fill(t, &program, json, no_number) < 0)
		return TACHO_ENOMEM;
	if (no_number[0])
		op_issue_add(c->issues, OP_ISSUE_BAD_MESSAGE, TTLOG_DATA_FILE, call->line,
			     OP_AT((int64_t)call->id, call->device),
			     "'%s' is not a number; left out", no_number);
	if (!program.code.len)
		op_issue_add(c->issues, OP_ISSUE_BAD_MESSAGE, TTLOG_DATA_FILE, call->line,
			     OP_AT((int64_t)call->id, call->device),
			     call->name_len
				     ? "the description has no op_code; the name of its head is "
				       "taken"
				     : "neither the description nor the head of the message names "
				       "it");
	if ((!program.code.len && call->name_len &&
	     op_program_cell(t, &program, OP_COL_OP_CODE, call->name, call->name_len) < 0) ||
	    (call->hashed && !program.hash.len && program_hash(c, &program, call->hash) < 0) ||
	    vec_push(&t->programs, program) < 0)
		return TACHO_ENOMEM;
	op.program = (uint32_t)t->programs.n;
	if (call->hashed && call->device != OP_NONE) {
		op.trace = captured_trace(c, call->device);
		if (described_set(c, call, op.program, 0) < 0)
			return TACHO_ENOMEM;
	}
	return call_add(c, &op);
}

int op_calls_refer(struct op_calls *c, const struct op_call *call)
{
	struct op_described *known = described_find(c, call->device, call->hash);
	struct op_host_op op = host_op(call);

	if (!known) {
		op_issue_add(c->issues, OP_ISSUE_CACHED_UNKNOWN, TTLOG_DATA_FILE, call->line,
			     OP_AT((int64_t)call->id, call->device),
			     "op refers to hash %" PRIu64 ", which no message before it describes",
			     call->hash);
		return calls_salvage(c, call);
	}
	if (known->lost)
		op_issue_add(c->issues, OP_ISSUE_BAD_MESSAGE, TTLOG_DATA_FILE, call->line,
			     OP_AT((int64_t)call->id, call->device),
			     "refers to the description of line %" PRIu64
			     ", of which only the head is known",
			     known->lost);
	op.program = known->program;
	op.trace = captured_trace(c, call->device);
	return call_add(c, &op);
}

int op_calls_trace(struct op_calls *c, int64_t device, int64_t trace, enum trace_op_step step,
		   uint64_t ns, uint64_t line)
{
	if (trace < 0 || trace >= UINT32_MAX) {
		op_issue_add(c->issues, OP_ISSUE_BAD_TRACE, TTLOG_DATA_FILE, line, OP_NOWHERE,
			     "a trace message without a device and a trace id");
		return 0;
	}
	if (step == TRACE_OP_TRACE_REPLAY)
		return vec_push(&c->host->replays, ((struct op_replay){device, trace, ns}));
	if (step != TRACE_OP_TRACE_BEGIN && step != TRACE_OP_TRACE_END)
		return 0;
	if (step == TRACE_OP_TRACE_END && captured_trace(c, device) != trace &&
	    captured_trace(c, device) != OP_NONE)
		op_issue_add(c->issues, OP_ISSUE_BAD_TRACE, TTLOG_DATA_FILE, line,
			     OP_AT(OP_NONE, device),
			     "trace %" PRId64 " ends while trace %" PRId64 " is being captured",
			     trace, captured_trace(c, device));
	return map_set(&c->capturing, (uint64_t)device,
		       step == TRACE_OP_TRACE_BEGIN ? (uint32_t)trace + 1 : 0);
}

/* ---- rows ---- */

int op_calls_row(struct op_calls *c, const struct trace_row *row, uint64_t ns)
{
	uint32_t device = TRACE_OP_DEVICE(row->b), what = TRACE_OP_WHAT(row->b);
	const char *nul = row->text_len ? memchr(row->text, 0, row->text_len) : NULL;
	struct op_call call = {.id = row->a,
			       .device = device == TRACE_NONE ? OP_NONE : device,
			       .hash = row->c,
			       .hashed = device != TRACE_NONE,
			       .hit = what <= OP_HIT_TRUE ? (enum op_hit)what : OP_HIT_UNKNOWN,
			       .name = row->text_len ? row->text : "",
			       .name_len = nul ? (size_t)(nul - row->text) : row->text_len,
			       .ns = ns};
	const struct jread_value *json;
	struct tacho_error why = {0};

	if (row->kind == TRACE_ROW_OP_TRACE)
		return op_calls_trace(c, device, (int64_t)row->a, (enum trace_op_step)what, ns, 0);
	if (!nul)
		return op_calls_refer(c, &call);
	json = jread_parse(&c->json, nul + 1, row->text_len - call.name_len - 1, &why);
	if (!json && why.code == TACHO_ENOMEM)
		return TACHO_ENOMEM;
	if (!json || json->type != JREAD_OBJECT)
		return op_calls_lost(c, &call, 0,
				     why.text[0] ? why.text : "the description is not an object");
	return op_calls_describe(c, &call, json);
}
