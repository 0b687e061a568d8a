// SPDX-License-Identifier: Apache-2.0
// The page's part of the viewer's figures. Arguments: a trace, seconds of panning.
import { readFileSync } from "node:fs";
import { launch, serve } from "../tests/web/browser.mjs";
import { line, MB, median, quantiles } from "./figures.mjs";

const [trace, seconds] = [process.argv[2], +process.argv[3]];
const server = await serve(["-q", ...(process.env.ASSETS ? ["--assets=" + process.env.ASSETS] : []), trace]);
const browser = await launch();
// so large that the timeline has 2000 pixels and 64 lanes
const page = await (await browser.newContext({ viewport: { width: 2324, height: 1400 }, reducedMotion: "reduce" })).newPage();
const devtools = await page.context().newCDPSession(page);

/** Milliseconds that the server and the page's scripts have computed. */
async function spent() {
	const ticks = readFileSync(`/proc/${server.child.pid}/stat`, "utf8").replace(/.*\) /, "").split(" ");
	const { metrics } = await devtools.send("Performance.getMetrics");
	const of = (name) => metrics.find((m) => m.name === name).value * 1000;
	return { server: (+ticks[11] + +ticks[12]) * 10, script: of("ScriptDuration"), task: of("TaskDuration") };
}

/** The server makes sums of a large trace in the background, for half a minute. */
async function quiet() {
	for (let i = 0, last = -1000; i < 240; i++) {
		const { server: now } = await spent();
		if (now - last < 50)
			return;
		last = now;
		await new Promise((r) => setTimeout(r, 500));
	}
}

async function open() {
	const begin = Date.now();
	await page.goto(new URL(server.url).origin + "/#/timeline");
	await page.waitForSelector("main");
	const shell = Date.now() - begin;
	await page.waitForFunction(() => {
		const t = window.tachoTimeline;
		return t && t.rows.value.rows.length > 0 && t.tiles.stats().groups > 0 && t.tiles.missing === 0;
	}, undefined, { polling: "raf" });
	line("open", `shell ${shell} ms, first tiles ${Date.now() - begin} ms after navigation`, "1000");
}

/** Counts requests and what they bring. */
const count = () => page.evaluate(() => {
	const plain = window.fetch;
	window.asked = { requests: 0, bytes: 0, dropped: 0 };
	window.fetch = async (url, options) => {
		const r = await plain(url, options).catch((e) => {
			window.asked.dropped++;
			throw e;
		});
		window.asked.requests++;
		window.asked.bytes += +(r.headers.get("Content-Length") ?? 0);
		return r;
	};
});

/**
 * Zoom in, pan, zoom out. A step begins at any moment between two frames and is over when the frame that shows all
 * tiles of the new view at their own resolution has been painted: a message that is posted while a frame is made comes
 * after its painting. The floor is the same wait for a frame that has nothing to ask for.
 */
const walk = () => page.evaluate(async () => {
	const t = window.tachoTimeline;
	const channel = new MessageChannel();
	/** After the next frame's painting: was all there when it was made? */
	const painted = () => new Promise((r) => requestAnimationFrame(() => {
		const all = t.tiles.missing === 0;
		channel.port1.onmessage = () => r(all);
		channel.port2.postMessage(0);
	}));
	const step = async (move) => {
		await new Promise((r) => setTimeout(r, Math.random() * 17));
		const start = performance.now();
		move();
		while (!await painted())
			;
		return performance.now() - start;
	};
	t.fitAll();
	for (let i = 0; i < 20; i++)
		await painted();
	const at = (f) => t.motion.goal.t0 + f * (t.motion.goal.t1 - t.motion.goal.t0);
	const figures = { step: [], jump: [], cached: [], draw: [], put: [], frame: [] };
	// the floor of drawing: as many pixels, all ready, put on a canvas
	const plain = Object.assign(document.createElement("canvas"), { width: t.el.base.width, height: t.el.base.height }).getContext("2d");
	const image = new ImageData(t.el.base.width, t.el.base.height);
	const put = () => {
		const start = performance.now();
		plain.putImageData(image, 0, 0);
		plain.getImageData(0, 0, 1, 1);
		return performance.now() - start;
	};
	const all = async (move, kind = "step") => {
		figures[kind].push(await step(move));
		figures.frame.push(await step(() => t.redraw()));
		figures.draw.push(t.measureDraw());
		figures.put.push(put());
	};
	for (let i = 0; i < 40; i++)
		await all(() => t.motion.zoom(at(0.6), 0.75, false));
	for (let i = 0; i < 40; i++)
		await all(() => t.motion.pan((t.motion.goal.t1 - t.motion.goal.t0) * 0.3, false));
	for (let i = 0; i < 40; i++)
		await all(() => t.motion.zoom(at(0.4), 1 / 0.75, false));
	// to a place no step led to before: nothing was prefetched
	const whole = t.motion.goal.t1 - t.motion.goal.t0;
	for (let i = 0; i < 40; i++) {
		const span = whole / 2 ** (1 + Math.random() * 10), t0 = Math.random() * (whole * 0.9 - span);
		await all(() => t.motion.to({ t0, t1: t0 + span }, false), "jump");
	}
	await painted();
	while (t.tiles.stats().flights > 0)
		await painted();
	const asked = window.asked.requests;
	for (let i = 0; i < 40; i++)
		figures.cached.push(await step(() => t.motion.pan((t.motion.goal.t1 - t.motion.goal.t0) * (i % 2 ? 0.002 : -0.002), false)));
	channel.port1.close(); // or it would be kept, with all that is above
	return { ...figures, cachedRequests: window.asked.requests - asked };
});

async function steps() {
	await count();
	const before = await spent();
	const r = await walk();
	const after = await spent();
	const asked = await page.evaluate(() => window.asked);
	const n = r.step.length + r.jump.length;
	line("step", `${quantiles(r.step)}, until all is painted (a frame that asks for nothing: ${quantiles(r.frame)})`, "p90 50");
	line("jump", `${quantiles(r.jump)}, to a view without loaded tiles`);
	line("", `each: ${(asked.requests / n).toFixed(1)} requests, ${(asked.dropped / n).toFixed(1)} dropped, ${(asked.bytes / n / 1024).toFixed(0)} KiB, ` +
		`${((after.server - before.server) / n).toFixed(1)} ms of the server's CPU; with the draws that are measured ${((after.script - before.script) / n).toFixed(1)} ms of script`);
	line("step, cached", `${quantiles(r.cached)}, ${r.cachedRequests} requests`, "0 requests, p90 16 beyond the frame that asks for nothing");
	line("decode, draw", `${quantiles(r.draw)} until the pixels are there; p50 = ${(median(r.draw) / median(r.put)).toFixed(1)} x putting as many ready pixels`, "p90 16");
}

async function heap() {
	const until = Date.now() + seconds * 1000;
	let n = 0;
	while (Date.now() < until) {
		await walk();
		n += 200;
	}
	await devtools.send("HeapProfiler.collectGarbage");
	const used = await devtools.send("Runtime.getHeapUsage");
	const tiles = await page.evaluate(() => window.tachoTimeline.tiles.stats());
	line("heap", `${MB(used.usedSize)} of objects + ${MB(used.backingStorageSize)} of buffers after ${seconds} s, ${n} steps (${tiles.groups} tiles, ${MB(tiles.bytes)})`, "200 MB");
}

await page.goto(server.url);
await page.waitForSelector("main");
await devtools.send("Performance.enable");
await open();
await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
const size = await page.evaluate(() => ({ width: window.tachoTimeline.width, lanes: window.tachoTimeline.drawnStripes().filter((d) => d.stripe.lanes.length === 1).length }));
line("view", `${size.lanes} lanes x ${size.width} px in sight`);
await quiet();
await steps();
await heap();
await browser.close();
await server.stop();
