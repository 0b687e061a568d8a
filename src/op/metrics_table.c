/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics and their counters. */
#include "op/metrics_table.h"

#define C1(a)            \
	{                \
		OP_C_##a \
	}
#define C2(a, b)                   \
	{                          \
		OP_C_##a, OP_C_##b \
	}
#define C4(a, b, c, d)                                 \
	{                                              \
		OP_C_##a, OP_C_##b, OP_C_##c, OP_C_##d \
	}
#define RING(ring, way)                                                                    \
	C4(L1_##ring##_NOC_RING##ring##_##way##_0, L1_##ring##_NOC_RING##ring##_##way##_1, \
	   L1_##ring##_NOC_RING##ring##_##way##_0_GRANT,                                   \
	   L1_##ring##_NOC_RING##ring##_##way##_1_GRANT)

/* The order is that of the columns. */
const struct metric metrics_table[] = {
	{"SFPU Util", M_UTIL, C1(SFPU_COUNTER), MF_ALWAYS | MF_FULL_GRID},
	{"FPU Util", M_UTIL, C1(FPU_COUNTER), MF_ALWAYS | MF_FULL_GRID},
	{"MATH Util", M_UTIL, C1(MATH_COUNTER), MF_ALWAYS | MF_FULL_GRID},
	{"Unpacker0 Write Efficiency", M_RATIO, C2(SRCA_WRITE_ACTUAL, UNPACK0_BUSY_THREAD0),
	 MF_ALWAYS},
	{"Unpacker1 Write Efficiency", M_RATIO,
	 C2(SRCB_WRITE_NOT_BLOCKED_PORT, UNPACK1_BUSY_THREAD0), MF_ALWAYS},
	{"Unpacker Write Efficiency", M_UNPACKERS, {0}, MF_ALWAYS},
	{"Packer Efficiency", M_PACKER, {0}, MF_ALWAYS},
	{"FPU Execution Efficiency", M_RATIO, C2(FPU_COUNTER, FPU_INSTRN_AVAILABLE_1), MF_ALWAYS},
	{"Math Pipeline Utilization", M_MATH_PIPE, C2(MATH_INSTRN_STARTED, MATH_INSTRN_AVAILABLE),
	 MF_ALWAYS},
	{"Math-to-Pack Handoff Efficiency", M_HANDOFF, {0}, MF_ALWAYS},
	{"Unpacker-to-Math Data Flow", M_FLOW, {0}, MF_ALWAYS},
	{"Thread 0 Stall Rate", M_UTIL, C1(THREAD_STALLS_0), 0},
	{"Thread 1 Stall Rate", M_UTIL, C1(THREAD_STALLS_1), 0},
	{"Thread 2 Stall Rate", M_UTIL, C1(THREAD_STALLS_2), 0},
	{"SrcA Valid Wait", M_UTIL, C1(WAITING_FOR_SRCA_VALID), 0},
	{"SrcB Valid Wait", M_UTIL, C1(WAITING_FOR_SRCB_VALID), 0},
	{"SrcA Clear Wait", M_UTIL, C1(WAITING_FOR_SRCA_CLEAR), 0},
	{"SrcB Clear Wait", M_UTIL, C1(WAITING_FOR_SRCB_CLEAR), 0},
	{"Math Idle Wait T1", M_UTIL, C1(WAITING_FOR_MATH_IDLE_1), 0},
	{"Pack Idle Wait T2", M_UTIL, C1(WAITING_FOR_PACK_IDLE_2), 0},
	{"Unpack Idle Wait T0", M_UTIL, C1(WAITING_FOR_UNPACK_IDLE_0), 0},
	{"Semaphore Zero Wait T0", M_UTIL, C1(WAITING_FOR_NONZERO_SEM_0), 0},
	{"Semaphore Zero Wait T1", M_UTIL, C1(WAITING_FOR_NONZERO_SEM_1), 0},
	{"Semaphore Zero Wait T2", M_UTIL, C1(WAITING_FOR_NONZERO_SEM_2), 0},
	{"Semaphore Full Wait T0", M_UTIL, C1(WAITING_FOR_NONFULL_SEM_0), 0},
	{"Semaphore Full Wait T1", M_UTIL, C1(WAITING_FOR_NONFULL_SEM_1), 0},
	{"Semaphore Full Wait T2", M_UTIL, C1(WAITING_FOR_NONFULL_SEM_2), 0},
	{"Data Hazard Stall Rate", M_REST, C2(DATA_HAZARD_STALLS_MOVD2A, MATH_INSTRN_AVAILABLE), 0},
	{"Fidelity Stall Rate", M_RATIO, C2(MATH_FIDELITY_STALL, MATH_INSTRN_AVAILABLE), 0},
	{"HiFi Fraction", M_HIFI, {0}, 0},
	{"Avg HF Cycles Per Instrn", M_HF_CYCLES, {0}, 0},
	{"L1 Unpacker Port Util", M_UTIL, C1(L1_0_UNPACKER_0), 0},
	{"L1 TDMA Bundle Util", M_MEAN2, C2(L1_0_TDMA_BUNDLE_0_RISC, L1_0_TDMA_BUNDLE_1_TRISC), 0},
	{"NOC Ring 0 Outgoing Util", M_MEAN2, RING(0, OUTGOING), 0},
	{"NOC Ring 0 Incoming Util", M_MEAN2, RING(0, INCOMING), 0},
	{"NOC Ring 1 Outgoing Util", M_MEAN2, RING(1, OUTGOING), 0},
	{"NOC Ring 1 Incoming Util", M_MEAN2, RING(1, INCOMING), 0},
	{"L1 Packer Port Util", M_PACK_PORT, {0}, 0},
	{"NOC Ring 0 Outgoing Backpressure", M_PRESSURE, RING(0, OUTGOING), 0},
	{"NOC Ring 0 Incoming Backpressure", M_PRESSURE, RING(0, INCOMING), 0},
	{"NOC Ring 1 Outgoing Backpressure", M_PRESSURE, RING(1, OUTGOING), 0},
	{"NOC Ring 1 Incoming Backpressure", M_PRESSURE, RING(1, INCOMING), 0},
	{"L1 Unpacker Backpressure", M_UNPACK_PRESSURE, C2(L1_0_UNPACKER_0_GRANT, L1_0_UNPACKER_0),
	 0},
	{"L1 Packer Port Backpressure", M_PACK_PRESSURE, {0}, 0},
	{"SrcA Write Port Blocked Rate", M_REST, C2(SRCA_WRITE_ACTUAL, SRCA_WRITE_AVAILABLE), 0},
	{"SrcA Write Overwrite Blocked Rate", M_REST,
	 C2(SRCA_WRITE_NOT_BLOCKED_OVR, SRCA_WRITE_AVAILABLE), 0},
	{"SrcB Write Overwrite Blocked Rate", M_REST, C2(SRCB_WRITE_ACTUAL, SRCB_WRITE_AVAILABLE),
	 0},
	{"Dest Read Backpressure", M_REST_RAW, C2(DEST_READ_GRANTED_0, PACKER_DEST_READ_AVAILABLE),
	 0},
	{"Math Dest Write Port Stall Rate", M_DEST_PORT,
	 C2(MATH_NOT_STALLED_DEST_WR_PORT, MATH_INSTRN_AVAILABLE), 0},
	{"Math Scoreboard Stall Rate", M_REST_RAW, C2(AVAILABLE_MATH, MATH_INSTRN_AVAILABLE), 0},
	{"T0 Instrn Issue Rate", M_RATE, C1(THREAD_INSTRUCTIONS_0), 0},
	{"T1 Instrn Issue Rate", M_RATE, C1(THREAD_INSTRUCTIONS_1), 0},
	{"T2 Instrn Issue Rate", M_RATE, C1(THREAD_INSTRUCTIONS_2), 0},
	{"CFG Instrn Avail Rate T0", M_UTIL, C1(CFG_INSTRN_AVAILABLE_0), 0},
	{"SYNC Instrn Avail Rate T0", M_UTIL, C1(SYNC_INSTRN_AVAILABLE_0), 0},
	{"THCON Instrn Avail Rate T0", M_UTIL, C1(THCON_INSTRN_AVAILABLE_0), 0},
	{"MOVE Instrn Avail Rate T0", M_UTIL, C1(MOVE_INSTRN_AVAILABLE_0), 0},
	{"MATH Instrn Avail Rate T1", M_UTIL, C1(FPU_INSTRN_AVAILABLE_1), 0},
	{"UNPACK Instrn Avail Rate T0", M_UTIL, C1(UNPACK_INSTRN_AVAILABLE_0), 0},
	{"PACK Instrn Avail Rate T2", M_UTIL, C1(PACK_INSTRN_AVAILABLE_2), 0},
	{"SrcB Write Port Blocked Rate", M_REST,
	 C2(SRCB_WRITE_NOT_BLOCKED_PORT, SRCB_WRITE_AVAILABLE), 0},
	{"SrcA Write Actual Efficiency", M_RATIO, C2(SRCA_WRITE_ACTUAL, SRCA_WRITE_AVAILABLE), 0},
	{"SrcB Write Actual Efficiency", M_RATIO,
	 C2(SRCB_WRITE_NOT_BLOCKED_PORT, SRCB_WRITE_AVAILABLE), 0},
	{"Packer Engine 0 Util", M_UTIL, C1(PACKER_BUSY_0), 0},
	{"Packer Engine 1 Util", M_UTIL, C1(PACKER_BUSY_1), 0},
	{"Packer Engine 2 Util", M_UTIL, C1(PACKER_BUSY_2), 0},
	{"MMIO Idle Wait T0", M_UTIL, C1(WAITING_FOR_MMIO_IDLE_0), 0},
	{"SFPU Idle Wait T1", M_UTIL, C1(WAITING_FOR_SFPU_IDLE_1), 0},
	{"THCON Idle Wait T0", M_UTIL, C1(WAITING_FOR_THCON_IDLE_0), 0},
	{"MOVE Idle Wait T0", M_UTIL, C1(WAITING_FOR_MOVE_IDLE_0), 0},
	{"RISC Core L1 Util", M_UTIL, C1(L1_1_RISC_CORE), 0},
	{"L1 Total Bandwidth Util", M_L1_TOTAL, {0}, 0},
	{"L1 Read vs Write Ratio", M_L1_READS, {0}, 0},
	{"NOC Ring 0 Asymmetry", M_NOC_ASYMMETRY, {0}, 0},
	{"L1 Contention Index", M_L1_CONTENTION, {0}, 0},
	{"Unpacker L1 Efficiency", M_RATIO, C2(L1_0_UNPACKER_0_GRANT, UNPACK0_BUSY_THREAD0), 0},
	{"Packer L1 Efficiency", M_RATIO, C2(L1_0_PORT1_GRANT, PACKER_BUSY), 0},
	{"NOC vs Compute Balance", M_NOC_COMPUTE, {0}, 0},
	{"TDMA vs NOC L1 Share", M_TDMA_SHARE, {0}, 0},
	{"Stall Overlap T0", M_OVERLAP, C1(THREAD_STALLS_0), MF_DEVICE_ONLY},
	{"Stall Overlap T1", M_OVERLAP, C1(THREAD_STALLS_1), MF_DEVICE_ONLY},
	{"Stall Overlap T2", M_OVERLAP, C1(THREAD_STALLS_2), MF_DEVICE_ONLY},
	{"Packer Load Imbalance", M_IMBALANCE, {0}, MF_DEVICE_ONLY},
	{"Compute-to-Unpack Ratio", M_COMPUTE_UNPACK, {0}, MF_DEVICE_ONLY},
};

const size_t metrics_count = sizeof(metrics_table) / sizeof(metrics_table[0]);
