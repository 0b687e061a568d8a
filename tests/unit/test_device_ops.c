/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops: every record and message that a program sends must be read by the report's reader without a
 * complaint, and say what was reported; a record written as a message says the same. They are taken
 * from the ring of the test's own process.
 */
#include "device/launch.h"
#include "device/program.h"
#include "op/calls.h"
#include "op/message_text.h"
#include "ttlog/host_logs.h"
#include "unit/client_session.h"
#include "unit/device_fixture.h"

#include <pthread.h>

#define MANY 5000

static struct tacho_program *program_make(struct tacho_device *d, const char *kernel)
{
	struct tacho_program *p;
	char source[300];

	snprintf(source, sizeof(source), DEVICE_KERNELS "/%s", kernel);
	assert_int_equal(tacho_program_new(&p, d), 0);
	assert_int_equal(tacho_program_kernel(p, &(struct tacho_kernel){.source = source}), 0);
	return p;
}

/* ---- what was sent ---- */
struct sent {
	struct buf log; /* as the log of messages has them */
	size_t messages, full;
	struct op_host host;
	struct op_issues issues;
	struct op_calls calls; /* reads the records into: */
	struct op_host typed;
};

static void add_message(struct sent *s, const char *text, size_t len)
{
	s->messages++;
	s->full += memmem(text, len, " ->\n", 4) != NULL;
	buf_add(&s->log, text, len);
	buf_addf(&s->log, ";%zu\n", s->messages);
}

/* As the recorder stores the record; its message goes to the log, as for Tracy. */
static void add_record(struct sent *s, const struct seen *e, const struct buf *text)
{
	struct trace_row row = {.kind = e->type == RING_OP ? TRACE_ROW_OP : TRACE_ROW_OP_TRACE,
				.a = e->words[0],
				.b = e->words[1],
				.c = e->words[2],
				.text = text->data,
				.text_len = (uint32_t)text->len};
	struct buf message = BUF_INIT;

	assert_int_equal(op_calls_row(&s->calls, &row, s->messages + 1), 0);
	assert_int_equal(op_row_message(&row, &message), 0);
	assert_int_equal(row.kind, TRACE_ROW_MESSAGE);
	add_message(s, message.data, message.len);
	buf_free(&message);
}

static void add_stream(struct sent *s, const struct stream *stream)
{
	static const unsigned before[RING_TYPES] = {[RING_MESSAGE] = 1, [RING_OP] = 3};
	struct buf parts = BUF_INIT;

	for (size_t i = 0; i < stream->count; i++) {
		const struct seen *e = &stream->events[i];
		const uint64_t *at = e->words;

		if (e->kind != RING_RECORD ||
		    (e->type != RING_TEXT_PART && e->type != RING_MESSAGE && e->type != RING_OP &&
		     e->type != RING_OP_TRACE))
			continue;
		at += before[e->type];
		if (e->type != RING_OP_TRACE)
			buf_add(&parts, at + 1, (uint32_t)*at);
		if (e->type == RING_TEXT_PART)
			continue;
		if (e->type == RING_MESSAGE)
			add_message(s, parts.data, parts.len);
		else
			add_record(s, e, &parts);
		buf_reset(&parts);
	}
	buf_free(&parts);
}

static void same_text(struct op_text a, struct op_text b)
{
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.text ? a.text : "", b.text ? b.text : "", a.len);
}

/* The ops of the records are those of their messages. */
static void same_ops(const struct sent *s)
{
	assert_int_equal(s->host.ops.n, s->typed.ops.n);
	assert_int_equal(s->host.replays.n, s->typed.replays.n);
	for (size_t i = 0; i < s->host.ops.n; i++) {
		const struct op_host_op *a = &s->host.ops.v[i], *b = &s->typed.ops.v[i];
		const struct op_program *p = &s->host.table.programs.v[a->program - 1];
		const struct op_program *q = &s->typed.table.programs.v[b->program - 1];

		assert_true(a->id == b->id && a->device == b->device && a->trace == b->trace);
		same_text(p->code, q->code);
		same_text(p->type, q->type);
		same_text(p->hash, q->hash);
		same_text(p->attributes, q->attributes);
		same_text(p->compute_hash, q->compute_hash);
		same_text(p->dm_source, q->dm_source);
		assert_int_equal(p->input_count, q->input_count);
		assert_int_equal(p->output_count, q->output_count);
	}
}

/* Ends the recording and reads what was sent, thread by thread; anything odd fails the test. */
static void event_take(struct sent *s)
{
	struct ring_view v;

	memset(s, 0, sizeof(*s));
	s->log = (struct buf)BUF_INIT;
	op_calls_open(&s->calls, &s->typed, &s->issues);
	session_stop();
	buf_adds(&s->log, "MessageName;total_ns\n");
	if (view_open(&v, getpid(), 0)) {
		for (uint32_t i = 1; i <= v.header->threads; i++) {
			struct stream stream = {0};

			if (view_page(&v, i))
				stream = stream_read(&v, i);
			add_stream(s, &stream);
			stream_free(&stream);
		}
		view_close(&v);
	}
	session_remove();
	op_calls_close(&s->calls);
	if (!s->messages)
		return;
	assert_int_equal(ttlog_messages_parse(&s->host, s->log.data, s->log.len, &s->issues, NULL),
			 0);
	assert_int_equal(op_issues_total(&s->issues), 0);
	same_ops(s);
}

static void event_drop(struct sent *s)
{
	buf_free(&s->log);
	op_host_free(&s->host);
	op_host_free(&s->typed);
	op_issues_free(&s->issues);
}

static const char *cell_text(const struct sent *s, size_t op, enum op_column column)
{
	static char text[4][200000];
	static unsigned next;
	char *to = text[next++ % 4];
	struct op call = op_unknown();
	struct buf cell = BUF_INIT;

	call.program = s->host.ops.v[op].program - 1;
	op_field_text(&s->host.table, &call, (struct op_field){OP_FIELD_FIXED, column}, &cell);
	assert_true(cell.len < sizeof(text[0]));
	memcpy(to, cell.data, cell.len + 1);
	buf_free(&cell);
	return to;
}

/* ---- the tests ---- */

/* 5000 runs of two programs: each is described in full once, then by its hash; cheap while nobody
 * records; in full again in the next recording. */
static void test_many(void **state)
{
	struct tacho_program *p[2] = {program_make(device, "plain.c"),
				      program_make(device, "mixed.c")};
	struct sent s;
	uint64_t first;

	(void)state;
	session_start(64, RING_DROP);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(tacho_enqueue(device, p[i % 2]), 0);
	event_take(&s);
	assert_int_equal(s.messages, MANY);
	assert_int_equal(s.full, 2);
	assert_int_equal(s.host.ops.n, MANY);
	first = s.host.ops.v[0].id;
	for (int i = 0; i < MANY; i++) {
		const struct op_host_op *op = &s.host.ops.v[i];

		assert_int_equal(op->id, first + ((uint64_t)i << 10));
		assert_int_equal(op->id & 1023, device->number);
		assert_int_equal(op->device, device->number);
		assert_int_equal(op->program, i % 2 + 1);
		assert_int_equal(op->hit, i < 2 ? OP_HIT_UNKNOWN : OP_HIT_TRUE);
	}
	assert_string_equal(cell_text(&s, 0, OP_COL_OP_CODE), "plain");
	assert_string_equal(cell_text(&s, 1, OP_COL_OP_CODE), "mixed");
	assert_string_equal(cell_text(&s, 0, OP_COL_OP_TYPE), "tt_dnn_device");
	assert_int_equal(tacho_op_last(device), s.host.ops.v[MANY - 1].id);
	event_drop(&s);

	for (int i = 0; i < 10; i++)
		assert_int_equal(tacho_enqueue(device, p[0]), 0);
	session_start(64, RING_DROP);
	assert_int_equal(tacho_enqueue(device, p[1]), 0);
	assert_int_equal(tacho_enqueue(device, p[1]), 0);
	event_take(&s);
	assert_int_equal(s.messages, 2);
	assert_int_equal(s.full, 1);
	/* Numbers continue, and the program ran before: known to the device, not to the reader. */
	assert_int_equal(s.host.ops.v[0].id, first + ((uint64_t)(MANY + 10) << 10));
	assert_string_equal(cell_text(&s, 0, OP_COL_CACHE_HIT), "True");
	event_drop(&s);
	tacho_program_free(p[0]);
	tacho_program_free(p[1]);
}

/* What the caller says arrives. */
static void test_described(void **state)
{
	struct tacho_program *p = program_make(device, "plain.c");
	const struct tacho_tensor in = {.shape = {1, 0, 33, 64},
					.layout = TACHO_TILE,
					.format = TACHO_BFP8_B,
					.memory = TACHO_L1,
					.sharding = TACHO_BLOCK_SHARDED};
	const struct tacho_tensor out[] = {{.shape = {2, 3, 4, 5}, .padded = {2, 3, 8, 8}},
					   {.shape = {0, 0, 0, 7}, .on_host = 1}};
	const struct tacho_attribute attributes[] = {
		{"z", "last"}, {"a", "old"}, {"a", "Shape([1, 2])"}, {NULL, "lost"}, {"m", NULL}};
	const double bws[] = {12, 0.5};
	struct sent s;
	char expected[2000];

	(void)state;
	assert_int_equal(tacho_op_describe(p,
					   &(struct tacho_op){
						   .name = "Op, \"with\" marks",
						   .type = "own",
						   .attributes = attributes,
						   .attribute_count = 5,
						   .inputs = &in,
						   .input_count = 1,
						   .outputs = out,
						   .output_count = 2,
						   .compute_ns = 10,
						   .bandwidth_ns = 20,
						   .ideal_ns = 30,
						   .input_bws = bws,
						   .input_bw_count = 2,
					   }),
			 0);
	session_start(16, RING_DROP);
	assert_int_equal(tacho_enqueue(device, p), 0);
	event_take(&s);
	assert_int_equal(s.host.ops.n, 1);
	assert_string_equal(cell_text(&s, 0, OP_COL_OP_CODE), "Op; \"with\" marks");
	assert_string_equal(cell_text(&s, 0, OP_COL_OP_TYPE), "own");
	assert_string_equal(cell_text(&s, 0, OP_COL_ATTRIBUTES),
			    "{'a': 'Shape([1; 2])'; 'm': ''; 'z': 'last'}");
	assert_string_equal(cell_text(&s, 0, OP_COL_PM_IDEAL), "30");
	assert_string_equal(cell_text(&s, 0, OP_COL_PM_COMPUTE), "10");
	assert_string_equal(cell_text(&s, 0, OP_COL_PM_BANDWIDTH), "20");
	assert_string_equal(cell_text(&s, 0, OP_COL_PM_REQ_I), "[12.0; 0.5]");
	assert_int_equal(s.host.table.programs.v[0].input_count, 1);
	assert_int_equal(s.host.table.programs.v[0].output_count, 2);
	snprintf(expected, sizeof(expected),
		 "1[1]1[1]64[33]64[64]TILEBFLOAT8_BDEV_%u_L1_BLOCK_SHARDED", device->number);
	{
		const struct op_program *op = &s.host.table.programs.v[0];
		const struct op_tensor *tensors = s.host.table.tensors.v;
		struct buf all = BUF_INIT;

		for (size_t i = 0; i < OP_TENSOR_CELLS; i++)
			buf_add(&all, tensors[op->inputs].cells[i].text,
				tensors[op->inputs].cells[i].len);
		assert_string_equal(all.data, expected);
		buf_reset(&all);
		for (size_t i = 0; i < 2 * OP_TENSOR_CELLS; i++) {
			const struct op_tensor *t = &tensors[op->outputs + i / OP_TENSOR_CELLS];

			buf_add(&all, t->cells[i % OP_TENSOR_CELLS].text,
				t->cells[i % OP_TENSOR_CELLS].len);
		}
		snprintf(expected, sizeof(expected),
			 "2[2]3[3]8[4]8[5]ROW_MAJORFLOAT32DEV_%u_DRAM_INTERLEAVED"
			 "1[1]1[1]1[1]7[7]ROW_MAJORFLOAT32HOST",
			 device->number);
		assert_string_equal(all.data, expected);
		buf_free(&all);
	}
	event_drop(&s);
	/* Another description is another op; none is the kernel's name again. */
	session_start(16, RING_DROP);
	assert_int_equal(tacho_op_describe(p, NULL), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_op_describe(p, &(struct tacho_op){.name = "other"}), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	event_take(&s);
	assert_int_equal(s.full, 2);
	assert_string_equal(cell_text(&s, 0, OP_COL_OP_CODE), "plain");
	assert_string_equal(cell_text(&s, 1, OP_COL_OP_CODE), "other");
	assert_string_not_equal(cell_text(&s, 0, OP_COL_PROGRAM_HASH),
				cell_text(&s, 1, OP_COL_PROGRAM_HASH));
	event_drop(&s);
	tacho_program_free(p);
}

/* Words that mean something to readers, quotes, long and broken texts. */
static void test_hostile(void **state)
{
	static const char *const names[] = {
		"`",
		"a`b``c```",
		"\"",
		"\"quoted\"",
		"line\nbreak ->\n{}",
		"a, b, c, d, e, f",
		"TT_SIGNPOST: no",
		"TT_METAL_TRACE_BEGIN: 1, 2",
		"markers were dropped",
		"; 12345\n",
		"\xff\xfe",
		"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		"\\",
		"\\`\\\"",
		":",
		"\x01\x1f\x7f",
		" ",
		"{",
		"TT_DNN_FALL_BACK_OP:\"x\" ->\n",
	};
	char *big = malloc(100001);
	size_t n = sizeof(names) / sizeof(names[0]);
	struct tacho_program *p = program_make(device, "plain.c");
	struct sent s;

	(void)state;
	for (int i = 0; i < 100000; i++)
		big[i] = "`TT_SIGNPOST\n\"\\ ab"[i % 18];
	big[100000] = 0;
	session_start(64, RING_DROP);
	for (size_t i = 0; i <= n; i++) {
		const char *text = i < n ? names[i] : big;
		const struct tacho_attribute attribute = {text, text};
		const struct tacho_op op = {.name = text,
					    .type = text,
					    .fidelity = text,
					    .attributes = &attribute,
					    .attribute_count = 1};
		struct tacho_op_host host;

		assert_int_equal(tacho_op_describe(p, &op), 0);
		assert_int_equal(tacho_enqueue(device, p), 0);
		assert_int_equal(tacho_enqueue(device, p), 0);
		host = tacho_op_host_begin(&op);
		tacho_op_host_end(host);
		tacho_signpost(text, i % 2 ? text : NULL);
	}
	event_take(&s);
	assert_int_equal(s.messages, 4 * (n + 1));
	assert_int_equal(s.host.ops.n, 3 * (n + 1));
	assert_int_equal(s.host.signposts.n, n + 1);
	assert_int_equal(s.host.replays.n, 0);
	for (size_t i = 0; i < n; i++) {
		const char *code = cell_text(&s, 3 * i, OP_COL_OP_CODE);

		/* The report writes a semicolon for a comma; invalid UTF-8 is replaced. */
		if ((unsigned char)names[i][0] == 0xff)
			continue;
		for (size_t k = 0; names[i][k]; k++)
			assert_int_equal(code[k], names[i][k] == ',' ? ';' : names[i][k]);
		assert_string_equal(code, cell_text(&s, 3 * i + 2, OP_COL_OP_CODE));
	}
	assert_int_equal(strlen(cell_text(&s, 3 * n, OP_COL_OP_CODE)), 100000);
	assert_int_equal(s.host.ops.v[2].device, OP_NONE);
	assert_true(s.host.ops.v[2].id & 1u << 31);
	event_drop(&s);
	tacho_program_free(p);
	free(big);
}

/* One op of three runs, on two devices; a program may be gone before the op ends. */
static void test_groups(void **state)
{
	struct tacho_device *other, *both[2];
	struct tacho_program *p = program_make(device, "plain.c"),
			     *q = program_make(device, "mixed.c"), *r;
	struct sent s;

	(void)state;
	assert_int_equal(tacho_device_open(&other, &(struct tacho_device_options){.arch = "tiny"}),
			 0);
	r = program_make(other, "plain.c");
	both[0] = device;
	both[1] = other;
	session_start(16, RING_DROP);
	assert_int_equal(tacho_op_begin(both, 2, &(struct tacho_op){.name = "AllReduce"}), 0);
	assert_true(tacho_op_begin(&other, 1, NULL) < 0);
	assert_true(tacho_trace_begin(device) < 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_enqueue(device, q), 0);
	assert_int_equal(tacho_enqueue(other, r), 0);
	assert_int_equal(tacho_finish(device), 0);
	tacho_program_free(q);
	assert_int_equal(tacho_op_end(other), 0);
	assert_true(tacho_op_end(device) < 0);
	assert_true(tacho_op_begin(both, 0, NULL) < 0);
	/* without a description: the first kernel's name */
	assert_int_equal(tacho_op_begin(&device, 1, NULL), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_op_end(device), 0);
	event_take(&s);
	assert_int_equal(s.messages, 3);
	assert_int_equal(s.host.ops.n, 3);
	assert_int_equal(s.host.ops.v[0].device, other->number);
	assert_int_equal(s.host.ops.v[1].device, device->number);
	assert_int_equal(s.host.ops.v[0].id >> 10, s.host.ops.v[1].id >> 10);
	assert_string_equal(cell_text(&s, 0, OP_COL_OP_CODE), "AllReduce");
	assert_string_equal(cell_text(&s, 2, OP_COL_OP_CODE), "plain");
	assert_non_null(strstr(cell_text(&s, 1, OP_COL_DM_SOURCE), "mixed.c"));
	assert_null(strstr(cell_text(&s, 0, OP_COL_DM_SOURCE), "mixed.c"));
	event_drop(&s);
	tacho_program_free(p);
	tacho_program_free(r);
	/* closed inside of a group */
	assert_int_equal(tacho_op_begin(&other, 1, NULL), 0);
	tacho_device_close(other);
}

/* A hidden program is nothing to the report; its zones have no op. */
static void test_hidden(void **state)
{
	struct tacho_program *p = program_make(device, "plain.c");
	uint64_t before = tacho_op_last(device);
	struct sent s;

	(void)state;
	tacho_op_hide(p, 1);
	session_start(16, RING_DROP);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_op_last(device), before);
	tacho_op_hide(p, 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	event_take(&s);
	assert_int_equal(s.messages, 1);
	assert_int_not_equal(tacho_op_last(device), before);
	event_drop(&s);
	tacho_program_free(p);
}

/* Ops of a trace belong to it; each replay is reported. */
static void test_traces(void **state)
{
	struct tacho_program *p = program_make(device, "plain.c");
	struct tacho_trace *trace;
	struct sent s;

	(void)state;
	session_start(16, RING_DROP);
	assert_int_equal(tacho_trace_begin(device), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_trace_end(device, &trace), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tacho_trace_replay(trace), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	tacho_trace_free(trace);
	event_take(&s);
	/* begin, 2 x (enqueue, op), end, 3 replays, op, release */
	assert_int_equal(s.messages, 1 + 4 + 1 + 3 + 1 + 1);
	assert_int_equal(s.host.ops.n, 3);
	assert_int_equal(s.host.replays.n, 3);
	assert_int_not_equal(s.host.ops.v[0].trace, OP_NONE);
	assert_int_equal(s.host.ops.v[0].trace, s.host.replays.v[2].trace);
	assert_int_equal(s.host.ops.v[1].trace, s.host.ops.v[0].trace);
	assert_int_equal(s.host.ops.v[2].trace, OP_NONE);
	event_drop(&s);
	tacho_program_free(p);
}

/* A recording that begins between replays knows the ops of the trace, also those of groups. */
static void test_late_recording(void **state)
{
	struct tacho_program *p = program_make(device, "plain.c");
	struct tacho_trace *trace;
	uint64_t id;
	struct sent s;

	(void)state;
	assert_int_equal(tacho_trace_begin(device), 0);
	assert_int_equal(tacho_op_begin(&device, 1, &(struct tacho_op){.name = "Group"}), 0);
	assert_int_equal(tacho_enqueue(device, p), 0);
	assert_int_equal(tacho_op_end(device), 0);
	id = tacho_op_last(device);
	assert_int_equal(tacho_trace_end(device, &trace), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(tacho_trace_replay(trace), 0);
	for (int round = 0; round < 2; round++) {
		session_start(16, RING_DROP);
		assert_int_equal(tacho_trace_replay(trace), 0);
		assert_int_equal(tacho_trace_replay(trace), 0);
		event_take(&s);
		assert_int_equal(s.host.ops.n, 1);
		assert_int_equal(s.host.ops.v[0].id, id);
		assert_int_equal(s.host.ops.v[0].trace, s.host.replays.v[1].trace);
		assert_string_equal(cell_text(&s, 0, OP_COL_OP_CODE), "Group");
		assert_int_equal(s.host.replays.n, 2);
		assert_int_equal(device->replayed.v[device->replayed.n - 1].replay, 2);
		event_drop(&s);
	}
	tacho_trace_free(trace);
	tacho_program_free(p);
}

/* Lost or overwritten descriptions are sent in full again. */
static void test_told_again(void **state)
{
	struct tacho_program *p = program_make(device, "plain.c");
	struct sent s;

	(void)state;
	session_start(16, RING_OVERWRITE);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tacho_enqueue(device, p), 0);
	event_take(&s);
	assert_int_equal(s.messages, 3);
	assert_int_equal(s.full, 3);
	event_drop(&s);
	tacho_program_free(p);
}

/* Devices are independent: each by a thread of its own, all counted together. */
#define THREADS 3
#define RUNS    50

static void *run_device(void *argument)
{
	struct tacho_program *p = argument;

	for (int i = 0; i < RUNS; i++)
		if (tacho_enqueue(p->device, p) < 0)
			return NULL;
	tacho_finish(p->device);
	return argument;
}

static void test_threads(void **state)
{
	struct tacho_device *devices[THREADS];
	struct tacho_program *p[THREADS];
	pthread_t threads[THREADS];
	struct sent s;

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(tacho_device_open(&devices[i],
						   &(struct tacho_device_options){.arch = "tiny"}),
				 0);
		p[i] = program_make(devices[i], "plain.c");
		assert_int_equal(tacho_program_compile(p[i]), 0);
	}
	session_start(16, RING_DROP);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_device, p[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_non_null(result);
	}
	event_take(&s);
	assert_int_equal(s.messages, THREADS * RUNS);
	assert_int_equal(s.full, THREADS);
	/* An op of the same number would have taken the place of another. */
	assert_int_equal(s.host.ops.n, THREADS * RUNS);
	event_drop(&s);
	for (int i = 0; i < THREADS; i++) {
		tacho_program_free(p[i]);
		tacho_device_close(devices[i]);
	}
}

/* A program that cannot be compiled: its op has a zone and a message all the same. */
static void test_failed(void **state)
{
	struct tacho_program *p = program_make(device, "none.c");
	struct sent s;

	(void)state;
	session_start(16, RING_DROP);
	assert_true(tacho_enqueue(device, p) < 0);
	event_take(&s);
	assert_int_equal(s.messages, 1);
	assert_int_equal(s.host.ops.n, 1);
	event_drop(&s);
	tacho_program_free(p);
}

static void test_signposts(void **state)
{
	struct sent s;

	(void)state;
	tacho_signpost("nobody records", NULL);
	session_start(16, RING_DROP);
	tacho_signpost("start", NULL);
	tacho_signpost("two\nlines", "a message");
	tacho_signpost(NULL, "");
	event_take(&s);
	assert_int_equal(s.messages, 3);
	assert_string_equal(s.host.signposts.v[0].header, "start");
	assert_null(s.host.signposts.v[0].message);
	assert_string_equal(s.host.signposts.v[1].header, "two lines");
	assert_string_equal(s.host.signposts.v[1].message, "a message");
	event_drop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),       cmocka_unit_test(test_described),
		cmocka_unit_test(test_hostile),    cmocka_unit_test(test_groups),
		cmocka_unit_test(test_hidden),     cmocka_unit_test(test_traces),
		cmocka_unit_test(test_threads),    cmocka_unit_test(test_late_recording),
		cmocka_unit_test(test_told_again), cmocka_unit_test(test_failed),
		cmocka_unit_test(test_signposts),
	};

	return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
