# SPDX-License-Identifier: Apache-2.0
# Faults around the client: jumps and cancellations in the middle of events, small limits, a full or
# missing /dev/shm, a stopped recorder, a path that is not a session. The program never notices.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/record.sh"

# Jumps and cancellations during events.
expect_at_least 0 fork_in_handler 200
expect_at_least 0 cancel 200
expect_at_least 0 longjmps 1000
expect_all 0 handler 3000

# Small limits. If files may have at most 4 KiB, there is no ring: nothing is recorded, the program runs.
# The sanitizers need more address space than the limit leaves.
[ -n "$SANITIZE" ] || expect_all 0 limits as
expect_all 0 limits nofile
record limits fsize
[ "$status" = 0 ] || fail "a program with a file size limit ends with $status"
expect_line said '^zones 1000'

# At the memory limit, with a stopped recorder: events that do not fit are counted.
stopped() {
	"$TACHO" run -q -f -o t.tacho --limit-mb=1 "$@" -- bash -c \
		"kill -STOP \$PPID; '$PROGS/burst' 4 100000; kill -CONT \$PPID; '$PROGS/burst' 1 100" >said
	"$TACHO" check t.tacho >checked || { cat checked >&2; fail "losses are not in balance: $*"; }
	[ "$(checked emitted)" = "$(said zones)" ] || fail "$(said zones) emitted, $(checked emitted) reported: $*"
	[ "$(checked lost)" -gt 0 ] || fail "nothing lost in 1 MiB: $*"
}
stopped --policy=drop
stopped --policy=overwrite
stopped --policy=block --block-ms=5
# The flight recorder keeps the newest and accounts for the rest, with a recorder that is awake too.
run_options=(--limit-mb=2 --policy=overwrite)
record burst 4 300000
"$TACHO" check t.tacho >checked || { cat checked >&2; fail "the flight recorder is not in balance"; }
[ "$(checked emitted)" = 1200000 ] || fail "$(checked emitted) of 1200000 are accounted for"
[ "$(checked zones)" -gt 50000 ] || fail "2 MiB keep only $(checked zones) zones"
run_options=(--limit-mb=1 --policy=block --block-ms=240000)
expect_all 0 burst 4 100000
run_options=()

# TACHO_SESSION names something else: the program runs as usual and changes nothing there.
alone() {
	TACHO_SESSION=$1 "$PROGS/burst" 2 1000 >said 2>err || fail "ends with $? in the session '$1'"
	expect_count 0 err
	expect_line said '^zones 2000 '
}
mkdir random fifo link empty
head -c 8192 /dev/urandom >random/control
sha256sum random/control >before
mkfifo fifo/control
ln -s ../random/control link/control
: >empty/control
: >file
for session in random "$PWD/random" fifo link empty file /nonexistent / "$(printf '%0990d' 0)" \
	"$(printf '%05000d' 0)" /dev/null ''; do
	alone "$session"
done
sha256sum -c --quiet before || fail "the control file of somebody else was changed"
expect_count 1 <(ls random)

# No attach page if the program does not want one.
TACHO_ATTACH=0 strace -f -o calls "$PROGS/burst" 1 10 >/dev/null 2>&1 &&
	expect_no_line calls 'attach\.'

# As root: a full, a read-only and a missing /dev/shm.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "the rest needs root"
small_shm() {
	unshare -m bash -c "mount -t tmpfs -o $1 tmpfs /dev/shm && shift && exec \"\$@\"" - "$@" >said 2>err
}
for size in 16k 64k 256k 2m; do
	small_shm size=$size "$TACHO" run -q -f -o t.tacho -- "$PROGS/burst" 4 100000
	expect_line said '^zones 400000 '
	"$TACHO" check t.tacho >checked || { cat checked >&2; fail "unsound with $size of shared memory"; }
	# A process that has a ring counts all losses, also those of threads without a stream.
	[ "$(checked emitted)" = 0 ] || [ "$(checked emitted)" = 400000 ] ||
		fail "with $size of shared memory $(checked emitted) of 400000 are accounted for"
done
small_shm ro "$PROGS/burst" 2 1000 || fail "with a read-only /dev/shm"
expect_line said '^zones 2000 '
small_shm mode=0 "$PROGS/burst" 2 1000 || fail "with a closed /dev/shm"
unshare -m bash -c "mount -t tmpfs tmpfs /dev && '$PROGS/burst' 2 1000" >said || fail "without /dev/shm"
expect_line said '^zones 2000 '

# In another pid namespace the pid belongs to another process: the recorder must not take it for dead.
expect_namespace() {
	"$TACHO" run -q -f -o t.tacho -- unshare "$@" "$PROGS/burst" 2 1000000 >said 2>err || return 0
	check_whole "unshare $*"
	[ "$(checked zones)" = 2000000 ] || fail "in another pid namespace only $(checked zones) zones are kept"
}
expect_namespace -p -f
expect_namespace -p -f --mount-proc

# The leak checker does not work in such programs.
[ -z "$SANITIZE" ] || skip "the leak checker does not run in set-user-id programs"
# A set-user-id program ignores its environment and leaves no files.
# Not the user nobody: other tests run programs as that user.
share_folder
cp "$PROGS/burst" setuid && chown 61234:61234 setuid && chmod 6755 setuid
mkdir -m 777 victim
rm -rf /dev/shm/tacho-61234
TACHO_SESSION=$PWD/victim TACHO_CAPTURE=1 ./setuid 1 10 >said || fail "as a set-user-id program"
expect_line said '^zones 10 '
[ ! -e /dev/shm/tacho-61234 ] || fail "a set-user-id program left files"
