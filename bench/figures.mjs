// SPDX-License-Identifier: Apache-2.0
// How the benchmarks of the page print.

export const MB = (n) => ((n ?? 0) / 1048576).toFixed(1) + " MB";

export const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

export function quantiles(list) {
	const s = [...list].sort((a, b) => a - b);
	const q = (f) => s[Math.min(s.length - 1, Math.floor(f * s.length))].toFixed(1);
	return s.length ? `p50 ${q(0.5)}, p90 ${q(0.9)}, p99 ${q(0.99)} ms` : "none";
}

export function line(what, text, goal) {
	console.log(what.padEnd(13) + text + (goal ? `   (goal ${goal})` : ""));
}
