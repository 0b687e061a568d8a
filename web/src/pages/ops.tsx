// SPDX-License-Identifier: Apache-2.0
// The table of the perf report: which ops are slow, why, and what to change.
import { api, url } from "../api";
import { boundHint, boundName, fmtCount, fmtPct } from "../format";
import { entry, generation, go, meta, params, range, rangeQuery, selection, setParam, traceId } from "../state";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Drawer } from "../timeline/drawer";
import type { OpGroup, OpRow, OpsSummary } from "../types";
import { ExportLinks, Filter } from "../ui/filter";
import { OpName } from "../ui/opname";
import { Share } from "../ui/share";
import { FromTo, SectionSelect } from "../ui/section";
import { useLoad } from "../ui/load";
import { type Column, DataTable } from "../ui/table";

function us(v: number | null): string {
	return v === null || !Number.isFinite(v) ? "" : v.toLocaleString("en-US", { maximumFractionDigits: v < 10 ? 2 : v < 100 ? 1 : 0 });
}

function Tint({ r, of, children }: { r: OpRow; of: string; children: ComponentChildren }) {
	const c = r.color[of];
	return <span class={c ? `c-${c}` : ""}>{children}</span>;
}

function withUnit(v: number | null, unit: string): string {
	return v === null ? "" : `${us(v)} ${unit}`;
}

const COLUMNS: Column<OpRow>[] = [
	{ key: "row", title: "ID", width: "38px", num: true, sort: "row", render: (r) => r.number },
	{ key: "pct", title: "Total %", width: "96px", sort: "pct", hint: "share of device time and gaps", render: (r) => <Share pct={r.pct} /> },
	{ key: "bound", title: "Bound", width: "48px", sort: "bound", hint: "what limits it; SLOW: neither DRAM nor arithmetic is busy", render: (r) => r.bound && <span title={boundHint(r.bound)}><Tint r={r} of="bound">{r.bound}</Tint></span> },
	{ key: "code", title: "OP Code", width: "minmax(210px, 3fr)", sort: "code", render: (r) => <span title={r.code}>{r.signpost ? "⚑ " : ""}{r.unreliable && <span class="warn" data-testid="unreliable" title="A kernel has overwritten the profiler's buffers: these figures cannot be trusted">⚠ </span>}<Tint r={r} of="code">{r.signpost ? r.code : <OpName code={r.code} />}</Tint></span> },
	{ key: "device", title: "Dev", width: "34px", num: true, render: (r) => r.device },
	{ key: "time", title: "Device time", width: "78px", num: true, sort: "time", render: (r) => <Tint r={r} of="time">{withUnit(r.device_time_us, "µs")}</Tint> },
	{ key: "gap", title: "Gap", width: "64px", num: true, sort: "gap", hint: "from the previous op to this one, by the device's clock; red above 6.5 µs", render: (r) => <Tint r={r} of="gap">{withUnit(r.gap_us, "µs")}</Tint> },
	{ key: "cores", title: "Cores", width: "44px", num: true, sort: "cores", hint: "red below 10", render: (r) => <Tint r={r} of="cores">{r.cores}</Tint> },
	{ key: "dram", title: "DRAM", width: "74px", num: true, sort: "dram", render: (r) => <Tint r={r} of="dram">{withUnit(r.dram, "GB/s")}</Tint> },
	{ key: "drampct", title: "DRAM %", width: "56px", num: true, sort: "dram_pct", render: (r) => <Tint r={r} of="dram_pct">{r.dram_pct === null ? "" : fmtPct(r.dram_pct)}</Tint> },
	{ key: "flops", title: "FLOPs", width: "86px", num: true, sort: "flops", render: (r) => <Tint r={r} of="flops">{withUnit(r.flops, "TFLOPs")}</Tint> },
	{ key: "flopspct", title: "FLOPs %", width: "58px", num: true, sort: "flops_pct", render: (r) => <Tint r={r} of="flops_pct">{r.flops_pct === null ? "" : fmtPct(r.flops_pct)}</Tint> },
	{ key: "fidelity", title: "Math fidelity", width: "minmax(80px, 1fr)", render: (r) => <span title={r.fidelity}><Tint r={r} of="fidelity">{r.fidelity}</Tint></span> },
	{ key: "advice", title: "Advice", width: "minmax(110px, 2.5fr)", render: (r) => r.advice.length > 0 && <span class="warn" title={r.advice.join("\n")}>{r.advice[0]}</span> },
];

const GROUP_COLUMNS: Column<OpGroup>[] = [
	{ key: "code", title: "OP Code", width: "minmax(170px, 2fr)", render: (g) => <span class={`c-${g.color}`}><OpName code={g.code} /></span> },
	{ key: "category", title: "Category", width: "minmax(90px, 1fr)", render: (g) => g.category },
	{ key: "pct", title: "Total %", width: "140px", render: (g) => <Share pct={g.pct} /> },
	{ key: "time", title: "Device time", width: "110px", num: true, render: (g) => withUnit(g.device_time_us, "µs") },
	{ key: "count", title: "Count", width: "80px", num: true, render: (g) => fmtCount(g.count) },
	{ key: "flops", title: "FLOPs % (weighted)", width: "140px", num: true, render: (g) => g.flops_pct_weighted === null ? "" : fmtPct(g.flops_pct_weighted) },
];

/** The ids of the ops to show: 5-10, 5- or -10, as the perf report takes them. */
const IDS = /^(\d+-\d*|-\d+)$/;

function IdRange() {
	const [text, setText] = useState(params.value.ids ?? "");
	useEffect(() => setText(params.value.ids ?? ""), [params.value.ids]);
	const right = text === "" || IDS.test(text);
	return (
		<label>IDs <input type="text" class="ids" value={text} placeholder="5-10" aria-label="IDs" aria-invalid={!right} title="only the ops with these IDs: 5-10, 5- or -10" onInput={(e) => {
			const t = e.currentTarget.value.trim();
			setText(t);
			if (t === "" || IDS.test(t))
				setParam("ids", t);
		}} /></label>
	);
}

/** Sections of an ops report, which has no timeline: ranges of ids. */
function IdSection({ posts }: { posts: [row: number, text: string][] }) {
	if (posts.length === 0)
		return null;
	const m = /^(\d+)-(\d*)$/.exec(params.value.ids ?? "");
	const from = m ? posts.findIndex((p) => p[0] === +m[1]) : -1;
	const to = !m || from < 0 ? -1 : m[2] === "" ? posts.length : posts.findIndex((p) => p[0] === +m[2] + 1);
	const known = from >= 0 && to >= 0;
	return (
		<FromTo posts={posts.map(([row, text]) => ({ key: String(row), text: `${text} (${row})` }))} from={known ? from : -1} to={to} none={params.value.ids && !known ? "IDs" : "all"}
			onChange={(a, b) => {
				const end = b < 0 ? a + 1 : b;
				setParam("ids", a < 0 ? null : `${posts[a][0]}-${end < posts.length ? posts[end][0] - 1 : ""}`);
			}} />
	);
}

function BoundMix({ mix }: { mix: { bound: string; pct: number }[] }) {
	return (
		<div class="mix" role="img" aria-label={"Bound by: " + mix.map((m) => `${boundName(m.bound)} ${fmtPct(m.pct, 0)}`).join(", ")}>
			{mix.filter((m) => m.pct > 0).map((m) => <span key={m.bound} class={"mix-" + (m.bound || "other").toLowerCase().replace(/[^a-z]/g, "")} style={{ flexGrow: m.pct }} title={`${boundName(m.bound)}, ${fmtPct(m.pct)} of the time: ${boundHint(m.bound)}`}>{m.pct > 9 ? `${boundName(m.bound)} ${fmtPct(m.pct, 0)}` : ""}</span>)}
		</div>
	);
}

function Footer({ footer }: { footer: Record<string, number | string> | undefined }) {
	if (!footer)
		return null;
	const n = (k: string) => typeof footer[k] === "number" ? footer[k] as number : 0;
	return (
		<p class="dim footer">
			<span><b>{fmtCount(n("device_ops"))}</b> device ops</span><span><b>{fmtCount(n("host_ops"))}</b> host ops</span><span><b>{fmtCount(n("signposts"))}</b> signposts</span>
			<span><b>{us(n("device_time_us"))} µs</b> device time</span><span><b>{us(n("gap_us"))} µs</b> gaps</span>
		</p>
	);
}

interface Head {
	signposts?: [row: number, text: string][];
	footer?: Record<string, number | string>;
	summary?: OpsSummary;
}

function OpTable({ onHead }: { onHead: (h: Head) => void }) {
	const id = traceId.value as number;
	const { q = "", sort = "", device = "", ids = "" } = params.value;
	const desc = params.value.desc === "1";
	const r = range.value;
	const sel = selection.value?.kind === "op" ? selection.value.id : null;
	const many = (meta.value?.devices.length ?? 0) > 1;
	return (
		<DataTable<OpRow> label="Ops" columns={many ? COLUMNS : COLUMNS.filter((c) => c.key !== "device")} deps={[id, r?.t0, r?.t1, q, sort, desc, device, ids].join("|")} gen={generation.value} sort={sort} desc={desc}
			onSort={(k, d) => {
				setParam("sort", k);
				setParam("desc", d ? "1" : null);
			}}
			load={async (offset, limit, s) => {
				const a = await api.ops(id, { ...rangeQuery(), q, sort, desc, device, ids, offset, limit }, s);
				onHead(a);
				return a;
			}}
			rowClass={(o) => o.signpost ? "signpost" : o.pct !== null && o.pct < 0.5 ? "small" : ""}
			selected={(o) => o.id === sel}
			goal={params.value.id !== undefined ? { key: params.value.id, find: async (s) => (await api.ops(id, { ...rangeQuery(), q, sort, desc, device, ids, find: params.value.id, limit: 1 }, s)).found ?? null } : undefined}
			onRow={(o) => { selection.value = sel === o.id ? null : { kind: "op", id: o.id }; }}
			empty={q ? "No op matches the filter." : ids ? "No op has this ID." : r ? "No op in this range." : "This trace has no ops."} />
	);
}

function GroupTable({ group, onHead }: { group: string; onHead: (h: Head) => void }) {
	const id = traceId.value as number;
	const { q = "", device = "", ids = "" } = params.value;
	const r = range.value;
	return (
		<DataTable<OpGroup> label="Ops together" columns={group === "category" || group === "device" ? GROUP_COLUMNS.filter((c) => c.key !== "category") : GROUP_COLUMNS} deps={[id, r?.t0, r?.t1, q, device, ids, group].join("|")} gen={generation.value}
			load={async (offset, limit, s) => {
				const a = await api.ops<OpGroup>(id, { ...rangeQuery(), q, device, ids, group, merge: group === "device" ? false : undefined, offset, limit }, s);
				onHead(a);
				return a;
			}}
			onRow={(g) => {
				if (group === "op")
					go("ops", { q: g.code });
				else if (group === "device")
					go("ops", { device: g.device ?? "" });
			}} empty="This trace has no ops." />
	);
}

export function OpsPage() {
	const id = traceId.value;
	const [head, setHead] = useState<Head>({});
	useEffect(() => {
		const op = params.peek().id;
		if (op !== undefined)
			selection.value = { kind: "op", id: op };
	}, [params.value.id]);
	const table = entry.value?.kind === "ops";
	const overview = useLoad(table && id !== null ? String(id) : null, (s) => api.overview(id as number, s));
	if (id === null || (!table && !meta.value))
		return <div class="page" />;
	const takeHead = (h: Head) => setHead((old) => ({ ...h, signposts: h.signposts ?? old.signposts }));
	const { q = "", group = "none", device = "", ids = "" } = params.value;
	const devices = [...new Set((table ? overview.data?.devices : meta.value?.devices)?.map((d) => d.device) ?? [])];
	const none = meta.value !== null && !meta.value.has.ops;
	const mix = head.summary?.bound_mix;
	return (
		<div class="with-drawer">
			<div class="page fill">
				<header class="page-head">
					<h1>Ops</h1>
					{!none && <>
						<Filter />
						<label>group by <select value={group} onChange={(e) => setParam("group", e.currentTarget.value === "none" ? null : e.currentTarget.value)}>
							{[["none", "nothing"], ["op", "op"], ["memory", "op and memory"], ["category", "category"], ...(devices.length > 1 || device !== "" ? [["device", "device"]] : [])].map(([v, t]) => <option key={v} value={v}>{t}</option>)}
						</select></label>
						{devices.length > 1 && <label>device <select value={device} onChange={(e) => setParam("device", e.currentTarget.value)}>
							<option value="">all</option>{devices.map((d) => <option key={d} value={String(d)}>{d}</option>)}
						</select></label>}
						<IdRange />
						{table ? <IdSection posts={head.signposts ?? []} /> : <SectionSelect />}
						<span class="spacer" />
						<ExportLinks href={(fmt) => url(`t/${id}/export`, { fmt, what: "ops", ...rangeQuery(), q, device, ids })} />
					</>}
				</header>
				{none
					? <p class="dim">This trace has no ops. They are recorded for programs that use a device, with <code>TT_METAL_DEVICE_PROFILER=1</code>.</p>
					: <>
						{mix && mix.some((m) => m.bound !== "none") && <BoundMix mix={mix} />}
						{group === "none" ? <OpTable onHead={takeHead} /> : <GroupTable group={group} onHead={takeHead} />}
						<Footer footer={head.footer} />
					</>}
			</div>
			{selection.value?.kind === "op" && !none && <Drawer />}
		</div>
	);
}
