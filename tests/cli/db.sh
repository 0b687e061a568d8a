# SPDX-License-Identifier: Apache-2.0
# tacho db on SQLite: pushes count once or not at all; steps are found, accepted and compared.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/db.sh"
DB=sqlite:$PWD/runs.db

# A history with a step of 4 % at run 17.
for ((i = 1; i <= 26; i++)); do push_run $i $((i < 17 ? 0 : 4)) --metric tokens/s=$((1000 + i % 3)) --metric "latency=$((i % 2 + 5))ms"; done
expect_exit 0 "$TACHO" db runs --db "$DB" --format=csv -p llama
expect_count 27 out
expect_line out "^[0-9a-f]{32},[0-9]+,$(commit 26),26,main,llama,decode,,,,1,1,[0-9]+,[0-9]+,0"
expect_exit 1 "$TACHO" db regress --db "$DB" -p llama
expect_line out "^worse +\+(3\.[89]|4\.[012]) % .* 11[12]\.. us +11[67]\.. us +z [0-9.]+ +$(commit 17 | cut -c-10) +1 +16/10 +Matmul +HiFi2 " \
	'^1 regression, 0 improvements in 6 series of 26 runs$'
expect_exit 1 "$TACHO" db regress --db "$DB" -p llama --format=md
expect_line out '^\*\*Performance: slower\.\*\* 1 regression' '^\| worse \| \+[34]'
expect_exit 1 "$TACHO" db regress --db "$DB" -p llama --format=json
python3 - "$(commit 17)" "$(commit 16)" <<'PY' || fail "the JSON differs"
import json, sys
(row,) = json.load(open("out"))
assert row["commit"] == sys.argv[1] and row["last_good_commit"] == sys.argv[2] and row["commits"] == 1, row
assert row["state"] == "worse" and row["name"] == "Matmul" and 3.5 < row["low_percent"] < 4 < row["high_percent"] < 4.5, row
open("series", "w").write(row["series"])
PY
expect_exit 0 "$TACHO" db regress --db "$DB" -p llama --op LayerNorm
expect_exit 0 "$TACHO" db regress --db "$DB" -p llama --min-effect 10
expect_exit 0 "$TACHO" db regress --db "$DB" -p other
expect_exit 0 "$TACHO" db regress --db "$DB" -m tokens/s
expect_line out '^0 regressions, 0 improvements in 1 series'
# Too few runs: undecided, and a failure only with --undecided=fail.
push_run 1 0 -p few
expect_exit 0 "$TACHO" db regress --db "$DB" -p few
expect_exit 1 "$TACHO" db regress --db "$DB" -p few --undecided fail
expect_line out 'undecided: 4 with too few runs'

# Compare two sets of runs.
expect_exit 1 "$TACHO" db regress --db "$DB" --base "$(commit 10)..$(commit 15)" --head "$(commit 20)..$(commit 26)" --format=csv
expect_line out '^worse,(3\.[5-9]|4\.).*,Matmul,'
expect_count 2 out
expect_exit 0 "$TACHO" db regress --db "$DB" --base "$(commit 17)..$(commit 21)" --head "$(commit 21)..$(commit 26)"
expect_line out '^0 regressions.*5 against 4; undecided: 6 with too few runs'
for ((i = 31; i <= 35; i++)); do push_run $i 10 --branch fix --dirty; done
expect_exit 1 "$TACHO" db regress --db "$DB" --dirty --base "$(commit 17)..$(commit 26)" --head fix
expect_line out '^worse +\+(5\.[5-9]|6\.) % .* p 0\.000[0-9]+ .*Matmul' 'visible'
expect_error 2 "no run of 'nothing'" "$TACHO" db regress --db "$DB" --base nothing --head fix
expect_error 2 'is in --base and in --head' "$TACHO" db regress --db "$DB" --dirty --base fix --head fix
expect_exit 0 "$TACHO" db runs --db "$DB" --format=csv
expect_count 28 out # dirty ones are hidden

# Runs of other configs and branches are histories of their own, even if nothing is said of them.
runs=$DB DB=sqlite:$PWD/mixed.db
for ((i = 1; i <= 30; i++)); do push_run $i $((i > 15 ? 20 : 0)) -p mixed --config "batch=$((i > 15))" --branch "b$((i > 15))"; done
expect_exit 0 "$TACHO" db regress --db "$DB" -p mixed
expect_line out '^0 regressions, 0 improvements in 8 series of 30 runs of 2 projects, suites, configs or branches$'
expect_exit 0 "$TACHO" db regress --db "$DB" -p mixed --window 15
DB=$runs

# The viewer's calls: groups of runs, series with their steps, points. Bad queries name what is wrong.
python3 - "$DB" "$PWD/mixed.db" "$(commit 17)" "$(commit 16)" <<'PY' >said 2>&1 || fail "$(cat said)"
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server("--db", sys.argv[1])
assert "history" in s.get("/api/v1/traces")["general"]
h = s.get("/api/v1/history")
named = {(g["project"], g["suite"], g["branch"]): (i, g["runs"]) for i, g in enumerate(h["groups"])}
assert named[("llama", "decode", "main")][1] == 26 and named[("few", "decode", "main")][1] == 1, named
llama = named[("llama", "decode", "main")][0]
h = s.get(f"/api/v1/history?group={llama}")
assert len(h["runs"]) == 26 and h["total"] == 6 and [r["seq"] for r in h["runs"]] == list(range(1, 27)), h
(step,) = h["steps"]
series = h["series"][step["series"]]
assert step["state"] == "worse" and series["name"] == "Matmul" and series["points"] == 26, (step, series)
assert (h["runs"][step["run"]]["sha"], h["runs"][step["run_before"]]["sha"]) == (sys.argv[3], sys.argv[4]), step
assert (step["run_first"], step["run_last"], step["commits"]) == (0, 25, 1), step
points = s.get(f"/api/v1/history/series?group={llama}&id={series['id']}&state={h['state']}")["points"]
assert [p[0] for p in points] == list(range(26)) and points[-1][1] == series["value"], points
assert sorted(p[1] for p in points)[13] < 115000 < sorted(p[1] for p in points)[-8], points
assert len(s.get(f"/api/v1/history?group={llama}&window=15")["runs"]) == 15
for query, status, text in (("?group=99", 404, "no such group"), ("?group=-1", 400, "group is not"), ("?window=x", 400, "window is not"),
                            ("/series?id=1", 404, "no such series"), ("/series", 404, "no such series"),
                            (f"/series?group={llama}&id={series['id']}&state=12", 404, "runs have changed")):
    assert text in s.get("/api/v1/history" + query, status)["error"], query
s.end()
two = Server("--db", "sqlite:" + sys.argv[2])
h = two.get("/api/v1/history")
assert sorted(g["config"] for g in h["groups"]) == ["batch=0", "batch=1"] and len(h["runs"]) == 15 and not h["steps"], h
two.end()
PY
expect_error 3 'none.db' "$TACHO" view --db "sqlite:$PWD/none.db" --idle-exit 1

# An accepted change is the new base, for one series or for all.
expect_exit 0 "$TACHO" db accept --db "$DB" "$(cat series)@$(commit 17 | cut -c-12)" --why "wider tiles"
expect_exit 0 "$TACHO" db regress --db "$DB" -p llama
expect_line out '^0 regressions.*undecided: 1 with too few runs'
expect_exit 0 "$TACHO" db query --db "$DB" "SELECT why FROM accepted" --format=csv
expect_line out '^wider tiles$'

# The same content again: already stored; --again replaces it. After rm it is gone, and a push brings it back.
db_totals >before
make_report r.csv 26 4
again() { "$TACHO" db push --db "$DB" -p llama -s decode --commit "$(commit 26)" --commit-seq 26 --branch main --metric tokens/s=$((1000 + 26 % 3)) --metric latency=5ms "$@" r.csv; }
expect_exit 0 again
expect_line err 'is already stored'
expect_exit 0 again --again
expect_line err 'pushed run'
db_totals >after
cmp before after || fail "a push counts twice"
run=$("$TACHO" db runs --db "$DB" --format=csv --last 1 | tail -1 | cut -d, -f1)
expect_exit 0 "$TACHO" db rm --db "$DB" "$run"
expect_error 1 'there is no run' "$TACHO" db rm --db "$DB" "$run"
expect_exit 0 "$TACHO" db runs --db "$DB" --format=csv
expect_count 27 out
expect_exit 0 "$TACHO" db gc --db "$DB" --age 0
expect_line err '^tacho: rows of 2 pushes deleted'
expect_exit 0 "$TACHO" db gc --db "$DB" --age 0
expect_line err '^tacho: rows of 0 pushes deleted'
expect_exit 0 again
db_totals >after
cmp before after || fail "a removed run does not come back as it was"

# Names are data. Ops of two devices: the roll-ups add up to the ops.
expect_exit 0 "$TACHO" db query --db "$DB" --format=json "SELECT s, count(*) AS n FROM op JOIN text ON id = name WHERE push IN (SELECT push FROM visible) GROUP BY s ORDER BY s"
python3 - <<'PY' || fail "names differ"
import json
rows = json.load(open("out"))
assert [r["s"] for r in rows] == ["AllGatherAsync", "LayerNorm", "Matmul", "O'Brien\\ \"x\"; DROP TABLE op; --\té\n?"], rows
assert {r["n"] for r in rows} == {160}, rows
PY
expect_exit 0 "$TACHO" db query --db "$DB" --format=csv "SELECT (SELECT sum(device_ns) FROM op) - (SELECT sum(sum_ns) FROM op_stat) AS d, (SELECT count(*) FROM op) - (SELECT sum(n) FROM op_stat) AS n"
expect_line out '^0,0$'
# A query is one statement, reads only, and only this file.
for sql in "DELETE FROM op" "ATTACH 'x.db' AS x" "PRAGMA user_version" "SELECT 1; SELECT 2" "CREATE TABLE x (a)" "nonsense"; do
	expect_error 2 'SQL' "$TACHO" db query --db "$DB" "$sql"
done

# Interrupted and killed pushes leave no visible rows.
make_report large.csv 1 0 60000
db_totals >before
for ms in 5 20 60 120 200 400; do
	"$TACHO" db push -q --db "$DB" --run killed$ms large.csv 2>/dev/null &
	pid=$!
	sleep 0.$(printf '%03d' $ms)
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
done
"$TACHO" db runs --db "$DB" --format=csv | grep '^killed' | cut -d, -f13 | sort -u >rows
[ ! -s rows ] || [ "$(cat rows)" = 60000 ] || [ "$(wc -l <rows)" = 1 ] || fail "half a push is visible"
expect_exit 0 "$TACHO" db check --db "$DB"
# Two pushes at once: both are complete, one counts.
"$TACHO" db push -q --db "$DB" --run twice large.csv &
"$TACHO" db push -q --db "$DB" --run twice large.csv || fail "second push"
wait $! || fail "first push"
[ "$("$TACHO" db runs --db "$DB" --format=csv | grep -c '^twice')" = 1 ] || fail "two pushes at once"

# A job of two ranks, pushed as a folder; parts pushed by two hosts.
mkdir -p job/rank0/reports job/rank1/reports
make_report job/rank0/reports/ops_perf_results.csv 1 0
make_report job/rank1/reports/ops_perf_results.csv 2 0
expect_exit 0 "$TACHO" db push --db "$DB" -p job --run j1 job
expect_line err 'pushed run j1: 2 ranks, 40 ops of 8 kinds'
for i in 0 1; do expect_exit 0 "$TACHO" db push --db "$DB" -p job --run j2 --part $i --host h$i job/rank$i/reports/ops_perf_results.csv; done
expect_exit 0 "$TACHO" db runs --db "$DB" -p job --format=csv
expect_line out '^j1,.*,1,2,[0-9]+,[0-9]+,0' '^j2,.*,2,2,[0-9]+,[0-9]+,0'
expect_exit 0 "$TACHO" db query --db "$DB" --format=csv "SELECT rank, count(*) FROM op WHERE push IN (SELECT push FROM visible WHERE run = 'j1') GROUP BY rank"
expect_line out '^0,20$' '^1,20$'

# Traces: ops of devices, and zones. Labels that look like secrets are not stored.
"$MKTRACE" app.tacho || fail mktrace
expect_exit 0 "$TACHO" db push --db "$DB" -p zones --zones --no-ops --label gpu=none --label API_KEY=x --label url=http://me:pw@host app.tacho
expect_line err '2 labels look like secrets'
expect_exit 0 "$TACHO" db query --db "$DB" --format=csv "SELECT name, value FROM label WHERE name <> 'pushed at'"
expect_count 2 out
expect_exit 0 "$TACHO" db query --db "$DB" --format=csv "SELECT sum(n) FROM zone_stat"
[ "$(tail -1 out)" -gt 0 ] || fail "no zones"
# Command lines and paths are not stored.
! grep -aq "$PWD" runs.db || fail "a path is in the database"

# Metrics from files.
echo '{"tokens/s": 12.5, "loss": 1e-3}' >m.json
printf 'name,value,unit,better\nspeed,3,,1\n"a ""b""",4,ms,\n' >m.csv
expect_exit 0 "$TACHO" db push -q --db "$DB" -p m --metrics m.json --metrics m.csv
expect_exit 0 "$TACHO" db query --db "$DB" --format=csv "SELECT s, unit, value, better FROM metric JOIN text ON id = name WHERE push IN (SELECT push FROM visible WHERE run IN (SELECT run FROM part WHERE project = 'm')) ORDER BY s"
expect_line out '^"a ""b""",ms,4.*,-1$' '^loss,,0\.001,-1$' '^speed,,3.*,1$' '^tokens/s,,12\.5,1$'
echo '{"x": "y"}' >bad.json
expect_error 3 'not a number' "$TACHO" db push --db "$DB" --metrics bad.json

# Commit data from git.
if command -v git >/dev/null; then
	git init -q -b topic tree && git -C tree -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
	expect_exit 0 "$TACHO" db push -q --db "$DB" -p git --git tree r.csv
	expect_exit 0 "$TACHO" db runs --db "$DB" -p git --format=csv
	expect_line out ",$(git -C tree rev-parse HEAD),1,topic,git,"
	expect_error 3 '--git: git knows no commit' "$TACHO" db push --db "$DB" --git . r.csv
fi

# Wrong uses and wrong databases.
expect_error 2 'db takes an action' "$TACHO" db
expect_error 2 'push takes' "$TACHO" db push --db "$DB"
expect_error 3 'cannot read missing.csv' "$TACHO" db push --db "$DB" missing.csv
expect_error 2 'is not a database' "$TACHO" db runs --db mysql://x
expect_error 2 'no user or password' "$TACHO" db runs --db 'clickhouses://me:secret@host:8443/x'
expect_no_line err secret
expect_error 2 'in the clear' "$TACHO" db runs --db clickhouse://host:8123/x
expect_error 3 'no database nothing.db' "$TACHO" db runs --db nothing.db
[ ! -e nothing.db ] || fail "runs made a file"
echo text >text.db
expect_error 4 'not a database' "$TACHO" db runs --db text.db
python3 - <<'PY'
import shutil, sqlite3
for version in ("0", "2"):
    shutil.copy("runs.db", f"v{version}.db")
    c = sqlite3.connect(f"v{version}.db")
    c.execute("UPDATE meta SET value = ? WHERE name = 'schema'", (version,))
    c.commit()
shutil.copy("runs.db", "more.db")
c = sqlite3.connect("more.db")
c.execute("ALTER TABLE op_stat ADD COLUMN extra INTEGER NOT NULL DEFAULT 0")
c.commit()
shutil.copy("runs.db", "less.db")
c = sqlite3.connect("less.db")
c.execute("ALTER TABLE op_stat DROP COLUMN mad_ns")
c.commit()
sqlite3.connect("empty.db").execute("CREATE TABLE x (a)")
PY
expect_error 3 'tables of version 0' "$TACHO" db runs --db v0.db
expect_error 3 'tables of version 2' "$TACHO" db push --db v2.db r.csv
expect_error 3 'no column mad_ns' "$TACHO" db runs --db less.db
expect_error 3 'no table meta' "$TACHO" db push --db empty.db r.csv
expect_exit 0 "$TACHO" db init -q --db empty.db
DB=more.db
push_run 40 0
# The default is a file of this user; db.conf can name another one.
expect_exit 0 "$TACHO" db push -q r.csv
[ -s data/tacho/runs.db ] || fail "no default database"
mkdir -p config/tacho
printf '# ours\ndb = %s\n' "$PWD/conf.db" >config/tacho/db.conf
expect_exit 0 "$TACHO" db push -q r.csv
[ -s conf.db ] || fail "db.conf was not read"
echo 'pass = x' >config/tacho/db.conf
expect_error 3 'db.conf:1' "$TACHO" db runs
exit 0
