/* What a program consists of, and its compilation. */
#include "device/device.h"

#include "tacho_layout.h"
#include <tacho/tacho.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool range_has(const struct tacho_core_range *range, unsigned x, unsigned y)
{
	return x >= range->first.x && x <= range->last.x && y >= range->first.y &&
	       y <= range->last.y;
}

static int check_range(const struct tacho_device *d, const struct tacho_core_range *r,
		       bool ethernet)
{
	unsigned columns = ethernet ? d->shape.cores - d->workers : d->shape.columns;
	unsigned rows = ethernet ? 1 : d->shape.rows;

	if (r->first.x > r->last.x || r->first.y > r->last.y)
		return device_fail(
			TACHO_EUSAGE,
			"cores %u,%u-%u,%u are none: the first must not lie behind the last",
			r->first.x, r->first.y, r->last.x, r->last.y);
	if (r->last.x >= columns || r->last.y >= rows)
		return device_fail(TACHO_EUSAGE,
				   "cores %u,%u-%u,%u are not inside the grid of %u x %u",
				   r->first.x, r->first.y, r->last.x, r->last.y, columns, rows);
	return 0;
}

int tacho_program_new(struct tacho_program **out, struct tacho_device *device)
{
	struct tacho_program *p = calloc(1, sizeof(*p));

	if (!p)
		return device_fail(TACHO_ENOMEM, "no memory");
	p->device = device;
	*out = p;
	return 0;
}

static void kernel_free(struct program_kernel *k)
{
	free(k->source);
	for (size_t i = 0; k->defines && k->defines[i]; i++)
		free(k->defines[i]);
	free(k->defines);
	for (size_t i = 0; i < k->args.n; i++)
		vec_free(&k->args.v[i]);
	vec_free(&k->args);
	vec_free(&k->common);
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
	vec_free(&p->cbs);
	vec_free(&p->sems);
	op_info_free(p->op.info);
	op_kernels_free(&p->op.kernels);
	free(p);
}

/* The user's defines and the compile-time arguments, as one list. */
static char **copy_defines(const struct tacho_kernel *k)
{
	size_t n = 0, i;
	char **list;

	while (k->defines && k->defines[n])
		n++;
	list = calloc(n + k->compile_arg_count + 1, sizeof(*list));
	for (i = 0; list && i < n; i++)
		list[i] = strdup(k->defines[i]);
	for (unsigned a = 0; list && a < k->compile_arg_count; a++)
		if (asprintf(&list[i + a], "TACHO_COMPILE_TIME_ARG_%u=%uu", a, k->compile_args[a]) <
		    0)
			list[i + a] = NULL;
	return list;
}

int tacho_program_kernel(struct tacho_program *p, const struct tacho_kernel *kernel)
{
	struct program_kernel k = {
		.risc = kernel->risc,
		.fidelity = kernel->fidelity,
		.cores = kernel->cores,
	};
	int r = check_range(p->device, &k.cores, k.risc == TACHO_ERISC);

	if (r < 0)
		return r;
	if (!kernel->source || k.risc > TACHO_ERISC || k.fidelity > TACHO_HIFI3)
		return device_fail(TACHO_EUSAGE, "a kernel has a source, a RISC and a fidelity");
	DEVICE_HOLD(p->device);
	for (size_t i = 0; i < p->kernels.n; i++) {
		const struct program_kernel *o = &p->kernels.v[i];

		if (o->risc == k.risc && o->cores.first.x <= k.cores.last.x &&
		    k.cores.first.x <= o->cores.last.x && o->cores.first.y <= k.cores.last.y &&
		    k.cores.first.y <= o->cores.last.y)
			return device_fail(TACHO_EUSAGE,
					   "%s and %s are for the same RISC of some core",
					   o->source, kernel->source);
	}
	k.source = strdup(kernel->source);
	k.defines = copy_defines(kernel);
	if (!k.source || !k.defines || vec_push(&p->kernels, k) < 0) {
		kernel_free(&k);
		return device_fail(TACHO_ENOMEM, "no memory");
	}
	p->compiled = false;
	return (int)p->kernels.n - 1;
}

int tacho_program_cb(struct tacho_program *p, const struct tacho_cb *cb)
{
	struct program_cb c = {.conf = *cb, .address = L1_FREE};
	int r = check_range(p->device, &cb->cores, false);

	if (r < 0)
		return r;
	DEVICE_HOLD(p->device);
	if (cb->index >= MAX_CBS || !cb->pages || cb->pages > 0xffff || !cb->page_size ||
	    cb->page_size % 16)
		return device_fail(
			TACHO_EUSAGE,
			"circular buffer %u: an index below %u, pages of a multiple of 16 bytes",
			cb->index, MAX_CBS);
	for (size_t i = 0; i < p->cbs.n; i++) {
		const struct tacho_cb *o = &p->cbs.v[i].conf;

		c.address += o->pages * o->page_size;
		c.address = (c.address + 31) / 32 * 32;
		if (o->index == cb->index)
			return device_fail(TACHO_EUSAGE, "circular buffer %u is there already",
					   cb->index);
	}
	if ((uint64_t)c.address + (uint64_t)cb->pages * cb->page_size > p->device->l1_top)
		return device_fail(TACHO_ELIMIT, "circular buffer %u does not fit into L1",
				   cb->index);
	if (vec_push(&p->cbs, c) < 0)
		return device_fail(TACHO_ENOMEM, "no memory");
	p->compiled = false;
	return 0;
}

int tacho_program_semaphore(struct tacho_program *p, struct tacho_core_range cores, uint32_t value)
{
	int r = check_range(p->device, &cores, false);

	if (r < 0)
		return r;
	DEVICE_HOLD(p->device);
	if (p->sems.n == MAX_SEMS)
		return device_fail(TACHO_ELIMIT, "a program has at most %d semaphores", MAX_SEMS);
	if (vec_push(&p->sems, ((struct program_sem){cores, value})) < 0)
		return device_fail(TACHO_ENOMEM, "no memory");
	return (int)p->sems.n - 1;
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
		return device_fail(TACHO_ELIMIT, "a kernel has at most %d arguments", MAX_ARGS);
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

/* The hardware's numbers of the fidelities. */
static unsigned fidelity_code(enum tacho_fidelity f)
{
	static const unsigned codes[] = {
		[TACHO_HIFI4] = 3, [TACHO_LOFI] = 0, [TACHO_HIFI2] = 1, [TACHO_HIFI3] = 2};

	return codes[f];
}

static int compile_kernel(struct tacho_program *p, struct program_kernel *k)
{
	char formats[256] = "TACHO_CB_FORMATS=", fidelity[32];
	unsigned format[MAX_CBS] = {0};
	const char **defines;
	size_t n = 0, at = strlen(formats);
	unsigned first, last;
	int r = 0;

	while (k->defines[n])
		n++;
	defines = calloc(n + 3, sizeof(*defines));
	if (!defines)
		return device_fail(TACHO_ENOMEM, "no memory");
	memcpy(defines, k->defines, n * sizeof(*defines));
	first = k->risc == TACHO_COMPUTE ? 2 : k->risc == TACHO_NCRISC ? 1 : 0;
	last = k->risc == TACHO_COMPUTE ? 4 : first;
	if (k->risc == TACHO_COMPUTE) {
		for (size_t i = 0; i < p->cbs.n; i++)
			format[p->cbs.v[i].conf.index] = p->cbs.v[i].conf.format;
		for (unsigned i = 0; i < MAX_CBS; i++)
			at += (size_t)snprintf(formats + at, sizeof(formats) - at, "%s%u",
					       i ? "," : "", format[i]);
		snprintf(fidelity, sizeof(fidelity), "MATH_FIDELITY=%u",
			 fidelity_code(k->fidelity));
		defines[n++] = formats;
		defines[n] = fidelity;
	}
	for (unsigned risc = first; r == 0 && risc <= last; risc++) {
		bool ethernet = k->risc == TACHO_ERISC;
		struct build b = {
			.source = k->source,
			.risc = risc,
			.ethernet = ethernet,
			.defines = defines,
			.symbols =
				ethernet ? p->device->ethernet_firmware : p->device->firmware[risc],
		};

		r = build_binary(p->device, &b, &k->binary[risc]);
	}
	free(defines);
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
	p->compiled = r == 0;
	return r;
}
