// SPDX-License-Identifier: Apache-2.0
// The first page: what the trace is, where the time went, what is wrong, what to do.
import type { ComponentChildren } from "preact";
import { api } from "../api";
import { boundHint, boundName, causeWords, fmtCount, fmtDur, fmtPct, fmtShort, shortName, shortOp } from "../format";
import { namesVersion, sourceOf } from "../names";
import { entry, generation, go, meta, range, showOnTimeline, traceId } from "../state";
import type { Meta, Overview, TopOp, TopZone, Warning } from "../types";
import { Icon } from "../ui/icons";
import { useLoad } from "../ui/load";
import { WholeTrace } from "../ui/section";
import { unevenWords } from "../uneven";
import { ChipGrid } from "./cores";

function Card({ title, more, children }: { title: string; more?: ComponentChildren; children: ComponentChildren }) {
	return <section class="card"><header><h2>{title}</h2>{more}</header>{children}</section>;
}

function Facts({ m, o }: { m: Meta; o: Overview | null }) {
	const e = entry.value;
	const ops = o?.bound_mix.reduce((a, b) => a + b.ops, 0) ?? 0;
	const list: [string, string][] = [[fmtDur(m.duration), "recorded"], [fmtShort(m.zones), m.zones === 1 ? "zone" : "zones"], [String(m.processes.length), m.processes.length === 1 ? "process" : "processes"],
		[String(m.tracks.filter((t) => t.kind === "thread").length), m.tracks.filter((t) => t.kind === "thread").length === 1 ? "thread" : "threads"]];
	if (m.devices.length)
		list.push([String(m.devices.length), m.devices.length === 1 ? "device" : "devices"]);
	if (ops)
		list.push([fmtShort(ops), ops === 1 ? "op" : "ops"]);
	if (m.signposts.length)
		list.push([fmtCount(m.signposts.length), m.signposts.length === 1 ? "signpost" : "signposts"]);
	return (
		<div class="facts-row">
			{list.map(([v, t]) => <div key={t}><b>{v}</b><span>{t}</span></div>)}
			{e?.start_realtime && <div class="when"><b>{e.start_realtime.replace("T", " ").replace(/(\.\d+)?Z$/, "")}</b><span>UTC, start</span></div>}
		</div>
	);
}

interface WarningGroup {
	text: string;
	first: Warning;
	/** From the first one to the last. */
	t0: number;
	t1: number;
}

/** A full buffer causes a warning on hundreds of tracks: losses with the same reason share one line. */
export function groupWarnings(list: Warning[], trackName: (id: number) => string): WarningGroup[] {
	const groups = new Map<string, Warning[]>();
	for (const w of list) {
		const key = w.reason !== undefined ? w.kind + w.reason : w.kind + w.text + (w.t ?? "");
		groups.set(key, [...groups.get(key) ?? [], w]);
	}
	return [...groups.values()].map((g) => {
		const first = g[0], times = g.flatMap((w) => w.t === undefined ? [] : [w.from ?? w.t, w.t]);
		const lost = g.reduce((a, w) => a + (w.lost ?? 0), 0);
		const tracks = new Set(g.map((w) => w.track)).size;
		const where = tracks > 1 ? `${tracks} tracks` : first.track === undefined ? "" : trackName(first.track);
		const text = first.reason === undefined || first.kind === "absent" && g.length === 1 ? first.text : first.kind === "absent" ? `${fmtCount(lost)} processes were not recorded: ${first.reason}` : `${fmtCount(lost)} ${first.kind === "drop" ? "markers" : "events"} lost: ${first.reason}${where ? `, ${where}` : ""}`;
		return { text, first, t0: Math.min(...times), t1: Math.max(...times) };
	});
}

const FEW = 8;

export function Warnings({ list }: { list: Warning[] }) {
	if (list.length === 0)
		return null;
	const show = (g: WarningGroup) => {
		const room = Math.max(1e4, (g.t1 - g.t0) / 4);
		showOnTimeline(g.t0 - room, g.t1 + room);
		if (g.first.track !== undefined)
			go("timeline", { track: g.first.track });
	};
	const lines = groupWarnings(list, (id) => meta.value?.tracks.find((t) => t.id === id)?.name ?? "").map((g, i) => (
		<li key={i}><Icon name="warn" size={14} /> <span>{g.text}</span>{g.first.t !== undefined && <button class="link" onClick={() => show(g)}>show</button>}</li>
	));
	return (
		<div class="warnings">
			<ul aria-label="Warnings">{lines.slice(0, FEW)}</ul>
			{lines.length > FEW && <details><summary>{lines.length - FEW} more</summary><ul>{lines.slice(FEW)}</ul></details>}
		</div>
	);
}

/** Shows the op in its table. This page covers the whole trace, so the op may be outside the range. */
function openOp(id: string | number): void {
	range.value = null;
	go("ops", { id });
}

interface TopRow {
	text: string;
	/** Distinguishes it from another one of the same name. */
	source: string;
	count: number;
	ns: number;
	/** Lock waits, which are not in NS. */
	wait: number;
	open: () => void;
}

function Top({ rows }: { rows: TopRow[] }) {
	const max = rows.reduce((a, r) => Math.max(a, r.ns), 1);
	return (
		<ul class="top-list">
			{rows.map((r, i) => (
				<li key={i}>
					<span class="top-bar" style={{ width: `${100 * r.ns / max}%` }} />
					<span class="top-name"><button class="link" title={r.text} onClick={r.open}>{shortName(r.text)}</button>{r.source && <span class="dim"> {r.source}</span>}{worthTelling(r.wait, r.ns + r.wait) && <span class="dim" title="lock waits are not part of the self time"> waits {fmtDur(r.wait)}</span>}</span>
					<span class="dim num">{fmtCount(r.count)} ×</span>
					<span class="num">{fmtDur(r.ns)}</span>
				</li>
			))}
		</ul>
	);
}

function zoneRows(list: Overview["top_zones"]): TopRow[] {
	return list.map((z) => ({ text: z.text, source: list.some((k) => k !== z && k.text === z.text) ? sourceOf(z.name) : "", count: z.count, ns: z.self, wait: z.wait, open: () => go("statistics", { name: z.name }) }));
}

function Advice({ o }: { o: Overview }) {
	const savings = (o.savings ?? []).filter((a) => a.saves_us > 0); // without times there is nothing to save
	if (o.advice.length === 0 && savings.length === 0)
		return null;
	const rows = o.advice.length
		? o.advice.map((a) => ({ text: a.text, ops: a.ops, op: a.op }))
		: savings.map((a) => ({ text: `${a.text} (saves up to ${fmtDur(a.saves_us * 1000)})`, ops: a.ops, op: "" }));
	return (
		<Card title="What to change">
			<ol class="advice">{rows.map((a, i) => <li key={i}>{a.text} <span class="dim">{fmtCount(a.ops)} {a.ops === 1 ? "op" : "ops"}</span> {a.op && <button class="link" onClick={() => openOp(a.op)}>show</button>}</li>)}</ol>
		</Card>
	);
}

/** Why an op takes as long as it does. */
export function reason(t: TopOp): string {
	const dram = t.dram_pct !== null ? fmtPct(t.dram_pct) : "–", flops = t.flops_pct !== null ? fmtPct(t.flops_pct) : "–";
	switch (t.bound) {
	case "DRAM": return `DRAM limits it: ${dram} of the peak bandwidth, ${flops} of the arithmetic.`;
	case "FLOP": return `Arithmetic limits it: ${flops} of the peak, ${dram} of the DRAM bandwidth.`;
	case "BOTH": return `DRAM (${dram}) and arithmetic (${flops}) are both near their peaks.`;
	case "SLOW": return `Neither DRAM (${dram} of its peak) nor arithmetic (${flops}) is busy: it is slow for another reason.`;
	case "HOST": return "It runs on the host, not on the device.";
	default: return `Its bound is unknown${t.cores !== null ? `; it uses ${fmtCount(t.cores)} ${t.cores === 1 ? "core" : "cores"}` : ""}.`;
	}
}

/** Where the host's time goes, if the host dominates. */
function hostWords(z: TopZone, o: Overview): ComponentChildren {
	return <><button class="link" onClick={() => go("statistics", { name: z.name })}>{shortName(z.text)}</button> takes <b>{fmtPct(100 * z.self / o.host_self, 0)}</b> of the time of the host's zones by itself: {fmtDur(z.self)} in {fmtCount(z.count)} {z.count === 1 ? "zone" : "zones"}</>;
}

/** Waits below one percent of the time are not reported. */
function worthTelling(wait: number, whole: number): boolean {
	return wait > 0 && wait >= whole / 100;
}

/** Lock waits are not work: they are reported separately. */
function waitWords(o: Overview): ComponentChildren {
	const z = o.top_wait;
	return z && worthTelling(o.host_wait, o.host_self) ? <>Threads wait for <button class="link" onClick={() => go("statistics", { tab: "locks" })}>locks</button> for <b>{fmtPct(100 * o.host_wait / o.host_self, 0)}</b> of the time of the host's zones: {fmtDur(o.host_wait)}, {z.wait < o.host_wait ? <>{fmtDur(z.wait)} of it</> : "all of it"} in <button class="link" onClick={() => go("statistics", { name: z.name })}>{shortName(z.text)}</button>.</> : null;
}

/** The same for a trace without ops. */
function HostVerdict({ o }: { o: Overview }) {
	const z = o.top_zones[0], waits = waitWords(o);
	const work = z && z.self > 0 ? <>{hostWords(z, o)}{z.count > 1 ? `, ${fmtDur(z.self / z.count)} on average; the longest took ${fmtDur(z.max)}${z.wait > 0 ? " including waits" : ""}` : ""}.</> : null;
	if (!work && !waits)
		return null;
	const lines = o.host_wait > (z?.self ?? 0) ? [waits, work] : [work, waits];
	return (
		<section class="card verdict" data-testid="verdict">
			<p class="verdict-head">{lines[0]}</p>
			{lines[1] && <p>{lines[1]}</p>}
		</section>
	);
}

/** Only a trace has it, an ops report has not. */
function Cores({ trace, t }: { trace: number; t: TopOp }) {
	const l = useLoad(`${trace}|${t.longest}|${generation.value}`, (s) => api.op(trace, String(t.longest), s));
	const words = unevenWords(l.data);
	return words ? <><dt>cores</dt><dd>{words}</dd></> : null;
}

/** Which op is slow, why, and what to do: the most common question. */
function Verdict({ o, recorded }: { o: Overview; recorded?: number }) {
	const t = o.top_ops[0], host = o.top_zones[0];
	if (!t || t.time_us <= 0)
		return <HostVerdict o={o} />;
	const part = recorded ? (o.total_us ?? 0) * 1e5 / recorded : 100;
	const time = o.bound_mix.reduce((a, b) => a + b.time_us, 0), gaps = Math.max(0, (o.total_us ?? time) - time);
	return (
		<section class="card verdict" data-testid="verdict">
			<p class="verdict-head"><button class="link" onClick={() => openOp(t.longest)}>{t.code}</button> takes <b>{fmtPct(t.pct, 0)}</b> of the time of the ops: {fmtDur(t.time_us * 1000)} in {fmtCount(t.ops)} {t.ops === 1 ? "op" : "ops"}.</p>
			<dl>
				<dt>why</dt><dd>{reason(t)}</dd>
				<Cores trace={o.trace} t={t} />
				{t.advice[0] && <><dt>try</dt><dd>{t.advice[0]}</dd></>}
				{gaps > 0 && time > 0 && <><dt>{gaps > time ? "and" : "gaps"}</dt><dd>{gaps > time ? "The device waits longer than it works: " : ""}{fmtDur(gaps * 1000)} between ops, {fmtDur(time * 1000)} in them.</dd></>}
				{part < 50 && host && host.self > 0 && <><dt>host</dt><dd>Ops and gaps are {part < 0.1 ? "less than 0.1 %" : fmtPct(part)} of what was recorded. {hostWords(host, o)}. {waitWords(o)}</dd></>}
			</dl>
		</section>
	);
}

function SlowOps({ rows }: { rows: TopOp[] }) {
	const max = rows.reduce((a, r) => Math.max(a, r.time_us), 1e-9);
	return (
		<ul class="top-list ops">
			{rows.map((t) => (
				<li key={t.code + t.longest}>
					<span class="top-bar" style={{ width: `${100 * t.time_us / max}%` }} />
					<button class="link" title={`${t.code}\n${reason(t)}`} onClick={() => openOp(t.longest)}>{shortOp(t.code)}</button>
					<span class={"bound-" + (t.bound || "none").toLowerCase()}>{t.bound}</span>
					<span class="dim num">{fmtCount(t.ops)} ×</span>
					<span class="num">{fmtDur(t.time_us * 1000)}</span>
					<span class="dim num">{fmtPct(t.pct, 0)}</span>
				</li>
			))}
		</ul>
	);
}

function Gaps({ o }: { o: Overview }) {
	return (
		<Card title="Largest gaps between ops">
			<ul class="gap-list">{o.gaps.map((g, i) => {
				const { t0, t1 } = g;
				return <li key={i}><button class="link" onClick={() => t0 != null && t1 != null ? showOnTimeline(t0, t1) : openOp(g.row)}>{fmtDur(g.gap_us * 1000)}</button> <span class="dim">before {g.before}, device {g.device}{t0 != null ? `, at ${fmtDur(t0)}` : ""}{t0 != null && t1 != null && t1 - t0 > 2000 * g.gap_us ? `; ${fmtDur(t1 - t0)} on the host's clock` : ""}{g.causes && g.causes.length > 0 ? `: ${causeWords(g.causes)}` : ""}</span></li>;
			})}</ul>
		</Card>
	);
}

function Device({ m, o, device }: { m: Meta; o: Overview; device: number }) {
	const id = traceId.value as number;
	const d = m.devices.find((e) => e.device === device);
	const f = o.devices.find((e) => e.device === device);
	const g = useLoad([id, device, generation.value].join("|"), (s) => api.grid(id, { dev: device, metric: "kernel", agg: "sum" }, s));
	return (
		<div class="device-card">
			<div>
				<h3>Device {device} {d?.arch}</h3>
				<dl class="facts">
					{f && f.ops > 0 && <><dt>ops</dt><dd>{fmtCount(f.ops)}</dd><dt>device time</dt><dd>{fmtDur(f.time_us * 1000)}</dd><dt title="the share of its time in which a core runs a kernel on any of its RISCs, the mean of all cores">busy</dt><dd>{fmtPct(f.busy_pct)}</dd></>}
					{g.data?.imbalance != null && <><dt>imbalance</dt><dd>{g.data.imbalance.toFixed(2)}</dd></>}
					<dt>clock</dt><dd class={d && d.bound_ns !== null ? "" : "warn"}>{d && d.bound_ns !== null ? `±${fmtDur(d.bound_ns)}` : "not synchronised"}</dd>
				</dl>
				<button class="link" onClick={() => go("cores")}>open the map</button>
			</div>
			{g.data && <ChipGrid grid={g.data} device={device} small />}
		</div>
	);
}

/** Times of the ops; an ops report without a trace has them too. */
function OpCards({ d }: { d: Overview }) {
	return (
		<>
			{d.top_ops.length > 0 && <Card title="Slowest ops" more={<button class="link" onClick={() => go("ops")}>all</button>}><SlowOps rows={d.top_ops} /></Card>}
			{d.bound_mix.some((b) => b.pct > 0) && <Card title="What bounds the ops"><ul class="mix-list">{[...d.bound_mix].filter((b) => b.pct > 0).sort((a, b) => b.pct - a.pct).map((b) => <li key={b.bound} title={boundHint(b.bound)}><span>{boundName(b.bound)}</span><span class="share-bar"><span style={{ width: `${b.pct}%` }} /></span><span class="num">{fmtPct(b.pct)}</span></li>)}</ul></Card>}
		</>
	);
}

/** The first page of an ops report. */
export function OpsOverview() {
	const id = traceId.value as number;
	const o = useLoad(String(id), (s) => api.overview(id, s));
	const d = o.data;
	return (
		<div class="page overview">
			<h1>{entry.value?.name}</h1>
			{d && <div class="facts-row">{d.devices.map((v) => <div key={v.device}><b>{fmtDur(v.time_us * 1000)}</b><span>{fmtCount(v.ops)} {v.ops === 1 ? "op" : "ops"} on device {v.device}</span></div>)}</div>}
			<p class="dim">This is a table of ops: there are <button class="link" onClick={() => go("ops")}>Ops</button> and <button class="link" onClick={() => go("compare")}>Compare</button>, but no timeline.</p>
			{o.error && <p class="note bad" role="alert">{o.error}</p>}
			{d && <Verdict o={d} />}
			{d && <Advice o={d} />}
			{d && <div class="cards"><OpCards d={d} />{d.gaps.length > 0 && <Gaps o={d} />}</div>}
		</div>
	);
}

export function OverviewPage() {
	namesVersion.value;
	const m = meta.value, id = traceId.value;
	const o = useLoad(id === null || !m ? null : `${id}|${generation.value}`, (s) => api.overview(id as number, s));
	if (!m)
		return <div class="page"><p class="dim">{entry.value === null ? "No trace." : "Opening…"}</p></div>;
	const d = o.data;
	const warnings = [...m.warnings, ...(d?.warnings ?? []).filter((w) => !m.warnings.some((v) => v.text === w.text))];
	return (
		<div class="page overview">
			<h1>{m.name}</h1>
			<Facts m={m} o={d} />
			<WholeTrace />
			<Warnings list={warnings} />
			{o.error && <p class="note bad" role="alert">{o.error}</p>}
			{m.zones === 0 && m.processes.length === 0 && !entry.value?.live && <p class="note">Nothing was recorded: no program that links libtacho ran, and no Python under “python -m tracy”.</p>}
			{m.zones === 0 && m.has.messages && !entry.value?.live && <p class="note">This trace has no zones, only <button class="link" onClick={() => go("messages")}>messages</button>.</p>}
			{m.zones === 0 && m.rows === 0 && m.processes.length > 0 && !entry.value?.live && <p class="note">The program ran, but recorded nothing.</p>}
			{d && <Verdict o={d} recorded={m.duration} />}
			{d && <Advice o={d} />}
			{d && (
				<div class="cards">
					<OpCards d={d} />
					{d.top_zones.length > 0 && <Card title="Host zones by self time" more={<button class="link" onClick={() => go("statistics")}>all</button>}><Top rows={zoneRows(d.top_zones)} /></Card>}
					{d.top_kernels.length > 0 && <Card title={m.devices.length ? "Zones of the cores by self time" : "Zones of the GPU by self time"} more={<button class="link" onClick={() => go("statistics")}>all</button>}><Top rows={zoneRows(d.top_kernels)} /></Card>}
					{m.devices.length > 0 && <Card title={m.devices.length === 1 ? "Device" : "Devices"}>{m.devices.slice(0, 8).map((e) => <Device key={e.device} m={m} o={d} device={e.device} />)}</Card>}
					{d.gaps.length > 0 && <Gaps o={d} />}
					{m.processes.length > 0 && <Card title="Processes"><ul class="gap-list">{m.processes.map((p) => <li key={p.id}><b>{p.name}</b> <span class="dim">pid {p.pid}{p.exit !== null ? `, exit ${p.exit}` : ""}{p.command ? ` · ${p.command}` : ""}</span></li>)}</ul></Card>}
				</div>
			)}
		</div>
	);
}
