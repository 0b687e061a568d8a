# SPDX-License-Identifier: Apache-2.0
# tacho db on a ClickHouse server: the same answers as SQLite, accounts, tables of other versions, a killed push.
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/db.sh"
. "$SOURCE/tests/clickhouse.sh"
read -r h1 t1 i1 none < <(free_ports 4)
server_configure one "$h1" "$t1" "$i1"
server_start one "$h1"

printf %s "it's \"secret\"" >password
chmod 600 password
export TACHO_DB_USER=writer TACHO_DB_PASSWORD_FILE=$PWD/password
SERVER=clickhouse://127.0.0.1:$h1/runs
expect_error 3 "no table meta; 'tacho db init'" "$TACHO" db runs --db "$SERVER"
expect_exit 0 "$TACHO" db init --db "$SERVER"
expect_exit 0 "$TACHO" db init --db "$SERVER" # again

# The same history in two databases gives the same bytes.
for ((i = 1; i <= 16; i++)); do
	make_report r.csv $i $((i < 12 ? 0 : 4))
	for DB in "$SERVER" sqlite:runs.db; do
		"$TACHO" db push -q --db "$DB" -p llama --run "run $i" --commit "$(commit $i)" --commit-seq $i --branch main --metric tokens/s=$((1000 + i % 3)) r.csv ||
			fail "push of run $i"
	done
done
same() { # same EXIT ARGUMENTS...: of both
	local want=$1 db
	shift
	for db in "$SERVER" sqlite:runs.db; do
		expect_exit "$want" "$TACHO" db "$@" --db "$db"
		sed -E 's/,1[0-9]{18},/,,/' out >"out.${db%%:*}"
	done
	cmp out.clickhouse out.sqlite || fail "$*: the engines differ"
}
same 0 runs --format=csv
expect_count 17 out
same 1 regress --format=csv
expect_line out "^worse,.*,$(commit 12),$(commit 11),1,11,5,[^,]*,[^,]*,[^,]*,[^,]*,op,Matmul,"
same 1 regress --base "$(commit 5)..$(commit 11)" --head "$(commit 11)..$(commit 16)" --format=csv
same 0 accept "$(commit 12)" --why "it's \\ 'wanted'"
same 0 regress
same 0 query --format=csv "SELECT why FROM accepted"
same 0 rm "run 16"
same 0 runs --format=csv
expect_count 16 out
# Names are data: hostile ones are returned unchanged.
expect_exit 0 "$TACHO" db query --db "$SERVER" --format=json "SELECT s, count(*) AS c FROM op GLOBAL ANY INNER JOIN (SELECT id AS name, s FROM text) USING name GROUP BY s ORDER BY s"
python3 - <<'PY' || fail "names differ"
import json
assert [r["s"] for r in json.load(open("out"))] == ["AllGatherAsync", "LayerNorm", "Matmul", "O'Brien\\ \"x\"; DROP TABLE op; --\té\n?"]
PY
expect_exit 0 "$TACHO" db push -q --db "$SERVER" --run "'; DROP TABLE op; --" --project "\\" --label "a'b=\\'" --metric "x'\\=1" r.csv
expect_exit 0 "$TACHO" db runs --db "$SERVER" --project "\\" --format=csv
expect_line out "^'; DROP TABLE op; --,"
expect_exit 0 "$TACHO" db rm --db "$SERVER" "'; DROP TABLE op; --"

# Accounts: a reader can read, and a query of the writer is read-only, too.
reader() { TACHO_DB_USER=reader TACHO_DB_PASSWORD=look env -u TACHO_DB_PASSWORD_FILE "$TACHO" db "$@"; }
expect_exit 0 reader runs --db "$SERVER" --format=csv
expect_count 16 out
expect_exit 1 reader regress --db "$SERVER" --base "$(commit 5)..$(commit 11)" --head "$(commit 11)..$(commit 15)" --undecided fail
expect_error 7 'does not let the user reader' reader push --db "$SERVER" --run x r.csv
expect_error 2 'a query is read-only' "$TACHO" db query --db "$SERVER" "DROP TABLE op"
expect_error 2 'SQL' "$TACHO" db query --db "$SERVER" "SELECT nothing FROM op"
printf wrong >other
chmod 600 other
expect_error 7 'refuses the user writer or the password' env TACHO_DB_PASSWORD_FILE=other "$TACHO" db push --db "$SERVER" r.csv
expect_no_line err 'wrong'
chmod 644 other
expect_error 2 'can be read by others' env TACHO_DB_PASSWORD_FILE=other "$TACHO" db runs --db "$SERVER"
# The password is in neither the arguments nor the server's log of requests.
! grep -aq 'secret' one/log one/errors || fail "the password is in the server's log"

# Wrong tables are refused, with the missing names; an added column is accepted.
admin() { curl -s -f -u "writer:it's \"secret\"" "http://127.0.0.1:$h1/?database=runs" --data-binary "$1" || fail "$1"; }
admin "ALTER TABLE op_stat ADD COLUMN extra UInt8"
expect_exit 0 "$TACHO" db push -q --db "$SERVER" --run extra r.csv
expect_exit 0 "$TACHO" db rm --db "$SERVER" extra
admin "CREATE DATABASE old"
expect_exit 0 "$TACHO" db init -q --db "clickhouse://127.0.0.1:$h1/old"
admin "ALTER TABLE old.op DROP COLUMN gap_ns"
expect_error 3 'no column gap_ns' "$TACHO" db push --db "clickhouse://127.0.0.1:$h1/old" r.csv
admin "TRUNCATE TABLE old.meta"
expect_error 3 'tables of version 0' "$TACHO" db runs --db "clickhouse://127.0.0.1:$h1/old"

killed_pushes_check 20000 050 150

# No server.
expect_error 7 '' "$TACHO" db runs --db "clickhouse://127.0.0.1:$none/runs"
exit 0
