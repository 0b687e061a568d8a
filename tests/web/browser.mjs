// SPDX-License-Identifier: Apache-2.0
// For the tests of the page: a server on a free port, a browser, pages that remember what went wrong in them.
import { createServer } from "node:net";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { after, before } from "node:test";

const require = createRequire(process.env.SOURCE + "/web/package.json");
const { chromium } = require("playwright-core");
export const axePath = require.resolve("axe-core/axe.min.js");

/** Milliseconds, from tests/lib.sh. */
const PATIENCE = process.env.PATIENCE * 1000;
const TACHO = process.env.BUILD + "/tacho";

// What a failed test leaves running would keep node waiting.
const servers = [];
after(() => servers.forEach((child) => child.kill("SIGKILL")));

/** A free port outside the range of automatic ports, where nobody takes it while a server restarts. */
export async function freePort() {
	for (;;) {
		const port = 10000 + Math.floor(Math.random() * 20000);
		const server = createServer();
		const free = await new Promise((r) => server.on("error", () => r(false)).listen(port, "127.0.0.1", () => r(true)));
		if (!free)
			continue;
		await new Promise((r) => server.close(r));
		return port;
	}
}

/** Starts "tacho view" and waits for its URL. */
export async function serve(args, port = 0) {
	const child = spawn(TACHO, ["view", `--port=${port}`, ...args], { stdio: ["ignore", "pipe", "pipe"] });
	servers.push(child);
	let text = "";
	child.stdout.on("data", (d) => { text += d; });
	child.stderr.on("data", (d) => { text += d; });
	for (const end = Date.now() + PATIENCE; Date.now() < end;) {
		const m = /http:\/\/127\.0\.0\.1:(\d+)\/\S*/.exec(text);
		if (m)
			return { child, url: m[0], port: +m[1], stop: () => stop(child) };
		if (child.exitCode !== null)
			break;
		await new Promise((r) => setTimeout(r, 50));
	}
	throw new Error("tacho view did not start: " + text);
}

/** Waits until a process has ended. */
export async function ended(child) {
	await until(`the end of ${child.spawnfile}`, () => child.exitCode !== null || child.signalCode !== null);
}

async function stop(child) {
	child.kill("SIGINT");
	await ended(child);
}

export function launch() {
	return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, chromiumSandbox: false });
}

/** A page whose console must stay empty and which may talk to one origin only. */
export async function openPage(browser, url, { scheme = "dark", bypassCSP = false, expected = () => false } = {}) {
	const context = await browser.newContext({ viewport: { width: 1400, height: 850 }, colorScheme: scheme, reducedMotion: "reduce", bypassCSP });
	context.setDefaultTimeout(PATIENCE);
	const page = await context.newPage();
	const wrong = [];
	const origin = new URL(url).origin;
	let requests = 0, open = 0, last = Date.now();
	for (const [event, step] of [["request", 1], ["requestfinished", -1], ["requestfailed", -1]])
		page.on(event, () => {
			open += step;
			last = Date.now();
		});
	page.on("console", (m) => {
		if ((m.type() === "error" || m.type() === "warning") && !expected(m.text()))
			wrong.push(`console: ${m.text()}`);
	});
	page.on("pageerror", (e) => wrong.push(`error: ${e.message}`));
	page.on("dialog", (d) => {
		wrong.push("a dialog was opened");
		void d.dismiss();
	});
	page.on("request", (r) => {
		requests++;
		const u = new URL(r.url());
		if (u.origin !== origin)
			wrong.push(`another origin: ${r.url()}`);
	});
	page.on("response", (r) => {
		if (r.status() >= 400 && !expected(r.url()))
			wrong.push(`${r.status()} ${r.url()}`);
	});
	await page.goto(url);
	await page.waitForSelector(".rail a");
	return {
		page, wrong, requests: () => requests,
		/** Waits until the page has asked for nothing for a moment. */
		idle: () => until("requests", () => open <= 0 && Date.now() - last > 150),
		done: async () => {
			await context.close();
			assert.deepEqual(wrong, []);
		},
	};
}

/** A server of FILES and a browser for all tests of a file: what runs a test with a page, in which nothing may go wrong. */
export function pagesOf(files) {
	let server, browser;
	before(async () => {
		server = await serve(files);
		browser = await launch();
	});
	after(async () => {
		await browser?.close();
		await server?.stop();
	});
	return async (f, options) => {
		const p = await openPage(browser, server.url, options);
		await f(p.page, p);
		await p.done();
	};
}

export async function goTo(page, hash) {
	await page.evaluate((h) => { location.hash = h; }, hash);
	const name = /#\/([a-z]+)/.exec(hash)[1];
	await page.waitForSelector(`main[data-page="${name}"]`);
}

/** Asks until the answer is right. */
export async function until(what, get, right = (v) => v) {
	for (const end = Date.now() + PATIENCE; ;) {
		const v = await get();
		if (right(v))
			return v;
		if (Date.now() > end)
			throw new Error(`${what}: still ${JSON.stringify(v)}`);
		await new Promise((r) => setTimeout(r, 50));
	}
}
