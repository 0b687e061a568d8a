// SPDX-License-Identifier: Apache-2.0
// The range that filters every page, shown in the top bar.
import { fmtDur, fmtTime } from "../format";
import { page, range, showOnTimeline } from "../state";
import { Icon } from "./icons";

export function RangeChip() {
	const r = range.value;
	if (!r)
		return null;
	return (
		<span class="chip" data-testid="range-chip">
			<button class="chip-text" title={`${fmtTime(r.t0)} … ${fmtTime(r.t1)}${page.value === "timeline" ? "" : "\nshow on the timeline"}`} onClick={() => showOnTimeline(r.t0, r.t1)}>
				range {fmtDur(r.t1 - r.t0)} <span class="dim">from {fmtDur(r.t0)}</span>
			</button>
			<button class="icon-button" aria-label="Clear the range" title="Clear the range (Esc)" onClick={() => { range.value = null; }}><Icon name="close" size={11} /></button>
		</span>
	);
}
