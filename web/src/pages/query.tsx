// SPDX-License-Identifier: Apache-2.0
// SQL on the trace, as "tacho query" runs it: a table and a quick chart of its result.
import { useEffect, useState } from "preact/hooks";
import { api, errorWords, isAbort } from "../api";
import { fmtCount, fmtDur } from "../format";
import { params, setParam, showOnTimeline, traceId } from "../state";
import type { QueryResult } from "../types";
import { type Column, DataTable } from "../ui/table";

const EXAMPLES: [string, string][] = [
	["Zones with the most self time", "SELECT name, count, total, self FROM slice_stat ORDER BY self DESC LIMIT 20;"],
	["The slowest zones against the median", "SELECT name, count, max, median, max / nullif(median, 0) AS factor FROM slice_stat WHERE count > 10 ORDER BY factor DESC LIMIT 20;"],
	["Busy time of each thread", "SELECT t.name, sum(s.dur) AS busy FROM thread t JOIN slice s ON s.track_id = t.utid AND s.depth = 0 WHERE s.dur >= 0 GROUP BY t.utid ORDER BY 2 DESC;"],
	["The longest zones", "SELECT ts, dur, name FROM slice ORDER BY dur DESC LIMIT 50;"],
	["Device time of each op", "SELECT op_code, count(*) AS n, sum(device_fw_duration_ns) AS ns FROM op GROUP BY 1 ORDER BY 3 DESC;"],
	["Waiting for locks", "SELECT w.lock, t.name AS thread, count(*) AS waits, sum(w.dur) AS total FROM lock_wait w JOIN thread t USING (utid) GROUP BY 1, 2 ORDER BY 4 DESC;"],
	["What was never freed", "SELECT pool, count(*) AS allocations, sum(bytes) AS bytes FROM alloc WHERE freed_ts IS NULL GROUP BY 1;"],
	["The tables", "SELECT name FROM pragma_table_list WHERE name NOT LIKE 'sqlite%' ORDER BY 1;"],
];

type Cell = QueryResult["rows"][number][number];

const text = (v: Cell) => v === null ? "" : String(v);

function save(content: string, type: string, name: string): void {
	const a = document.createElement("a");
	a.href = URL.createObjectURL(new Blob([content], { type }));
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}

function csvOf(r: QueryResult): string {
	const cell = (v: Cell) => /[",\n\r]/.test(text(v)) ? `"${text(v).replaceAll('"', '""')}"` : text(v);
	return [r.columns, ...r.rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function jsonOf(r: QueryResult): string {
	return JSON.stringify(r.rows.map((row) => Object.fromEntries(r.columns.map((c, i) => [c, row[i]]))), null, 1);
}

const BARS = 40, POINTS = 5000;

/** Bars of the first text and the last number of each row, or the last number over the first, if that is one too. */
function Chart({ r }: { r: QueryResult }) {
	const numeric = r.columns.map((_, i) => r.rows.length > 0 && r.rows.every((row) => row[i] === null || typeof row[i] === "number"));
	const y = numeric.lastIndexOf(true), x = numeric.indexOf(true), label = numeric.indexOf(false);
	if (y < 0)
		return null;
	if (label >= 0) {
		const rows = r.rows.slice(0, BARS).map((row) => [text(row[label]), Number(row[y] ?? 0)] as const);
		const max = Math.max(...rows.map((p) => p[1]), 1e-9);
		return (
			<figure class="query-chart" aria-label={`${r.columns[y]} by ${r.columns[label]}`}>
				<figcaption>{r.columns[y]} by {r.columns[label]}{r.rows.length > BARS ? `, the first ${BARS}` : ""}</figcaption>
				<ul class="bars">{rows.map(([name, v], i) => <li key={i}><span title={name}>{name}</span><span class="share-bar"><span style={{ width: `${Math.max(0, 100 * v / max)}%` }} /></span><span class="num">{fmtCount(v)}</span></li>)}</ul>
			</figure>
		);
	}
	if (x === y || r.rows.length < 2)
		return null;
	const points = r.rows.slice(0, POINTS).map((row) => [Number(row[x] ?? 0), Number(row[y] ?? 0)] as const).sort((a, b) => a[0] - b[0]);
	const [x0, x1] = [points[0][0], points[points.length - 1][0]];
	const y0 = points.reduce((a, p) => Math.min(a, p[1]), 0), y1 = points.reduce((a, p) => Math.max(a, p[1]), y0 + 1e-9);
	return (
		<figure class="query-chart" aria-label={`${r.columns[y]} over ${r.columns[x]}`}>
			<figcaption>{r.columns[y]} over {r.columns[x]}</figcaption>
			<svg viewBox="0 0 600 200" preserveAspectRatio="none"><polyline fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke" points={points.map((p) => `${600 * (p[0] - x0) / Math.max(1e-9, x1 - x0)},${198 - 196 * (p[1] - y0) / (y1 - y0)}`).join(" ")} /></svg>
			<p class="dim">{r.columns[x]} {fmtCount(x0)} to {fmtCount(x1)}; {r.columns[y]} {fmtCount(y0)} to {fmtCount(y1)}</p>
		</figure>
	);
}

export function QueryPage() {
	const id = traceId.value;
	const sql = params.value.sql ?? "";
	const [draft, setDraft] = useState(sql || EXAMPLES[0][1]);
	const [result, setResult] = useState<{ r: QueryResult; ms: number; number: number } | null>(null);
	const [error, setError] = useState<string | null>(null);
	const [busy, setBusy] = useState(false);
	const [runs, setRuns] = useState(0);
	useEffect(() => {
		if (id === null || !sql)
			return;
		setDraft(sql);
		setBusy(true);
		const a = new AbortController(), begin = performance.now();
		api.query(id, sql, a.signal).then((r) => {
			setResult({ r, ms: performance.now() - begin, number: runs });
			setError(null);
			setBusy(false);
		}, (e) => {
			if (isAbort(e))
				return;
			setError(errorWords(e));
			setBusy(false);
		});
		return () => a.abort();
	}, [id, sql, runs]);
	const run = () => {
		setParam("sql", draft);
		setRuns(runs + 1);
	};
	const r = result?.r;
	const ts = r ? r.columns.indexOf("ts") : -1, dur = r ? r.columns.indexOf("dur") : -1;
	const columns: Column<Cell[]>[] = (r?.columns ?? []).map((c, i) => {
		const num = r?.rows.some((row) => typeof row[i] === "number") ?? false;
		return { key: `${i}`, title: c, width: num ? "minmax(90px, 1fr)" : "minmax(120px, 2fr)", num, render: (row) => <span title={text(row[i])}>{row[i] === null ? <span class="dim">null</span> : typeof row[i] === "number" && Number.isInteger(row[i]) ? row[i].toLocaleString("en-US") : text(row[i])}</span> };
	});
	return (
		<div class="page fill query">
			<header class="page-head">
				<h1>Query</h1>
				<label>Example <select aria-label="Example" value="" onChange={(e) => {
					const found = EXAMPLES[+e.currentTarget.value];
					if (found)
						setDraft(found[1]);
				}}><option value="">…</option>{EXAMPLES.map(([name], i) => <option key={name} value={String(i)}>{name}</option>)}</select></label>
				<span class="spacer" />
				{r && <span class="exports">export <button class="link" onClick={() => save(csvOf(r), "text/csv", "query.csv")}>CSV</button> <button class="link" onClick={() => save(jsonOf(r), "application/json", "query.json")}>JSON</button></span>}
			</header>
			<textarea class="sql" aria-label="SQL" spellcheck={false} rows={5} value={draft} data-keys onInput={(e) => setDraft(e.currentTarget.value)} onKeyDown={(e) => {
				if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
					e.preventDefault();
					run();
				}
			}} />
			<p class="options">
				<button onClick={run} disabled={busy}>Run <kbd>Ctrl Enter</kbd></button>
				{busy && <span class="dim" role="status">running …</span>}
				{!busy && r && <span class="dim" role="status">{fmtCount(r.rows.length)} {r.rows.length === 1 ? "row" : "rows"}{r.more ? ", the first ones" : ""} in {fmtDur(result.ms * 1e6)}{ts >= 0 && dur >= 0 ? "; a click shows a row on the timeline" : ""}</span>}
			</p>
			{error && <p class="note bad" role="alert">{error}</p>}
			{r?.note && <p class="note warn">{r.note}</p>}
			{r && !error && <div class="query-result">
				<DataTable<Cell[]> label="Result" deps={`${result.number}|${r.columns.join()}`} columns={columns} empty="No rows."
					load={async (offset, limit) => ({ rows: r.rows.slice(offset, offset + limit), total: r.rows.length })}
					onRow={ts >= 0 && dur >= 0 ? (row) => showOnTimeline(Number(row[ts]), Number(row[ts]) + Math.max(1, Number(row[dur]))) : undefined} />
				<Chart r={r} />
			</div>}
			{!r && !error && <p class="dim">Tables and functions are those of <code>tacho query</code>. A statement may run for 10 s and return 10,000 rows.</p>}
		</div>
	);
}
