/* SPDX-License-Identifier: Apache-2.0 */
/* The list of traces that are shown. */
#include "base/environ.h"
#include "base/text.h"
#include "import/import.h"
#include "tracy/tracy.h"
#include "view/chunk_stats.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void trace_free(struct view_trace *t)
{
	if (!t)
		return;
	chunks_free(t->chunks);
	follow_unload(t);
	lanes_forget(t);
	trace_lod_close(t->quick.lod);
	trace_close(t->quick.trace);
	for (size_t i = 0; i < VIEW_SCANS; i++) {
		profile_forget(&t->scans[i]);
		ops_live_forget(&t->scans[i]);
		trace_close(t->scans[i].trace);
	}
	row_cache_forget(&t->rows);
	profile_forget(&t->rows);
	ops_live_forget(&t->rows);
	trace_close(t->rows.trace);
	stats_forget(t);
	waits_forget(t);
	marks_forget(t);
	signposts_forget(t);
	ops_forget(t);
	pthread_mutex_destroy(&t->ops_lock);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->freed);
	free(t->path);
	free(t->name);
	free(t);
}

static struct view_trace *trace_new(const char *path)
{
	struct view_trace *t = calloc(1, sizeof(*t));
	const char *slash = strrchr(path, '/');

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->freed, NULL);
	pthread_mutex_init(&t->ops_lock, NULL);
	t->now.gen = 1;
	t->path = strdup(path);
	t->name = strdup(slash && slash[1] ? slash + 1 : path);
	if (t->path && t->name)
		return t;
	trace_free(t);
	return NULL;
}

/* A table of ops begins with the names of its columns. */
static bool is_ops(const char *path)
{
	FILE *f = text_ends_with(path, ".csv") ? fopen(path, "re") : NULL;
	char head[4096];
	size_t n = f ? fread(head, 1, sizeof(head) - 1, f) : 0;

	if (f)
		fclose(f);
	head[n] = 0;
	head[strcspn(head, "\r\n")] = 0;
	return strstr(head, "OP CODE") && strstr(head, "OP TYPE");
}

/* Ops are read on demand; this only checks that they can be. */
static int ops_load(struct view_trace *t, struct tacho_error *err)
{
	struct stat st;

	if (stat(t->path, &st) < 0)
		return err_errno(err, TACHO_EREAD, "cannot open %s", t->path);
	t->kind = VIEW_OPS;
	t->now.size = (uint64_t)st.st_size;
	snprintf(t->tag, sizeof(t->tag), "%llx%llx", (unsigned long long)st.st_ino & 0xffffffff,
		 (unsigned long long)st.st_mtime & 0xffffffff);
	return 0;
}

void tag_make(char tag[VIEW_TAG], const struct trace *trace)
{
	for (int i = 0; i < 8; i++)
		snprintf(tag + 2 * i, 3, "%02x", trace->uuid[i]);
}

/* A Chrome trace is converted to a temporary file that removes itself. */
static int chrome_open(struct view_trace *t, struct tacho_error *err)
{
	const char *folder = environ_get("TMPDIR");
	struct import_notes notes = {0};
	struct tacho_error damage = {0};
	struct trace_writer *w;
	int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r, read;

	if (fd < 0)
		return err_errno(err, TACHO_EREAD, "cannot open %s", t->path);
	r = trace_writer_open_temporary(&w, folder && *folder ? folder : "/tmp", err);
	if (r < 0) {
		close(fd);
		return r;
	}
	read = import_chrome(w, fd, t->path, &notes, &damage);
	close(fd);
	if (read < 0 && read != TACHO_EDAMAGED) {
		trace_writer_abandon(w);
		*err = damage;
		return read;
	}
	r = trace_writer_take(w, &t->quick.trace, err);
	if (r == 0 && read < 0)
		snprintf(t->quick.trace->damage.text, sizeof(t->quick.trace->damage.text), "%.190s",
			 damage.text);
	return r;
}

/* SESSION: that of a recording, which is followed; NULL: none. */
static int trace_load(struct view_trace *t, const char *session, struct tacho_error *err)
{
	char dir[4096];
	struct stat st;
	int r;

	if (is_ops(t->path))
		return ops_load(t, err);
	if (text_ends_with(t->path, ".csv"))
		return err_set(
			err, TACHO_EREAD,
			"%s is not a table of ops: its first line has no OP CODE and OP TYPE",
			t->path);
	if (!session && follow_session_of(t->path, dir, sizeof(dir)))
		session = dir;
	if (session)
		r = follow_load(t, session, err);
	else if (import_chrome_is(t->path))
		r = chrome_open(t, err);
	else
		r = tracy_open_any(&t->quick.trace, t->path, NULL, err);
	t->keeps = !session && text_ends_with(t->path, ".tacho");

	if (r == 0)
		r = trace_lod_open(&t->quick.lod, t->quick.trace, NULL, err);
	if (r == 0)
		r = lanes_learn(t, t->quick.trace);
	if (r < 0)
		return r;
	tag_make(t->tag, t->quick.trace);
	now_set(t, t->quick.trace);
	if (!t->followed && stat(t->path, &st) == 0) /* not that of the converted file */
		t->now.size = (uint64_t)st.st_size;
	t->quick.gen = t->now.gen;
	if (t->followed || t->quick.trace->zones >= CHUNKS_FROM)
		t->chunks = chunks_start(t);
	return 0;
}

/* A free handle, preferably one that is already open. */
static struct view_handle *handle_free(struct view_trace *t, enum view_use use)
{
	struct view_handle *found = NULL;

	if (use != SCAN) {
		found = use == QUICK ? &t->quick : &t->rows;
		return found->taken ? NULL : found;
	}
	for (size_t i = 0; i < VIEW_SCANS; i++)
		if (!t->scans[i].taken && (!found || t->scans[i].trace))
			found = &t->scans[i];
	return found;
}

/* Opens it, or reads new data since its last use. */
static int handle_ready(struct view_trace *t, struct view_handle *h)
{
	uint64_t gen;
	int r = 0;

	pthread_mutex_lock(&t->lock);
	gen = t->now.gen;
	pthread_mutex_unlock(&t->lock);
	if (!h->trace) {
		h->gen = gen;
		return t->followed ? trace_follow(&h->trace, t->path, NULL)
				   : trace_open_again(&h->trace, t->quick.trace, NULL);
	}
	/* The follower updates the quick handle. */
	if (t->followed && h != &t->quick && h->gen != gen) {
		r = trace_refresh(h->trace, NULL);
		if (r < 0)
			return r;
		if (r == TRACE_RELOADED) {
			row_cache_forget(h);
			profile_forget(h);
			ops_live_forget(h);
		}
		h->gen = gen;
	}
	return 0;
}

int handle_take(struct view_trace *t, enum view_use use, struct view_handle **handle)
{
	struct view_handle *h;
	int r;

	pthread_mutex_lock(&t->lock);
	while (!(h = handle_free(t, use)))
		pthread_cond_wait(&t->freed, &t->lock);
	h->taken = true;
	pthread_mutex_unlock(&t->lock);
	r = handle_ready(t, h);
	if (r < 0)
		handle_put(t, h);
	else
		*handle = h;
	return r;
}

void handle_put(struct view_trace *t, struct view_handle *h)
{
	pthread_mutex_lock(&t->lock);
	h->taken = false;
	pthread_cond_broadcast(&t->freed);
	pthread_mutex_unlock(&t->lock);
}

int trace_add(struct view *view, const char *path, const char *session, struct tacho_error *err)
{
	struct view_trace *t = trace_new(path);
	int r = t ? trace_load(t, session, err) : TACHO_ENOMEM;

	if (r == 0) {
		t->id = (uint32_t)view->traces.n;
		r = vec_push(&view->traces, t);
	}
	if (r < 0)
		trace_free(t);
	if (r == TACHO_ENOMEM)
		err_set(err, r, "%s: %s", path, err_text(r));
	return r;
}

static int is_table(const struct dirent *e)
{
	return !strncmp(e->d_name, "ops_perf_results", 16) && text_ends_with(e->d_name, ".csv");
}

static int is_shown(const struct dirent *e)
{
	return text_ends_with(e->d_name, ".tacho") || text_ends_with(e->d_name, ".tacho.part") ||
	       text_ends_with(e->d_name, ".tracy") || is_table(e);
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* A .tracy file next to the trace it was made from adds nothing. */
static bool traces_is_copy(const char *file)
{
	size_t n = strlen(file);
	char *trace = text_ends_with(file, ".tracy") ? strdup(file) : NULL;
	bool copy;

	if (!trace)
		return false;
	memcpy(trace + n - 5, "tacho", 5);
	copy = access(trace, F_OK) == 0;
	free(trace);
	return copy;
}

/*
 * Adds the entries of a folder that SHOWN accepts, by name. An unreadable one does not hide the
 * others.
 */
static int files_add(struct view *view, const char *path, int (*shown)(const struct dirent *),
		     struct tacho_error *err)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, shown, alphasort), r = 0;

	if (n < 0)
		return err_errno(err, TACHO_EREAD, "cannot read the folder %s", path);
	for (int i = 0; i < n; i++) {
		struct tacho_error why = {0};
		char *file = NULL;

		if (r != TACHO_ENOMEM && asprintf(&file, "%s/%s", path, names[i]->d_name) > 0 &&
		    !traces_is_copy(file)) {
			r = trace_add(view, file, NULL, &why);
			if (r < 0) {
				char *text = strdup(why.text);

				if (text && vec_push(&view->unread, text) < 0)
					free(text);
			}
		}
		free(file);
		free(names[i]);
	}
	free(names);
	return r == TACHO_ENOMEM ? err_set(err, r, "%s: %s", path, err_text(r)) : 0;
}

/* A folder of traces, or the profiler's: its traces are in ".logs", the tables of ops below
 * "reports". */
static int folder_add(struct view *view, const char *path, struct tacho_error *err)
{
	size_t before = view->traces.n, unread = view->unread.n;
	char *logs = NULL, *reports = NULL;
	int r = files_add(view, path, is_shown, err);

	if (asprintf(&logs, "%s/.logs", path) > 0 && access(logs, X_OK) == 0)
		files_add(view, logs, is_shown, NULL);
	if (asprintf(&reports, "%s/reports", path) > 0 && access(reports, X_OK) == 0) {
		/* The folders below "reports" are named by dates: the newest first. */
		struct dirent **names = NULL;
		int n = scandir(reports, &names, is_visible, alphasort);

		files_add(view, reports, is_table, NULL);
		while (n > 0) {
			char *folder = NULL;

			if (asprintf(&folder, "%s/%s", reports, names[--n]->d_name) > 0)
				files_add(view, folder, is_table, NULL);
			free(folder);
			free(names[n]);
		}
		free(names);
	}
	free(logs);
	free(reports);
	if (r < 0 || view->traces.n > before)
		return r;
	return view->unread.n > unread
		       ? err_set(err, TACHO_EREAD, "%s", view->unread.v[view->unread.n - 1])
		       : err_set(err, TACHO_EREAD, "%s has no trace in it", path);
}

int view_add(struct view *view, const char *path, struct tacho_error *err)
{
	char session[4096];
	struct stat st;

	if (stat(path, &st) < 0) {
		int r = err_errno(err, TACHO_EREAD, "cannot open %s", path);

		/* Until a recording ends, only PATH.part exists. */
		return follow_session_of(path, session, sizeof(session))
			       ? trace_add(view, path, session, err)
			       : r;
	}
	return S_ISDIR(st.st_mode) ? folder_add(view, path, err) : trace_add(view, path, NULL, err);
}

const char *view_unread(const struct view *view, size_t i)
{
	return i < view->unread.n ? view->unread.v[i] : NULL;
}

size_t view_count(const struct view *view)
{
	return view->traces.n;
}

/* --------------------------------------------------------------- /traces */

static void trace_put(struct json *j, const struct view_trace *t)
{
	json_object(j, NULL);
	json_uint(j, "id", t->id);
	json_uint(j, "gen", t->now.gen);
	json_text(j, "name", t->name);
	json_text(j, "path", t->name);
	json_text(j, "tag", t->tag);
	json_text(j, "kind", t->kind == VIEW_OPS ? "ops" : "trace");
	json_bool(j, "live", t->live);
	json_text(j, "state", t->kind == VIEW_OPS ? "saved" : t->now.state);
	json_uint(j, "size", t->now.size);
	if (t->kind == VIEW_TRACE) {
		time_t seconds;
		char text[64] = "";
		struct tm tm;

		json_uint(j, "zones", t->now.zones);
		json_int(j, "duration", t->now.duration);
		seconds = (time_t)(t->now.start_realtime / 1000000000);
		if (t->now.start_realtime > 0 && gmtime_r(&seconds, &tm))
			strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
		json_text(j, "start_realtime", text);
	}
	json_end(j);
}

int call_traces(struct view_call *c)
{
	call_begin(c);
	json_array(&c->json, "traces");
	for (size_t i = 0; i < c->view->traces.n; i++) {
		struct view_trace *t = c->view->traces.v[i];

		pthread_mutex_lock(&t->lock);
		trace_put(&c->json, t);
		pthread_mutex_unlock(&t->lock);
	}
	json_end(&c->json);
	json_text(&c->json, "version", TACHO_VERSION);
	json_array(&c->json, "general"); /* further calls about no trace */
	for (size_t i = 0; i < c->view->extension_count; i++)
		if (c->view->extensions[i].general)
			json_text(&c->json, NULL, c->view->extensions[i].name);
	json_end(&c->json);
	json_end(&c->json);
	return 0;
}

/* ------------------------------------------------------------------- view */

struct view_now view_now(struct view *view, size_t i)
{
	struct view_trace *t = view->traces.v[i];
	struct view_now now;

	pthread_mutex_lock(&t->lock);
	now = t->now;
	pthread_mutex_unlock(&t->lock);
	return now;
}

int view_open(struct view **view, const struct view_options *options, struct tacho_error *err)
{
	struct view *v = calloc(1, sizeof(*v));

	if (!v)
		return err_set(err, TACHO_ENOMEM, "cannot start the viewer: %s",
			       err_text(TACHO_ENOMEM));
	v->options = *options;
	pthread_mutex_init(&v->follow_lock, NULL);
	pthread_cond_init(&v->follow_wake, NULL);
	*view = v;
	return 0;
}

void view_close(struct view *view)
{
	if (!view)
		return;
	view_follow_stop(view);
	pthread_mutex_destroy(&view->follow_lock);
	pthread_cond_destroy(&view->follow_wake);
	for (size_t i = 0; i < view->traces.n; i++)
		trace_free(view->traces.v[i]);
	vec_free(&view->traces);
	for (size_t i = 0; i < view->unread.n; i++)
		free(view->unread.v[i]);
	vec_free(&view->unread);
	free(view);
}
