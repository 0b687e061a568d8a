# python -m tracy: tasks, exceptions, frames older than the recording.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_every_python test_async.py
