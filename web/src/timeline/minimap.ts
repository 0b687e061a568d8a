// SPDX-License-Identifier: Apache-2.0
// The whole trace in one strip: how busy the host (above) and the devices (below) are, and where the view is.
import type { Meta } from "../types";
import type { Range } from "../state";
import type { Colors } from "./draw";
import { Priority } from "../api";
import { some } from "./layout";
import { resolutionFor, tileSpan } from "./raster";
import { EMPTY, TILE_PX, TileStore } from "./tiles";

const COLUMNS = 1024;

export class Minimap {
	private readonly store: TileStore;
	private readonly canvas = document.createElement("canvas");
	private drawn = "";
	private lanes: { host: number[]; device: number[] } = { host: [], device: [] };

	constructor(trace: number, onData: () => void) {
		this.store = new TileStore(trace, onData);
	}

	setMeta(m: Meta, live: boolean): void {
		const of = (core: boolean) => m.tracks.filter((t) => (t.kind === "core") === core && t.lanes.length > 0)
			.map((t) => (core ? t.lanes[1] ?? t.lanes[0] : t.lanes[0])[0]);
		this.lanes = { host: some(of(false)), device: some(of(true)) };
		this.store.gen = m.gen;
		this.store.live = live;
		this.store.end = m.duration;
	}

	close(): void {
		this.store.close();
	}

	private sums(lanes: number[], res: number, columns: number): Float32Array {
		const out = new Float32Array(columns);
		for (let i = 0; i * TILE_PX < columns; i++) {
			const g = this.store.peek(res, i);
			if (!g)
				continue;
			for (const lane of lanes) {
				const t = g.lanes.get(lane);
				if (!t || t === EMPTY)
					continue;
				const n = Math.min(TILE_PX, columns - i * TILE_PX);
				for (let k = 0; k < n; k++)
					out[i * TILE_PX + k] += t.busy[k];
			}
		}
		return out;
	}

	/** The load, redrawn only when it changed. */
	private background(width: number, height: number, dpr: number, duration: number, c: Colors): HTMLCanvasElement {
		const res = resolutionFor(duration / COLUMNS);
		const columns = Math.max(1, Math.ceil(duration / 2 ** res));
		const all = [...this.lanes.host, ...this.lanes.device];
		const wants = [];
		for (let i = 0; i * tileSpan(res) < duration && all.length; i++)
			wants.push({ res, index: i, lanes: all, priority: Priority.normal });
		this.store.want(wants);
		const key = [width, height, dpr, duration, c.bg, this.store.version].join();
		if (key === this.drawn)
			return this.canvas;
		this.drawn = key;
		this.canvas.width = Math.max(1, Math.round(width * dpr));
		this.canvas.height = Math.max(1, Math.round(height * dpr));
		const ctx = this.canvas.getContext("2d") as CanvasRenderingContext2D;
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		ctx.fillStyle = c.bg;
		ctx.fillRect(0, 0, width, height);
		const both = this.lanes.host.length > 0 && this.lanes.device.length > 0;
		const half = both ? height / 2 : height;
		if (this.lanes.host.length)
			this.bars(ctx, this.sums(this.lanes.host, res, columns), width * 2 ** res / duration, 0, half, c.accent);
		if (this.lanes.device.length)
			this.bars(ctx, this.sums(this.lanes.device, res, columns), width * 2 ** res / duration, both ? half : 0, half, "rgb(238,154,0)");
		return this.canvas;
	}

	/** Single rectangles: one path of a thousand of them takes a second without a GPU. */
	private bars(ctx: CanvasRenderingContext2D, v: Float32Array, px: number, y: number, height: number, color: string): void {
		const top = v.reduce((a, b) => Math.max(a, b), 1);
		ctx.fillStyle = color;
		ctx.globalAlpha = 0.75;
		v.forEach((n, k) => {
			const h = Math.max(1, n / top * (height - 3));
			if (n > 0)
				ctx.fillRect(k * px, y + height - h, Math.max(px, 1), h);
		});
		ctx.globalAlpha = 1;
	}

	/** CSS pixels. */
	draw(ctx: CanvasRenderingContext2D, width: number, height: number, dpr: number, duration: number, view: Range, range: Range | null, signposts: number[], c: Colors): void {
		const background = this.background(width, height, dpr, duration, c);
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		ctx.drawImage(background, 0, 0, width, height);
		const x = (t: number) => t / duration * width;
		ctx.fillStyle = c.signpost;
		for (const t of signposts)
			ctx.fillRect(Math.round(x(t)), 0, 1, height);
		if (range) {
			ctx.globalAlpha = 0.22;
			ctx.fillStyle = c.accent;
			ctx.fillRect(x(range.t0), 0, Math.max(1, x(range.t1) - x(range.t0)), height);
			ctx.globalAlpha = 1;
		}
		const a = Math.max(0, x(view.t0)), b = Math.min(width, x(view.t1));
		ctx.globalAlpha = 0.6;
		ctx.fillStyle = c.bg;
		ctx.fillRect(0, 0, a, height);
		ctx.fillRect(b, 0, width - b, height);
		ctx.globalAlpha = 1;
		ctx.strokeStyle = c.text;
		ctx.lineWidth = 1;
		ctx.strokeRect(Math.min(a, width - 3) + 0.5, 0.5, Math.max(3, b - a - 1), height - 1);
	}
}
