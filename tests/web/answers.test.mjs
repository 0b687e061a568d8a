// SPDX-License-Identifier: Apache-2.0
// The page in a real browser: links of the NoC, zones between their callers and what they call, lines of sampled files, what
// differs between two recordings.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { axePath, goTo, pagesOf, until } from "./browser.mjs";

const here = process.env.HERE;
const [NOC, DEMO, SHARE, RECURSION] = [0, 1, 2, 3];
const withPage = pagesOf(["noc", "demo", "share", "recursion"].map((n) => `${here}/${n}.tacho`).concat("--source", process.env.SOURCE));

const get = (page, path) => page.evaluate(async (p) => (await fetch("/api/v1/" + p)).json(), path);

async function accessible(page) {
	await page.evaluate(readFileSync(axePath, "utf8"));
	const found = await page.evaluate(() => window.axe.run(document.querySelector("main"), { resultTypes: ["violations"] }));
	assert.deepEqual(found.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => [v.id, v.nodes[0].html]), []);
}

test("links of the NoC", () => withPage(async (page) => {
	await goTo(page, `#/cores?tr=${NOC}&metric=links`);
	const noc = await get(page, `t/${NOC}/noc?dev=0`);
	const rows = page.getByTestId("links").locator("tbody tr");
	await until("the busiest links", () => rows.count(), (n) => n === Math.min(12, noc.links.length));
	assert.equal(await page.locator(".link-map line").count(), noc.links.length);
	const busiest = noc.links.reduce((a, l) => l[4] + l[5] > a[4] + a[5] ? l : a);
	assert.match(await rows.first().innerText(), new RegExp(`^${busiest[0]},${busiest[1]}\\s+${busiest[3]}\\s+${busiest[2]}\\s`));
	await accessible(page);
	await page.getByLabel("count").selectOption("write");
	await until("writes only", () => page.locator(".link-map line").count(), (n) => n === noc.links.filter((l) => l[5] > 0).length);
	// One op: its part of the bytes.
	await page.getByLabel("Op after").click();
	await until("the op in the URL", () => page.evaluate(() => location.hash), (h) => /t0=/.test(h));
	await page.getByTestId("links").waitFor();
	await goTo(page, `#/cores?tr=${DEMO}&metric=links`);
	await page.getByText("This trace has no device").waitFor();
}));

test("zones from the bottom, and one between its callers and what it calls", () => withPage(async (page) => {
	await goTo(page, `#/statistics?tr=${DEMO}&tab=flame`);
	const boxes = page.locator(".flame-rows button");
	const down = await until("the graph", () => boxes.count(), (n) => n > 2);
	await page.getByRole("button", { name: "Bottom-up" }).click();
	await until("from the bottom", () => page.evaluate(() => location.hash), (h) => /view=up/.test(h));
	const up = (await get(page, `t/${DEMO}/flame?up=1`)).root.children;
	await until("innermost zones first", () => boxes.count(), (n) => n > 2 && n !== down);
	const names = (await get(page, `t/${DEMO}/names`)).names;
	const first = names[up[0].name][0] || names[up[0].name][1];
	assert.match(await boxes.nth(1).getAttribute("aria-label"), new RegExp(`^${first}, `));
	await boxes.nth(1).click();
	await until("zoomed", () => boxes.first().getAttribute("aria-label"), (t) => t.startsWith(first + ","));
	await boxes.first().click();
	await boxes.first().click();
	await goTo(page, `#/statistics?tr=${DEMO}&tab=flame&name=${up[0].name}`);
	const around = page.getByTestId("around");
	await until("callers and calls", () => around.locator(".flame").count(), (n) => n === 2);
	const total = (await get(page, `t/${DEMO}/flame?name=${up[0].name}`)).root;
	assert.match(await around.locator("p").first().innerText(), new RegExp(`${first}.*${total.count.toLocaleString("en")} zone`));
	await accessible(page);
	await around.getByRole("button", { name: "all zones" }).click();
	await until("all again", () => boxes.count(), (n) => n > 2);
}));

test("lines of a sampled file beside its text", () => withPage(async (page) => {
	const files = await get(page, `t/${SHARE}/stacks?by=file&list=1`);
	if (!files.samples)
		return; // the kernel does not let this user sample
	await goTo(page, `#/statistics?tr=${SHARE}&tab=samples&view=lines`);
	await page.getByText("sampled.c").first().click();
	const lines = page.getByTestId("lines");
	await lines.locator("tr.hot").first().waitFor();
	const file = files.names.map((n) => n.file).find((f) => f.endsWith("sampled.c"));
	const cost = await get(page, `t/${SHARE}/source_cost?file=${encodeURIComponent(file)}`);
	const most = cost.lines.reduce((a, l) => l[2] > a[2] ? l : a);
	const row = lines.locator("tbody tr").filter({ has: page.locator("td:nth-child(3)", { hasText: new RegExp(`^${most[0]}$`) }) });
	assert.equal(await row.locator("code").innerText(), cost.text[most[0] - cost.first]);
	assert.match(await row.locator("td").first().innerText(), /%$/);
	await accessible(page);
	await page.getByRole("button", { name: "all files" }).click();
	await page.getByRole("grid", { name: "Files" }).or(page.getByLabel("Files")).first().waitFor();
}));

test("what differs between two recordings, as one flame graph", () => withPage(async (page) => {
	for (const [what, call, a, b] of [["calls", "flame", NOC, DEMO], ["samples", "stacks", SHARE, RECURSION]]) {
		await goTo(page, `#/compare?a=${a}&b=${b}&what=${what}`);
		const tree = await get(page, `compare/${call}?a=${a}&b=${b}&limit=4000`);
		if (!tree.items.length)
			continue;
		const boxes = page.getByTestId("changes").locator(".flame-rows button");
		await until("the graph", () => boxes.count(), (n) => n > 1);
		const wide = tree.items.filter((i) => i.depth === 0).reduce((x, y) => y.a.share + y.b.share > x.a.share + x.b.share ? y : x);
		assert.match(await boxes.nth(1).getAttribute("aria-label"), /, A .* %.*, B .* %.*points/);
		assert.ok((await boxes.evaluateAll((l) => l.map((e) => e.getAttribute("aria-label")))).some((t) => t.startsWith(wide.name.slice(0, 20))), wide.name);
		await accessible(page);
	}
}));
