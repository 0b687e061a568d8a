// SPDX-License-Identifier: Apache-2.0
// Draws the visible rows: strips of pixels first, labels on them, then curves.
import { elide, fmtDur, fmtTick, niceStep, shortName } from "../format";
import { nameOf } from "../names";
import type { Rgb } from "../theme";
import type { Palette } from "./colors";
import type { PlotStore } from "./plots";
import type { Row, Screen, Stripe } from "./layout";
import { type Box, type Label, type Lit, Raster, type Scale, type Style } from "./raster";
import type { TileStore } from "./tiles";

export interface Colors extends Style {
	panelPixel: number;
	gridPixel: number;
	text: string;
	muted: string;
	line: string;
	grid: string;
	accent: string;
	warn: string;
	bg: string;
	panel: string;
	signpost: string;
	path: string;
}

function pixelOf(c: Rgb): number {
	return (0xff000000 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0;
}

/** #rgb or #rrggbb */
function parse(v: string): Rgb {
	const hex = v.trim().slice(1);
	const n = parseInt(hex.length === 3 ? hex.replace(/./g, "$&$&") : hex, 16);
	return [n >> 16 & 255, n >> 8 & 255, n & 255];
}

/** The theme's colours, read from the style sheet, their only source. */
export function readColors(): Colors {
	const s = getComputedStyle(document.documentElement);
	const v = (name: string) => s.getPropertyValue(name).trim();
	const bg = parse(v("--bg"));
	const soft = pixelOf(parse(v("--line-soft")));
	const neutral = parse(v("--neutral"));
	return {
		background: bg, neutral, neutralPixel: pixelOf(neutral), edge: pixelOf(bg), loading: soft, gridPixel: soft, panelPixel: pixelOf(parse(v("--panel"))),
		text: v("--text"), muted: v("--muted"), line: v("--line"), grid: v("--line-soft"), accent: v("--accent"),
		warn: v("--warn"), bg: v("--bg"), panel: v("--panel"), signpost: v("--signpost"), path: v("--path"),
	};
}

/** A drawn stripe, for hit tests. */
export class Drawn {
	private found: Box[] | null = null;

	constructor(readonly row: Row, readonly stripe: Stripe, readonly y: number, private readonly raster: Raster) {}

	get boxes(): Box[] {
		return this.found ??= this.raster.boxesOf(this.stripe);
	}
}

/** A name as drawn, and its width. */
interface Cut {
	text: string;
	width: number;
}

/** Minimum width of a box with a name, in CSS pixels. */
const LABEL_MIN = 22;
/** Size of the cache of cut names. */
const CUTS = 5000;

export const FONT = '11px Inter, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif';

export class Painter {
	/** A stripe's pixels for the canvas; all its rows are equal. */
	private block = new ImageData(1, 1);
	private readonly cuts = new Map<string, Cut[]>();
	private labels: (Label & { y: number })[] = [];
	/** Another name for a zone between two device pixels: that of the op it dispatches. */
	rename: (name: number, x0: number, x1: number) => string | null = () => null;
	drawn: Drawn[] = [];

	constructor(private readonly ctx: CanvasRenderingContext2D, private readonly palette: Palette) {}

	/**
	 * The rows that scroll, then the pinned ones above them. DPR: device pixels per CSS pixel, HEIGHT in CSS pixels; MORE
	 * draws the other contents of rows.
	 */
	rows(screen: Screen, height: number, scale: Scale, dpr: number, store: TileStore, plots: PlotStore, lit: Lit, c: Colors, more: (rows: Row[]) => void): void {
		const raster = new Raster(this.palette, store, scale, c, lit);
		const lower = this.part(screen.scrolled, screen.edge, height, scale, dpr, plots, raster, c);
		more(screen.scrolled);
		const upper = screen.edge > 0 ? this.part(screen.pinned, 0, screen.edge, scale, dpr, plots, raster, c) : [];
		if (screen.edge > 0) {
			more(screen.pinned);
			this.ctx.setTransform(1, 0, 0, 1, 0, 0);
			this.ctx.fillStyle = c.muted;
			this.ctx.fillRect(0, Math.round(screen.edge * dpr) - 1, scale.width, 1);
		}
		this.drawn = [...upper, ...lower];
	}

	/** The rows between two heights. */
	private part(rows: Row[], y0: number, y1: number, scale: Scale, dpr: number, plots: PlotStore, raster: Raster, c: Colors): Drawn[] {
		const { ctx } = this;
		const first = Math.round(y0 * dpr), height = Math.ceil(y1 * dpr) - first;
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.fillStyle = c.bg;
		ctx.fillRect(0, first, scale.width, height);
		ctx.fillStyle = c.grid;
		for (const x of ticks(scale, dpr).xs)
			ctx.fillRect(Math.round(x), first, 1, height);
		this.separators(rows, scale, dpr, c);
		const drawn = this.stripes(rows, y0, y1, scale, dpr, raster, c);
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		this.drawLabels(dpr, scale.width / dpr);
		for (const r of rows)
			if (r.warning) {
				ctx.fillStyle = c.warn;
				ctx.fillText(r.warning, 8, r.y + 9);
			}
		for (const r of rows)
			if (r.kind === "plot" && r.track)
				plots.draw(ctx, r.track, { t0: scale.t0, ns: scale.ns * dpr, width: scale.width / dpr, res: scale.res }, r.y, r.h, c);
		return drawn;
	}

	private separators(rows: Row[], scale: Scale, dpr: number, c: Colors): void {
		const { ctx } = this;
		for (const r of rows) {
			if (isGroup(r)) {
				const y = Math.round(r.y * dpr);
				ctx.fillStyle = c.panel;
				ctx.fillRect(0, y, scale.width, Math.round(r.h * dpr));
			}
			ctx.fillStyle = c.grid;
			ctx.fillRect(0, Math.round((r.y + r.h) * dpr) - 1, scale.width, 1);
		}
	}

	private stripes(rows: Row[], y0: number, y1: number, scale: Scale, dpr: number, raster: Raster, c: Colors): Drawn[] {
		const list: Drawn[] = [];
		this.labels = [];
		for (const row of rows)
			for (const stripe of row.stripes) {
				const y = row.y + stripe.y;
				if (y + stripe.h > y0 && y < y1)
					list.push(new Drawn(row, stripe, y, raster));
			}
		const place = (d: Drawn) => {
			const y = Math.round(d.y * dpr);
			return { y, h: Math.max(1, Math.round((d.y + d.stripe.h) * dpr) - y) };
		};
		const w = scale.width, tallest = list.reduce((h, d) => Math.max(h, place(d).h), 1);
		if (this.block.width !== w || this.block.height < tallest)
			this.block = new ImageData(w, tallest);
		const pixels = new Uint32Array(this.block.data.buffer), first = pixels.subarray(0, w);
		const plain = this.ground(scale, dpr, c), panel = new Uint32Array(w).fill(c.panelPixel);
		for (const d of list) {
			const found: Label[] = [];
			first.fill(0);
			raster.stripe(first, d.stripe, d.stripe.labels ? LABEL_MIN * dpr : Infinity, found);
			for (const l of found)
				this.labels.push({ ...l, y: d.y + d.stripe.h / 2 + 0.5 });
			if (!lay(first, isGroup(d.row) ? panel : plain))
				continue;
			const { y, h } = place(d);
			for (let k = 1; k < h; k++)
				pixels.copyWithin(k * w, 0, w);
			this.ctx.putImageData(this.block, 0, y, 0, 0, w, h); // without a GPU twice as fast as stretching an image
		}
		return list;
	}

	/** The ground below stripes of rows other than groups: background and ruler lines. */
	private ground(scale: Scale, dpr: number, c: Colors): Uint32Array {
		const row = new Uint32Array(scale.width).fill(c.edge);
		for (const x of ticks(scale, dpr).xs)
			row[Math.round(x)] = c.gridPixel;
		return row;
	}

	private drawLabels(dpr: number, right: number): void {
		const { ctx } = this;
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		for (const black of [true, false]) {
			ctx.fillStyle = black ? "#0b0e12" : "#ffffff";
			for (const l of this.labels) {
				if (l.black !== black)
					continue;
				const x = Math.max(0, l.x0 / dpr) + 4;
				const text = this.fitting(this.rename(l.name, l.x0, l.x1) ?? shortName(nameOf(l.name)), Math.min(right, l.x1 / dpr) - x - 3);
				if (text)
					ctx.fillText(text, x, l.y);
			}
		}
	}

	/** A name cut to ROOM; "" if there is too little. */
	private fitting(name: string, room: number): string {
		let cuts = this.cuts.get(name);
		if (!cuts) {
			if (this.cuts.size > CUTS)
				this.cuts.clear();
			this.cuts.set(name, cuts = []);
		}
		let chars = name.length;
		let cut = this.cut(cuts, name, chars);
		if (cut.width <= room)
			return name;
		chars = Math.floor(room * chars / cut.width);
		cut = this.cut(cuts, name, chars);
		while (chars > 2 && cut.width > room)
			cut = this.cut(cuts, name, --chars);
		return chars < 3 ? "" : cut.text;
	}

	private cut(cuts: Cut[], name: string, chars: number): Cut {
		const known = cuts[chars];
		if (known)
			return known;
		const text = elide(name, chars);
		return cuts[chars] = { text, width: this.ctx.measureText(text).width };
	}
}

function isGroup(r: Row): boolean {
	return r.kind === "process" || r.kind === "device" || r.kind === "group";
}

/** Blends pixels over the ground: empty ones show it. False if all are empty. */
function lay(row: Uint32Array, ground: Uint32Array): boolean {
	let any = false;
	for (let x = 0; x < row.length; x++)
		if (row[x] === 0)
			row[x] = ground[x];
		else
			any = true;
	return any;
}

/** Positions of the ruler lines, in device pixels. */
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

/** Times count from the start of the trace; if they need too many digits, from the tick before the view. */
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
