/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: the file, its blocks, opening and closing. lane.c, rowbuf.c and define.c fill it. */
#include "trace/writer.h"
#include "base/limits.h"
#include "clock/clock.h"
#include "trace/block.h"
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define OUT_BYTES   (256u << 10) /* gathered before the kernel is called */
#define DEFS_BYTES  (256u << 10)
#define INDEX_BYTES (1u << 20)
#define STATE_PART  (8u << 20) /* a checkpoint's state is cut into blocks of this size */

int writer_fail(struct trace_writer *w, int code, const char *format, ...)
{
	va_list args;

	if (w->error.code)
		return w->error.code;
	va_start(args, format);
	vsnprintf(w->error.text, sizeof(w->error.text), format, args);
	va_end(args);
	w->error.code = code;
	return code;
}

int writer_no_memory(struct trace_writer *w)
{
	return writer_fail(w, TACHO_ENOMEM, "no memory while writing %s", w->part);
}

/* A long text makes a long block: what it needed is given back. */
static void buf_trim(struct buf *b)
{
	if (b->cap > 8 * OUT_BYTES)
		buf_free(b);
}

/* Each byte is given to the kernel once: what a failed write() took is not written again. */
int writer_push(struct trace_writer *w)
{
	size_t done = 0;
	struct stat st;

	if (w->error.code)
		return w->error.code;
	/* No other process writes to the file, but one may truncate it. */
	if (fstat(w->fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size != w->offset)
		w->cut = true;
	while (done < w->out.len) {
		ssize_t n = write(w->fd, w->out.data + done, w->out.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return writer_fail(w, TACHO_EWRITE, "cannot write %s: %s", w->part,
					   n < 0 ? strerror(errno) : "nothing was taken");
		done += (size_t)n;
		w->offset += (uint64_t)n;
	}
	buf_reset(&w->out);
	buf_trim(&w->out);
	return 0;
}

static int append_block(struct trace_writer *w, enum block_type type, const void *payload,
			size_t len, bool pack)
{
	struct block b = {.type = (uint16_t)type, .raw = (uint32_t)len, .sequence = w->sequence};
	uint8_t header[BLOCK_HEADER_SIZE];

	if (w->error.code)
		return w->error.code;
	if (len > LIMIT_BLOCK_RAW)
		return writer_fail(w, TACHO_ELIMIT, "a block of %s would be too long", w->part);
	b.packed = b.raw;
	buf_reset(&w->packed);
	if (pack && pack_bytes(w->packer, payload, len, &w->packed)) {
		payload = w->packed.data;
		b.packed = (uint32_t)w->packed.len;
		b.flags |= BLOCK_ZSTD;
	}
	block_header_put(header, &b, payload);
	buf_reserve(&w->out, sizeof(header) + b.packed);
	if (w->out.failed)
		return writer_no_memory(w);
	buf_add(&w->out, header, sizeof(header));
	buf_add(&w->out, payload, b.packed);
	w->sequence++;
	buf_trim(&w->packed);
	return w->out.len >= OUT_BYTES ? writer_push(w) : 0;
}

int writer_flush_defs(struct trace_writer *w)
{
	uint64_t offset = w->offset + w->out.len;
	int r;

	if (w->defs.failed)
		return writer_no_memory(w);
	if (!w->defs.len)
		return w->error.code;
	r = append_block(w, BLOCK_DEFS, w->defs.data, w->defs.len, true);
	index_add(w, BLOCK_DEFS, offset, NULL);
	buf_reset(&w->defs);
	return r;
}

int writer_next_offset(struct trace_writer *w, uint64_t *offset)
{
	int r = writer_flush_defs(w);

	*offset = w->offset + w->out.len;
	return r;
}

int writer_block(struct trace_writer *w, enum block_type type, const void *payload, size_t len,
		 bool pack)
{
	int r = writer_flush_defs(w);

	if (r == 0)
		r = append_block(w, type, payload, len, pack);
	if (payload == w->payload.data)
		buf_trim(&w->payload);
	if (r == 0 && w->index.len >= INDEX_BYTES && type != BLOCK_INDEX)
		r = index_flush(w);
	return r;
}

/* ------------------------------------------------------------------- open */

static void make_file_header(const struct trace_writer *w, uint8_t *header)
{
	memset(header, 0, FILE_HEADER_SIZE);
	memcpy(header, FILE_MAGIC, 8);
	le_put32(header + 8, FILE_ORDER);
	le_put32(header + 12, FILE_VERSION);
	le_put64(header + FILE_FEATURES_OFFSET, w->features | FILE_ABSENT);
	le_put64(header + 24, FILE_SPARSE);
	memcpy(header + 32, w->uuid, sizeof(w->uuid));
	le_put32(header + 48, FILE_HEADER_SIZE);
	le_put64(header + 56, XXH3_64bits(header, 56));
}

int writer_head(const struct trace_writer *w)
{
	uint8_t header[FILE_HEADER_SIZE];

	make_file_header(w, header);
	return pwrite(w->fd, header, sizeof(header), 0) == sizeof(header) ? 0 : TACHO_EWRITE;
}

/* Writers hold a lock on their file, which ends with them however they end. */
static bool is_written(const char *part)
{
	int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	bool taken = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return taken;
}

void writer_lock(const struct trace_writer *w)
{
	flock(w->fd, LOCK_EX | LOCK_NB); /* a file system that has none does without */
}

static int create_part(struct trace_writer *w, struct tacho_error *err)
{
	struct stat st;

	if (!*w->path)
		return err_set(err, TACHO_EUSAGE, "the trace has no name");
	if (lstat(w->path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return err_set(err, TACHO_EWRITE, "%s is a directory", w->path);
		if (!w->options.force)
			return err_set(err, TACHO_EEXISTS, "%s exists; -f replaces it", w->path);
	}
	if (w->options.force && is_written(w->part))
		return err_set(err, TACHO_EEXISTS, "%s is being written by another recorder",
			       w->part);
	if (w->options.force && unlink(w->part) < 0 && errno != ENOENT)
		return err_errno(err, TACHO_EWRITE, "cannot replace %s", w->part);
	w->fd = open(w->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (w->fd < 0 && errno == EEXIST)
		return err_set(err, TACHO_EEXISTS,
			       "%s exists: a recorder writes it or was killed; -f replaces it",
			       w->part);
	if (w->fd < 0)
		return err_errno(err, TACHO_EWRITE, "cannot create %s", w->part);
	writer_lock(w);
	return 0;
}

struct trace_writer *writer_new(const char *path, const struct trace_writer_options *options)
{
	struct trace_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->fd = -1;
	w->features = FILE_RECURSION;
	w->out = w->payload = w->packed = w->defs = w->index = (struct buf)BUF_INIT;
	if (options)
		w->options = *options;
	if (!w->options.memory)
		w->options.memory = 16u << 20;
	if (!w->options.level)
		w->options.level = 1;
	w->path = strdup(path);
	if (asprintf(&w->part, "%s%s", path, w->options.suffix ? w->options.suffix : ".part") < 0)
		w->part = NULL;
	w->options.suffix = NULL; /* the caller's */
	w->packer = packer_new(w->options.level);
	if (!w->path || !w->part || !w->packer) {
		trace_writer_abandon(w);
		return NULL;
	}
	return w;
}

/* A file without a name; where the file system cannot make one, it loses its name at once. */
static int create_temporary(struct trace_writer *w, const char *folder, struct tacho_error *err)
{
	char *name;

	w->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (w->fd >= 0)
		return 0;
	if (asprintf(&name, "%s/tacho-XXXXXX", folder) < 0)
		return err_set(err, TACHO_ENOMEM, "no memory to write a temporary file");
	w->fd = mkostemp(name, O_CLOEXEC);
	if (w->fd >= 0)
		unlink(name);
	free(name);
	if (w->fd < 0)
		return err_errno(err, TACHO_EWRITE, "cannot make a temporary file in %s", folder);
	return 0;
}

/* The header is the first thing in the file. */
static int begin_file(struct trace_writer *w, struct tacho_error *err)
{
	uint8_t header[FILE_HEADER_SIZE];
	int r;

	/* Only EINTR and ENOSYS are possible here; a weak uuid costs a cache miss at most. */
	if (getrandom(w->uuid, 16, 0) != 16) {
		le_put64(w->uuid, (uint64_t)getpid() << 32 ^ (uintptr_t)w->uuid);
		le_put64(w->uuid + 8, clock_ticks());
	}
	w->uuid[6] = (uint8_t)((w->uuid[6] & 0x0f) | 0x40);
	w->uuid[8] = (uint8_t)((w->uuid[8] & 0x3f) | 0x80);
	make_file_header(w, header);
	buf_add(&w->out, header, sizeof(header));
	r = writer_push(w);
	return r < 0 ? err_set(err, r, "%s", w->error.text) : 0;
}

int trace_writer_open_temporary(struct trace_writer **out, const char *folder,
				struct tacho_error *err)
{
	struct trace_writer *w = writer_new(folder, NULL);
	int r;

	if (!w)
		return err_set(err, TACHO_ENOMEM, "no memory to write a temporary file");
	free(w->part);
	if (asprintf(&w->part, "a temporary file in %s", folder) < 0)
		w->part = NULL;
	r = w->part ? create_temporary(w, folder, err)
		    : err_set(err, TACHO_ENOMEM, "no memory to write a temporary file");
	if (r == 0)
		r = begin_file(w, err);
	if (r < 0)
		trace_writer_abandon(w);
	else
		*out = w;
	return r;
}

int trace_writer_open(struct trace_writer **out, const char *path,
		      const struct trace_writer_options *options, struct tacho_error *err)
{
	struct trace_writer *w = writer_new(path, options);
	int r;

	if (!w)
		return err_set(err, TACHO_ENOMEM, "no memory to write %s", path);
	r = create_part(w, err);
	if (r == 0) {
		r = begin_file(w, err);
		if (r < 0)
			unlink(w->part);
	}
	if (r < 0) {
		trace_writer_abandon(w);
		return r;
	}
	*out = w;
	return 0;
}

/* ------------------------------------------------------------------ close */

static int flush_all(struct trace_writer *w)
{
	int r = lanes_flush(w);

	if (r == 0)
		r = row_buffers_flush(w);
	for (uint32_t i = 0; r == 0 && i < w->track_count; i++) {
		struct writer_track *t = &w->tracks.v[i];

		if (!t->ledger_changed)
			continue;
		t->ledger_changed = false;
		defs_add_ledger(&w->defs, i, &t->ledger);
		if (w->defs.len > DEFS_BYTES)
			r = writer_flush_defs(w);
	}
	return r < 0 ? r : writer_flush_defs(w);
}

int trace_checkpoint(struct trace_writer *w, const void *state, size_t len)
{
	size_t parts = len ? (len + STATE_PART - 1) / STATE_PART : 1;
	int r = flush_all(w);

	for (size_t i = 0; r == 0 && i < parts; i++) {
		size_t from = i * STATE_PART, n = len - from < STATE_PART ? len - from : STATE_PART;

		buf_reset(&w->payload);
		add_varint(&w->payload, i);
		add_varint(&w->payload, parts);
		add_varint(&w->payload, w->moved);
		if (n)
			buf_add(&w->payload, (const char *)state + from, n);
		if (w->payload.failed)
			return writer_no_memory(w);
		r = writer_block(w, BLOCK_CHECKPOINT, w->payload.data, w->payload.len, true);
	}
	if (r == 0)
		r = writer_push(w);
	if (r == 0 && w->options.durable && fdatasync(w->fd) < 0)
		r = writer_fail(w, TACHO_EWRITE, "cannot sync %s: %s", w->part, strerror(errno));
	return r;
}

static int write_stats(struct trace_writer *w, uint64_t *offset)
{
	struct buf b = BUF_INIT;
	int r = writer_next_offset(w, offset);
	uint32_t used = 0, recursive = 0;

	for (uint32_t i = 0; i < w->srcloc_count; i++) {
		used += w->sums.v[i].count || w->sums.v[i].unfinished;
		recursive += w->sums.v[i].recursive != 0;
	}
	add_varint(&b, used);
	for (uint32_t i = 0; i < w->srcloc_count; i++) {
		const struct zone_sums *s = &w->sums.v[i];

		if (!s->count && !s->unfinished)
			continue;
		add_varint(&b, i);
		add_varint(&b, s->count);
		add_varint(&b, s->total);
		add_varint(&b, s->children);
		add_varint(&b, s->min);
		add_varint(&b, s->max);
		add_varint(&b, (uint64_t)s->squares);
		add_varint(&b, (uint64_t)(s->squares >> 64));
		add_varint(&b, s->unfinished);
	}
	add_varint(&b, recursive);
	for (uint32_t i = 0; i < w->srcloc_count; i++)
		if (w->sums.v[i].recursive) {
			add_varint(&b, i);
			add_varint(&b, w->sums.v[i].recursive);
		}
	/* Statistics that do not fit into a block are left out: a reader counts then. */
	if (b.failed || b.len > LIMIT_BLOCK_RAW)
		*offset = 0;
	else if (r == 0)
		r = writer_block(w, BLOCK_STATS, b.data, b.len, true);
	if (*offset)
		index_add(w, BLOCK_STATS, *offset, NULL);
	buf_free(&b);
	return r;
}

static int writer_finish(struct trace_writer *w)
{
	uint8_t trailer[TRAILER_PAYLOAD];
	uint64_t stats_offset = 0;
	char number[24];
	int r;

	if (w->moved) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)w->moved);
		defs_add_property(&w->defs, "zones moved", number);
	}
	r = flush_all(w);
	if (r == 0)
		r = write_stats(w, &stats_offset);
	if (r == 0)
		r = index_flush(w);
	if (r < 0)
		return r;
	le_put64(trailer, w->index_previous);
	le_put64(trailer + 8, stats_offset);
	le_put64(trailer + 16, w->sequence + 1);
	le_put64(trailer + 24, w->zones);
	le_put64(trailer + 32, w->rows);
	le_put64(trailer + 40, 0);
	r = writer_block(w, BLOCK_TRAILER, trailer, sizeof(trailer), false);
	return r < 0 ? r : writer_push(w);
}

/* A new name is durable when its folder is. */
static int sync_folder(struct trace_writer *w)
{
	char *slash = strrchr(w->path, '/');
	char *folder = slash ? strndup(w->path, (size_t)(slash - w->path) + 1) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int r = 0;

	/* EINVAL: the file system has nothing to sync. */
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		r = writer_fail(w, TACHO_EWRITE, "cannot sync the folder of %s: %s", w->path,
				strerror(errno));
	if (fd >= 0)
		close(fd);
	free(folder);
	return r;
}

static int move_into_place(struct trace_writer *w)
{
	unsigned flags = w->options.force ? 0 : RENAME_NOREPLACE;
	int r;

	if (!strcmp(w->part, w->path)) /* resumed in place */
		return 0;
	r = renameat2(AT_FDCWD, w->part, AT_FDCWD, w->path, flags);
	/* Not every file system can refuse to replace. */
	if (r < 0 && errno == EINVAL && flags)
		r = access(w->path, F_OK) == 0 ? (errno = EEXIST, -1) : rename(w->part, w->path);
	if (r < 0)
		return writer_fail(w, errno == EEXIST ? TACHO_EEXISTS : TACHO_EWRITE,
				   "cannot rename %s to %s: %s", w->part, w->path, strerror(errno));
	return w->options.durable ? sync_folder(w) : 0;
}

int trace_writer_close(struct trace_writer *w, struct tacho_error *err)
{
	int r = writer_finish(w), fd = w->fd;

	/* Data written after a cut is readable once the file has its header and size again.
	 */
	if (w->cut && (ftruncate(w->fd, (off_t)w->offset) < 0 || writer_head(w) < 0)) {
		/* The cut cannot be undone then; the user gets a warning in any case. */
	}
	if (r == 0 && w->options.durable && fsync(fd) < 0)
		r = writer_fail(w, TACHO_EWRITE, "cannot sync %s: %s", w->part, strerror(errno));
	w->fd = -1;
	if (close(fd) < 0 && errno != EINTR && r == 0)
		r = writer_fail(w, TACHO_EWRITE, "cannot close %s: %s", w->part, strerror(errno));
	if (r == 0)
		r = move_into_place(w);
	if (r == 0 && w->cut)
		r = writer_fail(w, TACHO_EWRITE,
				"%s was changed by another program while it was written: what it "
				"held then may be lost; the rest is in %s",
				w->part, w->path);
	if (r < 0)
		err_set(err, r, "%s", w->error.text);
	trace_writer_abandon(w);
	return r;
}

int trace_writer_take(struct trace_writer *w, struct trace **trace, struct tacho_error *err)
{
	struct trace_private *p;
	int r = writer_finish(w), fd = w->fd;

	if (r < 0)
		err_set(err, r, "%s", w->error.text);
	if (r == 0) {
		w->fd = -1;
		r = reader_open_fd(&p, fd, w->part, err);
	}
	if (r == 0)
		*trace = &p->trace;
	trace_writer_abandon(w);
	return r;
}

void trace_writer_abandon(struct trace_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->tracks.n; i++) {
		for (size_t k = 0; k < w->tracks.v[i].lanes.n; k++)
			lane_free(w->tracks.v[i].lanes.v[k]);
		vec_free(&w->tracks.v[i].lanes);
		row_buffer_free(w->tracks.v[i].rows);
	}
	if (w->fd >= 0)
		close(w->fd);
	vec_free(&w->tracks);
	vec_free(&w->sums);
	vec_free(&w->holders);
	vec_free(&w->small);
	vec_free(&w->row_holders);
	buf_free(&w->out);
	buf_free(&w->payload);
	buf_free(&w->packed);
	buf_free(&w->defs);
	buf_free(&w->index);
	packer_free(w->packer);
	free(w->slots);
	free(w->state);
	free(w->path);
	free(w->part);
	free(w);
}

const char *trace_writer_error(const struct trace_writer *w)
{
	return w->error.text;
}

size_t trace_writer_buffered(const struct trace_writer *w)
{
	return w->buffered + w->extra_bytes + w->defs.len + w->out.len;
}

uint64_t trace_writer_written(const struct trace_writer *w)
{
	return w->offset;
}

uint64_t trace_writer_zones(const struct trace_writer *w)
{
	return w->zones;
}

uint32_t trace_writer_tracks(const struct trace_writer *w)
{
	return w->track_count;
}

uint32_t trace_writer_absent(const struct trace_writer *w)
{
	return w->absent_count;
}

uint32_t trace_writer_srclocs(const struct trace_writer *w)
{
	return w->srcloc_count;
}
