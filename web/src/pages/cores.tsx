// SPDX-License-Identifier: Apache-2.0
// The chip as a map: how much each core worked.
import { batch } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { api } from "../api";
import { fmtBytes, fmtCount, fmtDur, fmtNum, fmtPct } from "../format";
import { duration, generation, go, meta, params, type Range, range, rangeQuery, setParam, setRange, showOnTimeline, traceId } from "../state";
import { css, heat, theme, wantsBlack } from "../theme";
import type { Grid, GridCell, Noc, OpRow, Track } from "../types";
import { useLoad } from "../ui/load";
import { SectionSelect } from "../ui/section";

const METRICS: [string, string][] = [["kernel", "kernel time"], ["fw", "firmware time"], ["busy", "busy %"], ["gap", "gaps between ops"], ["noc_bytes", "NoC bytes"], ["links", "NoC links"], ["zones", "zones"]];

export function cellText(v: number | null, unit: string): string {
	if (v === null)
		return "";
	if (unit === "ns")
		return fmtDur(v);
	if (unit === "%" || unit === "percent")
		return fmtPct(v, v < 10 ? 1 : 0);
	if (unit === "bytes" || unit === "B")
		return fmtBytes(v);
	return unit === "zones" || Number.isInteger(v) ? fmtCount(v) : fmtNum(v);
}

/** When a track was busy: from its first zone to its last. */
async function busyTime(id: number, t: Track): Promise<Range | null> {
	const lane = t.lanes[0];
	if (!lane?.[1])
		return null;
	const [a, b] = await Promise.all([0, lane[1] - 1].map((idx) => api.zone(id, { lane: lane[0], idx })));
	return { t0: a.start, t1: b.end };
}

/** Shows a core on the timeline: in the range, or else while it worked, which is a small part of most traces. */
async function openCore(device: number, c: GridCell): Promise<void> {
	const id = traceId.value;
	const t = meta.value?.tracks.find((k) => k.kind === "core" && k.device === device && k.x === c.x && k.y === c.y);
	if (!t || id === null)
		return;
	const r = range.value ?? await busyTime(id, t).catch(() => null);
	batch(() => {
		if (r)
			showOnTimeline(r.t0, r.t1);
		go("timeline", { track: t.id });
	});
}

export function ChipGrid({ grid, device, small = false }: { grid: Grid; device: number; small?: boolean }) {
	const xs = [...new Set(grid.cells.map((c) => c.x))].sort((a, b) => a - b);
	const ys = [...new Set(grid.cells.map((c) => c.y))].sort((a, b) => a - b);
	const at = new Map(grid.cells.map((c) => [`${c.x},${c.y}`, c]));
	const dark = theme.value === "dark";
	return (
		<table class={small ? "chip-grid small" : "chip-grid"} aria-label={`Cores of device ${device}`}>
			{!small && <thead><tr><th scope="col"><span class="sr-only">row</span></th>{xs.map((x) => <th key={x} scope="col">{x}</th>)}</tr></thead>}
			<tbody>
				{ys.map((y) => (
					<tr key={y}>
						{!small && <th scope="row">{y}</th>}
						{xs.map((x) => {
							const c = at.get(`${x},${y}`);
							if (!c)
								return <td key={x} class="none" />;
							const has = c.value !== null && c.value > 0;
							const rgb = heat(has && grid.max > 0 ? (c.value as number) / grid.max : 0, dark);
							const title = `core ${c.lx !== undefined ? `${c.lx},${c.ly} ` : ""}(NoC ${c.x},${c.y}) ${c.type}: ${cellText(c.value, grid.unit) || "nothing"}`;
							return (
								<td key={x}>
									<button class={c.type} style={{ background: css(rgb), color: wantsBlack(rgb) ? "#0b0e12" : "#ffffff" }} title={title} aria-label={small ? title : undefined} tabIndex={small ? -1 : 0} onClick={() => void openCore(device, c)}>
										{!small && <><span class="cell-value">{has ? cellText(c.value, grid.unit) : "·"}</span><span class="cell-name">{c.type === "worker" && c.lx !== undefined ? `${c.lx},${c.ly}` : c.type}</span></>}
									</button>
								</td>
							);
						})}
					</tr>
				))}
			</tbody>
		</table>
	);
}

type NocUse = "all" | "read" | "write";
type NocLink = Noc["links"][number];

const NOC_USES: [string, string][] = [["all", "reads and writes"], ["read", "reads"], ["write", "writes"]];
const linkBytes = (l: NocLink, use: NocUse) => (use === "write" ? 0 : l[4]) + (use === "read" ? 0 : l[5]);

/** Where a link is drawn between the middles of two tiles, beside that of the other network. */
const ARROWS: Record<NocLink[3], [dx: number, dy: number, ox: number, oy: number]> = { right: [1, 0, 0, -5], down: [0, 1, 5, 0], left: [-1, 0, 0, 5], up: [0, -1, -5, 0] };
const TILE = 58;

/** The chip's network: each link in the colour of its bytes. Those that lead around the edge leave the picture. */
function LinkMap({ noc, cells, use }: { noc: Noc; cells: GridCell[]; use: NocUse }) {
	const [w, h] = noc.size;
	const dark = theme.value === "dark";
	const most = noc.links.reduce((a, l) => Math.max(a, linkBytes(l, use)), 1);
	const of = new Map(cells.map((c) => [`${c.x},${c.y}`, c]));
	const middle = (x: number) => (x + 0.5) * TILE + 14;
	const name = (l: NocLink) => `NoC ${l[2]}, from ${l[0]},${l[1]} ${l[3]}: ${fmtBytes(l[4])} read, ${fmtBytes(l[5])} written`;
	return (
		<svg class="link-map" width={w * TILE + 28} height={h * TILE + 28} role="img" aria-label={`Links of the NoC, the busiest with ${fmtBytes(most)}`}>
			{Array.from({ length: w * h }, (_, i) => [i % w, Math.floor(i / w)]).map(([x, y]) => {
				const c = of.get(`${x},${y}`);
				return <g key={`${x},${y}`}><rect x={middle(x) - 15} y={middle(y) - 13} width={30} height={26} rx={4} class={c ? "core" : "tile"} /><text x={middle(x)} y={middle(y) + 4}>{x},{y}</text></g>;
			})}
			{[...noc.links].sort((a, b) => linkBytes(a, use) - linkBytes(b, use)).filter((l) => linkBytes(l, use) > 0).map((l) => {
				const [dx, dy, ox, oy] = ARROWS[l[3]], v = linkBytes(l, use) / most;
				const x = middle(l[0]) + ox + dx * 16, y = middle(l[1]) + oy + dy * 14;
				const ex = x + dx * (TILE - 32), ey = y + dy * (TILE - 28);
				return <g key={l.slice(0, 4).join()} stroke={css(heat(0.25 + 0.75 * v, dark))} fill={css(heat(0.25 + 0.75 * v, dark))} stroke-width={1.5 + 3 * v}><title>{name(l)}</title><line x1={x} y1={y} x2={ex} y2={ey} /><circle cx={ex} cy={ey} r={2 + 1.5 * v} stroke="none" /></g>;
			})}
		</svg>
	);
}

function Links({ device, cells }: { device: number; cells: GridCell[] }) {
	const id = traceId.value as number;
	const use = (params.value.use ?? "all") as NocUse;
	const r = range.value;
	const n = useLoad(["noc", id, device, r?.t0, r?.t1, generation.value].join("|"), (s) => api.noc(id, { dev: device, ...rangeQuery() }, s));
	if (n.error)
		return <p class="note bad" role="alert">{n.error}</p>;
	if (!n.data)
		return <p class="note dim">…</p>;
	const { links, capacity, events, read, write, multicast, unrouted, size } = n.data;
	if (events === 0)
		return <p class="note">{meta.value?.has.noc ? "No transfers in this range." : <>No transfers were recorded: run the program with <code>TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1</code>.</>}</p>;
	const rows = [...links].filter((l) => linkBytes(l, use) > 0).sort((a, b) => linkBytes(b, use) - linkBytes(a, use));
	const load = (l: NocLink) => capacity ? fmtPct(100 * linkBytes(l, use) / capacity) : "";
	return (
		<div data-testid="links">
			<div class="figures">
				<div><b>{fmtBytes(read)}</b><span>read</span></div><div><b>{fmtBytes(write)}</b><span>written</span></div>
				{multicast > 0 && <div><b>{fmtBytes(multicast)}</b><span>of these by multicast</span></div>}
				<div><b>{fmtCount(events)}</b><span>transfers</span></div>
				{rows[0] && capacity && <div><b>{load(rows[0])}</b><span>load of the busiest link</span></div>}
			</div>
			{unrouted > 0 && <p class="warn">{fmtBytes(unrouted)} have no known way and are not in the map.</p>}
			{size[0] > 0 && <div class="links">
				<div class="link-scroll"><LinkMap noc={n.data} cells={cells} use={use} /></div>
				<table class="plain"><caption>Busiest links</caption><thead><tr><th scope="col">From</th><th scope="col">Way</th><th scope="col">NoC</th><th scope="col">Read</th><th scope="col">Written</th><th scope="col" title="of what the link can carry between the first transfer and the last">Load</th></tr></thead><tbody>
					{rows.slice(0, 12).map((l) => <tr key={l.slice(0, 4).join()}><td>{l[0]},{l[1]}</td><td>{l[3]}</td><td class="num">{l[2]}</td><td class="num">{fmtBytes(l[4])}</td><td class="num">{fmtBytes(l[5])}</td><td class="num">{load(l)}</td></tr>)}
				</tbody></table>
			</div>}
			<p class="dim">Routes follow the network's rule: along X, then along Y; NoC 0 right and down, NoC 1 left and up, around the edges.</p>
		</div>
	);
}

/** From the first device zone to the last: the part of a trace that a map can show. */
function workTime(): Range {
	const d = meta.value?.devices.filter((e) => e.start !== undefined && e.end !== undefined) ?? [];
	const t0 = Math.min(...d.map((e) => e.start as number)), t1 = Math.max(...d.map((e) => e.end as number));
	return d.length && t1 > t0 ? { t0, t1 } : { t0: 0, t1: duration.value };
}

/** Pixels around an end of the window in which a drag moves that end. */
const GRIP = 6;

type Grab = { how: "new" | "move" | "from" | "to"; x: number; at: Range; moved: boolean };

/** Device time with its ops and the range as a window: drag the window, one of its ends or a new one; click an op. */
function TimeBar({ work, ops }: { work: Range; ops: OpRow[] }) {
	const box = useRef<HTMLDivElement>(null);
	const [grab, setGrab] = useState<Grab | null>(null);
	const span = work.t1 - work.t0;
	const pct = (t: number) => Math.max(0, Math.min(100, (t - work.t0) / span * 100));
	const r = range.value;
	const width = () => Math.max(1, box.current?.clientWidth ?? 1);
	const xOf = (e: PointerEvent) => e.clientX - (box.current?.getBoundingClientRect().left ?? 0);
	const timeAt = (x: number) => work.t0 + Math.max(0, Math.min(1, x / width())) * span;
	const down = (e: PointerEvent) => {
		if (e.button !== 0)
			return;
		const x = xOf(e);
		const a = r ? pct(r.t0) / 100 * width() : 0, b = r ? pct(r.t1) / 100 * width() : 0;
		const how = !r ? "new" : Math.abs(x - a) < GRIP ? "from" : Math.abs(x - b) < GRIP ? "to" : x > a && x < b && b - a < width() * 0.98 ? "move" : "new";
		box.current?.setPointerCapture(e.pointerId);
		setGrab({ how, x, at: r ?? work, moved: false });
		e.preventDefault();
	};
	const move = (e: PointerEvent) => {
		if (!grab)
			return;
		const x = xOf(e), shift = (x - grab.x) / width() * span;
		if (!grab.moved && Math.abs(x - grab.x) < 3)
			return;
		grab.moved = true;
		if (grab.how === "move")
			slide(work, grab.at.t0 + shift, grab.at.t1 - grab.at.t0);
		else if (grab.how === "new")
			setRange(timeAt(grab.x), timeAt(x));
		else
			setRange(grab.how === "from" ? timeAt(x) : grab.at.t0, grab.how === "to" ? timeAt(x) : grab.at.t1);
	};
	const up = () => {
		if (grab && !grab.moved) {
			const t = timeAt(grab.x), near = 4 / width() * span;
			const o = ops.find((k) => t >= (k.t0 as number) - near && t <= (k.t1 as number) + near);
			if (o)
				setRange(o.t0 as number, o.t1 as number);
		}
		setGrab(null);
	};
	return (
		<div class="timebar" ref={box} onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={() => setGrab(null)} data-testid="timebar" aria-hidden="true"
			title="drag: a range; drag the window or its ends; click an op">
			{ops.map((o) => <span key={o.id} class="timebar-op" style={{ left: `${pct(o.t0 as number)}%`, width: `max(1px, ${pct(o.t1 as number) - pct(o.t0 as number)}%)` }} />)}
			{r && <span class="timebar-window" style={{ left: `${pct(r.t0)}%`, width: `max(2px, ${pct(r.t1) - pct(r.t0)}%)` }} />}
		</div>
	);
}

/** Moves the range to T0, clamped by its length. */
function slide(work: Range, t0: number, span: number): void {
	const from = Math.max(work.t0, Math.min(work.t1 - span, t0));
	setRange(from, from + span);
}

const STEPS = 10000;

/** The range by keys and in steps: start, length (each step a little longer than the previous one), previous and next op. */
function Slider({ work, ops }: { work: Range; ops: OpRow[] }) {
	const whole = work.t1 - work.t0;
	const r = range.value ?? work;
	const span = Math.min(whole, r.t1 - r.t0);
	const least = Math.max(100, whole / 1e6);
	const growth = Math.log(Math.max(2, whole / least));
	const lengthOf = (v: number) => least * Math.exp(growth * v / STEPS);
	const at = range.value ? ops.findIndex((o) => Math.floor(o.t0 as number) === r.t0 && Math.ceil(o.t1 as number) === r.t1) : -1;
	const toOp = (step: number) => {
		const next = at >= 0 ? at + step : step > 0 ? ops.findIndex((o) => (o.t0 as number) >= r.t0) : ops.length - 1;
		const o = ops[next];
		if (o)
			setRange(o.t0 as number, o.t1 as number);
	};
	return (
		<div class="slider">
			<label>from <input type="range" min={0} max={STEPS} value={Math.round((r.t0 - work.t0) / whole * STEPS)} aria-valuetext={fmtDur(r.t0)} onInput={(e) => slide(work, work.t0 + +e.currentTarget.value / STEPS * whole, span)} /> <span class="num">{fmtDur(r.t0)}</span></label>
			<label>length <input type="range" min={0} max={STEPS} value={Math.round(Math.log(Math.max(least, span) / least) / growth * STEPS)} aria-valuetext={fmtDur(span)}
				onInput={(e) => slide(work, r.t0, Math.min(whole, lengthOf(+e.currentTarget.value)))} /> <span class="num">{fmtDur(span)}</span></label>
			<span class="steps">
				<button aria-label="Previous window" title="previous window" disabled={!range.value} onClick={() => slide(work, r.t0 - span, span)}>‹</button>
				<button aria-label="Next window" title="next window" disabled={!range.value} onClick={() => slide(work, r.t0 + span, span)}>›</button>
			</span>
			{ops.length > 0 && <span class="steps">
				<button aria-label="Op before" disabled={at === 0} onClick={() => toOp(-1)}>‹ op</button>
				<button aria-label="Op after" disabled={at === ops.length - 1} onClick={() => toOp(1)}>op ›</button>
				{at >= 0 && <span class="op-name" data-testid="op-name">{ops[at].row}: {ops[at].code}</span>}
			</span>}
			{range.value && <button onClick={() => { range.value = null; }}>whole trace</button>}
		</div>
	);
}

/** Ops with a known time, in time order; at most a thousand. */
function useOps(): OpRow[] {
	const id = traceId.value;
	const l = useLoad(meta.value?.has.ops && id !== null ? `${id}|${generation.value}` : null, (s) => api.ops(id as number, { limit: 1000, merge: false }, s));
	return (l.data?.rows ?? []).filter((o) => o.t0 !== null && o.t1 !== null && o.t1 > o.t0).sort((a, b) => (a.t0 as number) - (b.t0 as number));
}

function Device({ device }: { device: number }) {
	const id = traceId.value as number;
	const links = params.value.metric === "links";
	const metric = links ? "noc_bytes" : params.value.metric ?? "kernel", agg = params.value.agg ?? "sum";
	const r = range.value;
	const g = useLoad([id, device, metric, agg, r?.t0, r?.t1, generation.value].join("|"), (s) => api.grid(id, { dev: device, metric, agg, ...rangeQuery() }, s), 30);
	const d = meta.value?.devices.find((e) => e.device === device);
	const busy = g.data?.cells.filter((c) => (c.value ?? 0) > 0).length ?? 0;
	return (
		<section class="device">
			<header>
				<h2>Device {device} <span class="dim">{d?.arch} {d && d.mhz > 0 ? `${d.mhz} MHz` : ""} {d?.modelled ? "· modelled" : ""}</span></h2>
				{d?.bound_ns === null && <p class="warn">clock not synchronised with the host</p>}
			</header>
			{g.error && <p class="note bad" role="alert">{g.error}</p>}
			{g.data && links && <Links device={device} cells={g.data.cells} />}
			{g.data && !links && <>
				<div class="figures">
					<div><b data-testid="imbalance">{g.data.imbalance === null || !Number.isFinite(g.data.imbalance) ? "–" : g.data.imbalance.toFixed(2)}</b><span>imbalance (max / mean)</span></div>
					<div><b>{cellText(g.data.max, g.data.unit) || "0"}</b><span>max</span></div>
					<div><b>{cellText(Math.round(g.data.mean * 10) / 10, g.data.unit) || "0"}</b><span>mean</span></div>
					<div><b>{busy} <span class="dim">of {g.data.cells.length}</span></b><span>cores with work</span></div>
				</div>
				{metric === "noc_bytes" && busy === 0 && <p class="note">{meta.value?.has.noc ? "No transfers in this range." : <>No transfers were recorded: run the program with <code>TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1</code>.</>}</p>}
				<ChipGrid grid={g.data} device={device} />
				<p class="dim">Rows and columns are NoC coordinates, the small figures logical ones. A click shows the core on the timeline.</p>
			</>}
		</section>
	);
}

export function CoresPage() {
	const m = meta.value;
	const ops = useOps();
	if (!m)
		return <div class="page" />;
	const devices = [...new Set(m.devices.map((d) => d.device))];
	const work = workTime();
	const only = params.value.dev;
	const select = (key: string, preset: string, list: [string, string][]) => (
		<select value={params.value[key] ?? preset} onChange={(e) => setParam(key, e.currentTarget.value === preset ? null : e.currentTarget.value)}>{list.map(([v, t]) => <option key={v} value={v}>{t}</option>)}</select>
	);
	return (
		<div class="page">
			<header class="page-head">
				<h1>Cores</h1>
				{devices.length > 0 && <>
					<label>show {select("metric", "kernel", METRICS)}</label>
					{params.value.metric === "links" ? <label>count {select("use", "all", NOC_USES)}</label> : <label>as {select("agg", "sum", [["sum", "sum"], ["mean", "mean"], ["max", "largest"]])}</label>}
					{devices.length > 1 && <label>device {select("dev", "", [["", "all"], ...devices.map((d) => [String(d), String(d)] as [string, string])])}</label>}
					<SectionSelect />
				</>}
			</header>
			{devices.length > 0 && <div><TimeBar work={work} ops={ops} /><Slider work={work} ops={ops} /></div>}
			{devices.length === 0 && <p class="dim">This trace has no device. Cores are recorded for programs that use one, with <code>TT_METAL_DEVICE_PROFILER=1</code>.</p>}
			<div class="devices">{devices.filter((d) => only === undefined || String(d) === only).map((d) => <Device key={d} device={d} />)}</div>
		</div>
	);
}
