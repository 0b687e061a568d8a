/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advice of our own model as data: its ops, conditions, wording and saving. advice.c applies
 * the rules; a new rule is one more entry in rules.c.
 */
#ifndef PERF_RULES_H
#define PERF_RULES_H

#include "perf/advice.h"
#include "perf/config.h"

/* A condition. A and B are settings (enum perf_field) if the test is on settings. */
enum advice_test {
	TEST_NONE,
	TEST_BELOW,         /* the setting A is known and less than LIMIT */
	TEST_ABOVE,         /* or more */
	TEST_PRODUCT_BELOW, /* A x B is known and less than LIMIT */
	TEST_IS,            /* the setting A is LIMIT */
	TEST_DEFAULT,       /* the op accepts a program config, and none was given */
	TEST_CONFIG,        /* it has this program config: TEXT */
	TEST_IN0_DRAM,      /* input 0 is in DRAM, and L1 has room for it */
	TEST_IN1_DRAM,      /* input 1, the weights, is in DRAM */
	TEST_ANY_IN_DRAM,   /* one of both */
	TEST_OUT_DRAM,
	TEST_IN0_SHARDED,   /* over cores */
	TEST_NOT_SHARDED,   /* it does not read DRAM-sharded weights yet, but could */
	TEST_CORES_PERCENT, /* it uses less than LIMIT % of the cores that it could use */
	TEST_CORE_TILES,    /* the output has at least LIMIT tiles for each core */
	TEST_VERDICT,       /* the fidelity is enum perf_verdict LIMIT */
	TEST_FLOPS_BELOW,   /* arithmetic is below LIMIT % of its peak */
	TEST_INNER_TILES,   /* the inner dimension has at least LIMIT tiles */
	TEST_ROWS_ABOVE,    /* input 0 has more than LIMIT rows */
	TEST_NOT_COLLECTIVE,
	TEST_LIMIT,         /* the limiting kernel is enum perf_limit LIMIT */
	TEST_BALANCE_BELOW, /* the cores' mean is below LIMIT % of the slowest */
};

/* The op's time after following it; the wording is part of the advice. */
enum advice_saving {
	SAVING_NONE,
	SAVING_REACHABLE, /* at 65 % of the closer peak */
	SAVING_DRAM_PEAK,
	SAVING_CORES,    /* if it scales to all cores */
	SAVING_FIDELITY, /* at the rate of the lower fidelity */
	SAVING_LINKS,    /* with twice the links */
	SAVING_BALANCE,
	SAVING_KINDS,
};

#define RULE_TESTS 3

struct advice_rule {
	enum perf_advice_kind kind;
	const char *ops;   /* parts of names, separated by '|'; NULL: all ops */
	uint8_t families;  /* bit per enum perf_family; 0: all */
	uint8_t bounds;    /* bit per enum perf_bound */
	uint32_t settings; /* bit per enum perf_field: the op's config must have them */
	struct {
		enum advice_test test;
		int a, b;
		int64_t limit;
		const char *text;
	} tests[RULE_TESTS];
	enum advice_saving saving;
	/* {name}: the value of a setting, or cores, workers, memory, dram, flops, fidelity, lower,
	 * types, config */
	const char *words;
};

extern const struct advice_rule perf_rules[];
extern const size_t perf_rules_n;

#endif
