/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of the host's messages and of the device log, and finding ops in markers. */
#include "op/detect.h"
#include "ttlog/device_log.h"
#include "ttlog/host_logs.h"
#include "ttlog/noc_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void log_parse(struct op_host *host, struct op_issues *issues, const char *text)
{
	char *copy = strdup(text);

	assert_int_equal(ttlog_messages_parse(host, copy, strlen(copy), issues, NULL), 0);
	free(copy);
}

static void test_messages(void **state)
{
	struct op_host host = {0};
	struct op_issues issues = {0};

	(void)state;
	log_parse(&host, &issues,
		  "MessageName;total_ns\n"
		  "`TT_DNN_DEVICE_OP: \"A\", 18000000000000000000, 2, false, 1026 ->\n"
		  "{\"op_code\": \"A,B\", \"op_hash\": 18000000000000000000, \"device_id\": 2, "
		  "\"global_call_count\": 1026}`;100\n"
		  "`TT_METAL_TRACE_BEGIN: 2, 5`;110\n"
		  "`TT_DNN_DEVICE_OP: \"A\", 18000000000000000000, 2, true, 2050`;120\n"
		  "`TT_METAL_TRACE_END: 2, 5`;130\n"
		  "`TT_METAL_TRACE_REPLAY: 2, 5`;140\n"
		  "`TT_SIGNPOST: layer: 5: attn\nmore`;150\n"
		  "`TT_DNN_FALL_BACK_OP:\"F\" ->\n{\"op_code\": \"F\", \"attributes\": null, "
		  "\"global_call_count\": 2147483648, \"op_type\": \"python_fallback\"}`;160\n");
	assert_int_equal(op_issues_total(&issues), 0);
	assert_int_equal(host.ops.n, 3);
	assert_int_equal(host.ops.v[0].trace, OP_NONE);
	assert_int_equal(host.ops.v[1].trace, 5);
	assert_int_equal(host.ops.v[1].hit, OP_HIT_TRUE);
	assert_int_equal(host.ops.v[1].program, host.ops.v[0].program);
	assert_int_equal(host.ops.v[2].device, OP_NONE);
	assert_memory_equal(host.table.programs.v[0].code.text, "A;B", 4);
	assert_int_equal(host.replays.n, 1);
	assert_string_equal(host.signposts.v[0].header, "attn");
	assert_string_equal(host.signposts.v[0].message, "more");
	op_host_free(&host);
	op_issues_free(&issues);
}

static void test_messages_damaged(void **state)
{
	struct op_host host = {0};
	struct op_issues issues = {0};

	(void)state;
	log_parse(&host, &issues,
		  "MessageName;total_ns\n"
		  "`TT_DNN_DEVICE_OP: \"Cut\", 7, 0, false, 1024 ->\n{\"op_code\": \"Cu`;100\n"
		  "`TT_DNN_DEVICE_OP: \"Ghost\", 42, 0, false, 2048`;110\n"
		  "`TT_METAL_TRACE_BEGIN: 2`;120\n"
		  "MLIR_OP_LOCATION;loc(x);130\n"
		  "`TT_DNN_DEVICE_OP: nonsense`;140\n");
	assert_int_equal(issues.counts[OP_ISSUE_BAD_MESSAGE], 2);
	assert_int_equal(issues.counts[OP_ISSUE_CACHED_UNKNOWN], 1);
	assert_int_equal(issues.counts[OP_ISSUE_BAD_TRACE], 1);
	assert_int_equal(issues.counts[OP_ISSUE_BAD_ROW], 0);
	/* The cut one is an op; the other only when another log names it. */
	assert_int_equal(host.ops.n, 1);
	assert_int_equal(op_host_add_unknown(&host, 2048, 0), 0);
	assert_int_not_equal(host.ops.v[1].program, 0);
	op_host_free(&host);
	op_issues_free(&issues);
}

#define COLUMNS                                                                                      \
	"PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, " \
	"run host ID, trace id, trace id counter, zone name, type, source line, source file, meta data\n"
#define HEAD "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n" COLUMNS
#define ROW(core, risc, time, id, zone, type) \
	"0," core "," risc ",7," time ",0," id ",,," zone "," type ",1,f.cc,\n"

static void ops_detect(const char *text, struct op_executions *ops, struct op_issues *issues,
		       enum op_detect_mode mode)
{
	struct devlog dev = {0};

	assert_int_equal(devlog_parse(&dev, text, strlen(text), DEVLOG_ALL, issues, NULL), 0);
	assert_int_equal(devlog_sort(&dev, NULL), 0);
	for (size_t i = 0; i < dev.devices.n; i++)
		assert_int_equal(
			op_detect(&dev, dev.devices.v[i], mode, OP_MEASURES_ALL, ops, issues, NULL),
			0);
	devlog_free(&dev);
}

/* Two cores, two ops; lines of the second core first and out of order between RISCs. */
#define TWO_CORES                                                                                  \
	HEAD ROW("2,1", "BRISC", "105", "1024", "BRISC-FW",                                        \
		 "ZONE_START") ROW("2,1", "BRISC", "195", "1024", "BRISC-FW", "ZONE_END")          \
		ROW("1,1", "NCRISC", "110", "1024", "NCRISC-KERNEL",                               \
		    "ZONE_START") ROW("1,1", "NCRISC", "150", "1024", "NCRISC-KERNEL", "ZONE_END") \
			ROW("1,1", "BRISC", "100", "1024", "BRISC-FW", "ZONE_START") ROW(          \
				"1,1", "BRISC", "120", "1024", "BRISC-KERNEL", "ZONE_START")       \
				ROW("1,1", "BRISC", "180", "1024", "BRISC-KERNEL", "ZONE_END")     \
					ROW("1,1", "BRISC", "200", "1024", "BRISC-FW", "ZONE_END")

static void test_detect(void **state)
{
	struct op_executions ops = {0};
	struct op_issues issues = {0};

	(void)state;
	ops_detect(TWO_CORES, &ops, &issues, OP_DETECT_EACH);
	assert_int_equal(ops.n, 1);
	assert_int_equal(ops.v[0].cores, 2);
	assert_true(ops.v[0].complete);
	assert_int_equal(ops.v[0].spans[OP_M_FW].cycles, 100);
	assert_int_equal(ops.v[0].spans[OP_M_KERNEL].cycles, 70);
	assert_int_equal(ops.v[0].spans[OP_M_BRISC].cycles, 60);
	assert_int_equal(ops.v[0].spans[OP_M_FIRST_TO_LAST].cycles, 10);
	assert_false(ops.v[0].spans[OP_M_TRISC0].set);
	assert_int_equal(ops.v[0].per_core.count, 1);
	assert_int_equal(op_issues_total(&issues), 0);
	vec_free(&ops);
	op_issues_free(&issues);
}

static void test_detect_damaged(void **state)
{
	struct op_executions ops = {0};
	struct op_issues issues = {0};

	(void)state;
	/* The second program never ends on its core, the first runs a second time. */
	ops_detect(TWO_CORES ROW("1,1", "BRISC", "300", "2048", "BRISC-FW", "ZONE_START") ROW(
			   "1,1", "BRISC", "400", "1024", "BRISC-FW", "ZONE_START") "0,1,1,BRI\n",
		   &ops, &issues, OP_DETECT_EACH);
	assert_int_equal(ops.n, 3);
	assert_int_equal(issues.counts[OP_ISSUE_OPEN_OP], 2);
	assert_int_equal(issues.counts[OP_ISSUE_BAD_ROW], 1);
	assert_false(ops.v[1].complete);
	vec_free(&ops);
	op_issues_free(&issues);
	ops_detect(TWO_CORES ROW("1,1", "BRISC", "300", "2048", "BRISC-FW", "ZONE_START"), &ops,
		   &issues, OP_DETECT_FLOW);
	assert_int_equal(ops.n, 1);
	assert_int_equal(op_issues_damage(&issues), 0);
	vec_free(&ops);
	op_issues_free(&issues);
}

static void test_headers(void **state)
{
	static const char *const bad[] = {"", "\n", "hello\nworld\n",
					  "ARCH: x, CHIP_FREQ[MHz]: 1\n", "ARCH: x\na,b,c\n"};
	struct op_issues issues = {0};
	struct devlog dev = {0};
	const char *old =
		"Chip clock is at 1200 MHz\n"
		"PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
		"reset], stat value, Run ID, zone name, zone phase, source line, source file\n"
		"0,1,1,BRISC,7,100,0,3,BRISC-FW,begin,1,f.cc\n";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
			devlog_parse(&dev, bad[i], strlen(bad[i]), DEVLOG_ALL, &issues, NULL),
			TACHO_EFORMAT);
		devlog_free(&dev);
	}
	assert_int_equal(devlog_parse(&dev, old, strlen(old), DEVLOG_ALL, &issues, NULL), 0);
	assert_int_equal(dev.mhz, 1200);
	assert_string_equal(dev.arch, "grayskull");
	assert_int_equal(dev.groups.v[0].id, 3);
	devlog_free(&dev);
	op_issues_free(&issues);
}

static void test_noc(void **state)
{
	struct op_noc_op op;
	const char *text =
		"[{\"zone\": \"K\"}, {\"type\": \"READ\", \"num_bytes\": 30, \"sx\": 1, \"sy\": 2},"
		" {\"type\": \"WRITE\", \"num_bytes\": 10, \"sx\": 2, \"sy\": 2, "
		"\"mcast_start_x\": 1}]";

	(void)state;
	assert_true(ttlog_noc_name("noc_trace_dev3_My_IDea_ID1027_traceID30064771074.json", &op));
	assert_int_equal(op.device, 3);
	assert_int_equal(op.id, 1027);
	assert_int_equal(op.trace, 7);
	assert_int_equal(op.session, 2);
	assert_false(ttlog_noc_name("noc_trace_dev.json", &op));
	assert_false(ttlog_noc_name("topology.json", &op));
	memset(&op, 0, sizeof(op));
	assert_int_equal(ttlog_noc_parse(&op, text, strlen(text), NULL), 0);
	assert_int_equal(op.events, 2);
	assert_int_equal(op.bytes, 40);
	assert_int_equal(op.multicast_bytes, 10);
	assert_true(op.max_share == 75.0);
	memset(&op, 0, sizeof(op));
	assert_int_equal(ttlog_noc_parse(&op, text, strlen(text) - 5, NULL), TACHO_EFORMAT);
	assert_int_equal(op.events, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages), cmocka_unit_test(test_messages_damaged),
		cmocka_unit_test(test_detect),   cmocka_unit_test(test_detect_damaged),
		cmocka_unit_test(test_headers),  cmocka_unit_test(test_noc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
