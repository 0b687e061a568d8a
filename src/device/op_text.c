/* SPDX-License-Identifier: Apache-2.0 */
/* Describes ops as JSON, with the keys that readers of such logs know: see docs/device.md. */
#include "base/fmt.h"
#include "base/json.h"
#include "base/text.h"
#include "device/kernel_build.h"
#include "device/op.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAMED(list, value) \
	((size_t)(value) < sizeof(list) / sizeof((list)[0]) ? (list)[value] : "?")

static const char *const layouts[] = {[TACHO_ROW_MAJOR] = "ROW_MAJOR", [TACHO_TILE] = "TILE"};
static const char *const memories[] = {[TACHO_DRAM] = "DRAM", [TACHO_L1] = "L1"};
static const char *const sharding[] = {[TACHO_INTERLEAVED] = "INTERLEAVED",
				       [TACHO_HEIGHT_SHARDED] = "HEIGHT_SHARDED",
				       [TACHO_WIDTH_SHARDED] = "WIDTH_SHARDED",
				       [TACHO_BLOCK_SHARDED] = "BLOCK_SHARDED",
				       [TACHO_SINGLE_BANK] = "SINGLE_BANK"};
static const char *const fidelities[] = {[TACHO_HIFI4] = "HiFi4",
					 [TACHO_LOFI] = "LoFi",
					 [TACHO_HIFI2] = "HiFi2",
					 [TACHO_HIFI3] = "HiFi3"};
static const char *const size_names[OP_SIZES] = {
	[OP_SIZE_ETH_0] = "ACTIVE_ETH_DM_0",    [OP_SIZE_ETH_1] = "ACTIVE_ETH_DM_1",
	[OP_SIZE_IDLE_ETH_0] = "IDLE_ETH_DM_0", [OP_SIZE_IDLE_ETH_1] = "IDLE_ETH_DM_1",
	[OP_SIZE_TRISC_0] = "TENSIX_COMPUTE_0", [OP_SIZE_TRISC_1] = "TENSIX_COMPUTE_1",
	[OP_SIZE_TRISC_2] = "TENSIX_COMPUTE_2", [OP_SIZE_BRISC] = "TENSIX_DM_0",
	[OP_SIZE_NCRISC] = "TENSIX_DM_1",
};

static const char *format_name(enum tacho_format format)
{
	switch (format) {
	case TACHO_FLOAT32:
		return "FLOAT32";
	case TACHO_BFLOAT16:
		return "BFLOAT16";
	case TACHO_BFP8_B:
		return "BFLOAT8_B";
	case TACHO_BFP4_B:
		return "BFLOAT4_B";
	case TACHO_INT32:
		return "INT32";
	case TACHO_UINT32:
		return "UINT32";
	}
	return "?";
}

/* ---- the description ---- */
static void add_shape(struct json *j, const struct tacho_tensor *t)
{
	static const struct {
		const char *name;
		int at;
	} sides[] = {{"W", 0}, {"X", 3}, {"Y", 2}, {"Z", 1}};
	char text[64];

	json_object(j, "shape");
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		snprintf(text, sizeof(text), "%" PRIu32 "[%" PRIu32 "]", t->padded[sides[i].at],
			 t->shape[sides[i].at]);
		json_text(j, sides[i].name, text);
	}
	json_end(j);
}

static void add_tensor(struct json *j, const struct tacho_tensor *t, unsigned device)
{
	json_object(j, NULL);
	json_text(j, "dtype", format_name(t->format));
	json_text(j, "layout", NAMED(layouts, t->layout));
	add_shape(j, t);
	if (t->on_host) {
		json_text(j, "storage_type", "HOST");
	} else {
		json_object(j, "storage_type");
		json_uint(j, "device_id", device);
		json_object(j, "memory_config");
		json_text(j, "buffer_type", NAMED(memories, t->memory));
		json_text(j, "memory_layout", NAMED(sharding, t->sharding));
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void add_tensors(struct json *j, const char *key, const struct tacho_tensor *v, size_t n,
			unsigned device)
{
	json_array(j, key);
	for (size_t i = 0; i < n; i++)
		add_tensor(j, &v[i], device);
	json_end(j);
}

static void add_attributes(struct json *j, const struct op_info *info)
{
	json_object(j, "attributes");
	for (size_t i = 0; info && i < info->attributes.n; i++)
		json_text(j, info->attributes.v[i].name, info->attributes.v[i].value);
	json_end(j);
}

/* The name of a file, without folder and suffix. */
static void add_stem(struct buf *out, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	buf_add(out, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static void add_kernels(struct json *j, const struct op_form *form)
{
	static const char *const lists[] = {"datamovement_kernels", "compute_kernels"};
	char key[64];

	json_object(j, "kernel_info");
	for (int compute = 1; compute >= 0; compute--) {
		json_array(j, lists[compute]);
		for (size_t i = 0; i < form->kernels->n; i++)
			if (form->kernels->v[i].compute == (compute == 1)) {
				const struct op_source *k = &form->kernels->v[i];
				const char *said = form->info ? form->info->fidelity : NULL;
				struct buf name = BUF_INIT;

				add_stem(&name, k->source);
				buf_addf(&name, "/%" PRIu64 "/", k->key);
				json_object(j, NULL);
				if (k->compute)
					json_text(j, "math_fidelity",
						  said ? said : NAMED(fidelities, k->fidelity));
				json_text(j, "name", name.data);
				json_text(j, "source", k->source);
				json_end(j);
				buf_free(&name);
			}
		json_end(j);
	}
	json_object(j, "kernel_sizes");
	for (int i = 0; i < OP_SIZES; i++) {
		snprintf(key, sizeof(key), "%s_max_kernel_size", size_names[i]);
		json_uint(j, key, form->kernels->sizes[i]);
	}
	json_end(j);
	json_end(j);
}

/* Always with a decimal point, so that readers parse a real number. */
static void add_reals(struct json *j, const char *key, const double *v, size_t n)
{
	char text[FMT_SIZE];

	json_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_number(j, NULL, fmt_double(text, v[i]) ? fmt_python(text, v[i]) : NULL);
	json_end(j);
}

static uint64_t or_1(uint64_t ns)
{
	return ns ? ns : 1;
}

void op_text_name(struct buf *out, const struct op_form *form)
{
	const struct op_source *named = NULL;

	if (form->info && form->info->name && form->info->name[0]) {
		buf_adds(out, form->info->name);
		return;
	}
	for (size_t i = 0; form->kernels && i < form->kernels->n; i++)
		if (!named || (form->kernels->v[i].compute && !named->compute))
			named = &form->kernels->v[i];
	if (named)
		add_stem(out, named->source);
	else
		buf_adds(out, "program");
}

static const char *type_of(const struct op_form *form, const char *otherwise)
{
	return form->info && form->info->type ? form->info->type : otherwise;
}

static void add_inputs(struct json *j, const struct op_info *info, unsigned device)
{
	add_tensors(j, "input_tensors", info ? info->inputs.v : NULL, info ? info->inputs.n : 0,
		    device);
}

static void add_members(struct json *j, const struct op_form *form, unsigned device)
{
	const struct op_info *info = form->info;

	add_attributes(j, info);
	add_inputs(j, info, device);
	add_kernels(j, form);
	json_text(j, "op_type", type_of(form, "tt_dnn_device"));
	json_array(j, "optional_input_tensors");
	json_end(j);
	add_tensors(j, "output_tensors", info ? info->outputs.v : NULL, info ? info->outputs.n : 0,
		    device);
	json_object(j, "performance_model");
	json_uint(j, "bandwidth_ns", or_1(info ? info->bandwidth_ns : 0));
	json_uint(j, "compute_ns", or_1(info ? info->compute_ns : 0));
	json_uint(j, "ideal_ns", or_1(info ? info->ideal_ns : 0));
	add_reals(j, "input_bws", info ? info->input_bws.v : NULL, info ? info->input_bws.n : 0);
	add_reals(j, "output_bws", info ? info->output_bws.v : NULL, info ? info->output_bws.n : 0);
	json_end(j);
}

void op_text(struct buf *out, const struct op_form *form, unsigned device, bool whole)
{
	struct buf name = BUF_INIT;
	struct json j;

	op_text_name(&name, form);
	buf_add(out, name.data, name.len);
	if (whole) {
		buf_addc(out, 0);
		json_init(&j, out);
		j.flat = 1;
		json_object(&j, NULL);
		json_text(&j, "op_code", name.data);
		if (device == TRACE_NONE) {
			/* Of an op that runs on the host. */
			if (form->info && form->info->attributes.n)
				add_attributes(&j, form->info);
			else
				json_null(&j, "attributes");
			add_inputs(&j, form->info, 0);
			json_text(&j, "op_type", type_of(form, "python_fallback"));
		} else
			add_members(&j, form, device);
		json_end(&j);
		out->len -= out->len > 0; /* the newline */
	}
	out->failed |= name.failed;
	buf_free(&name);
}

/* Equal on all devices; never 0. */
uint64_t op_text_hash(const struct op_form *form)
{
	struct buf text = BUF_INIT;
	uint64_t h;

	op_text(&text, form, 0, true);
	h = hash_bytes(HASH_START, text.data, text.len);
	buf_free(&text);
	return h ? h : 1;
}
