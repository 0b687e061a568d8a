#include "base/limits.h"
#include "base/vec.h"
#include "clock/clock.h"
#include "ring/guard.h"
#include "ring/identity.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A claim that stays unwritten while its thread has gone on is given up after about a second. */
#define TORN_TICKS  3000000000ull
#define TORN_CHECKS 64 /* idle reads between two looks at the clock */

/* The beginning of a long string whose end has not come yet. */
struct parts {
	uint32_t group;
	uint32_t age; /* events since; a string whose end does not come is dropped */
	VEC(char); /* the text so far */
	bool cut; /* longer than LIMIT_TEXT */
};

#define PARTS_AGE    65536
#define PARTS_GROUPS 64 /* strings that handlers can have begun inside each other: more is nonsense */

#define BATCH_TEXT (1u << 20) /* bytes of strings that end a batch of events */
#define TEXT_KEPT  (4u << 20) /* buffers larger than this are given back after use */

/* A mapped piece of the ring file. */
struct window {
	char *base;
	size_t size;
	struct guard_range guard;
};

struct ring_stream {
	struct ring_reader *reader;
	uint64_t number;
	struct window page_window; /* the thread page: kept while the stream is open */
	struct ring_page *page;
	struct window window; /* the segment in use, when it is not the page */
	struct ring_segment *segment;
	const char *at, *end; /* next word, end of the words */
	uint32_t extent, page_extent;
	uint64_t sequence;
	uint64_t time;
	unsigned stuck;       /* reads that found nothing */
	uint64_t stuck_since; /* ticks: when something was first seen behind an unwritten claim */
	bool tainted; /* a claim in this segment was given up: its owner may still write to it */
	bool finished, bad;
	struct {
		VEC(uint32_t);
	} consumed; /* extents to give back */
	struct {
		VEC(struct parts);
	} parts;
	struct ring_position parts_start; /* of the first of them */
	uint64_t since_parts;             /* events behind it that were handed out */
	uint64_t skip;                    /* events to pass over: an earlier recorder had them */
	struct {
		VEC(uint64_t);
	} scratch; /* payload of the events of one ring_read() */
	struct {
		VEC(char);
	} text; /* their strings */
	void *user;
};

struct ring_reader {
	int fd;
	char *name;
	struct ring_header copy;
	struct window window; /* header and table */
	struct ring_header *header;
	struct ring_extent *table;
	uint32_t max_extents;
	bool *known; /* per extent: it is the thread page of a stream, or must never be one again */
	uint32_t threads_seen;
	struct {
		VEC(struct ring_stream *);
	} streams;
	struct identity identity;
	bool dead, replaced;
	volatile bool shrunk;
	uint64_t unreleased;
};

static const char zeros[RING_SEG_SIZE];

/* --------------------------------------------------------------- windows */

/* FLAGS: MAP_POPULATE where the program has put memory; elsewhere it would fill a sparse file. */
static bool window_open(struct ring_reader *r, struct window *w, uint64_t offset, size_t size,
			int protection, int flags)
{
	void *p = mmap(NULL, size, protection, MAP_SHARED | flags, r->fd, (off_t)offset);

	if (p == MAP_FAILED)
		return false;
	w->base = p;
	w->size = size;
	guard_add(&w->guard, p, size, &r->shrunk);
	return true;
}

static void window_close(struct window *w)
{
	if (!w->base)
		return;
	guard_remove(&w->guard);
	munmap(w->base, w->size);
	w->base = NULL;
}

/* ------------------------------------------------------------------ open */

static int check_header(struct ring_reader *r, struct tacho_error *err)
{
	struct stat st;

	if (fstat(r->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < (off_t)ring_file_size(1))
		return err_set(err, TACHO_EFORMAT, "%s is not a ring", r->name);
	if (!window_open(r, &r->window, 0, RING_DATA, PROT_READ | PROT_WRITE, 0))
		return err_errno(err, TACHO_EREAD, "cannot map %s", r->name);
	r->header = (struct ring_header *)r->window.base;
	r->table = ring_extents(r->window.base);
	if (atomic_load_explicit(&r->header->magic, memory_order_acquire) != RING_MAGIC)
		return err_set(err, TACHO_EFORMAT, "%s is not complete", r->name);
	memcpy((void *)&r->copy, (void *)r->header, sizeof(r->copy));
	if (r->copy.version != RING_VERSION || r->copy.word_size != 8 ||
	    r->copy.byte_order != 0x01020304)
		return err_set(err, TACHO_EVERSION, "%s is a ring of another version", r->name);
	if (r->copy.command_len > sizeof(r->copy.command))
		r->copy.command_len = sizeof(r->copy.command);
	r->max_extents = (uint32_t)(((uint64_t)st.st_size - RING_DATA) / RING_STRIDE);
	if (r->max_extents > r->copy.max_extents)
		r->max_extents = r->copy.max_extents;
	if (r->max_extents > RING_MAX_EXTENTS)
		r->max_extents = RING_MAX_EXTENTS;
	return 0;
}

int ring_open(struct ring_reader **result, const char *dir, const char *name,
	      struct tacho_error *err)
{
	struct ring_reader *r = calloc(1, sizeof(*r));
	char path[RING_PATH + 256];
	int e = TACHO_ENOMEM;

	if (!r)
		return TACHO_ENOMEM;
	r->identity.pidfd = r->fd = -1;
	r->name = strdup(name);
	if (!r->name)
		goto fail;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	r->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (r->fd < 0) {
		bool later = errno == EMFILE || errno == ENFILE || errno == ENOMEM;

		e = err_errno(err, later ? TACHO_ENOMEM : TACHO_EREAD, "cannot open %s", path);
		goto fail;
	}
	e = check_header(r, err);
	if (e < 0)
		goto fail;
	r->known = calloc(r->max_extents, sizeof(*r->known));
	if (!r->known) {
		e = TACHO_ENOMEM;
		goto fail;
	}
	identity_open(&r->identity, &r->copy);
	*result = r;
	return 0;
fail:
	ring_close(r);
	return e;
}

static void parts_free(struct ring_stream *s)
{
	for (size_t i = 0; i < s->parts.n; i++)
		vec_free(&s->parts.v[i]);
	vec_free(&s->parts);
}

static void stream_free(struct ring_stream *s)
{
	window_close(&s->window);
	window_close(&s->page_window);
	vec_free(&s->consumed);
	vec_free(&s->scratch);
	vec_free(&s->text);
	parts_free(s);
	free(s);
}

void ring_close(struct ring_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->streams.n; i++)
		stream_free(r->streams.v[i]);
	vec_free(&r->streams);
	window_close(&r->window);
	identity_close(&r->identity);
	if (r->fd >= 0)
		close(r->fd);
	free(r->known);
	free(r->name);
	free(r);
}

const struct ring_header *ring_header(const struct ring_reader *r)
{
	return &r->copy;
}

const char *ring_name(const struct ring_reader *r)
{
	return r->name;
}

bool ring_is_bad(const struct ring_reader *r)
{
	return r->shrunk;
}

uint64_t ring_threads_lost(const struct ring_reader *r)
{
	return atomic_load_explicit(&r->header->threads_lost, memory_order_relaxed);
}

void ring_losses(const struct ring_reader *r, struct ring_losses *losses)
{
	losses->zones = atomic_load_explicit(&r->header->lost_zones, memory_order_relaxed);
	losses->others = atomic_load_explicit(&r->header->lost_others, memory_order_relaxed);
	losses->ends = 0;
}

bool ring_is_alive(struct ring_reader *r)
{
	return !r->dead && !r->replaced && identity_is_alive(&r->identity);
}

void ring_set_replaced(struct ring_reader *r)
{
	r->replaced = true;
}

void ring_set_dead(struct ring_reader *r)
{
	r->dead = true;
}

/* --------------------------------------------------------------- streams */

static bool page_is_sound(const struct ring_page *page, uint32_t extent, uint64_t number)
{
	return __atomic_load_n(&page->segment.magic, __ATOMIC_ACQUIRE) == RING_PAGE_MAGIC &&
	       page->segment.extent == extent && page->segment.thread == number;
}

/* A new stream on the thread page EXTENT; NULL when it is not ready or there is no memory. */
static struct ring_stream *stream_open(struct ring_reader *r, uint32_t extent)
{
	struct ring_stream *s = calloc(1, sizeof(*s));
	uint64_t number = r->table[extent].thread;

	if (!s)
		return NULL;
	s->reader = r;
	if (!window_open(r, &s->page_window, ring_page_offset(extent), RING_PAGE_SIZE,
			 PROT_READ | PROT_WRITE, MAP_POPULATE)) {
		free(s);
		return NULL;
	}
	s->page = (struct ring_page *)s->page_window.base;
	if (!page_is_sound(s->page, extent, number)) {
		stream_free(s);
		return NULL;
	}
	s->number = number;
	s->segment = &s->page->segment;
	s->at = s->page_window.base + sizeof(*s->page);
	s->end = s->page_window.base + RING_PAGE_SIZE;
	s->extent = s->page_extent = extent;
	s->time = s->page->segment.ticks;
	return s;
}

static int add_stream(struct ring_reader *r, struct ring_stream *s)
{
	size_t at;

	if (vec_reserve(&r->streams, r->streams.n + 1) < 0)
		return TACHO_ENOMEM;
	/* The process's own stream comes first: others refer to it. */
	at = s->number == 0 ? 0 : r->streams.n;
	memmove(&r->streams.v[at + 1], &r->streams.v[at],
		(r->streams.n - at) * sizeof(*r->streams.v));
	r->streams.v[at] = s;
	r->streams.n++;
	return 0;
}

static int find_new(struct ring_reader *r)
{
	uint32_t joined = atomic_load_explicit(&r->header->threads, memory_order_acquire);
	uint32_t extents = atomic_load_explicit(&r->header->extents, memory_order_acquire);
	bool all = true;

	if (joined == r->threads_seen && r->streams.n)
		return 0;
	if (extents > r->max_extents)
		extents = r->max_extents;
	for (uint32_t i = 0; i < extents; i++) {
		struct ring_stream *s;
		uint32_t state = atomic_load_explicit(&r->table[i].state, memory_order_acquire);

		if (state != RING_EXTENT_PAGE || r->known[i])
			continue;
		s = stream_open(r, i);
		if (!s) {
			all = false;
			continue;
		}
		if (add_stream(r, s) < 0) {
			stream_free(s);
			return TACHO_ENOMEM;
		}
		r->known[i] = true;
	}
	if (all)
		r->threads_seen = joined;
	return 0;
}

int ring_streams(struct ring_reader *r, struct ring_stream ***streams, size_t *count)
{
	int e = r->shrunk ? 0 : find_new(r);

	*streams = r->streams.v;
	*count = r->streams.n;
	return e;
}

void ring_stream_info(const struct ring_stream *s, struct ring_stream_info *info)
{
	info->number = s->number;
	info->tid = s->page->tid;
	memcpy(info->name, s->page->name, sizeof(info->name));
	info->name[sizeof(info->name) - 1] = 0;
	info->ticks = s->page->segment.ticks;
}

void *ring_stream_user(const struct ring_stream *s)
{
	return s->user;
}

void ring_stream_set_user(struct ring_stream *s, void *user)
{
	s->user = user;
}

bool ring_stream_finished(const struct ring_stream *s)
{
	return s->finished;
}

bool ring_stream_retired(const struct ring_stream *s)
{
	return s->finished && (s->bad || (s->extent == s->page_extent && s->tainted));
}

void ring_stream_skip(struct ring_stream *s)
{
	s->finished = true;
}

void ring_stream_losses(const struct ring_stream *s, struct ring_losses *losses)
{
	losses->zones = atomic_load_explicit(&s->page->lost_zones, memory_order_relaxed);
	losses->ends = atomic_load_explicit(&s->page->lost_ends, memory_order_relaxed);
	losses->others = atomic_load_explicit(&s->page->lost_others, memory_order_relaxed);
}

/* ------------------------------------------------------------- segments */

static bool on_page(const struct ring_stream *s)
{
	return s->extent == s->page_extent;
}

/* Enters the segment EXTENT; false when it is not a segment of this stream. */
static bool enter_segment(struct ring_stream *s, uint32_t extent, uint32_t offset)
{
	struct ring_reader *r = s->reader;
	struct ring_segment *segment;
	struct window old = s->window, w = {0};

	if (extent >= r->max_extents ||
	    atomic_load_explicit(&r->table[extent].state, memory_order_acquire) !=
		    RING_EXTENT_SEGMENT)
		return false;
	if (!window_open(r, &w, ring_segment_offset(extent), RING_SEG_SIZE, PROT_READ | PROT_WRITE,
			 MAP_POPULATE))
		return false;
	segment = (struct ring_segment *)w.base;
	if (__atomic_load_n(&segment->magic, __ATOMIC_ACQUIRE) != RING_SEG_MAGIC ||
	    segment->extent != extent || segment->thread != s->number) {
		window_close(&w);
		return false;
	}
	/* The guard's list points into the struct: move by closing and opening its entry. */
	if (old.base)
		window_close(&s->window);
	guard_remove(&w.guard);
	s->window.base = w.base;
	s->window.size = w.size;
	guard_add(&s->window.guard, w.base, w.size, &r->shrunk);
	s->segment = segment;
	s->at = w.base + offset;
	s->end = w.base + RING_SEG_SIZE;
	s->extent = extent;
	s->sequence = segment->sequence;
	s->stuck = 0;
	s->tainted = false;
	return true;
}

static void leave_segment(struct ring_stream *s)
{
	if (on_page(s) || s->tainted)
		return;
	if (vec_push(&s->consumed, s->extent) == 0)
		s->reader->unreleased += RING_SEG_SIZE;
}

/* Goes on to what the segment links to. 1: done, 0: nothing there yet, -1: it makes no sense. */
static int next_segment(struct ring_stream *s)
{
	uint32_t next = atomic_load_explicit(&s->segment->next, memory_order_acquire);
	uint64_t was = s->sequence;

	if (next == 0)
		return 0;
	leave_segment(s);
	if (!enter_segment(s, next - 1, sizeof(struct ring_segment)))
		return -1;
	if (s->sequence <= was)
		return -1;
	s->time = s->segment->ticks;
	return 1;
}

/* --------------------------------------------------------------- reading */

static uint64_t load(const char *at)
{
	return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

static uint64_t full_time(struct ring_stream *s, uint64_t word)
{
	s->time = ring_full_time(s->time, word);
	return s->time;
}

/* Where the next written word is behind an unwritten claim; NULL when there is none. */
static const char *written_behind(const struct ring_stream *s, const char *at)
{
	for (; at < s->end; at += 8)
		if (load(at))
			return at;
	return atomic_load_explicit(&s->segment->next, memory_order_acquire) ? s->end : NULL;
}

/*
 * At a word that is not written. True when it was given up and reading goes on behind it: its
 * thread is dead, or has been writing behind it for a while (it jumped out of a signal handler).
 */
static bool pass_torn(struct ring_stream *s, uint64_t word)
{
	const char *behind = s->at + 8, *found;
	uint64_t now;

	if (!s->reader->dead && ++s->stuck % TORN_CHECKS)
		return false;
	if (word)
		behind += (size_t)RING_LEN(word) * 8;
	if (behind > s->end)
		behind = s->end;
	found = written_behind(s, behind);
	/* The last one may still come, unless its thread died with the claim in its hands. */
	if (!found && (!s->reader->dead || !word))
		return false;
	if (!s->reader->dead) {
		now = clock_ticks();
		if (!s->stuck_since)
			s->stuck_since = now;
		if (now - s->stuck_since < TORN_TICKS)
			return false;
	}
	s->at = found ? found : behind;
	s->tainted = true;
	return true;
}

static struct parts *find_parts(struct ring_stream *s, uint32_t group)
{
	for (size_t i = 0; i < s->parts.n; i++)
		if (s->parts.v[i].group == group)
			return &s->parts.v[i];
	return NULL;
}

static void drop_parts(struct ring_stream *s, struct parts *p)
{
	vec_free(p);
	*p = s->parts.v[--s->parts.n];
}

static void keep_part(struct ring_stream *s, uint32_t group, const char *bytes, size_t len,
		      const struct ring_position *start)
{
	struct parts *p = find_parts(s, group), none = {.group = group};

	if (!s->parts.n) {
		s->parts_start = *start;
		s->since_parts = 0;
	}
	if (!p) {
		if (s->parts.n == PARTS_GROUPS || vec_push(&s->parts, none) < 0)
			return;
		p = &s->parts.v[s->parts.n - 1];
	}
	if (p->n + len > LIMIT_TEXT || vec_reserve(p, p->n + len + 1) < 0) {
		p->cut = true;
		return;
	}
	memcpy(p->v + p->n, bytes, len);
	p->n += len;
}

/* The thread may have jumped out of the middle of a long string: its parts do not wait for ever. */
static void age_parts(struct ring_stream *s, size_t events)
{
	for (size_t i = s->parts.n; i-- > 0;) {
		s->parts.v[i].age += (uint32_t)events;
		if (s->parts.v[i].age > PARTS_AGE)
			drop_parts(s, &s->parts.v[i]);
	}
}

/* How many payload words of a record stand before its string; -1: it has none. By enum ring_type.
 */
static const int8_t string_at[RING_TYPES] = {
	[RING_PAD] = -1,        [RING_SEG_END] = -1,      [RING_TIME] = -1,
	[RING_LOSS] = -1,       [RING_TEXT_PART] = 0,     [RING_ZONE_TEXT] = 1,
	[RING_ZONE_NAME] = 1,   [RING_ZONE_COLOR] = -1,   [RING_ZONE_VALUE] = -1,
	[RING_MESSAGE] = 1,     [RING_MESSAGE_NAME] = -1, [RING_FRAME] = -1,
	[RING_PLOT_INT] = -1,   [RING_PLOT_REAL] = -1,    [RING_PLOT_CONFIG] = -1,
	[RING_ALLOC] = -1,      [RING_FREE] = -1,         [RING_LOCK_NEW] = -1,
	[RING_LOCK] = -1,       [RING_LOCK_NAME] = 1,     [RING_LOCK_GONE] = -1,
	[RING_THREAD_NAME] = 0, [RING_FIBER_ENTER] = -1,  [RING_FIBER_LEAVE] = -1,
	[RING_APP_INFO] = 0,    [RING_SRCLOC] = 2,        [RING_NAME] = 1,
	[RING_CORE] = 2,        [RING_CORE_BEGIN] = -1,   [RING_CORE_END] = -1,
	[RING_CORE_VALUE] = -1, [RING_DEVICE] = 1,
	[RING_CORE_LOSS] = -1,  [RING_DEVICE_CLOCK] = -1,
};

/* Least payload words of each type; of a string its length. */
static const uint8_t least_words[RING_TYPES] = {
	[RING_TIME] = 1,        [RING_LOSS] = 5,        [RING_TEXT_PART] = 1,
	[RING_ZONE_TEXT] = 2,   [RING_ZONE_NAME] = 2,   [RING_ZONE_COLOR] = 2,
	[RING_ZONE_VALUE] = 2,  [RING_MESSAGE] = 2,     [RING_MESSAGE_NAME] = 2,
	[RING_FRAME] = 2,       [RING_PLOT_INT] = 2,    [RING_PLOT_REAL] = 2,
	[RING_PLOT_CONFIG] = 3, [RING_ALLOC] = 3,       [RING_FREE] = 2,
	[RING_LOCK_NEW] = 3,    [RING_LOCK] = 3,        [RING_LOCK_NAME] = 2,
	[RING_LOCK_GONE] = 1,   [RING_THREAD_NAME] = 1, [RING_FIBER_ENTER] = 1,
	[RING_APP_INFO] = 1,    [RING_SRCLOC] = 3,      [RING_NAME] = 2,
	[RING_CORE] = 3,        [RING_CORE_BEGIN] = 4,  [RING_CORE_END] = 3,
	[RING_CORE_VALUE] = 3,  [RING_DEVICE] = 2,
	[RING_CORE_LOSS] = 3,   [RING_DEVICE_CLOCK] = 5,
};

/* The string of a record whose payload was copied to WORDS. False: it does not fit its record. */
static bool take_string(struct ring_stream *s, struct ring_event *e, const uint64_t *words,
			unsigned count, int at)
{
	uint32_t len = (uint32_t)words[at];
	uint32_t group = (uint32_t)(words[at] >> RING_STRING_GROUP_SHIFT);
	const char *bytes = (const char *)&words[at + 1];
	struct parts *p = group ? find_parts(s, group) : NULL;
	size_t before = p ? p->n : 0;
	bool cut = p && p->cut;
	char *to;

	if (cut)
		len = 0; /* the bytes before it are missing */
	if (count <= (unsigned)at || len > (count - (unsigned)at - 1) * 8)
		return false;
	if (vec_reserve(&s->text, s->text.n + before + len + 1) < 0)
		return false;
	to = s->text.v + s->text.n;
	if (p) {
		if (before)
			memcpy(to, p->v, before);
		drop_parts(s, p);
	}
	memcpy(to + before, bytes, len);
	to[before + len] = 0;
	s->text.n += before + len + 1;
	/* An index for now: the memory may move while further events are read. */
	e->text = (const char *)(uintptr_t)(s->text.n - before - len);
	e->len = (uint32_t)(before + len);
	e->truncated = cut || (words[at] & RING_STRING_TRUNCATED);
	e->count = (uint16_t)at;
	return true;
}

/*
 * Copies a record's payload and checks it. 1: an event, 0: consumed silently, -1: nonsense, -2: no
 * memory now.
 */
static int take_record(struct ring_stream *s, struct ring_event *e, uint64_t word)
{
	unsigned type = RING_TYPE(word), count = RING_LEN(word);
	struct ring_position start;
	uint64_t *words;

	if ((size_t)count * 8 + 8 > (size_t)(s->end - s->at))
		return -1;
	if (vec_reserve(&s->scratch, s->scratch.n + count + 1) < 0)
		return -2;
	words = s->scratch.v + s->scratch.n;
	if (type == RING_TEXT_PART && !s->parts.n)
		ring_stream_position(s, &start);
	memcpy(words, s->at + 8, (size_t)count * 8);
	s->at += (size_t)count * 8 + 8;
	if (type >= RING_TYPES)
		return 0; /* of a newer client */
	if (type == 0 || count < least_words[type])
		return -1;
	if (type == RING_TIME) {
		s->time = words[0];
		return 0;
	}
	if (type == RING_TEXT_PART) {
		uint32_t len = (uint32_t)words[0];

		if (len > (count - 1) * 8)
			return -1;
		keep_part(s, (uint32_t)(words[0] >> RING_STRING_GROUP_SHIFT),
			  (const char *)&words[1], len, &start);
		return 0;
	}
	e->type = (uint16_t)type;
	e->id = 0;
	e->text = NULL;
	e->len = 0;
	e->truncated = false;
	e->count = (uint16_t)count;
	e->words = (const uint64_t *)(uintptr_t)(s->scratch.n + 1);
	if (string_at[type] >= 0 && !take_string(s, e, words, count, string_at[type]))
		return -1;
	s->scratch.n += count;
	return 1;
}

/* Turns the indices that take_record() left into pointers. */
static void fix_pointers(struct ring_stream *s, struct ring_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ring_event *e = &events[i];

		if (e->type >= RING_T_BEGIN)
			continue;
		e->words = s->scratch.v + ((uintptr_t)e->words - 1);
		if (e->text)
			e->text = s->text.v + ((uintptr_t)e->text - 1);
	}
}

static void finish(struct ring_stream *s)
{
	s->finished = true;
	s->reader->unreleased += RING_PAGE_SIZE;
}

static size_t mark_bad(struct ring_stream *s, struct ring_event *e)
{
	s->bad = true;
	finish(s);
	e->type = RING_T_BAD;
	e->time = s->time;
	return 1;
}

/* At the end of what is written: done with this stream? */
static void check_finished(struct ring_stream *s, bool closed)
{
	if ((closed || s->reader->dead) && !written_behind(s, s->at))
		finish(s);
}

/* Buffers of the last batch. One long string does not hold its memory for ever. */
static void clear_batch(struct ring_stream *s)
{
	s->scratch.n = 0;
	s->text.n = 0;
	if (s->text.cap > TEXT_KEPT)
		vec_free(&s->text);
}

/* True when the event counts: those that an earlier recorder has seen behind its place do not. */
static bool is_new(struct ring_stream *s)
{
	if (s->parts.n)
		s->since_parts++;
	if (!s->skip)
		return true;
	s->skip--;
	return false;
}

/* The next event. 1: there, 0: consumed without one, -1: nonsense, -2: nothing more now. */
static int read_one(struct ring_stream *s, struct ring_event *e, unsigned *hops)
{
	uint64_t word;
	int got;

	if (s->at >= s->end) {
		got = next_segment(s);
		/* Only a program that changes its links while they are read gets around here so often. */
		if (got > 0 && ++*hops > s->reader->max_extents)
			return -1;
		return got == 0 ? -2 : got < 0 ? -1 : 0;
	}
	word = load(s->at);
	if (RING_KIND(word) == RING_BEGIN || RING_KIND(word) == RING_END) {
		e->time = full_time(s, word);
		e->id = RING_ID(word);
		e->type = RING_KIND(word) == RING_BEGIN ? RING_T_BEGIN : RING_T_END;
		s->at += 8;
		return 1;
	}
	if (word == 0 || (RING_KIND(word) == RING_RECORD && RING_TYPE(word) == RING_PAD)) {
		if (!pass_torn(s, word))
			return -2;
		e->type = RING_T_TORN;
		e->time = s->time;
		return 1;
	}
	if (RING_KIND(word) != RING_RECORD)
		return -1;
	if (RING_TYPE(word) == RING_SEG_END) {
		s->at = s->end;
		return 0;
	}
	got = take_record(s, e, word);
	if (got > 0)
		e->time = full_time(s, word);
	return got;
}

/* A flight recorder's thread may overwrite any of its segments while it lives. */
static bool may_be_overwritten(const struct ring_stream *s, bool closed)
{
	const struct ring_reader *r = s->reader;

	return r->copy.policy == RING_OVERWRITE && s->number != 0 && !closed && !r->dead;
}

size_t ring_read(struct ring_stream *s, struct ring_event *events, size_t max)
{
	struct ring_reader *r = s->reader;
	bool closed = atomic_load_explicit(&s->page->closed, memory_order_acquire);
	unsigned hops = 0;
	size_t n = 0;
	int got = 0;

	clear_batch(s);
	if (s->finished || may_be_overwritten(s, closed))
		return 0;
	while (n < max && s->text.n < BATCH_TEXT) {
		got = read_one(s, &events[n], &hops);
		if (got < 0)
			break;
		if (got && is_new(s))
			n++;
	}
	if (got == -1)
		n += mark_bad(s, &events[n]);
	if (n) {
		s->stuck = 0;
		s->stuck_since = 0;
		if (s->parts.n)
			age_parts(s, n);
	}
	if (got == -2 && !s->finished)
		check_finished(s, closed);
	fix_pointers(s, events, n);
	if (r->shrunk && !s->finished && n < max)
		n += mark_bad(s, &events[n]);
	return n;
}

const uint64_t *ring_zones(struct ring_stream *s, size_t max, size_t *count, uint64_t *time)
{
	const uint64_t *words = (const uint64_t *)(const void *)s->at;
	size_t n = 0, room = (size_t)(s->end - s->at) / sizeof(*words);
	bool closed = atomic_load_explicit(&s->page->closed, memory_order_acquire);

	/* Whatever is not simple is left to ring_read(). */
	if (s->finished || s->parts.n || s->skip || s->reader->shrunk ||
	    may_be_overwritten(s, closed))
		room = 0;
	if (room > max)
		room = max;
	while (n < room && ring_is_zone(ring_zone_word(words + n)))
		n++;
	*count = n;
	*time = s->time;
	return words;
}

void ring_zones_taken(struct ring_stream *s, size_t count, uint64_t time)
{
	s->at += count * sizeof(uint64_t);
	s->time = time;
	s->stuck = 0;
	s->stuck_since = 0;
}

/* ------------------------------------------------- positions and release */

void ring_stream_position(const struct ring_stream *s, struct ring_position *position)
{
	const char *base = on_page(s) ? s->page_window.base - (RING_SEG_SIZE - RING_PAGE_SIZE)
				      : s->window.base;

	if (s->parts.n) { /* a recorder that takes over must read the string from its begin */
		*position = s->parts_start;
		position->skip = s->since_parts + s->skip;
		return;
	}
	position->skip = s->skip;
	position->extent = s->extent;
	position->offset = (uint32_t)(s->at - base);
	position->sequence = s->sequence;
	position->time = s->time;
}

bool ring_stream_seek(struct ring_stream *s, const struct ring_position *p)
{
	uint32_t low = p->extent == s->page_extent
			       ? RING_SEG_SIZE - RING_PAGE_SIZE + (uint32_t)sizeof(struct ring_page)
			       : (uint32_t)sizeof(struct ring_segment);

	if (p->offset < low || p->offset > RING_SEG_SIZE || p->offset % 8)
		return false;
	if (p->extent == s->page_extent)
		s->at = s->page_window.base + p->offset - (RING_SEG_SIZE - RING_PAGE_SIZE);
	else if (!enter_segment(s, p->extent, p->offset) || s->sequence != p->sequence)
		return false;
	s->time = p->time;
	s->skip = p->skip;
	return true;
}

uint64_t ring_unreleased(const struct ring_reader *r)
{
	return r->unreleased;
}

/* Zeroes an extent and hands it back to the program. Written, not mapped: our memory stays small.
 */
static void give_back(struct ring_reader *r, uint32_t extent, uint64_t offset, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(r->fd, zeros, size - done, (off_t)(offset + done));

		if (n <= 0)
			return; /* it stays taken, which costs memory and nothing else */
		done += (size_t)n;
	}
	atomic_store_explicit(&r->table[extent].state, RING_EXTENT_FREE, memory_order_release);
}

static void release_stream(struct ring_stream *s)
{
	struct ring_reader *r = s->reader;

	if (s->number == 0)
		return; /* names are read again when a recorder takes over */
	if (s->parts.n && !s->finished)
		return; /* so is a string that has only begun */
	for (size_t i = 0; i < s->consumed.n; i++)
		give_back(r, s->consumed.v[i], ring_segment_offset(s->consumed.v[i]),
			  RING_SEG_SIZE);
	s->consumed.n = 0;
	if (!s->finished || s->bad)
		return;
	if (!on_page(s) && !s->tainted)
		give_back(r, s->extent, ring_segment_offset(s->extent), RING_SEG_SIZE);
	if (on_page(s) && s->tainted)
		return; /* known for ever: it is not read again, nor used again */
	give_back(r, s->page_extent, ring_page_offset(s->page_extent), RING_PAGE_SIZE);
	r->known[s->page_extent] = false;
}

void ring_trim(struct ring_reader *r, uint64_t keep)
{
	uint32_t extents = atomic_load_explicit(&r->header->extents, memory_order_acquire);
	uint64_t spare = 0;

	if (r->shrunk)
		return;
	if (extents > r->max_extents)
		extents = r->max_extents;
	/* The first free ones are kept: a program looks for them from below. */
	for (uint32_t i = 0; i < extents; i++) {
		uint32_t state = RING_EXTENT_FREE;

		if (atomic_load_explicit(&r->table[i].state, memory_order_relaxed) != state)
			continue;
		spare += r->table[i].reserved == RING_EXTENT_PAGE ? RING_PAGE_SIZE : RING_SEG_SIZE;
		if (spare <= keep ||
		    !atomic_compare_exchange_strong(&r->table[i].state, &state, RING_EXTENT_BUSY))
			continue;
		/* When it fails the stride has only lost its use for this session. */
		if (fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)ring_segment_offset(i), RING_SEG_SIZE) == 0)
			atomic_store_explicit(&r->table[i].state, RING_EXTENT_EMPTY,
					      memory_order_release);
	}
}

uint64_t ring_bytes(const struct ring_reader *r)
{
	struct stat st;

	return fstat(r->fd, &st) < 0 ? 0 : (uint64_t)st.st_blocks * 512;
}

void ring_release(struct ring_reader *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->streams.n; i++) {
		struct ring_stream *s = r->streams.v[i];

		if (!r->shrunk)
			release_stream(s);
		if (s->finished && s->number != 0 && !s->bad)
			stream_free(s);
		else
			r->streams.v[kept++] = s;
	}
	r->streams.n = kept;
	r->unreleased = 0;
}
