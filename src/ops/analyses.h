/*
 * What is measured of an op: a table. A span runs from the first marker that matches "start" to the
 * last one behind it that matches "end"; a sum adds the data of all markers that match.
 */
#ifndef OPS_ANALYSES_H
#define OPS_ANALYSES_H

#include "ops/devlog.h"
#include "ops/record.h"

struct ops_match {
	uint32_t zones; /* any of these flags */
	uint32_t riscs; /* bits of enum devlog_risc; 0: any */
	int type;       /* enum devlog_type, -1: any */
};

enum ops_analysis_kind { OPS_SPAN, OPS_CORE_SPAN, OPS_SUM, OPS_DISPATCH_SPAN };

struct ops_analysis_def {
	const char *name; /* as -a takes it */
	enum ops_analysis_kind kind;
	struct ops_match start, end;
	int column; /* enum ops_column; -1: none */
};

extern const struct ops_analysis_def ops_analyses[OPS_ANALYSES];

/* Analyses that are no spans of ops but may be asked for too. */
extern const char *const ops_other_analyses[];

/* Which are wanted: bits of enum ops_analysis. */
typedef uint32_t ops_analysis_set;
#define OPS_ANALYSES_ALL ((ops_analysis_set)((1u << OPS_ANALYSES) - 1))

struct ops_picked {
	ops_analysis_set spans;
	bool op2op, counters;
};

/* Adds the analysis NAME to PICKED; false if there is none of that name. */
bool ops_analysis_pick(struct ops_picked *picked, const char *name);

static inline bool ops_matches(const struct ops_match *match, uint32_t zone_flags,
			       enum devlog_risc risc, int type)
{
	return match->zones & zone_flags && (!match->riscs || match->riscs >> risc & 1) &&
	       (match->type < 0 || match->type == type);
}

#endif
