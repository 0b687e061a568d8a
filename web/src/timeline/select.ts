// The selected zone or op with all that is known of it; what is lit because of it.
import { computed, effect, signal } from "@preact/signals";
import { api, isAbort } from "../api";
import { litName, selection, traceId } from "../state";
import type { OpDetail, ZoneDetail } from "../types";
import type { Lit } from "./raster";

export const zone = signal<ZoneDetail | null>(null);
export const op = signal<(OpDetail & { id: string }) | null>(null);
export const selectError = signal<string | null>(null);

export const lit = computed<Lit>(() => {
	if (!op.value || op.value.zones.length === 0)
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

async function load(): Promise<void> {
	abort?.abort();
	const id = traceId.value, s = selection.value;
	selectError.value = null;
	if (id === null || s === null) {
		zone.value = null;
		op.value = null;
		return;
	}
	const mine = abort = new AbortController();
	try {
		if (s.kind === "zone") {
			const z = await api.zone(id, s, mine.signal);
			if (!mine.signal.aborted) {
				zone.value = z;
				op.value = null;
			}
		} else {
			const o = await api.op(id, s.id, mine.signal);
			if (!mine.signal.aborted) {
				op.value = { ...o, id: s.id };
				zone.value = null;
			}
		}
	} catch (e) {
		if (!isAbort(e) && mine === abort) {
			selectError.value = e instanceof Error ? e.message : String(e);
			zone.value = null;
			op.value = null;
		}
	}
}

export function startSelection(): void {
	effect(() => { void load(); });
}
