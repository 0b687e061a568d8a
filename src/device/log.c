/* SPDX-License-Identifier: Apache-2.0 */
/* Write the logs of a device while the program runs and when it ends. */
#include "device/kernel_build.h"

#include "base/text.h"
#include "device/launch.h"
#include "device/prof.h"
#include "op/marker.h"
#include "tacho_layout.h"
#include "ttlog/devrow.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZONE_NUMBERS 65536u
#define FLUSH        (1u << 20)

/* ---- files ---- */
static void failure_report(struct device_log *log, const char *name)
{
	if (!log->failed)
		fprintf(stderr, "tacho: warning: cannot write %s%s%s: %s\n",
			strchr(name, '/') ? "" : log->folder, strchr(name, '/') ? "" : "/", name,
			strerror(errno));
	log->failed = true;
}

static bool write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/*
 * Opens and locks a file of the folder, or a path, for appending; -1 on failure. Closing unlocks
 * it.
 */
static int file_open(struct device_log *log, const char *name, const char *header, int flags)
{
	bool whole = strchr(name, '/') != NULL;
	char *path;
	struct stat st;
	int fd;

	if (log->failed || asprintf(&path, "%s%s%s", whole ? "" : log_home_path(log->home),
				    whole ? "" : "/", name) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
	free(path);
	if (fd >= 0)
		while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
			;
	if (fd < 0 || fstat(fd, &st) < 0 ||
	    (st.st_size == 0 && !write_all(fd, header, strlen(header)))) {
		failure_report(log, name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* Flushes the buffer when it holds at least LEAST bytes; 0: always. */
static void flush_to(struct device_log *log, const char *name, int fd, struct buf *text,
		     size_t least)
{
	if (text->len < least || !text->len)
		return;
	if (text->failed) {
		errno = ENOMEM;
		failure_report(log, name);
	} else if (!log->failed && !write_all(fd, text->data, text->len)) {
		failure_report(log, name);
	}
	buf_reset(text);
}

void log_append(struct tacho_device *d, const char *name, const char *header, struct buf *text)
{
	int fd = file_open(&d->prof->log, name, header, 0);

	if (fd < 0)
		return;
	flush_to(&d->prof->log, name, fd, text, 0);
	close(fd);
}

void log_replace(struct tacho_device *d, const char *name, struct buf *text)
{
	int fd = file_open(&d->prof->log, name, "", O_TRUNC);

	if (fd < 0)
		return;
	flush_to(&d->prof->log, name, fd, text, 0);
	close(fd);
}

int log_open(struct tacho_device *d)
{
	struct device_log *log = &d->prof->log;
	struct tacho_error err;

	if (!env_number("TT_METAL_DEVICE_PROFILER", 0) ||
	    env_number("TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES", 0))
		return 0;
	log->names = calloc(ZONE_NUMBERS, sizeof(*log->names));
	if (!log->names)
		return device_fail(TACHO_ENOMEM, "no memory");
	log->last.mhz = d->shape.mhz;
	log->on = true;
	if (log_home_open(d, &log->home, &log->folder, &log->start, &err) < 0) {
		fprintf(stderr, "tacho: warning: %s: devices write no logs\n", err.text);
		log->failed = true;
	}
	return 0;
}

void log_close(struct tacho_device *d)
{
	free(d->prof->log.names);
	free(d->prof->log.folder);
}

/* ---- profile_log_device.csv ---- */
const struct log_zone *log_zone(struct tacho_device *d, uint16_t id)
{
	struct log_zone *z = &d->prof->log.names[id];
	struct tacho_device_event e;

	if (z->name)
		return z;
	prof_name(d, id, &e);
	*z = (struct log_zone){e.name, e.file, e.line, arch_zone_find(e.name, strlen(e.name)), id};
	if (e.name[0])
		z->timer = op_zone_timer(e.name, e.file, e.line);
	return z;
}

static int by_place(const void *a, const void *b)
{
	const struct log_mark *x = a, *y = b;

	if (x->item->flat != y->item->flat)
		return x->item->flat < y->item->flat ? -1 : 1;
	if (x->item->risc != y->item->risc)
		return x->item->risc < y->item->risc ? -1 : 1;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? -1 : 1;
	/* Ends sort before starts; of two starts the longer zone is the outer one. */
	if (x->end != y->end)
		return (x->end ? x : y)->item->start < x->cycles ? (x->end ? -1 : 1)
								 : (x->end ? 1 : -1);
	if (x->end)
		return x->item->start > y->item->start ? -1 : x->item->start < y->item->start;
	return x->item->end > y->item->end ? -1 : x->item->end < y->item->end;
}

/* ZONE: the name of the zone that started last. */
static void add_row(struct tacho_device *d, const struct log_mark *mark, struct buf *text,
		    struct buf *meta, const char **zone)
{
	const struct prof_item *item = mark->item;
	const struct tacho_device_core *c = &d->cores[item->flat].info;
	const struct log_zone *z = log_zone(d, item->id);
	struct op_marker m = log_marker(d, mark);
	struct devrow_place place = {.device = d->number,
				     .x = c->x,
				     .y = c->y,
				     .risc = arch_risc_log_name((enum arch_risc)m.which),
				     .name = m.kind == TRACE_MARK_COUNTER
						     ? prof_counter_name(item->data[1] & 0xff)
						     : z->name,
				     .file = z->file,
				     .line = z->line,
				     .timer = z->timer};

	buf_reset(meta);
	if (m.kind == TRACE_MARK_DATA && m.value && !strcmp(place.name, "runtime_host_id_dispatch"))
		m.value += devrow_run(d->prof->log.start.ops, 0);
	if (m.kind == TRACE_MARK_START)
		*zone = place.name;
	else if (m.kind == TRACE_MARK_DATA && m.values == 1)
		op_dispatch_meta(meta, place.name, *zone, m.value);
	m.meta = (struct op_text){meta->data, meta->len};
	devrow_add(text, &m, &place);
}

enum arch_risc log_risc(const struct tacho_device *d, const struct prof_item *item)
{
	return d->profile & PROF_MODE_TRACE
		       ? RISC_AGG
		       : arch_risc_at(item->risc, d->cores[item->flat].info.ethernet);
}

/* Rows of N items in order. */
static int add_rows(struct tacho_device *d, const struct prof_item *items, size_t n, int fd)
{
	struct log_mark *marks = calloc(2 * n + 1, sizeof(*marks));
	struct buf text = BUF_INIT, meta = BUF_INIT;
	const char *zone = "";
	size_t count = 0;
	int r;

	if (!marks)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		/* A guessed time is not a measurement: the loss was reported. */
		if (items[i].flat >= d->shape.cores ||
		    items[i].flags & (PROF_START_LOST | PROF_END_LOST))
			continue;
		marks[count++] = (struct log_mark){&items[i], items[i].start, false};
		if (items[i].kind == PROF_K_ZONE)
			marks[count++] = (struct log_mark){&items[i], items[i].end, true};
	}
	qsort(marks, count, sizeof(*marks), by_place);
	for (size_t i = 0; i < count; i++) {
		add_row(d, &marks[i], &text, &meta, &zone);
		flush_to(&d->prof->log, TTLOG_DEVICE_FILE, fd, &text, FLUSH);
	}
	flush_to(&d->prof->log, TTLOG_DEVICE_FILE, fd, &text, 0);
	r = log_runs(d, marks, count);
	buf_free(&text);
	buf_free(&meta);
	free(marks);
	return r;
}

static void dump_rows(struct tacho_device *d)
{
	struct prof *p = d->prof;
	struct buf header = BUF_INIT;
	int fd;

	if (p->log.done == p->items.n)
		return;
	devrow_header(&header, d->shape.arch, d->shape.mhz, d->workers);
	fd = header.failed ? -1 : file_open(&p->log, TTLOG_DEVICE_FILE, header.data, 0);
	if (fd >= 0) {
		if (add_rows(d, p->items.v + p->log.done, p->items.n - p->log.done, fd) < 0) {
			errno = ENOMEM;
			failure_report(&p->log, TTLOG_DEVICE_FILE);
		}
		close(fd);
	}
	p->log.done = p->items.n;
	log_home_keep(d, p->log.home);
	buf_free(&header);
}

/* ---- zone_src_locations.log ---- */
static uint64_t line_key(const char *line, size_t len)
{
	return hash_bytes(HASH_START, line, len);
}

/* The lines that the file already has, so that none is written twice. */
static int known_lines(int fd, struct map *known)
{
	int copy = dup(fd);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int r = f ? fseek(f, 0, SEEK_SET) : TACHO_EREAD;

	while (r == 0 && (n = getline(&line, &room, f)) > 0)
		r = map_set(known, line_key(line, (size_t)n), 1);
	free(line);
	if (f)
		fclose(f);
	else if (copy >= 0)
		close(copy);
	return r;
}

static void zone_line(struct buf *line, const char *name, const char *file, uint32_t number)
{
	buf_reset(line);
	buf_addf(line, "%s:%u:1: note: '#pragma message: %s,%s,%u,KERNEL_PROFILER'\n", file, number,
		 name, file, number);
}

/* Lines of all zones that were not written yet. */
static void add_zones(struct tacho_device *d, struct map *known, struct buf *all, struct buf *fresh)
{
	struct device_log *log = &d->prof->log;
	struct buf line = BUF_INIT;

	for (uint32_t id = log->zones; id < d->next_zone && id < ZONE_NUMBERS; id++) {
		const struct log_zone *z = log_zone(d, (uint16_t)id);

		if (!z->name[0])
			continue;
		zone_line(&line, z->name, z->file, z->line);
		buf_add(fresh, line.data, line.len);
		if (map_get(known, line_key(line.data, line.len)))
			continue;
		map_set(known, line_key(line.data, line.len), 1);
		buf_add(all, line.data, line.len);
	}
	for (size_t i = log->hashed; i < d->names.n; i++) {
		zone_line(&line, d->names.v[i].name, d->names.v[i].file, d->names.v[i].line);
		buf_add(fresh, line.data, line.len);
		if (!map_get(known, line_key(line.data, line.len)))
			buf_add(all, line.data, line.len);
	}
	log->zones = d->next_zone;
	log->hashed = d->names.n;
	buf_free(&line);
}

/*
 * One file has all zones ever built, the other those of this process: it starts with the first
 * device that has any.
 */
static int open_new(struct device_log *log, const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool begun;
	int fd;

	pthread_mutex_lock(&lock);
	fd = file_open(log, name, "", begun ? 0 : O_TRUNC);
	begun = true;
	pthread_mutex_unlock(&lock);
	return fd;
}

static void dump_zones(struct tacho_device *d)
{
	static const char all_name[] = "zone_src_locations.log",
			  new_name[] = "new_zone_src_locations.log";
	struct device_log *log = &d->prof->log;
	struct buf all = BUF_INIT, fresh = BUF_INIT;
	struct map known = {0};
	int fd;

	if (log->zones == d->next_zone && log->hashed == d->names.n)
		return;
	fd = file_open(log, all_name, "", 0);
	if (fd < 0)
		return;
	if (known_lines(fd, &known) == 0)
		add_zones(d, &known, &all, &fresh);
	flush_to(log, all_name, fd, &all, 0);
	close(fd);
	fd = open_new(log, new_name);
	if (fd >= 0) {
		flush_to(log, new_name, fd, &fresh, 0);
		close(fd);
	}
	buf_free(&all);
	buf_free(&fresh);
	map_free(&known);
}

void log_dump(struct tacho_device *d)
{
	if (!d->prof || !d->prof->log.on || d->prof->log.failed)
		return;
	d->prof->changing = true;
	dump_zones(d);
	dump_rows(d);
	d->prof->changing = false;
}

void log_sync(struct tacho_device *d)
{
	struct buf rows = BUF_INIT;

	if (!d->prof->log.on)
		return;
	sync_classic_rows(d, d->prof->classic_sync, &rows);
	log_append(d, SYNC_CLASSIC_FILE, sync_classic_header, &rows);
	buf_free(&rows);
}
