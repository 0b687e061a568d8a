/* SPDX-License-Identifier: Apache-2.0 */
/* Write a trace as a .tracy file: the header, the tail, and the order of the sections. */
#include "tracy/write.h"

#include <stdlib.h>
#include <time.h>

#define LEVEL         3     /* that of Tracy's capture */
#define HEADER_STRING 1023u /* readers have buffers of 1024 bytes */

const char *tracy_note_text(enum tracy_note note, uint64_t n)
{
	static const char *const texts[][2] = {
#define X(name, one, many) [TRACY_NOTE_##name] = {one, many},
		TRACY_NOTES(X)
#undef X
	};

	return texts[note][n != 1];
}

static void write_string_put(struct out *out, const char *text)
{
	size_t len = strlen(text);

	len = len < HEADER_STRING ? len : HEADER_STRING;
	out_u64(out, len);
	out_copy(out, text, len);
}

/* "app @ 2026-01-02 03:04:05": the title in a viewer. */
static void put_title(struct write *w, const char *program, time_t when)
{
	struct buf b = BUF_INIT;
	char date[40];
	struct tm tm;

	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", localtime_r(&when, &tm));
	buf_addf(&b, "%s @ %s", program, date);
	write_string_put(&w->out, b.data);
	write_string_put(&w->out, program);
	buf_free(&b);
}

static void put_host(struct write *w)
{
	static const struct {
		const char *key, *label;
	} lines[] = {{"system", "OS"},      {"host", "Host"},       {"cpu", "CPU"},
		     {"cpus", "CPU cores"}, {"command", "Command"}, {"recorder", "Recorder"}};
	const char *given = trace_property(w->trace, "host info");
	struct buf b = BUF_INIT;

	if (given)
		buf_adds(&b, given);
	for (size_t i = 0; !given && i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *value = trace_property(w->trace, lines[i].key);

		if (value)
			buf_addf(&b, "%s: %s\n", lines[i].label, value);
	}
	write_string_put(&w->out, b.data);
	buf_free(&b);
}

static void put_header(struct write *w)
{
	uint8_t magic[8] = {'t', 'r', 'a', 'c', 'y', 0, w->old ? 10 : 14, 0};
	const struct trace_process *p =
		w->process < w->trace->process_count ? &w->trace->processes[w->process] : NULL;
	time_t when = (time_t)(trace_realtime_ns(w->trace, w->trace->start) / 1000000000);
	struct out *out = &w->out;

	out_copy(out, magic, sizeof(magic));
	if (w->old)
		out_u64(out, 0); /* queue delay */
	out_u64(out, 1);         /* resolution */
	out_f64(out, 1);         /* nanoseconds per tick */
	out_i64(out, w->last);
	out_u64(out, 0); /* frame offset */
	out_u64(out, p ? p->pid : 0);
	out_i64(out, w->samples.period);
	out_u8(out, 2); /* x64 */
	out_u32(out, 0);
	out_copy(out, "\0\0\0\0\0\0\0\0\0\0\0", 12);
	out_u8(out, 0); /* not on demand */
	put_title(w, p && p->name[0] ? p->name : "tacho", when);
	out_u64(out, (uint64_t)when);
	out_u64(out, 0); /* time of the executable */
	put_host(w);
	out_u64(out, 0); /* packages of the topology */
	if (w->crash.text >= 0 && w->crash.thread) {
		out_u64(out, w->crash.thread);
		out_i64(out, w->crash.time);
		out_u64(out, STRING_POINTER(w->crash.text));
	} else {
		out_u64(out, 0);
		out_i64(out, 0);
		out_u64(out, 0);
	}
	out_u32(out, 0);
}

/* The parts after memory; some are empty. */
static int put_tail(struct write *w)
{
	struct out *out = &w->out;
	int r;
	const struct trace *t;

	samples_put_stacks(w);
	out_u64(out, w->infos.n);
	for (size_t i = 0; i < w->infos.n; i++)
		out_ref(out, w->infos.v[i]);
	r = images_put(w);
	if (r == 0)
		r = samples_put_switches(w);
	out_u64(out, 0); /* the same by processor */
	for (int i = 0; i < 256; i++)
		out_u64(out, 0);
	/* Maps threads to processes, so that a reader can split the trace again. */
	t = w->trace;
	out_u64(&w->out, w->several ? w->numbers.n - 1 : 0);
	for (uint32_t i = 0; w->several && i < t->track_count; i++) {
		uint32_t process = t->tracks[i].process;

		if (!w->threads[i].written)
			continue;
		out_u64(&w->out, w->threads[i].tid);
		out_u64(&w->out, process < t->process_count ? t->processes[process].pid : 0);
	}
	out_u64(out, 0); /* processor time of threads */
	samples_put_symbols(w);
	out_u64(out, 0); /* their code */
	out_u64(out, 0); /* addresses of code */
	out_u64(out, 0); /* hardware samples */
	out_u64(out, 0); /* source files */
	return r;
}

int write_prepare(struct write *w)
{
	const char *origin = trace_property(w->trace, TRACE_ORIGIN);
	const char *span = trace_property(w->trace, TRACE_SPAN);

	if (origin)
		w->origin = trace_ns(w->trace, strtoull(origin, NULL, 10));
	if (w->origin > 0)
		w->origin = 0;
	w->last = span ? strtoll(span, NULL, 10) : write_ns(w, w->trace->end);
	w->last = w->last > 0 ? w->last : 1;
	return model_prepare(w);
}

static int put_all(struct write *w)
{
	int r;

	put_header(w);
	r = frames_put(w);
	if (!w->old)
		sections_put(w);
	model_put_strings(w);
	model_put_threads(w);
	model_put_srclocs(w);
	if (r == 0)
		r = locks_put(w);
	if (r == 0)
		r = messages_put(w);
	if (r == 0)
		r = zones_put(w);
	if (r == 0)
		r = device_put(w);
	if (r == 0)
		r = plots_put(w);
	if (r == 0)
		r = memory_put(w);
	return r < 0 ? r : put_tail(w);
}

void write_free(struct write *w)
{
	samples_free(w);
	strings_free(&w->strings);
	vec_free(&w->srclocs);
	vec_free(&w->numbers);
	vec_free(&w->messages);
	vec_free(&w->infos);
	vec_free(&w->images);
	vec_free(&w->sections);
	vec_free(&w->categories);
	vec_free(&w->extras);
	vec_free(&w->contexts);
	vec_free(&w->device_tracks);
	free(w->srcloc);
	free(w->folded);
	free(w->threads);
	free(w->order);
	free(w->rows);
	by_track_close(&w->by_track);
	free(w->message_order);
	free(w->names);
	free(w->context_of);
	map_free(&w->tids);
	map_free(&w->image_of);
	map_free(&w->section_of);
	map_free(&w->op_srclocs);
}

static bool is_old(const struct tracy_write_options *options, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (options->version == TRACY_FILE_BY_NAME)
		return !strcmp(slash ? slash + 1 : path, TRACY_TT_FILE);
	return options->version == TRACY_FILE_0_10;
}

int tracy_write(struct trace *trace, int fd, const char *path,
		const struct tracy_write_options *options, struct tracy_notes *notes,
		struct tacho_error *err)
{
	static const struct tracy_write_options none;
	const struct tracy_write_options *o = options ? options : &none;
	struct write w = {.trace = trace, .old = is_old(o, path), .notes = notes};
	enum container_kind kind = o->level == TRACY_LEVEL_LZ4 ? CONTAINER_LZ4
				   : w.old                     ? CONTAINER_ZSTD
							       : CONTAINER_STREAMED;
	int r = out_open(&w.out, fd, path, kind, o->level ? o->level : LEVEL, err);

	if (r < 0)
		return r;
	r = write_prepare(&w);
	if (r == 0)
		r = zones_prepare(&w);
	if (r == 0)
		r = rows_prepare(&w);
	if (r == 0)
		r = samples_prepare(&w);
	if (r == 0)
		r = put_all(&w);
	write_free(&w);
	if (r == 0)
		return out_close(&w.out, err);
	out_abandon(&w.out);
	return err_set(err, r, "%s cannot be written as a Tracy trace: %s", trace->path,
		       err_text(r));
}
