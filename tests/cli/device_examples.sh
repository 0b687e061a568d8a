# SPDX-License-Identifier: Apache-2.0
# The device examples compute correct results, on every architecture that is fast enough.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
examples=$BUILD/examples/device

expect_exit 0 "$examples/loopback"
expect_line out '^491520 bytes through 4 cores of tiny: right, [0-9]+ cycles \(modelled\)'
expect_exit 0 "$examples/matmul"
expect_line out '^256 x 128 x 256 on 4 cores of tiny: right'
expect_exit 0 "$examples/layers"
expect_line out '^two layers, 64 samples, 1 \+ 3 times: right'
expect_exit 0 "$examples/ring"
expect_line out '^3 rounds over 4 cores: 12 hops, right'
expect_exit 0 "$examples/ethernet"
expect_line out '^device 1: tiny' '^8192 bytes from device 0 to device 1: right'
expect_exit 0 "$examples/two_devices"
expect_line out '^device 1: tiny' '^1024 bytes over two devices: right'

# 125 zones fit, the other ones are counted.
expect_exit 0 "$examples/full_buffer"
expect_line out '^4 cores x 5 RISCs x 300 zones: 2500 kept \(125 per RISC\), 3500 lost and counted'
expect_exit 0 "$examples/events"
expect_line out 'BRISC data  ITERATION .* = 0x400000001$' 'event .* id 104 ' 'total WAIT' 'zone  BRISC-FW'

# A second run takes the same number of cycles.
expect_exit 0 "$examples/matmul"
cp out first
expect_exit 0 "$examples/matmul"
expect_same out first

[ -z "$SANITIZE" ] || skip "large devices are too slow with sanitizers"
TACHO_ARCH=wormhole_b0 expect_exit 0 "$examples/matmul"
expect_line out 'on 80 cores of wormhole_b0: right'
TACHO_ARCH=blackhole expect_exit 0 "$examples/ring"
expect_line out '^3 rounds over 140 cores: 420 hops, right'

# Training resumes where a checkpoint left it: the same losses, from the same batches.
gpt="$BUILD/tt-train/sources/examples/nano_gpt/nano_gpt --layers 1 --heads 1 --dim 32 --seq 32 --batch 1"
losses() { expect_exit 0 $gpt "$@" && grep -o '^Step: .* Loss: [^,]*' out; }
losses --steps 4 >whole
losses --steps 2 --checkpoint half >parts
losses --steps 2 --restore half >>parts
[ "$(wc -l <whole)" = 4 ] || fail 'a step has no loss'
expect_same parts whole
