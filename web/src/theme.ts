// SPDX-License-Identifier: Apache-2.0
// Dark or light: the system's preference until the user chooses. Colours of zones are made in OKLCH, so that all of a
// kind look equally bright; text on them is black or white, whichever has more contrast (always >= 4.5:1).
import { computed, effect, signal } from "@preact/signals";

export type Theme = "dark" | "light";

const system = window.matchMedia("(prefers-color-scheme: light)");
const systemLight = signal(system.matches);
system.addEventListener("change", (e) => { systemLight.value = e.matches; });

function stored(key: string): string | null {
	try {
		return localStorage.getItem(key);
	} catch {
		return null;
	}
}

export function store(key: string, value: string | null): void {
	try {
		if (value === null)
			localStorage.removeItem(key);
		else
			localStorage.setItem(key, value);
	} catch {
		// no storage: the choice lasts for this page only
	}
}

export { stored };

const first = stored("theme");
export const chosenTheme = signal<Theme | null>(first === "dark" || first === "light" ? first : null);
export const theme = computed<Theme>(() => chosenTheme.value ?? (systemLight.value ? "light" : "dark"));
export const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

export function switchTheme(): void {
	const to = theme.peek() === "dark" ? "light" : "dark";
	chosenTheme.value = to;
	store("theme", to);
}

effect(() => { document.documentElement.dataset.theme = theme.value; });

export type Rgb = [r: number, g: number, b: number];

export function oklch(l: number, c: number, hue: number): Rgb {
	const a = c * Math.cos(hue * Math.PI / 180), b = c * Math.sin(hue * Math.PI / 180);
	const l3 = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m3 = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s3 = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
	const gamma = (v: number) => {
		const x = Math.max(0, Math.min(1, v));
		return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
	};
	return [
		gamma(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3),
		gamma(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3),
		gamma(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.707614701 * s3),
	];
}

export function hashText(s: string): number {
	let h = 2166136261;
	for (let i = 0; i < s.length; i++)
		h = Math.imul(h ^ s.charCodeAt(i), 16777619);
	return h >>> 0;
}

export function luminance(c: Rgb): number {
	const lin = (v: number) => v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
	return 0.2126 * lin(c[0]) + 0.7152 * lin(c[1]) + 0.0722 * lin(c[2]);
}

/** True if black text is easier to read on it than white. */
export function wantsBlack(c: Rgb): boolean {
	return luminance(c) > 0.179;
}

export function css(c: Rgb): string {
	return `rgb(${c[0]},${c[1]},${c[2]})`;
}

/** The hues of the processors of a core, the same everywhere. */
export const RISC_COLORS: Record<string, Rgb> = {
	BRISC: [0xee, 0x9a, 0x00],
	NCRISC: [0x43, 0xcd, 0x80],
	TRISC0: [0x6c, 0xa6, 0xcd],
	TRISC1: [0x00, 0xc5, 0xd0],
	TRISC2: [0x8c, 0xdc, 0xe8],
	ERISC: [0xc9, 0x8b, 0xd9],
};

export function riscColor(risc: string | undefined): Rgb {
	return RISC_COLORS[(risc ?? "").replace("_", "").toUpperCase()] ?? [0x9a, 0xa5, 0xb5];
}

/** One hue from the background to full, for heat maps; v in 0..1. */
export function heat(v: number, dark: boolean): Rgb {
	const x = Math.max(0, Math.min(1, v));
	return dark ? oklch(0.28 + 0.56 * x, 0.03 + 0.13 * x, 70 - 15 * x) : oklch(0.96 - 0.5 * x, 0.02 + 0.13 * x, 60 - 15 * x);
}
