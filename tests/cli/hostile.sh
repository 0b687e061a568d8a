# labels: long
# Damaged traces of all kinds: no verb crashes, hangs or says more than a line.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" -n 20000 t.tacho || fail "mktrace"
expect_exit 0 python3 "$SOURCE/tests/mutate.py" "$TACHO" t.tacho "${ROUNDS:-300}"
