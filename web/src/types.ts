// SPDX-License-Identifier: Apache-2.0
// The server's responses: docs/view.md. All times are nanoseconds since the start of the trace.

export interface TraceEntry {
	id: number;
	name: string;
	path: string;
	/** Unique for each trace: the browser may cache responses that have it in their URL. */
	tag?: string;
	size: number;
	live: boolean;
	state: "live" | "saved" | "waiting" | "ended" | "damaged";
	kind: "trace" | "ops";
	zones: number;
	duration: number;
	start_realtime?: string;
}

export interface Process {
	id: number;
	pid: number;
	parent: number;
	name: string;
	command: string;
	start: number;
	end: number | null;
	exit: number | null;
}

export type TrackKind = "thread" | "fiber" | "core" | "plot" | "frames" | "messages" | "memory" | "lock" | "other";

export interface Track {
	id: number;
	kind: TrackKind;
	process: number;
	name: string;
	color: number;
	tid?: number;
	device?: number;
	x?: number;
	y?: number;
	lx?: number;
	ly?: number;
	risc?: string;
	count: number;
	format?: number;
	flags?: number;
	lanes: [lane: number, count: number][];
}

export interface Device {
	device: number;
	process: number;
	arch: string;
	mhz: number;
	grid: [w: number, h: number];
	cores: [x: number, y: number, lx: number | null, ly: number | null, type: string][];
	modelled: boolean;
	/** Times of its first and last zone. */
	start?: number;
	end?: number;
	bound_ns: number | null;
	/** Clock synchronisations with the host, and the largest error then. */
	clock?: [t: number, bound: number][];
	/** Above 1000 synchronisations, an entry of CLOCK combines several. */
	clock_total?: number;
}

export interface Signpost {
	t: number;
	header: string;
	message: string;
}

export interface Warning {
	kind: "loss" | "clock" | "damage" | "drop" | "late" | "absent" | "process";
	text: string;
	t?: number;
	/** Where the loss begins, if known. */
	from?: number;
	track?: number;
	lost?: number;
	reason?: string;
}

export interface Meta {
	gen: number;
	/** Unique for each trace: a new recording may replace the file at the same path. */
	tag: string;
	name: string;
	duration: number;
	zones: number;
	rows: number;
	processes: Process[];
	tracks: Track[];
	devices: Device[];
	signposts: Signpost[];
	names_total: number;
	warnings: Warning[];
	properties: Record<string, string | number>;
	has: { ops: boolean; messages: boolean; plots: boolean; memory: boolean; frames: boolean; locks: boolean; samples: boolean; images: boolean; sections: boolean; parameters: boolean; noc: boolean; source: boolean };
}

export type NameRow = [name: string, func: string, file: string, line: number, color: number];

export interface ZoneRef {
	lane: number;
	idx: number;
}

export interface ZoneBrief extends ZoneRef {
	name: number;
	start: number;
	end: number;
}

export interface ZoneDetail extends ZoneBrief {
	track: number;
	depth: number;
	duration: number;
	/** null if the zone has no end yet */
	self: number | null;
	/** Lock waits, which are not in its self time. */
	wait?: number;
	flags: { unfinished?: boolean; end_lost?: boolean };
	extras: { kind: string; text?: string; value?: string }[];
	/** The id for the op call. */
	op?: string;
	/** Its call count, for display. */
	op_call?: string;
	ancestors: ZoneBrief[];
	children: ZoneBrief[];
	children_total: number;
	prev: number | null;
	next: number | null;
}

export interface Page<T> {
	gen: number;
	total: number;
	rows: T[];
}

export interface StatRow {
	name: number;
	text: string;
	file: string;
	line: number;
	count: number;
	/** Zones nested in one of the same name and track do not count again. */
	total: number;
	/** Of all zones. */
	sum: number;
	/** Without nested zones and lock waits. */
	self: number;
	/** Lock waits outside nested zones. */
	wait: number;
	min: number;
	max: number;
	mean: number;
	sigma: number;
	median: number;
	p99: number;
}

export interface Hist {
	count: number;
	min: number;
	max: number;
	mean: number;
	median: number;
	sigma: number;
	p75: number;
	p90: number;
	p99: number;
	p999: number;
	bins: [lo: number, hi: number, count: number, total: number][];
}

export interface Instance extends ZoneRef {
	track: number;
	start: number;
	duration: number;
	self: number;
	text?: string;
}

export interface Group {
	key: string;
	track?: number;
	name?: number;
	count: number;
	sum: number;
}

export interface FlameNode {
	/** A source location; -1 for the root, and for sampled functions, which have a LABEL. */
	name: number;
	label?: string;
	/** Its library and file. */
	where?: string;
	total: number;
	self: number;
	count: number;
	children: FlameNode[];
}

/** What threads did: ns of each of STATES. */
export interface States {
	states: string[];
	event: string;
	threads: { track: number; ns: number[]; samples: number; sampled: number; runs: number; moves: number }[];
	total: number[];
	locks: { track: number; name: string; ns: number }[];
}

export interface StackFrame {
	name: string;
	library: string;
	file: string;
	line: number;
	inlined: boolean;
}

/** One moment of a thread. */
export interface Sample {
	state: { state: number; name: string; start: number; end: number; cpu: number | null; lock?: number | null; lock_name?: string; stack: StackFrame[] } | null;
	sample: { t: number; stack: StackFrame[] } | null;
}

/** Sampled functions as a tree, or each once. */
export interface Stacks {
	samples: number;
	total: number;
	stacked: number;
	whole: number;
	lost: number;
	items_total: number;
	names: { name: string; library: string; file: string; line: number }[];
	items: [depth: number, name: number, total: number, self: number, samples: number, selfSamples: number][];
}

export interface ChangeSide {
	share: number;
	total: number;
	self: number;
	/** Of zones. */
	count?: number;
	/** Of sampled functions. */
	samples?: number;
}

/** A name on its path in two traces, in tree order; ERROR: the standard error of a sampled share. */
export interface Change {
	depth: number;
	name: string;
	library?: string;
	a: ChangeSide;
	b: ChangeSide;
	change: number;
	error?: number;
}

export interface ChangeTree {
	a: { total: number };
	b: { total: number };
	items: Change[];
	items_total: number;
}

export interface Noc {
	size: [w: number, h: number];
	events: number;
	read: number;
	write: number;
	multicast: number;
	unrouted: number;
	capacity: number | null;
	links: [x: number, y: number, noc: number, direction: "right" | "down" | "left" | "up", read: number, write: number][];
}

/** Samples by line of a file; TEXT: its lines from FIRST on, if the viewer has the file. */
export interface SourceCost {
	file: string;
	samples: number;
	total: number;
	lines: [line: number, total: number, self: number, samples: number][];
	line: number;
	first?: number;
	text: string[] | null;
}

/** The first result of an SQL text; MORE: it has more rows than these. */
export interface HistoryRun {
	run: string;
	sha: string;
	/** The number of the commit; 0: unknown. */
	seq: number;
	committed_ms: number;
	started_ms: number;
	host: string;
	ranks: number;
}

export interface HistorySeries {
	id: string;
	kind: "op" | "zone" | "metric";
	name: string;
	detail: string;
	points: number;
	/** Of the last run: ns, or the metric's unit. */
	value: number;
	count: number;
}

/** A change of level; runs and series are indexes into those of the history. */
export interface HistoryStep {
	series: number;
	state: "worse" | "better" | "recovered";
	run_before: number;
	run: number;
	run_first: number;
	run_last: number;
	/** From the last run before to the first after; 0: unknown. */
	commits: number;
	before: number;
	after: number;
	change: number;
	low: number;
	high: number;
	z: number;
	fast: boolean;
}

export interface History {
	groups: { project: string; suite: string; config: string; branch: string; runs: number }[];
	group: number;
	/** Run and series indexes are valid with the same state only. */
	state: string;
	runs: HistoryRun[];
	total: number;
	undecided: number;
	series: HistorySeries[];
	steps: HistoryStep[];
}

export interface QueryResult {
	columns: string[];
	rows: (string | number | null)[][];
	more: boolean;
	note: string;
}

export interface Message {
	t: number;
	thread: number | null;
	severity: number;
	color: number;
	text: string;
	signpost: boolean;
}

export interface PlotInfo {
	track: number;
	name: string;
	format: number;
	count: number;
	min: number;
	max: number;
	last: number;
}

export interface PlotTile {
	gen: number;
	points: [t: number, min: number, max: number, last: number, count: number][];
	before?: number | null;
}

export interface Frames {
	/** One row combines COUNT frames that are too short to be drawn alone. */
	rows: [start: number, end: number, count?: number, longest?: number][];
	stats: { count: number; mean: number; median: number; p99: number; max: number };
}

/** A number of a program that a page may set. */
export interface Parameter {
	process: number;
	number: number;
	name: string;
	type: "number" | "bool" | "trigger";
	value: number;
	/** How often the program took a value that was set. */
	changes: number;
	t: number;
	settable: boolean;
}

export interface Pool {
	track: number;
	name: string;
	current: number;
	peak: number;
	allocs: number;
	frees: number;
	active_total: number;
	active: { address: string | number; size: number; t: number; thread: number | null }[];
}

export interface LockRow {
	track: number;
	name: string;
	file: string;
	line: number;
	waits: number;
	wait_total: number;
	max_wait: number;
	holds: number;
	hold_total: number;
	max_hold: number;
	threads: number;
}

/** The rows of a lock: all threads together, then each. */
export interface LockInfo {
	threads: number;
	rows: { all: boolean; thread: number | null; hold: number; wait: number; holds: number; waits: number; hold_total: number; wait_total: number }[];
	/** The generation of this response. */
	asked: number;
}

export interface LockSpan {
	lane: number;
	idx: number | null;
	/** Spans of the lane that have ended. */
	count: number;
	kind: "wait" | "hold";
	shared: boolean;
	open: boolean;
	thread: number | null;
	/** Of a wait: the thread that held the lock for the most of it. */
	holder?: number | null;
	/** Of a wait: how long each other thread held the lock meanwhile (ns), the longest first. */
	holders?: { thread: number | null; held: number }[];
	start: number;
	end: number;
	duration: number;
	/** The source location of its mark. */
	name: number | null;
	/** By number only: threads that held it during this wait, or waited during this hold; the longest of others_total. */
	others?: { lane: number; idx: number; thread: number | null; start: number; end: number }[];
	others_total?: number;
	/** The lock's own. */
	file?: string;
	line?: number;
}

export interface OpRow {
	/** Its row in the report, which identifies it everywhere in this API. */
	id: string;
	row: number;
	/** As perf-report counts it, from 1; null for signposts. */
	number: number | null;
	/** Its global call count. */
	op: string;
	signpost: boolean;
	/** A kernel overwrote its profiler data. */
	unreliable?: boolean;
	pct: number | null;
	bound: string;
	code: string;
	category: string;
	device: number | null;
	device_time_us: number | null;
	gap_us: number | null;
	cores: number | null;
	dram: number | null;
	dram_pct: number | null;
	flops: number | null;
	flops_pct: number | null;
	fidelity: string;
	advice: string[];
	color: Record<string, string>;
	/** Where the gap before it begins on the timeline; GAP_US is by the device's clock. */
	gap_t0?: number | null;
	t0: number | null;
	t1: number | null;
}

/** What the host did for so long in the gap before an op; ZONE: the longest zone. */
export interface GapCause {
	cause: string;
	us: number;
	zone: string | null;
}

/** One op on the timeline, or COUNT short ones together. ID is for the op call; the host side is known for single ops. */
export type OpSpan = [start: number, end: number, lane: number, name: string, bound: string, id: number, count: number, host?: number, hostDuration?: number];

export interface OpLanes {
	total: number;
	lanes: number;
	rows: OpSpan[];
	more: boolean;
}

/** A part of a critical path: time of one kind on one thread or device, in one zone or op. */
export interface PathPart {
	kind: number;
	track: number | null;
	device: number | null;
	/** That others wait for meanwhile. */
	lock: number | null;
	lock_name?: string;
	name?: number | null;
	op?: string;
	ns: number;
	count: number;
	/** Of the longest piece. */
	start: number;
	end: number;
}

export interface PathAnswer {
	t0: number;
	t1: number;
	track: number | null;
	kinds: [name: string, ns: number][];
	cut: boolean;
	segments_total: number;
	segments: [start: number, end: number, kind: number, on: number | null, lock: number | null, op?: number][];
	parts: PathPart[];
	parts_total: number;
}

/** Ops of one code or category together. */
export interface OpGroup {
	code: string;
	category: string;
	device: number | null;
	pct: number;
	device_time_us: number;
	count: number;
	flops_pct_min: number | null;
	flops_pct_max: number | null;
	flops_pct_mean: number | null;
	flops_pct_weighted: number | null;
	color: string;
}

export interface OpsSummary {
	total_us: number;
	top_ops: TopOp[];
	bound_mix: { bound: string; ops: number; time_us: number; pct: number }[];
	savings: { text: string; ops: number; saves_us: number }[];
}

export interface OpsPage<R> extends Page<R> {
	columns?: string[];
	/** The index of the op requested by "find". */
	found?: number | null;
	/** All of them, regardless of the range. */
	signposts?: [row: number, text: string][];
	footer?: Record<string, number | string>;
	summary?: OpsSummary;
}

export interface OpDetail {
	op: OpRow;
	/** The report's columns. */
	row: Record<string, string>;
	riscs: Record<string, number>;
	cores: { device: number; x: number; y: number; kernel_ns: number; fw_ns: number; riscs: Record<string, number> }[];
	/** Kernel times of the cores; idle: how many work less than a quarter as long as the slowest. */
	spread: { max_ns: number; mean_ns: number | null; imbalance: number | null; idle: number };
	zones: ZoneRef[];
	/** The gap before it, by the host's clock; null: unknown. */
	gap: { us: number; causes: GapCause[] } | null;
}

export interface GridCell {
	x: number;
	y: number;
	lx?: number;
	ly?: number;
	type: string;
	value: number | null;
}

export interface Grid {
	gen: number;
	metric: string;
	unit: string;
	cells: GridCell[];
	max: number;
	mean: number;
	imbalance: number | null;
}

export interface SearchRow {
	kind: "zone" | "op" | "signpost" | "message" | "track";
	text: string;
	name?: number;
	track?: number;
	t?: number;
	lane?: number;
	idx?: number;
	count?: number;
	id?: string;
}

export interface TopZone {
	name: number;
	text: string;
	count: number;
	total: number;
	/** Without lock waits. */
	self: number;
	/** Lock waits. */
	wait: number;
	max: number;
}

export interface TopOp {
	code: string;
	/** The longest one. */
	longest: number;
	ops: number;
	time_us: number;
	pct: number;
	/** Of the longest. */
	bound: string;
	dram_pct: number | null;
	flops_pct: number | null;
	cores: number | null;
	advice: string[];
}

export interface Overview extends Partial<Pick<OpsSummary, "savings" | "total_us">> {
	/** The trace it belongs to: another one may be open when it arrives. */
	trace: number;
	gen: number;
	top_zones: TopZone[];
	top_kernels: TopZone[];
	/** Of all zones of the host, ns. */
	host_self: number;
	/** Of that, lock waits, and the name with the most. */
	host_wait: number;
	top_wait?: { name: number; text: string; wait: number };
	top_ops: TopOp[];
	devices: { device: number; ops: number; time_us: number; busy_pct: number }[];
	bound_mix: OpsSummary["bound_mix"];
	gaps: { t0?: number | null; t1?: number | null; device: number; row: number; before: string; gap_us: number; causes?: GapCause[] }[];
	warnings: Warning[];
	advice: { title: string; text: string; ops: number; saves_us: number; op: string }[];
}

export interface CompareRow {
	text: string;
	a: { count: number; total: number; mean: number; median: number | null } | null;
	b: { count: number; total: number; mean: number; median: number | null } | null;
	/** From A to B, ns. */
	delta: number;
	delta_pct: number | null;
	kind: "both" | "a" | "b";
}
