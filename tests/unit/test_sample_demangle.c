/* SPDX-License-Identifier: Apache-2.0 */
/* Names of Rust functions; whatever a file says instead is no name. */
#include "sample/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[][2] = {
	{"_RNvCs3a_5tools4main", "tools::main"},
	{"_RNvMsa_NtCsgEmfK2I1SDS_4core3fmtNtB5_9Formatter26debug_struct_field1_finish",
	 "<core::fmt::Formatter>::debug_struct_field1_finish"},
	{"_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeNtNtCslNYArtu3iFV_5alloc6string6StringECs4"
	 "X4t9plMPHF_9addr2line",
	 "core::ptr::drop_in_place::<alloc::string::String>"},
	{"_RNvXsj_NtCsgEmfK2I1SDS_4core3fmtcNtB5_5Debug3fmt", "<char as core::fmt::Debug>::fmt"},
	{"_RNCNvMs4_NtCsgY6Mt91CT9J_14rustc_demangle2v0NtB7_7Printer10print_type0B9_",
	 "<rustc_demangle::v0::Printer>::print_type::{closure#0}"},
	{"_RNCNvC1a1bs_0", "a::b::{closure#1}"},
	{"_RINvC1a1bAhj10_E", "a::b::<[u8; 0x10]>"},
	{"_RINvC1a1bTlEE", "a::b::<(i32,)>"},
	{"_RINvC1a1bFUKCPhQSaEuE", "a::b::<unsafe extern fn(*const u8, &mut [i8])>"},
	{"_RINvC1a1bKb1_E", "a::b::<true>"},
	{"_RINvC1a1bDNtC1c1dp4ItemmEL_E", "a::b::<dyn c::d<Item = u32>>"},
	{"_RNvC1a1b.llvm.123", "a::b"},
};

static void test_names(void **state)
{
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(demangle(names[i][0], text, sizeof(text)), names[i][1]);
}

static void test_no_names(void **state)
{
	static const char *const bad[] = {
		"_R",         "_RN",    "_RNvC1a",     "_RNvC9a1b",     "_RB_",   "_RNvB_1a",
		"_RINvC1a1b", "_RMC1a", "_RINvC1a1bK", "_RINvC1a1bB_E", "printf", "_RINvC1a1bAhE"};
	char text[256], deep[600] = "_RINvC1a1b";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_ptr_equal(demangle(bad[i], text, sizeof(text)), bad[i]);
	memset(deep + 10, 'R', sizeof(deep) - 11);
	assert_ptr_equal(demangle(deep, text, sizeof(text)), deep);
	/* No room. */
	assert_false(demangle_rust("_RNvC1a1b", text, 4));
	assert_true(demangle_rust("_RNvC1a1b", text, 5));
}

/* Names with bytes replaced: sanitizers see what goes wrong. */
static void test_damage(void **state)
{
	static const char letters[] = "0129aCBENIMXYTARQPODFGUKLpsnu_v";
	char text[256], name[256];
	uint32_t random = 1;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		snprintf(name, sizeof(name), "%s",
			 names[i % (sizeof(names) / sizeof(names[0]))][0]);
		for (unsigned k = 0; k < 3; k++) {
			random = random * 1664525 + 1013904223;
			name[2 + (random >> 16) % (strlen(name) - 2)] =
				letters[(random >> 8) % (sizeof(letters) - 1)];
		}
		demangle_rust(name, text, sizeof(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_names),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
