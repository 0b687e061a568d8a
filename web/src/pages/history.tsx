// SPDX-License-Identifier: Apache-2.0
// Runs over commits: the series of a database, the worst first, and one of them with its steps.
import { useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { fmtCount, fmtDur, fmtNum, wordsTake } from "../format";
import { params, setParam } from "../state";
import type { History, HistoryRun, HistorySeries, HistoryStep } from "../types";
import { Filter } from "../ui/filter";
import { useLoad } from "../ui/load";
import { DataTable } from "../ui/table";

const WINDOWS: [string, string][] = [["", "60"], ["200", "200"], ["1000", "1,000"], ["10000", "10,000"]];
const RANK: Record<string, number> = { worse: 0, better: 1, recovered: 2 };

interface Row {
	s: HistorySeries;
	/** The steps of the series, the last one last. */
	steps: HistoryStep[];
}

const shortSha = (sha: string) => sha.slice(0, 10) || "no commit";
const percent = (part: number) => `${part > 0 ? "+" : ""}${(100 * part).toFixed(1)} %`;

function figure(s: HistorySeries, v: number): string {
	return s.kind === "metric" ? `${fmtNum(v)}${s.detail ? " " + s.detail : ""}` : fmtDur(v);
}

function when(run: HistoryRun): string {
	const ms = run.committed_ms || run.started_ms;
	return ms ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") : "";
}

/** Series with their steps: worse ones first, then by size of the change, then by time spent. */
function rowsOf(h: History, words: string): Row[] {
	const rows: Row[] = h.series.map((s) => ({ s, steps: [] }));
	for (const step of h.steps)
		rows[step.series]?.steps.push(step);
	const last = (r: Row) => r.steps[r.steps.length - 1];
	for (const r of rows)
		r.steps.sort((a, b) => a.run - b.run);
	return rows.filter(({ s }) => wordsTake(words, `${s.name} ${s.detail}`)).sort((a, b) => {
		const x = last(a), y = last(b);
		return (x ? RANK[x.state] : 3) - (y ? RANK[y.state] : 3) || Math.abs(y?.change ?? 0) - Math.abs(x?.change ?? 0) || b.s.value * b.s.count - a.s.value * a.s.count;
	});
}

const stateClass = (s: HistoryStep) => s.state === "worse" ? "bad" : s.state === "better" ? "good" : "dim";

const W = 900, H = 260, LEFT = 84, RIGHT = 12, TOP = 10, BOTTOM = 34;

/** About COUNT round values from LO to HI. */
function ticks(lo: number, hi: number, count: number): number[] {
	const raw = (hi - lo) / count, power = 10 ** Math.floor(Math.log10(raw));
	const step = ([1, 2, 5, 10].find((k) => k * power >= raw) ?? 10) * power;
	const list = [];
	for (let i = 0, first = Math.ceil(lo / step) * step; i <= 2 * count && first + i * step <= hi; i++)
		list.push(first + i * step);
	return list;
}

/** A dot per run, the levels before and after each step, and a line at the commit that made it. */
function Chart({ s, points, runs, steps }: { s: HistorySeries; points: [run: number, value: number, count: number][]; runs: HistoryRun[]; steps: HistoryStep[] }) {
	const [at, setAt] = useState<number | null>(null);
	const box = useRef<SVGSVGElement>(null);
	const values = points.map((p) => p[1]);
	const low = Math.min(...values), high = Math.max(...values), room = (high - low || Math.abs(high) || 1) * 0.08;
	const [y0, y1] = [low - room, high + room];
	const x = (run: number) => LEFT + (W - LEFT - RIGHT) * (run + 0.5) / Math.max(1, runs.length);
	const y = (v: number) => TOP + (H - TOP - BOTTOM) * (y1 - v) / (y1 - y0);
	const move = (e: PointerEvent) => {
		const r = box.current?.getBoundingClientRect();
		if (!r)
			return;
		const px = (e.clientX - r.left) / r.width * W;
		const near = points.reduce((best, p, i) => Math.abs(x(p[0]) - px) < Math.abs(x(points[best][0]) - px) ? i : best, 0);
		setAt(near);
	};
	const every = Math.max(1, Math.ceil(runs.length / 8));
	const shown = at === null ? null : points[at];
	return (
		<figure class="history-chart" aria-label={`${s.name} over ${points.length} runs`}>
			<svg ref={box} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`${s.name} ${s.detail}, from ${figure(s, values[0])} to ${figure(s, values[values.length - 1])}`} onPointerMove={move} onPointerLeave={() => setAt(null)}>
				{ticks(y0, y1, 5).map((v) => <g key={v}><line class="grid" x1={LEFT} x2={W - RIGHT} y1={y(v)} y2={y(v)} /><text class="y" x={LEFT - 8} y={y(v) + 4}>{figure(s, v)}</text></g>)}
				{runs.map((r, i) => i % every === 0 && <text key={i} class="x" x={x(i)} y={H - 14}>{shortSha(r.sha).slice(0, 8)}</text>)}
				{steps.map((t) => (
					<g key={t.run} class={stateClass(t)}>
						<line class="level" x1={x(t.run_first)} x2={x(t.run_before)} y1={y(t.before)} y2={y(t.before)} />
						<line class="level" x1={x(t.run)} x2={x(t.run_last)} y1={y(t.after)} y2={y(t.after)} />
						<line class="step" x1={(x(t.run_before) + x(t.run)) / 2} x2={(x(t.run_before) + x(t.run)) / 2} y1={TOP} y2={H - BOTTOM} />
					</g>
				))}
				{points.map((p, i) => <circle key={i} class={i === at ? "at" : ""} cx={x(p[0])} cy={y(p[1])} r={i === at ? 5 : points.length > 300 ? 1.5 : 3} />)}
			</svg>
			<figcaption class="dim" aria-live="polite">
				{shown
					? <>{figure(s, shown[1])} in run {shown[0] + 1} of {runs.length}: commit {shortSha(runs[shown[0]].sha)}{runs[shown[0]].seq ? ` (number ${runs[shown[0]].seq})` : ""} {when(runs[shown[0]])} {runs[shown[0]].host}{s.kind === "metric" ? "" : `, ${fmtCount(shown[2])} ops`}</>
					: `${s.kind === "metric" ? "the value" : "the median"} of each run, in the order of commits; point at a run`}
			</figcaption>
		</figure>
	);
}

function Steps({ row, runs }: { row: Row; runs: HistoryRun[] }) {
	if (row.steps.length === 0)
		return <p class="dim">{row.s.points < 15 ? "Fewer than 15 runs: not judged." : "No step in these runs."}</p>;
	return (
		<ul class="history-steps">
			{row.steps.map((t) => (
				<li key={t.run}>
					<b class={stateClass(t)}>{t.state} {percent(t.change)}</b> [{percent(t.low)}, {percent(t.high)}]: {figure(row.s, t.before)} to {figure(row.s, t.after)} at
					commit <code>{shortSha(runs[t.run].sha)}</code>{t.commits > 1 ? `, or one of the ${t.commits - 1} before it` : ""}; the last run before has <code>{shortSha(runs[t.run_before].sha)}</code>
					{t.fast ? "; seen in the last runs only: to be confirmed" : ""}
					{t.state === "worse" && runs[t.run].sha && <div class="dim">to accept it: <code>tacho db accept {row.s.id}@{shortSha(runs[t.run].sha)} --why "..."</code></div>}
				</li>
			))}
		</ul>
	);
}

function Detail({ h, row, group, window }: { h: History; row: Row; group: string; window: string }) {
	const l = useLoad([row.s.id, h.group, window, h.state].join("|"), (signal) => api.historySeries(row.s.id, { group: group || h.group, window, state: h.state }, signal));
	return (
		<section class="detail" data-testid="series">
			<header><h2 title={row.s.name}>{row.s.name}</h2></header>
			{row.s.kind !== "metric" && row.s.detail && <p class="dim">{row.s.detail}</p>}
			{l.error && <p class="bad" role="alert">{l.error}</p>}
			{l.data && l.data.points.length > 0 && <Chart s={row.s} points={l.data.points} runs={h.runs} steps={row.steps} />}
			<Steps row={row} runs={h.runs} />
		</section>
	);
}

function Found({ h }: { h: History }) {
	const rows = useMemo(() => rowsOf(h, ""), [h]); // whatever the filter shows
	const n = (state: string) => rows.filter((r) => r.steps[r.steps.length - 1]?.state === state).length;
	const worse = n("worse"), better = n("better");
	return (
		<p data-testid="found">
			<b class={worse ? "bad" : "good"}>{worse ? `${fmtCount(worse)} slower` : "Nothing slower"}</b>{better ? `, ${fmtCount(better)} faster` : ""} of {fmtCount(h.total)} series
			in {fmtCount(h.runs.length)} runs{h.undecided ? `; ${fmtCount(h.undecided)} with too few runs to judge` : ""}
			{h.total > h.series.length ? `; the first ${fmtCount(h.series.length)} are shown` : ""}
		</p>
	);
}

export function HistoryPage() {
	const { group = "", window = "", q = "", series = "" } = params.value;
	const l = useLoad([group, window].join("|"), (signal) => api.history({ group, window }, signal));
	const h = l.data;
	const rows = useMemo(() => h ? rowsOf(h, q) : [], [h, q]);
	const row = rows.find((r) => r.s.id === series) ?? rows[0];
	const last = (r: Row) => r.steps[r.steps.length - 1];
	const title = (g: History["groups"][number]) => [g.project, g.suite, g.config, g.branch].filter(Boolean).join(" · ") || "no names";
	if (h && h.groups.length === 0)
		return <div class="page"><h1>History</h1><p>The database has no runs: <code>tacho db push</code> stores them.</p></div>;
	return (
		<div class="page fill history">
			<header class="page-head">
				<h1>History</h1>
				{h && <label>of <select aria-label="Runs of" value={String(h.group)} onChange={(e) => {
					setParam("series", null);
					setParam("group", e.currentTarget.value);
				}}>{h.groups.map((g, i) => <option key={i} value={String(i)}>{title(g)} ({fmtCount(g.runs)})</option>)}</select></label>}
				<label>last <select aria-label="Number of runs" value={window} onChange={(e) => setParam("window", e.currentTarget.value)}>{WINDOWS.map(([v, t]) => <option key={v} value={v}>{t}</option>)}</select> runs</label>
				<Filter />
			</header>
			{l.error && <p class="note bad" role="alert">{l.error}</p>}
			{!h && !l.error && <p class="dim" role="status">reading the database …</p>}
			{h && <Found h={h} />}
			{h && <div class="history-parts">
				<DataTable<Row> label="Series" deps={[h.group, h.state, h.total, q].join("|")} empty="No series here."
					load={async (offset, limit) => ({ rows: rows.slice(offset, offset + limit), total: rows.length })}
					onRow={(r) => setParam("series", r.s.id)} selected={(r) => r.s.id === row?.s.id}
					columns={[
						{ key: "state", title: "State", width: "72px", render: (r) => last(r) ? <span class={stateClass(last(r))}>{last(r).state}</span> : r.s.points < 15 ? <span class="dim">too few</span> : <span class="dim">level</span> },
						{ key: "change", title: "Change", width: "68px", num: true, hint: "size of the last step", render: (r) => last(r) ? percent(last(r).change) : "" },
						{ key: "name", title: "Name", width: "minmax(90px, 2fr)", render: (r) => <span title={r.s.name}>{r.s.name}</span> },
						{ key: "detail", title: "Arguments", width: "minmax(60px, 1fr)", render: (r) => <span title={r.s.detail}>{r.s.kind === "metric" ? "" : r.s.detail}</span> },
						{ key: "value", title: "Last", width: "80px", num: true, hint: "of the last run: the median of an op or a zone", render: (r) => figure(r.s, r.s.value) },
						{ key: "points", title: "Runs", width: "44px", num: true, render: (r) => fmtCount(r.s.points) },
					]} />
				{row && <Detail key={row.s.id} h={h} row={row} group={group} window={window} />}
			</div>}
		</div>
	);
}
