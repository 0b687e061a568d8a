// SPDX-License-Identifier: Apache-2.0
// The page on a running recording: it follows, can be stopped, and recovers when the server returns.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { ended, freePort, goTo, launch, openPage, serve, until } from "./browser.mjs";
import { openTimeline, settled, view } from "./timeline.mjs";

const STOP = process.env.HERE + "/stop", TRACE = process.env.HERE + "/live.tacho";
let program, browser;

before(async () => {
	rmSync(STOP, { force: true });
	program = spawn(process.env.BUILD + "/tacho", ["run", "-q", "-f", "-o", TRACE, "--", process.env.PYTHON ?? "python3", process.env.SOURCE + "/tests/web/live.py", STOP], { stdio: "inherit" });
	await until("recording", () => existsSync(TRACE + ".part"));
	browser = await launch();
});
after(async () => {
	writeFileSync(STOP, "");
	await browser?.close();
	await ended(program);
});

const state = (page) => page.getByTestId("live-state").innerText();

test("live: follow, stop following, the server goes and comes back, the program ends", async () => {
	let server = await serve([`--live=${TRACE}`], await freePort());
	const gone = (text) => /WebSocket|ERR_CONNECTION|Failed to load resource|^http/.test(text);
	const p = await openPage(browser, server.url, { expected: gone });
	const { page } = p;
	await openTimeline(page);
	await until("live", () => state(page), (t) => t.includes("live, following"));
	const v = await view(page);
	await until("the view follows", () => view(page), (w) => w.t1 > v.t1 + 5e8);
	await until("more than the view shows", () => view(page), (w) => w.t0 > 0);
	const w = await view(page);
	const x = await until("the view follows on", () => view(page), (x) => x.t1 > w.t1 + 5e8);
	assert.ok(Math.abs((x.t1 - x.t0) - (w.t1 - w.t0)) < 1e6, "following zooms");
	await until("the newest zones are drawn", () => page.evaluate(() => {
		const t = window.tachoTimeline;
		const last = Math.max(...t.drawnStripes().flatMap((d) => d.boxes.map((b) => b.x1)));
		return last / devicePixelRatio > t.width * 0.5;
	}));
	await page.reload();
	await until("a reloaded page follows again", async () => await page.getByTestId("live-state").count() ? state(page) : "", (t) => t.includes("live, following"));
	await settled(page);
	const posts = () => page.evaluate(() => window.tachoTimeline.signposts().length);
	const first = await posts();
	await until("new signposts come", posts, (n) => n > first);

	const box = await page.getByTestId("timeline").boundingBox();
	await page.mouse.move(box.x + 300, box.y + 100);
	await page.mouse.down();
	await page.mouse.move(box.x + 340, box.y + 100, { steps: 3 });
	await page.mouse.up();
	await until("not following", () => state(page), (t) => !t.includes("following"));
	const still = await view(page);
	await page.waitForTimeout(600);
	assert.equal((await view(page)).t0, still.t0, "the view moves although nobody follows");
	const zones = () => page.locator(".top .summary").innerText();
	const seen = await zones();
	await until("what is new is known although nobody follows", zones, (t) => t !== seen);
	await goTo(page, "#/statistics");
	const count = async () => await page.locator(".tbody .tr").count() ? page.locator(".tbody .tr").first().locator(".td").nth(4).innerText() : "";
	const counted = await until("statistics", count);
	await until("statistics grow", count, (t) => t !== "" && t !== counted);
	// a curve is asked for when its list is, not whenever the trace has grown
	await goTo(page, "#/plots");
	await page.locator(".curve canvas").first().waitFor();
	let lists = 0, tiles = 0;
	page.on("request", (r) => {
		lists += r.url().includes("/plots") ? 1 : 0;
		tiles += r.url().includes("/plot?") ? 1 : 0;
	});
	await until("lists", () => lists, (n) => n >= 4);
	assert.ok(tiles <= 5 * (lists + 1), `${tiles} tiles for ${lists} lists`);
	await goTo(page, "#/timeline");

	await server.stop();
	await until("lost", () => state(page), (t) => t.includes("connection lost"));
	// A restarted server has a new token: the page reports it, and the new URL opens it.
	server = await serve([`--live=${TRACE}`], server.port);
	await until("not let in", () => state(page), (t) => t.includes("not let in"));
	await page.goto(server.url);
	await until("live again", async () => await page.getByTestId("live-state").count() ? state(page) : "", (t) => t.includes("live"));
	const before = await zones();
	await until("new data comes", zones, (t) => t !== before);

	writeFileSync(STOP, "");
	await until("ended", () => state(page), (t) => /ended|saved/.test(t));
	await page.waitForTimeout(300);
	await p.done();
	await server.stop();
});

/** Runs a program of one zone whose name nobody else has, into the same file, until the file STOP is there. */
async function record(name, path) {
	const code = `import os, sys, time\nfrom tracy import zone\nwhile not os.path.exists(sys.argv[1]):\n    with zone("${name}"):\n        time.sleep(0.01)\n`;
	const stop = `${process.env.HERE}/stop-${name}`;
	rmSync(stop, { force: true });
	const child = spawn(process.env.BUILD + "/tacho", ["run", "-q", "-f", "-o", path, "--", process.env.PYTHON ?? "python3", "-c", code, stop], { stdio: "inherit" });
	await until("recording", () => existsSync(path + ".part"));
	return async () => {
		writeFileSync(stop, "");
		await ended(child);
	};
}

test("the next recording at the same place has names of its own", async () => {
	const path = process.env.HERE + "/again.tacho";
	let end = await record("first of two", path);
	const server = await serve([`--live=${path}`]);
	const p = await openPage(browser, server.url);
	const drawn = () => p.page.evaluate(() => {
		const t = window.tachoTimeline;
		return [...new Set(t?.drawnStripes().flatMap((d) => d.boxes.map((b) => t.nameOf(b.name))) ?? [])].join();
	});
	await openTimeline(p.page);
	await until("its zones", drawn, (n) => n === "first of two");
	await end();
	await until("ended", () => state(p.page), (t) => /ended|saved/.test(t));
	// a list of traces that is late, and so older than what the WebSocket said meanwhile
	let late = 0;
	await p.page.route("**/api/v1/traces", async (route) => {
		const answer = await (await route.fetch()).json();
		answer.traces[0] = { ...answer.traces[0], state: "waiting", live: true };
		await until("something newer", () => state(p.page), (t) => /live/.test(t));
		late++;
		await route.fulfill({ json: answer });
	});
	end = await record("second of two", path);
	await until("zones of the next", drawn, (n) => n === "second of two");
	await until("the late list", () => late, (n) => n > 0);
	await p.page.unroute("**/api/v1/traces", { behavior: "wait" });
	await until("live", () => state(p.page), (t) => /live/.test(t));
	await p.page.waitForTimeout(300);
	assert.match(await state(p.page), /live/);
	await end();
	await until("ended again", () => state(p.page), (t) => /ended|saved/.test(t));
	await settled(p.page);
	assert.equal(await drawn(), "second of two");
	await p.done();
	await server.stop();
});
