#!/usr/bin/env bash
# What 'python -m tracy' costs a program, as a ratio to the bare run, with cProfile beside. Runs are
# interleaved and the fastest of each counts. PYTHONS="python3.12 ..." chooses interpreters, ROUNDS how
# often each is run.
set -u
[ -s "$BUILD/python/interpreters" ] || { echo "no extension was built"; exit 0; }
export PYTHONPATH=$BUILD/python
for python in ${PYTHONS:-$(cat "$BUILD/python/interpreters")}; do
	"$python" "$SOURCE/bench/python_calls.py" "${ROUNDS:-5}" || exit 1
done
