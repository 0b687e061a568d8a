// The selected zone or op, with ways from it to everything else.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { baseName, fmtCount, fmtDur, fmtPct, fmtTime, shortName } from "../format";
import { nameOf, nameRow, namesVersion } from "../names";
import { go, litName, meta, selection, setRange, showOnTimeline, traceId } from "../state";
import { Icon } from "../ui/icons";
import type { ZoneBrief, ZoneDetail } from "../types";
import { op, selectError, zone } from "./select";

function trackTitle(id: number): string {
	const t = meta.value?.tracks.find((k) => k.id === id);
	if (!t)
		return "–";
	const p = meta.value?.processes.find((q) => q.id === t.process);
	return t.kind === "core" ? t.name : `${t.name}${t.tid ? ` (${t.tid})` : ""}${p ? ` · ${p.name}` : ""}`;
}

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
		if (traceId.value !== null && meta.value?.has && (meta.value as unknown as { sources?: boolean }).sources)
			api.source(traceId.value, name, a.signal).then(setLines, () => undefined);
		return () => a.abort();
	}, [name]);
	if (!lines)
		return null;
	return (
		<pre class="source" tabIndex={0} aria-label="Source">
			{lines.text.map((t, i) => <div class={lines.first + i === lines.line ? "hit" : ""}><span>{lines.first + i}</span>{t}</div>)}
		</pre>
	);
}

function DeviceClock({ z }: { z: ZoneDetail }) {
	const t = meta.value?.tracks.find((k) => k.id === z.track);
	if (t?.kind !== "core")
		return null;
	const d = meta.value?.devices.find((e) => e.device === t.device);
	const text = !d || d.bound_ns === null ? "clock not synchronised" : `synchronised to ±${fmtDur(d.bound_ns)}`;
	return <><dt>device clock</dt><dd class={!d || d.bound_ns === null ? "warn" : ""}>{text}{d && d.mhz > 0 ? ` · ${fmtCount(z.duration * d.mhz / 1000)} cycles` : ""}</dd></>;
}

function ZoneView({ z }: { z: ZoneDetail }) {
	const row = nameRow(z.name);
	const parent = z.ancestors.length ? z.ancestors.reduce((a, b) => b.start >= a.start ? b : a) : null;
	const name = nameOf(z.name);
	return (
		<>
			<h2 title={name}>{shortName(name)}</h2>
			{row && row[2] && <p class="where" title={`${row[2]}:${row[3]}`}>{row[1] && row[1] !== row[0] ? `${row[1]} · ` : ""}{baseName(row[2])}:{row[3]}</p>}
			<div class="figures">
				<div><b>{fmtDur(z.duration)}</b><span>duration</span></div>
				<div><b>{fmtDur(z.self)}</b><span>self</span></div>
				{parent && <div><b>{fmtPct(100 * z.duration / Math.max(1, parent.end - parent.start))}</b><span>of parent</span></div>}
			</div>
			{z.flags.unfinished && <p class="note warn">Not finished when the trace ended.</p>}
			{z.flags.end_lost && <p class="note warn">Its end was lost; the time is a lower bound.</p>}
			<div class="actions">
				<button onClick={() => showOnTimeline(z.start, z.end)}>Fit <kbd>F</kbd></button>
				<button onClick={() => setRange(z.start, z.end)}>Set range <kbd>R</kbd></button>
				<button onClick={() => go("statistics", { name: z.name })}>Find all</button>
				<button aria-pressed={litName.value === z.name} onClick={() => { litName.value = litName.value === z.name ? null : z.name; }}>Light all</button>
			</div>
			<dl>
				<dt>start</dt><dd>{fmtTime(z.start)}</dd>
				<dt>end</dt><dd>{fmtTime(z.end)}</dd>
				<dt>track</dt><dd>{trackTitle(z.track)}</dd>
				<dt>depth</dt><dd>{z.depth}</dd>
				<DeviceClock z={z} />
				{z.op && <><dt>op</dt><dd><button class="link" onClick={() => { selection.value = { kind: "op", id: z.op as string }; }}>{z.op}</button></dd></>}
				{z.extras.map((e) => <><dt>{e.kind}</dt><dd class="pre">{e.text ?? e.value}</dd></>)}
			</dl>
			<Source name={z.name} />
			{z.ancestors.length > 0 && <><h3>Inside</h3><ul class="zones">{[...z.ancestors].sort((a, b) => b.start - a.start).map((a) => <ZoneLink z={a} of={a.end - a.start} />)}</ul></>}
			{z.children.length > 0 && <><h3>Children <span class="dim">{fmtCount(z.children_total)}</span></h3>
				<ul class="zones">{[...z.children].sort((a, b) => (b.end - b.start) - (a.end - a.start)).slice(0, 30).map((c) => <ZoneLink z={c} of={z.duration} />)}</ul></>}
		</>
	);
}

function OpView() {
	const o = op.value;
	if (!o)
		return null;
	const row = o.row as Record<string, string | number | null>;
	const t0 = row.t0, t1 = row.t1;
	const max = o.cores.reduce((a, c) => Math.max(a, c.kernel_ns), 1);
	return (
		<>
			<h2>{String(row.code ?? row["OP CODE"] ?? o.id)}</h2>
			<p class="where">op {o.id}</p>
			<div class="actions">
				{typeof t0 === "number" && typeof t1 === "number" && <>
					<button onClick={() => showOnTimeline(t0, t1)}>Fit <kbd>F</kbd></button>
					<button onClick={() => setRange(t0, t1)}>Set range</button>
				</>}
				<button onClick={() => go("ops", { id: o.id })}>In the table</button>
			</div>
			<dl>{Object.entries(row).filter(([, v]) => v !== null && v !== "" && typeof v !== "object").map(([k, v]) => <><dt>{k}</dt><dd>{String(v)}</dd></>)}</dl>
			{o.cores.length > 0 && <><h3>Cores <span class="dim">{o.cores.length}</span></h3>
				<ul class="bars">{o.cores.map((c) => <li><span>{c.device}:{c.x},{c.y}</span><meter min={0} max={max} value={c.kernel_ns} aria-label={`core ${c.x},${c.y}`} /><span class="num">{fmtDur(c.kernel_ns)}</span></li>)}</ul></>}
		</>
	);
}

/** A drawer that opened at once would come under the second click of a double click. */
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
			{selectError.value ? <p class="note warn">{selectError.value}</p> : zone.value ? <ZoneView z={zone.value} /> : op.value ? <OpView /> : <p class="note">…</p>}
		</aside>
	);
}
