/* SPDX-License-Identifier: Apache-2.0 */
/* Serve the page: built in, or from a folder during development. */
#include "http/assets.h"
#include "http/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASSET_MAX (16u << 20)

static const char *assets_type_of(const char *path)
{
	static const struct {
		const char *end, *type;
	} types[] = {{".html", "text/html; charset=utf-8"},
		     {".js", "text/javascript; charset=utf-8"},
		     {".css", "text/css; charset=utf-8"},
		     {".svg", "image/svg+xml"},
		     {".png", "image/png"},
		     {".ico", "image/x-icon"},
		     {".json", "application/json"},
		     {".woff2", "font/woff2"}};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(dot, types[i].end))
			return types[i].type;
	return "application/octet-stream";
}

static void builtin_answer(struct http_call *c, const char *path)
{
	for (size_t i = 0; i < asset_count; i++) {
		struct http_reply *r = c->reply;

		if (strcmp(assets[i].path, path))
			continue;
		r->body_static = assets[i].data;
		r->body_len = (size_t)(assets[i].end - assets[i].data);
		r->gzip = true;
		r->type = assets_type_of(path);
		/* Names in assets/ contain a hash of the content. */
		r->cache = strncmp(path, "/assets/", 8) ? "no-cache"
							: "public, max-age=31536000, immutable";
		snprintf(r->etag, sizeof(r->etag), "\"%s\"", assets[i].tag);
		return;
	}
	reply_fail(c->reply, 404, "there is no such file");
}

/* PATH has been checked: letters, digits, and no "..". Does not follow links out of the folder. */
static void folder_answer(struct http_call *c, const char *path)
{
	int folder = open(c->http->options.assets, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = folder < 0 ? -1 : openat(folder, path + 1, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct buf *body = &c->reply->body;
	struct stat st;
	ssize_t n = 0;

	if (folder >= 0)
		close(folder);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > ASSET_MAX) {
		if (fd >= 0)
			close(fd);
		reply_fail(c->reply, 404, "there is no such file");
		return;
	}
	while (buf_reserve(body, 65536) == 0 && (n = read(fd, body->data + body->len, 65536)) > 0 &&
	       body->len < ASSET_MAX)
		body->len += (size_t)n;
	close(fd);
	c->reply->type = assets_type_of(path);
	c->reply->cache = "no-store";
	if (n < 0)
		reply_fail(c->reply, 500, err_text(TACHO_EREAD));
}

void assets_answer(struct http_call *c)
{
	const char *path = strcmp(c->target.path, "/") ? c->target.path : "/index.html";

	if (c->http->options.assets)
		folder_answer(c, path);
	else
		builtin_answer(c, path);
}
