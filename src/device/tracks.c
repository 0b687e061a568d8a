/* SPDX-License-Identifier: Apache-2.0 */
/* Write the zones of kernels to the recording's tracks, in host time (sync.h). */
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

static uint32_t color_of(const struct tacho_device *d, unsigned core, unsigned risc)
{
	return d->cores[core].info.ethernet ? COLOR_ERISC : colors[risc];
}

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
	tacho_core_name(track_of(d, core, risc), name, color_of(d, core, risc));
}

/* The marker kind is stored in the source location's function. */
static const char *function_of(const struct prof_item *item)
{
	switch (item->kind) {
	case PROF_K_TOTAL:
		return "ZONE_TOTAL";
	case PROF_K_EVENT:
		return "TS_EVENT";
	case PROF_K_DATA:
	case PROF_K_DATA_16:
		return item->id == PROF_ID_NOC        ? "NOC"
		       : item->id == PROF_ID_COUNTERS ? "COUNTER"
						      : "TS_DATA";
	default:
		return "";
	}
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

/* Values, events, transfers and counters are zones of length 0. */
static uint32_t srcloc_of_item(struct tacho_device *d, const struct prof_item *item)
{
	bool noc = item->id == PROF_ID_NOC, counter = item->id == PROF_ID_COUNTERS;
	unsigned type = noc ? item->data[0] & 0xff : item->data[1] & 0xff;
	uint32_t *known = &d->prof->fixed[noc][type];
	char name[32];

	if (item->kind == PROF_K_EVENT) {
		snprintf(name, sizeof(name), "event %u", item->id);
		return tacho_srcloc_make(name, function_of(item), "", 0, 0);
	}
	if ((item->kind != PROF_K_DATA && item->kind != PROF_K_DATA_16) || !(noc || counter))
		return srcloc_of(d, item);
	if (!*known)
		*known = tacho_srcloc_make(noc ? prof_noc_name(type) : prof_counter_name(type),
					   function_of(item), "", 0, 0);
	return *known;
}

static void plot_counter(const struct tacho_device *d, unsigned core, const struct prof_item *item)
{
	const struct tacho_device_core *c = &d->cores[core].info;
	char name[96];

	snprintf(name, sizeof(name), "Device %u %s (%u,%u)", d->number,
		 prof_counter_name(item->data[1] & 0xff), c->logical_x, c->logical_y);
	tacho_plot_int(name, (uint32_t)item->data[0]);
}

/* The data words of a marker. */
static void put_values(struct tacho_device *d, unsigned core, uint64_t track, uint32_t srcloc,
		       const struct prof_item *item)
{
	if (item->kind == PROF_K_EVENT) {
		tacho_core_value(track, srcloc, item->id);
	} else if (item->id == PROF_ID_COUNTERS && item->kind == PROF_K_DATA_16) {
		tacho_core_value(track, srcloc, (uint32_t)item->data[0]);
		tacho_core_value(track, srcloc, item->data[0] >> 32);
		plot_counter(d, core, item);
	} else {
		tacho_core_value(track, srcloc, item->data[0]);
		if (item->kind == PROF_K_DATA_16)
			tacho_core_value(track, srcloc, item->data[1]);
	}
}

/* The op, when the outermost zone starts, and its replay. */
static void put_op(struct tacho_device *d, uint64_t track, uint32_t srcloc,
		   const struct prof_item *item)
{
	struct device_replay r;

	if (!item->op)
		return;
	tacho_core_value(track, srcloc, op_id(d, item->op));
	if (replay_find(d, item->op, item->replay, &r))
		tacho_core_value(track, srcloc, (uint64_t)r.trace << 32 | r.replay);
}

static int tracks_compare(const void *a, const void *b)
{
	const struct prof_item *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/*
 * Zones sorted by start, outer before inner: each ends before the next one that it does not
 * contain.
 */
static void put_zones(struct tacho_device *d, unsigned core, uint64_t track,
		      const struct prof_item *zones, size_t n)
{
	const struct prof_item *open[128];
	size_t depth = 0;
	uint32_t srcloc;

	for (size_t i = 0; i <= n; i++) {
		while (depth && (i == n || open[depth - 1]->end <= zones[i].start)) {
			const struct prof_item *z = open[--depth];

			tacho_core_end(track, srcloc_of_item(d, z), sync_ticks(d, core, z->end));
		}
		if (i == n || depth == sizeof(open) / sizeof(open[0]))
			continue;
		srcloc = srcloc_of_item(d, &zones[i]);
		tacho_core_begin(track, srcloc, sync_ticks(d, core, zones[i].start), 0);
		if (zones[i].kind != PROF_K_ZONE)
			put_values(d, core, track, srcloc, &zones[i]);
		else if (!depth)
			put_op(d, track, srcloc, &zones[i]);
		open[depth++] = &zones[i];
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
	put_zones(d, core, track_of(d, core, risc), zones, count);
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
