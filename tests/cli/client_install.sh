# SPDX-License-Identifier: Apache-2.0
# Programs built from an install tree: by pkg-config and by find_package, C and C++, gcc and clang, the
# oldest and newest standards, shared and static, and with everything disabled.
. "$SOURCE/tests/lib.sh"
[ -z "$SANITIZE" ] || skip "programs without the sanitizer cannot load sanitized libraries"

# The build was configured for another prefix: the one given to the installation is used.
ln -s "$BUILD" build
ln -s "$SOURCE/scripts" scripts
make -f "$SOURCE/Makefile" -o setup -o all install PREFIX="$here/prefix" >install.log || { cat install.log >&2; fail "cannot install"; }
[ "$(readlink prefix/bin/tt_profile)" = tacho ] || fail "the other names are not below the prefix"
for file in share/tacho/notebooks/profiler_results.ipynb share/doc/tacho/README.md share/doc/tacho/docs/python.md \
	share/doc/tacho/examples/demo.c share/doc/tacho/examples/device/kernels/copy.c; do
	[ -e "prefix/$file" ] || fail "$file is not installed"
done
# As the guides call it, below $TT_METAL_HOME.
gpt=prefix/share/tacho/build/tt-train/sources/examples/nano_gpt
expect_exit 0 "$gpt/nano_gpt" --help
[ -e "$gpt/configs/nano_gpt_5min.yaml" ] || fail "nano_gpt's configurations are not installed"
# "python -m tracy" does not find this prefix: the last line printed is the command that makes it do so.
expect_line install.log "$here/prefix/bin/tacho python --install"
export PKG_CONFIG_PATH=$(dirname "$(find "$here/prefix" -name tacho.pc)")
read -ra flags <<<"$(pkg-config --cflags tacho)"
read -ra libs <<<"$(pkg-config --libs tacho)"
libdir=$(pkg-config --variable=libdir tacho)
strict=(-O1 -Wall -Wextra -Wpedantic -Werror)
sources=$SOURCE/tests/install

# builds EXPECTED_ZONES COMPILER ARGUMENTS...: compiles, runs alone and recorded.
builds() {
	local zones=$1
	shift
	"$@" "${strict[@]}" "${flags[@]}" -o program "${link[@]}" 2>err || { cat err >&2; fail "'$*' does not compile"; }
	LD_LIBRARY_PATH=$libdir ./program >out 2>err || fail "'$*' ends with $?"
	expect_count 0 out
	[ -n "$zones" ] || return 0
	LD_LIBRARY_PATH=$libdir "$TACHO" run -q -f -o t.tacho -- ./program || fail "'$*' ends with $? when recorded"
	"$TACHO" check t.tacho >out || fail "'$*': unsound"
	expect_line out "^zones +$zones\$" '^lost +0$'
}
link=("${libs[@]}")
# Each compiler and each standard, but not every pair: C++ takes seconds.
for compiler in 'gcc -std=c99' 'clang -std=c99' 'gcc -std=gnu17' 'clang -std=gnu17'; do
	builds 8 $compiler "$sources/tacho_all.c"
	builds 14 $compiler -DTRACY_ENABLE "$sources/tracy_all.c"
done
for compiler in 'g++ -std=c++11' 'clang++ -std=c++11' 'clang++ -std=c++14' 'g++ -std=c++20'; do
	builds 8 $compiler "$sources/tacho_all.cpp"
done
for compiler in 'g++ -std=c++14' 'clang++ -std=c++20'; do
	builds 29 $compiler -DTRACY_ENABLE "$sources/tracy_all.cpp"
done
# The headers that feed device events, with the strictest warnings of both compilers.
for compiler in 'g++ -std=c++17' 'clang++ -std=c++20'; do
	builds 11 $compiler -DTRACY_ENABLE "$SOURCE/tests/progs/tt_device.cpp"
done
# Position-dependent programs have a copy relocation of the control page.
builds 8 gcc -fno-pie -no-pie "$sources/tacho_all.c"
builds 8 clang -fno-pie -no-pie "$sources/tacho_all.c"

# Disabled: no library is needed and no symbol is undefined.
link=()
for compiler in gcc clang; do
	builds '' $compiler -std=c99 -DTACHO_DISABLE "$sources/tacho_all.c"
	builds '' $compiler -std=c99 "$sources/tracy_all.c"
	builds '' ${compiler/gcc/g}++ -std=c++17 -DTACHO_DISABLE "$sources/tacho_all.cpp"
	builds '' ${compiler/gcc/g}++ -std=c++17 "$sources/tracy_all.cpp"
	printf '#include <tracy/TracyTTDevice.hpp>\nint main() { TracyTTCtx c = TracyTTContext(); TracyTTDestroy(c); return c != nullptr; }\n' >tt.cpp
	builds '' ${compiler/gcc/g}++ -std=c++17 tt.cpp
	nm program >out
	expect_no_line out '___tracy_emit|tacho_'
done

# libtacho_device depends on libtacho.
printf '#include <tacho/device.h>\nint main(void) { tacho_device_error(); return 0; }\n' >device.c
link=("-L$libdir" -ltacho_device)
builds '' gcc -std=c99 device.c

# The installed examples, built by the commands of their README.
examples=prefix/share/doc/tacho/examples
link=("${libs[@]}" -lm -pthread)
gcc "$examples/demo.c" -o demo "${flags[@]}" "${link[@]}" || fail "demo.c does not compile"
g++ -DTRACY_ENABLE "$examples/tracy.cpp" -o tracy "${flags[@]}" "${link[@]}" || fail "tracy.cpp does not compile"
for source in "$examples"/device/*.c; do
	gcc -DEXAMPLE_KERNELS="\"$here/$examples/device/kernels\"" "$source" -o example $(pkg-config --cflags --libs tacho-device) -lm ||
		fail "$source does not compile"
done

# Static: libtacho.a alone, and a program without any shared library.
link=("$libdir/libtacho.a" -pthread)
builds 8 gcc "$sources/tacho_all.c"
builds 29 g++ -std=c++17 -DTRACY_ENABLE "$sources/tracy_all.cpp"
builds 8 gcc -static "$sources/tacho_all.c"

# Tracy's include layout: -I.../tracy gives <tracy/Tracy.hpp> and <common/TracySystem.hpp>.
printf '#include <tracy/Tracy.hpp>\n#include <common/TracySystem.hpp>\nint main() { ZoneScoped; }\n' >layout.cpp
link=("${libs[@]}")
flags+=("-I$here/prefix/include/tracy")
builds 1 g++ -DTRACY_ENABLE layout.cpp

# find_package
cmake -S "$sources" -B consumer -DCMAKE_PREFIX_PATH="$here/prefix" >out 2>err || { cat out err >&2; fail "find_package"; }
cmake --build consumer >out 2>&1 || { cat out >&2; fail "the CMake consumer does not build"; }
for program in tacho_all_c tacho_all_cpp tracy_all_c tracy_all_cpp static_c; do
	"$TACHO" run -q -f -o t.tacho -- "consumer/$program" || fail "$program ends with $?"
	"$TACHO" check t.tacho >out || fail "$program: unsound"
	expect_no_line out '^zones +0$'
done

# A program found through PATH finds its firmware; the error lists the paths.
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { noc_async_read_barrier(1, 2, 3, 4); }\n' >kernel.c
PATH=$here/prefix/bin:$PATH tacho device run kernel.c >out 2>err && fail "a kernel that cannot be compiled is run"
expect_line err "$here/prefix/share/tacho/firmware/"
# Kernels do not get the host's headers, which a prefix such as /usr has.
echo '#error "a header of the host"' >prefix/include/string.h
printf '#include "dataflow_api.h"\n#include <string.h>\n#include <tools/profiler/kernel_profiler.hpp>\nvoid kernel_main(void) { DeviceZoneScopedN("K"); }\n' >kernel.c
if command -v riscv64-unknown-elf-gcc >/dev/null; then
	expect_exit 0 env TACHO_ARCH=tiny TACHO_CACHE="$here/cache" prefix/bin/tacho device run kernel.c
fi
