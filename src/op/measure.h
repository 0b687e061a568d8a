/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of an op's measurements. A span runs from the first marker that matches "start" to the
 * last later one that matches "end"; a sum adds the data of all markers that match.
 */
#ifndef OP_MEASURE_H
#define OP_MEASURE_H

#include "op/devlog.h"
#include "op/execution.h"

struct op_match {
	uint32_t zones; /* any of these flags */
	uint32_t riscs; /* bits of enum arch_risc; 0: any */
	int type;       /* enum devlog_type, -1: any */
};

enum op_measure_kind { OP_SPAN, OP_CORE_SPAN, OP_SUM, OP_DISPATCH_SPAN };

struct op_measure_def {
	const char *name; /* the name for -a */
	enum op_measure_kind kind;
	struct op_match start, end;
	int column; /* enum op_column; -1: none */
};

extern const struct op_measure_def op_measures[OP_MEASURES];

/* The requested ones: bits of enum op_measure. */
typedef uint32_t op_measure_set;
#define OP_MEASURES_ALL ((op_measure_set)((1u << OP_MEASURES) - 1))

struct op_picked {
	op_measure_set spans;
	bool op2op, counters;
};

/* Adds the analysis NAME to PICKED; false if there is none of that name. */
bool op_measure_pick(struct op_picked *picked, const char *name);

static inline bool op_matches(const struct op_match *match, uint32_t zone_flags,
			      enum arch_risc risc, int type)
{
	return match->zones & zone_flags && (!match->riscs || match->riscs >> risc & 1) &&
	       (match->type < 0 || match->type == type);
}

#endif
