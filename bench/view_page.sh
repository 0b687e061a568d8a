#!/usr/bin/env bash
# The page of the viewer in a browser without a GPU, on 20 M zones in 128 lanes: drawing, steps of zooming and
# panning until everything in sight is there, memory after SECONDS of it (default 20).
#	bench/view_page.sh [SECONDS]
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
export BUILD=${BUILD:-$root/build} SOURCE=${SOURCE:-$root}
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no chromium: skipped"; exit 0; }
command -v npm >/dev/null && "$SOURCE/scripts/page-tools" || { echo "no npm, or it cannot get the page's tools: skipped"; exit 0; }
export CHROMIUM
here=$(mktemp -d)
trap 'kill $server 2>/dev/null; rm -rf "$here"' EXIT
"$BUILD/tacho" run -q -f -o "$here/big.tacho" --limit-mb=6000 -- "$BUILD/tests/fault_count" -t 16 -z 1250000 -d 8 >/dev/null || exit 1
"$BUILD/tacho" view -q --port=0 "$here/big.tacho" >"$here/url" 2>&1 &
server=$!
while ! grep -qs http "$here/url"; do
	kill -0 $server || { cat "$here/url"; exit 1; }
	sleep 0.1
done
node "$root/bench/view_page.mjs" "$(grep -o 'http://[^ ]*' "$here/url" | head -1)" "${1:-20}"
