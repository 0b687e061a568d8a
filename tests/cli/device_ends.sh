# However a program ends: what its device recorded is in the trace, and in the logs unless it was killed.
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

# Buffers of a fixed size are emptied at the end, too, and the classic samples are taken once more.
TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=100 TT_METAL_PROFILER_SYNC=1 ended 0 1 2 return
[ "$(wc -l <generated/profiler/.logs/sync_device_info.csv)" = $((1 + 2 * 249)) ] || fail 'not 2 x 249 samples'

# Killed, but logs are asked for after each program.
TT_METAL_PROFILER_MID_RUN_DUMP=1 ended 137 1 2 kill

# A handler ends the program in the middle of a kernel that goes on for ever.
cat >ever.c <<'END'
#include "dataflow_api.h"
#include "debug/dprint.h"
void kernel_main(void)
{
	DPRINT("spins\n");
	for (volatile int i = 0;; i++)
		;
}
END
rm -rf generated
TT_METAL_DPRINT_CORES=0,0 "$ends" "$store" handler ever.c >spins 2>err &
wait_for test -s spins
kill -USR1 $!
wait $! || fail 'the handler does not end it'
expect_line spins '^0:\(x=0,y=0\):BR: spins$'
[ "$(grep -c ,STORE, $log)" = 2 ] || fail 'the first program is not in the log'

# Nobody waited for it, and it failed.
cat >wild.c <<'END'
#include "dataflow_api.h"
void kernel_main(void)
{
	REG32(0x7ffffff0) = 1;
}
END
expect_exit 0 "$ends" "$PWD/wild.c" return unfinished
expect_line err '^tacho: warning: nobody waited for the last program: device 0, core 0,0 .*access to no memory'
