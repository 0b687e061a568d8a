// What lies over the rows and moves with the pointer: range, signposts, marks, the zone under the pointer,
// the selected one. A canvas of its own, so that none of it draws the rows anew.
import { elide, fmtDur, fmtTime } from "../format";
import type { Range } from "../state";
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
}

export interface OverlayState {
	range: Range | null;
	marks: number[];
	signposts: Signpost[];
	warnings: Meta["warnings"];
	/** Where tracks with losses are. */
	lossY: Map<number, [y: number, h: number]>;
	cursor: number | null;
	outlines: Outline[];
	op: Range | null;
	end: number;
}

function xOf(f: Frame, t: number): number {
	return (t - f.t0) / f.ns;
}

function begin(ctx: CanvasRenderingContext2D, f: Frame): void {
	ctx.setTransform(f.dpr, 0, 0, f.dpr, 0, 0);
	ctx.clearRect(0, 0, f.width, f.height);
	ctx.font = FONT;
}

function line(ctx: CanvasRenderingContext2D, x: number, y: number, h: number, color: string, width = 1): void {
	ctx.fillStyle = color;
	ctx.fillRect(Math.round(x - width / 2), y, width, h);
}

function shadeOutside(ctx: CanvasRenderingContext2D, f: Frame, r: Range, c: Colors, alpha: number): void {
	const a = Math.max(0, Math.min(f.width, xOf(f, r.t0))), b = Math.max(0, Math.min(f.width, xOf(f, r.t1)));
	ctx.globalAlpha = alpha;
	ctx.fillStyle = c.bg;
	ctx.fillRect(0, 0, a, f.height);
	ctx.fillRect(b, 0, f.width - b, f.height);
	ctx.globalAlpha = 1;
	line(ctx, a, 0, f.height, c.accent);
	line(ctx, b, 0, f.height, c.accent);
}

export function drawOverlay(ctx: CanvasRenderingContext2D, f: Frame, s: OverlayState, c: Colors): void {
	begin(ctx, f);
	const past = xOf(f, s.end);
	if (past < f.width) {
		ctx.globalAlpha = 0.5;
		ctx.fillStyle = c.panel;
		ctx.fillRect(Math.max(0, past), 0, f.width, f.height);
		ctx.globalAlpha = 1;
	}
	const before = xOf(f, 0);
	if (before > 0) {
		ctx.globalAlpha = 0.5;
		ctx.fillStyle = c.panel;
		ctx.fillRect(0, 0, before, f.height);
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
		ctx.fillRect(xOf(f, s.op.t0), 0, Math.max(1, (s.op.t1 - s.op.t0) / f.ns), f.height);
		ctx.globalAlpha = 1;
	}
	for (const w of s.warnings)
		warning(ctx, f, s, w, c);
	for (const m of s.marks)
		line(ctx, xOf(f, m), 0, f.height, c.accent, 2);
	if (s.range)
		shadeOutside(ctx, f, s.range, c, 0.55);
	for (const o of s.outlines)
		outline(ctx, f, o, c);
	if (s.cursor !== null) {
		ctx.globalAlpha = 0.5;
		line(ctx, s.cursor, 0, f.height, c.muted);
		ctx.globalAlpha = 1;
	}
}

/** Where events were lost: a mark on the track itself, or over all of them. */
function warning(ctx: CanvasRenderingContext2D, f: Frame, s: OverlayState, w: Meta["warnings"][number], c: Colors): void {
	if (w.t === undefined)
		return;
	const x = xOf(f, w.t);
	if (x < -8 || x > f.width + 8)
		return;
	const [y, h] = (w.track !== undefined ? s.lossY.get(w.track) : undefined) ?? [0, f.height];
	ctx.fillStyle = c.warn;
	for (let k = 0; k < h; k += 6)
		ctx.fillRect(Math.round(x) - 1, y + k, 2, 3);
	ctx.beginPath();
	ctx.moveTo(x - 5, y);
	ctx.lineTo(x + 5, y);
	ctx.lineTo(x, y + 7);
	ctx.fill();
}

function outline(ctx: CanvasRenderingContext2D, f: Frame, o: Outline, c: Colors): void {
	const a = Math.max(-4, xOf(f, o.t0)), b = Math.min(f.width + 4, xOf(f, o.t1));
	if (b < -4 || a > f.width + 4)
		return;
	const w = Math.max(2, b - a);
	ctx.lineWidth = o.strong ? 2 : 1;
	ctx.strokeStyle = o.strong ? c.text : c.muted;
	ctx.strokeRect(a, o.y, w, o.h);
}

/** Labels of signposts: as much text as there is room up to the next one. */
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
		line(ctx, xOf(f, m), 0, f.height, c.accent, 2);
		tag(xOf(f, m), i === 0 ? "M1" : `M${i + 1} +${fmtDur(m - s.marks[0])}`, c.accent, c.bg);
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
