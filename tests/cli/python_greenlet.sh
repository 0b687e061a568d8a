# python -m tracy: greenlets and gevent.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"
with_python test_greenlet.py
