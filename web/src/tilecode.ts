// SPDX-License-Identifier: Apache-2.0
// The server's binary form of tiles: docs/view.md.

export const TILE_PX = 512;
const MAGIC = 0x314c5454;
const LANE_EMPTY = 0xffffffff;

export interface LaneTile {
	busy: Uint8Array;
	dom: Uint16Array;
	/** n times {px, w: u16; name, count, zone: u32} */
	rects: Uint32Array;
}

export type Tile = Map<number, LaneTile>;

/** A lane with nothing in this tile. */
export const EMPTY: LaneTile = { busy: new Uint8Array(0), dom: new Uint16Array(0), rects: new Uint32Array(0) };

/** Where the tile at AT ends; -1 if there is none. */
function tileEnd(head: DataView, at: number): number {
	const size = head.byteLength;
	if (at + 12 > size || head.getUint32(at, true) !== MAGIC)
		return -1;
	let left = head.getUint32(at + 8, true);
	for (at += 12; left > 0 && at + 8 <= size; left--) {
		const n = head.getUint32(at + 4, true);
		at += 8 + (n === LANE_EMPTY ? 0 : 3 * TILE_PX + 16 * n);
	}
	return left === 0 && at <= size ? at : -1;
}

/** BUFFER is one whole tile. */
function decodeTile(buffer: ArrayBuffer): Tile {
	const head = new DataView(buffer);
	const lanes: Tile = new Map();
	for (let at = 12; at < buffer.byteLength;) {
		const lane = head.getUint32(at, true), n = head.getUint32(at + 4, true);
		at += 8;
		if (n === LANE_EMPTY) {
			lanes.set(lane, EMPTY);
			continue;
		}
		lanes.set(lane, {
			busy: new Uint8Array(buffer, at, TILE_PX),
			dom: new Uint16Array(buffer, at + TILE_PX, TILE_PX),
			rects: new Uint32Array(buffer, at + 3 * TILE_PX, 4 * n),
		});
		at += 3 * TILE_PX + 16 * n;
	}
	return lanes;
}

/** Splits a response of COUNT tiles; null if it is malformed. Each tile owns its memory. */
export function decode(buffer: ArrayBuffer, count: number): Tile[] | null {
	const head = new DataView(buffer);
	const tiles: Tile[] = [];
	for (let at = 0; tiles.length < count;) {
		const end = tileEnd(head, at);
		if (end < 0)
			return null;
		tiles.push(decodeTile(at === 0 && end === buffer.byteLength ? buffer : buffer.slice(at, end)));
		at = end;
	}
	return tiles;
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
