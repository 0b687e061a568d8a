# SPDX-License-Identifier: Apache-2.0
# The trace cannot be written completely. The program never notices; one line gives the reason and the
# next step, the status is 5, the written part is saved and opens, and tacho recover completes the
# rest.
. "$SOURCE/tests/faults.sh"

# session_in ERR: the session named in the line.
session_in() {
	sed -n "s/.*'tacho recover -f \([^']*\)'.*/\1/p" "$1"
}

# expect_recovered ERR: no event is missing, and no file is left.
expect_recovered() {
	local session
	session=$(session_in "$1")
	[ -e "$session/control" ] || { cat "$1" >&2; fail "the session is not kept"; }
	expect_exit 0 "$TACHO" recover -q -f -o whole.tacho "$session"
	summarise whole.tacho
	expect_fact lost-zones 0
	[ ! -e "$session" ] || fail "$session is left"
}

# expect_kept: what remains of a recorder that cannot write.
expect_kept() {
	local warnings
	warnings=$(grep -c '^tacho: ' err)
	[ "$warnings" = 1 ] || { cat err >&2; fail "$warnings lines instead of one: $*"; }
	grep -q 't\.tacho' err || { cat err >&2; fail "the file is not named: $*"; }
	expect_line out '^zones 400000 '
	[ -e "t.tacho.part" ] || fail "nothing is kept: $*"
	"$SUM" "t.tacho.part" >sum || fail "what is kept does not open: $*"
	expect_line sum '^damage '
	expect_recovered err
}

# inject WHAT FAULT...: system calls of the recorder on its file fail.
only=(-P "$PWD/t.tacho.part")
inject() {
	local what=$1
	shift
	rm -f t.tacho t.tacho.part
	strace -qq -o /dev/null "${only[@]}" -e trace="$what" -e inject="$what:$*" "$TACHO" run -q -o t.tacho ${options-} -- \
		"$PROGS/fault_count" -t 4 -z 100000 >out 2>err
	status=$?
}

if strace -qq -o /dev/null true 2>/dev/null && [ -z "${SANITIZE-}" ]; then
	# Counts the writes; then each of the first ones fails, and some of the rest.
	strace -qq -o calls -P "$PWD/t.tacho.part" -e trace=write "$TACHO" run -q -o t.tacho -- "$PROGS/fault_count" -t 4 -z 100000 >out 2>err
	writes=$(grep -c '^write' calls)
	for n in 1 2 3 4 5 $((writes / 2 + 1)); do
		inject write "error=EIO:when=$n"
		if [ -s t.tacho ] && [ $status = 0 ]; then
			continue # there were fewer writes this time
		fi
		[ $status = 5 ] || { cat err >&2; fail "EIO at write $n: status $status"; }
		# Nothing is saved if not even the header could be written.
		[ "$n" -le 1 ] || { expect_line err 'Input/output error; .* zones are saved' && expect_kept "EIO at write $n"; }
	done
	for n in 1 2 5; do
		inject write "error=EINTR:when=$n"
		[ $status = 0 ] || { cat err >&2; fail "EINTR at write $n: status $status"; }
		summarise t.tacho
		expect_fact zones 400000
	done
	options=--durable
	for call in fsync fdatasync; do
		inject $call error=EIO
		[ $status = 5 ] || { cat err >&2; fail "$call fails: status $status"; }
		expect_kept $call
	done
	options=
	inject close error=EIO
	[ $status = 5 ] || { cat err >&2; fail "close fails: status $status"; }
	expect_kept "close"
	only=()
	inject renameat2,rename,renameat error=EACCES
	[ $status = 5 ] || { cat err >&2; fail "rename fails: status $status"; }
	expect_kept "rename"
fi

# A limit on the size of files: EFBIG instead of SIGXFSZ; the command's own limit is unchanged.
rm -f t.tacho t.tacho.part
(ulimit -f 40; trap '' XFSZ; exec "$TACHO" run -q -o t.tacho -- "$PROGS/fault_count" -t 4 -z 100000 -m 20000 >out 2>err)
status=$?
if [ $status = 0 ]; then
	[ -s t.tacho ] || fail "nothing written and no error"
else
	[ $status = 5 ] || { cat err >&2; fail "EFBIG: status $status"; }
	expect_line out '^zones 400000 messages 80000'
	expect_line err 'File too large; .* zones are saved'
	expect_recovered err
fi
rm -f t.tacho t.tacho.part
(ulimit -f 40; exec "$TACHO" run -q -o t.tacho -- true 2>err)
[ $? = 0 ] || [ $? = 5 ] || fail "a limit on files kills the recorder"

# Unwritable from the start: the command is not started.
expect_error 5 'cannot' "$TACHO" run -q -o /dev/full/t.tacho -- "$PROGS/fault_count"
expect_error 5 'cannot' "$TACHO" run -q -o missing/t.tacho -- "$PROGS/fault_count"

[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "the rest needs root"

# small SIZE COMMAND...: with a file system of that size at "disk".
mkdir -p disk
small() {
	local size=$1
	shift
	unshare -m bash -c 'mount -t tmpfs -o size='"$size"' tmpfs disk && "$@"; s=$?; cp disk/*.part kept.part 2>/dev/null; ls disk >left; exit $s' - "$@" >out 2>err
}

# A full disk for the trace. If the clock ticks evenly, a zone takes a fifth of a byte: hence the number of zones.
for size in 4k 64k 1m; do
	rm -f kept.part
	small $size "$TACHO" run -q -o disk/t.tacho -- "$PROGS/fault_count" -t 4 -z 4000000
	status=$?
	[ $status = 5 ] || { cat err >&2; fail "full disk ($size): status $status"; }
	expect_line out '^zones 16000000 '
	[ "$(grep -c '^tacho: ' err)" = 1 ] || { cat err >&2; fail "not one line ($size)"; }
	expect_line err 'No space left on device; .* zones are saved there and .*B of rings are kept in memory'
	cp err said
	if [ $size != 4k ]; then
		expect_line left '^t\.tacho\.part$'
		"$SUM" kept.part >sum || fail "what fitted does not open ($size)"
		expect_line sum '^damage the recorder did not close it'
		[ $size = 64k ] || grep -qE "^(zones|row message) [1-9]" sum || { cat sum >&2; fail "nothing of it is there"; }
	fi
	# The file is gone with its file system: only the rings are left.
	expect_exit 0 "$TACHO" recover -q -f -o whole.tacho "$(session_in said)"
	"$TACHO" check whole.tacho >checked || { cat checked >&2; fail "what is left is not sound ($size)"; }
done

# The disk is full, then has space again. All events were sent while the recorder was stopped, so their number
# is known.
for size in 64k 256k; do
	unshare -m bash -c '
		mount -t tmpfs -o size='$size' tmpfs disk &&
		"$0" run -q -o disk/t.tacho -- sh -c "kill -STOP \$PPID; \"$1\" -t 4 -z 1500000 -m 30000; kill -CONT \$PPID" >out 2>err
		[ $? = 5 ] || exit 20
		session=$(sed -n "s/.*.tacho recover -f \([^'"\'"']*\).*/\1/p" err)
		[ -e "$session/control" ] || exit 21
		# Still full: the session is kept again.
		"$0" recover -q -f "$session" 2>again && exit 22
		grep -q "No space left on device" again && [ -e "$session/control" ] || exit 23
		mount -o remount,size=1g disk || exit 24
		"$0" recover -q -f "$session" 2>again || exit 25
		[ ! -e "$session" ] && [ ! -e disk/t.tacho.part ] || exit 26
		mv disk/t.tacho grown.tacho' "$TACHO" "$PROGS/fault_count"
	status=$?
	[ $status = 0 ] || { cat err again >&2; fail "a disk of $size that grows: step $status"; }
	summarise grown.tacho
	[ "$(fact sum emitted-zones)" = 6000000 ] || { cat sum >&2; fail "$(fact sum emitted-zones) of 6000000 are accounted for ($size)"; }
	expect_fact lost-zones 0
	expect_fact zones 6000000
	rm grown.tacho
done

# No room for rings: the program runs, and the missing part is reported.
for size in 4k 64k 512k; do
	small $size "$TACHO" run -f -o t.tacho --session disk/session -- "$PROGS/fault_count" -t 4 -z 100000
	status=$?
	if [ $status = 5 ]; then
		expect_line err 'no room|cannot'
		continue
	fi
	[ $status = 0 ] || { cat err >&2; fail "small ring memory ($size): status $status"; }
	expect_line out '^zones 400000 '
	expect_line err 'lost|could not be recorded'
	summarise t.tacho
done

# Another process truncates or overwrites the file during the recording: it is reported, and the rest opens.
for change in ': >t.tacho.part' 'truncate -s 70 t.tacho.part' 'echo other >t.tacho.part' 'truncate -s 1M t.tacho.part'; do
	rm -f t.tacho t.tacho.part
	"$TACHO" run -q -o t.tacho -- sh -c "
		'$PROGS/simple' 10 9
		while [ \$(stat -c %s t.tacho.part) -le 64 ]; do sleep 0.05; done
		$change
		'$PROGS/simple' 20 9" >out 2>err
	[ $? = 5 ] || fail "$change: the status is not 5"
	expect_count 1 err
	expect_line err '^tacho: t\.tacho\.part was changed by another program while it was written'
	"$TACHO" stats --format csv t.tacho >out 2>err || [ $? = 4 ] || fail "$change: what is left does not open"
done
