#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of the viewer in a browser without a GPU, on a trace of MILLIONS of zones (default 100) in 128 lanes: opening,
# drawing, steps of zooming and panning until everything visible is loaded, memory after SECONDS of it (default
# 300). Then a running recording: from an event to the screen.
#	bench/view_page.sh [SECONDS [MILLIONS]]
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
export BUILD=${BUILD:-$root/build} SOURCE=${SOURCE:-$root}
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no chromium: skipped"; exit 0; }
command -v npm >/dev/null && "$SOURCE/scripts/page-tools" || { echo "no npm, or it cannot get the page's tools: skipped"; exit 0; }
HERE=$(mktemp -d)
export CHROMIUM HERE XDG_CACHE_HOME=$HERE/cache
trap 'rm -rf "$HERE"' EXIT
cd "$HERE" || exit 1

packed=$(cat "$SOURCE"/web/dist/index.html "$SOURCE"/web/dist/assets/* | gzip -9 | wc -c)
printf '%-13s%s\n' bundle "$packed bytes, packed   (goal 150000)"
"$BUILD/bench_view" "${2:-100}" big.tacho || exit 1
node "$root/bench/view_page.mjs" big.tacho "${1:-300}" || exit 1
node "$root/bench/view_live.mjs"
