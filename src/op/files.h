/* SPDX-License-Identifier: Apache-2.0 */
/* Names of tt-metal's log files, for messages that name a record's source and for src/ttlog. */
#ifndef OP_FILES_H
#define OP_FILES_H

#define TTLOG_DATA_FILE   "tracy_ops_data.csv"
#define TTLOG_TIMES_FILE  "tracy_ops_times.csv"
#define TTLOG_DEVICE_FILE "profile_log_device.csv"
#define TTLOG_CPP_FILE    "cpp_device_perf_report.csv"
#define TTLOG_SYNC_FILE   "sync_device_info.csv"
#define TTLOG_ZONES_FILE  "zone_src_locations.log"

#endif
