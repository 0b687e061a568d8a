# SPDX-License-Identifier: Apache-2.0
# "tacho run --wait" follows descendants, not rings: a daemon that joins late is recorded, its end is
# waited for, and the status is the command's own.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

run_options=(-w)
for delay in 0 100 1000; do
	expect_all 7 double_fork $delay 100 7
	[ "$(said zones)" = 100 ] || fail "the daemon after $delay ms did not say what it emitted"
done
# Descendants that never record are waited for too: they may start others that do.
"$TACHO" run -q -w -f -o t.tacho -- sh -c '(sleep 0.3; echo done >late) & exit 5'
[ $? = 5 ] || fail "the status is not the command's"
[ -e late ] || fail "a process without a ring was not waited for"
# Without --wait it ends with the command.
run_options=()
: >hold
record double_fork 0 10 4 pid hold
[ "$status" = 4 ] || fail "without --wait it ends with $status"
wait_for test -e pid
rm hold
wait_gone "$(cat pid)"

# Adopted children are reaped while the command runs and while it is waited for.
: >hold
rm -f pid
"$TACHO" run -q -w -f -o t.tacho -- bash -c \
	"for i in 1 2 3 4 5; do '$PROGS/double_fork' 0 10 0; done; '$PROGS/double_fork' 0 10 0 pid hold; exit 3" >said &
recorder=$!
wait_for test -e pid
zombies() {
	awk -v parent=$recorder '{ sub(/.*\) /, "") } $1 == "Z" && $2 == parent' /proc/[0-9]*/stat 2>/dev/null | wc -l
}
no_zombies() { [ "$(zombies)" = 0 ]; }
wait_for no_zombies
kill -0 $recorder || fail "it does not wait for the daemon"
# A signal once: it stops waiting, saves and leaves the daemon alone. The daemon is not signalled.
command_gone() { [ "$(cat /proc/$recorder/task/$recorder/children)" = "$(cat pid) " ]; }
wait_for command_gone
kill -TERM $recorder
wait $recorder
[ $? = 3 ] || fail "stopped while it waited it ends with $?"
is_gone "$(cat pid)" && fail "the daemon was ended with the recording"
check_whole "stopped while waiting"
[ "$(checked zones)" = 60 ] || fail "$(checked zones) of 60 zones are there"
rm hold
wait_gone "$(cat pid)"

# Ctrl-C on a terminal reaches the command and not the daemon: one is enough.
: >hold
rm -f pid
cat >on_keys.py <<'EOF'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
def runs_sleep():
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return any(open(f"/proc/{child}/comm").read() == "sleep\n" for child in f.read().split())
while not os.path.exists("pid") or not runs_sleep():
    time.sleep(0.01)
os.write(fd, b"\x03")
# Not up to the end of its output: the daemon has the terminal too.
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF
timeout 240 python3 on_keys.py "$TACHO" run -q -w -f -o t.tacho -- \
	bash -c "'$PROGS/double_fork' 0 20 0 pid hold; exec sleep 1000" >status
expect_line status '^130$'
is_gone "$(cat pid)" && fail "Ctrl-C ended the daemon"
check_whole "Ctrl-C"
[ "$(checked zones)" = 20 ] || fail "$(checked zones) of 20 zones are there after Ctrl-C"
rm hold
wait_gone "$(cat pid)"
