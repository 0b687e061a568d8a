# SPDX-License-Identifier: Apache-2.0
# For the scripts cli/fault_*.sh: sourced first. How the recorder is attacked and its traces are judged.
. "$SOURCE/tests/lib.sh"
PROGS=$BUILD/tests
SUM=$BUILD/tests/tracesum
LONG=${LONG-}
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=1

# scale SHORT LONG: how often to do it. Sanitized builds are slow and run a part of it.
scale() {
	if [ -n "$LONG" ]; then echo "$2"; elif [ -n "${SANITIZE-}" ]; then echo $((($1 + 3) / 4)); else echo "$1"; fi
}

# fact FILE NAME: the number after NAME in tracesum's output.
fact() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { if (!found) print 0 }' "$1"
}

# summarise TRACE: into the file "sum"; the trace must be sound and its ledgers must balance.
summarise() {
	"$SUM" "$1" >sum || fail "$1 cannot be read"
	grep -q '^check 0' sum || { cat sum >&2; fail "$1 does not pass the check"; }
	local emitted stored lost
	emitted=$(fact sum emitted-zones) stored=$(fact sum zones) lost=$(fact sum lost-zones)
	[ "$emitted" = $((stored + lost)) ] || { cat sum >&2; fail "$1: $emitted zones emitted, $stored stored, $lost lost"; }
}

# expect_fact NAME NUMBER: in the file "sum".
expect_fact() {
	[ "$(fact sum "$1")" = "$2" ] || { cat sum >&2; fail "$1 is $(fact sum "$1"), not $2"; }
}

# expect_sequence TRACE SLOTS [prefix]: the messages of fault_seq are there, each once and in order, up to
# the number that its thread had noted in SLOTS; at most the one it was about to note besides. With
# "prefix" fewer will do: what is there starts at 1 and has no gap.
expect_sequence() {
	"$SUM" -m "$1" >messages || fail "$1 cannot be read"
	od -An -v -t u8 -w8 "$2" >slots
	awk -v prefix="${3-}" '
		NR == FNR { slot[NR - 1] = $1; next }
		{ if ($3 != last[$2] + 1) { print "thread", $2, "has", $3, "behind", last[$2] + 0; exit 1 }
		  last[$2] = $3 }
		END {
			for (t in slot) {
				if (!prefix && last[t] + 0 < slot[t]) { print "thread", t, "ends with", last[t] + 0, "of", slot[t]; exit 1 }
				if (last[t] + 0 > slot[t] + 1) { print "thread", t, "ends with", last[t], "beyond", slot[t]; exit 1 }
			}
		}' slots messages >&2 || fail "the events in $1 are not those that were sent"
}

# random LOW HIGH
random() {
	echo $(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1 + 1)))
}

# session_of OUTPUT: the session directory that fault_seq printed.
session_of() {
	awk '$1 == "session" { print $2 }' "$1"
}

pid_of() {
	awk '$1 == "pid" { print $2 }' "$1"
}
