/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges whether the fidelity of a multiplication is right for its data types. A multiplier pass
 * takes 5 bits of one operand's mantissa and 7 of the other's: wide mantissas need more passes, and
 * passes beyond what the types hold are wasted.
 */
#include "perf/report.h"

#include <string.h>

static const struct {
	const char *name, *brief;
	int mantissa; /* bits; 0: whole numbers */
} types[] = {
	{"FLOAT32", "FP32", 23},  {"BFLOAT16", "BF16", 8}, {"BFLOAT8_B", "BFP8", 7},
	{"BFLOAT4_B", "BFP4", 3}, {"UINT8", "UINT8", 0},   {"UINT16", "UINT16", 0},
	{"INT32", "INT32", 0},    {"UINT32", "UINT32", 0},
};

static int mantissa_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return types[i].mantissa;
	return -1;
}

const char *perf_datatype_short(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return types[i].brief;
	return name;
}

enum { LOW = VERDICT_TOO_LOW, GOOD = VERDICT_SUFFICIENT, HIGH = VERDICT_TOO_HIGH };

/* The first line whose condition holds; mantissa bits, 0: any. */
static const struct {
	int in0, in1_least, out_least, out;
	unsigned char verdict[FIDELITY_COUNT];
} rules[] = {
	/* in0 in1>= out>= out=        none lofi hifi2 hifi3 hifi4 */
	{8, 0, 7, 0, {VERDICT_UNKNOWN, LOW, LOW, LOW, GOOD}},
	{8, 0, 0, 3, {VERDICT_UNKNOWN, LOW, GOOD, HIGH, HIGH}},
	{0, 7, 7, 0, {VERDICT_UNKNOWN, LOW, GOOD, HIGH, HIGH}},
	{0, 7, 0, 3, {VERDICT_UNKNOWN, LOW, GOOD, HIGH, HIGH}},
	{0, 0, 0, 0, {VERDICT_UNKNOWN, GOOD, HIGH, HIGH, HIGH}},
};

enum perf_verdict perf_fidelity_judge(const struct perf_kind *k, enum perf_model model)
{
	int in0 = mantissa_of(k->datatype[IN0]), in1 = mantissa_of(k->datatype[IN1]),
	    out = mantissa_of(k->datatype[OUT]);

	/* Release 1.2.4 judges float32 as if it were a block float. It needs all passes. */
	if (model == PERF_MODEL_TACHO && in0 > 8)
		in0 = 8;
	if (in0 == 0 || in1 == 0 || out == 0)
		return VERDICT_NOT_APPLICABLE;
	if (in0 < 0 || in1 < 0 || out < 0)
		return VERDICT_UNKNOWN;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((!rules[i].in0 || in0 == rules[i].in0) && in1 >= rules[i].in1_least &&
		    out >= rules[i].out_least && (!rules[i].out || out == rules[i].out))
			return (enum perf_verdict)rules[i].verdict[k->fidelity];
	return VERDICT_UNKNOWN;
}
