/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs2trace [-t|-z] DIR FILE makes a trace with the contents of DIR/.logs: the host's messages and
 * zones, every marker of the device log as a row and as a zone of a core, the device's clock and
 * description. So what is said of the logs can be asked of the trace. With -z there are only the
 * zones, as in traces of earlier versions.
 *
 * Three ticks are a nanosecond, and a cycle of the device too, whatever its frequency, so
 * that cycles come back exactly. With -t the cores are as a Tracy client reports them: named in
 * its way, op ids only with the firmware of BRISC, no clock, no description.
 */
#include "base/csv.h"
#include "base/vec.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T0  UINT64_C(1000000000000) /* the tick of nanosecond 0 */
#define PID 4242

static struct trace_writer *w;
static uint32_t process;
static uint64_t last_tick = T0;
static bool as_tracy, zones_only;

static int64_t result_check(int64_t r, const char *what)
{
	if (r < 0) {
		fprintf(stderr, "logs2trace: %s: %s\n", what, err_text((int)r));
		exit(1);
	}
	return r;
}

static uint64_t tick_ns(uint64_t ns)
{
	uint64_t t = T0 + ns * 3;

	last_tick = t > last_tick ? t : last_tick;
	return t;
}

/* --- the host --- */

static char *file_slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;

	*len = 0;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	text = malloc(*len + 1);
	if (!text || fread(text, 1, *len, f) < *len)
		exit(1);
	text[*len] = 0;
	fclose(f);
	return text;
}

/* A record ends after "`;NUMBER\n", or at the line's end when it does not begin with a quote. */
static void messages_write(const char *path)
{
	struct trace_track t = {
		.process = process, .kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = ""};
	size_t len;
	char *text = file_slurp(path, &len), *p = text ? strchr(text, '\n') : NULL;
	uint32_t track;

	if (!p)
		return;
	track = (uint32_t)result_check(trace_add_track(w, &t), "track");
	for (p++; *p;) {
		char *quote = *p == '`' ? strstr(p + 1, "`;") : NULL;
		char *end = strchr(quote ? quote : p, '\n'), *semicolon;
		struct trace_row row = {.kind = TRACE_ROW_MESSAGE,
					.thread = TRACE_NONE,
					.a = TRACE_SEVERITY_INFO,
					.text = p};

		end = end ? end : p + strlen(p);
		semicolon = memrchr(p, ';', (size_t)(end - p));
		if (semicolon) {
			row.text_len = (uint32_t)(semicolon - p);
			row.time = tick_ns(strtoull(semicolon + 1, NULL, 10));
			result_check(trace_add_row(w, track, &row), "message");
		}
		p = *end ? end + 1 : end;
	}
	free(text);
}

struct host_thread {
	uint32_t track;
	uint64_t ends[64];
	uint32_t depth;
	int64_t number;
};

static char *cell_text(struct csv_cell c)
{
	return strndup(c.text, c.len);
}

static uint32_t srcloc_add(const char *name, const char *function, const char *file, uint32_t line)
{
	struct trace_srcloc s = {.name = name, .function = function, .file = file, .line = line};

	return (uint32_t)result_check(trace_add_srcloc(w, &s), "source location");
}

static void host_zone(struct host_thread *t, const struct csv_row *row)
{
	char *name = cell_text(row->cells[0]), *file = cell_text(row->cells[1]);
	char *line = cell_text(row->cells[2]);
	struct trace_extra text = {.kind = TRACE_EXTRA_TEXT,
				   .text = row->cells[4].text,
				   .len = (uint32_t)row->cells[4].len};
	int64_t start = 0, length = 0;

	csv_integer(row->cells[5], &start);
	csv_integer(row->cells[6], &length);
	while (t->depth && t->ends[t->depth - 1] <= (uint64_t)start)
		t->depth--;
	result_check(trace_lane_add_full(w, trace_lane(w, t->track, t->depth),
					 tick_ns((uint64_t)start),
					 tick_ns((uint64_t)(start + length)),
					 srcloc_add(name, "", file, (uint32_t)atoi(line)), 0, 0,
					 &text, text.len != 0),
		     "zone");
	if (t->depth < 63)
		t->ends[t->depth++] = (uint64_t)(start + length);
	free(name);
	free(file);
	free(line);
}

static void zones_write(const char *path)
{
	static struct host_thread threads[64];
	struct tacho_error err;
	struct csv_row row;
	struct csv *csv;
	int count = 0;

	if (csv_open(&csv, path, &err) < 0)
		return;
	csv_next(csv, &row, &err);
	while (csv_next(csv, &row, &err) > 0) {
		struct host_thread *t = threads;
		int64_t number = 1;

		if (row.n < 8)
			continue;
		csv_integer(row.cells[7], &number);
		while (t < threads + count && t->number != number)
			t++;
		if (t == threads + count && count < 64) {
			struct trace_track track = {.process = process,
						    .kind = TRACE_THREAD,
						    .srcloc = TRACE_NONE,
						    .name = "",
						    .id = (uint64_t)number,
						    .flags = (uint32_t)number};

			t->number = number;
			t->track = (uint32_t)result_check(trace_add_track(w, &track), "thread");
			count++;
		}
		host_zone(t, &row);
	}
	csv_close(csv);
}

/* --- the device --- */

struct open_zone {
	uint64_t start;
	uint32_t srcloc;
	struct trace_extra extras[3];
	size_t extra_count;
	char *meta;
};

struct core {
	char key[64]; /* "0,1,1,BRISC" */
	uint32_t track;
	struct open_zone open[64];
	uint32_t depth;
	uint32_t kinds; /* of its marker rows */
	uint64_t marker_time;
	struct trace_track info;
};

static struct {
	VEC(struct core);
} cores;
static uint64_t first_cycle[1024], last_cycle[1024];
static bool seen[1024];
static char arch[64] = "wormhole_b0";
static unsigned mhz = 1000;
static int max_cores = 64;

static uint64_t tick_cycle(uint64_t device, uint64_t cycles)
{
	uint64_t ticks;

	if (!seen[device])
		first_cycle[device] = last_cycle[device] = cycles;
	seen[device] = true;
	ticks = T0 + cycles * 3;
	last_cycle[device] = cycles > last_cycle[device] ? cycles : last_cycle[device];
	first_cycle[device] = cycles < first_cycle[device] ? cycles : first_cycle[device];
	last_tick = ticks > last_tick ? ticks : last_tick;
	return ticks;
}

static unsigned risc_order(const char *risc)
{
	static const char *const names[] = {"BRISC",   "NCRISC", "TRISC_0",        "TRISC_1",
					    "TRISC_2", "ERISC",  "TENSIX_RISC_AGG"};

	for (unsigned i = 0; i < 7; i++)
		if (!strcmp(names[i], risc))
			return i;
	return 100;
}

static struct core *find_core(char **f)
{
	struct trace_track t = {.process = process, .kind = TRACE_CORE, .srcloc = TRACE_NONE};
	struct core c = {.depth = 0};
	char name[128];

	snprintf(c.key, sizeof(c.key), "%s,%s,%s,%s", f[0], f[1], f[2], f[3]);
	for (size_t i = cores.n; i-- > 0;)
		if (!strcmp(cores.v[i].key, c.key))
			return &cores.v[i];
	t.id = TRACE_CORE_ID(strtoul(f[0], NULL, 10), strtoul(f[1], NULL, 10),
			     strtoul(f[2], NULL, 10), risc_order(f[3]));
	if (as_tracy)
		snprintf(name, sizeof(name), "Device: %s, Logical (0,0) Physical (%s,%s)/%s", f[0],
			 f[1], f[2], f[3]);
	else
		snprintf(name, sizeof(name), "Device %s, core %s,%s/%s", f[0], f[1], f[2],
			 !strcmp(f[3], "TRISC_0") ? "TRISC0" : f[3]);
	t.name = name;
	c.track = (uint32_t)result_check(trace_add_track(w, &t), "core");
	c.info = t;
	c.info.name = strdup(name);
	result_check(vec_push(&cores, c), "core");
	return &cores.v[cores.n - 1];
}

static void extra_add(struct open_zone *z, uint32_t kind, uint64_t value, char *text)
{
	z->extras[z->extra_count++] =
		(struct trace_extra){.kind = kind,
				     .value = value,
				     .text = text,
				     .len = text ? (uint32_t)strlen(text) : 0};
}

static void end_zone(struct core *c, uint64_t end, uint32_t flags)
{
	struct open_zone *z = &c->open[--c->depth];

	result_check(trace_lane_add_full(w, trace_lane(w, c->track, c->depth), z->start, end,
					 z->srcloc, 0, flags, z->extras, z->extra_count),
		     "zone");
	free(z->meta);
}

static void marker_add(struct core *c, uint32_t kind, const struct open_zone *z, uint64_t cycle,
		       const char *meta)
{
	struct trace_row row = {.time = c->marker_time,
				.kind = TRACE_ROW_MARKER,
				.thread = TRACE_NONE,
				.a = cycle,
				.text = meta,
				.text_len = (uint32_t)strlen(meta)};
	uint64_t values[2] = {0};
	uint32_t n = 0;

	if (as_tracy || zones_only)
		return;
	if (T0 + cycle * 3 - c->marker_time >= TRACE_MARKER_SPAN)
		row.time = c->marker_time = T0 + cycle * 3;
	for (size_t i = 0; i < z->extra_count && kind != TRACE_MARK_END; i++)
		if (z->extras[i].kind == TRACE_EXTRA_VALUE)
			values[n++] = z->extras[i].value;
	if (kind == TRACE_MARK_START && z == c->open && !n)
		n = 1;
	row.b = TRACE_MARKER(kind, n, z->srcloc);
	row.c = values[0];
	result_check(trace_add_row(w, c->track, &row), "marker");
	row = (struct trace_row){.time = row.time,
				 .kind = TRACE_ROW_MARKER_WORD,
				 .thread = TRACE_NONE,
				 .a = values[1]};
	if (n > 1)
		result_check(trace_add_row(w, c->track, &row), "marker");
	if (c->kinds & 1u << kind)
		return;
	c->info.format = c->kinds |= 1u << kind;
	result_check(trace_update_track(w, c->track, &c->info), "core");
}

static uint32_t marker_kind(const char *type)
{
	return !strcmp(type, "ZONE_TOTAL") ? TRACE_MARK_TOTAL
	       : !strcmp(type, "TS_EVENT") ? TRACE_MARK_EVENT
	       : !strcmp(type, "TS_DATA")  ? TRACE_MARK_DATA
					   : TRACE_MARK_START;
}

/* {"counter type":"X";"ref cnt":1;"value":2} */
static void counter_write(struct open_zone *z, const char *meta)
{
	char name[64] = "";
	unsigned long long ref = 0, value = 0;

	sscanf(meta, "{\"counter type\":\"%63[^\"]\";\"ref cnt\":%llu;\"value\":%llu", name, &ref,
	       &value);
	z->srcloc = srcloc_add(name, "COUNTER", "", 0);
	extra_add(z, TRACE_EXTRA_VALUE, value, NULL);
	extra_add(z, TRACE_EXTRA_VALUE, ref, NULL);
}

static void begin_zone(struct core *c, char **f, uint64_t tick)
{
	uint32_t kind = strcmp(f[4], "9090") ? marker_kind(f[11]) : TRACE_MARK_COUNTER;
	struct open_zone z = {.start = tick};
	uint64_t id = strtoull(f[7], NULL, 10);
	const char *function = !strcmp(f[11], "ZONE_START") ? "" : f[11];
	char told[40];

	if (as_tracy && *function)
		return;
	snprintf(told, sizeof(told), "OP ID:%" PRIu64, id);
	if (!strcmp(f[4], "9090"))
		counter_write(&z, f[14]);
	else
		z.srcloc =
			srcloc_add(f[10], as_tracy && !strcmp(f[10], "BRISC-FW") ? told : function,
				   f[13], (uint32_t)strtoul(f[12], NULL, 10));
	if (*function && strcmp(f[4], "9090"))
		extra_add(&z, TRACE_EXTRA_VALUE, strtoull(f[6], NULL, 10), NULL);
	else if (!as_tracy && !*function && !c->depth && id) {
		extra_add(&z, TRACE_EXTRA_VALUE, id, NULL);
		if (*f[9])
			extra_add(&z, TRACE_EXTRA_VALUE,
				  strtoull(f[8], NULL, 10) << 32 | strtoull(f[9], NULL, 10), NULL);
	}
	if (*f[14] && strcmp(f[4], "9090"))
		extra_add(&z, TRACE_EXTRA_TEXT, 0, z.meta = strdup(f[14]));
	if (c->depth < 64)
		c->open[c->depth++] = z;
	marker_add(c, kind, &c->open[c->depth - 1], strtoull(f[5], NULL, 10),
		   kind == TRACE_MARK_COUNTER ? "" : f[14]);
	if (*function)
		end_zone(c, tick, 0);
}

static void device_row(char *line)
{
	char *f[15] = {0}, *p = line;
	struct core *c;
	uint64_t tick;

	line[strcspn(line, "\r\n")] = 0;
	for (int i = 0; i < 15; i++) {
		f[i] = p ? p : "";
		p = p && i < 14 ? strchr(p, ',') : NULL;
		if (p)
			*p++ = 0;
	}
	if (!*f[11])
		return;
	c = find_core(f);
	tick = tick_cycle(strtoul(f[0], NULL, 10) & 1023, strtoull(f[5], NULL, 10));
	if (strcmp(f[11], "ZONE_END"))
		begin_zone(c, f, tick);
	else if (c->depth) {
		marker_add(c, TRACE_MARK_END, &c->open[c->depth - 1], strtoull(f[5], NULL, 10),
			   f[14]);
		end_zone(c, tick, 0);
	}
}

static void clock_of(unsigned device)
{
	struct trace_row row = {
		.kind = TRACE_ROW_DEVICE_CLOCK, .thread = TRACE_NONE, .b = 100, .c = mhz};
	struct trace_track t = {
		.process = process, .kind = TRACE_OTHER, .srcloc = TRACE_NONE, .id = device};
	char name[64], json[256];
	uint32_t track;

	snprintf(name, sizeof(name), "Device %u clock", device);
	t.name = name;
	track = (uint32_t)result_check(trace_add_track(w, &t), "clock");
	row.time = tick_cycle(device, row.a = first_cycle[device]);
	result_check(trace_add_row(w, track, &row), "clock");
	row.time = tick_cycle(device, row.a = last_cycle[device] + 1);
	result_check(trace_add_row(w, track, &row), "clock");
	snprintf(name, sizeof(name), "device %u of %u", device, PID);
	snprintf(json, sizeof(json),
		 "{\"device\":%u,\"arch\":\"%s\",\"mhz\":%u,\"max_compute_cores\":%d}", device,
		 arch, mhz, max_cores);
	result_check(trace_set_property(w, name, json), "property");
}

static void device_write(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;

	if (!f)
		return;
	if (getline(&line, &cap, f) > 0)
		sscanf(line, "ARCH: %63[^,], CHIP_FREQ[MHz]: %u, Max Compute Cores: %d", arch, &mhz,
		       &max_cores);
	if (getline(&line, &cap, f) > 0)
		while (getline(&line, &cap, f) > 0)
			device_row(line);
	for (size_t i = 0; i < cores.n; i++)
		while (cores.v[i].depth)
			end_zone(&cores.v[i], last_tick, TRACE_ZONE_UNFINISHED);
	for (unsigned i = 0; i < 1024; i++)
		if (seen[i] && !as_tracy)
			clock_of(i);
	free(line);
	fclose(f);
}

int main(int argc, char **argv)
{
	struct trace_process p = {
		.pid = PID, .start = T0, .name = "logs", .command = "logs", .exit_status = 0};
	struct trace_writer_options options = {.force = true};
	struct tacho_error err = {0};
	char path[4096], origin[32];

	as_tracy = argc > 1 && !strcmp(argv[1], "-t");
	zones_only = argc > 1 && !strcmp(argv[1], "-z");
	argv += as_tracy || zones_only;
	if (argc - (as_tracy || zones_only) != 3) {
		fprintf(stderr, "usage: logs2trace [-t|-z] DIR FILE\n");
		return 2;
	}
	result_check(trace_writer_open(&w, argv[2], &options, &err), argv[2]);
	snprintf(origin, sizeof(origin), "%" PRIu64, T0);
	result_check(trace_set_property(w, TRACE_ORIGIN, origin), "origin");
	process = (uint32_t)result_check(trace_add_process(w, &p), "process");
	for (int64_t s = 0; s <= 100000; s += 100000)
		result_check(
			trace_add_clock_point(
				w, &(struct trace_clock_point){T0 + (uint64_t)s * 3000000000u,
							       s * 1000000000, s * 1000000000, 10}),
			"clock point");
	snprintf(path, sizeof(path), "%s/.logs/tracy_ops_data.csv", argv[1]);
	messages_write(path);
	snprintf(path, sizeof(path), "%s/.logs/tracy_ops_times.csv", argv[1]);
	zones_write(path);
	snprintf(path, sizeof(path), "%s/.logs/profile_log_device.csv", argv[1]);
	device_write(path);
	for (size_t i = 0; i < cores.n; i++)
		free((char *)cores.v[i].info.name);
	vec_free(&cores);
	result_check(trace_writer_close(w, &err), argv[2]);
	return 0;
}
