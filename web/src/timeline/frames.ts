// SPDX-License-Identifier: Apache-2.0
// The frames strip: each frame is a box, coloured by its length relative to the median.
import { effect, signal } from "@preact/signals";
import { api, isAbort } from "../api";
import { fmtCount, fmtDur } from "../format";
import { view } from "../state";
import type { Frames, Meta, Track } from "../types";
import { type Colors, FONT } from "./draw";
import type { Frame } from "./overlay";

/** Frames narrower than this are drawn together; also the reach of hit tests. */
const LEAST = 2;

export class FrameStrip {
	readonly tracks = signal<Track[]>([]);
	readonly track = signal<number | null>(null);
	private data: Frames | null = null;
	private asked = "";
	private timer = 0;
	private abort: AbortController | null = null;
	private gen = 0;

	/** Ends it. */
	readonly close: () => void;

	constructor(private readonly trace: number, private readonly onData: () => void) {
		this.close = effect(() => {
			this.track.value;
			this.asked = "";
			this.onData();
		});
	}

	setMeta(m: Meta, live: boolean): void {
		this.tracks.value = m.tracks.filter((t) => t.kind === "frames");
		if (this.track.peek() === null && this.tracks.peek().length)
			this.track.value = this.tracks.peek()[0].id;
		if (live)
			this.gen = m.gen;
	}

	private ask(width: number): void {
		const v = view.peek();
		const t = this.track.peek();
		const key = [t, Math.round(v.t0), Math.round(v.t1), this.gen].join();
		if (t === null || key === this.asked)
			return;
		this.asked = key;
		this.timer ||= window.setTimeout(() => {
			this.timer = 0;
			const v = view.peek();
			void this.fetch(this.track.peek() ?? t, Math.max(0, v.t0), v.t1, LEAST * (v.t1 - v.t0) / width);
		}, this.data ? 80 : 0);
	}

	private async fetch(track: number, t0: number, t1: number, least: number): Promise<void> {
		this.abort?.abort();
		if (t1 <= t0) // none before the trace begins
			return;
		this.abort = new AbortController();
		try {
			this.data = await api.frames(this.trace, { track, t0, t1, least }, this.abort.signal);
			this.onData();
		} catch (e) {
			if (!isAbort(e)) {
				this.data = null;
				this.asked = ""; // retry on the next draw
			}
		}
	}

	/** The frame or frames at a time, at `ns` per pixel, else the nearest: a box one pixel wide can be hit too. */
	at(t: number, ns: number): Frames["rows"][number] | null {
		let found = null, least = LEAST * ns;
		for (const row of this.data?.rows ?? []) {
			const [a, b] = row;
			if (t >= a && t < b)
				return row;
			const far = t < a ? a - t : t - b;
			if (far <= least) {
				found = row;
				least = far;
			}
		}
		return found;
	}

	/** The frame at a time, as text. */
	text(t: number, ns: number): string {
		const r = this.at(t, ns), s = this.data?.stats;
		if (!r || !s)
			return "";
		const what = r[2] ? `${fmtCount(r[2])} frames, the longest ${fmtDur(r[3])}` : `frame of ${fmtDur(r[1] - r[0])}`;
		return `${what}\n${fmtCount(s.count)} in view: median ${fmtDur(s.median)}, 99 % below ${fmtDur(s.p99)}, longest ${fmtDur(s.max)}\nclick: range`;
	}

	draw(ctx: CanvasRenderingContext2D, f: Frame, height: number, c: Colors): void {
		this.ask(f.width);
		ctx.setTransform(f.dpr, 0, 0, f.dpr, 0, 0);
		ctx.fillStyle = c.bg;
		ctx.fillRect(0, 0, f.width, height);
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		const median = this.data?.stats.median ?? 0;
		for (const [a, b, count, longest] of this.data?.rows ?? []) {
			const x0 = (a - f.t0) / f.ns, x1 = (b - f.t0) / f.ns;
			if (x1 < 0 || x0 > f.width)
				continue;
			const slow = median > 0 ? (longest ?? b - a) / median : 1;
			ctx.fillStyle = slow > 2 ? "#e05c5c" : slow > 1.25 ? "#e0b04a" : "#58b58a";
			const w = Math.max(1, x1 - x0 - (count ? 0 : 1));
			ctx.fillRect(x0, 3, w, height - 6);
			const left = Math.max(0, x0) + 4, room = Math.min(f.width, x1) - left - 3;
			const text = fmtDur(b - a);
			if (room > 48 && !count) {
				ctx.fillStyle = "#0b0e12";
				ctx.fillText(text, left, height / 2 + 0.5);
			}
		}
	}
}
