# SPDX-License-Identifier: Apache-2.0
# For the scripts cli/web_*.sh: sourced after lib.sh. Finds the browser and the page's tools; web_suite NAME runs
# tests/web/NAME.test.mjs on the recordings of cli/web_record.sh.
for tool in node npm; do
	command -v $tool >/dev/null || skip "no $tool"
done
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"
PYTHON=$(head -1 "$BUILD/python/interpreters" 2>/dev/null)
[ -n "$PYTHON" ] || skip "no extension for Python was built"
# An incomplete lock file is an error, a missing network is not.
if ! "$SOURCE/scripts/page-tools" >npm.log 2>&1; then
	! grep -q EUSAGE npm.log || { cat npm.log; fail "npm ci refuses web/package-lock.json"; }
	tail -3 npm.log
	skip "npm cannot get the page's tools"
fi

traces=$BUILD/web-traces
export TACHO_CACHE=$KERNELS/kernel-cache
export CHROMIUM PYTHON HERE=$here PYTHONPATH=$BUILD/python TT_METAL_DEVICE_PROFILER=1 TACHO_ARCH=tiny
export ALL=$traces/all.tacho OTHER=$traces/other.tacho OPS=$traces/report/reports/ops_perf_results.csv
export SAMPLED=$traces/sampled.tacho
export FULL=$traces/full.tacho TRACY=$traces/other.tracy WIDE=$traces/wide.tacho ODD=$traces/odd

web_suite() {
	node --test --test-reporter=spec "$SOURCE/tests/web/$1.test.mjs" || fail "the page, $1"
}
