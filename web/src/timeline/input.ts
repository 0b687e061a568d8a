// SPDX-License-Identifier: Apache-2.0
// Mouse and keys of the timeline: wheel zooms at the pointer, drag pans, Ctrl, Alt or the middle button
// drags a range, W A S D move, arrows walk from zone to zone.
import { api } from "../api";
import { announce } from "../ui/live";
import { duration, follow, litName, marks, meta, range, selection, setRange, view } from "../state";
import { nameOf } from "../names";
import { fmtDur } from "../format";
import type { LockSpan } from "../types";
import type { Hover, Timeline } from "./controller";
import { sectionOf } from "../ui/section";
import { askNote, toggleMark } from "./notes";
import { askPath } from "./path";
import { lockSpan, op, path, whenKnown, zone } from "./select";

const CLICK_PX = 4;

type Drag = { kind: "pan" | "range" | "map"; x: number; y: number; t: number; moved: boolean; top: number };

function place(e: MouseEvent, el: HTMLElement): { x: number; y: number } {
	const r = el.getBoundingClientRect();
	return { x: e.clientX - r.left, y: e.clientY - r.top };
}

function wheelPixels(e: WheelEvent, delta: number): number {
	return delta * (e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1);
}

function onWheel(tl: Timeline, e: WheelEvent): void {
	e.preventDefault();
	follow.value = false;
	const dx = wheelPixels(e, e.deltaX), dy = wheelPixels(e, e.deltaY);
	const f = tl.frame;
	if (e.shiftKey || (Math.abs(dx) > Math.abs(dy) && !e.ctrlKey)) {
		tl.motion.pan((e.shiftKey && dx === 0 ? dy : dx) * f.ns, Math.abs(dx + dy) >= 50);
		return;
	}
	const speed = e.ctrlKey ? 0.01 : 0.0022;
	const factor = Math.exp(Math.max(-1.2, Math.min(1.2, dy * speed)));
	const goal = tl.motion.goal;
	const x = place(e, tl.el.over).x;
	tl.motion.zoom(goal.t0 + x / f.width * (goal.t1 - goal.t0), factor, Math.abs(dy) >= 50);
}

/** Adds the listeners; returns a function that removes them. */
export function listen(tl: Timeline, gutterScroll: HTMLElement): () => void {
	const { over, rulerOver, map } = tl.el;
	let drag: Drag | null = null;
	const stop = new AbortController();
	const opt = { signal: stop.signal };

	const down = (surface: HTMLCanvasElement, kind: (e: PointerEvent) => Drag["kind"] | null) => {
		surface.addEventListener("pointerdown", (e) => {
			const k = kind(e);
			if (k === null)
				return;
			surface.setPointerCapture(e.pointerId);
			const p = place(e, surface);
			drag = { kind: k, x: p.x, y: p.y, t: tl.timeAt(p.x), moved: false, top: tl.el.body.scrollTop };
			if (k === "map")
				mapTo(p.x);
			if (e.button === 1)
				e.preventDefault();
		}, opt);
		surface.addEventListener("pointermove", (e) => move(surface, e), opt);
		surface.addEventListener("pointerup", (e) => up(surface, e), opt);
		surface.addEventListener("pointercancel", () => {
			drag = null;
			tl.dragRange.value = null;
		}, opt);
	};

	const mapTo = (x: number) => {
		follow.value = false;
		const v = tl.motion.goal;
		const t = x / map.clientWidth * duration.peek();
		const half = (v.t1 - v.t0) / 2;
		tl.motion.to({ t0: t - half, t1: t + half }, false);
	};

	const move = (surface: HTMLCanvasElement, e: PointerEvent) => {
		const p = place(e, surface);
		if (!drag) {
			if (surface === over)
				tl.hover.value = tl.at(p.x, p.y);
			else if (surface === rulerOver)
				tl.hover.value = { x: p.x, y: -1, t: tl.timeAt(p.x), drawn: null, box: null, row: null };
			return;
		}
		if (!drag.moved && Math.hypot(p.x - drag.x, p.y - drag.y) < CLICK_PX)
			return;
		drag.moved = true;
		tl.hover.value = null;
		if (drag.kind === "map") {
			mapTo(p.x);
		} else if (drag.kind === "range") {
			const t = tl.timeAt(p.x);
			tl.dragRange.value = { t0: Math.min(drag.t, t), t1: Math.max(drag.t, t) };
		} else {
			follow.value = false;
			const v = view.peek();
			const shift = drag.t - tl.timeAt(p.x);
			tl.motion.to({ t0: v.t0 + shift, t1: v.t1 + shift }, false);
			drag.t = tl.timeAt(p.x);
			gutterScroll.scrollTop = drag.top - (p.y - drag.y);
		}
	};

	const up = (surface: HTMLCanvasElement, e: PointerEvent) => {
		const d = drag;
		drag = null;
		const r = tl.dragRange.peek();
		tl.dragRange.value = null;
		if (!d)
			return;
		if (d.kind === "range" && d.moved && r)
			setRange(r.t0, r.t1);
		else if (!d.moved && surface === over && e.button === 0)
			void click(tl, place(e, over));
		else if (!d.moved && surface === rulerOver && e.button === 0)
			ruled(tl, place(e, rulerOver));
		else if (!d.moved && d.kind === "range")
			range.value = null;
	};

	down(over, (e) => e.button === 1 || (e.button === 0 && (e.ctrlKey || e.altKey || e.metaKey)) ? "range" : e.button === 0 || e.button === 2 ? "pan" : null);
	down(rulerOver, (e) => e.button === 0 || e.button === 1 ? "range" : null);
	down(map, (e) => e.button === 0 ? "map" : null);
	over.addEventListener("pointerleave", () => { tl.hover.value = null; }, opt);
	rulerOver.addEventListener("pointerleave", () => { tl.hover.value = null; }, opt);
	over.addEventListener("contextmenu", (e) => e.preventDefault(), opt);
	for (const s of [over, rulerOver])
		s.addEventListener("wheel", (e) => onWheel(tl, e), { ...opt, passive: false });
	listenFrames(tl, opt);
	over.addEventListener("dblclick", (e) => void fitAt(tl, place(e, over)), opt);
	return () => stop.abort();
}

/** A click on the ruler clears the range; on the signpost line it sets the range to the section there. */
function ruled(tl: Timeline, p: { x: number; y: number }): void {
	const posts = meta.peek()?.signposts ?? [];
	const t = tl.timeAt(p.x);
	const post = p.y > tl.el.rulerOver.clientHeight - 18 ? posts.filter((s) => s.t <= t).pop() : undefined;
	if (post && range.peek()?.t0 !== Math.floor(post.t))
		setRange(...sectionOf(post.t));
	else
		range.value = null;
}

/** Frames: a click sets the range to one, another click clears it; a double click zooms to it. */
function listenFrames(tl: Timeline, opt: { signal: AbortSignal }): void {
	const c = tl.el.frames;
	if (!c)
		return;
	const timeOf = (e: MouseEvent) => tl.timeAt(place(e, c).x);
	const frameOf = (e: MouseEvent) => tl.frames.at(timeOf(e), tl.frame.ns);
	c.addEventListener("pointermove", (e) => {
		c.title = tl.frames.text(timeOf(e), tl.frame.ns);
		tl.hover.value = { x: place(e, c).x, y: -1, t: timeOf(e), drawn: null, box: null, row: null, frame: meta.peek()?.has.images ? frameOf(e) : null };
	}, opt);
	c.addEventListener("pointerleave", () => { tl.hover.value = null; }, opt);
	c.addEventListener("click", (e) => {
		const r = frameOf(e);
		const on = range.peek();
		if (!r || (on?.t0 === Math.floor(r[0]) && on.t1 === Math.ceil(r[1])))
			range.value = null;
		else
			setRange(r[0], r[1]);
	}, opt);
	c.addEventListener("dblclick", (e) => {
		const r = frameOf(e);
		if (r)
			tl.fit({ t0: r[0], t1: r[1] });
	}, opt);
	c.addEventListener("wheel", (e) => onWheel(tl, e), { ...opt, passive: false });
}

function spanAt(tl: Timeline, h: Hover, y: number): Promise<LockSpan | null> {
	return h.row ? tl.locks.spanAt(h.row, y, h.t, tl.frame.ns, new AbortController().signal) : Promise.resolve(null);
}

async function click(tl: Timeline, p: { x: number; y: number }): Promise<void> {
	const h = tl.at(p.x, p.y);
	if (h.row?.kind === "heat" || (h.row?.kind === "core" && h.row.open === false)) {
		if (h.drawn?.stripe.track)
			tl.reveal(h.drawn.stripe.track.id);
		return;
	}
	if (h.row?.lock) {
		const { track } = h.row.lock;
		const s = await spanAt(tl, h, p.y);
		selection.value = s && s.idx !== null ? { kind: "lock", track, lane: s.lane, idx: s.idx } : null;
		return;
	}
	if (h.row?.ops !== undefined) {
		selection.value = h.op ? { kind: "op", id: String(h.op.op[5]), gap: h.op.gap !== null } : null;
		return;
	}
	const z = await tl.zoneAt(h);
	tl.select(z);
	if (!z)
		litName.value = null;
}

async function fitAt(tl: Timeline, p: { x: number; y: number }): Promise<void> {
	const h = tl.at(p.x, p.y);
	const span = h.row?.lock ? await spanAt(tl, h, p.y) : null;
	if (span) {
		tl.fit({ t0: span.start, t1: span.end });
		return;
	}
	if (h.op) {
		tl.fit(h.op.gap ? { t0: h.op.gap[0], t1: h.op.gap[1] } : { t0: h.op.op[0], t1: h.op.op[1] });
		return;
	}
	const z = await tl.zoneAt(h);
	if (!z) {
		tl.fitAll();
		return;
	}
	tl.select(z);
	const d = await api.zone(tl.trace, z);
	tl.fit({ t0: d.start, t1: d.end });
}

async function selectAndBring(tl: Timeline, lane: number, idx: number): Promise<void> {
	try {
		const z = await api.zone(tl.trace, { lane, idx });
		tl.select(z);
		tl.bring(z);
		announce(`${nameOf(z.name)}, ${fmtDur(z.duration)}`);
	} catch {
		announce("no next zone");
	}
}

/** The previous or next lock span in the lane of the selected one. */
export function spanStep(step: 1 | -1): void {
	const l = lockSpan.peek();
	if (!l || l.idx === null)
		return;
	const to = (l.open ? l.count : l.idx) + step;
	if (to < 0 || to >= l.count)
		announce(step > 0 ? "no next span" : "no previous span");
	else
		selection.value = { kind: "lock", track: l.track, lane: l.lane, idx: to };
}

/** The previous or next one: of the same name, or in the lane of a lock. */
function sameName(tl: Timeline, step: 1 | -1): void {
	const z = zone.peek();
	const to = step > 0 ? z?.next : z?.prev;
	if (lockSpan.peek())
		spanStep(step);
	if (z && to != null)
		void selectAndBring(tl, z.lane, to);
}

/** Arrows: left and right in the lane, up and down in depth. */
function walk(tl: Timeline, key: string): void {
	if (lockSpan.peek()) {
		if (key === "ArrowLeft" || key === "ArrowRight")
			spanStep(key === "ArrowRight" ? 1 : -1);
		return;
	}
	const z = zone.peek();
	if (!z) {
		void selectFirst(tl);
		return;
	}
	if (key === "ArrowLeft" && z.idx > 0)
		void selectAndBring(tl, z.lane, z.idx - 1);
	else if (key === "ArrowRight")
		void selectAndBring(tl, z.lane, z.idx + 1);
	else if (key === "ArrowUp" && z.ancestors.length) {
		const up = z.ancestors.reduce((a, b) => b.start >= a.start ? b : a);
		void selectAndBring(tl, up.lane, up.idx);
	} else if (key === "ArrowDown" && z.children.length)
		void selectAndBring(tl, z.children[0].lane, z.children[0].idx);
}

async function selectFirst(tl: Timeline): Promise<void> {
	const v = view.peek();
	for (const r of tl.rows.peek().rows)
		for (const s of r.stripes)
			if (s.lanes.length === 1 && s.track) {
				const mid = Math.max(0, (v.t0 + v.t1) / 2);
				const h = await api.hit(tl.trace, s.lanes[0], mid, 50);
				if (h.idx !== null)
					return selectAndBring(tl, s.lanes[0], h.idx);
			}
}

function signpost(tl: Timeline, step: 1 | -1): void {
	const posts = meta.peek()?.signposts ?? [];
	const v = tl.motion.goal;
	const mid = (v.t0 + v.t1) / 2, eps = (v.t1 - v.t0) / 1000 + 1;
	const next = step > 0 ? posts.find((p) => p.t > mid + eps) : [...posts].reverse().find((p) => p.t < mid - eps);
	if (!next) {
		announce(step > 0 ? "no next signpost" : "no previous signpost");
		return;
	}
	follow.value = false;
	tl.motion.to({ t0: next.t - (mid - v.t0), t1: next.t + (v.t1 - mid) }, true);
	announce(`signpost ${next.header}`);
}

/** The moment that a mark or a note is for: under the pointer, of the selection, or the middle. */
function moment(tl: Timeline): number {
	const h = tl.hover.peek();
	const z = zone.peek();
	const v = view.peek();
	const t = Math.round(h ? h.t : z ? z.start : (v.t0 + v.t1) / 2);
	return Math.max(0, t);
}

/** Pins the row whose name has the focus, else the one under the pointer, else that of the selection. */
function pin(tl: Timeline, e: KeyboardEvent): void {
	const focused = (e.target as HTMLElement | null)?.closest<HTMLElement>("[data-row]")?.dataset.row;
	const row = focused ? tl.rows.peek().rows.find((r) => r.key === focused) : tl.hover.peek()?.row ?? tl.selectedRow();
	if (row?.pin)
		tl.pin(row);
	else
		announce("point at a row, or select a zone, to pin its row");
}

function fitSelected(tl: Timeline): void {
	const z = zone.peek();
	const l = lockSpan.peek();
	const o = op.peek()?.op;
	const r = range.peek();
	if (l) {
		tl.fit({ t0: l.start, t1: l.end });
	} else if (z) {
		tl.fit({ t0: z.start, t1: z.end });
		tl.bring(z);
	} else if (o?.t0 != null && o.t1 != null) {
		tl.fit({ t0: o.t0, t1: o.t1 });
	} else if (path.peek() ?? r) {
		tl.fit((path.peek() ?? r) as { t0: number; t1: number });
	} else {
		tl.fitAll();
	}
}

const held = new Set<string>();
let heldRunning = false;

/** W A S D while held: a steady move, independent of the machine's speed. */
function moveHeld(tl: Timeline): void {
	heldRunning = true;
	let before = performance.now();
	const step = (now: number) => {
		if (held.size === 0) {
			heldRunning = false;
			return;
		}
		const dt = Math.min(64, now - before) / 16.7;
		before = now;
		const v = view.peek();
		const span = v.t1 - v.t0;
		const h = tl.hover.peek();
		if (held.has("w") !== held.has("s"))
			tl.motion.zoom(h ? h.t : (v.t0 + v.t1) / 2, held.has("w") ? 0.955 ** dt : 1.047 ** dt, false);
		if (held.has("a") !== held.has("d"))
			tl.motion.pan(span * 0.014 * dt * (held.has("d") ? 1 : -1), false);
		requestAnimationFrame(step);
	};
	requestAnimationFrame(step);
}

/** True if the timeline handled the key. */
export function onKey(tl: Timeline, e: KeyboardEvent): boolean {
	const k = e.key.length === 1 ? e.key.toLowerCase() : e.key;
	if ("wasd".includes(k) && k.length === 1) {
		follow.value = false;
		if (!held.has(k)) {
			// a short press moves a step, a held one glides
			if (k === "w" || k === "s")
				tl.motion.zoom(tl.hover.peek()?.t ?? (view.peek().t0 + view.peek().t1) / 2, k === "w" ? 0.8 : 1.25, true);
			else
				tl.motion.pan((view.peek().t1 - view.peek().t0) * (k === "d" ? 0.1 : -0.1), true);
			window.setTimeout(() => {
				if (held.has(k) && !heldRunning)
					moveHeld(tl);
			}, 180);
		}
		held.add(k);
		return true;
	}
	switch (k) {
	case "ArrowLeft": case "ArrowRight": case "ArrowUp": case "ArrowDown":
		walk(tl, k);
		return true;
	case "f":
		fitSelected(tl);
		return true;
	case "[": case "]":
		signpost(tl, k === "]" ? 1 : -1);
		return true;
	case ",": case ".":
		void whenKnown().then(() => sameName(tl, k === "." ? 1 : -1));
		return true;
	case "m":
		toggleMark(tl, moment(tl));
		return true;
	case "n":
		askNote(tl, moment(tl));
		return true;
	case "p":
		pin(tl, e);
		return true;
	case "c": {
		const z = zone.peek();
		if (z && tl.rows.peek().rows.some((r) => r.kind === "thread" && r.track?.id === z.track))
			askPath({ t0: z.start, t1: z.end }, z.track);
		else
			askPath();
		return true;
	}
	case "r":
		void whenKnown().then(() => {
			const z = zone.peek() ?? lockSpan.peek(), p = path.peek();
			if (p)
				setRange(p.t0, p.t1);
			if (z)
				setRange(z.start, z.end);
		});
		return true;
	case "l":
		follow.value = !follow.peek();
		return true;
	case "Home":
		tl.fitAll();
		return true;
	case "PageDown": case "PageUp":
		tl.el.body.scrollTop += (tl.el.body.clientHeight - tl.edge) * 0.8 * (k === "PageDown" ? 1 : -1);
		return true;
	case "Escape":
		if (selection.peek() || litName.peek() !== null) {
			selection.value = null;
			litName.value = null;
		} else if (range.peek()) {
			range.value = null;
		} else {
			marks.value = [];
		}
		return true;
	}
	return false;
}

export function onKeyUp(e: KeyboardEvent): void {
	held.delete(e.key.toLowerCase());
}

export function releaseKeys(): void {
	held.clear();
}
