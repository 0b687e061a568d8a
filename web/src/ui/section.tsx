// What is between two signposts, as the range.
import { elide, fmtDur } from "../format";
import { duration, meta, range, setRange } from "../state";

/** More than this nobody finds in a list: the page of messages has them all. */
const LISTED = 500;

/** From a signpost at T to the next one. */
export function sectionOf(t: number): [number, number] {
	const next = meta.value?.signposts.find((s) => s.t > t);
	return [t, next ? next.t : duration.value];
}

export function SectionSelect() {
	const posts = meta.value?.signposts ?? [];
	if (posts.length === 0)
		return null;
	const r = range.value;
	const at = posts.findIndex((s) => r !== null && Math.floor(s.t) === r.t0 && Math.ceil(sectionOf(s.t)[1]) === r.t1);
	return (
		<label>section <select value={at < 0 ? "" : String(at)} title="from a signpost to the next" onChange={(e) => {
			const s = posts[+e.currentTarget.value];
			if (e.currentTarget.value === "")
				range.value = null;
			else
				setRange(...sectionOf(s.t));
		}}>
			<option value="">{r && at < 0 ? "range" : "all"}</option>
			{posts.slice(0, LISTED).map((s, i) => <option key={i} value={String(i)}>{elide(s.header, 40)} ({fmtDur(s.t)})</option>)}
		</select></label>
	);
}
