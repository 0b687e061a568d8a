/*
 * noc_trace_dev*_ID*.json: the transfers of one op on the on-chip network. Of them the report shows
 * what needs no model of the network: bytes, events, how the bytes spread over the cores.
 */
#ifndef OPS_NOC_H
#define OPS_NOC_H

#include "base/map.h"
#include "base/vec.h"
#include "ops/issues.h"

struct ops_noc_op {
	int64_t device;
	uint64_t id;
	int64_t trace, session; /* OPS_NONE */
	uint64_t events, bytes, multicast_bytes;
	uint32_t cores;
	double max_share; /* of the bytes, of the busiest core, in percent */
};

struct ops_noc {
	VEC(struct ops_noc_op);
	uint64_t files;
};

/* Reads all NoC traces of the folder LOGS. NOC is freed by the caller. */
int ops_noc_read(struct ops_noc *noc, const char *logs, struct ops_issues *issues,
		 struct tacho_error *err);

/* One file's content. Fills OP but for its ids. TACHO_EFORMAT when it is no such trace. */
int ops_noc_parse(struct ops_noc_op *op, const char *text, size_t len, struct tacho_error *err);

/* The ids that NAME gives; false when it is not the name of a NoC trace. */
bool ops_noc_name(const char *name, struct ops_noc_op *op);

/* Brings the ops into the order that ops_noc_find() needs. */
void ops_noc_sort(struct ops_noc *noc);

const struct ops_noc_op *ops_noc_find(const struct ops_noc *noc, int64_t device, uint64_t id,
				      int64_t trace, int64_t session);
void ops_noc_free(struct ops_noc *noc);

#endif
