# Rows 5-8: the trace cannot be written, or not to its end. The program never notices; there is one line
# that says why, the status is 5, and what was written is kept, named, and opens.
. "$SOURCE/tests/faults.sh"

# expect_kept: what a recorder that cannot write leaves behind.
expect_kept() {
	local warnings
	warnings=$(grep -c '^tacho: ' err)
	[ "$warnings" = 1 ] || { cat err >&2; fail "$warnings lines instead of one: $*"; }
	grep -q 't\.tacho' err || { cat err >&2; fail "the file is not named: $*"; }
	expect_line out '^zones 400000 '
	[ -e "t.tacho.part" ] || fail "nothing is kept: $*"
	"$SUM" "t.tacho.part" >sum || fail "what is kept does not open: $*"
	expect_line sum '^damage '
}

# inject WHAT FAULT...: the recorder's system calls on its file fail.
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
	# How many writes there are; then each of the first ones fails, and some of the rest.
	strace -qq -o calls -P "$PWD/t.tacho.part" -e trace=write "$TACHO" run -q -o t.tacho -- "$PROGS/fault_count" -t 4 -z 100000 >out 2>err
	writes=$(grep -c '^write' calls)
	for n in 1 2 3 4 5 $((writes / 2 + 1)); do
		inject write "error=EIO:when=$n"
		if [ -s t.tacho ] && [ $status = 0 ]; then
			continue # there were fewer writes this time
		fi
		[ $status = 5 ] || { cat err >&2; fail "EIO at write $n: status $status"; }
		# Nothing can have been kept when not even the header could be written.
		[ "$n" -le 1 ] || expect_kept "EIO at write $n"
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

# A limit on the size of files: EFBIG instead of SIGXFSZ, and the command has the limit that it had.
rm -f t.tacho t.tacho.part
(ulimit -f 40; trap '' XFSZ; exec "$TACHO" run -q -o t.tacho -- "$PROGS/fault_count" -t 4 -z 100000 -m 20000 >out 2>err)
status=$?
if [ $status = 0 ]; then
	[ -s t.tacho ] || fail "nothing written and no error"
else
	[ $status = 5 ] || { cat err >&2; fail "EFBIG: status $status"; }
	expect_line out '^zones 400000 messages 80000'
fi
rm -f t.tacho t.tacho.part
(ulimit -f 40; exec "$TACHO" run -q -o t.tacho -- true 2>err)
[ $? = 0 ] || [ $? = 5 ] || fail "a limit on files kills the recorder"

# Nowhere to write, from the beginning: the command is not even started.
expect_error 5 'cannot' "$TACHO" run -q -o /dev/full/t.tacho -- "$PROGS/fault_count"
expect_error 5 'cannot' "$TACHO" run -q -o missing/t.tacho -- "$PROGS/fault_count"

[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || exit 0

# small SIZE COMMAND...: with a file system of that size at "disk".
mkdir -p disk
small() {
	local size=$1
	shift
	unshare -m bash -c 'mount -t tmpfs -o size='"$size"' tmpfs disk && "$@"; s=$?; cp disk/*.part kept.part 2>/dev/null; ls disk >left; exit $s' - "$@" >out 2>err
}

# A full disk for the trace. A machine whose clock steps evenly packs a zone into a fifth of a byte: so many it takes.
for size in 4k 64k 1m; do
	rm -f kept.part
	small $size "$TACHO" run -q -o disk/t.tacho -- "$PROGS/fault_count" -t 4 -z 4000000
	status=$?
	[ $status = 5 ] || { cat err >&2; fail "full disk ($size): status $status"; }
	expect_line out '^zones 16000000 '
	[ "$(grep -c '^tacho: ' err)" = 1 ] || { cat err >&2; fail "not one line ($size)"; }
	if [ $size != 4k ]; then
		expect_line left '^t\.tacho\.part$'
		"$SUM" kept.part >sum || fail "what fitted does not open ($size)"
		expect_line sum '^damage the recorder did not close it'
		[ $size = 64k ] || grep -qE "^(zones|row message) [1-9]" sum || { cat sum >&2; fail "nothing of it is there"; }
	fi
done

# No room for rings: the program runs, and what was not recorded is told.
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

# Somebody cuts it, or writes to it, while it is recorded: it is said, and what came later opens.
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
