// SPDX-License-Identifier: Apache-2.0
// The page's state and its form in the URL:
//   #/timeline?tr=ID&t0=..&t1=..&v0=..&v1=..&rows=d0c1,1~-t5&pin=t7~d0&sel=zone:LANE:IDX&further=words
// t0,t1: the range that filters every page; v0,v1: what the timeline shows; rows: those that were opened
// and (with a minus) closed, * is all threads and cores; pin: those that stay at the top; further words belong to the page. A new page, range or selection is a step for the Back button, a moved view is not.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Meta, TraceEntry, ZoneRef } from "./types";

export const PAGES = ["overview", "timeline", "ops", "cores", "statistics", "messages", "plots", "memory", "compare", "info", "query", "history"] as const;
export type PageId = typeof PAGES[number];

export interface Range {
	t0: number;
	t1: number;
}

export type Selection = ({ kind: "zone" } & ZoneRef) | { kind: "op"; id: string; gap?: boolean } | ({ kind: "lock"; track: number } & ZoneRef) | ({ kind: "path"; track: number | null } & Range);

/** No view chosen yet: the timeline shows the whole trace. */
export const UNSET: Range = { t0: 0, t1: 1e9 };

export const page = signal<PageId>("overview");
export const traceId = signal<number | null>(null);
export const range = signal<Range | null>(null);
export const view = signal<Range>(UNSET);
export const selection = signal<Selection | null>(null);
export const params = signal<Record<string, string>>({});
/** A name whose zones are lit on the timeline. */
export const litName = signal<number | null>(null);
/** A moment, or a span of time, with a text. */
export interface Mark extends Range {
	text: string;
}

export const marks = signal<Mark[]>([]);
/** Rows of the timeline that the user opened or closed. */
export const openRows = signal<Record<string, boolean>>({});
/** Rows of the timeline that stay at its top, in the order in which they were pinned. */
export const pins = signal<string[]>([]);

export const traces = signal<TraceEntry[]>([]);
export const meta = signal<Meta | null>(null);
/** The server answers calls about a database of runs. */
export const hasHistory = signal(false);
export const follow = signal(false);
/** Grows with a live trace, at most once a second; pages that show sums reload then. */
export const generation = signal(0);
export const entry = computed(() => traces.value.find((t) => t.id === traceId.value) ?? null);
export const duration = computed(() => Math.max(1, meta.value?.duration ?? entry.value?.duration ?? 1));

const SUMS_EVERY = 1000;

/** A live trace grows twenty times a second: pages that reloaded as often would never finish. */
function startGeneration(): void {
	let timer = 0, at = 0;
	const take = () => {
		timer = 0;
		at = performance.now();
		generation.value = meta.peek()?.gen ?? 0;
	};
	effect(() => {
		if ((meta.value?.gen ?? 0) === generation.peek() || timer)
			return;
		const wait = entry.peek()?.live ? at + SUMS_EVERY - performance.now() : 0;
		if (wait > 0)
			timer = window.setTimeout(take, wait);
		else
			take();
	});
}

/** The filter that calls about a range take. */
export function rangeQuery(): { t0?: number; t1?: number } {
	const r = range.value;
	return r ? { t0: r.t0, t1: r.t1 } : {};
}

/** Selections do not carry over to another trace. */
export function forgetMarked(): void {
	range.value = null;
	selection.value = null;
	litName.value = null;
	marks.value = [];
	setParam("name", null);
}

/** Opens another trace on the same page and drops the state of the old one. */
export function openTrace(id: number): void {
	batch(() => {
		traceId.value = id;
		forgetMarked();
		openRows.value = {};
		pins.value = [];
		view.value = UNSET;
		params.value = {};
	});
}

export function setRange(t0: number, t1: number): void {
	const d = duration.peek();
	const lo = Math.max(0, Math.min(t0, t1)), hi = Math.min(d, Math.max(t0, t1));
	range.value = hi > lo ? { t0: Math.floor(lo), t1: Math.ceil(hi) } : null;
}

/** Opens a page and drops the previous page's URL parameters. */
export function go(to: PageId, words: Record<string, string | number> = {}): void {
	batch(() => {
		page.value = to;
		const p: Record<string, string> = {};
		for (const [k, v] of Object.entries(words))
			p[k] = String(v);
		params.value = p;
	});
}

export function setParam(key: string, value: string | number | null): void {
	const p = { ...params.peek() };
	if (value === null || value === "")
		delete p[key];
	else
		p[key] = String(value);
	params.value = p;
}

/** Opens the timeline on [t0, t1] with some room at both sides. */
export function showOnTimeline(t0: number, t1: number, sel?: Selection | null): void {
	const room = Math.max((t1 - t0) * 0.15, 50);
	batch(() => {
		view.value = { t0: t0 - room, t1: t1 + room };
		if (sel !== undefined)
			selection.value = sel;
		follow.value = false;
		if (page.peek() !== "timeline")
			go("timeline");
	});
}

/** "T", "T-T1", each with ":text" if it has one. */
function markText(m: Mark): string {
	return `${Math.round(m.t0)}${m.t1 > m.t0 ? `-${Math.round(m.t1)}` : ""}${m.text ? `:${encodeURIComponent(m.text)}` : ""}`;
}

function markParse(s: string): Mark | null {
	const m = /^(\d+)(?:-(\d+))?(?::(.*))?$/.exec(s);
	if (!m)
		return null;
	let text = m[3] ?? "";
	try {
		text = decodeURIComponent(text);
	} catch {
		// typed by hand: as it is
	}
	const t0 = +m[1], t1 = Math.max(t0, +(m[2] ?? m[1]));
	return Number.isFinite(t1) ? { t0, t1, text: text.slice(0, 200).replace(/[\uD800-\uDBFF]$/, "") } : null; // half a pair cannot be encoded
}

function selText(s: Selection): string {
	if (s.kind === "path")
		return `path:${s.t0}:${s.t1}${s.track === null ? "" : ":" + s.track}`;
	return s.kind === "zone" ? `zone:${s.lane}:${s.idx}` : s.kind === "lock" ? `lock:${s.track}:${s.lane}:${s.idx}` : `${s.gap ? "gap" : "op"}:${s.id}`;
}

function selParse(s: string | null): Selection | null {
	const m = /^zone:(\d+):(\d+)$/.exec(s ?? "");
	if (m)
		return { kind: "zone", lane: +m[1], idx: +m[2] };
	const l = /^lock:(\d+):(\d+):(\d+)$/.exec(s ?? "");
	if (l)
		return { kind: "lock", track: +l[1], lane: +l[2], idx: +l[3] };
	const p = /^path:(\d+):(\d+)(?::(\d+))?$/.exec(s ?? "");
	if (p)
		return { kind: "path", t0: +p[1], t1: +p[2], track: p[3] === undefined ? null : +p[3] };
	if (s?.startsWith("gap:"))
		return { kind: "op", id: s.slice(4), gap: true };
	return s?.startsWith("op:") ? { kind: "op", id: s.slice(3) } : null;
}

type Words = [key: string, value: string | number][];

function hashText(to: PageId, words: Words): string {
	const q = words.map(([k, v]) => k + "=" + encodeURIComponent(v).replace(/%3A/g, ":").replace(/%2C/g, ","));
	return `#/${to}${q.length ? "?" + q.join("&") : ""}`;
}

/** The URL parameters of all pages. */
function sharedWords(): Words {
	const words: Words = [];
	if (traceId.value !== null)
		words.push(["tr", traceId.value]);
	if (range.value)
		words.push(["t0", range.value.t0], ["t1", range.value.t1]);
	return words;
}

/** For a link that may be opened elsewhere: the same trace and range. */
export function hashOfPage(to: PageId): string {
	return hashText(to, sharedWords());
}

export function hashOf(): string {
	const words = sharedWords();
	if (page.value === "timeline" && view.value !== UNSET && !follow.value) // a reloaded page without a view follows again
		words.push(["v0", Math.round(view.value.t0)], ["v1", Math.round(view.value.t1)]);
	if (page.value === "timeline" && Object.keys(openRows.value).length)
		words.push(["rows", Object.entries(openRows.value).map(([k, open]) => (open ? "" : "-") + k).join("~")]);
	if (page.value === "timeline" && pins.value.length)
		words.push(["pin", pins.value.join("~")]);
	if (selection.value)
		words.push(["sel", selText(selection.value)]);
	if (marks.value.length)
		words.push(["marks", marks.value.map(markText).join(",")]);
	words.push(...Object.entries(params.value));
	return hashText(page.value, words);
}

const OWN = new Set(["tr", "t0", "t1", "v0", "v1", "rows", "pin", "sel", "marks"]);

function number(v: string | null): number | null {
	return v !== null && v !== "" && Number.isFinite(+v) ? +v : null;
}

/** Later than any trace can end, and still a time that the server accepts; a longer view would need too many tiles. */
const LAST_TIME = 2 ** 61;

/** Parses two URL parameters as a time span from LEAST on; null if it is empty. */
function span(a: string | null, b: string | null, least: number): Range | null {
	const [t0, t1] = [a, b].map(number);
	if (t0 === null || t1 === null)
		return null;
	const lo = Math.max(least, t0), hi = Math.min(LAST_TIME, t1);
	return hi > lo ? { t0: lo, t1: hi } : null;
}

/** The view of a URL that opens or closes the drawer: it fits the width that the timeline will have then. */
let placed: Range | null = null;

/** True once, if the view is one of those. */
export function viewWasPlaced(): boolean {
	const yes = placed !== null && placed === view.peek();
	placed = null;
	return yes;
}

export function parseHash(hash: string): void {
	const m = /^#\/([a-z]*)(?:\?(.*))?$/.exec(hash);
	const words = new URLSearchParams(m?.[2] ?? "");
	const to = PAGES.find((p) => p === m?.[1]) ?? "overview";
	const drawer = selection.peek() !== null;
	batch(() => {
		page.value = to;
		const id = number(words.get("tr"));
		if (id !== null && id !== traceId.peek())
			openTrace(id);
		range.value = span(words.get("t0"), words.get("t1"), 0);
		const v = span(words.get("v0"), words.get("v1"), -LAST_TIME);
		if (v)
			view.value = v;
		if (to === "timeline") {
			openRows.value = Object.fromEntries((words.get("rows") ?? "").split("~").filter(Boolean).map((k) => k.startsWith("-") ? [k.slice(1), false] : [k, true]));
			pins.value = [...new Set((words.get("pin") ?? "").split("~").filter(Boolean))];
		}
		selection.value = selParse(words.get("sel"));
		placed = v && drawer !== (selection.peek() !== null) ? view.peek() : null;
		marks.value = (words.get("marks") ?? "").split(",").map(markParse).filter((k) => k !== null);
		const p: Record<string, string> = {};
		words.forEach((v, k) => {
			if (!OWN.has(k))
				p[k] = v;
		});
		params.value = p;
	});
}

/** The part of the hash whose change adds a history entry. */
function stepOf(): string {
	const r = range.value;
	return [page.value, traceId.value, r?.t0, r?.t1, selection.value ? selText(selection.value) : ""].join("|");
}

export function startUrl(): void {
	startGeneration();
	parseHash(location.hash);
	let step = stepOf();
	let timer = 0;
	window.addEventListener("hashchange", () => {
		if (location.hash !== hashOf()) {
			parseHash(location.hash);
			step = stepOf();
		}
	});
	window.addEventListener("popstate", () => {
		parseHash(location.hash);
		step = stepOf();
	});
	effect(() => {
		const hash = hashOf();
		const now = stepOf();
		clearTimeout(timer); // even if nothing changed: the pending URL is outdated
		if (hash === location.hash)
			return;
		if (now !== step) {
			step = now;
			history.pushState(null, "", hash);
		} else {
			timer = window.setTimeout(() => history.replaceState(null, "", hash), 150);
		}
	});
}
