/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that took long, kept beside the index of a large saved trace. The key is the query and
 * the program itself: another build may answer otherwise. A file that is damaged, or of another
 * query, is not used.
 */
#include "view/answer_cache.h"
#include "base/now.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define ANSWER_MAGIC "TACHOANS"
#define ANSWER_MOST  ((size_t)64 << 20)
#define ANSWER_SLOW  0.05 /* seconds: quicker answers are not kept */

struct answer_header {
	char magic[8];
	uint64_t key, query; /* bytes of the query, which follows, then the body */
	uint64_t body;
	uint64_t checksum; /* of query and body */
};

/* The name of the trace, which some answers have, and "flame?limit=5&t0=7" as it was asked. */
static void answer_query(const struct view_call *c, const char *name, struct buf *query)
{
	buf_addf(query, "%s\n%s", c->on->name, name);
	for (size_t i = 0; i < c->query->count; i++) {
		const char *key = c->query->parameters[i].key;

		if (strcmp(key, "v"))
			buf_addf(query, "%c%s=%s", i ? '&' : '?', key,
				 c->query->parameters[i].value);
	}
}

static uint64_t answer_key(const struct buf *query)
{
	struct stat st = {0};
	uint64_t program[3];

	if (stat("/proc/self/exe", &st) < 0)
		return 0;
	program[0] = (uint64_t)st.st_size;
	program[1] = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	program[2] = (uint64_t)st.st_ino;
	return XXH3_64bits_withSeed(query->data, query->len, XXH3_64bits(program, sizeof(program)));
}

/* Freed by the caller; NULL: this answer is not cached. */
static char *answer_path(const struct view_call *c, const char *name, struct buf *query,
			 uint64_t *key)
{
	char file[40];

	if (!c->on->keeps || !c->trace || c->trace->zones + c->trace->rows < ANSWERS_FROM)
		return NULL;
	answer_query(c, name, query);
	*key = query->failed ? 0 : answer_key(query);
	if (!*key)
		return NULL;
	snprintf(file, sizeof(file), "%016llx.answer", (unsigned long long)*key);
	return trace_cache_path(c->trace, file);
}

static bool answer_read(int fd, const struct buf *query, uint64_t key, struct buf *body)
{
	struct answer_header h;
	struct stat st;
	char *text;
	bool good;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) ||
	    memcmp(h.magic, ANSWER_MAGIC, sizeof(h.magic)) || h.key != key ||
	    h.query != query->len || h.body > ANSWER_MOST ||
	    (uint64_t)st.st_size != sizeof(h) + h.query + h.body)
		return false;
	text = malloc(h.query + h.body + 1);
	good = text &&
	       pread(fd, text, h.query + h.body, sizeof(h)) == (ssize_t)(h.query + h.body) &&
	       XXH3_64bits(text, h.query + h.body) == h.checksum &&
	       !memcmp(text, query->data, query->len);
	if (good)
		buf_add(body, text + h.query, h.body);
	free(text);
	return good;
}

bool answer_cache_find(struct view_call *c, const char *name)
{
	struct buf query = BUF_INIT;
	uint64_t key = 0;
	char *path = answer_path(c, name, &query, &key);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	bool found = fd >= 0 && answer_read(fd, &query, key, &c->answer->body);

	if (found)
		futimens(fd, NULL);
	if (fd >= 0)
		close(fd);
	buf_free(&query);
	free(path);
	return found && !c->answer->body.failed;
}

static bool answer_store(const char *path, const struct answer_header *h, const struct buf *query,
			 const struct buf *body)
{
	FILE *f = fopen(path, "wxe");
	bool good = f && fwrite(h, sizeof(*h), 1, f) == 1 &&
		    fwrite(query->data, 1, query->len, f) == query->len &&
		    fwrite(body->data, 1, body->len, f) == body->len;

	return f && fclose(f) == 0 && good;
}

void answer_cache_keep(struct view_call *c, const char *name, double began)
{
	const struct buf *body = &c->answer->body;
	struct buf query = BUF_INIT, temporary = BUF_INIT, sum = BUF_INIT;
	struct answer_header h = {.magic = ANSWER_MAGIC};
	char *path;

	if (now_seconds() - began < ANSWER_SLOW || c->answer->status != VIEW_OK ||
	    c->answer->type != VIEW_JSON || c->answer->file || c->answer->version[0] ||
	    c->answer->deflate || body->failed || body->len > ANSWER_MOST || call_gone(c))
		return;
	path = answer_path(c, name, &query, &h.key);
	h.query = query.len;
	h.body = body->len;
	if (path && buf_addf(&temporary, "%s.%d.tmp", path, (int)getpid()) == 0 &&
	    buf_add(&sum, query.data, query.len) == 0 &&
	    buf_add(&sum, body->data, body->len) == 0) {
		h.checksum = XXH3_64bits(sum.data, sum.len);
		if (!answer_store(temporary.data, &h, &query, body) ||
		    rename(temporary.data, path) < 0)
			unlink(temporary.data);
		else
			trace_cache_trim(path);
	}
	buf_free(&query);
	buf_free(&temporary);
	buf_free(&sum);
	free(path);
}
