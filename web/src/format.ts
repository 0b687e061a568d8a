// SPDX-License-Identifier: Apache-2.0
// Formats numbers for display.

const UNITS: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

function unitOf(ns: number): [number, string] {
	const a = Math.abs(ns);
	for (const u of UNITS)
		if (a >= u[0])
			return u;
	return UNITS[3];
}

/** Four figures: 1.234 ms, 12.34 ms, 123.4 ms. */
function figures(v: number): string {
	const a = Math.abs(v);
	return v.toFixed(a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3);
}

/** Isolates a name inside other text, so that right-to-left letters do not reorder it. */
export function apart(name: string): string {
	return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}

/** Longer times are shown in minutes, hours or days. */
const LONG = 1000e9;

function long(seconds: number): string {
	const s = Math.round(Math.abs(seconds)), m = Math.round(s / 60), h = Math.round(s / 3600);
	const text = s < 7200 ? `${Math.floor(s / 60)} min ${s % 60} s` : s < 172800 ? `${Math.floor(m / 60)} h ${m % 60} min` : `${Math.floor(h / 24)} d ${h % 24} h`;
	return (seconds < 0 ? "−" : "") + text;
}

/** A length of time: 1.234 ms, 1 h 20 min. */
export function fmtDur(ns: number | null | undefined): string {
	if (ns == null || !Number.isFinite(ns))
		return "–";
	if (ns === 0)
		return "0 ns";
	if (Math.abs(ns) >= LONG)
		return long(ns / 1e9);
	const [div, name] = unitOf(ns * 1.00005); // 999.96 ms would be 1000.0 ms
	return (div === 1 ? String(Math.round(ns * 100) / 100) : figures(ns / div)) + " " + (name === "us" ? "µs" : name);
}

/** A point in time, down to the nanosecond: 1.234 567 890 s. */
export function fmtTime(ns: number): string {
	const a = Math.round(Math.abs(ns));
	const neg = ns < 0 && a > 0 ? "−" : "";
	const s = Math.floor(a / 1e9);
	const frac = String(a % 1e9).padStart(9, "0");
	return `${neg}${fmtCount(s)}.${frac.slice(0, 3)} ${frac.slice(3, 6)} ${frac.slice(6)} s`;
}

/** A point in time as exact as STEP needs, for the ruler. */
export function fmtTick(ns: number, step: number): string {
	if (Math.abs(ns) < step / 2)
		return "0";
	const [div, name] = unitOf(Math.max(Math.abs(ns), step));
	const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(div / step) - 1e-9)));
	return (digits === 0 ? fmtCount(ns / div) : (ns / div).toFixed(digits)) + " " + (name === "us" ? "µs" : name);
}

export function fmtCount(n: number | null | undefined): string {
	if (n == null || !Number.isFinite(n))
		return "–";
	return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** 12.3 M */
export function fmtShort(n: number): string {
	for (const [div, name] of [[1e9, "G"], [1e6, "M"], [1e4, "k"]] as [number, string][])
		if (Math.abs(n) >= div)
			return (n / (name === "k" ? 1e3 : div)).toFixed(1) + " " + name;
	return fmtCount(n);
}

export function fmtBytes(n: number | null | undefined): string {
	if (n == null || !Number.isFinite(n))
		return "–";
	let v = n, i = 0;
	for (; Math.abs(v) >= 1024 && i < 5; i++)
		v /= 1024;
	return (i === 0 ? String(Math.round(v)) : figures(v)) + " " + ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][i];
}

export function fmtPct(v: number | null | undefined, digits = 1): string {
	return v == null || !Number.isFinite(v) ? "–" : v.toFixed(digits) + " %";
}

/** A plain number with at most four figures after the point. */
export function fmtNum(v: number | null | undefined): string {
	if (v == null || !Number.isFinite(v))
		return "–";
	if (Number.isInteger(v))
		return fmtCount(v).replace(/^-/, "−");
	return Math.abs(v) >= 1e6 || Math.abs(v) < 1e-3 ? v.toPrecision(4) : String(+v.toFixed(4));
}

/** The value of a plot in its own unit: 1 is bytes, 2 percent, 3 watts. */
export function fmtValue(v: number | null | undefined, format?: number): string {
	return format === 1 ? fmtBytes(v) : format === 2 ? fmtPct(v, 2) : format === 3 ? fmtNum(v) + " W" : fmtNum(v);
}

/** Removes prefixes that carry no information. */
export function shortName(name: string): string {
	return name.startsWith("PY_FUNC_") ? name.slice(8) : name;
}

/** The same for an op in a narrow column, where the shape matters more. */
export function shortOp(code: string): string {
	return code.replace(/^(\w+?)(Device)?Operation\b/, "$1");
}

/** The signpost's own text: the recorded one is `TT_SIGNPOST: header message`. */
export function signpostText(text: string): string {
	return text.replace(/^`?TT_SIGNPOST: /, "").replace(/`$/, "").replace(/\n/g, ": ");
}

/** The bound of an op as a word. */
export function boundName(bound: string): string {
	return bound === "" || bound === "none" ? "not known" : bound;
}

/** The same as a sentence. */
export function boundHint(bound: string): string {
	switch (bound) {
	case "DRAM": return "DRAM limits it";
	case "FLOP": return "arithmetic limits it";
	case "BOTH": return "DRAM and arithmetic are both near their limits";
	case "SLOW": return "slow, though neither DRAM nor arithmetic is busy";
	case "HOST": return "runs on the host";
	default: return "its bound is unknown";
	}
}

/** Cuts the middle, because names differ at both ends. */
export function elide(s: string, chars: number): string {
	if (s.length <= chars)
		return s;
	if (chars < 3)
		return s.slice(0, Math.max(0, chars));
	let head = Math.ceil((chars - 1) * 0.6), tail = s.length - (chars - 1 - head);
	if (/[\ud800-\udbff]/.test(s[head - 1])) // do not split a surrogate pair
		head--;
	if (/[\udc00-\udfff]/.test(s[tail]))
		tail++;
	return s.slice(0, head) + "…" + s.slice(tail);
}

/** What the host did in a gap: "kernel compile 1.05 s, dispatch 30 µs". */
export function causeWords(causes: { cause: string; us: number }[]): string {
	return causes.slice(0, 3).map((c) => `${c.cause} ${fmtDur(c.us * 1000)}`).join(", ");
}

export function baseName(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}

/** 1, 2, 5 times a power of ten: the distance of ruler ticks. */
export function niceStep(raw: number): number {
	const p = Math.pow(10, Math.floor(Math.log10(raw)));
	const f = raw / p;
	return (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10) * p;
}

/** The server's text filter "a,b,-c", for a list that is already loaded. */
export function wordsTake(q: string, text: string): boolean {
	const words = q.toLowerCase().split(",").map((w) => w.trim()).filter(Boolean);
	const t = text.toLowerCase();
	const yes = words.filter((w) => !w.startsWith("-"));
	return (yes.length === 0 || yes.some((w) => t.includes(w))) && !words.some((w) => w.length > 1 && w.startsWith("-") && t.includes(w.slice(1)));
}
