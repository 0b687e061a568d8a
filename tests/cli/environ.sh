# Variables of the environment that look like ours and are none.
. "$SOURCE/tests/lib.sh"

export TACHO_LIMITMB=5 TT_METAL_PROFILER_SYNK=1
expect_exit 0 "$TACHO" run -o a.tacho -- true
expect_line err 'warning: unknown environment variable TACHO_LIMITMB; the nearest known one is TACHO_LIMIT_MB$' \
	'warning: unknown environment variable TT_METAL_PROFILER_SYNK; the nearest known one is TT_METAL_PROFILER_SYNC$'
[ "$(grep -c LIMITMB err)" = 1 ] || fail "more than one warning"
expect_exit 0 "$TACHO" run -q -f -o a.tacho -- true
expect_no_line err LIMITMB
# 'python -m tracy' tells of them too, though its recorder is quiet.
if read -r python <"$BUILD/python/interpreters"; then
	PYTHONPATH=$BUILD/python "$python" -m tracy -o prof -c pass 2>err || fail "python -m tracy ends with $?"
	[ "$(grep -c 'unknown environment variable TT_METAL_PROFILER_SYNK;' err)" = 1 ] || fail "python -m tracy does not tell of it"
fi
unset TACHO_LIMITMB TT_METAL_PROFILER_SYNK
TACHO_LIMIT_MB=5 expect_exit 0 "$TACHO" run -f -o a.tacho -- true
expect_no_line err 'unknown environment'

# What is said on standard error is kept with its time where TACHO_LOG says.
TACHO_LOG=log expect_exit 3 "$TACHO" info no-such-file
TACHO_LOG=log TACHO_LIMITMB=5 expect_exit 0 "$TACHO" run -f -o a.tacho -- true
expect_count 2 log
expect_line log '^20[0-9-]+T[0-9:]+Z [0-9]+ tacho: cannot read no-such-file: No such file' '^20.* tacho: warning: unknown environment'
TACHO_LOG=/no/such/folder/log expect_error 3 'no-such-file' "$TACHO" info no-such-file
