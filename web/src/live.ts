// SPDX-License-Identifier: Apache-2.0
// The WebSocket reports when a live trace grows. It reconnects by itself with a growing delay.
import { batch, computed, effect, signal } from "@preact/signals";
import { api, ApiError, errorWords } from "./api";
import { loadNames } from "./names";
import { offline } from "./offline";
import type { TraceEntry } from "./types";
import { duration, entry, follow, forgetMarked, go, hasHistory, meta, page, traceId, traces, view } from "./state";

/** refused: a server answers, but rejects this page's token. */
export type Link = "connecting" | "open" | "lost" | "refused";
export const link = signal<Link>("connecting");
/** Grows when the server answers again: failed requests are repeated. */
export const returned = signal(0);
export const failure = signal<string | null>(null);
export const version = signal("");
const drops = signal<Record<number, number>>({});
/** Events that the recorder dropped. */
export const dropped = computed(() => drops.value[traceId.value ?? -1] ?? 0);

const FIRST_WAIT = 250, LAST_WAIT = 4000;
/** Data without a push message, such as new signposts, is polled at this interval while a trace grows. */
const META_EVERY = 1000;

let wait = FIRST_WAIT;
let socket: WebSocket | null = null;
let metaTimer = 0;
let metaAt = 0;

/** States pushed by the WebSocket, by trace: a list requested earlier may be older. */
const told = new Map<number, { count: number; state: NonNullable<Push["state"]>["state"] }>();
let tellings = 0;

function withState(t: TraceEntry, state: TraceEntry["state"]): TraceEntry {
	return { ...t, state, live: state === "live" || state === "waiting" };
}

export async function loadTraces(): Promise<void> {
	const asked = tellings;
	try {
		const r = await api.traces();
		traces.value = r.traces.map((t) => {
			const newer = told.get(t.id);
			return newer && newer.count > asked ? withState(t, newer.state) : t;
		});
		version.value = r.version ?? "";
		hasHistory.value = r.general?.includes("history") ?? false;
		if (r.traces.length === 0 && hasHistory.peek() && page.peek() !== "history")
			go("history");
		failure.value = null;
		const id = traceId.peek();
		if (id === null || !r.traces.some((t) => t.id === id))
			traceId.value = r.traces[0]?.id ?? null;
	} catch (e) {
		failure.value = errorWords(e);
	}
}

async function loadMeta(): Promise<void> {
	const id = traceId.peek();
	if (id === null || entry.peek()?.kind === "ops")
		return;
	metaAt = performance.now();
	try {
		const m = await api.meta(id);
		if (traceId.peek() !== id)
			return;
		const old = meta.peek();
		loadNames(id, m.tag, m.names_total);
		batch(() => {
			if (old && old.tag !== m.tag) // the next recording at the same place
				forgetMarked();
			meta.value = m;
		});
		if (old && old.tag !== m.tag)
			void loadTraces();
		failure.value = null;
	} catch (e) {
		if (traceId.peek() === id)
			failure.value = errorWords(e);
	}
}

function metaSoon(): void {
	if (metaTimer)
		return;
	metaTimer = window.setTimeout(() => {
		metaTimer = 0;
		void loadMeta();
	}, Math.max(0, metaAt + META_EVERY - performance.now()));
}

interface Push {
	live?: { id: number; gen: number; duration: number; zones: number; dropped: number };
	meta?: { id: number };
	state?: { id: number; state: "live" | "saved" | "waiting" | "ended" | "damaged" };
}

function take(p: Push): void {
	if (p.live && p.live.dropped !== (drops.peek()[p.live.id] ?? 0))
		drops.value = { ...drops.peek(), [p.live.id]: p.live.dropped };
	if (p.live && p.live.id === traceId.peek()) {
		const m = meta.peek();
		const another = m !== null && p.live.gen > m.gen && (p.live.zones < m.zones || p.live.duration < m.duration); // a recording does not shrink
		if (another)
			void loadMeta();
		else if (m && p.live.gen !== m.gen)
			meta.value = { ...m, gen: p.live.gen, duration: Math.max(m.duration, p.live.duration), zones: p.live.zones };
		if (!another && (!m || p.live.gen !== m.gen))
			metaSoon();
	}
	if (p.live && !traces.peek().some((t) => t.id === p.live?.id))
		void loadTraces();
	if (p.meta && p.meta.id === traceId.peek())
		metaSoon();
	if (p.state) {
		const s = p.state;
		told.set(s.id, { count: ++tellings, state: s.state });
		traces.value = traces.peek().map((t) => t.id === s.id ? withState(t, s.state) : t);
		if (!traces.peek().some((t) => t.id === s.id))
			void loadTraces();
		if (s.id === traceId.peek())
			metaSoon();
	}
}

let known = false;

/** A restarted server rejects the old token; a page opened without a token is rejected too. */
async function refused(): Promise<void> {
	try {
		await api.traces();
	} catch (e) {
		if (!(e instanceof ApiError) || e.status !== 403)
			return;
		link.value = "refused";
		failure.value = known ? "The server was restarted: open the URL that it printed." : "This page was opened without the server's token: open the URL that “tacho view” printed.";
	}
}

function connect(): void {
	const s = socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/ws");
	let opened = false;
	s.onopen = () => {
		opened = known = true;
		const again = link.peek() === "lost" || link.peek() === "refused";
		link.value = "open";
		wait = FIRST_WAIT;
		if (again) // it may be a newer generation or another server
			void loadTraces().then(loadMeta).then(() => { returned.value++; });
	};
	s.onmessage = (e) => {
		try {
			take(JSON.parse(String(e.data)) as Push);
		} catch {
			// an unknown message: ignore it
		}
	};
	s.onclose = () => {
		if (socket !== s)
			return;
		if (opened || link.peek() === "connecting")
			link.value = "lost";
		void refused();
		window.setTimeout(connect, wait);
		wait = Math.min(LAST_WAIT, wait * 2);
	};
}

/** While a recording is shorter, following shows all of it. */
const FIRST_SPAN = 5e9;

/** Follow: the view keeps its length and its right end stays at the newest data. */
function keepUp(): void {
	effect(() => {
		const on = follow.value, d = duration.value;
		if (!on || page.value !== "timeline")
			return;
		const v = view.peek();
		const whole = v.t0 <= 0 && d < FIRST_SPAN;
		const span = whole ? d * 1.05 : v.t1 - v.t0;
		const t1 = d + span * 0.04;
		if (Math.abs(v.t1 - t1) > span / 1000)
			view.value = { t0: t1 - span, t1 };
	});
}

export function startLive(): void {
	let shown: number | null = null;
	effect(() => {
		const id = traceId.value;
		if (id === shown)
			return;
		shown = id;
		meta.value = null;
		void loadMeta();
	});
	keepUp();
	void loadTraces().then(() => {
		if (entry.peek()?.live && !/[?&]v0=/.test(location.hash))
			follow.value = true;
		if (!offline)
			connect();
	});
}
