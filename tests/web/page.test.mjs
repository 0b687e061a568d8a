// SPDX-License-Identifier: Apache-2.0
// The page in a real browser, on a recording of a host program, Python and a device. The files: ALL, OTHER,
// and OPS, a table of ops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axePath, goTo, pagesOf, until } from "./browser.mjs";
import { findBox, openTimeline, settled, showZone, span, view } from "./timeline.mjs";

const PAGES = ["overview", "timeline", "ops", "cores", "statistics", "messages", "plots", "memory", "compare", "info"];
const MARKUP = "<img src=x onerror=alert(1)><b>bold</b>";
const withPage = pagesOf([`--source=${process.env.SOURCE}`, process.env.ALL, process.env.OTHER, process.env.OPS]);

async function axe(page, options) {
	await page.addScriptTag({ path: axePath });
	const found = await page.evaluate((o) => window.axe.run(document, o), { resultTypes: ["violations"], preload: false, ...options });
	return found.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
}

/** Waits until the drawer shows a zone of this name: names come in the background. */
async function title(page, name) {
	const h2 = page.locator('[data-testid="drawer"] h2');
	await until(`drawer of ${name}`, async () => await h2.count() ? h2.innerText() : "", (t) => t === name);
}

for (const scheme of ["dark", "light"])
	test(`each page opens and is accessible, ${scheme}`, () => withPage(async (page, p) => {
		for (const name of PAGES) {
			await goTo(page, `#/${name}`);
			await p.idle();
			assert.equal(await page.locator(`.rail a[aria-current="page"]`).count(), 1, name);
			assert.ok((await page.locator("main").innerText()).trim().length > 10, `${name} is empty`);
			assert.equal(await page.locator('main [role="alert"]').count(), 0, `${name}: ${await page.locator('main [role="alert"]').allInnerTexts()}`);
			// colours are all that differs between the schemes
			assert.deepEqual(await axe(page, scheme === "light" ? { runOnly: ["color-contrast"] } : {}), [], `${name}, ${scheme}`);
		}
	}, { scheme, bypassCSP: true }));

test("the page says what the trace is", () => withPage(async (page) => {
	await goTo(page, "#/overview");
	await page.waitForSelector(".cards .card");
	const text = await page.locator("main").innerText();
	assert.match(text, /zones/);
	assert.match(text, /layers/);
	assert.match(await page.title(), /Tacho/);
}));

test("wheel zooms at the pointer, Shift and drag pan", () => withPage(async (page) => {
	await openTimeline(page);
	const box = await page.getByTestId("timeline").boundingBox();
	const x = box.x + box.width * 0.7, y = box.y + 60;
	const timeAt = (v) => v.t0 + 0.7 * span(v);
	await page.mouse.move(x, y);
	const a = await view(page);
	await page.mouse.wheel(0, -240);
	const b = await until("zoom", () => view(page), (v) => span(v) < span(a) * 0.9);
	assert.ok(Math.abs(timeAt(a) - timeAt(b)) < span(a) * 0.005, "the time under the pointer moved");
	await page.keyboard.down("Shift");
	await page.mouse.wheel(0, 200);
	await page.keyboard.up("Shift");
	const c = await until("pan", () => view(page), (v) => v.t0 > b.t0);
	assert.ok(Math.abs(span(c) - span(b)) < 1, "panning zooms");
	await page.mouse.down();
	await page.mouse.move(x + 100, y, { steps: 4 });
	await page.mouse.up();
	const d = await until("drag", () => view(page), (v) => v.t0 < c.t0);
	assert.ok(Math.abs((c.t0 - d.t0) - 100 * span(c) / box.width) < span(c) * 0.01, "the drag follows the pointer");
	await until("URL", () => page.evaluate(() => location.hash), (h) => h.includes(`v0=${Math.round(d.t0)}`));
}));

test("panning over tiles that are here asks for nothing", () => withPage(async (page, p) => {
	await openTimeline(page);
	await p.idle();
	await page.evaluate(() => window.tachoTimeline.motion.pan(1000, false));
	await p.idle(); // marks of messages and frames ask for the new window; tiles must not
	const before = await page.evaluate(() => performance.getEntriesByType("resource").filter((e) => e.name.includes("/tiles")).length);
	await page.evaluate(() => window.tachoTimeline.motion.pan(2000, false));
	await page.waitForTimeout(300);
	await p.idle();
	assert.equal(await page.evaluate(() => performance.getEntriesByType("resource").filter((e) => e.name.includes("/tiles")).length), before);
	assert.ok(p.requests() > 0);
}));

test("a range is dragged, filters the pages, and goes", () => withPage(async (page) => {
	await openTimeline(page);
	const box = await page.getByTestId("timeline").boundingBox();
	const drag = async (button) => {
		await page.mouse.move(box.x + 200, box.y + 50);
		await page.mouse.down({ button });
		await page.mouse.move(box.x + 420, box.y + 60, { steps: 3 });
		await page.mouse.up({ button });
	};
	await page.keyboard.down("Control");
	await drag("left");
	await page.keyboard.up("Control");
	await page.waitForSelector('[data-testid="range-chip"]');
	assert.match(await page.evaluate(() => location.hash), /t0=\d+&t1=\d+/);
	await page.keyboard.press("5");
	await page.waitForSelector('main[data-page="statistics"]');
	assert.match(await page.locator("main").innerText(), /in \d/);
	await page.goBack();
	await page.waitForSelector('main[data-page="timeline"]');
	await page.getByLabel("Clear the range").click();
	assert.equal(await page.getByTestId("range-chip").count(), 0);
	await settled(page);
	await drag("middle");
	await page.waitForSelector('[data-testid="range-chip"]');
	await page.keyboard.press("Escape");
	await until("no range", () => page.getByTestId("range-chip").count(), (n) => n === 0);
}));

test("a zone is selected, fitted, and found again by its URL", () => withPage(async (page) => {
	await openTimeline(page);
	const b = await showZone(page, "layers", "tacho_device_open");
	await page.mouse.click(b.x, b.y);
	await title(page, "tacho_device_open");
	const hash = await until("URL", () => page.evaluate(() => location.hash), (h) => h.includes("sel=zone:"));
	await page.waitForSelector('[data-testid="drawer"] dl');
	await settled(page);
	const again = await findBox(page, "tacho_device_open");
	await page.mouse.dblclick(again.x, again.y);
	const z = await page.evaluate(() => window.tachoTimeline.selectedZone());
	await until("fit", () => view(page), (v) => v.t0 < z.start && v.t1 > z.end && span(v) < z.duration * 1.2);
	await page.reload();
	await title(page, "tacho_device_open");
	assert.ok(hash.startsWith("#/timeline"));
}));

test("keys", () => withPage(async (page) => {
	await openTimeline(page);
	const press = async (key, right) => {
		const v = await view(page);
		await page.keyboard.press(key);
		await until(`key ${key}`, () => view(page), (w) => right(v, w));
	};
	await press("w", (v, w) => span(w) < span(v));
	await press("s", (v, w) => span(w) > span(v));
	await press("w", (v, w) => span(w) < span(v));
	await press("d", (v, w) => w.t0 > v.t0);
	await press("a", (v, w) => w.t0 < v.t0);
	await press("[", (v, w) => w.t0 !== v.t0);
	await press("]", (v, w) => w.t0 !== v.t0);
	await page.keyboard.press("m");
	await until("mark", () => page.evaluate(() => location.hash), (h) => h.includes("marks="));
	await page.keyboard.press("ArrowRight");
	await page.waitForSelector('[data-testid="drawer"] h2');
	const sel = () => page.evaluate(() => new URLSearchParams(location.hash.split("?")[1]).get("sel"));
	// What is selected is known before the next key is of use.
	const known = () => until("selected", async () => {
		const z = await page.evaluate(() => window.tachoTimeline.selectedZone());
		return z !== null && await sel() === `zone:${z.lane}:${z.idx}`;
	});
	const walk = async (key) => {
		await known();
		const s = await sel();
		await page.keyboard.press(key);
		return until(`key ${key}`, sel, (t) => t !== s);
	};
	// The position of the first one in its lane depends on the recording's times.
	await known();
	const steps = await sel() === "zone:0:0" ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
	await walk(steps[0]);
	await walk(steps[1]);
	await known();
	await press("f", (v, w) => span(w) !== span(v) || w.t0 !== v.t0);
	assert.notEqual(await page.getByTestId("live-region").innerText(), "");
	await page.keyboard.press("r");
	await page.waitForSelector('[data-testid="range-chip"]');
	await page.keyboard.press("?");
	await page.waitForSelector("dialog[open]");
	await page.keyboard.press("Escape");
	await until("help closed", () => page.locator("dialog").count(), (n) => n === 0);
	await page.keyboard.press("t");
	await until("light", () => page.evaluate(() => document.documentElement.dataset.theme), (t) => t === "light");
	await page.keyboard.press("t");
	await page.keyboard.press("Escape");
	await until("nothing selected", sel, (s) => s === null);
}));

test("parent and child, same name before and after", () => withPage(async (page) => {
	await openTimeline(page);
	const b = await showZone(page, "layers", "TT_DNN_DEVICE_OP");
	await page.mouse.click(b.x, b.y);
	await title(page, "TT_DNN_DEVICE_OP");
	await page.keyboard.press("ArrowDown");
	await title(page, "tacho_enqueue");
	const hash = () => page.evaluate(() => location.hash);
	const first = await until("selected", hash, (h) => h.includes("sel=zone:"));
	const { prev, next } = await page.evaluate(() => window.tachoTimeline.selectedZone());
	assert.ok(prev !== null || next !== null);
	await page.keyboard.press(next !== null ? "." : ",");
	await until("another one", hash, (h) => h.includes("sel=zone:") && h !== first);
	await title(page, "tacho_enqueue");
	await page.keyboard.press("ArrowUp");
	await title(page, "TT_DNN_DEVICE_OP");
}));

test("search finds zones, signposts, messages and tracks", () => withPage(async (page) => {
	await openTimeline(page);
	const find = async (q, kind) => {
		await page.keyboard.press("/");
		await page.keyboard.type(q);
		await page.locator("#search-list li", { hasText: kind }).first().waitFor();
		return page.locator("#search-list li");
	};
	await find("epoch 1", "signpost");
	const before = await view(page);
	await page.keyboard.press("Enter");
	await until("moved", () => view(page), (v) => v.t0 !== before.t0);
	await find("hello from", "message");
	await page.keyboard.press("Escape");
	await find("python main", "track");
	await page.keyboard.press("Escape");
	await find("draw_fr", "zone");
	await page.keyboard.press("Enter");
	await page.waitForSelector('[data-testid="zone-detail"] h2');
	await find("nothing like this", "Nothing found");
	await page.keyboard.press("Escape");
}));

test("names that are markup are text", () => withPage(async (page) => {
	await goTo(page, "#/statistics?q=bold");
	await page.locator(".tbody .tr").first().waitFor();
	assert.equal(await page.locator(".tbody .tr .td").first().innerText(), MARKUP);
	await page.locator(".tbody .tr").first().click();
	await page.waitForSelector('[data-testid="zone-detail"] h2');
	assert.equal(await page.locator('[data-testid="zone-detail"] h2').innerText(), MARKUP);
	await goTo(page, "#/messages?q=hello");
	await page.locator(".tbody .tr").first().waitFor();
	assert.match(await page.locator(".tbody").innerText(), /<img src=x onerror/);
	assert.equal(await page.locator("img").count(), 0);
}));

test("statistics: sort, filter, histogram, instances, flame graph", () => withPage(async (page) => {
	await goTo(page, "#/statistics");
	const rows = page.locator(".split > .table .tbody .tr");
	await rows.first().waitFor();
	const cell = async (row, column) => (await rows.nth(row).locator(".td").nth(column).innerText()).trim();
	await page.getByRole("button", { name: /^Count/ }).click();
	await until("sorted", () => page.locator('[aria-sort="descending"]').innerText(), (t) => t.startsWith("Count"));
	const count = async (i) => +(await cell(i, 5)).replaceAll(",", "");
	await until("descending", async () => await count(0) >= await count(1) && await count(1) >= await count(2));
	await page.getByLabel("Filter").fill("stone,wood,-wood");
	await until("filtered", () => rows.count(), (n) => n === 1);
	assert.equal(await cell(0, 0), "stone");
	await rows.first().click();
	await page.waitForSelector(".histogram rect");
	const instances = page.locator(".instances .tbody .tr");
	await instances.first().waitFor();
	assert.ok(await instances.count() > 3);
	await page.getByLabel("group by").selectOption("parent");
	await until("groups", () => page.locator(".instances .table").innerText(), (t) => /job/.test(t));
	await page.getByLabel("group by").selectOption("none");
	await instances.first().click();
	await page.waitForSelector('main[data-page="timeline"]');
	await until("drawer", () => page.locator('[data-testid="drawer"] h2').count());
	await goTo(page, "#/statistics?tab=flame");
	await page.locator(".flame-rows button").nth(2).waitFor();
	await page.locator(".flame-rows button").nth(1).click();
	await until("zoomed", () => page.locator(".flame-head nav .link").count(), (n) => n === 2);
}));

test("dragging over the histogram chooses instances by their length", () => withPage(async (page) => {
	await goTo(page, "#/statistics?q=stone");
	await page.locator(".tbody .tr").first().click();
	const all = +(await page.locator(".tbody .tr").first().locator(".td").nth(5).innerText()).replaceAll(",", "");
	const count = async () => +await page.locator(".instances .table").getAttribute("aria-rowcount") - 1;
	await until("instances", count, (n) => n === all);
	assert.ok(!(await page.locator(".tbody .tr").first().innerText()).includes("100.0 %"), "a share of what the filter left");
	const box = await page.locator(".histogram svg").boundingBox();
	// The shortest is in the first bin and the longest in the last, whatever the others are.
	await page.mouse.move(box.x + 1, box.y + 40);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.9, box.y + 40, { steps: 3 });
	await page.mouse.up();
	const some = await until("some of them", count, (n) => n > 0 && n < all);
	await page.locator(".instances").getByRole("button", { name: "all" }).click();
	await until(`all, not ${some}`, count, (n) => n === all);
}));

test("rows of tables by keys", () => withPage(async (page) => {
	await goTo(page, "#/statistics");
	await page.locator(".tbody .tr").first().waitFor();
	await page.locator(".table").first().focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.waitForSelector('[data-testid="zone-detail"]');
}));

test("tables are sorted by keys", () => withPage(async (page) => {
	await goTo(page, "#/statistics");
	await page.locator(".tbody .tr").first().waitFor();
	await page.locator(".table").first().focus();
	await page.keyboard.press("Tab");
	await page.keyboard.press("Enter");
	const names = await until("by name", async () => ({ sort: await page.locator('[aria-sort="ascending"]').allInnerTexts(), first: await page.locator(".tbody .tr").first().innerText() }),
		(v) => /Zone/.test(v.sort.join()));
	await page.keyboard.press("Space");
	await until("the other way", () => page.locator(".tbody .tr").first().innerText(), (t) => t !== names.first);
	assert.equal(await page.locator('[aria-sort="descending"]').count(), 1);
}));

test("messages: a click shows the moment, a signpost gives a range", () => withPage(async (page) => {
	await goTo(page, "#/messages?signposts=1");
	await page.locator(".tr.signpost").first().waitFor();
	await page.getByText("range to next").first().click();
	await page.waitForSelector('[data-testid="range-chip"]');
	await page.locator(".tbody .tr").first().click();
	await page.waitForSelector('main[data-page="timeline"]');
}));

test("cores: metrics, and a core on the timeline", () => withPage(async (page) => {
	await goTo(page, "#/cores");
	await page.locator(".chip-grid button").first().waitFor();
	assert.match(await page.getByTestId("imbalance").innerText(), /^\d/);
	for (const metric of ["fw", "busy", "gap", "noc_bytes", "zones", "kernel"]) {
		await page.getByLabel("show").selectOption(metric);
		await until(metric, () => page.evaluate(() => performance.getEntriesByType("resource").some((e) => e.name.includes("metric=" + new URLSearchParams(location.hash.split("?")[1]).get("metric"))) || !location.hash.includes("metric")));
	}
	await page.locator(".chip-grid button.worker").first().click();
	await page.waitForSelector('main[data-page="timeline"]');
	await until("core is open", () => page.locator('.row.core[aria-expanded="true"]').count());
	await until("where the core worked", () => view(page), (v) => v.t0 > 0 && span(v) > 0);
}));

test("ops: the table, an op, its zones lit on the timeline", () => withPage(async (page) => {
	await goTo(page, "#/ops");
	const rows = page.locator(".tbody .tr");
	await rows.first().waitFor();
	assert.ok(await rows.count() >= 3);
	assert.match(await page.locator(".table").innerText(), /Matmul/);
	await page.getByLabel("Filter").fill("matmul");
	await until("filtered", () => rows.first().innerText(), (t) => t.includes("Matmul"));
	await rows.first().click();
	await page.waitForSelector('[data-testid="drawer"] h2');
	assert.match(await page.getByTestId("drawer").innerText(), /BRISC/);
	await page.getByRole("button", { name: /^Show/ }).click();
	await page.waitForSelector('main[data-page="timeline"]');
	await settled(page);
	await page.evaluate(() => { window.tachoTimeline.scrollTo(window.tachoTimeline.rows.value.rows.find((r) => r.kind === "core").track.id); });
	await settled(page);
	const boxes = await until("boxes", () => page.evaluate(() => window.tachoTimeline.drawnStripes().flatMap((d) => d.boxes.filter((b) => d.stripe.device).map((b) => b.lit))), (l) => l.includes(true));
	assert.ok(boxes.length > 0);
}));

test("a section between signposts is a range of all pages", () => withPage(async (page) => {
	await goTo(page, "#/ops?tr=1");
	await page.locator(".tbody .tr").first().waitFor();
	const rows = async () => +await page.locator(".table").getAttribute("aria-rowcount");
	const all = await rows();
	await page.getByLabel("section").selectOption({ index: 2 });
	await page.waitForSelector('[data-testid="range-chip"]');
	const some = await until("fewer ops", rows, (n) => n > 1 && n < all);
	await until("sums of those", () => page.locator(".footer").innerText(), (t) => t.includes(`${some - 1} device ops`));
	await page.getByLabel("group by").selectOption("op");
	await until("groups of those", () => page.locator(".tbody .tr").count(), (n) => n > 0 && n < some - 1);
	await page.getByRole("link", { name: "Statistics" }).click();
	assert.match(await page.getByLabel("section").evaluate((s) => s.selectedOptions[0].text), /replay/);
	await page.getByLabel("section").selectOption({ index: 0 });
	assert.equal(await page.getByTestId("range-chip").count(), 0);
}));

test("compare: rows of two traces, histograms over each other", () => withPage(async (page) => {
	await goTo(page, "#/compare");
	await page.locator(".tbody .tr").first().waitFor();
	assert.match(await page.locator(".table").innerText(), /TT_DNN_DEVICE_OP/);
	await page.locator(".tbody .tr", { hasText: "TT_DNN_DEVICE_OP" }).click();
	await page.waitForSelector(".histogram rect.b");
}));

test("plots and memory: curves, dragging sets the range", () => withPage(async (page) => {
	await goTo(page, "#/plots");
	await page.locator(".u-over").first().waitFor();
	const box = await page.locator(".u-over").first().boundingBox();
	await page.mouse.move(box.x + 100, box.y + 30);
	await page.mouse.down();
	await page.mouse.move(box.x + 300, box.y + 30, { steps: 4 });
	await page.mouse.up();
	await page.waitForSelector('[data-testid="range-chip"]');
	await goTo(page, "#/memory");
	await page.locator(".u-over").first().waitFor();
	assert.match(await page.locator("main").innerText(), /peak/);
}));

test("a curve begins with the value that the range finds", () => withPage(async (page) => {
	const last = await page.evaluate(async () => {
		const get = async (path) => (await fetch("/api/v1/t/0/" + path)).json();
		const plot = (await get("plots")).rows.find((r) => r.name === "loss");
		let t = 0;
		for (let res = 36; res >= 0; res -= 9) // the last pixel of a tile is a tile of the next resolution
			t = (await get(`plot?track=${plot.track}&res=${res}&i=${Math.floor(t / (512 * 2 ** res))}`)).points.at(-1)[0];
		return { value: plot.last, t };
	});
	const t0 = Math.ceil(last.t) + 10000;
	await goTo(page, `#/plots?tr=0&q=loss&t0=${t0}&t1=${t0 + 1e7}`);
	const over = page.locator(".u-over").first();
	await over.waitFor();
	const box = await over.boundingBox();
	await until("the last value", async () => {
		await page.mouse.move(box.x + 1 + Math.random(), box.y + 30);
		return page.locator(".u-legend").first().innerText();
	}, (t) => t.includes(String(+last.value.toFixed(4))));
}));

test("pages about the whole trace say so when there is a range", () => withPage(async (page) => {
	for (const name of ["overview", "compare"]) {
		await goTo(page, `#/${name}?tr=0&t0=1000&t1=2000`);
		await page.getByTestId("whole").waitFor();
		await goTo(page, `#/${name}?tr=0`);
		await page.getByTestId("whole").waitFor({ state: "detached" });
	}
}));

test("another trace from the list", () => withPage(async (page) => {
	await openTimeline(page);
	await page.getByLabel("Trace").selectOption({ index: 1 });
	await until("URL", () => page.evaluate(() => location.hash), (h) => h.includes("tr=1"));
	await settled(page);
}));

test("a table of ops alone", () => withPage(async (page) => {
	await goTo(page, "#/overview?tr=2");
	await until("slowest ops", () => page.locator("main").innerText(), (t) => t.includes("Slowest ops") && t.includes("Matmul"));
	await page.keyboard.press("/");
	await page.keyboard.type("matm");
	await page.locator("#search-list li", { hasText: "Matmul" }).first().waitFor();
	await page.keyboard.press("Escape");
	await goTo(page, "#/timeline?tr=2");
	await page.getByText("is a table of ops").waitFor();
	await page.locator("main").getByRole("button", { name: "Ops" }).click();
	await until("ops", () => page.locator(".table").innerText(), (t) => t.includes("Matmul"));
	await page.locator(".tbody .tr", { hasText: "Matmul" }).first().click();
	await page.waitForSelector('[data-testid="drawer"] h2');
	await goTo(page, "#/compare?tr=2&a=1&b=2");
	await until("compared", () => page.locator(".table").innerText(), (t) => t.includes("Matmul"));
}));

test("the source of a zone", () => withPage(async (page) => {
	await openTimeline(page);
	const b = await showZone(page, "layers", "tacho_device_open");
	await page.mouse.click(b.x, b.y);
	await title(page, "tacho_device_open");
	await until("source", () => page.locator(".source .hit").count(), (n) => n === 1);
	await until("the line is in sight", () => page.evaluate(() => {
		const [a, b] = [".source", ".source .hit"].map((s) => document.querySelector(s).getBoundingClientRect());
		return b.top >= a.top && b.bottom <= a.bottom;
	}));
	assert.match(await page.locator(".source .hit").innerText(), /TACHO_/);
}));
