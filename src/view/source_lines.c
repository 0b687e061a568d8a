/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source files around a line. The trace, which may be anybody's, names the file, so only files
 * below the folders given on the command line are shown, links resolved.
 */
#include "view/sample_query.h"

#include "base/order.h"

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

/* Reads FILE if it is below a folder of --source. */
static bool source_find(struct view_call *c, const char *file, struct buf *text)
{
	const struct view_options *o = &c->view->options;
	char path[PATH_MAX];

	for (size_t i = 0; *file && i < o->source_count; i++)
		if (source_lines_resolve(o->sources[i], file, path) && source_read(path, text) == 0)
			return true;
	return false;
}

int call_source(struct view_call *c)
{
	const struct trace_srcloc *loc;
	struct buf text = BUF_INIT;
	uint64_t name;
	int r = arg_need(c, "name", UINT32_MAX, &name);

	if (r < 0)
		return r;
	if (name >= c->trace->srcloc_count)
		return call_fail(c, VIEW_MISSING, "there is no such name");
	loc = &c->trace->srclocs[name];
	if (!source_find(c, loc->file, &text)) {
		buf_free(&text);
		return call_fail(c, VIEW_MISSING, "%s",
				 c->view->options.source_count
					 ? "the file is not below the folders of --source"
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

/* ------------------------------------------------------------------- cost */

struct line_cost {
	uint32_t line;
	uint64_t samples;
	double ns, self_ns;
};

struct line_costs {
	VEC(struct line_cost);
};

ORDER_BY(costs_compare, struct line_cost, ORDER_UP(line));

/* The lines of FILE, in order; a line that several functions share is one. */
static int costs_find(const struct profile_view *view, const char *file, struct line_costs *costs)
{
	size_t n = 0;

	for (size_t i = 1; i < view->items.n; i++) {
		const struct profile_item *item = &view->items.v[i];
		const struct profile_label *label = &view->labels.v[item->label];
		struct line_cost cost = {label->line, item->samples, item->ns, item->self_ns};

		if (!strcmp(label->file, file) && vec_push(costs, cost) < 0)
			return TACHO_ENOMEM;
	}
	if (costs->n)
		qsort(costs->v, costs->n, sizeof(*costs->v), costs_compare);
	for (size_t i = 1; i < costs->n; i++) {
		if (costs->v[i].line != costs->v[n].line) {
			costs->v[++n] = costs->v[i];
			continue;
		}
		costs->v[n].samples += costs->v[i].samples;
		costs->v[n].ns += costs->v[i].ns;
		costs->v[n].self_ns += costs->v[i].self_ns;
	}
	costs->n = costs->n ? n + 1 : 0;
	return 0;
}

static void costs_put(struct view_call *c, const struct profile_counts *counts, const char *file,
		      const struct line_costs *costs, uint64_t around)
{
	struct buf text = BUF_INIT;
	struct json *j = &c->json;
	uint64_t line = 1;
	double most = -1;

	json_text(j, "file", file);
	json_uint(j, "samples", counts->total);
	json_double(j, "total", counts->total_ns);
	json_array(j, "lines");
	for (size_t i = 0; i < costs->n; i++) {
		const struct line_cost *x = &costs->v[i];

		if (x->self_ns > most) {
			most = x->self_ns;
			line = x->line;
		}
		json_array(j, NULL);
		json_uint(j, NULL, x->line);
		json_double(j, NULL, x->ns);
		json_double(j, NULL, x->self_ns);
		json_uint(j, NULL, x->samples);
		json_end(j);
	}
	json_end(j);
	line = around ? around : line;
	json_uint(j, "line", line);
	if (source_find(c, file, &text))
		lines_put(c, &text, (uint32_t)line);
	else
		json_null(j, "text");
	buf_free(&text);
}

int call_source_cost(struct view_call *c)
{
	const char *file = query_get(c->query, "file");
	struct profile_counts counts = {0};
	struct profile_view view = {0};
	struct line_costs costs = {0};
	struct sample_query q = {0};
	uint64_t around = 0;
	int r = arg_uint(c, "line", INT32_MAX, &around);

	if (r >= 0)
		r = file ? sample_query_open(c, arg_range_keys, &q)
			 : call_fail(c, VIEW_BAD, "file is missing");
	if (r == 0)
		r = profile_count(q.p, &q.filter, &counts);
	if (r == 0)
		r = profile_flat(q.p, &counts, PROFILE_BY_LINE, &view);
	if (r == 0)
		r = costs_find(&view, file, &costs);
	if (r == 0 && !costs.n)
		r = call_fail(c, VIEW_MISSING, "no sample is in this file");
	if (r == 0) {
		call_begin(c);
		costs_put(c, &counts, file, &costs, around);
		json_end(&c->json);
	}
	vec_free(&costs);
	profile_view_free(&view);
	profile_counts_free(&counts);
	sample_query_close(&q);
	return r;
}
