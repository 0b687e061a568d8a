# SPDX-License-Identifier: Apache-2.0
# The programs of client_lives.sh, many more of them. labels: long
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

# The recorder may be slower than these programs: they block instead of losing events.
run_options=(--policy=block --block-ms=60000)
expect_all 0 short_threads 100000
expect_all 0 processes 300 10000
expect_all 0 burst 8 1000000
expect_all 0 deep 100000
expect_all 0 fork_in_zone 8 200
expect_all 0 spawn 1000
expect_all 0 handler 50000
expect_at_least 0 cancel 5000
expect_at_least 0 fork_in_handler 5000

run_options=()

# Killed at any moment: earlier events are in the trace.
for i in $(seq 200); do
	"$TACHO" run -q -f -o t.tacho -- bash -c "'$PROGS/burst' 2 100000000 & sleep 0.0$((RANDOM % 90 + 10)); kill -9 \$!" >said 2>&1
	"$TACHO" check t.tacho >checked || { cat checked >&2; fail "unsound after kill $i"; }
done
