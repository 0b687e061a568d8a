// SPDX-License-Identifier: Apache-2.0
// Sharing what is shown: a file that opens without a server, a picture, a link.
import { useRef, useState } from "preact/hooks";
import { errorWords, url } from "../api";
import { offline, offlinePage } from "../offline";
import { entry, meta, page, traceId } from "../state";
import { announce } from "./live";

function save(blob: Blob, name: string): void {
	const a = document.createElement("a");
	a.href = URL.createObjectURL(blob);
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}

function fileName(end: string): string {
	return `${(entry.peek()?.name ?? "trace").replace(/\.\w+$/, "")}-${page.peek()}.${end}`;
}

/** The page as an SVG picture: its elements with their styles, canvases as images. */
async function picture(): Promise<{ svg: string; width: number; height: number }> {
	const shell = document.querySelector<HTMLElement>(".shell") as HTMLElement;
	const width = shell.clientWidth, height = shell.clientHeight;
	const copy = shell.cloneNode(true) as HTMLElement;
	const from = shell.querySelectorAll("canvas");
	copy.querySelectorAll("canvas").forEach((c, i) => {
		const img = document.createElement("img");
		img.src = from[i].toDataURL();
		img.setAttribute("class", c.getAttribute("class") ?? "");
		const { position, left, top } = getComputedStyle(from[i]);
		img.setAttribute("style", `${c.getAttribute("style") ?? ""};position:${position};left:${left};top:${top};width:${from[i].clientWidth}px;height:${from[i].clientHeight}px`);
		c.replaceWith(img);
	});
	copy.querySelectorAll("details").forEach((d) => d.removeAttribute("open"));
	shell.querySelectorAll<HTMLElement>(".tl-body, .table, .flame-box, .scroll").forEach((el, i) => {
		const mine = copy.querySelectorAll<HTMLElement>(".tl-body, .table, .flame-box, .scroll")[i];
		const inner = mine?.firstElementChild as HTMLElement | null;
		if (inner && el.scrollTop > 0)
			inner.style.marginTop = `-${el.scrollTop}px`;
	});
	const css = [...document.styleSheets].flatMap((s) => [...s.cssRules].map((r) => r.cssText)).join("\n").replaceAll(":root", ".shot").replace(/\b(html|body)\b(?=[\s,{])/g, ".shot") + "\n.shot * { scrollbar-width: none; }";
	const theme = document.documentElement.dataset.theme ?? "dark";
	const html = new XMLSerializer().serializeToString(copy);
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><style>${css.replace(/[<&]/g, (c) => c === "<" ? "&lt;" : "&amp;")}</style>` +
		`<foreignObject width="${width}" height="${height}"><div xmlns="http://www.w3.org/1999/xhtml" class="shot" data-theme="${theme}" style="width:${width}px;height:${height}px">${html}</div></foreignObject></svg>`;
	return { svg, width, height };
}

async function png(): Promise<Blob> {
	const p = await picture(), scale = Math.max(1, devicePixelRatio);
	const img = new Image();
	img.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(p.svg);
	await img.decode();
	const c = document.createElement("canvas");
	c.width = p.width * scale;
	c.height = p.height * scale;
	(c.getContext("2d") as CanvasRenderingContext2D).drawImage(img, 0, 0, c.width, c.height);
	return new Promise((done, fail) => c.toBlob((b) => b ? done(b) : fail(new Error("the picture cannot be made")), "image/png"));
}

/** What a reader of the file will look at first, whatever page it was exported from. */
function further(id: number): string[] {
	const t = `t/${id}/`, m = meta.peek();
	return [url("traces"), url(t + "meta"), url(t + "overview"), url(t + "flame", { limit: 2000 }),
		url(t + "stats", { sort: "self", desc: true, offset: 0, limit: 200 }),
		...(m?.has.ops ? [url(t + "ops", { sort: "row", desc: false, offset: 0, limit: 200 })] : [])];
}

export function ExportMenu() {
	const menu = useRef<HTMLDetailsElement>(null);
	const [busy, setBusy] = useState<string | null>(null);
	const run = (what: string, f: () => Promise<void>) => async () => {
		setBusy(what);
		try {
			await f();
			setBusy(null);
			if (menu.current)
				menu.current.open = false;
			announce(what + " done");
		} catch (e) {
			setBusy(errorWords(e));
		}
	};
	const id = traceId.value;
	if (id === null)
		return null;
	return (
		<details class="legend export" ref={menu} onToggle={() => setBusy(null)}>
			<summary>Export</summary>
			<div>
				{!offline && <button onClick={run("Page", async () => save(await offlinePage(id, further(id)), fileName("html")))} title="One file that opens without a server, with the data of this view">Page (HTML)</button>}
				<button onClick={run("Picture", async () => save(await png(), fileName("png")))}>Picture (PNG)</button>
				<button onClick={run("Picture", async () => save(new Blob([(await picture()).svg], { type: "image/svg+xml" }), fileName("svg")))}>Picture (SVG)</button>
				<button onClick={run("Link", () => navigator.clipboard.writeText(location.href))} title="Page, range, view, selection and open rows are in it">Copy link</button>
				{busy !== null && <p class="dim" role="status">{busy} …</p>}
			</div>
		</details>
	);
}
