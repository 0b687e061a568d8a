/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tracy_ops_data.csv: the host's messages. */
#include "ttlog/host_logs.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int file_read(int fd, char *text, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, text + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return TACHO_EREAD;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (int)(got == len);
}

int ttlog_slurp(const char *path, char **text, size_t *len, struct tacho_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;
	struct stat st;
	char *data = NULL;

	if (fd < 0)
		return err_errno(err, TACHO_EREAD, "cannot open %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		r = err_set(err, TACHO_EREAD, "%s is not a regular file", path);
	else if ((uint64_t)st.st_size > LIMIT_OPS_FILE)
		r = err_set(err, TACHO_ELIMIT, "%s is larger than %llu MiB", path,
			    LIMIT_OPS_FILE >> 20);
	else if (!(data = malloc((size_t)st.st_size + 1)))
		r = err_set(err, TACHO_ENOMEM, "%s: out of memory", path);
	else if (file_read(fd, data, (size_t)st.st_size) != 1)
		r = err_errno(err, TACHO_EREAD, "cannot read %s", path);
	close(fd);
	if (r < 0) {
		free(data);
		return r;
	}
	data[st.st_size] = 0;
	*text = data;
	*len = (size_t)st.st_size;
	return 0;
}

int ttlog_messages_parse(struct op_host *host, char *text, size_t len, struct op_issues *issues,
			 struct tacho_error *err)
{
	struct op_message_reader reader = {.at = text, .end = text + len, .line = 1};
	struct op_messages *s;
	struct op_calls calls;
	struct op_message m;
	int r;

	if (!op_message_next(&reader, &m) || m.len < 11 || memcmp(m.text, "MessageName", 11) != 0) {
		op_issue_add(issues, OP_ISSUE_BAD_HEADER, TTLOG_DATA_FILE, 1, OP_NOWHERE,
			     "there are no messages in it");
		return 0;
	}
	op_calls_open(&calls, host, issues);
	r = op_messages_open(&s, &calls, true, reader.line);
	if (r == 0) {
		r = op_messages_add(s, reader.at, (size_t)(reader.end - reader.at));
		op_messages_close(s);
	}
	op_calls_close(&calls);
	return r < 0 ? err_set(err, r, "%s: out of memory", TTLOG_DATA_FILE) : 0;
}

int ttlog_messages_read(struct op_host *host, const char *path, struct op_issues *issues,
			struct tacho_error *err)
{
	char *text;
	size_t len;
	int r = ttlog_slurp(path, &text, &len, err);

	if (r < 0)
		return r;
	r = ttlog_messages_parse(host, text, len, issues, err);
	free(text);
	return r;
}
