/* Private to the device log's reader: its state, and what takes one line of data. */
#ifndef OPS_DEVLOG_ROW_H
#define OPS_DEVLOG_ROW_H

#include "ops/devlog.h"

enum devlog_field {
	DEVLOG_F_SKIP,
	DEVLOG_F_CHIP,
	DEVLOG_F_X,
	DEVLOG_F_Y,
	DEVLOG_F_RISC,
	DEVLOG_F_TIMER,
	DEVLOG_F_TIME,
	DEVLOG_F_DATA,
	DEVLOG_F_ID,
	DEVLOG_F_RUN,
	DEVLOG_F_TRACE,
	DEVLOG_F_SESSION,
	DEVLOG_F_ZONE,
	DEVLOG_F_TYPE,
	DEVLOG_F_META,
	DEVLOG_FIELDS,
};

#define DEVLOG_COLUMNS 32
#define DEVLOG_CHUNK   65536 /* markers */

struct devlog_chunk {
	struct devlog_chunk *next;
	size_t n;
	struct devlog_marker m[DEVLOG_CHUNK];
};

struct devlog_reader {
	struct devlog *dev;
	const char *name; /* of the file, for messages */
	enum devlog_want want;
	struct ops_issues *issues;
	struct tacho_error *err;
	uint64_t line;
	bool header_done;
	size_t columns;
	enum devlog_field fields[DEVLOG_COLUMNS];
	/* The core and RISC, the run and the zone of the line before, which are mostly those of the
	 * next. */
	char where[64];
	size_t where_len;
	uint16_t core;
	uint8_t lane;
	int64_t device;
	uint64_t id;
	int64_t trace, session;
	uint32_t run;
	bool have_run;
};

/* Digits only, at least one. */
bool devlog_number(const char *text, size_t len, uint64_t *value);

int devlog_row(struct devlog_reader *r, const char *line, size_t len);
void devlog_chunks_free(struct devlog *dev);

#endif
