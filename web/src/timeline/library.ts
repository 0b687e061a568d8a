// SPDX-License-Identifier: Apache-2.0
// Finds depths of a thread with only library frames: they can be folded to lines, so that thirty rows of a
// test runner do not hide the five that matter.
import { computed, effect, signal } from "@preact/signals";
import { api } from "../api";
import { namesVersion } from "../names";
import { generation, meta } from "../state";
import { isLibrary, libraryMode } from "./colors";
import { laneList } from "./tiles";

/** Lanes that the server accepts in one request. */
const MOST = 512;

export class LibraryLanes {
	private readonly names = signal<[lane: number, names: number[]][]>([]);
	private readonly abort = new AbortController();
	private asked = "";
	private readonly stop: () => void;

	/** The lanes to fold. */
	readonly lanes = computed<ReadonlySet<number>>(() => {
		namesVersion.value;
		const fold = libraryMode.value === "fold" ? this.names.value.filter(([, names]) => names.length > 0 && names.every(isLibrary)) : [];
		return new Set(fold.map(([lane]) => lane));
	});

	constructor(private readonly trace: number) {
		this.stop = effect(() => {
			const m = meta.value;
			if (!m || libraryMode.value !== "fold")
				return;
			const lanes = m.tracks.filter((t) => t.kind === "thread" || t.kind === "fiber").flatMap((t) => t.lanes.map((l) => l[0])).slice(0, MOST);
			const key = generation.value + ":" + lanes.join();
			if (key === this.asked || lanes.length === 0)
				return;
			this.asked = key;
			void this.fetch(lanes);
		});
	}

	private async fetch(lanes: number[]): Promise<void> {
		try {
			this.names.value = (await api.laneNames(this.trace, laneList(lanes), this.abort.signal)).lanes;
		} catch {
			this.asked = ""; // retry on the next meta
		}
	}

	close(): void {
		this.stop();
		this.abort.abort();
	}
}
