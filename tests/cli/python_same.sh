# SPDX-License-Identifier: Apache-2.0
# What a program prints, sees of itself and ends with is the same below python -m tracy. interpreters: each
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/python.sh"
with_python test_same.py
