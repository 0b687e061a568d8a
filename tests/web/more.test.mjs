// SPDX-License-Identifier: Apache-2.0
// The page in a real browser: spans of locks, their table, traces that have next to nothing in them or far too many of one
// thing (tests/tools/mkodd.c, in the folder ODD), windows that change their size, screens of more pixels, two recordings at once.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { axePath, goTo, launch, openPage, pagesOf, serve, until } from "./browser.mjs";
import { openTimeline, settled } from "./timeline.mjs";

const odd = readdirSync(process.env.ODD).filter((f) => f.endsWith(".tacho")).sort();
const withPage = pagesOf([process.env.ALL, ...odd.map((f) => `${process.env.ODD}/${f}`)]);
const trace = (name) => 1 + odd.indexOf(name + ".tacho");

const PAGES = ["overview", "timeline", "ops", "cores", "statistics", "messages", "plots", "memory", "compare", "info"];
const hash = (page) => page.evaluate(() => location.hash);
const get = (page, path) => page.evaluate(async (p) => (await fetch("/api/v1/t/" + p)).json(), path);
const rowCount = async (page) => +await page.locator(".table").first().getAttribute("aria-rowcount") - 1;

/** A thread's row of the lock that all workers take, with waits in it. */
async function waitedFor(page) {
	const [{ track }] = (await get(page, "0/locks")).rows.filter((l) => l.name === "job queue").sort((a, b) => b.wait_total - a.wait_total);
	const rows = (await get(page, `0/lock?track=${track}`)).rows;
	return { track, row: rows.filter((r) => !r.all).sort((a, b) => b.waits - a.waits)[0] };
}

test("a span of a lock: who, how long, before and after, a way to the thread", () => withPage(async (page, p) => {
	await openTimeline(page, "#/timeline?tr=0");
	const { track, row } = await waitedFor(page);
	// one that took time, with another after it
	let k = -1, span;
	do
		span = await get(page, `0/lock?track=${track}&lane=${row.wait}&idx=${++k}`);
	while (span.duration < 2 && k < row.waits - 2);
	assert.ok(span.duration >= 2 && k + 1 < row.waits, "a lock that was waited for twice");
	await goTo(page, `#/timeline?tr=0&sel=lock:${track}:${row.wait}:${k}`);
	const drawer = page.getByTestId("drawer");
	await until("the drawer", () => drawer.count() && drawer.innerText(), (t) => t && /waited/.test(t) && /demo\.c:\d+/.test(t));
	// its row is there, though the lock was closed, and the time is in sight
	await until("its row", () => page.evaluate(([t, lane]) => window.tachoTimeline.rows.value.rows.some((r) => r.lock?.track === t && r.lock.wait === lane), [track, row.wait]));
	await until("in sight", () => page.evaluate((s) => { const v = window.tachoTimeline.motion.goal; return v.t0 <= s.start && v.t1 >= s.end; }, span));
	assert.equal(span.thread, row.thread);
	assert.ok(span.others.every((o) => o.start <= span.end && o.end >= span.start));
	await drawer.getByRole("button", { name: /^After/ }).click();
	await until("the next", () => hash(page), (h) => h.includes(`sel=lock:${track}:${row.wait}:${k + 1}`));
	await page.keyboard.press(",");
	await until("the one before", () => hash(page), (h) => h.includes(`sel=lock:${track}:${row.wait}:${k}`));
	await page.keyboard.press("r");
	await until("its range", () => hash(page), (h) => h.includes(`t0=${Math.floor(span.start)}`));
	await page.keyboard.press("Escape");
	await until("closed", () => drawer.count(), (n) => n === 0);
	await page.goBack();
	await until("the drawer again", () => drawer.count(), (n) => n === 1);
	await drawer.locator("dl .link").first().click();
	await until("the thread", () => hash(page), (h) => h.includes(`track=${row.thread}`));
}));

test("notes: a moment and a range with a text, kept in the URL; the names can be widened", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0&t0=1000000&t1=3000000");
	await page.keyboard.press("n");
	await page.getByLabel("Note", { exact: true }).fill("first step, <b>100 %</b>");
	await page.keyboard.press("Enter");
	await until("the note", () => hash(page), (h) => h.includes("marks=1000000-3000000:first"));
	await page.keyboard.press("Escape"); // the range; then a note is about a moment
	await until("no range", () => hash(page), (h) => !h.includes("t0="));
	await page.keyboard.press("n");
	await page.getByLabel("Note", { exact: true }).fill("here");
	await page.locator(".note-form button").click();
	await until("both", () => hash(page), (h) => /marks=1000000-3000000:first[^,]*,\d+:here/.test(h));
	await page.reload();
	await until("after a reload", () => page.evaluate(() => window.tachoTimeline?.rows.value.rows.length), (n) => n > 0);
	await page.keyboard.press("n");
	await until("the list", () => page.locator(".note-list li").allInnerTexts(), (l) => l.length === 2 && l[0].startsWith("first step, <b>100 %</b>"));
	await page.getByRole("button", { name: "Remove here" }).click();
	await until("removed", () => hash(page), (h) => !h.includes("here"));
	await page.keyboard.press("Escape");
	const width = () => page.evaluate(() => document.querySelector(".gutter").getBoundingClientRect().width);
	const edge = page.getByRole("separator", { name: "Width of the names" }), box = await edge.boundingBox(), before = await width();
	await page.mouse.move(box.x + 3, box.y + 300);
	await page.mouse.down();
	await page.mouse.move(box.x + 103, box.y + 300);
	await page.mouse.up();
	await until("wider", width, (w) => w === before + 100);
	await edge.press("ArrowLeft");
	await until("narrower", width, (w) => w === before + 76);
}));

test("the history of runs: what became slower, at which commit", async () => {
	const db = `sqlite:${process.env.HERE}/history.db`, sha = (i) => i.toString(16).padStart(8, "c") + "0".repeat(32);
	for (let i = 1; i <= 16; i++)
		execFileSync(process.env.BUILD + "/tacho", ["db", "push", "-q", "--db", db, "-p", i % 2 ? "odd" : "even", "--commit", sha(i), "--commit-seq", String(i), "--metric", `latency=${100 + i % 4}ms`]);
	for (let i = 20; i < 44; i++)
		execFileSync(process.env.BUILD + "/tacho", ["db", "push", "-q", "--db", db, "-p", "odd", "--commit", sha(i), "--commit-seq", String(i), "--metric", `latency=${(i < 34 ? 100 : 110) + i % 4}ms`, "--metric", `"><b>${i}"=1`]);
	const server = await serve(["--db", db]), browser = await launch();
	try {
		const { page, done } = await openPage(browser, server.url, { bypassCSP: true });
		await until("the page", () => page.locator("main").getAttribute("data-page"), (p) => p === "history");
		await until("what was found", () => page.getByTestId("found").innerText(), (t) => /^1 slower of 25 series in 32 runs; 24 with too few runs/.test(t));
		const series = page.getByTestId("series");
		await until("the worst", () => series.innerText(), (t) => t.includes("latency") && /worse \+9\.\d % .* at commit/s.test(t) && t.includes(sha(34).slice(0, 10)) && t.includes(sha(33).slice(0, 10)) && /tacho db accept [0-9a-f]{16}@/.test(t));
		assert.equal(await series.locator("circle").count(), 32);
		const box = await series.locator("svg").boundingBox();
		await page.mouse.move(box.x + box.width - 20, box.y + 40);
		await until("the last run", () => series.locator("figcaption").innerText(), (t) => /^113 ms in run 32 of 32/.test(t));
		await page.getByLabel("Filter").fill("<b>21");
		await until("the filter", () => page.locator(".table").getAttribute("aria-rowcount"), (n) => n === "2");
		assert.equal(await page.locator("main b b, main h2 b").count(), 0);
		assert.match(await page.getByTestId("found").innerText(), /^1 slower of 25/); // whatever the filter
		await until("the URL", () => hash(page), (h) => h.includes("q="));
		await page.reload();
		await until("the same after a reload", () => page.locator(".table").getAttribute("aria-rowcount"), (n) => n === "2");
		await page.getByLabel("Filter").fill("");
		await page.getByLabel("Runs of").selectOption({ label: "even (8)" });
		await until("the other project", () => page.getByTestId("found").innerText(), (t) => t.startsWith("Nothing slower of 1 series in 8 runs; 1 with too few"));
		await page.addScriptTag({ path: axePath });
		assert.deepEqual((await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }))).violations.map((v) => v.id), []);
		await done();
	} finally {
		await browser.close();
		await server.stop();
	}
});

test("a point on the row of all threads is a wait of one thread, with those that held the lock meanwhile", () => withPage(async (page) => {
	await openTimeline(page, `#/timeline?tr=${trace("waits")}`);
	const at = await until("the lock", () => page.evaluate(() => {
		const tl = window.tachoTimeline, row = tl.rows.value.rows.find((r) => r.lock?.wait === 1);
		if (!row)
			return null;
		tl.el.body.scrollTop = row.y - 100;
		const r = tl.el.over.getBoundingClientRect();
		return { x: r.left + (85e6 - tl.frame.t0) / tl.frame.ns, y: r.top + row.y - tl.el.body.scrollTop + 18 };
	}));
	await settled(page);
	await page.mouse.click(at.x, at.y);
	const drawer = page.getByTestId("drawer");
	await until("whose", () => drawer.count() && drawer.innerText(), (t) => t && /worker 2 waited 90\.00 ms, 88\.9 % of it for worker 1/.test(t));
	assert.deepEqual((await page.getByTestId("holders").locator("li").allInnerTexts()).map((t) => t.replace(/\s+/g, " ")), ["worker 1 (11) 80.00 ms 88.9 %", "worker 0 (10) 10.00 ms 11.1 %"]);
}));

test("lock waits are separate from self time; a function that calls itself counts once", () => withPage(async (page) => {
	const tr = trace("waits");
	await goTo(page, `#/overview?tr=${tr}`);
	const verdict = await until("the verdict", () => page.getByTestId("verdict").allInnerTexts(), (t) => t.length > 0);
	assert.match(verdict.join(), /^job takes 43 % of the time of the host's zones by itself: 340\.0 ms in 3 zones/);
	assert.match(verdict.join(), /Threads wait for locks for 21 % of the time of the host's zones: 170\.0 ms, all of it in job/);
	await goTo(page, `#/statistics?tr=${tr}`);
	const cells = async (name) => (await page.locator(".tbody .tr").filter({ hasText: name }).first().locator(".td").allInnerTexts()).join(" | ");
	assert.match(await until("job", () => cells("job"), (t) => t.includes("waits.c")), /42\.5 % \| 600\.0 ms \| 340\.0 ms \| 170\.0 ms \| 3/);
	assert.match(await cells("fib"), /25\.0 % \| 200\.0 ms \| 200\.0 ms \|  \| 3 \| 340\.0 ms/);
	const rows = (await get(page, `${tr}/stats`)).rows;
	assert.ok(rows.every((r) => r.total <= 600e6 && r.self + r.wait <= r.total + 1));
	await openTimeline(page, `#/timeline?tr=${tr}&sel=zone:2:0`);
	const drawer = page.getByTestId("drawer");
	await until("its wait", () => drawer.count() && drawer.innerText(), (t) => t && /120\.0 ms\s+self\s+80\.00 ms\s+waiting/.test(t));
}));

test("the table of locks follows the range, and leads to the timeline", () => withPage(async (page) => {
	await goTo(page, "#/statistics?tr=0&tab=locks");
	const holds = () => page.locator(".tbody .tr").first().locator(".td").nth(6).innerText();
	const first = (rows) => [...rows].sort((a, b) => b.wait_total - a.wait_total)[0].holds;
	const shows = (rows) => until("the table", async () => await page.locator(".tbody .tr").count() > 0 && +(await holds()).replace(/,/g, ""), (n) => n === first(rows));
	const { track } = await waitedFor(page);
	const span = await get(page, `0/lock?track=${track}&lane=0&idx=5`);
	const some = (await get(page, `0/locks?t0=0&t1=${Math.floor(span.start)}`)).rows, rest = (await get(page, `0/locks?t0=${Math.floor(span.start)}`)).rows, whole = (await get(page, "0/locks")).rows;
	await shows(whole);
	await goTo(page, `#/statistics?tr=0&tab=locks&t0=0&t1=${Math.floor(span.start)}`);
	await shows(some);
	for (const key of ["holds", "waits"])
		assert.equal(some.reduce((n, r) => n + r[key], 0) + rest.reduce((n, r) => n + r[key], 0), whole.reduce((n, r) => n + r[key], 0), key);
	await page.locator(".tbody .tr").first().click();
	await until("the timeline", () => hash(page), (h) => /^#\/timeline.*track=\d+/.test(h));
	await settled(page);
	await until("its row in sight", () => page.evaluate(() => {
		const t = window.tachoTimeline, id = +/track=(\d+)/.exec(location.hash)[1];
		const row = t.rows.value.rows.find((r) => r.track?.id === id), top = t.el.body.scrollTop;
		return row !== undefined && row.y + row.h > top && row.y < top + t.el.body.clientHeight;
	}));
}));

test("memory of a range, and of all", () => withPage(async (page) => {
	await goTo(page, "#/memory?tr=0");
	const [pool] = (await get(page, "0/memory")).pools;
	const d = (await get(page, "0/meta")).duration;
	const part = async (t0, t1) => (await get(page, `0/memory?t0=${t0}&t1=${t1}`)).pools.find((p) => p.track === pool.track);
	const middle = Math.floor(d / 40);
	const [a, b] = [await part(0, middle), await part(middle, d + 1000)];
	assert.equal(a.allocs + b.allocs, pool.allocs);
	assert.equal(a.frees + b.frees, pool.frees);
	assert.equal(Math.max(a.peak, b.peak), pool.peak);
	assert.equal(a.active.reduce((n, x) => n + x.size, 0), a.current);
	assert.equal(a.active_total, a.active.length);
	await until("pools", () => page.locator(".plot-card").count(), (n) => n >= 1);
}));

test("every page of traces that have next to nothing, or too much", () => withPage(async (page, p) => {
	for (const f of odd) {
		const id = 1 + odd.indexOf(f);
		for (const name of PAGES) {
			await goTo(page, `#/${name}?tr=${id}`);
			await p.idle();
			const text = await page.locator("main").innerText();
			assert.doesNotMatch(text, /NaN|undefined|Infinity|\[object/, `${f}, ${name}`);
			assert.deepEqual(await page.locator('main [role="alert"]').allInnerTexts(), [], `${f}, ${name}`);
		}
		// the timeline takes all keys
		await goTo(page, `#/timeline?tr=${id}`);
		for (const key of ["w", "d", "ArrowRight", "ArrowDown", "f", "]", "m", "r", ".", "Home", "Escape"])
			await page.keyboard.press(key);
		await p.idle();
	}
	assert.equal(await page.evaluate((id) => fetch(`/api/v1/t/${id}/ops`).then((r) => r.status), trace("device")), 200);
}));

test("the first page of a trace without ops: what takes the time of the host; without zones, what there is", () => withPage(async (page) => {
	await goTo(page, `#/overview?tr=${trace("days")}`);
	await until("verdict", async () => (await page.getByTestId("verdict").allInnerTexts()).join(), (t) => /^work takes 100 % of the time of the host's zones by itself: 60 d 0 h in 30 zones/.test(t));
	await page.getByTestId("verdict").getByRole("button").click();
	await until("its statistics", () => hash(page), (h) => /#\/statistics.*name=\d/.test(h));
	await goTo(page, `#/overview?tr=${trace("messages")}`);
	await page.getByText("This trace has no zones, only").getByRole("button", { name: "messages" }).click();
	await page.waitForSelector('main[data-page="messages"]');
}));

test("host zones by the time that is their own", () => withPage(async (page) => {
	await goTo(page, "#/overview?tr=0");
	const told = await until("zones", () => page.locator(".card", { hasText: "Host zones by self time" }).locator("li .link").allInnerTexts(), (l) => l.length > 3);
	const rows = (await get(page, "0/overview")).top_zones;
	assert.deepEqual(told, rows.map((r) => r.text.replace(/^PY_FUNC_/, "")));
	assert.ok(rows.every((r, i) => i === 0 || r.self <= rows[i - 1].self));
}));

test("messages: how many, without records of ops or with them; words may be copied", () => withPage(async (page) => {
	await goTo(page, "#/messages?tr=0");
	const total = async () => +(await page.getByTestId("total").allInnerTexts()).join().replace(/\D/g, "");
	const some = await until("messages", total, (n) => n > 0);
	assert.doesNotMatch(await page.locator(".tbody").innerText(), /TT_DNN/);
	assert.match(await page.getByRole("link", { name: "CSV" }).getAttribute("href"), /records=0/);
	await page.getByLabel("records of ops").check();
	const all = await until("with records", total, (n) => n > some);
	assert.equal(all, (await get(page, "0/messages")).total);
	await until("in the URL", () => hash(page), (h) => h.includes("records=1"));
	// a drag over the words leaves the page as it is, a click goes to the timeline
	const text = page.locator(".tbody .tr:not(.signpost) .td:nth-child(4) span").first();
	const box = await text.boundingBox();
	await page.mouse.move(box.x + 2, box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.move(box.x + 80, box.y + box.height / 2, { steps: 4 });
	await page.mouse.up();
	assert.ok((await page.evaluate(() => getSelection().toString())).length > 3);
	assert.equal(await page.locator("main").getAttribute("data-page"), "messages");
	await page.mouse.click(box.x + 5, box.y + box.height / 2);
	await page.waitForSelector('main[data-page="timeline"]');
}));

test("at the widest view the wheel moves nothing", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	const box = await page.getByTestId("timeline").boundingBox();
	const goal = () => page.evaluate(() => window.tachoTimeline.motion.goal);
	await page.mouse.move(box.x + box.width * 0.9, box.y + 60);
	let before = null;
	await until("no wider", async () => {
		const v = await goal(), same = before !== null && v.t1 - v.t0 === before.t1 - before.t0;
		before = v;
		if (!same)
			await page.mouse.wheel(0, 500);
		return same;
	});
	const seen = await page.evaluate(() => window.tachoTimeline.frame.t0);
	for (let i = 0; i < 5; i++)
		await page.mouse.wheel(0, 500);
	await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
	const after = await goal();
	assert.ok(Math.abs(after.t0 - before.t0) < 1 && Math.abs(after.t1 - before.t1) < 1, JSON.stringify([before, after]));
	assert.ok(Math.abs(await page.evaluate(() => window.tachoTimeline.frame.t0) - seen) < 1);
}));

test("an op's shape is seen whatever room there is", () => withPage(async (page) => {
	await page.setViewportSize({ width: 1024, height: 700 });
	await goTo(page, "#/compare?tr=0&a=0&b=0&what=ops");
	const names = page.locator(".op-name");
	await names.first().waitFor();
	const cut = await names.evaluateAll((l) => l.filter((e) => e.lastChild.scrollWidth > e.lastChild.clientWidth || e.scrollWidth > e.parentElement.clientWidth + 1).map((e) => e.innerText));
	assert.deepEqual(cut, []);
}));

test("the search: the name that was typed first, Enter before the answer, keys that scroll", () => withPage(async (page) => {
	await goTo(page, "#/overview?tr=0");
	await page.keyboard.press("/");
	await page.keyboard.type("job");
	const hits = page.locator("#search-list li");
	await until("hits", () => hits.allInnerTexts(), (l) => l.length > 0 && /job/.test(l[0]));
	assert.match(await hits.first().innerText(), /^zone\s*job\s*demo\.c/);
	await page.getByRole("combobox", { name: "Search" }).fill("a");
	await until("many", () => hits.count(), (n) => n > 30);
	await page.keyboard.press("ArrowUp");
	await until("the last is seen", () => hits.last().evaluate((e) => {
		const a = e.getBoundingClientRect(), b = e.parentElement.getBoundingClientRect();
		return e.classList.contains("at") && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
	}));
	// at once after the last letter: what is listed still answers the first ones
	await page.getByRole("combobox", { name: "Search" }).fill("draw_frame");
	await page.keyboard.press("Enter");
	const name = (await get(page, "0/search?q=draw_frame")).rows.find((r) => r.text === "draw_frame").name;
	await until("its statistics", () => hash(page), (h) => h.startsWith("#/statistics") && h.includes(`name=${name}`));
}));

test("a track that the search finds shows something, whatever the view was", () => withPage(async (page) => {
	await openTimeline(page, `#/timeline?tr=${trace("queues")}`);
	await page.evaluate(() => { window.tachoTimeline.motion.to({ t0: 100, t1: 200 }, false); }); // of the thread alone
	await settled(page);
	await page.keyboard.press("/");
	await page.keyboard.type("Compute");
	await page.locator("#search-list li", { hasText: "Compute/0" }).click();
	await until("its zones", () => page.evaluate(() => window.tachoTimeline.drawnStripes().some((d) => d.row.label === "Compute/0" && d.boxes.length > 0)));
}));

test("figures of a name are the same in the table and beside its histogram", () => withPage(async (page) => {
	const { rows } = await get(page, "0/stats?limit=1000");
	for (const r of rows.filter((k) => k.count > 1).slice(0, 20)) {
		const h = await get(page, `0/hist?name=${r.name}`);
		for (const figure of ["median", "p99"])
			assert.ok(Math.abs(h[figure] - r[figure]) <= (r.count > 4096 ? 0.02 : 1e-9) * r[figure], `${figure} ${JSON.stringify(r)} ${h[figure]}`);
	}
}));

test("another trace the moment that the first page says which op is slow: nothing is asked of the wrong one", () => withPage(async (page, p) => {
	const other = `#/timeline?tr=${trace("queues")}`;
	for (let i = 0; i < 5; i++) {
		await goTo(page, other);
		await p.idle();
		await page.evaluate((to) => {
			new MutationObserver((_, observer) => {
				if (!document.querySelector('[data-testid="verdict"]'))
					return;
				observer.disconnect();
				location.hash = to;
			}).observe(document.body, { childList: true, subtree: true });
			location.hash = "#/overview?tr=0";
		}, other);
		await until("the other", () => hash(page), (h) => h.startsWith(other));
		await p.idle();
	}
}));

test("a timeline ends the moment that another trace is chosen, before the meta of that is known", () => withPage(async (page) => {
	await openTimeline(page, `#/timeline?tr=${trace("queues")}`);
	assert.ok(await page.evaluate(() => new Promise((r) => {
		const t = window.tachoTimeline;
		addEventListener("hashchange", () => r(t.ended), { once: true });
		location.hash = "#/timeline?tr=0";
	})));
	await until("the other timeline", () => page.evaluate(() => window.tachoTimeline.trace), (tr) => tr === 0);
	await settled(page);
}));

test("a page in a tab of its own: the same trace and range", () => withPage(async (page) => {
	await goTo(page, "#/statistics?tr=1&t0=100&t1=9000000");
	const [tab] = await Promise.all([
		page.context().waitForEvent("page"),
		page.locator(".rail a", { hasText: "Messages" }).click({ modifiers: ["Control"] }),
	]);
	await tab.waitForURL(/#\/messages\?tr=1&t0=100&t1=9000000$/);
	await tab.close();
	assert.match(await hash(page), /^#\/statistics\?/);
}));

test("a window of the size of a hand: all is within reach", () => withPage(async (page) => {
	await page.setViewportSize({ width: 480, height: 320 });
	for (const name of ["overview", "ops", "statistics", "messages"]) {
		await goTo(page, `#/${name}?tr=0`);
		for (const button of [page.getByLabel("Keys and mouse"), page.getByRole("combobox", { name: "Search" })]) {
			const b = await button.boundingBox();
			assert.ok(b.x >= 0 && b.x + b.width <= 480, `${name} ${JSON.stringify(b)}`);
		}
	}
	await goTo(page, "#/ops?tr=0");
	await page.locator(".tbody .tr", { hasText: "Matmul" }).first().click();
	await page.getByTestId("drawer").getByText("Kernel time of each core").scrollIntoViewIfNeeded();
}));

test("queues of a GPU are rows of their process, and no cores", () => withPage(async (page) => {
	await openTimeline(page, `#/timeline?tr=${trace("queues")}`);
	const rows = await page.evaluate(() => window.tachoTimeline.rows.value.rows.map((r) => [r.kind, r.label, r.note]));
	assert.deepEqual(rows, [["process", "odd", "pid 1 · 1 thread · 2 GPU queues"], ["thread", "main", "1"], ["risc", "Graphics/0", "GPU"], ["risc", "Compute/0", "GPU"]]);
	await page.evaluate(() => window.tachoTimeline.scrollTo(window.tachoTimeline.rows.value.rows.at(-1).track.id));
	const b = await page.evaluate(() => {
		const t = window.tachoTimeline, r = t.el.over.getBoundingClientRect(), d = t.drawnStripes().find((k) => k.row.label === "Compute/0");
		return { x: r.left + (d.boxes[0].x0 + d.boxes[0].x1) / 2 / devicePixelRatio, y: r.top + d.y + d.stripe.h / 2 };
	});
	await page.mouse.click(b.x, b.y);
	await until("its zone", async () => (await page.getByTestId("drawer").allInnerTexts()).join(), (t) => /Compute\/0/.test(t));
	assert.doesNotMatch(await page.getByTestId("drawer").innerText(), /clock|undefined/);
	await goTo(page, `#/statistics?tr=${trace("queues")}`);
	await page.getByLabel("Tracks", { exact: true }).selectOption({ label: "Compute/0" });
	await until("its zones", async () => (await page.locator(".tbody .tr").allInnerTexts()).join(), (t) => /\b20\b/.test(t));
	await goTo(page, `#/overview?tr=${trace("queues")}`);
	await page.getByRole("heading", { name: "Zones of the GPU by self time" }).waitFor();
}));

test("an op's drawer shows both the gap of the device's clock and the one on the timeline", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	const ops = (await get(page, "0/ops?limit=1000")).rows.filter((o) => o.gap_t0 !== null && o.gap_us !== null);
	const far = (o) => (o.t0 - o.gap_t0) / (1000 * o.gap_us);
	const op = ops.sort((a, b) => far(b) - far(a))[0];
	// kernels are compiled before the first ops: the host takes its time, and the modelled device waits without a tick
	assert.ok(far(op) > 2, `${op.t0 - op.gap_t0} ns on the timeline, ${op.gap_us} us by the device's clock`);
	await goTo(page, `#/timeline?tr=0&sel=op:${op.id}`);
	const drawer = page.getByTestId("drawer");
	await until("both", () => drawer.count() && drawer.innerText(), (t) => t && /gap before, device clock/.test(t) && /on the timeline/.test(t));
}));

test("flame graph: boxes are as wide as their time, and none covers another", () => withPage(async (page) => {
	await goTo(page, "#/statistics?tr=0&tab=flame");
	await page.locator(".flame-rows button").nth(5).waitFor();
	const boxes = await page.locator(".flame-rows button").evaluateAll((list) => list.map((b) => {
		const r = b.getBoundingClientRect();
		return { x: r.left, end: r.right, y: r.top };
	}));
	assert.ok(boxes.some((b) => b.end - b.x < 7), "some are narrow");
	for (const a of boxes)
		for (const b of boxes)
			assert.ok(a === b || a.y !== b.y || a.end <= b.x + 0.05 || b.end <= a.x + 0.05, JSON.stringify([a, b]));
}));

test("a link to an op shows and marks its row", () => withPage(async (page) => {
	await page.setViewportSize({ width: 1400, height: 460 });
	const inSight = (row) => page.evaluate((id) => {
		const t = document.querySelector(".table"), r = t?.querySelector(".tr.selected");
		if (!r || r.querySelector(".td").textContent !== id)
			return false;
		const a = t.getBoundingClientRect(), b = r.getBoundingClientRect();
		return b.top >= a.top + 20 && b.bottom <= a.bottom;
	}, row);
	const ops = (await get(page, "0/ops?limit=1000")).rows.filter((o) => !o.signpost);
	await goTo(page, `#/ops?tr=0&id=${ops.at(-1).id}`);
	await until("the last", () => inSight(String(ops.at(-1).number)));
	await goTo(page, "#/overview?tr=0");
	await page.getByTestId("verdict").getByRole("button").first().click();
	await page.waitForSelector('main[data-page="ops"]');
	const { longest } = (await get(page, "0/overview")).top_ops[0];
	const number = String(ops.find((o) => o.row === longest).number);
	await until("the slowest", () => inSight(number));
	// outside of the range that was chosen, too
	const other = ops.find((o) => o.row !== longest && o.t0 !== null);
	await goTo(page, `#/overview?tr=0&t0=${Math.floor(other.t0)}&t1=${Math.ceil(other.t1)}`);
	await page.getByTestId("verdict").getByRole("button").first().click();
	await until("the slowest again", () => inSight(number));
}));

test("figures keep their units, however narrow a column was meant to be", () => withPage(async (page) => {
	await page.route("**/ops?*", async (route) => { // of ops that take seconds
		const answer = await (await route.fetch()).json();
		await route.fulfill({ json: { ...answer, rows: answer.rows.map((o) => ({ ...o, gap_us: 1234567.8, device_time_us: 23456789.1, flops: 1234.5 })) } });
	});
	for (const hash of ["#/ops?tr=0", `#/statistics?tr=${trace("days")}`, "#/statistics?tr=0&tab=locks", `#/compare?tr=0&a=${trace("days")}&b=0&what=zones`]) {
		await goTo(page, hash);
		await until("rows", () => page.locator(".tbody .tr").count(), (n) => n > 0);
		await until("nothing is cut", () => page.locator(".tbody .td.num").evaluateAll((list) => list.filter((c) => c.scrollWidth > c.clientWidth + 1).map((c) => c.textContent)), (l) => l.length === 0);
	}
	await page.unroute("**/ops?*", { behavior: "wait" });
}));

test("a page without the token says what it needs", async () => {
	const server = await serve([process.env.ALL]), browser = await launch();
	try {
		const p = await openPage(browser, new URL(server.url).origin + "/", { expected: () => true });
		await until("said", () => p.page.locator(".banner").allInnerTexts(), (t) => /without the server's token: open the URL/.test(t.join()));
		await until("not lost", () => p.page.getByTestId("live-state").allInnerTexts(), (t) => /not let in/.test(t.join()));
		// as soon as the browser has the token, all is there
		const other = await p.page.context().newPage();
		await other.goto(server.url);
		await until("let in", () => p.page.getByTestId("live-state").allInnerTexts(), (t) => /saved/.test(t.join()));
		assert.equal(await p.page.locator(".banner").count(), 0);
	} finally {
		await browser.close();
		await server.stop();
	}
});

test("compared: a total that grew is bad only when a typical zone takes longer", () => withPage(async (page) => {
	await goTo(page, `#/compare?tr=0&a=${trace("before")}&b=${trace("after")}&what=zones`);
	const row = (name) => page.locator(".tbody .tr").filter({ hasText: name }).first();
	await until("rows", () => page.locator(".tbody .tr").count(), (n) => n === 4);
	const look = async (name) => {
		const cells = row(name).locator(".td");
		return [(await cells.nth(2).innerText()).trim(), await cells.nth(2).locator(".bad, .good").count() + await cells.nth(1).locator(".bad, .good").count(), (await cells.nth(3).innerText()).trim()];
	};
	const [pct, colours, why] = await look("slower");
	assert.deepEqual([pct, colours > 1, why], ["+40.0 %", true, "time"]);
	assert.deepEqual(await look("often"), ["+42.9 %", 0, "calls"]);
	assert.deepEqual(await look("outlier"), ["+42.0 %", 0, "outliers"]);
	assert.deepEqual(await look("same"), ["0.0 %", 0, ""]);
}));

test("compared: the durations of a name that one trace alone has", () => withPage(async (page) => {
	await goTo(page, `#/compare?tr=0&a=${trace("days")}&b=0&what=zones&name=draw_frame`);
	const panel = page.getByRole("complementary", { name: "Durations compared" });
	await panel.locator(".histogram rect.b").first().waitFor();
	assert.deepEqual(await panel.locator("tbody tr").last().locator("td").first().allInnerTexts(), ["–"]);
}));

test("back and forward between a selection and none: each has its view", () => withPage(async (page, p) => {
	await openTimeline(page, `#/timeline?tr=${trace("queues")}`);
	const goal = () => page.evaluate(() => { const v = window.tachoTimeline.motion.goal; return [Math.round(v.t0), Math.round(v.t1)]; });
	const drawer = page.getByTestId("drawer");
	const b = await page.evaluate(() => {
		const t = window.tachoTimeline, r = t.el.over.getBoundingClientRect(), d = t.drawnStripes().find((k) => k.boxes.length > 0);
		return { x: r.left + (d.boxes[0].x0 + d.boxes[0].x1) / 2 / devicePixelRatio, y: r.top + d.y + d.stripe.h / 2 };
	});
	const whole = await goal();
	await page.mouse.click(b.x, b.y);
	await drawer.waitFor();
	const open = await until("a part", goal, (v) => v[1] < whole[1]);
	assert.equal(open[0], whole[0], "a zone that is in sight moves nothing");
	await until("in the URL", () => hash(page), (h) => h.includes(`v1=${open[1]}`));
	await page.keyboard.press("Escape");
	await drawer.waitFor({ state: "detached" });
	await until("all again", goal, (v) => Math.abs(v[1] - whole[1]) <= 2);
	await until("in the URL", () => hash(page), (h) => !h.includes(`v1=${open[1]}`));
	for (let i = 0; i < 2; i++) {
		await page.goBack();
		await drawer.waitFor();
		await settled(page);
		assert.deepEqual(await goal(), open);
		await page.goForward();
		await drawer.waitFor({ state: "detached" });
		await settled(page);
		assert.ok(Math.abs((await goal())[1] - whole[1]) <= 2);
	}
	// a view before the trace begins is empty, and asks for nothing that is not there
	await goTo(page, "#/timeline?tr=0&v0=-2000000&v1=-1000000");
	await p.idle();
}));

test("a view and a range that no trace can have: what is there of them is shown", () => withPage(async (page, p) => {
	await goTo(page, "#/timeline?tr=0&v0=-1e30&v1=1e30&t0=-1e30&t1=1e30");
	await settled(page);
	await until("a view within bounds", () => hash(page), (h) => /v0=-\d+&v1=\d+/.test(h));
	for (const name of PAGES) {
		await goTo(page, `#/${name}?tr=0&t0=-5&t1=1e300`);
		await p.idle();
		assert.match(await hash(page), /t0=0&t1=\d+/);
	}
	await goTo(page, "#/statistics?tr=0&t0=-5&t1=-1");
	assert.equal(await page.getByTestId("range-chip").count(), 0);
}));

test("what was done and undone at once leaves the URL as it was", () => withPage(async (page) => {
	await goTo(page, "#/messages?tr=0");
	const box = page.getByLabel("signposts only");
	await box.waitFor();
	const before = await hash(page);
	await box.evaluate((b) => {
		b.click();
		return new Promise((r) => queueMicrotask(() => {
			b.click();
			setTimeout(r, 400);
		}));
	});
	assert.equal(await hash(page), before);
	assert.equal(await box.isChecked(), false);
}));

test("a missing trace: its failure is not shown above another trace", () => withPage(async (page) => {
	let end;
	const held = new Promise((r) => { end = r; });
	await page.route("**/api/v1/t/99/meta", async (r) => {
		await held;
		await r.fulfill({ status: 404, contentType: "application/json", body: '{"error":"no such trace"}' });
	});
	await goTo(page, "#/overview?tr=99");
	await goTo(page, "#/overview?tr=0");
	await until("the trace", () => page.locator("h1").first().innerText(), (t) => /all\.tacho/.test(t));
	const answer = page.waitForResponse("**/api/v1/t/99/meta");
	end();
	await (await answer).finished();
	await page.waitForTimeout(100);
	assert.equal(await page.locator(".banner").count(), 0);
}, { expected: (t) => /99\/meta|Failed to load resource/.test(t) }));

test("times of days are shown in days", () => withPage(async (page) => {
	await goTo(page, `#/overview?tr=${trace("days")}`);
	await until("89 days", () => page.locator("main").innerText(), (t) => /89 d 0 h/.test(t));
	await openTimeline(page, `#/timeline?tr=${trace("days")}`);
	const box = await page.getByTestId("timeline").boundingBox();
	await page.mouse.move(box.x + 300, box.y + 60);
	// down to single nanoseconds, and back
	await until("small", async () => {
		await page.mouse.wheel(0, -800);
		return page.evaluate(() => window.tachoTimeline.motion.goal);
	}, (v) => v.t1 - v.t0 < 1e6);
	await settled(page);
	await page.keyboard.press("Home");
	await until("all", () => page.evaluate(() => window.tachoTimeline.motion.goal), (v) => v.t1 - v.t0 > 7e15);
	await settled(page);
}));

test("thousands of locks and of pools: one answer, sixty cards", () => withPage(async (page, p) => {
	await goTo(page, `#/statistics?tr=${trace("locks")}&tab=locks`);
	await until("all locks", () => rowCount(page), (n) => n === 2000);
	await page.getByRole("searchbox", { name: "Filter", exact: true }).fill("lock 77");
	await until("some", () => rowCount(page), (n) => n === 11);
	const locks = (await get(page, `${trace("locks")}/locks`)).rows;
	assert.ok(locks.every((l) => l.waits === 1 && l.holds === 1 && l.threads === 1 && l.hold_total >= 1));
	await goTo(page, `#/memory?tr=${trace("pools")}`);
	await until("cards", () => page.locator(".plot-card").count(), (n) => n === 60);
	const { pools } = await get(page, `${trace("pools")}/memory?t0=0&t1=5000`);
	assert.equal(pools.length, 2000);
	assert.ok(pools.every((k, i) => k.allocs === 2 && k.frees === 0 && k.current === 150 + i && k.active_total === 2));
	await p.idle();
}));

test("a window of another size, and back", () => withPage(async (page, p) => {
	await openTimeline(page, "#/timeline?tr=0");
	const before = await page.evaluate(() => window.tachoTimeline.frame.ns);
	for (const size of [{ width: 700, height: 420 }, { width: 1900, height: 1000 }, { width: 1400, height: 850 }]) {
		await page.setViewportSize(size);
		await until("the canvas", () => page.evaluate(() => {
			const c = window.tachoTimeline.el.base, r = c.getBoundingClientRect();
			return Math.abs(c.width - r.width * devicePixelRatio) < 2 && Math.abs(r.right - innerWidth) < 30;
		}));
		await settled(page);
	}
	// a window shows more or less of the time, in the same scale
	assert.ok(Math.abs(await page.evaluate(() => window.tachoTimeline.frame.ns) / before - 1) < 0.01);
	for (const name of PAGES) {
		await page.setViewportSize({ width: 1024, height: 600 });
		await goTo(page, `#/${name}?tr=0`);
		await p.idle();
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name + " is not wider than the window");
	}
}));

test("each page reloaded, and back through all of them", () => withPage(async (page) => {
	for (const name of PAGES) {
		await goTo(page, `#/${name}?tr=0`);
		await page.reload();
		await page.waitForSelector(`main[data-page="${name}"]`);
	}
	for (const name of [...PAGES].reverse().slice(1)) {
		await page.goBack();
		await page.waitForSelector(`main[data-page="${name}"]`);
	}
	await page.goForward();
	await page.waitForSelector(`main[data-page="${PAGES[1]}"]`);
}));

test("a screen of two pixels for one", async () => {
	const server = await serve([process.env.ALL]), browser = await launch();
	try {
		const context = await browser.newContext({ deviceScaleFactor: 2, viewport: { width: 1200, height: 800 } });
		const p = await openPage({ newContext: async () => context }, server.url);
		await openTimeline(p.page, "#/timeline?tr=0");
		const [name] = (await get(p.page, "0/stats?sort=total&limit=1")).rows;
		const [zone] = (await get(p.page, `0/instances?name=${name.name}&sort=duration&limit=1`)).rows;
		const room = Math.max(10, zone.duration / 10);
		await openTimeline(p.page, `#/timeline?tr=0&v0=${Math.round(zone.start - room)}&v1=${Math.round(zone.start + zone.duration + room)}&sel=zone:${zone.lane}:${zone.idx}`);
		const { width, css } = await p.page.evaluate(() => ({ width: window.tachoTimeline.el.base.width, css: window.tachoTimeline.el.base.clientWidth }));
		assert.equal(width, 2 * css);
		const box = await until("a box", () => p.page.evaluate((z) => {
			for (const d of window.tachoTimeline.drawnStripes())
				for (const b of d.boxes)
					if (b.lane === z.lane && b.zone === z.idx && d.stripe.lanes.length === 1)
						return { x: (b.x0 + b.x1) / 4, y: d.y + d.stripe.h / 2, lane: b.lane, zone: b.zone };
			return null;
		}, zone));
		const hit = await p.page.evaluate((k) => { const h = window.tachoTimeline.at(k.x, k.y); return h.box && { lane: h.box.lane, zone: h.box.zone }; }, box);
		assert.deepEqual(hit, { lane: box.lane, zone: box.zone });
		await p.done();
	} finally {
		await browser.close();
		await server.stop();
	}
});

test("a server that is killed and comes back: what could not be had meanwhile comes", async () => {
	let server = await serve([process.env.ALL]);
	const browser = await launch();
	try {
		const p = await openPage(browser, server.url, { expected: (t) => /WebSocket|ERR_CONNECTION|Failed to load resource|^http/.test(t) });
		const { page } = p;
		const state = (right) => until("the link", () => page.getByTestId("live-state").innerText(), right);
		await goTo(page, "#/statistics?tr=0");
		await until("zones", () => rowCount(page), (n) => n > 0);
		for (const name of ["statistics", "plots", "timeline"]) {
			server.child.kill("SIGKILL");
			await state((t) => /lost/.test(t));
			if (name === "statistics") {
				await page.getByRole("button", { name: "Count" }).click();
				await until("no answer", () => page.locator('main [role="alert"]').count(), (n) => n > 0);
				await page.getByLabel("Search", { exact: true }).fill("demo");
				await until("no answer of the search", () => page.locator("#search-list").innerText(), (t) => /does not answer/.test(t));
			} else {
				await page.evaluate((h) => { location.hash = h; }, `#/${name}?tr=0&t0=1000&t1=${2e8}`);
				await page.waitForSelector(`main[data-page="${name}"]`);
			}
			// A restarted server has a new token: the page reports it, and the new URL opens it.
			server = await serve([process.env.ALL], server.port);
			await state((t) => /not let in/.test(t));
			await page.goto(server.url + await page.evaluate(() => location.hash));
			await state((t) => /saved/.test(t));
			await until("no fault", () => page.locator('main [role="alert"], main p.bad').count(), (n) => n === 0);
			if (name === "statistics")
				await until("zones again", () => page.locator(".tbody .tr").count(), (n) => n > 0);
			else if (name === "plots")
				await until("curves", () => page.locator(".curve canvas").count(), (n) => n > 0);
			else
				await settled(page);
		}
		await p.done();
	} finally {
		await browser.close();
		await server.stop();
	}
});

test("two recordings in one viewer: both grow", async () => {
	const held = process.env.HERE + "/held-two";
	writeFileSync(held, "");
	const programs = [0, 1].map((i) => spawn(process.env.BUILD + "/tacho", ["run", "-q", "-f", "-o", `${process.env.HERE}/two${i}.tacho`, "--", process.env.BUILD + "/tests/steady", "1", held], { stdio: ["ignore", "pipe", "inherit"] }));
	const ended = programs.map((c) => once(c, "exit"));
	const browser = await launch();
	let server;
	try {
		for (const c of programs)
			await once(c.stdout, "data"); // "begun"
		server = await serve([0, 1].map((i) => `${process.env.HERE}/two${i}.tacho.part`));
		const p = await openPage(browser, server.url);
		for (const i of [1, 0]) {
			await openTimeline(p.page, `#/timeline?tr=${i}`);
			const end = () => p.page.evaluate(() => document.querySelector(".top .summary").innerText);
			const zones = async () => (await p.page.evaluate(async () => (await (await fetch("/api/v1/traces")).json()).traces.map((t) => t.zones)));
			const before = await zones(), shown = await end();
			await until("both grow", zones, (z) => z.every((n, k) => n > before[k]));
			await until("the page shows it", end, (t) => t !== shown);
			const stats = (await get(p.page, `${i}/stats`)).rows.reduce((n, r) => n + r.count, 0);
			assert.ok(stats >= before[i] - 1, `${stats} of ${before[i]}`);
		}
		// the newest messages stay in sight, until somebody scrolls away from them
		await goTo(p.page, "#/messages?tr=0");
		const table = p.page.locator(".table");
		const last = () => table.evaluate((t) => t.scrollTop > 0 && t.scrollTop + t.clientHeight >= t.scrollHeight - 60 && +t.getAttribute("aria-rowcount"));
		const rows = await until("the last messages", last);
		await until("newer ones", last, (n) => n > rows);
		await table.evaluate((t) => { t.scrollTop = 0; });
		await until("no longer", () => p.page.getByTestId("live-state").innerText(), (t) => !/following/.test(t));
		assert.equal(await table.evaluate((t) => t.scrollTop), 0);
		await p.done();
	} finally {
		rmSync(held);
		await Promise.all(ended);
		await browser.close();
		await server?.stop();
	}
});
