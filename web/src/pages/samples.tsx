// SPDX-License-Identifier: Apache-2.0
// Sampled functions: as a flame graph from the top or from the bottom, as a list, and one function between its callers
// and its callees.
import { useMemo } from "preact/hooks";
import { api } from "../api";
import { baseName, fmtCount, fmtDur, fmtPct, wordsTake } from "../format";
import { generation, meta, params, setParam, traceId } from "../state";
import type { FlameNode, Stacks } from "../types";
import { STATE_COLORS } from "../timeline/states";
import { css } from "../theme";
import { Flame } from "../ui/flame";
import { useLoad } from "../ui/load";
import { DataTable } from "../ui/table";

const VIEWS: [string, string][] = [["down", "Top-down"], ["up", "Bottom-up"], ["list", "Functions"], ["lines", "Lines"]];
const LIMIT = 4000;

type Name = Stacks["names"][number];

function fresh(n: Name | null): FlameNode {
	return { name: -1, label: n ? n.name : "all", where: n ? [n.library, n.file ? baseName(n.file) : ""].filter(Boolean).join(" · ") : "", total: 0, self: 0, count: 0, children: [] };
}

/** The items of an answer, which are in tree order. */
export function treeOf(s: Stacks): FlameNode {
	const root = { ...fresh(null), total: s.total, count: s.samples };
	const path = [root];
	for (const [depth, n, total, self, samples] of s.items) {
		const node = { ...fresh(s.names[n]), total, self, count: samples };
		path.length = depth + 1;
		path[depth]?.children.push(node);
		path.push(node);
	}
	return root;
}

function add(to: FlameNode, from: FlameNode): void {
	to.total += from.total;
	to.self += from.self;
	to.count += from.count;
	for (const c of from.children) {
		let mine = to.children.find((k) => k.label === c.label && k.where === c.where);
		if (!mine)
			to.children.push(mine = { ...c, total: 0, self: 0, count: 0, children: [] });
		add(mine, c);
	}
}

/** All calls of a function merged; those inside another of its calls do not count again. */
function merged(root: FlameNode, label: string): FlameNode {
	const sum: FlameNode = { ...fresh(null), label };
	const walk = (n: FlameNode) => {
		if (n.label === label)
			add(sum, n);
		else
			n.children.forEach(walk);
	};
	root.children.forEach(walk);
	const sort = (n: FlameNode) => {
		n.children.sort((a, b) => b.total - a.total);
		n.children.forEach(sort);
	};
	sort(sum);
	return sum;
}

/** The callers of a function, nearest first, by the time in it. */
function callersOf(root: FlameNode, label: string): FlameNode {
	const sum: FlameNode = { ...fresh(null), label };
	const walk = (n: FlameNode, above: FlameNode[]) => {
		if (n.label !== label) {
			n.children.forEach((c) => walk(c, [n, ...above]));
			return;
		}
		let at = sum;
		for (const node of [null, ...above.slice(0, -1)]) {
			if (node) {
				let next = at.children.find((c) => c.label === node.label && c.where === node.where);
				if (!next)
					at.children.push(next = { ...node, total: 0, self: 0, count: 0, children: [] });
				at = next;
			}
			at.total += n.total;
			at.count += n.count;
		}
	};
	root.children.forEach((c) => walk(c, [root]));
	return sum;
}

/** What the threads did, as one bar. */
function StateBar({ query }: { query: Record<string, string | number | undefined> }) {
	const id = traceId.value as number;
	const r = useLoad(JSON.stringify([id, query, generation.value]), (s) => api.states(id, query, s));
	const all = (r.data?.total ?? []).reduce((a, b) => a + b, 0);
	if (!r.data || all <= 0)
		return null;
	const parts = r.data.total.map((ns, k) => [r.data?.states[k] ?? "", ns, k] as const).filter((p) => p[1] > all / 500);
	return (
		<div class="state-bar" role="img" aria-label={parts.map(([n, ns]) => `${n} ${fmtPct(100 * ns / all, 0)}`).join(", ")}>
			{parts.map(([n, ns, k]) => <span key={n} style={{ flexGrow: ns, background: css(STATE_COLORS[k] ?? [128, 128, 128]) }} title={`${n}: ${fmtDur(ns)}, ${fmtPct(100 * ns / all)}`}>{ns > all / 10 ? n : ""}</span>)}
		</div>
	);
}

function Functions({ s, of, q }: { s: Stacks; of: string; q: string }) {
	const sort = params.value.fsort ?? "self", desc = params.value.fdesc !== "0";
	const rows = s.items.map((i) => ({ ...s.names[i[1]], total: i[2], self: i[3], samples: i[4] })).filter((r) => wordsTake(q, `${r.name} ${r.library} ${r.file}`))
		.sort((a, b) => (sort === "name" ? a.name.localeCompare(b.name) : sort === "total" ? a.total - b.total : sort === "samples" ? a.samples - b.samples : a.self - b.self) * (desc ? -1 : 1));
	return (
		<DataTable label="Functions" deps={[of, q, sort, desc].join("|")} load={async (offset, limit) => ({ rows: rows.slice(offset, offset + limit), total: rows.length })}
			sort={sort} desc={desc} onSort={(k, d) => {
				setParam("fsort", k);
				setParam("fdesc", d ? null : "0");
			}}
			onRow={(r) => setParam("fn", r.name)} empty="No samples in this range."
			columns={[
				{ key: "name", title: "Function", width: "minmax(180px, 2fr)", sort: "name", render: (r) => <span title="its callers and callees">{r.name}</span> },
				{ key: "library", title: "Library", width: "minmax(120px, 1fr)", render: (r) => <span class="dim">{r.library}</span> },
				{ key: "file", title: "File", width: "minmax(110px, 1fr)", render: (r) => <span class="dim" title={r.file}>{r.file ? baseName(r.file) : ""}</span> },
				{ key: "self", title: "Self", width: "90px", num: true, sort: "self", render: (r) => fmtDur(r.self) },
				{ key: "selfp", title: "Self %", width: "70px", num: true, render: (r) => fmtPct(100 * r.self / Math.max(1, s.total)) },
				{ key: "total", title: "Total", width: "90px", num: true, sort: "total", render: (r) => fmtDur(r.total) },
				{ key: "samples", title: "Samples", width: "80px", num: true, sort: "samples", render: (r) => fmtCount(r.samples) },
			]} />
	);
}

function Butterfly({ fn, query, of }: { fn: string; query: Record<string, string | number | undefined>; of: string }) {
	const id = traceId.value as number;
	const down = useLoad("down" + of, (s) => api.stacks(id, { ...query, limit: LIMIT }, s));
	const callers = useMemo(() => down.data ? callersOf(treeOf(down.data), fn) : null, [down.data, fn]);
	const callees = useMemo(() => down.data ? merged(treeOf(down.data), fn) : null, [down.data, fn]);
	const whole = down.data?.total ?? 1;
	return (
		<div class="scroll">
			<p><button class="link" onClick={() => setParam("fn", null)}>all functions</button> › <b>{fn}</b>{callees && <> {fmtDur(callees.total)} ({fmtPct(100 * callees.total / Math.max(1, whole))}), self {fmtDur(callees.self)}</>}</p>
			<h3>Called by</h3>
			{callers && <Flame root={callers} onOpen={(n) => setParam("fn", n.label ?? null)} />}
			<h3>Calls</h3>
			{callees && <Flame root={callees} onOpen={(n) => setParam("fn", n.label ?? null)} />}
		</div>
	);
}

/** The lines of a file with their time, beside the text if the viewer has the file. */
function FileLines({ file, query, of }: { file: string; query: Record<string, string | number | undefined>; of: string }) {
	const id = traceId.value as number;
	const around = params.value.line;
	const r = useLoad(["lines", of, file, around].join("|"), (s) => api.sourceCost(id, { ...query, file, line: around }, s));
	if (r.error)
		return <p class="note bad" role="alert">{r.error}</p>;
	if (!r.data)
		return <p class="note dim">…</p>;
	const { lines, text, first = 1 } = r.data, whole = Math.max(1, r.data.total);
	const most = lines.reduce((a, l) => Math.max(a, l[2]), 1);
	const cost = new Map(lines.map((l) => [l[0], l] as const));
	const rows = text ? text.map((t, i) => [first + i, t] as const) : lines.map((l) => [l[0], ""] as const);
	const outside = lines.filter((l) => !rows.some((k) => k[0] === l[0])).sort((x, y) => y[2] - x[2]).slice(0, 8);
	return (
		<div class="scroll" data-testid="lines">
			{!text && <p class="note">Start with <code>--source DIR</code> to see the text of the files below DIR.</p>}
			{outside.length > 0 && <p class="dim">elsewhere in this file: {outside.map((l) => <><button key={l[0]} class="link" onClick={() => setParam("line", l[0])}>line {l[0]} ({fmtPct(100 * l[2] / whole)})</button> </>)}</p>}
			<table class="plain source-lines"><thead><tr><th scope="col">Self</th><th scope="col">Total</th><th scope="col">Line</th><th scope="col">Source</th></tr></thead><tbody>
				{rows.map(([n, t]) => {
					const c = cost.get(n);
					return (
						<tr key={n} class={c && c[2] > whole / 20 ? "hot" : ""}>
							<td class="num" style={c ? { background: `linear-gradient(to left, var(--accent-soft) ${100 * c[2] / most}%, transparent 0)` } : {}}>{c && c[2] > 0 ? fmtPct(100 * c[2] / whole) : ""}</td>
							<td class="num">{c ? fmtDur(c[1]) : ""}</td><td class="num dim">{n}</td><td><code>{t}</code></td>
						</tr>
					);
				})}
			</tbody></table>
		</div>
	);
}

/** Files by the time in their lines; one of them with its text. */
function Lines({ query, of, q }: { query: Record<string, string | number | undefined>; of: string; q: string }) {
	const id = traceId.value as number;
	const file = params.value.file;
	const r = useLoad(file !== undefined ? null : "files" + of, (s) => api.stacks(id, { ...query, by: "file", list: 1, limit: LIMIT }, s));
	if (r.error)
		return <p class="note bad" role="alert">{r.error}</p>;
	if (file !== undefined) {
		return <>
			<p><button class="link" onClick={() => {
				setParam("line", null);
				setParam("file", null);
			}}>all files</button> › <b>{file}</b></p>
			<FileLines file={file} query={query} of={of} />
		</>;
	}
	if (!r.data)
		return <p class="note dim">…</p>;
	const { names, total, items } = r.data;
	const rows = items.map((i) => ({ file: names[i[1]].file || names[i[1]].name, known: names[i[1]].file !== "", library: names[i[1]].library, total: i[2], self: i[3] }))
		.filter((k) => wordsTake(q, k.file)).sort((x, y) => y.self - x.self);
	return (
		<DataTable label="Files" deps={[of, q].join("|")} load={async (offset, limit) => ({ rows: rows.slice(offset, offset + limit), total: rows.length })}
			onRow={(k) => k.known && setParam("file", k.file)} empty="No samples in this range."
			columns={[
				{ key: "file", title: "File", width: "minmax(220px, 2fr)", render: (k) => <span title={k.file}>{k.file}</span> },
				{ key: "library", title: "Library", width: "minmax(120px, 1fr)", render: (k) => <span class="dim">{k.library}</span> },
				{ key: "self", title: "Self", width: "90px", num: true, render: (k) => fmtDur(k.self) },
				{ key: "selfp", title: "Self %", width: "70px", num: true, render: (k) => fmtPct(100 * k.self / Math.max(1, total)) },
				{ key: "total", title: "Total", width: "90px", num: true, render: (k) => fmtDur(k.total) },
			]} />
	);
}

/** FILTER: range and tracks. */
export function SamplesTab({ filter }: { filter: Record<string, string | number | undefined> }) {
	const id = traceId.value as number;
	const { q = "", fn } = params.value;
	const kind = VIEWS.find((v) => v[0] === params.value.view)?.[0] ?? "down", off = params.value.off === "1" ? 1 : undefined;
	const query = { ...filter, off };
	const of = JSON.stringify([id, query, generation.value]);
	const r = useLoad(fn || kind === "lines" ? null : kind + of, (s) => api.stacks(id, { ...query, up: kind === "up" ? 1 : undefined, list: kind === "list" ? 1 : undefined, limit: LIMIT }, s));
	const tree = useMemo(() => r.data && kind !== "list" ? treeOf(r.data) : null, [r.data]);
	if (!meta.value)
		return null;
	return (
		<section class="samples" data-testid="samples">
			<div class="options">
				{VIEWS.map(([key, title]) => <button key={key} aria-pressed={kind === key && !fn} onClick={() => {
					setParam("fn", null);
					setParam("file", null);
					setParam("view", key === "down" ? null : key);
				}}>{title}</button>)}
				<label class="check"><input type="checkbox" checked={off === 1} onChange={(e) => setParam("off", e.currentTarget.checked ? "1" : null)} /> blocked time instead of CPU time</label>
				<span class="spacer" />
				{r.data && !fn && <span class="dim">{fmtCount(r.data.samples)} {off ? "waits" : "samples"}, {fmtDur(r.data.total)}{r.data.lost ? `, ${fmtCount(r.data.lost)} lost` : ""}</span>}
			</div>
			<StateBar query={filter} />
			{r.error && <p class="note bad" role="alert">{r.error}</p>}
			{kind === "lines" && !fn ? <Lines query={query} of={of} q={q} /> : fn ? <Butterfly fn={fn} query={query} of={of} />
				: !r.data ? <p class="note dim">…</p>
					: kind === "list" ? <Functions s={r.data} of={of} q={q} />
						: tree && <div class="scroll"><Flame root={tree} find={q} onOpen={(n) => setParam("fn", n.label ?? null)} /></div>}
		</section>
	);
}
