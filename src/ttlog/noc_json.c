/* SPDX-License-Identifier: Apache-2.0 */
/* Reads noc_trace_dev*.json. */
#include "ttlog/noc_json.h"

#include "base/buf.h"
#include "base/jread.h"
#include "base/limits.h"
#include "ttlog/files.h"
#include "ttlog/host_logs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

bool ttlog_noc_name(const char *name, struct op_noc_op *op)
{
	static const char prefix[] = "noc_trace_dev", suffix[] = ".json";
	size_t len = strlen(name);
	const char *id, *trace;
	char *end;
	uint64_t both;

	memset(op, 0, sizeof(*op));
	op->trace = op->session = OP_NONE;
	if (strncmp(name, prefix, sizeof(prefix) - 1) || len < sizeof(prefix) + sizeof(suffix) ||
	    strcmp(name + len - (sizeof(suffix) - 1), suffix))
		return false;
	op->device = strtoll(name + sizeof(prefix) - 1, &end, 10);
	id = strstr(end, "_ID");
	/* The op's own name may contain "_ID" too: use the last one. */
	for (const char *next = id; next; next = strstr(next + 1, "_ID"))
		id = next;
	if (end == name + sizeof(prefix) - 1 || !id)
		return false;
	op->id = strtoull(id + 3, &end, 10);
	if (end == id + 3)
		return false;
	trace = strstr(end, "_traceID");
	if (trace) {
		both = strtoull(trace + 8, NULL, 10);
		op->trace = (int64_t)(both >> 32);
		op->session = (int64_t)(both & UINT32_MAX);
	}
	return true;
}

/* Bytes by core. */
struct shares {
	VEC(uint64_t);
	struct map by_core;
};

static int noc_json_event_add(struct op_noc_op *op, const struct jread_value *event,
			      struct shares *shares)
{
	uint64_t bytes = 0;
	int64_t x = 0, y = 0;
	uint64_t key;
	uint32_t *at;

	if (jread_get(event, "zone") || !jread_get(event, "type"))
		return 0;
	jread_uint(jread_get(event, "num_bytes"), &bytes);
	jread_int(jread_get(event, "sx"), &x);
	jread_int(jread_get(event, "sy"), &y);
	op->events++;
	op->bytes += bytes;
	if (jread_get(event, "mcast_start_x"))
		op->multicast_bytes += bytes;
	key = (uint64_t)x << 32 | (uint32_t)y;
	at = map_get(&shares->by_core, key);
	if (at) {
		shares->v[*at] += bytes;
		return 0;
	}
	if (map_set(&shares->by_core, key, (uint32_t)shares->n) < 0)
		return TACHO_ENOMEM;
	return vec_push(shares, bytes);
}

/* The end of the object that starts at P, or NULL if it does not end. */
static const char *object_end(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
		} else if (*p == '{') {
			depth++;
		} else if (*p == '}' && --depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

/* Parses one event at a time: the file can be far larger than the limit of a parse tree. */
static int parse_events(struct op_noc_op *op, const char *text, size_t len, struct jread *json,
			struct shares *shares, struct tacho_error *err)
{
	const char *p = text, *end = text + len, *stop;
	int r = 0;

	while (p < end && strchr(" \t\r\n", *p))
		p++;
	if (p == end || *p != '[')
		return err_set(err, TACHO_EFORMAT, "no array of events");
	for (p++; r == 0; p = stop) {
		const struct jread_value *event;

		while (p < end && strchr(" \t\r\n,", *p))
			p++;
		if (p < end && *p == ']')
			return 0;
		stop = p < end && *p == '{' ? object_end(p, end) : NULL;
		if (!stop)
			return err_set(err, TACHO_EFORMAT, "cut or damaged at byte %zu of %zu",
				       (size_t)(p - text), len);
		event = jread_parse(json, p, (size_t)(stop - p), err);
		if (!event)
			return TACHO_EFORMAT;
		r = noc_json_event_add(op, event, shares);
	}
	return err_set(err, r, "out of memory");
}

int ttlog_noc_parse(struct op_noc_op *op, const char *text, size_t len, struct tacho_error *err)
{
	struct shares shares = {0};
	struct jread json = {0};
	int r = parse_events(op, text, len, &json, &shares, err);
	uint64_t most = 0;

	for (size_t i = 0; i < shares.n; i++)
		most = shares.v[i] > most ? shares.v[i] : most;
	op->cores = (uint32_t)shares.n;
	op->max_share = op->bytes ? 100.0 * (double)most / (double)op->bytes : 0;
	vec_free(&shares);
	map_free(&shares.by_core);
	jread_free(&json);
	return r;
}

static int read_one(struct op_noc *noc, const char *logs, const char *name, struct op_noc_op *op,
		    struct op_issues *issues, struct tacho_error *err)
{
	char *path = ttlog_path(logs, name), *text = NULL;
	struct tacho_error why = {0};
	size_t len = 0;
	int r = path ? ttlog_slurp(path, &text, &len, &why) : TACHO_ENOMEM;

	if (r == 0)
		r = ttlog_noc_parse(op, text, len, &why);
	free(text);
	free(path);
	if (r == TACHO_ENOMEM)
		return err_set(err, r, "out of memory");
	if (r < 0)
		op_issue_add(issues, OP_ISSUE_BAD_NOC, NULL, 0, OP_AT(op->id, op->device),
			     "%s: %s; what is before it counts", name, why.text);
	noc->files++;
	return vec_push(noc, *op) < 0 ? err_set(err, TACHO_ENOMEM, "out of memory") : 0;
}

int ttlog_noc_read(struct op_noc *noc, const char *logs, struct op_issues *issues,
		   struct tacho_error *err)
{
	DIR *dir = opendir(logs);
	struct dirent *e;
	struct op_noc_op op;
	int r = 0;

	while (dir && r == 0 && (e = readdir(dir)))
		if (ttlog_noc_name(e->d_name, &op))
			r = read_one(noc, logs, e->d_name, &op, issues, err);
	if (dir)
		closedir(dir);
	op_noc_sort(noc);
	return r;
}
