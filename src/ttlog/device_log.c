/* SPDX-License-Identifier: Apache-2.0 */
/* Reads profile_log_device.csv in all its versions. */
#include "ttlog/device_log.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW (1u << 20)

/* All names that a column has had, without blanks. */
static const struct {
	const char *name;
	enum devlog_field field;
} known_columns[] = {
	{"PCIe slot", DEVLOG_F_CHIP},
	{"core_x", DEVLOG_F_X},
	{"core_y", DEVLOG_F_Y},
	{"RISC processor type", DEVLOG_F_RISC},
	{"timer_id", DEVLOG_F_TIMER},
	{"time[cycles since reset]", DEVLOG_F_TIME},
	{"data", DEVLOG_F_DATA},
	{"stat value", DEVLOG_F_DATA},
	{"run host ID", DEVLOG_F_ID},
	{"run ID", DEVLOG_F_RUN},
	{"Program ID", DEVLOG_F_RUN},
	{"trace id", DEVLOG_F_TRACE},
	{"trace id counter", DEVLOG_F_SESSION},
	{"zone name", DEVLOG_F_ZONE},
	{"type", DEVLOG_F_TYPE},
	{"zone phase", DEVLOG_F_TYPE},
	{"zone phase(begin/end)", DEVLOG_F_TYPE},
	{"meta data", DEVLOG_F_META},
};

static void device_log_trim(const char **text, size_t *len)
{
	while (*len && (**text == ' ' || **text == '\t')) {
		(*text)++;
		(*len)--;
	}
	while (*len && strchr(" \t\r", (*text)[*len - 1]))
		(*len)--;
}

static enum devlog_field find_field(const char *text, size_t len)
{
	device_log_trim(&text, &len);
	for (size_t i = 0; i < sizeof(known_columns) / sizeof(known_columns[0]); i++)
		if (strlen(known_columns[i].name) == len &&
		    !strncasecmp(known_columns[i].name, text, len))
			return known_columns[i].field;
	return DEVLOG_F_SKIP;
}

bool devlog_columns(struct devlog_reader *r, const char *line, size_t len)
{
	const char *end = line + len, *p = line;
	bool has[DEVLOG_FIELDS] = {0};

	r->columns = 0;
	while (p <= end && r->columns < DEVLOG_COLUMNS) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t n = (size_t)((comma ? comma : end) - p);
		enum devlog_field field = find_field(p, n);

		r->fields[r->columns++] = field;
		has[field] = true;
		p = comma ? comma + 1 : end + 1;
	}
	/* Logs from before op ids: fall back to the run's number. */
	for (size_t i = 0; i < r->columns; i++)
		if (r->fields[i] == DEVLOG_F_RUN)
			r->fields[i] = has[DEVLOG_F_ID] ? DEVLOG_F_SKIP : DEVLOG_F_ID;
	return has[DEVLOG_F_CHIP] && has[DEVLOG_F_X] && has[DEVLOG_F_Y] && has[DEVLOG_F_RISC] &&
	       has[DEVLOG_F_TIME] && has[DEVLOG_F_ZONE] && has[DEVLOG_F_TYPE];
}

/* The text after the last ':' of the ITEM-th comma-separated part; NULL if there is none. */
static const char *device_log_item(const char *line, size_t len, int number, size_t *n)
{
	const char *end = line + len, *p = line, *comma, *colon;

	for (int i = 0; i < number; i++) {
		p = memchr(p, ',', (size_t)(end - p));
		if (!p)
			return NULL;
		p++;
	}
	comma = memchr(p, ',', (size_t)(end - p));
	*n = (size_t)((comma ? comma : end) - p);
	colon = memrchr(p, ':', *n);
	if (colon) {
		*n -= (size_t)(colon + 1 - p);
		p = colon + 1;
	}
	device_log_trim(&p, n);
	return p;
}

static bool says_quasar(const char *line, size_t len)
{
	static const char word[] = "quasar";

	for (size_t i = 0; i + sizeof(word) - 1 <= len; i++)
		if (!strncasecmp(line + i, word, sizeof(word) - 1))
			return true;
	return false;
}

static bool parse_arch(struct devlog_reader *r, const char *line, size_t len)
{
	struct devlog *dev = r->dev;
	const char *text;
	size_t n;
	uint64_t value;

	if (memmem(line, len, "Chip clock is at ", 17)) {
		snprintf(dev->arch, sizeof(dev->arch), "grayskull");
		dev->mhz = 1200;
		return true;
	}
	if (!memmem(line, len, "ARCH", 4))
		return false;
	text = device_log_item(line, len, 0, &n);
	snprintf(dev->arch, sizeof(dev->arch), "%.*s", (int)(n < 31 ? n : 31), text);
	text = device_log_item(line, len, 1, &n);
	if (text && devlog_number((struct op_text){text, n}, &value) && value && value < 1000000)
		dev->mhz = (uint32_t)value;
	text = device_log_item(line, len, 2, &n);
	if (text && devlog_number((struct op_text){text, n}, &value) && value < INT32_MAX)
		dev->max_cores = (int64_t)value;
	dev->quasar = says_quasar(line, len);
	return true;
}

static int header_line(struct devlog_reader *r, const char *line, size_t len)
{
	if (r->line == 1 && parse_arch(r, line, len)) {
		if (!r->dev->mhz)
			op_issue_add(r->issues, OP_ISSUE_BAD_HEADER, TTLOG_DEVICE_FILE, 1,
				     OP_NOWHERE, "no clock frequency: no durations in ns");
		else if (r->dev->max_cores == OP_NONE && r->want == DEVLOG_ALL)
			op_issue_add(r->issues, OP_ISSUE_OLD_HEADER, TTLOG_DEVICE_FILE, 1,
				     OP_NOWHERE,
				     "an older form that does not give the number of compute "
				     "cores: no averages over the full grid");
		return 0;
	}
	if (r->line == 1)
		op_issue_add(r->issues, OP_ISSUE_BAD_HEADER, TTLOG_DEVICE_FILE, 1, OP_NOWHERE,
			     "the line with architecture and clock frequency is missing: no "
			     "durations in ns");
	if (!devlog_columns(r, line, len))
		return err_set(r->err, TACHO_EFORMAT,
			       "%s:%llu: neither a device log's first line nor its columns",
			       r->name, (unsigned long long)r->line);
	r->header_done = true;
	return 0;
}

static int device_log_line_take(struct devlog_reader *r, const char *line, size_t len)
{
	r->line++;
	if (len && line[len - 1] == '\r')
		len--;
	if (!len)
		return 0;
	if (!r->header_done)
		return header_line(r, line, len);
	if (r->want == DEVLOG_SUB_DEVICES && !memmem(line, len, "sub_device_id", 13))
		return 0;
	return devlog_row(r, line, len);
}

/* Reads the complete lines of TEXT; *USED is their length. */
static int take_lines(struct devlog_reader *r, const char *text, size_t len, size_t *used)
{
	const char *p = text, *end = text + len, *newline;
	int rc = 0;

	while (rc == 0 && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		rc = device_log_line_take(r, p, (size_t)(newline - p));
		p = newline + 1;
	}
	*used = (size_t)(p - text);
	return rc;
}

static int device_log_finish(struct devlog_reader *r, int rc)
{
	if (rc == 0 && !r->header_done)
		rc = err_set(r->err, TACHO_EFORMAT, "%s: the columns are missing", r->name);
	if (rc == TACHO_ENOMEM)
		rc = err_set(r->err, rc, "%s: out of memory", r->name);
	return rc;
}

static void reader_init(struct devlog_reader *r, struct devlog *dev, const char *name,
			enum devlog_want want, struct op_issues *issues, struct tacho_error *err)
{
	memset(r, 0, sizeof(*r));
	r->dev = dev;
	r->name = name;
	r->want = want;
	r->issues = issues;
	r->err = err;
	dev->max_cores = OP_NONE;
}

int devlog_parse(struct devlog *dev, const char *text, size_t len, enum devlog_want want,
		 struct op_issues *issues, struct tacho_error *err)
{
	struct devlog_reader r;
	size_t used;
	int rc;

	reader_init(&r, dev, TTLOG_DEVICE_FILE, want, issues, err);
	rc = take_lines(&r, text, len, &used);
	if (rc == 0 && used < len)
		rc = device_log_line_take(&r, text + used, len - used);
	return device_log_finish(&r, rc);
}

/* A line that does not end in the window is a bad row, unless it belongs to the head. */
static int line_too_long(struct devlog_reader *r)
{
	if (r->line < 2)
		return err_set(r->err, TACHO_ELIMIT, "%s:%llu: line longer than %u bytes", r->name,
			       (unsigned long long)r->line + 1, WINDOW);
	r->line++;
	op_issue_add(r->issues, OP_ISSUE_BAD_ROW, TTLOG_DEVICE_FILE, r->line, OP_NOWHERE,
		     "longer than %u bytes", WINDOW);
	return 0;
}

/* Skips the rest of a line whose beginning was dropped; false: its end is not in the window. */
static bool skip_line(char *window, size_t *len)
{
	char *end = memchr(window, '\n', *len);

	*len = end ? *len - (size_t)(end + 1 - window) : 0;
	if (end)
		memmove(window, end + 1, *len);
	return end != NULL;
}

static int read_fd(struct devlog_reader *r, int fd, char *window)
{
	size_t len = 0, used;
	bool skipping = false;
	int rc = 0;

	for (;;) {
		ssize_t n = read(fd, window + len, WINDOW - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(r->err, TACHO_EREAD, "cannot read %s", r->name);
		if (n == 0)
			break;
		len += (size_t)n;
		skipping = skipping && !skip_line(window, &len);
		if (skipping)
			continue;
		rc = take_lines(r, window, len, &used);
		if (rc == 0 && used == 0 && len == WINDOW) {
			rc = line_too_long(r);
			skipping = true;
			used = len;
		}
		if (rc < 0)
			return rc;
		len -= used;
		memmove(window, window + used, len);
	}
	return len ? device_log_line_take(r, window, len) : 0;
}

int devlog_read(struct devlog *dev, const char *path, enum devlog_want want,
		struct op_issues *issues, struct tacho_error *err)
{
	struct devlog_reader r;
	struct stat st;
	char *window;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), rc;

	reader_init(&r, dev, path, want, issues, err);
	if (fd < 0)
		return err_errno(err, TACHO_EREAD, "cannot open %s", path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_set(err, TACHO_EREAD, "%s is a directory", path);
	}
	window = malloc(WINDOW);
	rc = window ? read_fd(&r, fd, window) : TACHO_ENOMEM;
	free(window);
	close(fd);
	return device_log_finish(&r, rc);
}
