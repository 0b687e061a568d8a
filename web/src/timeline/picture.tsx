// SPDX-License-Identifier: Apache-2.0
// The image of the frame under the pointer, below the frames strip.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import type { Timeline } from "./controller";

const MAGIC = 0x31494654;

/** The four colours of a block, as R G B. */
function palette(c0: number, c1: number): number[][] {
	const rgb = (c: number) => [(c >> 11) * 255 / 31, (c >> 5 & 63) * 255 / 63, (c & 31) * 255 / 31];
	const a = rgb(c0), b = rgb(c1);
	const mix = (x: number, y: number, n: number) => a.map((v, i) => (v * x + b[i] * y) / n);
	return c0 > c1 ? [a, b, mix(2, 1, 3), mix(1, 2, 3)] : [a, b, mix(1, 1, 2), [0, 0, 0]];
}

/** DXT1 blocks of 4 x 4 pixels; null if there is no image. */
function decodeImage(buffer: ArrayBuffer): ImageData | null {
	const head = new DataView(buffer);
	const width = buffer.byteLength >= 20 ? head.getUint32(8, true) : 0, height = width ? head.getUint32(12, true) : 0;
	if (!width || !height || head.getUint32(0, true) !== MAGIC || buffer.byteLength !== 20 + width * height / 2)
		return null;
	const flip = head.getUint32(16, true) !== 0;
	const image = new ImageData(width, height);
	for (let at = 20, y = 0; y < height; y += 4)
		for (let x = 0; x < width; x += 4, at += 8) {
			const colors = palette(head.getUint16(at, true), head.getUint16(at + 2, true));
			const codes = head.getUint32(at + 4, true);
			for (let i = 0; i < 16; i++) {
				const row = y + (i >> 2), to = ((flip ? height - 1 - row : row) * width + x + (i & 3)) * 4;
				image.data.set(colors[codes >>> 2 * i & 3], to);
				image.data[to + 3] = 255;
			}
		}
	return image;
}

export function Picture({ tl }: { tl: Timeline }) {
	const h = tl.hover.value;
	const frame = h?.frame ?? null;
	const track = tl.frames.track.value;
	const [image, setImage] = useState<ImageData | null>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const key = frame && track !== null ? `${track}:${frame[0]}` : "";
	useEffect(() => {
		setImage(null);
		if (!frame || track === null)
			return;
		const a = new AbortController();
		const timer = setTimeout(() => api.frameImage(tl.trace, track, (frame[0] + frame[1]) / 2, a.signal).then(
			(b) => setImage(decodeImage(b)), () => {}), 40); // without it there is the text alone
		return () => {
			clearTimeout(timer);
			a.abort();
		};
	}, [key]);
	useEffect(() => {
		if (image)
			canvas.current?.getContext("2d")?.putImageData(image, 0, 0);
	}, [image]);
	if (!image || !h)
		return null;
	return (
		<div class="tooltip picture" data-testid="frame-image" style={{ left: `${Math.max(0, Math.min(h.x + 16, tl.width - 340))}px`, top: "4px" }}>
			<canvas ref={canvas} width={image.width} height={image.height} />
		</div>
	);
}
