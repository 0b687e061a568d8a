// SPDX-License-Identifier: Apache-2.0
// Messages as small marks at the top of their thread.
import { api, isAbort } from "../api";
import { view } from "../state";
import type { Message } from "../types";
import type { Colors } from "./draw";
import type { Row } from "./layout";
import type { Frame } from "./overlay";

const LIMIT = 1000;

export class MessageMarks {
	private rows: Message[] = [];
	private asked = "";
	private timer = 0;
	private abort: AbortController | null = null;
	gen = 0;
	live = false;
	/** The trace has messages. */
	any = false;

	constructor(private readonly trace: number, private readonly onData: () => void) {}

	private ask(): void {
		const v = view.peek();
		const key = [Math.round(v.t0), Math.round(v.t1), this.live ? this.gen : 0].join();
		if (key === this.asked || !this.any)
			return;
		this.asked = key;
		// a delayed request uses the view of that moment, so a view in constant motion gets marks too
		this.timer ||= window.setTimeout(() => {
			this.timer = 0;
			void this.fetch(Math.max(0, view.peek().t0), view.peek().t1);
		}, 120);
	}

	private async fetch(t0: number, t1: number): Promise<void> {
		this.abort?.abort();
		if (t1 <= t0) // none before the trace begins
			return;
		this.abort = new AbortController();
		try {
			const r = await api.messages(this.trace, { t0, t1, limit: LIMIT, total: false }, this.abort.signal);
			this.rows = r.rows;
			this.onData();
		} catch (e) {
			if (!isAbort(e)) {
				this.rows = [];
				this.asked = ""; // retry on the next draw
			}
		}
	}

	/** The message under the pointer, if one is near. */
	at(f: Frame, x: number, track: number | undefined): Message | null {
		let best: Message | null = null, d = 6;
		for (const m of this.rows)
			if (m.thread === track && Math.abs((m.t - f.t0) / f.ns - x) < d) {
				d = Math.abs((m.t - f.t0) / f.ns - x);
				best = m;
			}
		return best;
	}

	draw(ctx: CanvasRenderingContext2D, f: Frame, rows: Row[], c: Colors): void {
		this.ask();
		const y = new Map<number, number>();
		for (const r of rows)
			if (r.kind === "thread" && r.track)
				y.set(r.track.id, r.y);
		ctx.setTransform(f.dpr, 0, 0, f.dpr, 0, 0);
		for (const m of this.rows) {
			const at = m.thread === null ? undefined : y.get(m.thread);
			const x = (m.t - f.t0) / f.ns;
			if (at === undefined || x < -5 || x > f.width + 5)
				continue;
			ctx.fillStyle = m.signpost ? c.signpost : m.severity >= 4 ? c.warn : c.text;
			ctx.beginPath();
			ctx.moveTo(x - 4, at);
			ctx.lineTo(x + 4, at);
			ctx.lineTo(x, at + 6);
			ctx.fill();
		}
	}
}
