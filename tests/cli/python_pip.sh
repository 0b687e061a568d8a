# SPDX-License-Identifier: Apache-2.0
# pip install . without a network: packages, program and device work from where they are installed.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

[ -s "$BUILD/python/interpreters" ] || skip "no extension for Python was built"
python=
while read -r candidate; do
	"$candidate" -m pip --version >/dev/null 2>&1 && python=$candidate
done <"$BUILD/python/interpreters"
[ -n "$python" ] || skip "no interpreter has pip"

unset PYTHONPATH
export TACHO_BUILD=$BUILD PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
"$python" -m venv --without-pip venv || fail "no venv"
"$python" -m pip --python venv/bin/python install --no-index "$SOURCE" >pip.log 2>&1 || { cat pip.log >&2; fail "pip install"; }
expect_exit 7 venv/bin/python -m tracy -c 'def f(): return 7
exit(f())'
expect_exit 0 venv/bin/tacho zones -n =f generated/profiler/.logs/tracy_profile_log_host.tacho
expect_line out ' f$'
expect_exit 0 venv/bin/tacho python
expect_exit 0 venv/bin/python -c 'from importlib.metadata import entry_points as e
found = e(group="pytest11") if __import__("sys").version_info >= (3, 10) else e()["pytest11"]
assert "tracy.pytest_plugin" in [p.value for p in found]'
if command -v riscv64-unknown-elf-gcc >/dev/null; then
	export TACHO_CACHE=$KERNELS/kernel-cache TACHO_ARCH=tiny
	expect_exit 0 venv/bin/python -c 'import ttnn
with ttnn.open_device() as d: assert (ttnn.ones((2, 2), device=d) + 1.0).to_list() == [[2, 2], [2, 2]]'
fi
expect_exit 0 "$python" -m pip --python venv/bin/python uninstall -y tacho
expect_exit 1 venv/bin/python -c 'import tracy'
[ -e venv/bin/tacho ] && fail "something is left"
true
