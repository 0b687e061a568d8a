// The page's part of the viewer's figures. Arguments: URL, seconds of panning.
import { createRequire } from "node:module";

const require = createRequire(process.env.SOURCE + "/web/package.json");
const { chromium } = require("playwright-core");
const [url, seconds] = [process.argv[2], +process.argv[3]];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, chromiumSandbox: false });
// so large that the timeline has 2000 pixels and 64 lanes
const page = await (await browser.newContext({ viewport: { width: 2324, height: 1400 }, reducedMotion: "reduce" })).newPage();

const quantiles = (list) => {
	const s = [...list].sort((a, b) => a - b);
	const q = (f) => s[Math.min(s.length - 1, Math.floor(f * s.length))].toFixed(1);
	return `p50 ${q(0.5)}, p90 ${q(0.9)}, p99 ${q(0.99)}, max ${q(1)} ms`;
};

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

await page.goto(url);
const opened = Date.now();
await page.goto(new URL(url).origin + "/#/timeline");
await page.waitForSelector("main");
const shell = Date.now() - opened;
await page.waitForFunction(() => {
	const t = window.tachoTimeline;
	return t && t.rows.value.rows.length > 0 && t.tiles.stats().groups > 0 && t.tiles.missing === 0;
}, undefined, { polling: "raf" });
console.log(`page         shell ${shell} ms, first tiles ${Date.now() - opened} ms after navigation`);
const size = await page.evaluate(() => ({ width: window.tachoTimeline.width, lanes: window.tachoTimeline.drawnStripes().filter((d) => d.stripe.lanes.length === 1).length }));

/** Zoom in, pan, zoom out: each step is over when everything in sight is drawn. */
const walk = () => page.evaluate(async () => {
	const t = window.tachoTimeline;
	const frame = () => new Promise((r) => requestAnimationFrame(r));
	const step = async (move) => {
		const start = performance.now();
		move();
		do
			await frame();
		while (t.tiles.missing > 0);
		return performance.now() - start;
	};
	t.fitAll();
	for (let i = 0; i < 20; i++)
		await frame();
	const at = (f) => t.motion.goal.t0 + f * (t.motion.goal.t1 - t.motion.goal.t0);
	const fresh = [], cached = [], draw = [], floor = [];
	// the floor: as many pixels, all ready, put on a canvas
	const plain = Object.assign(document.createElement("canvas"), { width: t.el.base.width, height: t.el.base.height }).getContext("2d");
	const image = new ImageData(t.el.base.width, t.el.base.height);
	const put = () => {
		const start = performance.now();
		plain.putImageData(image, 0, 0);
		plain.getImageData(0, 0, 1, 1);
		return performance.now() - start;
	};
	const all = async (move) => {
		fresh.push(await step(move));
		draw.push(t.measureDraw());
		floor.push(put());
	};
	for (let i = 0; i < 40; i++)
		await all(() => t.motion.zoom(at(0.6), 0.75, false));
	for (let i = 0; i < 40; i++)
		await all(() => t.motion.pan((t.motion.goal.t1 - t.motion.goal.t0) * 0.3, false));
	for (let i = 0; i < 40; i++)
		await all(() => t.motion.zoom(at(0.4), 1 / 0.75, false));
	for (let i = 0; i < 40; i++)
		cached.push(await step(() => t.motion.pan((t.motion.goal.t1 - t.motion.goal.t0) * (i % 2 ? 0.002 : -0.002), false)));
	return { fresh, cached, draw, floor };
});
const r = await walk();
console.log(`view         ${size.lanes} lanes x ${size.width} px in sight`);
console.log(`decode, draw ${quantiles(r.draw)} until the pixels are there; p50 = ${(median(r.draw) / median(r.floor)).toFixed(1)} x putting as many ready pixels`);
console.log(`step         ${quantiles(r.fresh)} to all tiles drawn (a frame of the browser is 16.7 ms)`);
console.log(`step, cached ${quantiles(r.cached)}`);

const client = await page.context().newCDPSession(page);
const until = Date.now() + seconds * 1000;
let steps = 0;
while (Date.now() < until) {
	await walk();
	steps += 160;
}
await client.send("HeapProfiler.collectGarbage");
const heap = await client.send("Runtime.getHeapUsage");
const tiles = await page.evaluate(() => window.tachoTimeline.tiles.stats());
const mb = (n) => ((n ?? 0) / 1048576).toFixed(1) + " MB";
console.log(`heap         ${mb(heap.usedSize)} of objects, ${mb(heap.backingStorageSize)} of buffers after ${seconds} s, ${steps} steps; ${tiles.groups} tiles, ${mb(tiles.bytes)}`);
await browser.close();
