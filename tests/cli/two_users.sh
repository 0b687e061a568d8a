# SPDX-License-Identifier: Apache-2.0
# Another user of the machine plants folders, control pages, rings, attach pages and caches, and swaps
# folders for links while somebody records. No file of the victim changes, and the recording continues.
# labels: plain
. "$SOURCE/tests/faults.sh"

[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "needs root, to be two users"

# Two users that nobody has, and that no other run of this test has.
victim=$((1000000 + $$ % 500000 * 2)) attacker=$((victim + 1))
usual=/dev/shm/tacho-$victim
trap 'clean_up; rm -rf "$usual"* "/dev/shm/tacho-$attacker"*' EXIT
as() {
	local uid=$1
	shift
	setpriv --reuid="$uid" --regid="$uid" --clear-groups env -u XDG_RUNTIME_DIR HOME="$here/$uid" "$@"
}
# in_background UID COMMAND... &: $! is the command.
in_background() {
	local uid=$1
	shift
	exec setpriv --reuid="$uid" --regid="$uid" --clear-groups env -u XDG_RUNTIME_DIR HOME="$here/$uid" "$@"
}
victim() { as $victim "$@"; }
attacker() { as $attacker "$@"; }
share_folder
victim "$TACHO" version >/dev/null 2>&1 || skip "others cannot run $TACHO"
mkdir "$victim" "$attacker" shared
chown "$victim:$victim" "$victim" && chown "$attacker:$attacker" "$attacker" && chmod 1777 shared
home=$here/$victim lair=$here/$attacker

# What the victim would miss: a file that a trace could replace, and names that a recorder removes.
victim sh -c 'echo "export PATH" >~/.bashrc; mkdir ~/own; for f in control p.1.0 p.notes; do echo mine >~/own/$f; done'
remember() { (cd "$home" && find . -type f ! -name '*.tacho' -exec sha256sum {} + | sort -k2) >before; }
expect_unchanged() {
	(cd "$home" && find . -type f ! -name '*.tacho' -exec sha256sum {} + | sort -k2) >after
	cmp -s before after || { diff before after >&2; fail "the victim's files changed: $*"; }
}
remember

# expect_recorded WHAT: t.tacho of the victim has all that burst sent.
expect_recorded() {
	summarise "$home/t.tacho"
	expect_fact zones 100
	expect_fact lost-zones 0
	expect_unchanged "$@"
}

# victim_records OPTION...: into "out" and "err"; always ends with the status of the program.
victim_records() {
	victim "$TACHO" run -f -o "$home/t.tacho" "$@" -- sh -c "'$PROGS/burst' 1 100; exit 9" >out 2>err
	[ $? = 9 ] || { cat err >&2; fail "the program was not run, or its status is lost: $*"; }
	expect_line out '^zones 100 '
}

# dead_session OUTPUT: a session of the attacker in lair/dead whose recorder was killed. It says that it was
# writing OUTPUT, which is $PADDING long as OUTPUT must be.
dead_session() {
	local false=$1 true
	rm -rf "$lair/dead" "$lair"/t*.part
	true=$lair/$(printf '%0*d' $((${#false} - ${#lair} - 1)) 0)
	attacker "$TACHO" run -q -f -s "$lair/dead" -o "$true" -- sh -c "'$PROGS/burst' 1 100; kill -9 \$PPID" >/dev/null 2>&1
	[ -e "$lair/dead/control" ] || fail "no session of a killed recorder"
	LC_ALL=C sed -i "s|$true|$false|" "$lair/dead/control"
	grep -aq "$false" "$lair/dead/control" || fail "the page could not be changed"
}

# ---- the name is taken, by a folder, a file, a link to the victim's own folder
for plant in "mkdir -m 777" "mkdir -m 700" "touch" "ln -s $home/own"; do
	rm -rf "$usual"*
	attacker $plant "$usual"
	victim_records
	expect_recorded "$plant"
	expect_count 2 err
	expect_line err "^tacho: warning: $usual belongs to another user; the session is in $usual\.......\/s\."
	[ "${plant#mkdir}" = "$plant" ] || expect_count 0 <(ls -A "$usual")
done

# ---- a planted control page: 'tacho capture' neither obeys it nor fails, and programs find the recorder
dead_session "$home/.bashrc"
chmod -R a+rwX "$lair/dead"
rm -rf "$usual"*
attacker mkdir -m 777 "$usual"
attacker cp -r "$lair/dead" "$usual/capture"
attacker chmod -R a+rwX "$usual"
rm -f err
in_background $victim env -C "$home" "$TACHO" capture -f 2>err &
recorder=$!
wait_for grep -q waiting err
expect_line err "warning: $usual belongs to another user; using $usual\."
victim TACHO_CAPTURE=1 "$PROGS/burst" 1 100 >out
kill -TERM $recorder
wait $recorder
mv "$home/capture.tacho" "$home/t.tacho"
expect_recorded "a planted control page"
expect_exit 0 victim "$TACHO" recover
expect_line out 'no session is waiting'

# ---- planted pages to attach by: the program is found all the same, and no one else's is
in_background $victim "$PROGS/forever" >said &
program=$!
wait_for test -s said
attacker cp "$usual/capture/control" "$usual/attach.$program"
attacker chmod 666 "$usual/attach.$program"
rm "$home/t.tacho"
in_background $victim "$TACHO" capture -q -f -o "$home/t.tacho" --pid "$program" 2>err &
recorder=$!
wait_for has_zones "$home/t.tacho" "$program"
kill -TERM $recorder
wait $recorder || { cat err >&2; fail "a program whose page was planted is not recorded"; }
summarise "$home/t.tacho"
expect_fact lost-zones 0
kill $program
wait $program
expect_unchanged "a planted page to attach by"
rm -rf "$usual"*
in_background $attacker "$PROGS/forever" >said2 &
program=$!
wait_for test -s said2
expect_error 7 'cannot be recorded' victim "$TACHO" capture -q -o "$home/x.tacho" --pid "$program"
kill $program
wait $program
rm -rf "$usual"*

# ---- a session that belongs to somebody else: refused, by root too, whatever it says
for target in "$home/.bashrc" "$here/root"; do
	echo root >"$here/root"
	dead_session "$target"
	chmod -R a+rwX "$lair/dead"
	for option in -q -f "-f --keep" "-o $here/x.tacho"; do
		expect_error 3 "$lair/dead belongs to user $attacker; this is user 0" "$TACHO" recover $option "$lair/dead"
		expect_error 3 "belongs to user $attacker; this is user $victim" victim "$TACHO" recover $option "$lair/dead"
	done
	expect_error 3 "belongs to user $attacker" victim "$TACHO" capture -f -s "$lair/dead"
	expect_error 3 "belongs to user $attacker" "$TACHO" capture -f -s "$lair/dead"
	[ "$(cat "$here/root")" = root ] || fail "root's file was replaced"
	[ ! -e "$here/x.tacho" ] || fail "a foreign session was read"
	expect_unchanged "recover of a foreign session"
done
expect_error 7 'belongs to user' "$TACHO" serve --live "$lair/dead"

# ---- -s names a folder of somebody else, empty or with rings in it: the session is made elsewhere
attacker mkdir -m 777 shared/free
ls -AR "$lair/dead" shared >there
for folder in "$here/shared/free" "$lair/dead"; do
	victim_records -s "$folder"
	expect_recorded "-s $folder"
	expect_line err "^tacho: warning: $folder belongs to user $attacker; this is user $victim; the session is in $usual/s\."
done
expect_same there <(ls -AR "$lair/dead" shared)
expect_count 0 <(ls -d "$usual".* 2>/dev/null) # not needed: the usual name is his
# A folder of his own that others can write to is no better.
victim mkdir -m 777 shared/loose
victim_records -s "$here/shared/loose"
expect_recorded "-s with a folder that is open to others"
expect_line err "warning: others can write to $here/shared/loose"
expect_error 5 "others can write to" victim "$TACHO" capture -o "$home/x.tacho" -s "$here/shared/loose"
expect_count 0 <(ls -A shared/loose)

# ---- a ring of another session in a folder of one's own is not recorded
rm -rf "$lair/dead"
victim "$TACHO" run -q -s "$home/s1" -o "$home/gone.tacho" -- sh -c "'$PROGS/burst' 1 100; kill -9 \$PPID" >/dev/null 2>&1
victim mkdir -m 700 "$home/s2"
victim sh -c 'cp ~/s1/p.* ~/s2'
victim_records -s "$home/s2"
victim rm -rf "$home/s1" "$home/s2" "$home/gone.tacho.part"
expect_recorded "a ring of another session"

# ---- TACHO_SESSION names a folder of somebody else, with a hard link to a page of the victim's own: not joined
victim "$TACHO" run -q -s "$home/s1" -o "$home/gone.tacho" -- sh -c "'$PROGS/burst' 1 1; kill -9 \$PPID" >/dev/null 2>&1
attacker mkdir -m 777 "$here/shared/hard"
ln "$home/s1/control" "$here/shared/hard/control"
victim TACHO_SESSION="$here/shared/hard" "$PROGS/burst" 1 100 >out 2>err || fail "the program ends with $?"
expect_line out '^zones 100 '
expect_count 1 err
expect_line err "^tacho: not recorded: TACHO_SESSION=$here/shared/hard belongs to another user"
expect_count 1 <(ls -A shared/hard)
# And a page with two names is not a page of ours.
ls "$home/s1" >there
victim TACHO_SESSION="$home/s1" "$PROGS/burst" 1 100 >out 2>err
expect_same there <(ls "$home/s1")
expect_exit 3 victim "$TACHO" recover -f "$home/s1"
victim rm -rf "$home/s1" "$home/gone.tacho.part"
rm -rf shared/hard
expect_unchanged "hard links"

# ---- the folder is swapped for a link to the victim's own while he records
attacker mkdir -m 777 "$lair/open"
rm -f err go
in_background $victim "$TACHO" run -f -o "$home/t.tacho" -s "$lair/open/s" -- \
	sh -c "'$PROGS/burst' 1 100; touch $here/shared/sent; while [ ! -e $here/shared/go ]; do sleep 0.01; done; '$PROGS/burst' 1 5; exit 9" >out 2>err &
recorder=$!
wait_for test -e shared/sent
attacker mv "$lair/open/s" "$lair/open/aside"
attacker ln -s "$home/own" "$lair/open/s"
touch shared/go
wait $recorder
[ $? = 9 ] || { cat err >&2; fail "a recording whose folder was swapped fails"; }
# What ran before the swap is whole; what came later did not follow the link.
expect_recorded "a swapped folder"
rm -rf "$lair/open"

# ---- what a process of the session wrote into the control page is not obeyed
victim "$TACHO" run -q -s "$home/s1" -o "$home/0bashrc" -- sh -c "'$PROGS/burst' 1 100; kill -9 \$PPID" >/dev/null 2>&1
victim sh -c 'LC_ALL=C sed "s|/0bashrc|/.bashrc|" ~/s1/control >~/s1/c; cat ~/s1/c >~/s1/control; rm ~/s1/c'
victim sh -c 'cat ~/0bashrc.part >~/t.tacho.part.tacho; rm ~/0bashrc.part'
expect_error 2 "was writing $home/.bashrc: -f writes there, -o FILE elsewhere" victim "$TACHO" recover "$home/s1"
expect_error 5 "was writing $home/.bashrc, which is not a trace: -o FILE elsewhere" victim "$TACHO" recover -f "$home/s1"
expect_error 5 'which is not a trace' victim "$TACHO" capture -f -s "$home/s1"
expect_exit 0 victim "$TACHO" recover -q -f -o "$home/t.tacho" "$home/s1"
rm -f "$home"/t.tacho.part.tacho
expect_recorded "a changed control page"

# ---- $XDG_RUNTIME_DIR is the first choice if it is the victim's alone and large enough
in_runtime() {
	victim XDG_RUNTIME_DIR="$1" "$TACHO" run -q -f -o "$home/t.tacho" -- sh -c 'echo $TACHO_SESSION' >out 2>err
}
mkdir runtime
[ $(($(stat -f -c '%a*%S/1048576' .))) -lt 2048 ] || {
	chown $victim runtime && chmod 700 runtime
	in_runtime "$here/runtime"
	expect_line out "^$here/runtime/tacho/s\."
	unshare -m sh -c "mount -t tmpfs -o size=64m,mode=700,uid=$victim tmpfs runtime && '$TACHO' version >/dev/null &&
		setpriv --reuid=$victim --clear-groups env XDG_RUNTIME_DIR='$here/runtime' '$TACHO' run -q -f -o '$home/t.tacho' -- sh -c 'echo \$TACHO_SESSION'" >out 2>err
	expect_line out "^$usual/s\."
}
for owner in "$attacker 700" "$victim 777"; do
	set -- $owner
	rm -rf runtime/* && chown "$1" runtime && chmod "$2" runtime
	in_runtime "$here/runtime"
	expect_line out "^$usual/s\."
done

# ---- a planted index and a planted token: the viewer neither uses them nor writes through them
rm -rf "$usual"*
attacker mkdir -m 777 "$usual" "$here/shared/cache" "$here/shared/cache/tacho"
token=0123456789abcdef0123456789abcdef
attacker sh -c "printf $token >'$usual/.view-token'; chmod 666 '$usual/.view-token'"
in_background $victim env XDG_CACHE_HOME="$here/shared/cache" "$TACHO" view -p 0 "$home/t.tacho" >url 2>&1 &
viewer=$!
wait_for grep -q http url
address=$(grep -o 'http[^ ]*' url | head -1)
expect_exit 0 python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()' "$address"
kill $viewer
wait $viewer
expect_no_line url $token
expect_count 0 <(ls -A shared/cache/tacho)
expect_unchanged "a planted index"

# ---- nowhere to put a session: the program runs, and it is said that nothing is recorded
rm -rf "$usual"*
unshare -m sh -c "mount -t tmpfs -o ro tmpfs /dev/shm && exec setpriv --reuid=$victim --clear-groups env HOME='$home' \\
	'$TACHO' run -f -o '$home/t.tacho' -- sh -c \"'$PROGS/burst' 1 100; exit 9\"" >out 2>err
[ $? = 5 ] || { cat err >&2; fail "without a place for a session"; }
expect_line out '^zones 100 '
expect_count 1 err
expect_line err '^tacho: warning: not recorded: no place for a session: .*-s names another: Read-only file system'
expect_unchanged "nowhere to put a session"
