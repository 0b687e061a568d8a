# SPDX-License-Identifier: Apache-2.0
# Programs that know what they do: locks by name, pools, a busy machine, exceptions, many threads and processes.
. "$SOURCE/tests/sample.sh"
# A sanitizer adds threads and frames of its own to the samples.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"

# Waits for each lock by its lock events: those of the program's own clock, which also counts the way into the kernel and
# what the thread waited for a CPU after it was woken.
sample locks 600
expect_exit 0 "$TACHO" stacks --by=lock --format=json locks.tacho
cp out locks
expect_exit 0 "$TACHO" stacks --by=state --format=json locks.tacho
cp out states
expect_exit 0 "$TACHO" stats --samples --format=json locks.tacho
python3 - locks.truth locks states out <<'EOF' || fail "waits for locks are wrong"
import json, sys
truth = {n: int(v) for n, v in (line.split() for line in open(sys.argv[1]))}
found = {r["name"]: r["ns"] for r in json.load(open(sys.argv[2]))}
states = {r["state"]: r["ns"] for r in json.load(open(sys.argv[3]))}
zone = json.load(open(sys.argv[4]))[0]
print(truth, found, states, zone)
delay = states["waiting for a CPU"] + states["running"] + states["[kernel]"]
for key in ("first", "second"):
    assert 0 < found[key + " lock"] <= truth[key] * 1.01, key
    assert found[key + " lock"] + delay >= truth[key] * 0.98, key
# The zone is nearly all of the threads; its parts are its self time.
parts = [zone[k] for k in zone if k.endswith("_ns") and k != "self_ns"]
assert zone["name"] == "locks" and abs(sum(parts) - zone["self_ns"]) < 1e-6 * zone["self_ns"] + 20
assert abs(zone["lock_ns"] - found["first lock"] - found["second lock"]) < 0.05 * zone["lock_ns"]
EOF

# Waits on a condition variable have the stack of the waiting function.
sample pool 500
expect_exit 0 "$TACHO" stacks --off-cpu --list --min=0 --format=json pool.tacho
python3 - pool.truth out <<'EOF' || fail "waits of the pool are wrong"
import json, sys
truth = int(open(sys.argv[1]).read().split()[1])
found = {f["name"]: f for f in json.load(open(sys.argv[2]))}
got = found["pool_take"]["total_ns"]
print("truth", truth, "found", got)
assert 0 < got < 1.02 * truth  # how many are looked at depends on the load
EOF

# What the sleeper waits for a CPU: the kernel's account of it from exec on, which is before main().
sample spinners 400
expect_exit 0 "$TACHO" stacks --by=thread --format=json spinners.tacho
python3 - spinners.truth out <<'EOF' || fail "waits for a CPU are wrong"
import json, sys
truth = {n: int(v) for n, v in (line.split() for line in open(sys.argv[1]))}
main = next(t for t in json.load(open(sys.argv[2])) if t["name"] == "sampled" and t["tid"] == t["pid"])
print("truth", truth, main)
assert truth["since_main"] * 0.98 - 2e6 <= main["runnable_ns"] <= truth["in_all"] * 1.02 + 2e6
EOF
expect_exit 0 "$TACHO" stacks --by=cpu --format=json spinners.tacho
cp out cpus
expect_exit 0 "$TACHO" stacks --by=thread --format=json spinners.tacho
python3 - cpus out <<'EOF' || fail "CPUs and threads disagree"
import json, sys
cpus, threads = (json.load(open(name)) for name in sys.argv[1:3])
a = sum(c["running_ns"] for c in cpus)
b = sum(t["running_ns"] + t["kernel_ns"] for t in threads)
assert abs(a - b) < 1e-6 * b + 100 and sum(c["runs"] for c in cpus) == sum(t["runs"] for t in threads), (a, b)
EOF

# Each process of a tree is there, and threads that end at once.
sample crowd 300
expect_exit 0 "$TACHO" info --show=processes --format=json crowd.tacho
python3 - crowd.truth out <<'EOF' || fail "processes are missing"
import json, sys
truth = {int(line.split()[1]) for line in open(sys.argv[1])}
found = {p["pid"] for p in json.load(open(sys.argv[2]))}
print(truth, found)
assert truth == found and len(truth) == 4
EOF
expect_exit 0 "$TACHO" stacks --by=thread --format=csv crowd.tacho
[ "$(wc -l <out)" -gt 900 ] || fail "threads are missing: $(wc -l <out)"

# While exceptions are thrown: whole stacks, and none without its callers.
"$TACHO" run -q --sample -f -o thrown.tacho -- "$BUILD/tests/thrown" 400 || fail "cannot record thrown"
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json thrown.tacho
python3 - out <<'EOF' || fail "stacks of exceptions are wrong"
import json, sys
found = {f["name"]: f for f in json.load(open(sys.argv[1]))}
print({n: (f["total_percent"], f["samples"]) for n, f in found.items()})
assert found["main"]["total_percent"] > 98
assert any("thrown_caught" in name for name in found) and any(name.startswith("_Unwind") for name in found)
EOF
