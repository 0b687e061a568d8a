// SPDX-License-Identifier: Apache-2.0
// Ties view, tiles, layout and canvases together. Components create one and feed it events.
import { effect, signal, untracked } from "@preact/signals";
import { api, isAbort, Priority } from "../api";
import { nameCount, nameOf, namesVersion } from "../names";
import { duration, entry, follow, marks, meta, openRows, pins, range, selection, traceId, view, viewWasPlaced } from "../state";
import type { Range } from "../state";
import { fmtDur } from "../format";
import { theme } from "../theme";
import { announce } from "../ui/live";
import type { Frames, Device, Meta, OpSpan, Signpost, Warning, ZoneDetail, ZoneRef } from "../types";
import { colorMode, libraryMode, Palette } from "./colors";
import { type Colors, drawRuler, type Drawn, FONT, Painter, readColors } from "./draw";
import { FrameStrip } from "./frames";
import { type Extras, isQueue, type Layout, layout, type OpenState, type Row, type Screen, screenOf, stuckAt, visibleRows } from "./layout";
import { LibraryLanes } from "./library";
import { lockKey, lockLaneY, LockStore } from "./locks";
import { MessageMarks } from "./messages";
import { Minimap } from "./minimap";
import { Motion } from "./motion";
import { type Arrow, type ClockMarks, clockAt, drawOverlay, drawRulerOverlay, type Frame, type Outline, type Places, warningAt } from "./overlay";
import { type OpHit, OpLaneStore, OP_H, OP_TOP } from "./oplanes";
import { PlotStore } from "./plots";
import { type Box, resolutionFor, type Scale, tileSpan } from "./raster";
import { drawPath } from "./path";
import { lit, lockSpan, op, path, zone } from "./select";
import { StateStore, STATE_H } from "./states";
import { TileStore, type Want } from "./tiles";

export interface Elements {
	body: HTMLDivElement;
	base: HTMLCanvasElement;
	over: HTMLCanvasElement;
	ruler: HTMLCanvasElement;
	rulerOver: HTMLCanvasElement;
	map: HTMLCanvasElement;
	frames: HTMLCanvasElement | null;
}

/** The target under the pointer. */
export interface Hover {
	x: number;
	y: number;
	t: number;
	drawn: Drawn | null;
	box: Box | null;
	row: Row | null;
	/** The op, or the gap before it. */
	op?: OpHit | null;
	/** The thread whose strip of states it is. */
	state?: number;
	/** The frame of the strip below the ruler. */
	frame?: Frames["rows"][number] | null;
}

/** Top and bottom edge. */
type Extent = { y: number; h: number };

/** Where a row shows a lane alone. */
function placeIn(row: Row, z: ZoneRef): Extent | null {
	const s = row.open && (row.kind === "thread" || row.kind === "risc") ? row.stripes.find((k) => k.lanes[0] === z.lane) : undefined;
	return s ? { y: row.y + s.y, h: s.h } : null;
}

function lanesOf(rows: Row[]): number[] {
	return [...new Set(rows.flatMap((r) => r.stripes.flatMap((s) => s.lanes)))];
}

export class Timeline {
	readonly motion = new Motion(() => this.ask());
	readonly rows = signal<Layout>({ rows: [], height: 0, pinned: 0 });
	/** Height available for rows, in pixels. */
	readonly bodyHeight = signal(0);
	/** The scroll position in steps: row names are rendered when it changes. */
	readonly scrolled = signal(0);
	readonly hover = signal<Hover | null>(null);
	readonly dragRange = signal<Range | null>(null);
	readonly tiles: TileStore;
	readonly plots: PlotStore;
	readonly frames: FrameStrip;
	readonly messages: MessageMarks;
	readonly locks: LockStore;
	readonly opLanes: OpLaneStore;
	readonly states: StateStore;
	private readonly library: LibraryLanes;
	private readonly map: Minimap;
	private readonly palette = new Palette();
	private readonly painter: Painter;
	private colors: Colors = readColors();
	private wanted = { base: false, over: false };
	private ended = false;
	private laidOut: [Meta, OpenState, ...unknown[]] | null = null;
	private stops: (() => void)[] = [];
	private hitAbort: AbortController | null = null;
	/** The rows of the last draw. */
	private screen: Screen = { pinned: [], scrolled: [], edge: 0 };
	private lastWidth = 0;
	private brought: ZoneDetail | null = null;
	private sought: number | null = null;
	private broughtSpan: typeof lockSpan.value = null;

	constructor(readonly trace: number, readonly el: Elements) {
		const again = () => this.redrawBase();
		this.tiles = new TileStore(trace, () => this.arrived());
		this.plots = new PlotStore(trace, again);
		this.map = new Minimap(trace, again);
		this.frames = new FrameStrip(trace, again);
		this.messages = new MessageMarks(trace, again);
		this.library = new LibraryLanes(trace);
		this.locks = new LockStore(trace, again);
		this.opLanes = new OpLaneStore(trace, again);
		this.states = new StateStore(trace, again);
		this.painter = new Painter(el.base.getContext("2d", { alpha: false }) as CanvasRenderingContext2D, this.palette);
		this.painter.rename = (name, x0, x1) => this.hostOp(name, x0, x1)?.[3] ?? null;
		this.stops.push(
			effect(() => {
				// another trace's meta may arrive before the component closes this
				if (traceId.value !== trace)
					this.close();
			}),
			effect(() => {
				const m = meta.value;
				if (m)
					this.takeMeta(m);
			}),
			effect(() => {
				theme.value;
				queueMicrotask(() => {
					this.colors = readColors();
					this.redraw();
				});
			}),
			effect(() => {
				view.value;
				untracked(() => this.ask()); // now, without waiting for the next frame
			}),
			effect(() => {
				view.value, namesVersion.value, colorMode.value, libraryMode.value, lit.value, this.rows.value;
				this.redraw();
			}),
			effect(() => {
				range.value, marks.value, zone.value, op.value, lockSpan.value, path.value, this.hover.value, this.dragRange.value;
				this.redrawOver();
			}),
		);
		this.stops.push(effect(() => {
			const z = zone.value;
			if (z && z !== this.brought && this.rows.value.rows.length) {
				this.brought = z;
				queueMicrotask(() => this.bringRow(z)); // the rows that it opens exist once effects have run
			}
		}));
		this.stops.push(effect(() => {
			const l = lockSpan.value;
			this.rows.value; // a lock's rows arrive when it is opened
			if (l && l !== this.broughtSpan)
				queueMicrotask(() => this.bringSpan(l));
		}));
		this.stops.push(effect(() => {
			this.rows.value;
			const track = this.sought;
			if (track !== null)
				queueMicrotask(() => this.scrollTo(track));
		}));
		const resize = new ResizeObserver(() => {
			this.bodyHeight.value = el.body.clientHeight;
			el.body.style.setProperty("--body-height", el.body.clientHeight + "px");
			this.keepScale();
			this.redraw();
		});
		resize.observe(el.body);
		resize.observe(el.ruler);
		el.body.addEventListener("scroll", () => {
			this.scrolled.value = Math.round(el.body.scrollTop / 200) * 200;
			this.redraw();
		}, { passive: true });
		this.stops.push(() => resize.disconnect());
	}

	/** When the drawer opens, the target under the pointer stays in place, or moves into view if the drawer would hide it. */
	private keepScale(): void {
		const w = this.el.over.clientWidth;
		if (w === 0) // the page is being removed
			return;
		if (this.lastWidth > 0 && w !== this.lastWidth && !viewWasPlaced()) {
			const v = view.peek();
			const t1 = v.t0 + (v.t1 - v.t0) * w / this.lastWidth;
			const z = zone.peek();
			if (path.peek()) // all of it stays in view
				return void (this.lastWidth = w);
			const hidden = z && z.start > t1 - (t1 - v.t0) * 0.1 && z.start < v.t1 ? z.start - (t1 - (t1 - v.t0) * 0.4) : 0;
			view.value = { t0: v.t0 + hidden, t1: t1 + hidden };
		}
		this.lastWidth = w;
	}

	close(): void {
		this.ended = true;
		this.stops.forEach((f) => f());
		this.tiles.close();
		this.map.close();
		this.library.close();
		this.frames.close();
		this.locks.close();
		this.opLanes.close();
		this.states.close();
		this.hitAbort?.abort();
	}

	private takeMeta(m: Meta): void {
		const live = entry.peek()?.live ?? false;
		this.tiles.gen = this.plots.gen = this.messages.gen = m.gen;
		this.tiles.live = this.plots.live = this.messages.live = live;
		this.messages.any = m.has.messages;
		this.tiles.end = m.duration;
		this.map.setMeta(m, live);
		this.frames.setMeta(m, live);
		const open = openRows.value;
		const x: Extras = { folded: this.library.lanes.value, locks: this.locks.list.value, lockInfo: this.locks.info.value, opLanes: this.opLanes.lanes.value, sampled: this.states.tracks.value, pins: pins.value };
		const old = this.laidOut;
		const now = this.laidOut = [m, open, ...Object.values(x)];
		// a grown trace usually has the same rows
		if (old && now.every((v, i) => i === 0 || v === old[i]) && old[0].tracks === m.tracks && old[0].devices === m.devices && old[0].processes === m.processes)
			this.redraw();
		else
			this.rows.value = layout(m, open, x);
	}

	toggle(key: string, to?: boolean): void {
		const row = this.rows.peek().rows.find((r) => r.key === key);
		if (!row || row.open === null)
			return;
		openRows.value = { ...openRows.peek(), [key]: to ?? !row.open };
	}

	/** Pins or unpins a row. */
	pin(row: Row): void {
		const key = row.pin, list = pins.peek();
		if (!key)
			return;
		const on = !list.includes(key);
		const before = this.rows.peek().pinned;
		pins.value = on ? [...list, key] : list.filter((k) => k !== key);
		const more = this.rows.peek().pinned - before, { body } = this.el;
		if (body.scrollTop > 0) // keep the visible rows in place
			requestAnimationFrame(() => { body.scrollTop += more; });
		announce(`${row.label} ${on ? "is pinned" : "is no longer pinned"}`);
	}

	/** Where the pinned rows end. */
	get edge(): number {
		return this.screen.edge;
	}

	/** The row of the selected zone or lock span. */
	selectedRow(): Row | null {
		const z = zone.peek(), l = lockSpan.peek();
		const rows = this.rows.peek().rows;
		return (z && this.place(z)?.row) ?? (l && rows.find((r) => r.lock?.track === l.track)) ?? null;
	}

	get width(): number {
		return Math.max(50, this.el.over.clientWidth);
	}

	/** CSS pixels. */
	get frame(): Frame {
		const v = view.peek();
		return { t0: v.t0, ns: (v.t1 - v.t0) / this.width, width: this.width, height: this.el.over.clientHeight, dpr: devicePixelRatio || 1 };
	}

	timeAt(x: number): number {
		const f = this.frame;
		return f.t0 + x * f.ns;
	}

	redraw(): void {
		this.wanted.over = true;
		this.redrawBase();
	}

	/** New data: redraws the rows, not the overlay. */
	private redrawBase(): void {
		this.wanted.base = true;
		this.schedule();
	}

	redrawOver(): void {
		this.wanted.over = true;
		this.schedule();
	}

	/** Tiles arrived: the last ones are drawn at once, before the browser's next frame. */
	private arrived(): void {
		if (this.tiles.waiting || this.ended || document.hidden) {
			this.redrawBase();
			return;
		}
		this.wanted.base = false;
		this.drawBase();
	}

	private scheduled = false;

	private schedule(): void {
		if (this.scheduled)
			return;
		this.scheduled = true;
		requestAnimationFrame(() => {
			this.scheduled = false;
			if (this.ended)
				return;
			const w = this.wanted;
			this.wanted = { base: false, over: false };
			if (w.base)
				this.drawBase();
			if (w.over)
				this.drawOver();
		});
	}

	private size(c: HTMLCanvasElement): CanvasRenderingContext2D {
		const dpr = devicePixelRatio || 1;
		const w = Math.max(1, Math.round(c.clientWidth * dpr)), h = Math.max(1, Math.round(c.clientHeight * dpr));
		if (c.width !== w || c.height !== h) {
			c.width = w;
			c.height = h;
		}
		return c.getContext("2d") as CanvasRenderingContext2D;
	}

	private drawBase(): void {
		const m = meta.peek();
		const f = this.frame;
		this.size(this.el.base);
		const scale: Scale = { t0: f.t0, ns: f.ns / f.dpr, width: this.el.base.width, res: resolutionFor(f.ns / f.dpr) };
		const screen = this.screen = screenOf(this.rows.peek(), this.el.body.scrollTop, f.height);
		const base = this.el.base.getContext("2d") as CanvasRenderingContext2D;
		this.palette.update(nameCount());
		this.ask();
		this.locks.want([...screen.pinned, ...screen.scrolled], this.tilesOf(view.peek()), this.tiles.gen, this.tiles.live, duration.peek());
		this.opLanes.want([...new Set([...screen.pinned, ...screen.scrolled].flatMap((r) => r.ops ?? []))], view.peek(), f.ns);
		this.states.want([...screen.pinned, ...screen.scrolled], this.tilesOf(view.peek()));
		this.painter.rows(screen, f.height, scale, f.dpr, this.tiles, this.plots, lit.peek(), this.colors, (rows) => {
			this.locks.draw(base, rows, scale, f.dpr, this.colors);
			this.states.draw(base, rows, scale, f.dpr, this.colors.background);
			base.setTransform(f.dpr, 0, 0, f.dpr, 0, 0);
			base.font = FONT;
			this.opLanes.draw(base, rows, f, this.colors, op.peek()?.op.row ?? null);
			this.messages.draw(base, f, rows, this.colors);
		});
		drawRuler(this.size(this.el.ruler), scale, f.dpr, this.rulerHeight, this.colors);
		if (this.el.frames)
			this.frames.draw(this.size(this.el.frames), f, this.el.frames.clientHeight, this.colors);
		this.pointAgain();
		const ctx = this.size(this.el.map);
		this.map.draw(ctx, this.el.map.clientWidth, this.el.map.clientHeight, f.dpr, duration.peek(), view.peek(), range.peek(),
			(m?.signposts ?? []).slice(0, 500).map((s) => s.t), this.colors);
	}

	/** Updates the target of a resting pointer after the view moved. */
	private pointAgain(): void {
		const h = this.hover.peek();
		if (!h)
			return;
		const now = h.y < 0 ? { ...h, t: this.timeAt(h.x) } : this.at(h.x, h.y);
		if (now.t !== h.t || now.row?.key !== h.row?.key || now.op?.op[5] !== h.op?.op[5] || now.box?.zone !== h.box?.zone || now.box?.lane !== h.box?.lane)
			this.hover.value = now;
	}

	private get rulerHeight(): number {
		const h = this.el.ruler.clientHeight;
		return meta.peek()?.signposts.length ? h - 17 : h;
	}

	/**
	 * Requests the tiles of the view or its goal; once they are loaded, those of another step of the same kind, of
	 * both sides and of half a screen of rows above and below.
	 */
	private ask(): void {
		const { height } = this.frame;
		const top = this.el.body.scrollTop;
		const { seen, around } = this.lanesNear(top, height);
		if (seen.length === 0)
			return;
		const { res, first, last } = this.tilesOf(this.motion.goal);
		const wants: Want[] = [];
		const add = (r: number, a: number, b: number, lanes: number[], priority: Priority) => {
			for (let i = a; i <= b; i++)
				wants.push({ res: r, index: i, lanes, priority });
		};
		add(res, first, last, seen, Priority.sight);
		const next = this.motion.next;
		if (next) {
			const t = this.tilesOf(next);
			add(t.res, t.first, t.last, seen, Priority.ahead);
		}
		const end = Math.max(0, Math.ceil(duration.peek() / tileSpan(res)) - 1);
		add(res, Math.max(0, first - 1), Math.min(end, last + 1), seen, Priority.ahead);
		if (around.length > seen.length && around.length <= 512)
			add(res, first, last, around, Priority.ahead);
		this.tiles.want(wants);
	}

	private near: { rows: Layout; top: number; height: number; seen: number[]; around: number[] } | null = null;

	/** The visible lanes, and those of half a screen more at both ends. */
	private lanesNear(top: number, height: number): { seen: number[]; around: number[] } {
		const rows = this.rows.peek();
		if (this.near?.rows !== rows || this.near.top !== top || this.near.height !== height) {
			const s = screenOf(rows, top, height);
			this.near = { rows, top, height, seen: lanesOf([...s.pinned, ...s.scrolled]), around: lanesOf([...s.pinned, ...visibleRows(rows.rows, top - height / 2, 2 * height)]) };
		}
		return this.near;
	}

	/** The tiles that show a range. */
	private tilesOf(r: Range): { res: number; first: number; last: number } {
		const res = resolutionFor((r.t1 - r.t0) / this.width / (devicePixelRatio || 1));
		const span = tileSpan(res);
		const end = Math.max(0, Math.ceil(duration.peek() / span) - 1);
		return { res, first: Math.max(0, Math.floor(r.t0 / span)), last: Math.min(end, Math.floor((r.t1 + 2 ** res) / span)) };
	}

	private drawOver(): void {
		const f = this.frame;
		const m = meta.peek();
		const h = this.hover.peek();
		const outlines: Outline[] = [];
		if (h?.box && h.drawn)
			outlines.push({ t0: this.timeAt(h.box.x0 / f.dpr), t1: this.timeAt(h.box.x1 / f.dpr), y: h.drawn.y, h: h.drawn.stripe.h, strong: false });
		const z = zone.peek(), l = lockSpan.peek();
		const outline = (of: { start: number; end: number }, at: Extent | null, error?: number) => {
			if (at)
				outlines.push({ t0: of.start, t1: of.end, ...at, strong: true, error });
		};
		for (const row of this.onScreen) {
			if (z)
				outline(z, this.clipped(row, placeIn(row, z)), this.errorOf(z));
			if (l && row.lock?.track === l.track)
				outline(l, this.clipped(row, lockLaneY(row, l.lane)));
		}
		const o = op.peek()?.op;
		const shown = selection.peek()?.kind === "op" && (selection.peek() as { gap?: boolean }).gap && o?.gap_t0 != null && o.t0 != null ? { t0: o.gap_t0, t1: o.t0 } : o?.t0 != null && o.t1 != null ? { t0: o.t0, t1: o.t1 } : null;
		const over = h?.op && !h.op.gap ? h.op.op : h?.box && h.drawn && !h.drawn.stripe.device ? this.hostOp(h.box.name, h.box.x0, h.box.x1) : null;
		const ids = [over?.[5], o ? o.row : undefined].filter((id) => id !== undefined);
		const state = {
			arrows: [...new Set(ids)].flatMap((id) => this.arrowOf(id) ?? []),
			range: this.dragRange.peek() ?? range.peek(), marks: marks.peek(), signposts: m?.signposts ?? [], warnings: m?.warnings ?? [], lossY: this.placesOfTracks(), clocks: this.clocks(),
			cursor: h ? h.x : null, outlines, op: shown, end: duration.peek(),
			path: (ctx: CanvasRenderingContext2D) => drawPath(ctx, f, this.rows.peek(), (r) => this.screenY(r), this.colors),
		};
		drawOverlay(this.size(this.el.over), f, state, this.colors);
		drawRulerOverlay(this.size(this.el.rulerOver), { ...f, height: this.el.rulerOver.clientHeight }, state, this.colors);
	}

	/** Where a row is on the canvas; it may be above or below it. */
	private screenY(r: Row): number {
		return this.onScreen.find((k) => k.key === r.key)?.y ?? r.y - this.el.body.scrollTop;
	}

	private get onScreen(): Row[] {
		return [...this.screen.pinned, ...this.screen.scrolled];
	}

	/** The part of a position in a row that no pinned row covers. */
	private clipped(row: Row, at: Extent | null): Extent | null {
		const cut = at && !row.pinned ? Math.max(0, this.screen.edge - at.y) : 0;
		return at && cut < at.h ? { y: at.y + cut, h: at.h - cut } : null;
	}

	/** The position of each track, or of the closed row that hides it. */
	private placesOfTracks(): Places {
		const places: Places = new Map();
		if (!meta.peek()?.warnings.length)
			return places;
		for (const r of this.onScreen) {
			const at = this.clipped(r, r);
			if (at)
				for (const t of r.track && r.kind !== "core" ? [...r.inside ?? [], r.track.id] : r.inside ?? [])
					places.set(t, [...places.get(t) ?? [], [at.y, at.h]]);
		}
		return places;
	}

	/** The device rows with their clock synchronisations. */
	private clocks(): ClockMarks[] {
		const devices = meta.peek()?.devices ?? [];
		return this.onScreen.filter((r) => r.device !== undefined && this.clipped(r, { y: r.y, h: 9 })?.h === 9)
			.map((r) => ({ y: r.y, h: r.h, points: devices.find((d) => d.device === r.device)?.clock ?? [] }));
	}

	/** Error bound of a core zone's host time; 0 for other zones and if unknown. */
	private errorOf(z: ZoneDetail): number {
		const m = meta.peek();
		const t = m?.tracks.find((k) => k.id === z.track);
		return t?.kind === "core" ? m?.devices.find((d) => d.device === t.device)?.bound_ns ?? 0 : 0;
	}

	/** The stripe that shows a single lane, in coordinates of the whole list; of two, the pinned one. */
	place(z: ZoneRef): { y: number; h: number; row: Row } | null {
		for (const row of this.rows.peek().rows) {
			const at = placeIn(row, z);
			if (at)
				return { ...at, row };
		}
		return null;
	}

	/** The same for a lane of a lock. */
	private placeSpan(l: { track: number; lane: number }): { y: number; h: number; row: Row } | null {
		for (const row of this.rows.peek().rows) {
			const at = row.lock?.track === l.track ? lockLaneY(row, l.lane) : null;
			if (at)
				return { ...at, row };
		}
		return null;
	}

	/** Scrolls to the row of a span of a lock, opening what hides it. */
	private bringSpan(l: NonNullable<typeof lockSpan.value>): void {
		const at = this.placeSpan(l);
		if (!at) {
			const keys = l.lane < 2 ? ["locks"] : ["locks", lockKey(l.track)];
			const closed = keys.filter((k) => this.rows.peek().rows.some((r) => r.key === k && r.open === false));
			if (closed.length)
				openRows.value = { ...openRows.peek(), ...Object.fromEntries(closed.map((k) => [k, true])) };
			return;
		}
		this.broughtSpan = l;
		this.scrollIn(at);
		this.bringTime(l);
	}

	/** Opens what hides a track, so that its lanes have rows. */
	reveal(track: number): void {
		const m = meta.peek();
		const t = m?.tracks.find((k) => k.id === track);
		if (!t)
			return;
		const keys = t.kind === "lock" ? ["locks", lockKey(t.id)] : t.kind === "core" && !isQueue(t) ? ["d" + t.device, `d${t.device}c${t.x},${t.y}`, "t" + t.id] : ["p" + t.process, "t" + t.id];
		const closed = keys.filter((k) => this.rows.peek().rows.find((r) => r.key === k)?.open !== true);
		if (closed.length)
			openRows.value = { ...openRows.peek(), ...Object.fromEntries(closed.map((k) => [k, true])) };
	}

	/** Scrolls to a track, opening what hides it. */
	scrollTo(track: number): void {
		this.sought = null;
		this.reveal(track);
		const rows = this.rows.peek().rows.filter((r) => !r.pinned && r.track?.id === track);
		const row = rows.find((r) => r.kind !== "core") ?? rows[0];
		if (row)
			requestAnimationFrame(() => this.scrollToY(row.y, 1 / 4));
		else
			this.sought = track; // rows of locks arrive later than the others
	}

	/** Scrolls to the row of a zone if it is not visible. */
	private bringRow(z: ZoneDetail): void {
		if (!this.place(z))
			this.reveal(z.track);
		const at = this.place(z);
		if (at)
			this.scrollIn(at);
	}

	private scrollIn(at: { y: number; h: number; row: Row }): void {
		const b = this.el.body, top = b.scrollTop;
		const edge = screenOf(this.rows.peek(), top, b.clientHeight).edge;
		if (!at.row.pinned && (at.y < top + edge + 4 || at.y + at.h > top + b.clientHeight - 4))
			requestAnimationFrame(() => this.scrollToY(at.y, 1 / 3));
	}

	/** Scrolls position Y of the list to a fraction of the height, below the pinned rows. */
	scrollToY(y: number, part: number): void {
		const b = this.el.body, l = this.rows.peek();
		const edge = l.pinned - stuckAt(l, b.clientHeight);
		b.scrollTop = Math.max(0, y - edge - (b.clientHeight - edge) * part);
	}

	/** Brings a zone into view without changing the zoom more than needed. */
	bring(z: ZoneDetail): void {
		this.bringRow(z);
		this.bringTime(z);
	}

	private bringTime(z: { start: number; end: number }): void {
		const v = this.motion.goal;
		const span = v.t1 - v.t0;
		// nothing to show beyond the edge of the trace
		const left = v.t0 <= 0 ? v.t0 : v.t0 + span * 0.02, right = v.t1 >= duration.peek() ? v.t1 : v.t1 - span * 0.02;
		if (z.end < left || z.start > right || z.end - z.start > span * 1.5) {
			const want = Math.max(span, (z.end - z.start) * 1.3);
			const mid = (z.start + z.end) / 2;
			this.motion.to({ t0: mid - want / 2, t1: mid + want / 2 }, true);
		}
	}

	fit(r: Range): void {
		follow.value = false;
		const room = Math.max((r.t1 - r.t0) * 0.06, 5);
		this.motion.to({ t0: r.t0 - room, t1: r.t1 + room }, true);
	}

	fitAll(): void {
		const d = duration.peek();
		this.motion.to({ t0: -d * 0.01, t1: d * 1.01 }, true);
	}

	/** The target at a point of the canvas, CSS pixels. */
	at(x: number, y: number): Hover {
		const dpr = devicePixelRatio || 1;
		const above = y < this.screen.edge;
		const drawn = this.painter.drawn.find((d) => d.row.pinned === above && y >= d.y - 0.5 && y < d.y + Math.max(d.stripe.h, 3)) ?? null;
		const px = x * dpr;
		let box: Box | null = null;
		if (drawn)
			for (const b of drawn.boxes)
				if (b.x0 - 1 <= px && px <= Math.max(b.x1, b.x0 + 2)) {
					box = b;
					break;
				}
		const row = (above ? this.screen.pinned : this.screen.scrolled).find((r) => y >= r.y && y < r.y + r.h) ?? null;
		const hit = row?.ops === undefined ? null : this.opLanes.at(row, this.timeAt(x), y - row.y, this.frame.ns);
		return { x, y, t: this.timeAt(x), drawn, box, row, op: hit, state: row?.states !== undefined && y >= row.y + row.states - 1 && y <= row.y + row.states + STATE_H + 2 ? row.track?.id : undefined };
	}

	/** The op that a zone of the host dispatches. */
	hostOp(name: number, x0: number, x1: number): OpSpan | null {
		const f = this.frame;
		return nameOf(name).includes("TT_DNN_DEVICE_OP") ? this.opLanes.hostOp(f.t0 + x0 / f.dpr * f.ns, f.t0 + x1 / f.dpr * f.ns, f.ns) : null;
	}

	/** The arrow from the host zone of an op to the op, where both are on the screen. */
	private arrowOf(id: number): Arrow | null {
		const found = this.opLanes.find(id), f = this.frame;
		const row = found && this.onScreen.find((r) => r.ops === found.device);
		if (!found || !row || found.op[7] === undefined)
			return null;
		const x = (found.op[7] - f.t0) / f.ns, end = x + (found.op[8] ?? 0) / f.ns;
		for (const d of this.painter.drawn)
			for (const b of d.stripe.device ? [] : d.boxes)
				if (Math.abs(b.x1 / f.dpr - Math.min(end, f.width)) < 2.5 && this.hostOp(b.name, b.x0, b.x1)?.[5] === id)
					return { x0: Math.max(0, Math.min(f.width, Math.max(0, x) / 2 + Math.min(end, f.width) / 2)), y0: d.y + d.stripe.h, x1: (found.op[0] - f.t0) / f.ns, y1: row.y + OP_TOP + found.op[2] * OP_H };
		return null;
	}

	/** Warnings and clock information of the device at a point. */
	noteAt(h: Hover): string | null {
		const f = this.frame, places = this.placesOfTracks();
		const w = (meta.peek()?.warnings ?? []).filter((k) => warningAt(f, places, k, h.x, h.y));
		if (w.length)
			return [...new Set(w.map((k) => k.text))].slice(0, 4).join("; ") + (w.length > 1 ? ` (${w.length} tracks)` : "");
		const p = this.clocks().map((c) => clockAt(f, c, h.x, h.y)).find((c) => c !== null);
		return p ? `clock compared with the host's: ±${fmtDur(p[1])}` : null;
	}

	/** The plot value at a point, as text. */
	plotAt(h: Hover): string | null {
		const track = h.row?.kind === "plot" ? h.row.track : null;
		if (!track)
			return null;
		const f = this.frame;
		return this.plots.valueAt(track, { t0: f.t0, ns: f.ns, width: f.width, res: resolutionFor(f.ns / f.dpr) }, h.t);
	}

	/** The zone at a point; the server is asked where zones are too small to be drawn alone. */
	async zoneAt(h: Hover): Promise<ZoneRef | null> {
		if (h.box)
			return { lane: h.box.lane, idx: h.box.zone };
		const s = h.drawn?.stripe;
		if (!s || s.lanes.length !== 1)
			return null;
		this.hitAbort?.abort();
		const mine = this.hitAbort = new AbortController();
		try {
			const f = this.frame;
			const r = await api.hit(this.trace, s.lanes[0], Math.max(0, h.t), resolutionFor(f.ns), mine.signal);
			return r.idx === null ? null : { lane: s.lanes[0], idx: r.idx };
		} catch (e) {
			if (isAbort(e))
				return null;
			throw e;
		}
	}

	/** Draws now and waits for the pixels: milliseconds, for bench/view_page.sh. */
	measureDraw(): number {
		const start = performance.now();
		this.drawBase();
		this.drawOver();
		for (const c of [this.el.base, this.el.over, this.el.map, this.el.ruler])
			(c.getContext("2d") as CanvasRenderingContext2D).getImageData(0, 0, 1, 1);
		return performance.now() - start;
	}

	/** The stripes of the last draw, for tests. */
	drawnStripes(): Drawn[] {
		return this.painter.drawn;
	}

	selectedZone(): ZoneDetail | null {
		return zone.peek();
	}

	warnings(): Warning[] {
		return meta.peek()?.warnings ?? [];
	}

	devices(): Device[] {
		return meta.peek()?.devices ?? [];
	}

	signposts(): Signpost[] {
		return meta.peek()?.signposts ?? [];
	}

	nameOf(id: number): string {
		return nameOf(id);
	}

	select(z: ZoneRef | null): void {
		selection.value = z ? { kind: "zone", lane: z.lane, idx: z.idx } : null;
	}
}
