/* SPDX-License-Identifier: Apache-2.0 */
/* Read frame images and sections. */
#include "tracy/read.h"

#include "base/order.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t other_track(struct read *r, uint32_t *track, uint64_t id, const char *name)
{
	struct trace_track t = {.process = r->process,
				.kind = TRACE_OTHER,
				.id = id,
				.srcloc = TRACE_NONE,
				.name = name};

	if (*track == TRACE_NONE)
		*track = sink_track(&r->sink, &t);
	return *track;
}

/* ------------------------------------------------------------------ images */

void read_images_frame(struct read *r, uint32_t image, uint64_t time)
{
	struct read_image i = {.image = image, .time = time};

	if (image == UINT32_MAX || !read_spend(r, 2 * sizeof(i)))
		return;
	if (vec_push(&r->images, i) < 0)
		in_fail(&r->in, TACHO_ENOMEM, "no memory");
}

ORDER_BY(images_by_number, struct read_image, ORDER_UP(image));

/* The rows come in the order of images, which is that of their frames unless the file is odd. */
static void read_image(struct read *r, struct trace_row *row, struct buf *bytes)
{
	uint64_t width = in_u16(&r->in), height = in_u16(&r->in), flip = in_u8(&r->in);
	uint64_t len = width * height / 2;

	row->b = TRACE_IMAGE(width, height, flip != 0);
	row->text_len = (uint32_t)len;
	if (!row->time || len > LIMIT_BLOCK_TEXT || !TRACE_IMAGE_IS_WHOLE(row)) {
		in_skip(&r->in, len);
		r->notes->n[TRACY_NOTE_IMAGES] += read_ok(r);
		return;
	}
	buf_reset(bytes);
	if (buf_reserve(bytes, len) < 0) {
		in_fail(&r->in, TACHO_ENOMEM, "no memory");
		return;
	}
	in_copy(&r->in, bytes->data, len);
	row->text = bytes->data;
	if (read_ok(r))
		sink_row(&r->sink, other_track(r, &r->images_track, READ_IMAGES, TRACE_IMAGES),
			 row);
}

void read_images(struct read *r)
{
	struct buf bytes = BUF_INIT;
	size_t at = 0;
	uint64_t n;

	if (r->images.n)
		qsort(r->images.v, r->images.n, sizeof(*r->images.v), images_by_number);
	in_skip(&r->in, in_u32(&r->in)); /* dictionary */
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct trace_row row = {.kind = TRACE_ROW_FRAME_IMAGE, .thread = TRACE_NONE};

		while (at < r->images.n && r->images.v[at].image < i)
			at++;
		if (at < r->images.n && r->images.v[at].image == i)
			row.time = r->images.v[at].time + 1; /* after the mark */
		read_image(r, &row, &bytes);
	}
	buf_free(&bytes);
}

/* ---------------------------------------------------------------- sections */

static int64_t in_time48(struct in *in)
{
	uint64_t v = 0;

	format_in_bytes(in, &v, 6);
	return (int64_t)(v << 16) >> 16;
}

static void section_push(struct read *r, struct read_section s)
{
	if (read_ok(r) && read_spend(r, sizeof(s)) && vec_push(&r->sections, s) < 0)
		in_fail(&r->in, TACHO_ENOMEM, "no memory");
}

static void read_section_list(struct read *r, uint16_t category)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct read_section s = {.op = TRACE_SECTION_ENTER, .category = category};
		int64_t start = in_time48(&r->in), end = in_time48(&r->in);

		s.number = (uint32_t)++r->section_count;
		s.text = in_u24(&r->in);
		s.time = read_tick(start);
		section_push(r, s);
		s.op = TRACE_SECTION_LEAVE;
		s.text = 0;
		s.time = read_tick(end);
		if (end >= start)
			section_push(r, s);
	}
}

void read_old_sections(struct read *r)
{
	read_section_list(r, 0);
}

void read_sections(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_section_list(r, in_u16(&r->in));
	n = in_u64(&r->in);
	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct read_section s = {.op = TRACE_SECTION_NAME, .time = READ_ORIGIN};

		s.category = in_u16(&r->in);
		s.text = in_u24(&r->in);
		if (s.text)
			section_push(r, s);
	}
}

ORDER_BY(sections_by_time, struct read_section, ORDER_UP(time) ?: ORDER_UP(number) ?: ORDER_UP(op));

/* The texts follow later in the file. */
void read_finish_sections(struct read *r)
{
	if (r->sections.n)
		qsort(r->sections.v, r->sections.n, sizeof(*r->sections.v), sections_by_time);
	for (size_t i = 0; i < r->sections.n && !r->sink.error; i++) {
		const struct read_section *s = &r->sections.v[i];
		struct trace_row row = {.kind = TRACE_ROW_SECTION,
					.time = s->time,
					.thread = TRACE_NONE,
					.a = s->number,
					.b = s->category,
					.c = s->op};

		row.text = read_string(r, s->text, &row.text_len);
		sink_row(&r->sink,
			 other_track(r, &r->sections_track, READ_SECTIONS, TRACE_SECTIONS), &row);
	}
}
