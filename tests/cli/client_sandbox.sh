# SPDX-License-Identifier: Apache-2.0
# A program whose seccomp filter kills it for nearly every system call survives being recorded.
. "$SOURCE/tests/faults.sh"
[ -z "${SANITIZE-}" ] || skip "sanitizers make system calls of their own"
"$PROGS/sandbox" seal >said
case $? in
0) ;;
77) skip "no seccomp filter can be installed here" ;;
*) fail "it does not even live without a recorder" ;;
esac

# judge: only the zones count as emitted, and what is not stored is counted as lost
judge() {
	summarise t.tacho
	[ "$(fact sum emitted-zones)" = "$(awk '{ print $2 }' said)" ] || { cat sum said >&2; fail "zones are missing"; }
	[ "$(fact sum zones)" -gt 8000 ] || { cat sum >&2; fail "it does not continue with the memory that it has"; }
}

for how in seal fork; do
	"$TACHO" run -q -f -o t.tacho -- "$PROGS/sandbox" $how >said 2>err || { cat err >&2; fail "'$how' ends with $?"; }
	judge
done

# The recorder detects a filter that the program did not announce.
touch held
"$TACHO" run -q -f -o t.tacho -s "$here/session" -- "$PROGS/sandbox" wait held >said 2>err &
recorder=$!
wait_for grep -q '^[0-9]' err
is_sealed() {
	[ "$(od -An -t u4 -j "$(grep -m1 '^[0-9]' err)" -N 4 "$1" | tr -d ' ')" = 1 ]
}
wait_for is_sealed "$(echo session/p.*)"
rm held
wait $recorder || { cat err >&2; fail "a filter that the recorder sees ends it with $?"; }
summarise t.tacho
[ "$(fact sum emitted-zones)" = "$(awk '{ print $2 }' said)" ] || { cat sum said >&2; fail "zones are missing"; }

# A program that already has a filter is not attached to: joining takes many system calls.
touch held
"$PROGS/sandbox" seal held >said 2>err &
program=$!
filtered() {
	grep -qE '^Seccomp:\s*2' /proc/$program/status
}
wait_for filtered
expect_error 7 'has a seccomp filter' "$TACHO" capture -q -o attached.tacho --pid $program
rm held
wait $program || fail "attaching to it ends it with $?"
