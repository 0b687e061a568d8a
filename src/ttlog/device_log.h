/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_log_device.csv: every marker that every RISC of every core wrote.
 *
 *	line 1	ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64
 *	line 2	names of the columns; they have changed over the years and are found by name
 *	then	one marker a line, unquoted, dump by dump, so the file is not sorted by time
 */
#ifndef TTLOG_DEVICE_LOG_H
#define TTLOG_DEVICE_LOG_H

#include "op/devlog.h"

/* The caller zeroes DEV, and frees it whatever is returned. */
int devlog_read(struct devlog *dev, const char *path, enum devlog_want want,
		struct op_issues *issues, struct tacho_error *err);

/* The same for a log in memory. */
int devlog_parse(struct devlog *dev, const char *text, size_t len, enum devlog_want want,
		 struct op_issues *issues, struct tacho_error *err);

/* ---- private: the reader's state, and one line of data ---- */

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

struct devlog_reader {
	struct devlog *dev;
	const char *name; /* of the file, for messages */
	enum devlog_want want;
	struct op_issues *issues;
	struct tacho_error *err;
	uint64_t line;
	bool header_done;
	size_t columns;
	enum devlog_field fields[DEVLOG_COLUMNS];
	/*
	 * The core and RISC, the run and the zone of the previous line, which the next line mostly
	 * shares.
	 */
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

/* The number of rows that are counters. */
#define DEVLOG_TIMER_COUNTER 9090

/* Reads the columns from the header line. False: it is not a header. */
bool devlog_columns(struct devlog_reader *r, const char *line, size_t len);
/* The cells of a line by field, as they are; returns their number. */
size_t devlog_row_split(const struct devlog_reader *r, const char *line, size_t len,
			struct op_text f[DEVLOG_FIELDS]);
int devlog_row(struct devlog_reader *r, const char *line, size_t len);

#endif
