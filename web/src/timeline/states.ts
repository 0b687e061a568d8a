// SPDX-License-Identifier: Apache-2.0
// What each sampled thread did, as a strip below its zones: running, waiting for a lock, sleeping ... Tiles like those
// of zones, with the share of each state in each pixel.
import { effect, signal } from "@preact/signals";
import { api, getBuffer, isAbort, Priority } from "../api";
import { generation, meta, traceId } from "../state";
import type { Rgb } from "../theme";
import { laneList, TILE_PX } from "./tiles";
import type { Row } from "./layout";
import type { Scale } from "./raster";
import { mix } from "./colors";

export const STATE_H = 6;
const MAGIC = 0x31535354, EMPTY = 0xffffffff;
const MOST = 400;
const MAX_TRACKS = 128;

/** In the order of the server's states. */
export const STATE_COLORS: Rgb[] = [
	[0x4c, 0xb0, 0x64], [0x2f, 0x8a, 0x7c], [0xe3, 0xb3, 0x41], [0xe0, 0x5c, 0x5c], [0x7d, 0x8b, 0xa0],
	[0x9d, 0xa9, 0xbb], [0xa9, 0x7b, 0xd6], [0x58, 0xa3, 0xd0], [0xb5, 0x89, 0x6a], [0x5c, 0x66, 0x74],
];

interface Strip {
	shares: Uint8Array;
	states: number;
}

interface Group {
	tracks: Map<number, Strip | null>;
	asked: Set<number>;
	gen: number;
	used: number;
}

export class StateStore {
	/** The tracks that have samples, and the names of the states. */
	readonly tracks = signal<ReadonlySet<number>>(new Set());
	readonly names = signal<string[]>([]);
	private readonly groups = new Map<string, Group>();
	private readonly abort = new AbortController();
	private readonly stop: () => void;
	private frame = 0;
	private asked = -1;

	constructor(private readonly trace: number, private readonly onData: () => void) {
		this.stop = effect(() => {
			const gen = generation.value;
			if (meta.value?.has.samples && this.asked !== gen) {
				this.asked = gen;
				void this.loadTracks();
			}
		});
	}

	private async loadTracks(): Promise<void> {
		try {
			const r = await api.states(this.trace, {}, this.abort.signal);
			this.names.value = r.states;
			const old = this.tracks.peek();
			if (r.threads.length !== old.size || r.threads.some((t) => !old.has(t.track)))
				this.tracks.value = new Set(r.threads.map((t) => t.track));
		} catch {
			this.asked = -1;
		}
	}

	want(rows: Row[], t: { res: number; first: number; last: number }): void {
		const tracks = rows.flatMap((r) => r.states === undefined || !r.track ? [] : [r.track.id]).slice(0, MAX_TRACKS);
		if (tracks.length === 0)
			return;
		this.frame++;
		for (let i = t.first; i <= t.last; i++) {
			const key = `${t.res}:${i}`;
			let g = this.groups.get(key);
			if (!g || g.gen !== generation.peek())
				this.groups.set(key, g = { tracks: g?.tracks ?? new Map(), asked: new Set(), gen: generation.peek(), used: 0 });
			g.used = this.frame;
			const group = g, missing = tracks.filter((k) => !group.asked.has(k));
			if (missing.length)
				void this.fetch(group, t.res, i, missing);
		}
		if (this.groups.size > MOST)
			for (const [k, g] of this.groups)
				if (g.used < this.frame - 1)
					this.groups.delete(k);
	}

	private async fetch(g: Group, res: number, i: number, tracks: number[]): Promise<void> {
		tracks.forEach((k) => g.asked.add(k));
		try {
			const v = traceId.peek() === this.trace ? meta.peek()?.tag : undefined;
			const b = await getBuffer(`t/${this.trace}/sample_tiles`, { track: laneList(tracks), res, i, v }, this.abort.signal, Priority.sight);
			const d = new DataView(b);
			if (b.byteLength < 12 || d.getUint32(0, true) !== MAGIC)
				return;
			for (let at = 12, left = d.getUint32(8, true); left > 0 && at + 8 <= b.byteLength; left--) {
				const track = d.getUint32(at, true), states = d.getUint32(at + 4, true);
				at += 8;
				g.tracks.set(track, states === EMPTY ? null : { states, shares: new Uint8Array(b, at, states * TILE_PX) });
				at += states === EMPTY ? 0 : states * TILE_PX + 6 * TILE_PX;
			}
			this.onData();
		} catch (e) {
			if (!isAbort(e))
				tracks.forEach((k) => g.asked.delete(k));
		}
	}

	draw(ctx: CanvasRenderingContext2D, rows: Row[], scale: Scale, dpr: number, background: Rgb): void {
		const px = 2 ** scale.res, step = scale.ns / px;
		for (const r of rows) {
			if (r.states === undefined || !r.track)
				continue;
			const h = Math.max(1, Math.round(STATE_H * dpr));
			const image = new ImageData(scale.width, h), out = new Uint32Array(image.data.buffer);
			let any = false;
			for (let x = 0; x < scale.width; x++) {
				const p = Math.floor(scale.t0 / px + (x + 0.5) * step);
				if (p < 0)
					continue;
				const s = this.groups.get(`${scale.res}:${Math.floor(p / TILE_PX)}`)?.tracks.get(r.track.id);
				const color = s ? mixed(s, p % TILE_PX, background) : 0;
				out[x] = color;
				any ||= color !== 0;
			}
			if (!any)
				continue;
			for (let k = 0; k < out.length; k++)
				if (k >= scale.width)
					out[k] = out[k - scale.width];
			for (let k = 0; k < out.length; k++)
				if (out[k] === 0)
					out[k] = 0xff000000 | background[2] << 16 | background[1] << 8 | background[0];
			ctx.putImageData(image, 0, Math.round((r.y + r.states) * dpr));
		}
	}

	close(): void {
		this.stop();
		this.abort.abort();
	}
}

/** The mean of the colours of a pixel's states; 0: nothing is known. */
function mixed(s: Strip, at: number, background: Rgb): number {
	let sum = 0, red = 0, green = 0, blue = 0;
	for (let k = 0; k < s.states && k < STATE_COLORS.length; k++) {
		const v = s.shares[k * TILE_PX + at];
		if (v === 0)
			continue;
		sum += v;
		red += v * STATE_COLORS[k][0];
		green += v * STATE_COLORS[k][1];
		blue += v * STATE_COLORS[k][2];
	}
	return sum === 0 ? 0 : mix(background, [red / sum, green / sum, blue / sum], Math.max(0.35, Math.min(1, sum / 255)));
}
