/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and prints the stacked report. */
#include "perf/stacked.h"
#include "base/csv.h"
#include "base/fmt.h"
#include "base/order.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* The sums of ops: one of these per key and device. */
struct sums {
	uint32_t key;
	uint32_t next; /* index + 1 of the same key's sums on another device */
	int32_t device;
	uint32_t first; /* op */
	double time, time_lost;
	uint64_t count;
	uint64_t flops_n;
	double flops_min, flops_max, flops_sum, flops_lost, mean, squares;
};

/* The total time of one device, or of all if they are not separate. */
struct device_total {
	int32_t device;
	double time;
};

struct builder {
	const struct perf_report *r;
	struct perf_stacked *out;
	uint32_t *key_of_kind; /* index + 1 into out->keys; 0: not yet; UINT32_MAX: no key */
	uint32_t *slots;       /* keys by hash: index + 1; 0: free */
	size_t slots_n;        /* a power of two, more than twice the kinds */
	uint32_t *head;        /* by key: index + 1 of its first sums */
	struct {
		VEC(struct sums);
	} sums;
	struct {
		VEC(struct device_total);
	} totals;
	double *weight_time, *weight_flops; /* by key, over all devices */
};

static const char *last_part(const char *text, size_t len, size_t *part)
{
	const char *p = memrchr(text, '_', len);

	*part = p ? (size_t)(p - text) : 0;
	return p;
}

/* "name (in0:dram_interleaved)". False: the memory's name has no parts, so there is no key. */
static bool stacked_memory_add(struct buf *key, const char *memory)
{
	size_t len = strlen(memory), one, two;

	if (!last_part(memory, len, &one))
		return false;
	if (last_part(memory, one, &two))
		two++;
	buf_adds(key, " (in0:");
	for (size_t i = two; i < len; i++)
		buf_addc(key, (char)tolower((unsigned char)memory[i]));
	buf_addc(key, ')');
	return true;
}

static enum perf_category category_of_kind(const struct perf_report *r, const struct perf_kind *k)
{
	return perf_category_of(k, r->options->model);
}

/* The number of the key in out->keys, which takes ownership of the text; 0: out of memory. */
static uint32_t stacked_key_find(struct builder *b, struct buf *key)
{
	size_t at = XXH3_64bits(key->data, key->len) & (b->slots_n - 1);

	for (; b->slots[at]; at = (at + 1) & (b->slots_n - 1))
		if (!strcmp(b->out->keys[b->slots[at] - 1], key->data))
			return b->slots[at];
	b->out->keys[b->out->keys_n] = buf_detach(key);
	if (!b->out->keys[b->out->keys_n])
		return 0;
	b->slots[at] = (uint32_t)++b->out->keys_n;
	return b->slots[at];
}

static uint32_t stacked_key_of(struct builder *b, uint32_t kind)
{
	const struct perf_kind *k = &b->r->in->kinds.v[kind];
	struct buf key = BUF_INIT;
	const char *name = k->label;
	size_t len = perf_first_word(&name);
	bool has = true;

	if (b->key_of_kind[kind])
		return b->key_of_kind[kind];
	if (b->out->group == GROUP_CATEGORY) {
		buf_adds(&key, perf_category_name(category_of_kind(b->r, k)));
	} else {
		buf_add(&key, name, len);
		if (b->out->group == GROUP_MEMORY && k->memory[IN0])
			has = stacked_memory_add(&key, k->memory[IN0]) ||
			      b->r->options->model == PERF_MODEL_TACHO;
	}
	b->key_of_kind[kind] = has ? stacked_key_find(b, &key) : UINT32_MAX;
	buf_free(&key);
	return b->key_of_kind[kind];
}

static struct sums *sums_of(struct builder *b, uint32_t key, int32_t device, uint32_t op)
{
	struct sums new = {.key = key - 1,
			   .next = b->head[key - 1],
			   .device = device,
			   .first = op,
			   .flops_min = INFINITY,
			   .flops_max = -INFINITY};

	for (uint32_t i = new.next; i; i = b->sums.v[i - 1].next)
		if (b->sums.v[i - 1].device == device)
			return &b->sums.v[i - 1];
	if (vec_push(&b->sums, new) < 0)
		return NULL;
	b->head[key - 1] = (uint32_t)b->sums.n;
	return &b->sums.v[b->sums.n - 1];
}

/* One step of Kahan's sum; an infinite sum needs no correction. */
static void add_to(double *sum, double *lost, double x)
{
	double y = x - *lost, t = *sum + y, rest = t - *sum - y;

	*lost = isnan(rest) ? 0 : rest;
	*sum = t;
}

static void stacked_op_add(struct sums *s, const struct perf_op *op)
{
	double before = s->mean;

	add_to(&s->time, &s->time_lost, op->has & HAS_TIME ? op->time : 0);
	s->count++;
	if (!(op->has & HAS_FLOPS_PCT) || isnan(op->flops_pct))
		return;
	s->flops_n++;
	s->flops_min = fmin(s->flops_min, op->flops_pct);
	s->flops_max = fmax(s->flops_max, op->flops_pct);
	add_to(&s->flops_sum, &s->flops_lost, op->flops_pct);
	s->mean += (op->flops_pct - before) / (double)s->flops_n;
	s->squares += (op->flops_pct - s->mean) * (op->flops_pct - before);
}

static bool left_out(const struct builder *b, const struct perf_op *op)
{
	bool counted = (op->has & HAS_TIME && op->run != RUN_WARM_UP) ||
		       b->r->options->model != PERF_MODEL_TACHO ||
		       perf_op_kind(b->r, op)->family == FAMILY_HOST;

	return !counted || op->type == TYPE_SIGNPOST ||
	       strstr(perf_op_kind(b->r, op)->label, "signpost") ||
	       (b->out->by_device && b->r->in->rows.v[op->row].device == PERF_NO_DEVICE);
}

static int stacked_ops_add(struct builder *b)
{
	for (size_t i = 0; i < b->r->ops.n; i++) {
		const struct perf_op *op = &b->r->ops.v[i];
		int32_t device =
			b->out->by_device ? b->r->in->rows.v[op->row].device : PERF_NO_DEVICE;
		struct sums *s;
		uint32_t key;

		if (left_out(b, op))
			continue;
		key = stacked_key_of(b, op->kind);
		if (key == UINT32_MAX)
			continue;
		s = key ? sums_of(b, key, device, (uint32_t)i) : NULL;
		if (!s)
			return TACHO_ENOMEM;
		stacked_op_add(s, op);
		if (op->has & HAS_TIME && !op->time_blank)
			b->out->time_blank = false;
	}
	return 0;
}

/* The weighted mean is by key alone, even if devices are separate. */
static int stacked_weigh(struct builder *b)
{
	b->weight_time = calloc(b->out->keys_n + 1, sizeof(double));
	b->weight_flops = calloc(b->out->keys_n + 1, sizeof(double));
	if (!b->weight_time || !b->weight_flops)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < b->r->ops.n; i++) {
		const struct perf_op *op = &b->r->ops.v[i];
		uint32_t key;

		if (left_out(b, op) || !(op->has & HAS_FLOPS_PCT) || isnan(op->flops_pct))
			continue;
		key = stacked_key_of(b, op->kind);
		if (key == UINT32_MAX)
			continue;
		b->weight_time[key - 1] += op->time;
		b->weight_flops[key - 1] += op->time * op->flops_pct;
	}
	return 0;
}

static struct device_total *total_of(struct builder *b, int32_t device)
{
	for (size_t i = 0; i < b->totals.n; i++)
		if (b->totals.v[i].device == device)
			return &b->totals.v[i];
	if (vec_push(&b->totals, ((struct device_total){device, 0})) < 0)
		return NULL;
	return &b->totals.v[b->totals.n - 1];
}

static int add_totals(struct builder *b)
{
	b->out->no_time = true;
	for (size_t i = 0; i < b->sums.n; i++) {
		struct device_total *t = total_of(b, b->sums.v[i].device);

		if (!t)
			return TACHO_ENOMEM;
		t->time += b->sums.v[i].time;
		if (b->sums.v[i].time != 0)
			b->out->no_time = false;
	}
	return 0;
}

static struct perf_stack stack_of(struct builder *b, const struct sums *s)
{
	double total = total_of(b, s->device)->time, n = (double)s->flops_n,
	       weight = b->weight_time[s->key], share;

	share = total == 0 ? 0 : s->time / total * 100;
	return (struct perf_stack){
		.key = b->out->keys[s->key],
		.device = s->device,
		.category = category_of_kind(b->r, perf_op_kind(b->r, &b->r->ops.v[s->first])),
		.share = isnan(share) ? 0 : share,
		.time = s->time,
		.count = s->count,
		.flops_min = n ? s->flops_min : NAN,
		.flops_max = n ? s->flops_max : NAN,
		.flops_mean = n ? s->flops_sum / n : NAN,
		.flops_std = n > 1 ? sqrt(s->squares / (n - 1)) : NAN,
		.flops_weighted = weight != 0 ? b->weight_flops[s->key] / weight : NAN,
	};
}

ORDER_BY(compare_stacks, struct perf_stack,
	 ORDER_DOWN(time) ?: strcmp(x->key, y->key) ?: ORDER_UP(device));

/* One line for all names that have no category. */
static void note_unclassified(const struct builder *b, struct perf_notes *notes)
{
	struct buf names = BUF_INIT;
	int n = 0;

	for (size_t i = 0; i < b->r->in->kinds.n && n <= 8; i++) {
		const struct perf_kind *k = &b->r->in->kinds.v[i];
		const char *name = k->label, *other;
		size_t len = perf_first_word(&name);
		bool seen = !b->key_of_kind[i] || perf_category_is_known(k, b->r->options->model);

		for (size_t j = 0; j < i && !seen; j++) {
			other = b->r->in->kinds.v[j].label;
			seen = b->key_of_kind[j] && perf_first_word(&other) == len &&
			       !memcmp(other, name, len);
		}
		if (seen)
			continue;
		if (n++ < 8)
			buf_addf(&names, "%s%.*s", n > 1 ? ", " : "", (int)len, name);
	}
	if (n)
		perf_note(notes, NOTE_INFO, "No category known, counted as Other: %s%s", names.data,
			  n > 8 ? " and others" : "");
	buf_free(&names);
}

int perf_stacked_make(struct perf_stacked *out, const struct perf_report *r, enum perf_group group,
		      struct perf_notes *notes)
{
	struct builder b = {.r = r, .out = out};
	int code = TACHO_ENOMEM;
	size_t kinds;

	*out = (struct perf_stacked){
		.group = group, .by_device = r->options->no_merge_devices, .time_blank = true};
	kinds = r->in->kinds.n;
	for (b.slots_n = 16; b.slots_n <= kinds * 2; b.slots_n *= 2)
		;
	b.slots = calloc(b.slots_n, sizeof(*b.slots));
	b.head = calloc(kinds + 1, sizeof(*b.head));
	b.key_of_kind = calloc(kinds + 1, sizeof(*b.key_of_kind));
	out->keys = calloc(kinds + 1, sizeof(*b.out->keys));
	if (!b.slots || !b.head || !b.key_of_kind || !out->keys || stacked_ops_add(&b) < 0 ||
	    stacked_weigh(&b) < 0 || add_totals(&b) < 0 || vec_reserve(out, b.sums.n + 1) < 0)
		goto out;
	for (size_t i = 0; i < b.sums.n; i++)
		out->v[out->n++] = stack_of(&b, &b.sums.v[i]);
	qsort(out->v, out->n, sizeof(*out->v), compare_stacks);
	note_unclassified(&b, notes);
	code = 0;
out:
	free(b.slots);
	free(b.head);
	free(b.key_of_kind);
	free(b.weight_time);
	free(b.weight_flops);
	vec_free(&b.sums);
	vec_free(&b.totals);
	return code;
}

void perf_stacked_free(struct perf_stacked *s)
{
	for (size_t i = 0; i < s->keys_n; i++)
		free(s->keys[i]);
	free(s->keys);
	s->keys = NULL;
	s->keys_n = 0;
	vec_free(s);
}

enum column {
	S_SHARE,
	S_KEY,
	S_DEVICE,
	S_TIME,
	S_COUNT,
	S_CATEGORY,
	S_MIN,
	S_MAX,
	S_MEAN,
	S_STD,
	S_WEIGHTED,
	S_COLUMNS,
};

static const struct {
	const char *title, *unit;
	size_t offset;
} columns[S_COLUMNS] = {
	[S_SHARE] = {"Total %", "%", offsetof(struct perf_stack, share)},
	[S_KEY] = {"Op Code", NULL, 0},
	[S_DEVICE] = {"Device", NULL, 0},
	[S_TIME] = {"Device Time Sum", MICRO, offsetof(struct perf_stack, time)},
	[S_COUNT] = {"Op Count", NULL, 0},
	[S_CATEGORY] = {"Op Category", NULL, 0},
	[S_MIN] = {"Min FLOPs", "%", offsetof(struct perf_stack, flops_min)},
	[S_MAX] = {"Max FLOPs", "%", offsetof(struct perf_stack, flops_max)},
	[S_MEAN] = {"Mean FLOPs", "%", offsetof(struct perf_stack, flops_mean)},
	[S_STD] = {"Std FLOPs", "%", offsetof(struct perf_stack, flops_std)},
	[S_WEIGHTED] = {"Weighted Mean FLOPs", "%", offsetof(struct perf_stack, flops_weighted)},
};

static bool stacked_shown(const struct perf_stacked *s, int column)
{
	if (column == S_DEVICE)
		return s->by_device;
	return s->group != GROUP_CATEGORY || column <= S_COUNT;
}

static double stacked_figure(const struct perf_stack *stack, int column)
{
	return *(const double *)((const char *)stack + columns[column].offset);
}

/* A cell of the text table, without its padding. */
static void cell_text(const struct perf_stack *stack, int column, struct buf *out)
{
	char number[FMT_FIXED_SIZE];

	if (column == S_KEY)
		buf_adds(out, stack->key);
	else if (column == S_DEVICE) {
		buf_addf(out, "%d", stack->device);
	} else if (column == S_COUNT) {
		buf_addf(out, "%llu", (unsigned long long)stack->count);
	} else if (column == S_CATEGORY) {
		buf_adds(out, perf_category_name(stack->category));
	} else if (!isnan(stacked_figure(stack, column))) {
		buf_add(out, number, fmt_fixed(number, stacked_figure(stack, column), 2));
		buf_addf(out, " %s", columns[column].unit);
	}
}

/*
 * With separate devices the lines are sorted by device and then by the share as a text: "9.17 %"
 * comes before "58.97 %", as in the tables that ours match; the CSV is sorted by time.
 */
static int compare_text(const void *a, const void *b)
{
	const struct perf_stack *x = *(const struct perf_stack *const *)a,
				*y = *(const struct perf_stack *const *)b;
	char s[FMT_FIXED_SIZE], t[FMT_FIXED_SIZE];
	int order;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	fmt_fixed(s, x->share, 2);
	fmt_fixed(t, y->share, 2);
	strcat(s, " %");
	strcat(t, " %");
	order = strcmp(t, s);
	return order ? order : x < y ? -1 : x > y;
}

static void stacked_pad(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, ' ');
}

/* Left-aligned for the key, else right-aligned. */
static void add_aligned(struct buf *out, int column, const struct buf *text, size_t width,
			enum term_color color)
{
	size_t used = term_width(text->data, text->len), gap = width > used ? width - used : 0;

	if (column)
		buf_add(out, "  ", 2);
	if (column != S_KEY)
		stacked_pad(out, gap);
	term_add(out, color, text->data, text->len);
	if (column == S_KEY)
		stacked_pad(out, gap);
}

static void stacked_line_add(const struct perf_stacked *s, const struct perf_stack *stack,
			     const size_t *width, struct perf_style style, struct buf *out)
{
	struct buf text = BUF_INIT, safe = BUF_INIT;

	for (int i = 0; i < S_COLUMNS; i++) {
		bool colored = stack && i == S_KEY && style.color;

		if (!stacked_shown(s, i) || !width[i])
			continue;
		buf_reset(&text);
		if (stack)
			cell_text(stack, i, &text);
		else
			buf_adds(&text, columns[i].title);
		if (style.safe) {
			buf_reset(&safe);
			term_add_safe(&safe, text.data, text.len);
		}
		add_aligned(out, i, style.safe ? &safe : &text, width[i],
			    colored ? perf_op_color(stack->key) : TERM_NONE);
	}
	buf_addc(out, '\n');
	buf_free(&text);
	buf_free(&safe);
}

static void add_rule(const struct perf_stacked *s, const size_t *width, struct buf *out)
{
	bool first = true;

	for (int i = 0; i < S_COLUMNS; i++) {
		if (!stacked_shown(s, i) || !width[i])
			continue;
		for (size_t n = width[i] + (first ? 0 : 2); n; n--)
			buf_addc(out, '-');
		first = false;
	}
	buf_addc(out, '\n');
}

static void stacked_measure(const struct perf_stacked *s, size_t *width)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < S_COLUMNS; i++) {
		width[i] = strlen(columns[i].title);
		for (size_t k = 0; k < s->n; k++) {
			size_t n;

			buf_reset(&text);
			cell_text(&s->v[k], i, &text);
			n = term_width(text.data, text.len);
			width[i] = n > width[i] ? n : width[i];
		}
	}
	buf_free(&text);
}

/* Leaves out the last columns that do not fit into the terminal: their width becomes 0. */
static void stacked_fit(const struct perf_stacked *s, size_t *width, size_t room)
{
	size_t all = 0;

	for (int i = 0; i < S_COLUMNS; i++)
		all += stacked_shown(s, i) ? width[i] + 2 : 0;
	for (int i = S_COLUMNS - 1; i > S_TIME && room && all > room + 2; i--) {
		if (!stacked_shown(s, i))
			continue;
		all -= width[i] + 2;
		width[i] = 0;
	}
}

void perf_stacked_text(const struct perf_stacked *s, struct perf_style style, struct buf *out)
{
	const struct perf_stack **order = malloc((s->n + 1) * sizeof(const struct perf_stack *));
	size_t width[S_COLUMNS];

	if (!order) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		order[i] = &s->v[i];
	if (s->by_device)
		qsort(order, s->n, sizeof(const struct perf_stack *), compare_text);
	stacked_measure(s, width);
	stacked_fit(s, width, style.columns);
	stacked_line_add(s, NULL, width, (struct perf_style){0}, out);
	add_rule(s, width, out);
	for (size_t i = 0; i < s->n; i++)
		stacked_line_add(s, order[i], width, style, out);
	add_rule(s, width, out);
	free(order);
}

static void csv_line(const struct perf_stacked *s, const struct perf_stack *stack, bool quoted,
		     struct buf *out)
{
	for (int i = 0; i < S_COLUMNS; i++) {
		struct buf text = BUF_INIT;

		if (!stacked_shown(s, i))
			continue;
		if (i)
			buf_addc(out, ',');
		if (!stack) {
			buf_addf(out, columns[i].unit ? "%s [%s]" : "%s", columns[i].title,
				 columns[i].unit);
		} else if (columns[i].unit) {
			double value = stacked_figure(stack, i);

			/* If the total time is 0, a share is "0"; by device, it is "0.00". */
			if ((i == S_SHARE && s->no_time && !s->by_device) ||
			    (i == S_TIME && s->time_blank))
				buf_addc(out, '0');
			else if (!isnan(value))
				buf_addf(out, "%.2f", value);
		} else {
			if (i == S_KEY && quoted && strchr("=+-@\t\r", stack->key[0]))
				buf_addc(&text, '\'');
			cell_text(stack, i, &text);
			csv_add(out, text.data, text.len);
		}
		buf_free(&text);
	}
	buf_addc(out, '\n');
}

void perf_stacked_csv(const struct perf_stacked *s, bool quoted, struct buf *out)
{
	csv_line(s, NULL, quoted, out);
	for (size_t i = 0; i < s->n; i++)
		csv_line(s, &s->v[i], quoted, out);
}
