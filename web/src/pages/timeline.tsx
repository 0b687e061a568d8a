// SPDX-License-Identifier: Apache-2.0
// The timeline: minimap, ruler, frames, rows, drawer.
import { useEffect, useRef, useState } from "preact/hooks";
import { boundHint, fmtDur } from "../format";
import { css, RISC_COLORS } from "../theme";
import { BOUND_COLORS } from "../timeline/oplanes";
import { STATE_COLORS } from "../timeline/states";
import { duration, entry, follow, go, meta, openRows, params, pins, traceId, UNSET, view } from "../state";
import { setTimelineKeys } from "../keys";
import { link } from "../live";
import { COLOR_MODES, colorMode, LIBRARY_MODES, libraryMode, setColorMode, setLibraryMode } from "../timeline/colors";
import { type Elements, Timeline } from "../timeline/controller";
import { Drawer } from "../timeline/drawer";
import { listen, onKey, onKeyUp, releaseKeys } from "../timeline/input";
import { type Row, stuckAt, visibleRows } from "../timeline/layout";
import { Notes } from "../timeline/notes";
import { askPath } from "../timeline/path";
import { zone } from "../timeline/select";
import { Picture } from "../timeline/picture";
import { Tooltip } from "../timeline/tooltip";
import { nameOf } from "../names";
import type { Track } from "../types";
import { Icon } from "../ui/icons";

function GutterRow({ r, tl }: { r: Row; tl: Timeline }) {
	const style = { top: `${r.y}px`, height: `${r.h}px`, paddingLeft: `${6 + r.indent * 12}px` };
	const text = <><span class="row-label">{r.label}</span>{r.note && <span class="row-note">{r.note}</span>}</>;
	const title = r.note ? `${r.title}: ${r.note}` : r.title;
	return (
		<>
			{r.open === null
				? <div class={"row " + r.kind} style={style} title={title} data-row={r.key}><span class="row-pad" />{text}</div>
				: <button class={"row " + r.kind} style={style} title={title} data-row={r.key} aria-expanded={r.open} onClick={() => tl.toggle(r.key)}>
					<Icon name={r.open ? "down" : "right"} size={10} />{text}
				</button>}
			{r.pin !== undefined && <PinButton r={r} pin={r.pin} tl={tl} />}
		</>
	);
}

function PinButton({ r, pin, tl }: { r: Row; pin: string; tl: Timeline }) {
	const on = pins.value.includes(pin);
	return (
		<button class="pin" style={{ top: `${r.y + 1}px` }} aria-pressed={on} aria-label={`Pin ${r.label}`} data-row={r.key}
			title={on ? "Unpin (P)" : "Pin to the top (P)"} onClick={() => tl.pin(r)}><Icon name="pin" size={12} /></button>
	);
}

/** Pixels of names above and below those in sight, so that scrolling does not show gaps. */
const ROOM = 800;

function Gutter({ tl }: { tl: Timeline }) {
	const all = tl.rows.value, { rows, height, pinned } = all;
	const top = tl.scrolled.value, body = tl.bodyHeight.value;
	const row = (r: Row) => <GutterRow key={r.key} r={r} tl={tl} />;
	return (
		<div class="gutter" style={{ height: `${height}px` }}>
			{pinned > 0 && <div class="pins" role="group" aria-label="Pinned rows" style={{ height: `${pinned}px`, top: `${-stuckAt(all, body)}px` }}>{rows.filter((r) => r.pinned).map(row)}</div>}
			{visibleRows(rows, top - ROOM, body + 2 * ROOM).filter((r) => !r.pinned).map(row)}
		</div>
	);
}

const GUTTER_LEAST = 120, GUTTER_MOST = 640, GUTTER_STEP = 24;

function gutterWidth(): number {
	return parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--gutter")) || GUTTER_LEAST;
}

function setGutter(width: number): void {
	document.documentElement.style.setProperty("--gutter", `${Math.max(GUTTER_LEAST, Math.min(GUTTER_MOST, Math.round(width)))}px`);
}

/** The edge between the names of rows and the rows: drag it, or move it with the arrow keys. */
function GutterEdge() {
	const from = useRef<{ x: number; width: number } | null>(null);
	const [now, setNow] = useState(gutterWidth);
	const set = (width: number) => {
		setGutter(width);
		setNow(gutterWidth());
	};
	return (
		<div class="gutter-edge" role="separator" aria-orientation="vertical" aria-label="Width of the names" aria-valuenow={now} aria-valuemin={GUTTER_LEAST} aria-valuemax={GUTTER_MOST} tabIndex={0} data-keys title="Drag to widen the names"
			onPointerDown={(e) => {
				from.current = { x: e.clientX, width: gutterWidth() };
				e.currentTarget.setPointerCapture(e.pointerId);
				e.preventDefault();
			}}
			onPointerMove={(e) => {
				if (from.current)
					set(from.current.width + e.clientX - from.current.x);
			}}
			onPointerUp={() => { from.current = null; }} onPointerCancel={() => { from.current = null; }}
			onKeyDown={(e) => {
				if (e.key === "ArrowLeft" || e.key === "ArrowRight")
					set(gutterWidth() + (e.key === "ArrowRight" ? GUTTER_STEP : -GUTTER_STEP));
			}} />
	);
}

/** Opens or closes all cores or all threads. */
function setAll(open: boolean): void {
	const groups = Object.entries(openRows.peek()).filter(([k]) => /^(p\d+|d\d+|[a-z]{2,})$/.test(k));
	openRows.value = { ...Object.fromEntries(groups), "*": open };
}

/** Devices and plots are below all threads: the list jumps down to them. */
function JumpTo({ tl }: { tl: Timeline | null }) {
	const groups = tl?.rows.value.rows.filter((r) => !r.pinned && (r.kind === "process" || r.kind === "device" || r.kind === "group")) ?? [];
	if (!tl || groups.length < 2)
		return null;
	return (
		<label>Go to <select value="" onChange={(e) => {
			const r = tl.rows.peek().rows.find((k) => k.key === e.currentTarget.value);
			e.currentTarget.value = "";
			if (r)
				tl.scrollToY(r.y, 0);
		}}>
			<option value="">…</option>
			{groups.map((r) => <option key={r.key} value={r.key}>{r.label}{r.kind === "process" ? ` (${r.note.split(" · ")[0]})` : ""}</option>)}
		</select></label>
	);
}

function Toolbar({ tl }: { tl: Timeline | null }) {
	const live = entry.value?.live ?? false;
	const v = view.value;
	return (
		<div class="toolbar">
			<button onClick={() => tl?.fitAll()} title="Show the whole trace (Home)"><Icon name="fit" size={13} /> Whole trace</button>
			<button onClick={() => setAll(true)}>Open all</button>
			<button onClick={() => setAll(false)}>Close all</button>
			<label>Colours <select value={colorMode.value} onChange={(e) => setColorMode(e.currentTarget.value as typeof COLOR_MODES[number])}>
				{COLOR_MODES.map((m) => <option value={m}>by {m}</option>)}
			</select></label>
			<label title="Frames of site-packages, pytest and Python's own library. Fold: depths with nothing else become lines.">Library frames <select value={libraryMode.value} onChange={(e) => setLibraryMode(e.currentTarget.value as typeof LIBRARY_MODES[number])}>
				{LIBRARY_MODES.map((m) => <option value={m}>{m}</option>)}
			</select></label>
			<button onClick={() => askPath()} title="What had to happen for the range (or what is in view) to end when it did (C)">Critical path</button>
			<JumpTo tl={tl} />
			{tl && <Legend tl={tl} />}
			{live && <button class="follow" aria-pressed={follow.value} onClick={() => { follow.value = !follow.value; }} title="Follow the newest data (L)"><Icon name="follow" size={13} /> Follow</button>}
			<span class="spacer" />
			{tl?.tiles.error.value && link.value === "open" && <span class="bad" role="alert">{tl.tiles.error.value}</span>}
			<span class="view-span"><span data-testid="view-span">{fmtDur(v.t1 - v.t0)} in view</span> <span class="dim">of {fmtDur(duration.value)}</span></span>
		</div>
	);
}

const BOUNDS = ["DRAM", "FLOP", "BOTH", "SLOW", "HOST"];

function Swatches({ title, list }: { title: string; list: [name: string, color: string][] }) {
	return <><h3>{title}</h3><ul>{list.map(([name, color]) => <li key={name}><span class="swatch" style={{ background: color }} />{name}</li>)}</ul></>;
}

/** What the colours mean, for the parts that this trace has. */
function Legend({ tl }: { tl: Timeline }) {
	const states = tl.states.names.value, ops = meta.value?.has.ops, cores = (meta.value?.devices.length ?? 0) > 0;
	if (!states.length && !ops && !cores)
		return null;
	return (
		<details class="legend">
			<summary>Legend</summary>
			<div>
				{cores && <Swatches title="Processors of a core" list={Object.entries(RISC_COLORS).map(([k, v]) => [k, css(v)])} />}
				{ops && <Swatches title="Stripe below an op: its bound" list={BOUNDS.map((b) => [`${b}: ${boundHint(b)}`, css(BOUND_COLORS[b])])} />}
				{states.length > 0 && <Swatches title="Strip below a thread: what it did" list={states.map((s, k) => [s, css(STATE_COLORS[k] ?? [128, 128, 128])])} />}
				<p class="dim">A zone has the colour that the program gave it, else one by its kind, name, thread or processor.</p>
			</div>
		</details>
	);
}

function frameTitle(t: Track): string {
	const p = (meta.value?.processes.length ?? 0) > 1 ? meta.value?.processes.find((k) => k.id === t.process) : undefined;
	return (t.name || "frames") + (p ? ` · pid ${p.pid}` : "");
}

function FrameSelect({ tl }: { tl: Timeline | null }) {
	const list = tl?.frames.tracks.value ?? [];
	if (!tl || list.length < 2)
		return <span>{list[0]?.name || "frames"}</span>;
	return (
		<select aria-label="Frames" value={String(tl.frames.track.value)} onChange={(e) => { tl.frames.track.value = +e.currentTarget.value; }}>
			{list.map((t) => <option value={String(t.id)}>{frameTitle(t)}</option>)}
		</select>
	);
}

function Nothing() {
	const has = meta.value?.has.messages ?? false;
	const text = has ? "This trace has no zones." : entry.value?.live ? "Nothing has been recorded yet." : "Nothing was recorded.";
	return <p class="tl-empty dim">{text}{has && <> There are <button class="link" onClick={() => go("messages")}>messages</button>.</>}</p>;
}

function summary(): string {
	const m = meta.value;
	if (!m)
		return "";
	const z = zone.value;
	return `Timeline of ${m.name}: ${m.tracks.length} tracks, ${m.zones} zones, ${fmtDur(m.duration)}. ` +
		(z ? `Selected: ${nameOf(z.name)}, ${fmtDur(z.duration)}.` : "Arrow keys walk from zone to zone, W A S D move the view, question mark lists all keys.");
}

export function TimelinePage() {
	const id = traceId.value;
	const refs = useRef<Partial<Elements>>({});
	const [tl, setTl] = useState<Timeline | null>(null);
	const hasFrames = meta.value?.has.frames ?? false;
	const ready = meta.value !== null;
	const set = <K extends keyof Elements>(k: K) => (e: Elements[K] | null) => { refs.current[k] = e ?? undefined; };
	useEffect(() => {
		if (id === null || !ready || id !== traceId.peek())
			return;
		if (view.peek() === UNSET)
			view.value = { t0: -duration.peek() * 0.01, t1: duration.peek() * 1.01 };
		const t = new Timeline(id, { ...refs.current } as Elements);
		const stop = listen(t, t.el.body);
		setTimelineKeys({ down: (e) => onKey(t, e), up: onKeyUp, release: releaseKeys });
		(window as unknown as { tachoTimeline?: Timeline }).tachoTimeline = t;
		setTl(t);
		const track = params.peek().track;
		if (track !== undefined)
			requestAnimationFrame(() => t.scrollTo(+track));
		return () => {
			stop();
			setTimelineKeys(null);
			releaseKeys();
			t.close();
			setTl(null);
		};
	}, [id, ready, hasFrames, meta.value?.tag]);
	const track = params.value.track;
	useEffect(() => {
		if (tl && track !== undefined)
			tl.scrollTo(+track);
	}, [track]);
	const posts = (meta.value?.signposts.length ?? 0) > 0;
	return (
		<div class="timeline">
			<div class="timeline-main">
				<Toolbar tl={tl} />
				<GutterEdge />
				<div class="tl-head">
					<span class="head-label">whole trace</span>
					<canvas class="minimap" ref={set("map")} aria-hidden="true" />
					<span class="head-label">{posts ? "signposts" : ""}</span>
					<div class={posts ? "ruler tall" : "ruler"}>
						<canvas ref={set("ruler")} aria-hidden="true" />
						<canvas ref={set("rulerOver")} aria-hidden="true" />
					</div>
					{hasFrames && <><span class="head-label"><FrameSelect tl={tl} /></span><canvas class="frames" ref={set("frames")} aria-hidden="true" /></>}
				</div>
				<div class="tl-body" ref={set("body")}>
					<div class="tl-content" style={{ height: `${tl?.rows.value.height ?? 0}px` }}>
						{tl && <Gutter tl={tl} />}
						{tl?.rows.value.rows.length === 0 && <Nothing />}
						<div class="tl-sticky">
							<canvas ref={set("base")} aria-hidden="true" />
							<canvas ref={set("over")} tabIndex={0} role="application" aria-label="Timeline" aria-describedby="timeline-summary" data-testid="timeline" />
							{tl && <Tooltip tl={tl} />}
							{tl && <Picture tl={tl} />}
						</div>
					</div>
				</div>
				<p id="timeline-summary" class="sr-only">{summary()}</p>
			</div>
			<Drawer />
			{tl && <Notes tl={tl} />}
		</div>
	);
}
