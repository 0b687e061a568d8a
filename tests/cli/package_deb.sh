# SPDX-License-Identifier: Apache-2.0
# labels: package
# The Debian packages: lintian finds no errors, and they work on a minimal Debian 12.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/chroot.sh"
[ -z "$SANITIZE" ] || skip "packages have no sanitizers"
command -v dpkg-buildpackage >/dev/null && command -v dh_python3 >/dev/null ||
	skip "run scripts/setup --packages"
missing=$(chroot_missing)
[ -z "$missing" ] || skip "$missing"

version=$("$TACHO" version | sed 's/^tacho \([0-9.]*\).*/\1/')
"$SOURCE/scripts/deb" "$here/debs" >out 2>err || { cat err >&2; fail "scripts/deb"; }
for name in tacho libtacho0 libtacho-dev python3-tracy; do
	[ -f debs/${name}_${version}_*.deb ] || { ls debs >&2; fail "no package $name $version"; }
done
if command -v lintian >/dev/null; then
	lintian --allow-root --fail-on error debs/*.deb >out 2>err || { cat out err >&2; fail "lintian"; }
fi

chroot_new
cp debs/*.deb root/root
rm root/root/*-dbgsym_*
expect_exit 0 chroot_run sh -c 'cd && apt-get install -y -q ./tacho_*.deb'
expect_exit 0 chroot_run tacho version
expect_line out "^tacho $version"
expect_exit 0 chroot_run tt-perf-report --help
expect_line out 'tt-perf-report'
for link in tt_profile tracy-capture tracy-csvexport capture-release csvexport-release; do
	[ -L root/usr/bin/$link ] || fail "no link $link"
	[ -e root/usr/share/man/man1/$link.1.gz ] || fail "no man page of $link"
done
for file in share/tacho/notebooks/profiler_results.ipynb share/bash-completion/completions/tacho \
	share/zsh/site-functions/_tacho share/fish/vendor_completions.d/tacho.fish \
	share/doc/tacho/docs/python.md.gz share/doc/tacho/examples/demo.c share/doc/tacho/copyright; do
	[ -f "root/usr/$file" ] || fail "/usr/$file is not installed"
done
expect_exit 3 chroot_run tacho python
expect_line err 'apt-get install python3-tracy'
# Without the cross compiler one line says how to install it.
expect_exit 3 chroot_run tacho device run /usr/share/doc/tacho/examples/device/kernels/copy.c
expect_line err 'apt-get install gcc-riscv64-unknown-elf'

expect_exit 0 chroot_run sh -c 'cd && apt-get install -y -q --no-install-recommends ./*.deb'
expect_exit 7 chroot_run sh -c "cd && python3 -m tracy -c 'def f(): return 7
exit(f())'"
expect_exit 0 chroot_run tacho zones -n =f /root/generated/profiler/.logs/tracy_profile_log_host.tacho
expect_line out ' f$'
expect_exit 0 chroot_run python3 -c 'import ttnn, tracy; print(tracy.__file__)'
expect_line out '^/usr/lib/python3/dist-packages/tracy/'
expect_exit 0 chroot_run tacho python
expect_line out '^/usr/lib/python3/dist-packages$'
expect_exit 0 chroot_run python3 /usr/share/tacho/tt_torch/tools/profile.py --help
[ -x root/usr/share/tacho/build/tt-train/sources/examples/nano_gpt/nano_gpt ] || fail "no nano_gpt"

# A program compiled against libtacho-dev. The chroot's headers and libraries are found by their paths.
libs=$(dirname root/usr/lib/*/pkgconfig/tacho.pc)
export PKG_CONFIG_PATH=$here/$libs
read -ra flags <<<"$(pkg-config --cflags --libs tacho)"
gcc "$SOURCE/tests/install/tacho_all.c" -o root/root/program "${flags[@]}" || fail "libtacho-dev does not compile"
expect_exit 0 chroot_run sh -c 'cd && tacho run -q -o t.tacho -- ./program && tacho check t.tacho'
expect_line out '^zones +8$' '^lost +0$'
read -ra flags <<<"$(pkg-config --cflags --libs tacho-device)"
printf '#include <tacho/device.h>\nint main(void) { tacho_device_error(); return 0; }\n' >device.c
gcc device.c -o root/root/device "${flags[@]}" || fail "tacho-device does not compile"
expect_exit 0 chroot_run /root/device

# Kernels: this machine's compiler with the package's firmware and headers.
if command -v riscv64-unknown-elf-gcc >/dev/null; then
	printf '#include "dataflow_api.h"\n#include <tools/profiler/kernel_profiler.hpp>\nvoid kernel_main(void) { DeviceZoneScopedN("K"); }\n' >kernel.c
	expect_exit 0 env TACHO_FIRMWARE="$here/root/usr/share/tacho/firmware" TACHO_CACHE="$here/cache" TACHO_ARCH=tiny \
		"$TACHO" device run kernel.c
fi

expect_exit 0 chroot_run apt-get purge -y -q tacho libtacho0
[ ! -e root/usr/bin/tacho ] && [ ! -e root/usr/share/tacho ] && [ ! -e root/usr/lib/python3/dist-packages/tracy ] ||
	fail "purging leaves files"
