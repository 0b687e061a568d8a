/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that are the same in every run, for simulations. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <math.h>
#include <stdint.h>

/* In (0, 1). */
static inline double random_uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*seed >> 33) + 0.5) / 2147483648.0;
}

static inline double random_exponential(uint64_t *seed, double mean)
{
	return -mean * log(random_uniform(seed));
}

#endif
