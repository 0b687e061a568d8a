# python -m tracy: filters and colours.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_every_python test_filters.py
