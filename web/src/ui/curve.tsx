// SPDX-License-Identifier: Apache-2.0
// A curve over time by uPlot: the last value of each pixel as steps, least and greatest as a band.
// All curves of a page share the pointer; dragging sets the range.
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { fmtTick, fmtValue } from "../format";
import { duration, type Range, range, setRange } from "../state";
import { theme } from "../theme";
import { resolutionFor, tileSpan } from "../timeline/raster";
import type { PlotTile } from "../types";
import { useLoad } from "./load";

type Data = [x: number[], last: (number | null)[], min: (number | null)[], max: (number | null)[]];

/** A value may arrive this much later than its time: tiles before that are final. */
const LATE = 2e9;

/** Cache of a curve's final tiles, reused when the trace has grown. */
type Kept = Map<string, PlotTile>;

async function tileOf(get: (res: number, i: number) => Promise<PlotTile>, res: number, i: number, end: number, kept: Kept): Promise<PlotTile> {
	const key = `${res}:${i}`;
	const tile = kept.get(key) ?? await get(res, i);
	if ((i + 1) * tileSpan(res) < end - LATE)
		kept.set(key, tile);
	return tile;
}

/** All tiles of a window, as columns. */
async function loadCurve(get: (res: number, i: number) => Promise<PlotTile>, t0: number, t1: number, end: number, kept: Kept): Promise<Data> {
	const res = resolutionFor((t1 - t0) / 1200);
	const span = tileSpan(res);
	const first = Math.max(0, Math.floor(t0 / span)), last = Math.floor(t1 / span);
	const tiles = await Promise.all(Array.from({ length: last - first + 1 }, (_, k) => tileOf(get, res, first + k, end, kept)));
	const d: Data = [[], [], [], []];
	const push = (t: number, v: number, lo: number, hi: number) => {
		d[0].push(t);
		d[1].push(v);
		d[2].push(lo);
		d[3].push(hi);
	};
	const start = tiles[0]?.points.filter((p) => p[0] < t0).at(-1)?.[3] ?? tiles[0]?.before; // a tile begins before the window
	if (start != null)
		push(t0, start, start, start);
	// the minimum and maximum are those of one pixel: after it only the last value counts
	let open: [t: number, v: number] | null = null;
	const close = (t: number) => {
		if (open && open[0] < t)
			push(open[0], open[1], open[1], open[1]);
		open = null;
	};
	for (const tile of tiles)
		for (const [t, lo, hi, v] of tile.points)
			if (t >= t0 && t <= t1 && (d[0].length === 0 || t >= d[0][d[0].length - 1])) {
				close(t);
				push(t, v, lo, hi);
				if (lo !== hi)
					open = [t + 2 ** res, v];
			}
	close(t1);
	const n = d[0].length;
	if (n > 0 && d[0][n - 1] < t1) {
		const v = d[1][n - 1] as number;
		push(t1, v, v, v);
	}
	return d;
}

/** Distances of ticks: 1, 2, 5 times each power of ten. */
const STEPS = Array.from({ length: 48 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

/** For bytes, powers of two, as allocations usually are. */
const BYTES = Array.from({ length: 52 }, (_, i) => 2 ** i);

function color(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function options(width: number, height: number, format: number | undefined, label: string, shown: () => Range): uPlot.Options {
	const grid = { stroke: color("--line-soft"), width: 1 };
	const axis = { stroke: color("--muted"), grid, ticks: { show: false }, font: "11px " + color("--font") };
	const steps = uPlot.paths.stepped?.({ align: 1 });
	const hidden = (name: string): uPlot.Series => ({ label: name, stroke: "transparent", paths: steps, value: (_u, v) => v == null ? "–" : fmtValue(v, format), points: { show: false } });
	return {
		width, height, cursor: { sync: { key: "time" }, drag: { x: true, y: false, setScale: false }, points: { show: false } },
		legend: { show: true, live: true },
		scales: { x: { time: false, range: () => [shown().t0, shown().t1] }, y: { range: (_u, lo, hi) => lo === hi ? [lo - 1, hi + 1] : [lo > 0 && lo < hi * 0.7 ? 0 : lo - (hi - lo) * 0.05, hi + (hi - lo) * 0.08] } },
		axes: [
			{ ...axis, size: 26, space: 90, incrs: STEPS, values: (_u, v) => v.map((t) => fmtTick(t, v.length > 1 ? v[1] - v[0] : 1)) },
			{ ...axis, size: 76, space: 24, ...(format === 1 ? { incrs: BYTES } : {}), values: (_u, v) => v.map((n) => fmtValue(n, format).replace(/\.0+ /, " ")) },
		],
		series: [
			{ label: "at", value: (_u, t) => t == null ? "–" : fmtTick(t, Math.max(1, duration.peek() / 1e6)) },
			{ label, stroke: color("--accent"), width: 1.5, paths: steps, value: (_u, v) => v == null ? "–" : fmtValue(v, format), points: { show: false } },
			hidden("least"), hidden("greatest"),
		],
		bands: [{ series: [3, 2], fill: color("--accent") + "77" }],
		hooks: {
			setSelect: [(u) => {
				if (u.select.width > 3)
					setRange(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
				u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
			}],
		},
	};
}

export function Curve({ id, label, format, get, gen, height = 150 }: { id: string; label: string; format?: number; get: (res: number, i: number) => Promise<PlotTile>; gen: number; height?: number }) {
	const box = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | null>(null);
	const shown = useRef<Range>({ t0: 0, t1: 1 }); // all curves share the time axis, wherever their values begin
	const end = useMemo(() => duration.peek(), [id, gen]); // a live trace is longer on each render
	const kept = useMemo<Kept>(() => new Map(), [id]);
	const r = range.value ?? { t0: 0, t1: end };
	shown.current = r;
	const l = useLoad([id, r.t0, r.t1, gen].join("|"), () => loadCurve(get, r.t0, r.t1, end, kept));
	useEffect(() => {
		const b = box.current;
		if (!b || !l.data)
			return;
		const u = new uPlot(options(b.clientWidth, height, format, label, () => shown.current), l.data, b);
		plot.current = u;
		const resize = new ResizeObserver(() => u.setSize({ width: b.clientWidth, height }));
		resize.observe(b);
		return () => {
			resize.disconnect();
			u.destroy();
			plot.current = null;
		};
	}, [l.data !== null, theme.value, label, format]);
	useEffect(() => {
		if (l.data)
			plot.current?.setData(l.data);
	}, [l.data]);
	return <div class="curve" ref={box} role="img" aria-label={`Curve of ${label}`}>{l.error && <p class="bad">{l.error}</p>}</div>;
}
