/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that the package ttnn calls through ctypes: programs over tensors of tiles on a
 * device of libtacho_device, with flat arguments. They use no Python, so that one file serves all
 * interpreters.
 *
 * A tensor is BATCH matrices of ROWS x COLUMNS, each padded to whole tiles; one page is one tile.
 * Functions return 0 or a negative value, pointers are NULL on failure: tacho_device_error() has
 * the reason. The package calls functions with flat arguments in libtacho_device directly.
 */
#include <tacho/device.h>

#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* only Python calls them */

#define SIDE  32u
#define CELLS (SIDE * SIDE)

struct shape {
	uint32_t batch, rows, columns, format; /* enum tacho_format: FLOAT32 or BFLOAT16 */
};

static uint32_t tiles_across(uint32_t n)
{
	return (n + SIDE - 1) / SIDE;
}

static uint64_t shape_tiles(const struct shape *s)
{
	return (uint64_t)s->batch * tiles_across(s->rows) * tiles_across(s->columns);
}

static uint32_t tile_size(const struct shape *s)
{
	return CELLS * (s->format == TACHO_BFLOAT16 ? 2u : 4u);
}

/* ---------------------------------------------------------------- devices */

API struct tacho_device *ttnn_open(const char *arch)
{
	struct tacho_device *device;
	struct tacho_device_options options = {.arch = arch};

	return tacho_device_open(&device, &options) < 0 ? NULL : device;
}

/* columns, rows, cores, MHz, DRAM banks */
API void ttnn_info(struct tacho_device *device, uint32_t out[5])
{
	struct tacho_device_info info;

	tacho_device_info(device, &info);
	out[0] = info.columns;
	out[1] = info.rows;
	out[2] = info.cores;
	out[3] = info.mhz;
	out[4] = info.dram_banks;
}

/* Peak GB/s of all DRAM banks together. */
API double ttnn_dram_gbs(struct tacho_device *device)
{
	struct tacho_device_info info;

	tacho_device_info(device, &info);
	return info.dram_gbs;
}

static void event_ignore(void *context, const struct tacho_device_event *event)
{
	(void)context;
	(void)event;
}

API int ttnn_read_profiler(struct tacho_device *device)
{
	return tacho_profiler_read(device, event_ignore, NULL);
}

/* ---------------------------------------------------------------- buffers */

API struct tacho_buffer *ttnn_buffer(struct tacho_device *device, const struct shape *shape, int l1)
{
	struct tacho_buffer *buffer;
	uint64_t size = shape_tiles(shape) * tile_size(shape);

	return tacho_buffer_new(&buffer, device, l1 ? TACHO_L1 : TACHO_DRAM, size,
				tile_size(shape)) < 0
		       ? NULL
		       : buffer;
}

/* The index of a cell in a tensor that is stored tile by tile, and in each tile face by face. */
static size_t tiled_index(const struct shape *s, uint32_t batch, uint32_t row, uint32_t column)
{
	size_t rows = tiles_across(s->rows), columns = tiles_across(s->columns);
	size_t tile = ((size_t)batch * rows + row / SIDE) * columns + column / SIDE;
	size_t face = row % SIDE / 16 * 2 + column % SIDE / 16;

	return tile * CELLS + face * 256 + row % 16 * 16 + column % 16;
}

static void cell_put(void *tiles, size_t at, uint32_t format, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	if (format != TACHO_BFLOAT16)
		((uint32_t *)tiles)[at] = bits;
	else if ((bits & 0x7fffffff) > 0x7f800000) /* rounding could turn a NaN into an infinity */
		((uint16_t *)tiles)[at] = (uint16_t)(bits >> 16 | 0x40);
	else
		((uint16_t *)tiles)[at] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float cell_get(const void *tiles, size_t at, uint32_t format)
{
	uint32_t bits = format == TACHO_BFLOAT16 ? (uint32_t)((const uint16_t *)tiles)[at] << 16
						 : ((const uint32_t *)tiles)[at];
	float value;

	memcpy(&value, &bits, 4);
	return value;
}

/* Copies VALUES in row order to the device (WRITE 1) or from it. */
static int tensor_transfer(struct tacho_buffer *buffer, const struct shape *s, float *values,
			   int write)
{
	uint64_t size = shape_tiles(s) * tile_size(s);
	void *tiles = calloc(1, size);
	int r = -1;

	if (!tiles)
		return -1;
	if (!write)
		r = tacho_buffer_read(buffer, 0, tiles, size);
	for (uint32_t b = 0; (write || r >= 0) && b < s->batch; b++)
		for (uint32_t i = 0; i < s->rows; i++)
			for (uint32_t j = 0; j < s->columns; j++) {
				size_t at = tiled_index(s, b, i, j);

				if (write)
					cell_put(tiles, at, s->format, *values++);
				else
					*values++ = cell_get(tiles, at, s->format);
			}
	if (write)
		r = tacho_buffer_write(buffer, 0, tiles, size);
	free(tiles);
	return r;
}

API int ttnn_write(struct tacho_buffer *buffer, const struct shape *shape, float *values)
{
	return tensor_transfer(buffer, shape, values, 1);
}

API int ttnn_read(struct tacho_buffer *buffer, const struct shape *shape, float *values)
{
	return tensor_transfer(buffer, shape, values, 0);
}

/* --------------------------------------------------------------- programs */

struct job {
	const char *reader, *writer, *compute; /* files */
	const char *const *defines;
	const uint32_t *compile_args;
	uint32_t compile_arg_count;
	uint32_t inputs;
	uint32_t fidelity;      /* enum tacho_fidelity */
	struct shape shapes[3]; /* of the inputs and, as the third, of the result */
};

/* The cores that have work, row by row: whole rows of the grid, and part of one. */
#define GROUPS 2

struct made {
	struct tacho_program *program;
	struct tacho_core_range groups[GROUPS];
	unsigned group_count;
	int kernels[GROUPS][3];
	uint32_t inputs;
};

static struct tacho_core_range all_cores(const struct tacho_device_info *info)
{
	struct tacho_core last = {(uint16_t)(info->columns - 1), (uint16_t)(info->rows - 1)};

	return (struct tacho_core_range){{0, 0}, last};
}

static int add_buffers(struct made *made, const struct tacho_device_info *info,
		       const struct job *job)
{
	static const unsigned circular[] = {0, 1, 16};

	for (unsigned i = 0; i < 3; i++) {
		struct tacho_cb cb = {.index = circular[i],
				      .cores = all_cores(info),
				      .pages = 2,
				      .page_size = tile_size(&job->shapes[i]),
				      .format = (enum tacho_format)job->shapes[i].format};

		if ((i == 2 || i < job->inputs) && tacho_program_cb(made->program, &cb) < 0)
			return -1;
	}
	return 0;
}

static void choose_cores(struct made *made, const struct tacho_device_info *info, uint64_t tiles)
{
	unsigned cores = tiles < info->cores ? (unsigned)tiles : info->cores;
	uint16_t rows = (uint16_t)(cores / info->columns), rest = (uint16_t)(cores % info->columns);

	if (rows)
		made->groups[made->group_count++] = (struct tacho_core_range){
			{0, 0}, {(uint16_t)(info->columns - 1), (uint16_t)(rows - 1)}};
	if (rest)
		made->groups[made->group_count++] =
			(struct tacho_core_range){{0, rows}, {(uint16_t)(rest - 1), rows}};
}

static int add_kernels(struct made *made, unsigned group, const struct job *job)
{
	static const enum tacho_risc riscs[] = {TACHO_NCRISC, TACHO_BRISC, TACHO_COMPUTE};
	const char *sources[] = {job->reader, job->writer, job->compute};

	for (int i = 0; i < 3; i++) {
		made->kernels[group][i] = tacho_program_kernel(
			made->program,
			&(struct tacho_kernel){.source = sources[i],
					       .risc = riscs[i],
					       .cores = made->groups[group],
					       .compile_args = job->compile_args,
					       .compile_arg_count = job->compile_arg_count,
					       .defines = i == 2 ? job->defines : NULL,
					       .fidelity = (enum tacho_fidelity)job->fidelity});
		if (made->kernels[group][i] < 0)
			return -1;
	}
	return 0;
}

/* Each core computes a run of tiles of the result. */
static int program_split(struct made *made, const struct tacho_device_info *info,
			 const struct shape *out)
{
	uint32_t tiles = (uint32_t)shape_tiles(out), at = 0;
	uint32_t cores = tiles < info->cores ? tiles : info->cores;

	for (unsigned i = 0; i < cores; i++) {
		struct tacho_core core = {(uint16_t)(i % info->columns),
					  (uint16_t)(i / info->columns)};
		const int *kernels = made->kernels[core.y > made->groups[0].last.y];
		uint32_t args[] = {at, tiles / cores + (i < tiles % cores)};

		if (tacho_program_args(made->program, kernels[0], core, args, 2) < 0 ||
		    tacho_program_args(made->program, kernels[1], core, args, 2) < 0 ||
		    tacho_program_args(made->program, kernels[2], core, args + 1, 1) < 0)
			return -1;
		at += args[1];
	}
	return 0;
}

static int job_fill(struct made *made, const struct tacho_device_info *info, const struct job *job)
{
	choose_cores(made, info, shape_tiles(&job->shapes[2]));
	if (add_buffers(made, info, job) < 0)
		return -1;
	for (unsigned group = 0; group < made->group_count; group++)
		if (add_kernels(made, group, job) < 0)
			return -1;
	return program_split(made, info, &job->shapes[2]);
}

API void ttnn_program_free(struct made *made)
{
	if (made)
		tacho_program_free(made->program);
	free(made);
}

API struct made *ttnn_program(struct tacho_device *device, const struct job *job)
{
	struct tacho_device_info info;
	struct made *made = calloc(1, sizeof(*made));

	tacho_device_info(device, &info);
	if (made && tacho_program_new(&made->program, device) >= 0 &&
	    job_fill(made, &info, job) >= 0) {
		made->inputs = job->inputs;
		return made;
	}
	ttnn_program_free(made);
	return NULL;
}

/* -------------------------------------------------------------------- ops */

struct tensor {
	uint32_t shape[4];
	uint32_t format;
	uint32_t memory; /* enum tacho_memory */
	uint32_t on_host;
};

struct description {
	const char *name, *type;
	const char *const *attributes; /* name, value, name, value ... */
	uint32_t attribute_count;
	uint32_t inputs;
	struct tensor tensors[3]; /* as the shapes of a job */
	uint64_t compute_ns, bandwidth_ns, ideal_ns;
	double bandwidths[3]; /* bytes per ns */
};

#define MOST_ATTRIBUTES 16

struct op {
	struct tacho_op op;
	struct tacho_tensor tensors[3];
	struct tacho_attribute attributes[MOST_ATTRIBUTES];
};

static void op_fill(struct op *o, const struct description *d)
{
	unsigned n = d->attribute_count < MOST_ATTRIBUTES ? d->attribute_count : MOST_ATTRIBUTES;

	for (unsigned i = 0; i < n; i++)
		o->attributes[i] =
			(struct tacho_attribute){d->attributes[2 * i], d->attributes[2 * i + 1]};
	for (unsigned i = 0; i < 3; i++) {
		o->tensors[i] = (struct tacho_tensor){
			.layout = d->tensors[i].on_host ? TACHO_ROW_MAJOR : TACHO_TILE,
			.format = (enum tacho_format)d->tensors[i].format,
			.memory = (enum tacho_memory)d->tensors[i].memory,
			.on_host = (int)d->tensors[i].on_host,
		};
		memcpy(o->tensors[i].shape, d->tensors[i].shape, sizeof(d->tensors[i].shape));
	}
	o->op = (struct tacho_op){
		.name = d->name,
		.type = d->type,
		.attributes = o->attributes,
		.attribute_count = n,
		.inputs = o->tensors,
		.input_count = d->inputs,
		.outputs = &o->tensors[2],
		.output_count = 1,
		.compute_ns = d->compute_ns,
		.bandwidth_ns = d->bandwidth_ns,
		.ideal_ns = d->ideal_ns,
		.input_bws = d->bandwidths,
		.input_bw_count = d->inputs,
		.output_bws = &d->bandwidths[2],
		.output_bw_count = 1,
	};
}

API int ttnn_describe(struct made *made, const struct description *description)
{
	struct op op;

	op_fill(&op, description);
	return tacho_op_describe(made->program, &op.op);
}

/* BUFFERS: of the inputs and, as the third, of the result; IN_L1: which of them are in L1. */
API int ttnn_run(struct tacho_device *device, struct made *made,
		 struct tacho_buffer *const *buffers, const uint32_t *in_l1)
{
	uint32_t from[4] = {0, 0, in_l1[0], in_l1[1]};
	uint32_t to[2] = {tacho_buffer_address(buffers[2]), in_l1[2]};

	for (uint32_t i = 0; i < made->inputs; i++)
		from[i] = tacho_buffer_address(buffers[i]);
	for (unsigned group = 0; group < made->group_count; group++)
		if (tacho_program_common_args(made->program, made->kernels[group][0], from, 4) <
			    0 ||
		    tacho_program_common_args(made->program, made->kernels[group][1], to, 2) < 0)
			return -1;
	return tacho_enqueue(device, made->program);
}

API int ttnn_group_begin(struct tacho_device *const *devices, uint32_t count,
			 const struct description *description)
{
	struct op op;

	op_fill(&op, description);
	return tacho_op_begin(devices, count, &op.op);
}

API uint64_t ttnn_host_begin(const struct description *description)
{
	struct tacho_op_host host;
	struct op op;

	op_fill(&op, description);
	host = tacho_op_host_begin(&op.op);
	return (uint64_t)host.session << 32 | host.id;
}

API void ttnn_host_end(uint64_t host)
{
	tacho_op_host_end((struct tacho_op_host){(uint32_t)host, (uint32_t)(host >> 32)});
}

/* ----------------------------------------------------------------- traces */

API struct tacho_trace *ttnn_trace_end(struct tacho_device *device)
{
	struct tacho_trace *trace;

	return tacho_trace_end(device, &trace) < 0 ? NULL : trace;
}
