// SPDX-License-Identifier: Apache-2.0
// A page that works without its server: one file with the answers that it needs. Made by "Export" here and by
// "tacho view --html"; both store answers by the path and query of their request, without "v" and "enc".
import { decode, TILE_PX } from "./tilecode";

interface Recorded {
	hash: string;
	/** JSON answers. */
	texts: Record<string, string>;
	/** Binary answers, base64. */
	tiles: Record<string, string>;
}

const PREFIX = "/api/v1/";

/** The form under which an answer is stored: parameters in the order of their names. */
export function keyOf(url: string): string {
	const [path, query = ""] = url.replace(PREFIX, "").split("?");
	const words = query.split("&").filter((w) => w && !/^(v|enc)=/.test(w)).sort();
	return path + (words.length ? "?" + words.join("&") : "");
}

function read(): Recorded | null {
	const text = document.getElementById("recorded")?.textContent;
	return text ? JSON.parse(text) as Recorded : null;
}

const recorded = read();
export const offline = recorded !== null;
export const recordedHash = recorded?.hash ?? "";

function bytes(base64: string): ArrayBuffer {
	return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer;
}

/** Lanes of all stored tiles of zones, by call, track, resolution and number. */
let lanes: Map<string, Map<number, Uint8Array>> | null = null;

function params(key: string): [path: string, q: URLSearchParams] {
	const [path, query = ""] = key.split("?");
	return [path, new URLSearchParams(query)];
}

function place(path: string, q: URLSearchParams, i: number): string {
	return [path, q.get("track") ?? "", q.get("res"), i].join("|");
}

function readLanes(r: Recorded): Map<string, Map<number, Uint8Array>> {
	const found = new Map<string, Map<number, Uint8Array>>();
	for (const [key, text] of Object.entries(r.tiles)) {
		const [path, q] = params(key);
		if (!/\/(lock_)?tiles$/.test(path))
			continue;
		const [first, last] = (q.get("i") ?? "0").split("-").map(Number);
		const tiles = decode(bytes(text), (last ?? first) - first + 1) ?? [];
		tiles.forEach((t, k) => {
			const at = place(path, q, first + k);
			const mine = found.get(at) ?? new Map<number, Uint8Array>();
			for (const [lane, tile] of t) {
				const n = tile.busy.length ? tile.rects.length / 4 : 0xffffffff;
				const b = new Uint8Array(8 + (tile.busy.length ? 3 * TILE_PX + 16 * n : 0));
				new DataView(b.buffer).setUint32(0, lane, true);
				new DataView(b.buffer).setUint32(4, n, true);
				if (tile.busy.length) {
					b.set(tile.busy, 8);
					b.set(new Uint8Array(tile.dom.buffer, tile.dom.byteOffset, 2 * TILE_PX), 8 + TILE_PX);
					b.set(new Uint8Array(tile.rects.buffer, tile.rects.byteOffset, 16 * n), 8 + 3 * TILE_PX);
				}
				mine.set(lane, b);
			}
			found.set(at, mine);
		});
	}
	return found;
}

/** Tiles made of the stored lanes: another window asks for other lanes together. */
function tilesFor(r: Recorded, key: string): ArrayBuffer {
	lanes ??= readLanes(r);
	const [path, q] = params(key);
	const [first, last] = (q.get("i") ?? "0").split("-").map(Number);
	const wanted = (q.get("lanes") ?? "").split(",").flatMap((p) => {
		const [a, b] = p.split("-").map(Number);
		return Array.from({ length: (b ?? a) - a + 1 }, (_, k) => a + k);
	});
	const parts: Uint8Array[] = [];
	for (let i = first; i <= (last ?? first); i++) {
		const have = lanes.get(place(path, q, i));
		const mine = wanted.flatMap((l) => have?.get(l) ?? []);
		const head = new DataView(new ArrayBuffer(12));
		head.setUint32(0, 0x314c5454, true);
		head.setUint32(8, mine.length, true);
		parts.push(new Uint8Array(head.buffer), ...mine);
	}
	const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
	let at = 0;
	for (const p of parts) {
		out.set(p, at);
		at += p.length;
	}
	return out.buffer;
}

/** Parameters that follow the window: of another size, the nearest answer serves. */
const LOOSE = /^(t0|t1|least|res|i|limit)=/;

function loose(key: string): string {
	const [path, query = ""] = key.split("?");
	return path + "?" + query.split("&").filter((w) => !LOOSE.test(w)).join("&");
}

/** The stored answer to a request. */
export function offlineAnswer(url: string): Response {
	const r = recorded as Recorded, key = keyOf(url);
	if (/\/(lock_)?tiles\?/.test(key))
		return new Response(tilesFor(r, key));
	if (key in r.tiles)
		return new Response(bytes(r.tiles[key]));
	let text: string | undefined = r.texts[key];
	if (text === undefined && /\/(op_lanes|frames|overview|names|plots)\b/.test(key)) {
		const near = loose(key);
		text = Object.entries(r.texts).find(([k]) => loose(k) === near)?.[1];
	}
	return text === undefined
		? new Response(JSON.stringify({ error: "this file has no data for it: it was exported from another view" }), { status: 404 })
		: new Response(text);
}

/** The latest requests, so that an export has what they answered. */
const MOST = 1500;
const asked = new Map<string, string>();

export function noteRequest(url: string): void {
	const key = keyOf(url);
	asked.delete(key);
	asked.set(key, url);
	if (asked.size > MOST)
		asked.delete(asked.keys().next().value as string);
}

function base64(b: ArrayBuffer): string {
	let text = "";
	const all = new Uint8Array(b);
	for (let i = 0; i < all.length; i += 0x8000)
		text += String.fromCharCode(...all.subarray(i, i + 0x8000));
	return btoa(text);
}

async function textOf(url: string): Promise<string> {
	const r = await fetch(url, { credentials: "same-origin" });
	if (!r.ok)
		throw new Error(`the server answers ${r.status}`);
	return r.text();
}

/** One HTML file with the page, and the answers about TRACE that it has needed; EXTRA: further ones. */
export async function offlinePage(trace: number, extra: string[]): Promise<Blob> {
	const index = await textOf("/");
	const script = /<script[^>]* src="([^"]+)"/.exec(index)?.[1] ?? "", style = /<link[^>]*rel="stylesheet"[^>]* href="([^"]+)"/.exec(index)?.[1] ?? "";
	const [js, css] = [await textOf(script), await textOf(style)];
	const data: Recorded = { hash: location.hash, texts: {}, tiles: {} };
	const urls = [...asked.values()].filter((u) => !u.startsWith(`${PREFIX}t/`) || u.startsWith(`${PREFIX}t/${trace}/`));
	for (const u of [...new Set([...urls, ...extra])]) {
		const r = await fetch(u, { credentials: "same-origin" });
		if (!r.ok)
			continue;
		const key = keyOf(u);
		if (r.headers.get("content-type")?.startsWith("application/json"))
			data.texts[key] = await r.text();
		else
			data.tiles[key] = base64(await r.arrayBuffer());
	}
	const json = JSON.stringify(data).replace(/</g, "\\u003c");
	const safe = (t: string, tag: string) => t.replaceAll(`</${tag}`, `<\\/${tag}`);
	return new Blob([`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark light">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>Tacho</title><style>${safe(css, "style")}</style></head>
<body><div id="app"></div><script type="application/json" id="recorded">${json}</script>
<script type="module">${safe(js, "script")}</script></body></html>
`], { type: "text/html" });
}
