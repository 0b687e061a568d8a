// SPDX-License-Identifier: Apache-2.0
// A share as a bar with its figure.
import { fmtPct } from "../format";

/** MORE: a second, paler part of the bar that the figure does not include. */
export function Share({ pct, more = 0 }: { pct: number | null; more?: number }) {
	if (pct === null)
		return null;
	const first = Math.max(0, Math.min(100, pct));
	return <span class="share"><span class="share-bar"><span style={{ width: `${first}%` }} />{more > 0 && <span class="more" style={{ width: `${Math.min(100 - first, more)}%` }} />}</span><span class="num">{fmtPct(pct)}</span></span>;
}
