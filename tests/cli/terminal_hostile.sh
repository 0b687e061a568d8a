# SPDX-License-Identifier: Apache-2.0
# Names that would drive a terminal: shown escaped there, as they are when another program reads them.
# labels: plain
. "$SOURCE/tests/lib.sh"
python3 - <<'PY' || fail 'the input'
import json
bad = "a\x1b]0;title\x07\x1b[2J\u009b2J\u202eb"
events = [
    {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": bad}},
    {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": bad}},
    {"ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 5, "name": bad, "cat": bad, "args": {"text": bad}},
    {"ph": "i", "pid": 1, "tid": 2, "ts": 2, "name": bad, "s": "t"},
    {"ph": "C", "pid": 1, "ts": 3, "name": bad, "args": {bad: 7}},
]
json.dump({"traceEvents": events}, open("bad.json", "w"))
head = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]"
open("ops.csv", "w").write(head + '\n"' + bad + '",tt_dnn_device,1,0,64,5000,4000,100\n')
PY
"$TACHO" import -q -o t.tacho bad.json || fail import

# on_terminal COMMAND...: what it prints there is appended to "shown".
on_terminal() {
	printf '== %s\n' "${*@Q}" >>shown
	python3 "$SOURCE/tests/on_terminal.py" 100 "$@" >out
	[ -s out ] || fail "'$*' prints nothing"
	cat out >>shown
}

for format in text csv json; do
	for verb in stats zones messages plots info; do
		on_terminal "$TACHO" $verb --format=$format t.tacho
	done
done
for to in csv json chrome; do
	on_terminal "$TACHO" export -q --to=$to -o - t.tacho
done
on_terminal "$TACHO" csvexport t.tacho
on_terminal "$TACHO" csvexport -u t.tacho
on_terminal "$TACHO" csvexport -m t.tacho
on_terminal "$BUILD/csvexport-release" -u t.tacho
on_terminal "$TACHO" perf-report ops.csv
for format in csv json; do
	on_terminal "$TACHO" perf-report --format=$format ops.csv
done
on_terminal "$TACHO" info $'no\e[2Jwhere'
python3 - <<'PY' || fail 'a terminal gets what it should not'
import re, unicodedata
text = re.sub(rb"\x1b\[(38;5;\d+|0)m", b"", open("shown", "rb").read()).decode() # colours of our own
for line in text.split("\n"):
    line = line.removesuffix("\r")
    assert not [c for c in line if c != "\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")], repr(line)
PY
expect_exit 2 python3 "$SOURCE/tests/on_terminal.py" 100 "$TACHO" export --to=tracy -o - t.tacho

# To a pipe all bytes are what they were.
expect_exit 0 "$TACHO" csvexport t.tacho
expect_line out $'a\e\]0;title\a'
expect_exit 0 "$TACHO" stats --format=csv t.tacho
expect_line out $'a\e\]0;title\a'
exit 0
