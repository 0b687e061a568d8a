// SPDX-License-Identifier: Apache-2.0
// Moves the view: wheel and key steps become short glides, unless the user prefers reduced motion.
import { duration, view } from "../state";
import type { Range } from "../state";
import { calm } from "../theme";

const MIN_SPAN = 20;

export class Motion {
	private target: Range = view.peek();
	private shown: Range = view.peek();
	private before: Range | null = null;
	private running = false;

	/** AIMED is called when the goal changes to one that the view does not show yet. */
	constructor(private readonly aimed: () => void) {}

	/** Where the view is going to, for steps that build on each other. */
	get goal(): Range {
		return view.peek() === this.shown ? this.target : view.peek();
	}

	/** Where another step like the last one would lead; null after a jump. */
	get next(): Range | null {
		const a = this.before, b = this.target;
		if (!a || view.peek() !== this.shown)
			return null;
		const f = (b.t1 - b.t0) / (a.t1 - a.t0);
		if (f < 0.25 || f > 4 || b.t1 < a.t0 || b.t0 > a.t1)
			return null;
		return this.clamp({ t0: b.t0 + (b.t0 - a.t0) * f, t1: b.t1 + (b.t1 - a.t1) * f });
	}

	get moving(): boolean {
		return this.running;
	}

	private spanOf(ns: number): number {
		return Math.min(Math.max(ns, MIN_SPAN), duration.peek() * 1.25 + 1000);
	}

	clamp(r: Range): Range {
		const d = duration.peek();
		const span = this.spanOf(r.t1 - r.t0);
		const mid = (r.t0 + r.t1) / 2;
		let t0 = mid - span / 2;
		t0 = Math.max(-span * 0.5, Math.min(d - span * 0.5, t0));
		return { t0, t1: t0 + span };
	}

	to(r: Range, glide: boolean): void {
		this.before = this.goal;
		this.target = this.clamp(r);
		if (!glide || calm.matches) {
			this.running = false;
			this.set(this.target);
			return;
		}
		if (!this.running) {
			this.running = true;
			this.shown = view.peek();
			requestAnimationFrame(() => this.step());
		}
		this.aimed();
	}

	zoom(at: number, factor: number, glide: boolean): void {
		const g = this.goal;
		const f = this.spanOf((g.t1 - g.t0) * factor) / (g.t1 - g.t0); // no zoom beyond the limits
		this.to({ t0: at - (at - g.t0) * f, t1: at + (g.t1 - at) * f }, glide);
	}

	pan(ns: number, glide: boolean): void {
		const g = this.goal;
		this.to({ t0: g.t0 + ns, t1: g.t1 + ns }, glide);
	}

	private set(r: Range): void {
		this.shown = r;
		view.value = r;
	}

	private step(): void {
		if (!this.running)
			return;
		if (view.peek() !== this.shown) { // moved by other code
			this.running = false;
			return;
		}
		const v = this.shown, g = this.target;
		const span = v.t1 - v.t0;
		const near = Math.abs(g.t0 - v.t0) < span / 2000 && Math.abs(g.t1 - v.t1) < span / 2000;
		if (near) {
			this.running = false;
			this.set(g);
			return;
		}
		const k = 0.38;
		this.set({ t0: v.t0 + (g.t0 - v.t0) * k, t1: v.t1 + (g.t1 - v.t1) * k });
		requestAnimationFrame(() => this.step());
	}
}
