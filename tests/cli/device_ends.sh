# SPDX-License-Identifier: Apache-2.0
# However a program ends, its trace has what its device recorded; its logs have it, too, unless it was killed.
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
ends=$BUILD/tests/device_ends
store=$SOURCE/tests/device/store.c
log=generated/profiler/.logs/profile_log_device.csv
export TT_METAL_DEVICE_PROFILER=1

# ended CODE STORED LOGGED HOW...: exit status, zones of the kernel in the trace, lines in the log
ended() {
	local code=$1 stored=$2 logged=$3
	shift 3
	rm -rf generated t.tacho
	expect_exit "$code" "$TACHO" run -q -o t.tacho -- "$ends" "$store" "$@"
	expect_count 0 err
	expect_exit 0 "$TACHO" zones --format csv t.tacho
	[ "$(grep -c ,STORE, out)" = "$stored" ] || fail "$*: not $stored zones in the trace"
	[ "$(grep -c ,STORE, $log 2>err)" = "$logged" ] || fail "$*: not $logged lines in the log"
}
for how in return exit quick_exit thread pthread_exit fork; do
	ended 0 1 2 $how
	ended 0 1 2 $how unfinished
done
ended 0 1 '' _exit
ended 134 1 '' abort
ended 137 1 '' kill
ended 137 0 '' kill unfinished

# Buffers of a fixed size are also drained at the end, and the classic clock samples are taken again.
TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=100 TT_METAL_PROFILER_SYNC=1 ended 0 1 2 return
[ "$(wc -l <generated/profiler/.logs/sync_device_info.csv)" = $((1 + 2 * 249)) ] || fail 'not 2 x 249 samples'

# Killed, with logs written after each program.
TT_METAL_PROFILER_MID_RUN_DUMP=1 ended 137 1 2 kill

# An endless kernel: its events are recorded however the program is interrupted.
cat >ever.c <<'END'
#include "dataflow_api.h"
#include "debug/dprint.h"
#include "tools/profiler/kernel_profiler.hpp"
void kernel_main(void)
{
	for (int i = 0; i < 10; i++) {
		DeviceZoneScopedN("STEP");
	}
	DeviceZoneScopedN("ENDLESS");
	DPRINT("spins\n");
	for (volatile int i = 0;; i++)
		;
}
END
# interrupted SIGNAL CODE: the recorder forwards the signal to the program
interrupted() {
	rm -rf generated t.tacho spins
	TT_METAL_DPRINT_CORES=0,0 env --default-signal=INT "$TACHO" run -q -o t.tacho -- \
		"$ends" "$store" handler ever.c >spins 2>said &
	wait_for test -s spins
	kill -"$1" $!
	wait $!
	[ $? = "$2" ] || fail "$1: the program does not end by it"
	expect_line spins '^0:\(x=0,y=0\):BR: spins$'
	[ "$(grep -c ',STORE,' $log)" = 2 ] || fail "$1: the first program is not in the log"
	[ "$1" != USR1 ] || return 0
	[ "$(grep -c ',STEP,' $log)" = 20 ] || fail "$1: not all steps are in the log"
	[ "$(grep -c ',ENDLESS,' $log)" = 2 ] || fail "$1: what was open is not in the log"
	expect_exit 0 "$TACHO" zones --format csv t.tacho
	[ "$(grep -c ,STEP, out)" = 10 ] || fail "$1: not all steps are in the trace"
	[ "$(grep -c ,ENDLESS, out)" = 1 ] || fail "$1: what was open is not in the trace"
}
for signal in INT TERM; do
	interrupted $signal $((128 + $(kill -l $signal)))
	expect_count 1 said
	expect_line said "^tacho: SIG$signal: the program of device 0 has not ended, op 2048: device 0, core 0,0 \(NoC 1,1\), BRISC runs: pc 0x[0-9a-f]+ in kernel_main\+0x[0-9a-f]+ of .*ever\.c\$"
	"$TACHO" messages t.tacho | grep -q "SIG$signal: the program of device 0" || fail 'not in the trace'
done
# A handler of the program calls exit() at any point.
interrupted USR1 0
# A handler that only sets a flag, in a program whose waits must end.
rm -f spins
TT_METAL_DPRINT_CORES=0,0 "$ends" "$store" break ever.c >spins 2>said &
wait_for test -s spins
kill -INT $!
wait $!
[ $? = 5 ] || { cat said spins >&2; fail 'a wait that was to be broken off'; }
expect_line spins '^SIGINT: the program of device 0 has not ended, op 2048: .*BRISC runs'

# A program that fails although the host did not wait for it.
cat >wild.c <<'END'
#include "dataflow_api.h"
void kernel_main(void)
{
	REG32(0x7ffffff0) = 1;
}
END
expect_exit 0 "$ends" "$PWD/wild.c" return unfinished
expect_line err '^tacho: warning: the last program failed: device 0, core 0,0 .*access to no memory'
