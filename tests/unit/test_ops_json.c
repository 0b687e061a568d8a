/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader and Python's way to show values. */
#include "base/jread.h"
#include "op/pytext.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void json_shows(const char *json, const char *want)
{
	struct jread r = {0};
	struct buf out = BUF_INIT;
	const struct jread_value *v = jread_parse(&r, json, strlen(json), NULL);

	assert_non_null(v);
	pytext_str(&out, v);
	assert_string_equal(out.data, want);
	buf_free(&out);
	jread_free(&r);
}

static void test_python_text(void **state)
{
	(void)state;
	json_shows("{\"a\": \"b\", \"c\": [1, 2.5, true, null]}",
		   "{'a': 'b', 'c': [1, 2.5, True, None]}");
	json_shows("\"plain, 'text'\"", "plain, 'text'");
	json_shows("[\"it's\"]", "[\"it's\"]");
	json_shows("[\"it's \\\"so\\\"\"]", "['it\\'s \"so\"']");
	json_shows("[\"a\\nb\\t\\u0001\\\\\"]", "['a\\nb\\t\\x01\\\\']");
	json_shows("[\"\\u00e9\\ud83d\\ude00\"]", "['\xc3\xa9\xf0\x9f\x98\x80']");
	json_shows("[1e5, 1.0, 1e-7, 12345678901234567890, -0, NaN]",
		   "[100000.0, 1.0, 1e-07, 12345678901234567890, 0, nan]");
	json_shows("{\"a\": 1, \"b\": 2, \"a\": 3}", "{'a': 3, 'b': 2}");
	json_shows("[]", "[]");
}

static void test_refused(void **state)
{
	static const char *const bad[] = {"",   "{",         "[1,]",    "{\"a\" 1}",  "\"a",
					  "01", "1 2",       "\"\\x\"", "[\"a\nb\"]", "tru",
					  "-",  "\"\\ud8\"", "{1: 2}",  "1."};
	struct jread r = {0};
	struct tacho_error err;
	char deep[400];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = 0;
		assert_null(jread_parse(&r, bad[i], strlen(bad[i]), &err));
		assert_int_equal(err.code, TACHO_EFORMAT);
	}
	memset(deep, '[', sizeof(deep));
	assert_null(jread_parse(&r, deep, sizeof(deep), &err));
	jread_free(&r);
}

static void test_numbers(void **state)
{
	struct jread r = {0};
	const char *text = "{\"u\": 18446744073709551615, \"i\": -5, \"x\": 1.5, \"s\": \"7\"}";
	const struct jread_value *v = jread_parse(&r, text, strlen(text), NULL);
	uint64_t u;
	int64_t i;

	(void)state;
	assert_true(jread_uint(jread_get(v, "u"), &u));
	assert_true(u == UINT64_MAX);
	assert_false(jread_int(jread_get(v, "u"), &i));
	assert_true(jread_int(jread_get(v, "i"), &i));
	assert_int_equal(i, -5);
	assert_false(jread_uint(jread_get(v, "i"), &u));
	assert_true(jread_double(jread_get(v, "x")) == 1.5);
	assert_true(isnan(jread_double(jread_get(v, "s"))));
	assert_null(jread_get(v, "nothing"));
	assert_null(jread_get(jread_get(v, "x"), "y"));
	jread_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_text),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
