/* SPDX-License-Identifier: Apache-2.0 */
/* Describe a device for the readers of a trace. */
#include "base/arch.h"
#include "base/json.h"
#include "device/launch.h"
#include "device/prof.h"
#include "device/report.h"

#include <tacho/cores.h>

#include <stdio.h>

static void describe_core_add(struct json *j, unsigned x, unsigned y, unsigned logical_x,
			      unsigned logical_y, const char *kind)
{
	json_array(j, NULL);
	json_uint(j, NULL, x);
	json_uint(j, NULL, y);
	json_uint(j, NULL, logical_x);
	json_uint(j, NULL, logical_y);
	json_text(j, NULL, kind);
	json_end(j);
}

void device_describe(struct tacho_device *d)
{
	uint32_t recording = (uint32_t)(tacho_key() >> 32);
	struct buf text = BUF_INIT;
	struct json j;
	size_t n;

	if (!recording || recording == d->described)
		return;
	d->described = recording;
	json_init(&j, &text);
	j.flat = 1;
	json_object(&j, NULL);
	json_uint(&j, "device", d->number);
	json_text(&j, "arch", d->shape.arch);
	json_uint(&j, "mhz", d->shape.mhz);
	json_array(&j, "grid");
	json_uint(&j, NULL, d->shape.columns);
	json_uint(&j, NULL, d->shape.rows);
	json_end(&j);
	json_uint(&j, "max_compute_cores", d->workers);
	json_bool(&j, "modelled", d->shape.modelled);
	json_array(&j, "cores");
	for (unsigned i = 0; i < d->shape.cores; i++) {
		const struct tacho_device_core *c = &d->cores[i].info;

		describe_core_add(&j, c->x, c->y, c->logical_x, c->logical_y,
				  c->ethernet          ? "ethernet"
				  : dispatch_has(d, i) ? "dispatch"
						       : "worker");
	}
	for (unsigned i = 0; i < d->shape.dram_banks; i++) {
		struct tacho_device_bank b;

		d->ops->bank(d->self, i, &b);
		describe_core_add(&j, b.x, b.y, i, 0, "dram");
	}
	json_end(&j);
	json_end(&j);
	/* Shown among other properties. */
	n = 0;
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] != '\n')
			text.data[n++] = text.data[i];
	text.len = n;
	if (!text.failed)
		tacho_device_describe(d->number, text.data, text.len);
	buf_free(&text);
}

void device_report_damaged(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t op,
			   uint64_t markers)
{
	const struct tacho_device_core *c = &d->cores[core].info;

	if (tacho_is_recording())
		tacho_messagef(TACHO_WARNING, 0,
			       "Profiler buffers were overwritten by a kernel: device %u, worker "
			       "core %u, %u, Risc %s, op %llu, %llu markers cannot be trusted",
			       d->number, c->x, c->y,
			       arch_risc_log_name(arch_risc_at(risc, c->ethernet)),
			       (unsigned long long)op_id(d, op), (unsigned long long)markers);
}

/* The terms that users of such devices search for. */
#define FULL_TEXT                                                                                \
	"Profiler DRAM buffers were full, markers were dropped! device %u, worker core %u, %u, " \
	"Risc %s,  bufferEndIndex = %u. Please either decrease the number of ops being "         \
	"profiled or run read device profiler more often"

void device_report_full(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t words)
{
	const struct tacho_device_core *c = &d->cores[core].info;

	if (tacho_is_recording())
		tacho_messagef(TACHO_WARNING, 0, FULL_TEXT, d->number, c->x, c->y,
			       arch_risc_log_name(arch_risc_at(risc, c->ethernet)), words);
}

static void warn_full(const struct tacho_device *d)
{
	const struct prof_full *f = &d->prof->full;
	const struct tacho_device_core *c = &d->cores[f->core].info;

	fprintf(stderr, "tacho: warning: " FULL_TEXT, d->number, c->x, c->y,
		arch_risc_log_name(arch_risc_at(f->risc, c->ethernet)), f->words);
	if (f->riscs > 1)
		fprintf(stderr, " (and %llu more times)", (unsigned long long)(f->riscs - 1));
	fputc('\n', stderr);
}

void device_warn_losses(const struct tacho_device *d)
{
	uint64_t others = d->prof->losses - d->prof->full.riscs - d->prof->damage.markers;

	if (d->prof->full.riscs)
		warn_full(d);
	if (d->prof->damage.markers) {
		const struct prof_damage *damage = &d->prof->damage;
		const struct tacho_device_core *c = &d->cores[damage->core].info;

		fprintf(stderr,
			"tacho: warning: device %u: kernels have overwritten the profiler's buffers, %llu "
			"markers cannot be trusted, the first of core %u,%u (NoC %u,%u), %s, op %llu\n",
			d->number, (unsigned long long)damage->markers, c->logical_x, c->logical_y,
			c->x, c->y, risc_name(damage->risc, c->ethernet),
			(unsigned long long)op_id(d, damage->op));
	}
	if (others)
		fprintf(stderr,
			"tacho: warning: device %u: %llu markers found no room in the buffers of "
			"their RISCs\n",
			d->number, (unsigned long long)others);
}
