# SPDX-License-Identifier: Apache-2.0
# Reading verbs with wrong inputs.
# labels: plain
. "$SOURCE/tests/lib.sh"
"$MKTRACE" t.tacho || fail "mktrace"
verbs=(info stats zones messages plots frames memory locks "export -o -" check)
mkdir folder
mkfifo pipe
touch empty
yes 'this is not a trace, whatever its name says' | head -n 1000 >text.tacho
ln -s t.tacho link.tacho
ln -s nowhere dangling.tacho

for verb in "${verbs[@]}"; do
	# shellcheck disable=SC2086
	set -- "$TACHO" $verb
	expect_error 3 'missing.tacho.*No such file' "$@" missing.tacho
	expect_error 3 'dangling.tacho' "$@" dangling.tacho
	expect_error 3 'folder is not a regular file' "$@" folder
	expect_error 3 'pipe is not a regular file' timeout "$PATIENCE" "$@" pipe
	expect_error 3 'text.tacho is not a trace' "$@" text.tacho
	expect_error 3 'empty' "$@" empty
	expect_exit 0 "$@" link.tacho
done
cp t.tacho secret.tacho
chmod 0 secret.tacho
if can_be_nobody; then
	expect_error 3 'secret.tacho: Permission denied' as_nobody "$TACHO" info secret.tacho
fi

# A trace that is cut anywhere gives its intact part, one line and exit code 4, or is not a trace any more.
"$MKTRACE" -n 30000 b.tacho
size=$(stat -c %s b.tacho)
for part in 1 10 25 50 75 90 99; do
	head -c $((size * part / 100)) b.tacho >cut.tacho
	for verb in "${verbs[@]}"; do
		# shellcheck disable=SC2086
		"$TACHO" $verb cut.tacho >out 2>err
		code=$?
		[ $code = 4 ] || [ $code = 3 ] || fail "$verb of $part % exits with $code"
		expect_count 1 err
	done
done
[ $code = 4 ] || fail "99 % of a trace cannot be read"

# A flipped byte anywhere: check finds it, and verbs that need its block report it in one line.
noticed=0
for ((at = 0; at < size; at += 61)); do
	cp b.tacho flipped.tacho
	printf "\\x$(printf %02x $((0x$(od -An -tx1 -j $at -N 1 b.tacho | tr -d ' ') ^ 0xa5)))" |
		dd of=flipped.tacho bs=1 seek=$at conv=notrunc status=none
	"$TACHO" check flipped.tacho >out 2>err
	code=$?
	[ $code = 3 ] || [ $code = 4 ] || fail "check of a trace whose byte $at is another exits with $code"
	"$TACHO" stats flipped.tacho >out 2>err
	code=$?
	[ $code = 0 ] && continue
	[ $code = 3 ] || [ $code = 4 ] || fail "stats of a trace whose byte $at is another exits with $code"
	expect_count 1 err
	noticed=$((noticed + (code == 4)))
done
[ $noticed -gt 0 ] || fail "stats never noticed that bytes are others"
