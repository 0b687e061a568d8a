/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that move values: gathers, heads, rows of caches, embeddings, the largest values. */
#include "nn/call.h"

#include <string.h>

/* ---- gathers ---- */
enum { W_FORMS = 15, FORM_WORDS = 6, W_SOURCES = 27, SOURCE_WORDS = 28 };

static void source_words(uint32_t *words, const struct nn_tensor *t, const struct nn_source *s)
{
	words[0] = t->layout == TACHO_TILE;
	words[1] = t->shape[3];
	words[2] = t->shape[2];
	words[3] = (uint32_t)s->base;
	memcpy(words + 4, s->strides, sizeof(s->strides));
	memcpy(words + 12, s->low, sizeof(s->low));
	memcpy(words + 20, s->high, sizeof(s->high));
}

int nn_gather(struct nn *nn, const struct nn_job *job, const struct nn_gather *how)
{
	const struct nn_tensor *out = &job->out[0];
	struct nn_call c = {
		.reader = "gather_read.cpp",
		.writer = "pages_write.cpp",
		.units = nn_pages(out),
		.tiles = true,
		.word_count = W_SOURCES + SOURCE_WORDS * job->inputs,
		.cbs = {{CB_OUT, 2, out->format, nn_page_size(out)}},
	};

	nn_call_begin(&c, job);
	c.words[0] = how->pages ? 0 : nn_value_size(out->format);
	c.words[1] = out->layout == TACHO_TILE;
	c.words[2] = out->shape[3];
	c.words[3] = out->shape[2];
	c.words[4] = how->dims;
	c.words[5] = how->fill;
	c.words[6] = how->form_count;
	memcpy(c.words + 7, how->extents, sizeof(how->extents));
	memcpy(c.words + W_FORMS, how->forms, sizeof(how->forms));
	for (unsigned i = 0; i < job->inputs; i++)
		source_words(c.words + W_SOURCES + SOURCE_WORDS * i, &job->in[i], &how->sources[i]);
	if (how->pages) { /* the writer takes its first word for whether to place them */
		c.units = 1;
		for (unsigned d = 0; d < how->dims; d++)
			c.units *= how->extents[d];
	}
	c.writer_words[0] = 2;
	if (how->placed) {
		c.writer_words[0] = 1;
		c.writer_words[1] = (uint32_t)how->place.base;
		for (unsigned d = 0; d < NN_DIMS; d++) {
			/* The last dimensions come last. */
			bool has = d + how->dims >= NN_DIMS;
			unsigned from = d + how->dims - NN_DIMS;

			c.writer_words[2 + d] = has ? how->extents[from] : 1;
			c.writer_words[10 + d] = has ? (uint32_t)how->place.strides[from] : 0;
		}
	}
	return nn_run(nn, &c);
}

/* ---- heads ---- */
int nn_heads_split(struct nn *nn, const struct nn_job *job, const struct nn_heads *how)
{
	static const char *const parts[] = {"", "PARTS=1", "PARTS=2", "PARTS=3"};
	const struct nn_tensor *x = &job->in[0];
	uint32_t wt = nn_columns(x), width, heads = 0, own = 0;
	struct nn_call c = {
		.define = parts[job->outputs],
		.reader = "heads_split.cpp",
		.writer = "heads_split.cpp",
		.compute = how->transpose ? "heads_turn.cpp" : NULL,
		.units = nn_rows(x),
	};

	nn_call_begin(&c, job);
	if (job->inputs > 1)
		wt += nn_columns(&job->in[1]);
	for (unsigned i = 0; i < job->outputs; i++)
		heads += how->heads[i];
	width = heads ? wt / heads : 0;
	for (; own < job->outputs && heads; own++) { /* parts of the first input */
		uint32_t tiles = 0;

		for (unsigned i = 0; i < own; i++)
			tiles += how->heads[i] * width;
		if (job->inputs > 1 && tiles == nn_columns(x))
			break;
	}
	memcpy(c.words,
	       (uint32_t[]){(x->shape[2] + 31) / 32, width, how->heads[0], how->heads[1],
			    how->heads[2], how->transpose, own},
	       7 * sizeof(c.words[0]));
	c.cbs[0] = (struct nn_cb){0, 2 * wt, x->format, 0};
	if (how->transpose) {
		c.cbs[1] = (struct nn_cb){CB_OUT, 2 * wt, x->format, 0};
		c.cycles = wt * nn_cycles("transpose");
	}
	return nn_run(nn, &c);
}

int nn_heads_merge(struct nn *nn, const struct nn_job *job)
{
	static const char *const parts[] = {"", "PARTS=1", "PARTS=2", "PARTS=3"};
	const struct nn_tensor *heads = &job->in[0], *whole = &job->out[0];
	struct nn_call c = {
		.define = parts[job->inputs],
		.reader = "heads_merge.cpp",
		.writer = "heads_merge.cpp",
		.words = {(heads->shape[2] + 31) / 32, heads->shape[1], nn_columns(heads)},
		.units = nn_rows(whole),
		.cbs = {{0, 2 * nn_columns(whole), whole->format, 0}},
	};

	nn_call_begin(&c, job);
	return nn_run(nn, &c);
}

/* ---- caches ---- */
int nn_cache_update(struct nn *nn, const struct nn_job *job, const struct nn_cache *how)
{
	const struct nn_tensor *cache = &job->out[0], *in = &job->in[0];
	struct nn_call c = {
		.reader = "cache_update.cpp",
		.units = (job->inputs == 3 ? job->in[2].shape[2] : cache->shape[0]) *
			 cache->shape[1],
		.word_count = 6 + NN_USERS,
		.words = {cache->shape[1], nn_columns(cache), (cache->shape[2] + 31) / 32,
			  how->users_first, how->first, (in->shape[2] + 31) / 32},
		.cbs = {{0, 1, cache->format, 0}},
	};

	nn_call_begin(&c, job);
	memcpy(c.words + 6, how->positions, sizeof(how->positions));
	for (unsigned i = 1; i < job->inputs; i++)
		c.cbs[i] = (struct nn_cb){i, 1, TACHO_UINT32, nn_page_size(&job->in[i])};
	return nn_run(nn, &c);
}

int nn_blocks_fill(struct nn *nn, const struct nn_job *job, const struct nn_blocks *how)
{
	const struct nn_tensor *cache = &job->out[0], *in = &job->in[0], *table = &job->in[1];
	struct nn_call c = {
		.reader = "blocks_fill.cpp",
		.units = nn_rows(in),
		.words = {cache->shape[1], nn_columns(cache), (cache->shape[2] + 31) / 32,
			  (in->shape[2] + 31) / 32, how->batch},
		.cbs = {{0, nn_columns(cache), cache->format, 0},
			{1, 1, TACHO_UINT32, nn_page_size(table)}},
	};

	nn_call_begin(&c, job);
	return nn_run(nn, &c);
}

/* ---- selections ---- */
int nn_embedding(struct nn *nn, const struct nn_job *job)
{
	const struct nn_tensor *ids = &job->in[0], *table = &job->in[1], *out = &job->out[0];
	struct nn_call c = {.writer = "rows_write.cpp"};

	nn_call_begin(&c, job);
	if (table->layout == TACHO_TILE) {
		c.reader = "embedding_read.cpp";
		c.words[0] = nn_columns(table);
		c.units = nn_pages(ids) * ((ids->shape[3] + 31) / 32);
		c.cbs[0] = (struct nn_cb){0, 1, TACHO_UINT32, 0};
		c.cbs[1] = (struct nn_cb){CB_OUT, 2 * nn_columns(table), out->format, 0};
		return nn_run(nn, &c);
	}
	c.reader = "embedding_rows.cpp";
	c.writer = "pages_write.cpp";
	memcpy(c.words,
	       (uint32_t[]){table->shape[3], nn_value_size(table->format), ids->shape[3],
			    out->layout == TACHO_TILE, table->shape[2]},
	       5 * sizeof(c.words[0]));
	c.writer_words[0] = 2;
	c.units = nn_pages(out);
	c.cbs[0] = (struct nn_cb){0, 1, TACHO_UINT32, 32};
	c.cbs[1] = (struct nn_cb){CB_OUT, 2, out->format, nn_page_size(out)};
	return nn_run(nn, &c);
}

int nn_top(struct nn *nn, const struct nn_job *job, const struct nn_top *how)
{
	const struct nn_tensor *in = &job->in[0], *ids = &job->out[job->outputs - 1];
	uint32_t group = ids->shape[3] / how->count, kind = 0;
	struct nn_call c = {
		.reader = "top.cpp",
		.units = nn_pages(ids),
		.cbs = {{0, 1, in->format, nn_page_size(in)},
			{1, 1, in->format, 4 * ids->shape[3]},
			{2, 1, TACHO_UINT32, 4 * ids->shape[3]}},
	};

	nn_call_begin(&c, job);
	if (in->format == TACHO_BFLOAT16)
		kind = 1;
	else if (in->format == TACHO_INT32)
		kind = 2;
	else if (in->format == TACHO_UINT32)
		kind = 3;
	memcpy(c.words,
	       (uint32_t[]){in->shape[3], how->count, how->largest, nn_value_size(in->format), kind,
			    group, nn_pages(in)},
	       7 * sizeof(c.words[0]));
	return nn_run(nn, &c);
}

int nn_pick(struct nn *nn, const struct nn_job *job)
{
	const struct nn_tensor *in = &job->in[0], *out = &job->out[0];
	struct nn_call c = {
		.reader = "pick.cpp",
		.writer = "pages_write.cpp",
		.writer_words = {2},
		.units = nn_pages(out),
		.words = {in->shape[3], out->shape[3], nn_value_size(in->format)},
		.cbs = {{0, 1, in->format, nn_page_size(in)},
			{1, 1, TACHO_UINT32, nn_page_size(&job->in[1])},
			{CB_OUT, 2, out->format, nn_page_size(out)}},
	};

	nn_call_begin(&c, job);
	return nn_run(nn, &c);
}
