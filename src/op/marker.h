/*
 * What a device reports: markers. Each RISC of each core writes them in order of time; the reader
 * of the device (src/device), a trace (op/trace.h) and the device log (src/ttlog) give the same
 * ones.
 */
#ifndef OP_MARKER_H
#define OP_MARKER_H

#include "base/arch.h"

#include <stdint.h>

enum op_marker_kind {
	OP_MARK_START, /* of a zone */
	OP_MARK_END,
	OP_MARK_TOTAL,   /* a zone's sum of cycles: value */
	OP_MARK_DATA,    /* value */
	OP_MARK_EVENT,   /* value: its number */
	OP_MARK_NOC,     /* a transfer: value and value2 are its words; TS_DATA in the log */
	OP_MARK_COUNTER, /* a performance counter: value, value2 its reference cycles; TS_DATA */
	OP_MARK_OTHER,
};

struct op_marker {
	uint32_t core;  /* number of the core, as its source counts them */
	uint8_t risc;   /* number of the RISC within the core */
	uint8_t kind;   /* enum op_marker_kind */
	uint32_t zone;  /* number of the zone's name, as its source counts them */
	uint64_t cycle; /* of the device's clock, as recorded */
	uint64_t value, value2;
	uint64_t id;            /* of the op; 0: none */
	int64_t trace, session; /* of the replay, OP_NONE */
};

#endif
