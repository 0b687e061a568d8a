// SPDX-License-Identifier: Apache-2.0
// All calls by name, as wide as their time: an icicle, the root on top.
import { useState } from "preact/hooks";
import { fmtCount, fmtDur, fmtPct, shortName, wordsTake } from "../format";
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

function labelOf(n: FlameNode): string {
	return n.label ?? (n.name < 0 ? "all" : shortName(nameOf(n.name)));
}

/** The time of the nodes that a filter takes; those inside another do not count again. */
function foundTime(n: FlameNode, takes: (n: FlameNode) => boolean): number {
	return takes(n) ? n.total : n.children.reduce((sum, c) => sum + foundTime(c, takes), 0);
}

interface FlameProps {
	root: FlameNode;
	/** Words whose nodes are marked. */
	find?: string;
	/** A click on the node that is zoomed to. */
	onOpen?: (n: FlameNode) => void;
	/** Another colour than that of the name. */
	paint?: (n: FlameNode) => string;
	/** Other figures than time and count. */
	describe?: (n: FlameNode) => string;
}

export function Flame({ root, find: words = "", onOpen, paint, describe }: FlameProps) {
	const [zoom, setZoom] = useState<number[]>([]);
	const [over, setOver] = useState<FlameNode | null>(null);
	const list: Place[] = [];
	const top = find(root, zoom);
	const dark = theme.value === "dark";
	place(top, zoom, 0, 1, 0, list);
	const height = (list.reduce((a, p) => Math.max(a, p.depth), 0) + 1) * ROW;
	const shown = over ?? top;
	const takes = (n: FlameNode) => n !== root && wordsTake(words, labelOf(n));
	const isAll = (n: FlameNode) => n.name < 0 && n.label === undefined;
	if (root.total === 0)
		return <p class="note dim">Nothing in this range.</p>;
	return (
		<div class="flame">
			<p class="flame-head">
				<nav aria-label="Path in the flame graph">
					<button class="link" onClick={() => setZoom([])}>all</button>
					{zoom.map((_, i) => <span key={i}> › <button class="link" onClick={() => setZoom(zoom.slice(0, i + 1))}>{labelOf(find(root, zoom.slice(0, i + 1)))}</button></span>)}
				</nav>
				<span class="spacer" />
				{words && <span class="dim">found {fmtPct(100 * foundTime(root, takes) / root.total)} · </span>}
				<b>{labelOf(shown)}</b> {shown.where && <span class="dim">{shown.where}</span>} {describe ? describe(shown) : <>{fmtDur(shown.total)} {shown !== root && <>({fmtPct(100 * shown.total / root.total)}), self {fmtDur(shown.self)}, {fmtCount(shown.count)} {shown.label !== undefined ? "samples" : shown.count === 1 ? "zone" : "zones"}</>}</>}
			</p>
			<div class="flame-box" onPointerLeave={() => setOver(null)}>
				<div class="flame-rows" style={{ height: `${height}px` }}>
					{list.map((p) => {
						const name = labelOf(p.node), h = hashText(p.node.where ?? name), at = words !== "" && takes(p.node);
						const own = at || p.node === root ? undefined : paint?.(p.node);
						const hue = p.node.where !== undefined ? h % 360 : 30 + h % 75;
						return (
							<button key={p.path.join(".") || "root"} tabIndex={p.w > 0.02 ? 0 : -1} aria-label={`${name}, ${describe ? describe(p.node) : fmtDur(p.node.total)}`}
								style={{ left: `${p.x * 100}%`, width: `${p.w * 100}%`, top: `${p.depth * ROW}px`, background: own ?? css(at ? oklch(dark ? 0.8 : 0.75, 0.17, 330) : isAll(p.node) || p.node === root || paint ? oklch(dark ? 0.62 : 0.85, 0.01, 250) : oklch((dark ? 0.72 : 0.82) + (h >>> 9) % 5 / 60, p.node.where !== undefined ? 0.07 : 0.1, hue)) }}
								onPointerEnter={() => setOver(p.node)} onFocus={() => setOver(p.node)}
								onClick={() => p.path.length !== zoom.length || p.node === root ? setZoom(p.path) : onOpen ? onOpen(p.node) : p.node.name >= 0 && go("statistics", { name: p.node.name })}>
								{p.w > 0.02 && <span>{name}</span>}
							</button>
						);
					})}
				</div>
			</div>
		</div>
	);
}
