/* SPDX-License-Identifier: Apache-2.0 */
/* The description of an op: copies that outlive the caller's data. */
#include "device/kernel_build.h"
#include "device/op.h"
#include "device/program.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 65536u /* limits of attributes and tensors */

void op_info_free(struct op_info *info)
{
	if (!info)
		return;
	free(info->name);
	free(info->type);
	free(info->fidelity);
	for (size_t i = 0; i < info->attributes.n; i++) {
		free((char *)info->attributes.v[i].name);
		free((char *)info->attributes.v[i].value);
	}
	vec_free(&info->attributes);
	vec_free(&info->inputs);
	vec_free(&info->outputs);
	vec_free(&info->input_bws);
	vec_free(&info->output_bws);
	free(info);
}

static int copy_text(char **to, const char *text)
{
	*to = text ? strdup(text) : NULL;
	return text && !*to ? TACHO_ENOMEM : 0;
}

#define COPY_LIST(to, from, count)                                                        \
	((count) && vec_reserve((to), (count)) < 0                                        \
		 ? TACHO_ENOMEM                                                           \
		 : ((count) ? memcpy((to)->v, (from), (count) * sizeof(*(to)->v)) : NULL, \
		    (to)->n = (count), 0))

/* By name, then in the given order. */
static int by_name(const void *a, const void *b)
{
	const struct tacho_attribute *x = *(const struct tacho_attribute *const *)a;
	const struct tacho_attribute *y = *(const struct tacho_attribute *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

static int copy_attribute(struct op_info *info, const struct tacho_attribute *a)
{
	char *name = strdup(a->name), *value = strdup(a->value ? a->value : "");

	if (name && value &&
	    vec_push(&info->attributes, ((struct tacho_attribute){name, value})) == 0)
		return 0;
	free(name);
	free(value);
	return TACHO_ENOMEM;
}

/* Unnamed attributes are dropped; of a duplicate name the last value counts. */
static int copy_attributes(struct op_info *info, const struct tacho_op *op)
{
	struct {
		VEC(const struct tacho_attribute *);
	} sorted = {0};
	int r = 0;

	for (unsigned i = 0; r == 0 && i < op->attribute_count; i++)
		if (op->attributes[i].name)
			r = vec_push(&sorted, &op->attributes[i]);
	if (sorted.n)
		qsort(sorted.v, sorted.n, sizeof(*sorted.v), by_name);
	for (size_t i = 0; r == 0 && i < sorted.n; i++)
		if (i + 1 == sorted.n || strcmp(sorted.v[i]->name, sorted.v[i + 1]->name) != 0)
			r = copy_attribute(info, sorted.v[i]);
	vec_free(&sorted);
	return r;
}

/* The stored shape of a tensor when the caller does not give it: whole tiles. */
static void pad_tensor(struct tacho_tensor *t)
{
	bool padded = false;

	for (int i = 0; i < 4; i++) {
		padded |= t->padded[i] != 0;
		if (!t->shape[i])
			t->shape[i] = 1;
	}
	for (int i = 0; i < 4 && !padded; i++)
		t->padded[i] = t->layout == TACHO_TILE && i >= 2 ? (t->shape[i] + 31) / 32 * 32
								 : t->shape[i];
	for (int i = 0; i < 4; i++)
		if (!t->padded[i])
			t->padded[i] = t->shape[i];
}

static int copy_lists(struct op_info *info, const struct tacho_op *op)
{
	if (COPY_LIST(&info->inputs, op->inputs, op->input_count) < 0 ||
	    COPY_LIST(&info->outputs, op->outputs, op->output_count) < 0 ||
	    COPY_LIST(&info->input_bws, op->input_bws, op->input_bw_count) < 0 ||
	    COPY_LIST(&info->output_bws, op->output_bws, op->output_bw_count) < 0)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < info->inputs.n; i++)
		pad_tensor(&info->inputs.v[i]);
	for (size_t i = 0; i < info->outputs.n; i++)
		pad_tensor(&info->outputs.v[i]);
	return copy_attributes(info, op);
}

int op_info_copy(struct op_info **out, const struct tacho_op *op)
{
	struct op_info *info;

	*out = NULL;
	if (!op)
		return 0;
	if (op->attribute_count > PARTS_MAX || op->input_count > PARTS_MAX ||
	    op->output_count > PARTS_MAX || op->input_bw_count > PARTS_MAX ||
	    op->output_bw_count > PARTS_MAX)
		return device_fail(TACHO_ELIMIT, "an op has at most %u attributes or tensors",
				   PARTS_MAX);
	info = calloc(1, sizeof(*info));
	if (info) {
		info->ideal_ns = op->ideal_ns;
		info->compute_ns = op->compute_ns;
		info->bandwidth_ns = op->bandwidth_ns;
	}
	if (!info || copy_text(&info->name, op->name) < 0 || copy_text(&info->type, op->type) < 0 ||
	    copy_text(&info->fidelity, op->fidelity) < 0 || copy_lists(info, op) < 0) {
		op_info_free(info);
		return device_fail(TACHO_ENOMEM, "no memory");
	}
	*out = info;
	return 0;
}

/* ---- kernels ---- */
void op_kernels_free(struct op_kernels *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i].source);
	vec_free(k);
	memset(k->sizes, 0, sizeof(k->sizes));
}

static bool has_kernel(const struct op_kernels *k, const struct op_source *one)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].key == one->key && k->v[i].compute == one->compute)
			return true;
	return false;
}

int op_kernels_add(struct op_kernels *k, const struct op_kernels *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct op_source copy = from->v[i];

		if (has_kernel(k, &copy))
			continue;
		copy.source = strdup(copy.source);
		if (!copy.source || vec_push(k, copy) < 0) {
			free(copy.source);
			return device_fail(TACHO_ENOMEM, "no memory");
		}
	}
	for (int i = 0; i < OP_SIZES; i++)
		if (from->sizes[i] > k->sizes[i])
			k->sizes[i] = from->sizes[i];
	return 0;
}

int op_kernels_of(struct op_kernels *out, const struct tacho_program *p)
{
	struct op_kernels all = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->kernels.n; i++) {
		const struct program_kernel *k = &p->kernels.v[i];
		struct op_source one = {.source = k->source,
					.compute = k->risc == TACHO_COMPUTE,
					.fidelity = k->fidelity};
		struct op_kernels add = {.v = &one, .n = 1};

		for (unsigned risc = DEVICE_RISCS; risc-- > 0;) {
			const struct binary *b = k->binary[risc];
			unsigned size;

			if (!b)
				continue;
			one.key = b->key;
			size = k->risc == TACHO_ERISC ? OP_SIZE_ETH_0
			       : risc == 0            ? OP_SIZE_BRISC
			       : risc == 1            ? OP_SIZE_NCRISC
						      : OP_SIZE_TRISC_0 + risc - 2;
			add.sizes[size] = b->text_size;
		}
		r = op_kernels_add(&all, &add);
	}
	op_kernels_free(out);
	*out = all;
	return r;
}
