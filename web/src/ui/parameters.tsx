// SPDX-License-Identifier: Apache-2.0
// Parameters that programs declare: their values, and new ones while the program is recorded.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api, errorWords } from "../api";
import { fmtCount } from "../format";
import { meta, traceId } from "../state";
import type { Parameter } from "../types";
import { Dialog } from "./dialog";
import { Icon } from "./icons";
import { useLoad } from "./load";

const parametersOpen = signal(false);

/** A value that was sent, and how many values the program had taken before. */
interface Sent {
	value: number;
	changes: number;
}

function Value({ p, send }: { p: Parameter; send: (value: number) => void }) {
	const [text, setText] = useState<string | null>(null);
	if (p.type === "bool")
		return <input type="checkbox" aria-label={p.name} checked={p.value !== 0} disabled={!p.settable} onChange={(e) => send(+e.currentTarget.checked)} />;
	if (p.type === "trigger")
		return <button disabled={!p.settable} onClick={() => send(1)}>{p.name}</button>;
	const commit = () => {
		const value = Number(text?.trim() || NaN);
		setText(null);
		if (Number.isInteger(value) && value !== p.value && Math.abs(value) < 2 ** 31)
			send(value);
	};
	return (
		<form onSubmit={(e) => {
			e.preventDefault();
			commit();
		}}>
			<input type="number" aria-label={p.name} step={1} min={-(2 ** 31)} max={2 ** 31 - 1} value={text ?? String(p.value)} disabled={!p.settable}
				onInput={(e) => setText(e.currentTarget.value)} onBlur={commit} />
		</form>
	);
}

function Parameters({ trace }: { trace: number }) {
	const m = meta.value;
	const { data, error } = useLoad(`${trace}|${m?.gen}`, (s) => api.parameters(trace, s), 100);
	const [sent, setSent] = useState<Record<string, Sent>>({});
	const [failed, setFailed] = useState<string | null>(null);
	const keyOf = (p: Parameter) => `${p.process}:${p.number}`;
	const send = (p: Parameter, value: number) => {
		setFailed(null);
		setSent((s) => ({ ...s, [keyOf(p)]: { value, changes: p.changes } }));
		api.setParameter(trace, p, value).catch((e) => {
			setFailed(errorWords(e));
			setSent(({ [keyOf(p)]: _, ...others }) => others);
		});
	};
	const rows = data?.rows ?? [];
	const state = (p: Parameter) => {
		const s = sent[keyOf(p)];
		if (p.settable && s && p.changes <= s.changes)
			return `${p.type === "trigger" ? "" : `${s.value} `}waits until the program asks`;
		return p.changes ? `set ${fmtCount(p.changes)} ${p.changes === 1 ? "time" : "times"}` : "";
	};
	return (
		<Dialog title="Parameters" onClose={() => { parametersOpen.value = false; }}>
			{(failed ?? error) && <p class="banner" role="alert"><Icon name="warn" /> {failed ?? error}</p>}
			<table class="parameters" data-testid="parameters">
				<tbody>{rows.map((p) => (
					<tr key={keyOf(p)}>
						<th scope="row">{p.name || `number ${p.number}`}</th>
						<td><Value key={p.value} p={p} send={(value) => send(p, value)} /></td>
						<td class="dim">{state(p)}</td>
						<td class="dim">{(m?.processes.length ?? 0) > 1 && m?.processes.find((x) => x.id === p.process)?.name}</td>
					</tr>
				))}</tbody>
			</table>
			{rows.length > 0 && !rows.some((p) => p.settable) && <p class="dim">These are the last values: the programs are not being recorded any more.</p>}
		</Dialog>
	);
}

/** The button in the top bar, and its dialog. */
export function ParametersMenu() {
	if (!meta.value?.has.parameters || traceId.value === null)
		return null;
	return (
		<>
			<button class="icon-button" aria-label="Parameters" title="Parameters of the program" onClick={() => { parametersOpen.value = true; }}><Icon name="parameters" /></button>
			{parametersOpen.value && <Parameters trace={traceId.value} />}
		</>
	);
}
