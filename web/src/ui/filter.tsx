// SPDX-License-Identifier: Apache-2.0
// The text filter "a,b,-c" of lists, kept in the URL.
import { useEffect, useState } from "preact/hooks";
import { params, setParam } from "../state";

export function Filter({ placeholder = "filter: a,b,-c", label = "Filter" }: { placeholder?: string; label?: string }) {
	const [text, setText] = useState(params.value.q ?? "");
	useEffect(() => {
		const timer = setTimeout(() => {
			if (text !== (params.peek().q ?? ""))
				setParam("q", text);
		}, 150);
		return () => clearTimeout(timer);
	}, [text]);
	useEffect(() => setText(params.value.q ?? ""), [params.value.q]);
	return <input class="filter" type="search" aria-label={label} placeholder={placeholder} title="words separated by commas: any of them; a leading minus excludes" value={text} onInput={(e) => setText(e.currentTarget.value)} />;
}

/** A link that downloads what the page shows. */
export function ExportLinks({ href }: { href: (fmt: string) => string }) {
	return <span class="exports">export <a href={href("csv")} download>CSV</a> <a href={href("json")} download>JSON</a></span>;
}
