/* SPDX-License-Identifier: Apache-2.0 */
/* Ops in a Perfetto trace: slices on tracks of their device, and where the host called them. */
#include "base/order.h"
#include "export/perfetto.h"
#include "op/load.h"
#include "op/trace_cores.h"

#include <math.h>
#include <stdlib.h>

#define LANES_MOST 8 /* of a device: further ops that overlap are left out */

struct span_op {
	uint64_t start, end;
	const struct op *op;
	uint32_t device; /* index in cores.devices */
};

struct span_ops {
	VEC(struct span_op);
};

ORDER_BY(span_op_compare, struct span_op, ORDER_UP(device) ?: ORDER_UP(start) ?: ORDER_UP(op));

static int span_ops_collect(const struct perfetto *p, const struct op_table *t,
			    const struct op_cores *cores, struct span_ops *list)
{
	for (size_t i = 0; i < t->ops.n; i++) {
		const struct op *op = &t->ops.v[i];
		struct span_op s = {.op = op};

		while (s.device < cores->devices.n &&
		       cores->devices.v[s.device].number != op->device)
			s.device++;
		if (op->kind != OP_ON_DEVICE || s.device == cores->devices.n ||
		    op->fw_start == OP_NONE || op->fw_end == OP_NONE)
			continue;
		s.start = device_clock_ticks(&cores->devices.v[s.device].clock,
					     (uint64_t)op->fw_start);
		s.end = device_clock_ticks(&cores->devices.v[s.device].clock, (uint64_t)op->fw_end);
		if (s.end >= s.start && s.end > p->filter->in.t0 && s.start < p->filter->in.t1 &&
		    vec_push(list, s) < 0)
			return TACHO_ENOMEM;
	}
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), span_op_compare);
	return 0;
}

static void op_annotation(struct perfetto *p, const char *name, int64_t n)
{
	if (n == OP_NONE)
		return;
	pb_text(&p->part, 10, name);
	pb_value(&p->part, 4, (uint64_t)n);
	pb_message(&p->event, EVENT_ANNOTATION, &p->part);
}

static int op_write(struct perfetto *p, const struct op_table *t, const struct span_op *s,
		    uint64_t track, uint64_t flow)
{
	const struct op *op = s->op;
	const struct op_program *program =
		op->program == OP_NO_PROGRAM ? NULL : op_program_of(t, op);
	int r;

	perfetto_event(p, EVENT_BEGIN, track);
	pb_string(&p->event, EVENT_NAME, program ? program->code.text : "?",
		  program ? program->code.len : 1);
	pb_text(&p->event, EVENT_CATEGORY, "op");
	op_annotation(p, "op", op->id == OP_NONE ? OP_NONE : op->id >> 10);
	op_annotation(p, "cores", op->core_count);
	op_annotation(p, "kernel_ns", isnan(op->kernel) ? OP_NONE : llround(op->kernel));
	op_annotation(p, "trace", op->trace);
	op_annotation(p, "replay", op->session);
	if (program && program->attributes.len) {
		pb_text(&p->part, 10, "attributes");
		pb_string(&p->part, 6, program->attributes.text, program->attributes.len);
		pb_message(&p->event, EVENT_ANNOTATION, &p->part);
	}
	if (flow)
		pb_fixed64(&p->event, EVENT_LAST_FLOW, flow);
	r = perfetto_packet(p, perfetto_ns(p, s->start), PACKET_TRACK_EVENT);
	perfetto_event(p, EVENT_END, track);
	return r < 0 ? r : perfetto_packet(p, perfetto_ns(p, s->end), PACKET_TRACK_EVENT);
}

static int span_ops_write(struct perfetto *p, const struct op_table *t,
			  const struct op_cores *cores, const struct span_ops *list,
			  uint32_t process)
{
	uint64_t busy[LANES_MOST] = {0};
	uint32_t lanes = 0;
	int r = 0;

	for (size_t i = 0; i < list->n && r == 0; i++) {
		const struct span_op *s = &list->v[i];
		const struct op_trace_device *d = &cores->devices.v[s->device];
		const uint64_t device = PERFETTO_DEVICE(d->process, d->number);
		uint64_t flow = 0;
		uint32_t lane = 0;

		if (i == 0 || list->v[i - 1].device != s->device) {
			memset(busy, 0, sizeof(busy));
			lanes = 0;
		}
		while (lane < lanes && busy[lane] > s->start)
			lane++;
		if (lane == LANES_MOST)
			continue;
		busy[lane] = s->end;
		if (lane == lanes) {
			lanes++;
			buf_reset(&p->event);
			r = perfetto_track(p, PERFETTO_OPS(p->op_tracks + s->device, lane), device,
					   "ops");
		}
		if (s->op->host_start != OP_NONE) {
			flow = PERFETTO_OP_FLOW(p->calls.n);
			r = vec_push(&p->calls,
				     ((struct perfetto_call){process, s->op->host_start, flow}));
		}
		if (r == 0)
			r = op_write(p, t, s, PERFETTO_OPS(p->op_tracks + s->device, lane), flow);
	}
	p->op_tracks += (uint32_t)cores->devices.n;
	return r;
}

ORDER_BY(perfetto_call_compare, struct perfetto_call,
	 ORDER_UP(process) ?: ORDER_UP(host_start) ?: ORDER_UP(flow));

/* Op numbers are per process. */
int perfetto_ops(struct perfetto *p)
{
	const uint8_t *in = p->filter->in.tracks;
	uint8_t *tracks = malloc(p->trace->track_count + 1);
	const struct op_load_options options = {0};
	uint32_t process = TRACE_NONE;
	int r = tracks ? 0 : TACHO_ENOMEM;

	while (r == 0 && (process = op_device_process(p->trace, in, process)) != TRACE_NONE) {
		struct op_loaded loaded = {0};
		struct op_cores cores = {0};
		struct span_ops list = {0};

		op_process_tracks(p->trace, in, process, tracks);
		r = op_load_trace(&loaded, p->trace, tracks, NULL, &options, NULL);
		if (r == 0)
			r = op_cores_open(&cores, p->trace, tracks, NULL);
		if (r == 0)
			r = span_ops_collect(p, &loaded.host.table, &cores, &list);
		if (r == 0)
			r = span_ops_write(p, &loaded.host.table, &cores, &list, process);
		op_cores_close(&cores);
		op_loaded_free(&loaded);
		vec_free(&list);
		r = r == TACHO_ENO ? 0 : r; /* no ops */
	}
	if (p->calls.n)
		qsort(p->calls.v, p->calls.n, sizeof(*p->calls.v), perfetto_call_compare);
	free(tracks);
	return r;
}

void perfetto_calls_add(struct perfetto *p, uint32_t process, int64_t host_start)
{
	size_t low = 0, high = p->calls.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct perfetto_call *c = &p->calls.v[middle];

		if (c->process < process || (c->process == process && c->host_start < host_start))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < p->calls.n && p->calls.v[low].process == process &&
	       p->calls.v[low].host_start == host_start;
	     low++) {
		if (p->calls.v[low].flow)
			pb_fixed64(&p->event, EVENT_FLOW, p->calls.v[low].flow);
		p->calls.v[low].flow = 0;
	}
}
