/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of row and track has words, and exports know the fields of every kind of row. */
#include "trace/names.h"
#include "trace_tools.h"

#include <string.h>

static void test_rows(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < TRACE_ROW_KINDS; kind++) {
		const struct trace_field *fields = trace_row_fields(kind);

		assert_string_not_equal(trace_row_kind_name(kind), "?");
		if (!trace_row_is_described(kind))
			fail_msg("row_fields in names.c lacks '%s'", trace_row_kind_name(kind));
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(!fields[i].name, fields[i].type == TRACE_FIELD_NONE);
	}
	assert_string_equal(trace_row_kind_name(TRACE_ROW_KINDS), "?");
	assert_false(trace_row_is_described(TRACE_ROW_KINDS));
	assert_null(trace_row_fields(TRACE_ROW_KINDS)[0].name);
	assert_string_equal(trace_row_fields(TRACE_ROW_ALLOC)[1].name, "bytes");
}

static void test_tracks(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < TRACE_TRACK_KINDS; kind++)
		assert_string_not_equal(trace_track_kind_name(kind), "?");
	for (uint64_t reason = 0; reason < TRACE_LOSSES; reason++)
		assert_string_not_equal(trace_loss_name(reason), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_tracks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
