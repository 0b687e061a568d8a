#include "client/client.h"

#include <string.h>

/*
 * All source locations and names that were ever used, in process memory: they are sent again when
 * the process joins another session and when a child does. Entries are only added, at the head of
 * a bucket and at the tail of the list, each with one store, so a reader needs no lock and a fork
 * at any moment finds a sound table.
 */
struct entry {
	struct entry *next;        /* in order of numbers */
	struct entry *next_bucket; /* same hash */
	uint64_t hash;
	uint32_t type; /* RING_SRCLOC or RING_NAME */
	uint32_t id;
	uint32_t line, color;
	uint32_t len;
	char strings[]; /* a name; or name NUL function NUL file */
};

#define BUCKETS 4096
#define MAX_ID  0xffffffu

static struct entry *buckets[BUCKETS];
static struct entry *first, *last;
static uint32_t last_id;

struct parts {
	uint32_t type, line, color;
	const char *text[3];
	size_t len[3];
	unsigned count;
	uint64_t hash;
};

static void parts_add(struct parts *p, const char *text, size_t len)
{
	p->text[p->count] = text;
	p->len[p->count++] = len;
	for (size_t i = 0; i < len; i++)
		p->hash = (p->hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	p->hash = (p->hash ^ 0xff) * 0x100000001b3ull;
}

static struct parts parts_start(uint32_t type, uint32_t line, uint32_t color)
{
	struct parts p = {.type = type, .line = line, .color = color};

	p.hash = 0xcbf29ce484222325ull ^ ((uint64_t)line << 32 | color) * 0x9e3779b97f4a7c15ull;
	return p;
}

static bool same(const struct entry *e, const struct parts *p)
{
	const char *at = e->strings;

	if (e->hash != p->hash || e->type != p->type || e->line != p->line || e->color != p->color)
		return false;
	for (unsigned i = 0; i < p->count; i++) {
		if ((size_t)(e->strings + e->len - at) < p->len[i] || memcmp(at, p->text[i], p->len[i]))
			return false;
		at += p->len[i];
		if (i + 1 < p->count && *at++)
			return false;
	}
	return at == e->strings + e->len;
}

static struct entry *find(const struct parts *p)
{
	struct entry *e = __atomic_load_n(&buckets[p->hash % BUCKETS], __ATOMIC_ACQUIRE);

	while (e && !same(e, p))
		e = e->next_bucket;
	return e;
}

static void announce(const struct entry *e)
{
	uint64_t words[2] = {e->id, e->line | (uint64_t)e->color << 32};
	unsigned count = e->type == RING_SRCLOC ? 2 : 1;

	record_emit_locked(&client_process->meta, e->type, words, count, e->strings, e->len);
}

void names_announce(void)
{
	const struct entry *e = client_process->announced;

	for (e = e ? e->next : first; e; e = e->next) {
		announce(e);
		client_process->announced = e;
	}
}

static struct entry *add_locked(const struct parts *p)
{
	struct entry *e = find(p), **bucket = &buckets[p->hash % BUCKETS];
	size_t len = p->count - 1;
	char *at;

	if (e || last_id == MAX_ID)
		return e;
	for (unsigned i = 0; i < p->count; i++)
		len += p->len[i];
	e = client_memory(sizeof(*e) + len);
	if (!e)
		return NULL;
	e->next = NULL;
	e->next_bucket = *bucket;
	e->hash = p->hash;
	e->type = p->type;
	e->line = p->line;
	e->color = p->color;
	e->id = ++last_id;
	e->len = (uint32_t)len;
	at = e->strings;
	for (unsigned i = 0; i < p->count; i++) {
		memcpy(at, p->text[i], p->len[i]);
		at += p->len[i];
		if (i + 1 < p->count)
			*at++ = 0;
	}
	__atomic_store_n(last ? &last->next : &first, e, __ATOMIC_RELEASE);
	last = e;
	__atomic_store_n(bucket, e, __ATOMIC_RELEASE);
	return e;
}

/* The number of what P describes; 0 when there is no memory for it. */
static uint32_t intern(const struct parts *p)
{
	struct entry *e = find(p);
	struct guard guard;

	if (e)
		return e->id;
	if (!client_process)
		return 0;
	client_lock(&guard);
	e = add_locked(p);
	if (e && client_process->key)
		names_announce();
	client_unlock(&guard);
	return e ? e->id : 0;
}

uint64_t names_intern(const char *name)
{
	struct parts p = parts_start(RING_NAME, 0, 0);

	parts_add(&p, name, strlen(name));
	return intern(&p);
}

static size_t length(const char *s)
{
	return s ? strlen(s) : 0;
}

TACHO_API uint32_t tacho_srcloc_register(struct tacho_srcloc *loc)
{
	struct parts p = parts_start(RING_SRCLOC, loc->line, loc->color & 0xffffff);
	uint32_t word;

	parts_add(&p, loc->name, length(loc->name));
	parts_add(&p, loc->function, length(loc->function));
	parts_add(&p, loc->file, length(loc->file));
	word = intern(&p) << 2;
	__atomic_store_n(&loc->word, word, __ATOMIC_RELAXED);
	return word;
}
