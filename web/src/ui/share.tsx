// SPDX-License-Identifier: Apache-2.0
// A share as a bar with its figure.
import { fmtPct } from "../format";

/** MORE: a second part of the bar, paler, that the figure does not have. */
export function Share({ pct, more = 0 }: { pct: number | null; more?: number }) {
	if (pct === null)
		return null;
	const first = Math.max(0, Math.min(100, pct));
	return <span class="share"><span class="share-bar"><span style={{ width: `${first}%` }} />{more > 0 && <span class="more" style={{ width: `${Math.min(100 - first, more)}%` }} />}</span><span class="num">{fmtPct(pct)}</span></span>;
}
