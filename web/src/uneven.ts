// SPDX-License-Identifier: Apache-2.0
// How evenly the cores share the work of an op: a common reason for slow ops.
import { fmtDur } from "./format";
import type { OpDetail } from "./types";

/** Slowest core divided by the mean: from here on it is reported. */
const UNEVEN = 1.5;

/** One sentence; "" if the cores are even. */
export function unevenWords(op: OpDetail | null): string {
	const s = op?.spread;
	if (!op || !s || op.cores.length < 2 || s.imbalance === null || s.imbalance < UNEVEN)
		return "";
	return `The work is uneven: the slowest core takes ${fmtDur(s.max_ns)}, the mean is ${fmtDur(s.mean_ns ?? 0)}${s.idle ? `; ${s.idle} of ${op.cores.length} cores work less than a quarter as long` : ""}.`;
}
