/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and continues the unfinished file of a recorder that was killed. */
#include "capture/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20)

void part_set_session(struct capture *c)
{
	char text[32];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)c->session.key);
	trace_set_property(c->writer, "session", text);
}

/* The file that the recorder left: OLD.part, or OLD if it was killed after its last step. */
struct left {
	char path[RING_PATH + 16];
	int fd;        /* -1: there is none */
	bool finished; /* it is OLD */
	struct stat st;
};

static bool left_open(struct left *left, const char *old)
{
	left->fd = -1;
	for (int i = 0; i < 2 && left->fd < 0; i++) {
		left->finished = i == 1;
		snprintf(left->path, sizeof(left->path), "%s%s", old, i ? "" : ".part");
		left->fd =
			open(left->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
		if (left->fd >= 0 &&
		    (fstat(left->fd, &left->st) < 0 || !S_ISREG(left->st.st_mode))) {
			close(left->fd);
			left->fd = -1;
		}
	}
	return left->fd >= 0;
}

/*
 * Continuing a file truncates its end: only allowed for a file of this session. TACHO_ENO: the
 * recorder had not reached its first checkpoint.
 */
static int left_check(const struct left *left, uint64_t session, bool *complete,
		      struct tacho_error *err)
{
	char path[40];
	struct trace *t;
	const char *text;
	uint64_t key;
	int r;

	/* Use the open file, not the name, which may lead elsewhere by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", left->fd);
	r = trace_open(&t, path, err);
	if (r == TACHO_EFORMAT || r == TACHO_EDAMAGED)
		return TACHO_ENO;
	if (r < 0)
		return err_set(err, r, "cannot read %s", left->path);
	text = trace_property(t, "session");
	key = text ? strtoull(text, NULL, 16) : 0;
	*complete = !t->damage.unfinished;
	trace_close(t);
	if (!text)
		return TACHO_ENO;
	if (key != session)
		return err_set(err, TACHO_EEXISTS, "%s is not a trace of this session", left->path);
	return 0;
}

static int part_bytes_copy(int from, int to)
{
	char *bytes = malloc(COPY_BYTES);
	ssize_t n = -1, put;

	while (bytes && (n = read(from, bytes, COPY_BYTES)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t done = 0; n > 0 && done < n; done += put) {
			put = write(to, bytes + done, (size_t)(n - done));
			if (put < 0 && errno == EINTR)
				put = 0;
			if (put < 0)
				n = -1;
		}
		if (n < 0)
			break;
	}
	free(bytes);
	return n < 0 ? -1 : 0;
}

/*
 * Copies it to the new unfinished file, which may be on another file system; this recorder may be
 * killed as well.
 */
static int left_copy(const struct left *left, const struct capture *c, bool force,
		     struct tacho_error *err)
{
	char copy[PATH_MAX];
	struct stat st;
	int to, r = 0;

	if (lstat(c->output, &st) == 0 && !force)
		return err_set(err, TACHO_EEXISTS, "%s exists; -f replaces it", c->output);
	snprintf(copy, sizeof(copy), "%s%s", c->output, c->keep ? KEEP_SUFFIX : ".part");
	if (force)
		unlink(copy);
	to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (to < 0)
		return err_errno(err, TACHO_EWRITE, "cannot create %s", copy);
	if (part_bytes_copy(left->fd, to) < 0 || fsync(to) < 0) {
		r = err_errno(err, TACHO_EWRITE, "cannot write %s", copy);
		unlink(copy);
	}
	close(to);
	return r;
}

static bool same_path(const char *a, const char *b)
{
	char full[PATH_MAX];

	if (b[0] == '/' || !getcwd(full, sizeof(full) - strlen(b) - 2))
		return !strcmp(a, b);
	strcat(full, "/");
	strcat(full, b);
	return !strcmp(a, full);
}

int part_take_over(struct capture *c, const char *old, bool force, bool *saved,
		   struct tacho_error *err)
{
	bool same = same_path(old, c->output), complete = false;
	struct left left;
	int r;

	if (old[0] != '/' || !left_open(&left, old))
		return TACHO_ENO;
	r = left_check(&left, c->session.key, &complete, err);
	if (r == TACHO_EEXISTS && (!same || left.finished))
		r = TACHO_ENO; /* another recording has the name; all is in the rings */
	if (r == 0 && left.finished && complete) {
		*saved = true;
	} else if (r == 0 && (!same || c->keep)) {
		r = left_copy(&left, c, force, err);
		/* From here on the copy is the valid one. */
		if (r == 0 && !c->keep)
			r = ring_session_set_output(&c->session, c->output, err);
		if (r == 0 && !c->keep && !left.finished) {
			struct stat st;

			/* Removes it, unless another file has its name by now. */
			if (lstat(left.path, &st) == 0 && st.st_dev == left.st.st_dev &&
			    st.st_ino == left.st.st_ino)
				unlink(left.path);
		}
	}
	close(left.fd);
	return r;
}
