# SPDX-License-Identifier: Apache-2.0
# Zones of kernels are in the trace of their program: one track per RISC, in host time.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
examples=$BUILD/examples/device

expect_exit 0 env TT_METAL_DEVICE_PROFILER=1 "$TACHO" run -q -o mm.tacho -- "$examples/matmul"
expect_exit 0 "$TACHO" check mm.tacho
expect_line out '^lost +0' 'verdict +whole'
expect_exit 0 "$TACHO" info mm.tacho
expect_line out 'core .* Device 0, core 0,0 \(NoC 1,1\)/BRISC +3 +18 ' 'core .* core 1,1 \(NoC 2,2\)/TRISC1 +3 +18 '
expect_no_line out Ethernet
expect_exit 0 "$TACHO" stats --format csv mm.tacho
expect_line out ',READ-TILES' ',WRITE-TILE' ',BRISC-FW' ',tacho_finish'

# A kernel runs while the program waits for it: inside of the host's zone.
expect_exit 0 "$TACHO" zones --format csv mm.tacho
python3 - out <<'END' || fail "device zones are not inside the program's time"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
host = [r for r in rows if r["name"] == "tacho_enqueue"][0]
fw = [r for r in rows if r["name"].endswith("-FW")]
assert len(fw) == 20, len(fw)
assert all(float(r["start_ns"]) >= float(host["start_ns"]) for r in fw)
END

# The bound of the clock's error.
expect_exit 0 "$TACHO" info --show=clocks --format=csv mm.tacho
expect_line out '^[0-9]+,Device 0 clock,1000,[0-9]+,[1-9][0-9]{2},[1-9][0-9]{2,3}$'

# Without the option nothing of the device is recorded.
expect_exit 0 "$TACHO" run -q -o off.tacho -- "$examples/matmul"
expect_exit 0 "$TACHO" info off.tacho
expect_no_line out '^core '

# Many programs without losses.
expect_exit 0 "$TACHO" run -q -o full.tacho -- "$examples/full_buffer"
expect_exit 0 "$TACHO" stats --format csv full.tacho
expect_line out '2500,.*TEST-FULL|TEST-FULL.*2500'
expect_exit 0 "$TACHO" messages full.tacho
expect_line out 'device 0: 3500 markers of kernels found no room'

# Values and events are zones without a length; a value is attached.
expect_exit 0 "$TACHO" run -q -o events.tacho -- "$examples/events"
expect_exit 0 "$TACHO" stats --format csv events.tacho
expect_line out '^5,0,.*,ITERATION,' '^1,0,.*,event 104,'

# The trace describes the device; the outermost zone of a run carries the op's id.
expect_exit 0 "$TACHO" info mm.tacho
expect_line out '^device 0 of [0-9]+ +\{ "device": 0, "arch": "tiny", .*\.\.\.$'
expect_exit 0 "$TACHO" info --show properties mm.tacho
expect_line out '^device 0 of [0-9]+ +\{ "device": 0, "arch": "tiny", "mhz": 1000, "grid": \[2, 2\], "max_compute_cores": 4, "modelled": true, "cores": .*\[1, 1, 0, 0, "worker"\].*\}$'
expect_exit 0 "$TACHO" zones --format csv mm.tacho
expect_line out ',0,BRISC-FW,.*,1024,$' ',1,BRISC-KERNEL,.*,,$'

# Buffers of the device as allocations, if requested.
expect_exit 0 "$TACHO" memory mm.tacho
expect_no_line out 'Device 0'
expect_exit 0 env TT_METAL_MEM_PROFILER=1 "$TACHO" run -q -o memory.tacho -- "$examples/matmul"
expect_exit 0 "$TACHO" memory --format csv memory.tacho
expect_line out 'Device 0 DRAM.*,3,'

# The table of cores: the same programs, different work.
expect_exit 0 "$TACHO" cores --format csv mm.tacho
expect_line out '^pid,core,runs,busy_ns,busy_percent,brisc_ns,' '^[0-9]+,"Device 0, core 1,1 \(NoC 2,2\)",1,[0-9]+,[0-9.]+,[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9.]+,138,0$'
[ "$(wc -l <out)" = 5 ] || fail 'not one line for each of four cores'
# Busy: any RISC runs a kernel. At least the time of each of them, at most the whole time.
python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    kernels = [float(r[k + "_ns"] or 0) for k in ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")]
    assert max(kernels) - 1 <= float(r["busy_ns"]) <= sum(kernels) + 1, r
    assert 0 < float(r["busy_percent"]) <= 100, r' <out || fail 'busy is wrong'
expect_exit 0 "$TACHO" cores -b -n '*core 0,0*' full.tacho
expect_line out '^Device 0, core 0,0 \(NoC 1,1\) .* 100.00 .*'
# The map shows each core at its place in the grid; the busiest one is 100.
expect_exit 0 "$TACHO" cores --map mm.tacho
expect_line out '^Device 0 of process [0-9]+: load of each core in percent, by its NoC coordinates; 100 is ' '^ +1 +2$' '^ +1 +[0-9]+[░▒▓█] +[0-9]+[░▒▓█]$' '^ +2 +[0-9]' ' 100█'
[ "$(wc -l <out)" = 4 ] || fail 'not a line for each row of the grid'
expect_exit 2 "$TACHO" cores --map --format=json mm.tacho
expect_line err '^tacho: --map is text: it has no other --format'
expect_exit 0 "$TACHO" cores -r 0s..1ns mm.tacho
expect_line out ' 0 +0 ns '
expect_exit 3 "$TACHO" cores missing.tacho

# A kernel that stops: the trace has its zones up to that point, and the reason.
cat >stops.c <<'END'
#include "dataflow_api.h"
void kernel_main(void)
{
	for (int i = 0; i < 3; i++) {
		DeviceZoneScopedN("GOOD");
	}
	REG32(0x7ffffff0) = 1;
}
END
expect_exit 4 "$TACHO" run -q -f -o stops.tacho -- "$TACHO" device run stops.c
expect_exit 0 "$TACHO" messages stops.tacho
expect_line out 'error .*device 0, core 0,0 .*BRISC: access to no memory at 0x7ffffff0'
expect_exit 0 "$TACHO" stats stops.tacho
expect_line out 'GOOD'
