// SPDX-License-Identifier: Apache-2.0
// One box over zones, ops, signposts, messages and tracks.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, errorWords, isAbort } from "../api";
import { fmtCount, fmtDur, shortName, signpostText } from "../format";
import { setSearchBox } from "../keys";
import { duration, go, litName, meta, selection, showOnTimeline, traceId, UNSET, view } from "../state";
import { sourceOf } from "../names";
import type { SearchRow } from "../types";
import { Icon } from "./icons";

function near(t: number): [number, number] {
	const v = view.peek();
	const half = Math.min((v.t1 - v.t0) / 2, duration.peek() / 20);
	return [t - half, t + half];
}

/** A track without zones in the view would be an empty row: shows its nearest zone. */
async function bringTrack(track: number): Promise<void> {
	const id = traceId.peek(), v = view.peek();
	const lane = meta.peek()?.tracks.find((t) => t.id === track)?.lanes[0]?.[0];
	if (id === null || lane === undefined || v === UNSET)
		return;
	const near = await api.hit(id, lane, Math.max(0, (v.t0 + v.t1) / 2), 50);
	if (near.idx === null)
		return;
	const z = await api.zone(id, { lane, idx: near.idx });
	const half = (v.t1 - v.t0) / 2, mid = (z.start + z.end) / 2;
	if (view.peek() === v && (z.end < v.t0 || z.start > v.t1))
		view.value = { t0: mid - half, t1: mid + half };
}

/** Where a hit leads to. */
function open(r: SearchRow): void {
	if (r.kind === "op" && r.id !== undefined) {
		go("ops", { id: r.id });
		selection.value = { kind: "op", id: r.id };
	} else if (r.kind === "op") {
		go("ops", { q: r.text });
	} else if (r.kind === "zone" && r.lane !== undefined && r.idx !== undefined) {
		const id = traceId.peek();
		if (id !== null)
			void api.zone(id, { lane: r.lane, idx: r.idx }).then((z) => showOnTimeline(z.start, z.end, { kind: "zone", lane: z.lane, idx: z.idx }));
	} else if (r.kind === "zone" && r.name !== undefined) {
		litName.value = r.name;
		go("statistics", { name: r.name });
	} else if (r.kind === "track" && r.track !== undefined) {
		go("timeline", { track: r.track });
		bringTrack(r.track).catch(() => undefined); // it stays an empty row
	} else if (r.t !== undefined) {
		showOnTimeline(...near(r.t));
	}
}

function note(r: SearchRow): string {
	if (r.kind === "zone")
		return [r.count === undefined ? "" : `${fmtCount(r.count)} zones`, r.name === undefined ? "" : sourceOf(r.name)].filter(Boolean).join(" · ");
	if (r.t !== undefined)
		return fmtDur(r.t);
	const t = r.kind === "track" ? meta.value?.tracks.find((k) => k.id === r.track) : undefined;
	const p = t && meta.value?.processes.find((q) => q.id === t.process);
	// threads of several processes have the same names
	return t ? [t.kind + (t.tid ? ` ${t.tid}` : ""), p ? p.name : ""].filter(Boolean).join(" · ") : "";
}

interface Answer {
	/** The query that it answers. */
	q: string;
	rows: SearchRow[];
	/** The number of messages searched, if there are more. */
	lookedAt?: number;
	/** Why there is none. */
	error?: string;
}

export function Search() {
	const [q, setQ] = useState("");
	const [answer, setAnswer] = useState<Answer | null>(null);
	const [at, setAt] = useState(0);
	const [shown, setShown] = useState(false);
	const input = useRef<HTMLInputElement>(null);
	const entered = useRef(false); // pressed before the response arrived
	const rows = answer?.rows ?? null;
	useEffect(() => {
		setSearchBox(input.current);
		return () => setSearchBox(null);
	}, []);
	useEffect(() => {
		const id = traceId.value;
		if (!q.trim() || id === null) {
			setAnswer(null);
			return;
		}
		const a = new AbortController();
		const timer = setTimeout(() => {
			api.search(id, q.trim(), a.signal).then((r) => {
				setAnswer({ q, rows: r.rows, lookedAt: r.messages_looked_at });
				setAt(0);
				if (entered.current && r.rows.length)
					choose(r.rows[0]);
				entered.current = false;
			}, (e) => {
				if (!isAbort(e))
					setAnswer({ q, rows: [], error: errorWords(e) });
			});
		}, 120);
		return () => {
			clearTimeout(timer);
			a.abort();
		};
	}, [q, traceId.value]);
	const choose = (r: SearchRow) => {
		setShown(false);
		input.current?.blur();
		open(r);
	};
	const key = (e: KeyboardEvent) => {
		if (e.key === "Escape") {
			setShown(false);
			input.current?.blur();
		} else if (rows?.length && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
			setAt((at + (e.key === "ArrowDown" ? 1 : rows.length - 1)) % rows.length);
			e.preventDefault();
		} else if (e.key === "Enter" && answer?.q !== input.current?.value) { // the list belongs to an older query
			entered.current = true;
		} else if (e.key === "Enter" && rows?.[at]) {
			choose(rows[at]);
		}
	};
	useEffect(() => document.getElementById(`hit-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
	const list = shown && rows !== null;
	return (
		<div class="search">
			<Icon name="search" size={14} />
			<input ref={input} type="text" placeholder="Search zones, ops, signposts, messages" aria-label="Search" value={q} role="combobox" autocomplete="off" spellcheck={false}
				aria-expanded={list} aria-controls="search-list" aria-autocomplete="list" aria-activedescendant={list && rows.length ? `hit-${at}` : undefined}
				onInput={(e) => {
					entered.current = false;
					setQ(e.currentTarget.value);
					setShown(true);
				}} onFocus={() => setShown(true)} onBlur={() => setShown(false)} onKeyDown={key} />
			<kbd aria-hidden="true">/</kbd>
			<ul id="search-list" role="listbox" aria-label="Search results" hidden={!list}>
				{rows?.map((r, i) => (
					<li key={i} id={`hit-${i}`} role="option" aria-selected={i === at} class={i === at ? "at" : ""} onPointerDown={(e) => {
						e.preventDefault();
						choose(r);
					}}>
						<span class={"tag " + r.kind}>{r.kind}</span><span class="hit-text">{r.kind === "signpost" ? signpostText(r.text) : shortName(r.text)}</span><span class="dim">{note(r)}</span>
					</li>
				))}
				{answer?.lookedAt !== undefined && <li class="none" role="option" aria-selected="false" aria-disabled="true">of messages the first {fmtCount(answer.lookedAt)}; the page Messages searches all</li>}
				{rows?.length === 0 && answer?.lookedAt === undefined && <li class="none" role="option" aria-selected="false" aria-disabled="true">{answer?.error ?? "Nothing found"}</li>}
			</ul>
		</div>
	);
}
