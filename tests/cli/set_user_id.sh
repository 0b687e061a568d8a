# SPDX-License-Identifier: Apache-2.0
# A set-user-id program that links the libraries, and a hostile environment. No variable is obeyed,
# nothing is compiled, loaded or written.
. "$SOURCE/tests/lib.sh"

# Libraries ask for variables through one function, which answers "not set" in such a program.
(cd "$SOURCE" && grep -rnE '(^|[^_a-z])getenv *\(' src python include --include='*.[ch]' --include='*.[ch]pp' | grep -v '^src/cmds/') >found
expect_count 0 found
(cd "$SOURCE" && grep -rnE 'secure_getenv *\(' src python include --include='*.[ch]' --include='*.[ch]pp' |
	grep -vE '^(src/(client/start\.c|base/environ\.c|ring/place\.h)|include/tacho/metalium/base\.hpp):') >found
expect_count 0 found

[ "$(id -u)" = 0 ] || skip "only root can make a program of another user"
share_folder
as_nobody test -x "$BUILD/tests/device_secure" -a -r "$BUILD/libtacho_device.so" ||
	skip "another user cannot read the build"
cp "$BUILD/tests/device_secure" program
chown 0:0 program
chmod 4755 program

# What the attacker prepares: a compiler that leaves a mark, and places where something may be written.
mkdir -m 777 theirs theirs/{bin,cache,xdg,home,tmp,logs,session,firmware}
cat >theirs/bin/riscv64-unknown-elf-gcc <<END
#!/bin/sh
id -u >>$here/theirs/ran
exit 1
END
chmod 755 theirs/bin/*
cp -r "$SOURCE/firmware/." theirs/firmware
chmod -R a+rwX theirs
find theirs | sort >before

attack() {
	as_nobody env ASAN_OPTIONS=detect_leaks=0 "$@" "$here/program" >out 2>err
	local code=$?
	[ $code != 77 ] || skip "this file system has no set-user-id programs"
	[ $code = 0 ] || { cat out err >&2; fail "the program ends with $code: $*"; }
	expect_line out '^recording 0' '^no device: a set-user-id program compiles and loads no kernels'
	expect_count 0 err
	[ ! -e theirs/ran ] || fail "the attacker's compiler ran as $(cat theirs/ran): $*"
	find theirs | sort >after
	expect_same before after
}
T=$here/theirs
attack PATH="$T/bin:$PATH"
attack TACHO_RISCV_CC="$T/bin/riscv64-unknown-elf-gcc"
attack TACHO_CACHE="$T/cache" XDG_CACHE_HOME="$T/xdg" HOME="$T/home" TMPDIR="$T/tmp" TACHO_FIRMWARE="$T/firmware"
attack TACHO_SESSION="$T/session" TACHO_CAPTURE=1 TACHO_LOG="$T/logs/log" TACHO_ZONE_LOG="$T/logs/zones" TACHO_ZONE_HASH=1
attack TT_METAL_DEVICE_PROFILER=1 TT_METAL_PROFILER_DIR="$T/logs" TT_METAL_DPRINT_CORES=all TT_METAL_DPRINT_FILE="$T/logs/print" \
	TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH="$T/logs" TT_METAL_PROFILER_TYPO=1 TACHO_ARCH=none

# The same program is found to be whole when its caller has the same rights.
chmod 755 program
expect_exit 77 "$here/program"
