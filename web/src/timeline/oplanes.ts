// SPDX-License-Identifier: Apache-2.0
// The ops of each device by time: what its cores work on together, why it takes long, and what the host does
// between two of them. Ops that overlap have lanes of their own.
import { effect, signal } from "@preact/signals";
import { api, isAbort } from "../api";
import { elide } from "../format";
import { generation, meta, type Range } from "../state";
import { css, hashText, oklch, type Rgb, theme, wantsBlack } from "../theme";
import type { OpLanes, OpSpan } from "../types";
import type { Colors } from "./draw";
import type { Row } from "./layout";
import type { Frame } from "./overlay";

export const OP_H = 22;
export const OP_TOP = 3;
/** The stripe below an op: its bound. */
const BOUND_H = 4;
/** How far beyond the view is loaded, in views. */
const BESIDE = 1;

export const BOUND_COLORS: Record<string, Rgb> = {
	DRAM: [0x3f, 0xa9, 0x8a], FLOP: [0xc9, 0x6f, 0xb4], BOTH: [0xd9, 0xb0, 0x3c], SLOW: [0xe8, 0x8a, 0x2e], HOST: [0xe0, 0x5c, 0x5c],
};

/** A place on an op's row: the op, or the gap before it. */
export interface OpHit {
	op: OpSpan;
	/** The gap's start and end. */
	gap: [t0: number, t1: number] | null;
}

interface Loaded extends OpLanes {
	t0: number;
	t1: number;
	least: number;
	gen: number;
}

export class OpLaneStore {
	/** Lanes of each device; none until they are known. */
	readonly lanes = signal<ReadonlyMap<number, number>>(new Map());
	private readonly loaded = new Map<number, Loaded>();
	private readonly pending = new Map<number, { key: string; abort: AbortController }>();
	private readonly stop: () => void;
	/** Ops with a host side, by its start: for the names of host zones. */
	private hosts: OpSpan[] = [];

	constructor(private readonly trace: number, private readonly onData: () => void) {
		this.stop = effect(() => {
			const m = meta.value;
			if (!m?.has.ops)
				return;
			generation.value;
			for (const device of new Set(m.devices.map((d) => d.device)))
				if (!this.lanes.peek().has(device))
					void this.fetch(device, { t0: 0, t1: m.duration + 1 }, m.duration / 1000);
		});
	}

	/** Loads what the view of some devices needs. */
	want(devices: number[], v: Range, ns: number): void {
		for (const d of devices) {
			const have = this.loaded.get(d);
			const fits = have && have.gen === generation.peek() && (have.t0 <= v.t0 || have.t0 <= 0) && have.t1 >= v.t1 && have.least <= ns * 1.01 && (have.least >= ns / 4 || have.least === 0);
			if (!fits)
				void this.fetch(d, { t0: v.t0 - BESIDE * (v.t1 - v.t0), t1: v.t1 + BESIDE * (v.t1 - v.t0) }, ns);
		}
	}

	private async fetch(device: number, r: Range, ns: number): Promise<void> {
		// steps of two, so that a slow zoom does not ask for each frame
		const least = ns < 2 ? 0 : 2 ** Math.floor(Math.log2(ns)), gen = generation.peek();
		const t0 = Math.max(0, Math.floor(r.t0)), t1 = Math.max(1, Math.ceil(r.t1));
		const key = [least, gen, Math.round(Math.log2(t1 - t0) * 2), Math.floor(2 * (t0 + t1) / (t1 - t0))].join();
		const old = this.pending.get(device);
		if (old?.key === key)
			return;
		old?.abort.abort();
		const mine = { key, abort: new AbortController() };
		this.pending.set(device, mine);
		try {
			const found = await api.opLanes(this.trace, { dev: device, t0, t1, least }, mine.abort.signal);
			this.loaded.set(device, { ...found, t0, t1, least, gen });
			this.hosts = [...this.loaded.values()].flatMap((l) => l.rows.filter((o) => o[7] !== undefined)).sort((a, b) => (a[7] ?? 0) - (b[7] ?? 0));
			if (this.lanes.peek().get(device) !== found.lanes)
				this.lanes.value = new Map(this.lanes.peek()).set(device, found.lanes);
			this.onData();
		} catch (e) {
			if (!isAbort(e) && !this.lanes.peek().has(device))
				this.lanes.value = new Map(this.lanes.peek()).set(device, 0); // it has none
		} finally {
			if (this.pending.get(device) === mine)
				this.pending.delete(device);
		}
	}

	rows(device: number): OpSpan[] {
		return this.loaded.get(device)?.rows ?? [];
	}

	/** The op whose host side is a zone between two times, given to NS; null if it is none. */
	hostOp(t0: number, t1: number, ns: number): OpSpan | null {
		let low = 0, high = this.hosts.length;
		while (low < high) {
			const mid = low + high >> 1;
			if ((this.hosts[mid][7] ?? 0) < t0 - 2 * ns)
				low = mid + 1;
			else
				high = mid;
		}
		const o = this.hosts[low];
		if (o && Math.abs((o[7] ?? 0) - t0) <= 2 * ns && Math.abs((o[7] ?? 0) + (o[8] ?? 0) - t1) <= Math.max(2 * ns, 2))
			return o;
		// the zone's start may be left of the view
		return this.hosts.find((h) => (h[7] ?? 0) <= t0 && Math.abs((h[7] ?? 0) + (h[8] ?? 0) - t1) <= 2 * ns) ??
			this.hosts.find((h) => Math.abs((h[7] ?? 0) - t0) <= 2 * ns) ?? null;
	}

	find(id: number): { op: OpSpan; device: number } | null {
		for (const [device, l] of this.loaded)
			for (const op of l.rows)
				if (op[5] === id)
					return { op, device };
		return null;
	}

	/** What is at a time in a row, Y from its top: an op, or the gap before the next one. */
	at(row: Row, t: number, y: number, ns: number): OpHit | null {
		const list = this.rows(row.ops ?? -1);
		const lane = Math.floor((y - OP_TOP) / OP_H);
		const near = 2 * ns;
		const hit = list.find((o) => o[2] === lane && o[0] - near <= t && t <= Math.max(o[1], o[0] + near));
		if (hit)
			return { op: hit, gap: null };
		let end = 0, next: OpSpan | null = null;
		for (const o of list)
			if (o[0] > t)
				next = next && next[0] <= o[0] ? next : o;
			else if (o[1] > end)
				end = o[1];
		return next && end > 0 && end <= t ? { op: next, gap: [end, next[0]] } : null;
	}

	draw(ctx: CanvasRenderingContext2D, rows: Row[], f: Frame, c: Colors, lit: number | null): void {
		const dark = theme.peek() === "dark";
		ctx.textBaseline = "middle";
		for (const row of rows) {
			if (row.ops === undefined)
				continue;
			this.gaps(ctx, row, f, c);
			for (const o of this.rows(row.ops)) {
				const a = (o[0] - f.t0) / f.ns, b = (o[1] - f.t0) / f.ns;
				if (b < 0 || a > f.width)
					continue;
				const x = Math.max(-1, a), w = Math.max(1, Math.min(f.width + 1, b) - x), y = row.y + OP_TOP + o[2] * OP_H;
				const rgb = opColor(o[3], dark);
				ctx.globalAlpha = lit !== null && lit !== o[5] ? 0.35 : 1;
				ctx.fillStyle = css(rgb);
				ctx.fillRect(x, y, w > 3 ? w - 1 : w, OP_H - 2 - BOUND_H);
				const bound = BOUND_COLORS[o[4]];
				ctx.fillStyle = bound ? css(bound) : c.line;
				ctx.fillRect(x, y + OP_H - 2 - BOUND_H, w > 3 ? w - 1 : w, BOUND_H);
				if (w > 22) {
					ctx.fillStyle = wantsBlack(rgb) ? "#0b0e12" : "#ffffff";
					const room = w - 8, name = o[6] > 1 ? `${o[6]} × ${o[3]}` : o[3];
					let text = name;
					while (text.length > 2 && ctx.measureText(text).width > room)
						text = elide(name, Math.min(text.length - 1, Math.floor(text.length * room / ctx.measureText(text).width)));
					if (text.length > 2)
						ctx.fillText(text, Math.max(0, x) + 4, y + (OP_H - 2 - BOUND_H) / 2 + 0.5);
				}
				ctx.globalAlpha = 1;
			}
		}
	}

	/** Time in which the device has no op: a line, since cores may be drawn below it. */
	private gaps(ctx: CanvasRenderingContext2D, row: Row, f: Frame, c: Colors): void {
		let end = -1;
		for (const o of [...this.rows(row.ops ?? -1)].sort((a, b) => a[0] - b[0])) {
			const x0 = (end - f.t0) / f.ns, x1 = (o[0] - f.t0) / f.ns;
			if (end >= 0 && x1 - x0 > 3 && x1 > 0 && x0 < f.width) {
				const a = Math.max(0, x0), b = Math.min(f.width, x1), y = row.y + OP_TOP + (OP_H - 2) / 2;
				ctx.fillStyle = c.warn;
				ctx.globalAlpha = 0.55;
				ctx.fillRect(a, y, b - a, 1);
				ctx.fillRect(a, y - 3, 1, 7);
				ctx.fillRect(b - 1, y - 3, 1, 7);
				ctx.globalAlpha = 1;
			}
			end = Math.max(end, o[1]);
		}
	}

	close(): void {
		this.stop();
		for (const p of this.pending.values())
			p.abort.abort();
	}
}

/** The same op has the same colour everywhere: that of its first word. */
function opColor(name: string, dark: boolean): Rgb {
	return oklch(dark ? 0.72 : 0.82, 0.1, hashText(name.split(" ")[0]) % 360);
}
