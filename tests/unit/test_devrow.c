/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of profile_log_device.csv. */
#include "op/marker.h"
#include "ttlog/devrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_rows(void **state)
{
	struct buf b = BUF_INIT;
	struct devrow_place place;
	struct op_marker m;

	(void)state;
	devrow_header(&b, "wormhole_b0", 1000, 64);
	assert_string_equal(
		b.data,
		"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
		"PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], "
		"data, run host ID, trace id, trace id counter, zone name, type, source line, "
		"source file, meta data\n");
	buf_reset(&b);
	m = (struct op_marker){.kind = TRACE_MARK_START,
			       .cycle = UINT64_MAX,
			       .id = devrow_run(1, 3),
			       .trace = OP_NONE,
			       .session = OP_NONE};
	place = (struct devrow_place){.device = 3,
				      .x = 1,
				      .y = 2,
				      .risc = arch_risc_log_name(arch_risc_at(2, false)),
				      .timer = 13593,
				      .name = "A,B",
				      .line = 4,
				      .file = "x\n.c"};
	devrow_add(&b, &m, &place);
	assert_string_equal(b.data, "3,1,2,TRISC_0,13593,18446744073709551615,0,1027,,,A;B,"
				    "ZONE_START,4,x .c,\n");
	buf_reset(&b);
	m = (struct op_marker){.kind = TRACE_MARK_COUNTER,
			       .cycle = 5,
			       .values = 2,
			       .value = 856,
			       .value2 = 1588,
			       .session = 2};
	place = (struct devrow_place){.x = 1,
				      .y = 1,
				      .risc = arch_risc_log_name(arch_risc_at(0, true)),
				      .name = "FPU_COUNTER",
				      .file = "",
				      .line = 4};
	devrow_add(&b, &m, &place);
	assert_string_equal(b.data,
			    "0,1,1,ERISC,9090,5,6820408066904,0,0,2,,TS_DATA,0,,"
			    "{\"counter type\":\"FPU_COUNTER\";\"ref cnt\":1588;\"value\":856}\n");
	buf_reset(&b);
	m = (struct op_marker){.kind = TRACE_MARK_EVENT, .value = 7, .session = OP_NONE};
	devrow_add(&b, &m, &place);
	assert_string_equal(b.data, "0,1,1,ERISC,7,0,0,0,,,,TS_EVENT,0,,\n");
	buf_free(&b);
}

/* Numbers that the macros of kernels give when they are compiled. */
static void test_timer(void **state)
{
	(void)state;
	assert_int_equal(op_zone_timer("BRISC-FW",
				       "/opt/tt-metal/tt_metal/hw/firmware/src/tt-1xx/brisc.cc",
				       412),
			 13593);
	assert_int_equal(op_zone_timer("WORK", "kernels/a.c", 12), 5755);
	assert_int_equal(devrow_run(0, 3), 0);
}

/* The second word of a NoC event, and what a dispatch core's markers mean. */
static void test_meta(void **state)
{
	uint64_t word = 0x12345u | 3ull << 22 | (uint64_t)0x2abcd << 26 | 1ull << 48 | 77ull << 52;
	struct devrow_noc n = devrow_noc(word);
	struct buf b = BUF_INIT;

	(void)state;
	assert_int_equal(n.to, 0x12345 << 2 | 3);
	assert_int_equal(n.from, 0x2abcd << 2 | 1);
	assert_int_equal(n.counter, 77);
	devrow_add(&b, &(struct op_marker){.kind = TRACE_MARK_NOC, .values = 2, .value2 = word},
		   &(struct devrow_place){.risc = "BRISC", .name = "READ", .file = "x.c"});
	assert_string_equal(
		b.data, "0,0,0,BRISC,12345,0,0,0,,,,TS_DATA,0,,"
			"{\"dst_addr\":298263;\"noc_status_counter\":77;\"src_addr\":700213}\n");
	buf_reset(&b);
	op_dispatch_meta(&b, "process_cmd_d_dispatch", "CQ-DISPATCH:CQ_DISPATCH_CMD_WAIT", 7);
	assert_string_equal(b.data, "{\"dispatch_command_type\":\"CQ_DISPATCH_CMD_WAIT\"}");
	buf_reset(&b);
	op_dispatch_meta(&b, "process_cmd_d_dispatch", "KERNEL", 7);
	op_dispatch_meta(&b, "ITERATION", "CQ-DISPATCH:X", 7);
	assert_int_equal(b.len, 0);
	op_dispatch_meta(&b, "runtime_host_id_dispatch", "", 1024);
	assert_string_equal(b.data, "{\"workers_runtime_id\":1024}");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_timer),
		cmocka_unit_test(test_meta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
