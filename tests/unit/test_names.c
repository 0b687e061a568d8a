/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns for names, UTF-8 from outside, variables of the environment. */
#include "base/pattern.h"
#include "base/utf8.h"
#include "cmds/cmds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_patterns(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{NULL, "anything", true},       {"", "anything", true},
		{"thin", "anything", true},     {"Thin", "anything", false},
		{"=thin", "anything", false},   {"=anything", "anything", true},
		{"any*", "anything", true},     {"*thin", "anything", false},
		{"a?y*g", "anything", true},    {"f[0]", "f[0](x)", true},
		{"/^a.*g$/", "anything", true}, {"/^thing/", "anything", false},
		{"/a|b/", "xbx", true},         {"/", "a/b", true},
		{"//", "a//b", true},           {"/b", "a/b", true},
	};
	struct pattern p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(pattern_init(&p, cases[i].pattern, NULL), 0);
		if (pattern_match(&p, cases[i].name) != cases[i].matches)
			fail_msg("'%s' against '%s'", cases[i].pattern, cases[i].name);
		pattern_free(&p);
	}
	assert_int_equal(pattern_init(&p, "/[/", NULL), TACHO_EUSAGE);
}

static void test_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} cases[] = {
		{"a", 1},
		{"\xc3\xa4", 2},
		{"\xe6\x97\xa5", 3},
		{"\xf0\x9f\x9a\x80", 4},
		{"\x80", 0},
		{"\xc3", 0},
		{"\xc0\xaf", 0},
		{"\xe0\x80\xaf", 0},
		{"\xed\xa0\x80", 0},
		{"\xf4\x90\x80\x80", 0},
		{"\xf5\x80", 0},
		{"\xff", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(utf8_char(cases[i].text, strlen(cases[i].text)), cases[i].len);
	assert_int_equal(utf8_char("", 0), 0);
}

static void test_variables(void **state)
{
	static const struct {
		const char *variable,
			*nearest; /* "": it is not supported; NULL: nobody's business */
	} cases[] = {
		{"HOME=/root", NULL},
		{"TT_METAL_HOME=/x", NULL},
		{"TACHO_LIMIT_MB=3", NULL},
		{"TACHO_LIMITMB=3", "TACHO_LIMIT_MB"},
		{"TACHO_POLICI=x", "TACHO_POLICY"},
		{"TT_METAL_DEVICE_PROFILER=1", NULL},
		{"TT_METAL_DEVICE_PROFILER_NOC_EVENT=1", "TT_METAL_DEVICE_PROFILER_NOC_EVENTS"},
		{"TT_METAL_PROFILER_DIRECTORY=x", "TT_METAL_PROFILER_DIR"},
		{"TT_METAL_PROFILER_SYNK=x", "TT_METAL_PROFILER_SYNC"},
		{"TT_METAL_DEVICE_PROFLER=1", "TT_METAL_DEVICE_PROFILER"},
		{"TT_METAL_WRITE_DEBUG_DELAY_RISKS=1", "TT_METAL_WRITE_DEBUG_DELAY_RISCVS"},
		{"TT_METAL_DEVICE_PROFILER_THREADS=1", ""},
		{"TT_METAL_PROFILER_FILTER_CHIPS=1", ""},
		{"TT_METAL_STREAMING_PROFILER=1", "TT_METAL_DEVICE_PROFILER=1"},
		{"TT_METAL_STREAMING_PROFILER_OPS_CSV=x", "tacho run --view"},
		{"TT_METAL_REALTIME_PROFILER=1", "tacho run --view"},
		{"TT_METAL_TRACY_MID_RUN_PUSH=1", "tacho serve --live"},
		{"TT_METAL_CACHE=/x", NULL},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *said = environ_complaint(cases[i].variable, text, sizeof(text));

		if (!cases[i].nearest) {
			assert_null(said);
			continue;
		}
		assert_non_null(said);
		if (*cases[i].nearest)
			assert_non_null(strstr(said, cases[i].nearest));
		else
			assert_non_null(strstr(said, "not supported"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
