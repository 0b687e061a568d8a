# SPDX-License-Identifier: Apache-2.0
# The kernel profiler's options behave as the guides say.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
export TT_METAL_DEVICE_PROFILER=1
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { DeviceZoneScopedN("A"); }\n' >a.c
log=generated/profiler/.logs/profile_log_device.csv

# ---- buffers of a fixed size: losses are reported once, also without a recorder
expect_exit 0 "$TACHO" device run -q --op-support-count 100 -n 300 a.c
[ "$(grep -c 'Profiler DRAM buffers were full, markers were dropped! device 0, worker core 1, 1, Risc BRISC,' err)" = 1 ] ||
	{ cat err >&2; fail 'the warning comes not once'; }
expect_line err '^tacho: warning: Profiler DRAM .* Please either decrease the number of ops being profiled or run read device profiler more often'
expect_no_line out '^BRISC  BRISC-FW +300 '
# Nothing is reported if everything fits.
expect_exit 0 "$TACHO" device run -q --op-support-count 100 -n 5 a.c
expect_count 0 err

# ---- dumps during the run drain the buffers
rm -rf generated
TT_METAL_PROFILER_MID_RUN_DUMP=1 expect_exit 0 "$TACHO" device run -q --op-support-count 100 -n 300 a.c
expect_count 0 err
expect_line out '^BRISC  BRISC-FW +300 ' '^BRISC  A +300 '
[ "$(grep -c ',A,ZONE_START,' $log)" = 300 ] || fail 'not all runs are in the log'
# Also without files.
TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES=1 TT_METAL_PROFILER_MID_RUN_DUMP=1 expect_exit 0 "$TACHO" device run -q --op-support-count 100 -n 300 a.c
expect_count 0 err
expect_line out '^BRISC  A +300 '

# ---- summed traces: each replay has its times
rm -rf generated
TT_METAL_TRACE_PROFILER=1 expect_exit 0 "$TACHO" run -q -o t.tacho -- "$BUILD/examples/device/layers"
replays=$("$TACHO" messages t.tacho | grep -c TT_METAL_TRACE_REPLAY)
[ "$replays" -gt 1 ] || fail 'the example does not replay'
expect_exit 0 "$TACHO" ops -o ops t.tacho
expect_line out " $replays with device data; kernels [1-9]"
expect_line ops/reports/report_issues.csv '^replay-measured-as-a-whole,no,' 
expect_no_line ops/reports/report_issues.csv ',yes,'
# From logs: the runtime's own, then the device's.
expect_exit 0 "$TACHO" export --to tt-logs -o logs t.tacho
expect_exit 0 "$TACHO" ops -f -o logs
expect_line out " $replays with device data; kernels [1-9]"

# ---- one-way samples: all of them, from one run only, also under 'python -m tracy'
if read -r python <"$BUILD/python/interpreters" && [ ! -s "$BUILD/python/sanitized" ]; then
	cat >one.py <<'END'
import ttnn
with ttnn.open_device(device_id=0) as d:
    ttnn.relu(ttnn.full((32, 32), 1.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, d))
END
	for run in 1 2; do
		PYTHONPATH=$BUILD/python expect_exit 0 "$python" -m tracy -p -q -r -o prof --sync-host-device one.py
		[ "$(grep -c '^ *0,' prof/.logs/sync_device_info.csv)" = $((2 * 249)) ] || fail "run $run: not 2 x 249 samples"
	done
	# Not requested: only the clock points of the trace, without the samples of the last run.
	PYTHONPATH=$BUILD/python expect_exit 0 "$python" -m tracy -p -q -r -o prof one.py
	[ "$(grep -c '^ *0,' prof/.logs/sync_device_info.csv)" -lt 249 ] || fail 'samples of another run'

	# ---- two processes with devices: the logs of each are in one folder, in any order
	cat >pair.py <<'END'
import os, sys, time, ttnn
def wait(name):
    while not os.path.exists(name):
        time.sleep(0.01)
def run(device, times):
    for _ in range(times):
        ttnn.relu(ttnn.full((32, 32), 1.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device))
if sys.argv[1] == "early":  # is the first in the trace, and the second to have a device
    ttnn.tracy_message("early")
    open("known", "w").close()
    wait("opened")
    with ttnn.open_device(device_id=0) as d:
        run(d, 1)
    open("done", "w").close()
elif sys.argv[1] == "late":
    wait("known")
    with ttnn.open_device(device_id=0) as d:
        open("opened", "w").close()
        wait("done")
        run(d, 2)
else:
    with ttnn.open_device(device_id=0) as d:
        run(d, int(sys.argv[1]))
END
	# together FOLDER OPS: its host log and its device log name the same number of device ops, OPS
	together() {
		local named ran
		named=$(grep -c '^.*TT_DNN_DEVICE_OP:' "$1/.logs/tracy_ops_data.csv")
		ran=$(tail -n +3 "$1/.logs/profile_log_device.csv" | cut -d, -f8 | grep -vx 0 | sort -u | wc -l)
		[ "$named $ran" = "$2 $2" ] || fail "$1: $named ops are named, $ran ran, not $2"
	}
	export PYTHONPATH=$BUILD/python
	unset TT_METAL_PROFILER_DIR TT_METAL_HOME
	rm -rf generated
	expect_exit 0 "$BUILD/tt_profile" -p "$(free_port)" "sh -c '$python pair.py early & $python pair.py late; wait'"
	together generated/profiler 2
	together "$(echo generated/profiler/process-*)" 1
	# One after the other: the second finds nothing of the first in the folder.
	rm -rf generated
	expect_exit 0 "$BUILD/tt_profile" -p "$(free_port)" "sh -c '$python pair.py 3; $python pair.py 2'"
	together generated/profiler 3
	together "$(echo generated/profiler/process-*)" 2
fi
