// The table of the perf report: which ops are slow, why, and what to change.
import { api, url } from "../api";
import { fmtCount, fmtPct } from "../format";
import { generation, go, meta, params, range, rangeQuery, selection, setParam, traceId } from "../state";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Drawer } from "../timeline/drawer";
import type { OpGroup, OpRow, OpsSummary } from "../types";
import { ExportLinks, Filter } from "../ui/filter";
import { Share } from "../ui/share";
import { SectionSelect } from "../ui/section";
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
	{ key: "row", title: "ID", width: "46px", num: true, sort: "row", render: (r) => r.row },
	{ key: "pct", title: "Total %", width: "108px", sort: "pct", hint: "share of device time and gaps", render: (r) => <Share pct={r.pct} /> },
	{ key: "bound", title: "Bound", width: "56px", sort: "bound", render: (r) => <Tint r={r} of="bound">{r.bound}</Tint> },
	{ key: "code", title: "OP Code", width: "minmax(240px, 2fr)", sort: "code", render: (r) => <span title={r.code}>{r.signpost ? "⚑ " : ""}<Tint r={r} of="code">{r.code}</Tint></span> },
	{ key: "device", title: "Dev", width: "44px", num: true, render: (r) => r.device },
	{ key: "time", title: "Device time", width: "90px", num: true, sort: "time", render: (r) => <Tint r={r} of="time">{withUnit(r.device_time_us, "µs")}</Tint> },
	{ key: "gap", title: "Gap", width: "80px", num: true, sort: "gap", hint: "from the op before to this one; red above 6.5 µs", render: (r) => <Tint r={r} of="gap">{withUnit(r.gap_us, "µs")}</Tint> },
	{ key: "cores", title: "Cores", width: "52px", num: true, sort: "cores", hint: "red below 10", render: (r) => <Tint r={r} of="cores">{r.cores}</Tint> },
	{ key: "dram", title: "DRAM", width: "80px", num: true, sort: "dram", render: (r) => <Tint r={r} of="dram">{withUnit(r.dram, "GB/s")}</Tint> },
	{ key: "drampct", title: "DRAM %", width: "66px", num: true, sort: "dram_pct", render: (r) => <Tint r={r} of="dram_pct">{r.dram_pct === null ? "" : fmtPct(r.dram_pct)}</Tint> },
	{ key: "flops", title: "FLOPs", width: "84px", num: true, sort: "flops", render: (r) => <Tint r={r} of="flops">{withUnit(r.flops, "TFLOPs")}</Tint> },
	{ key: "flopspct", title: "FLOPs %", width: "66px", num: true, sort: "flops_pct", render: (r) => <Tint r={r} of="flops_pct">{r.flops_pct === null ? "" : fmtPct(r.flops_pct)}</Tint> },
	{ key: "fidelity", title: "Math fidelity", width: "minmax(90px, 1fr)", render: (r) => <span title={r.fidelity}><Tint r={r} of="fidelity">{r.fidelity}</Tint></span> },
	{ key: "advice", title: "Advice", width: "minmax(60px, 1.5fr)", render: (r) => r.advice.length > 0 && <span class="warn" title={r.advice.join("\n")}>{r.advice[0]}</span> },
];

const GROUP_COLUMNS: Column<OpGroup>[] = [
	{ key: "code", title: "OP Code", width: "minmax(170px, 2fr)", render: (g) => <span class={`c-${g.color}`}>{g.code}</span> },
	{ key: "category", title: "Category", width: "minmax(90px, 1fr)", render: (g) => g.category },
	{ key: "pct", title: "Total %", width: "140px", render: (g) => <Share pct={g.pct} /> },
	{ key: "time", title: "Device time", width: "110px", num: true, render: (g) => withUnit(g.device_time_us, "µs") },
	{ key: "count", title: "Count", width: "80px", num: true, render: (g) => fmtCount(g.count) },
	{ key: "flops", title: "FLOPs % (weighted)", width: "140px", num: true, render: (g) => g.flops_pct_weighted === null ? "" : fmtPct(g.flops_pct_weighted) },
];

function BoundMix({ mix }: { mix: { bound: string; pct: number }[] }) {
	return (
		<div class="mix" role="img" aria-label={"Bound by: " + mix.map((m) => `${m.bound || "other"} ${fmtPct(m.pct, 0)}`).join(", ")}>
			{mix.filter((m) => m.pct > 0).map((m) => <span key={m.bound} class={"mix-" + (m.bound || "other").toLowerCase().replace(/[^a-z]/g, "")} style={{ flexGrow: m.pct }} title={`${m.bound || "other"}: ${fmtPct(m.pct)}`}>{m.pct > 7 ? `${m.bound || "other"} ${fmtPct(m.pct, 0)}` : ""}</span>)}
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
	footer?: Record<string, number | string>;
	summary?: OpsSummary;
}

function OpTable({ onHead }: { onHead: (h: Head) => void }) {
	const id = traceId.value as number;
	const { q = "", sort = "", device = "" } = params.value;
	const desc = params.value.desc === "1";
	const r = range.value;
	const sel = selection.value?.kind === "op" ? selection.value.id : null;
	const many = (meta.value?.devices.length ?? 0) > 1;
	return (
		<DataTable<OpRow> label="Ops" columns={many ? COLUMNS : COLUMNS.filter((c) => c.key !== "device")} deps={[id, r?.t0, r?.t1, q, sort, desc, device].join("|")} gen={generation.value} sort={sort} desc={desc}
			onSort={(k, d) => {
				setParam("sort", k);
				setParam("desc", d ? "1" : null);
			}}
			load={async (offset, limit, s) => {
				const a = await api.ops(id, { ...rangeQuery(), q, sort, desc, device, offset, limit }, s);
				onHead(a);
				return a;
			}}
			rowClass={(o) => o.signpost ? "signpost" : o.pct !== null && o.pct < 0.5 ? "small" : ""}
			selected={(o) => o.id === sel}
			onRow={(o) => { selection.value = sel === o.id ? null : { kind: "op", id: o.id }; }}
			empty={q ? "No op matches the filter." : "This trace has no ops."} />
	);
}

function GroupTable({ group, onHead }: { group: string; onHead: (h: Head) => void }) {
	const id = traceId.value as number;
	const { q = "", device = "" } = params.value;
	const r = range.value;
	return (
		<DataTable<OpGroup> label="Ops together" columns={group === "category" ? GROUP_COLUMNS.filter((c) => c.key !== "category") : GROUP_COLUMNS} deps={[id, r?.t0, r?.t1, q, device, group].join("|")} gen={generation.value}
			load={async (offset, limit, s) => {
				const a = await api.ops<OpGroup>(id, { ...rangeQuery(), q, device, group, offset, limit }, s);
				onHead(a);
				return a;
			}}
			onRow={(g) => {
				if (group === "op")
					go("ops", { q: g.code });
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
	if (id === null)
		return <div class="page" />;
	const { q = "", sort = "", group = "none", device = "" } = params.value;
	const devices = meta.value?.devices ?? [];
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
							{[["none", "nothing"], ["op", "op"], ["category", "category"]].map(([v, t]) => <option key={v} value={v}>{t}</option>)}
						</select></label>
						{devices.length > 1 && <label>device <select value={device} onChange={(e) => setParam("device", e.currentTarget.value)}>
							<option value="">all</option>{devices.map((d) => <option key={d.device} value={String(d.device)}>{d.device}</option>)}
						</select></label>}
						<SectionSelect />
						<span class="spacer" />
						<ExportLinks href={(fmt) => url(`t/${id}/export`, { fmt, what: "ops", ...rangeQuery(), q, sort, device })} />
					</>}
				</header>
				{none
					? <p class="dim">This trace has no ops.</p>
					: <>
						{mix && mix.some((m) => m.bound !== "none") && <BoundMix mix={mix} />}
						{group === "none" ? <OpTable onHead={setHead} /> : <GroupTable group={group} onHead={setHead} />}
						<Footer footer={head.footer} />
					</>}
			</div>
			{selection.value?.kind === "op" && !none && <Drawer />}
		</div>
	);
}
