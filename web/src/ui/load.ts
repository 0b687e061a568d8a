// SPDX-License-Identifier: Apache-2.0
// One server response in a component: requested when KEY changes; the old one stays until the new one arrives.
import { useEffect, useState } from "preact/hooks";
import { errorWords, isAbort } from "../api";
import { returned } from "../live";

export interface Loaded<T> {
	data: T | null;
	error: string | null;
	busy: boolean;
}

export function useLoad<T>(key: string | null, get: (signal: AbortSignal) => Promise<T>, delay = 0): Loaded<T> {
	const [state, set] = useState<Loaded<T>>({ data: null, error: null, busy: true });
	useEffect(() => {
		if (key === null) {
			set({ data: null, error: null, busy: false });
			return;
		}
		const a = new AbortController();
		set((s) => ({ ...s, busy: true }));
		const timer = setTimeout(() => get(a.signal).then(
			(data) => set({ data, error: null, busy: false }),
			(e) => {
				if (!isAbort(e))
					set({ data: null, error: errorWords(e), busy: false });
			}), delay);
		return () => {
			clearTimeout(timer);
			a.abort();
		};
	}, [key, returned.value]);
	return state;
}
