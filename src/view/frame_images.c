/* SPDX-License-Identifier: Apache-2.0 */
/* Images of frames. */
#include "base/search.h"
#include "view/call_args.h"
#include "view/frame_table.h"
#include "view/row_cache.h"
#include "view/spill_array.h"
#include "view/tiles.h"

#include <string.h>

#define MAGIC 0x31494654u /* "TFI1" */

struct image {
	uint64_t time, ago, size; /* of the row: a, b */
	uint64_t at;              /* of its first block */
};

struct images {
	struct row_cache cache;
	SPILL(struct image);
	struct {
		SPILL(uint64_t);
	} blocks; /* DXT1, of 4 x 4 pixels each */
};

static int images_take(struct row_cache *k, const struct trace_row *row)
{
	struct images *s = (struct images *)k;
	int r;

	if (row->kind != TRACE_ROW_FRAME_IMAGE || !TRACE_IMAGE_IS_WHOLE(row))
		return 0;
	r = spill_push(s, ((struct image){row->time, row->a, row->b, s->blocks.n}));
	for (size_t i = 0; r == 0 && i < row->text_len; i += 8) {
		uint64_t block;

		memcpy(&block, row->text + i, 8);
		r = spill_push(&s->blocks, block);
	}
	return r;
}

static size_t images_memory(const struct row_cache *k)
{
	const struct images *s = (const struct images *)k;

	return sizeof(*s) + spill_memory(&s->store) + spill_memory(&s->blocks.store);
}

static void images_rest(struct row_cache *k, bool last)
{
	const struct images *s = (const struct images *)k;

	(void)last;
	spill_rest(&s->store);
	spill_rest(&s->blocks.store);
}

static void images_free(struct row_cache *k)
{
	struct images *s = (struct images *)k;

	spill_free(s);
	spill_free(&s->blocks);
	free(s);
}

static const struct row_cache_kind images_kind = {sizeof(struct images), images_take, images_memory,
						  images_rest, images_free};

/* The track of images of the process of a frame set; TRACE_NONE if there is none. */
static uint32_t images_track(const struct trace *t, uint32_t frames)
{
	uint32_t process = t->tracks[frames].process;

	if (t->tracks[frames].name[0] || t->tracks[frames].format == 1)
		return TRACE_NONE;
	for (uint32_t i = 0; i < t->track_count; i++)
		if (t->tracks[i].kind == TRACE_OTHER && t->tracks[i].process == process &&
		    !strcmp(t->tracks[i].name, TRACE_IMAGES))
			return i;
	return TRACE_NONE;
}

/* The image of the frame that MARKS has found, or NULL. */
static const struct image *image_of_frame(const struct images *s, const struct frame_marks *marks)
{
	size_t low = 0, high = s->n, seen = 0;

	if (!marks->number)
		return NULL;
	SEARCH_FIRST(low, high, middle, s->v[middle].time < marks->v[0]);
	for (; low < s->n; low++) {
		while (seen < marks->n && marks->v[seen] <= s->v[low].time)
			seen++;
		if (seen == marks->n && !marks->all)
			break;
		if (marks->before + seen - s->v[low].ago == marks->number)
			return &s->v[low];
	}
	return NULL;
}

static void frame_images_put32(struct buf *out, uint64_t value)
{
	uint32_t v = (uint32_t)value;

	buf_add(out, &v, sizeof(v));
}

int call_frame_image(struct view_call *c)
{
	struct buf *out = &c->answer->body;
	const struct image *found = NULL;
	struct row_cache *k = NULL;
	struct frame_marks marks;
	uint64_t t, reach;
	uint32_t track;
	int r = arg_track_of(c, TRACE_FRAMES, &track);

	if (r == 0)
		r = arg_moment(c, &t, &reach);
	if (r == 0 && images_track(c->trace, track) != TRACE_NONE) {
		/* The cache of marks may be dropped for that of images. */
		r = frame_marks_at(c, track, t, &marks);
		if (r == 0)
			r = row_cache_get(c, images_track(c->trace, track), &images_kind, &k);
		if (r == 0)
			found = image_of_frame((struct images *)k, &marks);
	}
	if (r < 0)
		return r;
	frame_images_put32(out, MAGIC);
	frame_images_put32(out, c->gen);
	frame_images_put32(out, found ? TRACE_IMAGE_WIDTH(found->size) : 0);
	frame_images_put32(out, found ? TRACE_IMAGE_HEIGHT(found->size) : 0);
	frame_images_put32(out, found ? TRACE_IMAGE_FLIP(found->size) : 0);
	if (found)
		buf_add(out, &((struct images *)k)->blocks.v[found->at],
			TRACE_IMAGE_BYTES(found->size));
	c->answer->type = VIEW_BINARY;
	return 0;
}
