# SPDX-License-Identifier: Apache-2.0
# python -m tracy next to other profilers, debuggers, frame evaluators and binding generators. interpreters: each
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"

with_python test_others.py
