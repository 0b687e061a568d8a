# SPDX-License-Identifier: Apache-2.0
# python -m tracy with an interpreter without the extension: the same tests, by libtacho alone.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

mkdir -p tree/python
for file in "$BUILD"/libtacho.so.0 "$BUILD"/tacho; do ln -s "$file" tree/; done
cp -r "$BUILD/python/tracy" tree/python/
rm -f tree/python/tracy/_tracy*.so
export PYTHONPATH=$PWD/tree/python:$SOURCE/tests/python TRACY_PLAIN=1
[ -s "$BUILD/python/interpreters" ] || skip "no extension for Python was built"
"$(head -1 "$BUILD/python/interpreters")" "$SOURCE/tests/python/test_plain.py" || fail "test_plain.py"
