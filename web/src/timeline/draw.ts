// Draws the rows in sight: strips of pixels first, labels on them, then curves.
import { elide, fmtDur, fmtTick, niceStep, shortName } from "../format";
import { nameOf } from "../names";
import type { Rgb } from "../theme";
import type { Palette } from "./colors";
import type { PlotStore } from "./plots";
import type { Row, Stripe } from "./layout";
import { type Box, type Lit, Raster, type Scale, type Style } from "./raster";
import type { TileStore } from "./tiles";

export interface Colors extends Style {
	text: string;
	muted: string;
	line: string;
	grid: string;
	accent: string;
	warn: string;
	bg: string;
	panel: string;
	signpost: string;
}

/** #rgb or #rrggbb */
function parse(v: string): Rgb {
	const hex = v.trim().slice(1);
	const n = parseInt(hex.length === 3 ? hex.replace(/./g, "$&$&") : hex, 16);
	return [n >> 16 & 255, n >> 8 & 255, n & 255];
}

/** The theme's colours from the style sheet, which is the one place that has them. */
export function readColors(): Colors {
	const s = getComputedStyle(document.documentElement);
	const v = (name: string) => s.getPropertyValue(name).trim();
	const bg = parse(v("--bg"));
	const soft = parse(v("--line-soft"));
	return {
		background: bg, neutral: parse(v("--neutral")),
		edge: (0xff000000 | bg[2] << 16 | bg[1] << 8 | bg[0]) >>> 0,
		loading: (0xff000000 | soft[2] << 16 | soft[1] << 8 | soft[0]) >>> 0,
		text: v("--text"), muted: v("--muted"), line: v("--line"), grid: v("--line-soft"), accent: v("--accent"),
		warn: v("--warn"), bg: v("--bg"), panel: v("--panel"), signpost: v("--signpost"),
	};
}

/** One stripe as it was drawn, for the pointer. */
export interface Drawn {
	row: Row;
	stripe: Stripe;
	y: number;
	boxes: Box[];
}

export const FONT = '11px Inter, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif';

export class Painter {
	private strip: HTMLCanvasElement | OffscreenCanvas = document.createElement("canvas");
	private image: ImageData | null = null;
	private widths = new Map<string, number>();
	drawn: Drawn[] = [];

	constructor(private readonly ctx: CanvasRenderingContext2D, private readonly palette: Palette) {}

	/** TOP is the scroll position, DPR the device pixels of a CSS pixel, HEIGHT in CSS pixels. */
	rows(rows: Row[], top: number, height: number, scale: Scale, dpr: number, store: TileStore, plots: PlotStore, lit: Lit, c: Colors): void {
		const { ctx } = this;
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.fillStyle = c.bg;
		ctx.fillRect(0, 0, scale.width, Math.ceil(height * dpr));
		this.grid(scale, height, dpr, c);
		this.separators(rows, top, scale, dpr, c);
		this.drawn = this.stripes(rows, top, height, scale, dpr, store, lit, c);
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		this.labels(dpr, scale.width / dpr);
		for (const r of rows)
			if (r.warning) {
				ctx.fillStyle = c.warn;
				ctx.fillText(r.warning, 8, r.y - top + 9);
			}
		for (const r of rows)
			if (r.kind === "plot" && r.track)
				plots.draw(ctx, r.track, { t0: scale.t0, ns: scale.ns * dpr, width: scale.width / dpr, res: scale.res }, r.y - top, r.h, c);
	}

	private grid(scale: Scale, height: number, dpr: number, c: Colors): void {
		const { ctx } = this;
		ctx.fillStyle = c.grid;
		for (const x of ticks(scale, dpr).xs)
			ctx.fillRect(Math.round(x), 0, 1, height * dpr);
	}

	private separators(rows: Row[], top: number, scale: Scale, dpr: number, c: Colors): void {
		const { ctx } = this;
		for (const r of rows) {
			const y = Math.round((r.y - top) * dpr);
			if (r.kind === "process" || r.kind === "device" || r.kind === "group") {
				ctx.fillStyle = c.panel;
				ctx.fillRect(0, y, scale.width, Math.round(r.h * dpr));
			}
			ctx.fillStyle = c.grid;
			ctx.fillRect(0, Math.round((r.y + r.h - top) * dpr) - 1, scale.width, 1);
		}
	}

	private stripes(rows: Row[], top: number, height: number, scale: Scale, dpr: number, store: TileStore, lit: Lit, c: Colors): Drawn[] {
		const list: Drawn[] = [];
		for (const row of rows)
			for (const stripe of row.stripes) {
				const y = row.y + stripe.y - top;
				if (y + stripe.h > 0 && y < height)
					list.push({ row, stripe, y, boxes: [] });
			}
		if (list.length === 0)
			return list;
		const w = scale.width;
		if (!this.image || this.image.width !== w || this.image.height < list.length) {
			this.image = new ImageData(w, Math.max(64, list.length + 32));
			this.strip.width = w;
			this.strip.height = this.image.height;
		}
		const pixels = new Uint32Array(this.image.data.buffer);
		pixels.fill(0, 0, w * list.length);
		const raster = new Raster(this.palette, c, lit);
		list.forEach((d, i) => { d.boxes = raster.stripe(pixels.subarray(i * w, (i + 1) * w), d.stripe, store, scale); });
		const sctx = this.strip.getContext("2d") as CanvasRenderingContext2D;
		sctx.putImageData(this.image, 0, 0, 0, 0, w, list.length);
		this.ctx.imageSmoothingEnabled = false;
		list.forEach((d, i) => {
			const y = Math.round(d.y * dpr);
			this.ctx.drawImage(this.strip, 0, i, w, 1, 0, y, w, Math.max(1, Math.round((d.y + d.stripe.h) * dpr) - y));
		});
		return list;
	}

	private width(text: string): number {
		let w = this.widths.get(text);
		if (w === undefined) {
			if (this.widths.size > 20000)
				this.widths.clear();
			w = this.ctx.measureText(text).width;
			this.widths.set(text, w);
		}
		return w;
	}

	private labels(dpr: number, right: number): void {
		const { ctx } = this;
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		for (const black of [true, false]) {
			ctx.fillStyle = black ? "#0b0e12" : "#ffffff";
			for (const d of this.drawn) {
				if (!d.stripe.labels)
					continue;
				const y = d.y + d.stripe.h / 2 + 0.5;
				for (const b of d.boxes) {
					if (b.paint.black !== black || !b.lit || b.x1 - b.x0 < 22 * dpr)
						continue;
					const x0 = Math.max(0, b.x0 / dpr) + 4;
					const room = Math.min(right, b.x1 / dpr) - x0 - 3;
					this.label(shortName(nameOf(b.name)), x0, y, room);
				}
			}
		}
	}

	private label(text: string, x: number, y: number, room: number): void {
		let s = text;
		if (this.width(s) > room) {
			let chars = Math.floor(room * text.length / this.width(text));
			s = elide(text, chars);
			while (chars > 2 && this.width(s) > room)
				s = elide(text, --chars);
			if (chars < 3)
				return;
		}
		this.ctx.fillText(s, x, y);
	}
}

/** Where the ruler has its lines, in device pixels. */
export function ticks(scale: Scale, dpr: number): { xs: number[]; ts: number[]; step: number } {
	const step = niceStep(Math.max(1, 110 * dpr * scale.ns));
	const xs: number[] = [], ts: number[] = [];
	for (let k = Math.ceil(scale.t0 / step); ; k++) {
		const x = (k * step - scale.t0) / scale.ns;
		if (x > scale.width || xs.length > 200)
			break;
		xs.push(x);
		ts.push(k * step);
	}
	return { xs, ts, step };
}

/** Times are told from the start of the trace; when they need too many figures, from the tick before the view. */
export function drawRuler(ctx: CanvasRenderingContext2D, scale: Scale, dpr: number, height: number, c: Colors): void {
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.fillStyle = c.panel;
	ctx.fillRect(0, 0, scale.width / dpr, height);
	const { xs, ts, step } = ticks(scale, dpr);
	const far = Math.abs(scale.t0) / step > 1e5 && ts.length > 0;
	const base = far ? ts[0] : 0;
	ctx.font = FONT;
	ctx.textBaseline = "middle";
	xs.forEach((x, i) => {
		ctx.fillStyle = c.line;
		ctx.fillRect(Math.round(x) / dpr, height - 7, 1 / dpr, 7);
		for (let k = 1; k < 5; k++)
			ctx.fillRect(Math.round(x + k * step / 5 / scale.ns) / dpr, height - 3, 1 / dpr, 3);
		const text = far && i === 0 ? fmtTick(base, step) : far ? "+" + fmtDur(ts[i] - base) : fmtTick(ts[i], step);
		ctx.fillStyle = far && i === 0 ? c.text : c.muted;
		ctx.fillText(text, x / dpr + 4, height - 11);
	});
}
