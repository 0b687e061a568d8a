/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel profiler's words: decoded, damaged, and as a device writes them. */
#include "device/launch.h"
#include "device/prof.h"
#include "device/program.h"
#include "device_tools.h"

#define H(type, id, high) (0x80000000u | (uint32_t)(type) << 28 | (uint32_t)(id) << 12 | (high))

struct log {
	struct prof_item v[64];
	unsigned n;
	uint64_t damage; /* markers that runs were said to have lost */
};

static void item_take(void *context, const struct prof_item *item)
{
	struct log *l = context;

	if (item->kind == PROF_K_DAMAGE) {
		l->damage += item->data[0];
		return;
	}
	if (l->n < 64)
		l->v[l->n] = *item;
	l->n++;
}

static void words_decode(const uint32_t *words, size_t n, struct log *l, struct prof_counts *c)
{
	struct prof_reader reader = {0};

	memset(l, 0, sizeof(*l));
	memset(c, 0, sizeof(*c));
	prof_decode(&reader, words, n, &(struct prof_expect){.risc = 1, .flat = 7}, item_take, l,
		    c);
}

#define HEADER(op) 0, 0, 1 | 7 << 5 | 3 << 13, op
#define MAIN_AT(t)                                                                           \
	H(0, 10, 0), (t) + 100, H(1, 10, 0), (t) + 900, H(0, 11, 0), (t) + 200, H(1, 11, 0), \
		(t) + 800
#define MAIN MAIN_AT(0)

static void test_good(void **state)
{
	const uint32_t words[] = {
		HEADER(55),  MAIN, H(0, 20, 0), 300, H(3, 30, 0),   310, 0, 0,
		H(4, 40, 0), 320,  H(1, 20, 0), 400, H(5, 9090, 0), 500, 1, 2,
		3,           4,    H(2, 50, 0), 77,  0x80000000,    0,
	};
	struct prof_counts c;
	struct log l;

	(void)state;
	words_decode(words, sizeof(words) / 4, &l, &c);
	assert_int_equal(c.runs, 1);
	assert_int_equal(c.damaged, 0);
	assert_int_equal(l.n, 7);
	assert_int_equal(l.v[0].kind, PROF_K_DATA);
	assert_int_equal(l.v[0].data[0], 0);
	assert_int_equal(l.v[1].kind, PROF_K_EVENT);
	assert_int_equal(l.v[1].id, 40);
	assert_int_equal(l.v[2].kind, PROF_K_ZONE);
	assert_int_equal(l.v[2].start, 300);
	assert_int_equal(l.v[2].end, 400);
	assert_int_equal(l.v[2].op, 55);
	assert_int_equal(l.v[2].replay, 3);
	assert_int_equal(l.v[3].kind, PROF_K_DATA_16);
	assert_true(l.v[3].data[0] == ((uint64_t)1 << 32 | 2) &&
		    l.v[3].data[1] == ((uint64_t)3 << 32 | 4));
	assert_int_equal(l.v[4].kind, PROF_K_TOTAL);
	assert_int_equal(l.v[4].data[0], 77);
	assert_int_equal(l.v[4].start, 100);
	assert_int_equal(l.v[5].id, 11);
	assert_int_equal(l.v[6].id, 10);
	assert_int_equal(l.v[6].end - l.v[6].start, 800);
}

static void test_damaged(void **state)
{
	const uint32_t words[] = {
		HEADER(1),   MAIN, H(1, 20, 0), 250, H(0, 21, 0), 300, H(0, 22, 0), 310,
		H(1, 21, 0), 320,  H(7, 1, 0),  330, 0x00000005,  6,   H(3, 9, 0),  340,
	};
	struct prof_counts c;
	struct log l;

	(void)state;
	words_decode(words, sizeof(words) / 4, &l, &c);
	assert_int_equal(l.v[0].id, 20);
	assert_int_equal(l.v[0].flags, PROF_START_LOST);
	assert_int_equal(l.v[1].id, 22);
	assert_int_equal(l.v[1].flags, PROF_END_LOST);
	assert_int_equal(l.v[2].id, 21);
	assert_int_equal(l.v[2].flags, 0);
	/* the two firmware zones are whole */
	assert_int_equal(l.n, 5);
	assert_int_equal(c.damaged, 5);
	assert_int_equal(l.damage, 5);
}

/* The words of the guaranteed zones have no room for values: nothing after them is read. */
static void test_guaranteed(void **state)
{
	uint32_t *words = malloc(48); /* exactly, for sanitizers */
	const uint32_t from[] = {HEADER(1),   H(0, 10, 0), 100,         H(5, 10, 0), 900,
				 H(3, 11, 0), 200,         H(5, 11, 0), 800};
	struct prof_counts c;
	struct log l;

	(void)state;
	assert_non_null(words);
	memcpy(words, from, 48);
	words_decode(words, 12, &l, &c);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].flags, PROF_END_LOST);
	assert_int_equal(c.damaged, 3);
	free(words);
}

static void test_cut(void **state)
{
	const uint32_t words[] = {HEADER(1),   MAIN, H(0, 20, 0), 300,
				  H(1, 20, 0), 400,  HEADER(2),   MAIN_AT(1000)};
	struct prof_counts c;
	struct log l;

	(void)state;
	for (size_t n = 0; n <= sizeof(words) / 4; n++)
		words_decode(words, n, &l, &c);
	assert_int_equal(c.runs, 2);
	assert_int_equal(l.n, 5);
	assert_int_equal(c.damaged, 0);
}

/* 44 bits of time: after a wrap, time continues. */
static void test_wrap(void **state)
{
	const uint32_t words[] = {HEADER(1), H(0, 10, 0xfff), 0xfffffff0, H(1, 10, 0),
				  16,        H(0, 11, 0xfff), 0xfffffff8, H(1, 11, 0),
				  8};
	struct prof_reader reader = {.last = (1ull << 44) - 100};
	struct prof_counts c = {0};
	struct log l = {0};

	(void)state;
	prof_decode(&reader, words, sizeof(words) / 4, &(struct prof_expect){.risc = 1, .flat = 7},
		    item_take, &l, &c);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.v[0].end - l.v[0].start, 16);
	assert_int_equal(l.v[1].end - l.v[1].start, 32);
	assert_true(l.v[1].end > 1ull << 44);
}

/* One marker of a run is overwritten in every way: the others stay, and it counts as lost. */
static void test_overwritten(void **state)
{
	static const struct {
		unsigned word;
		uint32_t value;
		unsigned zones, damaged; /* trusted ones; markers that are lost */
	} ways[] = {
		{12, 0, 4, 2},            /* a start: the end has none */
		{12, 0xffffffff, 4, 2},   /* no such type */
		{12, 0x80000000, 4, 2},   /* filler, but not at the end */
		{13, 0, 4, 2},            /* before the kernel's zone */
		{13, 5000, 4, 2},         /* after it */
		{13, 310, 5, 0},          /* a time that could be: nobody can know */
		{12, H(0, 200, 0), 4, 2}, /* no such zone */
		{12, H(0, 21, 0), 4, 2},  /* another zone's: 20 has no start, 21 no end */
		{14, 0, 4, 2},            /* an end */
		{14, H(3, 20, 0), 3, 2},  /* a value that takes the next marker */
		{4, 0, 4, 1},             /* the firmware's start: its zone cannot be trusted */
		{5, 0, 4, 1},             /* before all */
		{5, 250, 4, 1},           /* after the kernel's start */
		{9, 850, 4, 1},           /* the kernel's start, after its end */
		{0, 7, 0, 12},            /* the ids: nobody knows whose run it was */
		{2, 2 | 7 << 5, 0, 12},   /* another RISC's */
	};
	const uint32_t good[] = {HEADER(55),  MAIN,        H(0, 20, 0), 300,         H(1, 20, 0),
				 350,         H(0, 21, 0), 400,         H(1, 21, 0), 450,
				 H(0, 20, 0), 500,         H(1, 20, 0), 600};
	const struct prof_expect expect = {
		.risc = 1, .flat = 7, .zones = 100, .earliest = 90, .latest = 10000};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		uint32_t words[sizeof(good) / 4];
		struct prof_reader reader = {0};
		struct prof_counts c = {0};
		struct log l = {0};
		unsigned zones = 0;

		memcpy(words, good, sizeof(good));
		words[ways[i].word] = ways[i].value;
		prof_decode(&reader, words, sizeof(words) / 4, &expect, item_take, &l, &c);
		for (unsigned k = 0; k < l.n; k++)
			zones += l.v[k].kind == PROF_K_ZONE && !l.v[k].flags;
		if (zones != ways[i].zones || c.damaged != ways[i].damaged)
			fail_msg("way %zu: %u zones, %llu damaged", i, zones,
				 (unsigned long long)c.damaged);
		assert_int_equal(l.damage, c.damaged);
	}
}

/* ---- on a device ---- */
struct tally {
	const char *name;
	unsigned count, fw, damaged;
	uint32_t first_op, last_op;
};

static void items_tally(void *context, const struct tacho_device_event *e)
{
	struct tally *t = context;

	t->count += e->kind == TACHO_DEVICE_ZONE && !strcmp(e->name, t->name);
	t->fw += e->kind == TACHO_DEVICE_ZONE && strstr(e->name, "-FW");
	t->damaged += e->damaged != 0;
	t->first_op = t->first_op && t->first_op < e->op ? t->first_op : e->op;
	t->last_op = e->op > t->last_op ? e->op : t->last_op;
}

/* A run without zones is 48 bytes per RISC, at the address that the layout says. */
static void test_plain(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p;
	int flat;
	uint32_t words[12];

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(1000);
	p = all_riscs(d, "plain.c");
	program_run(d, p, 3);
	flat = device_core_at(d, false, 0, 0);
	assert_int_equal(control_word(d, PROF_FLAT_ID), flat);
	assert_int_equal(control_word(d, PROF_PER_BANK), 3); /* 5 cores, 2 banks */
	assert_int_equal(control_word(d, PROF_RUNS), 3);
	for (unsigned r = 0; r < 5; r++) {
		uint64_t at = 32 + ((uint64_t)(flat % 3) * 5 + r) * 48000;

		assert_int_equal(control_word(d, PROF_HOST_END + r), 3 * 12);
		for (unsigned run_number = 1; run_number <= 3; run_number++) {
			d->ops->dram_read(d->self, (unsigned)flat / 3, at + 48 * (run_number - 1),
					  words, 48);
			assert_int_equal(words[0] | words[1], 0);
			assert_int_equal(words[2], r | (uint32_t)flat << 5);
			assert_int_equal(words[3], run_number);
			for (unsigned i = 4; i < 12; i += 2)
				assert_int_equal(words[i] >> 31, 1);
			assert_int_equal(words[4] >> 28 & 7, PROF_ZONE_START);
			assert_int_equal(words[6] >> 28 & 7, PROF_ZONE_END);
			assert_true(words[5] < words[9] && words[9] < words[11] &&
				    words[11] < words[7]);
		}
	}
	tacho_program_free(p);
	tacho_device_close(d);
}

/* Sizes and addresses of the buffers in DRAM, of a device that is not even started. */
static void test_areas(void **state)
{
	static const struct {
		const char *arch, *sum;
		unsigned cores, count;
		uint32_t area, per_bank;
		uint64_t end;
	} all[] = {
		{"wormhole_b0", "0", 80, 0, 48000, 8, 32 + 8 * 5 * 48000},
		{"wormhole_b0", "0", 72, 1000, 48000, 8, 32 + 8 * 5 * 48000},
		{"wormhole_b0", "0", 64, 5000, 240000, 7, 32 + 7 * 5 * 240000},
		{"wormhole_b0", "1", 80, 1000, 64000, 8, 32 + 8 * 5 * 64000},
		{"wormhole_b0", "0", 80, 7, 43 * 48, 8, 32 + 8 * 5 * 43 * 48},
		{"tiny", "0", 0, 0, 48000, 3, 32 + 3 * 5 * 48000},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct tacho_device d = {.options = {.arch = all[i].arch,
						     .cores = all[i].cores,
						     .profile = 1,
						     .program_count = all[i].count}};

		setenv("TT_METAL_PROFILER_SUM", all[i].sum, 1);
		assert_int_equal(backend_tensix(&d.ops, &d.self, &d.options, 0), 0);
		d.ops->shape(d.self, &d.shape);
		assert_int_equal(prof_configure(&d), 0);
		unsetenv("TT_METAL_PROFILER_SUM");
		assert_int_equal(d.prof->area, all[i].area);
		assert_int_equal(d.prof->per_bank, all[i].per_bank);
		assert_int_equal(prof_dram_end(&d), all[i].end);
		prof_close(&d);
		d.ops->close(d.self);
	}
}

/* Classic buffers: 23 full runs fit, then only the guaranteed markers of 18 more, then nothing. */
static void test_full_classic(void **state)
{
	struct tally t = {.name = "TEST-FULL"};
	struct tacho_device *d;
	struct tacho_program *p;
	uint64_t cut;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(1000);
	p = all_riscs(d, "full.c");
	program_run(d, p, 23);
	assert_int_equal(control_word(d, PROF_HOST_END), 23 * 512);
	assert_int_equal(control_word(d, PROF_DROPPED), 0);
	program_run(d, p, 22);
	assert_int_equal(control_word(d, PROF_HOST_END), 23 * 512 + 18 * 12);
	assert_int_equal(control_word(d, PROF_DROPPED), 31);
	assert_int_equal(tacho_profiler_read(d, items_tally, &t), 0);
	assert_int_equal(t.count, 23 * 125 * 5);
	assert_int_equal(t.fw, (23 + 18) * 5);
	assert_int_equal(t.damaged, 0);
	assert_int_equal(tacho_profiler_lost(d, (struct tacho_core){0, 0}, 1, &cut), 45 * 175);
	assert_int_equal(cut, 1);
	/* after reading there is room again */
	t = (struct tally){.name = "TEST-FULL"};
	program_run(d, p, 1);
	assert_int_equal(tacho_profiler_read(d, items_tally, &t), 0);
	assert_int_equal(t.count, 125 * 5);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* Drained as the run goes, nothing is dropped however many programs there are. */
static void test_full_drained(void **state)
{
	struct tally t = {.name = "TEST-FULL"};
	struct tacho_device *d;
	struct tacho_program *p;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(0);
	p = all_riscs(d, "full.c");
	program_run(d, p, 60);
	assert_int_equal(tacho_profiler_read(d, items_tally, &t), 0);
	assert_int_equal(t.count, 60 * 300 * 5);
	assert_int_equal(t.fw, 60 * 5);
	assert_int_equal(t.last_op - t.first_op, 59);
	assert_int_equal(control_word(d, PROF_DROPPED), 0);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* Zones that began always end, also when events take the last words. */
static void test_mixed(void **state)
{
	struct tally t = {.name = "OUTER"};
	struct tacho_device *d;
	struct tacho_program *p, *q;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(0);
	p = all_riscs(d, "mixed.c");
	q = all_riscs(d, "invalid.c");
	program_run(d, p, 2);
	assert_int_equal(tacho_profiler_read(d, items_tally, &t), 0);
	assert_int_equal(t.count, 2 * 5);
	assert_int_equal(t.damaged, 0);
	/* a run that is declared invalid leaves nothing */
	t = (struct tally){.name = "NO"};
	program_run(d, q, 1);
	assert_int_equal(tacho_profiler_read(d, items_tally, &t), 0);
	assert_int_equal(t.count + t.fw, 0);
	tacho_program_free(p);
	tacho_program_free(q);
	tacho_device_close(d);
}

struct counted {
	uint64_t fpu, cycles, pack, instructions, noc;
};

static void take_counter(void *context, const struct tacho_device_event *e)
{
	struct counted *c = context;

	if (e->kind == TACHO_DEVICE_DATA && e->id == PROF_ID_NOC)
		c->noc += e->data[0] & 0xff;
	if (e->kind != TACHO_DEVICE_DATA16)
		return;
	assert_int_equal(e->id, PROF_ID_COUNTERS);
	assert_string_equal(e->risc, "BRISC");
	if (!strcmp(e->name, "FPU_COUNTER")) {
		c->fpu = (uint32_t)e->data[0];
		c->cycles = e->data[0] >> 32;
	}
	if (!strcmp(e->name, "PACKER_BUSY"))
		c->pack = (uint32_t)e->data[0];
	if (!strcmp(e->name, "THREAD_INSTRUCTIONS_1"))
		c->instructions = (uint32_t)e->data[0];
}

/* Units of the tile engine: busy cycles of one matmul and one pack; NoC events of the data movers.
 */
static void test_counters(void **state)
{
	static const enum tacho_risc riscs[] = {TACHO_BRISC, TACHO_COMPUTE};
	struct counted c = {0};
	struct tacho_device *d;
	struct tacho_program *p;

	(void)state;
	if (!have_compiler())
		return;
	setenv("TT_METAL_PROFILE_PERF_COUNTERS", "39", 1);
	setenv("TT_METAL_DEVICE_PROFILER_NOC_EVENTS", "1", 1);
	d = open_device(0);
	unsetenv("TT_METAL_PROFILE_PERF_COUNTERS");
	unsetenv("TT_METAL_DEVICE_PROFILER_NOC_EVENTS");
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(tacho_program_cb(p, &(struct tacho_cb){.index = i == 2 ? 16 : i,
									.pages = 2,
									.page_size = 2048,
									.format = TACHO_BFLOAT16}),
				 (int)i);
	for (unsigned i = 0; i < 2; i++)
		assert_true(tacho_program_kernel(
				    p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/matmul.c",
							      .risc = riscs[i],
							      .fidelity = TACHO_HIFI2}) >= 0);
	program_run(d, p, 1);
	assert_int_equal(tacho_profiler_read(d, take_counter, &c), 0);
	assert_int_equal(c.fpu, 32);
	assert_int_equal(c.pack, 32);
	assert_true(c.cycles > 100 && c.cycles < 5000);
	assert_int_equal(c.instructions, 5); /* fidelity, acquire, matmul, commit's two */
	assert_int_equal(c.noc, 1 + 1 + 11); /* two reads and a write */
	tacho_program_free(p);
	tacho_device_close(d);
}

struct replayed {
	unsigned of_trace, others;
	uint32_t most;
};

static void count_replays(void *context, const struct tacho_device_event *e)
{
	struct replayed *r = context;

	if (strcmp(e->name, "BRISC-FW"))
		return;
	r->of_trace += e->trace == 1;
	r->others += e->trace == 0;
	r->most = e->replay > r->most ? e->replay : r->most;
}

/* A trace of two programs, run three times, between others. */
static void test_replay(void **state)
{
	struct replayed counts = {0};
	struct tacho_device *d;
	struct tacho_program *p, *q;
	struct tacho_trace *trace;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(0);
	p = all_riscs(d, "plain.c");
	q = all_riscs(d, "mixed.c");
	program_run(d, p, 1);
	assert_int_equal(tacho_trace_begin(d), 0);
	assert_true(tacho_trace_begin(d) < 0);
	assert_int_equal(tacho_enqueue(d, p), 0);
	assert_int_equal(tacho_enqueue(d, q), 0);
	assert_int_equal(tacho_trace_end(d, &trace), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tacho_trace_replay(trace), 0);
	program_run(d, q, 1);
	assert_int_equal(tacho_profiler_read(d, count_replays, &counts), 0);
	assert_int_equal(counts.of_trace, 6);
	assert_int_equal(counts.others, 2);
	assert_int_equal(counts.most, 3);
	assert_int_equal(control_word(d, PROF_RUNS), 8);
	tacho_trace_free(trace);
	tacho_program_free(p);
	tacho_program_free(q);
	tacho_device_close(d);
}

struct stream_tally {
	uint64_t zones[3], next[5], last_end[5], damaged, wrong;
};

static unsigned risc_number(const char *name)
{
	return !strcmp(name, "BRISC")    ? 0
	       : !strcmp(name, "NCRISC") ? 1
					 : 2 + (unsigned)(name[5] - '0');
}

/* Values of a RISC count up without a gap, and its zones do not overlap. */
static void stream_take(void *context, const struct tacho_device_event *e)
{
	static const char *const names[] = {"ALL", "OUTER", "INNER"};
	struct stream_tally *t = context;
	unsigned r = risc_number(e->risc);

	t->damaged += e->damaged != 0;
	if (e->kind == TACHO_DEVICE_DATA)
		t->wrong += e->data[0] != t->next[r]++;
	for (unsigned i = 0; i < 3; i++)
		t->zones[i] += e->kind == TACHO_DEVICE_ZONE && !strcmp(e->name, names[i]);
	if (!strcmp(e->name, "OUTER")) {
		t->wrong += e->start < t->last_end[r];
		t->last_end[r] = e->end;
	}
}

static struct tacho_program *stream_program(struct tacho_device *d, uint32_t rounds, uint32_t what)
{
	struct tacho_program *p = all_riscs(d, "stream.c");
	const uint32_t args[] = {rounds, what};

	for (int i = 0; i < 3; i++)
		assert_int_equal(tacho_program_args(p, i, (struct tacho_core){0, 0}, args, 2), 0);
	return p;
}

/* One run may record as much as it likes: the host takes it while it runs, and nobody waits. */
static void test_stream(void **state)
{
	struct stream_tally t = {0};
	struct tacho_device *d;
	struct tacho_program *p;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(0);
	p = stream_program(d, 3000, 0);
	program_run(d, p, 2);
	assert_int_equal(tacho_profiler_read(d, stream_take, &t), 0);
	assert_int_equal(t.zones[0], 2 * 5);
	assert_int_equal(t.zones[1], 2 * 5 * 3000);
	assert_int_equal(t.zones[2], 2 * 5 * 3000);
	assert_int_equal(t.next[4], 2 * 3000);
	assert_int_equal(t.wrong, 5 * 3000); /* those of the second run count from 0 again */
	assert_int_equal(t.damaged, 0);
	assert_int_equal(tacho_profiler_lost_all(d), 0);
	assert_int_equal(d->prof->waited, 0);
	tacho_program_free(p);
	/* a run that is declared invalid at its end leaves nothing */
	p = stream_program(d, 500, 2);
	t = (struct stream_tally){0};
	program_run(d, p, 1);
	assert_int_equal(tacho_profiler_read(d, stream_take, &t), 0);
	assert_int_equal(t.zones[0] + t.zones[1] + t.zones[2], 0);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* A kernel that dies leaves what it had recorded. */
static void test_stream_fault(void **state)
{
	struct stream_tally t = {0};
	struct tacho_device *d;
	struct tacho_program *p;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(0);
	p = stream_program(d, 400, 1);
	assert_int_equal(tacho_enqueue(d, p), 0);
	assert_true(tacho_finish(d) < 0);
	assert_true(tacho_profiler_read(d, stream_take, &t) < 0);
	assert_int_equal(t.next[0], 400);
	assert_int_equal(t.zones[1], t.zones[2]);
	assert_true(t.zones[1] >= 5 * 390);
	assert_true(t.damaged > 0); /* the zones that were open */
	tacho_program_free(p);
	tacho_device_close(d);
}

static enum tacho_device_stop (*real_run)(void *, uint64_t);

static enum tacho_device_stop run_long(void *self, uint64_t cycles)
{
	return real_run(self, 30 * cycles);
}

/* A late host: the RISC waits, the wait is reported, and nothing is lost. */
static void test_stream_late(void **state)
{
	struct tacho_device_ops slow;
	struct stream_tally t = {0};
	struct tacho_device *d;
	struct tacho_program *p;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(0);
	slow = *d->ops;
	real_run = slow.run;
	slow.run = run_long;
	d->ops = &slow;
	p = stream_program(d, 1000, 0);
	program_run(d, p, 1);
	assert_int_equal(tacho_profiler_read(d, stream_take, &t), 0);
	assert_int_equal(t.zones[1], 5 * 1000);
	assert_int_equal(t.wrong + t.damaged, 0);
	assert_true(d->prof->waited > 0);
	assert_int_equal(tacho_profiler_lost_all(d), 0);
	tacho_program_free(p);
	tacho_device_close(d);
}

struct trusted {
	unsigned zones, wrong;
	uint64_t longest;
};

static void count_trusted(void *context, const struct tacho_device_event *e)
{
	struct trusted *t = context;

	t->zones += !e->damaged && e->name[0] && !e->name[1]; /* the kernel's own */
	t->wrong += !e->damaged && e->kind == TACHO_DEVICE_ZONE && !*e->name;
	if (!e->damaged && e->end - e->start > t->longest)
		t->longest = e->end - e->start;
}

/*
 * Kernels that write over what was recorded (tests/device/overwrite.c): what is left is right, what
 * is gone is counted, and the next run on the same core is whole.
 */
static void overwrite_on(unsigned count)
{
	/* words of the profiler from its control vector on: first, how many, what; 5 zones a run */
	static const struct {
		uint32_t from, words, value;
		unsigned zones; /* at least */
	} ways[] = {
		{64 + 12, 1, 0, 4},           /* one word */
		{64 + 13, 1, 0x5555, 4},      /* a time */
		{64, 12, 0, 4},               /* ids, and starts of the firmware's zones */
		{64, 5 * 512, 0, 1},          /* all buffers */
		{64, 5 * 512, 0xffffffff, 1}, /* all that the host looks for */
		{64, 5 * 512, 0x80001000, 1},
		{0, 64, 0xdeadbeef, 4}, /* the control vector */
		{0, 64, 0, 4},
		{10, 5, 0x7fffffff, 4},           /* what the host has taken */
		{0, 64 + 5 * 512, 0x9e3779b9, 1}, /* everything */
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct tacho_device *d = open_device(count);
		struct tacho_program *p = all_riscs(d, "overwrite.c");
		struct trusted t = {0};
		uint64_t before;

		for (int r = 0; r < 2; r++) {
			const uint32_t args[] = {r ? 0 : ways[i].words, ways[i].from,
						 ways[i].value};

			for (int k = 0; k < 3; k++)
				assert_int_equal(tacho_program_args(p, k, (struct tacho_core){0, 0},
								    args, 3),
						 0);
			before = tacho_profiler_lost_all(d);
			t = (struct trusted){0};
			program_run(d, p, 1);
			assert_int_equal(tacho_profiler_read(d, count_trusted, &t), 0);
			assert_int_equal(t.wrong, 0);
			assert_true(t.longest < 200000);
			if (r == 0) {
				if ((t.zones < 5 * 3 && !tacho_profiler_damaged(d)) ||
				    t.zones < ways[i].zones)
					fail_msg("way %zu: %u zones, %llu damaged", i, t.zones,
						 (unsigned long long)tacho_profiler_damaged(d));
			} else {
				assert_int_equal(t.zones, 5 * 3);
				assert_int_equal(tacho_profiler_lost_all(d), before);
			}
		}
		tacho_program_free(p);
		tacho_device_close(d);
	}
}

static void test_overwrite_streamed(void **state)
{
	(void)state;
	if (have_compiler())
		overwrite_on(0);
}

static void test_overwrite_fixed(void **state)
{
	(void)state;
	if (have_compiler())
		overwrite_on(100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_guaranteed),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_areas),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_full_classic),
		cmocka_unit_test(test_full_drained),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_stream_fault),
		cmocka_unit_test(test_stream_late),
		cmocka_unit_test(test_overwritten),
		cmocka_unit_test(test_overwrite_streamed),
		cmocka_unit_test(test_overwrite_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
