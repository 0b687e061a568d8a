// SPDX-License-Identifier: Apache-2.0
// Sets the range to a section between two signposts.
import { elide, fmtDur } from "../format";
import { duration, meta, range, setRange } from "../state";

/** The messages page has the complete list. */
const LISTED = 500;

/** For pages about the whole trace: their figures ignore the range. */
export function WholeTrace() {
	return range.value ? <p class="dim" data-testid="whole">This page covers the whole trace and ignores the range.</p> : null;
}

/** From a signpost at T to the next one. */
export function sectionOf(t: number): [number, number] {
	const next = meta.value?.signposts.find((s) => s.t > t);
	return [t, next ? next.t : duration.value];
}

interface Post {
	key: string;
	text: string;
}

/** Two lists: from a signpost, to a later one. FROM and TO are indexes into POSTS, -1 = none. */
export function FromTo({ posts, from, to, none, onChange }: { posts: Post[]; from: number; to: number; none: string; onChange: (from: number, to: number) => void }) {
	const list = posts.slice(0, LISTED);
	return (
		<>
			<label>section <select value={String(from)} title="from a signpost" onChange={(e) => onChange(+e.currentTarget.value, -1)}>
				<option value="-1">{none}</option>
				{list.map((s, i) => <option key={s.key} value={String(i)}>{s.text}</option>)}
			</select></label>
			{from >= 0 && <label>to <select value={String(to)} title="up to a signpost" aria-label="to signpost" onChange={(e) => onChange(from, +e.currentTarget.value)}>
				{list.slice(from + 1).map((s, i) => <option key={s.key} value={String(from + 1 + i)}>{s.text}</option>)}
				<option value={String(posts.length)}>the end</option>
			</select></label>}
		</>
	);
}

export function SectionSelect() {
	const posts = meta.value?.signposts ?? [];
	if (posts.length === 0)
		return null;
	const r = range.value, end = duration.value;
	const timeOf = (i: number) => i < posts.length ? posts[i].t : end;
	const from = r === null ? -1 : posts.findIndex((s) => Math.floor(s.t) === r.t0);
	let to = -1;
	for (let i = from + 1; from >= 0 && r !== null && to < 0 && i <= posts.length; i++)
		if (Math.ceil(timeOf(i)) === r.t1)
			to = i;
	const known = from >= 0 && to >= 0;
	return (
		<FromTo posts={posts.map((s, i) => ({ key: String(i), text: `${elide(s.header, 40)} (${fmtDur(s.t)})` }))} from={known ? from : -1} to={to} none={r && !known ? "range" : "all"}
			onChange={(a, b) => {
				if (a < 0)
					range.value = null;
				else if (b < 0)
					setRange(...sectionOf(posts[a].t));
				else
					setRange(posts[a].t, timeOf(b));
			}} />
	);
}
