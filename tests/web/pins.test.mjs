// SPDX-License-Identifier: Apache-2.0
// The page in a real browser: rows of the timeline that stay at its top, and the way there. The file: ALL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf, until } from "./browser.mjs";
import { fit, openTimeline, settled } from "./timeline.mjs";

const withPage = pagesOf([process.env.ALL]);

const pins = (page) => page.evaluate(() => new URLSearchParams(location.hash.split("?")[1]).get("pin"));
const pinned = (page) => page.evaluate(() => window.tachoTimeline.rows.value.rows.filter((r) => r.pinned).map((r) => ({ kind: r.kind, label: r.label, pin: r.pin, open: r.open })));
const button = (page, label) => page.getByRole("button", { name: `Pin ${label}`, exact: true });

async function scroll(page, top) {
	await page.evaluate((t) => { window.tachoTimeline.el.body.scrollTop = t; }, top);
	await settled(page);
}

/** What is drawn from the top down to Y, as one number. */
const pixels = (page, y) => page.evaluate((h) => {
	const { base } = window.tachoTimeline.el;
	const c = Object.assign(document.createElement("canvas"), { width: base.width, height: h }).getContext("2d", { willReadFrequently: true });
	c.drawImage(base, 0, 0);
	return new Uint32Array(c.getImageData(0, 0, base.width, h).data.buffer).reduce((a, v) => Math.imul(a ^ v, 16777619), 7);
}, y);

test("a pinned thread stays while the others scroll", () => withPage(async (page, { idle }) => {
	await openTimeline(page);
	const rows = await page.evaluate(() => window.tachoTimeline.rows.value.rows.length);
	await button(page, "python main").focus();
	await page.keyboard.press("Enter");
	const [row] = await until("pinned", () => pinned(page), (l) => l.length === 1);
	assert.equal(row.label, "python main");
	assert.equal(await page.evaluate(() => window.tachoTimeline.rows.value.rows.length), rows + 1, "the row below is still there");
	await until("in the URL", () => pins(page), (p) => p === row.pin);
	assert.equal(await page.getByRole("group", { name: "Pinned rows" }).getByRole("button", { name: "Pin python main" }).getAttribute("aria-pressed"), "true");

	// a stretch in which it has zones
	await fit(page, await page.evaluate(async (pin) => {
		const get = async (call) => (await (await fetch("/api/v1/t/0/" + call)).json()).rows;
		const [n] = await get(`stats?sort=total&limit=1&track=${pin.slice(1)}`);
		const [z] = await get(`instances?sort=duration&desc=1&limit=1&name=${n.name}&track=${pin.slice(1)}`);
		return { t0: z.start - z.duration / 2, t1: z.start + 1.5 * z.duration };
	}, row.pin));
	await idle(); // marks of messages come later than zones
	const edge = await page.evaluate(() => window.tachoTimeline.edge);
	assert.ok(edge > 0);
	const before = await pixels(page, edge - 2);
	await scroll(page, 10000);
	assert.ok(await page.evaluate(() => window.tachoTimeline.el.body.scrollTop) > 0);
	assert.equal(await pixels(page, edge - 2), before, "it is drawn in the same place");
	const label = await page.getByRole("group", { name: "Pinned rows" }).boundingBox();
	assert.equal(label.y, (await page.locator(".tl-body").boundingBox()).y);

	// what is there is the pointer's, not what has scrolled below it
	const box = await page.evaluate(() => {
		const t = window.tachoTimeline, r = t.el.over.getBoundingClientRect();
		const d = t.drawnStripes().find((k) => k.row.pinned && k.boxes.length > 0);
		const b = d.boxes.reduce((a, c) => c.x1 - c.x0 > a.x1 - a.x0 ? c : a);
		return { x: r.left + (b.x0 + b.x1) / 2 / devicePixelRatio, y: r.top + d.y + d.stripe.h / 2, sel: `zone:${b.lane}:${b.zone}` };
	});
	await page.mouse.click(box.x, box.y);
	await until("selected", () => page.evaluate(() => new URLSearchParams(location.hash.split("?")[1]).get("sel")), (s) => s === box.sel);
	await page.waitForSelector(".drawer");

	await page.reload();
	await settled(page);
	await until("it is pinned again", () => pinned(page), (l) => l.length === 1 && l[0].pin === row.pin);
	await page.getByRole("group", { name: "Pinned rows" }).getByRole("button", { name: "Pin python main" }).click();
	await until("let go", () => pins(page), (p) => p === null);
	assert.deepEqual(await pinned(page), []);
}));

test("P pins the row under the pointer, of what is selected, or that has the focus", () => withPage(async (page) => {
	await openTimeline(page);
	const at = await page.evaluate(() => {
		const t = window.tachoTimeline, r = t.el.over.getBoundingClientRect(), row = t.rows.value.rows.find((k) => k.kind === "thread");
		return { x: r.left + t.width / 2, y: r.top + row.y + row.h / 2, pin: row.pin };
	});
	await page.mouse.move(at.x, at.y);
	await page.keyboard.press("p");
	await until("by the pointer", () => pins(page), (p) => p === at.pin);
	await page.mouse.move(2, 2);
	await page.getByTestId("timeline").focus();
	await page.keyboard.press("ArrowRight");
	const track = await until("a zone", () => page.evaluate(() => window.tachoTimeline.selectedZone()?.track ?? null), (t) => t !== null);
	const both = [...new Set([at.pin, `t${track}`])];
	if (both.length === 1)
		await page.keyboard.press("P");
	await page.keyboard.press("P");
	await until("of the zone", () => pins(page), (p) => p === both.join("~"));
	await page.locator(".row.device").first().focus();
	await page.keyboard.press("p");
	await until("that has the focus", () => pins(page), (p) => p === [...both, "d0"].join("~"));
	await page.keyboard.press("?");
	await page.waitForSelector("dialog");
	assert.match(await page.locator("dialog").innerText(), /P\s+pin or unpin the row/);
}));

test("the keyboard reaches the timeline at once", () => withPage(async (page) => {
	await openTimeline(page);
	await page.keyboard.press("Tab");
	await page.getByRole("button", { name: "Skip to the page" }).waitFor();
	await page.keyboard.press("Enter");
	assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "timeline");
}));

test("every kind of row, whatever hides it, and words that mean none", () => withPage(async (page) => {
	await openTimeline(page);
	const all = await until("locks and plots", () => page.evaluate(() => window.tachoTimeline.rows.value.rows.map((r) => ({ kind: r.kind, key: r.key, pin: r.pin, open: r.open }))), (l) => l.some((r) => r.kind === "lock"));
	const one = (kind) => all.find((r) => r.kind === kind && r.pin);
	const kinds = ["process", "thread", "device", "heat", "core", "plot", "lock"];
	const risc = await page.evaluate(async () => (await (await fetch("/api/v1/t/0/meta")).json()).tracks.find((t) => t.kind === "core").id);
	const list = [...kinds.map((k) => one(k).pin), `t${risc}`];
	const closed = all.filter((r) => ["process", "device", "group"].includes(r.kind)).map((r) => "-" + r.key);
	await openTimeline(page, `#/timeline?tr=0&rows=${closed.join("~")}&pin=${[...list, "t999999", "d77", "d0c99,99", "zz", "__proto__", list[0]].join("~")}`);
	const shown = await until("all of them", () => pinned(page), (l) => l.length === list.length);
	assert.deepEqual(shown.map((r) => r.kind), [...kinds, "risc"]);
	assert.deepEqual(shown.map((r) => r.pin), list);
	await page.getByRole("group", { name: "Pinned rows" }).locator(".row.core").click();
	await until("the core is open", () => pinned(page), (l) => l.length > list.length && l.some((r) => r.kind === "core" && r.open));
	assert.equal(await page.evaluate(() => window.tachoTimeline.rows.value.rows.filter((r) => !r.pinned && r.open).length), 0, "the others are as they were");
}));

test("more pinned rows than there is room for", () => withPage(async (page) => {
	await openTimeline(page);
	const all = await page.evaluate(() => window.tachoTimeline.rows.value.rows.filter((r) => r.pin).map((r) => r.pin));
	await openTimeline(page, `#/timeline?tr=0&pin=${all.join("~")}`);
	await until("pinned", () => pinned(page), (l) => l.length >= all.length);
	await scroll(page, 1e6);
	const { edge, height, below } = await page.evaluate(() => {
		const t = window.tachoTimeline;
		return { edge: t.edge, height: t.el.body.clientHeight, below: t.at(10, t.el.body.clientHeight - 3).row?.pinned };
	});
	assert.ok(edge <= 0.61 * height, `${edge} of ${height}`);
	assert.equal(below, false);
	await scroll(page, 0);
	assert.equal(await page.evaluate(() => window.tachoTimeline.at(10, 3).row.key), `pin-${all[0]}`);
}));
