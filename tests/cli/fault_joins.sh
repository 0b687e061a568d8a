# SPDX-License-Identifier: Apache-2.0
# Processes that cannot create a ring file. Children of recorded processes use an area of the session's pool;
# the trace lists all others with pid, name and reason.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

# absent COLUMN: a column of each listed process with a known pid. all_absent: the number of listed processes.
absent() {
	"$TACHO" info --show=absent --format=csv t.tacho >absent.csv
	python3 -c '
import csv, sys
for row in csv.DictReader(open("absent.csv", newline="")):
    if row["pid"]:
        print(row[sys.argv[1]])' "$1"
}
all_absent() {
	"$TACHO" info --show=absent --format=csv t.tacho | python3 -c '
import csv, sys
print(sum(int(row["count"]) for row in csv.DictReader(sys.stdin)))'
}
processes() {
	"$TACHO" info --show=processes --format=csv t.tacho | tail -n +2 | wc -l
}

# Each of these has 1 + 2 * 3 processes. Without descriptors it needs no root.
for how in none close nofile; do
	expect_all 0 workers $how 3 2000
	[ "$(processes)" = 7 ] || fail "$(processes) of 7 processes are recorded ($how)"
done
expect_line checked '^not recorded +0 processes$' '^verdict +whole$'

# A bounded session without room for more processes.
run_options=(--session-mb=1)
record workers none 40 20
run_options=()
[ "$status" = 0 ] || fail "ends with $status"
if [ "$(absent pid | wc -l)" -gt 0 ]; then
	absent reason | sort -u >reasons
	expect_line reasons 'session-mb.*EDQUOT'
	expect_count 1 reasons
fi

# A trace of a version without this list has none.
expect_exit 0 "$TACHO" check "$SOURCE/tests/golden/v1.tacho"
expect_no_line out '^not recorded +[0-9]'

[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "the rest needs root"
share_folder

# Another user, another root: recorded through what they inherit.
for how in uid uid,close root uid,root,close,nofile; do
	expect_all 0 workers $how 3 2000
	[ "$(processes)" = 7 ] || fail "$(processes) of 7 processes are recorded ($how)"
	"$TACHO" info --show=processes --format=csv t.tacho >processes.csv
	[ "$(grep -c "workers $how" processes.csv)" = 7 ] || fail "a command line is missing ($how)"
done
rm -rf /tmp/tacho-workers-??????
# A program that was attached to has the pool, too.
rm said
"$PROGS/workers" uid,late 3 2000 >said &
wait_for test -s said
timeout 250 "$TACHO" capture -q -f -o t.tacho --pid $! || { kill $!; fail "it cannot be attached to"; }
wait
check_whole "attached"
[ "$(checked zones)" = "$(said zones)" ] || fail "attached, $(checked zones) of $(said zones) zones are there"
# Areas are reused: more workers, one after the other, than there are areas.
: >hold
"$TACHO" run -q -f -o t.tacho -- "$PROGS/workers" uid,turns 100000 20 "$PWD/hold" >said 2>err &
more_than_areas() {
	[ "$("$TACHO" info --show=processes --format=csv t.tacho.part | wc -l)" -gt 200 ]
}
wait_for more_than_areas
rm hold
wait $! || fail "workers in turns: ends with $?"
workers=$((($(said zones) - 10) / 60))
[ $(($(processes) + $(all_absent))) = $((1 + 2 * workers)) ] ||
	fail "$(processes) recorded and $(all_absent) not recorded of $((1 + 2 * workers)) processes in turns"

# More at once than there are areas: each is recorded or listed.
"$TACHO" run -f -o t.tacho -- "$PROGS/workers" uid,meet 140 10 >said 2>err || fail "ends with $?"
[ $(($(processes) + $(all_absent))) = 281 ] ||
	fail "$(processes) recorded and $(all_absent) not recorded of 281 processes"
[ "$(absent reason | sort -u)" = "cannot create its ring file: EACCES (Permission denied)" ] ||
	fail "the reason is $(absent reason | sort -u)"
[ "$(absent process | sort -u)" = workers ] || fail "the name is $(absent process | sort -u)"
[ "$(absent pid | sort -u | wc -l)" = "$(absent pid | wc -l)" ] || fail "a pid is there twice"
expect_line err 'warning: process [0-9]+ \(workers\) was not recorded: .*EACCES \(Permission denied\)$' \
	'warning: [0-9]+ more processes could not be recorded'
expect_exit 0 "$TACHO" check t.tacho
expect_line out '^not recorded +[1-9][0-9]* processes$' '^verdict +whole, with processes that were not recorded$'
expect_exit 6 "$TACHO" check --strict t.tacho
# The page shows each of them; one line sums up many by their reason.
export XDG_CACHE_HOME=$here/cache
python3 - "$(all_absent)" <<'PY' >said 2>&1 || fail "$(cat said)"
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
server = Server("t.tacho")
answers = [server.call(name) for name in ("meta", "overview")]
server.end()
for answer in answers:
    found = [w for w in answer["warnings"] if w["kind"] == "absent"]
    assert sum(w["lost"] for w in found) == int(sys.argv[1]), found
    assert any(w["text"].endswith("EACCES (Permission denied)") and "(workers)" in w["text"] for w in found), found
    assert any(w["reason"] == "cannot create its ring file: EACCES (Permission denied)" for w in found), found
PY
expect_exit 6 "$TACHO" run -q --strict -f -o t.tacho -- "$PROGS/workers" uid,meet 140 10

# A small /dev/shm. Without inodes the pool is used; without memory nothing is recorded.
small_shm() {
	local options=$1
	shift
	unshare -m bash -c "mount -t tmpfs -o $options tmpfs /dev/shm && exec \"\$@\"" - \
		"$TACHO" run -q -f -o t.tacho -- "$PROGS/workers" "$@" >said 2>err || fail "ends with $? ($options)"
}
small_shm nr_inodes=6 none 4 500
check_whole "without inodes"
[ "$(checked zones)" = "$(said zones)" ] || fail "without inodes $(checked zones) of $(said zones) zones are kept"
[ "$(processes)" = 9 ] || fail "without inodes $(processes) of 9 processes are recorded"
small_shm size=64k none 4 50
[ "$(absent pid | wc -l)" -gt 0 ] || fail "9 processes fit into 64 KiB"
[ $(($(processes) + $(all_absent))) = 9 ] ||
	fail "$(processes) recorded and $(all_absent) not recorded of 9 processes"
[ "$(absent reason | sort -u)" = "no memory for its ring file: ENOSPC (No space left on device)" ] ||
	fail "the reason is $(absent reason | sort -u)"
expect_exit 6 "$TACHO" check --strict t.tacho

# A recorder killed before and after its last checkpoint: the next one lists all of them once.
for how in 'kill -9 $PPID' 'sleep 1.5; kill -9 $PPID'; do
	"$TACHO" run -q -f -o t.tacho -- bash -c \
		'echo $TACHO_SESSION >session; '"'$PROGS/workers' uid,meet 140 10; $how; sleep 1000 &>/dev/null & echo \$! >left" >said 2>err
	wait_for test -s left
	kill "$(cat left)"
	rm left
	"$TACHO" recover -q -f -o t.tacho "$(cat session)" 2>err || { cat err >&2; fail "recover ends with $?"; }
	[ $(($(processes) + $(all_absent))) = 281 ] ||
		fail "$(processes) recorded and $(all_absent) not recorded of 281 processes, recovered"
	[ "$(absent pid | sort -u | wc -l)" = "$(absent pid | wc -l)" ] || fail "a pid is there twice, recovered"
	expect_exit 0 "$TACHO" check t.tacho
done
