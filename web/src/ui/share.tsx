// A share as a bar with its figure.
import { fmtPct } from "../format";

export function Share({ pct }: { pct: number | null }) {
	if (pct === null)
		return null;
	return <span class="share"><span class="share-bar"><span style={{ width: `${Math.max(0, Math.min(100, pct))}%` }} /></span><span class="num">{fmtPct(pct)}</span></span>;
}
