/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source files around a line. The trace, which may be anybody's, names the file, so only files
 * below the folders given on the command line are shown, links resolved.
 */
#include "view/call_args.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX (16u << 20)
#define AROUND     150u /* lines before and after */

static bool is_below(const char *path, const char *root)
{
	size_t n = strlen(root);

	return !strncmp(path, root, n) && (path[n] == '/' || (n && root[n - 1] == '/'));
}

/*
 * Finds FILE below ROOT: as it is, or appended to ROOT with fewer and fewer of its first folders.
 */
static bool source_lines_resolve(const char *root, const char *file, char *path)
{
	char base[PATH_MAX], candidate[2 * PATH_MAX];

	if (!realpath(root, base) || strlen(file) >= PATH_MAX)
		return false;
	if (file[0] == '/' && realpath(file, path) && is_below(path, base))
		return true;
	while (file) {
		while (*file == '/')
			file++;
		snprintf(candidate, sizeof(candidate), "%s/%s", base, file);
		if (*file && realpath(candidate, path) && is_below(path, base))
			return true;
		file = strchr(file, '/');
	}
	return false;
}

static int source_read(const char *path, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return TACHO_ENO;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MAX ||
	    buf_reserve(text, (size_t)st.st_size + 1) < 0) {
		close(fd);
		return TACHO_ENO;
	}
	while (text->len < (size_t)st.st_size &&
	       (n = read(fd, text->data + text->len, (size_t)st.st_size - text->len)) > 0)
		text->len += (size_t)n;
	text->data[text->len] = 0;
	close(fd);
	return n < 0 ? TACHO_ENO : 0;
}

static void lines_put(struct view_call *c, const struct buf *text, uint32_t line)
{
	uint32_t first = line > AROUND ? line - AROUND : 1, number = 1;
	const char *at = text->data, *end = text->data + text->len;

	json_uint(&c->json, "first", first);
	json_array(&c->json, "text");
	while (at < end && number <= line + AROUND) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		stop = stop ? stop : end;
		if (number >= first)
			json_string(&c->json, NULL, at,
				    (size_t)(stop - at) < 2000 ? (size_t)(stop - at) : 2000);
		at = stop + 1;
		number++;
	}
	json_end(&c->json);
}

int call_source(struct view_call *c)
{
	const struct view_options *o = &c->view->options;
	const struct trace_srcloc *loc;
	struct buf text = BUF_INIT;
	char path[PATH_MAX];
	bool found = false;
	uint64_t name;
	int r = arg_need(c, "name", UINT32_MAX, &name);

	if (r < 0)
		return r;
	if (name >= c->trace->srcloc_count)
		return call_fail(c, VIEW_MISSING, "there is no such name");
	loc = &c->trace->srclocs[name];
	for (size_t i = 0; !found && *loc->file && i < o->source_count; i++)
		found = source_lines_resolve(o->sources[i], loc->file, path) &&
			source_read(path, &text) == 0;
	if (!found) {
		buf_free(&text);
		return call_fail(c, VIEW_MISSING, "%s",
				 o->source_count ? "the file is not below the folders of --source"
						 : "start with --source DIR to see source files");
	}
	call_begin(c);
	json_text(&c->json, "file", loc->file);
	json_uint(&c->json, "line", loc->line);
	lines_put(c, &text, loc->line);
	json_end(&c->json);
	buf_free(&text);
	return 0;
}
