// SPDX-License-Identifier: Apache-2.0
// Selects the tracks of a page: all, those of a process or a device, or one thread. In the URL as "of".
import { meta, params, setParam } from "../state";
import { elide } from "../format";
import { isQueue } from "../timeline/layout";
import { laneList } from "../timeline/tiles";
import type { Track } from "../types";

/** The search box finds the rest. */
export const LISTED = 300;

function chosen(of: string | undefined): Track[] | null {
	const tracks = meta.value?.tracks.filter((t) => t.lanes.length > 0) ?? [];
	const n = +(of?.slice(1) ?? "");
	switch (of?.[0]) {
	case "h": return tracks.filter((t) => t.kind !== "core");
	case "p": return tracks.filter((t) => t.process === n && (t.kind !== "core" || isQueue(t)));
	case "d": return tracks.filter((t) => t.kind === "core" && t.device === n);
	case "t": return tracks.filter((t) => t.id === n);
	default: return null;
	}
}

/** The filter for the calls that take tracks. */
export function trackQuery(): { track?: string } {
	const list = chosen(params.value.of);
	return list?.length ? { track: laneList(list.map((t) => t.id)) } : {};
}

export function TrackSelect() {
	const m = meta.value;
	const tracks = m?.tracks.filter((t) => t.lanes.length > 0) ?? [];
	const threads = tracks.filter((t) => t.kind !== "core" || isQueue(t));
	const devices = [...new Set(tracks.filter((t) => t.kind === "core" && !isQueue(t)).map((t) => t.device ?? 0))];
	if (!m || tracks.length < 2)
		return null;
	const processes = m.processes.filter((p) => threads.some((t) => t.process === p.id));
	const option = (key: string, text: string) => <option key={key} value={key}>{text}</option>;
	return (
		<label>of <select aria-label="Tracks" value={params.value.of ?? ""} onChange={(e) => setParam("of", e.currentTarget.value)}>
			<option value="">all tracks</option>
			{threads.length > 0 && devices.length > 0 && option("h", "the host")}
			{processes.length > 1 && processes.map((p) => option("p" + p.id, `${p.name} (${p.pid})`))}
			{devices.map((d) => option("d" + d, `Device ${d}`))}
			{threads.length > 1 && <optgroup label="threads">{threads.slice(0, LISTED).map((t) => option("t" + t.id, `${elide(t.name || t.kind, 60)}${t.tid ? ` (${t.tid})` : ""}`))}</optgroup>}
		</select></label>
	);
}
