# SPDX-License-Identifier: Apache-2.0
# web/dist is what web/src builds, and small. labels: browser
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/web.sh"

cd "$SOURCE/web" || exit 1
if node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
	npx --no-install tsc --noEmit || fail "types of web/src"
	npx --no-install vite build --logLevel=error --outDir "$here/dist" || fail "web/src cannot be built"
	diff -r "$here/dist" dist || fail "web/dist is older than web/src: run 'npm run build' in web/"
else
	echo "node is older than 20: cannot check that web/dist is up to date"
fi
packed=$(cat dist/index.html dist/assets/* | gzip -9 | wc -c)
echo "the page has $packed bytes, packed (goal 150000)"
[ "$packed" -le 150000 ] || fail "the page has $packed bytes, packed: more than 150000"
