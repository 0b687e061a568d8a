/* SPDX-License-Identifier: Apache-2.0 */
/* Writes folded stacks and speedscope's JSON; pprof is in profile_pprof.c. */
#include "sample/profile_export.h"

#include "base/json.h"

#include <string.h>

struct frame_list {
	VEC(uint32_t); /* frames of a stack, innermost first */
};

static int stack_frames(const struct profile *p, uint32_t node, struct frame_list *list)
{
	list->n = 0;
	for (; node; node = p->nodes.v[node].parent) {
		uint32_t first, count;

		profile_frames(p, node, &first, &count);
		for (uint32_t i = 0; i < count; i++)
			if (vec_push(list, first + i) < 0)
				return TACHO_ENOMEM;
	}
	return 0;
}

int profile_write_folded(FILE *out, struct profile *p, const struct profile_filter *filter)
{
	struct profile_counts counts;
	struct frame_list frames = {0};
	struct buf line = BUF_INIT;
	int r = profile_count(p, filter, &counts);

	if (r < 0)
		return r;
	for (uint32_t node = 1; node < p->nodes.n && r == 0; node++) {
		if (!counts.samples[node])
			continue;
		r = stack_frames(p, node, &frames);
		buf_reset(&line);
		for (size_t i = frames.n; i-- > 0 && r == 0;) {
			const char *name = p->functions.v[p->frames.v[frames.v[i]].function].name;

			/* The format gives ';' and trailing blanks a meaning. */
			for (; *name; name++)
				buf_addc(&line, *name == ';' ? ':' : *name);
			if (i)
				buf_addc(&line, ';');
		}
		buf_addf(&line, " %llu\n", (unsigned long long)counts.samples[node]);
		if (r == 0 && line.failed)
			r = TACHO_ENOMEM;
		if (r == 0 && fwrite(line.data, 1, line.len, out) != line.len)
			r = TACHO_EWRITE;
	}
	buf_free(&line);
	vec_free(&frames);
	profile_counts_free(&counts);
	return r;
}

/* ----------------------------------------------------------- speedscope */

static int json_flush(FILE *out, struct buf *text)
{
	if (text->failed)
		return TACHO_ENOMEM;
	if (fwrite(text->data, 1, text->len, out) != text->len)
		return TACHO_EWRITE;
	buf_reset(text);
	return 0;
}

static int speedscope_frames(FILE *out, struct profile *p, struct json *j)
{
	json_object(j, "shared");
	json_array(j, "frames");
	for (size_t i = 0; i < p->frames.n; i++) {
		const struct profile_frame *f = &p->frames.v[i];

		json_object(j, NULL);
		json_text(j, "name", p->functions.v[f->function].name);
		if (*f->file)
			json_text(j, "file", f->file);
		if (f->line)
			json_uint(j, "line", f->line);
		json_end(j);
		if (j->out->len > 65536 && json_flush(out, j->out) < 0)
			return TACHO_EWRITE;
	}
	json_end(j);
	json_end(j);
	return 0;
}

struct speedscope {
	struct profile *p;
	const struct profile_filter *filter;
	struct json *j;
	FILE *out;
	struct frame_list frames;
};

/* Samples of a thread, or their weights. *TOTAL: their sum. */
static int speedscope_rows(struct speedscope *s, uint32_t track, bool weights, uint64_t *total)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t at;
	int r = trace_rows_open(&rows, s->p->trace, track, s->filter->t0, s->filter->t1), done = 0;

	if (r < 0)
		return r;
	while (done == 0 && (r = trace_rows_next(rows, &row, &at)) > 0) {
		if (row.kind != TRACE_ROW_SAMPLE || row.a >= s->p->nodes.n)
			continue;
		*total += row.c;
		if (weights) {
			json_uint(s->j, NULL, row.c);
		} else {
			done = stack_frames(s->p, (uint32_t)row.a, &s->frames);
			json_array(s->j, NULL);
			for (size_t i = s->frames.n; i-- > 0;)
				json_uint(s->j, NULL, s->frames.v[i]);
			json_end(s->j);
		}
		if (done == 0 && s->j->out->len > 65536)
			done = json_flush(s->out, s->j->out);
	}
	trace_rows_close(rows);
	return done < 0 ? done : r;
}

static int speedscope_thread(struct speedscope *s, uint32_t track)
{
	const struct trace_track *t = &s->p->trace->tracks[track];
	uint64_t total = 0, again = 0;
	char name[128];
	int r;

	snprintf(name, sizeof(name), "%.80s (%llu)", t->name, (unsigned long long)t->id);
	json_object(s->j, NULL);
	json_text(s->j, "type", "sampled");
	json_text(s->j, "name", name);
	json_text(s->j, "unit", "nanoseconds");
	json_array(s->j, "samples");
	r = speedscope_rows(s, track, false, &total);
	json_end(s->j);
	json_array(s->j, "weights");
	if (r >= 0)
		r = speedscope_rows(s, track, true, &again);
	json_end(s->j);
	json_uint(s->j, "startValue", 0);
	json_uint(s->j, "endValue", total);
	json_end(s->j);
	return r;
}

/* A thread without samples gets no profile: speedscope rejects empty ones. */
static bool thread_has_samples(const struct profile *p, const struct profile_filter *filter,
			       uint32_t track)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t at;
	bool found = false;

	if (p->trace->tracks[track].kind != TRACE_THREAD ||
	    (filter->tracks && !filter->tracks[track]) ||
	    trace_rows_open(&rows, p->trace, track, filter->t0, filter->t1) < 0)
		return false;
	while (!found && trace_rows_next(rows, &row, &at) > 0)
		found = row.kind == TRACE_ROW_SAMPLE;
	trace_rows_close(rows);
	return found;
}

int profile_write_speedscope(FILE *out, struct profile *p, const struct profile_filter *filter)
{
	struct buf text = BUF_INIT;
	struct json j;
	struct speedscope s = {.p = p, .filter = filter, .j = &j, .out = out};
	int r;

	json_init(&j, &text);
	json_object(&j, NULL);
	json_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(&j, "exporter", "tacho " TACHO_VERSION);
	r = speedscope_frames(out, p, &j);
	json_array(&j, "profiles");
	for (uint32_t i = 0; r >= 0 && i < p->trace->track_count; i++)
		if (thread_has_samples(p, filter, i))
			r = speedscope_thread(&s, i);
	json_end(&j);
	json_end(&j);
	buf_addc(&text, '\n');
	if (r >= 0)
		r = json_flush(out, &text);
	vec_free(&s.frames);
	buf_free(&text);
	return r < 0 ? r : 0;
}
