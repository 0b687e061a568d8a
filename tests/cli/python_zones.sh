# python -m tracy: zones.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_every_python test_zones.py
