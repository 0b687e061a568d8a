# SPDX-License-Identifier: Apache-2.0
# Where the kernel denies perf events: what threads wait for, and where, by polling /proc; one line says what is missing.
. "$SOURCE/tests/lib.sh"
SAMPLED=$BUILD/tests/sampled

polled() {
	"$BUILD/tests/no_perf" "$1" "$TACHO" run --sample -f -o polled.tacho -- "$SAMPLED" "$2" "$3" >truth 2>err ||
		fail "run exits with $?"
	[ "$(grep -c 'only waiting threads are sampled, not running code: ' err)" = 1 ] || fail "not one line about it: $(cat err)"
	expect_line err 'cap-add PERFMON'
	expect_exit 0 "$TACHO" check polled.tacho
	expect_line out '^errors +0$'
}

# Computes 3 ms, sleeps 7: sums of both are right, though each poll sees only a moment.
polled EPERM sleep 900
expect_exit 0 "$TACHO" stacks --by=thread --format=json polled.tacho
python3 - truth out <<'EOF2' || fail "sums of states are wrong"
import json, sys
truth = int(open(sys.argv[1]).read().split()[1])
t = [t for t in json.load(open(sys.argv[2])) if t["name"] == "sampled"][0]
waits = sum(t[k] for k in ("sleep_ns", "other_ns", "lock_ns", "poll_ns", "io_ns", "child_ns"))
print("truth", truth, t)
assert t["kernel_ns"] == 0 and t["running_ns"] > 0
# It also counts the start, and what it waited for a CPU after it woke.
assert waits <= truth * 1.05 + 3e7 and waits + t["runnable_ns"] >= truth * 0.9 - 3e7
EOF2

# Threads that wait for a lock longer than a poll: with stacks and what they wait for.
cat >waits.py <<-END
	import threading, time
	lock = threading.Lock()
	def holder():
	    with lock: time.sleep(0.4)
	def waiter():
	    time.sleep(0.05)
	    with lock: pass
	threads = [threading.Thread(target=f) for f in (holder, waiter)]
	[t.start() for t in threads]
	[t.join() for t in threads]
END
"$BUILD/tests/no_perf" EACCES "$TACHO" run -q --sample -f -o polled.tacho -- python3 waits.py 2>err || fail "cannot record"
expect_exit 0 "$TACHO" stacks --off-cpu --by=state polled.tacho
expect_exit 0 "$TACHO" stacks --off-cpu --list --min=0 polled.tacho
expect_line out ' waiter ' ' holder '

# Strict: nothing instead of a part.
"$BUILD/tests/no_perf" EPERM "$TACHO" run -q --sample=strict -f -o strict.tacho -- true 2>err
[ $? = 7 ] || fail "--sample=strict does not exit with 7"
