#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The cost of 'python -m tracy' as a ratio to the bare run, compared with cProfile and the interpreter's
# own minimum (python_floor.c). Runs alternate: see python_calls.py.
# PYTHONS="python3.12 ..." chooses interpreters, TURNS how many turns.
set -u
[ -s "$BUILD/python/interpreters" ] || { echo "no extension was built"; exit 0; }
floor=$(mktemp -d)
trap 'rm -rf "$floor"' EXIT
export PYTHONPATH=$BUILD/python:$floor
export PATH=$BUILD:$PATH
for python in ${PYTHONS:-$(cat "$BUILD/python/interpreters")}; do
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
	suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
	${CC:-cc} -O2 -shared -fPIC "-I$include" "-I$SOURCE/include" "$SOURCE/bench/python_floor.c" \
		-o "$floor/python_floor$suffix" || exit 1
	"$python" "$SOURCE/bench/python_calls.py" "${TURNS:-10}" || exit 1
done
