// The frames strip: each frame a box, its colour tells how it compares with the median.
import { effect, signal } from "@preact/signals";
import { api, isAbort } from "../api";
import { fmtDur } from "../format";
import { view } from "../state";
import type { Frames, Meta, Track } from "../types";
import { type Colors, FONT } from "./draw";
import type { Frame } from "./overlay";

const LIMIT = 1000;

export class FrameStrip {
	readonly tracks = signal<Track[]>([]);
	readonly track = signal<number | null>(null);
	private data: Frames | null = null;
	private asked = "";
	private timer = 0;
	private abort: AbortController | null = null;
	private gen = 0;

	constructor(private readonly trace: number, private readonly onData: () => void) {
		effect(() => {
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

	private ask(): void {
		const v = view.peek();
		const t = this.track.peek();
		const key = [t, Math.round(v.t0), Math.round(v.t1), this.gen].join();
		if (t === null || key === this.asked)
			return;
		this.asked = key;
		this.timer ||= window.setTimeout(() => {
			this.timer = 0;
			void this.fetch(this.track.peek() ?? t, Math.max(0, view.peek().t0), view.peek().t1);
		}, this.data ? 80 : 0);
	}

	private async fetch(track: number, t0: number, t1: number): Promise<void> {
		this.abort?.abort();
		this.abort = new AbortController();
		try {
			this.data = await api.frames(this.trace, { track, t0, t1, limit: LIMIT }, this.abort.signal);
			this.onData();
		} catch (e) {
			if (!isAbort(e))
				this.data = null;
		}
	}

	draw(ctx: CanvasRenderingContext2D, f: Frame, height: number, c: Colors): void {
		this.ask();
		ctx.setTransform(f.dpr, 0, 0, f.dpr, 0, 0);
		ctx.fillStyle = c.bg;
		ctx.fillRect(0, 0, f.width, height);
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		const median = this.data?.stats.median ?? 0;
		for (const [a, b] of this.data?.rows ?? []) {
			const x0 = (a - f.t0) / f.ns, x1 = (b - f.t0) / f.ns;
			if (x1 < 0 || x0 > f.width)
				continue;
			const slow = median > 0 ? (b - a) / median : 1;
			ctx.fillStyle = slow > 2 ? "#e05c5c" : slow > 1.25 ? "#e0b04a" : "#58b58a";
			const w = Math.max(1, x1 - x0 - 1);
			ctx.fillRect(x0, 3, w, height - 6);
			const left = Math.max(0, x0) + 4, room = Math.min(f.width, x1) - left - 3;
			const text = fmtDur(b - a);
			if (room > 48) {
				ctx.fillStyle = "#0b0e12";
				ctx.fillText(text, left, height / 2 + 0.5);
			}
		}
	}
}
