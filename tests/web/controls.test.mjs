// SPDX-License-Identifier: Apache-2.0
// The page on a running program with frame images and a parameter, which waits until somebody sets it to 42.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { ended, launch, openPage, serve, until } from "./browser.mjs";
import { fit, openTimeline } from "./timeline.mjs";

const SESSION = process.env.HERE + "/session", TRACE = process.env.HERE + "/controls.tacho";
let program, browser, said = "";

before(async () => {
	program = spawn(process.env.BUILD + "/tacho", ["run", "-q", "-f", "-o", TRACE, "-s", SESSION, "--", process.env.CONTROLS, "-"], { stdio: ["ignore", "pipe", "inherit"] });
	program.stdout.on("data", (d) => { said += d; });
	await until("recording", () => existsSync(SESSION + "/control"));
	browser = await launch();
});
after(async () => {
	await browser?.close();
	program.kill("SIGINT");
	await ended(program);
});

test("the image of the frame under the pointer; a parameter that the program takes", async () => {
	const server = await serve([`--live=${SESSION}`]);
	const p = await openPage(browser, server.url, { expected: (text) => text.includes("willReadFrequently") }), { page } = p; // the test reads pixels
	await page.getByRole("button", { name: "Parameters" }).waitFor();
	await openTimeline(page);
	const ask = (call) => page.evaluate((u) => fetch(u).then((r) => r.json()), "/api/v1/t/0/" + call);
	const track = (await ask("meta")).tracks.find((t) => t.kind === "frames").id;
	const rows = await until("frames", async () => (await ask(`frames?track=${track}`)).rows, (r) => r.length === 2);
	// The left half of an image is red, then green, then blue; the right half is black.
	for (const [i, color] of [[0, "255,0,0"], [1, "0,255,0"]]) {
		await fit(page, { t0: rows[i][0], t1: rows[i][1] });
		const strip = await page.locator("canvas.frames").boundingBox();
		await page.mouse.move(strip.x + strip.width / 2 + i, strip.y + strip.height / 2);
		const pixels = () => page.evaluate(() => {
			const c = document.querySelector('[data-testid="frame-image"] canvas');
			const at = (x) => [...c.getContext("2d").getImageData(x, 2, 1, 1).data].slice(0, 3).join();
			return c ? `${c.width}x${c.height} ${at(1)} ${at(6)}` : "";
		});
		await until("its image", pixels, (t) => t === `8x4 ${color} 0,0,0`);
	}

	await page.getByRole("button", { name: "Parameters" }).click();
	const speed = page.getByRole("spinbutton", { name: "speed" });
	assert.equal(await speed.inputValue(), "1");
	await speed.fill("41");
	await speed.press("Enter");
	await until("taken", () => page.getByTestId("parameters").innerText(), (t) => t.includes("set 1 time"));
	await speed.fill("42");
	await speed.press("Enter");
	await ended(program);
	assert.equal(said, "speed 42\n");
	await until("the last value", async () => await speed.isDisabled() && speed.inputValue(), (v) => v === "42");
	await p.done();
	await server.stop();
});
