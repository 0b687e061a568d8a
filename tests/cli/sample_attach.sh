# SPDX-License-Identifier: Apache-2.0
# Sampling of running programs, as any user, and what is said where the kernel does not allow it.
. "$SOURCE/tests/sample.sh"

"$SAMPLED" share 1500 >/dev/null &
pid=$!
expect_exit 0 "$TACHO" capture --pid $pid --sample -f -o attached.tacho
expect_exit 0 "$TACHO" check attached.tacho
expect_exit 0 "$TACHO" stacks --list attached.tacho
expect_line out ' seventy ' ' thirty ' ' main '
expect_error 7 'no process 999999999' "$TACHO" capture --pid 999999999 --sample=strict -f -o x.tacho
expect_error 2 "'often' is neither strict nor a rate" "$TACHO" run --sample=often -- true
expect_error 2 'stack-kb is from 1 to 58' "$TACHO" run --sample --stack-kb=64 -- true

# A recorder that is killed leaves a trace with all that its last checkpoint had, and the program runs on.
"$SAMPLED" share 60000 >/dev/null &
pid=$!
"$TACHO" capture --pid $pid --sample -f -o killed.tacho 2>/dev/null &
recorder=$!
has_samples() { "$TACHO" stacks --list killed.tacho.part 2>/dev/null | grep -q ' seventy '; }
wait_for has_samples
kill -9 $recorder
kill -0 $pid || fail "the sampled program was killed with the recorder"
kill $pid
has_samples || fail "samples of the last checkpoint are gone"

# Whoever has no right to sample gets one line that says which setting it is and what would change it; the program runs.
expect_denied() {
	local how=$1 pattern=$2
	shift 2
	"$BUILD/tests/no_perf" "$how" "$TACHO" run "$@" -f -o denied.tacho -- "$SAMPLED" zone 20 >out 2>err
	got=$?
	expect_line err "$pattern"
}
for how in EPERM ENOSYS; do
	expect_denied $how 'only waiting threads are sampled, not running code: perf_event_open\(\) is not allowed here .*cap-add PERFMON' --sample
	[ $got = 0 ] || fail "run exits with $got"
	expect_exit 0 "$TACHO" check denied.tacho
	expect_exit 0 "$TACHO" stats denied.tacho
	expect_line out inside
	expect_denied $how 'perf_event_open\(\) is not allowed' --sample=strict
	[ $got = 7 ] || fail "run --sample=strict exits with $got"
done
expect_denied EACCES 'only waiting threads are sampled, not running code: the kernel denies perf events' --sample

# As a user without rights: one's own programs can be sampled, those of others cannot.
can_be_nobody || skip "the rest needs a second user"
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "users may not sample here: kernel.perf_event_paranoid"
mkdir -m 777 open && cd open || exit 1
as_nobody "$TACHO" run -q --sample=strict -f -o nobody.tacho -- "$SAMPLED" share 300 >/dev/null 2>../err ||
	{ cat ../err >&2; fail "nobody cannot sample"; }
as_nobody "$TACHO" stacks --list nobody.tacho >../out 2>&1
expect_line ../out ' seventy '
if [ "$(id -u)" = 0 ]; then
	"$SAMPLED" share 60000 >/dev/null &
	pid=$!
	as_nobody "$TACHO" capture --pid $pid --sample=strict -f -o other.tacho >../out 2>../err
	[ $? = 7 ] || fail "nobody can sample root's programs"
	kill $pid
	expect_line ../err 'belongs to another user'
fi
