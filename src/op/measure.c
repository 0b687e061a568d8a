/* SPDX-License-Identifier: Apache-2.0 */
/* The table of measurements of an op, and their selection by name. */
#include "op/measure.h"

#include <string.h>

#define RISC(name) (1u << RISC_##name)
#define ANY        (-1)
#define MATCH(z, r)                   \
	{                             \
		ARCH_ZONE_##z, r, ANY \
	}
#define SAME(z, r)     MATCH(z, r), MATCH(z, r)
#define QUASAR_DATA    (RISC(QUASAR_DM0) | RISC(QUASAR_DM))
#define QUASAR_COMPUTE RISC(QUASAR_TRISC)

const struct op_measure_def op_measures[OP_MEASURES] = {
	[OP_M_TRACE_FW] = {"trace_fw_duration", OP_SPAN, SAME(TRACE_FW, RISC(AGG)), -1},
	[OP_M_TRACE_KERNEL] = {"trace_kernel_duration", OP_SPAN, SAME(TRACE_KERNEL, RISC(AGG)), -1},
	[OP_M_FIRST_TO_LAST] = {"device_kernel_first_to_last_start",
				OP_SPAN,
				{ARCH_ZONE_KERNEL, 0, DEVLOG_START},
				{ARCH_ZONE_KERNEL, 0, DEVLOG_START},
				OP_COL_FIRST_TO_LAST},
	[OP_M_PER_CORE] = {"device_kernel_duration_per_core", OP_CORE_SPAN, SAME(KERNEL, 0), -1},
	[OP_M_FW] = {"device_fw_duration", OP_SPAN, SAME(FW, 0), OP_COL_FW},
	[OP_M_KERNEL] = {"device_kernel_duration", OP_SPAN, SAME(KERNEL, 0), OP_COL_KERNEL},
	[OP_M_KERNEL_DM] = {"device_kernel_duration_dm_start", OP_SPAN, MATCH(DM_KERNEL, 0),
			    MATCH(KERNEL, 0), OP_COL_KERNEL_DM},
	[OP_M_BRISC] = {"device_brisc_kernel_duration", OP_SPAN, SAME(BRISC_KERNEL, RISC(BRISC)),
			OP_COL_BRISC},
	[OP_M_NCRISC] = {"device_ncrisc_kernel_duration", OP_SPAN,
			 SAME(NCRISC_KERNEL, RISC(NCRISC)), OP_COL_NCRISC},
	[OP_M_TRISC0] = {"device_trisc0_kernel_duration", OP_SPAN,
			 SAME(TRISC_KERNEL, RISC(TRISC_0)), OP_COL_TRISC0},
	[OP_M_TRISC1] = {"device_trisc1_kernel_duration", OP_SPAN,
			 SAME(TRISC_KERNEL, RISC(TRISC_1)), OP_COL_TRISC1},
	[OP_M_TRISC2] = {"device_trisc2_kernel_duration", OP_SPAN,
			 SAME(TRISC_KERNEL, RISC(TRISC_2)), OP_COL_TRISC2},
	[OP_M_ERISC] = {"device_erisc_kernel_duration", OP_SPAN, SAME(ERISC_KERNEL, RISC(ERISC)),
			OP_COL_ERISC},
	[OP_M_QUASAR_DM] = {"device_quasar_dm_kernel_duration", OP_SPAN, SAME(KERNEL, QUASAR_DATA),
			    OP_COL_QUASAR_DM},
	[OP_M_QUASAR_TRISC] = {"device_quasar_neo_trisc_kernel_duration", OP_SPAN,
			       SAME(KERNEL, QUASAR_COMPUTE), OP_COL_QUASAR_TRISC},
	[OP_M_QUASAR_DM_FW] = {"device_dm_fw_duration", OP_SPAN, SAME(FW, QUASAR_DATA),
			       OP_COL_QUASAR_DM_FW},
	[OP_M_QUASAR_TRISC_FW] = {"device_trisc_fw_duration", OP_SPAN, SAME(FW, QUASAR_COMPUTE),
				  OP_COL_QUASAR_TRISC_FW},
	[OP_M_CB_WAIT] = {"device_compute_cb_wait_front", OP_SUM, SAME(CB_WAIT, RISC(TRISC_0)),
			  OP_COL_CB_WAIT},
	[OP_M_CB_RESERVE] = {"device_compute_cb_reserve_back", OP_SUM,
			     SAME(CB_RESERVE, RISC(TRISC_2)), OP_COL_CB_RESERVE},
	[OP_M_DISPATCH_CMD] =
		{"dispatch_total_cq_cmd_op_time", OP_DISPATCH_SPAN, {0}, {0}, OP_COL_DISPATCH_CMD},
	[OP_M_DISPATCH_GO] =
		{"dispatch_go_send_wait_time", OP_DISPATCH_SPAN, {0}, {0}, OP_COL_DISPATCH_GO},
};

/* Analyses that are not spans of ops but can be requested too. */
static const char *const op_other_measures[] = {"trace2trace - FW", "trace2trace - kernel", "op2op",
						"perf_counter_data", NULL};

bool op_measure_pick(struct op_picked *picked, const char *name)
{
	for (int a = 0; a < OP_MEASURES; a++)
		if (!strcmp(op_measures[a].name, name)) {
			picked->spans |= 1u << a;
			return true;
		}
	for (int i = 0; op_other_measures[i]; i++)
		if (!strcmp(op_other_measures[i], name)) {
			picked->op2op |= !strcmp(name, "op2op");
			picked->counters |= !strcmp(name, "perf_counter_data");
			return true;
		}
	return false;
}
