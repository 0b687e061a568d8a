/* SPDX-License-Identifier: Apache-2.0 */
/* Write frames, messages, plots, application info and the crash. */
#include "op/message_text.h"
#include "tracy/write.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* ------------------------------------------------------------- first pass */

static double write_rows_plot_value(const struct trace_row *row)
{
	double value;

	if (row->kind == TRACE_ROW_PLOT_INT)
		return (double)(int64_t)row->a;
	memcpy(&value, &row->a, sizeof(value));
	return value;
}

static void count_point(struct write *w, struct out_rows *rows, const struct trace_row *row)
{
	double value = write_rows_plot_value(row);

	if (!isfinite(value)) {
		w->notes->n[TRACY_NOTE_POINTS]++;
		return;
	}
	rows->min = !rows->n || value < rows->min ? value : rows->min;
	rows->max = !rows->n || value > rows->max ? value : rows->max;
	rows->sum += value;
	rows->n++;
}

static int count_message(struct write *w, const struct trace_row *from)
{
	struct trace_row copy = *from, *row = &copy;
	struct buf message = BUF_INIT;
	int64_t text = op_row_message(row, &message);

	if (text == 0)
		text = strings_add(&w->strings, row->text, row->text_len);
	buf_free(&message);
	if (text < 0)
		return TACHO_ENOMEM;
	if (row->thread < w->trace->track_count && w->threads[row->thread].written)
		w->threads[row->thread].messages++;
	return vec_push(&w->messages, ((struct out_message){row->thread, (uint32_t)text}));
}

static int count_row(struct write *w, const struct trace_row *row, uint32_t track)
{
	int64_t text;

	switch (row->kind) {
	case TRACE_ROW_MESSAGE:
	case TRACE_ROW_OP:
	case TRACE_ROW_OP_TRACE:
		return count_message(w, row);
	case TRACE_ROW_PLOT_INT:
	case TRACE_ROW_PLOT_REAL:
		count_point(w, &w->rows[track], row);
		return 0;
	case TRACE_ROW_APP_INFO:
		text = strings_add(&w->strings, row->text, row->text_len);
		return text < 0 ? TACHO_ENOMEM : vec_push(&w->infos, (uint32_t)text);
	case TRACE_ROW_CRASH:
		w->crash.time = write_ns(w, row->time);
		w->crash.thread =
			row->thread < w->trace->track_count ? w->threads[row->thread].tid : 0;
		w->crash.text = strings_add(&w->strings, row->text, row->text_len);
		if (w->crash.text >= 0)
			w->strings.list.v[w->crash.text].pointer = true;
		return w->crash.text < 0 ? TACHO_ENOMEM : 0;
	case TRACE_ROW_LOSS:
	case TRACE_ROW_NOTE:
	case TRACE_ROW_LATE:
		w->notes->n[TRACY_NOTE_LOSSES]++;
		return 0;
	case TRACE_ROW_FRAME:
		images_count_mark(w, track);
		w->rows[track].n++;
		return 0;
	case TRACE_ROW_ALLOC:
		w->rows[track].n++;
		return 0;
	case TRACE_ROW_FRAME_IMAGE:
		return images_count(w, row, track);
	case TRACE_ROW_SECTION:
		return sections_count(w, row, track);
	case TRACE_ROW_SAMPLE:
		w->samples.rows++;
		return 0;
	case TRACE_ROW_STATE:
		w->threads[track].runs += TRACE_STATE_OF(row->b) == TRACE_STATE_RUNNING;
		return 0;
	default:
		return 0;
	}
}

/* The ids of messages by thread; an id is the message's rank in time + 1. */
static int order_messages(struct write *w)
{
	uint64_t at = 0;

	w->message_order = malloc((w->messages.n + 1) * sizeof(*w->message_order));
	if (!w->message_order)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < w->trace->track_count; i++) {
		w->threads[i].first_message = at;
		at += w->threads[i].messages;
		w->threads[i].messages = 0;
	}
	for (size_t i = 0; i < w->messages.n; i++) {
		uint32_t thread = w->messages.v[i].thread;
		struct out_thread *t;

		if (thread >= w->trace->track_count || !w->threads[thread].written)
			continue;
		t = &w->threads[thread];
		w->message_order[t->first_message + t->messages++] = i + 1;
	}
	return 0;
}

/* A process killed by a signal of its own making has crashed, even if it was not reported. */
static int find_crash(struct write *w)
{
	static const int deadly[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
	uint64_t *threads = calloc(w->trace->process_count + 1, sizeof(*threads));

	/* By process: 0 if it has none. */
	for (uint32_t i = w->trace->track_count; threads && i--;) {
		uint32_t process = w->trace->tracks[i].process;

		if (w->threads[i].written && process < w->trace->process_count)
			threads[process] = w->threads[i].tid;
	}
	if (!threads)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < w->trace->process_count && w->crash.text < 0; i++) {
		const struct trace_process *p = &w->trace->processes[i];
		int status = p->exit_status;

		if (status == TRACE_EXIT_UNKNOWN || !WIFSIGNALED(status) || !threads[i])
			continue;
		for (size_t k = 0; k < sizeof(deadly) / sizeof(deadly[0]); k++) {
			if (WTERMSIG(status) != deadly[k])
				continue;
			w->crash.thread = threads[i];
			w->crash.time = p->end ? write_ns(w, p->end) : w->last;
			w->crash.text = model_string(w, strsignal(deadly[k]), true);
			if (w->crash.text < 0) {
				free(threads);
				return TACHO_ENOMEM;
			}
		}
	}
	free(threads);
	return 0;
}

int rows_prepare(struct write *w)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r;

	w->crash.text = -1;
	w->rows = calloc(w->trace->track_count + 1, sizeof(*w->rows));
	if (!w->rows)
		return TACHO_ENOMEM;
	r = by_track_open(&w->by_track, w->trace);
	if (r == 0)
		r = trace_rows_open(&rows, w->trace, TRACE_NONE, 0, UINT64_MAX);
	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		r = count_row(w, &row, track);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	if (r == 0)
		r = images_prepare(w);
	if (r == 0)
		r = order_messages(w);
	return r < 0 ? r : find_crash(w);
}

/* ----------------------------------------------------------- second pass */

static void write_rows_frame_put(struct write *w, const struct trace_row *row, bool pairs,
				 uint32_t image, int64_t *reference)
{
	int64_t start = write_ns(w, row->time), end = row->a ? write_ns(w, row->a) : -1;

	out_i64(&w->out, start - *reference);
	*reference = start;
	if (pairs) {
		out_i64(&w->out, end - *reference);
		*reference = end;
	}
	out_u32(&w->out, image);
}

static int put_frame_set(struct write *w, uint32_t track, bool unnamed)
{
	bool pairs = w->trace->tracks[track].format == 1;
	struct trace_row row;
	int64_t reference = 0;
	uint64_t mark = 0;
	int r;

	out_u64(&w->out, unnamed ? 0 : STRING_POINTER(w->names[track]));
	out_u8(&w->out, !pairs);
	out_u64(&w->out, w->rows[track].n);
	r = by_track_begin(&w->by_track, track);
	while (r >= 0 && (r = by_track_next(&w->by_track, &row)) > 0)
		if (row.kind == TRACE_ROW_FRAME)
			write_rows_frame_put(w, &row, pairs, images_of_frame(w, track, ++mark),
					     &reference);
	return r;
}

static bool is_frame_set(const struct write *w, uint32_t track)
{
	return w->trace->tracks[track].kind == TRACE_FRAMES && w->rows[track].n;
}

/* The unnamed set must exist and come first; the viewer requires a frame in it. */
int frames_put(struct write *w)
{
	uint32_t main_set = TRACE_NONE, count = 1;
	int r = 0;

	for (uint32_t i = 0; i < w->trace->track_count; i++) {
		const struct trace_track *t = &w->trace->tracks[i];

		if (main_set == TRACE_NONE && is_frame_set(w, i) && !t->name[0] && t->format != 1 &&
		    t->process == w->process)
			main_set = i;
		else
			count += is_frame_set(w, i);
	}
	out_u64(&w->out, count);
	if (main_set != TRACE_NONE) {
		r = put_frame_set(w, main_set, true);
	} else {
		out_u64(&w->out, 0);
		out_u8(&w->out, 1);
		out_u64(&w->out, 1);
		out_i64(&w->out, 0);
		out_u32(&w->out, UINT32_MAX);
	}
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++)
		if (i != main_set && is_frame_set(w, i))
			r = put_frame_set(w, i, w->names[i] < 0);
	return r;
}

int messages_put(struct write *w)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int64_t reference = 0, time;
	size_t at = 0;
	int r = trace_rows_open(&rows, w->trace, TRACE_NONE, 0, UINT64_MAX);

	if (r < 0)
		return r;
	out_u64(&w->out, w->messages.n);
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		if ((row.kind != TRACE_ROW_MESSAGE && row.kind != TRACE_ROW_OP &&
		     row.kind != TRACE_ROW_OP_TRACE) ||
		    at == w->messages.n)
			continue;
		if (row.kind != TRACE_ROW_MESSAGE) {
			row.a = TRACE_SEVERITY_INFO;
			row.b = row.c = 0;
		}
		time = write_ns(w, row.time);
		out_u64(&w->out, at + 1);
		out_i64(&w->out, time - reference);
		reference = time;
		out_ref(&w->out, w->messages.v[at++].text);
		out_u32(&w->out, row.b ? 0xff000000u | color_to_bgr((uint32_t)row.b) : 0xffffffffu);
		out_u24(&w->out, samples_stack(w, row.c >> 32));
		if (!w->old) {
			out_u8(&w->out, 0); /* the program's own */
			out_u8(&w->out, row.a <= TRACE_SEVERITY_FATAL ? (uint8_t)row.a
								      : TRACE_SEVERITY_INFO);
		}
	}
	trace_rows_close(rows);
	return r;
}

static int write_rows_plot_put(struct write *w, uint32_t track)
{
	const struct trace_track *t = &w->trace->tracks[track];
	const struct out_rows *sum = &w->rows[track];
	struct trace_row row;
	int64_t reference = 0, time;
	int r = by_track_begin(&w->by_track, track);

	if (r < 0)
		return r;
	out_u8(&w->out, 0);
	out_u8(&w->out, (uint8_t)(t->format <= TRACE_PLOT_WATT ? t->format : 0));
	out_u8(&w->out, (t->flags & TRACE_PLOT_STEP) != 0);
	out_u8(&w->out, (t->flags & TRACE_PLOT_FILL) != 0);
	out_u32(&w->out, t->color);
	out_u64(&w->out, w->names[track] < 0 ? 0 : STRING_POINTER(w->names[track]));
	out_f64(&w->out, sum->min);
	out_f64(&w->out, sum->max);
	out_f64(&w->out, sum->sum);
	out_u64(&w->out, sum->n);
	while ((r = by_track_next(&w->by_track, &row)) > 0) {
		if ((row.kind != TRACE_ROW_PLOT_INT && row.kind != TRACE_ROW_PLOT_REAL) ||
		    !isfinite(write_rows_plot_value(&row)))
			continue;
		time = write_ns(w, row.time);
		out_i64(&w->out, time - reference);
		reference = time;
		out_f64(&w->out, write_rows_plot_value(&row));
	}
	return r;
}

int plots_put(struct write *w)
{
	uint64_t count = 0;
	int r = 0;

	for (uint32_t i = 0; i < w->trace->track_count; i++)
		count += w->trace->tracks[i].kind == TRACE_PLOT;
	out_u64(&w->out, count);
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++)
		if (w->trace->tracks[i].kind == TRACE_PLOT)
			r = write_rows_plot_put(w, i);
	return r;
}
