/* SPDX-License-Identifier: Apache-2.0 */
/* Read .tracy files: the order of sections, and the header. */
#include "tracy/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------- header */

/* At most LIMIT_NAME bytes, NUL-terminated; NULL on failure. */
static char *read_text_section(struct read *r)
{
	uint64_t len = in_u64(&r->in);
	char *text;

	if (!read_ok(r) || len > LIMIT_NAME) {
		in_fail(&r->in, TACHO_EDAMAGED, "a name of %llu bytes", (unsigned long long)len);
		return NULL;
	}
	text = malloc(len + 1);
	if (!text) {
		in_fail(&r->in, TACHO_ENOMEM, "no memory");
		return NULL;
	}
	format_in_bytes(&r->in, text, len);
	text[len] = 0;
	return text;
}

static void skip_topology(struct read *r)
{
	/* Packages hold dies (from 0.11.2 on), dies hold cores, cores hold threads. */
	int levels = r->version >= TRACY_VERSION(0, 11, 2) ? 3 : 2, depth = 0;
	uint64_t left[4] = {in_u64(&r->in)};

	while (depth >= 0 && read_ok(r)) {
		if (left[depth] == 0) {
			depth--;
			continue;
		}
		left[depth]--;
		in_u32(&r->in);
		if (depth < levels)
			left[++depth] = in_u64(&r->in);
	}
}

static void add_clock(struct read *r, uint64_t captured)
{
	uint64_t span = r->last > 0 && r->last < 1ll << 50 ? (uint64_t)r->last : 1000000000;
	uint64_t offsets[2] = {0, span};

	captured = captured < 1ull << 33 ? captured : 0;
	for (int i = 0; i < 2; i++) {
		struct trace_clock_point p = {
			.ticks = READ_ORIGIN + offsets[i],
			.monotonic_ns = (int64_t)(READ_ORIGIN + offsets[i]),
			.realtime_ns = (int64_t)(captured * 1000000000 + offsets[i])};

		sink_error(&r->sink, trace_add_clock_point(r->sink.w, &p));
	}
}

static void add_property(struct read *r, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_property(struct read *r, const char *key, const char *format, ...)
{
	char *value;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&value, format, args);
	va_end(args);
	if (n < 0)
		return;
	sink_error(&r->sink, trace_set_property(r->sink.w, key, value));
	free(value);
}

static void read_process_add(struct read *r, const char *program)
{
	struct trace_process p = {.pid = r->pid,
				  .start = READ_ORIGIN,
				  .name = program,
				  .command = "",
				  .exit_status = TRACE_EXIT_UNKNOWN};
	int64_t id = trace_add_process(r->sink.w, &p);

	sink_error(&r->sink, id);
	r->process = id < 0 ? 0 : (uint32_t)id;
}

static void read_header_section(struct read *r)
{
	char *name, *program, *host;
	uint64_t captured;

	if (r->version < TRACY_VERSION(0, 12, 3))
		in_u64(&r->in); /* delay */
	in_skip(&r->in, 8 + 8); /* resolution, nanoseconds per tick */
	r->last = in_i64(&r->in);
	in_u64(&r->in); /* frame offset */
	r->pid = (uint32_t)in_u64(&r->in);
	r->period = in_i64(&r->in);
	in_skip(&r->in, 1 + 4 + 12); /* processor */
	if (r->version >= TRACY_VERSION(0, 9, 2))
		in_u8(&r->in); /* on demand */
	name = read_text_section(r);
	program = read_text_section(r);
	captured = in_u64(&r->in);
	in_u64(&r->in); /* time of the executable */
	host = read_text_section(r);
	skip_topology(r);
	r->crash.thread = in_u64(&r->in);
	r->crash.time = in_i64(&r->in);
	r->crash.message = in_u64(&r->in);
	in_u32(&r->in); /* call stack */
	if (read_ok(r)) {
		add_clock(r, captured);
		add_property(r, "recorder", "Tracy %u.%u.%u", r->version >> 16,
			     r->version >> 8 & 255, r->version & 255);
		add_property(r, "title", "%s", name);
		add_property(r, "source", "%s", r->path);
		add_property(r, "host info", "%s", host);
		add_property(r, TRACE_ORIGIN, "%llu", READ_ORIGIN);
		add_property(r, TRACE_SPAN, "%lld", (long long)r->last);
		read_process_add(r, program);
	}
	free(name);
	free(program);
	free(host);
}

/* ----------------------------------------------------------------- sections */

/*
 * The body in order. A section exists in versions from SINCE on and, if UNTIL is not 0, before
 * UNTIL.
 */
static const struct {
	void (*read)(struct read *r);
	uint32_t since, until;
} sections[] = {
	{read_header_section, 0, 0},
	{read_frames, 0, 0},
	{read_old_sections, TRACY_VERSION(0, 13, 4), TRACY_VERSION(0, 13, 5)},
	{read_sections, TRACY_VERSION(0, 13, 5), 0},
	{read_strings, 0, 0},
	{read_pointers, 0, 0},
	{read_thread_names, 0, 0},
	{read_external_names, 0, 0},
	{read_thread_numbers, 0, 0},
	{read_external_threads, 0, 0},
	{read_static_srclocs, 0, 0},
	{read_srcloc_list, 0, 0},
	{read_payload_srclocs, 0, 0},
	{read_zone_counts, 0, 0},
	{read_zone_counts, 0, 0}, /* of devices */
	{read_locks, 0, 0},
	{read_messages, 0, 0},
	{read_extras, 0, 0},
	{read_zones, 0, 0},
	{read_device, 0, 0},
	{read_plots, 0, 0},
	{read_memory, 0, 0},
	{read_callstacks, 0, 0},
	{read_callstack_frames, 0, 0},
	{read_app_info, 0, 0},
	{read_images, 0, 0},
	{read_switches, 0, 0},
	{read_cpu_switches, 0, 0},
	{read_pids, 0, 0},
	{read_cpu_threads, 0, 0},
	{read_symbols, 0, 0},
	{read_symbol_code, 0, 0},
	{read_code_map, 0, 0},
	{read_hardware, 0, 0},
	{read_sources, 0, 0},
};

static void read_version(struct read *r)
{
	uint8_t magic[8];

	format_in_bytes(&r->in, magic, sizeof(magic));
	if (!read_ok(r))
		return;
	if (memcmp(magic, "tracy", 5)) {
		in_fail(&r->in, TACHO_EFORMAT, "it does not hold a Tracy trace");
		return;
	}
	r->version = TRACY_VERSION((uint32_t)magic[5], (uint32_t)magic[6], (uint32_t)magic[7]);
	if (r->version < TRACY_VERSION(0, 9, 0))
		in_fail(&r->in, TACHO_EVERSION, "version %u.%u.%u is too old; 0.9.0 is the oldest",
			magic[5], magic[6], magic[7]);
	else if (r->version > TRACY_VERSION(0, 14, 0))
		in_fail(&r->in, TACHO_EVERSION, "version %u.%u.%u is too new; 0.14.0 is the newest",
			magic[5], magic[6], magic[7]);
}

void read_free(struct read *r)
{
	in_close(&r->in);
	sink_free(&r->sink);
	buf_free(&r->text);
	vec_free(&r->strings);
	vec_free(&r->threads);
	vec_free(&r->tracks);
	vec_free(&r->numbers);
	vec_free(&r->srclocs);
	vec_free(&r->payload);
	vec_free(&r->fixed);
	vec_free(&r->extras);
	vec_free(&r->messages);
	map_free(&r->by_address);
	map_free(&r->by_pointer);
	map_free(&r->thread_names);
	map_free(&r->thread_of);
	map_free(&r->number_of);
	map_free(&r->static_srclocs);
	map_free(&r->message_of);
	map_free(&r->pids);
	vec_free(&r->images);
	vec_free(&r->sections);
	vec_free(&r->samples);
	vec_free(&r->stacks);
	vec_free(&r->stack_frames);
	vec_free(&r->keys);
	map_free(&r->frame_of);
	stacks_free(&r->rows);
	free(r->frame_sets);
}

static int result_of(const struct read *r, const char *path, struct tacho_error *err)
{
	const struct tacho_error *e = &r->in.error;

	if (r->sink.error)
		return err_set(err, r->sink.error, "%s: %s", path,
			       r->sink.error == TACHO_ELIMIT ? "zones are nested too deep"
							     : err_text(r->sink.error));
	if (!e->code)
		return 0;
	err_set(err, e->code, "%s: %s (at byte %llu of its content)", path, e->text,
		(unsigned long long)e->offset);
	if (err)
		err->offset = e->offset;
	return e->code;
}

int tracy_import(struct trace_writer *w, int fd, const char *path, struct tracy_notes *notes,
		 struct tacho_error *err)
{
	struct read r = {.sink.w = w,
			 .path = path,
			 .notes = notes,
			 .messages_track = TRACE_NONE,
			 .images_track = TRACE_NONE,
			 .sections_track = TRACE_NONE};
	int code;

	r.text = (struct buf)BUF_INIT;
	code = in_open(&r.in, fd, path, err);
	if (code < 0)
		return code;
	r.budget = LIMIT_TRACY_TABLES + LIMIT_TRACY_TABLES_RATIO * r.in.file_size;
	read_version(&r);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && read_ok(&r); i++)
		if (r.version >= sections[i].since &&
		    (!sections[i].until || r.version < sections[i].until))
			sections[i].read(&r);
	if (read_ok(&r) && in_at_end(&r.in) == 0)
		in_fail(&r.in, TACHO_EDAMAGED, "it has data after its end");
	read_finish_processes(&r);
	read_finish_rows(&r);
	read_finish_sections(&r);
	sink_count_rows(&r.sink);
	code = result_of(&r, path, err);
	read_free(&r);
	return code;
}
