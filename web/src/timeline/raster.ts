// SPDX-License-Identifier: Apache-2.0
// Turns tiles into pixels: one row of pixels per stripe, for any number of zones. Zones of two pixels
// and more become boxes. A frame may have twenty thousand of them, so drawing stores them as numbers in arrays
// that each stripe reuses; hit tests compute the boxes again.
import { type Group, type LaneTile, EMPTY, TILE_PX, type TileStore } from "./tiles";
import type { Stripe } from "./layout";
import { byThread, mix, type Palette, tinted } from "./colors";
import type { Rgb } from "../theme";

/** Maps time to device pixels. */
export interface Scale {
	t0: number;
	/** Nanoseconds per device pixel. */
	ns: number;
	width: number;
	/** The level of the tiles. */
	res: number;
}

export interface Box {
	x0: number;
	x1: number;
	name: number;
	zone: number;
	lane: number;
	lit: boolean;
}

/** A box that is wide enough for a name. */
export interface Label {
	x0: number;
	x1: number;
	name: number;
	black: boolean;
}

/** What is highlighted; everything else is dimmed. */
export interface Lit {
	name: number | null;
	zones: Map<number, Set<number>> | null;
}

export interface Style {
	background: Rgb;
	neutral: Rgb;
	neutralPixel: number;
	edge: number;
	loading: number;
}

const NONE = 0xffff;
const COARSER = 8, FINER = 2;

/** Opacity of a partly busy pixel: a single short event must be visible. */
const FULL = Float64Array.from({ length: 256 }, (_, busy) => 0.45 + 0.55 * busy / 255);
const PALE = FULL.map((f) => f * 0.3);

export function resolutionFor(ns: number): number {
	return Math.max(0, Math.min(50, Math.floor(Math.log2(Math.max(ns, 1)) + 1e-9)));
}

export function tileSpan(res: number): number {
	return TILE_PX * 2 ** res;
}

interface Found {
	group: Group;
	tile: LaneTile;
}

/** The tile of a lane, or the nearest coarser one that is loaded. */
function find(store: TileStore, lane: number, res: number, index: number): Found | null {
	for (let up = 0; up <= COARSER; up++) {
		const g = store.peek(res + up, Math.floor(index / 2 ** up));
		const tile = g?.lanes.get(lane);
		if (g && tile)
			return { group: g, tile };
	}
	return null;
}

/** Which pixels of a tile each pixel of the row from X0 on shows: the same for all lanes. */
interface Spans {
	x0: number;
	from: Uint16Array;
	to: Uint16Array;
}

function spansOf(g: Group, scale: Scale, x0: number, x1: number): Spans {
	const px = 2 ** g.res, step = scale.ns / px;
	const from = new Uint16Array(x1 - x0), to = new Uint16Array(x1 - x0);
	let p = (scale.t0 + x0 * scale.ns - g.index * tileSpan(g.res)) / px;
	for (let x = 0; x < from.length; x++, p += step) {
		const a = from[x] = Math.max(0, Math.min(TILE_PX - 1, p | 0));
		to[x] = Math.min(TILE_PX - 1, Math.max(a, Math.ceil(p + step - 1e-6) - 1));
	}
	return { x0, from, to };
}

/** A tile's position in the row, and the tile if it is loaded. */
interface Column {
	index: number;
	x0: number;
	x1: number;
	group: Group | undefined;
	spans: Spans | null;
}

/** The boxes of one stripe. */
class Boxes {
	n = 0;
	x0 = new Float64Array(1024);
	x1 = new Float64Array(1024);
	name = new Uint32Array(1024);
	zone = new Uint32Array(1024);

	/** A zone that continues across a tile edge is one box. */
	add(x0: number, x1: number, name: number, zone: number): void {
		const k = this.n - 1;
		if (k >= 0 && this.zone[k] === zone && x0 - this.x1[k] < 1.5) {
			this.x1[k] = x1;
			return;
		}
		if (this.n === this.x0.length)
			this.grow();
		this.x0[this.n] = x0;
		this.x1[this.n] = x1;
		this.name[this.n] = name;
		this.zone[this.n++] = zone;
	}

	private grow(): void {
		const more = <T extends Float64Array | Uint32Array>(old: T, now: T): T => {
			now.set(old);
			return now;
		};
		const size = 2 * this.n;
		this.x0 = more(this.x0, new Float64Array(size));
		this.x1 = more(this.x1, new Float64Array(size));
		this.name = more(this.name, new Uint32Array(size));
		this.zone = more(this.zone, new Uint32Array(size));
	}

	first(k: number): number {
		return Math.max(0, Math.round(this.x0[k]));
	}

	/** One past the last pixel. */
	last(k: number, width: number): number {
		return Math.min(width, Math.max(this.first(k) + 1, Math.round(this.x1[k])));
	}
}

/** Draws the stripes of one frame. */
export class Raster {
	private columns: Column[] = [];
	private readonly others = new Map<string, Spans>();
	private readonly boxes = new Boxes();
	private total = new Float32Array(0);
	private out: Uint32Array = new Uint32Array(0);
	/** The stripe's pixels by name, the common one of all names if there is one, and the one for mixed pixels. */
	private table: Uint32Array = new Uint32Array(0);
	private only = 0;
	private none = 0;

	constructor(private readonly palette: Palette, private readonly store: TileStore, private readonly scale: Scale, private readonly style: Style, private readonly lit: Lit) {
		const span = tileSpan(scale.res);
		const first = Math.floor(scale.t0 / span), last = Math.floor((scale.t0 + scale.width * scale.ns) / span);
		for (let i = Math.max(0, first); i <= last; i++)
			this.columns.push({ index: i, ...this.edges(scale.res, i), group: store.peek(scale.res, i), spans: null });
	}

	private edges(res: number, index: number): { x0: number; x1: number } {
		const { t0, ns, width } = this.scale, span = tileSpan(res);
		return { x0: Math.max(0, Math.floor((index * span - t0) / ns)), x1: Math.min(width, Math.floor(((index + 1) * span - t0) / ns)) };
	}

	/** Draws a stripe into row OUT (scale.width pixels, cleared by the caller) and adds the boxes of LEAST pixels to LABELS. */
	stripe(out: Uint32Array, s: Stripe, least: number, labels: Label[]): void {
		this.out = out;
		this.boxes.n = 0;
		if (s.lanes.length !== 1) {
			for (const c of this.columns)
				this.sum(s, c);
			return;
		}
		this.table = this.palette.pixels(s);
		this.only = byThread(s) ? this.palette.of(s, NONE).pixel : 0;
		this.none = tinted(s) ? this.palette.of(s, NONE).pixel : this.style.neutralPixel;
		for (const c of this.columns)
			this.column(s, c);
		for (let k = 0; k < this.boxes.n; k++)
			this.box(s, k, least, labels);
	}

	/** Computes the boxes of a stripe again, for hit tests. */
	boxesOf(s: Stripe): Box[] {
		const lane = s.lanes[0];
		this.stripe(new Uint32Array(this.scale.width), s, Infinity, []);
		const { n, x0, x1, name, zone } = this.boxes;
		return Array.from({ length: n }, (_, k) => ({ x0: x0[k], x1: x1[k], name: name[k], zone: zone[k], lane, lit: this.isLit(s, name[k], zone[k]) }));
	}

	/** Zones of an op are on cores: the host's stay as they are. */
	private isLit(s: Stripe, name: number, zone: number): boolean {
		const { name: lit, zones } = this.lit;
		return (lit === null || lit === name) && (zones === null || !s.device || zones.get(s.lanes[0])?.has(zone) === true);
	}

	private column(s: Stripe, c: Column): void {
		const tile = c.group?.lanes.get(s.lanes[0]);
		if (c.x1 <= c.x0 || tile === EMPTY)
			return;
		if (c.group && tile)
			this.lane(s, c.group, tile, c.spans ??= spansOf(c.group, this.scale, c.x0, c.x1), c.x0, c.x1);
		else
			this.substitute(s, this.scale.res, c.index);
	}

	/** A tile that is not loaded yet is drawn from coarser or finer ones. */
	private substitute(s: Stripe, res: number, index: number): void {
		const { x0, x1 } = this.edges(res, index);
		if (x1 <= x0)
			return;
		const f = find(this.store, s.lanes[0], res, index);
		if (f) {
			if (f.tile !== EMPTY)
				this.lane(s, f.group, f.tile, this.spans(f.group, x0, x1), x0, x1);
		} else if (res > Math.max(0, this.scale.res - FINER)) {
			this.substitute(s, res - 1, 2 * index);
			this.substitute(s, res - 1, 2 * index + 1);
		} else {
			for (let x = x0; x < x1; x++)
				if ((x & 7) < 4)
					this.out[x] = this.style.loading;
		}
	}

	private spans(g: Group, x0: number, x1: number): Spans {
		const key = [g.res, g.index, x0].join();
		let v = this.others.get(key);
		if (!v)
			this.others.set(key, v = spansOf(g, this.scale, x0, x1));
		return v;
	}

	/** Skips the pixels that boxes will cover. */
	private lane(s: Stripe, g: Group, tile: LaneTile, spans: Spans, x0: number, x1: number): void {
		const { boxes, scale } = this;
		const before = boxes.n;
		this.find(g, tile, x0, x1);
		let x = before > 0 ? Math.max(x0, boxes.last(before - 1, scale.width)) : x0;
		for (let k = before; k < boxes.n; k++) {
			this.pixels(s, tile, spans, x, Math.min(x1, boxes.first(k)));
			x = Math.max(x, boxes.last(k, scale.width));
		}
		this.pixels(s, tile, spans, x, x1);
	}

	private pixel(s: Stripe, name: number): number {
		return this.only || this.table[name] || (this.table[name] = this.palette.of(s, name).pixel);
	}

	/** Zones too small for boxes: a pixel takes the colour of the busiest tile pixel in it. */
	private pixels(s: Stripe, tile: LaneTile, spans: Spans, x0: number, x1: number): void {
		const { busy, dom } = tile;
		const { from, to, x0: at0 } = spans;
		const { out, lit: { name: litName, zones }, style: { background: [red, green, blue] } } = this;
		let name = -1, busiest = -1, color = 0, pixel = 0;
		for (let x = x0; x < x1; x++) {
			let at = from[x - at0], most = busy[at];
			for (let k = at + 1, end = to[x - at0]; k <= end; k++)
				if (busy[k] > most) {
					most = busy[k];
					at = k;
				}
			if (most === 0)
				continue;
			if (dom[at] !== name || most !== busiest) {
				if (dom[at] !== name) {
					name = dom[at];
					color = name === NONE ? this.none : this.pixel(s, name);
				}
				busiest = most;
				const f = ((zones !== null && s.device) || (litName !== null && name !== litName) ? PALE : FULL)[most], g = 1 - f;
				pixel = 0xff000000 | (blue * g + (color >>> 16 & 255) * f) << 16 | (green * g + (color >>> 8 & 255) * f) << 8 | (red * g + (color & 255) * f);
			}
			out[x] = pixel;
		}
	}

	/** The boxes of a tile that are between two pixels. */
	private find(g: Group, tile: LaneTile, x0: number, x1: number): void {
		const r = tile.rects, { t0, ns } = this.scale;
		const px = 2 ** g.res, origin = g.index * tileSpan(g.res);
		for (let k = 0; k < r.length; k += 4) {
			const left = r[k] & 0xffff, w = r[k] >>> 16;
			const a = Math.max(x0, (origin + left * px - t0) / ns);
			const b = Math.min(x1, (origin + (left + w) * px - t0) / ns);
			if (b > a)
				this.boxes.add(a, b, r[k + 1], r[k + 3]);
		}
	}

	private box(s: Stripe, k: number, least: number, labels: Label[]): void {
		const { boxes, out, scale: { width } } = this;
		const x0 = boxes.x0[k], x1 = boxes.x1[k], name = boxes.name[k];
		const a = boxes.first(k);
		let e = boxes.last(k, width);
		if (e - a >= 2 && e < width && out[e] !== 0 && (k + 1 === boxes.n || boxes.x0[k + 1] >= e + 1))
			e++; // the last pixel, which the zone fills in part
		const lit = this.isLit(s, name, boxes.zone[k]);
		const pixel = lit ? this.pixel(s, name) : mix(this.style.background, this.palette.of(s, name).rgb, 0.25);
		if (e - a < 32)
			for (let x = a; x < e; x++)
				out[x] = pixel;
		else
			out.fill(pixel, a, e);
		if (e - a >= 3 && x1 < width)
			out[e - 1] = this.style.edge;
		if (lit && x1 - x0 >= least)
			labels.push({ x0, x1, name, black: this.palette.of(s, name).black });
	}

	/** How busy a group is: the mean of its lanes, for the cores of a device the busiest one. */
	private sum(s: Stripe, c: Column): void {
		const { x0, x1 } = c, n = x1 - x0;
		if (n <= 0)
			return;
		if (this.total.length < n)
			this.total = new Float32Array(n);
		const { total, out } = this;
		const busiest = s.track !== null;
		total.fill(0, 0, n);
		let any = false;
		for (const lane of s.lanes) {
			const tile = c.group?.lanes.get(lane);
			const f = c.group && tile ? { group: c.group, tile } : find(this.store, lane, this.scale.res, c.index);
			if (!f || f.tile === EMPTY)
				continue;
			any = true;
			add(total, f.tile.busy, f.group === c.group ? c.spans ??= spansOf(c.group, this.scale, x0, x1) : this.spans(f.group, x0, x1), n, busiest);
		}
		const div = busiest ? 255 : 255 * s.lanes.length;
		const rgb = s.tint ?? this.style.neutral;
		for (let x = 0; any && x < n; x++)
			if (total[x] > 0)
				out[x0 + x] = mix(this.style.background, rgb, 0.18 + 0.82 * Math.min(1, total[x] / div));
	}
}

function add(total: Float32Array, busy: Uint8Array, spans: Spans, n: number, busiest: boolean): void {
	const { from, to } = spans;
	for (let x = 0; x < n; x++) {
		let v = busy[from[x]];
		for (let k = from[x] + 1; k <= to[x]; k++)
			if (busy[k] > v)
				v = busy[k];
		if (!busiest)
			total[x] += v;
		else if (v > total[x])
			total[x] = v;
	}
}
