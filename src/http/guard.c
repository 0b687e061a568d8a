/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check who may send requests. The server listens on the loopback, but any page in a browser can
 * send requests there. So a request must name this machine (a rebound DNS name does not), must not
 * come from another page, and must have the token that was printed.
 */
#include "base/now.h"
#include "http/private.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The name in "name:port" or "[address]:port"; false if malformed. */
static bool host_name(const char *host, char *name, size_t size)
{
	const char *end = *host == '[' ? strchr(host, ']') : host + strcspn(host, ":");
	size_t len;

	if (!end)
		return false;
	if (*host == '[') {
		host++;
		len = (size_t)(end - host);
		end++;
	} else {
		len = (size_t)(end - host);
	}
	if (*end == ':' && end[1 + strspn(end + 1, "0123456789")])
		return false;
	if ((*end && *end != ':') || !len || len >= size)
		return false;
	memcpy(name, host, len);
	name[len] = 0;
	return true;
}

static bool is_loopback(const char *name)
{
	struct in6_addr six;
	struct in_addr four;

	if (!strcasecmp(name, "localhost"))
		return true;
	if (inet_pton(AF_INET, name, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* A name server can redirect neither an address nor the name of this machine. */
static bool is_ours(const char *name)
{
	char here[256] = "", six[16];

	if (inet_pton(AF_INET, name, six) == 1 || inet_pton(AF_INET6, name, six) == 1)
		return true;
	return gethostname(here, sizeof(here) - 1) == 0 && !strcasecmp(here, name);
}

static bool host_is_right(const struct http *http, const char *host)
{
	char name[256];
	bool here = !http->options.bind || is_loopback(http->options.bind);

	if (!host || !host_name(host, name, sizeof(name)))
		return false;
	return is_loopback(name) || (!here && is_ours(name));
}

/* The page's own requests have no origin or its own; a forwarded port appears in both. */
static bool origin_is_right(const struct http_request *r)
{
	if (r->fetch_site && strcmp(r->fetch_site, "same-origin") && strcmp(r->fetch_site, "none"))
		return false;
	return !r->origin || (!strncmp(r->origin, "http://", 7) && !strcmp(r->origin + 7, r->host));
}

/* Takes the same time wherever the difference is. */
static bool text_is_token(const char *token, const char *text, size_t len)
{
	unsigned char difference = len != HTTP_TOKEN - 1;

	for (size_t i = 0; i < len && i < HTTP_TOKEN - 1; i++)
		difference |= (unsigned char)(text[i] ^ token[i]);
	return !difference;
}

/* OWNER: the shared token is not enough. */
static bool guard_token_is(struct http *http, const char *text, size_t len, bool owner)
{
	bool is, shared;

	pthread_mutex_lock(&http->token_lock);
	is = text_is_token(http->token, text, len);
	shared = text_is_token(http->shared, text, len) && http->shared[0] && !owner &&
		 now_seconds() < http->shared_until;
	pthread_mutex_unlock(&http->token_lock);
	return is | shared;
}

/* Cookies are not bound to a port, so a viewer's cookie has the port in its name. */
static bool cookie_is_right(struct http *http, const char *cookies, bool owner)
{
	char name[32];
	size_t n = (size_t)snprintf(name, sizeof(name), "tacho-%u=", http_port(http));

	while (cookies && *cookies) {
		size_t len = strcspn(cookies, ";");

		if (len > n && !strncmp(cookies, name, n) &&
		    guard_token_is(http, cookies + n, len - n, owner))
			return true;
		cookies += len;
		cookies += strspn(cookies, "; ");
	}
	return false;
}

static bool knows_token(struct http *http, const struct http_request *r, bool owner)
{
	if (r->authorization && !strncasecmp(r->authorization, "Bearer ", 7))
		return guard_token_is(http, r->authorization + 7, strlen(r->authorization + 7),
				      owner);
	return cookie_is_right(http, r->cookie, owner);
}

/* "/?token=..": sets the cookie and removes the token from the address bar. */
static bool guard_enters(struct http_call *c)
{
	const char *token = query_get(&c->target.query, "token");
	struct http_reply *reply = c->reply;

	if (strcmp(c->target.path, "/") || !token)
		return false;
	if (!guard_token_is(c->http, token, strlen(token), false)) {
		reply_fail(c->reply, 403,
			   "the token is wrong: open the URL that tacho view printed last");
		return true;
	}
	reply->status = 303;
	snprintf(reply->location, sizeof(reply->location), "/");
	snprintf(reply->cookie, sizeof(reply->cookie),
		 "tacho-%u=%s; Path=/; HttpOnly; SameSite=Strict", http_port(c->http), token);
	return true;
}

bool guard_admits(struct http_call *c)
{
	const struct http_request *r = c->request;
	bool api = !strncmp(c->target.path, "/api/", 5), changes = !strcmp(r->method, "POST");
	struct http *http = c->http;

	if (!host_is_right(http, r->host))
		reply_fail(c->reply, 403, "this host name is not served");
	else if (strcmp(r->method, "GET") && !(changes && api))
		reply_fail(c->reply, 405, "only GET is known");
	else if (guard_enters(c))
		return false;
	/* The page has no data, and must open from a link elsewhere: no cookie is sent then. */
	else if (!api && strcmp(c->target.path, "/ws"))
		return true;
	else if (!origin_is_right(r))
		reply_fail(c->reply, 403, "requests of other pages are not answered");
	else if (changes && knows_token(http, r, false) && !knows_token(http, r, true))
		reply_fail(c->reply, 403, "this URL is for reading only");
	else if (!knows_token(http, r, changes))
		reply_fail(c->reply, 403,
			   "the token is missing: open the URL that tacho view printed");
	else
		return true;
	return false;
}
