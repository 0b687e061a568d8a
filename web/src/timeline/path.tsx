// SPDX-License-Identifier: Apache-2.0
// The critical path of a range: a line along the rows that it goes through, and a table of what it consists of.
import { fmtCount, fmtDur, fmtPct, fmtTime, shortName } from "../format";
import { nameOf } from "../names";
import { duration, go, meta, page, range, selection, setRange, showOnTimeline, view } from "../state";
import type { PathAnswer, PathPart } from "../types";
import { type Colors } from "./draw";
import type { Layout, Row } from "./layout";
import { OP_H, OP_TOP } from "./oplanes";
import type { Frame } from "./overlay";
import { path } from "./select";
import { threadTitle } from "./titles";

/** In the order of the server's kinds. */
const enum Kind { run, cpu, lock, sleep, poll, io, child, wait, op, gap, launch, rest }

const isDevice = (kind: number): boolean => kind >= Kind.op && kind <= Kind.launch;
const isWait = (kind: number): boolean => kind >= Kind.cpu && kind <= Kind.wait;

/** Selects the path of the range, else of what the timeline shows. */
export function askPath(r: { t0: number; t1: number } | null = range.peek(), track: number | null = null): void {
	const v = r ?? view.peek();
	const t0 = Math.max(0, Math.floor(v.t0)), t1 = Math.min(duration.peek(), Math.ceil(v.t1));
	if (t1 <= t0)
		return;
	selection.value = { kind: "path", t0, t1, track };
	if (page.peek() !== "timeline")
		go("timeline");
}

/** Where the rows of threads and devices are: those of closed groups are at the group. */
function placesOf(l: Layout): { threads: Map<number, Row>; devices: Map<number, Row> } {
	const threads = new Map<number, Row>(), devices = new Map<number, Row>();
	for (const r of l.rows) {
		if (r.kind === "thread" && r.track && !threads.has(r.track.id))
			threads.set(r.track.id, r);
		for (const t of r.kind === "process" ? r.inside ?? [] : [])
			if (!threads.has(t))
				threads.set(t, r);
		const device = r.ops ?? r.device;
		if (device !== undefined && (!devices.has(device) || (r.ops !== undefined && devices.get(device)?.ops === undefined)))
			devices.set(device, r);
	}
	return { threads, devices };
}

let known: { of: Layout; places: ReturnType<typeof placesOf> } | null = null;

/** The line: thick along a row, thin from row to row. TOP is the scroll position, EDGE where the pinned rows end. */
export function drawPath(ctx: CanvasRenderingContext2D, f: Frame, l: Layout, screenY: (r: Row) => number, c: Colors): boolean {
	const p = path.peek();
	if (!p)
		return false;
	if (known?.of !== l)
		known = { of: l, places: placesOf(l) };
	const { threads, devices } = known.places;
	const first = p.segments.findIndex((s) => s[1] >= f.t0);
	ctx.fillStyle = ctx.strokeStyle = c.path;
	const tops = new Map<Row, number>();
	const topOf = (r: Row): number => {
		const y = tops.get(r) ?? screenY(r);
		tops.set(r, y);
		return y;
	};
	let last = { x: -1, y: 0, row: null as Row | null };
	for (let i = Math.max(0, first); i < p.segments.length && first >= 0; i++) {
		const [t0, t1, kind, on] = p.segments[i];
		const a = (t0 - f.t0) / f.ns, b = (t1 - f.t0) / f.ns;
		if (a > f.width)
			break;
		const row = on === null ? undefined : isDevice(kind) ? devices.get(on) : threads.get(on);
		if (!row || (last.row === row && b - last.x < 0.5))
			continue;
		const top = topOf(row), y = top + (row.ops === undefined ? row.h - 4 : OP_TOP + OP_H - 3);
		const x0 = Math.max(-2, a), x1 = Math.min(f.width + 2, Math.max(b, a + 1));
		if (kind === Kind.run || kind === Kind.op) {
			ctx.globalAlpha = 0.1;
			ctx.fillRect(x0, top + 1, x1 - x0, row.h - 3);
		}
		ctx.globalAlpha = kind === Kind.run || kind === Kind.op ? 1 : 0.6;
		ctx.fillRect(x0, y, x1 - x0, kind === Kind.run || kind === Kind.op ? 4 : 2);
		ctx.globalAlpha = 0.8;
		if (last.row && last.row !== row)
			ctx.fillRect(Math.round(Math.max(0, a)) - 0.5, Math.min(y, last.y), 1.5, Math.abs(y - last.y) + 4);
		last = { x: b, y, row };
	}
	ctx.globalAlpha = 1;
	return true;
}

function partName(p: PathPart): string {
	return p.op ?? (p.name != null ? shortName(nameOf(p.name)) : isDevice(p.kind) ? path.peek()?.kinds[p.kind][0] ?? "" : "no zone");
}

function partPlace(p: PathPart): string {
	return p.device !== null ? `device ${p.device}` : p.track !== null ? threadTitle(p.track) : "";
}

interface Help {
	text: string;
	ns: number;
	part: PathPart;
}

/** What the range would be shorter without, the most first. Another path may become critical before, so these are bounds. */
function helpOf(answer: PathAnswer): Help[] {
	const groups = new Map<string, Help>();
	for (const p of answer.parts) {
		const name = partName(p);
		const text = p.kind === Kind.rest ? "" : p.lock !== null ? `lock ${p.lock_name || "without a name"}: others wait while ${p.kind === Kind.lock ? "it changes hands" : `${partPlace(p)} holds it`}`
			: p.kind === Kind.op ? `op ${name} on the device`
			: p.kind === Kind.gap || p.kind === Kind.launch ? `device ${p.device} between ops that had been dispatched`
			: p.kind === Kind.cpu ? "threads that are ready wait for a CPU"
			: isWait(p.kind) ? `${partPlace(p)} ${answer.kinds[p.kind][0]}${p.name != null ? ` in ${name}` : ""}`
			: p.name != null ? `${name} on ${partPlace(p)}` : `${partPlace(p)} outside of zones`;
		if (!text)
			continue;
		const g = groups.get(text);
		if (g)
			g.ns += p.ns;
		else
			groups.set(text, { text, ns: p.ns, part: p });
	}
	return [...groups.values()].sort((a, b) => b.ns - a.ns).slice(0, 5);
}

function sumOf(answer: PathAnswer, of: (kind: number) => boolean): number {
	return answer.kinds.reduce((sum, [, ns], k) => of(k) ? sum + ns : sum, 0);
}

const ROWS = 40;

export function PathView() {
	const p = path.value;
	if (!p)
		return null;
	const all = Math.max(1, p.t1 - p.t0);
	const pct = (ns: number) => fmtPct(100 * ns / all);
	const s = selection.value;
	const threads = meta.value?.tracks.filter((t) => (t.kind === "thread" || t.kind === "fiber") && t.lanes.length > 0).slice(0, 300) ?? [];
	const figures: [string, number][] = [
		["on threads", sumOf(p, (k) => k === Kind.run)], ["on devices", sumOf(p, (k) => k === Kind.op)],
		["devices without an op", sumOf(p, (k) => k === Kind.gap || k === Kind.launch)], ["waiting", sumOf(p, isWait)], ["unknown", sumOf(p, (k) => k === Kind.rest)],
	];
	const show = (t0: number, t1: number) => showOnTimeline(t0, t1);
	return (
		<section data-testid="path">
			<h2>Critical path</h2>
			<p class="where">{fmtTime(p.t0)} to {fmtTime(p.t1)}: what had to happen, one after the other, for it to end when it did</p>
			<div class="figures">
				<div><b>{fmtDur(p.t1 - p.t0)}</b><span>long</span></div>
				{figures.filter(([, ns]) => ns > 0).map(([name, ns]) => <div key={name}><b>{pct(ns)}</b><span>{name}</span></div>)}
			</div>
			<div class="actions">
				<button onClick={() => show(p.t0, p.t1)}>Fit <kbd>F</kbd></button>
				<button onClick={() => setRange(p.t0, p.t1)}>Set range <kbd>R</kbd></button>
			</div>
			<label class="path-end">ends on <select aria-label="ends on" value={s?.kind === "path" && s.track !== null ? String(s.track) : ""} onChange={(e) => {
				const v = e.currentTarget.value;
				if (s?.kind === "path")
					selection.value = { ...s, track: v === "" ? null : +v };
			}}>
				<option value="">{s?.kind === "path" && s.track === null && p.track !== null ? `what works last: ${threadTitle(p.track)}` : "what works last"}</option>
				{threads.map((t) => <option key={t.id} value={String(t.id)}>{threadTitle(t.id)}</option>)}
			</select></label>
			<h3>What would help most, at most</h3>
			<ul class="zones" data-testid="path-help">{helpOf(p).map((h) => (
				<li key={h.text} title="without it the range would be shorter by this, unless something else takes its place on the path"><button class="link wrap" onClick={() => show(h.part.start, h.part.end)}>{h.text}</button><span class="num">{fmtDur(h.ns)}</span><span class="num dim">{pct(h.ns)}</span></li>
			))}</ul>
			<h3>What it consists of <span class="dim">{fmtCount(p.parts_total)}</span></h3>
			<ul class="zones path-parts" data-testid="path-parts">{p.parts.slice(0, ROWS).map((k, i) => (
				<li key={i} title={`${p.kinds[k.kind][0]}, ${fmtCount(k.count)} ${k.count === 1 ? "piece" : "pieces"}; the longest ${fmtDur(k.end - k.start)}`}>
					<span><button class="link" onClick={() => show(k.start, k.end)}>{partName(k)}</button><span class="dim"> {k.kind === Kind.run || (isDevice(k.kind) && k.name == null) ? "" : `${p.kinds[k.kind][0]} · `}{partPlace(k)}{k.lock !== null ? ` · lock ${k.lock_name}` : ""}</span></span>
					<span class="num">{fmtDur(k.ns)}</span><span class="num dim">{pct(k.ns)}</span>
				</li>
			))}</ul>
			{p.parts_total > ROWS && <p class="dim">{fmtCount(p.parts_total - ROWS)} smaller ones, {pct(p.parts.slice(ROWS).reduce((sum, k) => sum + k.ns, 0))}</p>}
			{p.segments_total > p.segments.length && <p class="note">The line shows the last {fmtCount(p.segments.length)} of {fmtCount(p.segments_total)} pieces.</p>}
			{p.cut && <p class="note warn">The range has too many zones to distinguish the deepest: choose a shorter one.</p>}
		</section>
	);
}
