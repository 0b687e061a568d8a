// SPDX-License-Identifier: Apache-2.0
// The trace's metadata.
import { apart, elide, fmtBytes, fmtCount, fmtDur } from "../format";
import { entry, generation, go, meta, traces } from "../state";
import type { Track } from "../types";
import { DataTable } from "../ui/table";
import { Warnings } from "./overview";

export function InfoPage() {
	const m = meta.value, e = entry.value;
	if (!m || !e)
		return <div class="page" />;
	const process = (id: number) => m.processes.find((p) => p.id === id);
	const facts: [string, string][] = [["file", e.path], ["size", fmtBytes(e.size)], ["state", e.state], ["recorded", e.start_realtime || "–"], ["time span", fmtDur(m.duration)],
		["zones", fmtCount(m.zones)], ["other events", fmtCount(m.rows)], ["source locations", fmtCount(m.names_total)], ["tracks", fmtCount(m.tracks.length)]];
	return (
		<div class="page">
			<header class="page-head"><h1>Trace info</h1></header>
			<Warnings list={m.warnings} />
			<div class="info-columns">
				<section class="card"><header><h2>Trace</h2></header><dl class="facts">{facts.map(([k, v]) => <><dt>{k}</dt><dd>{v}</dd></>)}</dl></section>
				<section class="card"><header><h2>Properties</h2></header><dl class="facts">{Object.entries(m.properties).filter(([k]) => !k.startsWith("device ")).map(([k, v]) => <><dt>{k}</dt><dd>{elide(String(v), 300)}</dd></>)}</dl></section>
				<section class="card"><header><h2>Processes</h2></header><ul class="gap-list">{m.processes.map((p) => (
					<li key={p.id}><b>{p.name}</b> <span class="dim">pid {p.pid}, parent {p.parent}, from {fmtDur(p.start)}{p.end === null ? e.live ? ", runs" : ", its end was not recorded" : ` on, for ${fmtDur(p.end - p.start)}`}{p.exit !== null ? `, exit ${p.exit}` : ""}</span><br /><code>{p.command}</code></li>
				))}</ul></section>
				{m.devices.length > 0 && <section class="card"><header><h2>Devices</h2></header><ul class="gap-list">{m.devices.map((d) => (
					<li key={d.device}><b>Device {d.device}</b> <span class="dim">{d.arch}, {d.mhz} MHz, {d.cores.filter((k) => k[4] === "worker").length} worker cores of {d.cores.length}{d.modelled ? ", modelled" : ""}</span><br />{d.bound_ns === null ? <span class="warn">clock not synchronised</span> : `clock within ±${fmtDur(d.bound_ns)} of the host's`}</li>
				))}</ul></section>}
				{traces.value.length > 1 && <section class="card"><header><h2>Also served here</h2></header><ul class="gap-list">{traces.value.filter((t) => t.id !== e.id).map((t) => <li key={t.id}>{t.name} <span class="dim">{fmtBytes(t.size)}, {t.state}</span></li>)}</ul></section>}
			</div>
			<div class="tracks-table"><DataTable<Track> label="Tracks" deps={`${e.id}|${m.tracks.length}`} gen={generation.value}
				load={async (offset, limit) => ({ rows: m.tracks.slice(offset, offset + limit), total: m.tracks.length })}
				columns={[
					{ key: "id", title: "Track", width: "60px", num: true, render: (t) => t.id },
					{ key: "kind", title: "Kind", width: "90px", render: (t) => t.kind },
					{ key: "name", title: "Name", width: "minmax(160px, 2fr)", render: (t) => <span title={t.name}>{t.name}</span> },
					{ key: "process", title: "Process", width: "minmax(100px, 1fr)", render: (t) => {
						const p = process(t.process);
						return p ? `${apart(p.name)} (${p.pid})` : "";
					} },
					{ key: "depth", title: "Depth", width: "70px", num: true, render: (t) => t.lanes.length || "" },
					{ key: "count", title: "Zones or rows", width: "110px", num: true, render: (t) => fmtCount(t.count) },
				]} onRow={(t) => {
					if (t.lanes.length)
						go("timeline", { track: t.id });
				}} /></div>
		</div>
	);
}
