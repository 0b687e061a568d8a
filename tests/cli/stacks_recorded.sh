# SPDX-License-Identifier: Apache-2.0
# Call stacks that programs attach to zones, messages and allocations.
. "$SOURCE/tests/lib.sh"

"$TACHO" run -q -f -o a.tacho -- "$BUILD/tests/stacked" || fail "cannot record"
expect_exit 0 "$TACHO" check a.tacho
expect_line out '^verdict +whole$'

# Five allocations of first() and one of second() are left; give() frees the others.
expect_exit 0 "$TACHO" memory --stacks --format=csv a.tacho
expect_line out ',5,500,5,500,grab < first < main < ' ',50,50000,0,0,grab < second < main < ' ',1,7,1,7,grab < second < main < ' \
	',pool,1,32,1,32,second < main < '
expect_no_line out give
expect_exit 0 "$TACHO" memory --alive --format=csv a.tacho
[ "$(grep -c 'grab < first < main < ' out)" = 5 ] || fail "no stacks of what is alive"

# stack_of NAME: the functions of the first zone NAME, innermost first, to "stack".
stack_of() {
	"$TACHO" query --format=csv a.tacho "
		WITH RECURSIVE path(id, n) AS (
			SELECT * FROM (SELECT int_value, 0 FROM args JOIN slice USING (arg_set_id)
				WHERE args.key = 'stack' AND slice.name = '$1' LIMIT 1)
			UNION ALL SELECT stack.parent_id, n + 1 FROM path JOIN stack ON stack.id = path.id WHERE stack.parent_id)
		SELECT group_concat(function, '<') FROM (
			SELECT function FROM path JOIN stack ON stack.id = path.id ORDER BY n)" >stack || fail "no stack of $1"
}
start='.*<_start'
stack_of bottom
expect_line stack "^bottom<bottom<bottom<main<$start"
stack_of realigned
expect_line stack "^realigned<main<$start"
stack_of "of depth"
expect_line stack '^of_depth<main<\[too deep\]'
stack_of caught
expect_line stack "^catcher<main<$start"
# A handler continues in what it interrupted.
stack_of handler
expect_line stack "^handler<.*<main<$start"
stack_of compare
expect_line stack "^compare<.*<main<$start"
stack_of thread
expect_line stack '^thread<start_thread<.*clone'

# A Tracy file has them too.
expect_exit 0 "$TACHO" export --to tracy -f -o a.tracy a.tacho
expect_exit 0 "$TACHO" check a.tracy
expect_exit 0 "$TACHO" import -f -o back.tacho a.tracy
expect_line err '^tacho: [0-9]+ call stacks were left out'

# Stacks of both recordings have other numbers in a merged one.
"$TACHO" run -q -f -o b.tacho -- "$BUILD/tests/stacked" || fail "cannot record"
expect_exit 0 "$TACHO" merge -q -f -o m.tacho a.tacho b.tacho
expect_exit 0 "$TACHO" memory --stacks --format=csv m.tacho
[ "$(grep -c ',5,500,5,500,grab < first < main < ' out)" = 2 ] || fail "merge changes stacks"
