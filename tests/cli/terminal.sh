# SPDX-License-Identifier: Apache-2.0
# Colour and cut names are for terminals alone.
# labels: plain
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"
escape=$(printf '\033')

# on_terminal COLUMNS COMMAND...: runs it on a terminal of that width; what it prints is in "out".
on_terminal() {
	python3 "$SOURCE/tests/on_terminal.py" "$@" >out || fail "$*"
}

expect_exit 0 "$TACHO" messages t.tacho
expect_no_line out "$escape"
expect_exit 0 "$TACHO" messages --color=always t.tacho
expect_line out "$escape"
on_terminal 100 "$TACHO" messages t.tacho
expect_line out "$escape"
on_terminal 100 env NO_COLOR=1 "$TACHO" messages t.tacho
expect_no_line out "$escape"
on_terminal 100 "$TACHO" messages --color=never t.tacho
expect_no_line out "$escape"

for verb in stats zones messages plots frames memory locks info; do
	on_terminal 110 "$TACHO" $verb --color=never t.tacho
	expect_no_line out '.{111}'
done
on_terminal 120 "$TACHO" stats --color=never t.tacho
expect_line out 'x\.\.x'
on_terminal 140 "$TACHO" stats --wide --color=never t.tacho
expect_line out ' min .* sigma '
expect_exit 0 "$TACHO" stats t.tacho
expect_line out 'x{10240}$'

# Progress: after a second, on a terminal, and gone in the end.
touch held
HELD=held on_terminal 100 "$TACHO" run -o a.tacho -- sh -c 'while [ -e held ]; do sleep 0.05; done'
expect_line out "[0-9]\.[0-9] s  0 zones .* 0 lost$escape\[K.$escape\[K"
on_terminal 100 "$TACHO" run -q -o b.tacho -- sleep 1.2
expect_count 0 out
expect_exit 0 "$TACHO" run -o c.tacho -- sleep 1.2
expect_count 2 err
expect_line err '0 zones' 'no program recorded anything'
