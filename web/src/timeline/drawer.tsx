// SPDX-License-Identifier: Apache-2.0
// Details of the selected zone, op or lock span, with links to everything related.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { baseName, boundHint, causeWords, fmtCount, fmtDur, fmtPct, fmtTime, shortName } from "../format";
import { nameOf, nameRow, namesVersion } from "../names";
import { go, litName, meta, page, selection, setRange, showOnTimeline, traceId } from "../state";
import { Icon } from "../ui/icons";
import { useLoad } from "../ui/load";
import type { OpDetail, OpRow, ZoneBrief, ZoneDetail } from "../types";
import { unevenWords } from "../uneven";
import { spanStep } from "./input";
import { isQueue } from "./layout";
import { lockName, spanText } from "./locks";
import { askPath, PathView } from "./path";
import { lockSpan, op, path, selectError, zone } from "./select";
import { STATE_COLORS } from "./states";
import { threadTitle } from "./titles";
import { css } from "../theme";

function ZoneLink({ z, of }: { z: ZoneBrief; of: number }) {
	return (
		<li>
			<button class="link" onClick={() => { selection.value = { kind: "zone", lane: z.lane, idx: z.idx }; }}>{shortName(nameOf(z.name))}</button>
			<span class="num">{fmtDur(z.end - z.start)}</span>
			<span class="num dim">{fmtPct(of > 0 ? 100 * (z.end - z.start) / of : 0)}</span>
		</li>
	);
}

function Source({ name }: { name: number }) {
	const [lines, setLines] = useState<{ first: number; line: number; text: string[] } | null>(null);
	useEffect(() => {
		const a = new AbortController();
		setLines(null);
		if (traceId.value !== null && meta.value?.has.source)
			api.source(traceId.value, name, a.signal).then(setLines, () => undefined);
		return () => a.abort();
	}, [name]);
	const box = useRef<HTMLPreElement>(null);
	useEffect(() => {
		const hit = box.current?.querySelector<HTMLElement>(".hit");
		if (box.current && hit)
			box.current.scrollTop = hit.offsetTop - box.current.clientHeight / 2;
	}, [lines]);
	if (!lines)
		return null;
	return (
		<pre class="source" ref={box} tabIndex={0} aria-label="Source">
			{lines.text.map((t, i) => <div class={lines.first + i === lines.line ? "hit" : ""}><span>{lines.first + i}</span>{t}</div>)}
		</pre>
	);
}

function DeviceClock({ z }: { z: ZoneDetail }) {
	const t = meta.value?.tracks.find((k) => k.id === z.track);
	if (t?.kind !== "core" || isQueue(t))
		return null;
	const d = meta.value?.devices.find((e) => e.device === t.device);
	const text = !d || d.bound_ns === null ? "clock not synchronised" : `synchronised to ±${fmtDur(d.bound_ns)}`;
	return <><dt>device clock</dt><dd class={!d || d.bound_ns === null ? "warn" : ""}>{text}{d && d.mhz > 0 ? ` · ${fmtCount(z.duration * d.mhz / 1000)} cycles` : ""}</dd></>;
}

/** The op that a zone belongs to. Selecting it highlights its zones on every core. */
function OpOf({ op: id, call }: { op: string; call: string }) {
	const trace = traceId.value;
	const l = useLoad(trace === null ? null : `${trace}|${id}`, (s) => api.op(trace as number, id, s));
	const o = l.data?.op;
	return (
		<><dt>op</dt><dd>{o
			? <><button class="link" title="highlight its zones on every core" onClick={() => { selection.value = { kind: "op", id: o.id }; }}>{o.code}</button> <span class="dim">{call}{o.bound ? ` · ${o.bound}` : ""}{o.device_time_us !== null ? ` · ${fmtDur(o.device_time_us * 1000)} on the device` : ""}</span></>
			: call}</dd></>
	);
}

/** What the thread did during a zone, outside of zones inside it, and where: from samples. */
function Time({ z }: { z: ZoneDetail }) {
	const id = traceId.value, sampled = meta.value?.has.samples === true && id !== null;
	const key = sampled ? `${id}|${z.lane}|${z.idx}` : null;
	const inside = { lane: z.lane, idx: z.idx };
	const self = useLoad(key && "self" + key, (s) => api.states(id as number, { ...inside, self: 1 }, s));
	const stacks = useLoad(key, (s) => api.stacks(id as number, { ...inside, list: 1, limit: 8 }, s));
	const total = self.data?.total ?? [];
	const of = Math.max(1, z.duration);
	const parts = total.map((ns, k) => [self.data?.states[k] ?? "", ns, k] as const).filter((p) => p[1] > of / 1000).sort((a, b) => b[1] - a[1]);
	const children = z.self === null ? 0 : z.duration - z.self - (z.wait ?? 0);
	if (!sampled || parts.length === 0)
		return null;
	const s = stacks.data;
	return (
		<section data-testid="zone-time">
			<h3>What it did</h3>
			<ul class="zones">
				{parts.map(([name, ns, k]) => <li key={name}><span><span class="swatch" style={{ background: css(STATE_COLORS[k] ?? [128, 128, 128]) }} />{name}</span><span class="num">{fmtDur(ns)}</span><span class="num dim">{fmtPct(100 * ns / of)}</span></li>)}
				{children > 0 && <li><span><span class="swatch" />zones inside it</span><span class="num">{fmtDur(children)}</span><span class="num dim">{fmtPct(100 * children / of)}</span></li>}
			</ul>
			{s && s.items.length > 0 && s.samples > 0 && <><h3>Where, by samples <span class="dim">{fmtCount(s.samples)}</span></h3>
				<ul class="zones">{[...s.items].sort((a, b) => b[3] - a[3]).slice(0, 8).map(([, n, , ns]) => (
					<li key={n} title={s.names[n].file}><span>{s.names[n].name}</span><span class="num">{fmtDur(ns)}</span><span class="num dim">{fmtPct(100 * ns / Math.max(1, s.total))}</span></li>
				))}</ul></>}
		</section>
	);
}

function ZoneView({ z }: { z: ZoneDetail }) {
	const row = nameRow(z.name);
	const parent = z.ancestors.length ? z.ancestors.reduce((a, b) => b.start >= a.start ? b : a) : null;
	const name = nameOf(z.name);
	const host = meta.value?.tracks.find((k) => k.id === z.track)?.kind !== "core";
	return (
		<>
			<h2 title={name}>{shortName(name)}</h2>
			{row && row[2] && <p class="where" title={`${row[2]}:${row[3]}`}>{row[1] && row[1] !== row[0] ? `${row[1]} · ` : ""}{baseName(row[2])}:{row[3]}</p>}
			<div class="figures">
				<div><b>{fmtDur(z.duration)}</b><span>duration</span></div>
				<div><b>{fmtDur(z.self)}</b><span>self</span></div>
				{(z.wait ?? 0) > 0 && <div title="for locks; not part of the self time"><b>{fmtDur(z.wait)}</b><span>waiting</span></div>}
				{parent && <div><b>{fmtPct(100 * z.duration / Math.max(1, parent.end - parent.start))}</b><span>of parent</span></div>}
			</div>
			{z.flags.unfinished && <p class="note warn">Not finished when the trace ended.</p>}
			{z.flags.end_lost && <p class="note warn">Its end was lost; the time is a lower bound.</p>}
			<div class="actions">
				<button onClick={() => showOnTimeline(z.start, z.end)}>Fit <kbd>F</kbd></button>
				<button onClick={() => setRange(z.start, z.end)}>Set range <kbd>R</kbd></button>
				<button onClick={() => go("statistics", { name: z.name })}>Find all</button>
				{host && <button onClick={() => askPath({ t0: z.start, t1: z.end }, z.track)} title="What had to happen for it to end when it did">Critical path <kbd>C</kbd></button>}
				<button aria-pressed={litName.value === z.name} onClick={() => { litName.value = litName.value === z.name ? null : z.name; }}>Light all</button>
			</div>
			<dl>
				<dt>start</dt><dd>{fmtTime(z.start)}</dd>
				<dt>end</dt><dd>{fmtTime(z.end)}</dd>
				<dt>track</dt><dd>{threadTitle(z.track)}</dd>
				<dt>depth</dt><dd>{z.depth}</dd>
				<DeviceClock z={z} />
				{z.op && <OpOf op={z.op} call={z.op_call ?? z.op} />}
				{z.extras.map((e) => <><dt>{e.kind}</dt><dd class="pre">{e.text ?? e.value}</dd></>)}
			</dl>
			<Time z={z} />
			<Source name={z.name} />
			{z.ancestors.length > 0 && <><h3>Inside</h3><ul class="zones">{[...z.ancestors].sort((a, b) => b.start - a.start).map((a) => <ZoneLink z={a} of={a.end - a.start} />)}</ul></>}
			{z.children.length > 0 && <><h3>Children <span class="dim">{fmtCount(z.children_total)}</span></h3>
				<ul class="zones">{[...z.children].sort((a, b) => (b.end - b.start) - (a.end - a.start)).slice(0, 30).map((c) => <ZoneLink z={c} of={z.duration} />)}</ul></>}
		</>
	);
}

const FEW = 12;

function Bars({ title, rows }: { title: string; rows: [name: string, ns: number][] }) {
	const max = rows.reduce((a, r) => Math.max(a, r[1]), 1);
	if (rows.length === 0)
		return null;
	const bars = (list: typeof rows) => (
		<ul class="bars">{list.map(([name, ns]) => <li key={name}><span>{name}</span><span class="share-bar"><span style={{ width: `${100 * ns / max}%` }} /></span><span class="num">{fmtDur(ns)}</span></li>)}</ul>
	);
	return <><h3>{title}</h3>{bars(rows.slice(0, FEW))}{rows.length > FEW && <details><summary>{rows.length - FEW} more</summary>{bars(rows.slice(FEW))}</details>}</>;
}

/** The logical coordinates of a core; the NoC's if it has none. */
function coreName(device: number, x: number, y: number): string {
	const c = meta.value?.devices.find((e) => e.device === device)?.cores.find((k) => k[0] === x && k[1] === y);
	return c && c[2] !== null && c[2] >= 0 ? `${c[2]},${c[3]}` : `NoC ${x},${y}`;
}

/** The gap before an op on the timeline, if it differs from the report's: a device clock may stop while the host works. */
function gapShown(o: OpRow): number | null {
	if (o.t0 === null || o.gap_t0 == null || o.gap_us === null)
		return null;
	const ns = o.t0 - o.gap_t0, clock = o.gap_us * 1000;
	return ns >= 0 && Math.abs(ns - clock) > Math.max(100, clock / 10) ? ns : null;
}

/** The core whose kernels take the longest, and its RISC with the longest one. */
function slowestWords(d: OpDetail): string {
	const c = d.cores.reduce<OpDetail["cores"][number] | null>((a, b) => a && a.kernel_ns >= b.kernel_ns ? a : b, null);
	const risc = c && Object.entries(c.riscs).sort((a, b) => b[1] - a[1])[0];
	return c && risc ? `Slowest: core ${coreName(c.device, c.x, c.y)}, ${risc[0]}, ${fmtDur(c.kernel_ns)}` : "";
}

/** What the host did in the gap before an op, with shares. */
function GapView({ d }: { d: OpDetail }) {
	const gap = d.gap;
	if (!gap)
		return null;
	return (
		<section data-testid="gap">
			<h3>The host in the gap before it <span class="dim">{fmtDur(gap.us * 1000)}</span></h3>
			<ul class="zones">{gap.causes.map((c) => (
				<li key={c.cause}><span>{c.cause}{c.zone && <span class="dim"> · {shortName(c.zone)}</span>}</span><span class="num">{fmtDur(c.us * 1000)}</span><span class="num dim">{fmtPct(100 * c.us / Math.max(gap.us, 1e-9), 0)}</span></li>
			))}</ul>
		</section>
	);
}

function OpView() {
	const d = op.value;
	if (!d)
		return null;
	const o = d.op;
	const atGap = selection.value?.kind === "op" && selection.value.gap === true;
	const { t0, t1 } = o;
	const shown = gapShown(o);
	const cores = d.cores.map((c) => [coreName(c.device, c.x, c.y), c.kernel_ns] as [string, number]).sort((a, b) => b[1] - a[1]);
	return (
		<>
			<h2>{o.code}</h2>
			<p class="where">{o.number !== null ? `ID ${o.number} · ` : ""}{o.op ? `op ${o.op}` : `row ${o.row}`}{o.device !== null ? ` · device ${o.device}` : ""}{o.bound ? ` · ${o.bound}: ${boundHint(o.bound)}` : ""}</p>
			<div class="figures">
				{o.device_time_us !== null && <div><b>{fmtDur(o.device_time_us * 1000)}</b><span>device time</span></div>}
				{o.gap_us !== null && <div title="from the end of the previous op, by the device's clock"><b>{fmtDur(o.gap_us * 1000)}</b><span>gap before{shown !== null ? ", device clock" : ""}</span></div>}
				{shown !== null && <div title="by the host's clock: the device's clock was interrupted in between"><b>{fmtDur(shown)}</b><span>on the timeline</span></div>}
				{o.cores !== null && <div><b>{o.cores}</b><span>cores</span></div>}
			</div>
			{d.gap && d.gap.causes.length > 0 && atGap && <GapView d={d} />}
			{d.gap && d.gap.causes.length > 0 && !atGap && <p class="note" data-testid="gap-causes" title={d.gap.causes.map((c) => `${c.cause}: ${fmtDur(c.us * 1000)}${c.zone ? `, longest zone ${c.zone}` : ""}`).join("\n")}>{fmtDur(d.gap.us * 1000)} before this op: {causeWords(d.gap.causes)}</p>}
			{o.unreliable && <p class="note warn" data-testid="unreliable">A kernel has overwritten the profiler's buffers: these figures cannot be trusted.</p>}
			{o.advice.map((a) => <p key={a} class="note warn">{a}</p>)}
			<div class="actions">
				{t0 !== null && t1 !== null && <>
					<button onClick={() => showOnTimeline(t0, t1)}>Show <kbd>F</kbd></button>
					<button onClick={() => setRange(t0, t1)}>Set range</button>
				</>}
				{page.value !== "ops" && <button onClick={() => go("ops", { id: o.id })}>In the table</button>}
			</div>
			{t0 === null && !o.signpost && <p class="note dim">Its time on the timeline is unknown.</p>}
			<Bars title="Kernel time of each processor" rows={Object.entries(d.riscs).map(([k, v]) => [k, v * 1000])} />
			{slowestWords(d) && <p class="dim" data-testid="slowest-core">{slowestWords(d)}</p>}
			<Bars title={`Kernel time of each core (${cores.length})`} rows={cores} />
			{unevenWords(d) && <p class="dim">{unevenWords(d)}</p>}
			<h3>All columns</h3>
			<dl>{Object.entries(d.row).filter(([, v]) => v !== "").map(([k, v]) => <><dt>{k}</dt><dd>{v}</dd></>)}</dl>
		</>
	);
}

/** A thread, with a link to its row on the timeline. */
function ThreadLink({ id }: { id: number | null }) {
	if (id === null)
		return <>?</>;
	return <button class="link" title="show its row" onClick={() => go("timeline", { track: id })}>{threadTitle(id)}</button>;
}

/** A lock wait or a lock hold. */
function LockView({ l }: { l: NonNullable<typeof lockSpan.value> }) {
	const t = meta.value?.tracks.find((k) => k.id === l.track);
	const marked = l.name !== null ? nameRow(l.name) : undefined;
	const others = l.others ?? [];
	const all = l.lane < 2;
	return (
		<>
			<h2 title={l.file ? `${l.file}:${l.line}` : undefined}>{lockName({ name: t?.name ?? "", file: l.file, line: l.line })}</h2>
			<p class="where">{spanText(l)}</p>
			<div class="figures">
				<div><b>{fmtDur(l.duration)}</b><span>{l.kind === "wait" ? "waited" : "held"}{l.open ? " so far" : ""}</span></div>
				<div><b>{fmtCount((l.open ? l.count : l.idx ?? 0) + 1)}</b><span>of {fmtCount(l.count + (l.open ? 1 : 0))}{all ? "" : " of this thread"}</span></div>
			</div>
			<div class="actions">
				<button onClick={() => showOnTimeline(l.start, l.end)}>Fit <kbd>F</kbd></button>
				<button onClick={() => setRange(l.start, l.end)}>Set range <kbd>R</kbd></button>
				<button onClick={() => spanStep(-1)} disabled={l.idx === 0 || (l.open && l.count === 0)}>Before <kbd>,</kbd></button>
				<button onClick={() => spanStep(1)} disabled={l.open || (l.idx ?? 0) + 1 >= l.count}>After <kbd>.</kbd></button>
			</div>
			<dl>
				<dt>thread</dt><dd><ThreadLink id={l.thread} /></dd>
				<dt>start</dt><dd>{fmtTime(l.start)}</dd>
				<dt>end</dt><dd>{l.open ? "not yet" : fmtTime(l.end)}</dd>
				{l.shared && <><dt>shared</dt><dd>with other readers</dd></>}
				{l.file && <><dt>declared</dt><dd title={`${l.file}:${l.line}`}>{baseName(l.file)}:{l.line}</dd></>}
				{marked && <><dt>at</dt><dd title={`${marked[2]}:${marked[3]}`}>{marked[1] || marked[0]} · {baseName(marked[2])}:{marked[3]}</dd></>}
			</dl>
			{l.holders && l.holders.length > 0 && <><h3>Waited for</h3>
				<ul class="zones" data-testid="holders">{l.holders.map((h) => (
					<li key={h.thread}><ThreadLink id={h.thread} /><span class="num">{fmtDur(h.held)}</span><span class="num dim">{fmtPct(100 * h.held / Math.max(1, l.duration))}</span></li>
				))}</ul></>}
			{others.length > 0 && <><h3>{l.kind === "wait" ? "Holds meanwhile" : "Waited meanwhile"} <span class="dim">{fmtCount(l.others_total ?? others.length)}</span></h3>
				<ul class="zones">{others.map((o) => (
					<li key={`${o.lane}:${o.idx}`}>
						<button class="link" onClick={() => { selection.value = { kind: "lock", track: l.track, lane: o.lane, idx: o.idx }; }}>{o.thread === null ? "?" : threadTitle(o.thread)}</button>
						<span class="num" title={`${fmtTime(o.start)} to ${fmtTime(o.end)}`}>{fmtDur(o.end - o.start)}</span>
						<span class="num dim">{fmtPct(100 * (Math.min(o.end, l.end) - Math.max(o.start, l.start)) / Math.max(1, l.duration))}</span>
					</li>
				))}</ul></>}
			<div class="actions"><button onClick={() => go("statistics", { tab: "locks" })}>All locks</button></div>
		</>
	);
}

/** Delay: a drawer that opened at once would catch the second click of a double click. */
const OPEN_AFTER = 280;

export function Drawer() {
	namesVersion.value;
	const wanted = selection.value !== null;
	const [open, setOpen] = useState(wanted);
	useEffect(() => {
		const timer = setTimeout(() => setOpen(wanted), wanted ? OPEN_AFTER : 0);
		return () => clearTimeout(timer);
	}, [wanted]);
	if (!wanted || !open)
		return null;
	return (
		<aside class="drawer" aria-label="Selected" data-testid="drawer">
			<button class="icon-button close" aria-label="Close" title="Close (Esc)" onClick={() => { selection.value = null; }}><Icon name="close" /></button>
			{selectError.value ? <p class="note warn">{selectError.value}</p> : zone.value ? <ZoneView z={zone.value} /> : op.value ? <OpView /> : lockSpan.value ? <LockView l={lockSpan.value} /> : path.value ? <PathView /> : <p class="note">…</p>}
		</aside>
	);
}
