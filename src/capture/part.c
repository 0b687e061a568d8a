/* The unfinished file of a recorder that was killed. */
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

/* PATH.part, or PATH if the recorder was killed after its last step; "" if neither exists. */
static void find_part(const char *path, char *part, size_t size)
{
	struct stat st;

	snprintf(part, size, "%s.part", path);
	if (lstat(part, &st) == 0)
		return;
	snprintf(part, size, "%s", lstat(path, &st) == 0 ? path : "");
}

/*
 * Going on with a file cuts its end off: only with one that this session has made. TACHO_ENO: the
 * recorder had not got as far as its first checkpoint.
 */
static int check_session(const struct capture *c, const char *part, bool *complete,
			 struct tacho_error *err)
{
	struct trace *t;
	const char *text;
	uint64_t key;
	int r = trace_open(&t, part, err);

	if (r == TACHO_EFORMAT || r == TACHO_EDAMAGED)
		return TACHO_ENO;
	if (r < 0)
		return r;
	text = trace_property(t, "session");
	key = text ? strtoull(text, NULL, 16) : 0;
	*complete = !t->damage.unfinished;
	trace_close(t);
	if (!text)
		return TACHO_ENO;
	if (key != c->session.key)
		return err_set(err, TACHO_EEXISTS, "%s is not a trace of this session", part);
	return 0;
}

static int copy_bytes(int from, int to)
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

/* Copies PART to OUTPUT.part: it may be on another file system, and this may be killed as well. */
static int copy_part(const char *part, const char *output, bool force, struct tacho_error *err)
{
	char copy[PATH_MAX];
	struct stat st;
	int from, to, r = 0;

	if (lstat(output, &st) == 0 && !force)
		return err_set(err, TACHO_EEXISTS, "%s exists; -f replaces it", output);
	snprintf(copy, sizeof(copy), "%s.part", output);
	if (force)
		unlink(copy);
	from = open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (from < 0)
		r = err_errno(err, TACHO_EREAD, "cannot open %s", part);
	else if (to < 0)
		r = err_errno(err, TACHO_EWRITE, "cannot create %s", copy);
	else if (copy_bytes(from, to) < 0 || fsync(to) < 0) {
		r = err_errno(err, TACHO_EWRITE, "cannot write %s", copy);
		unlink(copy);
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
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

int part_take_over(struct capture *c, bool *force, bool *saved, struct tacho_error *err)
{
	char old[RING_PATH], part[RING_PATH + 16];
	bool same, complete = false, asked = *force;
	int r;

	snprintf(old, sizeof(old), "%.*s", (int)sizeof(old) - 1, c->session.control->output);
	same = same_path(old, c->output);
	*force |= same && c->session.control->replace;
	find_part(old, part, sizeof(part));
	if (!part[0])
		return TACHO_ENO;
	r = check_session(c, part, &complete, err);
	if (r == TACHO_ENO && strcmp(part, old))
		unlink(part);
	if (r == TACHO_EEXISTS && (!same || !strcmp(part, old))) {
		/* Another recording has taken the place: what is left is in the rings. */
		*force = asked;
		return TACHO_ENO;
	}
	if (r < 0)
		return r;
	*saved = same && complete && !strcmp(part, old);
	if (same)
		return 0;
	r = copy_part(part, c->output, *force, err);
	if (r < 0)
		return r;
	/* From here on the copy is what counts. */
	r = ring_session_set_output(&c->session, c->output, *force, err);
	if (r == 0)
		unlink(part);
	return r;
}
