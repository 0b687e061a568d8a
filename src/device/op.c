/* SPDX-License-Identifier: Apache-2.0 */
/* Ops: name programs and describe them to the recording. */
#include "device/launch.h"
#include "device/prof.h"
#include "device/program.h"
#include "trace/trace.h"

#include <tacho/cores.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_BITS  10
#define PROGRAM_BITS 21
#define HOST_BIT     (1ull << (DEVICE_BITS + PROGRAM_BITS))

static uint32_t last_base;
static pthread_mutex_t base_lock =
	PTHREAD_MUTEX_INITIALIZER; /* of it; never held with another lock */

/* The base number of the next op, from 1; all devices count together. */
static uint32_t op_next(void)
{
	uint32_t base;

	pthread_mutex_lock(&base_lock);
	base = ++last_base ? last_base : ++last_base;
	pthread_mutex_unlock(&base_lock);
	return base;
}

/* op_next() never returns a number that a caller chose. */
static uint32_t op_chosen(uint32_t number)
{
	pthread_mutex_lock(&base_lock);
	if (number > last_base)
		last_base = number;
	pthread_mutex_unlock(&base_lock);
	return number;
}

uint32_t op_last(void)
{
	uint32_t base;

	pthread_mutex_lock(&base_lock);
	base = last_base;
	pthread_mutex_unlock(&base_lock);
	return base;
}

/* Numbers that do not fit continue above the host's bit, so that none is used twice. */
static uint64_t base_id(uint32_t base)
{
	uint64_t low = base & ((1u << PROGRAM_BITS) - 1), high = base >> PROGRAM_BITS;

	return high << 32 | low << DEVICE_BITS;
}

uint64_t op_id(const struct tacho_device *d, uint32_t base)
{
	return base ? base_id(base) | d->number : 0;
}

uint64_t tacho_op_last(const struct tacho_device *d)
{
	DEVICE_HOLD(d);
	return op_id(d, d->last_op);
}

/* ---- names in log files ---- */
static void keep_name(struct tacho_device *d, const struct op_form *form, uint64_t hash,
		      uint32_t base)
{
	const uint32_t *known = map_get(&d->names_by_hash, hash);
	struct buf text = BUF_INIT;
	char *name;

	if (!d->prof || !d->prof->noc_events || !d->prof->log.on)
		return;
	if (!known) {
		op_text_name(&text, form);
		name = buf_detach(&text);
		/* Out of memory: the file is named by its number. */
		if (!name || vec_push(&d->op_names, name) < 0) {
			free(name);
			return;
		}
		map_set(&d->names_by_hash, hash, (uint32_t)d->op_names.n);
		known = map_get(&d->names_by_hash, hash);
	}
	if (known)
		map_set(&d->names_by_op, base, *known);
}

const char *op_name(const struct tacho_device *d, uint32_t base)
{
	const uint32_t *at = map_get(&d->names_by_op, base);

	return at ? d->op_names.v[*at - 1] : "";
}

/* ---- records ---- */
static struct tacho_zone zone_begin(uint64_t id)
{
	static struct tacho_srcloc place = TACHO_SRCLOC("TT_DNN_DEVICE_OP", 0);
	struct tacho_zone zone = tacho_zone_begin(&place);

	if (zone.word)
		tacho_zone_textf(zone, "id:%llu", (unsigned long long)id);
	return zone;
}

bool op_record_send(const struct op_record *r)
{
	uint64_t hit = r->device == TRACE_NONE ? 0 : r->hit ? 2 : 1;

	return !r->text.failed &&
	       tacho_core_op(r->id, TRACE_OP(r->device, hit), r->hash, r->text.data, r->text.len);
}

/*
 * Records the call and remembers the op: ZONE says in which recording it started. RAN: the program
 * ran before, perhaps with other attributes.
 */
static void op_report(struct tacho_device *d, const struct op_form *form, uint64_t hash,
		      uint32_t base, bool ran, struct tacho_zone zone)
{
	struct op_record call = {
		.id = op_id(d, base), .hash = hash, .device = d->number, .text = BUF_INIT};
	const uint32_t *known = map_get(&d->known, hash);
	uint32_t recording = (uint32_t)(tacho_key() >> 32), reported = known ? *known : 0;
	/* For readers that cannot seek back. */
	bool again = env_number("TT_METAL_PROFILER_NO_CACHE_OP_INFO", 0), full;

	call.hit = ran || known;
	if (zone.word && zone.session == recording) {
		full = reported != recording || again;
		op_text(&call.text, form, d->number, full);
		if (op_record_send(&call) && full)
			reported = recording;
		buf_reset(&call.text);
	}
	if (d->capture) {
		op_text(&call.text, form, d->number, true);
		replay_keep(d->capture, &call);
	}
	buf_free(&call.text);
	keep_name(d, form, hash, base);
	/* Out of memory: the op is described in full again, which does no harm. */
	map_set(&d->known, hash, reported);
}

/* ---- one program ---- */
int tacho_op_describe(struct tacho_program *p, const struct tacho_op *op)
{
	struct op_info *info;
	int r = op_info_copy(&info, op);

	if (r < 0)
		return r;
	DEVICE_HOLD(p->device);
	p->op.ran = p->op.ran && info && info->name && p->op.info && p->op.info->name &&
		    !strcmp(info->name, p->op.info->name);
	op_info_free(p->op.info);
	p->op.info = info;
	p->op.hash = 0;
	return 0;
}

void tacho_op_hide(struct tacho_program *p, int hidden)
{
	DEVICE_HOLD(p->device);
	p->op.hidden = hidden != 0;
}

int tacho_op_number(struct tacho_program *p, uint32_t number)
{
	if (number >> PROGRAM_BITS)
		return device_fail(TACHO_ELIMIT, "op %u: numbers that programs choose are below %u",
				   number, 1u << PROGRAM_BITS);
	DEVICE_HOLD(p->device);
	p->op.number = number;
	return 0;
}

/* ---- groups ---- */

/*
 * Protects groups and d->group: a group spans several devices, one of which is locked. Taken last.
 */
static pthread_mutex_t groups = PTHREAD_MUTEX_INITIALIZER;

struct member {
	struct tacho_device *device;
	struct tacho_zone zone;
	struct op_kernels kernels;
};

struct op_group {
	uint32_t base;
	struct op_info *info;
	VEC(struct member);
};

static void group_free(struct op_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		op_kernels_free(&g->v[i].kernels);
	vec_free(g);
	op_info_free(g->info);
	free(g);
}

static int group_new(struct op_group **out, unsigned count, const struct tacho_op *op)
{
	struct op_group *g = calloc(1, sizeof(*g));
	int r = g ? op_info_copy(&g->info, op) : device_fail(TACHO_ENOMEM, "no memory");

	if (r == 0 && vec_reserve(g, count) < 0)
		r = device_fail(TACHO_ENOMEM, "no memory");
	if (r == 0)
		*out = g;
	else if (g)
		group_free(g);
	return r;
}

int tacho_op_begin(struct tacho_device *const *devices, unsigned count, const struct tacho_op *op)
{
	struct op_group *g = NULL;
	int r = count ? group_new(&g, count, op)
		      : device_fail(TACHO_EUSAGE, "a group has at least one device");

	if (r < 0)
		return r;
	g->base = op_next();
	/* All of them or none. */
	r = 0;
	pthread_mutex_lock(&groups);
	for (unsigned i = 0; r == 0 && i < count; i++)
		if (devices[i]->group)
			r = device_fail(TACHO_EUSAGE, "device %u is in a group already",
					devices[i]->number);
	for (unsigned i = 0; r == 0 && i < count; i++) {
		if (devices[i]->group)
			continue; /* it is listed twice */
		devices[i]->group = g;
		g->v[g->n++] = (struct member){.device = devices[i]};
	}
	pthread_mutex_unlock(&groups);
	if (r < 0) {
		group_free(g);
		return r;
	}
	for (size_t i = 0; i < g->n; i++) {
		struct tacho_device *d = device_hold(g->v[i].device);
		struct op_form form = {g->info, &g->v[i].kernels};

		/* Its programs may be logged before it ends. */
		if (op && op->name)
			keep_name(d, &form, op_text_hash(&form), g->base);
		d->last_op = g->base;
		g->v[i].zone = zone_begin(op_id(d, g->base));
		device_release(&d);
	}
	return 0;
}

/* Returns the device's group, now owned by the caller; NULL: none. */
static struct op_group *group_leave(struct tacho_device *device)
{
	struct op_group *g;

	pthread_mutex_lock(&groups);
	g = device->group;
	for (size_t i = 0; g && i < g->n; i++)
		g->v[i].device->group = NULL;
	pthread_mutex_unlock(&groups);
	return g;
}

/* Zones nest: the last one first. */
int tacho_op_end(struct tacho_device *device)
{
	struct op_group *g = group_leave(device);

	if (!g)
		return device_fail(TACHO_EUSAGE, "device %u is in no group", device->number);
	for (size_t i = g->n; i-- > 0;) {
		struct member *m = &g->v[i];
		struct op_form form = {g->info, &m->kernels};
		struct tacho_device *d = device_hold(m->device);

		op_report(d, &form, op_text_hash(&form), g->base, false, m->zone);
		tacho_zone_end(m->zone);
		device_release(&d);
	}
	group_free(g);
	return 0;
}

/* The number of the group's op; 0: the device is in no group. */
static uint32_t group_base(const struct tacho_device *d)
{
	uint32_t base;

	pthread_mutex_lock(&groups);
	base = d->group ? d->group->base : 0;
	pthread_mutex_unlock(&groups);
	return base;
}

bool op_in_group(const struct tacho_device *d)
{
	return group_base(d) != 0;
}

void op_forget(struct tacho_device *d)
{
	if (op_in_group(d))
		tacho_op_end(d);
	map_free(&d->known);
	for (size_t i = 0; i < d->op_names.n; i++)
		free(d->op_names.v[i]);
	vec_free(&d->op_names);
	map_free(&d->names_by_hash);
	map_free(&d->names_by_op);
}

/* ---- around the start of a program ---- */
struct op_run op_run_begin(struct tacho_device *d, const struct tacho_program *p)
{
	struct op_run run = {.base = p->op.hidden ? 0 : group_base(d)};

	run.grouped = run.base != 0;
	if (p->op.hidden || run.grouped)
		return run;
	run.base = p->op.number ? op_chosen(p->op.number) : op_next();
	d->last_op = run.base;
	run.zone = zone_begin(op_id(d, run.base));
	return run;
}

/* Also for a program that failed to start: each zone of an op has its record. */
void op_run_end(struct tacho_device *d, struct tacho_program *p, struct op_run run)
{
	struct op_form form = {p->op.info, &p->op.kernels};

	if (run.grouped) {
		pthread_mutex_lock(&groups);
		for (size_t i = 0; d->group && i < d->group->n; i++)
			if (d->group->v[i].device == d)
				op_kernels_add(&d->group->v[i].kernels, &p->op.kernels);
		pthread_mutex_unlock(&groups);
	} else if (run.base) {
		if (!p->op.hash)
			p->op.hash = op_text_hash(&form);
		op_report(d, &form, p->op.hash, run.base, p->op.ran, run.zone);
		p->op.ran = true;
	}
	tacho_zone_end(run.zone);
}

/* ---- host ops ---- */
struct tacho_op_host tacho_op_host_begin(const struct tacho_op *op)
{
	static struct tacho_srcloc place = TACHO_SRCLOC("TT_DNN_FALLBACK_OP", 0);
	uint64_t id = base_id(op_next()) | HOST_BIT;
	struct tacho_zone zone = tacho_zone_begin(&place);
	struct op_kernels none = {0};
	struct op_form form = {.kernels = &none};
	struct op_info *info = NULL;
	struct op_record call = {.id = id, .device = TRACE_NONE, .text = BUF_INIT};

	if (!zone.word)
		return (struct tacho_op_host){0};
	tacho_zone_textf(zone, "id:%llu", (unsigned long long)id);
	/* Out of memory for the description: the op still has its name. */
	if (op_info_copy(&info, op) < 0)
		op_info_copy(&info, &(struct tacho_op){.name = op->name});
	form.info = info;
	op_text(&call.text, &form, TRACE_NONE, true);
	op_record_send(&call);
	buf_free(&call.text);
	op_info_free(info);
	return (struct tacho_op_host){zone.word, zone.session};
}

void tacho_op_host_end(struct tacho_op_host host)
{
	tacho_zone_end((struct tacho_zone){host.id, host.session});
}
