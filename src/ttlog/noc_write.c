/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the NoC transfers of a trace as the runtime does: one file for each execution. */
#include "ttlog/noc_write.h"

#include "base/output.h"
#include "ttlog/devnoc.h"
#include "ttlog/files.h"

#include <stdlib.h>
#include <string.h>

#define HELD  (1u << 18) /* events in memory at a time */
#define FLUSH (256u << 10)

struct noc_files {
	struct op_cores *cores;
	struct op_noc_runs *runs;
	struct op_marker *held;
	uint32_t from, to; /* runs */
};

static int put_run(const struct noc_files *n, const struct op_noc_run *r,
		   const struct op_marker *entries, const struct devnoc_run *run, FILE *out)
{
	struct buf text = BUF_INIT;
	struct json j;
	int rc = 0;

	json_init(&j, &text);
	j.indent = 2;
	json_array(&j, NULL);
	for (uint64_t i = 0; i < r->entries && rc == 0; i++) {
		const struct op_risc *risc = &n->cores->riscs.v[entries[i].risc];
		struct devnoc_entry e = {.risc = risc->name,
					 .x = risc->x,
					 .y = risc->y,
					 .cycles = entries[i].cycle,
					 .type = n->cores->trace->srclocs[entries[i].zone].name,
					 .phase = entries[i].kind == TRACE_MARK_START ? "ZONE_START"
						  : entries[i].kind == TRACE_MARK_END ? "ZONE_END"
										      : NULL,
					 .word = entries[i].value,
					 .addresses = entries[i].value2};

		devnoc_entry(&j, run, &e);
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

static int write_run(const struct noc_files *n, uint32_t run, const struct op_host *host,
		     const char *folder, struct tacho_error *err)
{
	const struct op_noc_run *r = &n->runs->v[run];
	struct devnoc_run execution = {.device = (unsigned)r->sums.device, .id = r->sums.id};
	struct buf file = BUF_INIT;
	struct output out;
	int rc;
	const struct op_host_op *op = op_host_find(host, r->sums.id);
	const struct op_text *code =
		op && op->program ? &host->table.programs.v[op->program - 1].code : NULL;

	execution.name_len = code && code->text ? code->len : 0;
	execution.name = execution.name_len ? code->text : "";
	if (r->sums.session != OP_NONE) {
		execution.trace = (uint64_t)r->sums.trace;
		execution.session = (uint64_t)r->sums.session;
	}
	devnoc_file_name(&file, &execution);
	rc = file.failed ? err_set(err, TACHO_ENOMEM, "out of memory")
			 : ttlog_create(&out, folder, file.data, false, err);
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

static int entry_hold(void *context, const struct op_marker *m)
{
	struct noc_files *n = context;
	int64_t run;

	run = op_noc_runs_find(n->runs, m, n->cores->devices.v[m->device].number,
			       n->cores->trace->srclocs[m->zone].name, false);
	if (run < n->from || run >= n->to || !n->runs->v[run].sums.events)
		return 0;
	n->held[n->runs->v[run].at++] = *m;
	return 0;
}

/* Selects runs, from n->from on, that fit into memory; returns the number of their entries. */
static uint64_t noc_write_choose(struct noc_files *n)
{
	uint64_t held = 0;

	for (n->to = n->from; n->to < n->runs->n; n->to++) {
		struct op_noc_run *r = &n->runs->v[n->to];
		uint64_t more = r->sums.events ? r->entries : 0;

		if (held && held + more > HELD)
			break;
		r->at = held;
		held += more;
	}
	return held;
}

int64_t ttlog_noc_write(struct op_noc_runs *runs, struct op_cores *cores,
			const struct op_host *host, const char *folder, struct tacho_error *err)
{
	struct noc_files files = {.cores = cores, .runs = runs}, *n = &files;
	int64_t count = 0;
	int r = 0;

	for (n->from = 0; n->from < n->runs->n && r == 0; n->from = n->to) {
		uint64_t held = noc_write_choose(n);

		if (!held)
			continue;
		n->held = malloc(held * sizeof(*n->held));
		r = n->held ? op_cores_walk(n->cores, entry_hold, n) : TACHO_ENOMEM;
		if (r < 0)
			err_set(err, r, "%s: %s", n->cores->trace->path, err_text(r));
		for (uint32_t i = n->from; i < n->to && r == 0; i++)
			if (n->runs->v[i].sums.events) {
				r = write_run(n, i, host, folder, err);
				count++;
			}
		free(n->held);
		n->held = NULL;
	}
	return r < 0 ? r : count;
}
