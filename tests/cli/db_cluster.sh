# SPDX-License-Identifier: Apache-2.0
# tacho db on a ClickHouse cluster of two shards: the same answers as SQLite; faults never leave half a push visible.
# labels: long
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/db.sh"
. "$SOURCE/tests/clickhouse.sh"
read -r h1 t1 i1 h2 t2 i2 none < <(free_ports 7)
server_configure one "$h1" "$t1" "$i1" "$t1" "$t2"
server_configure two "$h2" "$t2" "$i2" "$t1" "$t2"
server_start one "$h1"
pid1=$server_pid
server_start two "$h2"
pid2=$server_pid

printf %s "it's \"secret\"" >password
chmod 600 password
export TACHO_DB_USER=writer TACHO_DB_PASSWORD_FILE=$PWD/password
SERVER=clickhouse://127.0.0.1:$h1/runs
CLUSTER=clickhouse://127.0.0.1:$h1/fleet
expect_error 3 "no table meta; 'tacho db init'" "$TACHO" db runs --db "$SERVER"
expect_exit 0 "$TACHO" db init --db "$SERVER"
expect_exit 0 "$TACHO" db init --db "$SERVER" # again
for port in "$h1" "$h2"; do expect_exit 0 "$TACHO" db init --db "clickhouse://127.0.0.1:$port/fleet" --cluster tacho; done

# The same history in three databases gives the same bytes.
for ((i = 1; i <= 26; i++)); do
	make_report r.csv $i $((i < 17 ? 0 : 4))
	for DB in "$SERVER" "$CLUSTER" sqlite:runs.db; do
		"$TACHO" db push -q --db "$DB" -p llama --run "run $i" --commit "$(commit $i)" --commit-seq $i --branch main --metric tokens/s=$((1000 + i % 3)) r.csv ||
			fail "push of run $i"
	done
done
same() { # same EXIT ARGUMENTS...: of all three
	local want=$1 db
	shift
	for db in "$SERVER" "$CLUSTER" sqlite:runs.db; do
		expect_exit "$want" "$TACHO" db "$@" --db "$db"
		sed -E 's/,1[0-9]{18},/,,/' out >"out.${db%%:*}.${db##*/}"
	done
	cmp out.clickhouse.runs out.clickhouse.fleet && cmp out.clickhouse.runs out.sqlite.sqlite:runs.db || fail "$*: the engines differ"
}
same 0 runs --format=csv
expect_count 27 out
same 1 regress --format=csv
expect_line out "^worse,.*,$(commit 17),$(commit 16),1,16,10,op,Matmul,"
same 1 regress --base "$(commit 8)..$(commit 16)" --head "$(commit 17)..$(commit 26)" --format=csv
same 0 accept "$(commit 17)" --why "it's \\ 'wanted'"
same 0 regress
same 0 query --format=csv "SELECT why FROM accepted"
same 0 rm "run 26"
same 0 runs --format=csv
expect_count 26 out
# Both shards have rows, and each push is on one of them.
for port in "$h1" "$h2"; do
	expect_exit 0 "$TACHO" db query --db "clickhouse://127.0.0.1:$port/fleet" --format=csv "SELECT count(*) > 0, uniq(push) < 26 FROM op_l"
	expect_line out '^1,1$'
done

killed_pushes_check 40000 050 100 150 200 300

# With one shard down nothing is stored or read in part. Once it is back, the push succeeds and counts once.
kill -9 "$pid2"
wait "$pid2" 2>/dev/null
expect_error 7 '' timeout 100 "$TACHO" db push --db "$CLUSTER" --run down r.csv
expect_error 7 '' "$TACHO" db runs --db "$CLUSTER"
server_start two "$h2"
pid2=$server_pid
expect_exit 0 "$TACHO" db push -q --db "$CLUSTER" --run down r.csv
expect_exit 0 "$TACHO" db runs --db "$CLUSTER" --format=csv
expect_count 27 out
[ "$(grep -c '^down,' out)" = 1 ] || fail "the push counts twice"
expect_exit 0 "$TACHO" db query --db "$CLUSTER" --format=csv "SELECT count(*) AS c FROM op WHERE push GLOBAL IN (SELECT push FROM visible WHERE run = 'down')"
expect_line out '^20$'

# No server; and a server that is killed during a push and restarted between the attempts.
expect_error 7 '' "$TACHO" db runs --db "clickhouse://127.0.0.1:$none/runs"
begun() { # the push has sent something, or has ended
	! kill -0 $pid || [ "$("$TACHO" db query --db "$SERVER" --format=csv "SELECT count(*) AS c FROM label" | tail -1)" != "$labels" ]
}
labels=$("$TACHO" db query --db "$SERVER" --format=csv "SELECT count(*) AS c FROM label" | tail -1)
"$TACHO" db push --db "$SERVER" --run revived large.csv 2>revived &
pid=$!
wait_for begun
kill -9 "$pid1"
wait "$pid1" 2>/dev/null
server_start one "$h1"
wait $pid || fail "push while the server restarts: $(cat revived)"
expect_exit 0 "$TACHO" db query --db "$SERVER" --format=csv "SELECT count(*) AS c FROM op WHERE push IN (SELECT push FROM visible WHERE run = 'revived')"
expect_line out '^40000$'
exit 0
