# SPDX-License-Identifier: Apache-2.0
# A program built with the thread sanitizer reports no race in libtacho, which is built without it.
. "$SOURCE/tests/faults.sh"
[ -z "${SANITIZE-}" ] || skip "libtacho itself is sanitized"

# On new kernels the sanitizer needs address randomization to be off.
plain=()
setarch -R true 2>/dev/null && plain=(setarch -R)

for compiler in gcc clang; do
	$compiler -g -O1 -fsanitize=thread -I"$SOURCE/include" "$SOURCE/tests/progs/share_names.c" -o program \
		-L"$BUILD" -ltacho -Wl,-rpath,"$BUILD" -pthread 2>err || { echo "skipped: no thread sanitizer of $compiler"; continue; }
	TSAN_OPTIONS=exitcode=66:halt_on_error=0 "${plain[@]}" "$TACHO" run -q -f -o t.tacho --policy block --block-ms 60000 -- ./program 10 >said 2>err
	code=$?
	! grep -q 'FATAL: ThreadSanitizer' err || { echo "skipped: the sanitizer of $compiler does not run here"; continue; }
	expect_no_line err 'WARNING: ThreadSanitizer'
	[ $code = 0 ] || { head -c 3000 err >&2; fail "the program of $compiler ends with $code"; }
	summarise t.tacho
	expect_fact zones "$(awk '{ print $2 }' said)"
done
