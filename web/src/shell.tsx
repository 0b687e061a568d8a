// SPDX-License-Identifier: Apache-2.0
// The frame around every page: rail, top bar, dialogs.
import type { ComponentType } from "preact";
import { fmtDur, fmtShort } from "./format";
import { helpOpen, KEYS } from "./keys";
import { offline } from "./offline";
import { dropped, failure, link, version } from "./live";
import { entry, follow, go, hashOfPage, hasHistory, meta, openTrace, page, PAGES, traceId, traces } from "./state";
import type { PageId } from "./state";
import { switchTheme, theme } from "./theme";
import { RangeChip } from "./ui/chip";
import { ExportMenu } from "./ui/export";
import { Dialog } from "./ui/dialog";
import { Icon } from "./ui/icons";
import { LiveRegion } from "./ui/live";
import { ParametersMenu } from "./ui/parameters";
import { Search } from "./ui/search";
import { ComparePage } from "./pages/compare";
import { CoresPage } from "./pages/cores";
import { HistoryPage } from "./pages/history";
import { InfoPage } from "./pages/info";
import { MemoryPage } from "./pages/memory";
import { MessagesPage } from "./pages/messages";
import { OpsPage } from "./pages/ops";
import { OpsOverview, OverviewPage } from "./pages/overview";
import { PlotsPage } from "./pages/plots";
import { QueryPage } from "./pages/query";
import { StatisticsPage } from "./pages/statistics";
import { TimelinePage } from "./pages/timeline";

const TITLES: Record<PageId, [title: string, component: ComponentType]> = {
	overview: ["Overview", OverviewPage],
	timeline: ["Timeline", TimelinePage],
	ops: ["Ops", OpsPage],
	cores: ["Cores", CoresPage],
	statistics: ["Statistics", StatisticsPage],
	messages: ["Messages", MessagesPage],
	plots: ["Plots", PlotsPage],
	memory: ["Memory", MemoryPage],
	compare: ["Compare", ComparePage],
	info: ["Trace info", InfoPage],
	query: ["Query", QueryPage],
	history: ["History", HistoryPage],
};

/** Pages for which the trace has no data are dimmed. */
function has(p: PageId): boolean {
	const m = meta.value;
	if (traces.value.length === 0 && hasHistory.value)
		return p === "history";
	if (entry.value?.kind === "ops")
		return p === "overview" || p === "ops" || p === "compare" || p === "query";
	if (!m)
		return true;
	switch (p) {
	case "ops": return m.has.ops;
	case "cores": return m.devices.length > 0;
	case "messages": return m.has.messages || m.signposts.length > 0;
	case "plots": return m.has.plots;
	case "memory": return m.has.memory;
	case "query": return !offline;
	case "compare": return traces.value.length > 1;
	default: return true;
	}
}

/** Skips the list of pages and, on the timeline, the row names. */
function skip(): void {
	(document.querySelector<HTMLElement>("main canvas[tabindex]") ?? document.querySelector<HTMLElement>("main"))?.focus();
}

function Rail() {
	return (
		<nav class="rail" aria-label="Pages">
			<button class="skip" onClick={skip}>Skip to the page</button>
			<div class="brand" aria-hidden="true">
				<svg width="26" height="26" viewBox="0 0 32 32"><path d="M6 22a10 10 0 1 1 20 0" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" /><path class="needle" d="M16 22 22 11" stroke-width="3" stroke-linecap="round" /></svg>
			</div>
			{PAGES.map((p, i) => (p !== "history" || hasHistory.value) && (
				<a key={p} href={hashOfPage(p)} class={(page.value === p ? "here" : "") + (has(p) ? "" : " empty")} aria-current={page.value === p ? "page" : undefined}
					title={i < 10 ? `${TITLES[p][0]} (${(i + 1) % 10})` : TITLES[p][0]} onClick={(e) => {
						if (e.ctrlKey || e.metaKey || e.shiftKey)
							return; // in a tab or window of its own
						e.preventDefault();
						go(p);
					}}>
					<Icon name={p} /><span>{TITLES[p][0]}</span>
				</a>
			))}
		</nav>
	);
}

function LiveState() {
	const e = entry.value;
	if (offline)
		return <span class="state saved" title="This file works without a server; it has the data of the view that it was exported from" data-testid="live-state">offline file</span>;
	if (link.value === "lost")
		return <span class="state lost" role="status" data-testid="live-state">connection lost, trying again</span>;
	if (link.value === "refused")
		return <span class="state lost" role="status" data-testid="live-state">not let in</span>;
	if (!e)
		return null;
	const text = { live: "live", saved: "saved", waiting: "waiting for a program", ended: "ended", damaged: "damaged" }[e.state] ?? e.state;
	const click = e.live ? () => {
		follow.value = !follow.value;
		if (follow.value && page.value !== "timeline")
			go("timeline");
	} : undefined;
	return (
		<button class={"state " + e.state + (follow.value ? " following" : "")} onClick={click} disabled={!click} data-testid="live-state" aria-pressed={click ? follow.value : undefined}
			title={click ? "Follow the newest data (L)" : `this trace is ${text}`}>
			<span class="dot" />{text}{follow.value && e.live ? ", following" : ""}{dropped.value > 0 ? ` · ${fmtShort(dropped.value)} dropped` : ""}
		</button>
	);
}

function TopBar() {
	const e = entry.value;
	return (
		<header class="top">
			{traces.value.length > 0 && <label class="picker"><span class="sr-only">Trace</span>
				<select value={String(traceId.value ?? "")} onChange={(ev) => { openTrace(+ev.currentTarget.value); }}>
					{traces.value.map((t) => <option value={String(t.id)}>{t.name}</option>)}
				</select>
			</label>}
			{e && e.kind === "trace" && <span class="dim summary">{fmtDur(meta.value?.duration ?? e.duration)} · {fmtShort(meta.value?.zones ?? e.zones)} zones</span>}
			<LiveState />
			<RangeChip />
			<span class="spacer" />
			{traces.value.length > 0 && <Search />}
			{!offline && <ParametersMenu />}
			{meta.value && <ExportMenu />}
			<button class="icon-button" aria-label={theme.value === "dark" ? "Light theme" : "Dark theme"} title="Dark or light (T)" onClick={switchTheme}><Icon name={theme.value === "dark" ? "sun" : "moon"} /></button>
			<button class="icon-button" aria-label="Keys and mouse" title="Keys and mouse (?)" onClick={() => { helpOpen.value = true; }}><b>?</b></button>
		</header>
	);
}

function Help() {
	return (
		<Dialog title="Keys and mouse" onClose={() => { helpOpen.value = false; }}>
			<div class="help">
				{KEYS.map(([group, keys]) => (
					<section key={group}><h3>{group}</h3><dl>{keys.map(([k, text]) => <><dt>{k.split("`").map((w, i) => i % 2 ? <kbd>{w}</kbd> : w)}</dt><dd>{text}</dd></>)}</dl></section>
				))}
			</div>
			<p class="dim">Tacho {version.value}</p>
		</Dialog>
	);
}

/** An ops report has no zones and therefore no timeline. */
function OpsOnly() {
	return (
		<div class="page">
			<h1>{TITLES[page.value][0]}</h1>
			<p>{entry.value?.name} is a table of ops: there are <button class="link" onClick={() => go("ops")}>Ops</button> and <button class="link" onClick={() => go("compare")}>Compare</button>.</p>
		</div>
	);
}

export function Shell() {
	const table = entry.value?.kind === "ops" && page.value !== "ops" && page.value !== "compare" && page.value !== "query" && page.value !== "history";
	const Body = !table ? TITLES[page.value][1] : page.value === "overview" ? OpsOverview : OpsOnly;
	return (
		<div class="shell">
			<Rail />
			<TopBar />
			<main tabIndex={-1} aria-label={TITLES[page.value][0]} data-page={page.value}>
				{failure.value && <p class="banner" role="alert"><Icon name="warn" /> {failure.value}</p>}
				<Body key={page.value} />
			</main>
			{helpOpen.value && <Help />}
			<LiveRegion />
		</div>
	);
}
