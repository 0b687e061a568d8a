/* SPDX-License-Identifier: Apache-2.0 */
/* The wire: tables of all versions, the decoder against items that a client of each would send. */
#include "base/buf.h"
#include "trace_tools.h"
#include "tracy/decode.h"
#include "tracy/serve.h"

#include <lz4.h>

/* Types and sizes (with the type's byte) that are known of real clients. */
static void test_tables(void **state)
{
	static const struct {
		uint32_t version;
		bool wide;
		enum wire_kind kind;
		unsigned type, size;
	} known[] = {
		{66, true, WIRE_ZONE_BEGIN, 15, 17},
		{66, true, WIRE_ZONE_END, 17, 9},
		{66, true, WIRE_GPU_BEGIN, 33, 25},
		{66, true, WIRE_TERMINATE, 57, 1},
		{66, true, WIRE_GPU_TIME_SYNC, 61, 19},
		{66, true, WIRE_SOURCE_LOCATION, 71, 32},
		{66, true, WIRE_GPU_NEW_CONTEXT, 79, 29},
		{66, true, WIRE_CPU_TOPOLOGY, 95, 13},
		{66, false, WIRE_GPU_NEW_CONTEXT, 79, 28},
		{64, false, WIRE_CRASH, 61, 1},
		{69, false, WIRE_GPU_BEGIN, 33, 24},
		{69, false, WIRE_THREAD_WAKEUP, 47, 13},
		{74, false, WIRE_MEM_DISCARD, 33, 21},
		{74, false, WIRE_GPU_BEGIN, 35, 24},
		{74, false, WIRE_THREAD_WAKEUP, 49, 16},
		{76, false, WIRE_GPU_ANNOTATION_NAME, 52, 10},
		{82, false, WIRE_ZONE_BEGIN16, 21, 11},
		{82, false, WIRE_ZONE_END32, 26, 5},
		{82, false, WIRE_ZONE_END16, 27, 3},
		{82, false, WIRE_MESSAGE, 2, 10},
		{82, false, WIRE_MESSAGE_COLOR, 3, 13},
	};
	static const struct {
		uint32_t version;
		unsigned types, single;
	} counts[] = {{66, 112, 96}, {69, 113, 96}, {74, 115, 98}, {76, 117, 99}, {82, 132, 112}};
	struct wire_protocol p;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(wire_protocol(&p, known[i].version, known[i].wide));
		assert_int_equal(p.types[known[i].kind], known[i].type);
		assert_int_equal(p.items[known[i].type].size + 1, known[i].size);
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		wire_protocol(&p, counts[i].version, true);
		assert_int_equal(p.count, counts[i].types);
		assert_int_equal(p.types[WIRE_SINGLE_STRING], counts[i].single);
	}
	assert_false(wire_protocol(&p, 79, true));
}

struct client {
	struct wire_protocol p;
	struct buf b;
};

#define PUT(c, kind, ...) \
	wire_put(&(c)->b, &(c)->p, kind, (const uint64_t[]){__VA_ARGS__ __VA_OPT__(, ) 0})

static void put_text(struct client *c, const char *text)
{
	size_t len = strlen(text);

	if (c->p.short_items) {
		uint8_t head[2] = {c->p.types[WIRE_SINGLE_STRING8], (uint8_t)len};

		buf_add(&c->b, head, 2);
		buf_add(&c->b, text, len);
	} else {
		wire_put_bytes(&c->b, &c->p, WIRE_SINGLE_STRING, 0, text, len);
	}
}

static void put_second(struct client *c, const char *text)
{
	uint8_t head[3] = {c->p.types[c->p.short_items ? WIRE_SECOND_STRING8 : WIRE_SECOND_STRING],
			   (uint8_t)strlen(text), 0};

	buf_add(&c->b, head, c->p.short_items ? 2 : 3);
	buf_add(&c->b, text, strlen(text));
}

static uint64_t bits_of(double v)
{
	uint64_t b;

	memcpy(&b, &v, sizeof(b));
	return b;
}

/* A zone from a to b, in the smallest items that the version has. */
static void put_zone(struct client *c, int64_t *now, int64_t a, int64_t b, uint64_t srcloc)
{
	int64_t d = a - *now, e = b - a;

	if (!c->p.short_items) {
		PUT(c, WIRE_ZONE_BEGIN, (uint64_t)d, srcloc);
		PUT(c, WIRE_ZONE_END, (uint64_t)e);
	} else {
		if (d < 65536)
			PUT(c, WIRE_ZONE_BEGIN16, (uint64_t)d, srcloc);
		else if (d < 65536 + (1ll << 32))
			PUT(c, WIRE_ZONE_BEGIN32, (uint64_t)d - 65536, srcloc);
		else
			PUT(c, WIRE_ZONE_BEGIN, (uint64_t)d - 65536 - (1ull << 32), srcloc);
		if (e < 65536)
			PUT(c, WIRE_ZONE_END16, (uint64_t)e);
		else
			PUT(c, WIRE_ZONE_END32, (uint64_t)e - 65536);
	}
	*now = b;
}

static void send_frame(struct decoder *d, struct client *c)
{
	struct tacho_error err = {0};

	if (decoder_frame(d, (const uint8_t *)c->b.data, c->b.len, &err) < 0)
		fail_msg("%s", err.text);
	buf_reset(&c->b);
}

/* The names of a frame in which a function is inlined. */
static void put_frame(struct client *c, uint64_t address)
{
	put_text(c, "libx.so");
	PUT(c, WIRE_CALLSTACK_FRAME_SIZE, address, 2);
	put_text(c, "inlined");
	put_second(c, "file.c");
	PUT(c, WIRE_CALLSTACK_FRAME, 5, address, 16);
	put_text(c, "outer");
	PUT(c, WIRE_CALLSTACK_FRAME, 6, address, 16);
}

/* Answers what is asked, as a client would. */
static void query_answer(struct decoder *d, struct client *c)
{
	uint8_t q[WIRE_QUERY];

	while (decoder_query(d, q)) {
		uint64_t pointer = wire_u64(q + 1);
		char name[32];

		snprintf(name, sizeof(name), "s%llx", (unsigned long long)pointer);
		if (q[0] == QUERY_CALLSTACK)
			put_frame(c, pointer);
		else if (q[0] == QUERY_SRCLOC)
			PUT(c, WIRE_SOURCE_LOCATION, pointer + 1, pointer + 2, pointer + 3, 42,
			    0x33, 0x22, 0x11);
		else
			wire_put_bytes(&c->b, &c->p,
				       q[0] == QUERY_THREAD  ? WIRE_THREAD_NAME
				       : q[0] == QUERY_PLOT  ? WIRE_PLOT_NAME
				       : q[0] == QUERY_FRAME ? WIRE_FRAME_NAME
							     : WIRE_STRING_DATA,
				       pointer, name, strlen(name));
		if (!c->b.len)
			break;
		send_frame(d, c);
	}
}

static void put_device(struct client *c, int64_t t0)
{
	int64_t serial = 0, gpu = 0;

	PUT(c, WIRE_GPU_NEW_CONTEXT, (uint64_t)t0, 0, 0, bits_of(1), 3, 0, 6);
	put_text(c, "Device: 0, Core (1,2)");
	PUT(c, WIRE_GPU_CONTEXT_NAME, 3);
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t tid = 1 | 1 << 3 | 2 << 7;

		PUT(c, WIRE_GPU_BEGIN_SERIAL, (uint64_t)(t0 - serial), tid, 2 * i, 3, 0x9000);
		serial = t0;
		PUT(c, WIRE_GPU_END_SERIAL, 0, tid, 2 * i + 1, 3);
		PUT(c, WIRE_GPU_TIME, 1000 * (i + 1) - (uint64_t)gpu, 2 * i, 3);
		gpu = 1000 * (int64_t)(i + 1);
		PUT(c, WIRE_GPU_TIME, 500, 2 * i + 1, 3);
		gpu += 500;
	}
}

/* Two pools and memory without one; only one pool is discarded, twice. */
static void put_discards(struct client *c)
{
	for (uint64_t i = 0; i < 3; i++) {
		PUT(c, WIRE_MEM_NAME, 0x4000);
		PUT(c, WIRE_MEM_ALLOC_NAMED, 1, 7, 0x1000 + i, 8);
	}
	PUT(c, WIRE_MEM_NAME, 0x4100);
	PUT(c, WIRE_MEM_ALLOC_NAMED, 1, 7, 0x1000, 8);
	PUT(c, WIRE_MEM_ALLOC, 1, 7, 0x1000, 8);
	PUT(c, WIRE_MEM_NAME, 0x4000);
	PUT(c, WIRE_MEM_FREE_NAMED, 1, 7, 0x1001);
	PUT(c, WIRE_MEM_DISCARD, 1, 7, 0x4000);
	PUT(c, WIRE_MEM_DISCARD_CALLSTACK, 1, 7, 0x4000);
	PUT(c, WIRE_MEM_DISCARD, 1, 7, 0x4200);
}

/*
 * A sample without a time, and one; a thread that runs, is blocked, waits for a CPU and runs again
 * while a thread of another program does.
 */
static void put_samples(struct client *c, int64_t t0)
{
	static const uint64_t addresses[] = {0x7010, 0x7020};

	wire_put_bytes(&c->b, &c->p, WIRE_CALLSTACK_PAYLOAD, 1, addresses, sizeof(addresses));
	if (c->p.short_items)
		PUT(c, WIRE_CALLSTACK_SAMPLE16, 7, 0);
	else
		PUT(c, WIRE_CALLSTACK_SAMPLE, 0, 7);
	PUT(c, WIRE_CONTEXT_SWITCH, (uint64_t)t0, 0, 7, 3, 0, 0, 0, 0, 0);
	wire_put_bytes(&c->b, &c->p, WIRE_CALLSTACK_PAYLOAD, 1, addresses, 8);
	if (c->p.short_items)
		PUT(c, WIRE_CALLSTACK_SAMPLE16, 7, 1000);
	else
		PUT(c, WIRE_CALLSTACK_SAMPLE, 1000, 7);
	PUT(c, WIRE_CONTEXT_SWITCH, 1000, 7, 900, 3, 0, 0, 0, 0, 0);
	PUT(c, WIRE_THREAD_WAKEUP, 1000, 7, 0, 0, 0);
	PUT(c, WIRE_CONTEXT_SWITCH, 1000, 900, 7, 1, 0, 0, 0, 0, 0);
	PUT(c, WIRE_CONTEXT_SWITCH, 1000, 7, 0, 1, 0, 0, 0, 0, 0);
}

static void check_samples(struct trace *t, int64_t t0)
{
	static const struct {
		uint64_t start, ticks, state;
	} states[] = {{0, 2000, TRACE_STATE(TRACE_STATE_RUNNING, 3, 0)},
		      {2000, 1000, TRACE_STATE(TRACE_STATE_BLOCKED, 0, 0)},
		      {3000, 1000, TRACE_STATE(TRACE_STATE_RUNNABLE, 0, 0)},
		      {4000, 1000, TRACE_STATE(TRACE_STATE_RUNNING, 1, 0)}};
	unsigned samples = 0, symbols = 0, nodes = 0, modules = 0, runs = 0;
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t at;

	assert_int_equal(trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_rows_next(rows, &row, &at) > 0) {
		nodes += row.kind == TRACE_ROW_STACK;
		modules += row.kind == TRACE_ROW_MODULE && !strcmp(row.text, "libx.so");
		if (row.kind == TRACE_ROW_SYMBOL) {
			assert_int_equal(row.text_len, row.c ? 12 : 14);
			assert_memory_equal(row.text, row.c ? "outer\0file.c" : "inlined\0file.c",
					    row.text_len);
			symbols++;
		}
		if (row.kind == TRACE_ROW_SAMPLE) {
			assert_string_equal(t->tracks[at].name, "s7");
			assert_int_equal(row.c, 100000);
			assert_int_equal(row.time, samples ? t0 + 1000 : t0 - 5);
			samples++;
		}
		if (row.kind == TRACE_ROW_STATE) {
			assert_true(runs < 4);
			assert_int_equal(row.time, t0 + (int64_t)states[runs].start);
			assert_int_equal(row.a, states[runs].ticks);
			assert_int_equal(row.b, states[runs].state);
			runs++;
		}
	}
	trace_rows_close(rows);
	assert_int_equal(samples, 2);
	assert_int_equal(symbols, 4);
	assert_int_equal(modules, 1);
	assert_int_equal(nodes, 3); /* a caller and its leaf, and a leaf alone */
	assert_int_equal(runs, 4);
}

static void check_trace(const char *path, uint32_t version, int64_t t0, int64_t wide)
{
	struct trace *t = test_open(path);
	struct trace_walk *walk;
	struct trace_zone z;
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t at, zones = 0, messages = 0, frees = 0;

	assert_int_equal(t->zones, 5);
	for (uint32_t i = 0; i < t->track_count; i++)
		if (t->tracks[i].kind == TRACE_THREAD)
			assert_string_equal(t->tracks[i].name, "s7");
		else if (t->tracks[i].kind == TRACE_PLOT)
			assert_string_equal(t->tracks[i].name, "s5000");
	assert_int_equal(trace_walk_open(&walk, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_walk_next(walk, &z, &at) > 0) {
		const struct trace_track *k = &t->tracks[t->lanes[at].track];
		static const int64_t lengths[3] = {50, 200000, 7};

		assert_string_equal(t->srclocs[z.srcloc].name,
				    k->kind == TRACE_CORE ? "s9001" : "s8001");
		assert_int_equal(t->srclocs[z.srcloc].color, 0x112233);
		if (k->kind == TRACE_CORE) {
			assert_string_equal(k->name, "Device: 0, Core (1,2)/NCRISC");
			assert_int_equal(k->id, TRACE_CORE_ID(0, 1, 2, 1));
			assert_int_equal(z.end - z.start, 500);
			continue;
		}
		if (zones == 2)
			assert_int_equal(z.start, t0 + wide);
		assert_int_equal(z.end - z.start, lengths[zones++]);
	}
	trace_walk_close(walk);
	assert_int_equal(trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_rows_next(rows, &row, &at) > 0) {
		if (row.kind == TRACE_ROW_MESSAGE)
			messages += row.text_len == 5 && (!memcmp(row.text, "hello", 5) ||
							  !memcmp(row.text, "s6000", 5));
		frees += row.kind == TRACE_ROW_FREE;
		if (row.kind == TRACE_ROW_FREE)
			assert_string_equal(t->tracks[at].name, "s4000");
	}
	trace_rows_close(rows);
	assert_int_equal(messages, 2);
	assert_int_equal(frees, version >= 74 ? 4 : 1);
	check_samples(t, t0);
	trace_close(t);
}

static void run_version(uint32_t version, bool wide_context)
{
	const char *path = test_path("w.tacho");
	struct trace_writer *w = test_writer(path);
	struct trace_process process = {.pid = 5, .name = "client", .command = ""};
	struct tracy_notes notes = {{0}};
	struct client c = {.b = BUF_INIT};
	int64_t t0 = 1000000000, now = 0, wide = 10ll << 32;
	struct stacks stacks = {0};
	struct decoder *d;

	trace_add_process(w, &process);
	wire_protocol(&c.p, version, wide_context);
	d = decoder_new(w, 0, version, &notes);
	assert_non_null(d);
	d->samples.stacks = &stacks;
	d->samples.period = 100000;
	d->samples.start = (uint64_t)t0 - 5;
	PUT(&c, WIRE_THREAD_CONTEXT, 7);
	put_zone(&c, &now, t0, t0 + 50, 0x8000);
	put_zone(&c, &now, t0 + 100, t0 + 200100, 0x8000);
	put_zone(&c, &now, t0 + wide, t0 + wide + 7, 0x8000);
	put_text(&c, "hello");
	send_frame(d, &c); /* a text may be in the frame before its message */
	PUT(&c, WIRE_MESSAGE, (uint64_t)t0 + 5, 0x10);
	PUT(&c, WIRE_MESSAGE_LITERAL, (uint64_t)t0 + 6,
	    c.p.short_items ? 0x6000 << 8 | 0x10 : 0x6000);
	put_device(&c, t0);
	PUT(&c, WIRE_PLOT_CONFIG, 0x5000, TRACE_PLOT_PERCENT, 0, 0, 0); /* long before a value */
	PUT(&c, WIRE_MEM_NAME, 0x4000);
	PUT(&c, WIRE_MEM_ALLOC_NAMED, (uint64_t)10, 7, 0xabc0, 100);
	PUT(&c, WIRE_MEM_NAME, 0x4000);
	PUT(&c, WIRE_MEM_FREE_NAMED, (uint64_t)10, 7, 0xabc0);
	if (version >= 74)
		put_discards(&c);
	put_samples(&c, t0);
	send_frame(d, &c);
	assert_true(decoder_pending(d) > 0);
	query_answer(d, &c);
	PUT(&c, WIRE_THREAD_CONTEXT, 7);
	PUT(&c, WIRE_PLOT_INT, 0x5000, (uint64_t)t0, 3);
	PUT(&c, WIRE_TERMINATE);
	send_frame(d, &c);
	assert_int_equal(decoder_pending(d), 0);
	assert_true(d->terminated);
	assert_int_equal(d->protocol.wide_context, wide_context);
	decoder_finish(d);
	decoder_free(d);
	stacks_free(&stacks);
	buf_free(&c.b);
	test_close(w);
	check_trace(path, version, t0, wide);
}

static void test_versions(void **state)
{
	(void)state;
	for (int i = 0; wire_versions[i]; i++) {
		run_version(wire_versions[i], false);
		run_version(wire_versions[i], true);
	}
}

/* Hands what a session has made to the decoder, and its questions back. False: nothing to do. */
static bool decoder_pump(struct serve *s, struct decoder *d, size_t skip)
{
	static char frame[WIRE_FRAME];
	uint8_t q[WIRE_QUERY];
	struct tacho_error err = {0};
	bool busy = false;
	size_t at = skip;
	uint32_t size;

	for (; at + 4 <= s->out.len; at += 4 + size) {
		int n;

		memcpy(&size, s->out.data + at, 4);
		n = LZ4_decompress_safe(s->out.data + at + 4, frame, (int)size, WIRE_FRAME);
		assert_true(n > 0);
		if (decoder_frame(d, (const uint8_t *)frame, (size_t)n, &err) < 0)
			fail_msg("%s", err.text);
		busy = true;
	}
	assert_int_equal(at, s->out.len);
	buf_reset(&s->out);
	for (; decoder_query(d, q); busy = true)
		serve_input(s, q, sizeof(q));
	serve_more(s);
	return busy || s->out.len;
}

static void check_served(const char *path, uint32_t version)
{
	struct trace *t = test_open(path);
	uint32_t devices = 0;

	assert_int_equal(t->zones, 5);
	for (uint32_t i = 0; i < t->track_count; i++) {
		if (t->tracks[i].kind == TRACE_CORE) {
			devices++;
			if (version == 66)
				assert_string_equal(t->tracks[i].name,
						    "Device: 0, Core (1,2)/NCRISC");
		}
		if (t->tracks[i].kind == TRACE_THREAD && t->tracks[i].id == 7)
			assert_string_equal(t->tracks[i].name, "s7");
	}
	assert_int_equal(devices, 1);
	trace_close(t);
}

/* A viewer of each version gets all of a trace, in the items of that version. */
static void serve_version(const char *path, uint32_t version)
{
	struct trace *t = test_open(path);
	struct trace_writer *w = test_writer(test_path("served.tacho"));
	struct trace_process process = {.pid = 5, .name = "client", .command = ""};
	struct tracy_notes notes = {{0}};
	struct write model = {.trace = t, .notes = &notes};
	char greeting[12] = WIRE_MAGIC;
	struct serve *s;
	struct decoder *d;

	assert_int_equal(write_prepare(&model), 0);
	assert_int_equal(contexts_grow(&model, 0), 0);
	s = serve_new(&model, false);
	trace_add_process(w, &process);
	d = decoder_new(w, 0, version, &notes);
	memcpy(greeting + 8, &version, 4);
	serve_input(s, greeting, sizeof(greeting));
	assert_int_equal(s->out.data[0], WIRE_OK);
	assert_true(decoder_pump(s, d, 1 + s->protocol.welcome));
	while (decoder_pump(s, d, 0))
		;
	assert_true(d->terminated);
	assert_int_equal(decoder_pending(d), 0);
	assert_int_equal(s->refused, 0);
	assert_false(s->failed);
	decoder_finish(d);
	decoder_free(d);
	serve_free(s);
	write_free(&model);
	trace_close(t);
	test_close(w);
	check_served(test_path("served.tacho"), version);
}

static void test_serve_versions(void **state)
{
	static const uint32_t versions[] = {66, 69, 74, 76, 82};

	(void)state;
	run_version(66, true);
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		serve_version(test_path("w.tacho"), versions[i]);
}

static void test_serve_unknown(void **state)
{
	static const uint32_t versions[] = {0, 64, 65, 67, 83, UINT32_MAX};
	struct write model = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct serve *s = serve_new(&model, false);
		char greeting[12] = WIRE_MAGIC;

		memcpy(greeting + 8, &versions[i], 4);
		serve_input(s, greeting, sizeof(greeting));
		assert_int_equal(s->out.len, 1);
		assert_int_equal(s->out.data[0], WIRE_MISMATCH);
		assert_true(s->over);
		serve_free(s);
	}
}

/* Whatever comes, no crash: random bytes, and items with random payloads. */
static void test_noise(void **state)
{
	struct trace_process process = {.pid = 5, .name = "client", .command = ""};
	uint64_t seed = 12345;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct trace_writer *w = test_writer(test_path("n.tacho"));
		struct tracy_notes notes = {{0}};
		struct tacho_error err;
		struct decoder *d;

		trace_add_process(w, &process);
		d = decoder_new(w, 0, wire_versions[round % 6], &notes);
		for (int f = 0; f < 5; f++) {
			struct buf b = BUF_INIT;

			for (int i = 0; i < 100; i++) {
				uint64_t v[WIRE_FIELDS + 2];

				for (int k = 0; k < WIRE_FIELDS + 2; k++)
					v[k] = test_random(&seed) >> test_random(&seed) % 64;
				wire_put(&b, &d->protocol,
					 (enum wire_kind)d->protocol
						 .items[test_random(&seed) % d->protocol.count]
						 .kind,
					 v);
			}
			decoder_frame(d, (const uint8_t *)b.data, b.len - (size_t)(round % 3),
				      &err);
			buf_free(&b);
		}
		decoder_finish(d);
		decoder_free(d);
		test_close(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),         cmocka_unit_test(test_versions),
		cmocka_unit_test(test_serve_versions), cmocka_unit_test(test_serve_unknown),
		cmocka_unit_test(test_noise),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return failed;
}
