/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the counters of several device logs into the first. */
#include "ttlog/merge.h"

#include "base/buf.h"
#include "base/limits.h"
#include "op/names.h"
#include "ttlog/device_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct merging {
	struct op_names keys; /* of the first log: an op on a core */
	struct {
		VEC(uint64_t);
	} times; /* by key: that of its first counter */
	struct ttlog_merged *merged;
	FILE *out;
	struct tacho_error *err;
};

bool ttlog_is_device_log(const char *path)
{
	FILE *file = fopen(path, "re");
	char head[8] = "";
	size_t n = file ? fread(head, 1, 5, file) : 0;

	if (file)
		fclose(file);
	return n == 5 && !memcmp(head, "ARCH:", 5);
}

static int64_t merge_key(struct merging *m, const struct op_text *f)
{
	static const enum devlog_field parts[] = {DEVLOG_F_CHIP, DEVLOG_F_X,     DEVLOG_F_Y,
						  DEVLOG_F_ID,   DEVLOG_F_TRACE, DEVLOG_F_SESSION};
	struct buf key = BUF_INIT;
	int64_t index;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		buf_add(&key, f[parts[i]].text, f[parts[i]].len);
		buf_addc(&key, ',');
	}
	index = key.failed ? TACHO_ENOMEM : op_names_add(&m->keys, key.data, key.len);
	buf_free(&key);
	return index;
}

/* A counter of the first log: its time is that of all counters of the op on this core. */
static int counter_note(struct merging *m, const struct op_text *f)
{
	int64_t key = merge_key(m, f);
	uint64_t time;

	if (key < 0)
		return (int)key;
	if ((size_t)key < m->times.n)
		return 0;
	return vec_push(&m->times, devlog_number(f[DEVLOG_F_TIME], &time) ? time : 0);
}

/* A counter of another log: written with the time of the first one's. */
static int counter_add(struct merging *m, const struct op_text *f, const char *line, size_t len)
{
	int64_t key = merge_key(m, f);
	const char *time = f[DEVLOG_F_TIME].text, *rest = time + f[DEVLOG_F_TIME].len;

	if (key < 0)
		return (int)key;
	if ((size_t)key >= m->times.n) {
		m->merged->unmatched++;
		return 0;
	}
	m->merged->counters++;
	fprintf(m->out, "%.*s%" PRIu64 "%.*s\n", (int)(time - line), line, m->times.v[key],
		(int)(line + len - rest), rest);
	return 0;
}

static int merge_line(struct merging *m, struct devlog_reader *r, const char *line, size_t len,
		      bool first)
{
	struct op_text f[DEVLOG_FIELDS];
	uint64_t timer;

	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	r->line++;
	if (first) {
		fwrite(line, 1, len, m->out);
		putc('\n', m->out);
	}
	if (!r->header_done) {
		r->header_done = devlog_columns(r, line, len);
		return r->header_done || r->line == 1
			       ? 0
			       : err_set(m->err, TACHO_EFORMAT, "%s: the columns are missing",
					 r->name);
	}
	m->merged->rows += first;
	if (devlog_row_split(r, line, len, f) < r->columns ||
	    !devlog_number(f[DEVLOG_F_TIMER], &timer) || timer != DEVLOG_TIMER_COUNTER)
		return 0;
	return first ? counter_note(m, f) : counter_add(m, f, line, len);
}

static int merge_log(struct merging *m, const char *path, bool first)
{
	struct devlog_reader reader = {.name = path};
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int r = 0;

	if (!file)
		return err_errno(m->err, TACHO_EREAD, "cannot open %s", path);
	while (r == 0 && (n = getline(&line, &size, file)) > 0)
		r = merge_line(m, &reader, line, (size_t)n, first);
	if (r == 0 && ferror(file))
		r = err_errno(m->err, TACHO_EREAD, "cannot read %s", path);
	if (r == 0 && !reader.header_done)
		r = err_set(m->err, TACHO_EFORMAT, "%s: the columns are missing", path);
	free(line);
	fclose(file);
	return r;
}

int ttlog_merge(char **paths, int count, FILE *out, struct ttlog_merged *merged,
		struct tacho_error *err)
{
	struct merging m = {.merged = merged, .out = out, .err = err, .keys = {.limit = SIZE_MAX}};
	int r = 0;

	memset(merged, 0, sizeof(*merged));
	for (int i = 0; i < count && r == 0; i++)
		r = merge_log(&m, paths[i], i == 0);
	if (r == 0 && ferror(out))
		r = err_errno(err, TACHO_EWRITE, "cannot write the merged log");
	if (r == TACHO_ENOMEM)
		err_set(err, r, "out of memory");
	op_names_free(&m.keys);
	vec_free(&m.times);
	return r;
}
