/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mkwide THREADS FILE writes an invented trace of many threads, two lanes each, whose names, like
 * those of the zones, want to break what shows them: some turn the direction of text, some have
 * 10,000 characters, some have no end of marks above their letters. Its clock runs at 1 GHz.
 */
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG   10000
#define ZONES  20u
#define PERIOD 1000000u

static struct trace_writer *w;

static int64_t result_check(int64_t r)
{
	if (r < 0) {
		fprintf(stderr, "mkwide: %s\n", err_text((int)r));
		exit(1);
	}
	return r;
}

/* PART repeated to LONG characters, after START. */
static const char *text_repeat(const char *start, const char *part)
{
	static char text[LONG + 100];
	size_t n = strlen(strcpy(text, start)), step = strlen(part);

	for (; n + step <= LONG; n += step)
		memcpy(text + n, part, step + 1);
	return text;
}

/* The name of the I-th thread or zone; most have plain ones. */
static const char *name_of(unsigned i)
{
	static char plain[32];

	switch (i % 16) {
	case 1:
		return "\u202Eeman denrut";
	case 3:
		return text_repeat("long ", "0123456789");
	case 5:
		return text_repeat("z", "\u0335\u0351");
	case 7:
		return "<b onclick=alert(1)>&amp;</b>";
	case 9:
		return "\u2067\u05D0\u05D1\u05D2 \u0633\u0644\u0627\u0645";
	case 11:
		return text_repeat("\u202E\u2066", "\u202E\u2066 ");
	default:
		snprintf(plain, sizeof(plain), "name %u", i);
		return plain;
	}
}

static void thread_add(uint32_t process, unsigned number)
{
	struct trace_track t = {.process = process,
				.kind = TRACE_THREAD,
				.id = 1000 + number,
				.srcloc = TRACE_NONE,
				.name = name_of(number)};
	uint32_t track = (uint32_t)result_check(trace_add_track(w, &t));
	uint64_t at = 1000 + number % PERIOD;

	for (unsigned i = 0; i < ZONES; i++, at += PERIOD) {
		trace_lane_add(w, trace_lane(w, track, 0), at, at + PERIOD / 2, i % 16, PERIOD / 4);
		trace_lane_add(w, trace_lane(w, track, 1), at + 10, at + 10 + PERIOD / 4,
			       (i + 1) % 16, 0);
	}
}

int main(int argc, char **argv)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .start = 1000, .command = "mkwide"};
	struct tacho_error err = {0};
	uint32_t process;

	if (argc != 3)
		return 2;
	p.name = name_of(11);
	if (trace_writer_open(&w, argv[2], &options, &err) < 0) {
		fprintf(stderr, "mkwide: %s\n", err.text);
		return 1;
	}
	result_check(trace_set_property(w, "ticks per second", "1000000000"));
	process = (uint32_t)result_check(trace_add_process(w, &p));
	for (uint32_t i = 0; i < 16; i++) {
		const char *name = name_of(i);
		struct trace_srcloc s = {name, name, name, i, 0};

		result_check(trace_add_srcloc(w, &s));
	}
	for (unsigned i = 0; i < strtoul(argv[1], NULL, 10); i++)
		thread_add(process, i);
	return result_check(trace_writer_close(w, &err)) < 0;
}
