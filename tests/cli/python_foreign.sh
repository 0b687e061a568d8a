# SPDX-License-Identifier: Apache-2.0
# python -m tracy with interpreters whose extension is missing or does not load: one line, and the rest
# is recorded.
. "$SOURCE/tests/lib.sh"
[ -z "$SANITIZE" ] || skip "other interpreters cannot load sanitized libraries"
. "$SOURCE/tests/python.sh"

cat >a.py <<'PY'
def f(n): return n + 1
for i in range(3): f(i)
print("done")
PY
trace=generated/profiler/.logs/tracy_profile_log_host.tacho

# PyPy
if command -v pypy3 >/dev/null; then
	expect_exit 0 pypy3 -m tracy a.py
	expect_line out '^done$'
	expect_count 2 err
	expect_line err '^tracy: there is no extension for this Python .*sys.setprofile' '^tracy: trace: '
	"$TACHO" stats --format=csv -n =f $trace >stats || fail stats
	expect_line stats '^3,'
	expect_exit 0 pypy3 -m tracy -q -c 'from tracy import Profiler, signpost, zone
def g(): pass
signpost("a")
with zone("b"), Profiler(): g()'
	"$TACHO" stats --format=csv -n =b $trace >stats
	expect_line stats '^1,'
fi

# Too old.
for old in python2.7 python3.6 python3.8 ~/.pyenv/versions/2.7*/bin/python ~/.pyenv/versions/3.[678].*/bin/python; do
	"$old" --version >/dev/null 2>&1 || continue
	expect_exit 1 "$old" -m tracy a.py
	expect_count 1 err
	expect_line err '^tracy: Python 3.9 or later is needed, this is [23]\.[0-9]+$'
done

# An extension that does not load.
python=$(head -1 "$BUILD/python/interpreters" 2>/dev/null)
[ -n "$python" ] || skip "no extension for Python was built"
mkdir -p tree/python
for file in "$BUILD"/libtacho.so.0 "$BUILD"/tacho; do ln -s "$file" tree/; done
cp -r "$BUILD/python/tracy" tree/python/
for file in tree/python/tracy/_tracy*.so; do echo damaged >"$file"; done
export PYTHONPATH=$PWD/tree/python
expect_exit 0 "$python" -m tracy a.py
expect_line out '^done$'
expect_count 2 err
expect_line err '^tracy: cannot load the extension: .*sys.setprofile'
"$TACHO" stats --format=csv -n =f $trace >stats
expect_line stats '^3,'
