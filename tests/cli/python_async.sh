# SPDX-License-Identifier: Apache-2.0
# python -m tracy: tasks, exceptions, frames older than the recording. interpreters: each
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_python test_async.py
