/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds: parses and stores once what ops of the same call have in common. */
#include "base/buf.h"
#include "base/csv.h"
#include "base/map.h"
#include "op/names.h"
#include "perf/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct kind_slot {
	XXH128_hash_t hash;
	uint32_t kind; /* index + 1; 0: free */
};

/*
 * Strings and kinds by content; kinds in an open hash table whose size is a power of two, at most
 * half full. A kind is identified by 128 bits of hash over its cells, which are then not stored:
 * the attributes alone are most of a file.
 */
struct perf_intern {
	struct op_names strings;
	struct kind_slot *kinds;
	size_t kinds_n, kinds_cap;
	struct map first_runs; /* by kind and device: 1 + the file with the last one */
	struct buf key;
};

static int grow_kinds(struct perf_intern *in)
{
	size_t cap = in->kinds_cap ? in->kinds_cap * 2 : 256, at;
	struct kind_slot *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < in->kinds_cap; i++) {
		if (!in->kinds[i].kind)
			continue;
		at = in->kinds[i].hash.low64 & (cap - 1);
		while (slots[at].kind)
			at = (at + 1) & (cap - 1);
		slots[at] = in->kinds[i];
	}
	free(in->kinds);
	in->kinds = slots;
	in->kinds_cap = cap;
	return 0;
}

static struct perf_intern *intern_of(struct perf_input *in)
{
	if (!in->intern) {
		in->intern = calloc(1, sizeof(*in->intern));
		if (in->intern) {
			in->intern->key = (struct buf)BUF_INIT;
			in->intern->strings.limit = UINT32_MAX;
		}
	}
	return in->intern;
}

void perf_intern_free(struct perf_intern *intern)
{
	if (!intern)
		return;
	op_names_free(&intern->strings);
	free(intern->kinds);
	map_free(&intern->first_runs);
	buf_free(&intern->key);
	free(intern);
}

const char *perf_string(struct perf_input *input, const char *text, size_t len)
{
	struct perf_intern *in = intern_of(input);
	int64_t at = in ? op_names_add(&in->strings, text, len) : TACHO_ENOMEM;

	return at < 0 ? NULL : in->strings.v[at].text;
}

int perf_compiled_note(struct perf_input *input, struct perf_row *row)
{
	struct map *first = &intern_of(input)->first_runs;
	uint64_t key = (uint64_t)row->kind << 32 | (uint32_t)row->device;
	uint32_t file = (uint32_t)input->files.n + 1, *seen;

	if (!row->cache_miss || row->type != TYPE_DEVICE)
		return 0;
	seen = map_get(first, key);
	row->compiled = (!seen || *seen != file) && row->session == PERF_NO_DEVICE;
	return row->compiled ? map_set(first, key, file) : 0;
}

/* The attributes after the first NAME, or NULL. */
static const char *kind_after(struct csv_cell text, const char *name)
{
	size_t len = strlen(name);
	const char *p = text.len < len ? NULL : memmem(text.text, text.len, name, len);

	return p ? p + len : NULL;
}

static bool kind_contains(struct csv_cell text, const char *name)
{
	return kind_after(text, name) != NULL;
}

static struct csv_cell kind_from(struct csv_cell text, const char *p)
{
	return (struct csv_cell){p, (size_t)(text.text + text.len - p)};
}

/* The digits at the start of TEXT, or PERF_NO_NUMBER. */
static int64_t leading_number(struct csv_cell text)
{
	int64_t n = 0;
	size_t i = 0;

	for (; i < text.len && text.text[i] >= '0' && text.text[i] <= '9'; i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, text.text[i] - '0', &n))
			return PERF_NO_NUMBER;
	return i ? n : PERF_NO_NUMBER;
}

/* The number after the first NAME that has one. */
static int64_t attribute_number(struct csv_cell text, const char *name)
{
	const char *p;
	int64_t n = PERF_NO_NUMBER;

	while (n == PERF_NO_NUMBER && (p = kind_after(text, name))) {
		text = kind_from(text, p);
		n = leading_number(text);
	}
	return n;
}

/* 'name': 'true' or name=true: 1, another value: 0, absent: -1. */
static int attribute_true(struct csv_cell text, const char *name)
{
	const char *p = kind_after(text, name);
	struct csv_cell rest;

	if (!p)
		return -1;
	rest = kind_from(text, p);
	while (rest.len && strchr("': =", rest.text[0])) {
		rest.text++;
		rest.len--;
	}
	return rest.len >= 4 && (!memcmp(rest.text, "true", 4) || !memcmp(rest.text, "True", 4));
}

/* The text between the first NAME and the next; false if there is no NAME. */
static bool kind_attribute(struct csv_cell *text, const char *name)
{
	const char *p = kind_after(*text, name);
	const char *next;

	if (!p)
		return false;
	*text = kind_from(*text, p);
	next = memmem(text->text, text->len, name, strlen(name));
	if (next)
		text->len = (size_t)(next - text->text);
	return true;
}

/* The whole number after the first NAME and a separator, up to a ';'. */
static int64_t kind_setting(struct csv_cell text, const char *name)
{
	const char *end;
	int64_t n;

	if (!kind_attribute(&text, name) || text.len < 2)
		return PERF_NO_NUMBER;
	text.text++;
	text.len--;
	end = memchr(text.text, ';', text.len);
	if (end)
		text.len = (size_t)(end - text.text);
	return csv_integer(text, &n) < 0 ? PERF_NO_NUMBER : n;
}

/* Only "NAME': 'x'" is a setting, and only 'true' is on; without a setting it counts as on. */
static bool switched_on(struct csv_cell text, const char *name)
{
	return !kind_attribute(&text, name) || (text.len >= 4 && !memcmp(text.text, "true", 4) &&
						(text.len == 4 || text.text[4] == '\''));
}

/* "window_hw=(3;4); " gives 3 and 4. */
static void read_window(struct perf_kind *k, struct csv_cell attributes)
{
	const char *p = kind_after(attributes, "window_hw"), *end, *second;
	struct csv_cell rest;

	k->window_h = k->window_w = PERF_NO_NUMBER;
	if (!p)
		return;
	rest = kind_from(attributes, p);
	end = memmem(rest.text, rest.len, "; ", 2);
	if (end)
		rest.len = (size_t)(end - rest.text);
	if (rest.len < 3)
		return;
	rest.text += 2;
	rest.len -= 2;
	k->window_h = leading_number(rest);
	second = memchr(rest.text, ';', rest.len);
	if (second)
		k->window_w = leading_number(kind_from(rest, second + 1));
}

/* The first N parts after NAME, which ';' separates, joined with ','; else "x". */
static void add_parts(struct buf *out, struct csv_cell attributes, const char *name, int n)
{
	const char *p, *end;

	if (!kind_attribute(&attributes, name)) {
		buf_addc(out, 'x');
		return;
	}
	end = attributes.text + attributes.len;
	for (p = attributes.text; p < end; p++) {
		if (*p == ';' && --n == 0)
			break;
		buf_addc(out, *p == ';' ? ',' : *p);
	}
}

/* "memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;": the text after the colons. */
static void kind_layout_add(struct buf *out, struct csv_cell attributes)
{
	const char *end;

	if (kind_attribute(&attributes, "memory_layout=")) {
		end = memchr(attributes.text, ';', attributes.len);
		if (end)
			attributes.len = (size_t)(end - attributes.text);
		if (kind_attribute(&attributes, "::")) {
			buf_add(out, attributes.text, attributes.len);
			return;
		}
	}
	buf_addc(out, 'x');
}

static void add_size(struct buf *out, const char *before, int64_t n)
{
	if (n == PERF_NO_NUMBER)
		buf_addf(out, "%s?", before);
	else
		buf_addf(out, "%s%lld", before, (long long)n);
}

static void add_conv_label(struct buf *out, const struct perf_kind *k, struct csv_cell attributes)
{
	static const char *const numbers[] = {"per_core_out_matrix_height_ntile",
					      "act_block_h_ntiles"};
	int64_t n;

	add_size(out, " ", k->dim[OUT][DIM_Y]);
	add_size(out, " x ",
		 k->window_w == PERF_NO_NUMBER
			 ? k->dim[IN1][DIM_Y]
			 : perf_times(k->dim[IN0][DIM_X], perf_times(k->window_h, k->window_w)));
	add_size(out, " x ", k->dim[IN1][DIM_X]);
	for (int i = 0; i < 2; i++) {
		n = kind_setting(attributes, numbers[i]);
		buf_adds(out, i ? "|" : " [ABH=");
		if (n == PERF_NO_NUMBER)
			buf_addc(out, 'x');
		else
			buf_addf(out, "%lld", (long long)n);
	}
	if (switched_on(attributes, "enable_act_double_buffer': '"))
		buf_adds(out, " ADB");
	if (switched_on(attributes, "enable_split_reader': '"))
		buf_adds(out, " SR");
	buf_addc(out, ']');
}

static void add_halo_label(struct buf *out, struct csv_cell attributes)
{
	static const struct {
		const char *title, *name;
		int parts;
	} settings[] = {{" w=", "window_hw=", 2},
			{" s=", "stride_hw=", 2},
			{" p=", "padding=", 4},
			{" d=", "dilation_hw=", 2}};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		buf_adds(out, settings[i].title);
		add_parts(out, attributes, settings[i].name, settings[i].parts);
	}
	buf_adds(out, " | ");
	kind_layout_add(out, attributes);
}

static int make_label(struct perf_input *in, struct perf_kind *k, struct csv_cell attributes)
{
	struct buf label = BUF_INIT;
	int r = 0;

	buf_adds(&label, k->op_code);
	if (k->family == FAMILY_MATMUL) {
		int64_t batch = perf_times(perf_larger(k->dim[IN0][DIM_W], k->dim[IN1][DIM_W]),
					   perf_larger(k->dim[IN0][DIM_Z], k->dim[IN1][DIM_Z]));

		if (batch > 1)
			buf_addf(&label, " b={%lld} x ", (long long)batch);
		add_size(&label, batch > 1 ? "" : " ", k->dim[IN0][DIM_Y]);
		add_size(&label, " x ", k->dim[IN0][DIM_X]);
		add_size(&label, " x ", k->dim[IN1][DIM_X]);
	} else if (k->family == FAMILY_CONV) {
		add_conv_label(&label, k, attributes);
	} else if (k->family == FAMILY_HALO)
		add_halo_label(&label, attributes);
	k->label = label.failed ? NULL : perf_string(in, label.data, label.len);
	k->label_len = (uint32_t)label.len;
	if (!k->label)
		r = TACHO_ENOMEM;
	buf_free(&label);
	return r;
}

/* "7168[7000]": the padded size counts. *BAD if the text is not a size. */
static int64_t read_size(struct csv_cell cell, bool *bad, bool *odd)
{
	const char *bracket = memchr(cell.text, '[', cell.len);
	double value;
	enum csv_number number;

	if (bracket)
		cell.len = (size_t)(bracket - cell.text);
	number = csv_number(cell, &value);
	*bad = number == CSV_NO_NUMBER || (number != CSV_BLANK && fabs(value) >= 0x1p62);
	*odd = *bad || !(value >= 1 && value <= 0x1p32 && value == trunc(value));
	return number == CSV_BLANK || *bad ? PERF_NO_NUMBER : (int64_t)value;
}

static enum perf_family family_of(struct csv_cell name)
{
	static const struct {
		const char *part;
		enum perf_family family;
	} parts[] = {
		{"(torch)", FAMILY_HOST},
		{"(host)", FAMILY_HOST}, /* ours; no other tool writes it */
		{"Matmul", FAMILY_MATMUL},
		{"OptimizedConvNew", FAMILY_CONV},
		{"Conv2d", FAMILY_CONV},
		{"HaloDeviceOperation", FAMILY_HALO},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (kind_contains(name, parts[i].part))
			return parts[i].family;
	return FAMILY_OTHER;
}

static enum perf_config config_of(struct csv_cell attributes)
{
	static const char key[] = "program_config", none[] = "std::nullopt";
	const char *p = kind_after(attributes, key);
	struct csv_cell value;

	if (csv_blank(attributes))
		return CONFIG_UNKNOWN;
	if (!p)
		return CONFIG_FOREIGN;
	value = kind_from(attributes, p);
	while (value.len && strchr("'\": =", value.text[0])) {
		value.text++;
		value.len--;
	}
	if (!value.len || strchr(";,}", value.text[0]) ||
	    (value.len >= strlen(none) && !memcmp(value.text, none, strlen(none))))
		return CONFIG_DEFAULT;
	return CONFIG_GIVEN;
}

/* Attention over whole sequences; that of one token at a time reads the sequence so far. */
static enum perf_attention attention_of(struct csv_cell name, struct csv_cell attributes)
{
	static const char *const starts[] = {"ScaledDotProductAttention", "SDPAOperation",
					     "SDPADeviceOperation"};

	if (kind_contains(name, "Decode"))
		return ATTENTION_NONE;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (name.len >= strlen(starts[i]) &&
		    !memcmp(name.text, starts[i], strlen(starts[i])))
			return attribute_true(attributes, "is_causal") == 1 ? ATTENTION_CAUSAL
									    : ATTENTION_FULL;
	return ATTENTION_NONE;
}

static void read_attributes(struct perf_kind *k, struct csv_cell name, struct csv_cell attributes)
{
	k->block_w = k->subblock_h = k->subblock_w = k->nnz = PERF_NO_NUMBER;
	if (kind_contains(attributes, "program_config")) {
		k->block_w = attribute_number(attributes, "in0_block_w=");
		k->subblock_h = attribute_number(attributes, "out_subblock_h=");
		k->subblock_w = attribute_number(attributes, "out_subblock_w=");
	}
	k->config = config_of(attributes);
	k->dram_sharded =
		k->family == FAMILY_MATMUL &&
		kind_contains(attributes, "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig");
	k->sparse = kind_contains(name, "SparseMatmul");
	if (k->sparse) {
		k->a_sparse = attribute_true(attributes, "is_input_a_sparse") == 1;
		k->b_sparse = attribute_true(attributes, "is_input_b_sparse") != 0;
		k->nnz = attribute_number(attributes, "'nnz': '");
		if (k->nnz == PERF_NO_NUMBER)
			k->nnz = attribute_number(attributes, "nnz=");
	}
	if (k->family == FAMILY_CONV)
		read_window(k, attributes);
	perf_config_read(&k->settings, attributes);
	k->transpose_a = attribute_true(attributes, "'transpose_a'") == 1;
	k->transpose_b = attribute_true(attributes, "'transpose_b'") == 1;
	k->attention = attention_of(name, attributes);
}

static int string_of(struct perf_input *in, struct csv_cell cell, const char **text)
{
	*text = NULL;
	if (csv_blank(cell))
		return 0;
	*text = perf_string(in, cell.text, cell.len);
	return *text ? 0 : TACHO_ENOMEM;
}

/* Bytes in DRAM of one of the further tensors. */
static double more_bytes(const struct perf_more *more)
{
	struct csv_cell memory = more->cell[MORE_MEMORY], type = more->cell[MORE_DATATYPE];
	int64_t dims[DIMS];
	char name[32];
	bool bad, odd;

	if (csv_blank(memory) || !kind_contains(memory, "DRAM"))
		return 0;
	for (int i = 0; i < DIMS; i++)
		dims[i] = read_size(more->cell[i], &bad, &odd);
	if (type.len >= sizeof(name))
		return NAN;
	memcpy(name, type.text, type.len);
	name[type.len] = 0;
	return perf_tensor_bytes(dims, name);
}

static int parse_kind(struct perf_input *in, const struct csv_cell *cell,
		      const struct perf_more *more, size_t n, struct perf_kind *k)
{
	static const struct {
		enum perf_column column;
		size_t offset;
	} strings[] = {
		{COL_OP_CODE, offsetof(struct perf_kind, op_code)},
		{COL_IN0_DATATYPE, offsetof(struct perf_kind, datatype[IN0])},
		{COL_IN1_DATATYPE, offsetof(struct perf_kind, datatype[IN1])},
		{COL_OUT_DATATYPE, offsetof(struct perf_kind, datatype[OUT])},
		{COL_IN0_MEMORY, offsetof(struct perf_kind, memory[IN0])},
		{COL_IN1_MEMORY, offsetof(struct perf_kind, memory[IN1])},
		{COL_OUT_MEMORY, offsetof(struct perf_kind, memory[OUT])},
		{COL_FIDELITY, offsetof(struct perf_kind, fidelity_name)},
	};
	struct csv_cell name = cell[COL_OP_CODE], type = cell[COL_OP_TYPE];
	bool bad, odd;

	memset(k, 0, sizeof(*k));
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		if (string_of(in, cell[strings[i].column],
			      (const char **)((char *)k + strings[i].offset)) < 0)
			return TACHO_ENOMEM;
	k->nameless = !k->op_code;
	if (k->nameless)
		k->op_code = "unnamed";
	for (int i = 0; i < TENSORS * DIMS; i++) {
		k->dim[i / DIMS][i % DIMS] = read_size(cell[COL_SHAPES + i], &bad, &odd);
		k->bad |= (uint32_t)bad << i;
		k->odd |= (uint32_t)odd << i;
	}
	for (size_t i = 0; i < n; i++)
		k->more_bytes += more_bytes(&more[i]);
	k->signpost = type.len == 8 && !memcmp(type.text, "signpost", 8);
	k->family = k->signpost ? FAMILY_OTHER : family_of(name);
	k->fallback = type.len == 15 && !memcmp(type.text, "python_fallback", 15);
	k->fidelity = arch_fidelity_find(k->fidelity_name);
	k->collective = kind_contains(name, "AllGather") || kind_contains(name, "ReduceScatter") ||
			kind_contains(name, "AllReduce");
	for (int t = 0; t < TENSORS; t++)
		k->in_dram |= (uint8_t)((k->memory[t] && strstr(k->memory[t], "DRAM")) << t);
	read_attributes(k, name, cell[COL_ATTRIBUTES]);
	perf_work_set(k);
	return make_label(in, k, cell[COL_ATTRIBUTES]);
}

/* All parts of a kind, with lengths between them, so that no two kinds give the same bytes. */
static XXH128_hash_t hash_cells(struct buf *key, const struct csv_cell *cell,
				const struct perf_more *more, size_t n)
{
	size_t room = 0;
	char *at;

	buf_reset(key);
	for (int i = COL_OP_CODE; i < COL_SHAPES_END; i++)
		room += sizeof(uint32_t) + cell[i].len;
	if (buf_reserve(key, room) < 0)
		return (XXH128_hash_t){0, 0};
	at = key->data;
	for (int i = COL_OP_CODE; i < COL_SHAPES_END; i++) {
		uint32_t len = (uint32_t)cell[i].len;

		if (i > COL_OP_TYPE && i < COL_IN0_MEMORY)
			continue;
		memcpy(at, &len, sizeof(len));
		at += sizeof(len);
		if (len)
			memcpy(at, cell[i].text, len);
		at += len;
	}
	key->len = (size_t)(at - key->data);
	for (size_t i = 0; i < n; i++) {
		if (csv_blank(more[i].cell[MORE_MEMORY]))
			continue;
		buf_add(key, &i, sizeof(i));
		for (int c = 0; c < MORE_CELLS; c++) {
			buf_add(key, more[i].cell[c].text, more[i].cell[c].len);
			buf_addc(key, 0);
		}
	}
	return XXH3_128bits(key->data, key->len);
}

int perf_kind_of(struct perf_input *input, const struct csv_cell *cell,
		 const struct perf_more *more, size_t n, uint32_t *kind)
{
	struct perf_intern *in = intern_of(input);
	struct perf_kind k;
	XXH128_hash_t hash;
	size_t at;

	if (!in || (in->kinds_n * 2 >= in->kinds_cap && grow_kinds(in) < 0))
		return TACHO_ENOMEM;
	hash = hash_cells(&in->key, cell, more, n);
	if (in->key.failed)
		return TACHO_ENOMEM;
	at = hash.low64 & (in->kinds_cap - 1);
	for (; in->kinds[at].kind; at = (at + 1) & (in->kinds_cap - 1)) {
		if (XXH128_isEqual(in->kinds[at].hash, hash)) {
			*kind = in->kinds[at].kind - 1;
			return 0;
		}
	}
	if (parse_kind(input, cell, more, n, &k) < 0 || vec_push(&input->kinds, k) < 0)
		return TACHO_ENOMEM;
	*kind = (uint32_t)input->kinds.n - 1;
	in->kinds[at] = (struct kind_slot){hash, *kind + 1};
	in->kinds_n++;
	return 0;
}
