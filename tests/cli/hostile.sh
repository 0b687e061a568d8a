# SPDX-License-Identifier: Apache-2.0
# labels: long
# Damaged traces of all kinds: no verb crashes, hangs or prints more than one line.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" -n 20000 t.tacho || fail "mktrace"
rounds=300
[ -z "$SANITIZE" ] || rounds=80
expect_exit 0 python3 "$SOURCE/tests/mutate.py" "$TACHO" t.tacho $rounds
