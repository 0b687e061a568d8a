/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems in the logs of a report. Readers and the join add issues instead of failing; the report
 * lists them in report_issues.csv, and any that lost or guessed something makes the tool exit with
 * 4. Notes, which are information only, do not.
 */
#ifndef OP_ISSUES_H
#define OP_ISSUES_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "op/files.h"
#include "op/op.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*  kind                  word in the CSV            damage? */
#define OP_ISSUES(X)                                         \
	X(MISSING_FILE, "missing-file", true)                \
	X(OLD_HEADER, "old-header", true)                    \
	X(BAD_HEADER, "bad-header", true)                    \
	X(BAD_ROW, "bad-row", true)                          \
	X(BAD_MESSAGE, "bad-message", true)                  \
	X(BAD_TRACE, "bad-trace-message", true)              \
	X(CACHED_UNKNOWN, "cached-op-unknown", false)        \
	X(ODD_SIGNPOST, "odd-signpost", false)               \
	X(NO_MESSAGE, "no-host-message", true)               \
	X(NO_HOST_TIME, "no-host-time", true)                \
	X(NO_DEVICE_DATA, "no-device-data", true)            \
	X(NOT_REPLAYED, "captured-not-replayed", true)       \
	X(WHOLE_REPLAY, "replay-measured-as-a-whole", false) \
	X(REPLAY_COUNT, "replay-count", true)                \
	X(EXTRA_OP, "device-op-unknown-to-host", true)       \
	X(EXTRA_REPLAYED, "device-op-of-trace", false)       \
	X(REPEATED_OP, "op-ran-again", true)                 \
	X(REPEATED_ID, "repeated-id", true)                  \
	X(OPEN_OP, "op-without-end", true)                   \
	X(OPEN_OP_SKIPPED, "op-without-end-skipped", false)  \
	X(SECOND_START, "second-start", true)                \
	X(ZERO_DURATION, "zero-duration", true)              \
	X(DISPATCH_UNKNOWN, "dispatch-op-unknown", true)     \
	X(DISPATCH_SKIPPED, "dispatch-op-skipped", false)    \
	X(DROPPED, "markers-dropped", false)                 \
	X(OVERWRITTEN, "markers-overwritten", true)          \
	X(BAD_NOC, "bad-noc-trace", true)                    \
	X(IGNORED, "option-ignored", false)

enum op_issue_kind {
#define X(kind, word, damage) OP_ISSUE_##kind,
	OP_ISSUES(X)
#undef X
		OP_ISSUE_KINDS,
};

/* The subject of an issue; OP_NONE where not applicable. */
struct op_place {
	int64_t op, device, core_x, core_y;
};

#define OP_NOWHERE                   ((struct op_place){OP_NONE, OP_NONE, OP_NONE, OP_NONE})
#define OP_AT(op, device)            ((struct op_place){(int64_t)(op), (device), OP_NONE, OP_NONE})
#define OP_AT_CORE(op, device, x, y) ((struct op_place){(int64_t)(op), (device), (x), (y)})

struct op_issue {
	enum op_issue_kind kind;
	const char *file; /* file name in the log folder, static; or NULL */
	uint64_t line;    /* 0: none */
	struct op_place place;
	char *text; /* owned by the list */
};

struct op_issues {
	VEC(struct op_issue);
	uint64_t counts[OP_ISSUE_KINDS];
	struct map unreliable; /* ops whose figures cannot be trusted */
	bool failed;           /* an issue could not be stored: out of memory */
	bool of_trace;         /* there are no log files to name */
};

/* Beyond LIMIT_OPS_ISSUES of a kind only the count increases. */
void op_issue_add(struct op_issues *issues, enum op_issue_kind kind, const char *file,
		  uint64_t line, struct op_place place, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* True if the figures of OP cannot be trusted. */
bool op_issues_unreliable(const struct op_issues *issues, uint64_t op);

/* The number of issues that mean damaged or missing data, and of all. */
uint64_t op_issues_damage(const struct op_issues *issues);
uint64_t op_issues_total(const struct op_issues *issues);
const char *op_issue_word(enum op_issue_kind kind);
bool op_issue_is_damage(enum op_issue_kind kind);

/* The CSV: kind, damage, file, line, op, device, core_x, core_y, text. */
int op_issues_write(const struct op_issues *issues, FILE *out);
void op_issues_free(struct op_issues *issues);

#endif
