/* SPDX-License-Identifier: Apache-2.0 */
/* The independent parts of perf-report: tables of facts, ranges, sums, pictures. */
#include "perf/draw.h"
#include "perf/picture.h"
#include "perf/report.h"
#include "perf/stacked.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static void architectures_check(void **state)
{
	const struct arch *a = perf_arch_find("Wormhole_B0");

	(void)state;
	assert_non_null(a);
	assert_string_equal(a->report, "wormhole");
	assert_int_equal(a->peak.workers, 64);
	assert_true(a->tflops[FIDELITY_HIFI2] == 148.0 / 72);
	assert_true(perf_arch_find("p100")->dram_gbs == 448);
	assert_int_equal(perf_arch_peak(perf_arch_find("blackhole"), PERF_MODEL_1_2_4)->workers,
			 130);
	assert_int_equal(perf_arch_peak(perf_arch_find("blackhole"), PERF_MODEL_NEXT)->workers,
			 110);
	assert_int_equal(perf_arch_peak(perf_arch_find("n1"), PERF_MODEL_NEXT)->sharded_cores, 8);
	assert_null(perf_arch_find("grayskull"));
	assert_int_equal(arch_fidelity_find("HiFi3"), FIDELITY_HIFI3);
	assert_int_equal(arch_fidelity_find("hifi3"), FIDELITY_NONE);
	assert_int_equal(arch_fidelity_find(NULL), FIDELITY_NONE);
}

static enum perf_verdict op_judge(const char *in0, const char *in1, const char *out,
				  enum arch_fidelity f)
{
	struct perf_kind k = {.datatype = {in0, in1, out}, .fidelity = f};

	return perf_fidelity_judge(&k, PERF_MODEL_1_2_4);
}

static void fidelity_check(void **state)
{
	const char *bf16 = "BFLOAT16", *bfp8 = "BFLOAT8_B", *bfp4 = "BFLOAT4_B";

	(void)state;
	assert_int_equal(op_judge(bf16, bf16, bf16, FIDELITY_HIFI4), VERDICT_SUFFICIENT);
	assert_int_equal(op_judge(bf16, bf16, bf16, FIDELITY_HIFI2), VERDICT_TOO_LOW);
	assert_int_equal(op_judge(bf16, bfp8, bfp4, FIDELITY_HIFI4), VERDICT_TOO_HIGH);
	assert_int_equal(op_judge(bf16, bfp8, bfp4, FIDELITY_HIFI2), VERDICT_SUFFICIENT);
	assert_int_equal(op_judge(bfp8, bfp8, bfp8, FIDELITY_HIFI4), VERDICT_TOO_HIGH);
	assert_int_equal(op_judge(bfp8, bfp8, bfp8, FIDELITY_LOFI), VERDICT_TOO_LOW);
	assert_int_equal(op_judge(bfp8, bfp4, bfp8, FIDELITY_LOFI), VERDICT_SUFFICIENT);
	assert_int_equal(op_judge(bfp8, bfp4, bfp8, FIDELITY_HIFI2), VERDICT_TOO_HIGH);
	assert_int_equal(op_judge("UINT16", bf16, bf16, FIDELITY_HIFI2), VERDICT_NOT_APPLICABLE);
	assert_int_equal(op_judge("COMPLEX", bf16, bf16, FIDELITY_HIFI2), VERDICT_UNKNOWN);
	assert_int_equal(op_judge(NULL, bf16, bf16, FIDELITY_HIFI2), VERDICT_UNKNOWN);
}

static void ranges_check(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t first, last;
	} cases[] = {
		{"5-10", true, 5, 10},
		{"31-", true, 31, INT64_MAX},
		{"-12", true, INT64_MIN, 12},
		{" 5 - 10 ", true, 5, 10},
		{"1,000-2,000", true, 1000, 2000},
		{"9-3", true, 9, 3},
		{"5", false, 0, 0},
		{"5-6-7", false, 0, 0},
		{"a-b", false, 0, 0},
		{"-", false, 0, 0},
		{"", false, 0, 0},
		{"--5", false, 0, 0},
		{"1 2-5", false, 0, 0},
		{"1-2 5", false, 0, 0},
		{" -5", false, 0, 0},
		{",-5", false, 0, 0},
		{"+1-5", false, 0, 0},
		{" 1,2 - 1,5 ", true, 12, 15},
		{"0000000000000000000000000000012-15", true, 12, 15},
		{"1-99999999999999999999", false, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_options o = {0};
		struct tacho_error err;
		int r = perf_range_parse(cases[i].text, &o, &err);

		assert_int_equal(r == 0, cases[i].good);
		if (r == 0) {
			assert_true(o.first_id == cases[i].first);
			assert_true(o.last_id == cases[i].last);
		}
	}
}

/* The compensation keeps what plain addition loses. */
static void sums_check(void **state)
{
	struct perf_sum s = {0};

	(void)state;
	perf_sum_add(&s, 1);
	perf_sum_add(&s, 1e100);
	perf_sum_add(&s, 1);
	perf_sum_add(&s, -1e100);
	assert_true(perf_sum_get(&s) == 2);
	perf_sum_add(&s, INFINITY);
	assert_true(isinf(perf_sum_get(&s)));
}

static void categories_check(void **state)
{
	static const struct {
		const char *name;
		enum perf_category old, next;
	} cases[] = {
		{"MatmulDeviceOperation", CATEGORY_COMPUTE, CATEGORY_COMPUTE},
		{"Matmul", CATEGORY_COMPUTE, CATEGORY_COMPUTE},
		{"MatmulX", CATEGORY_OTHER, CATEGORY_OTHER},
		{"HaloDeviceOperation", CATEGORY_DM, CATEGORY_DM},
		{"ReduceScatter", CATEGORY_DM, CATEGORY_CCL},
		{"AllGatherAsyncDeviceOperation", CATEGORY_OTHER, CATEGORY_CCL},
		{"AllGatherMatmul", CATEGORY_COMPUTE, CATEGORY_COMPUTE},
		{"ReshapeView", CATEGORY_OTHER, CATEGORY_TM},
		{"NLPCreateQKVHeadsDecodeDeviceOperation", CATEGORY_OTHER, CATEGORY_TM},
		{"NLPCreateQKVHeadsDecode", CATEGORY_OTHER, CATEGORY_OTHER},
		{"RMSAllGather", CATEGORY_OTHER, CATEGORY_COMPUTE},
		{"RingAttentionAllGatherAsync", CATEGORY_OTHER, CATEGORY_OTHER},
		{"AllReduce", CATEGORY_OTHER, CATEGORY_OTHER},
		{"AllReduceAsync", CATEGORY_OTHER, CATEGORY_CCL},
		{"PaddedSlice", CATEGORY_DM, CATEGORY_TM},
		{"PagedUpdateCacheDeviceOperation", CATEGORY_DM, CATEGORY_DM},
		{"Repeat", CATEGORY_OTHER, CATEGORY_TM},
		{"TopK", CATEGORY_OTHER, CATEGORY_OTHER},
		{"Combine", CATEGORY_OTHER, CATEGORY_CCL},
		{"(torch)", CATEGORY_HOST, CATEGORY_HOST},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct perf_kind k = {.label = cases[i].name};

		assert_int_equal(perf_category_of(&k, PERF_MODEL_1_2_4), cases[i].old);
		assert_int_equal(perf_category_of(&k, PERF_MODEL_NEXT), cases[i].next);
	}
	assert_int_equal(
		perf_category_of(&(struct perf_kind){.label = "softmax", .family = FAMILY_HOST},
				 PERF_MODEL_1_2_4),
		CATEGORY_HOST);
}

static uint32_t png_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Every chunk of the PNG has its checksum, and the pixels unpack to the right size. */
static void png_check(void **state)
{
	struct perf_stack stacks[] = {{.key = "Matmul (in0:dram)", .time = 70, .category = 0},
				      {.key = "Gr\xc3\xb6\xc3\x9f"
					      "e <&>",
				       .time = 30,
				       .category = 2}};
	struct perf_stacked s = {.v = stacks, .n = 2};
	struct buf out = BUF_INIT;
	const unsigned char *p, *end;
	uint32_t w = 0, h = 0;
	bool pixels = false;

	(void)state;
	assert_int_equal(perf_picture_png(&s, false, &out), 0);
	assert_true(perf_png_ours(out.data, PERF_PNG_HEAD));
	p = (const unsigned char *)out.data + 8;
	end = (const unsigned char *)out.data + out.len;
	for (; p < end; p += png_be32(p) + 12) {
		uint32_t len = png_be32(p);

		assert_int_equal(crc32(0, p + 4, len + 4), png_be32(p + 8 + len));
		if (!memcmp(p + 4, "IHDR", 4)) {
			w = png_be32(p + 8);
			h = png_be32(p + 12);
		}
		if (!memcmp(p + 4, "IDAT", 4)) {
			uLongf size = (uLongf)(w * 3 + 1) * h;
			unsigned char *raw = malloc(size);

			assert_int_equal(uncompress(raw, &size, p + 8, len), Z_OK);
			assert_int_equal(size, (w * 3 + 1) * h);
			assert_int_equal(raw[1], 0xff); /* the corner is white */
			free(raw);
			pixels = true;
		}
	}
	assert_true(p == end && pixels);
	assert_int_equal(w, 1800);
	assert_int_equal(h, 2400);
	buf_free(&out);
}

static void svg_check(void **state)
{
	struct perf_stack stacks[] = {{.key = "a<b>&c\x1b", .time = 1, .device = 0},
				      {.key = "zero", .time = 0, .device = 1}};
	struct perf_stacked s = {.v = stacks, .n = 2, .by_device = true};
	struct buf out = BUF_INIT;

	(void)state;
	assert_int_equal(perf_picture_svg(&s, true, &out), 0);
	assert_memory_equal(out.data, PERF_SVG_START, strlen(PERF_SVG_START));
	assert_non_null(strstr(out.data, "a&lt;b>&amp;c?"));
	assert_null(strchr(out.data, '\x1b'));
	assert_string_equal(out.data + out.len - 7, "</svg>\n");
	buf_free(&out);
}

static void font_check(void **state)
{
	const char *text = "a\xce\xbc\xff\xe2\x82";

	(void)state;
	assert_int_equal(font_next(&text), 'a');
	assert_int_equal(font_next(&text), 0x3bc);
	assert_int_equal(font_next(&text), 0xfffd);
	assert_int_equal(font_next(&text), 0xfffd);
	assert_int_equal(font_next(&text), 0xfffd);
	assert_int_equal(*text, 0);
	for (uint32_t c = ' '; c < 0x180; c++) {
		const char *s = font_strokes(c);

		for (; *s; s++)
			assert_true(*s == ' ' || (*s >= '0' && *s <= '9'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(architectures_check), cmocka_unit_test(fidelity_check),
		cmocka_unit_test(ranges_check),        cmocka_unit_test(sums_check),
		cmocka_unit_test(categories_check),    cmocka_unit_test(png_check),
		cmocka_unit_test(svg_check),           cmocka_unit_test(font_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
