/* SPDX-License-Identifier: Apache-2.0 */
/* Write frame images and sections. */
#include "tracy/write.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ images */

/* The unnamed set of the first process: the only one whose frames have images. */
static bool is_main_set(const struct write *w, uint32_t track)
{
	const struct trace_track *t = &w->trace->tracks[track];

	return t->kind == TRACE_FRAMES && !t->name[0] && t->format != 1 && t->process == w->process;
}

void images_count_mark(struct write *w, uint32_t track)
{
	w->marks += is_main_set(w, track);
}

/* First pass, by time. The frame of an image may come after it. */
int images_count(struct write *w, const struct trace_row *row, uint32_t track)
{
	uint64_t mark = w->marks - row->a;

	if (w->trace->tracks[track].process != w->process || !TRACE_IMAGE_IS_WHOLE(row))
		mark = 0;
	return vec_push(&w->images, mark);
}

/* Only frames that are in the file have an image, and only one. */
int images_prepare(struct write *w)
{
	uint32_t kept = 0;

	for (size_t i = 0; i < w->images.n; i++) {
		uint64_t mark = w->images.v[i];

		if (!mark || mark > w->marks || map_get(&w->image_of, mark)) {
			w->images.v[i] = 0;
			w->notes->n[TRACY_NOTE_IMAGES]++;
		} else if (map_set(&w->image_of, mark, kept++) < 0) {
			return TACHO_ENOMEM;
		}
	}
	w->images_kept = kept;
	return 0;
}

uint32_t images_of_frame(const struct write *w, uint32_t track, uint64_t mark)
{
	const uint32_t *image = is_main_set(w, track) ? map_get(&w->image_of, mark) : NULL;

	return image ? *image : UINT32_MAX;
}

int images_put(struct write *w)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	size_t at = 0;
	int r = 0;

	out_u32(&w->out, 0); /* dictionary */
	out_u64(&w->out, w->images_kept);
	if (!w->images_kept)
		return 0;
	r = trace_rows_open(&rows, w->trace, TRACE_NONE, 0, UINT64_MAX);
	if (r < 0)
		return r;
	while (at < w->images.n && (r = trace_rows_next(rows, &row, &track)) > 0) {
		if (row.kind != TRACE_ROW_FRAME_IMAGE || !w->images.v[at++])
			continue;
		out_u16(&w->out, (uint16_t)TRACE_IMAGE_WIDTH(row.b));
		out_u16(&w->out, (uint16_t)TRACE_IMAGE_HEIGHT(row.b));
		out_u8(&w->out, (uint8_t)TRACE_IMAGE_FLIP(row.b));
		out_copy(&w->out, row.text, row.text_len);
	}
	trace_rows_close(rows);
	return r < 0 ? r : 0;
}

/* ---------------------------------------------------------------- sections */

static int section_category(struct write *w, uint16_t category, uint32_t name)
{
	for (size_t i = 0; i < w->categories.n; i++)
		if (w->categories.v[i].number == category) {
			if (name)
				w->categories.v[i].name = name;
			return 0;
		}
	return vec_push(&w->categories, ((struct out_category){category, name}));
}

int sections_count(struct write *w, const struct trace_row *row, uint32_t track)
{
	/* Sections of several tracks have equal numbers. */
	uint64_t key = (uint64_t)track << 32 | (uint32_t)row->a;
	uint32_t *open = map_get(&w->section_of, key);
	uint16_t category = (uint16_t)row->b;
	int64_t text = 0;

	if (w->old) {
		w->notes->n[TRACY_NOTE_SECTIONS] += row->c == TRACE_SECTION_ENTER;
		return 0;
	}
	if (row->c == TRACE_SECTION_LEAVE) {
		if (open && *open)
			w->sections.v[*open - 1].end = write_ns(w, row->time);
		return open ? map_set(&w->section_of, key, 0) : 0;
	}
	text = strings_add(&w->strings, row->text, row->text_len);
	if (text < 0)
		return TACHO_ENOMEM;
	if (row->c == TRACE_SECTION_NAME)
		return section_category(w, category, (uint32_t)text + 1);
	if (vec_push(&w->sections, ((struct out_section){write_ns(w, row->time), -1,
							 (uint32_t)text + 1, category})) < 0 ||
	    map_set(&w->section_of, key, (uint32_t)w->sections.n) < 0)
		return TACHO_ENOMEM;
	return section_category(w, category, 0);
}

static void image_time_put(struct write *w, int64_t ns)
{
	out_bytes(&w->out, &ns, 6); /* the lower 48 bits */
}

void sections_put(struct write *w)
{
	out_u64(&w->out, w->categories.n);
	for (size_t k = 0; k < w->categories.n; k++) {
		uint16_t category = w->categories.v[k].number;
		uint64_t n = 0;

		out_u16(&w->out, category);
		for (size_t i = 0; i < w->sections.n; i++)
			n += w->sections.v[i].category == category;
		out_u64(&w->out, n);
		for (size_t i = 0; i < w->sections.n; i++) {
			const struct out_section *s = &w->sections.v[i];

			if (s->category != category)
				continue;
			image_time_put(w, s->start);
			image_time_put(w, s->end);
			out_u24(&w->out, s->text > STRING_MAX ? 0 : s->text);
		}
	}
	out_u64(&w->out, w->categories.n);
	for (size_t k = 0; k < w->categories.n; k++) {
		uint32_t name = w->categories.v[k].name;

		out_u16(&w->out, w->categories.v[k].number);
		out_u24(&w->out, name > STRING_MAX ? 0 : name);
	}
}
