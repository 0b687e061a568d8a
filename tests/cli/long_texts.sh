# SPDX-License-Identifier: Apache-2.0
# Texts take about as much of a file as a compressor needs, and are stored once.
. "$SOURCE/tests/faults.sh"

# size_of ARGUMENTS...: of a complete recording of long_texts
size_of() {
	"$TACHO" run -q -f --policy block --block-ms 60000 -o t.tacho -- "$PROGS/long_texts" "$@" >said 2>err || { cat err >&2; fail "long_texts $*"; }
	summarise t.tacho
	[ "$(fact sum emitted-rows)" = "$(awk '{ print $4 }' said)" ] || fail "messages are missing: $*"
	stat -c %s t.tacho
}

# 60 MB that differ in eight digits each: 84 KB for zstd -1.
bytes=$(size_of 10000 3072) || exit 1
[ "$bytes" -le 1048576 ] || fail "messages that are nearly the same take $bytes bytes"
"$SUM" -m t.tacho | sort | uniq -c | awk '$1 != 2 { bad++ } END { exit bad != 0 || NR != 10000 }' || fail "the texts are not those that were sent"

# Incompressible texts are stored once, although the recorder holds them for a while and writes checkpoints.
bytes=$(size_of 2000 20000 noise) || exit 1
[ "$bytes" -le $((2 * 2000 * 20000 * 11 / 10)) ] || fail "80 MB take $bytes bytes"
bytes=$(size_of 100 400000 noise) || exit 1
[ "$bytes" -le $((2 * 100 * 400000 * 11 / 10)) ] || fail "80 MB take $bytes bytes"
