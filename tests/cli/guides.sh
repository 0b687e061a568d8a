# SPDX-License-Identifier: Apache-2.0
# Commands as the guides to tt-metal, tt-torch and tt-train print them.
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
. "$SOURCE/tests/python.sh"

# build_metal.sh calls make.
mkdir bin
printf '#!/bin/sh\necho make "$@"\n' >bin/make
chmod +x bin/make
for words in "" "-p" "--enable-profiler" "-b Release --enable-profile --build-tt-train" "--build-type=Release"; do
	expect_exit 0 env PATH="$here/bin:$PATH" "$SOURCE/build_metal.sh" $words
	expect_line out '^make setup all$'
done
expect_exit 0 env PATH="$here/bin:$PATH" "$SOURCE/build_metal" -p
expect_exit 2 "$SOURCE/build_metal.sh" --no-such-option
expect_count 1 err
expect_exit 2 "$SOURCE/build_metal.sh" -b Nothing
expect_exit 0 "$SOURCE/build_metal.sh" --help

# ENABLE_TRACY is passed to programs that link the library.
for option in ENABLE_TRACY TT_RUNTIME_ENABLE_PERF_TRACE; do
	cmake -S "$SOURCE" -B b -G Ninja -D$option=ON -DBUILD_TESTING=OFF >cmake.log 2>&1 || { cat cmake.log >&2; fail "$option"; }
	grep -q '^Cflags: .* -DTRACY_ENABLE$' b/tacho.pc || fail "$option does not reach tacho.pc"
	grep -A4 'examples/CMakeFiles/example_demo.dir/.*\.o:' b/build.ninja | grep -q DTRACY_ENABLE || fail "$option does not reach the demo"
	rm -rf b
done
! grep -q TRACY_ENABLE "$BUILD/tacho.pc" || fail "TRACY_ENABLE without the option"

# The tools are where the guides use them
"$MKTRACE" m.tacho
expect_exit 0 "$TACHO" export -q --to tracy -o m.tracy m.tacho
expect_exit 0 "$BUILD/tools/profiler/bin/csvexport-release" m.tracy
expect_line out '^name,'
expect_exit 0 "$BUILD/tools/profiler/bin/capture-release" --help

# profile.py
expect_exit 0 env TT_METAL_DEVICE_PROFILER=1 python3 "$SOURCE/tt_torch/tools/profile.py" -o report.csv "$BUILD/examples/device/layers"
expect_line report.csv 'OP CODE'
[ -f "$SOURCE/tt-train/notebooks/profiler_results.ipynb" ] || fail "no notebook in tt-train"

# -r -v: the command on stdout, and all logs next to the report
python=$(head -1 "$BUILD/python/interpreters" 2>/dev/null)
[ -n "$python" ] || skip "no extension for Python was built"
expect_exit 0 env TT_METAL_DEVICE_PROFILER=1 "$python" -m tracy -p -r -v "$BUILD/examples/device/layers"
expect_line out '^tracy: running .*tacho run '
for file in tracy_ops_times.csv tracy_ops_data.csv tracy_profile_log_host.tracy profile_log_device.csv; do
	[ -s "$(echo generated/profiler/reports/*/$file)" ] || fail "$file is not beside the report"
done
