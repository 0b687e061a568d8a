// SPDX-License-Identifier: Apache-2.0
// What the timeline says of causes: critical paths, CPUs, rows that fold. SAMPLED is a recording with samples, of a Python
// program, a program with threads and locks, and one with a device.
import assert from "node:assert/strict";
import { test } from "node:test";
import { goTo, pagesOf, until } from "./browser.mjs";
import { openTimeline, scrollTo, settled } from "./timeline.mjs";

const withPage = pagesOf([process.env.SAMPLED]);

const hash = (page) => page.evaluate(() => location.hash);
const ask = (page, call) => page.evaluate(async (c) => (await fetch("/api/v1/t/0/" + c)).json(), call);

/** How many pixels of the canvas above the rows have the colour of paths. */
const pathPixels = (page) => page.evaluate(() => {
	const t = window.tachoTimeline, c = t.el.over, d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	const [r, g, b] = t.colors.path.match(/\w\w/g).map((h) => parseInt(h, 16));
	let n = 0;
	for (let k = 0; k < d.length; k += 4)
		n += d[k + 3] > 120 && Math.abs(d[k] - r) + Math.abs(d[k + 1] - g) + Math.abs(d[k + 2] - b) < 12;
	return n;
});

test("a critical path of the view: its line, its parts, other ends", () => withPage(async (page) => {
	await openTimeline(page);
	await scrollTo(page, "layers");
	assert.equal(await pathPixels(page), 0);
	await page.keyboard.press("c");
	const drawer = page.getByTestId("path");
	await drawer.waitFor();
	assert.ok(await until("a line", () => pathPixels(page), (n) => n > 100));
	assert.match(await hash(page), /sel=path:0:\d+/);
	const rows = drawer.getByTestId("path-parts").locator("li");
	assert.ok(await rows.count() > 5);
	assert.ok(await drawer.getByTestId("path-help").locator("li").count() > 1);
	// What the server says covers the range.
	const answer = await ask(page, "path");
	const sum = answer.segments.reduce((a, s) => a + s[1] - s[0], 0);
	assert.ok(Math.abs(sum - (answer.t1 - answer.t0)) < 10, `${sum} of ${answer.t1 - answer.t0}`);
	assert.ok(answer.segments.some((s) => s[3] !== answer.track), "it goes over several threads");
	// A part leads to where it is.
	const before = await page.evaluate(() => window.tachoTimeline.motion.goal);
	await rows.first().locator("button").click();
	await until("shown", () => page.evaluate(() => window.tachoTimeline.motion.goal), (v) => v.t1 - v.t0 < before.t1 - before.t0);
	// To the end of another thread, also after a reload.
	const other = await drawer.getByLabel("ends on").locator("option").nth(2).getAttribute("value");
	await drawer.getByLabel("ends on").selectOption(other);
	await until("its path", () => hash(page), (h) => h.includes(":" + other));
	await page.reload();
	await page.getByTestId("path").waitFor();
	assert.equal(await page.getByLabel("ends on").inputValue(), other);
	await page.keyboard.press("Escape");
	await until("no line", () => pathPixels(page), (n) => n === 0);
}, { expected: (text) => text.includes("willReadFrequently") }));

test("a critical path of a zone: through locks, or to the device and back", () => withPage(async (page) => {
	await openTimeline(page);
	const locked = await page.evaluate(async () => {
		const get = async (c) => (await fetch("/api/v1/t/0/" + c)).json();
		const lock = (await get("locks")).rows.sort((a, b) => b.wait_total - a.wait_total)[0];
		const row = (await get(`lock?track=${lock.track}`)).rows.find((r) => !r.all && r.waits > 0);
		const span = await get(`lock?track=${lock.track}&lane=${row.wait}&idx=0`);
		return get(`path?track=${span.thread}&t0=${span.start}&t1=${span.end}`);
	});
	const due = locked.parts.reduce((a, p) => a + (p.lock === null ? 0 : p.ns), 0);
	assert.ok(due > 0.9 * (locked.t1 - locked.t0), `${due} of ${locked.t1 - locked.t0} is due to the lock`);
	const device = await ask(page, "path?t0=" + (await ask(page, "op_lanes?dev=0")).rows[0][0]);
	assert.ok(device.parts.some((p) => p.op), "ops are on the path");
	const zone = await page.evaluate(async () => (await (await fetch("/api/v1/t/0/search?q=tacho_finish")).json()).rows.find((r) => r.kind === "zone"));
	const [z] = (await ask(page, `instances?name=${zone.name}&limit=1`)).rows;
	await goTo(page, `#/timeline?sel=zone:${z.lane}:${z.idx}`);
	await page.getByRole("button", { name: /Critical path C/ }).click();
	await page.getByTestId("path").waitFor();
	await settled(page);
	assert.match(await hash(page), new RegExp(`sel=path:${z.start}:\\d+:\\d+`));
}));
