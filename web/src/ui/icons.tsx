// SPDX-License-Identifier: Apache-2.0
// Line drawings of 16 units, in the colour of the text.
const PATHS: Record<string, string> = {
	overview: "M2 3h5v5H2zM9 3h5v3H9zM9 8h5v5H9zM2 10h5v3H2z",
	timeline: "M2 4h7M5 8h9M2 12h5M10 12h3",
	ops: "M2 3h12v10H2zM2 6.5h12M6 6.5V13",
	cores: "M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z",
	statistics: "M2 13h12M4 13V8M7 13V4M10 13v-3M13 13V6",
	messages: "M2 3h12v8H7l-3 2.5V11H2z",
	plots: "M2 2v12h12M4 11l3-4 3 2 4-6",
	memory: "M3 5h10v6H3zM5 5V3M8 5V3M11 5V3M5 13v-2M8 13v-2M11 13v-2",
	compare: "M5 2v12M11 2v12M2 5h3M11 5h3M2 11h3M11 11h3",
	history: "M2 3v11h12M4.5 10l2.5-1 2 .5M9.5 5.5l2-.5 2 .5",
	query: "M2 4l4 4-4 4M8 12h6",
	info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5v.5",
	search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
	moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
	sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
	close: "M4 4l8 8M12 4l-8 8",
	right: "M6 3l5 5-5 5",
	down: "M3 6l5 5 5-5",
	fit: "M2 6V2h4M14 6V2h-4M2 10v4h4M14 10v4h-4",
	follow: "M3 3v10M6 8h8M10.5 4.5 14 8l-3.5 3.5",
	warn: "M8 2 15 14H1zM8 6.5V10M8 12v.3",
	pin: "M5.5 2h5M6.5 2v4.5L4 9.5h8L9.5 6.5V2M8 9.5V14",
	parameters: "M4 2v3M4 9v5M8 2v7M8 13v1M12 2v2M12 8v6M2.5 7h3M6.5 11h3M10.5 6h3",
	export: "M8 2v8M5 7l3 3 3-3M2 13h12",
};

export function Icon({ name, size = 16 }: { name: string; size?: number }) {
	return (
		<svg class="icon" width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.4"
			stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
			<path d={PATHS[name] ?? ""} />
		</svg>
	);
}
