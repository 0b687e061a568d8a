# SPDX-License-Identifier: Apache-2.0
# Every way in which a process can live or die: its events are in the trace and its exit status is unchanged.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

expect_all 0 fork_in_zone 4 10
expect_all 0 fork_nested 6
expect_all 0 spawn 40
expect_all 0 exec_self 4
expect_all 0 ends return
expect_all 0 ends exit
expect_all 0 ends _exit
expect_all 134 ends abort
expect_all 137 ends kill
expect_all 139 ends segv
expect_all 0 ends quick
expect_all 0 ends thread_exit
expect_all 0 ends main_exit
expect_all 0 short_threads 2000
expect_all 0 deep $([ -n "$SANITIZE" ] && echo 5000 || echo 50000) # a sanitizer's frames are large
expect_all 0 plugins "$PROGS/plugin.so" 30
expect_all 0 statics
expect_all 0 daemon
[ -n "$SANITIZE" ] || expect_all 0 jail # the leak checker needs /proc
expect_all 0 big_message 1048576
expect_all 0 burst 4 100000
expect_all 0 processes 60 1000
expect_all 0 untouched
