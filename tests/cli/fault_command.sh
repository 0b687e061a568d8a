# SPDX-License-Identifier: Apache-2.0
# The command's arguments, streams and status are unchanged; signals stop and save; existing output
# files are safe.
# labels: plain
. "$SOURCE/tests/faults.sh"

# ---- arguments, streams, status (row 45)
"$TACHO" run -q -f -o t.tacho -- printf '[%s]' 'a b' '$(x)' "it's" '"' '' '*' '-q' '--' $'new\nline' >out 2>err
printf '[%s]' 'a b' '$(x)' "it's" '"' '' '*' '-q' '--' $'new\nline' >want
expect_same want out
expect_count 0 err
printf 'from standard input\n' | "$TACHO" run -q -f -o t.tacho -- cat >out 2>err
printf 'from standard input\n' >want
expect_same want out
expect_exit 0 "$TACHO" run -q -f -o t.tacho true
expect_count 0 err
# A program that cannot be recorded: the note gives possible reasons.
expect_exit 0 "$TACHO" run -f -o t.tacho true
expect_line err '0 processes' 'links? libtacho.*-DTRACY_ENABLE'
expect_exit 1 "$TACHO" run -q -f -o t.tacho -- false
expect_exit 77 "$TACHO" run -q -f -o t.tacho -- sh -c 'exit 77'
expect_exit 130 "$TACHO" run -q -f -o t.tacho -- sh -c 'kill -INT $$'
expect_exit 137 "$TACHO" run -q -f -o t.tacho -- sh -c 'kill -KILL $$'
expect_exit 139 "$TACHO" run -q -f -o t.tacho -- sh -c 'kill -SEGV $$'
rm -f t.tacho
expect_error 127 'cannot run nosuch' "$TACHO" run -o t.tacho -- nosuch-command
echo text >plain
expect_error 126 'cannot run ./plain' "$TACHO" run -o t.tacho -- ./plain
expect_error 126 'cannot run' "$TACHO" run -o t.tacho -- /
expect_error 2 'needs a command' "$TACHO" run -o t.tacho
[ ! -e t.tacho ] && [ ! -e t.tacho.part ] || fail "a command that cannot be run leaves a trace"
# Its signal dispositions are unchanged, and it inherits no descriptor.
for how in '' 'trap "" INT HUP PIPE;'; do
	bash -c "$how cat /proc/self/status" | grep -E '^Sig(Blk|Ign|Cgt)' >want
	bash -c "$how '$TACHO' run -q -f -o t.tacho -- cat /proc/self/status" | grep -E '^Sig(Blk|Ign|Cgt)' >out
	expect_same want out
done
ls -l /proc/self/fd | awk '{ print $9 }' | sort >want
"$TACHO" run -q -f -o t.tacho -- ls -l /proc/self/fd | awk '{ print $9 }' | sort >out
expect_same want out
(ulimit -Sn 100; "$TACHO" run -q -f -o t.tacho -- bash -c 'ulimit -Sn') >out
expect_line out '^100$'
# No reader: the command gets its SIGPIPE, the recorder continues and saves.
"$TACHO" run -q -f -o t.tacho -- yes | head -1 >out
status=${PIPESTATUS[0]}
[ "$status" = 141 ] || fail "a command whose output nobody reads ends with $status"
rm -f t.tacho
(sleep 0.3; exec "$TACHO" run -o t.tacho -- "$PROGS/fault_count" -z 1000) 2>&1 >out | true
[ -e t.tacho ] || wait_for test -e t.tacho
summarise t.tacho
expect_fact zones 1000

# ---- the output (row 43)
run=("$TACHO" run -q -o)
job=(-- "$PROGS/fault_count" -z 10)
echo precious >t.tacho
expect_error 5 'exists; -f' "${run[@]}" t.tacho "${job[@]}"
[ "$(cat t.tacho)" = precious ] || fail "an existing file was replaced"
expect_exit 0 "${run[@]}" t.tacho -f "${job[@]}"
summarise t.tacho
echo precious >target
ln -sf target link.tacho
expect_error 5 'exists' "${run[@]}" link.tacho "${job[@]}"
expect_exit 0 "${run[@]}" link.tacho -f "${job[@]}"
[ "$(cat target)" = precious ] || fail "a link was followed"
ln -s target hang.tacho.part
expect_error 5 'exists' "${run[@]}" hang.tacho "${job[@]}"
expect_exit 0 "${run[@]}" hang.tacho -f "${job[@]}"
[ "$(cat target)" = precious ] || fail "a link was followed"
# A file that another recorder is writing is not replaced; that of a killed recorder is.
touch held
"${run[@]}" busy.tacho --session "$here/busy" -- sh -c 'touch begun; while [ -e held ]; do sleep 0.1; done' >/dev/null 2>&1 &
wait_for test -e begun
expect_error 5 'is being written' "${run[@]}" busy.tacho -f "${job[@]}"
kill -0 $! || fail "the recorder has gone"
kill -9 $!
wait $!
rm held
expect_exit 0 "${run[@]}" busy.tacho -f "${job[@]}"
summarise busy.tacho
expect_fact zones 10
expect_error 2 'no name' "${run[@]}" '' "${job[@]}"
[ ! -e .part ] || fail "a recording without a name leaves a file"
(cd cwd 2>/dev/null || mkdir cwd && cd cwd && TACHO_OUTPUT='' expect_exit 0 "$TACHO" run -q "${job[@]}" && rm fault_count.tacho) || exit 1
"$TACHO" run -o $'odd\n\033[31mname' "${job[@]}" >out 2>err || fail "an odd name: $(cat err)"
expect_count 1 err
expect_line err '^tacho: odd\?\?\[31mname: 1 process'
mkdir -p dir.tacho/inside
expect_error 5 'directory' "${run[@]}" dir.tacho -f "${job[@]}"
[ -d dir.tacho/inside ] || fail "a directory was removed"
mkfifo pipe.tacho
expect_error 5 'exists' "${run[@]}" pipe.tacho "${job[@]}"
expect_error 5 'cannot' "${run[@]}" nowhere/t.tacho "${job[@]}"
if can_be_nobody; then
	mkdir -m 555 closed
	expect_error 5 'cannot create' as_nobody "${run[@]}" closed/t.tacho "${job[@]}"
fi
# A name that is too long for a later recorder.
deep=$(printf 'd%.0s' $(seq 200))
mkdir -p "$deep/$deep/$deep/$deep/$deep"
expect_error 5 'too long' "${run[@]}" "$deep/$deep/$deep/$deep/$deep/t.tacho" "${job[@]}"
[ -z "$(ls -A "$deep/$deep/$deep/$deep/$deep")" ] || fail "a refused recording leaves a file"
# A file that appears during the recording is not replaced either; the recording is saved next to it.
rm -f new.tacho
expect_exit 5 "${run[@]}" new.tacho -- sh -c 'echo precious >new.tacho'
[ "$(cat new.tacho)" = precious ] || fail "a file that came meanwhile was replaced"
expect_line err 'new\.tacho\.part'
[ -e new.tacho.part ] || fail "nothing was kept"
rm -f app.tacho
(cd / && "$TACHO" run -q -o "$here/deep.tacho" -- true) || fail "it ends with $?"
[ -e deep.tacho ] || fail "an absolute path is not honoured"
(mkdir -p cwd && cd cwd && "$TACHO" run -q -- "$PROGS/fault_count" -z 1 >/dev/null)
[ -e cwd/fault_count.tacho ] || fail "the default name is not the program's"
[ -z "$(find . -name '*.part' -newer deep.tacho)" ] || fail "unfinished files are left: $(find . -name '*.part')"

# ---- signals (row 44)
# background COMMAND...: in a separate process group, as under a shell with job control.
background() {
	rm -f out err t.tacho t.tacho.part
	setsid env --default-signal=INT,QUIT,HUP "$@" >out 2>err </dev/null &
	recorder=$!
	wait_for grep -q . out
}

# stop_with SIGNAL TARGET STATUS: the target is the recorder, or -recorder for the group.
stop_with() {
	background "$TACHO" run -q -o t.tacho -- "$PROGS/fault_seq" -f last -w 200
	kill -"$1" -- "${2/R/$recorder}"
	wait $recorder
	status=$?
	[ $status = "$3" ] || { cat err >&2; fail "$1 to $2: status $status, not $3"; }
	wait_gone "$(pid_of out)"
	summarise t.tacho
	expect_sequence t.tacho last
	[ ! -e "$(session_of out)" ] || fail "$1 to $2: the session is left"
}
stop_with INT R 130
stop_with INT -R 130
stop_with TERM R 143
stop_with TERM -R 143
stop_with HUP R 129
stop_with HUP -R 129

# has_noticed PID: no signal is pending; two pending ones of a kind are one.
has_noticed() {
	! grep -E '^(Sig|Shd)Pnd:.*[1-9a-f]' "/proc/$1/status"
}

# A command that ignores the signal: the first signal waits for its end, the second saves at once.
background "$TACHO" run -q -o t.tacho -- bash -c "trap '' INT; '$PROGS/fault_seq' -f last -w 100 -n 3000"
kill -INT $recorder
wait $recorder
status=$?
[ $status = 0 ] || { cat err >&2; fail "once: status $status"; }
summarise t.tacho
[ "$(fact sum emitted-rows)" = 3000 ] || fail "once: the command was not followed to its end"
background "$TACHO" run -q -o t.tacho -- bash -c "trap '' INT TERM; '$PROGS/fault_seq' -f last -w 100 -n 200000"
kill -INT $recorder
wait_for has_noticed $recorder
sleep 0.3 # twice within a quarter of a second is once
kill -INT $recorder
wait $recorder
status=$?
[ $status = 130 ] || { cat err >&2; fail "twice: status $status"; }
summarise t.tacho
expect_line sum '^row message [1-9]'
expect_sequence t.tacho last prefix
kill -KILL "$(pid_of out)" 2>/dev/null

# A recorder that ignores hangup continues.
rm -f t.tacho out
(trap '' HUP; exec setsid "$TACHO" run -q -o t.tacho -- "$PROGS/fault_seq" -f last -w 100 -n 3000) >out 2>err &
recorder=$!
wait_for grep -q . out
kill -HUP $recorder
wait $recorder
status=$?
[ $status = 0 ] || { cat err >&2; fail "nohup: status $status"; }
summarise t.tacho
expect_sequence t.tacho last

# Processes that outlive the command: cut off with a note, or followed with --wait.
leaver="'$PROGS/fault_seq' -f last -w 100 -n \$1 & while [ ! -s out ]; do sleep 0.01; done"
rm -f t.tacho out
"$TACHO" run -o t.tacho -- bash -c "$leaver" - 10000000 >out 2>err || fail "ends with $?"
expect_line err 'left running'
summarise t.tacho
expect_sequence t.tacho last prefix
kill "$(pid_of out)"
wait_gone "$(pid_of out)"
rm -f t.tacho out
"$TACHO" run --wait -o t.tacho -- bash -c "$leaver" - 5000 >out 2>err || fail "ends with $?"
summarise t.tacho
expect_sequence t.tacho last
