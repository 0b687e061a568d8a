/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the viewer's server that need no socket. */
#include "http/sha1.h"
#include "http/ws.h"
#include "trace_tools.h"

#include <string.h>

/* ------------------------------------------------------------------- target */

static void test_target(void **state)
{
	static const struct {
		const char *target, *path;
		int status;
	} cases[] = {
		{"/", "/", 0},          {"/a/b?x=1", "/a/b", 0}, {"/%61", "/a", 0},
		{"/a%2fb", "/a/b", 0},  {"", "", 404},           {"a", "", 404},
		{"/..", "", 404},       {"/%2e%2e/x", "", 404},  {"//x", "", 404},
		{"/%2f", "", 404},      {"/a%", "", 404},        {"/a%0", "", 404},
		{"/%00", "", 404},      {"/a b", "", 404},       {"/\xc3\xa4", "", 404},
		{"http://x/", "", 404}, {"/?a=%zz", "/", 400},   {"/?a=1&a=2", "/", 400},
	};
	struct http_target *t = malloc(sizeof(*t));
	char *longest;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(target_parse(t, cases[i].target), cases[i].status);
		if (cases[i].status == 0)
			assert_string_equal(t->path, cases[i].path);
	}
	longest = malloc(HTTP_TARGET + 3);
	memset(longest, 'a', HTTP_TARGET + 2);
	longest[0] = '/';
	longest[HTTP_TARGET] = 0;
	assert_int_equal(target_parse(t, longest), 0);
	longest[HTTP_TARGET] = 'a';
	longest[HTTP_TARGET + 1] = 0;
	assert_int_equal(target_parse(t, longest), 414);
	free(longest);
	free(t);
}

/* --------------------------------------------------------------- WebSocket */

static void hash_is(const char *text, const char *hex)
{
	uint8_t hash[SHA1_BYTES];
	char got[2 * SHA1_BYTES + 1];

	sha1(text, strlen(text), hash);
	for (unsigned i = 0; i < SHA1_BYTES; i++)
		snprintf(got + 2 * i, 3, "%02x", hash[i]);
	assert_string_equal(got, hex);
}

static void test_accept(void **state)
{
	char accept[WS_ACCEPT];

	(void)state;
	hash_is("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	hash_is("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
	hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	/* The example of RFC 6455. */
	assert_true(ws_accept("dGhlIHNhbXBsZSBub25jZQ==", accept));
	assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
	assert_false(ws_accept(NULL, accept));
	assert_false(ws_accept("short", accept));
}

/* ------------------------------------------------------------------ answer */

static int status_of(struct http *http, const char *target, const char *host, const char *cookie)
{
	struct http_request r = {.method = "GET", .target = target, .host = host, .cookie = cookie};
	struct http_reply reply;

	http_answer(http, &r, &reply, NULL, NULL);
	buf_free(&reply.body);
	return reply.status;
}

static void test_answer(void **state)
{
	struct http *http;
	char cookie[128];
	struct view *view;

	(void)state;
	assert_int_equal(view_open(&view, &(struct view_options){0}, NULL), 0);
	assert_int_equal(http_open(&http, view, &(struct http_options){0}, NULL), 0);
	snprintf(cookie, sizeof(cookie), "tacho-0=%s", http_token(http));
	assert_int_equal(status_of(http, "/api/v1/traces", "localhost", cookie), 200);
	assert_int_equal(status_of(http, "/api/v1/traces", "localhost", NULL), 403);
	assert_int_equal(status_of(http, "/api/v1/traces", NULL, cookie), 403);
	assert_int_equal(status_of(http, "/api/v1/traces", "example.com", cookie), 403);
	assert_int_equal(status_of(http, "/api/v1/t/0/meta", "localhost", cookie), 404);
	assert_int_equal(status_of(http, "/", "localhost", NULL), 200);
	http_close(http);
	view_close(view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_accept),
		cmocka_unit_test(test_answer),
	};

	int r;

	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	test_cleanup();
	return r;
}
