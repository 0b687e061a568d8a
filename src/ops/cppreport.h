/*
 * cpp_device_perf_report.csv: the runtime's own measurements, one row for each execution of a
 * program. When it is there it is used instead of the raw device log.
 */
#ifndef OPS_CPPREPORT_H
#define OPS_CPPREPORT_H

#include "base/devperf.h"
#include "ops/columns.h"
#include "ops/issues.h"
#include "ops/record.h"

#define OPS_CPP_FILE DEVPERF_FILE

/* Cycles of a row that the report does not show; OPS_NONE when empty. */
enum ops_cpp_cycle {
	OPS_CPP_KERNEL_START,
	OPS_CPP_KERNEL_END,
	OPS_CPP_DM_START,
	OPS_CPP_DM_END,
	OPS_CPP_CYCLES,
};

struct ops_cpp_row {
	int64_t device;
	uint64_t id;
	int64_t trace, session;
	int64_t core_count;
	int64_t cycles[OPS_CPP_CYCLES];
	int64_t fw_start, fw_end, fw_ns;
	bool whole; /* a replay of a trace: the figures are of all its ops together */
	struct ops_text cells[OPS_COLUMNS]; /* in ops_cpp.text; len 0: empty */
};

struct ops_cpp {
	VEC(struct ops_cpp_row);
	bool whole; /* replays were measured as a whole, and nothing else */
	struct buf text;
	struct map by_id; /* of (device, id) to the first row's index */
	struct {
		VEC(uint32_t);
	} next; /* of each row: the index + 1 of the next one of the same (device, id) */
};

/* CPP is zeroed by the caller and freed by it, whatever is returned. */
int ops_cpp_read(struct ops_cpp *cpp, const char *path, struct ops_issues *issues,
		 struct tacho_error *err);

/* The same over text that comes line by line: NEXT gives one, or false at the end. */
typedef bool (*ops_cpp_next)(void *context, size_t line, struct buf *text);
int ops_cpp_lines(struct ops_cpp *cpp, ops_cpp_next next, void *context, struct ops_issues *issues,
		  struct tacho_error *err);
void ops_cpp_free(struct ops_cpp *cpp);

/* The first row of (device, id), or -1; the next ones by cpp->next. */
int64_t ops_cpp_first(const struct ops_cpp *cpp, int64_t device, uint64_t id);
bool ops_cpp_has_device(const struct ops_cpp *cpp, int64_t device);

#endif
