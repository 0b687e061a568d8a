# python -m tracy: zones. interpreters: each
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_python test_zones.py
