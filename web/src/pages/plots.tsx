// SPDX-License-Identifier: Apache-2.0
// Plots of the range, one below the other, with one pointer for all.
import { api } from "../api";
import { fmtCount, fmtValue, wordsTake } from "../format";
import { generation, meta, params, traceId } from "../state";
import { Curve } from "../ui/curve";
import { Filter } from "../ui/filter";
import { useLoad } from "../ui/load";

export function PlotsPage() {
	const id = traceId.value;
	const gen = generation.value;
	const list = useLoad(id === null || !meta.value ? null : `${id}|${gen}`, (s) => api.plots(id as number, s));
	if (id === null)
		return <div class="page" />;
	const all = list.data?.rows ?? list.data?.plots ?? [];
	const shown = all.filter((p) => wordsTake(params.value.q ?? "", p.name));
	const process = (track: number) => {
		const t = meta.value?.tracks.find((k) => k.id === track);
		const p = (meta.value?.processes.length ?? 0) > 1 ? meta.value?.processes.find((k) => k.id === t?.process) : undefined;
		return p ? `pid ${p.pid} · ` : "";
	};
	return (
		<div class="page">
			<header class="page-head"><h1>Plots</h1>{all.length > 1 && <Filter />}<span class="spacer" />{all.length > 0 && <span class="dim">drag in a curve to set the range</span>}</header>
			{list.error && <p class="note bad" role="alert">{list.error}</p>}
			{list.data && all.length === 0 && <p class="dim">This trace has no plots. Programs record them with <code>TACHO_PLOT(name, value)</code>, in Python by <code>tracy.plot(name, value)</code>.</p>}
			{shown.slice(0, 60).map((p) => (
				<section class="plot-card" key={p.track}>
					<header><h2>{p.name}</h2><span class="dim">{process(p.track)}{fmtCount(p.count)} points, {fmtValue(p.min, p.format)} … {fmtValue(p.max, p.format)}</span></header>
					<Curve id={`${id}:${p.track}`} label={p.name} format={p.format} gen={gen} get={(res, i) => api.plot(id, { track: p.track, res, i })} />
				</section>
			))}
			{all.length > 0 && shown.length === 0 && <p class="dim">No plot matches the filter.</p>}
			{shown.length > 60 && <p class="dim">{shown.length - 60} more; filter to see them.</p>}
		</div>
	);
}
