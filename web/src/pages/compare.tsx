// SPDX-License-Identifier: Apache-2.0
// Two traces, or two tables of ops, side by side.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { api } from "../api";
import { fmtCount, fmtDur, fmtPct, shortName } from "../format";
import { params, setParam, traceId, traces } from "../state";
import { css, oklch, theme } from "../theme";
import type { Change, ChangeSide, ChangeTree, CompareRow, FlameNode, Hist } from "../types";
import { Filter } from "../ui/filter";
import { Flame } from "../ui/flame";
import { Icon } from "../ui/icons";
import { Histogram } from "../ui/histogram";
import { useLoad } from "../ui/load";
import { WholeTrace } from "../ui/section";
import { OpName } from "../ui/opname";
import { type Column, DataTable } from "../ui/table";

/** PLAIN: neither good nor bad. */
function Delta({ v, plain = false }: { v: number | null; plain?: boolean }) {
	if (v === null || !Number.isFinite(v))
		return <span class="dim">–</span>;
	const c = Math.abs(v) < 1 ? "dim" : plain ? "" : v > 0 ? "bad" : "good";
	return <span class={c}>{v > 0 ? "+" : v < 0 ? "−" : ""}{Math.abs(v).toFixed(1)} %</span>;
}

interface Judgement {
	/** Each one takes longer or shorter: that is bad or good. */
	slower: boolean | null;
	/** Another reason why the total changed. */
	word: string;
	text: string;
}

/** A smaller change of the typical time is noise, in percent. */
const LEAST = 1;

/** Why a total changed: more calls, a few outliers, or a slower typical call, which the median shows. */
export function judge(r: CompareRow): Judgement {
	const { a, b } = r;
	if (!a || !b)
		return { slower: null, word: "", text: `only in ${r.kind.toUpperCase()}` };
	const [from, to, what] = a.median != null && b.median != null ? [a.median, b.median, "median"] : [a.mean, b.mean, "mean"];
	const change = from > 0 ? 100 * (to - from) / from : to > 0 ? Infinity : 0;
	const calls = a.count === b.count ? "" : `; ${fmtCount(a.count)} → ${fmtCount(b.count)} times`;
	const text = `${what} ${fmtDur(from)} → ${fmtDur(to)}${calls}`;
	if (Math.abs(change) >= LEAST && change > 0 === r.delta > 0)
		return { slower: change > 0, word: "", text };
	if (Math.abs(r.delta_pct ?? 0) < LEAST)
		return { slower: null, word: "", text };
	const outliers = Math.abs(100 * (b.mean - a.mean) / Math.max(a.mean, 1e-9)) >= LEAST && b.mean > a.mean === r.delta > 0;
	return { slower: null, word: outliers ? "outliers" : "calls", text: `${text}: ${outliers ? "a few differ, most take as long as before" : "their number changed, each takes as long as before"}` };
}

function Judged({ r, children }: { r: CompareRow; children: ComponentChildren }) {
	const j = judge(r);
	const c = r.kind === "both" && j.slower === null ? (Math.abs(r.delta_pct ?? 0) < LEAST ? "dim" : "") : (j.slower ?? r.delta > 0) ? "bad" : "good";
	return <span class={c} title={j.text}>{children}</span>;
}

function columns(what: string): Column<CompareRow>[] {
	const side = (k: "a" | "b"): Column<CompareRow>[] => [
		{ key: k + "count", title: `${k.toUpperCase()} count`, width: "56px", num: true, render: (r) => r[k] ? fmtCount(r[k].count) : "" },
		{ key: k + "total", title: `${k.toUpperCase()} total`, width: "78px", num: true, sort: k === "a" ? "a" : "b", render: (r) => r[k] ? fmtDur(r[k].total) : "" },
		{ key: k + "mean", title: `${k.toUpperCase()} mean`, width: "78px", num: true, render: (r) => r[k] ? fmtDur(r[k].mean) : "" },
		{ key: k + "median", title: `${k.toUpperCase()} median`, width: "78px", num: true, render: (r) => r[k] ? fmtDur(r[k].median) : "" },
	];
	return [
		{ key: "text", title: "Name", width: "minmax(140px, 2fr)", sort: "name", render: (r) => what === "ops" ? <OpName code={r.text} /> : <span title={r.text}>{shortName(r.text)}</span> },
		{ key: "delta", title: "Change", width: "84px", num: true, sort: "delta", hint: "of the total, from A to B; sorted by its size", render: (r) => <Judged r={r}>{r.delta > 0 ? "+" : r.delta < 0 ? "−" : ""}{fmtDur(Math.abs(r.delta))}</Judged> },
		{ key: "pct", title: "%", width: "64px", num: true, sort: "delta_pct", hint: "change of the total from A to B; in red or green when a typical one takes longer or shorter", render: (r) => r.kind === "both" ? <Judged r={r}><Delta v={r.delta_pct} plain={judge(r).slower === null} /></Judged> : <span class="dim">only {r.kind.toUpperCase()}</span> },
		{ key: "why", title: "Why", width: "62px", hint: "calls: the number of calls changed; outliers: a few calls changed; otherwise all take longer or shorter", render: (r) => <span class="dim" title={judge(r).text}>{judge(r).word || (judge(r).slower !== null ? "time" : "")}</span> },
		...side("a"), ...side("b"),
	];
}

/** No statistics if there are no zones. */
function figure(h: Hist | undefined, k: "mean" | "median" | "p90" | "p99" | "max"): string {
	return fmtDur(h?.count ? h[k] : null);
}

function Overlay({ a, b, name }: { a: number; b: number; name: string }) {
	const [normalise, setNormalise] = useState(true);
	const [logCount, setLogCount] = useState(false);
	const h = useLoad([a, b, name].join("|"), (s) => api.compareHist({ a, b, name, bins: 80 }, s));
	if (h.error)
		return <p class="note bad" role="alert">{h.error}</p>;
	if (!h.data)
		return null;
	return (
		<aside class="detail" aria-label="Durations compared">
			<header><h2>{shortName(name)}</h2><button class="icon-button" aria-label="Close" onClick={() => setParam("name", null)}><Icon name="close" /></button></header>
			<div class="options">
				<span class="key a">A</span><span class="key b">B</span>
				<label class="check"><input type="checkbox" checked={normalise} onChange={(e) => setNormalise(e.currentTarget.checked)} /> normalise</label>
				<label class="check"><input type="checkbox" checked={logCount} onChange={(e) => setLogCount(e.currentTarget.checked)} /> log count</label>
			</div>
			<Histogram series={[{ hist: h.data.a, className: "bar a", label: "A" }, { hist: h.data.b, className: "bar b", label: "B" }]} options={{ logCount, cumulate: false, logTime: false }} normalise={normalise} />
			<table class="plain"><thead><tr><th /><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody>
				{(["count", "mean", "median", "p90", "p99", "max"] as const).map((k) => <tr key={k}><th scope="row">{k}</th><td class="num">{k === "count" ? fmtCount(h.data?.a.count) : figure(h.data?.a, k)}</td><td class="num">{k === "count" ? fmtCount(h.data?.b.count) : figure(h.data?.b, k)}</td></tr>)}
			</tbody></table>
		</aside>
	);
}

/** The tree of a comparison: nodes are as wide as the mean of both shares, so that lost ones are seen, too. */
function changeTree(t: ChangeTree): { root: FlameNode; changes: Map<FlameNode, Change> } {
	const root: FlameNode = { name: -1, label: "all", total: 200, self: 0, count: 0, children: [] };
	const changes = new Map<FlameNode, Change>();
	const path = [root];
	for (const c of t.items) {
		const node: FlameNode = { name: -1, label: c.name, where: c.library, total: c.a.share + c.b.share, self: 0, count: 0, children: [] };
		changes.set(node, c);
		path.length = c.depth + 1;
		path[c.depth]?.children.push(node);
		path.push(node);
	}
	return { root, changes };
}

/** A change of the share that may be chance. */
const isNoise = (c: Change) => Math.abs(c.change) < Math.max(0.05, 2 * (c.error ?? 0));

/** Blue shrank, red grew, grey did not change: a change of 10 points has the full colour. */
function changeColor(c: Change, dark: boolean): string {
	const strength = isNoise(c) ? 0 : Math.min(1, Math.sqrt(Math.abs(c.change) / 10));
	return css(oklch(dark ? 0.72 : 0.82, 0.02 + 0.13 * strength, c.change > 0 ? 25 : 255));
}

const share = (s: ChangeSide) => `${fmtPct(s.share)} (${fmtDur(s.total)})`;

function describeChange(c: Change): string {
	return `A ${share(c.a)}, B ${share(c.b)}: ${c.change > 0 ? "+" : "−"}${Math.abs(c.change).toFixed(1)} points${c.error === undefined ? "" : isNoise(c) ? ", may be chance" : ` ± ${(2 * c.error).toFixed(1)}`}`;
}

/** Both as one flame graph, coloured by what changed. */
function ChangedFlame({ a, b, what }: { a: number; b: number; what: "flame" | "stacks" }) {
	const r = useLoad([a, b, what].join("|"), (s) => api.compareTree(what, { a, b, limit: 4000 }, s));
	const tree = useMemo(() => r.data && changeTree(r.data), [r.data]);
	const dark = theme.value === "dark";
	if (r.error)
		return <p class="note bad" role="alert">{r.error}</p>;
	if (!r.data || !tree)
		return <p class="note dim">…</p>;
	if (!tree.changes.size)
		return <p class="note dim">{what === "stacks" ? "Neither trace has samples: record with " : "Neither trace has zones."}{what === "stacks" && <code>tacho run --sample</code>}</p>;
	return (
		<section class="samples" data-testid="changes">
			<p class="dim">Shares of {what === "stacks" ? "the sampled CPU time" : "the time in zones"}: A {fmtDur(r.data.a.total)}, B {fmtDur(r.data.b.total)}. <span class="tint grew">grew</span> <span class="tint shrank">shrank</span></p>
			<div class="scroll"><Flame root={tree.root} find={params.value.q} onOpen={() => undefined} paint={(n) => { const c = tree.changes.get(n); return c ? changeColor(c, dark) : ""; }}
				describe={(n) => { const c = tree.changes.get(n); return c ? describeChange(c) : ""; }} /></div>
		</section>
	);
}

interface Sum {
	ns: number;
	ops: number;
	gaps: number;
}

async function opSum(id: number, s: AbortSignal): Promise<Sum> {
	const o = await api.overview(id, s);
	const us = o.bound_mix.reduce((a, b) => a + b.time_us, 0);
	return { ns: us * 1000, ops: o.bound_mix.reduce((a, b) => a + b.ops, 0), gaps: Math.max(0, (o.total_us ?? us) - us) * 1000 };
}

/** The totals of A and B: the first question of a comparison. */
function Sums({ a, b, what }: { a: number; b: number; what: string }) {
	const l = useLoad(what === "ops" ? `${a}|${b}` : null, (s) => Promise.all([opSum(a, s), opSum(b, s)]));
	const change = (x: number, y: number, plain = false) => <Delta v={x > 0 ? 100 * (y - x) / x : null} plain={plain} />;
	if (what === "ops") {
		const [x, y] = l.data ?? [];
		return x && y ? (
			<p class="sums" data-testid="sums"><span>device time <b>{fmtDur(x.ns)}</b> → <b>{fmtDur(y.ns)}</b> {change(x.ns, y.ns, x.ops !== y.ops)}</span><span>gaps <b>{fmtDur(x.gaps)}</b> → <b>{fmtDur(y.gaps)}</b> {change(x.gaps, y.gaps, x.ops !== y.ops)}</span><span>ops <b>{fmtCount(x.ops)}</b> → <b>{fmtCount(y.ops)}</b></span></p>
		) : null;
	}
	const [x, y] = [a, b].map((id) => traces.value.find((t) => t.id === id));
	return x && y ? <p class="sums" data-testid="sums"><span>recorded <b>{fmtDur(x.duration)}</b> → <b>{fmtDur(y.duration)}</b> {change(x.duration, y.duration, x.zones !== y.zones)}</span><span>zones <b>{fmtCount(x.zones)}</b> → <b>{fmtCount(y.zones)}</b></span></p> : null;
}

export function ComparePage() {
	const list = traces.value;
	const a = params.value.a !== undefined ? +params.value.a : traceId.value ?? list[0]?.id;
	const b = params.value.b !== undefined ? +params.value.b : list.find((t) => t.id !== a)?.id;
	const kindOf = (id: number | undefined) => list.find((t) => t.id === id)?.kind;
	const what = params.value.what ?? (kindOf(a) === "ops" || kindOf(b) === "ops" ? "ops" : "zones");
	const { q = "", sort = "delta", name } = params.value;
	const desc = params.value.desc !== "0";
	const pick = (key: string, v: number | undefined) => (
		<select aria-label={`Trace ${key.toUpperCase()}`} value={String(v)} onChange={(e) => setParam(key, e.currentTarget.value)}>{list.map((t) => <option key={t.id} value={String(t.id)}>{t.name}</option>)}</select>
	);
	return (
		<div class="page fill">
			<header class="page-head">
				<h1>Compare</h1>
				{list.length > 1 && <>
					<label><span class="key a">A</span> {pick("a", a)}</label>
					<label><span class="key b">B</span> {pick("b", b)}</label>
					<label>by <select value={what} onChange={(e) => setParam("what", e.currentTarget.value)}><option value="zones">zones</option><option value="ops">ops</option><option value="calls">calls</option><option value="samples">samples</option></select></label>
					<Filter />
					<button title="A becomes B" onClick={() => {
						setParam("a", b ?? null);
						setParam("b", a ?? null);
					}}>swap</button>
				</>}
			</header>
			<WholeTrace />
			{list.length > 1 && a !== undefined && b !== undefined && <Sums a={a} b={b} what={what} />}
			{list.length > 1 && a !== undefined && b !== undefined && (what === "calls" || what === "samples")
				? <ChangedFlame a={a} b={b} what={what === "calls" ? "flame" : "stacks"} />
				: list.length < 2 || a === undefined || b === undefined
				? <p class="dim">Give two files to compare them: <code>tacho view before.tacho after.tacho</code></p>
				: (
					<div class={name !== undefined && what === "zones" ? "split two" : "split"}>
						<DataTable<CompareRow> label="Compared" columns={name !== undefined && what === "zones" ? columns(what).filter((c) => !/(median|mean|count)$/.test(c.key)) : columns(what)} deps={[a, b, what, q, sort, desc].join("|")} sort={sort} desc={desc}
							onSort={(k, d) => {
								setParam("sort", k);
								setParam("desc", d ? null : "0");
							}}
							load={(offset, limit, s) => api.compare({ a, b, what, q, sort, desc, offset, limit }, s)}
							selected={(r) => r.text === name} onRow={what === "zones" ? (r) => setParam("name", r.text === name ? null : r.text) : undefined} empty="Nothing to compare." />
						{name !== undefined && what === "zones" && <Overlay a={a} b={b} name={name} />}
					</div>
				)}
		</div>
	);
}
