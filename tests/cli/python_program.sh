# python -m tracy: program.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_every_python test_program.py
