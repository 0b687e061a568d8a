/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the text of "perf script": for each sample a line with command, thread, time and event,
 * then a line per frame, innermost first, and an empty line.
 *
 *	app  4242/4243 [001] 12.345678:    1003009 cpu-clock:u:
 *	            55d0c0de1139 work+0x19 (/bin/app)
 */
#include "import/perf.h"

#include "base/limits.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 65536u

struct script_frame {
	char *name, *place; /* in script.text */
};

struct script {
	struct perf_samples out;
	FILE *in;
	const char *path;
	char line[LINE];
	/* The sample whose frames are read. */
	bool any;
	uint32_t track;
	uint64_t time, cpu, weight;
	size_t used; /* bytes of text */
	unsigned frames;
	struct script_frame frame[LIMIT_STACK_FRAMES];
	char text[LIMIT_STACK_FRAMES * 1024];
	char event[128];  /* only samples of the first one are taken */
	struct map names; /* hash of module and name to a number used as the address */
	uint32_t name_count;
};

/* Digits alone, up to END or another character; false: none. */
static bool script_digits(const char **at, uint64_t *value)
{
	const char *c = *at;

	for (*value = 0; isdigit((unsigned char)*c) && *value < UINT64_MAX / 16; c++)
		*value = *value * 10 + (uint64_t)(*c - '0');
	if (c == *at || isdigit((unsigned char)*c))
		return false;
	*at = c;
	return true;
}

/* "12.345678:" or "12.345678901:" in nanoseconds; false: this is not a time. */
static bool script_time(const char *at, uint64_t *ns)
{
	uint64_t seconds, part;
	const char *dot;

	if (!script_digits(&at, &seconds) || *at++ != '.' || seconds > INT32_MAX)
		return false;
	dot = at;
	if (!script_digits(&at, &part) || *at != ':' || at - dot > 9)
		return false;
	for (long i = at - dot; i < 9; i++)
		part *= 10;
	*ns = seconds * 1000000000u + part;
	return true;
}

struct script_head {
	const char *comm;
	uint64_t pid, tid, cpu, time, period;
	char *event, *rest; /* "" if there is none */
};

/* Cuts LINE into its parts. False: it begins no sample. */
static bool script_head(char *line, struct script_head *h)
{
	char *at = line, *word, *ids = NULL;
	const char *digits;

	*h = (struct script_head){.comm = line, .rest = line + strlen(line)};
	if (!*line || *line == '\t' || *line == '#')
		return false;
	/* The time is the first word of its form; the thread is before it. */
	for (;;) {
		at += strspn(at, " \t");
		if (!*at)
			return false;
		if (script_time(at, &h->time))
			break;
		word = at;
		at += strcspn(at, " \t");
		if (*word == '[') {
			digits = word + 1;
			script_digits(&digits, &h->cpu);
			continue;
		}
		ids = word;
	}
	digits = ids;
	if (!ids || ids == line || !script_digits(&digits, &h->tid))
		return false;
	h->pid = h->tid;
	if (*digits == '/' && (digits++, !script_digits(&digits, &h->tid)))
		return false;
	for (word = ids; word > line && (word[-1] == ' ' || word[-1] == '\t'); word--)
		;
	*word = 0;
	at += strcspn(at, " \t");
	at += strspn(at, " \t");
	digits = at;
	if (script_digits(&digits, &h->period) && (*digits == ' ' || *digits == '\t'))
		at += digits - at + (long)strspn(digits, " \t");
	h->event = at;
	at += strcspn(at, " \t");
	if (*at) {
		*at++ = 0;
		h->rest = at;
	}
	if (strlen(h->event) && h->event[strlen(h->event) - 1] == ':')
		h->event[strlen(h->event) - 1] = 0;
	return h->pid <= INT32_MAX && h->tid <= INT32_MAX && *h->event;
}

/* "55d0c0de1139 work+0x19 (/bin/app)". Other lines, such as those of sources, are skipped. */
static void script_frame(struct script *s, char *line)
{
	struct script_frame *f = &s->frame[s->frames];
	char *name, *place = NULL, *plus, *end;
	size_t len;

	line += strspn(line, " \t");
	len = strspn(line, "0123456789abcdef");
	if (!len || (line[len] != ' ' && line[len] != '\t') || s->frames == LIMIT_STACK_FRAMES)
		return;
	line[len] = 0;
	name = line + len + 1;
	name += strspn(name, " \t");
	end = name + strlen(name);
	while (end > name && isspace((unsigned char)end[-1]))
		*--end = 0;
	/* The file is in the last parentheses, which may contain others. */
	if (end > name && end[-1] == ')') {
		int depth = 0;

		for (char *c = end; c-- > name;) {
			depth += *c == ')' ? 1 : *c == '(' ? -1 : 0;
			if (!depth) {
				place = c + 1;
				end[-1] = 0;
				while (c > name && isspace((unsigned char)c[-1]))
					c--;
				*c = 0;
				break;
			}
		}
	}
	plus = strstr(name, "+0x");
	if (plus && strspn(plus + 3, "0123456789abcdef") == strlen(plus + 3))
		*plus = 0;
	if (!*name || !strcmp(name, "[unknown]"))
		name = line; /* the address */
	if (!place || !*place)
		place = "[unknown]";
	if (s->used + strnlen(name, 700) + strnlen(place, 300) + 2 > sizeof(s->text))
		return;
	f->name = s->text + s->used;
	s->used += (size_t)snprintf(f->name, 700, "%s", name) >= 700 ? 700 : strlen(f->name) + 1;
	f->place = s->text + s->used;
	s->used += (size_t)snprintf(f->place, 300, "%s", place) >= 300 ? 300 : strlen(f->place) + 1;
	s->frames++;
}

/* A symbol is its own address: there is none that is valid in all processes. */
static int script_key(struct script *s, const struct script_frame *f, uint64_t *key)
{
	struct trace_row row = {.kind = TRACE_ROW_SYMBOL,
				.time = PERF_TIME(s->time),
				.thread = TRACE_NONE,
				.text = f->name,
				.text_len = (uint32_t)strlen(f->name)};
	uint64_t h;
	uint32_t module, *known;
	int r = perf_module(&s->out, f->place, s->time, &module);

	if (r < 0)
		return r;
	h = hash_text(HASH_START, f->name) ^ (uint64_t)module << 40;
	known = map_get(&s->names, h);
	*key = TREE_KEY(module, known ? *known : s->name_count + 1);
	if (known)
		return 0;
	row.a = *key;
	r = map_set(&s->names, h, ++s->name_count) < 0 ? TACHO_ENOMEM : 0;
	return r < 0 ? r : perf_row(&s->out, s->out.stacks, &row);
}

/* Its frames have been read. */
static int script_sample_end(struct script *s)
{
	struct trace_row row = {.kind = TRACE_ROW_SAMPLE,
				.time = PERF_TIME(s->time),
				.thread = TRACE_NONE,
				.b = s->cpu,
				.c = s->weight};
	uint32_t stack = 0;
	int r = 0;

	if (!s->any)
		return 0;
	s->any = false;
	for (unsigned i = s->frames; r == 0 && i-- > 0;) {
		const struct script_frame *f = &s->frame[i];
		struct script_frame inlined = {f->name, i + 1 < s->frames ? f[1].place : f->place};
		uint64_t key;
		bool added;

		/* An inlined function is where the one around it is. */
		if (!strcmp(f->place, "inlined")) {
			s->frame[i].place = inlined.place;
			f = &inlined;
		}
		r = script_key(s, f, &key);
		if (r == 0)
			r = perf_stack(&s->out, stack, key, s->time, &stack, &added);
	}
	row.a = stack;
	s->out.notes->samples++;
	return r < 0 ? r : perf_row(&s->out, s->track, &row);
}

static int script_line(struct script *s, uint64_t number, struct tacho_error *err)
{
	struct script_head h;
	int r;

	/* A frame; of a sample of another event it is skipped. */
	if (s->event[0] && (s->line[0] == '\t' || s->line[0] == ' ')) {
		if (s->any)
			script_frame(s, s->line);
		return 0;
	}
	r = script_sample_end(s);
	if (r < 0 || !s->line[strspn(s->line, " \t")] || s->line[0] == '#')
		return r;
	if (!script_head(s->line, &h))
		return err_set(err, TACHO_EDAMAGED, "%s: line %llu is not output of perf script",
			       s->path, (unsigned long long)number);
	if (!s->event[0]) {
		snprintf(s->event, sizeof(s->event), "%s", h.event);
		r = perf_begin(&s->out, s->path, s->event);
	}
	if (r < 0 || strncmp(s->event, h.event, sizeof(s->event) - 1)) {
		s->out.notes->left_out++;
		return r;
	}
	r = perf_thread(&s->out, (uint32_t)h.pid, (uint32_t)h.tid, h.comm, h.time, &s->track);
	s->any = true;
	s->time = h.time;
	s->cpu = h.cpu;
	s->weight = h.period && h.period < INT64_MAX ? h.period : 1;
	s->used = s->frames = 0;
	if (*h.rest)
		script_frame(s, h.rest);
	return r;
}

int import_perf_script(struct trace_writer *w, int fd, const char *path, struct import_notes *notes,
		       struct tacho_error *err)
{
	struct script *s = calloc(1, sizeof(*s));
	int copy = s ? dup(fd) : -1, r = 0, ended;
	uint64_t number = 0;

	if (copy >= 0)
		s->in = fdopen(copy, "r");
	if (!s || !s->in) {
		if (copy >= 0)
			close(copy);
		free(s);
		return err_set(err, TACHO_ENOMEM, "no memory");
	}
	s->path = path;
	s->out = (struct perf_samples){.w = w, .notes = notes, .stacks = TRACE_NONE};
	while (r == 0 && fgets(s->line, sizeof(s->line), s->in)) {
		size_t len = strlen(s->line);
		int c = 0;

		if (len && s->line[len - 1] == '\n')
			s->line[len - 1] = 0;
		else /* too long: the rest is not needed */
			while (c != EOF && c != '\n')
				c = getc(s->in);
		r = script_line(s, ++number, err);
	}
	ended = s->event[0] ? script_sample_end(s) : 0;
	r = r < 0 ? r : ended;
	ended = perf_end(&s->out);
	fclose(s->in);
	map_free(&s->names);
	free(s);
	return r < 0 ? r : ended;
}

bool import_perf_script_is(const char *path)
{
	FILE *in = fopen(path, "re");
	struct script_head h;
	char line[4096];
	bool is = false;

	for (int i = 0; in && i < 200 && fgets(line, sizeof(line), in); i++) {
		line[strcspn(line, "\n")] = 0;
		if (!line[0] || line[0] == '#')
			continue;
		is = script_head(line, &h);
		break;
	}
	if (in)
		fclose(in);
	return is;
}
