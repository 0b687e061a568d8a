/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a push: ops and zone statistics of traces and reports, and their names. */
#include "base/text.h"
#include "db/private.h"
#include "fleet/fleet.h"
#include "op/csv.h"
#include "op/load.h"
#include "op/trace_cores.h"
#include "tracy/tracy.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE (64u << 10) /* longer texts are cut */

int db_content_text(struct db_content *c, const char *text, size_t len, uint64_t *id)
{
	struct db_text_entry entry;
	const uint32_t *known;

	len = len < TEXT_SIZE ? len : TEXT_SIZE;
	len = strnlen(text ? text : "", len); /* engines end texts at a NUL */
	*id = db_text_id(text ? text : "", len);
	known = map_get(&c->ids, *id);
	if (known)
		return 0;
	entry = (struct db_text_entry){arena_add(&c->arena, text ? text : "", len), len, *id};
	if (!entry.text || map_set(&c->ids, *id, (uint32_t)c->texts.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&c->texts, entry);
}

/* -------------------------------------------------------------- signatures */

/* Attributes without addresses, which differ from run to run. */
static uint64_t attributes_hash(const struct op_text *text, struct buf *scratch)
{
	buf_reset(scratch);
	for (size_t i = 0; i < text->len; i++) {
		if (text->text[i] == '0' && i + 1 < text->len && text->text[i + 1] == 'x')
			for (i += 2; i < text->len && isxdigit((unsigned char)text->text[i]);)
				i++;
		if (i < text->len)
			buf_addc(scratch, text->text[i]);
	}
	return db_text_id(scratch->data, scratch->len);
}

static void tensor_describe(const struct op_tensor *t, struct buf *out)
{
	bool any = false;

	for (int i = 0; i < OP_DIMS; i++) {
		int64_t size = t->logical[i] == OP_NONE ? t->padded[i] : t->logical[i];

		if (size == OP_NONE || (size == 1 && !any && i < OP_DIMS - 2))
			continue; /* leading ones */
		buf_addf(out, "%s%lld", any ? "x" : "", (long long)size);
		any = true;
	}
	for (const struct op_text *text = &t->cells[OP_DIMS]; text < t->cells + OP_TENSOR_CELLS;
	     text++)
		if (text->text)
			buf_addf(out, " %.*s", (int)text->len, text->text);
}

/* "32x4096 TILE BFLOAT16 DRAM, 4096x4096 ... -> ..., HiFi2, attributes 1a2b". */
static void op_describe(const struct op_table *t, const struct op *op, struct buf *out)
{
	const struct op_program *p = op_program_of(t, op);
	struct buf scratch = BUF_INIT;
	const struct op_tensor *tensor;

	buf_reset(out);
	for (uint32_t i = 0; (tensor = op_input(t, op, i)); i++) {
		buf_adds(out, i ? ", " : "");
		tensor_describe(tensor, out);
	}
	for (uint32_t i = 0; (tensor = op_output(t, op, i)); i++) {
		buf_adds(out, i ? ", " : " -> ");
		tensor_describe(tensor, out);
	}
	if (p && p->fidelity.text && p->fidelity.len)
		buf_addf(out, "%s%.*s", out->len ? ", " : "", (int)p->fidelity.len,
			 p->fidelity.text);
	if (p && p->attributes.text && p->attributes.len)
		buf_addf(out, "%sattributes %08x", out->len ? ", " : "",
			 (unsigned)attributes_hash(&p->attributes, &scratch));
	buf_free(&scratch);
}

/* -------------------------------------------------------------------- ops */

static uint64_t op_whole_ns(double ns)
{
	return ns > 0 && ns < 1e18 ? (uint64_t)llround(ns) : 0;
}

static uint16_t op_narrow(int64_t n)
{
	return n >= 0 && n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

/* Name and signature by program: a table repeats few programs. */
struct program_ids {
	uint64_t name, sig;
	bool known;
};

static int op_ids(struct db_content *c, const struct op_table *t, const struct op *op,
		  struct program_ids *ids, struct buf *scratch)
{
	const struct op_program *p = op_program_of(t, op);
	int r;

	if (ids->known)
		return 0;
	r = db_content_text(c, p ? p->code.text : NULL, p ? p->code.len : 0, &ids->name);
	op_describe(t, op, scratch);
	if (r == 0)
		r = scratch->failed ? TACHO_ENOMEM
				    : db_content_text(c, scratch->data, scratch->len, &ids->sig);
	ids->known = r == 0;
	return r;
}

static int op_row_add(struct db_content *c, const struct op *op, const struct program_ids *ids,
		      uint32_t seq, int64_t rank)
{
	struct db_op_row row = {
		.name = ids->name,
		.sig = ids->sig,
		.start = op->host_start == OP_NONE ? 0 : op->host_start,
		.gap = (int64_t)op_whole_ns(op->latency),
		.device_ns = op_whole_ns(isnan(op->kernel) ? op->fw : op->kernel),
		.host_ns = op->host_duration == OP_NONE ? 0 : (uint64_t)op->host_duration,
		.seq = seq,
		.trace = op->trace == OP_NONE ? 0 : (uint32_t)op->trace,
		.replay = op->session == OP_NONE ? 0 : (uint32_t)op->session,
		.rank = op_narrow(rank),
		.device = op_narrow(op->device),
		.cores = op->core_count == OP_NONE ? 0 : op_narrow(op->core_count),
		.sub_device = op->sub_device == OP_NONE ? 0 : op_narrow(op->sub_device),
	};

	return vec_push(&c->ops, row);
}

static int table_add(struct db_content *c, const struct op_table *t, int64_t rank)
{
	struct program_ids *ids = calloc(t->programs.n + 1, sizeof(*ids));
	struct buf scratch = BUF_INIT;
	int r = ids ? 0 : TACHO_ENOMEM;
	uint32_t seq = 0;

	for (size_t i = c->ops.n; i-- > 0 && c->ops.v[i].rank == op_narrow(rank);)
		seq++; /* a rank's further processes */
	for (size_t i = 0; i < t->ops.n && r == 0; i++) {
		const struct op *op = &t->ops.v[i];
		struct program_ids *of =
			&ids[op->program == OP_NO_PROGRAM ? t->programs.n : op->program];

		if (op->kind != OP_ON_DEVICE || (isnan(op->kernel) && isnan(op->fw)))
			continue;
		if (!c->arch[0] && op->arch.text)
			snprintf(c->arch, sizeof(c->arch), "%.*s", (int)op->arch.len,
				 op->arch.text);
		r = op_ids(c, t, op, of, &scratch);
		if (r == 0)
			r = op_row_add(c, op, of, seq++, rank);
	}
	buf_free(&scratch);
	free(ids);
	return r;
}

static int trace_ops(struct db_content *c, struct trace *trace, int64_t rank,
		     struct tacho_error *err)
{
	const struct op_load_options options = {0};
	uint8_t *tracks = malloc(trace->track_count + 1);
	uint32_t process = op_device_process(trace, NULL, TRACE_NONE);
	bool any = process != TRACE_NONE;
	int r = tracks ? 0 : TACHO_ENOMEM;

	do {
		struct op_loaded loaded = {0};

		if (r == 0 && any)
			op_process_tracks(trace, NULL, process, tracks);
		if (r == 0)
			r = op_load_trace(&loaded, trace, any ? tracks : NULL, NULL, &options, err);
		if (r == 0)
			r = table_add(c, &loaded.host.table, rank);
		r = r == TACHO_ENO ? 0 : r;
		op_loaded_free(&loaded);
		if (any)
			process = op_device_process(trace, NULL, process);
	} while (r == 0 && any && process != TRACE_NONE);
	free(tracks);
	return r;
}

/* ------------------------------------------------------------------ zones */

static uint64_t ticks_ns(const struct trace *trace, uint64_t ticks)
{
	return op_whole_ns(trace_duration_ns(trace, trace->start, trace->start + ticks));
}

static int zone_row_add(struct db_content *c, const struct trace *trace,
			const struct trace_stat *stat, uint32_t process, int64_t rank)
{
	const struct trace_srcloc *loc = &trace->srclocs[stat->srcloc];
	const char *name = trace_srcloc_name(trace, stat->srcloc);
	/* Folders differ from machine to machine. */
	const char *file = loc->file ? strrchr(loc->file, '/') : NULL;
	struct db_zone_row row = {
		.n = stat->count,
		.total = ticks_ns(trace, stat->total),
		.self = ticks_ns(trace, stat->self),
		.min = ticks_ns(trace, stat->min),
		.median = ticks_ns(trace, stat->median),
		.p99 = ticks_ns(trace, stat->p99),
		.max = ticks_ns(trace, stat->max),
		.line = loc->line,
		.process = process,
		.rank = op_narrow(rank),
	};
	int r = db_content_text(c, name, strlen(name), &row.name);

	file = file ? file + 1 : loc->file ? loc->file : "";
	if (r == 0)
		r = db_content_text(c, file, strlen(file), &row.file);
	return r < 0 ? r : vec_push(&c->zones, row);
}

/* Of the threads of each process. */
static int trace_zones(struct db_content *c, struct trace *trace, int64_t rank,
		       struct tacho_error *err)
{
	uint8_t *tracks = malloc(trace->track_count + 1);
	int r = tracks ? 0 : TACHO_ENOMEM;

	for (uint32_t process = 0; process < trace->process_count && r == 0; process++) {
		const struct trace_filter filter = {.t1 = UINT64_MAX, .tracks = tracks};
		struct trace_stat *stats = NULL;
		size_t count = 0;

		for (uint32_t i = 0; i < trace->track_count; i++)
			tracks[i] = trace->tracks[i].process == process &&
				    trace->tracks[i].kind == TRACE_THREAD;
		r = trace_stats(trace, &filter, &stats, &count, err);
		for (size_t i = 0; i < count && r == 0; i++)
			if (stats[i].count)
				r = zone_row_add(c, trace, &stats[i], process, rank);
		free(stats);
	}
	free(tracks);
	return r;
}

/* ----------------------------------------------------------------- inputs */

static void content_damage(struct db_content *c, const char *path, const char *text)
{
	if (!c->damage[0])
		snprintf(c->damage, sizeof(c->damage), "%.90s: %.100s", path, text);
}

static int source_report(struct db_content *c, const char *path, int64_t rank,
			 struct tacho_error *err)
{
	struct op_table table = OP_TABLE_INIT;
	int r = op_table_read_csv(&table, path, false, NULL, NULL, err);

	if (r == TACHO_EDAMAGED) {
		content_damage(c, path, "the file ends inside a cell");
		r = 0;
	}
	if (r == 0)
		r = table_add(c, &table, rank);
	op_table_free(&table);
	return r;
}

static int source_recording(struct db_content *c, const char *path, int64_t rank,
			    const struct db_push *push, struct tacho_error *err)
{
	struct trace *trace;
	const char *host, *own;
	int64_t started;
	int r = tracy_open_any(&trace, path, NULL, err);

	if (r < 0)
		return r;
	own = trace_property(trace, "rank");
	rank = own ? strtoll(own, NULL, 10) : rank;
	host = trace_property(trace, "host");
	if (host && !c->host[0])
		snprintf(c->host, sizeof(c->host), "%s", host);
	started = trace_realtime_ns(trace, trace->start);
	if (started > 0 && (!c->started_at || started < c->started_at))
		c->started_at = started;
	if (trace->damage.text[0])
		content_damage(c, path, trace->damage.text);
	if (!push->no_ops)
		r = trace_ops(c, trace, rank, err);
	if (r == 0 && push->zones)
		r = trace_zones(c, trace, rank, err);
	trace_close(trace);
	return r;
}

int db_content_read(struct db_content *c, const struct db_push *push, struct tacho_error *err)
{
	int r = 0;

	err->text[0] = 0;
	for (size_t i = 0; i < push->path_count && r == 0; i++) {
		const char *path = push->paths[i];
		int64_t rank = fleet_path_rank(path);

		if (rank < 0)
			rank = push->part == DB_ALL_PARTS ? (int64_t)i : (int64_t)push->part;
		if (text_ends_with(path, ".csv"))
			r = push->no_ops ? 0 : source_report(c, path, rank, err);
		else
			r = source_recording(c, path, rank, push, err);
		if (r < 0 && !err->text[0])
			err_set(err, r, "cannot read %s: %s", path, err_text(r));
	}
	c->ranks = (uint32_t)push->path_count;
	return r;
}

void db_content_free(struct db_content *c)
{
	vec_free(&c->ops);
	vec_free(&c->zones);
	vec_free(&c->texts);
	map_free(&c->ids);
	arena_free(&c->arena);
}
