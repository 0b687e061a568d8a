# SPDX-License-Identifier: Apache-2.0
# python -m tracy: greenlets and gevent.
. "$SOURCE/tests/lib.sh"
[ -z "$SANITIZE" ] || { echo "skipped: greenlet's C++ exceptions need libstdc++ before the sanitizer"; exit 0; }
. "$SOURCE/tests/python.sh"
with_python test_greenlet.py
