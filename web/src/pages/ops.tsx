// The table of the perf report: which ops are slow, why, and what to change.
import { api, url } from "../api";
import { fmtCount, fmtNum, fmtPct } from "../format";
import { generation, meta, params, range, rangeQuery, selection, setParam, showOnTimeline, traceId } from "../state";
import { useEffect, useState } from "preact/hooks";
import { Drawer } from "../timeline/drawer";
import type { OpRow, OpsPage as OpsAnswer } from "../types";
import { ExportLinks, Filter } from "../ui/filter";
import { type Column, DataTable } from "../ui/table";

function us(v: number | null): string {
	return v === null || !Number.isFinite(v) ? "" : v.toLocaleString("en-US", { maximumFractionDigits: v < 10 ? 2 : v < 100 ? 1 : 0 });
}

function Tint({ r, of, children }: { r: OpRow; of: string; children: preact.ComponentChildren }) {
	const c = r.color?.[of];
	return <span class={c ? `c-${c}` : ""}>{children}</span>;
}

function PctBar({ v }: { v: number }) {
	return <span class="share"><span class="share-bar"><span style={{ width: `${Math.max(0, Math.min(100, v))}%` }} /></span><span class="num">{fmtPct(v)}</span></span>;
}

const COLUMNS: Column<OpRow>[] = [
	{ key: "row", title: "ID", width: "56px", num: true, render: (r) => r.row },
	{ key: "pct", title: "Total %", width: "112px", sort: "pct", hint: "share of the device time and gaps", render: (r) => <PctBar v={r.pct} /> },
	{ key: "bound", title: "Bound", width: "72px", sort: "bound", render: (r) => <Tint r={r} of="bound">{r.bound}</Tint> },
	{ key: "code", title: "OP Code", width: "minmax(180px, 2fr)", sort: "code", render: (r) => <span title={r.code}><Tint r={r} of="code">{r.code}</Tint></span> },
	{ key: "device", title: "Dev", width: "44px", num: true, render: (r) => r.device },
	{ key: "time", title: "Device time", width: "96px", num: true, sort: "device_time", render: (r) => <Tint r={r} of="device_time">{us(r.device_time_us)} µs</Tint> },
	{ key: "gap", title: "Gap", width: "84px", num: true, sort: "gap", hint: "from the op before to this one; above 6.5 µs it is marked", render: (r) => <Tint r={r} of="gap">{r.gap_us === null ? "" : `${us(r.gap_us)} µs`}</Tint> },
	{ key: "cores", title: "Cores", width: "58px", num: true, sort: "cores", render: (r) => <Tint r={r} of="cores">{r.cores}</Tint> },
	{ key: "dram", title: "DRAM", width: "80px", num: true, sort: "dram", render: (r) => <Tint r={r} of="dram">{r.dram === null ? "" : `${us(r.dram)} GB/s`}</Tint> },
	{ key: "drampct", title: "DRAM %", width: "70px", num: true, sort: "dram_pct", render: (r) => <Tint r={r} of="dram_pct">{r.dram_pct === null ? "" : fmtPct(r.dram_pct)}</Tint> },
	{ key: "flops", title: "FLOPs", width: "86px", num: true, sort: "flops", render: (r) => <Tint r={r} of="flops">{r.flops === null ? "" : `${fmtNum(+r.flops.toFixed(2))} TF`}</Tint> },
	{ key: "flopspct", title: "FLOPs %", width: "70px", num: true, sort: "flops_pct", render: (r) => <Tint r={r} of="flops_pct">{r.flops_pct === null ? "" : fmtPct(r.flops_pct)}</Tint> },
	{ key: "fidelity", title: "Fidelity", width: "minmax(80px, 1fr)", render: (r) => <Tint r={r} of="fidelity">{r.fidelity}</Tint> },
	{ key: "advice", title: "Advice", width: "minmax(60px, 2fr)", render: (r) => r.advice.length > 0 && <span class="warn" title={r.advice.join("\n")}>{r.advice[0]}</span> },
];

/** Rows of an op or of a category together. */
const GROUPED = new Set(["pct", "bound", "code", "time", "gap", "cores"]);

function BoundMix({ mix }: { mix: { bound: string; pct: number }[] }) {
	return (
		<div class="mix" role="img" aria-label={"Bound by: " + mix.map((m) => `${m.bound || "other"} ${fmtPct(m.pct, 0)}`).join(", ")}>
			{mix.filter((m) => m.pct > 0).map((m) => <span key={m.bound} class={"mix-" + (m.bound || "other").toLowerCase().replace(/[^a-z]/g, "")} style={{ flexGrow: m.pct }} title={`${m.bound || "other"}: ${fmtPct(m.pct)}`}>{m.pct > 7 ? `${m.bound || "other"} ${fmtPct(m.pct, 0)}` : ""}</span>)}
		</div>
	);
}

function Footer({ a }: { a: OpsAnswer | null }) {
	const f = a?.footer as Record<string, number> | undefined;
	if (!f)
		return null;
	const label: Record<string, string> = { device_ops: "device ops", host_ops: "host ops", device_time_us: "µs device time", gap_us: "µs gaps", signposts: "signposts" };
	return <p class="dim footer">{Object.entries(f).filter(([, v]) => typeof v === "number").map(([k, v]) => <span key={k}><b>{fmtCount(v)}</b> {label[k] ?? k.replace(/_/g, " ")}</span>)}</p>;
}

export function OpsPage() {
	const id = traceId.value;
	const [answer, setAnswer] = useState<OpsAnswer | null>(null);
	useEffect(() => {
		const op = params.peek().id;
		if (op !== undefined)
			selection.value = { kind: "op", id: op };
	}, []);
	if (id === null)
		return <div class="page" />;
	const { q = "", sort = "", group = "none", device = "" } = params.value;
	const desc = params.value.desc === "1";
	const r = range.value;
	const query = { ...rangeQuery(), q, sort, desc, group: group === "none" ? "" : group, device };
	const devices = meta.value?.devices ?? [];
	const sel = selection.value?.kind === "op" ? selection.value.id : null;
	const mix = (answer?.summary as { bound_mix?: { bound: string; pct: number }[] } | undefined)?.bound_mix;
	const columns = COLUMNS.filter((c) => (group === "none" || GROUPED.has(c.key)) && (c.key !== "device" || devices.length > 1));
	if (group !== "none")
		columns.push({ key: "count", title: "Count", width: "70px", num: true, render: (o) => fmtCount(o.count ?? 0) });
	return (
		<div class="with-drawer">
			<div class="page fill">
				<header class="page-head">
					<h1>Ops</h1>
					<Filter />
					<label>group by <select value={group} onChange={(e) => setParam("group", e.currentTarget.value === "none" ? null : e.currentTarget.value)}>
						{[["none", "nothing"], ["op", "op"], ["category", "category"]].map(([v, t]) => <option key={v} value={v}>{t}</option>)}
					</select></label>
					{devices.length > 1 && <label>device <select value={device} onChange={(e) => setParam("device", e.currentTarget.value)}>
						<option value="">all</option>{devices.map((d) => <option key={d.device} value={String(d.device)}>{d.device}</option>)}
					</select></label>}
					<span class="spacer" />
					<ExportLinks href={(fmt) => url(`t/${id}/export`, { fmt, what: "ops", ...query })} />
				</header>
				{mix && mix.length > 0 && <BoundMix mix={mix} />}
				<DataTable<OpRow> label="Ops" columns={columns} deps={[id, r?.t0, r?.t1, q, sort, desc, group, device].join("|")} gen={generation.value} sort={sort} desc={desc}
					onSort={(k, d) => {
						setParam("sort", k);
						setParam("desc", d ? "1" : null);
					}}
					load={async (offset, limit, s) => {
						const a = await api.ops(id, { ...query, offset, limit }, s);
						setAnswer(a);
						return a;
					}}
					rowClass={(o) => o.pct < 0.5 && group === "none" ? "small" : ""}
					selected={(o) => group === "none" && o.id === sel}
					onRow={(o) => {
						if (group !== "none")
							setParam("group", null), setParam("q", o.code);
						else if (sel === o.id && o.t0 !== null && o.t1 !== null)
							showOnTimeline(o.t0, o.t1, { kind: "op", id: o.id });
						else
							selection.value = { kind: "op", id: o.id };
					}}
					empty={q ? "No op matches the filter." : "This trace has no ops."} />
				<Footer a={answer} />
			</div>
			{sel !== null && <Drawer />}
		</div>
	);
}
