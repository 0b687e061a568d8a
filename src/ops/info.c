#include "ops/info.h"

#include "base/csv.h"
#include "base/limits.h"
#include "ops/pytext.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The report has ';' wherever a value has ',': its readers split lines at commas. */
static void replace_commas(struct buf *b, size_t from)
{
	char *p = b->data + from, *end = b->data + b->len;

	while ((p = memchr(p, ',', (size_t)(end - p))))
		*p++ = ';';
}

static struct ops_text text_end(struct ops_info *info, size_t from)
{
	replace_commas(&info->text, from);
	return (struct ops_text){(uint32_t)from, (uint32_t)(info->text.len - from)};
}

static int set_cell(struct ops_info *info, enum ops_column column, struct ops_text text)
{
	for (size_t i = 0; i < info->cells.n; i++)
		if (info->cells.v[i].column == column) {
			info->cells.v[i].text = text;
			return 0;
		}
	return vec_push(&info->cells, ((struct ops_cell){column, text}));
}

int ops_info_cell(struct ops_info *info, enum ops_column column, const char *text, size_t len)
{
	size_t from = info->text.len;

	buf_add(&info->text, text, len);
	return set_cell(info, column, text_end(info, from));
}

const char *ops_info_find(const struct ops_info *info, enum ops_column column, size_t *len)
{
	for (size_t i = 0; i < info->cells.n; i++)
		if (info->cells.v[i].column == column) {
			*len = info->cells.v[i].text.len;
			return info->text.data + info->cells.v[i].text.at;
		}
	return NULL;
}

/* A value where the report has numbers: a number, or null. */
static bool is_number(struct ops_info *info, const struct jread_value *v)
{
	double value;

	if (v->type == JREAD_INT || v->type == JREAD_REAL || v->type == JREAD_NULL ||
	    (v->type == JREAD_STRING &&
	     csv_number((struct csv_cell){v->text, v->len}, &value) != CSV_NO_NUMBER))
		return true;
	if (!info->no_number[0])
		snprintf(info->no_number, sizeof(info->no_number), "%.*s",
			 (int)(v->key_len < 40 ? v->key_len : 40), v->key ? v->key : "a value");
	return false;
}

static int value_cell(struct ops_info *info, enum ops_column column, const struct jread_value *v)
{
	size_t from = info->text.len;

	if (!v || (ops_column_numeric(column) && !is_number(info, v)))
		return 0;
	pytext_str(&info->text, v);
	return set_cell(info, column, text_end(info, from));
}

/* A Python list of member KEY of each kernel: "['a'; 'b']". */
static int list_cell(struct ops_info *info, enum ops_column column,
		     const struct jread_value *kernels, const char *key)
{
	size_t from = info->text.len;
	bool any = false;

	buf_addc(&info->text, '[');
	for (const struct jread_value *k = kernels ? kernels->first : NULL; k; k = k->next) {
		const struct jread_value *v = jread_get(k, key);

		if (!v)
			continue;
		if (any)
			buf_adds(&info->text, ", ");
		pytext_repr(&info->text, v);
		any = true;
	}
	buf_addc(&info->text, ']');
	return set_cell(info, column, text_end(info, from));
}

/* "TENSIX_DM_0_max_kernel_size" is the column "TENSIX DM 0 MAX KERNEL SIZE [B]". */
static int size_cell(struct ops_info *info, struct ops_host *host, const struct jread_value *v)
{
	struct buf name = BUF_INIT;
	size_t from = info->text.len;
	int64_t index;

	if (!is_number(info, v))
		return 0;
	buf_add(&name, v->key, v->key_len);
	for (size_t i = 0; i < name.len; i++)
		name.data[i] =
			name.data[i] == '_' ? ' ' : (char)toupper((unsigned char)name.data[i]);
	buf_adds(&name, " [B]");
	host->size_names.limit = LIMIT_OPS_COLUMNS;
	index = name.failed ? TACHO_ENOMEM : ops_names_add(&host->size_names, name.data, name.len);
	buf_free(&name);
	if (index < 0)
		return index == TACHO_ELIMIT ? 0 : (int)index;
	pytext_str(&info->text, v);
	return vec_push(&info->sizes,
			((struct ops_cell){(enum ops_column)index, text_end(info, from)}));
}

static int fill_kernels(struct ops_info *info, struct ops_host *host, const struct jread_value *v)
{
	const struct jread_value *compute = jread_get(v, "compute_kernels");
	const struct jread_value *dm = jread_get(v, "datamovement_kernels");
	const struct jread_value *sizes = jread_get(v, "kernel_sizes");

	if (!v || v->type != JREAD_OBJECT)
		return 0;
	for (const struct jread_value *k = compute ? compute->first : NULL; k; k = k->next)
		if (value_cell(info, OPS_COL_MATH_FIDELITY, jread_get(k, "math_fidelity")) < 0)
			return TACHO_ENOMEM;
	if (list_cell(info, OPS_COL_COMPUTE_SOURCE, compute, "source") < 0 ||
	    list_cell(info, OPS_COL_COMPUTE_HASH, compute, "name") < 0 ||
	    list_cell(info, OPS_COL_DM_SOURCE, dm, "source") < 0 ||
	    list_cell(info, OPS_COL_DM_HASH, dm, "name") < 0)
		return TACHO_ENOMEM;
	for (const struct jread_value *s = sizes ? sizes->first : NULL; s; s = s->next)
		if (s->key && size_cell(info, host, s) < 0)
			return TACHO_ENOMEM;
	return 0;
}

static void add_upper(struct buf *b, const struct jread_value *v)
{
	size_t from = b->len;

	if (v)
		pytext_str(b, v);
	for (size_t i = from; i < b->len; i++)
		b->data[i] = (char)toupper((unsigned char)b->data[i]);
}

/* A host's storage by its name, a device's as DEV_0_DRAM_INTERLEAVED. */
static void add_memory(struct buf *b, const struct jread_value *storage)
{
	const struct jread_value *config = jread_get(storage, "memory_config");
	const struct jread_value *device = jread_get(storage, "device_id");

	if (!storage)
		return;
	if (storage->type != JREAD_OBJECT) {
		pytext_str(b, storage);
		return;
	}
	buf_adds(b, "DEV_");
	if (device)
		pytext_str(b, device);
	buf_addc(b, '_');
	add_upper(b, jread_get(config, "buffer_type"));
	buf_addc(b, '_');
	add_upper(b, jread_get(config, "memory_layout"));
}

static int fill_tensors(struct ops_info *info, struct ops_texts *texts,
			const struct jread_value *tensors)
{
	static const char *const sides[] = {"W", "Z", "Y", "X"};

	for (const struct jread_value *t = tensors ? tensors->first : NULL; t; t = t->next) {
		const struct jread_value *shape = jread_get(t, "shape"), *v;

		if (texts->n / OPS_TENSOR_CELLS >= LIMIT_OPS_TENSORS)
			return 0;
		for (int cell = 0; cell < OPS_TENSOR_CELLS; cell++) {
			size_t from = info->text.len;

			v = cell < 4 ? jread_get(shape, sides[cell])
				     : jread_get(t, cell == 4 ? "layout" : "dtype");
			if (cell == 6)
				add_memory(&info->text, jread_get(t, "storage_type"));
			else if (v)
				pytext_str(&info->text, v);
			if (vec_push(texts, text_end(info, from)) < 0)
				return TACHO_ENOMEM;
		}
	}
	return 0;
}

static int fill_model(struct ops_info *info, const struct jread_value *model)
{
	static const struct {
		const char *key;
		enum ops_column column;
	} cells[] = {
		{"ideal_ns", OPS_COL_PM_IDEAL},         {"compute_ns", OPS_COL_PM_COMPUTE},
		{"bandwidth_ns", OPS_COL_PM_BANDWIDTH}, {"input_bws", OPS_COL_PM_REQ_I},
		{"output_bws", OPS_COL_PM_REQ_O},
	};

	if (!model)
		return 0;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		if (value_cell(info, cells[i].column, jread_get(model, cells[i].key)) < 0)
			return TACHO_ENOMEM;
	info->compute_ns = jread_double(jread_get(model, "compute_ns"));
	info->has_model = info->compute_ns == info->compute_ns;
	return 0;
}

int ops_info_fill(struct ops_info *info, struct ops_host *host, const struct jread_value *json)
{
	int r = 0;

	info->text = (struct buf)BUF_INIT;
	/* Any member that is called like a column fills it. */
	for (const struct jread_value *m = json->first; m && r == 0; m = m->next) {
		int column = m->key ? ops_column_find(m->key, m->key_len) : -1;

		if (column >= 0)
			r = value_cell(info, (enum ops_column)column, m);
	}
	if (r == 0)
		r = fill_kernels(info, host, jread_get(json, "kernel_info"));
	if (r == 0)
		r = value_cell(info, OPS_COL_PROGRAM_HASH, jread_get(json, "op_hash"));
	if (r == 0)
		r = fill_tensors(info, &info->inputs, jread_get(json, "input_tensors"));
	if (r == 0)
		r = fill_tensors(info, &info->inputs, jread_get(json, "optional_input_tensors"));
	if (r == 0)
		r = fill_tensors(info, &info->outputs, jread_get(json, "output_tensors"));
	if (r == 0)
		r = fill_model(info, jread_get(json, "performance_model"));
	return r < 0 || info->text.failed ? TACHO_ENOMEM : 0;
}
