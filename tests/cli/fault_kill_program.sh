# SPDX-License-Identifier: Apache-2.0
# The program is killed at random moments. Every committed event is saved, open zones are marked.
. "$SOURCE/tests/faults.sh"

for ((i = 0; i < $(scale 200 1000); i++)); do
	threads=$(random 1 4)
	"$TACHO" run -q -f -o t.tacho -- "$PROGS/fault_seq" -f last -t $threads -k "$(random 1 8000)" >out 2>err
	[ $? = 137 ] || { cat err >&2; fail "the status of the killed program is lost"; }
	summarise t.tacho
	expect_sequence t.tacho last
	expect_fact lost-zones 0
	# Each thread was inside its zone, and perhaps inside a step, unless it never began.
	awk '$1 == "zone" && $2 == "thread" && $3 != $5 { exit 1 }
		$1 == "zone" && $2 == "step" && $5 > '$threads' { exit 1 }' sum || { cat sum >&2; fail "open zones are not marked"; }
	grep -q 'status 9$' sum || [ "$(fact sum processes)" = 0 ] || { cat sum >&2; fail "the trace does not say how it ended"; }
done
