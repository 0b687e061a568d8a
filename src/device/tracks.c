/* SPDX-License-Identifier: Apache-2.0 */
/* Write the zones of kernels to the recording's tracks, in host time (sync.h). */
#include "base/order.h"
#include "device/launch.h"
#include "device/prof.h"
#include "tacho_layout.h"

#include <tacho/cores.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One colour per RISC, as users of such traces know them. */
static const uint32_t colors[DEVICE_RISCS] = {0xee9a00, 0x43cd80, 0x6ca6cd, 0x00e5ee, 0x98f5ff};
#define COLOR_ERISC 0xcdcd00u

static uint64_t track_of(const struct tacho_device *d, unsigned core, unsigned risc)
{
	const struct tacho_device_core *c = &d->cores[core].info;

	return tacho_core_id(d->number, c->x, c->y, risc);
}

/* Once per recording, when the RISC has something to record. */
static void name_track(struct tacho_device *d, unsigned core, unsigned risc)
{
	const struct tacho_device_core *c = &d->cores[core].info;
	uint32_t recording = (uint32_t)(tacho_key() >> 32);
	uint32_t *named = &d->prof->named[core * DEVICE_RISCS + risc];
	char name[120];

	if (*named == recording)
		return;
	*named = recording;
	snprintf(name, sizeof(name), "Device %u, %score %u,%u (NoC %u,%u)/%s", d->number,
		 c->ethernet ? "Ethernet " : "", c->logical_x, c->logical_y, c->x, c->y,
		 prof_risc_name(d, risc, c->ethernet));
	tacho_core_name(track_of(d, core, risc), name,
			d->cores[core].info.ethernet ? COLOR_ERISC : colors[risc]);
}

enum trace_marker_kind prof_item_kind(const struct prof_item *item)
{
	static const enum trace_marker_kind kinds[] = {
		[PROF_K_ZONE] = TRACE_MARK_START,   [PROF_K_TOTAL] = TRACE_MARK_TOTAL,
		[PROF_K_DATA] = TRACE_MARK_DATA,    [PROF_K_EVENT] = TRACE_MARK_EVENT,
		[PROF_K_DATA_16] = TRACE_MARK_DATA,
	};

	if (kinds[item->kind] == TRACE_MARK_DATA && item->id == PROF_ID_NOC)
		return TRACE_MARK_NOC;
	if (kinds[item->kind] == TRACE_MARK_DATA && item->id == PROF_ID_COUNTERS)
		return TRACE_MARK_COUNTER;
	return kinds[item->kind];
}

uint8_t prof_item_values(const struct prof_item *item, uint64_t values[2])
{
	values[0] = item->kind == PROF_K_EVENT ? item->id : item->data[0];
	values[1] = item->kind == PROF_K_DATA_16 ? item->data[1] : 0;
	if (item->kind == PROF_K_DATA_16 && item->id == PROF_ID_COUNTERS) {
		values[0] = (uint32_t)item->data[0];
		values[1] = item->data[0] >> 32;
	}
	return item->kind == PROF_K_ZONE ? 0 : item->kind == PROF_K_DATA_16 ? 2 : 1;
}

/* The function that timelines show for a marker that is not a zone. */
static const char *function_of(const struct prof_item *item)
{
	static const char *const words[] = {
		[TRACE_MARK_START] = "",       [TRACE_MARK_TOTAL] = "ZONE_TOTAL",
		[TRACE_MARK_DATA] = "TS_DATA", [TRACE_MARK_EVENT] = "TS_EVENT",
		[TRACE_MARK_NOC] = "NOC",      [TRACE_MARK_COUNTER] = "COUNTER",
	};

	return words[prof_item_kind(item)];
}

/* No colour: tracks have their own, and a zone of several RISCs has one source location. */
static uint32_t srcloc_of(struct tacho_device *d, const struct prof_item *item)
{
	struct prof *p = d->prof;
	struct tacho_device_event e;
	char number[16];
	uint16_t id = item->id;

	while (p->srclocs.n <= id)
		if (vec_push(&p->srclocs, 0) < 0)
			return 0;
	if (!p->srclocs.v[id]) {
		prof_name(d, id, &e);
		snprintf(number, sizeof(number), "zone %u", id);
		p->srclocs.v[id] = tacho_srcloc_make(e.name[0] ? e.name : number, function_of(item),
						     e.file, e.line, 0);
	}
	return p->srclocs.v[id];
}

static uint32_t srcloc_of_item(struct tacho_device *d, const struct prof_item *item)
{
	enum trace_marker_kind kind = prof_item_kind(item);
	bool noc = kind == TRACE_MARK_NOC;
	unsigned type = noc ? item->data[0] & 0xff : item->data[1] & 0xff;
	uint32_t *known = &d->prof->fixed[noc][type];
	char name[32];

	if (kind == TRACE_MARK_EVENT) {
		snprintf(name, sizeof(name), "event %u", item->id);
		return tacho_srcloc_make(name, function_of(item), "", 0, 0);
	}
	if (!noc && kind != TRACE_MARK_COUNTER)
		return srcloc_of(d, item);
	if (!*known)
		*known = tacho_srcloc_make(noc ? prof_noc_name(type) : prof_counter_name(type),
					   function_of(item), "", 0, 0);
	return *known;
}

/* The data words of a marker; of a zone without a parent the op that runs, and its replay. */
static void values_fill(struct tacho_device *d, const struct prof_item *item, bool inside,
			struct tacho_marker *m)
{
	struct device_replay r;

	m->values = prof_item_values(item, m->value);
	if (m->kind != TACHO_MARK_START || inside)
		return;
	m->value[0] = item->op ? op_id(d, item->op) : 0;
	m->values = 1;
	if (item->op && replay_find(d, item->op, item->replay, &r))
		m->value[m->values++] = (uint64_t)r.trace << 32 | r.replay;
}

ORDER_BY(tracks_compare, struct prof_item, ORDER_UP(start) ?: ORDER_DOWN(end));

/* The reference clock of the device: the core's own may be ahead of it. */
static void marker_put(struct tacho_device *d, unsigned core, uint64_t track,
		       struct tacho_marker *m, uint64_t cycle)
{
	m->ticks = sync_ticks(d, core, cycle);
	m->cycle = sync_cycle(d, core, cycle);
	tacho_core_marker(track, m);
}

/*
 * Items sorted by start, outer zones before inner ones: each ends before the next one that it does
 * not contain.
 */
static void put_items(struct tacho_device *d, unsigned core, uint64_t track,
		      const struct prof_item *items, size_t n)
{
	const struct prof_item *open[128];
	size_t depth = 0;

	for (size_t i = 0; i <= n; i++) {
		struct tacho_marker m = {.kind = TACHO_MARK_END};

		while (depth && (i == n || open[depth - 1]->end <= items[i].start)) {
			const struct prof_item *z = open[--depth];

			m.srcloc = srcloc_of_item(d, z);
			marker_put(d, core, track, &m, z->end);
		}
		if (i == n || depth == sizeof(open) / sizeof(open[0]))
			continue;
		m.kind = (enum tacho_marker_kind)prof_item_kind(&items[i]);
		m.srcloc = srcloc_of_item(d, &items[i]);
		values_fill(d, &items[i], depth > 0, &m);
		marker_put(d, core, track, &m, items[i].start);
		if (m.kind == TACHO_MARK_START)
			open[depth++] = &items[i];
		else if (m.kind == TACHO_MARK_COUNTER && m.values > 1) {
			const struct tacho_device_core *c = &d->cores[core].info;
			char name[96];

			snprintf(name, sizeof(name), "Device %u %s (%u,%u)", d->number,
				 prof_counter_name(items[i].data[1] & 0xff), c->logical_x,
				 c->logical_y);
			tacho_plot_int(name, (uint32_t)items[i].data[0]);
		}
	}
}

void tracks_put(struct tacho_device *d, unsigned core, unsigned risc, const struct prof_item *items,
		size_t n)
{
	struct prof_item *zones;
	size_t count = 0;

	if (!n || d->prof->no_tracks || !tacho_is_recording())
		return;
	zones = malloc(n * sizeof(*zones));
	if (!zones)
		return;
	name_track(d, core, risc);
	for (size_t i = 0; i < n; i++)
		if (!(items[i].flags & (PROF_START_LOST | PROF_END_LOST)))
			zones[count++] = items[i];
	qsort(zones, count, sizeof(*zones), tracks_compare);
	put_items(d, core, track_of(d, core, risc), zones, count);
	free(zones);
}

/* The loss is recorded at the last known time of the device. */
static uint64_t loss_ticks(const struct tacho_device *d, unsigned core)
{
	uint64_t ticks = sync_ticks(d, core, sync_last(d, core)), now = tacho_ticks();

	return ticks < now ? ticks : now;
}

void tracks_lost(struct tacho_device *d, unsigned core, unsigned risc, uint64_t markers)
{
	if (!tacho_is_recording())
		return;
	name_track(d, core, risc);
	tacho_core_lost(track_of(d, core, risc), loss_ticks(d, core), markers);
}

void tracks_damaged(struct tacho_device *d, unsigned core, unsigned risc, uint64_t markers)
{
	if (!tacho_is_recording())
		return;
	name_track(d, core, risc);
	tacho_core_damaged(track_of(d, core, risc), loss_ticks(d, core), markers);
}
