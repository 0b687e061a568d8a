# SPDX-License-Identifier: Apache-2.0
# tacho check on complete, lossy and damaged traces.
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"
"$MKTRACE" -c c.tacho || fail "mktrace"

expect_exit 0 "$TACHO" check t.tacho
expect_line out '^balance +emitted 105 == stored 98 \+ lost 7$' '^errors +0$' '^verdict +whole, with losses$'
expect_exit 6 "$TACHO" check --strict t.tacho
expect_line out '^verdict +whole, with losses$'
expect_exit 0 "$TACHO" check --strict c.tacho
expect_line out '^balance +emitted 98 == stored 98 \+ lost 0$' '^verdict +whole$'
expect_exit 0 "$TACHO" check --format=json c.tacho
python3 -c 'import json; d = json.load(open("out")); assert d["emitted"] == d["stored"] + d["lost"] == 98' || fail JSON

"$MKTRACE" -u u.tacho
expect_exit 4 "$TACHO" check u.tacho.part
expect_line out '^verdict +damaged$'
expect_count 1 err
expect_exit 4 "$TACHO" check --strict u.tacho.part
