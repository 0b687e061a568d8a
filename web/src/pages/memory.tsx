// SPDX-License-Identifier: Apache-2.0
// Memory pools: use over time, and what was not freed at the end of the range.
import { api } from "../api";
import { fmtBytes, fmtCount, fmtTime, wordsTake } from "../format";
import { duration, generation, meta, params, range, rangeQuery, showOnTimeline, traceId } from "../state";
import type { Pool } from "../types";
import { Curve } from "../ui/curve";
import { Filter } from "../ui/filter";
import { useLoad } from "../ui/load";
import { SectionSelect } from "../ui/section";
import { DataTable } from "../ui/table";

function address(a: string | number): string {
	return typeof a === "number" ? "0x" + a.toString(16) : a;
}

function PoolView({ pool, id }: { pool: Pool; id: number }) {
	const thread = (t: number | null) => t === null ? "" : meta.value?.tracks.find((k) => k.id === t)?.name ?? "";
	const owner = meta.value?.tracks.find((k) => k.id === pool.track);
	const process = (meta.value?.processes.length ?? 0) > 1 ? meta.value?.processes.find((p) => p.id === owner?.process) : undefined;
	const half = duration.value / 200;
	return (
		<section class="plot-card">
			<header><h2>{pool.name || "memory"}</h2>{process && <span class="dim">pid {process.pid}</span>}</header>
			<div class="figures">
				<div><b>{fmtBytes(pool.current)}</b><span>in use at the end</span></div>
				<div><b>{fmtBytes(pool.peak)}</b><span>peak</span></div>
				<div><b>{fmtCount(pool.allocs)}</b><span>allocations</span></div>
				<div><b>{fmtCount(pool.frees)}</b><span>frees</span></div>
			</div>
			<Curve id={`${id}:m${pool.track}`} label={pool.name || "memory"} format={1} gen={generation.value} get={(res, i) => api.memoryTile(id, { track: pool.track, res, i })} />
			{pool.active.length === 0 ? <p class="dim">Everything was freed.</p> : <>
				<h3>Not freed <span class="dim">{fmtCount(pool.active_total)}{pool.active.length < pool.active_total ? `, the ${fmtCount(pool.active.length)} largest of them` : ""}</span></h3>
				<div class="short-table">
					<DataTable<Pool["active"][number]> label={`Not freed in ${pool.name || "memory"}`} deps={[id, pool.track, pool.active.length, range.value?.t1].join("|")}
						load={async (offset, limit) => ({ rows: pool.active.slice(offset, offset + limit), total: pool.active.length })}
						onRow={(a) => showOnTimeline(a.t - half, a.t + half)}
						columns={[
							{ key: "address", title: "Address", width: "160px", render: (a) => <code>{address(a.address)}</code> },
							{ key: "size", title: "Size", width: "110px", num: true, render: (a) => fmtBytes(a.size) },
							{ key: "t", title: "Allocated at", width: "170px", num: true, render: (a) => fmtTime(a.t) },
							{ key: "thread", title: "Thread", width: "minmax(100px, 1fr)", render: (a) => thread(a.thread) },
						]} />
				</div>
			</>}
		</section>
	);
}

/** Pools that are shown. */
const MOST = 60;

export function MemoryPage() {
	const id = traceId.value;
	const r = range.value;
	const m = useLoad(id === null || !meta.value ? null : [id, r?.t0, r?.t1, generation.value].join("|"), (s) => api.memory(id as number, rangeQuery(), s));
	if (id === null)
		return <div class="page" />;
	const all = m.data?.pools ?? [];
	const shown = all.filter((p) => wordsTake(params.value.q ?? "", p.name));
	return (
		<div class="page">
			<header class="page-head"><h1>Memory</h1>{all.length > 1 && <Filter />}<SectionSelect /></header>
			{m.error && <p class="note bad" role="alert">{m.error}</p>}
			{m.data?.pools.length === 0 && <p class="dim">This trace has no allocations. Programs record them with <code>tacho_alloc()</code> and <code>tacho_free()</code>; device buffers are recorded with <code>TT_METAL_MEM_PROFILER=1</code>.</p>}
			{shown.slice(0, MOST).map((p) => <PoolView key={p.track} pool={p} id={id} />)}
			{all.length > 0 && shown.length === 0 && <p class="dim">No pool matches the filter.</p>}
			{shown.length > MOST && <p class="dim">{fmtCount(shown.length - MOST)} more; filter to see them.</p>}
		</div>
	);
}
