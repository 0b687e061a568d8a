# SPDX-License-Identifier: Apache-2.0
# The page in a real browser: tests/web/answers.test.mjs, on recordings with NoC transfers and with samples. labels: browser
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/web.sh"
TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 expect_exit 0 "$TACHO" run -q -o noc.tacho -- "$BUILD/examples/device/matmul"
expect_exit 0 "$TACHO" run -q -o demo.tacho -- "$BUILD/examples/demo"
for mode in share recursion; do
	expect_exit 0 "$TACHO" run -q --sample -o $mode.tacho -- "$BUILD/tests/sampled" $mode 300
done
web_suite answers
