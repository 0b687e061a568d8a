# SPDX-License-Identifier: Apache-2.0
# Events in a signal handler that runs on a small alternate stack.
. "$SOURCE/tests/faults.sh"
[ -z "${SANITIZE-}" ] || skip "sanitizers need more stack than there is"

# With a compiler without the attribute "noplt", functions are bound on their first call.
if readelf -rW "$PROGS/small_stack" | grep -q 'JUMP_SLO.* tacho_'; then
	echo "small_stack binds functions of libtacho lazily: linked with -z now it would not"
	export LD_BIND_NOW=1
fi

# judge TRACE: all emitted events are there
judge() {
	summarise "$1"
	expect_fact lost-zones 0
	expect_fact zones "$(awk '{ print $2 }' said)"
}

# The first event of a thread, new names, new segments: each needs less than 1 KiB of stack.
"$TACHO" run -q -o t.tacho -- "$PROGS/small_stack" 1024 >said 2>err || { cat err >&2; fail "an event needs too much stack"; }
judge t.tacho

# The process joins the session inside the handler, too.
"$PROGS/small_stack" 1024 wait >said 2>err &
program=$!
wait_for "$TACHO" capture -q -f -o attached.tacho --pid $program # once it has started
wait $program || { cat err >&2; fail "an event needs too much stack"; }
judge attached.tacho

# A program that links the static library also binds libc's functions early.
cc -O2 -I"$SOURCE/include" "$SOURCE/tests/progs/small_stack.c" -o static "$BUILD/libtacho.a" -pthread -Wl,-z,lazy 2>err || { cat err >&2; fail "it does not compile"; }
LD_BIND_NOW= "$TACHO" run -q -f -o t.tacho -- ./static 1024 >said 2>err || { cat err >&2; fail "an event needs too much stack"; }
judge t.tacho
