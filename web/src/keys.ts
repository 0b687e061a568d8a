// SPDX-License-Identifier: Apache-2.0
// Keys of the whole page. The timeline adds its own while it is shown.
import { signal } from "@preact/signals";
import { go, page, PAGES, type Range, range, selection, showOnTimeline } from "./state";
import { op } from "./timeline/select";
import { switchTheme } from "./theme";

export const helpOpen = signal(false);
let searchBox: HTMLInputElement | null = null;

export function setSearchBox(e: HTMLInputElement | null): void {
	searchBox = e;
}

interface Keys {
	down: (e: KeyboardEvent) => boolean;
	up: (e: KeyboardEvent) => void;
	release: () => void;
}

let timeline: Keys | null = null;

export function setTimelineKeys(k: Keys | null): void {
	timeline = k;
}

/** Words in backticks are shown as keys. */
export const KEYS: [group: string, keys: [key: string, text: string][]][] = [
	["Everywhere", [
		["`/`", "search"], ["`?`", "show this list"], ["`1` … `9`, `0`", "open a page"], ["`T`", "switch between dark and light"], ["`Esc`", "clear the selection, then the range"], ["`F`", "show the selected op on the timeline"],
	]],
	["Timeline, mouse", [
		["wheel", "zoom at the pointer"], ["`Shift` + wheel", "pan"], ["drag", "pan"], ["`Ctrl` or `Alt` + drag", "select a range"], ["middle button + drag", "select a range"],
		["click", "select a zone"], ["double click", "fit a zone, or the trace"], ["click on signposts, frames", "select the section or frame as the range"], ["wheel over the names", "scroll"],
	]],
	["Timeline, keys", [
		["`W` `S`", "zoom in, out"], ["`A` `D`", "pan left, right"], ["`←` `→`", "previous, next zone"], ["`↑` `↓`", "parent, first child"],
		["`,` `.`", "previous, next zone of the same name"], ["`[` `]`", "previous, next signpost"], ["`F`", "fit the selection"], ["`R`", "select the zone's time as the range"],
		["`C`", "show the critical path of the zone, the range or the view"], ["`M`", "set or remove a mark"], ["`N`", "write a note for the range or the moment under the pointer"], ["`P`", "pin or unpin the row under the pointer or of the selection"], ["`L`", "follow live data"], ["`Home`", "show the whole trace"], ["`Page Up` `Page Down`", "scroll"],
	]],
];

function typing(e: KeyboardEvent): boolean {
	const t = e.target as HTMLElement | null;
	return t !== null && (t.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(t.tagName));
}

/** Keys that buttons and tables need for themselves. */
function taken(e: KeyboardEvent): boolean {
	const t = e.target as HTMLElement | null;
	return (e.key.startsWith("Arrow") || e.key.startsWith("Page") || e.key === "Home" || e.key === "End") && t?.closest("[data-keys]") != null;
}

/** When the op selected on the ops page ran. */
function opTime(): Range | null {
	const o = page.peek() === "ops" ? op.peek()?.op : null;
	return o && o.t0 !== null && o.t1 !== null ? { t0: o.t0, t1: o.t1 } : null;
}

export function startKeys(): void {
	window.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || typing(e) || taken(e))
			return;
		if (document.querySelector("dialog[open]")) { // Escape closes it
			if (e.key === "?")
				helpOpen.value = false;
			return;
		}
		if (e.key === "?") {
			helpOpen.value = true;
		} else if (e.key === "/") {
			// focus now, or the next letters would act as timeline keys
			searchBox?.focus();
			searchBox?.select();
		} else if (e.key === "t" || e.key === "T") {
			switchTheme();
		} else if (/^[0-9]$/.test(e.key)) {
			go(PAGES[(+e.key + 9) % 10]);
		} else if (timeline && page.peek() === "timeline" && timeline.down(e)) {
			// done
		} else if ((e.key === "f" || e.key === "F") && opTime()) {
			const t = opTime() as Range;
			showOnTimeline(t.t0, t.t1);
		} else if (e.key === "Escape" && page.peek() !== "timeline") {
			if (page.peek() === "ops" && selection.peek())
				selection.value = null;
			else
				range.value = null;
		} else {
			return;
		}
		e.preventDefault();
	});
	window.addEventListener("keyup", (e) => timeline?.up(e));
	window.addEventListener("blur", () => timeline?.release());
}
