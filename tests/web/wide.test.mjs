// SPDX-License-Identifier: Apache-2.0
// The page on a trace of 10,000 threads whose names want to break it (tests/tools/mkwide.c): what it asks for and keeps
// is bounded by what is in sight, and names turn nothing but themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, launch, openPage, serve, until } from "./browser.mjs";
import { openTimeline, settled } from "./timeline.mjs";

let server, browser;

before(async () => {
	server = await serve([process.env.WIDE]);
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await server?.stop();
});

/** Tiles that are asked for from now on: [first, last, lanes]. */
function tilesAsked(page) {
	const list = [];
	page.on("request", (r) => {
		const q = new URL(r.url());
		if (!q.pathname.endsWith("/tiles"))
			return;
		const [first, last] = q.searchParams.get("i").split("-").map(Number);
		const lanes = q.searchParams.get("lanes").split(",").map((s) => s.split("-").map(Number)).reduce((n, [a, b]) => n + (b ?? a) - a + 1, 0);
		list.push({ first, last: last ?? first, lanes, res: +q.searchParams.get("res") });
	});
	return list;
}

test("ten thousand threads: what is asked for is bounded by the screen", async () => {
	const p = await openPage(browser, server.url);
	const { page } = p;
	const asked = tilesAsked(page);
	await openTimeline(page);
	assert.equal(await page.evaluate(() => window.tachoTimeline.rows.value.rows.length), 10001);
	const cells = asked.reduce((n, a) => n + a.lanes * (a.last - a.first + 1), 0);
	assert.ok(cells < 10000, `${cells} tiles of lanes`);
	for (let i = 0; i < 6; i++) {
		await page.evaluate((k) => { window.tachoTimeline.el.body.scrollTop = k * 60000; }, i);
		await settled(page);
	}
	const bytes = await page.evaluate(() => window.tachoTimeline.tiles.stats().bytes);
	assert.ok(bytes < 64 << 20, `${bytes} bytes of tiles`);
	for (const name of ["overview", "statistics", "messages", "info"]) {
		await goTo(page, "#/" + name);
		await p.idle();
	}
	await p.done();
});

test("a step asks once for all tiles in sight", async () => {
	const p = await openPage(browser, server.url);
	const { page } = p;
	await openTimeline(page);
	await p.idle();
	const asked = tilesAsked(page);
	const sight = await page.evaluate(() => {
		const t = window.tachoTimeline;
		t.motion.to({ t0: 5e6, t1: 6e6 }, false);
		return { ns: 1e6 / t.width / devicePixelRatio };
	});
	await until("tiles", () => asked.length);
	await settled(page);
	const res = Math.floor(Math.log2(sight.ns)), span = 512 * 2 ** res;
	assert.equal(asked[0].res, res);
	assert.ok(asked[0].first <= Math.floor(5e6 / span) && asked[0].last >= Math.floor(6e6 / span), JSON.stringify(asked));
	assert.ok(asked[0].last > asked[0].first);
	await p.done();
});

test("names that turn the direction of text turn nothing else", async () => {
	const p = await openPage(browser, server.url);
	const { page } = p;
	const select = (name) => page.evaluate((n) => {
		const t = window.tachoTimeline;
		const row = t.rows.value.rows.find((r) => r.track?.name === n);
		t.select({ lane: row.stripes[0].lanes[0], idx: 0 });
	}, name);
	await openTimeline(page);
	await select("\ufffdeman denrut");
	const track = page.locator('[data-testid="drawer"] dt:text-is("track") + dd');
	await until("the drawer", async () => await track.count() ? track.innerText() : "", (t) => /^\ufffdeman denrut \(1001\)$/.test(t.trim()));
	// the number is right of the name, as in any other drawer
	await select("\ufffd\u05D0\u05D1\u05D2 \u0633\u0644\u0627\u0645");
	await until("the drawer", () => track.innerText(), (t) => t.includes("(1009)"));
	const x = await track.evaluate((dd) => {
		const node = dd.firstChild, text = node.textContent;
		const at = (s) => {
			const range = document.createRange();
			range.setStart(node, text.indexOf(s));
			range.setEnd(node, text.indexOf(s) + 1);
			return range.getBoundingClientRect().left;
		};
		return { name: at("\u05D0"), number: at("(1009"), digit: at("9)") };
	});
	assert.ok(x.name < x.number && x.number < x.digit, JSON.stringify(x));
	for (const name of ["info", "overview", "statistics"]) {
		await goTo(page, "#/" + name);
		await p.idle();
		assert.doesNotMatch(await page.locator("body").innerText(), /[\u202a-\u202e]/, name);
	}
	await p.done();
});
