/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: the cache of decoded zone blocks. */
#include "base/limits.h"
#include "trace/reader.h"

static struct zblock **zblock_bucket_of(struct trace_private *p, uint64_t offset)
{
	return &p->buckets[(offset * 0x9e3779b97f4a7c15u) >> 32 & (CACHE_BUCKETS - 1)];
}

/* ------------------------------------ the lists of those without references */

/*
 * A view reads one range of many lanes, which have few blocks or thousands. The next view, wherever
 * it is, needs the same blocks of a short lane, and other ones of a long lane. So a quarter of the
 * cache is for the most recent blocks, which the next tile needs. In the rest, blocks of short
 * lanes live longer: a lane with half as many blocks counts like being used later by a whole cache
 * of blocks. So unused blocks of short lanes are dropped in the end, too.
 */
static struct zblock_list *list_of(struct trace_private *p, const struct zblock *z)
{
	return z->waits ? &p->recent : &p->others[z->rarity];
}

static void zblock_list_add(struct zblock_list *list, struct zblock *z)
{
	z->newer = NULL;
	z->older = list->newest;
	if (list->newest)
		list->newest->newer = z;
	else
		list->oldest = z;
	list->newest = z;
	list->bytes += z->bytes;
}

static void list_remove(struct zblock_list *list, struct zblock *z)
{
	*(z->newer ? &z->newer->older : &list->newest) = z->older;
	*(z->older ? &z->older->newer : &list->oldest) = z->newer;
	list->bytes -= z->bytes;
}

static void idle_add(struct trace_private *p, struct zblock *z)
{
	z->used = p->zblock_ages;
	z->waits = true;
	zblock_list_add(&p->recent, z);
	p->idle += z->bytes;
	p->idle_count++;
}

static void idle_remove(struct trace_private *p, struct zblock *z)
{
	list_remove(list_of(p, z), z);
	p->idle -= z->bytes;
	p->idle_count--;
}

/* The one that is missed least. */
static struct zblock *idle_least(const struct trace_private *p)
{
	struct zblock *least = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < ZBLOCK_RARITIES; i++) {
		struct zblock *z = p->others[i].oldest;
		uint64_t age = z ? p->zblock_ages - z->used + i * (uint64_t)p->idle_count : 0;

		if (z && (!least || age >= most)) {
			least = z;
			most = age;
		}
	}
	return least ? least : p->recent.oldest;
}

static void idle_trim(struct trace_private *p)
{
	while (p->recent.oldest && p->recent.bytes > p->idle_limit / 4) {
		struct zblock *z = p->recent.oldest;

		list_remove(&p->recent, z);
		z->waits = false;
		zblock_list_add(&p->others[z->rarity], z);
	}
	while (p->idle > p->idle_limit) {
		struct zblock *z = idle_least(p);
		struct zblock **link;

		idle_remove(p, z);
		link = zblock_bucket_of(p, z->offset);
		while (*link != z)
			link = &(*link)->next;
		*link = z->next;
		free(z->start);
		zone_marks_free(&z->marks);
		zpeek_free(&z->peek);
		free(z);
	}
}

void zblock_of_lane(struct zblock *z, size_t blocks)
{
	uint32_t rarity = blocks > 1 ? 63u - (uint32_t)__builtin_clzll(blocks) : 0;

	z->rarity = rarity < ZBLOCK_RARITIES ? rarity : ZBLOCK_RARITIES - 1;
}

/* ----------------------------------------------------------------- decode */

static int zblock_room(struct zblock *z, uint32_t n)
{
	z->start = malloc((n ? n : 1) * (2 * sizeof(*z->start) + sizeof(*z->srcloc)));
	if (!z->start)
		return TACHO_ENOMEM;
	z->end = z->start + n;
	z->srcloc = (uint32_t *)(z->end + n);
	z->bytes += n * (2 * sizeof(*z->start) + sizeof(*z->srcloc));
	return 0;
}

/* Columns for a look at single zones. */
static int zblock_peek(struct trace_private *p, struct zblock *z, const struct zpayload *payload,
		       uint32_t columns)
{
	uint32_t first = columns & ZBLOCK_PEEK_TIMES ? PEEK_GAP : PEEK_SRCLOC;
	uint32_t end = columns & ZBLOCK_PEEK_SRCLOCS ? PEEK_COLUMNS : PEEK_SRCLOC;
	int r = first < end ? zpeek_read(p->unpacker, payload, first, end, &z->peek) : 0;

	if (r == TACHO_ENO) {
		z->no_peek = true;
		return 0;
	}
	if (r == 0 && first < end)
		z->bytes += z->peek.bytes[first];
	return r;
}

/* Decodes the columns that are missing. */
static int zblock_decode(struct trace_private *p, struct zblock *z, uint32_t columns)
{
	struct zpayload payload;
	int r = zpayload_read(p, z->offset, &payload);

	columns &= ~z->columns;
	if (r == 0 && z->columns && payload.n != z->n)
		r = TACHO_EDAMAGED;
	if (r == 0)
		z->n = payload.n;
	if (r == 0 && !z->start && columns & ZBLOCK_ALL)
		r = zblock_room(z, payload.n);
	if (r == 0)
		r = zblock_peek(p, z, &payload, columns);
	if (r == 0 && columns & ZBLOCK_TIMES)
		r = zpayload_times(p, &payload, z->start, z->end);
	if (r == 0 && columns & ZBLOCK_SRCLOCS)
		r = zpayload_srclocs(p, &payload, z->srcloc);
	if (r == 0 && columns & ZBLOCK_MARKS) {
		r = zpayload_marks(p, &payload, &z->marks);
		if (r == 0)
			z->bytes += z->marks.bytes;
	}
	if (r == 0)
		z->columns |= columns;
	return r;
}

static struct zblock *zblock_new(struct trace_private *p, uint64_t offset)
{
	struct zblock **bucket = zblock_bucket_of(p, offset), *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	p->zblock_ages++;
	z->offset = offset;
	z->bytes = sizeof(*z);
	z->rarity = ZBLOCK_RARITIES - 1;
	z->marks.text = z->marks.recursive = (struct buf)BUF_INIT;
	z->next = *bucket;
	*bucket = z;
	return z;
}

int zblock_get(struct trace_private *p, uint64_t offset, uint32_t columns, struct zblock **block)
{
	struct zblock *z = *zblock_bucket_of(p, offset);
	size_t before;
	int r = 0;

	while (z && z->offset != offset)
		z = z->next;
	if (z && !z->references)
		idle_remove(p, z);
	else if (z)
		p->held -= z->bytes;
	else
		z = zblock_new(p, offset);
	if (!z)
		return TACHO_ENOMEM;
	before = z->bytes;
	if (!z->bad && columns & ~z->columns)
		r = zblock_decode(p, z, columns);
	if (r == TACHO_EDAMAGED) {
		damage_add(p, offset);
		z->bad = true;
		z->n = 0;
		r = 0;
	}
	if (r == 0 && p->held + z->bytes > LIMIT_DECODED && z->bytes > before)
		r = TACHO_ELIMIT;
	if (r == 0)
		z->references++;
	if (z->references)
		p->held += z->bytes;
	else
		idle_add(p, z);
	idle_trim(p);
	if (r == 0)
		*block = z;
	return r;
}

void zblock_put(struct trace_private *p, struct zblock *z)
{
	if (!z || --z->references)
		return;
	p->held -= z->bytes;
	idle_add(p, z);
	idle_trim(p);
}

void zblock_cache_free(struct trace_private *p)
{
	p->idle_limit = 0;
	idle_trim(p);
}
