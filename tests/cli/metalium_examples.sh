# SPDX-License-Identifier: Apache-2.0
# Programs in the style of tt-metal: run, recorded; and what wrong uses say. metalium_install.sh builds them as a user does.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
[ -z "$SANITIZE" ] || exit 0
[ -e /usr/include/fmt/format.h ] || exit 0
made=$BUILD/tests/metalium
export TT_METAL_KERNEL_PATH=$SOURCE/examples/metalium
for name in add_two_integers loopback eltwise_binary vector_add matmul; do
	expect_exit 0 "$made/$name"
	expect_line out '^Test Passed$'
done
expect_exit 0 "$made"/add_two_integers
expect_line out '^14 \+ 7 = 21$'
expect_exit 0 "$made"/matmul
expect_line out '^64 x 128 x 256 on 1 cores: right' '^64 x 128 x 256 on 2 cores: right'

# Recorded: host zones by the names of the calls, rows of ops by the numbers that the program gave them.
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
unset TT_METAL_DEVICE_PROFILER TT_METAL_PROFILER_DIR

# One line for each wrong use.
expect_exit 0 "$made/wrong"
while read -r use message; do
	expect_exit 3 "$made/wrong" "$use"
	expect_line out "$message"
done <<-'END'
	kernel cannot find the kernel no/such/kernel.cpp: not in /
	arguments kernel_[0-9a-f]+.cpp: 342 arguments, a kernel has at most 341
	core kernel_[0-9a-f]+.cpp does not run on core 1-0
	grid cores 20,0-20,0 are not inside the grid of
	page circular buffer 0: 100 bytes are not a multiple of the page size 64
	buffer circular buffer 3 does not fit into L1
	index circular buffer 5 is there already on core 0,0
	noc both use NoC 0 of core 0,0
	risc are for the same RISC of core 0,0
	compile error: .nonsense. was not declared
	size a buffer of 100 bytes in pages of 64
END
