# SPDX-License-Identifier: Apache-2.0
# A program's output, introspection and exit status do not change under python -m tracy. interpreters: each
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"
with_python test_same.py
