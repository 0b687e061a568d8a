# python -m tracy beside other profilers, debuggers, frame evaluators and binding generators.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_every_python test_others.py
