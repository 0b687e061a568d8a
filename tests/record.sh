# SPDX-License-Identifier: Apache-2.0
# For the scripts that record programs of tests/progs: sourced after lib.sh.
PROGS=$BUILD/tests

# record PROGRAM ARGUMENTS...: records it to t.tacho; what it says is in "said"; its status in $status.
record() {
	local program=$1
	shift
	timeout "$PATIENCE" "$TACHO" run -q -f -o t.tacho "${run_options[@]}" -- "$PROGS/$program" "$@" >said 2>err
	status=$?
}
run_options=()
# A program that dies of SIGSEGV shall die of it, with the address sanitizer too.
export ASAN_OPTIONS=handle_segv=0

# The sum of a word's numbers over the lines that the processes said.
said() {
	awk -v word="$1" '{ for (i = 1; i < NF; i++) if ($i == word) sum += $(i + 1) } END { print sum + 0 }' said
}

# A row of "tacho check", in "checked": zones, emitted, stored, lost.
checked() {
	awk -v word="$1" '$1 == word { gsub(",", "", $2); print $2 }' checked
}

stored_messages() {
	"$TACHO" messages --format=csv t.tacho | awk -F, 'NR > 1 && $2 != "app info"' | wc -l
}

check_whole() {
	"$TACHO" check t.tacho >checked 2>&1 || { cat checked err >&2; fail "$1: the trace is not sound"; }
	[ "$(checked lost)" = 0 ] || { cat checked >&2; fail "$1: events were lost"; }
}

# expect_all STATUS PROGRAM ARGUMENTS...: the program ends with STATUS and everything it said is there.
expect_all() {
	local want=$1
	shift
	record "$@"
	[ "$status" = "$want" ] || { head -c 2000 err >&2; fail "'$*' ends with $status, not $want"; }
	check_whole "$*"
	[ "$(checked zones)" = "$(said zones)" ] ||
		fail "'$*' emitted $(said zones) zones, $(checked zones) are there"
	[ "$(stored_messages)" = "$(said messages)" ] ||
		fail "'$*' emitted $(said messages) messages, $(stored_messages) are there"
}

# The same where more may be there than the program can know of.
expect_at_least() {
	local want=$1
	shift
	record "$@"
	[ "$status" = "$want" ] || { head -c 2000 err >&2; fail "'$*' ends with $status, not $want"; }
	"$TACHO" check t.tacho >checked 2>&1 || { cat checked >&2; fail "'$*': the trace is not sound"; }
	[ "$(checked zones)" -ge "$(said zones)" ] ||
		fail "'$*' emitted $(said zones) zones, $(checked zones) are there"
}
