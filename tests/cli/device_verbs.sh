# SPDX-License-Identifier: Apache-2.0
# tacho device: list, run, disasm, trace; and errors in kernels.
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"

expect_exit 0 "$TACHO" device list
expect_line out '^wormhole_b0 +software +80/72/64' '^blackhole ' '^tiny '
expect_exit 0 "$TACHO" device list --format csv --arch tiny
expect_line out '^tiny,software,4/2,2,2,1,'
expect_error 2 'device needs one of' "$TACHO" device
expect_error 2 'device needs one of' "$TACHO" device run
expect_error 2 'device needs one of' "$TACHO" device fly x

cat >hello.c <<'END'
#include "dataflow_api.h"
void kernel_main(void)
{
	DeviceZoneScopedN("HELLO, world");
	*(volatile uint32_t *)(uintptr_t)get_arg_val(0) = FACTOR * get_arg_val(1);
}
END
expect_exit 0 "$TACHO" device run -DFACTOR=2 --cores 0,0-1,1 -x 0x40000 -x 21 --runs 3 hello.c
expect_line out '^BRISC +HELLO, world +12 ' '^BRISC +BRISC-KERNEL +12 ' '^BRISC +BRISC-FW +12 '
expect_line err 'tiny: [0-9]+ cycles, .* \(modelled\)'
# The cycles of all runs, without those of the host in between.
expect_exit 0 "$TACHO" device run -DFACTOR=2 -x 0x40000 -x 21 --runs 3 --format csv hello.c
[ "$(sed -n 's/^tiny: \([0-9]*\) cycles.*/\1/p' err)" = "$(awk -F, '$2 == "BRISC-FW" {print $4}' out)" ] ||
	fail "the cycles of three runs are not those of their firmware zones"
expect_exit 0 "$TACHO" device run -q --format csv --risc ncrisc -DFACTOR=2 -x 0x40000 -x 21 hello.c
expect_line out '^NCRISC,"HELLO, world",1,'
expect_no_line err modelled

expect_exit 0 "$TACHO" device disasm -DFACTOR=2 hello.c
expect_line out '<kernel_main>:' '<kernel_start>:' 'sw '
expect_exit 0 "$TACHO" device trace -DFACTOR=2 -x 0x40000 -x 21 --lines 5 hello.c
expect_line out 'BRISC .*kernel_start' '^\.\.\. and [0-9]+ more'
elf=$(ls "$TACHO_CACHE"/*.elf | head -1)
expect_exit 0 "$TACHO" device disasm "$elf"
expect_line out 'jal '
head -c 100 "$elf" >cut.elf
expect_exit 4 "$TACHO" device disasm cut.elf

# Any number of zones: none is lost. With buffers of a fixed size, drops are reported.
expect_exit 0 "$TACHO" device run "$SOURCE/tests/device/full.c"
expect_line out '^BRISC +TEST-FULL +300 '
expect_no_line err warning
expect_exit 0 "$TACHO" device run --op-support-count 1000 "$SOURCE/tests/device/full.c"
expect_line out '^BRISC +TEST-FULL +125 '
expect_line err 'warning: device 0: 175 markers found no room'

# Sums, values and events are shown next to the zones.
cat >marks.cpp <<'END'
#include <tools/profiler/kernel_profiler.hpp>
void kernel_main()
{
	for (int i = 0; i < 3; i++) {
		DeviceZoneScopedSumN1("SUMMED");
		DeviceTimestampedData("VALUE", i + 40);
	}
	DeviceRecordEvent(7);
}
END
expect_exit 0 env TT_METAL_PROFILER_SUM=1 "$TACHO" device run marks.cpp
expect_line out '^BRISC +SUMMED +1 +[1-9]' '^BRISC +VALUE +3 +40 +42$' '^BRISC +\(event\) +1 +7 +7$'
expect_exit 0 "$TACHO" device run --format=csv marks.cpp
expect_no_line out 'SUMMED|VALUE|event'

# C++ with templates and the other header; compute kernels.
cat >hello.cpp <<'END'
#include <tools/profiler/kernel_profiler.hpp>
#include "dataflow_api.h"
inline void twice()
{
	DeviceZoneScopedN("TWICE");
}
void kernel_main()
{
	DeviceZoneScopedN("CPP");
	twice();
	twice();
	volatile uint32_t *to = (volatile uint32_t *)get_arg_val<uint32_t>(0);
	*to = (uint32_t)(get_arg_val<int>(1) * 3ll / 7);
}
END
expect_exit 0 "$TACHO" device run -x 0x40000 -x 21 hello.cpp
expect_line out '^BRISC +CPP +1 ' '^BRISC +TWICE +2 '

# A compile error has its file and line.
printf '#include "dataflow_api.h"\n\nvoid kernel_main(void) { oops(); }\nint x = "a" * 2;\n' >bad.c
expect_exit 3 "$TACHO" device run bad.c
expect_line err 'bad.c does not compile for BRISC' 'bad.c:4:.*error'
expect_line err "bad.c:3:.*error: implicit declaration of function 'oops'"
expect_no_line err 'array subscript' # L1 begins at 0
[ "$(tail -1 err)" ] || fail "an empty line ends the message"
printf '#include "dataflow_api.h"\nvoid kernel_main() { uint32_t dram = 0x1000; noc_async_read_tile(0, dram, 0); }\n' >tile.cpp
expect_exit 3 "$TACHO" device run tile.cpp
expect_line err 'error:.*InterleavedAddrGen<true>.address'
expect_error 3 'cannot read the kernel none.c' "$TACHO" device run none.c
expect_error 3 'the kernel . is a folder' "$TACHO" device run .
# Warnings are shown on compilation, once for three RISCs, and none about hashed zones.
printf '#include "dataflow_api.h"\nvoid kernel_main(void)\n{\n\tint nobody;\n\tDeviceZoneScopedN("Z");\n}\n// %s\n' $$ >warn.c
for hash in 0 1; do
	TACHO_CACHE=$PWD/warned TACHO_ZONE_HASH=$hash expect_exit 0 "$TACHO" device run -q -r compute warn.c
	expect_line err '^tacho: warning: the compiler warns of warn.c for TRISC0:$' \
		"warn.c:4:[0-9]+: warning: unused variable 'nobody'"
	[ "$(grep -c nobody\' err)" = 1 ] || fail 'a warning is shown more than once'
	expect_no_line err 'pragma|expansion|included from'
	TACHO_CACHE=$PWD/warned TACHO_ZONE_HASH=$hash expect_exit 0 "$TACHO" device run -q -r compute warn.c
	expect_count 0 err
done
# A kernel that includes nothing, and a file without a kernel.
printf 'void kernel_main(void) {}\n' >bare.c
expect_exit 0 "$TACHO" device run bare.c
: >empty.c
expect_exit 3 "$TACHO" device run empty.c
expect_line err 'error: .*kernel_main'
expect_no_line err uint32_t
TACHO_RISCV_CC=/nowhere/cc expect_exit 3 "$TACHO" device run hello.c
expect_line err 'cannot run /nowhere/cc'

# A kernel that stops reports its location.
expect_exit 4 "$TACHO" device run -DFACTOR=2 -x 0x40001 --cores 1,0 hello.c
expect_line err 'device 0, core 1,0 \(NoC 2,1\), BRISC: misaligned access at 0x40001' \
	'in kernel_main\+0x[0-9a-f]+ of hello.c' ' a0 [0-9a-f]{8}'
expect_exit 4 "$TACHO" device run -DFACTOR=2 -x 0x7fff0000 hello.c
expect_line err 'access to no memory at 0x7fff0000'

printf '#include "dataflow_api.h"\nvoid kernel_main(void) { __asm__ volatile(".word 0xffffffff"); }\n' >illegal.c
expect_exit 4 "$TACHO" device run --risc ncrisc illegal.c
expect_line err 'device 0, core 0,0 .*, NCRISC: illegal instruction' 'in kernel_(main|start).* of illegal.c' '\.word 0xffffffff' ' ra [0-9a-f]{8} '

# Transfers to a missing core and to missing memory are reported with the RISC that started them.
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { noc_async_read(get_noc_addr(31, 30, 0x1000), 0x40000, 64); }\n' >nocore.c
expect_exit 4 "$TACHO" device run --risc ncrisc nocore.c
expect_line err 'NCRISC: NoC transfer to or from a place that the grid does not have: 31,30$' 'in kernel_main\+0x[0-9a-f]+ of nocore.c'
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { noc_async_read(get_noc_addr(1, 1, 0xff0000), 0x40000, 64); noc_async_read_barrier(); }\n' >far.c
for risc in brisc ncrisc; do
	expect_exit 4 "$TACHO" device run --risc $risc far.c
	expect_line err "${risc^^}: NoC transfer to or from no memory at 0xff0000$" 'in kernel_main.* of far.c'
done
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { *(volatile uint32_t *)0 = 1; }\n' >null.c
expect_exit 4 "$TACHO" device run null.c
expect_line err 'BRISC: ebreak .*null pointer'

# Kernels as other projects write them: parts of the library, the namespace of compute kernels.
cat >elsewhere.cpp <<'KERNEL'
#include <cstdint>
#include <cstring>
#include <algorithm>
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "tools/profiler/kernel_profiler.hpp"
namespace NAMESPACE {
void MAIN {
	std::uint32_t a[4] = {1, 2, 3, 4}, b[4];

	binary_op_init_common(0, 1, 16);
	add_tiles_init(0, 1);
	std::memcpy(b, a, sizeof(a));
	DeviceZoneScopedN("ELSEWHERE");
	if (std::max<uint32_t>(b[0], a[3]) != 4 || std::memcmp(a, b, sizeof(a)))
		__builtin_trap();
}
}
KERNEL
expect_exit 0 "$TACHO" device run -q -r compute elsewhere.cpp
expect_line out '^TRISC1 +ELSEWHERE +1 '
printf '#include <string.h>\n#include "dataflow_api.h"\nvoid kernel_main(void) { memset((void *)0x40000, 7, 16); memmove((void *)0x40004, (void *)0x40000, 16); }\n' >strings.c
expect_exit 0 "$TACHO" device run -q strings.c

# A kernel that waits forever is reported at once, with its location.
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { cb_wait_front(3, 1); }\n' >hang.c
expect_exit 4 "$TACHO" device run hang.c
expect_line err 'waits for ever' 'core 0,0 .*BRISC waits: pc .* in kernel_main'
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { for (uint32_t i = 0;; i++) REG32(0x40000) = i; }\n' >endless.c
expect_exit 3 "$TACHO" device run --max-cycles 2000000 endless.c
expect_line err 'not done after 2000000 cycles' 'BRISC runs: pc'

# Registers that the model lacks are listed.
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { REG32(0xFFD00010) = REG32(0xFFD00020) + 7; }\n' >odd.c
expect_exit 0 "$TACHO" device trace odd.c
expect_line out '^0xffd00010 .* 0x7 ' '^0xffd00020 '

# Invalid options.
expect_error 2 "takes X,Y or X,Y-X,Y" "$TACHO" device run --cores 1 hello.c
expect_error 2 "runs cannot be 0" "$TACHO" device run -n 0 hello.c
expect_error 2 "size cannot be -4" "$TACHO" device run --size -4 hello.c
expect_error 2 "max-cycles cannot be -5" "$TACHO" device run --max-cycles -5 hello.c
expect_error 3 "at most 256 arguments" "$TACHO" device run $(printf -- '-x %d ' $(seq 300)) hello.c
expect_error 2 "wants a 32-bit number" "$TACHO" device run --arg zero hello.c
expect_error 2 "not inside the grid of 2 x 2" "$TACHO" device run --cores 0,0-2,2 hello.c
expect_error 2 "no architecture is called 'quasar'; there are: .*blackhole" "$TACHO" device run --arch quasar hello.c
expect_error 2 "the first must not be after the last" "$TACHO" device run --cores 1,1-0,0 hello.c
expect_error 3 "too large: at most [0-9]+" "$TACHO" device run --op-support-count 99999999999 bare.c
expect_error 3 "hello.c: not a 32-bit" "$TACHO" device boot hello.c
expect_error 3 "/bin/sh: not a 32-bit" "$TACHO" device disasm /bin/sh
TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=many expect_exit 0 "$TACHO" device run bare.c
expect_line err "warning: TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT wants a number of up to 1000000, not 'many'"

# The cache: nothing is compiled twice; a changed header is noticed.
# Without a home the cache is below TMPDIR, in a folder that only this user can write to.
mkdir tmp
HOME=/dev/null/none TMPDIR=$here/tmp expect_exit 0 env -u TACHO_CACHE -u XDG_CACHE_HOME "$TACHO" device run bare.c
[ "$(stat -c %a tmp/tacho-*)" = 700 ] || fail "the kernel cache is not private"
chmod 777 tmp/tacho-*
HOME= TMPDIR=$here/tmp expect_error 5 'kernel cache .*/tmp/tacho-.*not permitted; TACHO_CACHE names' env -u TACHO_CACHE -u XDG_CACHE_HOME "$TACHO" device run bare.c
TACHO_CACHE=/dev/null expect_error 5 'cannot write to the kernel cache /dev/null' "$TACHO" device run hello.c
mkdir cache
export TACHO_CACHE=$PWD/cache
echo '#define PLACE 0x7fff0000' >value.h
printf '#include "dataflow_api.h"\n#include "value.h"\nvoid kernel_main(void) { REG32(PLACE) = 1; }\n' >header.c
expect_exit 4 "$TACHO" device run header.c
expect_line err 'access to no memory at 0x7fff0000'
ls cache | wc -l >before
expect_exit 4 "$TACHO" device run header.c
ls cache | wc -l >after
expect_same before after
echo '#define PLACE 0x40000' >value.h
expect_exit 0 "$TACHO" device run header.c

# Also if its path has a blank and a dollar sign.
mkdir 'a $b'
echo '#define PLACE 0x7fff0000' >'a $b/value.h'
cp header.c 'a $b/header.c'
expect_exit 4 "$TACHO" device run 'a $b/header.c'
echo '#define PLACE 0x40000' >'a $b/value.h'
expect_exit 0 "$TACHO" device run 'a $b/header.c'

# Compiling removes files unused for a month, but neither files in use nor those of others.
old=0123456789abcdef
used=$(basename "$(ls -t cache/*.deps | head -n 1)" .deps)
touch -d '40 days ago' cache/$old.elf cache/$old.elf.log cache/$old.deps cache/$old.txt cache/notes
touch -d '2 days ago' cache/$old.elf.77 cache/$old.elf.77.d cache/$old.deps.77
touch cache/$old.elf.78
touch -d '20 days ago' cache/$used.*
expect_exit 0 "$TACHO" device run 'a $b/header.c'
[ -z "$(find cache -name "$used.*" -mtime +1)" ] || fail 'what is used is not marked so'
touch -d '40 days ago' cache/$old.elf
echo '#define PLACE 0x40010' >value.h
expect_exit 0 "$TACHO" device run header.c
(cd cache && ls $old.* notes) >left
printf '%s\n' $old.elf.78 $old.txt notes >wanted
expect_same wanted left
ls cache/$used.elf >left || fail 'what is used is gone'

# The user's headers, compile-time arguments, the C++ API without an include.
mkdir -p own
echo '#define WHERE 0x40000' >own/where.h
cat >given.cpp <<'END'
#include "where.h"
void kernel_main() {
	constexpr uint32_t last = kernel_compile_time_args.size() - 1;
	static_assert(get_compile_time_arg_val(last) == 70);
	*(volatile uint32_t *)WHERE = get_compile_time_arg_val(0) + FACTOR;
	noc_async_write_barrier();
}
END
expect_exit 0 "$TACHO" device run -q -I own $(seq -f '-C %g' 1 70) -D 'FACTOR=(1 + 2)' given.cpp
expect_exit 3 "$TACHO" device run -q $(seq -f '-C %g' 1 70) -D FACTOR=1 given.cpp
expect_line err 'where.h: No such file or directory'
expect_exit 2 "$TACHO" device run -C many given.cpp
expect_line err "--compile-arg wants a 32-bit number, not 'many'"
