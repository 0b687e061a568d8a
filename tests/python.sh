# SPDX-License-Identifier: Apache-2.0
# For the scripts cli/python_*.sh: with_python FILE runs a file of tests/python with $TEST_PYTHON, or else with the first
# interpreter that an extension was built for. A script that says "interpreters: each" runs once for every one.
export PYTHONPATH=$BUILD/python:$SOURCE/tests/python PYTHONDONTWRITEBYTECODE=1
export IPYTHONDIR=$here/ipython
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TT_METAL_DEVICE_PROFILER

# An interpreter can load what was built with the address sanitizer when its library is there already.
pythons=$BUILD/python/interpreters
preload=()
if [ -s "$BUILD/python/sanitized" ]; then
	pythons=$BUILD/python/sanitized
	preload=(env "LD_PRELOAD=$(cc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0)
fi

with_python() {
	local python=${TEST_PYTHON-} status
	[ -n "$python" ] || read -r python <"$pythons" || skip "no extension was built"
	echo "== $python"
	"${preload[@]}" "$python" "$SOURCE/tests/python/$1" "${@:2}" 2>&1
	status=$?
	[ $status != 5 ] || skip "every test of $1" # said from Python 3.12 on
	[ $status = 0 ] || fail "$1 with $python"
}
