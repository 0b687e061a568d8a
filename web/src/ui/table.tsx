// SPDX-License-Identifier: Apache-2.0
// A table of any length: rows are fetched in parts as they scroll into view; the server sorts.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { errorWords, isAbort } from "../api";
import { returned } from "../live";
import { fmtCount } from "../format";

export interface Column<T> {
	key: string;
	title: string;
	/** A width of CSS grid: "90px", "minmax(120px, 1fr)". */
	width: string;
	num?: boolean;
	/** The server's sort key; without one the column cannot be sorted. */
	sort?: string;
	hint?: string;
	render: (row: T, index: number) => ComponentChildren;
}

export interface Part<T> {
	rows: T[];
	total: number;
}

interface Props<T> {
	label: string;
	columns: Column<T>[];
	load: (offset: number, limit: number, signal: AbortSignal) => Promise<Part<T>>;
	/** The table is reset when this changes. */
	deps: string;
	/** The rows are reloaded when this changes; the old ones stay meanwhile. */
	gen?: number;
	sort?: string;
	desc?: boolean;
	onSort?: (key: string, desc: boolean) => void;
	onRow?: (row: T, index: number) => void;
	selected?: (row: T) => boolean;
	rowClass?: (row: T) => string;
	empty?: string;
	onTotal?: (total: number) => void;
	/** A row to scroll to and mark. KEY: which one; FIND: its index, or null if it is not in the table. */
	goal?: { key: string; find: (signal: AbortSignal) => Promise<number | null> };
	/** Shows the last rows and keeps them visible as more arrive. */
	tail?: boolean;
	/** The user scrolled away from them. */
	onLeaveTail?: () => void;
}

const ROW = 26;
const PART = 200;
/** Browsers cannot lay out more than this. */
const MAX_ROWS = 1_000_000;

/** Of a column of figures, in pixels. */
const WIDEST = 240;

let nextId = 0;

/** The least width of all columns together: below it the table scrolls sideways. */
function leastWidth<T>(columns: Column<T>[]): number {
	return columns.reduce((a, c) => a + parseFloat(/(\d+)px/.exec(c.width)?.[1] ?? "60") + 12, 12);
}

/** A drag that selects text is not a click. */
const DRAG_PX = 4;

export function DataTable<T>(p: Props<T>) {
	const [total, setTotal] = useState<number | null>(null);
	const [error, setError] = useState<string | null>(null);
	const [scroll, setScroll] = useState({ top: 0, height: 600 });
	const [at, setAt] = useState(-1);
	const [wider, setWider] = useState<Record<string, number>>({});
	const [, setVersion] = useState(0);
	const [id] = useState(() => `t${nextId++}`);
	const box = useRef<HTMLDivElement>(null);
	const store = useRef({ parts: new Map<number, T[]>(), asked: new Set<number>(), abort: new AbortController(), stale: false });

	const fetchPart = (n: number) => {
		const s = store.current;
		if (s.asked.has(n))
			return;
		s.asked.add(n);
		const { signal } = s.abort;
		p.load(n * PART, PART, signal).then((r) => {
			if (signal.aborted)
				return;
			if (s.stale) {
				s.parts.clear();
				s.stale = false;
			}
			s.parts.set(n, r.rows);
			setError(null);
			setTotal(r.total);
			p.onTotal?.(r.total);
			setVersion((v) => v + 1);
		}, (e) => {
			if (isAbort(e) || signal.aborted)
				return;
			if (s.stale && s.parts.size > 0) { // do not show rows of the previous query as the result
				s.parts.clear();
				setTotal(0);
			}
			setError(errorWords(e));
		});
	};

	const first = Math.max(0, Math.floor(scroll.top / ROW) - 6);
	const count = Math.min(total ?? 0, MAX_ROWS);
	const last = Math.min(count, Math.ceil((scroll.top + scroll.height) / ROW) + 6);

	useEffect(() => {
		const s = store.current;
		s.abort.abort();
		s.abort = new AbortController();
		s.asked.clear();
		s.stale = true;
		setAt(-1);
		if (box.current)
			box.current.scrollTop = 0;
		fetchPart(0);
		return () => s.abort.abort();
	}, [p.deps]);
	useEffect(() => {
		const s = store.current;
		if (total === null && error === null)
			return;
		s.asked.clear();
		s.stale = true;
		fetchPart(Math.floor(first / PART));
	}, [p.gen, returned.value]);
	useEffect(() => {
		if (total === null)
			return;
		for (let n = Math.floor(first / PART); n <= Math.floor(Math.max(first, last - 1) / PART); n++)
			fetchPart(n);
	});
	useEffect(() => {
		const b = box.current;
		if (!b)
			return;
		const see = () => setScroll({ top: b.scrollTop, height: b.clientHeight });
		const r = new ResizeObserver(see);
		r.observe(b);
		return () => r.disconnect();
	}, []);

	// A cut figure would lose its unit: widen its column.
	useLayoutEffect(() => {
		const more: Record<string, number> = {};
		p.columns.forEach((c, k) => {
			if (!c.num)
				return;
			for (const td of box.current?.querySelectorAll<HTMLElement>(`.tbody .tr > .td:nth-child(${k + 1})`) ?? [])
				if (td.scrollWidth > td.clientWidth + 0.5)
					more[c.key] = Math.max(more[c.key] ?? 0, Math.min(td.scrollWidth + 1, WIDEST));
		});
		if (Object.entries(more).some(([k, w]) => w > (wider[k] ?? 0)))
			setWider({ ...wider, ...more });
	});

	const before = useRef(0);
	const downAt = useRef(0);
	useEffect(() => {
		if (p.tail && box.current && total)
			box.current.scrollTop = box.current.scrollHeight;
	}, [p.tail, total]);

	// Once for each goal, and again when the order changes; not when the table grows, since the user may have scrolled.
	const reached = useRef("");
	const goalKey = p.goal ? `${p.deps}|${p.goal.key}` : "";
	useEffect(() => {
		const goal = p.goal;
		if (!goal || total === null || store.current.stale || reached.current === goalKey)
			return;
		reached.current = goalKey;
		const a = store.current.abort;
		goal.find(a.signal).then((i) => {
			if (!a.signal.aborted && i !== null && box.current) {
				setAt(i);
				box.current.scrollTop = Math.max(0, (i + 1) * ROW - box.current.clientHeight / 2);
			}
		}, () => { reached.current = ""; });
	});

	const rowAt = (i: number): T | undefined => store.current.parts.get(Math.floor(i / PART))?.[i % PART];
	const moveTo = (i: number) => {
		const b = box.current;
		const to = Math.max(0, Math.min(count - 1, i));
		setAt(to);
		if (!b)
			return;
		if (to * ROW < b.scrollTop)
			b.scrollTop = to * ROW;
		else if ((to + 2) * ROW > b.scrollTop + b.clientHeight)
			b.scrollTop = (to + 2) * ROW - b.clientHeight;
	};
	const key = (e: KeyboardEvent) => {
		const page = Math.max(1, Math.floor(scroll.height / ROW) - 2);
		const step: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1 };
		if (e.key in step) {
			moveTo(step[e.key]);
			e.preventDefault();
		} else if (e.key === "Enter" && e.target === box.current) {
			const row = rowAt(at);
			if (row !== undefined)
				p.onRow?.(row, at);
		}
	};
	const wide = p.columns.map((c) => wider[c.key] ? { ...c, width: `${wider[c.key]}px` } : c);
	const columns = wide.map((c) => c.width).join(" ");
	const least = leastWidth(wide);
	const rows = [];
	for (let i = first; i < last; i++) {
		const row = rowAt(i);
		const on = row !== undefined && (p.selected?.(row) ?? false);
		rows.push(
			<div key={i} id={`${id}-${i}`} role="row" aria-rowindex={i + 2} aria-selected={on} style={{ top: `${i * ROW}px`, gridTemplateColumns: columns }}
				class={"tr" + (on ? " selected" : "") + (i === at ? " at" : "") + (p.onRow ? " clickable" : "") + (row !== undefined && p.rowClass ? " " + p.rowClass(row) : "")}
				onPointerDown={(e) => { downAt.current = e.clientX; }}
				onClick={(e) => {
					if (Math.abs(e.clientX - downAt.current) > DRAG_PX && getSelection()?.type === "Range")
						return;
					setAt(i);
					if (row !== undefined)
						p.onRow?.(row, i);
				}}>
				{p.columns.map((c) => <div key={c.key} role="gridcell" class={c.num ? "td num" : "td"}>{row === undefined ? "" : c.render(row, i)}</div>)}
			</div>);
	}
	return (
		<div class="table" role="grid" aria-label={p.label} aria-rowcount={count + 1} aria-colcount={p.columns.length} tabIndex={0} ref={box} data-keys
			aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined} onKeyDown={key}
			onScroll={(e) => {
				const b = e.currentTarget;
				if (p.tail && b.scrollTop < before.current && b.scrollTop + b.clientHeight < b.scrollHeight - 2 * ROW)
					p.onLeaveTail?.();
				before.current = b.scrollTop;
				setScroll({ top: b.scrollTop, height: b.clientHeight });
			}}>
			<div class="thead" role="rowgroup" style={{ minWidth: `${least}px` }}>
				<div role="row" aria-rowindex={1} class="tr" style={{ gridTemplateColumns: columns }}>
					{p.columns.map((c) => (
						<div key={c.key} role="columnheader" class={c.num ? "td num" : "td"} title={c.hint} aria-sort={c.sort && c.sort === p.sort ? (p.desc ? "descending" : "ascending") : undefined}>
							{c.sort && p.onSort
								? <button onClick={() => p.onSort?.(c.sort as string, c.sort === p.sort ? !p.desc : c.num === true)}>{c.title}{c.sort === p.sort ? (p.desc ? " ▾" : " ▴") : ""}</button>
								: c.title}
						</div>
					))}
				</div>
			</div>
			<div class="tbody" role="rowgroup" style={{ height: `${count * ROW}px`, minWidth: `${least}px` }}>{rows}</div>
			{error !== null && <p class="note bad" role="alert">{error}</p>}
			{total === 0 && error === null && <p class="note dim">{p.empty ?? "Nothing here."}</p>}
			{total !== null && total > MAX_ROWS && <p class="note dim">The first {fmtCount(MAX_ROWS)} of {fmtCount(total)} rows; filter or choose a range to see others.</p>}
		</div>
	);
}
