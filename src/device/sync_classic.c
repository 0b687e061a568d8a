/* SPDX-License-Identifier: Apache-2.0 */
/* Take the 249 one-way samples of sync_device_info.csv, for tools that expect them. */
#include "device/kernel_build.h"
#include "device/launch.h"
#include "device/program.h"
#include "device/sync.h"
#include "tacho_layout.h"

#include <tacho/tacho.h>

#include <stdio.h>
#include <time.h>

#define PAUSE_NS 10000000u

const char sync_classic_header[] =
	"device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,delay,"
	"frequency,tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n";

/* ---- the exchange ---- */
static int kernel_new(struct tacho_device *d, struct tacho_program **program)
{
	const uint32_t samples = SYNC_SAMPLES;
	char path[4096];
	int r = build_own_source("sync.c", path, sizeof(path)), kernel;

	if (r == 0)
		r = tacho_program_new(program, d);
	if (r < 0)
		return r;
	kernel = tacho_program_kernel(*program,
				      &(struct tacho_kernel){.source = path, .risc = TACHO_BRISC});
	r = kernel < 0
		    ? kernel
		    : tacho_program_args(*program, kernel, (struct tacho_core){0, 0}, &samples, 1);
	return r < 0 ? r : tacho_program_compile(*program);
}

/* Sends the host's time to the device: its lower 32 bits, and never 0. */
static int send_time(struct tacho_device *d, unsigned core, const struct sync_classic *c,
		     struct sync_sample *s)
{
	uint32_t address = d->shape.mailbox + M_PROF_CONTROL + 4 * PROF_SYNC;
	uint64_t before = sync_host_ticks(d), after;
	uint32_t word = (uint32_t)(before - c->host_start);
	int r;

	word += word == 0;
	if (d->ops->timed_write) {
		r = d->ops->timed_write(d->self, core, address, word, &before, &after);
	} else {
		r = d->ops->write(d->self, core, address, &word, 4);
		after = sync_host_ticks(d);
	}
	*s = (struct sync_sample){.host = after - c->host_start, .overhead = after - before};
	return r;
}

int sync_classic_run(struct tacho_device *d, struct sync_classic *c)
{
	struct tacho_program *program = NULL;
	int core = device_core_at(d, false, 0, 0), r = kernel_new(d, &program);
	size_t first = c->n;

	if (!c->n)
		c->host_start = sync_host_ticks(d);
	if (r == 0)
		r = launch_program(d, program, 0);
	if (r == 0) {
		for (unsigned i = 0; r == 0 && i < SYNC_SAMPLES; i++) {
			struct sync_sample s;
			struct timespec t = {0, PAUSE_NS};

			if (d->ops->pause)
				d->ops->pause(d->self, PAUSE_NS);
			else
				nanosleep(&t, NULL);
			r = send_time(d, (unsigned)core, c, &s);
			if (r == 0 && vec_push(c, s) < 0)
				r = device_fail(TACHO_ENOMEM, "no memory");
		}
	}
	if (r == 0)
		r = device_wait(d);
	if (r == 0) {
		uint32_t words[2 * SYNC_SAMPLES + 2];
		uint64_t high;

		/* Reads the kernel's samples: 32 bits of its clock each. */
		r = d->ops->read(d->self, (unsigned)core,
				 d->shape.mailbox + M_PROF_BUFFER + 4 * PROF_OPTIONAL, words,
				 sizeof(words));
		high = words[0];
		for (size_t i = 0; r == 0 && i < SYNC_SAMPLES; i++) {
			high += i && words[2 + 2 * i] < words[2 * i];
			c->v[first + i].device = high << 32 | words[2 + 2 * i];
		}
	}
	if (r < 0)
		c->n = first;
	sync_classic_fit(c, backend_tick_rate());
	tacho_program_free(program);
	return r;
}

/* ---- the line ---- */

/*
 * Least squares of device over host, both relative to their means: sums of squares of large numbers
 * lose precision.
 */
void sync_classic_fit(struct sync_classic *c, double rate)
{
	double ns = 1e9 / rate, host = 0, device = 0, hd = 0, hh = 0;
	uint64_t h0 = c->n ? c->v[0].host : 0, d0 = c->n ? c->v[0].device : 0;

	for (size_t i = 0; i < c->n; i++) {
		host += (double)(c->v[i].host - h0) * ns / (double)c->n;
		device += (double)(c->v[i].device - d0) / (double)c->n;
	}
	for (size_t i = 0; i < c->n; i++) {
		double h = (double)(c->v[i].host - h0) * ns - host;

		hd += h * ((double)(c->v[i].device - d0) - device);
		hh += h * h;
	}
	c->frequency = hh > 0 ? hd / hh : 0;
	c->delay = (double)d0 + device - c->frequency * ((double)h0 * ns + host);
}

void sync_classic_free(struct sync_classic *c)
{
	if (c)
		vec_free(c);
	free(c);
}

/* ---- the file ---- */
void sync_classic_rows(const struct tacho_device *d, const struct sync_classic *c, struct buf *out)
{
	int core = device_core_at(d, false, 0, 0);
	double ratio = 1e9 / backend_tick_rate();

	for (size_t i = c->n < SYNC_SAMPLES ? 0 : c->n - SYNC_SAMPLES; core >= 0 && i < c->n; i++) {
		const struct sync_sample *s = &c->v[i];

		buf_addf(
			out,
			"%5u,%5u,%5u,%20llu,%20llu,%20.2f,%20llu,%20llu,%20.2f,%20.15f,%20.15f,%20llu,"
			"1.0,0\n",
			d->number, d->cores[core].info.x, d->cores[core].info.y,
			(unsigned long long)s->device, (unsigned long long)s->host,
			(double)s->host * ratio, (unsigned long long)s->overhead,
			(unsigned long long)c->host_start, c->delay, c->frequency, ratio, 0ull);
	}
}
