// SPDX-License-Identifier: Apache-2.0
// A modal dialog: the browser keeps the focus inside and gives it back.
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Icon } from "./icons";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
	const ref = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		const d = ref.current;
		d?.showModal();
		return () => d?.close();
	}, []);
	return (
		<dialog ref={ref} aria-label={title} onCancel={(e) => {
			e.preventDefault();
			onClose();
		}} onClick={(e) => {
			if (e.target === ref.current)
				onClose();
		}}>
			<div class="dialog-body">
				<header><h2>{title}</h2><button class="icon-button" aria-label="Close" onClick={onClose}><Icon name="close" /></button></header>
				{children}
			</div>
		</dialog>
	);
}
