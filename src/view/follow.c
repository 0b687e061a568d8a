/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follow traces that are being recorded. Each has a thread: while there are requests it reads new
 * data as soon as the recorder signals it, and wakes the WebSockets; without a signal it polls
 * twenty times a second. Handles for passes catch up when they are taken.
 */
#include "base/now.h"
#include "ring/ring.h"
#include "view/traces.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define WATCHED_MS 50
#define PAUSE_MS \
	40 /* pause after new data: a busy recorder writes more often than a user can see */
#define ALONE_MS    1000
#define WATCHED_FOR 5.0 /* seconds after the last request */

/* The state of a trace for the list and the WebSockets. Called with its lock held. */
void now_set(struct view_trace *t, const struct trace *trace)
{
	struct view_now *n = &t->now;
	uint64_t lost = 0;
	uint64_t parts = (uint64_t)trace->track_count + trace->process_count + trace->lane_count +
			 trace->property_count;

	for (uint32_t i = 0; i < trace->track_count; i++)
		lost += trace->ledgers[i].zones_lost + trace->ledgers[i].rows_lost;
	if (parts != n->parts)
		n->meta++;
	n->parts = parts;
	n->dropped = lost;
	n->zones = trace->zones;
	n->size = trace->file_size;
	n->duration = trace_ns(trace, trace->end);
	n->start_realtime = trace_realtime_ns(trace, trace->start);
	if (t->live)
		n->state = trace->zones || trace->rows ? "live" : "waiting";
	else if (t->was_live && !trace->damage.text[0])
		n->state = "ended";
	else
		n->state = trace->damage.text[0] ? "damaged" : "saved";
}

static int session_open(struct view_trace *t, const char *dir)
{
	struct ring_follow *session = calloc(1, sizeof(*session));

	if (!session)
		return TACHO_ENOMEM;
	if (ring_follow_open(session, dir, NULL) < 0) {
		free(session);
		session = NULL;
	}
	pthread_mutex_lock(&t->lock);
	t->session = session;
	pthread_mutex_unlock(&t->lock);
	return 0;
}

/*
 * Data was written although the known recorder is gone: by another one, of a new recording at the
 * same path, or that took over. False if there is none.
 */
static bool session_renew(struct view_trace *t)
{
	char dir[4096];

	if (!follow_session_of(t->path, dir, sizeof(dir)))
		return false;
	follow_unload(t);
	return session_open(t, dir) == 0 && t->session && ring_follow_recorded(t->session);
}

/* Reads new data. True if there was any. */
static bool trace_step(struct view *view, struct view_trace *t, bool watched)
{
	struct view_handle *h = NULL;
	struct trace *trace;
	/* Read this first, so that a recorder that ends now does not count as killed. */
	bool alive = t->session && ring_follow_recorded(t->session), changed;
	int r = handle_take(t, QUICK, &h);

	if (r < 0)
		return false;
	trace = h->trace;
	if (t->session && watched)
		ring_follow_touch(t->session);
	r = trace_refresh(trace, NULL);
	if (r > 0 && !alive)
		alive = session_renew(t);
	if (r > 0 && trace_lod_refresh(h->lod, NULL) < 0)
		r = TACHO_ENOMEM;
	pthread_mutex_lock(&t->lock);
	changed = r > 0 || t->live != (alive && trace->damage.unfinished);
	t->live = alive && trace->damage.unfinished;
	t->was_live |= t->live;
	if (r == TRACE_RELOADED) {
		lanes_forget(t);
		stats_forget(t);
		waits_forget(t);
		marks_forget(t);
		signposts_forget(t);
		t->now.meta++;
		tag_make(t->tag, trace);
	}
	if (changed) {
		t->now.gen++;
		lanes_learn(t, trace);
		now_set(t, trace);
	}
	h->gen = t->now.gen;
	pthread_mutex_unlock(&t->lock);
	handle_put(t, h);
	if (changed)
		view->listener.grown(view->listener.context);
	return changed;
}

static void *follow_run(void *context)
{
	struct view_trace *t = context;
	struct view *view = t->view;

	pthread_mutex_lock(&view->follow_lock);
	while (!view->stopping) {
		bool watched = view->listener.wanted(view->listener.context, WATCHED_FOR), changed,
		     reported;

		pthread_mutex_unlock(&view->follow_lock);
		changed = trace_step(view, t, watched);
		reported = watched && t->session && t->live; /* no other thread changes these */
		pthread_mutex_lock(&view->follow_lock);
		if (!reported || changed) {
			struct timespec until = now_realtime_plus(reported  ? PAUSE_MS
								  : watched ? WATCHED_MS
									    : ALONE_MS);

			if (!view->stopping)
				pthread_cond_timedwait(&view->follow_wake, &view->follow_lock,
						       &until);
		}
		pthread_mutex_unlock(&view->follow_lock);
		if (reported)
			ring_follow_wait(t->session, WATCHED_MS);
		pthread_mutex_lock(&view->follow_lock);
	}
	pthread_mutex_unlock(&view->follow_lock);
	return NULL;
}

int view_follow(struct view *view, const struct view_listener *listener)
{
	int r = trace_names_make(view);

	if (r < 0)
		return r;
	view->listener = *listener;
	for (size_t i = 0; i < view->traces.n; i++) {
		struct view_trace *t = view->traces.v[i];

		t->view = view;
		if (t->followed && pthread_create(&t->follower, NULL, follow_run, t))
			return TACHO_ENOMEM;
		t->following = t->followed;
	}
	return 0;
}

void view_follow_stop(struct view *view)
{
	pthread_mutex_lock(&view->follow_lock);
	view->stopping = true;
	pthread_cond_broadcast(&view->follow_wake);
	pthread_mutex_unlock(&view->follow_lock);
	for (size_t i = 0; i < view->traces.n; i++)
		if (view->traces.v[i]->following) {
			pthread_join(view->traces.v[i]->follower, NULL);
			view->traces.v[i]->following = false;
		}
}

void view_follow_wake(struct view *view)
{
	pthread_mutex_lock(&view->follow_lock);
	pthread_cond_broadcast(&view->follow_wake);
	pthread_mutex_unlock(&view->follow_lock);
}

/* -------------------------------------------------------------------- open */

/* The recorder may not have written the first bytes yet. */
static int open_growing(struct view_trace *t, struct tacho_error *err)
{
	int r;

	for (int i = 0; i < 20; i++) {
		r = trace_follow(&t->quick.trace, t->path, err);
		if (r == 0 || r == TACHO_ENOMEM)
			break;
		usleep(100000);
	}
	return r;
}

int follow_load(struct view_trace *t, const char *session, struct tacho_error *err)
{
	int r = open_growing(t, err);

	if (r < 0)
		return r;
	/* It may have ended meanwhile: then the trace is complete. */
	r = session_open(t, session);
	if (r < 0)
		return r;
	t->followed = true;
	t->live = t->was_live = t->session && t->quick.trace->damage.unfinished;
	return 0;
}

void follow_unload(struct view_trace *t)
{
	struct ring_follow *session = t->session;

	pthread_mutex_lock(&t->lock);
	t->session = NULL;
	pthread_mutex_unlock(&t->lock);
	if (session)
		ring_follow_close(session);
	free(session);
}

bool follow_set_parameter(struct view_trace *t, uint32_t pid, uint32_t number, int32_t value)
{
	bool set;

	pthread_mutex_lock(&t->lock);
	set = t->session && ring_follow_set_parameter(t->session, pid, number, value);
	pthread_mutex_unlock(&t->lock);
	return set;
}

int view_add_session(struct view *view, const char *session, struct tacho_error *err)
{
	struct ring_session_info info;
	int r = ring_session_find(session, &info, err);

	return r < 0 ? r : trace_add(view, info.output, info.dir, err);
}

/* True if PATH is, or will be, the trace of a recording in progress. */
bool follow_session_of(const char *path, char *dir, size_t size)
{
	struct ring_session_info info;
	char *file = NULL;
	int r;

	/* A word without a slash may name a session as well as a file. */
	if (asprintf(&file, "%s%s", strchr(path, '/') ? "" : "./", path) < 0)
		return false;
	r = ring_session_find(file, &info, NULL);
	free(file);
	if (r < 0 || !info.recorder)
		return false;
	snprintf(dir, size, "%s", info.dir);
	return true;
}
