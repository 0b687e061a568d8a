// SPDX-License-Identifier: Apache-2.0
// A histogram of durations with lines for median, mean and p99.
import { useState } from "preact/hooks";
import { fmtCount, fmtDur, fmtPct } from "../format";
import type { Hist } from "../types";

export interface HistOptions {
	logCount: boolean;
	cumulate: boolean;
	logTime: boolean;
}

interface Series {
	hist: Hist;
	className: string;
	label: string;
}

const W = 640, H = 190, BOTTOM = 20, LEFT = 4;

interface Props {
	series: Series[];
	options: HistOptions;
	normalise?: boolean;
	/** Durations that are chosen, and what dragging over bars chooses. */
	chosen?: [number, number] | null;
	onChoose?: (range: [number, number] | null) => void;
}

export function Histogram({ series, options, normalise = false, chosen = null, onChoose }: Props) {
	const [at, setAt] = useState<number | null>(null);
	const [from, setFrom] = useState<number | null>(null);
	const bins = series.find((s) => s.hist.bins.length > 0)?.hist.bins ?? []; // of two traces one may have none
	if (bins.length === 0)
		return <p class="dim">No zones in this range.</p>;
	const lo = bins[0][0], hi = bins[bins.length - 1][1];
	const x = (v: number) => {
		const f = options.logTime ? (Math.log(Math.max(v, 1)) - Math.log(Math.max(lo, 1))) / Math.max(1e-9, Math.log(Math.max(hi, 1)) - Math.log(Math.max(lo, 1))) : (v - lo) / Math.max(1e-9, hi - lo);
		return LEFT + Math.max(0, Math.min(1, f)) * (W - 2 * LEFT);
	};
	const heights = series.map((s) => {
		let sum = 0;
		const v = s.hist.bins.map((b) => options.cumulate ? (sum += b[2]) : b[2]);
		const scale = normalise ? 1 / Math.max(1, s.hist.count) : 1;
		return v.map((n) => n * scale);
	});
	const top = Math.max(...heights.flat(), 1e-12);
	const least = normalise ? 1 / Math.max(...series.map((s) => s.hist.count), 1) : 1;
	const y = (n: number) => {
		const f = n <= 0 ? 0 : options.logCount ? (Math.log(n / least) + 0.7) / (Math.log(top / least) + 0.7) : n / top;
		return (H - BOTTOM - 6) * Math.max(n > 0 ? 0.012 : 0, f);
	};
	const lines = series.length === 1 ? [["median", series[0].hist.median], ["mean", series[0].hist.mean], ["p99", series[0].hist.p99]] as [string, number][] : [];
	const b = at === null ? null : bins[at];
	const binAt = (e: PointerEvent & { currentTarget: Element }) => {
		const r = e.currentTarget.getBoundingClientRect();
		const px = (e.clientX - r.left) / r.width * W;
		const i = bins.findIndex((k) => x(k[1]) >= px);
		return i < 0 ? bins.length - 1 : i;
	};
	const dragged = from !== null && at !== null ? [bins[Math.min(from, at)][0], bins[Math.max(from, at)][1]] as [number, number] : null;
	const lit = dragged ?? chosen;
	return (
		<figure class="histogram">
			<svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Histogram of ${fmtCount(series[0].hist.count)} durations from ${fmtDur(lo)} to ${fmtDur(hi)}, median ${fmtDur(series[0].hist.median)}`}
				class={onChoose ? "choose" : undefined} onPointerLeave={() => setAt(null)} onPointerMove={(e) => setAt(binAt(e))}
				onPointerDown={(e) => {
					if (!onChoose || e.button !== 0)
						return;
					e.currentTarget.setPointerCapture(e.pointerId);
					setFrom(binAt(e));
					e.preventDefault();
				}} onPointerUp={(e) => {
					if (from === null)
						return;
					const i = binAt(e);
					setFrom(null);
					onChoose?.(i === from && chosen ? null : [bins[Math.min(from, i)][0], bins[Math.max(from, i)][1]]);
				}} onPointerCancel={() => setFrom(null)}>
				{lit && <rect class="chosen" x={x(lit[0])} width={Math.max(1, x(lit[1]) - x(lit[0]))} y={4} height={H - BOTTOM - 4} />}
				{series.map((s, k) => s.hist.bins.map((bin, i) => {
					const h = y(heights[k][i]);
					return h > 0 && <rect key={`${k}:${i}`} class={s.className + (at === i ? " at" : "")} x={x(bin[0])} width={Math.max(0.8, x(bin[1]) - x(bin[0]) - 0.6)} y={H - BOTTOM - h} height={h} />;
				}))}
				<line class="axis" x1={LEFT} x2={W - LEFT} y1={H - BOTTOM} y2={H - BOTTOM} />
				{lines.map(([name, v], i) => (
					<g key={name} class="quantile"><line x1={x(v)} x2={x(v)} y1={4} y2={H - BOTTOM} /><text x={x(v) > W - 60 ? x(v) - 4 : x(v) + 4} y={13 + 13 * i} text-anchor={x(v) > W - 60 ? "end" : "start"}>{name}</text></g>
				))}
				<text x={LEFT} y={H - 5}>{fmtDur(lo)}</text>
				<text x={W - LEFT} y={H - 5} text-anchor="end">{fmtDur(hi)}</text>
				<text x={W / 2} y={H - 5} text-anchor="middle">{options.logTime ? "duration (log)" : "duration"}</text>
			</svg>
			<figcaption>{b
				? <>{fmtDur(b[0])} … {fmtDur(b[1])}: {series.map((s) => <span key={s.label}>{series.length > 1 ? `${s.label} ` : ""}<b>{fmtCount(s.hist.bins[at as number]?.[2] ?? 0)}</b> zones, {fmtPct(100 * (s.hist.bins[at as number]?.[2] ?? 0) / Math.max(1, s.hist.count))} </span>)}</>
				: " "}</figcaption>
		</figure>
	);
}
