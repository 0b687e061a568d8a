// SPDX-License-Identifier: Apache-2.0
// The name of an op in a column: when there is no room, its shape stays, because it distinguishes ops of a kind.
export function OpName({ code }: { code: string }) {
	const at = code.indexOf(" ");
	return at < 0 ? <>{code}</> : <span class="op-name" title={code}><span>{code.slice(0, at)}</span><span>{code.slice(at)}</span></span>;
}
