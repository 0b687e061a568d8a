/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of programs that run ops, and their launch. */
#include "nn/call.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 32u

struct nn_program {
	uint64_t hash, described; /* of the key; of the attributes */
	char *key;
	struct tacho_program *program;
	struct tacho_core_range ranges[2];
	unsigned range_count, cores, columns;
	int kernels[3]; /* reader, writer, compute; -1: none */
};

static __thread char nn_reason[4096];

const char *nn_error(void)
{
	return nn_reason;
}

int nn_fail(struct nn *nn, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(nn_reason, sizeof(nn_reason), format, args);
	va_end(args);
	if (nn->failed)
		nn->failed(nn_reason);
	return -1;
}

int nn_result(struct nn *nn, int result)
{
	return result < 0 ? nn_fail(nn, "%s", tacho_device_error()) : result;
}

int nn_open(struct nn *nn, const char *arch)
{
	struct tacho_device_options options = {.arch = arch};

	if (nn_result(nn, tacho_device_open(&nn->device, &options)) < 0)
		return -1;
	tacho_device_info(nn->device, &nn->info);
	return 0;
}

static void program_free(struct nn_program *p)
{
	tacho_program_free(p->program);
	free(p->key);
	free(p);
}

void nn_programs_free(struct nn *nn)
{
	for (unsigned i = 0; i < nn->program_count; i++)
		program_free(nn->programs[i]);
	free(nn->programs);
	nn->programs = NULL;
	nn->program_count = nn->entries = 0;
}

void nn_close(struct nn *nn)
{
	nn_programs_free(nn);
	tacho_device_close(nn->device);
	*nn = (struct nn){0};
}

int nn_finish(struct nn *nn)
{
	return nn_result(nn, tacho_finish(nn->device));
}

static void key_tensor(char *key, size_t size, const struct nn_tensor *t)
{
	size_t n = strlen(key);

	n += (size_t)snprintf(key + n, size - n, " %ux%ux%ux%u.%u.%u.%u", t->shape[0], t->shape[1],
			      t->shape[2], t->shape[3], (unsigned)t->format, (unsigned)t->memory,
			      (unsigned)t->layout);
	if (t->shards && n < size)
		snprintf(key + n, size - n, ".%ux%ux%u", t->shards->rows, t->shards->columns,
			 t->shards->bank_count);
}

/* The op, its variant, shapes and places of its tensors, and the split of its work. */
static void call_key(const struct nn_call *c, char *key, size_t size)
{
	snprintf(key, size, "%s %s %s %s %u %u %ux%u", c->name, c->variant ? c->variant : "",
		 c->define ? c->define : "", c->reader ? c->reader : c->writer, c->units,
		 (unsigned)c->fidelity, c->grid_columns, c->grid_rows);
	for (unsigned i = 0; i < c->inputs; i++)
		key_tensor(key, size, c->in[i]);
	for (unsigned i = 0; i < c->outputs; i++)
		key_tensor(key, size, c->out[i]);
}

static int program_buffers(struct nn *nn, struct nn_program *p, const struct nn_call *c)
{
	for (unsigned i = 0; i < NN_CBS; i++) {
		const struct nn_cb *cb = &c->cbs[i];
		uint32_t size = cb->bytes                    ? (cb->bytes + 15) / 16 * 16
				: cb->format == TACHO_UINT32 ? SIDE * 4
							     : nn_tile_size(cb->format);

		if (!cb->pages)
			continue;
		if (nn_result(nn, tacho_program_cb(p->program,
						   &(struct tacho_cb){.index = cb->index,
								      .ranges = p->ranges,
								      .range_count = p->range_count,
								      .pages = cb->pages,
								      .page_size = size,
								      .format = cb->format})) < 0)
			return -1;
	}
	return 0;
}

uint32_t nn_cores(const struct nn *nn, uint32_t tiles)
{
	uint32_t n = (tiles + (nn->share ? nn->share - 1 : 0)) / (nn->share ? nn->share : 1);

	return n < nn->info.cores ? n : nn->info.cores;
}

/* Whole rows of the grid, then part of one. */
static void program_cores(struct nn *nn, struct nn_program *p, const struct nn_call *c)
{
	uint32_t columns = c->grid_columns && c->grid_columns < nn->info.columns ? c->grid_columns
										 : nn->info.columns;
	uint32_t rows = c->grid_rows && c->grid_rows < nn->info.rows ? c->grid_rows : nn->info.rows;
	uint32_t cores = c->tiles ? nn_cores(nn, c->units) : c->units;
	uint16_t whole, rest;

	if (cores > rows * columns)
		cores = rows * columns;
	whole = (uint16_t)(cores / columns);
	rest = (uint16_t)(cores % columns);
	p->cores = cores;
	p->columns = columns;
	if (whole)
		p->ranges[p->range_count++] = (struct tacho_core_range){
			{0, 0}, {(uint16_t)(columns - 1), (uint16_t)(whole - 1)}};
	if (rest)
		p->ranges[p->range_count++] =
			(struct tacho_core_range){{0, whole}, {(uint16_t)(rest - 1), whole}};
}

static int program_kernels(struct nn *nn, struct nn_program *p, const struct nn_call *c)
{
	static const enum tacho_risc riscs[] = {TACHO_NCRISC, TACHO_BRISC, TACHO_COMPUTE};
	const char *sources[] = {c->reader, c->writer, c->compute};
	char tensors[24], inputs[24], outputs[24], path[4096];

	snprintf(tensors, sizeof(tensors), "TENSORS=%u", c->inputs + c->outputs);
	snprintf(inputs, sizeof(inputs), "INPUTS=%u", c->inputs);
	snprintf(outputs, sizeof(outputs), "OUTPUTS=%u", c->outputs);
	for (int i = 0; i < 3; i++) {
		const char *defines[8] = {c->define};
		unsigned n = c->define ? 1 : 0;

		p->kernels[i] = -1;
		if (!sources[i])
			continue;
		if (i == 0 && c->writer && c->reader == c->writer)
			defines[n++] = "READ";
		if (i < 2) {
			defines[n++] = tensors;
			defines[n++] = inputs;
			defines[n++] = outputs;
		}
		if (nn_result(nn, tacho_op_kernel(sources[i], path, sizeof(path))) < 0)
			return -1;
		p->kernels[i] = nn_result(
			nn, tacho_program_kernel(p->program, &(struct tacho_kernel){
								     .source = path,
								     .risc = riscs[i],
								     .ranges = p->ranges,
								     .range_count = p->range_count,
								     .defines = defines,
								     .fidelity = c->fidelity,
							     }));
		if (p->kernels[i] < 0)
			return -1;
	}
	return 0;
}

static double tensor_bytes(const struct nn_tensor *t)
{
	return (double)nn_pages(t) * nn_page_size(t);
}

/* The description of a call for the report; the strings are the call's. */
struct nn_description {
	struct tacho_op op;
	struct tacho_tensor tensors[NN_TENSORS + NN_OUTPUTS];
	struct tacho_attribute attributes[NN_ATTRIBUTES];
	double bws[NN_TENSORS + NN_OUTPUTS];
};

/* The performance model: the busiest core's cycles in the engine, and all bytes through DRAM. */
static void call_describe(const struct nn *nn, const struct nn_program *p, const struct nn_call *c,
			  struct nn_description *d)
{
	uint32_t most = (c->units + p->cores - 1) / p->cores;
	uint64_t compute, bandwidth, ideal;
	double bytes = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < c->inputs + c->outputs; i++) {
		const struct nn_tensor *t = i < c->inputs ? c->in[i] : c->out[i - c->inputs];

		d->tensors[i] = (struct tacho_tensor){.layout = t->layout,
						      .format = t->format,
						      .memory = t->memory,
						      .sharding = t->shards ? t->shards->sharding
									    : TACHO_INTERLEAVED};
		memcpy(d->tensors[i].shape, t->shape, sizeof(t->shape));
		if (t->memory == TACHO_DRAM)
			bytes += tensor_bytes(t);
	}
	for (; n < NN_ATTRIBUTES && c->attributes[n].name; n++)
		d->attributes[n] =
			(struct tacho_attribute){c->attributes[n].name, c->attributes[n].value};
	compute = c->ideal_cycles > 0 ? (uint64_t)(c->ideal_cycles * 1000 / nn->info.mhz)
				      : (uint64_t)most * c->cycles * 1000 / nn->info.mhz;
	bandwidth = (uint64_t)(bytes / nn->info.dram_gbs);
	ideal = compute > bandwidth ? compute : bandwidth;
	if (!ideal)
		ideal = 1;
	for (unsigned i = 0; i < c->inputs + c->outputs; i++)
		d->bws[i] = tensor_bytes(i < c->inputs ? c->in[i] : c->out[i - c->inputs]) /
			    (double)ideal;
	d->op = (struct tacho_op){
		.name = c->name,
		.attributes = d->attributes,
		.attribute_count = n,
		.inputs = d->tensors,
		.input_count = c->inputs,
		.outputs = d->tensors + c->inputs,
		.output_count = c->outputs,
		.compute_ns = compute,
		.bandwidth_ns = bandwidth,
		.ideal_ns = ideal,
		.input_bws = d->bws,
		.input_bw_count = c->inputs,
		.output_bws = d->bws + c->inputs,
		.output_bw_count = c->outputs,
	};
}

static int program_make(struct nn *nn, struct nn_program *p, const struct nn_call *c)
{
	uint32_t at = 0;

	if (nn_result(nn, tacho_program_new(&p->program, nn->device)) < 0)
		return -1;
	program_cores(nn, p, c);
	if (program_buffers(nn, p, c) < 0 || program_kernels(nn, p, c) < 0)
		return -1;
	/* Each core works on a run of units. */
	for (unsigned i = 0; i < p->cores; i++) {
		struct tacho_core core = {(uint16_t)(i % p->columns), (uint16_t)(i / p->columns)};
		uint32_t args[] = {at, c->units / p->cores + (i < c->units % p->cores)};

		for (int k = 0; k < 3; k++)
			if (p->kernels[k] >= 0 &&
			    nn_result(nn, tacho_program_args(p->program, p->kernels[k], core, args,
							     2)) < 0)
				return -1;
		at += args[1];
	}
	return 0;
}

static struct nn_program *program_new(struct nn *nn, const struct nn_call *c, const char *key,
				      uint64_t hash)
{
	struct nn_program **all =
		realloc(nn->programs, (nn->program_count + 1) * sizeof(*nn->programs));
	struct nn_program *p = calloc(1, sizeof(*p));

	if (all)
		nn->programs = all;
	if (p)
		p->key = strdup(key);
	if (!all || !p || !p->key) {
		free(p);
		nn_fail(nn, "no memory");
		return NULL;
	}
	p->hash = hash;
	if (program_make(nn, p, c) < 0) {
		program_free(p);
		return NULL;
	}
	nn->programs[nn->program_count++] = p;
	nn->entries += !nn->capturing;
	return p;
}

static struct nn_program *program_find(struct nn *nn, const struct nn_call *c)
{
	char key[1024];
	uint64_t hash;

	call_key(c, key, sizeof(key));
	if (nn->capturing) /* never reused */
		snprintf(key, sizeof(key), "trace %u", nn->program_count);
	hash = hash_bytes(HASH_START, key, strlen(key));
	hash = hash_bytes(hash, c->cbs, sizeof(c->cbs));
	for (unsigned i = 0; i < nn->program_count; i++)
		if (nn->programs[i]->hash == hash && !strcmp(nn->programs[i]->key, key))
			return nn->programs[i];
	return program_new(nn, c, key, hash);
}

/* Where shards are, as op_page() in firmware/ops/ops.h reads it; the number of words. */
static unsigned shards_words(const struct nn *nn, const struct nn_tensor *t, uint32_t *words)
{
	const struct nn_shards *s = t->shards;
	uint8_t *banks = (uint8_t *)(words + 4);
	uint32_t columns = nn_page_columns(t);

	words[0] = columns;
	words[1] = s->rows;
	words[2] = s->columns;
	words[3] = (columns + s->columns - 1) / s->columns;
	for (unsigned i = 0; i < s->bank_count; i++)
		banks[i] = (uint8_t)(s->banks[i].y * nn->info.columns + s->banks[i].x);
	return 4 + (s->bank_count + 3) / 4;
}

static int program_args(struct nn *nn, const struct nn_program *p, const struct nn_call *c)
{
	uint32_t words[2 * (NN_TENSORS + NN_OUTPUTS) + NN_WORDS];
	uint32_t shards[(NN_TENSORS + NN_OUTPUTS) * (4 + NN_BANKS / 4)];
	unsigned tensors = c->inputs + c->outputs, shard_words = 0;
	unsigned places[NN_TENSORS + NN_OUTPUTS]; /* of their words in shards */

	for (unsigned i = 0; i < tensors; i++) {
		const struct nn_tensor *t = i < c->inputs ? c->in[i] : c->out[i - c->inputs];

		words[2 * i] = tacho_buffer_address(t->buffer);
		words[2 * i + 1] = t->memory == TACHO_L1;
		places[i] = shard_words;
		if (t->shards)
			shard_words += shards_words(nn, t, shards + shard_words);
	}
	for (int k = 0; k < 3; k++) {
		const uint32_t *own = k == 1   ? c->writer_words
				      : k == 2 ? c->compute_words
					       : c->words;
		unsigned skip = k == 2 ? 2 * tensors : 0; /* compute kernels take no tensors */
		unsigned n = k && own[0]     ? NN_OWN_WORDS
			     : c->word_count ? c->word_count
					     : NN_OWN_WORDS;

		if (p->kernels[k] < 0)
			continue;
		memcpy(words + 2 * tensors, own[0] ? own : c->words, n * sizeof(words[0]));
		if (k < 2 && shard_words) {
			unsigned end = 2 * tensors + n;

			if (end + shard_words > NN_WORDS)
				return nn_fail(nn, "%s: too many sharded tensors", c->name);
			memcpy(words + end, shards, shard_words * sizeof(words[0]));
			for (unsigned i = 0; i < tensors; i++)
				if ((i < c->inputs ? c->in[i] : c->out[i - c->inputs])->shards)
					words[2 * i + 1] = end + places[i];
			n += shard_words;
		}
		if (nn_result(nn, tacho_program_common_args(p->program, p->kernels[k], words + skip,
							    2 * tensors + n - skip)) < 0)
			return -1;
	}
	return 0;
}

int nn_run(struct nn *nn, const struct nn_call *c)
{
	struct nn_program *p = program_find(nn, c);
	uint64_t described = HASH_START;
	struct nn_description d;

	if (!p || program_args(nn, p, c) < 0)
		return -1;
	for (unsigned i = 0; i < NN_ATTRIBUTES && c->attributes[i].name; i++)
		described = hash_text(described, c->attributes[i].value);
	call_describe(nn, p, c, &d);
	if (nn->group && nn_result(nn, tacho_op_begin(nn->group, nn->group_count, &d.op)) < 0)
		return -1;
	if (p->described != described && nn_result(nn, tacho_op_describe(p->program, &d.op)) < 0)
		return -1;
	p->described = described;
	nn->ops++;
	return nn_result(nn, tacho_enqueue(nn->device, p->program));
}

/* ---- calls ---- */
void nn_call_begin(struct nn_call *c, const struct nn_job *job)
{
	c->name = job->name;
	c->inputs = job->inputs;
	c->outputs = job->outputs;
	for (unsigned i = 0; i < job->inputs; i++)
		c->in[i] = &job->in[i];
	for (unsigned i = 0; i < job->outputs; i++)
		c->out[i] = &job->out[i];
	c->fidelity = (enum tacho_fidelity)job->fidelity;
	c->grid_columns = job->grid_columns;
	c->grid_rows = job->grid_rows;
	for (unsigned i = 0; i < job->attribute_count; i += 2)
		nn_attribute_add(c, job->attributes[i], "%s", job->attributes[i + 1]);
}

void nn_attribute_add(struct nn_call *c, const char *name, const char *format, ...)
{
	va_list args;
	unsigned n = 0;

	while (n < NN_ATTRIBUTES - 1 && c->attributes[n].name)
		n++;
	c->attributes[n].name = name;
	va_start(args, format);
	vsnprintf(c->attributes[n].value, sizeof(c->attributes[n].value), format, args);
	va_end(args);
}

void nn_attribute_memory(struct nn_call *c, const char *name, const struct nn_tensor *t)
{
	nn_attribute_add(c, name,
			 "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,"
			 "buffer_type=BufferType::%s)",
			 t->memory == TACHO_L1 ? "L1" : "DRAM");
}

const char *nn_dtype_name(const struct nn_tensor *t)
{
	return t->format == TACHO_BFLOAT16  ? "DataType::BFLOAT16"
	       : t->format == TACHO_FLOAT32 ? "DataType::FLOAT32"
	       : t->format == TACHO_BFP8_B  ? "DataType::BFLOAT8_B"
	       : t->format == TACHO_BFP4_B  ? "DataType::BFLOAT4_B"
	       : t->format == TACHO_INT32   ? "DataType::INT32"
					    : "DataType::UINT32";
}

uint32_t nn_float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	return bits;
}

unsigned nn_cycles(const char *op)
{
	return tacho_tile_cycles(op, TACHO_HIFI4);
}
