# SPDX-License-Identifier: Apache-2.0
# For the scripts in cli/: sourced first. Each script runs in a folder of its own, which goes away.
set -u
TACHO=$BUILD/tacho
MKTRACE=$BUILD/tests/mktrace
KERNELS=${KERNELS:-$BUILD}
unset NO_COLOR
# Seconds after which a test gives up waiting: for what never happens, not for slow machines. The tests in Python
# and JavaScript read it too.
export PATIENCE=${PATIENCE:-240}
# What the test runner left open is none of ours. 255 is the script.
for fd in /proc/$$/fd/*; do
	fd=${fd##*/}
	[ "$fd" -le 2 ] || [ "$fd" = 255 ] || eval "exec $fd>&-"
done
here=$(mktemp -d)
# Sessions are in memory as they are on a desktop, whatever the caller has, and no other test sees them.
XDG_RUNTIME_DIR=$(mktemp -d /dev/shm/tacho-test.XXXXXX 2>/dev/null || mktemp -d)
export XDG_RUNTIME_DIR
runtime_folder=$XDG_RUNTIME_DIR
# What a failed test leaves running would keep the test runner waiting.
clean_up() {
	kill $(jobs -p) 2>/dev/null
	chmod -R u+w "$here" "$runtime_folder"
	rm -rf "$here" "$runtime_folder"
}
trap clean_up EXIT
cd "$here" || exit 1

fail() {
	echo "FAILED at line ${BASH_LINENO[1]}: $*" >&2
	exit 1
}

# skip WHY: the rest of this test cannot run here. CTest reports the test as skipped, scripts/test prints why.
skip() {
	echo "skipped: $*"
	exit 77
}

# expect_exit CODE COMMAND...: runs it with stdout and stderr in the files "out" and "err".
expect_exit() {
	local want=$1 got
	shift
	"$@" >out 2>err
	got=$?
	[ $got = "$want" ] || { head -c 2000 out err >&2; fail "'$*' exits with $got, not $want"; }
}

# expect_line FILE PATTERN...: FILE has a line for each extended regular expression.
expect_line() {
	local file=$1 pattern
	shift
	for pattern; do
		grep -aqE -e "$pattern" "$file" || { head -c 3000 "$file" >&2; fail "no line in '$file' is like '$pattern'"; }
	done
}

expect_no_line() {
	! grep -aqE -e "$2" "$1" || { head -c 3000 "$1" >&2; fail "a line in '$1' is like '$2'"; }
}

# expect_count N FILE: FILE has N lines.
expect_count() {
	[ "$(wc -l <"$2")" = "$1" ] || { head -c 3000 "$2" >&2; fail "'$2' has $(wc -l <"$2") lines, not $1"; }
}

# An error is one line on stderr, and nothing on stdout.
expect_error() {
	local code=$1 pattern=$2
	shift 2
	expect_exit "$code" "$@"
	expect_count 0 out
	expect_count 1 err
	expect_line err "^tacho: .*$pattern"
}

# as_nobody COMMAND...: permissions do not bind root, so root runs it as somebody else.
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# share_folder: lets other users into the test's folder. One below a private TMPDIR is exchanged for another.
share_folder() {
	chmod 755 "$here"
	! as_nobody test -x "$here/." || return 0
	rm -rf "$here"
	here=$(TMPDIR=/tmp mktemp -d)
	chmod 755 "$here"
	cd "$here" || exit 1
}

can_be_nobody() {
	chmod 755 .
	as_nobody "$TACHO" version >/dev/null 2>&1
}

# wait_for COMMAND...: until it succeeds.
wait_for() {
	local end=$((SECONDS + PATIENCE))
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "'$*' does not come true"
		sleep 0.01
	done
}

# is_gone PID: no process has that pid (a zombie counts as gone).
is_gone() {
	case $(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null) in '' | Z) ;; *) return 1 ;; esac
}

wait_gone() {
	wait_for is_gone "$1"
}

# has_zones TRACE PID: zones of that process have been written to the unfinished trace.
has_zones() {
	"$TACHO" zones -q --format=csv -p "$2" "$1.part" | grep -q "$2"
}

# user_place: the folder of this user's attach pages: see docs/ring.md.
user_place() {
	local dir
	for dir in "${XDG_RUNTIME_DIR-}" "/run/user/$(id -u)"; do
		[ -z "$dir" ] || [ ! -O "$dir" ] || { echo "$dir/tacho"; return; }
	done
	echo "/dev/shm/tacho-$(id -u)"
}

# attach TRACE PID...: records running programs until there is something of each.
attach() {
	local trace=$1 options=() pid recorder
	shift
	for pid; do options+=(--pid "$pid"); done
	"$TACHO" capture -q -f -o "$trace" "${options[@]}" &
	recorder=$!
	for pid; do wait_for has_zones "$trace" "$pid"; done
	kill -TERM $recorder
	wait $recorder || fail "attached to $*, it ends with $?"
}

# free_port: a free port whose successor is free too, outside the range of automatic ports.
free_port() {
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import view_client; print(view_client.free_port())' "$SOURCE/tests"
}

expect_same() {
	cmp "$1" "$2" >&2 || fail "'$1' and '$2' differ"
}

# cell FILE ROW COLUMN: the cell of a data row (from 1), by the column's name
cell() {
	python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(rows[int(sys.argv[2]) - 1].get(sys.argv[3], "(no column)"))' "$@"
}
expect_cell() {
	local got
	got=$(cell "$1" "$2" "$3")
	[ "$got" = "$4" ] || fail "row $2 of $1 has '$got' for $3, not '$4'"
}
