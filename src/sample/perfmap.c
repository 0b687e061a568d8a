/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the map of a JIT compiler; see perfmap.h. */
#include "sample/perfmap.h"

#include "base/order.h"
#include "base/vec.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_BYTES_MOST (64u << 20)

struct perfmap_line {
	uint64_t start, size;
	uint64_t reach;     /* the highest end of this and all lines before it */
	size_t name, order; /* NAME: offset in text */
};

struct perfmap {
	char *text; /* terminated names */
	struct {
		VEC(struct perfmap_line);
	} lines; /* by start */
};

ORDER_BY(perfmap_line_order, struct perfmap_line, ORDER_UP(start) ?: ORDER_UP(order));

static int perfmap_line_add(struct perfmap *m, char *line)
{
	struct perfmap_line new = {.order = m->lines.n};
	char *at;

	new.start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return 0;
	line = at;
	new.size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1] || !new.size || new.start + new.size < new.start)
		return 0;
	new.name = (size_t)(at + 1 - m->text);
	for (char *c = at; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return vec_push(&m->lines, new);
}

/* Takes the text, LEN bytes and a terminating zero. */
static struct perfmap *perfmap_take(char *text, size_t len)
{
	struct perfmap *m = calloc(1, sizeof(*m));
	uint64_t reach = 0;
	int r = m ? 0 : -1;

	if (!m) {
		free(text);
		return NULL;
	}
	m->text = text;
	for (char *line = text, *end; r == 0 && line < text + len; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + len - line));
		if (!end)
			break; /* it is being written */
		*end = 0;
		r = perfmap_line_add(m, line);
	}
	if (r < 0) {
		perfmap_free(m);
		return NULL;
	}
	if (m->lines.n)
		qsort(m->lines.v, m->lines.n, sizeof(*m->lines.v), perfmap_line_order);
	for (size_t i = 0; i < m->lines.n; i++) {
		uint64_t end = m->lines.v[i].start + m->lines.v[i].size;

		reach = end > reach ? end : reach;
		m->lines.v[i].reach = reach;
	}
	return m;
}

struct perfmap *perfmap_parse(const char *bytes, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return NULL;
	memcpy(text, bytes, len);
	text[len] = 0;
	return perfmap_take(text, len);
}

/* Anybody can write to /tmp: only a plain file of our own user counts. */
struct perfmap *perfmap_open(uint32_t pid)
{
	char path[64], *text = NULL;
	size_t len = 0;
	struct stat st;
	ssize_t n = 1;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_size > 0 && st.st_size <= MAP_BYTES_MOST)
		text = malloc((size_t)st.st_size + 1);
	while (text && n > 0 && len < (size_t)st.st_size) {
		n = read(fd, text + len, (size_t)st.st_size - len);
		if (n > 0)
			len += (size_t)n;
	}
	close(fd);
	if (!text)
		return NULL;
	text[len] = 0;
	return perfmap_take(text, len);
}

void perfmap_free(struct perfmap *m)
{
	if (!m)
		return;
	free(m->text);
	vec_free(&m->lines);
	free(m);
}

bool perfmap_find(const struct perfmap *m, uint64_t address, char *text, size_t size)
{
	const struct perfmap_line *last = NULL;
	size_t low = 0, high = m->lines.n;
	bool differ = false;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->lines.v[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && m->lines.v[low - 1].reach > address; low--) {
		const struct perfmap_line *l = &m->lines.v[low - 1];

		if (address - l->start >= l->size)
			continue;
		differ |= last && strcmp(m->text + l->name, m->text + last->name) != 0;
		if (!last || l->order > last->order)
			last = l;
	}
	if (!last)
		return false;
	snprintf(text, size, "%s%s", m->text + last->name, differ ? "?" : "");
	return true;
}
