// Turns tiles into pixels: one row of pixels per stripe, whatever the number of zones. Zones of two
// pixels and more become boxes, which are remembered for labels and for the pointer.
import { type Group, type LaneTile, EMPTY, TILE_PX, type TileStore } from "./tiles";
import type { Stripe } from "./layout";
import type { Paint, Palette } from "./colors";
import { colorMode } from "./colors";
import type { Rgb } from "../theme";

/** What is drawn where: device pixels. */
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
	paint: Paint;
	lit: boolean;
}

/** What is lit; all else is pale. */
export interface Lit {
	name: number | null;
	zones: Map<number, Set<number>> | null;
}

export interface Style {
	background: Rgb;
	neutral: Rgb;
	edge: number;
	loading: number;
}

const NONE = 0xffff;
const COARSER = 8, FINER = 2;

export function mix(a: Rgb, b: Rgb, f: number): number {
	const g = 1 - f;
	const r = a[0] * g + b[0] * f, v = a[1] * g + b[1] * f, u = a[2] * g + b[2] * f;
	return (0xff000000 | (u & 255) << 16 | (v & 255) << 8 | (r & 255)) >>> 0;
}

export function resolutionFor(ns: number): number {
	return Math.max(0, Math.min(50, Math.floor(Math.log2(Math.max(ns, 1)) + 1e-9)));
}

export function tileSpan(res: number): number {
	return TILE_PX * 2 ** res;
}

function paintOf(p: Palette, s: Stripe, name: number): Paint {
	const mode = colorMode.peek();
	if (mode === "thread" && s.track)
		return s.tint && s.device ? p.tint(s.tint, s.depth) : p.thread(s.track.process + s.track.name + (s.track.tid ?? ""), s.depth);
	if (s.tint && s.device && mode !== "name" && !p.transfer(name))
		return p.tint(s.tint, s.depth);
	return p.name(name, s.device);
}

interface Found {
	group: Group;
	tile: LaneTile;
}

/** The tile of a lane, or the nearest coarser one that is here. */
function find(store: TileStore, lane: number, res: number, index: number): Found | null {
	for (let up = 0; up <= COARSER; up++) {
		const g = store.peek(res + up, Math.floor(index / 2 ** up));
		const tile = g?.lanes.get(lane);
		if (g && tile)
			return { group: g, tile };
	}
	return null;
}

export class Raster {
	constructor(private readonly palette: Palette, private readonly style: Style, private readonly lit: Lit) {}

	/** Draws a stripe into row OUT (scale.width pixels, cleared by the caller) and returns its boxes. */
	stripe(out: Uint32Array, s: Stripe, store: TileStore, scale: Scale): Box[] {
		const boxes: Box[] = [];
		const span = tileSpan(scale.res);
		const first = Math.floor(scale.t0 / span), last = Math.floor((scale.t0 + scale.width * scale.ns) / span);
		for (let i = Math.max(0, first); i <= last; i++) {
			const x0 = Math.max(0, Math.floor((i * span - scale.t0) / scale.ns));
			const x1 = Math.min(scale.width, Math.floor(((i + 1) * span - scale.t0) / scale.ns));
			if (s.lanes.length === 1)
				this.tile(out, s, store, scale, scale.res, i, boxes);
			else
				this.sum(out, s, store, scale, i, x0, x1);
		}
		boxes.forEach((b, i) => this.box(out, b, i + 1 < boxes.length ? boxes[i + 1].x0 : Infinity, scale.width));
		return boxes;
	}

	/** One tile of a lane; what is not here yet is drawn from coarser or finer ones. */
	private tile(out: Uint32Array, s: Stripe, store: TileStore, scale: Scale, res: number, index: number, boxes: Box[]): void {
		const span = tileSpan(res);
		const x0 = Math.max(0, Math.floor((index * span - scale.t0) / scale.ns));
		const x1 = Math.min(scale.width, Math.floor(((index + 1) * span - scale.t0) / scale.ns));
		if (x1 <= x0)
			return;
		const f = find(store, s.lanes[0], res, index);
		if (f) {
			if (f.tile !== EMPTY)
				this.lane(out, s, f, scale, x0, x1, boxes);
		} else if (res > Math.max(0, scale.res - FINER)) {
			this.tile(out, s, store, scale, res - 1, 2 * index, boxes);
			this.tile(out, s, store, scale, res - 1, 2 * index + 1, boxes);
		} else {
			this.missing(out, x0, x1);
		}
	}

	private missing(out: Uint32Array, x0: number, x1: number): void {
		for (let x = x0; x < x1; x++)
			if ((x & 7) < 4)
				out[x] = this.style.loading;
	}

	private lane(out: Uint32Array, s: Stripe, f: Found, scale: Scale, x0: number, x1: number, boxes: Box[]): void {
		const px = 2 ** f.group.res;
		const origin = f.group.index * tileSpan(f.group.res);
		const step = scale.ns / px;
		const { busy, dom } = f.tile;
		const { background, neutral } = this.style;
		const tinted = s.tint !== null && s.device && colorMode.peek() !== "name";
		const litName = this.lit.name, dark = this.lit.zones !== null;
		let p = (scale.t0 + x0 * scale.ns - origin) / px;
		let name = -1, rgb = neutral, busiest = -1, pixel = 0;
		for (let x = x0; x < x1; x++, p += step) {
			const a = Math.max(0, p | 0), b = Math.min(TILE_PX - 1, Math.max(a, Math.ceil(p + step - 1e-6) - 1));
			let at = a, most = busy[a];
			for (let k = a + 1; k <= b; k++)
				if (busy[k] > most) {
					most = busy[k];
					at = k;
				}
			if (most === 0)
				continue;
			if (dom[at] !== name || most !== busiest) {
				if (dom[at] !== name) {
					name = dom[at];
					rgb = name === NONE && !tinted ? neutral : paintOf(this.palette, s, name).rgb;
				}
				busiest = most;
				const alpha = 0.45 + 0.55 * most / 255; // a single short event must be seen
				pixel = mix(background, rgb, dark || (litName !== null && name !== litName) ? alpha * 0.3 : alpha);
			}
			out[x] = pixel;
		}
		this.boxes(s, f, scale, x0, x1, origin, px, boxes);
	}

	private boxes(s: Stripe, f: Found, scale: Scale, x0: number, x1: number, origin: number, px: number, boxes: Box[]): void {
		const r = f.tile.rects;
		const lane = s.lanes[0];
		const zones = this.lit.zones?.get(lane);
		for (let k = 0; k < r.length; k += 4) {
			const left = r[k] & 0xffff, w = r[k] >>> 16;
			const a = Math.max(x0, (origin + left * px - scale.t0) / scale.ns);
			const b = Math.min(x1, (origin + (left + w) * px - scale.t0) / scale.ns);
			if (b <= a)
				continue;
			const name = r[k + 1], zone = r[k + 3];
			const before = boxes[boxes.length - 1];
			if (before && before.zone === zone && a - before.x1 < 1.5) {
				before.x1 = b;
				continue;
			}
			const lit = (this.lit.name === null || this.lit.name === name) && (this.lit.zones === null || zones?.has(zone) === true);
			boxes.push({ x0: a, x1: b, name, zone, lane, paint: paintOf(this.palette, s, name), lit });
		}
	}

	private box(out: Uint32Array, b: Box, next: number, width: number): void {
		const a = Math.max(0, Math.round(b.x0));
		let e = Math.min(width, Math.max(a + 1, Math.round(b.x1)));
		if (e - a >= 2 && e < width && out[e] !== 0 && next >= e + 1)
			e++; // the last pixel, which the zone fills in part
		out.fill(b.lit ? b.paint.pixel : mix(this.style.background, b.paint.rgb, 0.25), a, e);
		if (e - a >= 3 && b.x1 < width)
			out[e - 1] = this.style.edge;
	}

	/** How busy a group is: the mean of its lanes, for the cores of a device the busiest one. */
	private sum(out: Uint32Array, s: Stripe, store: TileStore, scale: Scale, index: number, x0: number, x1: number): void {
		const tiles: Found[] = [];
		for (const lane of s.lanes) {
			const f = find(store, lane, scale.res, index);
			if (f && f.tile !== EMPTY)
				tiles.push(f);
		}
		if (tiles.length === 0)
			return;
		const busiest = s.track !== null;
		const total = new Float32Array(Math.max(0, x1 - x0));
		for (const f of tiles) {
			const px = 2 ** f.group.res;
			const step = scale.ns / px;
			let p = (scale.t0 + x0 * scale.ns - f.group.index * tileSpan(f.group.res)) / px;
			for (let x = 0; x < total.length; x++, p += step) {
				const a = Math.max(0, Math.min(TILE_PX - 1, p | 0));
				const b = Math.min(TILE_PX - 1, Math.max(a, Math.ceil(p + step - 1e-6) - 1));
				let v = f.tile.busy[a];
				for (let k = a + 1; k <= b; k++)
					v = Math.max(v, f.tile.busy[k]);
				total[x] = busiest ? Math.max(total[x], v) : total[x] + v;
			}
		}
		const div = busiest ? 255 : 255 * s.lanes.length;
		const rgb = s.tint ?? this.style.neutral;
		for (let x = 0; x < total.length; x++)
			if (total[x] > 0)
				out[x0 + x] = mix(this.style.background, rgb, 0.18 + 0.82 * Math.min(1, total[x] / div));
	}
}
