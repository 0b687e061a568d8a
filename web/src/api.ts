// SPDX-License-Identifier: Apache-2.0
// Typed calls to the server. At most four requests are in flight; the others are queued by
// importance, so that visible tiles never wait for a prefetch. An abort signal cancels a request
// that is no longer needed, queued or not.
import { noteRequest, offline, offlineAnswer } from "./offline";
import type * as T from "./types";

const MAX_IN_FLIGHT = 4;
/** Prefetches among them: a slot stays free for what scrolls into view. */
const MAX_AHEAD = 2;

export const enum Priority { sight, normal, ahead }

interface Job {
	url: string;
	priority: Priority;
	signal?: AbortSignal;
	resolve: (r: Response) => void;
	reject: (e: unknown) => void;
}

const waiting: Job[] = [];
let inFlight = 0;

export class ApiError extends Error {
	constructor(readonly status: number, text: string) {
		super(text);
	}
}

export function isAbort(e: unknown): boolean {
	return e instanceof DOMException && e.name === "AbortError";
}

/** The error as text for the user. */
export function errorWords(e: unknown): string {
	return e instanceof Error ? e.message : String(e);
}

function aborted(): DOMException {
	return new DOMException("no longer wanted", "AbortError");
}

function pump(): void {
	while (inFlight < MAX_IN_FLIGHT && waiting.length > 0) {
		let best = 0;
		for (let i = 1; i < waiting.length; i++)
			if (waiting[i].priority < waiting[best].priority)
				best = i;
		if (waiting[best].priority === Priority.ahead && inFlight >= MAX_AHEAD && !waiting[best].signal?.aborted)
			return;
		const job = waiting.splice(best, 1)[0];
		if (job.signal?.aborted)
			job.reject(aborted());
		else
			void start(job);
	}
}

async function start(job: Job): Promise<void> {
	inFlight++;
	try {
		const r = offline ? offlineAnswer(job.url) : await fetch(job.url, { signal: job.signal, credentials: "same-origin" });
		if (!r.ok)
			throw new ApiError(r.status, await errorText(r));
		noteRequest(job.url);
		job.resolve(r);
	} catch (e) {
		job.reject(isAbort(e) ? aborted() : e instanceof TypeError ? new Error("the viewer does not answer") : e);
	} finally {
		inFlight--;
		pump();
	}
}

async function errorText(r: Response): Promise<string> {
	try {
		const o = await r.json() as { error?: string };
		return o.error ?? r.statusText;
	} catch {
		return `the server answers ${r.status}`;
	}
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export function url(path: string, query: Query = {}): string {
	const parts: string[] = [];
	for (const [k, v] of Object.entries(query)) {
		if (v == null || v === "")
			continue;
		const text = typeof v === "boolean" ? (v ? "1" : "0") : typeof v === "number" ? String(Math.round(v)) : v;
		parts.push(k + "=" + encodeURIComponent(text));
	}
	return "/api/v1/" + path + (parts.length ? "?" + parts.join("&") : "");
}

function request(u: string, priority: Priority, signal?: AbortSignal): Promise<Response> {
	return new Promise((resolve, reject) => {
		waiting.push({ url: u, priority, signal, resolve, reject });
		pump();
	});
}

/** Bidirectional controls: in a name they would reorder the text next to it. Shown as unknown characters. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

export async function getJson<R>(path: string, query?: Query, signal?: AbortSignal, priority = Priority.normal): Promise<R> {
	const r = await request(url(path, query), priority, signal);
	const text = await r.text();
	return JSON.parse(TURNS.test(text) ? text.replace(new RegExp(TURNS, "g"), "\ufffd") : text) as R;
}

export async function getBuffer(path: string, query: Query, signal: AbortSignal, priority: Priority): Promise<ArrayBuffer> {
	const r = await request(url(path, query), priority, signal);
	const start = performance.now();
	const b = await r.arrayBuffer();
	const rate = b.byteLength / Math.max(0.05, performance.now() - start);
	if (b.byteLength > 30000)
		linkRate += 0.2 * (rate - linkRate);
	return b;
}

/** Bytes per millisecond, measured on large responses. */
let linkRate = 50000;

/** Below 5 MB/s, compressing a response saves more time than it costs. */
export function linkIsSlow(): boolean {
	return linkRate < 5000;
}

/** Fields that a server may omit. */
function fullMeta(m: Partial<T.Meta>): T.Meta {
	return {
		gen: 0, tag: "", name: "", duration: 0, zones: 0, rows: 0, processes: [], tracks: [], devices: [], signposts: [], names_total: 0, warnings: [],
		properties: {}, ...m,
		has: { ops: false, messages: false, plots: false, memory: false, frames: false, locks: false, samples: false, images: false, sections: false, parameters: false, noc: false, source: false, ...m.has },
	};
}

function fullOverview(trace: number, o: Partial<T.Overview>): T.Overview {
	return { trace, gen: 0, top_zones: [], top_kernels: [], host_self: 0, host_wait: 0, top_ops: [], devices: [], bound_mix: [], gaps: [], warnings: [], advice: [], ...o };
}

/** The calls about one trace. */
export const api = {
	traces: () => getJson<{ traces: T.TraceEntry[]; version: string; general?: string[] }>("traces"),
	meta: (id: number) => getJson<T.Meta>(`t/${id}/meta`).then(fullMeta),
	names: (id: number, from: number) => getJson<{ names: T.NameRow[]; total: number }>(`t/${id}/names`, { from }),
	laneNames: (id: number, lanes: string, s?: AbortSignal) => getJson<{ lanes: [lane: number, names: number[]][] }>(`t/${id}/lane_names`, { lanes }, s),
	zone: (id: number, z: T.ZoneRef, s?: AbortSignal) => getJson<T.ZoneDetail>(`t/${id}/zone`, { lane: z.lane, idx: z.idx }, s),
	hit: (id: number, lane: number, t: number, res: number, s?: AbortSignal) =>
		getJson<{ idx: number | null; start: number; end: number; name: number }>(`t/${id}/hit`, { lane, t, res }, s, Priority.sight),
	stats: (id: number, q: Query, s?: AbortSignal) => getJson<T.Page<T.StatRow> & { range_ns: number; self_total: number }>(`t/${id}/stats`, q, s),
	hist: (id: number, q: Query, s?: AbortSignal) => getJson<T.Hist>(`t/${id}/hist`, q, s),
	instances: (id: number, q: Query, s?: AbortSignal) =>
		getJson<T.Page<T.Instance> & { groups?: T.Group[] }>(`t/${id}/instances`, q, s),
	flame: (id: number, q: Query, s?: AbortSignal) => getJson<{ root: T.FlameNode }>(`t/${id}/flame`, q, s),
	messages: (id: number, q: Query, s?: AbortSignal) => getJson<T.Page<T.Message>>(`t/${id}/messages`, q, s),
	plots: (id: number, s?: AbortSignal) => getJson<{ rows?: T.PlotInfo[]; plots?: T.PlotInfo[] }>(`t/${id}/plots`, {}, s),
	plot: (id: number, q: Query, s?: AbortSignal) => getJson<T.PlotTile>(`t/${id}/plot`, q, s),
	memory: (id: number, q: Query, s?: AbortSignal) => getJson<{ pools: T.Pool[] }>(`t/${id}/memory`, q, s),
	memoryTile: (id: number, q: Query, s?: AbortSignal) => getJson<T.PlotTile>(`t/${id}/memory`, q, s),
	frames: (id: number, q: Query, s?: AbortSignal) => getJson<T.Frames>(`t/${id}/frames`, q, s),
	frameImage: (id: number, track: number, t: number, s: AbortSignal) => getBuffer(`t/${id}/frame_image`, { track, t }, s, Priority.sight),
	parameters: (id: number, s?: AbortSignal) => getJson<{ rows: T.Parameter[] }>(`t/${id}/parameters`, {}, s),
	setParameter: async (id: number, p: T.Parameter, value: number) => {
		const r = await fetch(url(`t/${id}/parameter`, { process: p.process, number: p.number, value }), { method: "POST", credentials: "same-origin" });
		if (!r.ok)
			throw new ApiError(r.status, await errorText(r));
	},
	locks: (id: number, q: Query, s?: AbortSignal) => getJson<{ gen: number; rows: T.LockRow[] }>(`t/${id}/locks`, q, s),
	lock: (id: number, track: number, s?: AbortSignal) => getJson<Omit<T.LockInfo, "asked">>(`t/${id}/lock`, { track }, s),
	lockSpan: (id: number, q: Query, s?: AbortSignal) => getJson<T.LockSpan>(`t/${id}/lock`, q, s),
	ops: <R = T.OpRow>(id: number, q: Query, s?: AbortSignal) => getJson<T.OpsPage<R>>(`t/${id}/ops`, q, s),
	op: (id: number, op: string, s?: AbortSignal) => getJson<T.OpDetail>(`t/${id}/op`, { id: op }, s),
	opLanes: (id: number, q: Query, s?: AbortSignal) => getJson<T.OpLanes>(`t/${id}/op_lanes`, q, s, Priority.sight),
	path: (id: number, q: Query, s?: AbortSignal) => getJson<T.PathAnswer>(`t/${id}/path`, q, s),
	states: (id: number, q: Query, s?: AbortSignal) => getJson<T.States>(`t/${id}/states`, q, s),
	stacks: (id: number, q: Query, s?: AbortSignal) => getJson<T.Stacks>(`t/${id}/stacks`, q, s),
	sample: (id: number, q: Query, s?: AbortSignal) => getJson<T.Sample>(`t/${id}/sample`, q, s, Priority.sight),
	history: (query: Query, s?: AbortSignal) => getJson<T.History>("history", query, s),
	historySeries: (id: string, query: Query, s?: AbortSignal) => getJson<{ points: [run: number, value: number, count: number][] }>("history/series", { id, ...query }, s),
	query: (id: number, sql: string, s?: AbortSignal) => getJson<T.QueryResult>(`t/${id}/query`, { sql }, s),
	grid: (id: number, q: Query, s?: AbortSignal) => getJson<T.Grid>(`t/${id}/grid`, q, s),
	noc: (id: number, q: Query, s?: AbortSignal) => getJson<T.Noc>(`t/${id}/noc`, q, s),
	sourceCost: (id: number, q: Query, s?: AbortSignal) => getJson<T.SourceCost>(`t/${id}/source_cost`, q, s),
	search: (id: number, q: string, s?: AbortSignal) => getJson<{ rows: T.SearchRow[]; messages_looked_at?: number }>(`t/${id}/search`, { q, limit: 50 }, s),
	overview: (id: number, s?: AbortSignal) => getJson<T.Overview>(`t/${id}/overview`, {}, s).then((o) => fullOverview(id, o)),
	compare: (q: Query, s?: AbortSignal) => getJson<T.Page<T.CompareRow>>("compare", q, s),
	compareTree: (what: "flame" | "stacks", q: Query, s?: AbortSignal) => getJson<T.ChangeTree>(`compare/${what}`, q, s),
	compareHist: (q: Query, s?: AbortSignal) => getJson<{ a: T.Hist; b: T.Hist }>("compare/hist", q, s),
	source: (id: number, name: number, s?: AbortSignal) =>
		getJson<{ file: string; line: number; text: string[]; first: number }>(`t/${id}/source`, { name }, s),
};
