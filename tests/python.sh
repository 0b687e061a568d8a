# For the scripts cli/python_*.sh: with_every_python FILE runs a file of tests/python with every
# version of Python that an extension was built for.
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

with_every_python() {
	local python status
	[ -s "$pythons" ] || { echo "no extension was built"; return; }
	while read -r python <&3; do
		echo "== $python"
		"${preload[@]}" "$python" "$SOURCE/tests/python/$1" "${@:2}" 2>&1
		status=$?
		# 5: from 3.12 on, all tests were skipped
		[ $status = 0 ] || [ $status = 5 ] || fail "$1 with $python"
	done 3<"$pythons"
}
