// SPDX-License-Identifier: Apache-2.0
// Curves: per pixel the least and greatest value and the last one, in tiles like those of zones.
import { signal } from "@preact/signals";
import { api, isAbort } from "../api";
import { fmtValue } from "../format";
import type { PlotTile, Track } from "../types";
import type { Colors } from "./draw";
import { type Scale, tileSpan } from "./raster";

const KEEP = 600;

interface Entry {
	tile: PlotTile | null;
	gen: number;
	fetched: number;
	busy: boolean;
}

export class PlotStore {
	private tiles = new Map<string, Entry>();
	gen = 0;
	live = false;
	/** Grows with each response. */
	readonly version = signal(0);

	constructor(readonly trace: number, private readonly onData: () => void) {}

	private get(track: Track, res: number, i: number): PlotTile | null {
		const key = `${track.id}:${res}:${i}`;
		let e = this.tiles.get(key);
		const stale = e && this.live && e.gen < this.gen && performance.now() - e.fetched > 250;
		if (!e || (stale && !e.busy)) {
			e ??= { tile: null, gen: this.gen, fetched: 0, busy: true };
			this.tiles.delete(key);
			this.tiles.set(key, e);
			e.busy = true;
			void this.fetch(e, track, res, i);
			if (this.tiles.size > KEEP)
				this.tiles.delete(this.tiles.keys().next().value as string);
		}
		return e.tile;
	}

	private async fetch(e: Entry, track: Track, res: number, i: number): Promise<void> {
		const gen = this.gen;
		try {
			const q = { track: track.id, res, i };
			e.tile = track.kind === "memory" ? await api.memoryTile(this.trace, q) : await api.plot(this.trace, q);
			this.version.value++;
			this.onData();
		} catch (err) {
			if (!isAbort(err)) // retry on the next draw
				this.tiles.delete(`${track.id}:${res}:${i}`);
		}
		e.gen = gen;
		e.fetched = performance.now();
		e.busy = false;
	}

	/** The visible points in time order. */
	points(track: Track, scale: Scale): { points: PlotTile["points"]; before: number | null } {
		const span = tileSpan(scale.res);
		const first = Math.max(0, Math.floor(scale.t0 / span)), last = Math.floor((scale.t0 + scale.width * scale.ns) / span);
		const points: PlotTile["points"] = [];
		let before: number | null = null;
		for (let i = first; i <= last; i++) {
			const t = this.get(track, scale.res, i);
			if (!t)
				continue;
			if (i === first)
				before = t.before ?? null;
			points.push(...t.points);
		}
		return { points, before };
	}

	/** The value at a time, and the least and greatest one of its pixel if there are several. */
	valueAt(track: Track, scale: Scale, t: number): string | null {
		const { points, before } = this.points(track, scale);
		const format = track.kind === "memory" ? 1 : track.format;
		let p: PlotTile["points"][number] | null = null;
		for (const q of points) {
			if (q[0] > t)
				break;
			p = q;
		}
		const near = p !== null && p[1] !== p[2] && t - p[0] < 2 * scale.ns;
		const v = p ? p[3] : before;
		return v === null ? null : fmtValue(v, format) + (near && p ? ` (${fmtValue(p[1], format)} … ${fmtValue(p[2], format)})` : "");
	}

	/** All in CSS pixels. */
	draw(ctx: CanvasRenderingContext2D, track: Track, scale: Scale, y: number, h: number, c: Colors): void {
		const { points, before } = this.points(track, scale);
		if (points.length === 0 && before === null)
			return;
		let lo = before ?? Infinity, hi = before ?? -Infinity;
		for (const p of points) {
			lo = Math.min(lo, p[1]);
			hi = Math.max(hi, p[2]);
		}
		if (lo > 0 && lo < hi * 0.7)
			lo = 0;
		const flat = hi === lo;
		const format = track.kind === "memory" ? 1 : track.format;
		const bottom = y + h - 6, top = y + 8;
		const py = (v: number) => flat ? (top + bottom) / 2 : bottom - (v - lo) / (hi - lo) * (bottom - top);
		const px = (t: number) => (t - scale.t0) / scale.ns;
		ctx.save();
		ctx.beginPath();
		ctx.rect(0, y, scale.width, h);
		ctx.clip();
		ctx.beginPath();
		let last = before;
		const left = last !== null || points.length === 0 ? 0 : Math.max(0, px(points[0][0]));
		if (last !== null)
			ctx.moveTo(0, py(last));
		for (const p of points) {
			const x = px(p[0]);
			if (last === null)
				ctx.moveTo(x, py(p[3]));
			else
				ctx.lineTo(x, py(last));
			if (p[1] !== p[2]) {
				ctx.lineTo(x, py(p[1]));
				ctx.lineTo(x, py(p[2]));
			}
			ctx.lineTo(x, py(p[3]));
			last = p[3];
		}
		if (last !== null)
			ctx.lineTo(scale.width, py(last));
		ctx.strokeStyle = c.accent;
		ctx.lineWidth = 1.25;
		ctx.stroke();
		ctx.lineTo(scale.width, bottom);
		ctx.lineTo(left, bottom);
		ctx.globalAlpha = 0.12;
		ctx.fillStyle = c.accent;
		ctx.fill();
		ctx.restore();
		this.value(ctx, fmtValue(hi, format), y + 2, c);
		if (!flat)
			this.value(ctx, fmtValue(lo, format), y + h - 16, c);
	}

	private value(ctx: CanvasRenderingContext2D, text: string, y: number, c: Colors): void {
		ctx.globalAlpha = 0.8;
		ctx.fillStyle = c.bg;
		ctx.fillRect(0, y, ctx.measureText(text).width + 8, 14);
		ctx.globalAlpha = 1;
		ctx.fillStyle = c.muted;
		ctx.textBaseline = "middle";
		ctx.fillText(text, 4, y + 7.5);
	}
}
