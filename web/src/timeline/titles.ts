// SPDX-License-Identifier: Apache-2.0
// What a track is called beside other text.
import { apart } from "../format";
import { meta } from "../state";

/** "worker 1 (4545) · demo"; the process only where there are several. */
export function threadTitle(id: number): string {
	const m = meta.value, t = m?.tracks.find((k) => k.id === id);
	if (!m || !t)
		return "–";
	const p = m.processes.length > 1 ? m.processes.find((q) => q.id === t.process) : undefined;
	return t.kind === "core" ? t.name : `${apart(t.name)}${t.tid ? ` (${t.tid})` : ""}${p ? ` · ${apart(p.name)}` : ""}`;
}
