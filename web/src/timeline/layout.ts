// SPDX-License-Identifier: Apache-2.0
// Lays out the timeline's rows from top to bottom and the stripes in each. A stripe is one strip of
// pixels: one lane (zones with labels) or the sum of several (how busy a closed group is).
import type { Device, LockInfo, LockRow, Meta, Track } from "../types";
import { fmtCount, fmtDur } from "../format";
import { OP_H, OP_TOP } from "./oplanes";
import { STATE_H } from "./states";
import { LOCK_ROW_H, lockKey, lockName, PIN } from "./locks";
import type { Rgb } from "../theme";
import { riscColor } from "../theme";

export const LANE_H = 18;
const FOLDED_H = 5;
const HEAT_H = 4;
/** Pinned threads deeper than this are shown as strips. */
const PINNED_OPEN = 8;
const HEAT: Rgb = [0xf0, 0x9a, 0x3e];

export interface Stripe {
	lanes: number[];
	track: Track | null;
	/** From the top of the row. */
	y: number;
	h: number;
	depth: number;
	/** Colour of the thread or processor, for the modes that use it. */
	tint: Rgb | null;
	device: boolean;
	labels: boolean;
}

export type RowKind = "process" | "thread" | "device" | "ops" | "heat" | "core" | "risc" | "group" | "plot" | "lock";

export interface Row {
	key: string;
	kind: RowKind;
	indent: number;
	label: string;
	note: string;
	title: string;
	y: number;
	h: number;
	open: boolean | null;
	stripes: Stripe[];
	track: Track | null;
	/** Tracks hidden while this row is closed. */
	inside?: number[];
	/** A lock and its lanes. */
	lock?: { track: number; hold: number; wait: number };
	/** A device, for its clock information. */
	device?: number;
	/** Where the strip of the thread's states is, from the top of the row. */
	states?: number;
	/** A device whose ops the row shows. */
	ops?: number;
	/** Written on the row itself. */
	warning?: string;
	/** Its key in the list of pins; none if it cannot be pinned. */
	pin?: string;
	/** Pinned: a copy at the top of a row that is, or could be, further down. */
	pinned: boolean;
}

export type OpenState = Record<string, boolean>;

interface Builder {
	rows: Row[];
	y: number;
	open: OpenState;
	pinned: boolean;
	/** Lanes that are lines. */
	folded: ReadonlySet<number>;
	sampled: ReadonlySet<number>;
}

/** PIN: it can be pinned. */
function add(b: Builder, r: Omit<Row, "y" | "pinned" | "pin">, pin = true): void {
	b.rows.push({ ...r, key: b.pinned ? PIN + r.key : r.key, indent: b.pinned ? Math.max(0, r.indent - 1) : r.indent, y: b.y, pin: pin ? r.key : undefined, pinned: b.pinned });
	b.y += r.h;
}

/** EVERY: "open all" applies to the row. */
function isOpen(b: Builder, key: string, preset: boolean, every = false): boolean {
	return b.pinned ? b.open[PIN + key] ?? preset : b.open[key] ?? (every ? b.open["*"] : undefined) ?? preset;
}

function single(lane: number, track: Track, y: number, h: number, depth: number, tint: Rgb | null): Stripe {
	return { lanes: [lane], track, y, h, depth, tint, device: track.kind === "core", labels: h >= 12 };
}

function sum(lanes: number[], track: Track | null, y: number, h: number, tint: Rgb | null, device: boolean): Stripe {
	return { lanes, track, y, h, depth: 0, tint, device, labels: false };
}

/** The lane that shows whether a processor works: the kernel inside the firmware, if there is one. */
function workLane(t: Track): number[] {
	const lane = t.lanes[1] ?? t.lanes[0];
	return lane ? [lane[0]] : [];
}

/** A strip of many lanes samples this many of them, evenly over the list. */
const MOST = 256;

export function some(lanes: number[]): number[] {
	const step = Math.ceil(lanes.length / MOST);
	return lanes.filter((_, i) => i % step === 0);
}

function firstLane(t: Track): number[] {
	return t.lanes.length ? [t.lanes[0][0]] : [];
}

function laneTrack(b: Builder, t: Track, key: string, indent: number, label: string, note: string, tint: Rgb | null): void {
	const kind = t.kind === "core" ? "risc" as const : "thread" as const;
	const open = isOpen(b, key, !b.pinned || t.lanes.length <= PINNED_OPEN, kind === "thread");
	const stripes: Stripe[] = [];
	let y = 3;
	if (open)
		t.lanes.forEach((l, depth) => {
			const step = b.folded.has(l[0]) ? FOLDED_H : LANE_H;
			stripes.push(single(l[0], t, y, step - 1, depth, tint));
			y += step;
		});
	else
		stripes.push(sum(firstLane(t), t, 4, 14, tint, t.kind === "core"));
	let h = open ? Math.max(24, y + 3) : 22, states: number | undefined;
	if (b.sampled.has(t.id)) {
		states = t.lanes.length ? h - 2 : 8;
		h = states + STATE_H + 4;
	}
	add(b, { key, kind, states, indent, label, note, title: t.name, h, open: t.lanes.length ? open : null, stripes, track: t });
}

/** A pinned one is only its strip. */
function groupRow(b: Builder, kind: RowKind, key: string, indent: number, label: string, note: string, lanes: number[], preset: boolean, device: boolean): boolean {
	const open = !b.pinned && isOpen(b, key, preset);
	const stripes = lanes.length ? [sum(lanes, null, open ? 17 : 5, open ? 5 : 15, null, device)] : [];
	add(b, { key, kind, indent, label, note, title: label, h: open ? 24 : 25, open: b.pinned ? null : open, stripes, track: null }, kind !== "group");
	return open;
}

function threadOrder(a: Track, b: Track): number {
	const main = (t: Track) => t.tid !== undefined && t.kind === "thread" ? 0 : 1;
	return main(a) - main(b);
}

/** A GPU queue recorded with Tracy's functions: it has zones like a core, but no place on a chip. */
export function isQueue(t: Track): boolean {
	return t.kind === "core" && t.device === undefined;
}

interface Host {
	process: Meta["processes"][number];
	threads: Track[];
}

/** Merged recordings name their processes by rank: 2 comes before 10. */
function rankOf(p: Meta["processes"][number]): number {
	return +(/\brank (\d+)/.exec(p.name)?.[1] ?? 0);
}

function hostsOf(m: Meta, sampled: ReadonlySet<number>): Host[] {
	const zoned = new Set(m.tracks.filter((t) => t.lanes.length > 0).map((t) => t.process));
	const warned = new Set(m.warnings.map((w) => w.track)); // a thread may have lost all its events
	const hosts = m.tracks.filter((t) => (t.kind === "thread" || t.kind === "fiber" || t.kind === "other" || t.kind === "lock" || isQueue(t)) && (t.lanes.length > 0 || warned.has(t.id) || (sampled.has(t.id) && zoned.has(t.process))));
	const known = new Set(m.processes.map((p) => p.id));
	const list = [...m.processes].sort((a, z) => rankOf(a) - rankOf(z)); // without ranks they stay as they were recorded
	if (hosts.some((t) => !known.has(t.process)))
		list.push({ id: -1, pid: 0, parent: 0, name: "Host", command: "", start: 0, end: null, exit: null });
	return list.map((p) => ({ process: p, threads: hosts.filter((t) => t.process === p.id || (p.id === -1 && !known.has(t.process))).sort(threadOrder) }))
		.filter((h) => h.threads.length > 0);
}

/** True if its threads have rows. */
function processRow(b: Builder, { process: p, threads }: Host): boolean {
	const lanes = some(threads.flatMap(firstLane));
	const queues = threads.filter(isQueue).length, n = threads.length - queues;
	const note = [p.pid ? `pid ${p.pid}` : "", n ? `${n} ${n === 1 ? "thread" : "threads"}` : "", queues ? `${queues} GPU ${queues === 1 ? "queue" : "queues"}` : ""].filter(Boolean).join(" · ");
	const opened = groupRow(b, "process", "p" + p.id, 0, p.name || "process", note, lanes, true, false);
	const row = b.rows[b.rows.length - 1];
	if (lanes.length < threads.length)
		row.title += ` (the strip is made of ${lanes.length} of its threads)`;
	if (!opened)
		row.inside = threads.map((t) => t.id);
	return opened;
}

function threadRow(b: Builder, m: Meta, t: Track): void {
	const p = b.pinned && m.processes.length > 1 ? m.processes.find((k) => k.id === t.process) : undefined;
	const note = [p ? `pid ${p.pid}` : "", t.kind === "fiber" ? "fiber" : isQueue(t) ? "GPU" : t.tid ? String(t.tid) : ""].filter(Boolean).join(" · ");
	laneTrack(b, t, "t" + t.id, 1, t.name || t.kind, note, null);
}

function addProcesses(b: Builder, m: Meta): void {
	for (const h of hostsOf(m, b.sampled))
		if (processRow(b, h))
			for (const t of h.threads)
				threadRow(b, m, t);
}

interface Core {
	x: number;
	y: number;
	label: string;
	type: string;
	tracks: Track[];
}

function coresOf(tracks: Track[], d: Device | undefined): Core[] {
	const cores = new Map<string, Core>();
	const types = new Map(d?.cores.map((k) => [`${k[0]},${k[1]}`, k[4]]));
	for (const t of tracks) {
		const key = `${t.x},${t.y}`;
		let c = cores.get(key);
		if (!c) {
			const type = types.get(key) ?? "worker";
			const logical = t.lx !== undefined && t.lx >= 0 ? `${t.lx},${t.ly}` : `${t.x},${t.y}`;
			c = { x: t.x ?? 0, y: t.y ?? 0, label: `core ${logical}`, type, tracks: [] };
			cores.set(key, c);
		}
		c.tracks.push(t);
	}
	const order = (t: Track) => ["BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2", "ERISC"].indexOf((t.risc ?? "").replace("_", ""));
	for (const c of cores.values())
		c.tracks.sort((a, z) => order(a) - order(z));
	return [...cores.values()].sort((a, z) => a.y - z.y || a.x - z.x);
}

function riscRow(b: Builder, t: Track, core: Core): void {
	laneTrack(b, t, "t" + t.id, 2, (t.risc ?? t.name).replace(/^TRISC_?/, "TRISC "), b.pinned ? `device ${t.device ?? 0} · ${core.label}` : "", riscColor(t.risc));
}

function addCore(b: Builder, key: string, c: Core, preset: boolean): void {
	const open = isOpen(b, key, preset, true);
	const note = (b.pinned ? `device ${c.tracks[0]?.device ?? 0} · ` : "") + `NoC ${c.x},${c.y}` + (c.type === "worker" ? "" : ` · ${c.type}`);
	const stripes = open ? [] : c.tracks.map((t, i) => sum(workLane(t), t, 3 + i * HEAT_H, HEAT_H - 1, riscColor(t.risc), true));
	add(b, {
		key, kind: "core", indent: 1, label: c.label, note, title: `${c.label}, ${note}`, track: c.tracks[0] ?? null,
		h: open ? 22 : Math.max(22, c.tracks.length * HEAT_H + 6), open, stripes, inside: open ? [] : c.tracks.map((t) => t.id),
	});
	if (open)
		for (const t of c.tracks)
			riscRow(b, t, c);
}

interface Board {
	id: number;
	device: Device | undefined;
	tracks: Track[];
	cores: Core[];
}

function boardsOf(m: Meta): Board[] {
	const all = m.tracks.filter((t) => t.kind === "core" && !isQueue(t));
	const ids = [...new Set([...m.devices.map((d) => d.device), ...all.map((t) => t.device ?? 0)])].sort((a, z) => a - z);
	return ids.map((id) => {
		const device = m.devices.find((e) => e.device === id);
		const tracks = all.filter((t) => (t.device ?? 0) === id);
		return { id, device, tracks, cores: coresOf(tracks, device) };
	}).filter((k) => k.tracks.length > 0);
}

function coreKey(k: Board, c: Core): string {
	return `d${k.id}c${c.x},${c.y}`;
}

/** True if its cores have rows. */
function deviceRow(b: Builder, { id, device: d, tracks, cores }: Board): boolean {
	const note = [`${cores.length} ${cores.length === 1 ? "core" : "cores"}`, d?.arch, d && d.mhz > 0 ? `${d.mhz} MHz` : "", d?.modelled ? "modelled" : ""].filter(Boolean).join(" · ");
	const opened = groupRow(b, "device", "d" + id, 0, `Device ${id}`, note, some(tracks.flatMap(workLane)), true, true);
	const row = b.rows[b.rows.length - 1];
	row.device = id;
	if ((d?.clock_total ?? 0) > (d?.clock?.length ?? 0))
		row.title += ` (several of the ${fmtCount(d?.clock_total)} comparisons of its clock share a mark, with the worst bound)`;
	if (!opened)
		row.inside = tracks.map((t) => t.id);
	if (!d || d.bound_ns === null)
		row.warning = "clock not synchronised: the position of its zones relative to the host's is unknown";
	return opened;
}

/** The ops of a device, above its cores. */
function opsRow(b: Builder, { id }: Board, lanes: number): void {
	add(b, { key: `d${id}ops`, kind: "ops", indent: 1, label: "ops", note: b.pinned ? `device ${id}` : lanes > 1 ? `${lanes} at a time` : "",
		title: "The ops of the device; below each, the colour of its bound; between them, gaps", h: OP_TOP + lanes * OP_H + 2, open: null, stripes: [], track: null, ops: id });
}

function heatRow(b: Builder, { id, cores }: Board): void {
	const step = cores.length > 24 ? HEAT_H - 1 : HEAT_H;
	const hot = cores.map((c, i) => sum(c.tracks.flatMap(workLane), c.tracks[0], 4 + i * step, step - 1, HEAT, true));
	add(b, { key: `d${id}heat`, kind: "heat", indent: 1, label: "all cores", note: b.pinned ? `device ${id}` : "one line per core", title: "How busy each core is: the busiest of its processors",
		h: Math.max(24, cores.length * step + 8), open: null, stripes: hot, track: null });
}

function addDevices(b: Builder, m: Meta, ops: ReadonlyMap<number, number>): void {
	for (const k of boardsOf(m)) {
		if (!deviceRow(b, k))
			continue;
		const lanes = ops.get(k.id) ?? 0;
		if (lanes > 0)
			opsRow(b, k, lanes);
		if (k.cores.length > 1)
			heatRow(b, k);
		for (const c of k.cores)
			addCore(b, coreKey(k, c), c, k.cores.length <= 2);
	}
}

function curveRow(b: Builder, m: Meta, t: Track): void {
	const p = m.processes.length > 1 ? m.processes.find((q) => q.id === t.process) : undefined;
	const label = t.name || t.kind;
	add(b, { key: "t" + t.id, kind: "plot", indent: 1, label, note: p ? `pid ${p.pid}` : "", title: label, h: 46, open: null, stripes: [], track: t });
}

function addCurves(b: Builder, m: Meta): void {
	const groups: [string, string, Track[]][] = [
		["plots", "Plots", m.tracks.filter((t) => t.kind === "plot")],
		["memory", "Memory", m.tracks.filter((t) => t.kind === "memory")],
	];
	for (const [key, label, tracks] of groups) {
		if (tracks.length === 0)
			continue;
		if (!groupRow(b, "group", key, 0, label, String(tracks.length), [], tracks.length <= 12, false))
			continue;
		for (const t of tracks)
			curveRow(b, m, t);
	}
}

function addLock(b: Builder, m: Meta, l: LockRow, known: LockInfo | undefined): void {
	const key = lockKey(l.track);
	const open = isOpen(b, key, false);
	const t = m.tracks.find((k) => k.id === l.track) ?? null;
	const p = m.processes.length > 1 ? m.processes.find((q) => q.id === t?.process) : undefined;
	const note = [p ? `pid ${p.pid}` : "", `waited ${fmtDur(l.wait_total)}`].filter(Boolean).join(" · ");
	add(b, { key, kind: "lock", indent: 1, label: lockName(l), note, title: `${lockName(l)}${l.file ? `, ${l.file}:${l.line}` : ""}: held above, waited for below`, h: LOCK_ROW_H, open, stripes: [], track: t, lock: { track: l.track, hold: 0, wait: 1 } });
	if (!open)
		return;
	const threads = (known?.rows ?? []).filter((k) => !k.all);
	for (const r of threads) {
		const thread = m.tracks.find((k) => k.id === r.thread);
		add(b, { key: `${key}t${r.hold}`, kind: "lock", indent: 2, label: thread?.name ?? "thread", note: r.waits ? `waited ${fmtDur(r.wait_total)}` : "", title: thread?.name ?? "thread", h: LOCK_ROW_H, open: null, stripes: [], track: null, lock: { track: l.track, hold: r.hold, wait: r.wait } }, false);
	}
	const more = (known?.threads ?? 0) - threads.length;
	if (more > 0 && threads.length > 0)
		add(b, { key: key + "more", kind: "lock", indent: 2, label: `${fmtCount(more)} more threads`, note: "not shown", title: "Only the first threads that used the lock have separate rows; the row of all threads includes the others", h: 22, open: null, stripes: [], track: null }, false);
}

function addLocks(b: Builder, m: Meta, locks: LockRow[], info: ReadonlyMap<number, LockInfo>): void {
	if (locks.length > 0 && groupRow(b, "group", "locks", 0, "Locks", String(locks.length), [], locks.length <= 8, false))
		for (const l of locks)
			addLock(b, m, l, info.get(l.track));
}

/** The row of a pin, even if a closed row hides it below; nothing if the trace has no such row. */
function addPin(b: Builder, m: Meta, x: Extras, pin: string): void {
	const [, kind, number, rest] = /^([a-z])(-?\d+)(.*)$/.exec(pin) ?? [];
	const track = kind === "t" ? m.tracks.find((t) => t.id === +number) : undefined;
	const host = kind === "p" ? hostsOf(m, x.sampled).find((h) => h.process.id === +number) : undefined;
	const lock = kind === "l" ? x.locks.find((l) => l.track === +number) : undefined;
	const board = kind === "d" ? boardsOf(m).find((k) => k.id === +number) : track?.kind === "core" ? boardsOf(m).find((k) => k.id === (track.device ?? 0)) : undefined;
	const core = board?.cores.find((c) => track ? c.tracks.includes(track) : coreKey(board, c) === pin);
	if (track && core)
		riscRow(b, track, core);
	else if (track?.kind === "plot" || track?.kind === "memory")
		curveRow(b, m, track);
	else if (track)
		threadRow(b, m, track);
	else if (host)
		processRow(b, host);
	else if (lock)
		addLock(b, m, lock, x.lockInfo.get(lock.track));
	else if (core)
		addCore(b, pin, core, false);
	else if (board && rest === "ops")
		opsRow(b, board, Math.max(1, x.opLanes.get(board.id) ?? 0));
	else if (board && rest === "heat")
		heatRow(b, board);
	else if (board && rest === "")
		deviceRow(b, board);
}

export interface Extras {
	/** Lanes that are lines. */
	folded: ReadonlySet<number>;
	locks: LockRow[];
	lockInfo: ReadonlyMap<number, LockInfo>;
	/** Tracks with a strip of states. */
	sampled: ReadonlySet<number>;
	/** How many lanes the ops of each device need. */
	opLanes: ReadonlyMap<number, number>;
	/** Pinned rows. */
	pins: string[];
}

/** The rows from top to bottom; the pinned ones come first and take PINNED pixels. */
export interface Layout {
	rows: Row[];
	height: number;
	pinned: number;
}

export function layout(m: Meta, open: OpenState, x: Extras): Layout {
	const b: Builder = { rows: [], y: 0, open, folded: x.folded, sampled: x.sampled, pinned: true };
	for (const pin of x.pins)
		addPin(b, m, x, pin);
	const pinned = b.y;
	b.pinned = false;
	addProcesses(b, m);
	addDevices(b, m, x.opLanes);
	addLocks(b, m, x.locks, x.lockInfo);
	addCurves(b, m);
	return { rows: b.rows, height: b.y, pinned };
}

/** The rows that [top, top + height) shows. */
export function visibleRows(rows: Row[], top: number, height: number): Row[] {
	return rows.filter((r) => r.y + r.h > top && r.y < top + height);
}

/** Minimum share of the window for the rows that scroll. */
const SCROLLED = 0.4;

/** How far the pinned rows scroll: there may be more of them than fit the window. */
export function stuckAt(l: Layout, height: number): number {
	return Math.max(0, l.pinned - Math.round((1 - SCROLLED) * height));
}

/** What a window of a height shows at scroll position TOP: rows with their Y on the screen, and where the pinned ones end. */
export interface Screen {
	pinned: Row[];
	scrolled: Row[];
	edge: number;
}

export function screenOf(l: Layout, top: number, height: number): Screen {
	const up = Math.min(top, stuckAt(l, height)), edge = l.pinned - up;
	const moved = (r: Row, by: number): Row => by === 0 ? r : { ...r, y: r.y - by };
	return {
		edge,
		pinned: l.rows.filter((r) => r.pinned && r.y + r.h > up).map((r) => moved(r, up)),
		scrolled: l.rows.filter((r) => !r.pinned && r.y + r.h > top + edge && r.y < top + height).map((r) => moved(r, top)),
	};
}
