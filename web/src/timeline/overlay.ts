// SPDX-License-Identifier: Apache-2.0
// Draws what lies over the rows and moves with the pointer: range, signposts, marks, the zone under the
// pointer, the selected one. A separate canvas, so that the rows need no redraw.
import { elide, fmtDur, fmtTime } from "../format";
import type { Mark, Range } from "../state";
import type { Meta, Signpost } from "../types";
import { type Colors, FONT } from "./draw";

/** CSS pixels. */
export interface Frame {
	t0: number;
	/** Nanoseconds per CSS pixel. */
	ns: number;
	width: number;
	height: number;
	dpr: number;
}

export interface Outline {
	t0: number;
	t1: number;
	y: number;
	h: number;
	strong: boolean;
	/** Error bound of both ends. */
	error?: number;
}

export interface ClockMarks {
	y: number;
	h: number;
	points: [t: number, bound: number][];
}

export type Places = Map<number, [y: number, h: number][]>;

/** From a zone of the host to the op that it starts. */
export interface Arrow {
	x0: number;
	y0: number;
	x1: number;
	y1: number;
}

export interface OverlayState {
	arrows: Arrow[];
	range: Range | null;
	marks: Mark[];
	signposts: Signpost[];
	warnings: Meta["warnings"];
	/** The positions of tracks with losses. */
	lossY: Places;
	clocks: ClockMarks[];
	cursor: number | null;
	outlines: Outline[];
	op: Range | null;
	end: number;
	/** Draws the critical path; true if there is one. */
	path: (ctx: CanvasRenderingContext2D) => boolean;
}

function xOf(f: Frame, t: number): number {
	return (t - f.t0) / f.ns;
}

/** The dirty columns of a canvas. They are usually few, and clearing a whole large canvas takes longer than everything else. */
const used = new WeakMap<CanvasRenderingContext2D, [x0: number, x1: number][]>();
/** With more dirty columns, the whole canvas is cleared. */
const MANY = 100;

/** Every drawing function calls it. */
function use(ctx: CanvasRenderingContext2D, x0: number, x1: number): void {
	used.get(ctx)?.push([x0, x1]);
}

function begin(ctx: CanvasRenderingContext2D, f: Frame): void {
	ctx.setTransform(f.dpr, 0, 0, f.dpr, 0, 0);
	const old = used.get(ctx);
	if (!old || old.length > MANY)
		ctx.clearRect(0, 0, f.width, f.height);
	else
		for (const [x0, x1] of old)
			ctx.clearRect(Math.floor(x0) - 2, 0, Math.ceil(x1) - Math.floor(x0) + 4, f.height);
	ctx.font = FONT;
}

function box(ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
	use(ctx, x, x + w);
	ctx.fillRect(x, y, w, h);
}

function line(ctx: CanvasRenderingContext2D, x: number, y: number, h: number, color: string, width = 1): void {
	ctx.fillStyle = color;
	box(ctx, Math.round(x - width / 2), y, width, h);
}

function shadeOutside(ctx: CanvasRenderingContext2D, f: Frame, r: Range, c: Colors, alpha: number): void {
	const a = Math.max(0, Math.min(f.width, xOf(f, r.t0))), b = Math.max(0, Math.min(f.width, xOf(f, r.t1)));
	ctx.globalAlpha = alpha;
	ctx.fillStyle = c.bg;
	box(ctx, 0, 0, a, f.height);
	box(ctx, b, 0, f.width - b, f.height);
	ctx.globalAlpha = 1;
	line(ctx, a, 0, f.height, c.accent);
	line(ctx, b, 0, f.height, c.accent);
}

export function drawOverlay(ctx: CanvasRenderingContext2D, f: Frame, s: OverlayState, c: Colors): void {
	begin(ctx, f);
	used.set(ctx, []);
	const past = xOf(f, s.end);
	if (past < f.width) {
		ctx.globalAlpha = 0.5;
		ctx.fillStyle = c.panel;
		box(ctx, Math.max(0, past), 0, f.width - Math.max(0, past), f.height);
		ctx.globalAlpha = 1;
	}
	const before = xOf(f, 0);
	if (before > 0) {
		ctx.globalAlpha = 0.5;
		ctx.fillStyle = c.panel;
		box(ctx, 0, 0, before, f.height);
		ctx.globalAlpha = 1;
	}
	for (const p of s.signposts) {
		const x = xOf(f, p.t);
		if (x >= -1 && x <= f.width)
			line(ctx, x, 0, f.height, c.signpost);
	}
	if (s.op) {
		ctx.globalAlpha = 0.08;
		ctx.fillStyle = c.accent;
		box(ctx, xOf(f, s.op.t0), 0, Math.max(1, (s.op.t1 - s.op.t0) / f.ns), f.height);
		ctx.globalAlpha = 1;
	}
	for (const k of s.clocks)
		clocks(ctx, f, k, c);
	const drawn = new Set<string>();
	for (const w of s.warnings)
		for (const p of placesOf(f, s.lossY, w))
			warning(ctx, f, p, c, drawn);
	if (s.path(ctx))
		use(ctx, 0, f.width);
	for (const m of s.marks) {
		line(ctx, xOf(f, m.t0), 0, f.height, c.accent, 2);
		if (m.t1 > m.t0)
			line(ctx, xOf(f, m.t1), 0, f.height, c.accent, 2);
	}
	if (s.range)
		shadeOutside(ctx, f, s.range, c, 0.55);
	for (const o of s.outlines)
		outline(ctx, f, o, c);
	for (const a of s.arrows)
		arrow(ctx, f, a, c);
	if (s.cursor !== null) {
		ctx.globalAlpha = 0.5;
		line(ctx, s.cursor, 0, f.height, c.muted);
		ctx.globalAlpha = 1;
	}
}

function arrow(ctx: CanvasRenderingContext2D, f: Frame, a: Arrow, c: Colors): void {
	const down = a.y1 >= a.y0 ? 1 : -1, bend = Math.max(20, Math.abs(a.y1 - a.y0) / 2) * down;
	for (const w of [a.x0, a.x1])
		use(ctx, Math.max(0, Math.min(w, f.width)) - 8, Math.max(0, Math.min(w, f.width)) + 8);
	use(ctx, Math.max(0, Math.min(a.x0, a.x1)), Math.min(f.width, Math.max(a.x0, a.x1)));
	ctx.strokeStyle = ctx.fillStyle = c.accent;
	ctx.lineWidth = 1.5;
	ctx.beginPath();
	ctx.moveTo(a.x0, a.y0);
	ctx.bezierCurveTo(a.x0, a.y0 + bend, a.x1, a.y1 - bend, a.x1, a.y1);
	ctx.stroke();
	ctx.beginPath();
	ctx.moveTo(a.x1, a.y1);
	ctx.lineTo(a.x1 - 4, a.y1 - 8 * down);
	ctx.lineTo(a.x1 + 4, a.y1 - 8 * down);
	ctx.fill();
}

/** Half the width of a mark in pixels. */
const MARK = 5;

type Warned = Meta["warnings"][number];

/** The visible boxes of a warning: on its track, or over all tracks if it has none. */
function placesOf(f: Frame, places: Places, w: Warned): { x0: number; x1: number; y: number; h: number }[] {
	if (w.t === undefined)
		return [];
	const x1 = xOf(f, w.t), x0 = w.from === undefined ? x1 : xOf(f, w.from);
	if (x1 < -8 || x0 > f.width + 8)
		return [];
	const at = w.track === undefined ? [[0, f.height]] : places.get(w.track) ?? [];
	return at.map(([y, h]) => ({ x0, x1, y, h }));
}

/** Lost events: a mark on the track, and hatching over the missing time. */
function warning(ctx: CanvasRenderingContext2D, f: Frame, { x0, x1, y, h }: ReturnType<typeof placesOf>[number], c: Colors, drawn: Set<string>): void {
	const key = [Math.round(x0), Math.round(x1), y].join();
	if (drawn.has(key)) // a closed core represents five tracks
		return;
	drawn.add(key);
	use(ctx, Math.max(-MARK, x0 - MARK), Math.min(x1, f.width) + MARK);
	ctx.fillStyle = c.warn;
	for (let k = 0; k < h; k += 6)
		ctx.fillRect(Math.round(x1) - 1, y + k, 2, 3);
	if (x1 - x0 >= 3) {
		ctx.globalAlpha = 0.5;
		for (let x = x0 < 0 ? x0 % 6 : x0; x < Math.min(x1, f.width); x += 6)
			for (let k = 2; k + 2 < h; k += 6)
				ctx.fillRect(Math.round(x) + k % 12 / 2, y + k, 2, 2);
		ctx.globalAlpha = 1;
	}
	ctx.beginPath();
	ctx.moveTo(x1 - MARK, y);
	ctx.lineTo(x1 + MARK, y);
	ctx.lineTo(x1, y + 7);
	ctx.fill();
}

export function warningAt(f: Frame, places: Places, w: Warned, x: number, y: number): boolean {
	return placesOf(f, places, w).some((p) => x >= p.x0 - MARK && x <= p.x1 + MARK && y >= p.y && y < p.y + p.h);
}

/** Clock synchronisations of a device: a tick, as wide as the error bound if that is visible. */
function clocks(ctx: CanvasRenderingContext2D, f: Frame, k: ClockMarks, c: Colors): void {
	if (k.y > f.height || k.y + k.h < 0)
		return;
	let last = -9;
	for (const [t, bound] of k.points) {
		const x = xOf(f, t), half = bound / f.ns;
		if (x + half < 0 || x - half > f.width || x - last < 2)
			continue;
		last = x;
		ctx.fillStyle = c.accent;
		if (half > 1.5) {
			ctx.globalAlpha = 0.3;
			box(ctx, x - half, k.y + 2, 2 * half, 6);
			ctx.globalAlpha = 1;
		}
		box(ctx, Math.round(x) - 1, k.y + 1, 2, 8);
	}
}

export function clockAt(f: Frame, k: ClockMarks, x: number, y: number): [t: number, bound: number] | null {
	if (y < k.y || y > k.y + k.h)
		return null;
	return k.points.find(([t, bound]) => Math.abs(xOf(f, t) - x) < Math.max(MARK, bound / f.ns)) ?? null;
}

/** Whiskers: the error bounds of both ends. */
function whiskers(ctx: CanvasRenderingContext2D, f: Frame, o: Outline, c: Colors): void {
	const w = (o.error ?? 0) / f.ns;
	if (w < 2)
		return;
	ctx.fillStyle = c.warn;
	for (const t of [o.t0, o.t1]) {
		const x = xOf(f, t);
		box(ctx, x - w, o.y + o.h / 2 - 0.5, 2 * w, 1);
		for (const e of [x - w, x + w])
			box(ctx, e - 0.5, o.y + o.h / 2 - 4, 1, 8);
	}
}

function outline(ctx: CanvasRenderingContext2D, f: Frame, o: Outline, c: Colors): void {
	const a = Math.max(-4, xOf(f, o.t0)), b = Math.min(f.width + 4, xOf(f, o.t1));
	if (b < -4 || a > f.width + 4)
		return;
	const w = Math.max(2, b - a);
	ctx.lineWidth = o.strong ? 2 : 1;
	ctx.strokeStyle = o.strong ? c.text : c.muted;
	use(ctx, a, a + w);
	ctx.strokeRect(a, o.y, w, o.h);
	whiskers(ctx, f, o, c);
}

/** Signpost labels, cut where the next one begins. */
function signposts(ctx: CanvasRenderingContext2D, f: Frame, posts: Signpost[], y: number, h: number, c: Colors): void {
	const near = posts.filter((p) => p.t > f.t0 - 600 * f.ns && p.t < f.t0 + f.width * f.ns);
	ctx.textBaseline = "middle";
	near.forEach((p, i) => {
		const x = xOf(f, p.t);
		const next = near[i + 1] ? xOf(f, near[i + 1].t) : f.width;
		const room = Math.min(next - x - 2, 260);
		if (room < 10) {
			ctx.fillStyle = c.signpost;
			ctx.fillRect(Math.round(x), y + 2, 2, h - 4);
			return;
		}
		const text = elide(p.header, Math.floor((room - 10) / 6));
		const w = Math.min(room, ctx.measureText(text).width + 10);
		if (x + w < 0)
			return;
		ctx.fillStyle = c.signpost;
		ctx.beginPath();
		ctx.roundRect(Math.round(x), y + 1, w, h - 2, [0, 3, 3, 0]);
		ctx.fill();
		ctx.fillStyle = c.bg;
		if (text)
			ctx.fillText(text, Math.round(x) + 5, y + h / 2 + 0.5);
	});
}

/** The part over the ruler: signposts, marks with the time between them, the range's length, the pointer's time. */
export function drawRulerOverlay(ctx: CanvasRenderingContext2D, f: Frame, s: OverlayState, c: Colors): void {
	begin(ctx, f);
	if (s.signposts.length)
		signposts(ctx, f, s.signposts, f.height - 17, 16, c);
	const tag = (x: number, text: string, fill: string, ink: string) => {
		const w = ctx.measureText(text).width + 10;
		const left = Math.max(0, Math.min(f.width - w, x - w / 2));
		ctx.fillStyle = fill;
		ctx.beginPath();
		ctx.roundRect(left, 1, w, 16, 3);
		ctx.fill();
		ctx.fillStyle = ink;
		ctx.textBaseline = "middle";
		ctx.fillText(text, left + 5, 9.5);
	};
	s.marks.forEach((m, i) => {
		const a = xOf(f, m.t0), b = xOf(f, m.t1);
		line(ctx, a, 0, f.height, c.accent, 2);
		if (m.t1 > m.t0) {
			ctx.fillStyle = c.accent;
			ctx.fillRect(a, f.height - 3, b - a, 3);
			line(ctx, b, 0, f.height, c.accent, 2);
		}
		const since = m.t1 > m.t0 ? fmtDur(m.t1 - m.t0) : i === 0 ? "" : `+${fmtDur(m.t0 - s.marks[0].t0)}`;
		if (b > 0 && a < f.width)
			tag((Math.max(a, 0) + Math.min(b, f.width)) / 2, `${m.text ? elide(m.text, 40) : `M${i + 1}`} ${since}`.trim(), c.accent, c.bg);
	});
	if (s.range) {
		const a = xOf(f, s.range.t0), b = xOf(f, s.range.t1);
		ctx.globalAlpha = 0.25;
		ctx.fillStyle = c.accent;
		ctx.fillRect(a, 0, b - a, f.height);
		ctx.globalAlpha = 1;
		line(ctx, a, 0, f.height, c.accent);
		line(ctx, b, 0, f.height, c.accent);
		if (b > 0 && a < f.width)
			tag((Math.max(a, 0) + Math.min(b, f.width)) / 2, fmtDur(s.range.t1 - s.range.t0), c.accent, c.bg);
	}
	if (s.cursor !== null) {
		line(ctx, s.cursor, 0, f.height, c.muted);
		tag(s.cursor, fmtTime(f.t0 + s.cursor * f.ns), c.text, c.bg);
	}
}
