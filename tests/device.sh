# SPDX-License-Identifier: Apache-2.0
# For the device's scripts: sourced after lib.sh. Kernels are compiled once for all build folders.
export TACHO_CACHE=$KERNELS/kernel-cache
export TACHO_ARCH=tiny
if ! command -v "${TACHO_RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null; then
	skip "no riscv64-unknown-elf-gcc (scripts/setup installs it)"
fi
