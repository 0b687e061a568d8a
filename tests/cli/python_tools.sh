# python -m tracy: pytest and IPython.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_every_python test_tools.py
