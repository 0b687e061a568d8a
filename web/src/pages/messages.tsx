// SPDX-License-Identifier: Apache-2.0
// Messages and signposts; a click shows the moment on the timeline.
import { useState } from "preact/hooks";
import { api, url } from "../api";
import { elide, fmtCount, fmtTime, signpostText } from "../format";
import { duration, entry, follow, generation, meta, params, range, rangeQuery, setParam, setRange, showOnTimeline, traceId, view } from "../state";
import type { Message } from "../types";
import { ExportLinks, Filter } from "../ui/filter";
import { sectionOf } from "../ui/section";
import { DataTable } from "../ui/table";
import { LISTED } from "../ui/tracks";

const SEVERITY = ["trace", "debug", "info", "warning", "error", "fatal"];

function show(t: number): void {
	const v = view.peek();
	const half = Math.min(v.t1 - v.t0, duration.peek() / 10) / 2;
	showOnTimeline(t - half, t + half);
}

function Controls() {
	const all = (meta.value?.tracks ?? []).filter((t) => t.kind === "thread" || t.kind === "fiber");
	const threads = all.filter((t, i) => i < LISTED || String(t.id) === params.value.track);
	return (
		<>
			<Filter />
			<label>at least <select value={params.value.severity ?? "0"} onChange={(e) => setParam("severity", e.currentTarget.value === "0" ? null : e.currentTarget.value)}>
				{SEVERITY.map((s, i) => <option key={s} value={String(i)}>{s}</option>)}
			</select></label>
			<label>thread <select value={params.value.track ?? ""} onChange={(e) => setParam("track", e.currentTarget.value)}>
				<option value="">all</option>
				{threads.map((t) => <option key={t.id} value={String(t.id)}>{elide(t.name, 60)}{t.tid ? ` (${t.tid})` : ""}</option>)}
				{all.length > threads.length && <option disabled>{fmtCount(all.length - threads.length)} more: filter by words, or search</option>}
			</select></label>
			<label class="check"><input type="checkbox" checked={params.value.signposts === "1"} onChange={(e) => setParam("signposts", e.currentTarget.checked ? "1" : null)} /> signposts only</label>
			{meta.value?.has.ops && <label class="check" title="show the records for the ops report: TT_DNN and TT_METAL"><input type="checkbox" checked={params.value.records === "1"} onChange={(e) => setParam("records", e.currentTarget.checked ? "1" : null)} /> records of ops</label>}
		</>
	);
}

export function MessagesPage() {
	const id = traceId.value;
	const [total, setTotal] = useState<number | null>(null);
	if (id === null || !meta.value)
		return <div class="page" />;
	const { q = "", severity = "", track = "", signposts = "" } = params.value;
	const records = meta.value.has.ops && params.value.records !== "1" ? "0" : ""; // they would bury the program's own messages
	const r = range.value;
	const query = { ...rangeQuery(), q, severity, track, signposts, records };
	const thread = (t: number | null) => t === null ? "" : meta.value?.tracks.find((k) => k.id === t)?.name ?? "";
	return (
		<div class="page fill">
			<header class="page-head">
				<h1>Messages</h1>
				<Controls />
				<span class="spacer" />
				{total !== null && <span class="dim" data-testid="total">{fmtCount(total)} {total === 1 ? "message" : "messages"}</span>}
				<ExportLinks href={(fmt) => url(`t/${id}/export`, { fmt, what: "messages", ...query })} />
			</header>
			<DataTable<Message> label="Messages" deps={[id, r?.t0, r?.t1, q, severity, track, signposts, records].join("|")} gen={generation.value}
				tail={(entry.value?.live ?? false) && follow.value} onLeaveTail={() => { follow.value = false; }}
				load={(offset, limit, s) => api.messages(id, { ...query, offset, limit }, s)}
				rowClass={(m) => m.signpost ? "signpost" : m.severity >= 4 ? "bad" : m.severity === 3 ? "warn" : ""}
				onRow={(m) => show(m.t)} onTotal={setTotal} empty={records ? "No messages here, except perhaps op records." : "No messages here."}
				columns={[
					{ key: "t", title: "Time", width: "150px", num: true, render: (m) => fmtTime(m.t) },
					{ key: "severity", title: "Kind", width: "80px", render: (m) => m.signpost ? "signpost" : SEVERITY[m.severity] ?? String(m.severity) },
					{ key: "thread", title: "Thread", width: "140px", render: (m) => thread(m.thread) },
					{ key: "text", title: "Text", width: "minmax(200px, 1fr)", render: (m) => <span title={m.text}>{m.signpost ? signpostText(m.text) : m.text}</span> },
					{ key: "range", title: "", width: "120px", render: (m) => m.signpost && <button class="link" onClick={(e) => {
						e.stopPropagation();
						setRange(...sectionOf(m.t));
					}}>range to next</button> },
				]} />
		</div>
	);
}
