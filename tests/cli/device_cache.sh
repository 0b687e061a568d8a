# SPDX-License-Identifier: Apache-2.0
# The cache of compiled kernels: a folder that others can write to is refused, and changed files are not loaded.
# labels: plain
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
cat >one.c <<'END'
#include "dataflow_api.h"
void kernel_main(void) { REG32(0x7fff0000) = 1; }
END
sed 's/0x7fff0000/0x7fff0010/' one.c >two.c

# refused FOLDER WHY
refused() {
	TACHO_CACHE=$1 expect_error 5 "the kernel cache .* is not safe: $2; TACHO_CACHE names another" "$TACHO" device run -q one.c
	[ -z "$(ls -A "$1")" ] || fail "something was written to $1"
}

mkdir -m 777 all
refused "$here/all" "others may write to it"
mkdir -m 775 group
refused "$here/group" "others may write to it"
mkdir -m 777 above
mkdir -m 700 above/mine
refused "$here/above/mine" "others may replace a folder above it"
ln -s all link
refused "$here/link" "others may write to it"
if [ "$(id -u)" = 0 ]; then
	mkdir -m 755 theirs
	chown 65534 theirs
	refused "$here/theirs" "another user owns it"
fi
chmod 1777 above # like /tmp: what is in it can only be replaced by its owner
TACHO_CACHE=$here/above/mine expect_exit 4 "$TACHO" device run -q one.c
expect_line err 'no memory at 0x7fff0000'

# A default folder that is not safe is skipped.
mkdir tmp
(unset TACHO_CACHE; mkdir -p -m 777 xdg xdg/tacho
	XDG_CACHE_HOME=$here/xdg TMPDIR=$here/tmp expect_exit 4 "$TACHO" device run -q one.c) || exit 1
[ -z "$(ls -A xdg/tacho)" ] || fail "a cache that others may write to was used"

# Changed files are compiled again.
export TACHO_CACHE=$here/cache
run_one() {
	expect_exit 4 "$TACHO" device run -q one.c
	expect_line err 'no memory at 0x7fff0000'
}
run_one
[ "$(stat -c %a cache)" = 700 ] || fail "a new cache is not private"
expect_exit 4 "$TACHO" device run -q two.c
expect_line err 'no memory at 0x7fff0010'
# Two kernels under each other's names: valid files, but with another key.
kernel_one=$(grep -lE 'one\.c$' cache/*.deps | head -1) kernel_two=$(grep -lE 'two\.c$' cache/*.deps | head -1)
kernel_one=${kernel_one%.deps}.elf kernel_two=${kernel_two%.deps}.elf
cp "$kernel_one" kept.elf
cp "$kernel_two" "$kernel_one"
run_one
expect_same kept.elf "$kernel_one"
printf '\377' | dd of="$kernel_one" bs=1 seek=$(($(stat -c %s kept.elf) / 2)) conv=notrunc status=none
run_one
expect_same kept.elf "$kernel_one"
truncate -s 100 "$kernel_one"
run_one
expect_same kept.elf "$kernel_one"
sed -i '1d' "${kernel_one%.elf}.deps"
run_one
expect_same kept.elf "$kernel_one"
