// SPDX-License-Identifier: Apache-2.0
// Announces changes to screen readers.
import { signal } from "@preact/signals";

const text = signal("");

export function announce(s: string): void {
	text.value = s;
}

export function LiveRegion() {
	return <div class="sr-only" role="status" aria-live="polite" data-testid="live-region">{text.value}</div>;
}
