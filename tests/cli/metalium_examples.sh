# SPDX-License-Identifier: Apache-2.0
# Programs in the style of tt-metal: run, recorded, and with wrong uses. metalium_install.sh builds them as a user does.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
[ -z "$SANITIZE" ] || skip "programs without the sanitizer cannot load sanitized libraries"
[ -e /usr/include/fmt/format.h ] || skip "no libfmt-dev (scripts/setup --tests installs it)"
made=$BUILD/tests/metalium
[ -x "$made/wrong" ] || fail "build it first: cmake --build build --target test_inputs"
export TT_METAL_KERNEL_PATH=$SOURCE/examples/metalium
for name in add_two_integers loopback eltwise_binary vector_add matmul inference layouts; do
	expect_exit 0 "$made/$name"
	expect_line out '^Test Passed$'
done
expect_exit 0 "$made"/add_two_integers
expect_line out '^14 \+ 7 = 21$'
expect_exit 0 "$made"/matmul
expect_line out '^64 x 128 x 256 on 1 cores: right' '^64 x 128 x 256 on 2 cores: right'

# Recorded: host zones named after the calls, ops with the numbers that the program gave them.
export TT_METAL_DEVICE_PROFILER=1 TT_METAL_PROFILER_DIR=$here/logs
expect_exit 0 "$TACHO" run -q -o zones.tacho -- "$made"/profiler_zones
expect_exit 0 "$TACHO" check zones.tacho
expect_line out '^verdict +whole'
expect_exit 0 "$TACHO" stats zones.tacho
for zone in MeshDevice::create CreateKernel EnqueueMeshWorkload Finish ReadMeshDeviceProfilerResults Round LOOP; do
	expect_line out "$zone\$"
done
expect_exit 0 "$TACHO" ops -o report zones.tacho
report=$(find report -name 'ops_perf_results*.csv')
for op in 1 2 3; do
	grep -q "zones,tt_dnn_device,$((op << 10))," "$report" || { cat "$report" >&2; fail "no row for op $op"; }
done
grep -q "'kernel_0': 'zones.cpp on {\[0-0 - 1-1\]}; LOOPS=10'" "$report" || { cat "$report" >&2; fail "no attributes of kernels"; }

# Host and kernel from the guides; the logs grow during the run.
expect_exit 0 "$TACHO" run -q -o inference.tacho -- "$made"/inference
expect_exit 0 "$TACHO" check inference.tacho
expect_line out '^verdict +whole'
expect_exit 0 "$TACHO" stats inference.tacho
for zone in RunInference EnqueueProgram WaitForCompletion TTProfiler::dump_results DATAFLOW-KERNEL ReadFromDRAM WriteToDRAM; do
	expect_line out " 3 .* $zone"
done
[ "$(grep -c 'ReadFromDRAM,ZONE_START' "$(find logs -name profile_log_device.csv)")" -ge 3 ] || fail "no zones in the log"
unset TT_METAL_DEVICE_PROFILER TT_METAL_PROFILER_DIR

# One line for each wrong use.
expect_exit 0 "$made/wrong"
while read -r use message; do
	for by in "" queue; do
		expect_exit 3 "$made/wrong" "$use" $by
		expect_line out "$message"
		[ "$use" = compile ] || expect_count 1 out
	done
done <<-'END'
	kernel ^cannot find the kernel no/such/kernel.cpp: not in /
	arguments ^kernel_[0-9a-f]+.cpp: 342 arguments, a kernel has at most 341
	core ^kernel_[0-9a-f]+.cpp does not run on core 1-0
	grid cores 20,0-20,0 are not inside the grid of
	page circular buffer 0: 100 bytes are not a multiple of the page size 64
	buffer circular buffer 3 does not fit into L1
	index circular buffer 5 is there already on core 0,0
	noc both use NoC 0 of core 0,0
	risc are for the same RISC of core 0,0
	compile error: .nonsense. was not declared
	size ^a buffer of 100 bytes in pages of 64
	tile ^circular buffer 6: tiles of 3 x 32, not of
	memory ^device 0 has no room for
	write ^12 bytes do not fill a buffer of 128
END
