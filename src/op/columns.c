/* SPDX-License-Identifier: Apache-2.0 */
/* The table of an op's columns, for reports, perf-report, the JSON API and SQL. */
#include "op/op.h"

#include <ctype.h>
#include <string.h>

#define NOWHERE                               OP_OF_OP, OP_NO_FIELD
#define FIELD(field)                          OP_OF_OP, offsetof(struct op, field)
#define SHARED(field)                         OP_OF_PROGRAM, offsetof(struct op_program, field)
#define COLUMN(id, name, type, unit, at, how) [OP_COL_##id] = {name, type, unit, at, how}
#define NS(id, name, field, how)              COLUMN(id, name, OP_REAL, "ns", FIELD(field), how)
#define PERCENT(id, name, field, how)         COLUMN(id, name, OP_REAL, "%", FIELD(field), how)
#define WHOLE(id, name, field, how)           COLUMN(id, name, OP_INT, "", FIELD(field), how)
#define TEXT(id, name, field, how)            COLUMN(id, name, OP_TEXT, "", SHARED(field), how)

const struct op_column_def op_columns[OP_COLUMNS] = {
	TEXT(OP_CODE, "OP CODE", code, "the op's message, a signpost's text"),
	TEXT(OP_TYPE, "OP TYPE", type,
	     "the op's message: tt_dnn_device, python_fallback, signpost ..."),
	WHOLE(CALL_COUNT, "GLOBAL CALL COUNT", id, "number of the call << 10 | device"),
	WHOLE(DEVICE_ID, "DEVICE ID", device, "the op's message, or the device that ran it"),
	COLUMN(DEVICE_ARCH, "DEVICE ARCH", OP_TEXT, "", FIELD(arch),
	       "what the device said of itself"),
	TEXT(ATTRIBUTES, "ATTRIBUTES", attributes, "the op's message; a signpost's message"),
	TEXT(MATH_FIDELITY, "MATH FIDELITY", fidelity, "of the last compute kernel"),
	WHOLE(CORE_COUNT, "CORE COUNT", core_count, "cores that ran firmware for it"),
	WHOLE(AVAILABLE_CORES, "AVAILABLE WORKER CORE COUNT", available_cores,
	      "compute cores of the device"),
	WHOLE(SUB_DEVICE, "SUB DEVICE ID", sub_device, "meta data of the op's markers"),
	TEXT(PARALLELIZATION, "PARALLELIZATION STRATEGY", parallelization, "the op's message"),
	COLUMN(HOST_START, "HOST START TS", OP_INT, "ns", FIELD(host_start),
	       "start of the host's zone of the op"),
	COLUMN(HOST_END, "HOST END TS", OP_INT, "ns", FIELD(host_end),
	       "end of the host's zone of the op"),
	COLUMN(HOST_DURATION, "HOST DURATION [ns]", OP_INT, "ns", FIELD(host_duration),
	       "host end - host start"),
	COLUMN(FW_START, "DEVICE FW START CYCLE", OP_INT, "cycles", FIELD(fw_start),
	       "first start of firmware on any core"),
	COLUMN(FW_END, "DEVICE FW END CYCLE", OP_INT, "cycles", FIELD(fw_end),
	       "last end of firmware on any core"),
	NS(LATENCY, "OP TO OP LATENCY [ns]", latency,
	   "from the last kernel's end of the op before on this device to the first "
	   "kernel's start"),
	NS(LATENCY_DM, "OP TO OP LATENCY BR/NRISC START [ns]", latency_dm,
	   "the same for kernels of data movement"),
	NS(QUASAR_LATENCY_DM, "OP TO OP DM LATENCY [ns]", quasar_latency_dm,
	   "the same for Quasar's data movers"),
	NS(QUASAR_LATENCY_TRISC, "OP TO OP TRISC LATENCY [ns]", quasar_latency_trisc,
	   "the same for Quasar's compute RISCs"),
	NS(FW, "DEVICE FW DURATION [ns]", fw, "from the first start to the last end of firmware"),
	NS(QUASAR_DM_FW, "DEVICE DM FW DURATION [ns]", quasar_dm_fw,
	   "the same for Quasar's data movers"),
	NS(QUASAR_TRISC_FW, "DEVICE TRISC FW DURATION [ns]", quasar_trisc_fw,
	   "the same for Quasar's compute RISCs"),
	NS(KERNEL, "DEVICE KERNEL DURATION [ns]", kernel,
	   "from the first start to the last end of a kernel"),
	NS(KERNEL_DM, "DEVICE KERNEL DURATION DM START [ns]", kernel_dm,
	   "from the first start of data movement to the last end of a kernel"),
	NS(CORE_MIN, "DEVICE KERNEL DURATION PER CORE MIN [ns]", core_min,
	   "kernel time of the fastest core"),
	NS(CORE_MAX, "DEVICE KERNEL DURATION PER CORE MAX [ns]", core_max,
	   "kernel time of the slowest core"),
	NS(CORE_AVG, "DEVICE KERNEL DURATION PER CORE AVG [ns]", core_avg,
	   "mean kernel time of the cores"),
	NS(FIRST_TO_LAST, "DEVICE KERNEL FIRST TO LAST START [ns]", first_to_last,
	   "from the first start of a kernel to the last start"),
	NS(BRISC, "DEVICE BRISC KERNEL DURATION [ns]", brisc,
	   "kernels of BRISC: first start to last end"),
	NS(QUASAR_DM, "DEVICE QUASAR_DM KERNEL DURATION [ns]", quasar_dm,
	   "kernels of Quasar's data movers"),
	NS(QUASAR_TRISC, "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]", quasar_trisc,
	   "kernels of Quasar's compute RISCs"),
	NS(NCRISC, "DEVICE NCRISC KERNEL DURATION [ns]", ncrisc, "kernels of NCRISC"),
	NS(TRISC0, "DEVICE TRISC0 KERNEL DURATION [ns]", trisc0, "kernels of TRISC0"),
	NS(TRISC1, "DEVICE TRISC1 KERNEL DURATION [ns]", trisc1, "kernels of TRISC1"),
	NS(TRISC2, "DEVICE TRISC2 KERNEL DURATION [ns]", trisc2, "kernels of TRISC2"),
	NS(ERISC, "DEVICE ERISC KERNEL DURATION [ns]", erisc, "kernels of ERISC"),
	NS(CB_WAIT, "DEVICE COMPUTE CB WAIT FRONT [ns]", cb_wait,
	   "sum of TRISC0's waits for full circular buffers"),
	NS(CB_RESERVE, "DEVICE COMPUTE CB RESERVE BACK [ns]", cb_reserve,
	   "sum of TRISC2's waits for room in circular buffers"),
	NS(DISPATCH_CMD, "DISPATCH TOTAL CQ CMD OP TIME [ns]", dispatch_cmd,
	   "the command queue's work for the op"),
	NS(DISPATCH_GO, "DISPATCH GO SEND WAIT TIME [ns]", dispatch_go,
	   "the command queue's wait before the go signal"),
	WHOLE(TRACE_ID, "METAL TRACE ID", trace, "of a replay: the trace"),
	WHOLE(SESSION_ID, "METAL TRACE REPLAY SESSION ID", session,
	      "of a replay: its number, from 1"),
	TEXT(COMPUTE_SOURCE, "COMPUTE KERNEL SOURCE", compute_source,
	     "a list of the compute kernels' files"),
	TEXT(COMPUTE_HASH, "COMPUTE KERNEL HASH", compute_hash,
	     "a list of the compute kernels' names"),
	TEXT(DM_SOURCE, "DATA MOVEMENT KERNEL SOURCE", dm_source,
	     "a list of the data movement kernels' files"),
	TEXT(DM_HASH, "DATA MOVEMENT KERNEL HASH", dm_hash,
	     "a list of the data movement kernels' names"),
	TEXT(PROGRAM_HASH, "PROGRAM HASH", hash, "the op's message"),
	COLUMN(CACHE_HIT, "PROGRAM CACHE HIT", OP_TEXT, "", NOWHERE,
	       "True: its program was compiled before"),
	COLUMN(PM_IDEAL, "PM IDEAL [ns]", OP_REAL, "ns", SHARED(ideal), "the op's own model"),
	COLUMN(PM_COMPUTE, "PM COMPUTE [ns]", OP_REAL, "ns", SHARED(compute),
	       "the op's own model: compute alone"),
	COLUMN(PM_BANDWIDTH, "PM BANDWIDTH [ns]", OP_REAL, "ns", SHARED(bandwidth),
	       "the op's own model: memory alone"),
	TEXT(PM_REQ_I, "PM REQ I BW", input_bws, "a list of the bandwidths that its inputs need"),
	TEXT(PM_REQ_O, "PM REQ O BW", output_bws, "a list of the bandwidths that its outputs need"),
	PERCENT(PM_FPU, "PM FPU UTIL (%)", pm_fpu, "100 * PM COMPUTE / kernel duration"),
	PERCENT(NOC_UTIL, "NOC UTIL (%)", noc_util, "the runtime's own report"),
	PERCENT(NOC_MCAST, "MULTICAST NOC UTIL (%)", noc_multicast, "the runtime's own report"),
	PERCENT(DRAM_UTIL, "DRAM BW UTIL (%)", dram_util, "the runtime's own report"),
	PERCENT(DRAM_CTRL, "DRAM BW UTIL PER CTRL (%)", dram_ctrl, "the runtime's own report"),
	PERCENT(ETH_UTIL, "ETH BW UTIL (%)", eth_util, "the runtime's own report"),
	PERCENT(NPE_CONG, "NPE CONG IMPACT (%)", npe_congestion, "the runtime's own report"),
};

bool op_column_shown(enum op_column column, bool quasar)
{
	switch (column) {
	case OP_COL_QUASAR_LATENCY_DM:
	case OP_COL_QUASAR_LATENCY_TRISC:
	case OP_COL_QUASAR_DM_FW:
	case OP_COL_QUASAR_TRISC_FW:
	case OP_COL_QUASAR_DM:
	case OP_COL_QUASAR_TRISC:
		return quasar;
	case OP_COL_LATENCY:
	case OP_COL_LATENCY_DM:
	case OP_COL_FW:
	case OP_COL_BRISC:
	case OP_COL_NCRISC:
	case OP_COL_TRISC0:
	case OP_COL_TRISC1:
	case OP_COL_TRISC2:
	case OP_COL_ERISC:
		return !quasar;
	default:
		return true;
	}
}

static bool letters_same(char a, char b)
{
	return toupper((unsigned char)(a == '_' ? ' ' : a)) ==
	       toupper((unsigned char)(b == '_' ? ' ' : b));
}

int op_column_find(const char *text, size_t len)
{
	for (int c = 0; c < OP_COLUMNS; c++) {
		size_t i = 0;

		if (strlen(op_columns[c].name) != len)
			continue;
		while (i < len && letters_same(op_columns[c].name[i], text[i]))
			i++;
		if (i == len)
			return c;
	}
	return -1;
}

int op_column_named(const char *text, size_t len)
{
	for (int c = 0; c < OP_COLUMNS; c++)
		if (strlen(op_columns[c].name) == len && !memcmp(op_columns[c].name, text, len))
			return c;
	return -1;
}
