/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of devices share: a tiny device, programs of one kernel file, control words. */
#ifndef DEVICE_TOOLS_H
#define DEVICE_TOOLS_H

#include "device/device.h"
#include "tacho_layout.h"
#include "unit/device_compiler.h"

#include <stdio.h>
#include <string.h>

static inline struct tacho_device *open_device(unsigned count)
{
	struct tacho_device *d;
	int r = tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny",
								     .profile = 1,
								     .program_count = count});

	if (r < 0)
		print_message("%s\n", tacho_device_error());
	assert_int_equal(r, 0);
	return d;
}

/* A program with one kernel file on BRISC, NCRISC and the TRISCs of core 0,0, or the first of them:
 * each RISC costs a run of the compiler. */
static inline struct tacho_program *first_riscs(struct tacho_device *d, const char *kernel, int n)
{
	static const enum tacho_risc riscs[] = {TACHO_BRISC, TACHO_NCRISC, TACHO_COMPUTE};
	struct tacho_program *p;
	char path[500];

	snprintf(path, sizeof(path), "%s/%s", DEVICE_KERNELS, kernel);
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (int i = 0; i < n; i++)
		assert_true(tacho_program_kernel(p, &(struct tacho_kernel){.source = path,
									   .risc = riscs[i]}) >= 0);
	return p;
}

static inline struct tacho_program *all_riscs(struct tacho_device *d, const char *kernel)
{
	return first_riscs(d, kernel, 3);
}

static inline void program_run(struct tacho_device *d, struct tacho_program *p, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		int r = tacho_enqueue(d, p);

		if (r < 0)
			print_message("%s\n", tacho_device_error());
		assert_int_equal(r, 0);
	}
	assert_int_equal(tacho_finish(d), 0);
}

static inline uint32_t control_word(struct tacho_device *d, unsigned word)
{
	uint32_t v = 0;

	assert_int_equal(tacho_core_read(d, (struct tacho_core){0, 0},
					 16 + M_PROF_CONTROL + 4 * word, &v, 4),
			 0);
	return v;
}

#endif
