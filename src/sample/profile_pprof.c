/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the format of pprof: a gzipped protocol buffer "Profile". */
#include "base/pb.h"
#include "sample/profile_export.h"

#include <zlib.h>

/* Fields of Profile and its messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRINGS = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
};

struct writer {
	struct profile *p;
	struct buf out, message, inner;
	struct map strings; /* address of a persistent string to its number */
	uint64_t string_count;
};

/* The number of a string, which is written on first use. 0 is "". */
static uint64_t string_number(struct writer *w, const char *s)
{
	uint32_t *at;

	if (!*s)
		return 0;
	at = map_get(&w->strings, (uintptr_t)s);
	if (at)
		return *at;
	pb_bytes(&w->out, PROFILE_STRINGS, s, strlen(s));
	if (map_set(&w->strings, (uintptr_t)s, (uint32_t)w->string_count) < 0)
		w->out.failed = true;
	return w->string_count++;
}

static void value_type(struct writer *w, unsigned field, const char *type, const char *unit)
{
	uint64_t first = string_number(w, type), second = string_number(w, unit);

	pb_number(&w->message, 1, first);
	pb_number(&w->message, 2, second);
	pb_message(&w->out, field, &w->message);
}

/* A location per address: its lines are the functions inlined there, innermost first. */
static void locations_write(struct writer *w)
{
	for (size_t i = 0; i < w->p->frames.n;) {
		size_t first = i;

		pb_number(&w->message, 1, first + 1);
		pb_number(&w->message, 2, w->p->functions.v[w->p->frames.v[first].function].module);
		do {
			const struct profile_frame *f = &w->p->frames.v[i];

			pb_number(&w->inner, 1, (uint64_t)f->function + 1);
			pb_number(&w->inner, 2, f->line);
			pb_message(&w->message, 4, &w->inner);
		} while (!w->p->last.v[i++] && i < w->p->frames.n);
		pb_message(&w->out, PROFILE_LOCATION, &w->message);
	}
}

static void samples_write(struct writer *w, const struct profile_counts *counts)
{
	for (uint32_t node = 1; node < w->p->nodes.n; node++) {
		if (!counts->samples[node])
			continue;
		for (uint32_t at = node; at; at = w->p->nodes.v[at].parent) {
			uint32_t first, count;

			profile_frames(w->p, at, &first, &count);
			pb_varint(&w->inner, (uint64_t)first + 1);
		}
		pb_message(&w->message, 1, &w->inner);
		pb_varint(&w->inner, counts->samples[node]);
		pb_varint(&w->inner, (uint64_t)counts->ns[node]);
		pb_message(&w->message, 2, &w->inner);
		pb_message(&w->out, PROFILE_SAMPLE, &w->message);
	}
}

static int gzip_write(FILE *out, const struct buf *bytes)
{
	z_stream z = {.next_in = (Bytef *)bytes->data, .avail_in = (uInt)bytes->len};
	uint8_t packed[65536];
	int r;

	if (bytes->failed || deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0) != Z_OK)
		return TACHO_ENOMEM;
	do {
		size_t n;

		z.next_out = packed;
		z.avail_out = sizeof(packed);
		r = deflate(&z, Z_FINISH);
		n = sizeof(packed) - z.avail_out;
		if (fwrite(packed, 1, n, out) != n) {
			deflateEnd(&z);
			return TACHO_EWRITE;
		}
	} while (r == Z_OK || r == Z_BUF_ERROR);
	deflateEnd(&z);
	return r == Z_STREAM_END ? 0 : TACHO_EINTERNAL;
}

int profile_write_pprof(FILE *out, struct profile *p, const struct profile_filter *filter)
{
	struct writer w = {.p = p, .out = BUF_INIT, .message = BUF_INIT, .inner = BUF_INIT};
	struct trace *t = p->trace;
	struct profile_counts counts;
	int r = profile_count(p, filter, &counts);

	if (r < 0)
		return r;
	pb_bytes(&w.out, PROFILE_STRINGS, "", 0);
	w.string_count = 1;
	value_type(&w, PROFILE_SAMPLE_TYPE, "samples", "count");
	value_type(&w, PROFILE_SAMPLE_TYPE, filter->what == PROFILE_OFF_CPU ? "waiting" : "cpu",
		   "nanoseconds");
	for (size_t i = 1; i < w.p->modules.n; i++) {
		const struct profile_module *m = &w.p->modules.v[i];
		uint64_t path = string_number(&w, m->path), id = string_number(&w, m->build_id);

		pb_number(&w.message, 1, i);
		pb_number(&w.message, 5, path);
		pb_number(&w.message, 6, id);
		pb_number(&w.message, 7, 1); /* has functions */
		pb_message(&w.out, PROFILE_MAPPING, &w.message);
	}
	for (size_t i = 0; i < w.p->functions.n; i++) {
		const struct profile_function *f = &w.p->functions.v[i];
		uint64_t name = string_number(&w, f->name), file = string_number(&w, f->file);

		pb_number(&w.message, 1, i + 1);
		pb_number(&w.message, 2, name);
		pb_number(&w.message, 3, name);
		pb_number(&w.message, 4, file);
		pb_message(&w.out, PROFILE_FUNCTION, &w.message);
	}
	locations_write(&w);
	samples_write(&w, &counts);
	pb_number(&w.out, PROFILE_TIME_NANOS, (uint64_t)trace_realtime_ns(t, t->start));
	pb_number(&w.out, PROFILE_DURATION_NANOS, (uint64_t)trace_duration_ns(t, t->start, t->end));
	value_type(&w, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
	pb_number(&w.out, PROFILE_PERIOD,
		  counts.total ? (uint64_t)(counts.total_ns / (double)counts.total) : 0);
	r = gzip_write(out, &w.out);
	buf_free(&w.out);
	buf_free(&w.message);
	buf_free(&w.inner);
	map_free(&w.strings);
	profile_counts_free(&counts);
	return r;
}
