/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report of compilers. */
#include "ttlog/mlir.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/map.h"
#include "base/vec.h"
#include "ttlog/host_logs.h"

#include <string.h>
#include <unistd.h>

enum { KEYS = 3 };

static const struct {
	const char *message, *column, *otherwise;
} keys[KEYS] = {
	{"MLIR_OP_LOCATION", "LOC", "loc(unknown)"},
	{"MLIR_CONST_EVAL_OP", "CONST_EVAL_OP", "false"},
	{"MLIR_PROGRAM_METADATA", "PROGRAM_METADATA", "{}"},
};

struct text {
	const char *text;
	size_t len;
};

struct values {
	struct text v[KEYS];
};

struct mlir {
	char *text; /* of the messages */
	struct {
		VEC(struct values);
	} values;
	struct map by_id; /* op id to index in values */
	struct buf out;
};

/* The id is the last item of the message's first line. */
static bool mlir_op_id(const struct op_message *m, int64_t *id)
{
	const char *line = memchr(m->text, '\n', m->len);
	size_t len = line ? (size_t)(line - m->text) : m->len;
	const char *comma = memrchr(m->text, ',', len);
	size_t n;

	if (!comma)
		return false;
	comma++;
	n = len - (size_t)(comma - m->text);
	if (n >= 3 && !memcmp(comma + n - 3, " ->", 3))
		n -= 3;
	return csv_integer((struct csv_cell){comma, n}, id) == 0;
}

static int mlir_message(struct mlir *mlir, const struct op_message *m, struct values *now)
{
	static const char op[] = "TT_DNN_DEVICE_OP";
	int64_t id;

	for (int k = 0; k < KEYS; k++) {
		size_t len = strlen(keys[k].message);
		const char *semicolon;

		if (m->raw_len <= len || memcmp(m->raw, keys[k].message, len) || m->raw[len] != ';')
			continue;
		/* The payload may contain semicolons: it ends at the last one, before the time. */
		semicolon = memrchr(m->raw + len + 1, ';', m->raw_len - len - 1);
		now->v[k].text = m->raw + len + 1;
		now->v[k].len =
			semicolon ? (size_t)(semicolon - now->v[k].text) : m->raw_len - len - 1;
	}
	if (m->len < sizeof(op) - 1 || memcmp(m->text, op, sizeof(op) - 1) || !mlir_op_id(m, &id))
		return 0;
	if (map_set(&mlir->by_id, (uint64_t)id, (uint32_t)mlir->values.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&mlir->values, *now);
}

static int mlir_messages_read(struct mlir *mlir, const char *path, struct tacho_error *err)
{
	struct op_message_reader reader = {.line = 1};
	struct op_message m;
	struct values now;
	size_t len;
	int r;

	if (access(path, F_OK) < 0)
		return 0;
	r = ttlog_slurp(path, &mlir->text, &len, err);
	if (r < 0)
		return r;
	for (int k = 0; k < KEYS; k++)
		now.v[k] = (struct text){keys[k].otherwise, strlen(keys[k].otherwise)};
	reader.at = mlir->text;
	reader.end = mlir->text + len;
	while (r == 0 && op_message_next(&reader, &m))
		r = mlir_message(mlir, &m, &now);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

static struct values row_values(const struct mlir *mlir, const struct csv_row *row,
				size_t id_column)
{
	struct values values;
	uint32_t *at = NULL;
	int64_t id;

	for (int k = 0; k < KEYS; k++)
		values.v[k] = (struct text){keys[k].otherwise, strlen(keys[k].otherwise)};
	if (id_column < row->n && csv_integer(row->cells[id_column], &id) == 0)
		at = map_get(&mlir->by_id, (uint64_t)id);
	return at ? mlir->values.v[*at] : values;
}

static int add_columns(struct mlir *mlir, struct csv *csv, FILE *out, struct tacho_error *err)
{
	static const char id_name[] = "GLOBAL CALL COUNT";
	struct values values;
	struct csv_row row;
	size_t id_column = SIZE_MAX;
	int r;

	for (int k = 0; k < KEYS; k++)
		values.v[k] = (struct text){keys[k].column, strlen(keys[k].column)};
	for (bool header = true; (r = csv_next(csv, &row, err)) > 0; header = false) {
		for (size_t i = 0; header && i < row.n; i++)
			if (row.cells[i].len == sizeof(id_name) - 1 &&
			    !memcmp(row.cells[i].text, id_name, row.cells[i].len))
				id_column = i;
		if (!header)
			values = row_values(mlir, &row, id_column);
		for (size_t i = 0; i < row.n; i++) {
			if (i)
				buf_addc(&mlir->out, ',');
			csv_add(&mlir->out, row.cells[i].text, row.cells[i].len);
		}
		for (int k = 0; k < KEYS; k++) {
			buf_addc(&mlir->out, ',');
			csv_add(&mlir->out, values.v[k].text, values.v[k].len);
		}
		buf_adds(&mlir->out, "\r\n");
		if (mlir->out.failed)
			return err_set(err, TACHO_ENOMEM, "out of memory");
		if (fwrite(mlir->out.data, 1, mlir->out.len, out) < mlir->out.len)
			return err_errno(err, TACHO_EWRITE, "cannot write the report");
		buf_reset(&mlir->out);
	}
	return r;
}

int ttlog_mlir_write(const char *report, const char *messages, FILE *out, struct tacho_error *err)
{
	struct mlir mlir = {.out = BUF_INIT};
	struct csv *csv = NULL;
	int r = mlir_messages_read(&mlir, messages, err);

	if (r == 0)
		r = csv_open(&csv, report, err);
	if (r == 0)
		r = add_columns(&mlir, csv, out, err);
	csv_close(csv);
	buf_free(&mlir.out);
	vec_free(&mlir.values);
	map_free(&mlir.by_id);
	free(mlir.text);
	return r;
}
