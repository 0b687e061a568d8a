/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors on a device, and the cache of programs that run ops on them. */
#include "nn_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 32u

void nn_fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("nano_gpt: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

int nn_check(int result)
{
	if (result < 0)
		nn_fail("%s", tacho_device_error());
	return result;
}

void nn_open(struct nn *nn)
{
	nn_check(tacho_device_open(&nn->device, NULL));
	tacho_device_info(nn->device, &nn->info);
}

void nn_close(struct nn *nn)
{
	for (unsigned i = 0; i < nn->program_count; i++) {
		tacho_program_free(nn->programs[i].program);
		free(nn->programs[i].key);
	}
	free(nn->programs);
	nn_tensor_free(&nn->point);
	tacho_device_close(nn->device);
	*nn = (struct nn){0};
}

void nn_finish(struct nn *nn)
{
	nn_check(tacho_finish(nn->device));
}

/* ---- tensors ---- */
uint64_t nn_volume(const struct nn_tensor *t)
{
	return (uint64_t)t->shape[0] * t->shape[1] * t->shape[2] * t->shape[3];
}

uint32_t nn_rows(const struct nn_tensor *t)
{
	return t->shape[0] * t->shape[1] * ((t->shape[2] + SIDE - 1) / SIDE);
}

uint32_t nn_columns(const struct nn_tensor *t)
{
	return (t->shape[3] + SIDE - 1) / SIDE;
}

uint32_t nn_page_size(const struct nn_tensor *t)
{
	if (t->format == TACHO_UINT32)
		return SIDE * 4;
	return SIDE * SIDE * (t->format == TACHO_BFLOAT16 ? 2 : 4);
}

uint32_t nn_pages(const struct nn_tensor *t)
{
	return t->format == TACHO_UINT32 ? (uint32_t)(nn_volume(t) / SIDE)
					 : nn_rows(t) * nn_columns(t);
}

void nn_tensor_new(struct nn *nn, struct nn_tensor *t, uint32_t batch, uint32_t heads,
		   uint32_t rows, uint32_t columns, enum tacho_format format)
{
	uint64_t size;

	*t = (struct nn_tensor){.shape = {batch, heads, rows, columns},
				.format = format,
				.memory = nn->l1 ? TACHO_L1 : TACHO_DRAM};
	size = (uint64_t)nn_pages(t) * nn_page_size(t);
	nn_check(tacho_buffer_new(&t->buffer, nn->device, t->memory, size, nn_page_size(t)));
	nn->bytes += size;
}

void nn_tensor_free(struct nn_tensor *t)
{
	tacho_buffer_free(t->buffer);
	*t = (struct nn_tensor){0};
}

static uint16_t bfloat16_from(float value)
{
	uint32_t u;

	memcpy(&u, &value, 4);
	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static float bfloat16_to(uint16_t half)
{
	uint32_t u = (uint32_t)half << 16;
	float value;

	memcpy(&value, &u, 4);
	return value;
}

/* The position of a cell: tile by tile, face by face. ROW counts over all matrices. */
static size_t cell_at(const struct nn_tensor *t, size_t row, size_t column)
{
	size_t matrix = row / t->shape[2], r = row % t->shape[2];
	size_t tile = (matrix * ((t->shape[2] + SIDE - 1) / SIDE) + r / SIDE) * nn_columns(t) +
		      column / SIDE;

	return tile * SIDE * SIDE + (r % SIDE / 16 * 2 + column % SIDE / 16) * 256 + r % 16 * 16 +
	       column % 16;
}

/* Copies VALUES to the device (IN is not NULL) or from it. */
static void tensor_copy(const struct nn_tensor *t, const float *in, float *out)
{
	size_t size = (size_t)nn_pages(t) * nn_page_size(t);
	size_t rows = (size_t)t->shape[0] * t->shape[1] * t->shape[2];
	bool half = t->format == TACHO_BFLOAT16;
	void *pages = calloc(1, size);
	uint16_t *halves = pages;
	float *floats = pages;

	if (!pages)
		nn_fail("no memory");
	if (!in)
		nn_check(tacho_buffer_read(t->buffer, 0, pages, size));
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < t->shape[3]; c++) {
			size_t at = cell_at(t, r, c), i = r * t->shape[3] + c;

			if (!in)
				out[i] = half ? bfloat16_to(halves[at]) : floats[at];
			else if (half)
				halves[at] = bfloat16_from(in[i]);
			else
				floats[at] = in[i];
		}
	if (in)
		nn_check(tacho_buffer_write(t->buffer, 0, pages, size));
	free(pages);
}

void nn_write(struct nn_tensor *t, const float *values)
{
	tensor_copy(t, values, NULL);
}

void nn_read(const struct nn_tensor *t, float *values)
{
	tensor_copy(t, NULL, values);
}

void nn_write_ids(struct nn_tensor *t, const uint32_t *ids)
{
	nn_check(tacho_buffer_write(t->buffer, 0, ids, nn_volume(t) * 4));
}

/* ---- programs ---- */
static void key_tensor(char *key, size_t size, const struct nn_tensor *t)
{
	size_t n = strlen(key);

	snprintf(key + n, size - n, " %ux%ux%ux%u.%u.%u", t->shape[0], t->shape[1], t->shape[2],
		 t->shape[3], t->format, t->memory);
}

/* The op, its variant, shapes and places of its tensors. */
static void call_key(const struct nn_call *c, char *key, size_t size)
{
	snprintf(key, size, "%s %s", c->name, c->variant ? c->variant : "");
	for (unsigned i = 0; i < c->inputs; i++)
		key_tensor(key, size, c->in[i]);
	for (unsigned i = 0; i < c->outputs; i++)
		key_tensor(key, size, c->out[i]);
}

static void program_buffers(struct nn_program *p, const struct nn_call *c)
{
	for (unsigned i = 0; i < NN_CBS && c->cbs[i].pages; i++) {
		const struct nn_cb *cb = &c->cbs[i];
		uint32_t size = cb->format == TACHO_UINT32
					? SIDE * 4
					: SIDE * SIDE * (cb->format == TACHO_BFLOAT16 ? 2 : 4);

		nn_check(tacho_program_cb(p->program,
					  &(struct tacho_cb){.index = cb->index,
							     .ranges = p->ranges,
							     .range_count = p->range_count,
							     .pages = cb->pages,
							     .page_size = size,
							     .format = cb->format}));
	}
}

uint32_t nn_cores(const struct nn *nn, uint32_t tiles)
{
	uint32_t n = (tiles + (nn->share ? nn->share - 1 : 0)) / (nn->share ? nn->share : 1);

	return n < nn->info.cores ? n : nn->info.cores;
}

static void program_cores(struct nn_program *p, const struct tacho_device_info *info,
			  uint32_t cores)
{
	uint16_t rows = (uint16_t)(cores / info->columns), rest = (uint16_t)(cores % info->columns);

	p->cores = cores;
	if (rows)
		p->ranges[p->range_count++] = (struct tacho_core_range){
			{0, 0}, {(uint16_t)(info->columns - 1), (uint16_t)(rows - 1)}};
	if (rest)
		p->ranges[p->range_count++] =
			(struct tacho_core_range){{0, rows}, {(uint16_t)(rest - 1), rows}};
}

static void program_kernels(struct nn_program *p, const struct nn_call *c)
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
		if (i == 0 && c->reader == c->writer)
			defines[n++] = "READ";
		if (i < 2) {
			defines[n++] = tensors;
			defines[n++] = inputs;
			defines[n++] = outputs;
		}
		nn_check(tacho_op_kernel(sources[i], path, sizeof(path)));
		p->kernels[i] = nn_check(
			tacho_program_kernel(p->program, &(struct tacho_kernel){
								 .source = path,
								 .risc = riscs[i],
								 .ranges = p->ranges,
								 .range_count = p->range_count,
								 .defines = defines,
								 .fidelity = c->fidelity,
							 }));
	}
}

/* Each core works on a run of units. */
static void program_split(struct nn_program *p, const struct tacho_device_info *info,
			  uint32_t units)
{
	uint32_t at = 0;

	for (unsigned i = 0; i < p->cores; i++) {
		struct tacho_core core = {(uint16_t)(i % info->columns),
					  (uint16_t)(i / info->columns)};
		uint32_t args[] = {at, units / p->cores + (i < units % p->cores)};

		for (int k = 0; k < 3; k++)
			if (p->kernels[k] >= 0)
				nn_check(tacho_program_args(p->program, p->kernels[k], core, args,
							    2));
		at += args[1];
	}
}

static struct tacho_tensor tensor_described(const struct nn_tensor *t)
{
	struct tacho_tensor d = {.layout = t->format == TACHO_UINT32 ? TACHO_ROW_MAJOR : TACHO_TILE,
				 .format = t->format,
				 .memory = t->memory};

	memcpy(d.shape, t->shape, sizeof(d.shape));
	return d;
}

static double tensor_bytes(const struct nn_tensor *t)
{
	return (double)nn_pages(t) * nn_page_size(t);
}

/* The performance model: the busiest core's cycles in the engine, and all bytes through DRAM. */
static void program_describe(const struct nn *nn, struct nn_program *p, const struct nn_call *c)
{
	struct tacho_tensor tensors[NN_TENSORS];
	double bytes = 0, ns, bws[NN_TENSORS];
	uint64_t compute, bandwidth;
	uint32_t most = (c->units + p->cores - 1) / p->cores;
	struct tacho_attribute attributes[NN_ATTRIBUTES];
	unsigned n = 0;

	for (unsigned i = 0; i < c->inputs + c->outputs; i++) {
		const struct nn_tensor *t = i < c->inputs ? c->in[i] : c->out[i - c->inputs];

		tensors[i] = tensor_described(t);
		if (t->memory == TACHO_DRAM)
			bytes += tensor_bytes(t);
	}
	for (; n < NN_ATTRIBUTES && c->attributes[n].name; n++)
		attributes[n] =
			(struct tacho_attribute){c->attributes[n].name, c->attributes[n].value};
	compute = c->ideal_cycles ? (uint64_t)(c->ideal_cycles * 1000 / nn->info.mhz)
				  : (uint64_t)most * c->cycles * 1000 / nn->info.mhz;
	bandwidth = (uint64_t)(bytes / nn->info.dram_gbs);
	ns = (double)(compute > bandwidth ? compute : bandwidth);
	if (ns < 1)
		ns = 1;
	for (unsigned i = 0; i < c->inputs + c->outputs; i++)
		bws[i] = tensor_bytes(i < c->inputs ? c->in[i] : c->out[i - c->inputs]) / ns;
	nn_check(tacho_op_describe(p->program, &(struct tacho_op){
						       .name = c->name,
						       .attributes = attributes,
						       .attribute_count = n,
						       .inputs = tensors,
						       .input_count = c->inputs,
						       .outputs = tensors + c->inputs,
						       .output_count = c->outputs,
						       .compute_ns = compute,
						       .bandwidth_ns = bandwidth,
						       .ideal_ns = (uint64_t)ns,
						       .input_bws = bws,
						       .input_bw_count = c->inputs,
						       .output_bws = bws + c->inputs,
						       .output_bw_count = c->outputs,
					       }));
}

static struct nn_program *program_find(struct nn *nn, const struct nn_call *c)
{
	char key[512];
	struct nn_program *p;

	call_key(c, key, sizeof(key));
	for (unsigned i = 0; i < nn->program_count; i++)
		if (!strcmp(nn->programs[i].key, key))
			return &nn->programs[i];
	p = realloc(nn->programs, (nn->program_count + 1) * sizeof(*p));
	if (!p)
		nn_fail("no memory");
	nn->programs = p;
	p += nn->program_count++;
	*p = (struct nn_program){.key = strdup(key)};
	if (!p->key)
		nn_fail("no memory");
	nn_check(tacho_program_new(&p->program, nn->device));
	program_cores(p, &nn->info,
		      c->tiles                    ? nn_cores(nn, c->units)
		      : c->units < nn->info.cores ? c->units
						  : nn->info.cores);
	program_buffers(p, c);
	program_kernels(p, c);
	program_split(p, &nn->info, c->units);
	program_describe(nn, p, c);
	return p;
}

void nn_run(struct nn *nn, const struct nn_call *c)
{
	struct nn_program *p = program_find(nn, c);
	uint32_t words[2 * NN_TENSORS + NN_WORDS];
	unsigned tensors = c->inputs + c->outputs;

	for (unsigned i = 0; i < tensors; i++) {
		const struct nn_tensor *t = i < c->inputs ? c->in[i] : c->out[i - c->inputs];

		words[2 * i] = tacho_buffer_address(t->buffer);
		words[2 * i + 1] = t->memory == TACHO_L1;
	}
	for (int k = 0; k < 3; k++) {
		const uint32_t *own = k == 1   ? c->writer_words
				      : k == 2 ? c->compute_words
					       : c->words;
		unsigned skip = k == 2 ? 2 * tensors : 0; /* compute kernels know no tensors */

		if (p->kernels[k] < 0)
			continue;
		memcpy(words + 2 * tensors, own[0] ? own : c->words, sizeof(c->words));
		nn_check(tacho_program_common_args(p->program, p->kernels[k], words + skip,
						   2 * tensors + NN_WORDS - skip));
	}
	if (c->changing)
		program_describe(nn, p, c);
	nn_check(tacho_enqueue(nn->device, p->program));
	nn->ops++;
}
