#include "ops/analyses.h"

#include <string.h>

#define RISC(name) (1u << DEVLOG_RISC_##name)
#define ANY        (-1)
#define MATCH(z, r)                  \
	{                            \
		DEVLOG_Z_##z, r, ANY \
	}
#define SAME(z, r)     MATCH(z, r), MATCH(z, r)
#define QUASAR_DATA    (RISC(QUASAR_DM0) | RISC(QUASAR_DM))
#define QUASAR_COMPUTE RISC(QUASAR_TRISC)

const struct ops_analysis_def ops_analyses[OPS_ANALYSES] = {
	[OPS_AN_TRACE_FW] = {"trace_fw_duration", OPS_SPAN, SAME(TRACE_FW, RISC(AGG)), -1},
	[OPS_AN_TRACE_KERNEL] = {"trace_kernel_duration", OPS_SPAN, SAME(TRACE_KERNEL, RISC(AGG)),
				 -1},
	[OPS_AN_FIRST_TO_LAST] = {"device_kernel_first_to_last_start",
				  OPS_SPAN,
				  {DEVLOG_Z_KERNEL, 0, DEVLOG_START},
				  {DEVLOG_Z_KERNEL, 0, DEVLOG_START},
				  OPS_COL_FIRST_TO_LAST},
	[OPS_AN_PER_CORE] = {"device_kernel_duration_per_core", OPS_CORE_SPAN, SAME(KERNEL, 0), -1},
	[OPS_AN_FW] = {"device_fw_duration", OPS_SPAN, SAME(FW, 0), OPS_COL_FW},
	[OPS_AN_KERNEL] = {"device_kernel_duration", OPS_SPAN, SAME(KERNEL, 0), OPS_COL_KERNEL},
	[OPS_AN_KERNEL_DM] = {"device_kernel_duration_dm_start", OPS_SPAN, MATCH(DM_KERNEL, 0),
			      MATCH(KERNEL, 0), OPS_COL_KERNEL_DM},
	[OPS_AN_BRISC] = {"device_brisc_kernel_duration", OPS_SPAN, SAME(BRISC_KERNEL, RISC(BRISC)),
			  OPS_COL_BRISC},
	[OPS_AN_NCRISC] = {"device_ncrisc_kernel_duration", OPS_SPAN,
			   SAME(NCRISC_KERNEL, RISC(NCRISC)), OPS_COL_NCRISC},
	[OPS_AN_TRISC0] = {"device_trisc0_kernel_duration", OPS_SPAN,
			   SAME(TRISC_KERNEL, RISC(TRISC_0)), OPS_COL_TRISC0},
	[OPS_AN_TRISC1] = {"device_trisc1_kernel_duration", OPS_SPAN,
			   SAME(TRISC_KERNEL, RISC(TRISC_1)), OPS_COL_TRISC1},
	[OPS_AN_TRISC2] = {"device_trisc2_kernel_duration", OPS_SPAN,
			   SAME(TRISC_KERNEL, RISC(TRISC_2)), OPS_COL_TRISC2},
	[OPS_AN_ERISC] = {"device_erisc_kernel_duration", OPS_SPAN, SAME(ERISC_KERNEL, RISC(ERISC)),
			  OPS_COL_ERISC},
	[OPS_AN_QUASAR_DM] = {"device_quasar_dm_kernel_duration", OPS_SPAN,
			      SAME(KERNEL, QUASAR_DATA), OPS_COL_QUASAR_DM},
	[OPS_AN_QUASAR_TRISC] = {"device_quasar_neo_trisc_kernel_duration", OPS_SPAN,
				 SAME(KERNEL, QUASAR_COMPUTE), OPS_COL_QUASAR_TRISC},
	[OPS_AN_QUASAR_DM_FW] = {"device_dm_fw_duration", OPS_SPAN, SAME(FW, QUASAR_DATA),
				 OPS_COL_QUASAR_DM_FW},
	[OPS_AN_QUASAR_TRISC_FW] = {"device_trisc_fw_duration", OPS_SPAN, SAME(FW, QUASAR_COMPUTE),
				    OPS_COL_QUASAR_TRISC_FW},
	[OPS_AN_CB_WAIT] = {"device_compute_cb_wait_front", OPS_SUM, SAME(CB_WAIT, RISC(TRISC_0)),
			    OPS_COL_CB_WAIT},
	[OPS_AN_CB_RESERVE] = {"device_compute_cb_reserve_back", OPS_SUM,
			       SAME(CB_RESERVE, RISC(TRISC_2)), OPS_COL_CB_RESERVE},
	[OPS_AN_DISPATCH_CMD] = {"dispatch_total_cq_cmd_op_time",
				 OPS_DISPATCH_SPAN,
				 {0},
				 {0},
				 OPS_COL_DISPATCH_CMD},
	[OPS_AN_DISPATCH_GO] =
		{"dispatch_go_send_wait_time", OPS_DISPATCH_SPAN, {0}, {0}, OPS_COL_DISPATCH_GO},
};

const char *const ops_other_analyses[] = {"trace2trace - FW", "trace2trace - kernel", "op2op",
					  "perf_counter_data", NULL};

bool ops_analysis_pick(struct ops_picked *picked, const char *name)
{
	for (int a = 0; a < OPS_ANALYSES; a++)
		if (!strcmp(ops_analyses[a].name, name)) {
			picked->spans |= 1u << a;
			return true;
		}
	for (int i = 0; ops_other_analyses[i]; i++)
		if (!strcmp(ops_other_analyses[i], name)) {
			picked->op2op |= !strcmp(name, "op2op");
			picked->counters |= !strcmp(name, "perf_counter_data");
			return true;
		}
	return false;
}
