// How evenly the cores share the work of an op: the reason for many a slow one.
import { fmtDur } from "./format";
import type { OpDetail } from "./types";

/** The slowest by the mean. From here on it is worth a word. */
const UNEVEN = 1.5;

/** One sentence; "" when there is nothing to say. */
export function unevenWords(cores: OpDetail["cores"]): string {
	const times = cores.map((c) => c.kernel_ns);
	const max = Math.max(0, ...times), mean = times.reduce((a, t) => a + t, 0) / Math.max(1, times.length);
	if (times.length < 2 || max < UNEVEN * mean)
		return "";
	const idle = times.filter((t) => t < max / 4).length;
	return `The work is uneven: the slowest core takes ${fmtDur(max)}, the mean is ${fmtDur(mean)}${idle ? `; ${idle} of ${times.length} cores work less than a quarter as long` : ""}.`;
}
