// SPDX-License-Identifier: Apache-2.0
// Marks and notes: moments and spans of the trace with a text, kept in the URL, so that a link or an exported file has them.
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { fmtDur, fmtTime } from "../format";
import { type Mark, marks, range } from "../state";
import { Dialog } from "../ui/dialog";
import type { Timeline } from "./controller";

/** The time of the note that is being written; null: the dialog is closed. */
const noted = signal<{ t0: number; t1: number } | null>(null);

/** Longer texts would make URLs that mail programs cut. */
const LONGEST = 200;

/** Marks closer than this are one. */
const NEAR_PX = 5;

function near(tl: Timeline, t: number): Mark | undefined {
	return marks.peek().find((m) => m.t1 === m.t0 && Math.abs(m.t0 - t) < NEAR_PX * tl.frame.ns);
}

function put(list: Mark[]): void {
	marks.value = list.sort((a, b) => a.t0 - b.t0 || a.t1 - b.t1);
}

/** Sets a mark, or removes the one there. */
export function toggleMark(tl: Timeline, t: number): void {
	const m = near(tl, t);
	put(m ? marks.peek().filter((k) => k !== m) : [...marks.peek(), { t0: t, t1: t, text: "" }]);
}

/** Opens the notes, ready to write one for the range, or for the moment T. */
export function askNote(tl: Timeline, t: number): void {
	const r = range.peek(), m = near(tl, t);
	noted.value = r ? { t0: Math.round(r.t0), t1: Math.round(r.t1) } : { t0: m?.t0 ?? t, t1: m?.t0 ?? t };
}

function whenText(m: { t0: number; t1: number }): string {
	return m.t1 > m.t0 ? `${fmtTime(m.t0)}, ${fmtDur(m.t1 - m.t0)}` : fmtTime(m.t0);
}

export function Notes({ tl }: { tl: Timeline }) {
	const input = useRef<HTMLInputElement>(null);
	const at = noted.value;
	if (!at)
		return null;
	const close = () => { noted.value = null; };
	const old = marks.value.find((m) => m.t0 === at.t0 && m.t1 === at.t1);
	const save = () => {
		const text = (input.current?.value ?? "").trim().slice(0, LONGEST);
		put([...marks.peek().filter((m) => m !== old), { ...at, text }]);
		close();
	};
	return (
		<Dialog title="Notes" onClose={close}>
			<form class="note-form" onSubmit={(e) => {
				e.preventDefault();
				save();
			}}>
				<label>{whenText(at)} <input ref={input} type="text" aria-label="Note" maxLength={LONGEST} autoFocus value={old?.text ?? ""} /></label>
				<button type="submit">Save</button>
			</form>
			<p class="dim">Notes are part of the page's URL and of exported files.</p>
			<ul class="note-list">
				{marks.value.map((m) => (
					<li key={`${m.t0}-${m.t1}`}>
						<button class="link" onClick={() => {
							const room = m.t1 > m.t0 ? (m.t1 - m.t0) * 0.1 : 50 * tl.frame.ns;
							tl.fit({ t0: m.t0 - room, t1: m.t1 + room });
							close();
						}}>{m.text || "mark"}</button> <span class="dim">{whenText(m)}</span>
						<button class="link" aria-label={`Remove ${m.text || "mark"}`} onClick={() => put(marks.peek().filter((k) => k !== m))}>remove</button>
					</li>
				))}
			</ul>
		</Dialog>
	);
}
