# SPDX-License-Identifier: Apache-2.0
# tacho query: tables, conditions, formats, limits, errors.
# labels: plain
. "$SOURCE/tests/lib.sh"
"$MKTRACE" -n 20000 t.tacho || fail "mktrace"

# query WANT SQL: rows separated by blanks, cells by commas
query() {
	expect_exit 0 "$TACHO" query --format=csv t.tacho "$2"
	[ "$(tail -n +2 out | paste -sd' ')" = "$1" ] || fail "$2: $(tail -n +2 out | paste -sd' ')"
}
query 20028 'SELECT count(*) FROM slice'
query 2000,18000 "SELECT sum(name = 'outer'), sum(name = 'inner') FROM slice"
query '3,1800000,500000,700000,600000' "SELECT count, total, min, max, median FROM slice_stat WHERE name = 'load_input'"
query '0,main 1000000,step 1100000,load_input' 'SELECT ts, name FROM slice WHERE track_id = 0 ORDER BY ts LIMIT 3'
query step,main "SELECT DISTINCT s.name, p.name FROM slice s JOIN slice p ON p.id = s.parent_id WHERE s.name = 'step'"
query 'app,1000 "worker, ""x""",1001' 'SELECT name, pid FROM process'
query 181000 "SELECT max(dur) FROM lock_wait WHERE lock = 'mutex'"
query 3 "SELECT count(*) FROM alloc WHERE freed_ts IS NULL"
query 'ring memory full,5,2' 'SELECT reason, zones, others FROM loss'
query 'trace,entering' 'SELECT severity, text FROM message LIMIT 1'
query '0,1000000' 'SELECT c.ts, (SELECT min(ts) FROM counter d WHERE d.track_id = c.track_id AND d.ts > c.ts) FROM counter c LIMIT 1'
query '42 42 42' "SELECT extract_arg(arg_set_id, 'value') FROM slice WHERE extract_arg(arg_set_id, 'text') = 'first line'"
query '990,990,1.000 ms' "SELECT max(dur), median(dur), format_ns(1e6) FROM slice WHERE name = 'outer'"
query '2' "SELECT count(DISTINCT name) FROM slice WHERE name REGEXP '^(outer|inner)\$'"
query '' 'SELECT * FROM op'

# Times of unfinished zones are as in Perfetto.
query '-1' "SELECT DISTINCT dur FROM slice WHERE name = 'waits for ever'"

# Conditions select the same rows as reading the whole table does.
python3 - "$TACHO" <<'PY' || fail "conditions change results"
import itertools, json, random, subprocess, sys
def run(sql):
    return json.loads(subprocess.run([sys.argv[1], "query", "--format=json", "-e", sql, "t.tacho"],
                                     capture_output=True, check=True).stdout or "[]")
# A unary plus keeps SQLite from passing a condition to the table.
random.seed(5)
conditions = []
for _ in range(25):
    lo = random.randrange(-1000, 12_000_000)
    parts = random.sample([f"ts >= {lo}", f"ts < {lo + random.randrange(5_000_000)}", f"ts > {lo}.5",
                           f"track_id = {random.randrange(20)}", f"depth = {random.randrange(3)}",
                           f"depth <= {random.randrange(3)}", f"track_id > {random.randrange(5)}",
                           f"name = '{random.choice(['outer', 'inner', 'step', 'no such', 'given name'])}'",
                           f"dur > {random.randrange(3000)}", f"srcloc = {random.randrange(8)}",
                           "name = NULL", "machine_id = 0", "id = 4294967297"], random.randrange(1, 4))
    conditions.append(parts)
fields = "count(*) n, sum(id) i, sum(ts) t, sum(self_dur) s, sum(parent_id) p, min(name) a"
sqls = []
for parts in conditions:
    for plus in ("", "+"):
        where = " AND ".join(plus + p for p in parts)
        sqls.append(f"SELECT {fields} FROM slice WHERE {where}")
rows = [r for s in sqls for r in run(s)]
for k in range(0, len(rows), 2):
    assert rows[k] == rows[k + 1], (sqls[k], rows[k], rows[k + 1])
PY

# The figures equal those of the other verbs.
"$TACHO" stats --format=csv t.tacho | cut -d, -f1,2,14 | tail -n +2 | grep -av '"' | sort >stats.csv
"$TACHO" query --format=csv t.tacho 'SELECT count, coalesce(total, 0), name FROM slice_stat' | tail -n +2 | grep -av '"' | sort >query.csv
[ "$(comm -12 stats.csv query.csv | wc -l)" -ge 15 ] || fail "statistics differ: $(diff stats.csv query.csv)"
"$TACHO" zones --format=csv t.tacho | cut -d, -f1-3 | tail -n +2 | grep -aE '^[0-9]+,[0-9]+,[0-9]+$' | sort >zones.csv
"$TACHO" query --format=csv t.tacho 'SELECT ts, dur, self_dur FROM slice WHERE dur >= 0' | tail -n +2 | sort >slices.csv
[ "$(comm -13 zones.csv slices.csv | wc -l)" = 0 ] || fail "zones differ: $(comm -13 zones.csv slices.csv | head -3)"

# Two files are one database with separate ids.
expect_exit 0 "$TACHO" query --format=csv t.tacho t.tacho 'SELECT machine_id, count(*), count(DISTINCT id) FROM slice GROUP BY 1'
expect_line out '^0,20028,20028$' '^1,20028,20028$'
query 40056 'SELECT 2 * count(DISTINCT id) FROM slice'

# Several statements, files of statements, standard input, formats.
expect_exit 0 "$TACHO" query -e 'SELECT 1 AS a' -e 'SELECT 2 AS b; SELECT 3 AS c'
expect_count 8 out
echo 'SELECT name FROM process;' >q.sql
expect_exit 0 "$TACHO" query -i q.sql t.tacho
expect_line out '^app$'
"$TACHO" query t.tacho <q.sql >out || fail "standard input"
expect_line out '^app$'
expect_exit 0 "$TACHO" query --format=md t.tacho "SELECT 'a|b' AS x, 1 AS y"
expect_line out '^\| x \| y \|$' '^\|---\|--:\|$' '^\| a\\\|b \| 1 \|$'
expect_exit 0 "$TACHO" query --format=json t.tacho "SELECT 1.5 AS r, NULL AS n, 'x' AS t"
expect_line out '"r": 1.5, "n": null, "t": "x"'
expect_exit 0 "$TACHO" query -N 2 t.tacho 'SELECT name FROM slice'
expect_count 3 out
expect_line err 'stopped after 2 rows'

# A database file for other tools.
expect_exit 0 "$TACHO" query --db t.db t.tacho
python3 - <<'PY' || fail "database"
import sqlite3
db = sqlite3.connect("t.db")
assert db.execute("SELECT count(*) FROM slice").fetchone() == (20028,)
assert db.execute("SELECT count(*) FROM thread_slice WHERE name = 'step'").fetchone() == (3,)
PY
expect_error 5 'exists; -f' "$TACHO" query --db t.db t.tacho
expect_exit 0 "$TACHO" query -f --db t.db t.tacho
expect_error 5 'cannot write' "$TACHO" query --db no/such/folder.db t.tacho

# A report alone, and columns that it lacks.
printf 'OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE FW DURATION [ns]\nMatmul,tt_dnn_device,1,0,100\nMatmul,tt_dnn_device,2,0,200\nAdd,tt_dnn_device,3,0,50\n' >ops.csv
expect_exit 0 "$TACHO" query --format=csv ops.csv 'SELECT op_code, count(*), sum(device_fw_duration_ns) FROM op GROUP BY 1 ORDER BY 3 DESC'
expect_line out '^Matmul,2,300(\.0)?$' '^Add,1,50(\.0)?$'

# A statement reads only the given files.
for sql in "ATTACH 'x.db' AS x" "SELECT load_extension('x')" "PRAGMA writable_schema = 1" "PRAGMA journal_mode = WAL" \
	"VACUUM INTO 'x.db'" "SELECT readfile('/etc/passwd')" "SELECT writefile('x', 'y')"; do
	expect_error 2 'SQL: ' "$TACHO" query t.tacho "$sql"
done
[ ! -e x.db ] || fail "a statement has written a file"
expect_exit 0 "$TACHO" query t.tacho 'CREATE TEMP TABLE a AS SELECT * FROM thread; SELECT count(*) FROM a'

# Errors and limits.
expect_error 2 'near "SELEC"' "$TACHO" query t.tacho 'SELEC 1 FROM x'
expect_error 2 'no such column: label, at character 8' "$TACHO" query t.tacho 'SELECT label FROM slice'
expect_error 3 'no.tacho' "$TACHO" query no.tacho 'SELECT 1 AS a'
expect_error 3 'cannot read no.sql' "$TACHO" query -i no.sql t.tacho
expect_error 3 'time limit' "$TACHO" query --timeout=50ms t.tacho 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r'
expect_error 3 'memory' "$TACHO" query --memory-mb=8 t.tacho 'SELECT length(randomblob(20000000))'
head -c $(($(stat -c %s t.tacho) / 2)) t.tacho >cut.tacho
"$TACHO" query -q cut.tacho 'SELECT count(*) FROM slice' >out 2>err
[ $? = 4 ] || fail "a damaged trace is not reported"

# Ctrl-C ends a statement.
"$TACHO" query t.tacho 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r' >out 2>err &
catches_interrupt() { # PID: not the shell, which also catches it, before it executes tacho
	local name mask
	name=$(sed -n 's/^Name:\t//p' "/proc/$1/status")
	mask=$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status")
	[ "$name" = tacho ] && ((16#$mask & 2))
}
wait_for catches_interrupt $!
kill -INT $!
wait $!
[ $? = 130 ] || fail "Ctrl-C"

# From Python, which cannot load sanitized libraries.
[ -n "${SANITIZE-}" ] || PYTHONPATH=$BUILD/python PATH=$BUILD:$PATH python3 - <<'PY' || fail "tracy.query"
import tracy
assert tracy.query("t.tacho", "SELECT name, pid FROM process")[0] == {"name": "app", "pid": 1000}
assert tracy.query(["t.tacho", "t.tacho"], "SELECT count(*) AS n FROM machine") == [{"n": 2}]
for sql, kind in (("SELEC", ValueError), ("SELECT 1", OSError)):
    try:
        tracy.query("t.tacho" if kind is ValueError else "no.tacho", sql)
    except kind as error:
        assert "SELEC" in str(error) or "no.tacho" in str(error), error
    else:
        raise SystemExit("no exception")
PY

# Every statement of the documentation runs.
awk '/^```sql$/ { on = 1; next } /^```$/ { on = 0 } on' "$SOURCE/docs/query.md" >docs.sql
expect_count 20 docs.sql
while read -r sql; do
	expect_exit 0 "$TACHO" query t.tacho "$sql"
done <docs.sql

# The rank of a job's process and the boot are recorded.
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 "$TACHO" run -q -o rank.tacho -- true || fail "run"
expect_exit 0 "$TACHO" query --format=csv rank.tacho "SELECT rank, (SELECT value FROM metadata WHERE name = 'world size'), (SELECT value FROM metadata WHERE name = 'boot id') FROM machine"
expect_line out "^3,8,$(cat /proc/sys/kernel/random/boot_id)\$"
