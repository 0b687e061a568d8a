// SPDX-License-Identifier: Apache-2.0
// The selected zone, op, lock span or critical path with its details, and what it highlights.
import { batch, computed, effect, signal } from "@preact/signals";
import { api, errorWords, isAbort } from "../api";
import { returned } from "../live";
import { litName, selection, traceId } from "../state";
import type { LockSpan, OpDetail, PathAnswer, ZoneDetail } from "../types";
import type { Lit } from "./raster";

export const zone = signal<ZoneDetail | null>(null);
export const op = signal<(OpDetail & { id: string }) | null>(null);
export const lockSpan = signal<(LockSpan & { track: number }) | null>(null);
export const path = signal<PathAnswer | null>(null);
export const selectError = signal<string | null>(null);

export const lit = computed<Lit>(() => {
	if (!op.value || op.value.zones.length === 0 || (selection.value?.kind === "op" && selection.value.gap))
		return { name: litName.value, zones: null };
	const zones = new Map<number, Set<number>>();
	for (const z of op.value.zones) {
		const s = zones.get(z.lane) ?? new Set<number>();
		s.add(z.idx);
		zones.set(z.lane, s);
	}
	return { name: null, zones };
});

let abort: AbortController | null = null;

/** At most one of them. */
function show(z: ZoneDetail | null, o: typeof op.value, l: typeof lockSpan.value, p: PathAnswer | null): void {
	batch(() => {
		zone.value = z;
		op.value = o;
		lockSpan.value = l;
		path.value = p;
	});
}

async function load(): Promise<void> {
	abort?.abort();
	const id = traceId.value, s = selection.value;
	selectError.value = null;
	if (id === null || s === null) {
		show(null, null, null, null);
		return;
	}
	const mine = abort = new AbortController();
	try {
		const z = s.kind === "zone" ? await api.zone(id, s, mine.signal) : null;
		const o = s.kind === "op" ? { ...await api.op(id, s.id, mine.signal), id: s.id } : null;
		const l = s.kind === "lock" ? { ...await api.lockSpan(id, { track: s.track, lane: s.lane, idx: s.idx }, mine.signal), track: s.track } : null;
		const p = s.kind === "path" ? await api.path(id, { t0: s.t0, t1: s.t1, track: s.track }, mine.signal) : null;
		if (!mine.signal.aborted)
			show(z, o, l, p);
	} catch (e) {
		if (!isAbort(e) && mine === abort) {
			selectError.value = errorWords(e);
			show(null, null, null, null);
		}
	}
}

let known: Promise<void> = Promise.resolve();

/** Resolves when the selection's details are loaded: a key pressed meanwhile applies to them. */
export async function whenKnown(): Promise<void> {
	let last;
	do {
		last = known;
		await last;
	} while (last !== known);
}

export function startSelection(): void {
	effect(() => {
		returned.value;
		known = load();
	});
}
