// SPDX-License-Identifier: Apache-2.0
// Tiles: 512 pixels of 2^K ns of many lanes. Cached in groups by (K, number), least recently used out first.
import { signal } from "@preact/signals";
import { errorWords, getBuffer, isAbort, linkIsSlow, Priority, type Query } from "../api";
import { offline } from "../offline";
import { meta, traceId } from "../state";
import { decode, EMPTY, laneList, type LaneTile, type Tile, TILE_PX } from "../tilecode";

export { decode, EMPTY, laneList, type LaneTile, TILE_PX };

/** Of one request. */
const MAX_LANES = 512, MAX_LANE_TILES = 2048;
const MAX_BYTES = 64 << 20;
/** Delay before a retry when the server fails or is unreachable. */
const RETRY_AFTER = 1000;
/** Maximum age of a live trace's tile: visible, not visible, and more than LATE_NS before the end. */
const SIGHT_MS = 40, OTHER_MS = 500, SETTLED_MS = 2000;
/** Device zones arrive later than host zones. */
const LATE_NS = 2e9;

export interface Group {
	res: number;
	index: number;
	lanes: Map<number, LaneTile>;
	bytes: number;
	used: number;
	/** The trace's generation at the time of the request; that of the oldest lane. */
	gen: number;
	fetched: number;
	/** It ends long before the end of the recording and will hardly change. */
	settled: boolean;
}

/** Lanes of tiles that lie side by side: one request. */
interface Batch {
	res: number;
	first: number;
	last: number;
	lanes: number[];
	has: Set<number>;
	priority: Priority;
}

interface Flight extends Batch {
	gen: number;
	end: number;
	abort: AbortController;
	wanted: number;
}

export interface Want {
	res: number;
	index: number;
	lanes: number[];
	priority: Priority;
}

/** Memory of a lane in bytes. */
function weight(t: LaneTile | undefined): number {
	return t === undefined ? 0 : t === EMPTY ? 64 : 300 + 3 * TILE_PX + t.rects.byteLength;
}

export class TileStore {
	private groups = new Map<string, Group>();
	private flights = new Set<Flight>();
	private bytes = 0;
	private frame = 0;
	gen = 0;
	live = false;
	/** Where the trace ends, ns. */
	end = 0;
	/** Grows with each response. */
	version = 0;
	/** Visible lanes that were missing at the last request. */
	missing = 0;
	/** The last failure except aborts. */
	readonly error = signal<string | null>(null);
	private pausedUntil = 0;

	/** CALL: requests tiles of zones or of another kind. */
	constructor(readonly trace: number, private readonly onData: () => void, private readonly call = "tiles", private readonly about: Query = {}) {}

	peek(res: number, index: number): Group | undefined {
		const g = this.groups.get(res + ":" + index);
		if (g)
			g.used = this.frame;
		return g;
	}

	stats(): { groups: number; bytes: number; flights: number } {
		return { groups: this.groups.size, bytes: this.bytes, flights: this.flights.size };
	}

	/**
	 * Requests the missing tiles of WANTS, most urgent first, and aborts all other requests. Prefetching
	 * starts when all visible tiles are loaded.
	 */
	want(wants: Want[]): void {
		this.frame++;
		this.missing = 0;
		const batches: Batch[] = [];
		for (const w of wants) {
			const have = this.groups.get(w.res + ":" + w.index);
			const coming: Batch[] = [...this.coming(w), ...batches.filter((b) => brings(b, w))];
			if (w.priority === Priority.sight)
				this.missing += have ? w.lanes.filter((l) => !have.lanes.has(l)).length : w.lanes.length;
			else if (w.priority === Priority.ahead && this.missing > 0)
				continue;
			const stale = have !== undefined && this.stale(w, have);
			if (offline && have) // what a file lacks will not come
				continue;
			const lanes = w.lanes.filter((l) => (stale || !have?.lanes.has(l)) && !coming.some((f) => f.has.has(l)));
			if (lanes.length > 0)
				add(batches, w, lanes);
		}
		if (performance.now() >= this.pausedUntil)
			for (const b of batches)
				void this.fetch(b);
		for (const f of this.flights)
			if (f.wanted !== this.frame) {
				this.flights.delete(f); // no longer pending
				f.abort.abort();
			}
	}

	/** Requests for visible tiles are pending. */
	get waiting(): boolean {
		for (const f of this.flights)
			if (f.priority === Priority.sight)
				return true;
		return false;
	}

	/** The pending requests for lanes of a tile. */
	private coming(w: Want): Flight[] {
		const list: Flight[] = [];
		for (const f of this.flights)
			if (brings(f, w)) {
				f.wanted = this.frame;
				list.push(f);
			}
		return list;
	}

	private stale(w: Want, have: Group): boolean {
		const age = have.settled && this.live ? SETTLED_MS : w.priority === Priority.sight ? SIGHT_MS : OTHER_MS;
		return have.gen !== this.gen && w.priority !== Priority.ahead && performance.now() - have.fetched > age;
	}

	private async fetch(b: Batch): Promise<void> {
		const flight: Flight = { ...b, abort: new AbortController(), wanted: this.frame, gen: this.gen, end: this.end };
		this.flights.add(flight);
		try {
			// keep data that may still change out of the browser's cache
			const v = this.live || traceId.peek() !== this.trace ? undefined : meta.peek()?.tag;
			const i = b.last > b.first ? `${b.first}-${b.last}` : b.first;
			const query = { ...this.about, lanes: laneList(b.lanes), res: b.res, i, v, enc: linkIsSlow() ? "deflate" : undefined };
			const answer = await getBuffer(`t/${this.trace}/${this.call}`, query, flight.abort.signal, b.priority);
			const tiles = decode(answer, b.last - b.first + 1);
			if (!tiles)
				throw new Error("the server sent a malformed tile");
			tiles.forEach((t, k) => this.keep(b.first + k, t, flight));
			this.error.value = null;
			this.version++;
			this.flights.delete(flight);
			if (b.priority !== Priority.ahead || this.missing > 0) // prefetched tiles change nothing on screen
				this.onData();
		} catch (e) {
			if (!isAbort(e)) {
				this.error.value = errorWords(e);
				this.pausedUntil = performance.now() + RETRY_AFTER;
				window.setTimeout(this.onData, RETRY_AFTER);
			}
		} finally {
			this.flights.delete(flight);
		}
	}

	private keep(index: number, t: Tile, f: Flight): void {
		const key = f.res + ":" + index;
		let g = this.groups.get(key);
		if (!g) {
			g = { res: f.res, index, lanes: new Map(), bytes: 0, used: this.frame, gen: f.gen, fetched: 0, settled: false };
			this.groups.set(key, g);
		}
		let more = 0;
		if ([...g.lanes.keys()].every((lane) => t.has(lane))) {
			g.gen = f.gen;
			g.settled = (index + 1) * TILE_PX * 2 ** f.res + LATE_NS < f.end;
		}
		for (const [lane, tile] of t) {
			more += weight(tile) - weight(g.lanes.get(lane));
			g.lanes.set(lane, tile);
		}
		g.fetched = performance.now();
		g.bytes += more;
		this.bytes += more;
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
		for (const f of this.flights)
			f.abort.abort();
	}
}

function brings(b: Batch, w: Want): boolean {
	return b.res === w.res && b.first <= w.index && w.index <= b.last;
}

/** Puts lanes of a tile into the batch of its neighbour, or into new ones. */
function add(batches: Batch[], w: Want, lanes: number[]): void {
	for (let i = 0; i < lanes.length; i += MAX_LANES) {
		const part = lanes.length > MAX_LANES ? lanes.slice(i, i + MAX_LANES) : lanes;
		const fits = batches.find((b) => b.res === w.res && b.last === w.index - 1 && b.priority === w.priority &&
			part.length * (w.index - b.first + 1) <= MAX_LANE_TILES && same(b.lanes, part));
		if (fits)
			fits.last = w.index;
		else
			batches.push({ res: w.res, first: w.index, last: w.index, lanes: part, has: new Set(part), priority: w.priority });
	}
}

function same(a: number[], b: number[]): boolean {
	return a.length === b.length && a.every((v, i) => v === b[i]);
}
