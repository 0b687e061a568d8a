# SPDX-License-Identifier: Apache-2.0
# labels: package
# The wheel works in a fresh environment on a machine that has nothing but Python.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/chroot.sh"
[ -z "$SANITIZE" ] || skip "packages have no sanitizers"
[ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import ensurepip' 2>/dev/null ||
	skip "/usr/bin/python3 has no venv"

version=$("$TACHO" version | sed 's/^tacho \([0-9.]*\).*/\1/')
PYTHON=/usr/bin/python3 TACHO_BUILD=$BUILD "$SOURCE/scripts/wheel" "$here/wheel" >out 2>err || { cat err >&2; fail "scripts/wheel"; }
wheel=$(echo wheel/tacho-"$version"-cp3*-manylinux_2_*.whl)
[ -f "$wheel" ] || { ls wheel >&2; fail "no wheel of version $version"; }

# try_wheel COMMAND...: runs a user's commands by COMMAND, in a folder with the wheel.
try_wheel() {
	expect_exit 0 "$@" 'python3 -m venv venv && venv/bin/pip install --no-index tacho-*.whl'
	expect_exit 0 "$@" "venv/bin/python -m tracy -c 'print(1)'"
	expect_line out '^1$'
	expect_exit 7 "$@" "venv/bin/python -m tracy -c 'def f(): return 7
exit(f())'"
	expect_exit 0 "$@" 'venv/bin/tacho zones -n =f generated/profiler/.logs/tracy_profile_log_host.tacho'
	expect_line out ' f$'
	expect_exit 0 "$@" 'venv/bin/tacho version'
	expect_line out "^tacho $version"
	for link in tt-perf-report tt_profile tracy-capture tracy-csvexport capture-release csvexport-release; do
		expect_exit 0 "$@" "venv/bin/$link --help"
		expect_line out "^usage: $link"
	done
	expect_exit 0 "$@" "venv/bin/python -c 'import ttnn, tracy._tracy as t; print(t.__file__)'"
	expect_line out 'site-packages/tracy/_tracy\.cpython-.*\.so$'
	expect_exit 0 "$@" "cd venv && bin/tacho python"
	expect_line out '/venv/lib/python3.*/site-packages$'
	expect_exit 0 "$@" "venv/bin/python -c 'from importlib.metadata import version; print(version(\"tacho\"))'"
	expect_line out "^$version\$"
	expect_exit 0 "$@" 'venv/bin/pip uninstall -y tacho && ! ls venv/bin | grep -E "^t(acho|t|racy)" && ! ls venv/lib/python3*/site-packages | grep -E "tacho|tracy|ttnn"'
}

mkdir plain
cp "$wheel" plain
plainly() { (cd plain && env -i HOME="$here/plain" PATH=/usr/bin:/bin sh -c "$1"); }
try_wheel plainly

# pip with --target puts everything into one folder.
expect_exit 0 plainly 'venv/bin/pip install -q --no-index --target=all tacho-*.whl && PYTHONPATH=all /usr/bin/python3 -m tracy -c "print(2)"'
expect_line out '^2$'

# Kernels, with the firmware in the wheel.
if command -v riscv64-unknown-elf-gcc >/dev/null; then
	expect_exit 0 env PYTHONPATH="$here/plain/all" TACHO_CACHE="$here/cache" TACHO_ARCH=tiny /usr/bin/python3 -c 'import ttnn
with ttnn.open_device() as d: assert (ttnn.ones((2, 2), device=d) + 1.0).to_list() == [[2, 2], [2, 2]]'
fi

missing=$(chroot_missing)
[ -z "$missing" ] || skip "only tried on this machine: $missing"
chroot_new
expect_exit 0 chroot_run apt-get install -y -q --no-install-recommends python3 python3-venv
cp "$wheel" root/root
ls root/usr/lib/*/ >out
expect_no_line out 'libmicrohttpd|libwslay'
bare() { chroot_run sh -c "cd && $1"; }
try_wheel bare
