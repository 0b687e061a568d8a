// SPDX-License-Identifier: Apache-2.0
// Locks: which threads hold them and which wait. The server has lanes for each lock, two for all threads together and
// two for each thread; a row shows both, holds above and waits below.
import { effect, signal } from "@preact/signals";
import { api, Priority } from "../api";
import { baseName, fmtDur, fmtPct } from "../format";
import { generation, meta, openRows } from "../state";
import type { Rgb } from "../theme";
import type { LockInfo, LockRow, LockSpan } from "../types";
import type { Colors } from "./draw";
import type { Row } from "./layout";
import { mix } from "./colors";
import { resolutionFor, type Scale } from "./raster";
import { EMPTY, type LaneTile, TILE_PX, TileStore } from "./tiles";

const HOLD: Rgb = [0x3f, 0xa9, 0x8a], SHARED: Rgb = [0x4f, 0x8f, 0xc9], WAIT: Rgb = [0xe0, 0x5c, 0x5c];
const HOLD_H = 12, WAIT_H = 6, TOP = 3;
const NAME_SHARED = 2;

export const LOCK_ROW_H = TOP + HOLD_H + WAIT_H + 3;

/** Key prefix of pinned rows: they open and close independently. */
export const PIN = "pin-";

export function lockKey(track: number): string {
	return "l" + track;
}

export function lockName(l: { name: string; file?: string; line?: number }): string {
	return l.name || (l.file ? `${baseName(l.file)}:${l.line}` : "lock");
}

export class LockStore {
	/** All locks, longest total wait first. */
	readonly list = signal<LockRow[]>([]);
	/** The threads of the expanded locks. */
	readonly info = signal<ReadonlyMap<number, LockInfo>>(new Map());
	private readonly stores = new Map<number, TileStore>();
	private readonly abort = new AbortController();
	private readonly stop: () => void;
	private readonly strip = document.createElement("canvas");
	private listed = -1;

	constructor(private readonly trace: number, private readonly onData: () => void) {
		this.stop = effect(() => {
			const has = meta.value?.has.locks ?? false, gen = generation.value, open = openRows.value;
			if (!has)
				return;
			if (gen !== this.listed) {
				this.listed = gen;
				void this.loadList();
			}
			for (const l of this.list.value) {
				const known = this.info.peek().get(l.track);
				if ((open[lockKey(l.track)] || open[PIN + lockKey(l.track)]) && known?.asked !== gen)
					void this.loadInfo(l.track, gen);
			}
		});
	}

	private async loadList(): Promise<void> {
		try {
			const r = await api.locks(this.trace, {}, this.abort.signal);
			this.list.value = [...r.rows].sort((a, b) => b.wait_total - a.wait_total || b.hold_total - a.hold_total);
		} catch {
			this.listed = -1; // retry on the next meta
		}
	}

	private async loadInfo(track: number, gen: number): Promise<void> {
		const put = (i: LockInfo) => { this.info.value = new Map(this.info.peek()).set(track, i); };
		put({ ...(this.info.peek().get(track) ?? { rows: [], threads: 0 }), asked: gen });
		try {
			put({ ...await api.lock(this.trace, track, this.abort.signal), asked: gen });
		} catch {
			// it stays closed
		}
	}

	private store(track: number): TileStore {
		let s = this.stores.get(track);
		if (!s) {
			s = new TileStore(this.trace, this.onData, "lock_tiles", { track });
			this.stores.set(track, s);
		}
		return s;
	}

	/** Requests the tiles of the visible rows. */
	want(rows: Row[], t: { res: number; first: number; last: number }, gen: number, live: boolean, end: number): void {
		const lanes = new Map<number, number[]>();
		for (const r of rows)
			if (r.lock)
				lanes.set(r.lock.track, [...lanes.get(r.lock.track) ?? [], r.lock.hold, r.lock.wait]);
		for (const [track, list] of lanes) {
			const s = this.store(track);
			s.gen = gen;
			s.live = live;
			s.end = end;
			s.want(Array.from({ length: t.last - t.first + 1 }, (_, k) => ({ res: t.res, index: t.first + k, lanes: list, priority: Priority.sight })));
		}
	}

	/** How much of each pixel a lane covers, and whether that is shared. */
	private pixels(out: Uint32Array, track: number, lane: number, scale: Scale, color: Rgb, bg: Rgb): void {
		const s = this.store(track);
		const px = 2 ** scale.res, step = scale.ns / px;
		let index = -1, tile: LaneTile | undefined;
		for (let x = 0; x < scale.width; x++) {
			const a = scale.t0 / px + x * step;
			let busy = 0, name = 0;
			for (let p = Math.max(0, Math.floor(a)); p < a + step; p++) {
				const i = Math.floor(p / TILE_PX), k = p % TILE_PX;
				if (i !== index) {
					index = i;
					tile = s.peek(scale.res, i)?.lanes.get(lane);
				}
				if (tile && tile !== EMPTY && tile.busy[k] > busy) {
					busy = tile.busy[k];
					name = tile.dom[k];
				}
			}
			if (busy > 0)
				out[x] = mix(bg, name === NAME_SHARED ? SHARED : color, 0.22 + 0.78 * busy / 255);
		}
	}

	draw(ctx: CanvasRenderingContext2D, rows: Row[], scale: Scale, dpr: number, c: Colors): void {
		const list = rows.filter((r) => r.lock);
		if (list.length === 0)
			return;
		const image = new ImageData(scale.width, 2 * list.length);
		const all = new Uint32Array(image.data.buffer);
		const line = (k: number) => all.subarray(k * scale.width, (k + 1) * scale.width);
		list.forEach((r, i) => {
			if (!r.lock)
				return;
			this.pixels(line(2 * i), r.lock.track, r.lock.hold, scale, HOLD, c.background);
			this.pixels(line(2 * i + 1), r.lock.track, r.lock.wait, scale, WAIT, c.background);
		});
		this.strip.width = scale.width;
		this.strip.height = 2 * list.length;
		(this.strip.getContext("2d") as CanvasRenderingContext2D).putImageData(image, 0, 0);
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.imageSmoothingEnabled = false;
		list.forEach((r, i) => {
			const y = Math.round((r.y + TOP) * dpr), mid = Math.round((r.y + TOP + HOLD_H) * dpr), end = Math.round((r.y + TOP + HOLD_H + WAIT_H) * dpr);
			ctx.drawImage(this.strip, 0, 2 * i, scale.width, 1, 0, y, scale.width, mid - y - 1);
			ctx.drawImage(this.strip, 0, 2 * i + 1, scale.width, 1, 0, mid, scale.width, end - mid);
		});
	}

	/** The span under the pointer: waits below, holds above, falling back to the other one. */
	async spanAt(row: Row, y: number, t: number, ns: number, signal: AbortSignal): Promise<LockSpan | null> {
		if (!row.lock)
			return null;
		const { track, hold, wait } = row.lock;
		for (const lane of y - row.y < TOP + HOLD_H ? [hold, wait] : [wait, hold]) {
			const s = await api.lockSpan(this.trace, { track, lane, t: Math.max(0, t), res: resolutionFor(ns) }, signal);
			if (s.idx !== null)
				return s;
		}
		return null;
	}

	close(): void {
		this.stop();
		this.abort.abort();
		for (const s of this.stores.values())
			s.close();
	}
}

/** Where a lane is in its row: holds above, waits below. */
export function lockLaneY(row: Row, lane: number): { y: number; h: number } | null {
	if (row.lock?.hold === lane)
		return { y: row.y + TOP, h: HOLD_H - 1 };
	return row.lock?.wait === lane ? { y: row.y + TOP + HOLD_H, h: WAIT_H } : null;
}

/** A span as text. */
export function spanText(s: LockSpan): string {
	const thread = (id: number | null) => id === null ? "?" : meta.value?.tracks.find((t) => t.id === id)?.name ?? "?";
	const long = fmtDur(s.duration) + (s.open ? " so far" : "");
	if (s.kind === "hold")
		return s.thread === null ? `held for ${long}${s.shared ? ", shared" : ""}` : `${thread(s.thread)} held it for ${long}${s.shared ? ", shared" : ""}`;
	const waited = s.thread === null ? `waited for during ${long}` : `${thread(s.thread)} waited ${long}`;
	const first = s.holders?.[0];
	if (!first)
		return waited;
	const share = 100 * first.held / Math.max(1, s.duration);
	return `${waited}${share >= 99.5 ? "" : `, ${fmtPct(share)} of it`} for ${thread(first.thread)}`;
}
