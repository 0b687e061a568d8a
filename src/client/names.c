/* SPDX-License-Identifier: Apache-2.0 */
/* Intern names and source locations, and announce each once per recording. */
#include "client/client.h"

#include <string.h>
#include <tacho/tacho.h>

/*
 * All source locations and names ever used, in process memory: they are sent again when the
 * process, or a child, joins another session. Entries are only added, at the tail of the list and
 * then at the head of a bucket, each with one store, so a reader needs no lock and a fork at any
 * moment finds a sound table. An entry enters its bucket after it was sent: its number can be used
 * as soon as it is found.
 */
struct entry {
	struct entry *next;        /* in order of numbers */
	struct entry *next_bucket; /* same hash */
	uint64_t hash;
	uint32_t type; /* RING_SRCLOC or RING_NAME */
	uint32_t id;
	uint32_t line, color;
	uint32_t len, name_len;
	uint32_t last_at; /* where the last string begins */
	char strings[];   /* a name; or name NUL function NUL file; and a final NUL */
};

#define BUCKETS    65536
#define UNKNOWN_ID 0xffffffu /* of a location that found no memory */
#define MAX_ID     (UNKNOWN_ID - 1)

/* Names made at run time must not exhaust memory: beyond this they are not stored. */
#define MAX_DYNAMIC       (1u << 19)
#define MAX_DYNAMIC_BYTES (64u << 20)
#define MAX_STRING        (1u << 20)

static struct entry *buckets[BUCKETS];
static struct entry *first, *last;
static uint32_t last_id;
static uint32_t dynamic_count;
static uint64_t dynamic_bytes;

struct parts {
	uint32_t type, line, color;
	bool dynamic;
	const char *text[3];
	size_t len[3];
	unsigned count;
	uint64_t hash;
};

static uint64_t names_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

static void names_parts_add(struct parts *p, const char *text, size_t len)
{
	uint64_t word;

	if (len > MAX_STRING)
		len = MAX_STRING;
	p->text[p->count] = text;
	p->len[p->count++] = len;
	p->hash = names_mix(p->hash, len);
	for (; len >= 8; len -= 8, text += 8) {
		memcpy(&word, text, 8);
		p->hash = names_mix(p->hash, word);
	}
	word = 0;
	for (size_t i = 0; i < len; i++)
		word = word << 8 | (unsigned char)text[i];
	p->hash = names_mix(p->hash, word);
}

static struct parts parts_start(uint32_t type, uint32_t line, uint32_t color, bool dynamic)
{
	struct parts p = {.type = type, .line = line, .color = color, .dynamic = dynamic};

	p.hash = names_mix(type, (uint64_t)line << 32 | color);
	return p;
}

static bool names_is_same(const struct entry *e, const struct parts *p)
{
	const char *at = e->strings;

	if (e->hash != p->hash || e->type != p->type || e->line != p->line || e->color != p->color)
		return false;
	for (unsigned i = 0; i < p->count; i++) {
		if ((size_t)(e->strings + e->len - at) < p->len[i] ||
		    (p->len[i] && memcmp(at, p->text[i], p->len[i])))
			return false;
		at += p->len[i];
		if (i + 1 < p->count && *at++)
			return false;
	}
	return at == e->strings + e->len;
}

static struct entry **names_bucket_of(const struct parts *p)
{
	return &buckets[p->hash >> 48 & (BUCKETS - 1)];
}

static struct entry *name_find(const struct parts *p)
{
	struct entry *e = __atomic_load_n(names_bucket_of(p), __ATOMIC_ACQUIRE);

	client_observe(names_bucket_of(p));
	while (e && !names_is_same(e, p))
		e = e->next_bucket;
	return e;
}

static bool name_announce(const struct entry *e)
{
	uint64_t words[2] = {e->id, e->line | (uint64_t)e->color << 32};
	unsigned count = e->type == RING_SRCLOC ? 2 : 1;

	return record_emit_locked(&client_process->meta, e->type, words, count, e->strings, e->len);
}

void names_announce(void)
{
	const struct entry *e = client_process->announced;

	for (e = e ? e->next : first; e && name_announce(e); e = e->next)
		client_process->announced = e;
}

static bool has_room(const struct parts *p, size_t len)
{
	if (last_id == MAX_ID)
		return false;
	return !p->dynamic ||
	       (dynamic_count < MAX_DYNAMIC && dynamic_bytes + len <= MAX_DYNAMIC_BYTES);
}

static struct entry *make_entry(const struct parts *p)
{
	struct entry *e;
	size_t len = p->count - 1;
	char *at;

	for (unsigned i = 0; i < p->count; i++)
		len += p->len[i];
	if (!has_room(p, len))
		return NULL;
	e = client_memory(sizeof(*e) + len + 1);
	if (!e)
		return NULL;
	e->next = NULL;
	e->hash = p->hash;
	e->type = p->type;
	e->line = p->line;
	e->color = p->color;
	e->id = ++last_id;
	e->len = (uint32_t)len;
	e->name_len = (uint32_t)p->len[0];
	e->last_at = (uint32_t)(len - p->len[p->count - 1]);
	at = e->strings;
	for (unsigned i = 0; i < p->count; i++) {
		if (p->len[i])
			memcpy(at, p->text[i], p->len[i]);
		at += p->len[i];
		if (i + 1 < p->count)
			*at++ = 0;
	}
	dynamic_count += p->dynamic;
	dynamic_bytes += p->dynamic ? len : 0;
	return e;
}

static struct entry *names_add_locked(const struct parts *p)
{
	struct entry *e = name_find(p), **bucket = names_bucket_of(p);

	if (e)
		return e;
	e = make_entry(p);
	if (!e)
		return NULL;
	__atomic_store_n(last ? &last->next : &first, e, __ATOMIC_RELEASE);
	__atomic_store_n(&last, e, __ATOMIC_RELEASE);
	if (client_process->key)
		names_announce();
	e->next_bucket = *bucket;
	client_publish(bucket);
	__atomic_store_n(bucket, e, __ATOMIC_RELEASE);
	return e;
}

/* The entry for P; NULL if there is no room for it. */
static const struct entry *name_intern(const struct parts *p)
{
	struct entry *e = name_find(p);
	struct guard guard;

	if (e || !client_process)
		return e;
	if (!client_lock(&guard))
		return NULL;
	e = names_add_locked(p);
	client_unlock(&guard);
	return e;
}

static uint32_t names_id_of(const struct entry *e)
{
	return e ? e->id : 0;
}

uint32_t names_intern(const char *name)
{
	static struct tacho_name too_many = {"(too many names)", 0, 0};
	struct parts p = parts_start(RING_NAME, 0, 0, true);
	uint32_t id;

	names_parts_add(&p, name, strlen(name));
	id = names_id_of(name_intern(&p));
	return id ? id : tacho_name_register(&too_many);
}

const char *names_keep(const char *name, size_t len)
{
	struct parts p = parts_start(RING_NAME, 0, 0, true);
	const struct entry *e;

	names_parts_add(&p, name, len);
	e = name_intern(&p);
	return e ? e->strings : NULL;
}

static const struct entry *names_find_srcloc(const char *const text[3], const size_t len[3],
					     uint32_t line, uint32_t color)
{
	struct parts p = parts_start(RING_SRCLOC, line, color & 0xffffff, true);

	for (int i = 0; i < 3; i++)
		names_parts_add(&p, text[i], len[i]);
	return name_intern(&p);
}

uint32_t names_srcloc(const char *const text[3], const size_t len[3], uint32_t line, uint32_t color)
{
	return names_id_of(names_find_srcloc(text, len, line, color));
}

/*
 * The source locations of run-time names that were found last. The slot is guessed from what is
 * quick to read; the entry in it is then compared in full. Entries are never freed, and a slot is
 * one pointer: threads and handlers may overwrite each other's.
 */
#define RECENT_BITS 10

static const struct entry *recent[1u << RECENT_BITS];

static const struct entry **recent_slot(const char *name, size_t len, const char *function,
					uint32_t line)
{
	uint64_t head = 0, tail = 0, place = (uint64_t)(uintptr_t)function ^ line;

	if (len >= 8) {
		memcpy(&head, name, 8);
		memcpy(&tail, name + len - 8, 8);
	} else {
		for (size_t i = 0; i < len; i++)
			head = head << 8 | (unsigned char)name[i];
	}
	head = (head ^ place) * 0x9e3779b97f4a7c15ull;
	tail = (tail ^ len) * 0xd6e8feb86659fd93ull;
	return &recent[(head + tail) >> (64 - RECENT_BITS)];
}

uint32_t names_srcloc_runtime(const char *name, size_t len, const char *function, const char *file,
			      uint32_t line, uint32_t color)
{
	const char *text[3] = {name ? name : "", function ? function : "", file ? file : ""};
	size_t lens[3] = {name ? len : 0};
	const struct entry **slot = recent_slot(text[0], lens[0], text[1], line);
	const struct entry *e = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	client_observe(slot);
	color &= 0xffffff;
	if (e && e->line == line && e->color == color && e->name_len == lens[0] &&
	    !memcmp(e->strings, text[0], lens[0]) && !strcmp(e->strings + lens[0] + 1, text[1]) &&
	    !strcmp(e->strings + e->last_at, text[2]))
		return e->id;
	lens[1] = strlen(text[1]);
	lens[2] = strlen(text[2]);
	e = names_find_srcloc(text, lens, line, color);
	if (e) {
		client_publish(slot);
		__atomic_store_n(slot, e, __ATOMIC_RELEASE);
	}
	return names_id_of(e);
}

static size_t names_length(const char *s)
{
	return s ? strlen(s) : 0;
}

TACHO_API uint32_t tacho_srcloc_register(struct tacho_srcloc *loc)
{
	struct parts p = parts_start(RING_SRCLOC, loc->line, loc->color & 0xffffff, false);
	uint32_t word;

	names_parts_add(&p, loc->name, names_length(loc->name));
	names_parts_add(&p, loc->function, names_length(loc->function));
	names_parts_add(&p, loc->file, names_length(loc->file));
	word = names_id_of(name_intern(&p)) << 2;
	__atomic_store_n(&loc->word, word, __ATOMIC_RELAXED);
	return word ? word : UNKNOWN_ID << 2;
}

TACHO_API uint32_t tacho_name_register(struct tacho_name *name)
{
	struct parts p = parts_start(RING_NAME, 0, 0, false);
	uint32_t id;

	names_parts_add(&p, name->text, names_length(name->text));
	id = names_id_of(name_intern(&p));
	__atomic_store_n(&name->id, id, __ATOMIC_RELAXED);
	return id;
}

TACHO_API uint32_t tacho_srcloc_make(const char *name, const char *function, const char *file,
				     uint32_t line, uint32_t color)
{
	const char *text[3] = {name, function, file};
	size_t len[3] = {names_length(name), names_length(function), names_length(file)};

	return names_srcloc(text, len, line, color);
}
