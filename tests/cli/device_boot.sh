# SPDX-License-Identifier: Apache-2.0
# tacho device boot: ELF files that were built without Tacho.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"

# build NAME ADDRESS SOURCE [FLAGS]: the compiler's notes are the log of zone names
build() {
	LC_ALL=C riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -Os -ffreestanding -nostdlib $4 \
		"-Wl,-e,$2" "-Wl,--section-start=.start=$2" "-Wl,-Ttext=$(printf 0x%x $(($2 + 0x400)))" \
		-Wl,--no-warn-rwx-segments -o "$1.elf" "$SOURCE/tests/device/foreign/$3" -lgcc 2>>log || fail "$3 does not compile"
}
build brisc 0x3A00 firmware.c ''
build ncrisc 0x12000 subordinate.c ''
build kernel 0x20000 kernel.c ''
build bad 0x20000 kernel.c -DBAD

# What a host writes: launch message, bank table, the profiler's control words.
launch="--set 32=0x18000 --set 60=0x100 --set 80=1 --set 84=0x8000 --set 148=7 --set 152=3 --set 0x18100=0x5000
	--set 1184=0x40000000 --set 0x40000=2 --set 0x40004=4 --set 53440=0x00400000 --set 3016=32 --set 3032=1 --set 3036=3"
expect_exit 0 "$TACHO" device boot --cores 0,0 $launch --go --runs 2 --show 0x50000:2 --show 1184 --zone-log log \
	brisc.elf ncrisc.elf kernel.elf
expect_line out '^BRISC +waits +0x3[0-9a-f]+ +main ' '^NCRISC +waits ' '^TRISC0 +in reset ' \
	'^0x00050000  0x00000000' '^0x00050004  0x0000000e  14$' '^0x000004a0  0x00000000' \
	'^BRISC +7 +zone +FOREIGN-FW ' '^BRISC +7 +zone +FOREIGN-KERNEL ' '^BRISC +7 +event +321 ' '^NCRISC +7 +zone +FOREIGN-NC ' \
	'^0xffb11f00 +TDMA .* 0x3 ' '^0xffd00040 '
[ "$(grep -c FOREIGN-FW out)" = 2 ] || fail "not two runs"

# Several cores, each with its own markers; payloads; initial DRAM contents; lost markers are reported.
printf '\001\002\003\004' >data.bin
expect_exit 0 "$TACHO" device boot --cores 0,0-1,0 $launch --set 3040=1 --dram 0:0x5000=data.bin --go --show 0x50000 --zone-log log \
	brisc.elf ncrisc.elf kernel.elf
expect_line out '^0,0 +BRISC +waits ' '^1,0 +BRISC +waits ' '^core 1,0$' '^0x00050000  0x04030201' \
	'^0,0 +BRISC +7 +zone +FOREIGN-FW ' '^1,0 +BRISC +7 +zone +FOREIGN-FW ' '^1,0 +BRISC +7 +event +321 '
expect_line err 'core 0,0, BRISC: markers were lost' 'core 1,0, BRISC: markers were lost'

# Without a launch message it only boots; its instructions can be shown.
expect_exit 0 "$TACHO" device boot --trace --lines 3 brisc.elf ncrisc.elf
expect_line out 'BRISC +3a00  _start' '^\.\.\. and [0-9]+ more' '^BRISC +waits '
expect_no_line out FOREIGN

# Errors are reported with their location and do not crash.
expect_exit 4 "$TACHO" device boot $launch --go brisc.elf ncrisc.elf bad.elf
expect_line err 'device 0, core 0,0 \(NoC 1,1\), BRISC: illegal instruction' 'in bad_place\+0x0' ' sp ffb00[0-9a-f]{3}'
expect_error 3 'cannot read none.elf' "$TACHO" device boot none.elf
echo text >text.elf
expect_exit 3 "$TACHO" device boot text.elf
head -c 200 brisc.elf >cut.elf
expect_exit 4 "$TACHO" device boot cut.elf
build far 0x200000 kernel.c ''
expect_exit 3 "$TACHO" device boot far.elf
expect_line err 'not inside of L1'
expect_error 2 "not an address and a value" "$TACHO" device boot --set 12 brisc.elf
expect_error 2 "not an address" "$TACHO" device boot --set 13=1 brisc.elf
expect_error 2 "not '0,0-1'" "$TACHO" device boot --cores 0,0-1 brisc.elf
expect_error 2 "first is not above" "$TACHO" device boot --cores 1,1-0,0 brisc.elf
expect_error 2 "takes BANK:ADDRESS=FILE, not '3'" "$TACHO" device boot --dram 3 brisc.elf
expect_error 3 'cannot read none.bin' "$TACHO" device boot --dram 3:0=none.bin brisc.elf
expect_exit 3 "$TACHO" device boot --dram 99:0=data.bin brisc.elf
expect_line err '4 bytes at 0x0 are not inside DRAM bank 99'
expect_error 2 "no core 9,9" "$TACHO" device boot --cores 9,9 brisc.elf
expect_error 3 "cannot read /nowhere" "$TACHO" device boot --zone-log /nowhere brisc.elf
