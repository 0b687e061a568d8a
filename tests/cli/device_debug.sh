# SPDX-License-Identifier: Apache-2.0
# Kernels that print, delayed transfers, and transfers and counters in the trace.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"

cat >print.cpp <<'KERNEL'
#include "debug/dprint.h"
#include "dataflow_api.h"
void kernel_main()
{
	DeviceZoneScopedN("PRINTS");
	for (uint32_t i = 0; i < 50; i++)
		DPRINT << "line " << i << " " << HEX() << 255 << DEC() << " " << -5 << " " << 1.5f << " "
		       << SETW(6) << 42u << ENDL();
	DPRINT << BF16(0x3fc0) << " " << 5000000000ull << " " << 'c' << " no end";
}
KERNEL
cat >print.c <<'KERNEL'
#include "debug/dprint.h"
#include "dataflow_api.h"
void kernel_main(void)
{
	uint32_t x = 7;

	DPRINT("x ", x, " hex ", DPRINT_HEX(x + 248), " ", -3, " ", 2.5f, " ", 1ull << 40, "\nnext\n");
}
KERNEL

# Much more output than the buffer holds: the RISC waits for the host, and zones are still recorded.
export TT_METAL_DPRINT_CORES=1,0
expect_exit 0 "$TACHO" device run -q --cores 0,0-1,1 print.cpp
[ "$(grep -c '^0:(x=1,y=0):BR: line ' out)" = 50 ] || fail "not 50 lines"
expect_line out '^0:\(x=1,y=0\):BR: line 49 ff -5 1.5     42$' '^0:\(x=1,y=0\):BR: 1.5 5000000000 c no end$' '^BRISC +PRINTS +4 '
expect_no_line out 'x=0,y=0'
export TT_METAL_DPRINT_CORES='(0,0)-(1,0)'
expect_exit 0 "$TACHO" device run -q --cores 0,0-1,1 print.c
expect_line out '^0:\(x=0,y=0\):BR: x 7 hex ff -3 2.5 1099511627776$' '^0:\(x=1,y=0\):BR: next$'
expect_no_line out 'y=1'
export TT_METAL_DPRINT_CORES=all
TT_METAL_DPRINT_RISCVS=TR1 expect_exit 0 "$TACHO" device run -q --risc compute print.c
expect_line out '^0:\(x=0,y=0\):TR1: next$'
expect_no_line out ':TR0:|:TR2:'
TT_METAL_DPRINT_FILE=lines TT_METAL_DPRINT_PREPEND_DEVICE_CORE_RISC=0 \
	expect_exit 0 "$TACHO" device run -q --cores 0,0-1,1 print.c
[ "$(grep -c '^next$' lines)" = 4 ] || fail "the file lacks lines"
TT_METAL_DPRINT_CHIPS=3 expect_exit 0 "$TACHO" device run -q print.c
expect_no_line out next
TT_METAL_DPRINT_RISCVS=XX expect_error 2 "TT_METAL_DPRINT_RISCVS: no RISC is called 'XX'" "$TACHO" device run print.c
TT_METAL_DPRINT_CORES=here expect_error 2 "wants x,y" "$TACHO" device run print.c
# Missing cores are reported once; the other ones print.
TT_METAL_DPRINT_CORES='0,0,(1,1)-(7,7)' expect_exit 0 "$TACHO" device run -q --cores 0,0-1,1 print.c
expect_line err '^tacho: warning: TT_METAL_DPRINT_CORES names core 7,7: device 0 has 2 x 2 cores, from 0,0$'
expect_count 1 err
expect_line out '^0:\(x=0,y=0\):BR: next$' '^0:\(x=1,y=1\):BR: next$'
TT_METAL_DPRINT_CORES='(1,1)-(0,0)' expect_exit 0 "$BUILD/examples/device/two_devices"
expect_line err '^tacho: warning: TT_METAL_DPRINT_CORES names no core: \(1,1\) is after \(0,0\)$'
expect_count 1 err
TT_METAL_DPRINT_CHIPS=zero expect_exit 0 "$TACHO" device run -q print.c
expect_line err "^tacho: warning: TT_METAL_DPRINT_CHIPS wants numbers of devices with commas, or all, not 'zero'$"
TT_METAL_DPRINT_FILE=/nowhere/x expect_exit 5 "$TACHO" device run print.c
unset TT_METAL_DPRINT_CORES
expect_exit 0 "$TACHO" device run -q print.cpp
expect_no_line out 'line'

# Delays: only reads of one core.
cat >move.c <<'KERNEL'
#include "dataflow_api.h"
void kernel_main(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		{
			DeviceZoneScopedN("R");
			noc_async_read(get_noc_addr_from_bank_id(0, 0x100000), 0x40000, 64);
			noc_async_read_barrier();
		}
		DeviceZoneScopedN("W");
		noc_async_write(0x40000, get_noc_addr_from_bank_id(1, 0x100000), 64);
		noc_async_write_barrier();
	}
}
KERNEL
expect_exit 0 "$TACHO" device run -q --format csv --cores 0,0-1,0 move.c
cp out plain
export TT_METAL_WATCHER_DEBUG_DELAY=1000 TT_METAL_READ_DEBUG_DELAY_CORES=0,0 TT_METAL_READ_DEBUG_DELAY_RISCVS=BR
expect_exit 0 "$TACHO" device run -q --format csv --cores 0,0-1,0 move.c
python3 - plain out <<'END_' || fail "delays are not where they should be"
import csv, sys
a, b = ({r["zone"]: r for r in csv.DictReader(open(f))} for f in sys.argv[1:3])
# two cores delay each other less: a few cycles of DRAM
more = {z: int(b[z]["total_cycles"]) - int(a[z]["total_cycles"]) for z in ("R", "W")}
assert abs(more["R"] - 2000) < 100 and abs(more["W"]) < 100, more
assert abs(int(b["R"]["min_cycles"]) - int(a["R"]["min_cycles"])) < 50
END_
cp out delayed
for riscs in B R br; do # as a guide has it
	TT_METAL_READ_DEBUG_DELAY_RISCVS=$riscs expect_exit 0 "$TACHO" device run -q --format csv --cores 0,0-1,0 move.c
	expect_same out delayed
done
TT_METAL_READ_DEBUG_DELAY_RISCVS=XX expect_error 2 "TT_METAL_READ_DEBUG_DELAY_RISCVS: no RISC is called 'XX'" "$TACHO" device run move.c
TT_METAL_READ_DEBUG_DELAY_RISCVS=NC expect_exit 0 "$TACHO" device run -q --format csv --cores 0,0-1,0 move.c
expect_same out plain
TT_METAL_WATCHER_DEBUG_DELAY=soon expect_error 2 "wants cycles" "$TACHO" device run move.c
TT_METAL_READ_DEBUG_DELAY_CORES='(0,0' expect_error 2 "TT_METAL_READ_DEBUG_DELAY_CORES wants" "$TACHO" device run move.c
unset TT_METAL_WATCHER_DEBUG_DELAY TT_METAL_READ_DEBUG_DELAY_CORES TT_METAL_READ_DEBUG_DELAY_RISCVS

# Four transfers are four events; with 2 their barriers are recorded too.
export TT_METAL_DEVICE_PROFILER=1 TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1
expect_exit 0 "$TACHO" run -q -o noc.tacho -- "$TACHO" device run -q move.c
expect_exit 0 "$TACHO" zones --format csv noc.tacho
cp out events
python3 - events 4 <<'END_' || fail "not four NoC events"
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["function"] == "NOC"]
assert len(rows) == int(sys.argv[2]), len(rows)
assert sorted(set(r["name"] for r in rows)) == ["READ", "WRITE_"], rows
END_
TT_METAL_DEVICE_PROFILER_NOC_EVENTS=2 expect_exit 0 "$TACHO" run -q -f -o noc.tacho -- "$TACHO" device run -q move.c
expect_exit 0 "$TACHO" stats --format csv noc.tacho
expect_line out 'READ_BARRIER_START' 'WRITE_BARRIER_END'

# With addresses, which are also in the device's own log and in the one made from the trace.
export TT_METAL_PROFILER_DIR=$PWD/own
TT_METAL_DEVICE_PROFILER_NOC_EVENTS=2 expect_exit 0 "$TACHO" device run -q move.c
expect_line own/.logs/profile_log_device.csv ',12345,.*,TS_DATA,0,,\{"dst_addr":262144;"noc_status_counter":[0-9]+;"src_addr":1048576\}'
unset TT_METAL_PROFILER_DIR
expect_exit 0 "$TACHO" export --to tt-logs -o logs noc.tacho
expect_line logs/.logs/profile_log_device.csv ',12345,.*,TS_DATA,0,,\{"dst_addr":262144;"noc_status_counter":[0-9]+;"src_addr":1048576\}'
unset TT_METAL_DEVICE_PROFILER_NOC_EVENTS

# Counters are events in the trace, and plots.
TT_METAL_PROFILE_PERF_COUNTERS=fpu,l1,l1_1,instrn \
	expect_exit 0 "$TACHO" run -q -o counters.tacho -- "$BUILD/examples/device/matmul"
expect_exit 0 "$TACHO" zones --format csv counters.tacho
expect_line out ',FPU_COUNTER,' ',L1_0_NOC_RING0_INCOMING_0,' ',WAITING_FOR_SRCA_VALID,' ',THREAD_STALLS_2,'
# The whole product is counted: 48 tiles of 32 cycles on each of 4 cores; most data came over NoC 1, 64 flits per tile.
python3 - out <<'END_' || fail "counts are wrong"
import csv, sys
sums = {}
for r in csv.DictReader(open(sys.argv[1])):
    if r["function"] == "COUNTER":
        sums[r["name"]] = sums.get(r["name"], 0) + int(r["values"].replace(",", " ").split()[0])
tiles = (256 // 32) * (256 // 32) * (128 // 32)
assert sums["FPU_COUNTER"] == tiles * 32, sums["FPU_COUNTER"]
assert tiles * 2 * 64 * 0.9 < sums["L1_1_NOC_RING1_INCOMING_0"] <= tiles * 2 * 64, sums
assert sums["L1_0_NOC_RING0_OUTGOING_0"] > 0 and sums["L1_0_NOC_RING0_INCOMING_0"] == 0
END_
expect_exit 0 "$TACHO" plots counters.tacho
expect_line out 'Device 0 FPU_COUNTER \(0,0\)'

# A dispatch core starts the programs: its zones are next to theirs, and the report has its times.
TT_METAL_DEVICE_PROFILER_DISPATCH=1 \
	expect_exit 0 "$TACHO" run -q -o dispatch.tacho -- "$BUILD/examples/device/loopback"
expect_exit 0 "$TACHO" stats --format csv dispatch.tacho
expect_line out ',CQ-DISPATCH:CQ_DISPATCH_CMD_WRITE_PACKED,' ',CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_CMD_SEND_GO_SIGNAL,'
expect_exit 0 "$TACHO" ops -q -o report dispatch.tacho
python3 - report/reports/ops_perf_results.csv <<'END_' || fail "no dispatch times in the report"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert rows and int(rows[0]["DISPATCH TOTAL CQ CMD OP TIME [ns]"]) > 100, rows[0]
assert int(rows[0]["CORE COUNT"]) == 2, rows[0]["CORE COUNT"]
END_
TACHO_ARCH=tiny TT_METAL_DEVICE_PROFILER_DISPATCH=1 expect_exit 2 "$TACHO" device run --size 2 move.c
expect_line err 'one row has none for dispatch'
