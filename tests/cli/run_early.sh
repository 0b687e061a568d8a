# SPDX-License-Identifier: Apache-2.0
# tacho run: signals that come while the command is being started reach it, once.
. "$SOURCE/tests/lib.sh"

[ -z "$SANITIZE" ] || skip "the sanitizer's library must be loaded before any other"
for when in before after; do
	for wrapped in "" --wrapped; do
		expect_exit 143 env EARLY=$when LD_PRELOAD="$BUILD/tests/early.so" "$TACHO" run -q -f $wrapped -o early.tacho -- sleep 20
	done
done
