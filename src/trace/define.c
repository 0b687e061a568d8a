/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: processes, tracks, source locations, properties, ledgers. */
#include "base/limits.h"
#include "trace/writer.h"

#include <xxhash.h>

#define DEFS_BYTES     (256u << 10)
#define OPEN_ZONES_MAX (1u << 20) /* of a record: it has to fit into a block */

static int defs_added(struct trace_writer *w)
{
	if (w->defs.failed)
		return writer_no_memory(w);
	return w->defs.len > DEFS_BYTES ? writer_flush_defs(w) : w->error.code;
}

int trace_set_property(struct trace_writer *w, const char *key, const char *value)
{
	defs_add_property(&w->defs, key, value);
	return defs_added(w);
}

int trace_set_open_zones(struct trace_writer *w, const struct trace_open_zone *zones, size_t count)
{
	defs_add_open_zones(&w->defs, zones, count < OPEN_ZONES_MAX ? count : OPEN_ZONES_MAX);
	return defs_added(w);
}

int trace_add_clock_point(struct trace_writer *w, const struct trace_clock_point *point)
{
	defs_add_clock_point(&w->defs, point);
	return defs_added(w);
}

int64_t trace_add_process(struct trace_writer *w, const struct trace_process *p)
{
	uint32_t id = w->process_count;
	int r;

	if (w->error.code)
		return w->error.code;
	if (id >= LIMIT_TRACKS)
		return writer_fail(w, TACHO_ELIMIT, "%s: too many processes", w->part);
	defs_add_process(&w->defs, id, p);
	r = defs_added(w);
	if (r < 0)
		return r;
	w->process_count++;
	return id;
}

int64_t trace_add_absent(struct trace_writer *w, const struct trace_absent *a)
{
	uint32_t id = w->absent_count;
	int r;

	if (w->error.code)
		return w->error.code;
	if (id >= LIMIT_ABSENT)
		return TACHO_ELIMIT; /* the caller counts it in an entry for several */
	defs_add_absent(&w->defs, id, a);
	r = defs_added(w);
	if (r < 0)
		return r;
	w->absent_count++;
	return id;
}

int trace_update_absent(struct trace_writer *w, uint32_t id, const struct trace_absent *a)
{
	if (id >= w->absent_count)
		return writer_fail(w, TACHO_EINTERNAL, "%s: no absent process %u", w->part, id);
	defs_add_absent(&w->defs, id, a);
	return defs_added(w);
}

int64_t trace_add_track(struct trace_writer *w, const struct trace_track *t)
{
	uint32_t id = w->track_count;
	int r;

	if (w->error.code)
		return w->error.code;
	if (id >= LIMIT_TRACKS)
		return writer_fail(w, TACHO_ELIMIT, "%s: too many tracks", w->part);
	if (vec_push(&w->tracks, (struct writer_track){0}) < 0)
		return writer_no_memory(w);
	defs_add_track(&w->defs, id, t);
	r = defs_added(w);
	if (r < 0)
		return r;
	w->track_count++;
	return id;
}

int trace_update_process(struct trace_writer *w, uint32_t id, const struct trace_process *p)
{
	if (id >= w->process_count)
		return writer_fail(w, TACHO_EINTERNAL, "%s: no process %u", w->part, id);
	defs_add_process(&w->defs, id, p);
	return defs_added(w);
}

int trace_update_track(struct trace_writer *w, uint32_t id, const struct trace_track *t)
{
	if (id >= w->track_count)
		return writer_fail(w, TACHO_EINTERNAL, "%s: no track %u", w->part, id);
	defs_add_track(&w->defs, id, t);
	return defs_added(w);
}

int trace_add_ledger(struct trace_writer *w, uint32_t track, const struct trace_ledger *more)
{
	struct writer_track *t;

	if (track >= w->track_count)
		return writer_fail(w, TACHO_EINTERNAL, "%s: no track %u", w->part, track);
	t = &w->tracks.v[track];
	t->ledger.zones_emitted += more->zones_emitted;
	t->ledger.zones_lost += more->zones_lost;
	t->ledger.rows_emitted += more->rows_emitted;
	t->ledger.rows_lost += more->rows_lost;
	t->ledger_changed = true;
	return w->error.code;
}

/* ------------------------------------------------------ source locations */

static void hash_srcloc(const struct trace_srcloc *s, uint64_t *hash)
{
	uint32_t numbers[2] = {s->line, s->color};
	const char *texts[3] = {s->name, s->function, s->file};
	uint64_t low = XXH3_64bits(numbers, sizeof(numbers)), high = ~low;

	for (int i = 0; i < 3; i++) {
		const char *text = texts[i] ? texts[i] : "";
		size_t len = strlen(text);

		low = XXH3_64bits_withSeed(text, len, low);
		high = XXH3_64bits_withSeed(text, len, high);
	}
	hash[0] = low;
	hash[1] = high;
}

static struct srcloc_slot *slot_find(struct srcloc_slot *slots, size_t count, const uint64_t *hash)
{
	size_t i = hash[0] & (count - 1);

	while (slots[i].used && (slots[i].hash[0] != hash[0] || slots[i].hash[1] != hash[1]))
		i = (i + 1) & (count - 1);
	return &slots[i];
}

static int slots_grow(struct trace_writer *w)
{
	size_t count = w->slot_count ? w->slot_count * 2 : 256;
	struct srcloc_slot *slots;

	if (w->srcloc_count < w->slot_count / 2)
		return 0;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < w->slot_count; i++)
		if (w->slots[i].used)
			*slot_find(slots, count, w->slots[i].hash) = w->slots[i];
	free(w->slots);
	w->slots = slots;
	w->slot_count = count;
	return 0;
}

int64_t srcloc_intern(struct trace_writer *w, const struct trace_srcloc *s, bool *known)
{
	struct srcloc_slot *slot;
	uint64_t hash[2];

	if (slots_grow(w) < 0)
		return writer_no_memory(w);
	hash_srcloc(s, hash);
	slot = slot_find(w->slots, w->slot_count, hash);
	*known = slot->used;
	if (slot->used)
		return slot->id;
	if (w->srcloc_count >= LIMIT_SRCLOCS)
		return writer_fail(w, TACHO_ELIMIT, "%s: too many source locations", w->part);
	if (vec_push(&w->sums, (struct zone_sums){.min = UINT64_MAX}) < 0)
		return writer_no_memory(w);
	*slot = (struct srcloc_slot){{hash[0], hash[1]}, w->srcloc_count, true};
	return w->srcloc_count++;
}

int64_t trace_add_srcloc(struct trace_writer *w, const struct trace_srcloc *s)
{
	bool known;
	int64_t id;
	int r;

	if (w->error.code)
		return w->error.code;
	id = srcloc_intern(w, s, &known);
	if (id < 0 || known)
		return id;
	defs_add_srcloc(&w->defs, (uint32_t)id, s);
	r = defs_added(w);
	return r < 0 ? r : id;
}
