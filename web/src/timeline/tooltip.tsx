// SPDX-License-Identifier: Apache-2.0
// The tooltip. The name appears at once, exact figures follow.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { apart, fmtDur, fmtTime, shortName, signpostText } from "../format";
import { nameOf, nameRow } from "../names";
import type { LockSpan, ZoneDetail } from "../types";
import { spanText } from "./locks";
import type { Timeline } from "./controller";

export function Tooltip({ tl }: { tl: Timeline }) {
	const h = tl.hover.value;
	tl.plots.version.value;
	const [detail, setDetail] = useState<ZoneDetail | null>(null);
	const [span, setSpan] = useState<LockSpan | null>(null);
	const lock = h?.row?.lock ? h.row : null;
	const key = lock && h ? `${lock.key}@${Math.round(h.x)},${Math.round(h.y / 6)}` : h?.box ? `${h.box.lane}:${h.box.zone}` : h?.drawn ? `${h.drawn.stripe.lanes.join()}@${Math.round(h.x)}` : "";
	useEffect(() => {
		setDetail(null);
		setSpan(null);
		if (!h || (!h.drawn && !lock))
			return;
		const a = new AbortController();
		const timer = setTimeout(async () => {
			try {
				if (lock)
					setSpan(await tl.locks.spanAt(lock, h.y, h.t, tl.frame.ns, a.signal));
				const z = lock ? null : await tl.zoneAt(h);
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
	if (name === undefined && !message && !warning && value === null && !span && !(h.row?.kind === "heat" && track))
		return null;
	const right = h.x > tl.width - 340;
	const row = name === undefined ? undefined : nameRow(name);
	return (
		<div class="tooltip" style={{ left: right ? "auto" : `${h.x + 16}px`, right: right ? `${tl.width - h.x + 12}px` : "auto", top: `${Math.max(0, Math.min(h.y + 16, tl.el.body.clientHeight - 130))}px` }}>
			{warning && <div class="warn">{warning}</div>}
			{message && <div><b>{message.signpost ? "signpost" : "message"}</b> {message.signpost ? signpostText(message.text) : message.text}</div>}
			{span && <div><b>{spanText(span)}</b><div class="dim">at {fmtTime(span.start)}</div></div>}
			{value !== null && <div><b>{value}</b></div>}
			{name !== undefined && <div class="tip-name">{shortName(nameOf(name))}</div>}
			{detail && <div class="tip-figures"><b>{fmtDur(detail.duration)}</b>{detail.self !== null && detail.self !== detail.duration && <span> self {fmtDur(detail.self)}</span>}{(detail.wait ?? 0) > 0 && <span> waiting {fmtDur(detail.wait)}</span>}</div>}
			{detail && <div class="dim">at {fmtTime(detail.start)}</div>}
			{detail?.extras.slice(0, 4).map((e) => <div class="tip-text">{e.text ?? e.value}</div>)}
			{track && <div class="dim">{apart(h.row?.kind === "heat" ? track.name.replace(/\/\w+$/, "") : track.name)}{row?.[2] ? ` · ${row[2].split("/").pop()}:${row[3]}` : ""}</div>}
			{h.row?.kind === "heat" && <div class="dim">click to open this core</div>}
		</div>
	);
}
