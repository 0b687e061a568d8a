#include "ops/noctrace.h"

#include "base/devnoc.h"
#include "base/map.h"
#include "base/output.h"
#include "ops/figures.h"
#include "ops/files.h"
#include "ops/info.h"

#include <stdlib.h>
#include <string.h>

#define HELD  (1u << 18) /* events in memory at a time */
#define FLUSH (256u << 10)

struct run {
	struct ops_noc_op sums;
	uint64_t entries; /* of its file: events and zones */
	uint32_t core;    /* + 1: the one that core_bytes is of */
	uint64_t core_bytes, most;
	uint64_t at; /* while writing: where its entries are */
};

struct ops_noctrace {
	struct ops_cores *cores;
	struct {
		VEC(struct run);
	} runs;
	struct map by_key;
	/* While writing: */
	struct ops_marker *held;
	uint32_t from, to; /* runs */
};

int ops_noctrace_open(struct ops_noctrace **n, struct ops_cores *cores)
{
	*n = calloc(1, sizeof(**n));
	if (!*n)
		return TACHO_ENOMEM;
	(*n)->cores = cores;
	return 0;
}

void ops_noctrace_close(struct ops_noctrace *n)
{
	if (!n)
		return;
	vec_free(&n->runs);
	map_free(&n->by_key);
	free(n->held);
	free(n);
}

/* The run of a marker; it is added if NEW. OPS_NONE: there is none. */
static int64_t find_run(struct ops_noctrace *n, const struct ops_marker *m, bool new)
{
	int64_t device = n->cores->devices.v[n->cores->riscs.v[m->risc].device].number;
	struct run run = {.sums = {.device = device,
				   .id = m->id,
				   .trace = m->session > 0 ? m->trace : OPS_NONE,
				   .session = m->session > 0 ? m->session : OPS_NONE}};
	uint64_t key = ops_mix(ops_mix(ops_mix((uint64_t)device, m->id), (uint64_t)run.sums.trace),
			       (uint64_t)run.sums.session);
	uint32_t *at;

	for (; (at = map_get(&n->by_key, key)); key++) {
		const struct ops_noc_op *o = &n->runs.v[*at].sums;

		if (o->device == device && o->id == m->id && o->trace == run.sums.trace &&
		    o->session == run.sums.session)
			return *at;
	}
	if (!new)
		return OPS_NONE;
	if (map_set(&n->by_key, key, (uint32_t)n->runs.n) < 0 || vec_push(&n->runs, run) < 0)
		return TACHO_ENOMEM;
	return (int64_t)n->runs.n - 1;
}

static bool is_zone(const struct ops_noctrace *n, const struct ops_marker *m)
{
	return m->kind <= OPS_MARK_END && devnoc_is_zone(n->cores->riscs.v[m->risc].name,
							 n->cores->trace->srclocs[m->srcloc].name);
}

static void end_core(struct run *r)
{
	if (!r->core)
		return;
	r->most = r->core_bytes > r->most ? r->core_bytes : r->most;
	r->core = 0;
	r->core_bytes = 0;
}

int ops_noctrace_marker(struct ops_noctrace *n, const struct ops_marker *m)
{
	uint32_t core = n->cores->riscs.v[m->risc].core;
	const char *type;
	struct devnoc_word word;
	struct run *run;
	int64_t at;

	if (m->kind != OPS_MARK_NOC && !is_zone(n, m))
		return 0;
	at = find_run(n, m, true);
	if (at < 0)
		return (int)at;
	run = &n->runs.v[at];
	run->entries++;
	if (m->kind != OPS_MARK_NOC)
		return 0;
	if (run->core != core + 1) {
		end_core(run);
		run->core = core + 1;
		run->sums.cores++;
	}
	type = n->cores->trace->srclocs[m->srcloc].name;
	word = devnoc_word(m->data);
	run->core_bytes += word.bytes;
	run->sums.bytes += word.bytes;
	run->sums.events++;
	if (devnoc_is_multicast(type))
		run->sums.multicast_bytes += word.bytes;
	return 0;
}

int ops_noctrace_sums(struct ops_noctrace *n, struct ops_noc *noc)
{
	for (size_t i = 0; i < n->runs.n; i++) {
		struct run *r = &n->runs.v[i];

		if (!r->sums.events)
			continue;
		end_core(r);
		r->sums.max_share =
			r->sums.bytes ? 100.0 * (double)r->most / (double)r->sums.bytes : 0;
		if (vec_push(noc, r->sums) < 0)
			return TACHO_ENOMEM;
		noc->files++;
	}
	ops_noc_sort(noc);
	return 0;
}

/* --- files --- */

static const char *op_name(const struct ops_host *host, uint64_t id, size_t *len)
{
	const struct ops_host_op *op = ops_host_find(host, id);
	const char *name =
		op && op->info ? ops_info_find(&host->infos.v[op->info - 1], OPS_COL_OP_CODE, len)
			       : NULL;

	if (!name)
		*len = 0;
	return name ? name : "";
}

static void put_event(struct json *j, const struct ops_noctrace *n, const struct ops_marker *m,
		      const struct devnoc_run *run)
{
	const struct ops_risc *risc = &n->cores->riscs.v[m->risc];
	struct devnoc_entry e = {.risc = risc->name,
				 .x = risc->x,
				 .y = risc->y,
				 .cycles = m->cycles,
				 .type = n->cores->trace->srclocs[m->srcloc].name,
				 .phase = m->kind == OPS_MARK_START ? "ZONE_START"
					  : m->kind == OPS_MARK_END ? "ZONE_END"
								    : NULL,
				 .word = m->data,
				 .addresses = m->ref};

	devnoc_entry(j, run, &e);
}

static int put_run(const struct ops_noctrace *n, const struct run *r,
		   const struct ops_marker *entries, const struct devnoc_run *run, FILE *out)
{
	struct buf text = BUF_INIT;
	struct json j;
	int rc = 0;

	json_init(&j, &text);
	j.indent = 2;
	json_array(&j, NULL);
	for (uint64_t i = 0; i < r->entries && rc == 0; i++) {
		put_event(&j, n, &entries[i], run);
		if (text.len < FLUSH)
			continue;
		rc = fwrite(text.data, 1, text.len, out) < text.len ? TACHO_EWRITE : 0;
		buf_reset(&text);
	}
	json_end(&j);
	buf_addc(&text, '\n');
	if (rc == 0 && (text.failed || fwrite(text.data, 1, text.len, out) < text.len))
		rc = text.failed ? TACHO_ENOMEM : TACHO_EWRITE;
	buf_free(&text);
	return rc;
}

static int write_run(const struct ops_noctrace *n, uint32_t run, const struct ops_host *host,
		     const char *folder, struct tacho_error *err)
{
	const struct run *r = &n->runs.v[run];
	struct devnoc_run execution = {.device = (unsigned)r->sums.device, .id = r->sums.id};
	struct buf file = BUF_INIT;
	struct output out;
	int rc;

	execution.name = op_name(host, r->sums.id, &execution.name_len);
	if (r->sums.session != OPS_NONE) {
		execution.trace = (uint64_t)r->sums.trace;
		execution.session = (uint64_t)r->sums.session;
	}
	devnoc_file_name(&file, &execution);
	rc = file.failed ? err_set(err, TACHO_ENOMEM, "out of memory")
			 : ops_create(&out, folder, file.data, false, err);
	if (rc == 0) {
		rc = put_run(n, r, n->held + (r->at - r->entries), &execution, out.file);
		if (rc == 0) {
			rc = output_close(&out, err);
		} else {
			output_abandon(&out);
			err_set(err, rc, "cannot write %s", file.data);
		}
	}
	buf_free(&file);
	return rc;
}

static int hold(void *context, const struct ops_marker *m)
{
	struct ops_noctrace *n = context;
	int64_t run;

	if (m->kind != OPS_MARK_NOC && !is_zone(n, m))
		return 0;
	run = find_run(n, m, false);
	if (run < n->from || run >= n->to || !n->runs.v[run].sums.events)
		return 0;
	n->held[n->runs.v[run].at++] = *m;
	return 0;
}

/* As many runs, from n->from on, as may be held; how many entries they have. */
static uint64_t choose(struct ops_noctrace *n)
{
	uint64_t held = 0;

	for (n->to = n->from; n->to < n->runs.n; n->to++) {
		struct run *r = &n->runs.v[n->to];
		uint64_t more = r->sums.events ? r->entries : 0;

		if (held && held + more > HELD)
			break;
		r->at = held;
		held += more;
	}
	return held;
}

int64_t ops_noctrace_write(struct ops_noctrace *n, const struct ops_host *host, const char *folder,
			   struct tacho_error *err)
{
	int64_t files = 0;
	int r = 0;

	for (n->from = 0; n->from < n->runs.n && r == 0; n->from = n->to) {
		uint64_t held = choose(n);

		if (!held)
			continue;
		n->held = malloc(held * sizeof(*n->held));
		r = n->held ? ops_cores_walk(n->cores, hold, n) : TACHO_ENOMEM;
		if (r < 0)
			err_set(err, r, "%s: %s", n->cores->trace->path, err_text(r));
		for (uint32_t i = n->from; i < n->to && r == 0; i++)
			if (n->runs.v[i].sums.events) {
				r = write_run(n, i, host, folder, err);
				files++;
			}
		free(n->held);
		n->held = NULL;
	}
	return r < 0 ? r : files;
}
