# SPDX-License-Identifier: Apache-2.0
# For scripts about sampling: sourced first. Skips where the kernel does not let this user sample.
. "$SOURCE/tests/lib.sh"
SAMPLED=$BUILD/tests/sampled

"$TACHO" run -q --sample=strict -f -o probe.tacho -- true 2>err
[ $? = 7 ] && skip "$(cat err)"

# sample MODE MS [OPTIONS]: records the program's MODE in MODE.tacho; what it prints goes to MODE.truth.
sample() {
	local mode=$1 ms=$2
	shift 2
	"$TACHO" run -q --sample "$@" -f -o "$mode.tacho" -- "$SAMPLED" "$mode" "$ms" >"$mode.truth" 2>err ||
		{ cat err >&2; fail "cannot record $mode"; }
	expect_exit 0 "$TACHO" check "$mode.tacho"
	expect_line out '^errors +0$'
}
