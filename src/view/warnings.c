/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of a trace, and where they are. */
#include "op/trace_cores.h"
#include "trace/names.h"
#include "view/device_clock.h"
#include "view/row_merge.h"

#include <string.h>

#define WARNINGS 200u

struct warnings {
	struct view_call *c;
	uint32_t count;
};

/* False: the limit is reached. The object is left open for more members. */
static bool warning_begin(struct warnings *w, const char *kind, const char *text)
{
	if (w->count++ >= WARNINGS)
		return false;
	json_object(&w->c->json, NULL);
	json_text(&w->c->json, "kind", kind);
	json_text(&w->c->json, "text", text);
	return true;
}

static void warning_put(struct warnings *w, const char *kind, const char *text, uint32_t track)
{
	if (!warning_begin(w, kind, text))
		return;
	if (track != TRACE_NONE)
		json_uint(&w->c->json, "track", track);
	json_end(&w->c->json);
}

/*
 * A device drops markers from the moment its buffer is full until it is read, which is the time of
 * the row: so the missing part is after the last zone of the track. 0 if there are zones after the
 * row.
 */
static uint64_t loss_begin(const struct trace *t, uint32_t track, uint64_t time)
{
	uint32_t first, count;
	uint64_t last = 0;

	trace_track_lanes(t, track, &first, &count);
	for (uint32_t i = first; i < first + count; i++)
		last = t->lanes[i].end > last ? t->lanes[i].end : last;
	return last < time ? last : 0;
}

static void loss_put(struct warnings *w, const struct trace_row *row, uint32_t track)
{
	unsigned long long lost = row->b + row->c;
	bool device = row->a == TRACE_LOSS_DEVICE || row->a == TRACE_LOSS_DEVICE_DAMAGE;
	uint64_t from = row->a == TRACE_LOSS_DEVICE ? loss_begin(w->c->trace, track, row->time) : 0;
	char text[300];

	snprintf(text, sizeof(text), "%llu %s lost: %s", lost, device ? "markers" : "events",
		 trace_loss_name(row->a));
	if (!warning_begin(w, device ? "drop" : "loss", text))
		return;
	json_ns(w->c, "t", row->time);
	if (from)
		json_ns(w->c, "from", from);
	json_uint(&w->c->json, "track", track);
	json_uint(&w->c->json, "lost", lost);
	json_text(&w->c->json, "reason", trace_loss_name(row->a));
	json_end(&w->c->json);
}

/* Notes of the recorder on the track of a thread or a core: few rows. */
static void warnings_row_put(struct warnings *w, const struct trace_row *row, uint32_t track)
{
	const char *kind = "late";
	char text[300];

	if (row->kind == TRACE_ROW_LOSS) {
		loss_put(w, row, track);
		return;
	}
	if (row->kind == TRACE_ROW_LATE) {
		snprintf(text, sizeof(text), "%llu events whose time ran backwards",
			 (unsigned long long)row->a);
	} else if (row->kind == TRACE_ROW_NOTE) {
		kind = "damage";
		snprintf(text, sizeof(text), "%.*s",
			 (int)(row->text_len < 250 ? row->text_len : 250), row->text);
	} else {
		return;
	}
	if (!warning_begin(w, kind, text))
		return;
	json_ns(w->c, "t", row->time);
	json_uint(&w->c->json, "track", track);
	json_end(&w->c->json);
}

static int warnings_track_put(struct warnings *w, uint32_t track)
{
	struct trace_row row;
	struct rows *rows;
	uint32_t ignored;
	int r = rows_open(&rows, w->c, 0, track, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while (w->count < WARNINGS && (r = rows_next(rows, &row, &ignored)) > 0)
		warnings_row_put(w, &row, track);
	rows_close(rows);
	return r < 0 ? r : 0;
}

/* Rows with their times; and what was lost without one. */
static int warnings_tracks_put(struct warnings *w)
{
	const struct trace *t = w->c->trace;
	uint64_t *rows = calloc(t->track_count + 1, sizeof(*rows));
	int r = rows ? 0 : TACHO_ENOMEM;

	if (rows)
		trace_count_rows(t, rows);
	for (uint32_t i = 0; r == 0 && i < t->track_count && w->count < WARNINGS; i++) {
		uint64_t lost = t->ledgers[i].zones_lost + t->ledgers[i].rows_lost;
		uint32_t before = w->count;
		char text[300], name[128];

		if (t->tracks[i].kind <= TRACE_CORE && rows[i])
			r = warnings_track_put(w, i);
		if (!lost || w->count > before)
			continue;
		snprintf(text, sizeof(text), "%llu events of %.150s were lost",
			 (unsigned long long)lost, trace_track_name(t, i, name, sizeof(name)));
		warning_put(w, "loss", text, i);
	}
	free(rows);
	return r;
}

/* Devices whose clocks were never compared with the host's. */
static int clocks_put(struct warnings *w)
{
	const struct trace *t = w->c->trace;
	uint32_t last = TRACE_NONE;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < t->track_count; i++) {
		struct core_place place;
		uint64_t bound;
		char text[100];

		if (!track_place(&t->tracks[i], &place) || place.device == last)
			continue;
		last = place.device;
		r = device_bound(w->c, place.device, t->tracks[i].process, &bound);
		if (r < 0 || bound != UINT64_MAX)
			continue;
		snprintf(text, sizeof(text),
			 "the clock of device %u was never compared with the host's", place.device);
		warning_put(w, "clock", text, i);
	}
	return r;
}

/* Processes that could not join the recording. */
static void absent_put(struct warnings *w)
{
	const struct trace *t = w->c->trace;
	char reason[TRACE_ABSENT_TEXT], text[400];

	for (uint32_t i = 0; i < t->absent_count; i++) {
		const struct trace_absent *a = &t->absent[i];

		if (!a->count)
			continue;
		trace_absent_text(a, reason, sizeof(reason));
		if (a->pid)
			snprintf(text, sizeof(text), "process %u%s%.64s%s was not recorded: %s",
				 a->pid, a->name[0] ? " (" : "", a->name, a->name[0] ? ")" : "",
				 reason);
		else
			snprintf(text, sizeof(text), "%llu process%s not recorded: %s",
				 (unsigned long long)a->count, a->count == 1 ? " was" : "es were",
				 reason);
		if (!warning_begin(w, "absent", text))
			continue;
		json_uint(&w->c->json, "lost", a->count);
		json_text(&w->c->json, "reason", reason);
		json_end(&w->c->json);
	}
}

/* Pages list the ops of one process if several used the same device. */
static void process_put(struct warnings *w)
{
	const struct trace *t = w->c->trace;
	uint32_t process = op_main_process(t);
	char text[200];

	if (process == TRACE_NONE)
		return;
	snprintf(text, sizeof(text),
		 "several processes used the same device: ops are those of process %u (%.64s)",
		 t->processes[process].pid, t->processes[process].name);
	warning_put(w, "process", text, TRACE_NONE);
}

int warnings_put(struct view_call *c)
{
	struct warnings w = {.c = c};
	int r;

	json_array(&c->json, "warnings");
	if (c->trace->damage.text[0])
		warning_put(&w, "damage", c->trace->damage.text, TRACE_NONE);
	absent_put(&w);
	process_put(&w);
	r = clocks_put(&w);
	if (r == 0)
		r = warnings_tracks_put(&w);
	json_end(&c->json);
	return r;
}
