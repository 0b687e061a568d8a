# SPDX-License-Identifier: Apache-2.0
# perf-report --html: one page that includes its data and needs no network.
. "$SOURCE/tests/perf_lib.sh"
sed 's/^LayerNorm,/Lay<\/script><b>er,/' small.csv >odd.csv
expect_exit 0 "$REPORT" odd.csv --html page.html --ignore-signposts
expect_line err 'wrote page.html'
cat >page.py <<'PY'
import json, re, sys
page = open("page.html", encoding="utf-8").read()
assert page.startswith("<!DOCTYPE html>") and "@DATA@" not in page
assert not re.search(r"https?://|src=|@import|url\(", page), "a reference to somewhere else"
data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
d = json.loads(data)
assert len(page.split("</script>")) == 3, "a name ends the element"
PY
python3 - <<'PY' || fail "the page"
exec(open("page.py").read())
ops = [dict(zip(d["columns"], o)) for o in d["ops"]]
assert [o["id"] for o in ops] == [1, 2, 3, 4, 5] and [o["line"] for o in ops] == [3, 5, 6, 7, 8]
assert d["labels"][ops[4]["label"]] == "Lay</script><b>er"
m = ops[1]
assert m["time"] == 100 and m["bound"] == "SLOW" and m["operations"] == 2 * 1024 ** 3 and m["bytes"] == 4 * 1024 ** 2
assert any("Keep input 0 in L1" in d["labels"][i] for i in m["advice"])
assert d["dram_gbs"] == 288 and d["peak"] > 0 and d["workers"] == 64 and d["left_out"] == 0
assert {b["name"] for b in d["bounds"]} == {"none", "DRAM", "FLOP", "BOTH", "SLOW", "HOST"}
assert sum(s["us"] for s in d["stacked"]) == d["time"] == 171
PY
# The page is replaced, other files are not.
expect_exit 0 "$REPORT" small.csv --html page.html
echo precious >page.html
expect_exit 5 "$REPORT" small.csv --html page.html
expect_line err 'page.html exists'
expect_exit 0 "$REPORT" small.csv --html page.html -f
# Very many ops: those with the most time are listed, all are counted.
python3 - <<'PY'
import csv
rows = list(csv.reader(open("small.csv")))
copy = next(r for r in rows if r[0] == "Copy")
with open("many.csv", "w") as f:
    w = csv.writer(f)
    w.writerow(rows[0])
    w.writerows([copy] * 21000)
PY
expect_exit 0 "$REPORT" many.csv --html page.html -q --no-advice --no-summary
python3 - <<'PY' || fail "a page of very many ops"
exec(open("page.py").read())
assert len(d["ops"]) == 20000 and d["left_out"] == 1000 and d["device_ops"] == 21000 and abs(d["time"] - 21000) < 1e-6
PY
# Without arithmetic or ops it is still a page.
printf '%s\n' 'Copy;dev;0;;;8' | ops >none.csv
expect_exit 0 "$REPORT" none.csv --html none.html
mv none.html page.html
python3 - <<'PY' || fail "no op on the page"
exec(open("page.py").read())
assert len(d["ops"]) == 1 and d["time"] == 0
PY
