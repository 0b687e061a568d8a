# SPDX-License-Identifier: Apache-2.0
# Outputs: readers that leave, full disks, existing files, links, folders, pipes.
# labels: plain
. "$SOURCE/tests/lib.sh"
"$MKTRACE" -n 50000 t.tacho || fail "mktrace"

# A reader that leaves early is not an error, whether SIGPIPE kills or is ignored.
for verb in zones "zones --format=json" "export -o -" "stats" "zones --longest=40000"; do
	# shellcheck disable=SC2086
	"$TACHO" $verb t.tacho 2>err | head -n 1 >/dev/null
	code=${PIPESTATUS[0]}
	[ $code = 0 ] || [ $code = 141 ] || fail "$verb | head exits with $code"
	expect_count 0 err
	# shellcheck disable=SC2086
	(trap '' PIPE; "$TACHO" $verb t.tacho 2>err; echo $? >code) | head -n 1 >/dev/null
	[ "$(cat code)" = 0 ] || fail "$verb | head with SIGPIPE ignored exits with $(cat code)"
	expect_count 0 err
done

for verb in zones stats info messages check "export -o -" version help; do
	operand=t.tacho
	case $verb in version | help) operand= ;; esac
	# shellcheck disable=SC2086
	"$TACHO" $verb $operand >/dev/full 2>err
	code=$?
	[ $code = 5 ] || fail "$verb >/dev/full exits with $code"
	expect_count 1 err
	expect_line err 'cannot write standard output: No space left'
done
expect_error 5 'cannot write /dev/full' "$TACHO" export -o /dev/full t.tacho

echo precious >there
expect_error 5 'there exists; -f replaces it' "$TACHO" export -o there t.tacho
expect_line there precious
expect_exit 0 "$TACHO" export -f -q -o there t.tacho
expect_count 0 err
expect_line there traceEvents
expect_error 5 't.json exists' sh -c "touch t.json; exec $TACHO export t.tacho"

# A link is not followed: -f replaces it, its target is unchanged.
echo precious >target
ln -s target link
expect_error 5 'link exists' "$TACHO" export -o link t.tacho
expect_exit 0 "$TACHO" export -f -q -o link t.tacho
expect_line target precious
[ ! -L link ] || fail "the link is still there"

mkdir folder
expect_error 5 'folder is a directory' "$TACHO" export -f -o folder t.tacho
expect_error 5 'No such file' "$TACHO" export -o nowhere/x.json t.tacho
mkfifo pipe
cat pipe >from_pipe &
expect_exit 0 "$TACHO" export --to=csv -o pipe t.tacho
wait
expect_exit 0 "$TACHO" export --to=csv -q -o direct t.tacho
expect_same from_pipe direct
chmod 555 folder
if can_be_nobody; then
	expect_error 5 'Permission denied' as_nobody "$TACHO" export -o folder/x t.tacho
fi
ls -A | grep -F .tmp && fail "a temporary file is left"

# When killed, it leaves no files.
if python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null; then
	"$MKTRACE" -n 3000000 big.tacho
	for pause in 0.5 0.2 0.1 0.02; do
		"$TACHO" export -f -o killed.json big.tacho 2>/dev/null &
		sleep $pause
		kill -9 $!
		# It may have ended before.
		wait $! 2>/dev/null && rm killed.json
		[ -z "$(ls -A | grep killed)" ] || fail "files are left: $(ls -A)"
	done
fi

# A full disk: the old file stays, and no partial new one.
(ulimit -f 100; trap '' XFSZ; "$TACHO" export -f -o there t.tacho 2>err; echo $? >code)
[ "$(cat code)" = 5 ] || fail "a full disk gives $(cat code)"
expect_count 1 err
ls -A | grep -F .tmp && fail "a temporary file is left"
exit 0
