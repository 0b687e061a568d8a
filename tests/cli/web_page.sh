# The viewer's page: web/dist is what the sources make; then the page in a real browser.
. "$SOURCE/tests/lib.sh"

for tool in node npm; do
	command -v $tool >/dev/null || { echo "no $tool: skipped"; exit 0; }
done
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no chromium: skipped"; exit 0; }
python=$(head -1 "$BUILD/python/interpreters" 2>/dev/null)
[ -n "$python" ] || { echo "no extension for Python was built: skipped"; exit 0; }
export CHROMIUM HERE=$here

# A lock file that is not complete is a fault, no network is none.
web=$SOURCE/web
if ! "$SOURCE/scripts/page-tools" >npm.log 2>&1; then
	! grep -q EUSAGE npm.log || { cat npm.log; fail "web/package-lock.json is not what npm ci takes"; }
	tail -3 npm.log
	echo "npm cannot get the page's tools: skipped"
	exit 0
fi

cd "$web" || exit 1
if [ -n "$SANITIZE" ]; then
	echo "whether web/dist is what web/src makes does not depend on how the server is built"
elif node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
	npx --no-install tsc --noEmit || fail "types of web/src"
	npx --no-install vite build --logLevel=error --outDir "$here/dist" || fail "web/src cannot be built"
	diff -r "$here/dist" dist || fail "web/dist is older than web/src: run 'npm run build' in web/"
else
	echo "node is older than 20: whether web/dist is what web/src makes is not checked"
fi
packed=$(cat dist/index.html dist/assets/* | gzip -9 | wc -c)
echo "the page has $packed bytes, packed (goal 150000)"
[ "$packed" -le 150000 ] || fail "the page has $packed bytes, packed: more than 150000"
cd "$here" || exit 1

# A host program, Python and a device in one recording; another one to compare with; one whose device lost markers;
# one whose clocks were never compared. Nothing may depend on how long a program ran: with a sanitizer there are pauses.
pause=${SANITIZE:+5}
export PYTHONPATH=$BUILD/python TT_METAL_DEVICE_PROFILER=1 TACHO_ARCH=tiny
export PYTHON=$python ALL=$here/all.tacho OTHER=$here/other.tacho OPS=$here/report/reports/ops_perf_results.csv
expect_exit 0 "$TACHO" run -q -o all.tacho -- sh -c "'$python' '$SOURCE/tests/web/program.py' && sleep ${pause:-0} && '$BUILD/examples/demo' && sleep ${pause:-0} && '$BUILD/examples/device/layers'"
expect_exit 0 "$TACHO" run -q -o other.tacho -- "$BUILD/examples/device/layers"
expect_exit 0 "$TACHO" ops -o report other.tacho
export FULL=$here/full.tacho TRACY=$here/other.tracy
expect_exit 0 "$TACHO" run -q -o full.tacho -- "$BUILD/examples/device/full_buffer"
expect_exit 0 "$TACHO" export -q --to=tracy -o other.tracy other.tacho

export WIDE=$here/wide.tacho
expect_exit 0 "$BUILD/tests/mkwide" 10000 wide.tacho

export ODD=$here/odd
mkdir "$ODD"
for kind in empty moment nanosecond days messages plots device locks pools queues; do
	expect_exit 0 "$BUILD/tests/mkodd" $kind "$ODD/$kind.tacho"
done

for suite in page features live wide more pins; do
	# A browser on a busy machine loses a click now and then: what fails must fail twice.
	node --test --test-reporter=spec "$SOURCE/tests/web/$suite.test.mjs" >log 2>&1 || {
		grep -A20 '^✖' log
		echo "once more: $suite"
		node --test --test-reporter=spec "$SOURCE/tests/web/$suite.test.mjs" >log 2>&1
	} || { cat log; fail "the page, $suite"; }
	grep -E '^(✔|ℹ (tests|pass))' log
done
