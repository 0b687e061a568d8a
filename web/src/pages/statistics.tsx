// SPDX-License-Identifier: Apache-2.0
// Where the time went: zones by name, a histogram and the instances of one, the flame graph.
import { useRef, useState } from "preact/hooks";
import { api, type Query, url } from "../api";
import { baseName, fmtCount, fmtDur, fmtPct, fmtTime, shortName, wordsTake } from "../format";
import { nameOf, nameRow, namesVersion } from "../names";
import { duration, generation, go, litName, meta, params, range, rangeQuery, setParam, showOnTimeline, traceId } from "../state";
import type { FlameNode, Group, Instance, LockRow, StatRow } from "../types";
import { SamplesTab } from "./samples";
import { ExportLinks, Filter } from "../ui/filter";
import { Flame } from "../ui/flame";
import { Histogram } from "../ui/histogram";
import { lockName } from "../timeline/locks";
import { useLoad } from "../ui/load";
import { Icon } from "../ui/icons";
import { SectionSelect } from "../ui/section";
import { trackQuery, TrackSelect } from "../ui/tracks";
import { Share } from "../ui/share";
import { type Column, DataTable } from "../ui/table";

function rangeKey(): string {
	const r = range.value;
	return `${traceId.value}|${r?.t0 ?? ""}|${r?.t1 ?? ""}|${params.value.of ?? ""}`;
}

/** Range and tracks. */
function filterQuery(): Query {
	return { ...rangeQuery(), ...trackQuery() };
}

/** RECURSION: some total is less than the sum of its instances. */
function columns(whole: number, locks: boolean, recursion: boolean): Column<StatRow>[] {
	const list: Column<StatRow>[] = [
		{ key: "name", title: "Zone", width: "minmax(130px, 2fr)", sort: "name", render: (r) => <span title={`${r.text}\n${r.file}:${r.line}`}>{shortName(r.text)}</span> },
		{ key: "share", title: "Self %", width: "100px", hint: "share of the self time in the range; lock waits are in a lighter colour", render: (r) => <Share pct={100 * r.self / whole} more={100 * r.wait / whole} /> },
		{ key: "total", title: "Total", width: "78px", num: true, sort: "total", hint: "with children; a function that calls itself counts once", render: (r) => fmtDur(r.total) },
		{ key: "self", title: "Self", width: "78px", num: true, sort: "self", hint: "without children and without lock waits", render: (r) => fmtDur(r.self) },
		{ key: "wait", title: "Waiting", width: "78px", num: true, sort: "wait", hint: "for locks, without children", render: (r) => r.wait > 0 ? fmtDur(r.wait) : "" },
		{ key: "count", title: "Count", width: "70px", num: true, sort: "count", render: (r) => fmtCount(r.count) },
		{ key: "sum", title: "Sum", width: "78px", num: true, sort: "sum", hint: "of all instances: count times mean; more than the total where a function calls itself", render: (r) => fmtDur(r.sum) },
		{ key: "mean", title: "Mean", width: "76px", num: true, sort: "mean", render: (r) => fmtDur(r.mean) },
		{ key: "median", title: "Median", width: "76px", num: true, sort: "median", render: (r) => fmtDur(r.median) },
		{ key: "p99", title: "P99", width: "76px", num: true, sort: "p99", render: (r) => fmtDur(r.p99) },
		{ key: "sigma", title: "σ", width: "76px", num: true, hint: "standard deviation", render: (r) => fmtDur(r.sigma) },
		{ key: "min", title: "Min", width: "76px", num: true, sort: "min", render: (r) => fmtDur(r.min) },
		{ key: "max", title: "Max", width: "76px", num: true, sort: "max", render: (r) => fmtDur(r.max) },
		{ key: "file", title: "Source", width: "minmax(90px, 1fr)", render: (r) => <span class="dim" title={`${r.file}:${r.line}`}>{r.file ? `${baseName(r.file)}:${r.line}` : ""}</span> },
	];
	return list.filter((c) => (locks || c.key !== "wait") && (recursion || c.key !== "sum"));
}

function ZoneTable({ narrow }: { narrow: boolean }) {
	const id = traceId.value as number;
	const q = params.value.q ?? "", sort = params.value.sort ?? "self", desc = params.value.desc !== "0";
	const [selfSum, setSelfSum] = useState(1);
	const [recursion, setRecursion] = useState(sort === "sum");
	const all = columns(selfSum, meta.value?.has.locks ?? false, recursion);
	const list = narrow ? all.filter((c) => ["name", "share", "total", "self", "wait", "count"].includes(c.key)) : all;
	return (
		<DataTable<StatRow> label="Zones by name" columns={list} deps={[rangeKey(), q, sort, desc].join("|")} gen={generation.value} sort={sort} desc={desc}
			onSort={(k, d) => {
				setParam("sort", k);
				setParam("desc", d ? null : "0");
			}}
			load={async (offset, limit, signal) => {
				const r = await api.stats(id, { ...filterQuery(), q, sort, desc, offset, limit }, signal);
				if (offset === 0)
					setSelfSum(Math.max(1, r.self_total));
				if (r.rows.some((k) => k.sum > k.total * (1 + 1e-9)))
					setRecursion(true);
				return r;
			}}
			selected={(r) => String(r.name) === params.value.name}
			onRow={(r) => setParam("name", params.value.name === String(r.name) ? null : r.name)}
			empty={q ? "No zone matches the filter." : "No zones in this range."} />
	);
}

function Figures({ h }: { h: { count: number; mean: number; median: number; sigma: number; min: number; max: number; p75: number; p90: number; p99: number; p999: number } }) {
	const list: [string, string][] = [["count", fmtCount(h.count)], ["mean", fmtDur(h.mean)], ["median", fmtDur(h.median)], ["σ", fmtDur(h.sigma)], ["CV", fmtPct(100 * h.sigma / Math.max(1e-9, h.mean))],
		["min", fmtDur(h.min)], ["p75", fmtDur(h.p75)], ["p90", fmtDur(h.p90)], ["p99", fmtDur(h.p99)], ["p99.9", fmtDur(h.p999)], ["max", fmtDur(h.max)]];
	return <dl class="figure-list">{list.map(([k, v]) => <div key={k}><dt>{k}</dt><dd>{v}</dd></div>)}</dl>;
}

interface Lengths {
	d0: number;
	d1: number;
	self: boolean;
}

function Instances({ name, lengths, onAll }: { name: number; lengths: Lengths | null; onAll: () => void }) {
	const id = traceId.value as number;
	const group = params.value.group ?? "none", sort = params.value.isort ?? "duration", desc = params.value.idesc !== "0";
	const track = (t: number) => meta.value?.tracks.find((k) => k.id === t)?.name ?? String(t);
	const choose = (
		<label>group by <select value={group} onChange={(e) => setParam("group", e.currentTarget.value === "none" ? null : e.currentTarget.value)}>
			{[["none", "nothing"], ["track", "thread"], ["parent", "parent"], ["text", "text"]].map(([v, t]) => <option key={v} value={v}>{t}</option>)}
		</select></label>
	);
	const onSort = (k: string, d: boolean) => {
		setParam("isort", k);
		setParam("idesc", d ? null : "0");
	};
	const key = [rangeKey(), name, group, sort, desc, lengths?.d0, lengths?.d1, lengths?.self].join("|");
	const keyText = (g: Group) => g.track !== undefined ? track(g.track) : g.name !== undefined ? shortName(nameOf(g.name)) : g.key || "–";
	return (
		<section class="instances">
			<header><h3>Instances{lengths && <> <span class="dim">{fmtDur(lengths.d0)} … {fmtDur(lengths.d1)}{lengths.self ? ", self" : ""}</span> <button class="link" onClick={onAll}>all</button></>}</h3>{choose}</header>
			{group === "none"
				? <DataTable<Instance> key="instances" label="Instances" deps={key} gen={generation.value} sort={sort} desc={desc} onSort={onSort}
					load={(offset, limit, s) => api.instances(id, { name, ...filterQuery(), ...lengths, sort, desc, offset, limit }, s)}
					onRow={(r) => showOnTimeline(r.start, r.start + r.duration, { kind: "zone", lane: r.lane, idx: r.idx })}
					columns={[
						{ key: "start", title: "Start", width: "minmax(130px, 1fr)", num: true, sort: "start", render: (r) => fmtTime(r.start) },
						{ key: "duration", title: "Duration", width: "90px", num: true, sort: "duration", render: (r) => fmtDur(r.duration) },
						{ key: "self", title: "Self", width: "90px", num: true, render: (r) => fmtDur(r.self) },
						{ key: "track", title: "Thread", width: "minmax(80px, 1fr)", render: (r) => <span title={track(r.track)}>{track(r.track)}</span> },
						{ key: "text", title: "Text", width: "minmax(60px, 1fr)", render: (r) => r.text ?? "" },
					]} />
				: <DataTable<Group> key="groups" label="Groups of instances" deps={key} gen={generation.value}
					load={async (offset, limit, s) => {
						const r = await api.instances(id, { name, ...filterQuery(), ...lengths, group, offset, limit }, s);
						const rows = r.groups ?? (r.rows as unknown as Group[]);
						return { rows, total: r.total ?? rows.length };
					}}
					columns={[
						{ key: "key", title: group === "track" ? "Thread" : group === "parent" ? "Parent" : "Text", width: "minmax(120px, 1fr)", render: keyText },
						{ key: "count", title: "Count", width: "90px", num: true, render: (g) => fmtCount(g.count) },
						{ key: "sum", title: "Sum", width: "100px", num: true, hint: "of all instances, also of those inside others", render: (g) => fmtDur(g.sum) },
						{ key: "mean", title: "Mean", width: "100px", num: true, render: (g) => fmtDur(g.sum / Math.max(1, g.count)) },
					]} />}
		</section>
	);
}

function Detail({ name }: { name: number }) {
	const id = traceId.value as number;
	const [logTime, setLogTime] = useState(true);
	const [logCount, setLogCount] = useState(false);
	const [cumulate, setCumulate] = useState(false);
	const [self, setSelf] = useState(false);
	const [lengths, setLengths] = useState<Lengths | null>(null);
	const h = useLoad([rangeKey(), name, logTime, self, generation.value].join("|"), (s) => api.hist(id, { name, ...filterQuery(), bins: 80, self, log: logTime }, s));
	const row = nameRow(name);
	const check = (text: string, v: boolean, set: (v: boolean) => void) => <label class="check"><input type="checkbox" checked={v} onChange={(e) => set(e.currentTarget.checked)} /> {text}</label>;
	return (
		<aside class="detail" aria-label="One zone" data-testid="zone-detail">
			<header>
				<h2 title={nameOf(name)}>{shortName(nameOf(name))}</h2>
				<button class="icon-button" aria-label="Close" onClick={() => setParam("name", null)}><Icon name="close" /></button>
			</header>
			{row?.[2] && <p class="where">{row[2]}:{row[3]}</p>}
			<div class="options">
				{check("log time", logTime, setLogTime)}{check("log count", logCount, setLogCount)}{check("cumulate", cumulate, setCumulate)}{check("self time", self, (v) => {
					setSelf(v);
					setLengths(null);
				})}
				<button onClick={() => {
					litName.value = name;
					go("timeline");
				}}>Highlight on the timeline</button>
				<button onClick={() => setParam("tab", "flame")}>Callers and calls</button>
			</div>
			{h.error && <p class="note bad" role="alert">{h.error}</p>}
			{h.data && <><Histogram series={[{ hist: h.data, className: "bar", label: "" }]} options={{ logCount, cumulate, logTime }} chosen={lengths && [lengths.d0, lengths.d1]}
				onChoose={(r) => setLengths(r && { d0: Math.floor(r[0]), d1: Math.ceil(r[1]), self })} /><Figures h={h.data} /></>}
			<Instances name={name} lengths={lengths} onAll={() => setLengths(null)} />
		</aside>
	);
}

const FLAME_VIEWS: [string, string, string][] = [["down", "Top-down", "from the outermost zones to the innermost"], ["up", "Bottom-up", "from the zones that take the time to their callers"]];

/** One zone between its callers and what it calls. */
function Around({ name }: { name: number }) {
	const id = traceId.value as number;
	const key = [rangeKey(), name, generation.value].join("|");
	const callers = useLoad("callers" + key, (s) => api.flame(id, { ...filterQuery(), name, up: true, limit: 2000 }, s));
	const calls = useLoad("calls" + key, (s) => api.flame(id, { ...filterQuery(), name, limit: 2000 }, s));
	const error = callers.error ?? calls.error;
	const open = (n: FlameNode) => n.name >= 0 && setParam("name", n.name);
	const named = (root: FlameNode): FlameNode => ({ ...root, label: shortName(nameOf(name)) });
	return (
		<div class="scroll" data-testid="around">
			<p><button class="link" onClick={() => setParam("name", null)}>all zones</button> › <b>{shortName(nameOf(name))}</b>{calls.data && <> {fmtDur(calls.data.root.total)}, self {fmtDur(calls.data.root.self)}, {fmtCount(calls.data.root.count)} {calls.data.root.count === 1 ? "zone" : "zones"}</>}</p>
			{error && <p class="note bad" role="alert">{error}</p>}
			<h3>Called by</h3>
			{callers.data && <Flame root={named(callers.data.root)} onOpen={open} />}
			<h3>Calls</h3>
			{calls.data && <Flame root={named(calls.data.root)} onOpen={open} />}
		</div>
	);
}

function FlameTab() {
	const id = traceId.value as number;
	const up = params.value.view === "up", name = params.value.name;
	const f = useLoad(name !== undefined ? null : [rangeKey(), up, generation.value].join("|"), (s) => api.flame(id, { ...filterQuery(), up: up || undefined, limit: 2000 }, s));
	return (
		<section class="samples">
			<div class="options">
				{FLAME_VIEWS.map(([key, title, hint]) => <button key={key} title={hint} aria-pressed={name === undefined && up === (key === "up")} onClick={() => {
					setParam("name", null);
					setParam("view", key === "up" ? "up" : null);
				}}>{title}</button>)}
				<span class="dim">A click zooms; a second one shows the zone between its callers and what it calls.</span>
			</div>
			{f.error && <p class="note bad" role="alert">{f.error}</p>}
			{name !== undefined ? <Around name={+name} /> : f.data ? <Flame root={f.data.root} find={params.value.q} onOpen={(n) => n.name >= 0 && setParam("name", n.name)} /> : !f.error && <p class="note dim">…</p>}
		</section>
	);
}

const LOCK_SORTS: Record<string, (r: LockRow) => number | string> = {
	name: lockName, waits: (r) => r.waits, wait: (r) => r.wait_total, max: (r) => r.max_wait, holds: (r) => r.holds, hold: (r) => r.hold_total, hmax: (r) => r.max_hold, threads: (r) => r.threads,
};

function LockTab() {
	const id = traceId.value as number;
	const { q = "", lsort = "wait" } = params.value;
	const desc = params.value.ldesc !== "0";
	const all = useLoad([rangeKey(), generation.value].join("|"), (s) => api.locks(id, rangeQuery(), s));
	const process = (track: number) => meta.value?.processes.find((p) => p.id === meta.value?.tracks.find((t) => t.id === track)?.process);
	const owner: Column<LockRow> = { key: "process", title: "Process", width: "minmax(120px, 1fr)", render: (r) => `${process(r.track)?.name ?? ""} (${process(r.track)?.pid ?? "?"})` };
	const key = LOCK_SORTS[lsort] ?? LOCK_SORTS.wait;
	const rows = (all.data?.rows ?? []).filter((r) => wordsTake(q, `${lockName(r)} ${r.file}`)).map((r) => [key(r), r] as const)
		.sort(([x], [y]) => (x > y ? 1 : x < y ? -1 : 0) * (desc ? -1 : 1)).map(([, r]) => r);
	const answer = useRef({ data: all.data, number: 0 });
	if (answer.current.data !== all.data)
		answer.current = { data: all.data, number: answer.current.number + 1 };
	if (all.error)
		return <p class="note bad" role="alert">{all.error}</p>;
	if (!all.data)
		return <p class="note dim">…</p>;
	return (
		<DataTable<LockRow> label="Locks" deps={[id, q, lsort, desc].join("|")} gen={answer.current.number}
			load={async (offset, limit) => ({ rows: rows.slice(offset, offset + limit), total: rows.length })}
			sort={lsort} desc={desc} onSort={(k, d) => {
				setParam("lsort", k);
				setParam("ldesc", d ? null : "0");
			}}
			onRow={(r) => go("timeline", { track: r.track })}
			columns={[
				{ key: "name", title: "Lock", width: "minmax(140px, 1fr)", sort: "name", render: (r) => <span title="show on the timeline">{lockName(r)}</span> },
				...((meta.value?.processes.length ?? 0) > 1 ? [owner] : []),
				{ key: "file", title: "Source", width: "minmax(110px, 1fr)", render: (r) => <span class="dim" title={`${r.file}:${r.line}`}>{r.file ? `${baseName(r.file)}:${r.line}` : ""}</span> },
				{ key: "waits", title: "Waits", width: "74px", num: true, sort: "waits", render: (r) => fmtCount(r.waits) },
				{ key: "wait", title: "Waited", width: "84px", num: true, sort: "wait", hint: "by all threads together", render: (r) => fmtDur(r.wait_total) },
				{ key: "max", title: "Longest wait", width: "100px", num: true, sort: "max", render: (r) => fmtDur(r.max_wait) },
				{ key: "holds", title: "Holds", width: "74px", num: true, sort: "holds", render: (r) => fmtCount(r.holds) },
				{ key: "hold", title: "Held", width: "84px", num: true, sort: "hold", hint: "by all threads together", render: (r) => fmtDur(r.hold_total) },
				{ key: "hmax", title: "Longest hold", width: "100px", num: true, sort: "hmax", render: (r) => fmtDur(r.max_hold) },
				{ key: "threads", title: "Threads", width: "70px", num: true, sort: "threads", hint: "that used it at any time", render: (r) => fmtCount(r.threads) },
			]} empty={q ? "No lock matches the filter." : "This trace has no locks."} />
	);
}

const TABS: [string, string][] = [["zones", "Zones"], ["flame", "Flame graph"], ["samples", "Samples"], ["locks", "Locks"]];

export function StatisticsPage() {
	namesVersion.value;
	const tab = TABS.find((t) => t[0] === params.value.tab)?.[0] ?? "zones";
	const name = params.value.name !== undefined ? +params.value.name : null;
	if (traceId.value === null || !meta.value)
		return <div class="page" />;
	return (
		<div class="page fill">
			<header class="page-head">
				<h1>Statistics</h1>
				<div role="tablist" aria-label="Statistics" class="tabs">
					{TABS.filter((t) => (t[0] !== "locks" || meta.value?.has.locks) && (t[0] !== "samples" || meta.value?.has.samples)).map(([key, title]) => (
						<button key={key} role="tab" aria-selected={tab === key} onClick={() => setParam("tab", key === "zones" ? null : key)}>{title}</button>
					))}
				</div>
				<Filter />
				{tab !== "locks" && <TrackSelect />}<SectionSelect />
				<span class="spacer" />
				<span class="dim">{range.value ? `in ${fmtDur(range.value.t1 - range.value.t0)}` : `whole trace, ${fmtDur(duration.value)}`}</span>
				{tab === "zones" && <ExportLinks href={(fmt) => url(`t/${traceId.value}/export`, { fmt, what: "stats", ...filterQuery(), q: params.value.q })} />}
			</header>
			{tab === "flame" ? <FlameTab /> : tab === "samples" ? <SamplesTab filter={filterQuery() as Record<string, string | number | undefined>} /> : tab === "locks" ? <LockTab /> : (
				<div class={name === null ? "split" : "split two"}>
					<ZoneTable narrow={name !== null} />
					{name !== null && <Detail key={name} name={name} />}
				</div>
			)}
		</div>
	);
}
