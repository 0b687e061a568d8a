// SPDX-License-Identifier: Apache-2.0
// From an event to the screen: a program that is recorded by "tacho run --view" prints when its zones end, the page
// reports when each was painted for the first time. Argument: number of zones.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { launch, until } from "../tests/web/browser.mjs";
import { line, quantiles } from "./figures.mjs";

const marks = +(process.argv[2] ?? 150);
const tacho = spawn(process.env.BUILD + "/tacho", ["run", "-q", "-f", "--view", "--port=0", "-o", process.env.HERE + "/live.tacho", "--",
	process.env.BUILD + "/live_marks", String(marks)], { stdio: ["ignore", "pipe", "pipe"] });
let said = "";
for (const stream of [tacho.stdout, tacho.stderr])
	stream.on("data", (d) => { said += d; });
const url = await until("the URL", () => /http:\/\/\S+/.exec(said)?.[0]);
const ended = () => said.match(/^\d{19}$/gm) ?? [];

const browser = await launch();
const page = await (await browser.newContext({ viewport: { width: 1400, height: 850 }, reducedMotion: "reduce" })).newPage();
await page.goto(url);
await page.waitForSelector("main");
await page.goto(new URL(url).origin + "/#/timeline");
await page.waitForFunction(() => window.tachoTimeline?.drawnStripes().some((d) => d.boxes.length > 0) && window.tachoTimeline.motion.goal.t1 > 2e9);
// one second in sight: a mark is several pixels wide
await page.evaluate(() => {
	const t = window.tachoTimeline;
	window.painted = {};
	t.motion.to({ t0: t.motion.goal.t1 - 1e9, t1: t.motion.goal.t1 }, false);
	const channel = new MessageChannel();
	// a frame's drawing is painted by the time the message arrives
	const frame = () => {
		const drawn = t.drawnStripes().flatMap((d) => d.boxes).filter((b) => b.zone < 0xffffffff && t.nameOf(b.name) === "mark").map((b) => b.zone);
		channel.port1.onmessage = () => {
			for (const zone of drawn)
				window.painted[zone] ??= Date.now();
			requestAnimationFrame(frame);
		};
		channel.port2.postMessage(0);
	};
	requestAnimationFrame(frame);
});
const from = ended().length + 2;
const cpu = () => readFileSync(`/proc/${tacho.pid}/stat`, "utf8").replace(/.*\) /, "").split(" ").slice(11, 13).reduce((a, b) => a + +b, 0) * 10;
const cpu0 = cpu(), t0 = Date.now();
let share = 0;
while (ended().length < marks && tacho.exitCode === null) {
	await new Promise((r) => setTimeout(r, 100));
	share = ended().length < marks ? (cpu() - cpu0) / (Date.now() - t0) : share;
}
await page.waitForTimeout(1000);
const painted = await page.evaluate(() => window.painted);
const times = ended();
const lags = [], lost = [];
for (let i = from; i < times.length; i++)
	if (painted[i] === undefined)
		lost.push(i);
	else
		lags.push(painted[i] - Number(BigInt(times[i]) / 1000n) / 1000);
line("live", `${quantiles(lags)} from the end of a zone to the screen, ${lags.length} zones, ${lost.length} not seen; recorder and server took ${(share * 100).toFixed(1)} % of a core`, "250 ms");
await browser.close();
tacho.kill("SIGINT");
await once(tacho, "exit");
