/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP by libcurl. No redirect is followed, and certificates are always checked. */
#include "db/curl.h"

#include "base/limits.h"

#include <ctype.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_SECONDS 5
#define IDLE_SECONDS    300 /* a long query sends nothing until it ends */

/* The functions of libcurl that are used. */
#define CURL_FUNCTIONS(X) \
	X(easy_init)      \
	X(easy_setopt)    \
	X(easy_perform)   \
	X(easy_getinfo)   \
	X(easy_cleanup)   \
	X(easy_strerror)  \
	X(global_init)    \
	X(slist_append)   \
	X(slist_free_all)

/* libcurl's macros check argument types of direct calls only. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct {
	void *library;
#define X(name) __typeof__(curl_##name) *name;
	CURL_FUNCTIONS(X)
#undef X
} lib;

struct web {
	CURL *curl;
	struct curl_slist *headers;
	const volatile sig_atomic_t *stop;
	struct buf *answer;
};

static int library_load(struct tacho_error *err)
{
	if (lib.library)
		return 0;
	lib.library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!lib.library)
		return err_set(err, TACHO_EREAD,
			       "ClickHouse needs libcurl: install the package libcurl4");
#define X(name)                                                  \
	*(void **)&lib.name = dlsym(lib.library, "curl_" #name); \
	if (!lib.name)                                           \
		return err_set(err, TACHO_EREAD, "libcurl has no curl_" #name);
	CURL_FUNCTIONS(X)
#undef X
	lib.global_init(CURL_GLOBAL_DEFAULT);
	return 0;
}

static size_t answer_add(char *bytes, size_t size, size_t n, void *context)
{
	struct web *h = context;

	if (h->answer->len + size * n > LIMIT_DB_ANSWER || buf_add(h->answer, bytes, size * n) < 0)
		return 0;
	return size * n;
}

static int request_stopped(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct web *h = context;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return h->stop && *h->stop;
}

static int header_add(struct web *h, const char *name, const char *value)
{
	struct buf b = BUF_INIT;
	struct curl_slist *longer;

	if (!value)
		return 0;
	buf_addf(&b, "%s: %s", name, value);
	longer = b.failed ? NULL : lib.slist_append(h->headers, b.data);
	if (b.len)
		explicit_bzero(b.data, b.len);
	buf_free(&b);
	h->headers = longer ? longer : h->headers;
	return longer ? 0 : TACHO_ENOMEM;
}

int web_open(struct web **out, const struct web_account *account, struct tacho_error *err)
{
	struct web *h = NULL;
	int r = library_load(err);

	if (r < 0)
		return r;
	h = calloc(1, sizeof(*h));
	if (!h || !(h->curl = lib.easy_init()) ||
	    header_add(h, "X-ClickHouse-User", account->user) < 0 ||
	    header_add(h, "X-ClickHouse-Key", account->password) < 0 ||
	    header_add(h, "Expect", "") < 0) {
		web_close(h);
		return err_set(err, TACHO_ENOMEM, "no memory for a connection");
	}
	h->stop = account->stop;
	lib.easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
	lib.easy_setopt(h->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	lib.easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	lib.easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	lib.easy_setopt(h->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	lib.easy_setopt(h->curl, CURLOPT_LOW_SPEED_TIME, (long)IDLE_SECONDS);
	lib.easy_setopt(h->curl, CURLOPT_TCP_KEEPALIVE, 1L);
	lib.easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, answer_add);
	lib.easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	lib.easy_setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
	lib.easy_setopt(h->curl, CURLOPT_XFERINFOFUNCTION, request_stopped);
	lib.easy_setopt(h->curl, CURLOPT_XFERINFODATA, h);
	if (account->ca)
		lib.easy_setopt(h->curl, CURLOPT_CAINFO, account->ca);
	*out = h;
	return 0;
}

void web_close(struct web *h)
{
	if (!h)
		return;
	if (h->curl)
		lib.easy_cleanup(h->curl);
	if (h->headers)
		lib.slist_free_all(h->headers);
	free(h);
}

int web_request(struct web *h, const char *url, const void *body, size_t len, struct buf *answer,
		long *status, bool *hopeless, struct tacho_error *err)
{
	CURLcode code;

	buf_reset(answer);
	h->answer = answer;
	lib.easy_setopt(h->curl, CURLOPT_URL, url);
	/* Without TLS the server is this machine: no proxy. */
	lib.easy_setopt(h->curl, CURLOPT_PROXY, strncmp(url, "https:", 6) ? "" : NULL);
	if (body) {
		lib.easy_setopt(h->curl, CURLOPT_POST, 1L);
		lib.easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
		lib.easy_setopt(h->curl, CURLOPT_POSTFIELDS, body);
	} else {
		lib.easy_setopt(h->curl, CURLOPT_HTTPGET, 1L);
	}
	code = lib.easy_perform(h->curl);
	*hopeless = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
		    code == CURLE_WRITE_ERROR;
	if (code == CURLE_ABORTED_BY_CALLBACK)
		return err_set(err, TACHO_ENO, "interrupted");
	if (code == CURLE_WRITE_ERROR)
		return err_set(err, TACHO_ELIMIT, "the database's answer is too large");
	if (code != CURLE_OK)
		return err_set(err, TACHO_ECONNECT, "the database: %s", lib.easy_strerror(code));
	lib.easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, status);
	return 0;
}

void web_add_encoded(struct buf *url, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-._~", *text))
			buf_addc(url, *text);
		else
			buf_addf(url, "%%%02X", (unsigned char)*text);
	}
}
