# SPDX-License-Identifier: Apache-2.0
# Python frames out of process, in place of the interpreter's own: shares are right, and the lines too.
# labels: plain
. "$SOURCE/tests/sample.sh"

python=$(command -v python3)
script=$SOURCE/tests/python/share.py
"$python" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 13))' || skip "not for this Python"
expect_exit 0 "$TACHO" run -q --sample -f -o py.tacho -- "$python" "$script" 1.5
mv out truth
expect_exit 0 "$TACHO" check py.tacho
expect_exit 0 "$TACHO" info py.tacho
expect_line out 'samples with python frames'
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json py.tacho
python3 - truth out <<'EOF' || fail "shares are wrong"
import json, math, sys
truth = {n: int(v) for n, v in (line.split() for line in open(sys.argv[1]))}
found = {f["name"]: f for f in json.load(open(sys.argv[2])) if f["library"] == "share.py"}
p = truth["seventy"] / (truth["seventy"] + truth["thirty"])
a, b = found["seventy"]["samples"], found["thirty"]["samples"]
n = a + b
bound = 4 * math.sqrt(p * (1 - p) / n) + 0.005
print(f"true {p:.4f} found {a / n:.4f} of {n} samples, bound {bound:.4f}")
assert abs(a / n - p) <= bound
assert {"main", "work", "gen", "<module>"} <= set(found)
EOF
expect_exit 0 "$TACHO" stacks --list --by=line --min=0 py.tacho
expect_line out " seventy:$(grep -n 'def seventy' "$script" | cut -d: -f1) "

# A program that runs already and knows nothing of it.
"$python" -c 'import os, sys; print(os.getpid(), flush=True); sys.argv = ["", "3", "started"]; exec(open("'"$script"'").read())' >pid &
wait_for test -e started
expect_exit 0 "$TACHO" python --attach "$(head -1 pid)" -f -o attached.tacho
expect_exit 0 "$TACHO" stacks --list --min=0 attached.tacho
expect_line out ' (seventy|thirty|gen) +<string>'
