// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vite";

// One script, one style sheet, names by content: the same sources always make the same files.
// Nothing is inlined, because the server sends "Content-Security-Policy: default-src 'self'".
export default defineConfig({
	base: "/",
	build: {
		outDir: "dist",
		emptyOutDir: true,
		assetsDir: "assets",
		assetsInlineLimit: 0,
		cssCodeSplit: false,
		modulePreload: false,
		target: "es2022",
		reportCompressedSize: true,
	},
	oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
	// "npm run dev" beside a running "tacho view --port 8086"
	server: { port: 5173, proxy: { "/api": "http://127.0.0.1:8086", "/ws": { target: "ws://127.0.0.1:8086", ws: true } } },
});
