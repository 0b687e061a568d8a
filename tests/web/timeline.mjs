// SPDX-License-Identifier: Apache-2.0
// What the tests know of the timeline: where its rows are, what it shows.
import { goTo, until } from "./browser.mjs";

/** Opens the timeline and waits until the tiles in sight are drawn. */
export async function openTimeline(page, hash = "#/timeline") {
	await goTo(page, hash);
	await page.waitForSelector('[data-testid="timeline"]');
	await settled(page);
}

export async function settled(page) {
	await until("tiles", () => page.evaluate(() => {
		const t = window.tachoTimeline;
		return t !== undefined && t.rows.value.rows.length > 0 && t.tiles.stats().flights === 0 && t.tiles.missing === 0 && t.tiles.stats().groups > 0 && !t.motion.moving;
	}));
	await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
}

/** Brings the rows of a thread into sight. */
export async function scrollTo(page, name) {
	await page.evaluate((n) => {
		const t = window.tachoTimeline;
		t.scrollTo(t.rows.value.rows.find((r) => r.kind === "thread" && r.label === n).track.id);
	}, name);
	await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
	await settled(page);
}

export function view(page) {
	return page.evaluate(() => window.tachoTimeline.motion.goal);
}

export function span(v) {
	return v.t1 - v.t0;
}

/** The middle of the widest box of a zone whose name matches, in pixels of the window. */
export function findBox(page, name) {
	return page.evaluate((n) => {
		const t = window.tachoTimeline;
		const r = t.el.over.getBoundingClientRect();
		let best = null;
		for (const d of t.drawnStripes())
			for (const b of d.boxes)
				if (t.nameOf(b.name).includes(n) && (!best || b.x1 - b.x0 > best.w))
					best = { w: b.x1 - b.x0, x: r.left + Math.min(t.width - 3, Math.max(3, (b.x0 + b.x1) / 2 / devicePixelRatio)), y: r.top + d.y + d.stripe.h / 2, zone: b.zone, lane: b.lane };
		return best;
	}, name);
}

/** Shows a stretch of time, however long the trace is. */
export async function fit(page, range) {
	await page.evaluate((r) => window.tachoTimeline.fit(r), range);
	await settled(page);
}

/** Shows the longest zone of a name on a thread with as much around it as it is long; its box. */
export async function showZone(page, thread, name) {
	await scrollTo(page, thread);
	await fit(page, await page.evaluate(async ([thread, name]) => {
		const get = async (call) => (await (await fetch("/api/v1/t/0/" + call)).json()).rows;
		const row = (await get("search?limit=50&q=" + encodeURIComponent(name))).find((r) => r.kind === "zone" && r.text === name);
		const track = window.tachoTimeline.rows.value.rows.find((r) => r.kind === "thread" && r.label === thread).track.id;
		const [z] = await get(`instances?sort=duration&desc=1&limit=1&name=${row.name}&track=${track}`);
		return { t0: z.start - z.duration, t1: z.start + 2 * z.duration };
	}, [thread, name]));
	return until(`a zone ${name}`, () => findBox(page, name));
}
