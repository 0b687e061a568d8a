/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read a Chrome trace. Events may come in any order, so they are collected first, about 40 bytes
 * each. Then the zones of each thread are sorted and nested; a zone that outlasts its parent is cut
 * at the parent's end.
 */
#include "import/chrome_read.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MOST 4096u /* bytes of the arguments of one event */

/* ------------------------------------------------------------------ values */

/* Microseconds as nanoseconds; exact if written without an exponent. */
static bool time_read(const struct jread_value *v, int64_t *ns)
{
	const char *at, *end;
	int64_t n = 0;
	int decimals = -1;
	bool minus;

	if (!v || (v->type != JREAD_INT && v->type != JREAD_REAL))
		return false;
	at = v->text;
	end = at + v->len;
	minus = at < end && *at == '-';
	for (at += minus; at < end && decimals < 3; at++) {
		if (*at == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (*at < '0' || *at > '9')
			break;
		if (n > (INT64_MAX / 1000 - 9) / 10)
			return false;
		n = n * 10 + (*at - '0');
		decimals += decimals >= 0;
	}
	if (memchr(v->text, 'e', v->len) || memchr(v->text, 'E', v->len)) {
		double us = jread_double(v);

		if (!(fabs(us) < 4e15))
			return false;
		*ns = llround(us * 1000);
		return true;
	}
	for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
		n *= 10;
	*ns = minus ? -n : n;
	return true;
}

static char *text_copy(const struct jread_value *v)
{
	if (!v)
		return strdup("");
	return strndup(v->text ? v->text : "", v->text ? v->len : 0);
}

/* Some tools write names instead of numbers. */
static int64_t chrome_read_id_of(const struct jread_value *v)
{
	int64_t n = 0;

	if (jread_int(v, &n) || !v || v->type != JREAD_STRING)
		return n;
	return (int64_t)(1000000000 + hash_bytes(HASH_START, v->text, v->len) % 1000000000);
}

/* That name, until the file gives another one; NULL: a number. */
static char *id_name(const struct jread_value *v)
{
	return v && v->type == JREAD_STRING ? text_copy(v) : NULL;
}

int chrome_text_add(struct chrome_reader *r, const char *text, size_t len, uint32_t *offset)
{
	if (r->texts.len == 0)
		buf_addc(&r->texts, 0);
	if (r->texts.len + len + 1 > UINT32_MAX)
		return TACHO_ELIMIT;
	*offset = (uint32_t)r->texts.len;
	buf_add(&r->texts, text, len);
	buf_addc(&r->texts, 0);
	return r->texts.failed ? TACHO_ENOMEM : 0;
}

/* An argument of the source location of a zone, as we and others write it; NULL: none. */
static const struct jread_value *place_get(const struct jread_value *args, const char *key,
					   enum jread_type type)
{
	const struct jread_value *file = jread_get(args, "file"), *v = jread_get(args, key);

	return file && file->type == JREAD_STRING && v && v->type == type ? v : NULL;
}

static bool is_place(const struct jread_value *args, const struct jread_value *v)
{
	return v == place_get(args, "file", JREAD_STRING) ||
	       v == place_get(args, "line", JREAD_INT) ||
	       v == place_get(args, "function", JREAD_STRING);
}

/* "key: value" lines of the other arguments. */
static int add_args(struct chrome_reader *r, const struct jread_value *args, uint32_t *offset)
{
	struct buf lines = BUF_INIT;
	int e = 0;

	*offset = 0;
	if (!args || args->type != JREAD_OBJECT)
		return 0;
	for (const struct jread_value *v = args->first; v && lines.len < TEXT_MOST; v = v->next) {
		size_t room = TEXT_MOST - lines.len;

		if (!v->text || is_place(args, v))
			continue;
		if (lines.len)
			buf_addc(&lines, '\n');
		buf_add(&lines, v->key, v->key_len < room ? v->key_len : room);
		buf_adds(&lines, ": ");
		buf_add(&lines, v->text, v->len < room ? v->len : room);
	}
	if (lines.failed)
		e = TACHO_ENOMEM;
	else if (lines.len)
		e = chrome_text_add(r, lines.data, lines.len, offset);
	buf_free(&lines);
	return e;
}

/* ------------------------------------------------------- processes, threads */

static int process_of(struct chrome_reader *r, const struct jread_value *event, uint32_t *process)
{
	int64_t pid = chrome_read_id_of(jread_get(event, "pid"));
	const uint32_t *known = map_get(&r->by_pid, (uint64_t)pid);
	struct chrome_process fresh = {.pid = pid, .messages = TRACE_NONE};

	if (known) {
		*process = *known;
		return 0;
	}
	*process = (uint32_t)r->processes.n;
	if (map_set(&r->by_pid, (uint64_t)pid, *process) < 0)
		return TACHO_ENOMEM;
	fresh.name = id_name(jread_get(event, "pid"));
	return vec_push(&r->processes, fresh);
}

int chrome_track_add(struct chrome_reader *r, uint32_t process, uint32_t kind, int64_t tid,
		     char *name, uint32_t *track)
{
	struct chrome_track fresh = {.process = process, .kind = kind, .tid = tid, .name = name};

	*track = (uint32_t)r->threads.n;
	if (r->threads.n >= LIMIT_TRACKS || vec_push(&r->threads, fresh) < 0) {
		free(name);
		return TACHO_ENOMEM;
	}
	return 0;
}

/* Keys have two parts; if their hashes collide, the later one takes the next free slot. */
uint64_t chrome_pair_key(uint32_t a, uint64_t b)
{
	return (b ^ (uint64_t)a << 40) * 0x9e3779b97f4a7c15u;
}

static int chrome_read_thread_of(struct chrome_reader *r, const struct jread_value *event,
				 uint32_t *thread)
{
	int64_t tid = chrome_read_id_of(jread_get(event, "tid"));
	const uint32_t *known;
	uint32_t process;
	uint64_t key;
	int e = process_of(r, event, &process);

	if (e < 0)
		return e;
	for (key = chrome_pair_key(process, (uint64_t)tid); (known = map_get(&r->by_tid, key));
	     key++)
		if (r->threads.v[*known].process == process && r->threads.v[*known].tid == tid &&
		    r->threads.v[*known].kind == TRACE_THREAD) {
			*thread = *known;
			return 0;
		}
	e = chrome_track_add(r, process, TRACE_THREAD, tid, id_name(jread_get(event, "tid")),
			     thread);
	return e < 0 ? e : map_set(&r->by_tid, key, *thread);
}

static int messages_of(struct chrome_reader *r, uint32_t process, uint32_t *track)
{
	int e = 0;

	*track = r->processes.v[process].messages;
	if (*track == TRACE_NONE) {
		e = chrome_track_add(r, process, TRACE_MESSAGES, 0, NULL, track);
		if (e == 0)
			r->processes.v[process].messages = *track;
	}
	return e;
}

static int chrome_read_plot_of(struct chrome_reader *r, uint32_t process, const char *name,
			       uint32_t *track)
{
	uint64_t key = chrome_pair_key(process, hash_text(HASH_START, name));
	const uint32_t *known;
	int e;

	for (; (known = map_get(&r->plots, key)); key++)
		if (r->threads.v[*known].process == process &&
		    !strcmp(r->threads.v[*known].name, name)) {
			*track = *known;
			return 0;
		}
	e = chrome_track_add(r, process, TRACE_PLOT, 0, strdup(name), track);
	return e < 0 ? e : map_set(&r->plots, key, *track);
}

/* ------------------------------------------------------------------ events */

static void note_time(struct chrome_reader *r, int64_t ns)
{
	r->first = ns < r->first ? ns : r->first;
	r->last = ns > r->last ? ns : r->last;
}

static int chrome_read_srcloc_of(struct chrome_reader *r, const struct jread_value *event,
				 uint32_t *srcloc)
{
	const struct jread_value *args = jread_get(event, "args"),
				 *file = place_get(args, "file", JREAD_STRING);
	const struct jread_value *function = place_get(args, "function", JREAD_STRING);
	char *name = text_copy(jread_get(event, "name"));
	char *where = text_copy(file ? file : jread_get(event, "cat"));
	char *in = function ? text_copy(function) : NULL;
	struct trace_srcloc s = {.name = name, .function = in ? in : name, .file = where};
	uint64_t line;
	int64_t id = TACHO_ENOMEM;

	if (jread_uint(place_get(args, "line", JREAD_INT), &line) && line <= UINT32_MAX)
		s.line = (uint32_t)line;
	if (name && where && (in || !function))
		id = trace_add_srcloc(r->w, &s);
	*srcloc = id < 0 ? 0 : (uint32_t)id;
	free(name);
	free(where);
	free(in);
	return id < 0 ? (int)id : 0;
}

/* On its thread, or on ASYNC, the number of a chain, if that is not TRACE_NONE. */
static int chrome_read_zone_begin(struct chrome_reader *r, const struct jread_value *event,
				  uint32_t async, int64_t ns, int64_t end, uint32_t *number)
{
	struct chrome_zone z = {.start = ns,
				.end = end,
				.track = async,
				.async = async != TRACE_NONE,
				.order = r->zones.n & 0x3fffffff};
	int e = z.async ? 0 : chrome_read_thread_of(r, event, &z.track);

	if (e == 0)
		e = chrome_read_srcloc_of(r, event, &z.srcloc);
	if (e == 0)
		e = add_args(r, jread_get(event, "args"), &z.text);
	if (e == 0)
		e = vec_push(&r->zones, z);
	*number = (uint32_t)r->zones.n - 1;
	note_time(r, ns);
	note_time(r, end);
	return e;
}

static int chrome_read_zone_open(struct chrome_reader *r, const struct jread_value *event,
				 int64_t ns)
{
	uint32_t number;
	int e = chrome_read_zone_begin(r, event, TRACE_NONE, ns, ns, &number);

	if (e == 0) {
		r->zones.v[number].unfinished = true;
		e = vec_push(&r->threads.v[r->zones.v[number].track].open, number);
	}
	return e;
}

static int chrome_read_event_end(struct chrome_reader *r, const struct jread_value *event,
				 int64_t ns)
{
	struct chrome_track *t;
	struct chrome_zone *z;
	uint32_t thread;
	int e = chrome_read_thread_of(r, event, &thread);

	if (e < 0)
		return e;
	t = &r->threads.v[thread];
	if (!t->open.n) {
		r->notes->left_out++;
		return 0;
	}
	z = &r->zones.v[t->open.v[--t->open.n]];
	z->end = ns > z->start ? ns : z->start;
	z->unfinished = false;
	note_time(r, z->end);
	return 0;
}

static int event_async(struct chrome_reader *r, const struct jread_value *event, int64_t ns,
		       bool begin)
{
	uint32_t process, chain, number;
	struct chrome_chain *c;
	struct chrome_zone *z;
	int e = process_of(r, event, &process);

	if (e == 0)
		e = chrome_chain_of(r, process, chrome_async_key(event, false), &chain);
	if (e < 0)
		return e;
	if (begin) {
		e = chrome_read_zone_begin(r, event, chain, ns, ns, &number);
		c = &r->chains.v[chain];
		if (e < 0)
			return e;
		z = &r->zones.v[number];
		z->unfinished = true;
		if (c->name == 0) {
			const struct jread_value *name = jread_get(event, "name");

			c->srcloc = z->srcloc;
			e = chrome_text_add(r, name && name->text ? name->text : "",
					    name && name->text && name->len < LIMIT_NAME ? name->len
											 : 0,
					    &c->name);
		}
		return e < 0 ? e : vec_push(&c->open, number);
	}
	c = &r->chains.v[chain];
	if (!c->open.n) {
		r->notes->left_out++;
		return 0;
	}
	z = &r->zones.v[c->open.v[--c->open.n]];
	z->end = ns > z->start ? ns : z->start;
	z->unfinished = false;
	note_time(r, z->end);
	return 0;
}

/* One end of an arrow. */
static int event_flow(struct chrome_reader *r, const struct jread_value *event, int64_t ns,
		      enum trace_flow_step step)
{
	const struct jread_value *name = jread_get(event, "name"), *cat = jread_get(event, "cat");
	const struct jread_value *bind = jread_get(event, "bp");
	struct chrome_row row = {.time = ns, .kind = TRACE_ROW_FLOW, .step = (uint8_t)step};
	struct buf text = BUF_INIT;
	int e = chrome_read_thread_of(r, event, &row.thread);

	row.track = row.thread;
	row.flow = chrome_async_key(event, true);
	row.next = step == TRACE_FLOW_END && !jread_get(event, "bind_id") &&
		   !(bind && bind->len == 1 && *bind->text == 'e');
	if (name && name->text)
		buf_add(&text, name->text, name->len < LIMIT_NAME ? name->len : LIMIT_NAME);
	if (cat && cat->text) {
		buf_addc(&text, 0);
		buf_add(&text, cat->text, cat->len < LIMIT_NAME ? cat->len : LIMIT_NAME);
	}
	row.len = (uint32_t)text.len;
	if (e == 0)
		e = text.failed ? TACHO_ENOMEM : chrome_text_add(r, text.data, text.len, &row.text);
	buf_free(&text);
	note_time(r, ns);
	return e < 0 ? e : vec_push(&r->rows, row);
}

static int event_instant(struct chrome_reader *r, const struct jread_value *event, int64_t ns)
{
	const struct jread_value *name = jread_get(event, "name");
	struct chrome_row row = {.time = ns, .kind = TRACE_ROW_MESSAGE};
	int e = chrome_read_thread_of(r, event, &row.thread);

	if (e == 0)
		e = messages_of(r, r->threads.v[row.thread].process, &row.track);
	if (e == 0 && name && name->text) {
		row.len = (uint32_t)(name->len < LIMIT_NAME ? name->len : LIMIT_NAME);
		e = chrome_text_add(r, name->text, row.len, &row.text);
	}
	note_time(r, ns);
	return e < 0 ? e : vec_push(&r->rows, row);
}

/* Each number among the arguments is a separate plot. */
static int event_counter(struct chrome_reader *r, const struct jread_value *event, int64_t ns)
{
	const struct jread_value *args = jread_get(event, "args"), *name = jread_get(event, "name");
	struct buf text = BUF_INIT;
	uint32_t process;
	int e = process_of(r, event, &process);

	for (const struct jread_value *v = args ? args->first : NULL; e == 0 && v; v = v->next) {
		struct chrome_row row = {
			.time = ns, .kind = TRACE_ROW_PLOT_REAL, .thread = TRACE_NONE};

		row.value = jread_double(v);
		if (isnan(row.value))
			continue;
		buf_reset(&text);
		if (name && name->text)
			buf_add(&text, name->text, name->len < 1000 ? name->len : 1000);
		if (args->first != args->last || !text.len) {
			buf_adds(&text, text.len ? " " : "");
			buf_add(&text, v->key, v->key_len < 1000 ? v->key_len : 1000);
		}
		e = text.failed ? TACHO_ENOMEM
				: chrome_read_plot_of(r, process, text.data, &row.track);
		if (e == 0)
			e = vec_push(&r->rows, row);
	}
	note_time(r, ns);
	buf_free(&text);
	return e;
}

static void name_set(char **to, const struct jread_value *event)
{
	const struct jread_value *name = jread_get(jread_get(event, "args"), "name");

	if (!name || name->type != JREAD_STRING)
		return;
	free(*to);
	*to = text_copy(name);
}

static int event_metadata(struct chrome_reader *r, const struct jread_value *event)
{
	const struct jread_value *what = jread_get(event, "name");
	uint32_t id;
	int e = 0;

	if (!what || what->type != JREAD_STRING)
		return 0;
	if (what->len == 12 && !memcmp(what->text, "process_name", 12)) {
		e = process_of(r, event, &id);
		if (e == 0)
			name_set(&r->processes.v[id].name, event);
	} else if (what->len == 11 && !memcmp(what->text, "thread_name", 11)) {
		e = chrome_read_thread_of(r, event, &id);
		if (e == 0)
			name_set(&r->threads.v[id].name, event);
	}
	return e;
}

/* Events of any kind may be ends of a flow, too. */
static int event_bound(struct chrome_reader *r, const struct jread_value *event, int64_t ns)
{
	const struct jread_value *in = jread_get(event, "flow_in"),
				 *out = jread_get(event, "flow_out");
	bool is_in = in && in->type == JREAD_TRUE, is_out = out && out->type == JREAD_TRUE;

	if (!jread_get(event, "bind_id") || !(is_in || is_out))
		return 0;
	return event_flow(r, event, ns,
			  !is_in    ? TRACE_FLOW_BEGIN
			  : !is_out ? TRACE_FLOW_END
				    : TRACE_FLOW_STEP);
}

static int event_take(struct chrome_reader *r, const struct jread_value *event)
{
	const struct jread_value *phase = jread_get(event, "ph");
	int64_t ns;
	int e;
	int64_t length;
	uint32_t number;

	if (!phase || phase->type != JREAD_STRING || phase->len != 1) {
		r->notes->left_out++;
		return 0;
	}
	if (*phase->text == 'M')
		return event_metadata(r, event);
	if (!time_read(jread_get(event, "ts"), &ns)) {
		r->notes->left_out++;
		return 0;
	}
	e = event_bound(r, event, ns);
	if (e < 0)
		return e;
	switch (*phase->text) {
	case 'B':
		return chrome_read_zone_open(r, event, ns);
	case 'E':
		return chrome_read_event_end(r, event, ns);
	case 'X':
		length = 0;
		if (!time_read(jread_get(event, "dur"), &length) || length < 0)
			length = 0;
		return chrome_read_zone_begin(r, event, TRACE_NONE, ns,
					      length > INT64_MAX / 2 - ns ? ns : ns + length,
					      &number);
	case 'i':
	case 'I':
	case 'R':
	case 'n': /* those of asynchronous events, new and old */
	case 'T':
	case 'p':
		return event_instant(r, event, ns);
	case 'b':
	case 'S':
		return event_async(r, event, ns, true);
	case 'e':
	case 'F':
		return event_async(r, event, ns, false);
	case 's':
		return event_flow(r, event, ns, TRACE_FLOW_BEGIN);
	case 't':
		return event_flow(r, event, ns, TRACE_FLOW_STEP);
	case 'f':
		return event_flow(r, event, ns, TRACE_FLOW_END);
	case 'C':
		return event_counter(r, event, ns);
	default:
		r->notes->left_out++;
		return 0;
	}
}

int import_chrome(struct trace_writer *w, int fd, const char *path, struct import_notes *notes,
		  struct tacho_error *err)
{
	struct chrome_reader r = {
		.w = w, .notes = notes, .texts = BUF_INIT, .first = INT64_MAX, .last = INT64_MIN};
	struct chrome_events *events = NULL;
	const struct jread_value *event;
	int read = chrome_events_open(&events, fd, path), e = 0;
	bool sound;

	while (read >= 0 && e == 0 && (read = chrome_events_next(events, &event, err)) > 0)
		e = event_take(&r, event);
	if (r.first > r.last)
		r.first = r.last = 0;
	sound = read >= 0 || read == TACHO_EDAMAGED;
	if (e == 0 && sound)
		e = chrome_write(&r, chrome_events_head(events), path);
	chrome_events_close(events);
	for (size_t i = 0; i < r.processes.n; i++)
		free(r.processes.v[i].name);
	for (size_t i = 0; i < r.threads.n; i++) {
		free(r.threads.v[i].name);
		vec_free(&r.threads.v[i].open);
	}
	for (size_t i = 0; i < r.chains.n; i++)
		vec_free(&r.chains.v[i].open);
	vec_free(&r.processes);
	vec_free(&r.threads);
	vec_free(&r.chains);
	vec_free(&r.zones);
	vec_free(&r.rows);
	map_free(&r.by_pid);
	map_free(&r.by_tid);
	map_free(&r.plots);
	map_free(&r.by_async);
	buf_free(&r.texts);
	if (e < 0)
		return err_set(err, e, "%s: %s", path, err_text(e));
	return read < 0 ? read : 0;
}

bool import_chrome_is(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[64];
	ssize_t n = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0), i = 0;

	if (fd >= 0)
		close(fd);
	while (i < n && strchr(" \t\r\n", head[i]))
		i++;
	return i < n && (head[i] == '[' || head[i] == '{');
}
