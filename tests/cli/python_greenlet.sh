# SPDX-License-Identifier: Apache-2.0
# python -m tracy: greenlets and gevent.
. "$SOURCE/tests/lib.sh"
[ -z "$SANITIZE" ] || skip "greenlet's C++ exceptions need libstdc++ before the sanitizer"
. "$SOURCE/tests/python.sh"
with_python test_greenlet.py
