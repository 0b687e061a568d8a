/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a program, and its compilation. */
#include "device/program.h"
#include "device/kernel_build.h"
#include "tacho_layout.h"

#include <tacho/tacho.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tacho_program_new(struct tacho_program **out, struct tacho_device *device)
{
	struct tacho_program *p = calloc(1, sizeof(*p));

	if (!p)
		return device_fail(TACHO_ENOMEM, "no memory");
	p->device = device;
	*out = p;
	return 0;
}

static void list_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

static void kernel_free(struct program_kernel *k)
{
	free(k->source);
	free(k->prologue);
	free(k->text);
	list_free(k->defines);
	list_free(k->includes);
	for (size_t i = 0; i < k->args.n; i++)
		vec_free(&k->args.v[i]);
	vec_free(&k->args);
	vec_free(&k->common);
	vec_free(&k->cores);
}

void tacho_program_free(struct tacho_program *p)
{
	if (!p)
		return;
	DEVICE_HOLD(p->device);
	for (unsigned i = 0; i < p->device->shape.cores; i++)
		if (p->device->cores[i].program == p)
			p->device->cores[i].program = NULL;
	for (size_t i = 0; i < p->kernels.n; i++)
		kernel_free(&p->kernels.v[i]);
	vec_free(&p->kernels);
	cbs_free(p);
	for (size_t i = 0; i < p->sems.n; i++)
		vec_free(&p->sems.v[i].cores);
	vec_free(&p->sems);
	op_info_free(p->op.info);
	op_kernels_free(&p->op.kernels);
	free(p);
}

/* Copies of the first N strings of LIST, with room for MORE. */
static char **list_copy(const char *const *list, size_t n, size_t more)
{
	char **copy = calloc(n + more + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(list[i]);
		if (!copy[i]) {
			list_free(copy);
			return NULL;
		}
	}
	return copy;
}

static size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* The user's defines and the compile-time arguments as one list: in C each argument has a name. */
static char **copy_defines(const struct tacho_kernel *k)
{
	size_t n = list_length(k->defines), more = k->compile_arg_count + 2;
	char **list = list_copy(k->defines, n, more);
	struct buf args = BUF_INIT, named = BUF_INIT;
	bool failed = !list;

	/* All arguments as one list, and the named ones. */
	for (unsigned i = 0; i < k->compile_arg_count; i++)
		buf_addf(&args, "%s%u", i ? "," : "KERNEL_COMPILE_TIME_ARGS=", k->compile_args[i]);
	for (unsigned i = 0; i < k->named_arg_count; i++)
		buf_addf(&named, "%s{\"%s\",%u}",
			 i ? "," : "KERNEL_COMPILE_TIME_ARG_MAP=", k->named_args[i].name,
			 k->named_args[i].value);
	failed |= args.failed || named.failed;
	if (!failed && args.len)
		failed = !(list[n++] = strdup(args.data));
	if (!failed && named.len)
		failed = !(list[n++] = strdup(named.data));
	for (unsigned a = 0; !failed && a < k->compile_arg_count; a++) {
		failed = asprintf(&list[n], "TACHO_COMPILE_TIME_ARG_%u=%uu", a,
				  k->compile_args[a]) < 0;
		if (failed)
			list[n] = NULL;
		n++;
	}
	buf_free(&args);
	buf_free(&named);
	if (!failed)
		return list;
	list_free(list);
	return NULL;
}

static bool kernels_are_movers(const struct program_kernel *a, const struct program_kernel *b)
{
	return (a->risc == TACHO_BRISC && b->risc == TACHO_NCRISC) ||
	       (a->risc == TACHO_NCRISC && b->risc == TACHO_BRISC);
}

/* Each RISC has one kernel, and the two data movers of a core have a NoC each. */
static int kernel_check(const struct tacho_program *p, const struct program_kernel *k)
{
	struct tacho_core at;

	for (size_t i = 0; i < p->kernels.n; i++) {
		const struct program_kernel *o = &p->kernels.v[i];

		if (!core_set_meets(&o->cores, &k->cores, &at) ||
		    (o->risc == TACHO_ERISC) != (k->risc == TACHO_ERISC))
			continue;
		if (o->risc == k->risc)
			return device_fail(TACHO_EUSAGE,
					   "%s and %s are for the same RISC of core %u,%u",
					   o->source, k->source, at.x, at.y);
		if (kernels_are_movers(o, k) && o->noc == k->noc)
			return device_fail(TACHO_EUSAGE,
					   "%s and %s both use NoC %d of core %u,%u: the data "
					   "movers of a core need one each",
					   o->source, k->source, (int)k->noc - 1, at.x, at.y);
	}
	return 0;
}

int tacho_program_kernel(struct tacho_program *p, const struct tacho_kernel *kernel)
{
	struct program_kernel k = {
		.risc = kernel->risc,
		.fidelity = kernel->fidelity,
		.noc = kernel->noc,
	};
	int r;

	if (!kernel->source || k.risc > TACHO_ERISC || k.fidelity > TACHO_HIFI3 ||
	    k.noc > TACHO_NOC_1)
		return device_fail(TACHO_EUSAGE,
				   "a kernel has a source, a RISC, a fidelity and a NoC");
	if (!k.noc)
		k.noc = k.risc == TACHO_NCRISC ? TACHO_NOC_1 : TACHO_NOC_0;
	DEVICE_HOLD(p->device);
	r = core_set_make(&k.cores, p->device, k.risc == TACHO_ERISC, kernel->ranges,
			  kernel->range_count, &kernel->cores);
	if (r < 0)
		return r;
	/* The parts of KERNEL that K owns. */
	k.source = strdup(kernel->source);
	k.defines = copy_defines(kernel);
	k.includes = list_copy(kernel->include_paths, list_length(kernel->include_paths), 0);
	k.prologue = kernel->prologue ? strdup(kernel->prologue) : NULL;
	k.text = kernel->text ? strdup(kernel->text) : NULL;
	if (!k.source || !k.defines || !k.includes || !k.prologue != !kernel->prologue ||
	    !k.text != !kernel->text)
		r = device_fail(TACHO_ENOMEM, "no memory");
	if (r == 0)
		r = kernel_check(p, &k);
	if (r == 0 && vec_push(&p->kernels, k) < 0)
		r = device_fail(TACHO_ENOMEM, "no memory");
	if (r < 0) {
		kernel_free(&k);
		return r;
	}
	p->compiled = false;
	return (int)p->kernels.n - 1;
}

/* The lowest number that is free on all of these cores; MAX_SEMS: none. */
static unsigned semaphore_number(const struct tacho_program *p, const struct core_set *cores)
{
	uint32_t taken = 0;
	unsigned n = 0;

	for (size_t i = 0; i < p->sems.n; i++)
		if (core_set_meets(&p->sems.v[i].cores, cores, NULL))
			taken |= 1u << p->sems.v[i].number;
	while (n < MAX_SEMS && taken >> n & 1)
		n++;
	return n;
}

int tacho_program_semaphore_on(struct tacho_program *p, const struct tacho_core_range *ranges,
			       unsigned range_count, uint32_t value)
{
	struct program_sem sem = {.value = value};
	int r;

	DEVICE_HOLD(p->device);
	r = core_set_make(&sem.cores, p->device, false, ranges, range_count, NULL);
	if (r < 0)
		return r;
	sem.number = semaphore_number(p, &sem.cores);
	if (sem.number == MAX_SEMS)
		r = device_fail(TACHO_ELIMIT, "a core has at most %d semaphores", MAX_SEMS);
	else if (vec_push(&p->sems, sem) < 0)
		r = device_fail(TACHO_ENOMEM, "no memory");
	if (r < 0)
		vec_free(&sem.cores);
	return r < 0 ? r : (int)sem.number;
}

int tacho_program_semaphore(struct tacho_program *p, struct tacho_core_range cores, uint32_t value)
{
	return tacho_program_semaphore_on(p, &cores, 1, value);
}

static int set_args(struct program_args *a, const uint32_t *args, unsigned n)
{
	a->n = 0;
	for (unsigned i = 0; i < n; i++)
		if (vec_push(a, args[i]) < 0)
			return device_fail(TACHO_ENOMEM, "no memory");
	return 0;
}

static int check_args(const struct tacho_program *p, int kernel, unsigned n)
{
	if (kernel < 0 || (size_t)kernel >= p->kernels.n)
		return device_fail(TACHO_EUSAGE, "the program has no kernel %d", kernel);
	if (n > MAX_ARGS)
		return device_fail(TACHO_ELIMIT, "%s: %u arguments, a kernel has at most %d",
				   p->kernels.v[kernel].source, n, MAX_ARGS);
	return 0;
}

int tacho_program_args(struct tacho_program *p, int kernel, struct tacho_core core,
		       const uint32_t *args, unsigned n)
{
	struct program_kernel *k;
	int r, at;

	DEVICE_HOLD(p->device);
	r = check_args(p, kernel, n);
	if (r < 0)
		return r;
	k = &p->kernels.v[kernel];
	at = device_core_at(p->device, k->risc == TACHO_ERISC, core.x, core.y);
	if (at < 0)
		return at;
	if (!core_set_has(&k->cores, core.x, core.y))
		return device_fail(TACHO_EUSAGE, "%s does not run on core %u,%u", k->source, core.x,
				   core.y);
	for (size_t i = 0; i < k->args.n; i++)
		if (k->args.v[i].core == (unsigned)at)
			return set_args(&k->args.v[i], args, n);
	if (vec_push(&k->args, (struct program_args){.core = (unsigned)at}) < 0)
		return device_fail(TACHO_ENOMEM, "no memory");
	return set_args(&k->args.v[k->args.n - 1], args, n);
}

int tacho_program_common_args(struct tacho_program *p, int kernel, const uint32_t *args, unsigned n)
{
	int r;

	DEVICE_HOLD(p->device);
	r = check_args(p, kernel, n);
	return r < 0 ? r : set_args(&p->kernels.v[kernel].common, args, n);
}

/* Compute kernels in C take tiles of 32 x 32 only. */
static int tiles_check(const struct tacho_program *p, const struct program_kernel *k)
{
	for (size_t i = 0; i < p->cbs.n; i++) {
		const struct tacho_cb *cb = &p->cbs.v[i].conf;

		if ((cb->tile_height != 32 || cb->tile_width != 32) && k->risc == TACHO_COMPUTE &&
		    !source_is_cpp(k->source) &&
		    core_set_meets(&p->cbs.v[i].cores, &k->cores, NULL))
			return device_fail(TACHO_EUSAGE,
					   "circular buffer %u has tiles of %u x %u, the compute "
					   "kernel %s in C only takes 32 x 32",
					   cb->index, cb->tile_height, cb->tile_width, k->source);
	}
	return 0;
}

static int compile_kernel(struct tacho_program *p, struct program_kernel *k)
{
	size_t n = list_length((const char *const *)k->defines);
	const char **defines = calloc(n + 5, sizeof(*defines));
	struct buf formats = BUF_INIT, shapes = BUF_INIT;
	bool ethernet = k->risc == TACHO_ERISC;
	unsigned first = k->risc == TACHO_COMPUTE ? 2 : k->risc == TACHO_NCRISC ? 1 : 0;
	unsigned last = k->risc == TACHO_COMPUTE ? 4 : first;
	static const unsigned fidelities[] = {
		[TACHO_HIFI4] = 3, [TACHO_LOFI] = 0, [TACHO_HIFI2] = 1, [TACHO_HIFI3] = 2};
	char fidelity[32];
	int r = tiles_check(p, k);
	unsigned format[MAX_CBS], shape[MAX_CBS] = {0};

	/* Formats of the circular buffers, 255 where there is none. */
	for (unsigned i = 0; i < MAX_CBS; i++)
		format[i] = 255;
	for (size_t i = 0; i < p->cbs.n; i++) {
		const struct tacho_cb *cb = &p->cbs.v[i].conf;

		if (!core_set_meets(&p->cbs.v[i].cores, &k->cores, NULL))
			continue;
		format[cb->index] = cb->format;
		shape[cb->index] = cb->tile_height << 8 | cb->tile_width;
	}
	for (unsigned i = 0; i < MAX_CBS; i++)
		buf_addf(&formats, "%s%u", i ? "," : "TACHO_CB_FORMATS=", format[i]);
	for (unsigned i = 0; i < MAX_CBS; i++)
		buf_addf(&shapes, "%s%u", i ? "," : "TACHO_CB_TILES=", shape[i]);
	if (!defines || formats.failed || shapes.failed)
		r = device_fail(TACHO_ENOMEM, "no memory");
	if (r < 0)
		goto out;
	snprintf(fidelity, sizeof(fidelity), "TACHO_FIDELITY=%u", fidelities[k->fidelity]);
	defines[0] = formats.data;
	defines[1] = fidelity;
	defines[2] = k->noc == TACHO_NOC_1 ? "NOC_INDEX=1" : "NOC_INDEX=0";
	defines[3] = shapes.data;
	memcpy(defines + 4, k->defines, n * sizeof(*defines));
	for (unsigned risc = first; r == 0 && risc <= last; risc++) {
		struct build b = {
			.source = k->source,
			.risc = risc,
			.ethernet = ethernet,
			.defines = defines,
			.includes = (const char *const *)k->includes,
			.prologue = k->prologue,
			.text = k->text,
			.symbols =
				ethernet ? p->device->ethernet_firmware : p->device->firmware[risc],
		};

		r = build_binary(p->device, &b, &k->binary[risc]);
	}
out:
	free(defines);
	buf_free(&formats);
	buf_free(&shapes);
	return r;
}

int tacho_program_compile(struct tacho_program *p)
{
	int r = 0;

	DEVICE_HOLD(p->device);
	if (p->compiled)
		return 0;
	TACHO_ZONE("tacho_program_compile");
	for (size_t i = 0; r == 0 && i < p->kernels.n; i++)
		r = compile_kernel(p, &p->kernels.v[i]);
	if (r == 0)
		r = op_kernels_of(&p->op.kernels, p);
	p->op.hash = 0;
	p->op.ran = false;
	p->compiled = r == 0;
	return r;
}
