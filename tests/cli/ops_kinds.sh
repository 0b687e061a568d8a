# SPDX-License-Identifier: Apache-2.0
# Kinds of ops and columns that few logs have, in handwritten logs: fallback ops, sub-devices,
# accumulated waits, dispatch cores, Quasar, other clocks, ties.
. "$SOURCE/tests/lib.sh"

COLUMNS='PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, trace id counter, zone name, type, source line, source file, meta data'
# marker X,Y RISC TIME DATA ID ZONE TYPE [META]
marker() { echo "0,$1,$2,7,$3,$4,$5,,,$6,$7,1,k.cc,${8-}"; }
op_message() { # NAME ID
	printf '`TT_DNN_DEVICE_OP: "%s", 77, 0, false, %s ->\n{"op_code": "%s", "op_hash": 77, "device_id": 0, "global_call_count": %s, "input_tensors": [], "op_type": "tt_dnn_device"}`;%s\n' "$1" "$2" "$1" "$2" "$2"
}
zone() { printf 'TT_DNN_DEVICE_OP,f,1,,"id:%s",%s,50,1,\n' "$1" "$1"; }
TIMES='name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text'

mkdir -p a/.logs
{
	echo 'MessageName;total_ns'
	op_message First 1024
	printf '`TT_DNN_FALL_BACK_OP:"torch.add" ->\n{"op_code": "torch.add", "attributes": null, "global_call_count": 2147484672, "input_tensors": [{"dtype": "f", "layout": "l", "shape": {"W": "1", "Z": "2", "Y": "3", "X": "4"}, "storage_type": "HOST"}], "op_type": "python_fallback"}`;1500\n'
	op_message Second 2048
} >a/.logs/tracy_ops_data.csv
{
	echo "$TIMES"
	zone 1024
	printf 'TT_DNN_FALLBACK_OP,f,1,,"id:2147484672",1500,50,1,\n'
	zone 2048
} >a/.logs/tracy_ops_times.csv
{
	echo 'ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1200, Max Compute Cores: 64'
	echo "$COLUMNS"
	# the core of the command queue: its work for op 1024
	marker 6,11 BRISC 10 0 0 CQ-DISPATCH:X ZONE_START
	marker 6,11 BRISC 12 0 0 p TS_DATA '{"workers_runtime_id":1024}'
	marker 6,11 BRISC 14 0 0 p TS_DATA '{"dispatch_command_type":"CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"}'
	marker 6,11 BRISC 70 0 0 CQ-DISPATCH:X ZONE_END
	marker 6,11 NCRISC 20 0 0 CQ-DISPATCH-S ZONE_START
	marker 6,11 NCRISC 22 0 0 p TS_DATA '{"dispatch_command_type":"CQ_DISPATCH_CMD_SEND_GO_SIGNAL"}'
	marker 6,11 NCRISC 50 0 0 CQ-DISPATCH-S ZONE_END
	for base in 100 1000; do
		id=1024
		[ $base = 1000 ] && id=2048
		marker 1,1 BRISC $base 0 $id BRISC-FW ZONE_START '{"sub_device_id":3;"sub_device_manager_id":1}'
		marker 1,1 BRISC $((base + 10)) 0 $id BRISC-KERNEL ZONE_START
		marker 1,1 BRISC $((base + 313)) 0 $id BRISC-KERNEL ZONE_END
		marker 1,1 BRISC $((base + 400)) 0 $id BRISC-FW ZONE_END
		marker 1,1 TRISC_0 $((base + 300)) 240 $id CB-COMPUTE-WAIT-FRONT ZONE_TOTAL
		marker 1,1 TRISC_2 $((base + 301)) 120 $id CB-COMPUTE-RESERVE-BACK ZONE_TOTAL
		marker 1,1 TRISC_0 $((base + 302)) 60 $id CB-COMPUTE-WAIT-FRONT ZONE_TOTAL
	done
} >a/.logs/profile_log_device.csv
expect_exit 0 "$TACHO" ops -q -o a
r=a/reports/ops_perf_results.csv
expect_cell $r 1 'DISPATCH TOTAL CQ CMD OP TIME [ns]' 50
expect_cell $r 1 'DISPATCH GO SEND WAIT TIME [ns]' 25
expect_cell $r 3 'DISPATCH TOTAL CQ CMD OP TIME [ns]' ''
expect_cell $r 1 'SUB DEVICE ID' 3
expect_cell $r 1 'DEVICE COMPUTE CB WAIT FRONT [ns]' 250
expect_cell $r 1 'DEVICE COMPUTE CB RESERVE BACK [ns]' 100
expect_cell $r 1 'DEVICE KERNEL DURATION [ns]' 252 # 303 cycles are 252.5 ns: to the even one
expect_cell $r 3 'OP TO OP LATENCY [ns]' 498       # 597 cycles, 497.5 ns
expect_cell $r 2 'OP CODE' torch.add
expect_cell $r 2 'OP TYPE' python_fallback
expect_cell $r 2 'ATTRIBUTES' None
expect_cell $r 2 'INPUT_0_MEMORY' HOST
expect_cell $r 2 'DEVICE ID' ''
expect_cell $r 2 'GLOBAL CALL COUNT' 2147484672

# Quasar has separate columns.
mkdir -p q/.logs
{
	echo 'ARCH: Quasar, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 32'
	echo "$COLUMNS"
	for base in 1000 5000; do
		marker 1,1 QUASAR_DM0 $base 0 $((base + 24)) DM0-FW ZONE_START
		marker 1,1 QUASAR_DM0 $((base + 100)) 0 $((base + 24)) DM-KERNEL ZONE_START
		marker 1,1 QUASAR_NEO0_TRISC1 $((base + 150)) 0 $((base + 24)) TRISC-KERNEL ZONE_START
		marker 1,1 QUASAR_NEO0_TRISC1 $((base + 800)) 0 $((base + 24)) TRISC-KERNEL ZONE_END
		marker 1,1 QUASAR_DM0 $((base + 900)) 0 $((base + 24)) DM-KERNEL ZONE_END
		marker 1,1 QUASAR_DM0 $((base + 950)) 0 $((base + 24)) DM0-FW ZONE_END
	done
} >q/.logs/profile_log_device.csv
expect_exit 0 "$TACHO" ops -q -o q
r=q/reports/ops_perf_results.csv
expect_cell $r 1 'DEVICE QUASAR_DM KERNEL DURATION [ns]' 800
expect_cell $r 1 'DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]' 650
expect_cell $r 1 'DEVICE DM FW DURATION [ns]' 950
expect_cell $r 2 'OP TO OP DM LATENCY [ns]' 3200
expect_cell $r 2 'OP TO OP TRISC LATENCY [ns]' 3350
expect_cell $r 1 'DEVICE BRISC KERNEL DURATION [ns]' '(no column)'
expect_cell $r 1 'OP TO OP LATENCY [ns]' '(no column)'

# Replays: a RISC that is early shows its replay by its own markers; late markers belong to the previous replay.
mkdir -p replay/.logs
{
	echo 'MessageName;total_ns'
	printf '`TT_METAL_TRACE_BEGIN: 0, 5`;1000\n'
	op_message First 1024
	printf '`TT_METAL_TRACE_END: 0, 5`;1100\n`TT_METAL_TRACE_REPLAY: 0, 5`;1200\n`TT_METAL_TRACE_REPLAY: 0, 5`;1300\n'
} >replay/.logs/tracy_ops_data.csv
{
	echo "$TIMES"
	zone 1024
} >replay/.logs/tracy_ops_times.csv
replayed() { echo "0,1,1,$2,7,$3,0,1024,5,$1,$4,$5,1,k.cc,"; }
{
	echo 'ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64'
	echo "$COLUMNS"
	for n in 1 2; do
		replayed $n BRISC $((n * 1000)) BRISC-FW ZONE_START
		replayed $n BRISC $((n * 1000 + 10)) BRISC-KERNEL ZONE_START
		replayed $n BRISC $((n * 1000 + 200)) BRISC-KERNEL ZONE_END
		replayed $n BRISC $((n * 1000 + 300)) BRISC-FW ZONE_END
		replayed $n NCRISC $((n * 1000 - 5)) NCRISC-FW ZONE_START
		replayed $n NCRISC $((n * 1000 + 303)) NCRISC-FW ZONE_END
	done
} >replay/.logs/profile_log_device.csv
expect_exit 0 "$TACHO" ops -q -o replay
r=replay/reports/ops_perf_results.csv
expect_cell $r 2 'DEVICE FW START CYCLE' 995
expect_cell $r 2 'DEVICE FW END CYCLE' 1300
expect_cell $r 3 'DEVICE FW START CYCLE' 1995
expect_cell $r 3 'DEVICE FW DURATION [ns]' 305
