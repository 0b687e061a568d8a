// The chip as a map: how much each core worked.
import { batch } from "@preact/signals";
import { api } from "../api";
import { fmtBytes, fmtCount, fmtDur, fmtNum, fmtPct } from "../format";
import { duration, generation, go, meta, params, type Range, range, rangeQuery, setParam, setRange, showOnTimeline, traceId } from "../state";
import { css, heat, theme, wantsBlack } from "../theme";
import type { Grid, GridCell, Track } from "../types";
import { useLoad } from "../ui/load";

const METRICS: [string, string][] = [["kernel", "kernel time"], ["fw", "firmware time"], ["busy", "busy %"], ["gap", "gaps between ops"], ["noc_bytes", "NoC bytes"], ["zones", "zones"]];

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

/** A core on the timeline, in the range or else where it worked, which is a small part of most traces. */
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

/** The range as a window that slides over the trace. */
function Slider() {
	const d = duration.value;
	const r = range.value ?? { t0: 0, t1: d };
	const span = r.t1 - r.t0;
	const STEPS = 1000;
	return (
		<div class="slider">
			<label>from <input type="range" min={0} max={STEPS} value={Math.round(r.t0 / d * STEPS)} aria-valuetext={fmtDur(r.t0)} onInput={(e) => {
				const t0 = +e.currentTarget.value / STEPS * d;
				setRange(t0, Math.min(d, t0 + Math.min(span, d - t0)));
			}} /> <span class="num">{fmtDur(r.t0)}</span></label>
			<label>length <input type="range" min={1} max={STEPS} value={Math.max(1, Math.round(span / d * STEPS))} aria-valuetext={fmtDur(span)} onInput={(e) => setRange(r.t0, r.t0 + +e.currentTarget.value / STEPS * d)} /> <span class="num">{fmtDur(span)}</span></label>
			{range.value && <button onClick={() => { range.value = null; }}>whole trace</button>}
		</div>
	);
}

function Device({ device }: { device: number }) {
	const id = traceId.value as number;
	const metric = params.value.metric ?? "kernel", agg = params.value.agg ?? "sum";
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
			{g.data && <>
				<div class="figures">
					<div><b data-testid="imbalance">{g.data.imbalance === null || !Number.isFinite(g.data.imbalance) ? "–" : g.data.imbalance.toFixed(2)}</b><span>imbalance (max / mean)</span></div>
					<div><b>{cellText(g.data.max, g.data.unit) || "0"}</b><span>max</span></div>
					<div><b>{cellText(Math.round(g.data.mean * 10) / 10, g.data.unit) || "0"}</b><span>mean</span></div>
					<div><b>{busy} <span class="dim">of {g.data.cells.length}</span></b><span>cores with work</span></div>
				</div>
				<ChipGrid grid={g.data} device={device} />
			</>}
		</section>
	);
}

export function CoresPage() {
	const m = meta.value;
	if (!m)
		return <div class="page" />;
	const devices = m.devices.map((d) => d.device);
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
					<label>as {select("agg", "sum", [["sum", "sum"], ["mean", "mean"], ["max", "largest"]])}</label>
					{devices.length > 1 && <label>device {select("dev", "", [["", "all"], ...devices.map((d) => [String(d), String(d)] as [string, string])])}</label>}
					<span class="spacer" /><Slider />
				</>}
			</header>
			{devices.length === 0 && <p class="dim">This trace has no device.</p>}
			{devices.filter((d) => only === undefined || String(d) === only).map((d) => <Device key={d} device={d} />)}
		</div>
	);
}
