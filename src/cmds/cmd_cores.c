/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "cores": show how long the kernels of each core of a device ran. */
#include "base/fmt.h"
#include "base/map.h"
#include "base/order.h"
#include "cmds/query.h"
#include "trace/names.h"
#include "view/core_busy.h"

#include <stdlib.h>
#include <string.h>

#define RISCS    5
#define MAP_SIDE 64 /* columns and rows of a map */

struct conf {
	struct query_conf query;
	bool busiest, map;
};

static const struct opt opts[] = {
	OPT_STR('n', "name", "PATTERN", struct conf, query.name,
		"select cores by name: 'core 0,*', '*NoC 1,1*'"),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	OPT_FLAG('b', "busiest", struct conf, busiest,
		 "list the core with the longest kernels first; else in the order of the trace"),
	OPT_FLAG('m', "map", struct conf, map,
		 "print a map of each device: the load of each core at its NoC coordinates"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

/* All tracks of one core. */
struct core {
	uint32_t track;       /* the first */
	uint64_t runs, zones; /* runs: of the RISC with the most */
	double busy;          /* ns in which any RISC ran a kernel */
	double busy_share;    /* of the device's time, percent */
	struct {
		VEC(uint32_t);
	} lanes; /* lanes with kernels */
	double kernels[RISCS];
	double longest; /* of kernels */
	uint64_t lost;
};

struct cores {
	VEC(struct core);
	struct map by_id; /* device, position and process */
	uint8_t *kernels; /* by source location */
};

static struct core *core_of(struct cores *c, const struct trace *trace, uint32_t track)
{
	const struct trace_track *t = &trace->tracks[track];
	/* An id without its RISC has 40 bits, and there are at most 2^24 processes. */
	uint64_t key = t->id >> 8 | (uint64_t)t->process << 40;
	uint32_t *at = map_get(&c->by_id, key);

	if (at)
		return &c->v[*at];
	if (map_set(&c->by_id, key, (uint32_t)c->n) < 0 ||
	    vec_push(c, ((struct core){.track = track})) < 0)
		return NULL;
	return &c->v[c->n - 1];
}

/* Adds one RISC: its outermost zones are the runs, each with a kernel inside. */
struct risc_sum {
	uint64_t runs, zones;
	double kernels;
};

static int sum_lane(struct query *q, const struct cores *cores, uint32_t lane, struct risc_sum *sum,
		    bool *kernels)
{
	struct trace_cursor *c;
	struct trace_zone z;
	int r = trace_cursor_open(&c, q->trace, lane, q->filter.in.t0, q->filter.in.t1);

	if (r < 0)
		return r;
	while ((r = trace_cursor_next(c, &z)) > 0) {
		double ns = trace_duration_ns(q->trace, z.start, z.end);

		*kernels |= cores->kernels[z.srcloc];
		if (z.start < q->filter.in.t0)
			continue;
		sum->zones++;
		if (q->trace->lanes[lane].depth == 0)
			sum->runs++;
		if (cores->kernels[z.srcloc])
			sum->kernels += ns;
	}
	trace_cursor_close(c);
	return r;
}

static int cores_track_add(struct query *q, struct cores *cores, uint32_t track)
{
	uint32_t first, count, risc = TRACE_CORE_RISC(q->trace->tracks[track].id);
	struct core *core = core_of(cores, q->trace, track);
	struct risc_sum sum = {0};
	int r = core ? 0 : TACHO_ENOMEM;

	trace_track_lanes(q->trace, track, &first, &count);
	for (uint32_t i = first; r == 0 && i < first + count; i++) {
		bool kernels = false;

		r = sum_lane(q, cores, i, &sum, &kernels);
		if (r == 0 && kernels && vec_push(&core->lanes, i) < 0)
			r = TACHO_ENOMEM;
	}
	if (r < 0)
		return r;
	core->zones += sum.zones;
	core->runs = sum.runs > core->runs ? sum.runs : core->runs;
	core->longest = sum.kernels > core->longest ? sum.kernels : core->longest;
	core->kernels[risc < RISCS ? risc : 0] += sum.kernels;
	core->lost += q->trace->ledgers[track].zones_lost + q->trace->ledgers[track].rows_lost;
	return 0;
}

/* The selected part of the device's time. */
static int core_busy(struct query *q, const struct cores *cores, struct core *core)
{
	const struct trace_track *t = &q->trace->tracks[core->track];
	struct view_busy_options o = {.kernels = cores->kernels};
	struct view_busy busy;
	int r;

	if (!view_device_times(q->trace, TRACE_CORE_DEVICE(t->id), t->process, &o.t0, &o.t1))
		return 0;
	o.t0 = o.t0 > q->filter.in.t0 ? o.t0 : q->filter.in.t0;
	o.t1 = o.t1 < q->filter.in.t1 ? o.t1 : q->filter.in.t1;
	if (o.t1 <= o.t0)
		return 0;
	r = view_core_busy(q->trace, core->lanes.v, core->lanes.n, &o, &busy);
	if (r == 0) {
		core->busy = query_ns(q, (double)busy.ticks);
		core->busy_share = 100 * (double)busy.ticks / (double)(o.t1 - o.t0);
	}
	return r;
}

ORDER_BY(by_longest, struct core, ORDER_DOWN(longest) ?: ORDER_UP(track));

static void cores_row_add(struct table *t, const struct trace *trace, const struct core *c,
			  double most)
{
	const char *name = trace->tracks[c->track].name, *slash = strrchr(name, '/');

	table_uint(t, trace_process_of(trace, c->track)->pid);
	table_string(t, name, slash ? (size_t)(slash - name) : strlen(name));
	table_uint(t, c->runs);
	table_real(t, c->busy);
	table_real(t, c->busy_share);
	for (int i = 0; i < RISCS; i++) {
		if (c->kernels[i] > 0)
			table_real(t, c->kernels[i]);
		else
			table_none(t);
	}
	table_real(t, most > 0 ? 100 * c->longest / most : 0);
	table_uint(t, c->zones);
	table_uint(t, c->lost);
	table_row(t);
}

static bool core_same_device(const struct trace *trace, const struct core *a, const struct core *b)
{
	const struct trace_track *x = &trace->tracks[a->track], *y = &trace->tracks[b->track];

	return x->process == y->process && TRACE_CORE_DEVICE(x->id) == TRACE_CORE_DEVICE(y->id);
}

/* Prints the cores from FIRST on that are on one device of one process. */
static void device_map_print(const struct trace *trace, const struct cores *cores, size_t first,
			     double most)
{
	static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
	uint32_t left = MAP_SIDE, columns = 0, top = MAP_SIDE, rows = 0, outside = 0;
	char longest[FMT_SIZE];
	const struct core *at[MAP_SIDE][MAP_SIDE] = {0}; /* by row and column */

	for (size_t i = first; i < cores->n; i++) {
		uint32_t x, y;

		if (!core_same_device(trace, &cores->v[i], &cores->v[first]))
			continue;
		x = TRACE_CORE_X(trace->tracks[cores->v[i].track].id);
		y = TRACE_CORE_Y(trace->tracks[cores->v[i].track].id);
		if (x >= MAP_SIDE || y >= MAP_SIDE) {
			outside++;
			continue;
		}
		columns = x < columns ? columns : x + 1;
		rows = y < rows ? rows : y + 1;
		left = x < left ? x : left;
		top = y < top ? y : top;
		at[y][x] = &cores->v[i];
	}
	printf("%sDevice %u of process %u: load of each core in percent, by its NoC coordinates; 100 is %s\n    ",
	       first ? "\n" : "", TRACE_CORE_DEVICE(trace->tracks[cores->v[first].track].id),
	       trace_process_of(trace, cores->v[first].track)->pid, fmt_ns(longest, most));
	for (uint32_t x = left; x < columns; x++)
		printf(" %4u", x);
	for (uint32_t y = top; y < rows; y++) {
		printf("\n%4u", y);
		for (uint32_t x = left; x < columns; x++) {
			const struct core *c = at[y][x];
			double load = c && most > 0 ? 100 * c->longest / most : 0;

			if (c)
				printf(" %3.0f%s", load, shades[((int)load + 24) / 25]);
			else
				printf("    .");
		}
	}
	putchar('\n');
	if (outside)
		printf("%u cores are outside of the map\n", outside);
}

static int cores_table(struct query *q, const struct cores *cores, double most)
{
	static const struct table_column columns[] = {
		{"pid", NULL, TABLE_ID},
		{"core", "core", TABLE_STRING},
		{"runs", "runs", TABLE_COUNT},
		{"busy_ns", "busy", TABLE_NS},
		{"busy_percent", "busy %", TABLE_PERCENT},
		{"brisc_ns", "BRISC", TABLE_NS},
		{"ncrisc_ns", "NCRISC", TABLE_NS},
		{"trisc0_ns", "TRISC0", TABLE_NS},
		{"trisc1_ns", "TRISC1", TABLE_NS},
		{"trisc2_ns", "TRISC2", TABLE_NS},
		{"load_percent", "load %", TABLE_PERCENT},
		{"zones", "zones", TABLE_COUNT},
		{"lost", "lost", TABLE_COUNT},
	};
	struct table table;

	table_open(&table, stdout, &q->style, TABLE_COLUMNS(columns));
	for (size_t i = 0; i < cores->n; i++)
		cores_row_add(&table, q->trace, &cores->v[i], most);
	return table_close(&table);
}

static int cores_print(struct query *q, void *conf)
{
	const struct conf *c = conf;
	struct cores cores = {0};
	double most = 0;
	int r = 0;

	if (c->map && c->query.format != TABLE_AS_TEXT)
		return err_set(&q->err, TACHO_EUSAGE, "--map is text: it has no other --format");
	cores.kernels = view_kernels(q->trace);
	if (!cores.kernels)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; r == 0 && i < q->trace->track_count; i++)
		if (query_shows(q, i, TRACE_CORE) && !TRACE_CORE_IS_OTHER(q->trace->tracks[i].id))
			r = cores_track_add(q, &cores, i);
	for (size_t i = 0; r == 0 && i < cores.n; i++)
		r = core_busy(q, &cores, &cores.v[i]);
	for (size_t i = 0; i < cores.n; i++)
		most = cores.v[i].longest > most ? cores.v[i].longest : most;
	if (c->busiest && cores.n)
		qsort(cores.v, cores.n, sizeof(*cores.v), by_longest);
	if (r == 0 && c->map) {
		for (size_t i = 0; i < cores.n; i++) {
			bool seen = false;

			for (size_t k = 0; k < i && !seen; k++)
				seen = core_same_device(q->trace, &cores.v[k], &cores.v[i]);
			if (!seen)
				device_map_print(q->trace, &cores, i, most);
		}
	} else if (r == 0)
		r = cores_table(q, &cores, most);
	for (size_t i = 0; i < cores.n; i++)
		vec_free(&cores.v[i].lanes);
	vec_free(&cores);
	free(cores.kernels);
	map_free(&cores.by_id);
	return r;
}

QUERY_RUN(cores_print)

const struct cmd cmd_cores = {
	.name = "cores",
	.summary = "list device cores with the times of their kernels",
	.usage = "[options] FILE",
	.description =
		"Prints for each core of a device how many programs it ran, how long it was busy (any of "
		"its RISCs ran a kernel) and which share of the device's time that is (from its first zone "
		"to its last, in the range), how long the kernel of each RISC ran in all, and its load: its longest kernel's time as a part of that of the core where it is "
		"longest. Of an Ethernet core the one RISC is in the column of BRISC. With --range only "
		"what starts there counts, but for what was lost.",
	.examples = "tacho cores app.tacho\n  all cores\n"
		    "tacho cores --map app.tacho\n  which cores work, as a picture of the grid\n"
		    "tacho cores --busiest -n 'Device 1*' app.tacho\n  those of one device\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
