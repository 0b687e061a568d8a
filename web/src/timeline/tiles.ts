// Tiles: 512 pixels of 2^K ns of many lanes. They are kept in groups by (K, number), oldest use out first.
import { signal } from "@preact/signals";
import { getBuffer, isAbort, linkIsSlow, Priority } from "../api";
import { traces } from "../state";

export const TILE_PX = 512;
const MAGIC = 0x314c5454;
const LANE_EMPTY = 0xffffffff;
const MAX_LANES = 512;
const MAX_BYTES = 64 << 20;
/** A server that fails or is away is not asked again at once. */
const RETRY_AFTER = 1000;

export interface LaneTile {
	busy: Uint8Array;
	dom: Uint16Array;
	/** n times {px, w: u16; name, count, zone: u32} */
	rects: Uint32Array;
}

/** A lane with nothing in this tile. */
export const EMPTY: LaneTile = { busy: new Uint8Array(0), dom: new Uint16Array(0), rects: new Uint32Array(0) };

export interface Group {
	res: number;
	index: number;
	lanes: Map<number, LaneTile>;
	bytes: number;
	used: number;
	gen: number;
	fetched: number;
}

interface Flight {
	abort: AbortController;
	lanes: Set<number>;
	wanted: number;
}

export interface Want {
	res: number;
	index: number;
	lanes: number[];
	priority: Priority;
}

/** Takes an answer apart; null if it is none of ours. */
export function decode(buffer: ArrayBuffer): { gen: number; lanes: Map<number, LaneTile> } | null {
	if (buffer.byteLength < 12)
		return null;
	const head = new DataView(buffer);
	if (head.getUint32(0, true) !== MAGIC)
		return null;
	const lanes = new Map<number, LaneTile>();
	let at = 12;
	for (let left = head.getUint32(8, true); left > 0; left--) {
		if (at + 8 > buffer.byteLength)
			return null;
		const lane = head.getUint32(at, true), n = head.getUint32(at + 4, true);
		at += 8;
		if (n === LANE_EMPTY) {
			lanes.set(lane, EMPTY);
			continue;
		}
		if (at + 3 * TILE_PX + 16 * n > buffer.byteLength)
			return null;
		lanes.set(lane, {
			busy: new Uint8Array(buffer, at, TILE_PX),
			dom: new Uint16Array(buffer, at + TILE_PX, TILE_PX),
			rects: new Uint32Array(buffer, at + 3 * TILE_PX, 4 * n),
		});
		at += 3 * TILE_PX + 16 * n;
	}
	return { gen: head.getUint32(4, true), lanes };
}

/** 1,2,5-9 */
export function laneList(lanes: number[]): string {
	const s = [...lanes].sort((a, b) => a - b);
	const parts: string[] = [];
	for (let i = 0; i < s.length;) {
		let j = i;
		while (j + 1 < s.length && s[j + 1] <= s[j] + 1)
			j++;
		parts.push(s[j] > s[i] ? `${s[i]}-${s[j]}` : String(s[i]));
		i = j + 1;
	}
	return parts.join(",");
}

export class TileStore {
	private groups = new Map<string, Group>();
	private flights = new Map<string, Flight>();
	private bytes = 0;
	private frame = 0;
	gen = 0;
	live = false;
	/** Grows with each answer. */
	version = 0;
	/** Lanes in sight that the last drawing had no tile for. */
	missing = 0;
	/** The last failure that was no abort. */
	readonly error = signal<string | null>(null);
	private pausedUntil = 0;

	constructor(readonly trace: number, private readonly onData: () => void) {}

	peek(res: number, index: number): Group | undefined {
		const g = this.groups.get(res + ":" + index);
		if (g)
			g.used = this.frame;
		return g;
	}

	stats(): { groups: number; bytes: number; flights: number } {
		return { groups: this.groups.size, bytes: this.bytes, flights: this.flights.size };
	}

	/** Asks for what is missing of WANTS and drops the requests for anything else. */
	want(wants: Want[]): void {
		this.frame++;
		this.missing = 0;
		for (const w of wants) {
			const key = w.res + ":" + w.index;
			const have = this.groups.get(key);
			const flight = this.flights.get(key);
			if (flight)
				flight.wanted = this.frame;
			const stale = this.live && have !== undefined && have.gen < this.gen && w.priority !== Priority.ahead &&
				performance.now() - have.fetched > (w.priority === Priority.sight ? 40 : 500);
			const missing = w.lanes.filter((l) => !flight?.lanes.has(l) && (stale || !have?.lanes.has(l)));
			if (w.priority === Priority.sight)
				this.missing += w.lanes.filter((l) => !have?.lanes.has(l)).length;
			for (let i = 0; i < missing.length && performance.now() >= this.pausedUntil; i += MAX_LANES)
				void this.fetch(key + (i ? "+" + i : ""), w, missing.slice(i, i + MAX_LANES));
		}
		for (const f of this.flights.values())
			if (f.wanted !== this.frame)
				f.abort.abort();
	}

	private async fetch(key: string, w: Want, lanes: number[]): Promise<void> {
		// a second request for other lanes of the same tile goes beside the first
		let name = key;
		while (this.flights.has(name))
			name += "'";
		const flight: Flight = { abort: new AbortController(), lanes: new Set(lanes), wanted: this.frame };
		this.flights.set(name, flight);
		try {
			const v = traces.peek().find((t) => t.id === this.trace)?.tag;
			const query = { lanes: laneList(lanes), res: w.res, i: w.index, v, enc: linkIsSlow() ? "deflate" : undefined };
			const b = await getBuffer(`t/${this.trace}/tiles`, query, flight.abort.signal, w.priority);
			const t = decode(b);
			if (!t)
				throw new Error("the server sent a tile that is none");
			this.keep(w, t, b.byteLength);
			this.error.value = null;
			this.version++;
			this.onData();
		} catch (e) {
			if (!isAbort(e)) {
				this.error.value = e instanceof Error ? e.message : String(e);
				this.pausedUntil = performance.now() + RETRY_AFTER;
				window.setTimeout(this.onData, RETRY_AFTER);
			}
		} finally {
			this.flights.delete(name);
		}
	}

	private keep(w: Want, t: { gen: number; lanes: Map<number, LaneTile> }, bytes: number): void {
		const key = w.res + ":" + w.index;
		let g = this.groups.get(key);
		if (!g) {
			g = { res: w.res, index: w.index, lanes: new Map(), bytes: 0, used: this.frame, gen: t.gen, fetched: 0 };
			this.groups.set(key, g);
		}
		for (const [lane, tile] of t.lanes)
			g.lanes.set(lane, tile);
		g.gen = t.gen;
		g.fetched = performance.now();
		g.bytes += bytes;
		this.bytes += bytes;
		if (this.bytes > MAX_BYTES)
			this.evict();
	}

	private evict(): void {
		const old = [...this.groups.values()].sort((a, b) => a.used - b.used);
		for (const g of old) {
			if (this.bytes <= MAX_BYTES * 0.75 || g.used >= this.frame - 1)
				break;
			this.groups.delete(g.res + ":" + g.index);
			this.bytes -= g.bytes;
		}
	}

	close(): void {
		for (const f of this.flights.values())
			f.abort.abort();
	}
}
