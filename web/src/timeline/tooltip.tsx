// SPDX-License-Identifier: Apache-2.0
// The tooltip. The name appears at once, exact figures follow.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { apart, baseName, boundHint, fmtCount, fmtDur, fmtTime, shortName, signpostText } from "../format";
import { nameOf, nameRow } from "../names";
import type { LockSpan, Sample, ZoneDetail } from "../types";
import { spanText } from "./locks";
import type { Timeline } from "./controller";

export function Tooltip({ tl }: { tl: Timeline }) {
	const h = tl.hover.value;
	tl.plots.version.value;
	const [detail, setDetail] = useState<ZoneDetail | null>(null);
	const [span, setSpan] = useState<LockSpan | null>(null);
	const [sample, setSample] = useState<Sample | null>(null);
	const lock = h?.row?.lock ? h.row : null;
	const key = h?.state !== undefined ? `s${h.state}@${Math.round(h.x)}` : lock && h ? `${lock.key}@${Math.round(h.x)},${Math.round(h.y / 6)}` : h?.box ? `${h.box.lane}:${h.box.zone}` : h?.drawn ? `${h.drawn.stripe.lanes.join()}@${Math.round(h.x)}` : "";
	useEffect(() => {
		setDetail(null);
		setSpan(null);
		setSample(null);
		if (!h || (!h.drawn && !lock && h.state === undefined))
			return;
		const a = new AbortController();
		const timer = setTimeout(async () => {
			try {
				if (h.state !== undefined)
					setSample(await api.sample(tl.trace, { track: h.state, t: Math.max(0, h.t), res: Math.min(40, Math.ceil(Math.log2(Math.max(1, 2 * tl.frame.ns)))) }, a.signal));
				else if (lock)
					setSpan(await tl.locks.spanAt(lock, h.y, h.t, tl.frame.ns, a.signal));
				const z = lock || h.state !== undefined ? null : await tl.zoneAt(h);
				if (z && !a.signal.aborted)
					setDetail(await api.zone(tl.trace, z, a.signal));
			} catch {
				// without it the tooltip is shorter
			}
		}, 90);
		return () => {
			clearTimeout(timer);
			a.abort();
		};
	}, [key]);
	if (!h || h.y < 0)
		return null;
	const track = h.drawn?.stripe.track ?? h.row?.track ?? null;
	const message = h.row?.kind === "thread" && h.y < h.row.y + 8 ? tl.messages.at(tl.frame, h.x, h.row.track?.id) : null;
	const warning = tl.noteAt(h);
	const name = detail?.name ?? h.box?.name;
	const value = tl.plotAt(h);
	const hostOp = h.box && h.drawn && !h.drawn.stripe.device ? tl.hostOp(h.box.name, h.box.x0, h.box.x1) : null;
	const stack = sample?.sample?.stack ?? sample?.state?.stack ?? [];
	if (!h.op && !sample && name === undefined && !message && !warning && value === null && !span && !(h.row?.kind === "heat" && track))
		return null;
	const right = h.x > tl.width - 340;
	const row = name === undefined ? undefined : nameRow(name);
	return (
		<div class="tooltip" style={{ left: right ? "auto" : `${h.x + 16}px`, right: right ? `${tl.width - h.x + 12}px` : "auto", top: `${Math.max(0, Math.min(h.y + 16, tl.el.body.clientHeight - 130))}px` }}>
			{warning && <div class="warn">{warning}</div>}
			{message && <div><b>{message.signpost ? "signpost" : "message"}</b> {message.signpost ? signpostText(message.text) : message.text}</div>}
			{span && <div><b>{spanText(span)}</b><div class="dim">at {fmtTime(span.start)}</div></div>}
			{value !== null && <div><b>{value}</b></div>}
			{h.op && (h.op.gap
				? <><div class="tip-name">gap of {fmtDur(h.op.gap[1] - h.op.gap[0])}</div><div class="dim">before {h.op.op[3]}: click for what the host did</div></>
				: <><div class="tip-name">{h.op.op[6] > 1 ? `${fmtCount(h.op.op[6])} ops, the longest ` : ""}{h.op.op[3]}</div><div class="tip-figures"><b>{fmtDur(h.op.op[1] - h.op.op[0])}</b>{h.op.op[4] && <span> {h.op.op[4]}: {boundHint(h.op.op[4])}</span>}</div>{h.op.op[7] !== undefined && <div class="dim">dispatched {fmtDur(Math.abs(h.op.op[0] - h.op.op[7]))} {h.op.op[7] <= h.op.op[0] ? "before" : "after"} its start</div>}</>)}
			{sample && <>
				{sample.state && <div class="tip-name">{sample.state.name}{sample.state.lock_name ? ` ${sample.state.lock_name}` : ""} <b>{fmtDur(sample.state.end - sample.state.start)}</b></div>}
				{stack.slice(0, 10).map((f) => <div class="tip-text">{f.name}<span class="dim"> {f.file ? `${baseName(f.file)}:${f.line}` : f.library}</span></div>)}
				{!sample.state && !sample.sample && <div class="dim">no sample here</div>}
			</>}
			{hostOp && <div class="tip-name">{hostOp[3]}</div>}
			{name !== undefined && <div class="tip-name">{shortName(nameOf(name))}</div>}
			{detail && <div class="tip-figures"><b>{fmtDur(detail.duration)}</b>{detail.self !== null && detail.self !== detail.duration && <span> self {fmtDur(detail.self)}</span>}{(detail.wait ?? 0) > 0 && <span> waiting {fmtDur(detail.wait)}</span>}</div>}
			{detail && <div class="dim">at {fmtTime(detail.start)}</div>}
			{detail?.extras.slice(0, 4).map((e) => <div class="tip-text">{e.text ?? e.value}</div>)}
			{track && <div class="dim">{apart(h.row?.kind === "heat" ? track.name.replace(/\/\w+$/, "") : track.name)}{row?.[2] ? ` · ${row[2].split("/").pop()}:${row[3]}` : ""}</div>}
			{h.row?.kind === "heat" && <div class="dim">click to open this core</div>}
		</div>
	);
}
