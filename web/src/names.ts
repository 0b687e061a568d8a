// SPDX-License-Identifier: Apache-2.0
// The source locations of the trace: fetched in the background, looked up by number.
import { signal } from "@preact/signals";
import { api } from "./api";
import { baseName } from "./format";
import type { NameRow } from "./types";

let table: NameRow[] = [];
let owner = "";
let running: Promise<void> | null = null;
/** Grows when names arrived. */
export const namesVersion = signal(0);

export function nameOf(id: number): string {
	return table[id]?.[0] || table[id]?.[1] || (id < 0 ? "all" : `#${id}`);
}

export function nameRow(id: number): NameRow | undefined {
	return table[id];
}

/** Short source location: several zones may share a name. */
export function sourceOf(id: number): string {
	const row = table[id];
	return row?.[2] ? `${baseName(row[2])}:${row[3]}` : "";
}

export function nameCount(): number {
	return table.length;
}

async function load(trace: number, key: string, total: number): Promise<void> {
	while (owner === key && table.length < total) {
		const part = await api.names(trace, table.length);
		if (owner !== key || part.names.length === 0)
			return;
		table.push(...part.names);
		total = part.total;
		namesVersion.value++;
	}
}

/** Fetches the names of a trace unless they are loaded or pending. */
export function loadNames(trace: number, tag: string, total: number): void {
	const key = `${trace}:${tag}`;
	if (owner !== key) {
		owner = key;
		table = [];
		running = null;
	}
	if (running || table.length >= total)
		return;
	const mine = load(trace, key, total).catch(() => undefined).finally(() => {
		if (running === mine)
			running = null;
	});
	running = mine;
}
