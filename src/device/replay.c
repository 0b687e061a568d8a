/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: lists of programs that one call runs again. */
#include "device/launch.h"
#include "device/program.h"
#include "tacho_layout.h"
#include "trace/trace.h"

#include <tacho/cores.h>

#include <stdlib.h>
#include <string.h>

/*
 * Readers need these to distinguish replays of an op. Other runtimes send them only on request;
 * here TT_METAL_PROFILER_TRACE_TRACKING=0 omits them.
 */
static void replay_report(const struct tacho_trace *t, enum trace_op_step step)
{
	if (step == TRACE_OP_TRACE_END || env_number("TT_METAL_PROFILER_TRACE_TRACKING", 1))
		tacho_core_trace(t->number, TRACE_OP(t->device->number, step), 0);
}

int replay_take(struct tacho_device *d, struct tacho_program *p, uint32_t op)
{
	if ((op && map_set(&d->traced, op, d->capture->number) < 0) ||
	    vec_push(d->capture, ((struct traced){p, op})) < 0)
		return device_fail(TACHO_ENOMEM, "no memory");
	if (op)
		tacho_core_trace(d->capture->number, TRACE_OP(d->number, TRACE_OP_TRACE_PROGRAM),
				 op);
	return 0;
}

void replay_keep(struct tacho_trace *t, struct op_record *call)
{
	/* Out of memory: a later recording knows the op by its number alone. */
	if (!call->text.failed && vec_push(&t->ops, *call) == 0)
		call->text = (struct buf)BUF_INIT;
}

static uint32_t recording_now(void)
{
	return (uint32_t)(tacho_key() >> 32);
}

/*
 * The firmware counts all replays of a device in 16 bits; later runs outside the trace keep the
 * count.
 */
bool replay_find(const struct tacho_device *d, uint32_t op, uint32_t counter,
		 struct device_replay *replayed)
{
	size_t n = d->replayed.n, back = (n - counter) & 0xffff;
	const uint32_t *trace = map_get(&d->traced, op);

	if (!trace || back >= n || d->replayed.v[n - back - 1].trace != *trace)
		return false;
	*replayed = d->replayed.v[n - back - 1];
	return true;
}

int tacho_trace_begin(struct tacho_device *d)
{
	struct tacho_trace *t;

	TACHO_ZONE("tacho_trace_begin");
	DEVICE_HOLD(d);
	if (d->capture)
		return device_fail(TACHO_EUSAGE, "a trace of device %u is being taken already",
				   d->number);
	if (op_in_group(d))
		return device_fail(TACHO_EUSAGE, "a trace cannot begin inside of an op");
	device_describe(d);
	t = calloc(1, sizeof(*t));
	if (!t)
		return device_fail(TACHO_ENOMEM, "no memory");
	t->device = d;
	t->number = ++d->next_trace;
	t->recording = recording_now();
	d->capture = t;
	replay_report(t, TRACE_OP_TRACE_BEGIN);
	return 0;
}

int tacho_trace_end(struct tacho_device *d, struct tacho_trace **trace)
{
	TACHO_ZONE("tacho_trace_end");
	DEVICE_HOLD(d);
	if (!d->capture)
		return device_fail(TACHO_EUSAGE, "no trace of device %u is being taken", d->number);
	if (op_in_group(d))
		return device_fail(TACHO_EUSAGE, "a trace cannot end inside of an op");
	*trace = d->capture;
	d->capture = NULL;
	replay_report(*trace, TRACE_OP_TRACE_END);
	if ((*trace)->recording != recording_now())
		(*trace)->recording = 0;
	return 0;
}

int tacho_trace_replay(struct tacho_trace *t)
{
	struct tacho_device *d = t->device;
	int r;

	TACHO_ZONE("tacho_trace_replay");
	DEVICE_HOLD(d);
	device_describe(d);
	r = device_wait(d);
	if (r == 0 && d->capture)
		r = device_fail(TACHO_EUSAGE, "a trace cannot be replayed while one is taken");
	if (r == 0) {
		uint32_t go = (uint32_t)GO_REPLAY << 24;

		/* The firmware of all Tensix cores counts replays for the profiler's id words. */
		for (unsigned i = 0; r == 0 && i < d->shape.cores; i++) {
			if (d->cores[i].info.ethernet)
				continue;
			r = core_write(d, i, d->shape.mailbox + M_GO, &go, 4);
			d->cores[i].busy = true;
		}
		d->running = true;
		r = r == 0 ? device_wait(d) : r;
	}
	if (r < 0)
		return r;
	/*
	 * A recording that started after the trace's gets the trace's ops, and counts replays from
	 * the start.
	 */
	if (tacho_is_recording() && t->recording != recording_now()) {
		t->recording = recording_now();
		t->replays = 0;
		replay_report(t, TRACE_OP_TRACE_BEGIN);
		for (size_t i = 0; i < t->ops.n; i++)
			op_record_send(&t->ops.v[i]);
		replay_report(t, TRACE_OP_TRACE_END);
	}
	if (vec_push(&d->replayed, ((struct device_replay){t->number, ++t->replays})) < 0)
		return device_fail(TACHO_ENOMEM, "no memory");
	replay_report(t, TRACE_OP_TRACE_REPLAY);
	for (size_t i = 0; r == 0 && i < t->n; i++)
		r = launch_program(d, t->v[i].program, t->v[i].op);
	return r;
}

void tacho_trace_free(struct tacho_trace *t)
{
	if (!t)
		return;
	TACHO_ZONE("tacho_trace_free");
	DEVICE_HOLD(t->device);
	if (t->device->capture == t)
		t->device->capture = NULL;
	replay_report(t, TRACE_OP_TRACE_RELEASE);
	for (size_t i = 0; i < t->ops.n; i++)
		buf_free(&t->ops.v[i].text);
	vec_free(&t->ops);
	vec_free(t);
	free(t);
}
