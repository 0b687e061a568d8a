# SPDX-License-Identifier: Apache-2.0
# .tracy files: a trace goes there and back, every verb reads them, damage is reported.
. "$SOURCE/tests/lib.sh"
reader=$SOURCE/../shared/tools/tracyread.py
golden=$SOURCE/../shared/golden/tracy

mkdir tmp new
export TMPDIR=$here/tmp

$MKTRACE -c -n 5000 a.tacho || fail mktrace

# There and back: zones with names, texts and threads are the same.
expect_exit 0 $TACHO export --to=tracy a.tacho
expect_line err 'wrote a.tracy' '1 free of memory that was never allocated was left out'
expect_exit 0 $TACHO import -o b.tacho a.tracy
expect_line err 'b.tacho: 5,0[0-9]+ zones'
for f in a b; do
	$TACHO csvexport -u $f.tacho | sort >$f.csv
	$TACHO messages --format=csv $f.tacho | cut -d, -f1-3 >$f.messages
	$TACHO check $f.tacho >check 2>&1 || fail "check $f: $(cat check)"
done
expect_same a.csv b.csv
expect_count "$(wc -l <a.messages)" b.messages

# Verbs take the file as it is.
for verb in info stats zones messages plots frames memory locks; do
	expect_exit 0 $TACHO $verb a.tracy
done
expect_line out 'mutex'
expect_exit 0 $TACHO export --to=tracy -f -o c.tracy a.tracy
expect_exit 0 $TACHO export --to=tracy --level=9 -f -o z.tracy a.tacho
expect_exit 0 $TACHO export --to=tracy --lz4 -f -o l.tracy a.tacho
expect_exit 0 $TACHO export --to=tracy --tracy-version=0.10 -f -o old.tracy a.tacho
for f in c z l old; do
	expect_same <($TACHO csvexport -u $f.tracy | sort) <($TACHO csvexport -u a.tracy | sort)
done

# The name decides about the version, unless an option does.
version_of() {
	python3 - "$reader" "$1" <<-'EOF'
	import importlib.util, sys
	spec = importlib.util.spec_from_file_location("reader", sys.argv[1])
	module = importlib.util.module_from_spec(spec)
	spec.loader.exec_module(module)
	print(".".join(map(str, module.load(sys.argv[2])["version"])))
	EOF
}
tt=tracy_profile_log_host.tracy
expect_exit 0 $TACHO export --to=tracy -o $tt a.tacho
expect_exit 0 $TACHO export --to=tracy --tracy-version=0.14 -f -o new/$tt a.tacho
[ "$(head -c 4 $tt)" = tZst ] || fail "$tt is in no container that 0.10 reads"

# What cannot be is refused in one line.
expect_error 5 'exists' $TACHO import -o b.tacho a.tracy
expect_error 5 'exists' $TACHO export --to=tracy a.tacho
expect_error 2 'whole trace' $TACHO export -q --to=tracy -f -o d.tracy -r 1ms.. a.tacho
expect_error 2 'level' $TACHO export -q --to=tracy -f -o d.tracy --level=77 a.tacho
expect_error 3 'cannot read' $TACHO import nothing.tracy
expect_error 3 'not a Tracy trace' $TACHO import -o d.tacho a.tacho
[ ! -e d.tacho.part ] || fail 'a part file is left'
printf 'tlZ\004\377\377\377\377xx' >bad.tracy
expect_exit 4 $TACHO import -q -o d.tacho bad.tracy
expect_line err 'bad.tracy'
head -c 2000 a.tracy >cut.tracy
expect_exit 4 $TACHO csvexport cut.tracy
expect_count 1 err
[ -n "${SANITIZE-}" ] || (ulimit -v 400000; expect_exit 4 $TACHO csvexport cut.tracy) || exit 1
[ -z "$(ls tmp)" ] || fail 'temporary files are left'

# A verb killed during a conversion leaves no files.
"$MKTRACE" -n 400000 big.tacho || fail mktrace
"$TACHO" export -q --to=tracy big.tacho || fail export
mkdir temporary
for pause in 0.02 0.05 0.1 0.2; do
	TMPDIR=$here/temporary "$TACHO" stats big.tracy >/dev/null 2>&1 &
	pid=$!
	sleep $pause
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ -z "$(ls -A temporary)" ] || fail "left behind: $(ls temporary)"
done
TMPDIR=$here/nowhere expect_error 5 'cannot make a temporary file in .*nowhere' "$TACHO" stats big.tracy

# An independent reader, where there is one, finds the same in our files and in those of real programs.
[ -f "$reader" ] || skip "the rest: no $reader"
for f in a.tracy c.tracy z.tracy l.tracy old.tracy $tt "$golden"/*.tracy; do
	python3 "$SOURCE/tests/check_tracy.py" "$reader" "$BUILD" "$f" || fail "$f"
done
expect_version() {
	[ "$(version_of "$2")" = "$1" ] || fail "$2 has version $(version_of "$2"), not $1"
}
expect_version 0.14.0 a.tracy
expect_version 0.10.0 old.tracy
expect_version 0.10.0 $tt
expect_version 0.14.0 new/$tt
