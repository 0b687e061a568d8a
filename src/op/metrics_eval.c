/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates one metric of one core. */
#include "op/metrics_eval.h"

#include <math.h>

/* A counter's value on the core. One that no core has counts as 0 in the device-only report. */
static double metrics_eval_value(const struct metric_device *d, const struct metric_core *c,
				 int counter)
{
	if (!d->has[counter])
		return d->joined ? NAN : 0;
	return c->value[counter];
}

static double metrics_eval_reference(const struct metric_device *d, const struct metric_core *c,
				     int counter)
{
	if (!d->has[counter])
		return d->joined ? NAN : 0;
	return c->ref[counter];
}

static double metrics_eval_ratio(double a, double b)
{
	return b > 0 ? a / b * 100 : NAN;
}

static double metrics_eval_rest(const struct metric_device *d, double part, double all, bool clamp)
{
	/* Grants without requests give minus infinity, which the joined report clamps. */
	if (!(all > 0))
		return d->joined && clamp && all == 0 && part > 0 ? 0 : NAN;
	part = (all - part) / all * 100;
	if (d->joined && (!clamp || isnan(part)))
		return part;
	return part > 0 ? part : 0;
}

#define V(counter) metrics_eval_value(d, c, OP_C_##counter)
#define R(counter) metrics_eval_reference(d, c, OP_C_##counter)

static bool uses_packer(const struct metric_device *d)
{
	return d->total[OP_C_PACKER_BUSY] > 0;
}

static double mean_of_two(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	return (a + b) / 2;
}

static double metrics_eval_unpacker1(const struct metric_device *d, const struct metric_core *c)
{
	/* The two reports use different counters for the second unpacker's writes. */
	return metrics_eval_ratio(d->joined ? V(SRCB_WRITE_NOT_BLOCKED_PORT) : V(SRCB_WRITE_ACTUAL),
				  V(UNPACK1_BUSY_THREAD0));
}

static int pack_port(const struct metric_device *d)
{
	return d->has[OP_C_L1_0_UNIFIED_PACKER] ? OP_C_L1_0_UNIFIED_PACKER
						: OP_C_L1_0_UNPACKER_1_ECC_PACK1;
}

static double metrics_eval_hf(const struct metric_device *d, const struct metric_core *c,
			      bool cycles)
{
	double h1 = V(MATH_INSTRN_HF_1_CYCLE), h2 = V(MATH_INSTRN_HF_2_CYCLE);
	double h4 = V(MATH_INSTRN_HF_4_CYCLE), all = h1 + h2 + h4;

	if (!(all > 0))
		return NAN;
	return cycles ? (h1 + 2 * h2 + 4 * h4) / all : (h2 + h4) / all * 100;
}

static double noc_out(const struct metric_device *d, const struct metric_core *c)
{
	return V(L1_0_NOC_RING0_OUTGOING_0) + V(L1_0_NOC_RING0_OUTGOING_1);
}

static double noc_in(const struct metric_device *d, const struct metric_core *c)
{
	return V(L1_0_NOC_RING0_INCOMING_0) + V(L1_0_NOC_RING0_INCOMING_1);
}

static double l1_total(const struct metric_device *d, const struct metric_core *c)
{
	const int ports[] = {OP_C_L1_0_UNPACKER_0,           pack_port(d),
			     OP_C_L1_0_TDMA_BUNDLE_0_RISC,   OP_C_L1_0_TDMA_BUNDLE_1_TRISC,
			     OP_C_L1_0_NOC_RING0_OUTGOING_0, OP_C_L1_0_NOC_RING0_OUTGOING_1,
			     OP_C_L1_0_NOC_RING0_INCOMING_0, OP_C_L1_0_NOC_RING0_INCOMING_1};
	double all = 0;

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (d->has[ports[i]])
			all += c->value[ports[i]];
	return metrics_eval_ratio(all, 8 * R(L1_0_UNPACKER_0));
}

static double l1_reads(const struct metric_device *d, const struct metric_core *c)
{
	double reads =
		V(L1_0_UNPACKER_0) + V(L1_0_NOC_RING0_OUTGOING_0) + V(L1_0_NOC_RING0_OUTGOING_1);
	double writes = metrics_eval_value(d, c, pack_port(d)) + V(L1_0_NOC_RING0_INCOMING_0) +
			V(L1_0_NOC_RING0_INCOMING_1);

	return metrics_eval_ratio(reads, reads + writes);
}

/* The mean over the ports of requests not granted. */
static double metrics_eval_contention(const struct metric_device *d, const struct metric_core *c)
{
	static const int ports[][2] = {
		{OP_C_L1_0_UNPACKER_0, OP_C_L1_0_UNPACKER_0_GRANT},
		{OP_C_L1_0_NOC_RING0_OUTGOING_0, OP_C_L1_0_NOC_RING0_OUTGOING_0_GRANT},
		{OP_C_L1_0_NOC_RING0_OUTGOING_1, OP_C_L1_0_NOC_RING0_OUTGOING_1_GRANT},
		{OP_C_L1_0_NOC_RING0_INCOMING_0, OP_C_L1_0_NOC_RING0_INCOMING_0_GRANT},
		{OP_C_L1_0_NOC_RING0_INCOMING_1, OP_C_L1_0_NOC_RING0_INCOMING_1_GRANT},
	};
	double sum = 0;
	int n = 0;

	for (int i = 0; i < 5; i++) {
		double asked = metrics_eval_value(d, c, ports[i][0]),
		       granted = metrics_eval_value(d, c, ports[i][1]);

		if (d->joined ? !d->has[ports[i][0]] || !d->has[ports[i][1]] : !(asked > 0))
			continue;
		sum += metrics_eval_rest(d, granted, asked, true);
		n++;
	}
	return n ? sum / n : NAN;
}

static double metrics_eval_overlap(const struct metric_device *d, const struct metric_core *c,
				   int stalls)
{
	static const int reasons[] = {
		OP_C_WAITING_FOR_THCON_IDLE_0,  OP_C_WAITING_FOR_UNPACK_IDLE_0,
		OP_C_WAITING_FOR_PACK_IDLE_0,   OP_C_WAITING_FOR_MATH_IDLE_0,
		OP_C_WAITING_FOR_NONZERO_SEM_0, OP_C_WAITING_FOR_NONFULL_SEM_0,
		OP_C_WAITING_FOR_MOVE_IDLE_0,   OP_C_WAITING_FOR_MMIO_IDLE_0,
		OP_C_WAITING_FOR_SFPU_IDLE_0};
	double sum = 0, all = metrics_eval_value(d, c, stalls);

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		sum += metrics_eval_value(d, c, reasons[i] + stalls - OP_C_THREAD_STALLS_0);
	return all > 0 ? sum / all : NAN;
}

static double metrics_eval_imbalance(const struct metric_device *d, const struct metric_core *c)
{
	const double busy[] = {V(PACKER_BUSY_0), V(PACKER_BUSY_1), V(PACKER_BUSY_2),
			       V(PACKER_BUSY)};
	double most = busy[0], least = busy[0];

	for (int i = 1; i < 4; i++) {
		most = busy[i] > most ? busy[i] : most;
		least = busy[i] < least ? busy[i] : least;
	}
	return metrics_eval_ratio(most - least, most);
}

double metric_eval(const struct metric *m, const struct metric_device *d,
		   const struct metric_core *c)
{
	double a = metrics_eval_value(d, c, m->c[0]), b = metrics_eval_value(d, c, m->c[1]), asked;

	switch (m->kind) {
	case M_UTIL:
		return metrics_eval_ratio(a, metrics_eval_reference(d, c, m->c[0]));
	case M_RATE:
		return metrics_eval_reference(d, c, m->c[0]) > 0
			       ? a / metrics_eval_reference(d, c, m->c[0])
			       : NAN;
	case M_RATIO:
		if (m->c[1] == OP_C_UNPACK1_BUSY_THREAD0)
			return metrics_eval_unpacker1(d, c);
		return metrics_eval_ratio(a, b);
	case M_REST:
		return metrics_eval_rest(d, a, b, true);
	case M_REST_RAW:
	case M_DEST_PORT:
		return metrics_eval_rest(d, a, b, false);
	case M_MEAN2:
		return metrics_eval_ratio((a + b) / 2, metrics_eval_reference(d, c, m->c[0]));
	case M_PRESSURE:
		asked = a + b;
		return metrics_eval_rest(
			d, metrics_eval_value(d, c, m->c[2]) + metrics_eval_value(d, c, m->c[3]),
			asked, true);
	case M_UNPACKERS:
		return mean_of_two(
			metrics_eval_ratio(V(SRCA_WRITE_ACTUAL), V(UNPACK0_BUSY_THREAD0)),
			metrics_eval_unpacker1(d, c));
	case M_PACKER:
		return uses_packer(d)
			       ? metrics_eval_ratio(V(PACKER_DEST_READ_AVAILABLE), V(PACKER_BUSY))
			       : metrics_eval_ratio(V(DEST_READ_GRANTED_0),
						    V(PACKER_DEST_READ_AVAILABLE));
	case M_MATH_PIPE:
		return d->total[OP_C_MATH_INSTRN_STARTED] > 0 ? metrics_eval_ratio(a, b) : NAN;
	case M_HANDOFF:
		return metrics_eval_ratio(V(AVAILABLE_MATH),
					  uses_packer(d) ? V(PACKER_BUSY) : R(AVAILABLE_MATH));
	case M_FLOW:
		return metrics_eval_ratio((V(SRCA_WRITE_AVAILABLE) + V(SRCB_WRITE_AVAILABLE)) / 2,
					  (V(UNPACK0_BUSY_THREAD0) + V(UNPACK1_BUSY_THREAD0)) / 2);
	case M_HIFI:
		return metrics_eval_hf(d, c, false);
	case M_HF_CYCLES:
		return metrics_eval_hf(d, c, true);
	case M_PACK_PORT:
		return metrics_eval_ratio(metrics_eval_value(d, c, pack_port(d)),
					  metrics_eval_reference(d, c, pack_port(d)));
	case M_PACK_PRESSURE:
		return metrics_eval_rest(d, V(L1_0_PORT1_GRANT),
					 metrics_eval_value(d, c, pack_port(d)), true);
	case M_UNPACK_PRESSURE:
		return metrics_eval_rest(d, a, b, true);
	case M_L1_TOTAL:
		return l1_total(d, c);
	case M_L1_READS:
		return l1_reads(d, c);
	case M_NOC_ASYMMETRY:
		return metrics_eval_ratio(noc_out(d, c), noc_out(d, c) + noc_in(d, c));
	case M_L1_CONTENTION:
		return metrics_eval_contention(d, c);
	case M_NOC_COMPUTE:
		asked = noc_out(d, c) + noc_in(d, c);
		return metrics_eval_ratio(asked, V(FPU_COUNTER) + asked);
	case M_TDMA_SHARE:
		asked = V(L1_0_TDMA_BUNDLE_0_RISC) + V(L1_0_TDMA_BUNDLE_1_TRISC);
		return metrics_eval_ratio(asked, asked + noc_out(d, c) + noc_in(d, c));
	case M_OVERLAP:
		return metrics_eval_overlap(d, c, m->c[0]);
	case M_IMBALANCE:
		return metrics_eval_imbalance(d, c);
	case M_COMPUTE_UNPACK:
		return metrics_eval_ratio(V(MATH_COUNTER),
					  V(UNPACK0_BUSY_THREAD0) + V(UNPACK1_BUSY_THREAD0));
	}
	return NAN;
}

#define HAS(counter) (d->has[OP_C_##counter])

static bool overlap_shown(const struct metric_device *d, int stalls)
{
	int t = stalls - OP_C_THREAD_STALLS_0;

	return d->has[stalls] && d->has[OP_C_WAITING_FOR_THCON_IDLE_0 + t] &&
	       d->has[OP_C_WAITING_FOR_UNPACK_IDLE_0 + t] &&
	       d->has[OP_C_WAITING_FOR_PACK_IDLE_0 + t] &&
	       d->has[OP_C_WAITING_FOR_MATH_IDLE_0 + t] &&
	       d->has[OP_C_WAITING_FOR_NONZERO_SEM_0 + t] &&
	       d->has[OP_C_WAITING_FOR_NONFULL_SEM_0 + t] &&
	       d->has[OP_C_WAITING_FOR_MOVE_IDLE_0 + t] &&
	       d->has[OP_C_WAITING_FOR_MMIO_IDLE_0 + t] && d->has[OP_C_WAITING_FOR_SFPU_IDLE_0 + t];
}

/* Those whose column depends on the data in both reports. */
static bool shown_by_data(const struct metric *m, const struct metric_device *d)
{
	switch (m->kind) {
	case M_UNPACK_PRESSURE:
		return d->grant_ratio > 0.1;
	case M_DEST_PORT:
		return d->total[OP_C_MATH_NOT_STALLED_DEST_WR_PORT] > 0;
	case M_OVERLAP:
		return overlap_shown(d, m->c[0]);
	case M_IMBALANCE:
		return HAS(PACKER_BUSY_0) && HAS(PACKER_BUSY_1) && HAS(PACKER_BUSY_2) &&
		       HAS(PACKER_BUSY);
	case M_COMPUTE_UNPACK:
		return HAS(MATH_COUNTER) && HAS(UNPACK0_BUSY_THREAD0);
	default:
		return true;
	}
}

static bool shown_device_only(const struct metric *m, const struct metric_device *d)
{
	switch (m->kind) {
	case M_RATIO:
		if (m->flags & MF_ALWAYS && m->c[1] == OP_C_UNPACK0_BUSY_THREAD0)
			return HAS(SRCA_WRITE_ACTUAL);
		if (m->flags & MF_ALWAYS && m->c[1] == OP_C_UNPACK1_BUSY_THREAD0)
			return HAS(SRCB_WRITE_ACTUAL);
		return true;
	case M_UNPACKERS:
		return HAS(SRCA_WRITE_ACTUAL);
	case M_PACKER:
		return uses_packer(d) || HAS(DEST_READ_GRANTED_0);
	case M_MATH_PIPE:
		return d->total[OP_C_MATH_INSTRN_STARTED] > 0;
	case M_HANDOFF:
		return uses_packer(d) || HAS(AVAILABLE_MATH);
	case M_UTIL:
		return m->c[0] < OP_C_PACKER_BUSY_0 || m->c[0] > OP_C_PACKER_BUSY_2 ||
		       HAS(PACKER_BUSY_0);
	default:
		return true;
	}
}

static bool shown_joined(const struct metric *m, const struct metric_device *d)
{
	if (m->flags & (MF_ALWAYS | MF_DEVICE_ONLY))
		return m->flags & MF_ALWAYS;
	switch (m->kind) {
	case M_UTIL:
	case M_RATE:
		return d->has[m->c[0]];
	case M_PRESSURE:
		return d->has[m->c[0]] && d->has[m->c[2]];
	case M_HIFI:
	case M_HF_CYCLES:
		return HAS(MATH_INSTRN_HF_1_CYCLE) && HAS(MATH_INSTRN_HF_2_CYCLE) &&
		       HAS(MATH_INSTRN_HF_4_CYCLE);
	case M_PACK_PORT:
		return d->has[pack_port(d)];
	case M_PACK_PRESSURE:
		return d->has[pack_port(d)] && HAS(L1_0_PORT1_GRANT);
	case M_L1_TOTAL:
	case M_L1_READS:
	case M_NOC_ASYMMETRY:
	case M_TDMA_SHARE:
		return HAS(L1_0_UNPACKER_0) && HAS(L1_0_NOC_RING0_OUTGOING_0);
	case M_L1_CONTENTION:
		return HAS(L1_0_UNPACKER_0_GRANT) && HAS(L1_0_NOC_RING0_OUTGOING_0_GRANT);
	case M_NOC_COMPUTE:
		return HAS(FPU_COUNTER) && HAS(L1_0_NOC_RING0_OUTGOING_0);
	default:
		return d->has[m->c[0]] && d->has[m->c[1]];
	}
}

bool metric_shown(const struct metric *m, const struct metric_device *d)
{
	return shown_by_data(m, d) && (d->joined ? shown_joined(m, d) : shown_device_only(m, d));
}
