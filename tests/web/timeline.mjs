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
