// SPDX-License-Identifier: Apache-2.0
// The colour of a zone: by kind, by name, by thread or by processor.
import { signal } from "@preact/signals";
import { nameRow } from "../names";
import { hashText, oklch, store, stored, theme, wantsBlack } from "../theme";
import type { Rgb } from "../theme";
import type { Stripe } from "./layout";

export const COLOR_MODES = ["kind", "name", "thread", "processor"] as const;
export type ColorMode = typeof COLOR_MODES[number];

const first = COLOR_MODES.find((m) => m === stored("colors"));
export const colorMode = signal<ColorMode>(first ?? "kind");
export const LIBRARY_MODES = ["show", "dim", "fold"] as const;
/** Library frames: shown like others, dimmed, or dimmed and folded to lines where nothing else is. */
export const libraryMode = signal<typeof LIBRARY_MODES[number]>(LIBRARY_MODES.find((m) => m === stored("libraries")) ?? "show");

export function setColorMode(m: ColorMode): void {
	colorMode.value = m;
	store("colors", m);
}

export function setLibraryMode(m: typeof LIBRARY_MODES[number]): void {
	libraryMode.value = m;
	store("libraries", m);
}

const LIBRARY = /site-packages|dist-packages|\/_?pytest|pluggy|\/lib\/python3|^<frozen/;

export function isLibrary(name: number): boolean {
	return LIBRARY.test(nameRow(name)?.[2] ?? "");
}

/** Hue by kind: what the eye sorts by first. */
function kindHue(name: string, file: string, device: boolean): number {
	if (device)
		return 340;
	if (name.startsWith("PY_") || /\.py$|^</.test(file))
		return 75;
	if (/^TT_|^tt(nn)?::|^HW|Device|Program|Kernel|Enqueue/.test(name))
		return 250;
	return 165;
}

export interface Paint {
	rgb: Rgb;
	/** The pixel in ImageData's layout. */
	pixel: number;
	black: boolean;
}

function paint(rgb: Rgb): Paint {
	return { rgb, pixel: (0xff000000 | rgb[2] << 16 | rgb[1] << 8 | rgb[0]) >>> 0, black: wantsBlack(rgb) };
}

/** Shades of a thread or processor. */
const DEPTHS = 4;

export function mix(a: Rgb, b: Rgb, f: number): number {
	const g = 1 - f;
	const r = a[0] * g + b[0] * f, v = a[1] * g + b[1] * f, u = a[2] * g + b[2] * f;
	return (0xff000000 | (u & 255) << 16 | (v & 255) << 8 | (r & 255)) >>> 0;
}

/** The stripe has the colour of its thread or processor; zone names do not matter. */
export function tinted(s: Stripe): boolean {
	return s.tint !== null && s.device && colorMode.peek() !== "name";
}

/** The colour does not depend on the name at all. */
export function byThread(s: Stripe): boolean {
	return colorMode.peek() === "thread" && s.track !== null;
}

function threadKey(s: Stripe): string {
	return s.track ? s.track.process + s.track.name + (s.track.tid ?? "") : "";
}

function byName(id: number, mode: ColorMode, device: boolean, dark: boolean, dim: boolean): Paint {
	const row = nameRow(id);
	const name = row?.[0] || row?.[1] || String(id);
	const h = hashText(name);
	const spread = (h >>> 8) % 7 / 6 - 0.5;
	const l = (dark ? 0.70 : 0.80) + 0.10 * spread;
	if (dim && isLibrary(id))
		return paint(oklch(dark ? 0.36 : 0.92, 0.015, 250));
	if (mode === "name")
		return paint(oklch(l, 0.11, h % 360));
	if (row && row[4] !== 0)
		return paint([row[4] >> 16 & 255, row[4] >> 8 & 255, row[4] & 255]);
	return paint(oklch(l, 0.095, kindHue(name, row?.[2] ?? "", device) + ((h >>> 16) % 9 - 4) * 5));
}

/** Caches the paint of each name until the mode, the theme or the names change. */
export class Palette {
	private key = "";
	private host: Paint[] = [];
	private dev: Paint[] = [];
	private tinted = new Map<string, Paint>();
	private tables = new Map<string, Uint32Array>();
	private names = 0;
	private dark = true;

	/** Call before each drawing. */
	update(names: number): void {
		const key = [colorMode.peek(), theme.peek(), libraryMode.peek(), names].join();
		if (key === this.key)
			return;
		this.key = key;
		this.dark = theme.peek() === "dark";
		this.host = [];
		this.dev = [];
		this.tinted.clear();
		this.tables.clear();
		this.names = names;
	}

	/** The paint of a zone of a stripe. */
	of(s: Stripe, name: number): Paint {
		if (byThread(s))
			return s.tint && s.device ? this.tint(s.tint, s.depth) : this.thread(threadKey(s), s.depth);
		return s.tint && tinted(s) && !this.transfer(name) ? this.tint(s.tint, s.depth) : this.name(name, s.device);
	}

	/** Cached pixels by name for stripes like this one; 0 means not computed yet. */
	pixels(s: Stripe): Uint32Array {
		const key = tinted(s) ? [s.tint, s.depth % DEPTHS].join() : String(s.device);
		let t = this.tables.get(key);
		if (!t)
			this.tables.set(key, t = new Uint32Array(this.names));
		return t;
	}

	private name(id: number, device: boolean): Paint {
		const list = device ? this.dev : this.host;
		return list[id] ??= byName(id, colorMode.peek(), device, this.dark, libraryMode.peek() !== "show");
	}

	/** Transfers over the NoC stand out between the zones of a processor. */
	private transfer(name: number): boolean {
		return nameRow(name)?.[1] === "NOC";
	}

	/** Colour of a thread or processor, a little different at each depth. */
	tint(c: Rgb, depth: number): Paint {
		const key = c.join() + ":" + depth % DEPTHS;
		let p = this.tinted.get(key);
		if (!p) {
			const f = 1 - 0.09 * (depth % DEPTHS);
			p = paint([Math.round(c[0] * f), Math.round(c[1] * f), Math.round(c[2] * f)]);
			this.tinted.set(key, p);
		}
		return p;
	}

	private thread(text: string, depth: number): Paint {
		return this.tint(oklch(this.dark ? 0.70 : 0.78, 0.10, hashText(text) % 360), depth);
	}
}
