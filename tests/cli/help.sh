# SPDX-License-Identifier: Apache-2.0
# Help, version, and the errors for mistyped commands.
# labels: plain
. "$SOURCE/tests/lib.sh"

expect_exit 2 "$TACHO"
expect_line err '^usage: tacho VERB' '^  stats '
expect_exit 0 "$TACHO" help
expect_line out '^usage: tacho VERB' '^  stats ' '^examples:'
cp out overview
expect_exit 0 "$TACHO" --help
expect_same out overview
expect_exit 0 "$TACHO" version
expect_line out '^tacho [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{7,}(-dirty)?\))?$'
expect_exit 0 "$TACHO" --version

# Each verb has help, on stdout, at most 100 columns wide.
sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' overview | grep -v '^tacho$' >verbs
grep -q zones verbs || fail "no list of verbs"
while read -r verb; do
	expect_exit 0 "$TACHO" "$verb" --help
	expect_line out "^usage: tacho $verb" '^common options:'
	expect_no_line out '.{101}'
	cp out long
	expect_exit 0 "$TACHO" help "$verb"
	expect_same out long
done <verbs

# Called by the name of another tool, it uses that name in messages.
for link in tt-perf-report tracy-csvexport csvexport-release tracy-capture capture-release tt_profile tracy \
	tracy-profiler Tracy-release; do
	expect_exit 0 "$BUILD/$link" --help
	expect_line out "^usage: $link "
done

expect_error 2 "unknown verb 'stat'; did you mean 'stats'" "$TACHO" stat
expect_error 2 "unknown verb 'xyzzy'" "$TACHO" xyzzy
expect_error 2 "unknown verb 'xyzzy'" "$TACHO" help xyzzy
expect_error 2 'unknown option --sorted; did you mean --sort' "$TACHO" stats --sorted x.tacho
expect_error 2 "'size' is not one of name, count" "$TACHO" stats --sort=size x.tacho
expect_error 2 "'many' is not a whole number" "$TACHO" stats --top many x.tacho
expect_error 2 'needs a value' "$TACHO" stats --top
expect_error 2 'the name of a trace is missing' "$TACHO" info
expect_error 2 "'b.tacho' is one too many" "$TACHO" info a.tacho b.tacho
