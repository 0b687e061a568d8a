# SPDX-License-Identifier: Apache-2.0
# The page of perf-report --html in a real browser: all charts are drawn without an error. labels: browser
. "$SOURCE/tests/perf_lib.sh"
expect_exit 0 "$REPORT" small.csv --html page.html -q
printf '%s\n' 'Copy;dev;0;;;8' | ops >none.csv
expect_exit 0 "$REPORT" none.csv --html none.html -q

# Counts how often each canvas draws, selects every entry of the chart op by op, and puts the result into the title.
python3 - <<'PY'
for name in ("page.html", "none.html"):
    text = open(name, encoding="utf-8").read()
    text = text.replace('<script>\n"use strict";', '''<script>
"use strict";
window.onerror = e => { document.title = "error: " + e; };
const drawn = {};
for (const f of ["fillRect", "fillText", "arc"]) {
	const old = CanvasRenderingContext2D.prototype[f];
	CanvasRenderingContext2D.prototype[f] = function (...a) {
		if (a.some(v => typeof v === "number" && !Number.isFinite(v))) throw new Error(`${f}(${a}) on ${this.canvas.id}`);
		const key = this.canvas.id + "." + f;
		drawn[key] = (drawn[key] || 0) + 1;
		return old.apply(this, a);
	};
}''', 1)
    text = text.replace("drawAll(); drawTable();\n</script>", '''drawAll(); drawTable();
for (const op of $("each-op").options) for (const what of $("each-what").options) {
	$("each-op").value = op.value; $("each-what").value = what.value; drawEach();
}
for (const o of ops) openOp(o);
if (!document.title.startsWith("error")) document.title = "drawn: " + Object.keys(drawn).sort().join(" ");
</script>''', 1)
    open(name, "w", encoding="utf-8").write(text)
PY
for page in page none; do
	chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --dump-dom "file://$PWD/$page.html" >dom 2>log || fail "chromium: $(tail -3 log)"
	grep -o '<title>.*</title>' dom >"$page.title" || fail "$page: no title"
done
expect_line page.title 'drawn: cores.arc cores.fillText each.arc each.fillRect each.fillText roof.arc roof.fillText room.arc room.fillText timeline.fillRect timeline.fillText<'
expect_line none.title 'drawn: cores.fillText each.fillText roof.fillText room.fillText timeline.fillText<'
