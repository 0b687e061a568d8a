/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels are compiled when they are first run: without their compiler a test has nothing to do. */
#ifndef DEVICE_COMPILER_H
#define DEVICE_COMPILER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static inline bool have_compiler(void)
{
	if (system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") == 0)
		return true;
	print_message("skipped: no riscv64-unknown-elf-gcc (scripts/setup installs it)\n");
	return false;
}

#endif
