// SPDX-License-Identifier: Apache-2.0
// The page in a real browser: ids and sections of ops, the bar of the cores, rows in the URL, frames, losses, clocks. The
// files: ALL, OPS a table of ops, FULL a recording whose device lost markers, TRACY one whose clocks nobody compared.
import assert from "node:assert/strict";
import { test } from "node:test";
import { goTo, pagesOf, until } from "./browser.mjs";
import { statSync } from "node:fs";
import { findBox, fit, openTimeline, scrollTo, settled, showZone } from "./timeline.mjs";

const withPage = pagesOf([process.env.ALL, process.env.OPS, process.env.FULL, process.env.TRACY]);

const hash = (page) => page.evaluate(() => location.hash);
const rowCount = async (page) => +await page.locator(".table").first().getAttribute("aria-rowcount") - 1;

test("ops by ids, of a trace and of a table", () => withPage(async (page) => {
	for (const tr of [0, 1]) {
		await goTo(page, `#/ops?tr=${tr}`);
		const all = await until("ops", () => rowCount(page), (n) => n > 5);
		const ids = page.getByRole("textbox", { name: "IDs" });
		await ids.fill("2-4");
		// Signposts between them have no ID.
		await until("three of them", async () => (await page.locator(".tbody .tr .td:first-child").allInnerTexts()).filter(Boolean).join(), (t) => t === "2,3,4");
		await until("in the URL", () => hash(page), (h) => h.includes("ids=2-4"));
		assert.match(await page.getByRole("link", { name: "CSV" }).getAttribute("href"), /ids=/);
		await ids.fill("5-x");
		assert.equal(await ids.getAttribute("aria-invalid"), "true");
		await ids.fill("");
		await until("all again", () => rowCount(page), (n) => n === all);
	}
}));

test("sections of a table of ops are its ids", () => withPage(async (page) => {
	await goTo(page, "#/ops?tr=1");
	const all = await until("ops", () => rowCount(page), (n) => n > 5);
	await page.getByLabel("section").selectOption({ index: 1 });
	const some = await until("a section", () => rowCount(page), (n) => n > 0 && n < all);
	await page.getByLabel("to signpost").selectOption({ label: "the end" });
	await until("up to the end", () => rowCount(page), (n) => n > some);
	await until("in the URL", () => hash(page), (h) => /ids=\d+-(&|$)/.test(h));
}));

test("from one signpost to a later one is the range", () => withPage(async (page) => {
	await goTo(page, "#/statistics?tr=0");
	await page.getByLabel("section").selectOption({ index: 1 });
	const length = async () => (/t1=(\d+)/.exec(await hash(page))?.[1] ?? 0) - (/t0=(\d+)/.exec(await hash(page))?.[1] ?? 0);
	const one = await until("a section", length, (n) => n > 0);
	await page.getByLabel("to signpost").selectOption({ index: 2 });
	await until("three sections", length, (n) => n > one);
	await page.reload();
	await until("kept", async () => await page.getByLabel("to signpost").count() && page.getByLabel("to signpost").inputValue(), (v) => v === "3");
}));

test("cores: one op after the other, a window that is dragged", () => withPage(async (page) => {
	await goTo(page, "#/cores?tr=0");
	await page.locator(".timebar-op").first().waitFor({ state: "attached" });
	const step = page.getByLabel("Op after");
	await step.click();
	const first = await page.getByTestId("op-name").innerText();
	await step.click();
	await until("the next op", () => page.getByTestId("op-name").innerText(), (t) => t !== first);
	await page.getByLabel("Op before").click();
	await until("back", () => page.getByTestId("op-name").innerText(), (t) => t === first);
	assert.match(await hash(page), /t0=\d+&t1=\d+/);
	// far finer than a thousandth of the trace
	const range = async () => (await hash(page)).match(/t0=(\d+)&t1=(\d+)/).slice(1).map(Number);
	const whole = await page.evaluate(() => performance.now()) && +(await page.locator(".top .summary").innerText()).split(" ")[0] * 1e9;
	const [a, b] = await range();
	assert.ok(b - a < whole / 1000, `${b - a} of ${whole}`);
	const box = await page.getByTestId("timebar").boundingBox();
	await page.mouse.move(box.x + box.width * 0.3, box.y + 10);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.6, box.y + 10, { steps: 3 });
	await page.mouse.up();
	const [c, d] = await until("a new range", range, (r) => r[1] - r[0] > b - a);
	await page.mouse.move(box.x + box.width * 0.45, box.y + 10);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.55, box.y + 10, { steps: 3 });
	await page.mouse.up();
	await until("it moved", range, (r) => r[0] > c && Math.abs(r[1] - r[0] - (d - c)) < 10);
	const before = await range();
	await page.getByLabel("from").focus();
	await page.keyboard.press("ArrowLeft");
	await until("by a key", range, (r) => r[0] < before[0]);
}));

test("rows that were opened and closed are in the URL", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	await page.locator(".row.process").first().click();
	await until("closed", () => hash(page), (h) => /rows=-p\d+/.test(h));
	const open = () => page.locator('.row[aria-expanded="true"]').count();
	const n = await open();
	await page.reload();
	await settled(page);
	await until("the same rows", open, (k) => k === n);
	await page.getByRole("button", { name: "Open all" }).click();
	await until("all cores", () => page.evaluate(() => window.tachoTimeline.rows.value.rows.filter((r) => r.kind === "core" && r.open === false).length), (k) => k === 0);
	await until("in the URL", () => hash(page), (h) => h.includes("*"));
	assert.equal(await page.locator(".row.process").first().getAttribute("aria-expanded"), "false");
	await page.getByLabel("Go to").selectOption({ label: "Device 0" });
	await until("scrolled", () => page.evaluate(() => document.querySelector(".tl-body").scrollTop), (t) => t > 0);
}));

test("frames: all of them whatever the zoom, a click is a range", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	const asked = () => page.evaluate(() => performance.getEntriesByType("resource").filter((e) => e.name.includes("/frames?")).map((e) => e.name));
	assert.ok((await until("frames", asked, (l) => l.length)).every((u) => u.includes("least=")));
	const frame = await until("frames", () => page.evaluate(() => {
		const t = window.tachoTimeline, rows = t.frames.data?.rows ?? [];
		return rows.length ? { n: rows.reduce((a, r) => a + (r[2] ?? 1), 0), all: t.frames.data.stats.count, row: rows[0] } : null;
	}));
	assert.equal(frame.n, frame.all);
	const near = (pixels) => page.evaluate(([row, n]) => {
		const t = window.tachoTimeline, ns = t.frame.ns;
		return t.frames.at(row[0] - n * ns, ns)?.[0] ?? null;
	}, [frame.row, pixels]);
	assert.deepEqual([await near(1), await near(100)], [frame.row[0], null], "a frame of a pixel can be hit");
	const canvas = page.locator("canvas.frames");
	const chips = () => page.getByTestId("range-chip").count();
	// Rows that come late move it: where it is now.
	const click = async () => {
		const at = await page.evaluate((t) => (t - window.tachoTimeline.frame.t0) / window.tachoTimeline.frame.ns, (frame.row[0] + frame.row[1]) / 2);
		const box = await canvas.boundingBox();
		await page.mouse.move(box.x + at, box.y + 10);
		await page.mouse.click(box.x + at, box.y + 10);
		await page.waitForTimeout(500);
		return chips();
	};
	await until("a range", click, (n) => n === 1);
	assert.match(await canvas.getAttribute("title"), /frame/);
	await until("and again", click, (n) => n === 0);
}));

test("a click on a signpost makes its section the range", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	await fit(page, await page.evaluate(() => {
		const posts = window.tachoTimeline.signposts(), i = posts.findIndex((p) => p.header === "warm up");
		return { t0: posts[i].t, t1: posts[i + 1].t };
	}));
	const box = await page.locator(".ruler").boundingBox();
	await page.mouse.click(box.x + box.width / 2, box.y + box.height - 8);
	await page.waitForSelector('[data-testid="range-chip"]');
	await page.mouse.click(box.x + box.width / 2, box.y + box.height - 8);
	await until("and again", () => page.getByTestId("range-chip").count(), (n) => n === 0);
}));

test("depths of library frames fold to lines", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	await scrollTo(page, "library caller");
	const heights = () => page.evaluate(() => window.tachoTimeline.rows.value.rows.find((r) => r.label === "library caller").stripes.map((s) => s.h));
	const before = await heights();
	await page.getByLabel("Library frames").selectOption("fold");
	const after = await until("lines", heights, (h) => h.some((k) => k < 6));
	assert.equal(after.length, before.length);
	assert.ok(after.some((k) => k > 12), "what is not a library stays");
	await page.getByLabel("Library frames").selectOption("show");
	await until("rows again", heights, (h) => h.every((k) => k > 12));
}));

test("locks: who holds them and who waits", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	const locks = () => page.evaluate(() => window.tachoTimeline.rows.value.rows.filter((r) => r.kind === "lock").map((r) => ({ key: r.key, label: r.label, note: r.note, y: r.y, track: r.lock.track })));
	const first = (await until("locks", locks, (l) => l.length > 1)).find((l) => l.label === "job queue");
	assert.match(first.note, /waited \d/);
	await page.getByLabel("Go to").selectOption({ label: "Locks" });
	await page.locator(`.row.lock[data-row="${first.key}"]`).click();
	const threads = await until("its threads", locks, (l) => l.some((r) => r.label === "worker 1"));
	assert.ok(threads.length > 3);
	await until("in the URL", () => hash(page), (h) => h.includes(`rows=l${first.track}`));
	// where the longest hold is
	const { lane, span } = await page.evaluate(async (track) => {
		const rows = (await (await fetch(`/api/v1/t/0/lock?track=${track}`)).json()).rows;
		const lane = rows.find((r) => r.holds > 0 && !r.all).hold;
		return { lane, span: await (await fetch(`/api/v1/t/0/lock?track=${track}&lane=${lane}&idx=0`)).json() };
	}, first.track);
	assert.equal(span.kind, "hold");
	await goTo(page, `#/timeline?tr=0&rows=l${first.track}&v0=${span.start - span.duration}&v1=${span.end + span.duration}`);
	await until("words", async () => {
		const at = await page.evaluate(([n, t]) => {
			const tl = window.tachoTimeline, row = tl.rows.value.rows.find((r) => r.lock?.hold === n);
			if (!row)
				return null;
			tl.el.body.scrollTop = row.y - 100;
			const r = tl.el.over.getBoundingClientRect();
			return { x: r.left + (t - tl.frame.t0) / tl.frame.ns, y: r.top + row.y - tl.el.body.scrollTop + 6 };
		}, [lane, (span.start + span.end) / 2]);
		if (at)
			await page.mouse.move(at.x, at.y);
		return (await page.locator(".tooltip").allInnerTexts()).join();
	}, (t) => /held it for/.test(t));
	// and it is drawn
	assert.ok(await until("pixels", () => page.evaluate(([n, t]) => {
		const tl = window.tachoTimeline, row = tl.rows.value.rows.find((r) => r.lock?.hold === n), f = tl.frame;
		const [r, g, b] = tl.el.base.getContext("2d").getImageData(Math.round((t - f.t0) / f.ns * f.dpr), Math.round((row.y - tl.el.body.scrollTop + 6) * f.dpr), 1, 1).data;
		return g > r + 40 && g > b;
	}, [lane, (span.start + span.end) / 2])));
}, { expected: (text) => text.includes("willReadFrequently") }));

test("a zone leads to its op, which is lit on every core", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	const zone = await page.evaluate(async () => {
		for (const r of window.tachoTimeline.rows.value.rows.filter((k) => k.kind === "core" && k.track.risc === "BRISC")) {
			const z = await (await fetch(`/api/v1/t/0/zone?lane=${r.track.lanes[0][0]}&idx=0`)).json();
			if (z.op)
				return z;
		}
		return null;
	});
	assert.ok(zone, "no zone of a core says which op it is of");
	await goTo(page, `#/timeline?tr=0&v0=${zone.start - 3000}&v1=${zone.end + 3000}&sel=zone:${zone.lane}:${zone.idx}`);
	const link = page.getByTestId("drawer").locator("dd .link").first();
	await link.waitFor();
	assert.match(await link.innerText(), /Matmul|Relu/);
	await link.click();
	await until("the op", () => hash(page), (h) => /sel=op:\d+/.test(h));
	await until("drawer", () => page.getByTestId("drawer").allInnerTexts(), (t) => /Kernel time of each core/.test(t.join()));
	await page.getByRole("button", { name: "Open all" }).click();
	const lit = await until("zones of several cores", () => page.evaluate(() => [...new Set(window.tachoTimeline.drawnStripes().filter((d) => d.row.kind === "risc" && d.boxes.some((b) => b.lit)).map((d) => `${d.stripe.track.x},${d.stripe.track.y}`))]), (l) => l.length > 1);
	assert.ok(lit.length > 1);
}));

test("an op says what the host did before it, and which core is the slowest", () => withPage(async (page) => {
	const op = await page.evaluate(async () => {
		const get = async (call) => (await fetch("/api/v1/t/0/" + call)).json();
		for (const r of (await get("ops")).rows) {
			const d = await get("op?id=" + r.id);
			if (d.gap?.causes.length && d.cores.length)
				return { id: r.id, number: r.number, cause: d.gap.causes[0].cause };
		}
		return null;
	});
	assert.ok(op, "no gap of an op is explained");
	await goTo(page, `#/ops?tr=0&sel=op:${op.id}`);
	const text = await until("its gap", async () => (await page.getByTestId("gap-causes").allInnerTexts()).join(), (t) => t.length > 0);
	assert.ok(text.includes(`before this op: ${op.cause} `), text);
	assert.match(await page.getByTestId("slowest-core").innerText(), /^Slowest: core \d+,\d+, [A-Z]+\d*, [\d.]+ [nµm]?s$/);
	assert.ok((await page.getByTestId("drawer").innerText()).includes(`ID ${op.number} · `));
	await goTo(page, "#/overview?tr=0");
	await until("causes of gaps", async () => (await page.locator(".gap-list").allInnerTexts()).join(), (t) => /device 0.*: (kernel compile|dispatch|Python|waiting|other zones|no zone|reading back|writing to the device) [\d.]+ [nµm]?s/.test(t));
}));

test("the overview says which op is slow, and why", () => withPage(async (page) => {
	for (const tr of [0, 1]) {
		await goTo(page, `#/overview?tr=${tr}`);
		const text = await until("verdict", async () => (await page.getByTestId("verdict").allInnerTexts()).join(), (t) => t.length > 0);
		assert.match(text, /Matmul .* takes \d+ % of the time of the ops/);
		assert.match(text, /Neither DRAM .* nor arithmetic|limits it|both near their peaks/);
		if (tr === 0) { // how evenly its cores work
			const cores = await page.evaluate(async () => {
				const get = async (call) => (await fetch("/api/v1/t/0/" + call)).json();
				return (await get("op?id=" + (await get("overview")).top_ops[0].longest)).cores.map((c) => c.kernel_ns);
			});
			const uneven = Math.max(...cores) >= 1.5 * cores.reduce((a, c) => a + c, 0) / cores.length;
			await until("its cores", async () => (await page.getByTestId("verdict").innerText()), (t) => uneven === /The work is uneven: the slowest core takes .*, the mean is/.test(t));
		}
		await page.getByTestId("verdict").getByRole("button").first().click();
		await page.waitForSelector('main[data-page="ops"]');
		await until("the op", () => page.getByTestId("drawer").allInnerTexts(), (t) => /Matmul/.test(t.join()));
	}
}));

test("compare: tables of ops, sums and changes", () => withPage(async (page) => {
	await goTo(page, "#/compare?tr=0&a=0&b=1&what=ops");
	await until("sums", () => page.getByTestId("sums").allInnerTexts(), (t) => /device time .* → .*%/.test(t.join()));
	const first = () => page.locator(".tbody .tr").first().innerText();
	await page.locator(".tbody .tr").first().waitFor();
	assert.match(await page.locator(".table").innerText(), /Matmul/);
	const names = async () => [await page.getByLabel("Trace A").inputValue(), await page.getByLabel("Trace B").inputValue()];
	assert.deepEqual(await names(), ["0", "1"]);
	await page.getByRole("button", { name: "swap" }).click();
	await until("swapped", names, (n) => n.join() === "1,0");
	await page.getByRole("button", { name: /^Name/ }).click();
	await until("by name", first, (t) => /^\(host\)|^Matmul|^Relu/.test(t));
}));

test("statistics of some tracks: table, histogram, flame graph, export", () => withPage(async (page) => {
	await goTo(page, "#/statistics?tr=0");
	const all = await until("names", () => rowCount(page), (n) => n > 10);
	await page.getByLabel("Tracks", { exact: true }).selectOption({ label: "Device 0" });
	const some = await until("those of the device", () => rowCount(page), (n) => n > 0 && n < all);
	assert.doesNotMatch(await page.locator(".table").first().innerText(), /draw_frame/);
	assert.match(await page.getByRole("link", { name: "CSV" }).getAttribute("href"), /track=/);
	await page.getByLabel("Tracks", { exact: true }).selectOption({ label: "the host" });
	await until("those of the host", () => rowCount(page), (n) => n !== some && n < all);
	await page.getByRole("tab", { name: "Flame graph" }).click();
	await until("flames of the host", () => page.locator(".flame-rows button").evaluateAll((l) => l.map((b) => b.getAttribute("aria-label")).join()), (t) => /draw_frame/.test(t) && !/TRISC-FW/.test(t));
	await until("in the URL", () => hash(page), (h) => h.includes("of=h"));
}));

test("the search distinguishes tracks of one name", () => withPage(async (page) => {
	await goTo(page, "#/overview?tr=0");
	await page.keyboard.press("/");
	await page.keyboard.type("worker 1");
	const found = await until("two of them", () => page.locator("#search-list li").allInnerTexts(), (l) => l.length > 1);
	assert.equal(new Set(found).size, found.length, found.join());
	assert.match(found[0], /thread \d+ · demo/);
}));

test("an op of the table by a key", () => withPage(async (page) => {
	await goTo(page, "#/ops?tr=0");
	await page.locator(".tbody .tr", { hasText: "Matmul" }).first().click();
	await until("the op", () => page.getByTestId("drawer").allInnerTexts(), (t) => /Kernel time of each core/.test(t.join()));
	assert.match(await page.getByTestId("drawer").innerText(), /\b0,0\b/);
	await page.keyboard.press("f");
	await page.waitForSelector('main[data-page="timeline"]');
	await goTo(page, "#/ops?tr=0&sel=op:9999");
	await page.keyboard.press("Escape");
	await until("no op", () => hash(page), (h) => !h.includes("sel="));
}, { expected: (text) => /op\?id=9999|404/.test(text) }));

test("a device's losses are shown where they are", () => withPage(async (page) => {
	await goTo(page, "#/overview?tr=2");
	const list = page.getByLabel("Warnings").locator("li");
	await list.first().waitFor();
	assert.equal(await list.count(), 1, "one line for one reason");
	assert.match(await list.innerText(), /[\d,]+ markers lost: device buffers full, \d+ tracks/);
	await list.getByRole("button", { name: "show" }).click();
	await page.waitForSelector('main[data-page="timeline"]');
	await settled(page);
	// the mark is on the rows of its cores alone, hatched from the last zone on
	const at = await page.evaluate(() => {
		const t = window.tachoTimeline, f = t.frame, r = t.el.over.getBoundingClientRect();
		const core = t.rows.value.rows.find((k) => k.kind === "risc" || (k.kind === "core" && k.open === false));
		const w = t.warnings().find((k) => k.track === core.track.id);
		const x = (w.t - f.t0) / f.ns, y = core.y - t.el.body.scrollTop;
		const column = t.el.over.getContext("2d").getImageData(Math.round(x * devicePixelRatio), 0, 1, t.el.over.height).data;
		const ink = (at) => column[4 * Math.round(at * devicePixelRatio) + 3];
		return { from: w.from, t: w.t, x: r.left + x, y: r.top + y + 3, on: ink(y + 1), above: ink(2) };
	});
	assert.ok(at.from < at.t && at.from > 0);
	assert.ok(at.on > 0, "a mark");
	assert.equal(at.above, 0, "nothing on other rows");
	await page.mouse.move(at.x, at.y);
	await until("words", () => page.locator(".tooltip").allInnerTexts(), (t) => /markers lost: device buffers full/.test(t.join()));
}));

test("clocks: compared at marks, or said to be unknown", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=2");
	const at = await page.evaluate(() => {
		const t = window.tachoTimeline, row = t.rows.value.rows.find((k) => k.kind === "device");
		const r = t.el.over.getBoundingClientRect(), point = t.devices()[0].clock[0];
		return { x: r.left + (point[0] - t.frame.t0) / t.frame.ns, y: r.top + row.y - t.el.body.scrollTop + 5, bound: point[1] };
	});
	assert.ok(at.bound > 0);
	await page.mouse.move(at.x, at.y);
	await until("words", () => page.locator(".tooltip").allInnerTexts(), (t) => /clock compared with the host's: ±/.test(t.join()));
	await goTo(page, "#/overview?tr=3");
	await until("warning", () => page.locator("main").innerText(), (t) => /clock of device 0 was never compared/.test(t) && /not synchronised/.test(t));
	await openTimeline(page, "#/timeline?tr=3");
	assert.match(await page.evaluate(() => window.tachoTimeline.rows.value.rows.find((r) => r.kind === "device").warning), /clock not synchronised/);
	await openTimeline(page, await page.evaluate(async () => {
		const core = window.tachoTimeline.rows.value.rows.find((r) => r.kind === "core");
		const z = await (await fetch(`/api/v1/t/3/zone?lane=${core.track.lanes[0][0]}&idx=0`)).json();
		return `#/timeline?tr=3&rows=${core.key}&v0=${z.start - 1000}&v1=${z.end + 1000}`;
	}));
	await page.evaluate(() => { window.tachoTimeline.scrollTo(window.tachoTimeline.rows.value.rows.find((r) => r.kind === "risc").track.id); });
	const b = await until("a zone of a core", () => findBox(page, "FW"));
	await page.mouse.click(b.x, b.y);
	await until("drawer", () => page.getByTestId("drawer").allInnerTexts(), (t) => /clock not synchronised/.test(t.join()));
	assert.doesNotMatch((await page.getByTestId("drawer").innerText()), /delay/i);
}));

test("plots: the value under the pointer", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	// its program draws frames as long as it plots
	await fit(page, await until("frames", () => page.evaluate(() => {
		const rows = window.tachoTimeline.frames.data?.rows;
		return rows && { t0: rows[0][0], t1: rows.at(-1)[1] };
	})));
	await until("value", async () => {
		const at = await page.evaluate(() => {
			const t = window.tachoTimeline, r = t.rows.value.rows.find((k) => k.kind === "plot" && k.label === "jobs queued");
			t.el.body.scrollTop = r.y - 100;
			const b = t.el.over.getBoundingClientRect();
			return { x: b.left + 500, y: b.top + r.y - t.el.body.scrollTop + 20 };
		});
		await page.mouse.move(at.x, at.y);
		return (await page.locator(".tooltip").allInnerTexts()).join();
	}, (t) => /^\d+( \(\d+ … \d+\))?\s+jobs queued/.test(t));
}));

test("a resting pointer shows what the view moved below it", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	const b = await showZone(page, "layers", "tacho_device_open");
	await page.mouse.move(b.x, b.y);
	await until("the zone", () => page.evaluate(() => window.tachoTimeline.hover.value?.box?.zone), (z) => z === b.zone);
	await page.keyboard.press("Home");
	await settled(page);
	for (const { t0, t1 } of [{ t0: 0, t1: 1000 }, { t0: 1e6, t1: 2e6 }]) {
		await fit(page, { t0, t1 });
		const [told, there] = await page.evaluate(() => {
			const t = window.tachoTimeline, h = t.hover.value, now = t.at(h.x, h.y);
			return [h, now].map((k) => [k.t, k.row?.key, k.box?.lane, k.box?.zone]);
		});
		assert.deepEqual(told, there);
	}
}));

test("compared durations of a name open and close; a filter that takes no plot says so", () => withPage(async (page) => {
	await goTo(page, "#/compare?tr=0&a=0&b=2");
	await page.locator(".tbody .tr").first().click();
	await page.getByRole("complementary", { name: "Durations compared" }).getByRole("button", { name: "Close" }).click();
	await until("closed", () => page.getByRole("complementary").count(), (n) => n === 0);
	await goTo(page, "#/plots?tr=0");
	await page.getByLabel("Filter").fill("no such plot");
	await page.getByText("No plot matches the filter.").waitFor();
}));

/** Where an op, or the middle of the gap before it, is on the row of its device. */
const opAt = (page, gap) => page.evaluate((g) => {
	const t = window.tachoTimeline, over = t.el.over.getBoundingClientRect();
	const row = t.rows.value.rows.find((r) => r.kind === "ops");
	const list = row ? [...t.opLanes.rows(row.ops)].sort((a, b) => a[0] - b[0]) : [];
	const k = list.findIndex((o, i) => i > 0 && o[6] === 1 && o[7] !== undefined && o[0] > list[i - 1][1] + 100);
	if (k < 0)
		return null;
	const f = t.frame, [t0, t1] = g ? [list[k - 1][1], list[k][0]] : list[k];
	const x = ((t0 + t1) / 2 - f.t0) / f.ns;
	return { start: list[k][0], end: list[k][1], x: over.left + x, y: over.top + row.y - t.el.body.scrollTop + 10, w: (t1 - t0) / f.ns, t0: list[k - 1][0], t1: list[k][1], name: list[k][3], id: list[k][5], host: [list[k][7], list[k][7] + list[k][8]] };
}, gap);

test("a device has a lane of ops, with gaps that say what the host did, and host zones have the names of their ops", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	const first = await until("ops", () => opAt(page, false));
	await page.evaluate(() => { const t = window.tachoTimeline; t.scrollToY(t.rows.value.rows.find((r) => r.kind === "ops").y, 0.5); });
	await fit(page, { t0: first.start, t1: first.end });
	const op = await until("a wide op", () => opAt(page, false), (o) => o?.id === first.id && o.w > 4);
	await page.mouse.move(op.x, op.y);
	await until("its tooltip", () => page.locator(".tooltip").count() && page.locator(".tooltip").innerText(), (t) => t && t.includes(op.name) && /dispatched/.test(t));
	await page.mouse.click(op.x, op.y);
	await until("the op", () => hash(page), (h) => h.includes(`sel=op:${op.id}`));
	const drawer = page.getByTestId("drawer");
	await until("the drawer", () => drawer.count() && drawer.innerText(), (t) => t && t.includes(op.name));
	await page.keyboard.press("Escape");
	await until("closed", () => drawer.count(), (n) => n === 0);
	await fit(page, { t0: first.t0, t1: first.t1 });
	const gap = await until("the gap", () => opAt(page, true), (o) => o?.id === first.id && o.w > 4);
	await page.mouse.click(gap.x, gap.y);
	await until("the gap's causes", () => page.getByTestId("gap").count() && page.getByTestId("gap").innerText(), (t) => t && /%/.test(t));
	await until("in the URL", () => hash(page), (h) => h.includes(`sel=gap:${op.id}`));
	await page.reload();
	await until("kept", () => page.getByTestId("gap").count(), (n) => n === 1);
	await page.keyboard.press("Escape");
	// the host's zone of the op, by its time
	await scrollTo(page, "layers");
	await fit(page, { t0: op.host[0], t1: op.host[1] });
	const names = () => page.evaluate(() => window.tachoTimeline.drawnStripes().filter((d) => !d.stripe.device).flatMap((d) => d.boxes.map((b) => window.tachoTimeline.hostOp(b.name, b.x0, b.x1)?.[3])).filter(Boolean));
	await until("its name on the host", names, (n) => n.includes(op.name));
}));

test("an export opens without the server, with the view that was exported", () => withPage(async (page) => {
	await openTimeline(page, "#/timeline?tr=0");
	await until("ops", () => opAt(page, false));
	const rows = await page.locator(".row").count();
	const get = async (what, name) => {
		await page.locator(".export summary").click();
		const [d] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: what }).click()]);
		await d.saveAs(`${process.env.HERE}/${name}`);
		await until("closed", () => page.locator(".export[open]").count(), (n) => n === 0);
	};
	await get("Picture (PNG)", "view.png");
	assert.ok(statSync(`${process.env.HERE}/view.png`).size > 20000);
	await get("Picture (SVG)", "view.svg");
	await get("Page (HTML)", "view.html");
	const file = await page.context().newPage();
	const wrong = [];
	file.on("pageerror", (e) => wrong.push(e.message));
	file.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
	await file.goto(`file://${process.env.HERE}/view.html`);
	await until("its rows", () => file.locator(".row").count(), (n) => n === rows);
	const shown = (p) => p.evaluate(() => window.tachoTimeline.tiles.stats().groups);
	await until("its tiles", () => shown(file), (n) => n > 0);
	await goTo(file, "#/overview");
	await until("its overview", () => file.locator("main").innerText(), (t) => /zones/.test(t));
	assert.deepEqual(wrong, []);
	await file.close();
}));

test("samples: states below threads, a flame graph, one function between callers and callees", () => withPage(async (page) => {
	const meta = await page.evaluate(async () => (await fetch("/api/v1/t/0/meta")).json());
	if (!meta.has.samples)
		return;
	await goTo(page, "#/statistics?tr=0&tab=samples");
	await until("functions", () => page.locator(".flame-rows button").count(), (n) => n > 3);
	await page.getByRole("button", { name: "Functions" }).click();
	await until("a table", () => rowCount(page), (n) => n > 0);
	await page.locator(".tbody .tr").first().click();
	await until("callers and callees", () => page.locator(".flame").count(), (n) => n === 2);
}));

test("SQL: a table, a chart, an error in one line, a row that leads to the timeline", () => withPage(async (page) => {
	await goTo(page, "#/query?tr=0");
	const sql = page.getByRole("textbox", { name: "SQL" });
	await sql.fill("SELECT name, total FROM slice_stat ORDER BY total DESC LIMIT 5");
	await page.getByRole("button", { name: /^Run/ }).click();
	await until("rows", () => page.locator(".table").count() && rowCount(page), (n) => n === 5);
	assert.equal(await page.locator(".query-chart .bars li").count(), 5);
	await until("in the URL", () => hash(page), (h) => h.includes("sql=SELECT"));
	await sql.fill("SELECT ts, dur FROM slice WHERE dur > 0 LIMIT 3");
	await sql.press("Control+Enter");
	await until("a curve", () => page.locator(".query-chart polyline").count(), (n) => n === 1);
	await page.locator(".tbody .tr").first().click();
	await until("the timeline", () => hash(page), (h) => h.startsWith("#/timeline"));
}));
