# SPDX-License-Identifier: Apache-2.0
# tacho python: makes the package in an install tree known to an interpreter.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

expect_exit 0 "$TACHO" python
expect_line out "^$BUILD/python\$"
expect_exit 2 "$TACHO" python --install --uninstall
expect_exit 127 "$TACHO" python --install --python=no-such-python
expect_error 1 'is not Python' "$TACHO" python --install --python=true
[ -s "$BUILD/python/interpreters" ] || skip "no extension for Python was built"

unset PYTHONPATH
cmake --install "$BUILD" --prefix "$here/prefix" >install.log || { cat install.log >&2; fail "cannot install"; }
"$(head -1 "$BUILD/python/interpreters")" -m venv --without-pip venv || fail "no venv"
expect_exit 1 venv/bin/python -c 'import tracy'
expect_exit 0 prefix/bin/tacho python --install --python=venv/bin/python
expect_line out '^/.*/venv/lib/python3.*/site-packages/tacho.pth$'
expect_exit 7 venv/bin/python -m tracy -c 'def f(): return 7
exit(f())'
expect_exit 0 prefix/bin/tacho zones -n =f generated/profiler/.logs/tracy_profile_log_host.tacho
expect_line out ' f$'
expect_exit 0 prefix/bin/tacho python --uninstall --python=venv/bin/python
expect_exit 1 venv/bin/python -c 'import tracy'
expect_exit 1 prefix/bin/tacho python --uninstall --python=venv/bin/python

# ttnn is next to it, and its kernels are installed
expect_exit 0 env PYTHONPATH="$(prefix/bin/tacho python)" venv/bin/python -c 'import ttnn
print(ttnn.from_torch([[1.0, 2.0]]))'
[ -n "$(find prefix -path '*/ops/gather_read.cpp')" ] || fail 'kernels are missing'

# An interpreter without an extension in the package: by libtacho alone, or not at all.
package=$(prefix/bin/tacho python)
rm "$package"/tracy/_tracy*.so
expect_exit 0 prefix/bin/tacho python --install --python=venv/bin/python
expect_line err 'not built for this Python'
expect_exit 7 venv/bin/python -m tracy -c 'def f(): return 7
exit(f())'
expect_line err 'no extension for this Python'
expect_exit 0 prefix/bin/tacho zones -n =f generated/profiler/.logs/tracy_profile_log_host.tacho
expect_line out ' f$'
find prefix -name 'libtacho.so*' -delete
expect_exit 1 env -u LD_LIBRARY_PATH venv/bin/python -m tracy -c 1
expect_count 1 err
expect_line err '^tracy: nothing can be recorded: .*libtacho'
# A program that uses the package runs without it.
expect_exit 0 env -u LD_LIBRARY_PATH venv/bin/python -c 'import tracy
tracy.signpost("a")
with tracy.zone("b"), tracy.Profiler(): print(tracy.recording())'
expect_line out '^False$'
expect_count 1 err
expect_line err '^tracy: nothing is recorded: .*libtacho'
