/*
 * The fixed columns of ops_perf_results.csv, in the order of the file. Between OPS_COL_HEAD_END and
 * the rest stand the columns of the input and output tensors; behind PROGRAM CACHE HIT the kernel
 * sizes; behind all the performance counters and the host functions. See report.c.
 */
#ifndef OPS_COLUMNS_H
#define OPS_COLUMNS_H

#include <stddef.h>

#define OPS_COLUMNS_HEAD(X)                                             \
	X(OP_CODE, "OP CODE")                                           \
	X(OP_TYPE, "OP TYPE")                                           \
	X(CALL_COUNT, "GLOBAL CALL COUNT")                              \
	X(DEVICE_ID, "DEVICE ID")                                       \
	X(DEVICE_ARCH, "DEVICE ARCH")                                   \
	X(ATTRIBUTES, "ATTRIBUTES")                                     \
	X(MATH_FIDELITY, "MATH FIDELITY")                               \
	X(CORE_COUNT, "CORE COUNT")                                     \
	X(AVAILABLE_CORES, "AVAILABLE WORKER CORE COUNT")               \
	X(SUB_DEVICE, "SUB DEVICE ID")                                  \
	X(PARALLELIZATION, "PARALLELIZATION STRATEGY")                  \
	X(HOST_START, "HOST START TS")                                  \
	X(HOST_END, "HOST END TS")                                      \
	X(HOST_DURATION, "HOST DURATION [ns]")                          \
	X(FW_START, "DEVICE FW START CYCLE")                            \
	X(FW_END, "DEVICE FW END CYCLE")                                \
	X(LATENCY, "OP TO OP LATENCY [ns]")                             \
	X(LATENCY_DM, "OP TO OP LATENCY BR/NRISC START [ns]")           \
	X(QUASAR_LATENCY_DM, "OP TO OP DM LATENCY [ns]")                \
	X(QUASAR_LATENCY_TRISC, "OP TO OP TRISC LATENCY [ns]")          \
	X(FW, "DEVICE FW DURATION [ns]")                                \
	X(QUASAR_DM_FW, "DEVICE DM FW DURATION [ns]")                   \
	X(QUASAR_TRISC_FW, "DEVICE TRISC FW DURATION [ns]")             \
	X(KERNEL, "DEVICE KERNEL DURATION [ns]")                        \
	X(KERNEL_DM, "DEVICE KERNEL DURATION DM START [ns]")            \
	X(CORE_MIN, "DEVICE KERNEL DURATION PER CORE MIN [ns]")         \
	X(CORE_MAX, "DEVICE KERNEL DURATION PER CORE MAX [ns]")         \
	X(CORE_AVG, "DEVICE KERNEL DURATION PER CORE AVG [ns]")         \
	X(FIRST_TO_LAST, "DEVICE KERNEL FIRST TO LAST START [ns]")      \
	X(BRISC, "DEVICE BRISC KERNEL DURATION [ns]")                   \
	X(QUASAR_DM, "DEVICE QUASAR_DM KERNEL DURATION [ns]")           \
	X(QUASAR_TRISC, "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]") \
	X(NCRISC, "DEVICE NCRISC KERNEL DURATION [ns]")                 \
	X(TRISC0, "DEVICE TRISC0 KERNEL DURATION [ns]")                 \
	X(TRISC1, "DEVICE TRISC1 KERNEL DURATION [ns]")                 \
	X(TRISC2, "DEVICE TRISC2 KERNEL DURATION [ns]")                 \
	X(ERISC, "DEVICE ERISC KERNEL DURATION [ns]")                   \
	X(CB_WAIT, "DEVICE COMPUTE CB WAIT FRONT [ns]")                 \
	X(CB_RESERVE, "DEVICE COMPUTE CB RESERVE BACK [ns]")            \
	X(DISPATCH_CMD, "DISPATCH TOTAL CQ CMD OP TIME [ns]")           \
	X(DISPATCH_GO, "DISPATCH GO SEND WAIT TIME [ns]")

#define OPS_COLUMNS_TAIL(X)                            \
	X(TRACE_ID, "METAL TRACE ID")                  \
	X(SESSION_ID, "METAL TRACE REPLAY SESSION ID") \
	X(COMPUTE_SOURCE, "COMPUTE KERNEL SOURCE")     \
	X(COMPUTE_HASH, "COMPUTE KERNEL HASH")         \
	X(DM_SOURCE, "DATA MOVEMENT KERNEL SOURCE")    \
	X(DM_HASH, "DATA MOVEMENT KERNEL HASH")        \
	X(PROGRAM_HASH, "PROGRAM HASH")                \
	X(CACHE_HIT, "PROGRAM CACHE HIT")              \
	X(PM_IDEAL, "PM IDEAL [ns]")                   \
	X(PM_COMPUTE, "PM COMPUTE [ns]")               \
	X(PM_BANDWIDTH, "PM BANDWIDTH [ns]")           \
	X(PM_REQ_I, "PM REQ I BW")                     \
	X(PM_REQ_O, "PM REQ O BW")                     \
	X(PM_FPU, "PM FPU UTIL (%)")                   \
	X(NOC_UTIL, "NOC UTIL (%)")                    \
	X(NOC_MCAST, "MULTICAST NOC UTIL (%)")         \
	X(DRAM_UTIL, "DRAM BW UTIL (%)")               \
	X(DRAM_CTRL, "DRAM BW UTIL PER CTRL (%)")      \
	X(ETH_UTIL, "ETH BW UTIL (%)")                 \
	X(NPE_CONG, "NPE CONG IMPACT (%)")

enum ops_column {
#define X(id, name) OPS_COL_##id,
	OPS_COLUMNS_HEAD(X) OPS_COL_HEAD_END,
	OPS_COL_TAIL_BEGIN_ = OPS_COL_HEAD_END - 1,
	OPS_COLUMNS_TAIL(X)
#undef X
		OPS_COLUMNS,
};

extern const char *const ops_column_names[OPS_COLUMNS];

/* Is the column in files of this architecture? Quasar has columns of its own in place of some. */
int ops_column_shown(enum ops_column column, int quasar);

/* Do its cells hold numbers? In the others any text may be. */
int ops_column_numeric(enum ops_column column);

/* The column whose name is TEXT, with '_' for ' ' and in any case; -1 if none. */
int ops_column_find(const char *text, size_t len);

#endif
