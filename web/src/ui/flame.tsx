// SPDX-License-Identifier: Apache-2.0
// All calls by name, as wide as their time: an icicle, the root on top.
import { useState } from "preact/hooks";
import { elide, fmtCount, fmtDur, fmtPct, shortName } from "../format";
import { nameOf } from "../names";
import { go } from "../state";
import { css, hashText, oklch, theme } from "../theme";
import type { FlameNode } from "../types";

const ROW = 22;
const LEAST = 0.0012;

interface Place {
	node: FlameNode;
	path: number[];
	x: number;
	w: number;
	depth: number;
}

function place(node: FlameNode, path: number[], x: number, w: number, depth: number, out: Place[]): void {
	out.push({ node, path, x, w, depth });
	let at = x;
	const total = Math.max(1, node.total);
	node.children.forEach((c, i) => {
		const cw = w * c.total / total;
		if (cw > LEAST)
			place(c, [...path, i], at, cw, depth + 1, out);
		at += cw;
	});
}

function find(root: FlameNode, path: number[]): FlameNode {
	return path.reduce((n, i) => n.children[i] ?? n, root);
}

export function Flame({ root }: { root: FlameNode }) {
	const [zoom, setZoom] = useState<number[]>([]);
	const [over, setOver] = useState<FlameNode | null>(null);
	const list: Place[] = [];
	const top = find(root, zoom);
	const dark = theme.value === "dark";
	place(top, zoom, 0, 1, 0, list);
	const height = (list.reduce((a, p) => Math.max(a, p.depth), 0) + 1) * ROW;
	const shown = over ?? top;
	if (root.total === 0)
		return <p class="note dim">No zones in this range.</p>;
	return (
		<div class="flame">
			<p class="flame-head">
				<nav aria-label="Where the flame graph is">
					<button class="link" onClick={() => setZoom([])}>all</button>
					{zoom.map((_, i) => <span key={i}> › <button class="link" onClick={() => setZoom(zoom.slice(0, i + 1))}>{shortName(nameOf(find(root, zoom.slice(0, i + 1)).name))}</button></span>)}
				</nav>
				<span class="spacer" />
				<b>{shown.name < 0 ? "all" : shortName(nameOf(shown.name))}</b> {fmtDur(shown.total)} {shown.name >= 0 && <>({fmtPct(100 * shown.total / root.total)}), self {fmtDur(shown.self)}, {fmtCount(shown.count)} {shown.count === 1 ? "zone" : "zones"}</>}
			</p>
			<div class="flame-box" onPointerLeave={() => setOver(null)}>
				<div class="flame-rows" style={{ height: `${height}px` }}>
					{list.map((p) => {
						const name = p.node.name < 0 ? "all" : shortName(nameOf(p.node.name));
						const h = hashText(name);
						return (
							<button key={p.path.join(".") || "root"} tabIndex={p.w > 0.02 ? 0 : -1} aria-label={`${name}, ${fmtDur(p.node.total)}`}
								style={{ left: `${p.x * 100}%`, width: `${p.w * 100}%`, top: `${p.depth * ROW}px`, background: css(p.node.name < 0 ? oklch(dark ? 0.62 : 0.85, 0.01, 250) : oklch((dark ? 0.72 : 0.82) + (h >>> 9) % 5 / 60, 0.1, 30 + h % 75)) }}
								onPointerEnter={() => setOver(p.node)} onFocus={() => setOver(p.node)}
								onClick={() => p.path.length === zoom.length && p.node.name >= 0 ? go("statistics", { name: p.node.name }) : setZoom(p.path)}>
								{p.w > 0.02 && <span>{elide(name, Math.floor(p.w * 200))}</span>}
							</button>
						);
					})}
				</div>
			</div>
		</div>
	);
}
