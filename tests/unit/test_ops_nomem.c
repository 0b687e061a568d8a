/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a report fails once: an error comes back, nothing leaks, nothing crashes. */
#include "nomem.h"
#include "op/stats.h"
#include "ttlog/device_log.h"
#include "ttlog/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char folder[128];

#define COLUMNS                                                                                      \
	"PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, " \
	"run host ID, trace id, trace id counter, zone name, type, source line, source file, meta data\n"

static const struct {
	const char *name, *text;
} logs[] = {
	{"tracy_ops_data.csv",
	 "MessageName;total_ns\n"
	 "`TT_SIGNPOST: a\nb`;1\n"
	 "`TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 1024 ->\n{\"op_code\": \"A\", \"op_hash\": 7, "
	 "\"device_id\": 0, \"global_call_count\": 1024, \"input_tensors\": [{\"dtype\": \"x\"}], "
	 "\"attributes\": {\"a\\n\": [1.5]}, \"kernel_info\": {\"kernel_sizes\": {\"TENSIX_DM_0_m\": "
	 "1}}}`;2\n"
	 "`TT_METAL_TRACE_BEGIN: 0, 1`;3\n`TT_DNN_DEVICE_OP: \"A\", 7, 0, true, 2048`;4\n"
	 "`TT_METAL_TRACE_END: 0, 1`;5\n`TT_METAL_TRACE_REPLAY: 0, 1`;6\n"
	 "`TT_DNN_DEVICE_OP: \"C\", 9, 0, true, 4096 ->\n{`;7\n"},
	{"tracy_ops_times.csv",
	 "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,"
	 "thread,special_parent_text\n"
	 "TT_DNN_DEVICE_OP,f,1,,\"id:1024\",2,1,1,id:1024\n"
	 "TT_DNN_DEVICE_OP,f,1,,\"id:2048\",4,1,1,id:2048\n"},
	{"profile_log_device.csv",
	 "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n" COLUMNS
	 "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,f,{\"sub_device_id\":1}\n"
	 "0,1,1,BRISC,9090,101,0,1024,,,,TS_DATA,1,f,{\"counter type\":\"FPU_COUNTER\";\"ref "
	 "cnt\":9;\"value\":3}\n"
	 "0,1,1,BRISC,7,110,0,1024,,,BRISC-KERNEL,ZONE_START,1,f,\n"
	 "0,1,1,BRISC,7,120,0,1024,,,BRISC-KERNEL,ZONE_END,1,f,\n"
	 "0,1,1,BRISC,7,130,0,1024,,,BRISC-FW,ZONE_END,1,f,\n"
	 "0,1,1,BRISC,7,200,0,2048,1,1,BRISC-FW,ZONE_START,1,f,\n"
	 "0,1,1,BRISC,7,230,0,2048,1,1,BRISC-FW,ZONE_END,1,f,\n"
	 "0,6,1,BRISC,7,50,0,0,,,CQ-DISPATCH,ZONE_START,1,f,{\"workers_runtime_id\":1024}\n"
	 "0,6,1,BRISC,7,60,0,0,,,CQ-DISPATCH,ZONE_END,1,f,{\"dispatch_command_type\":\"CQ_DISPATCH_A\"}\n"},
	{"noc_trace_dev0_ID1024.json",
	 "[{\"type\": \"R\", \"num_bytes\": 3, \"sx\": 1, \"sy\": 1}]"},
};

static void write_logs(void)
{
	char path[300];

	snprintf(folder, sizeof(folder), "/tmp/ops-nomem-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/.logs", folder);
	mkdir(path, 0700);
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/.logs/%s", folder, logs[i].name);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(logs[i].text, f);
		fclose(f);
	}
}

static int report_make(bool device_only)
{
	struct ttlog_options options = {
		.folder = folder, .noc = true, .force = true, .device_only = device_only};
	struct ttlog_result result = {0};
	struct tacho_error err = {0};
	int r = ttlog_report(&options, &result, &err);

	ttlog_result_free(&result);
	return r;
}

static int stats_make(void)
{
	struct op_log_stats s = {0};
	struct op_issues issues = {0};
	struct op_picked picked = {OP_MEASURES_ALL, true, true};
	struct devlog dev = {0};
	char path[300];
	int r;

	snprintf(path, sizeof(path), "%s/.logs/profile_log_device.csv", folder);
	r = devlog_read(&dev, path, DEVLOG_ALL, &issues, NULL);
	if (r == 0)
		r = devlog_sort(&dev, NULL);
	if (r == 0)
		r = op_devlog_stats(&s, &dev, &picked, &issues, NULL);
	op_log_stats_free(&s);
	devlog_free(&dev);
	op_issues_free(&issues);
	return r;
}

/* --- the same from a trace --- */

static struct trace *trace;

static void add_zone(struct trace_writer *w, uint32_t track, uint32_t depth, uint64_t start,
		     uint64_t end, const char *name, const char *function, uint64_t value,
		     const char *text)
{
	struct trace_srcloc s = {.name = name, .function = function, .file = "f", .line = 1};
	struct trace_extra extras[2] = {
		{.kind = TRACE_EXTRA_VALUE, .value = value},
		{.kind = TRACE_EXTRA_TEXT, .text = text, .len = (uint32_t)strlen(text)}};

	assert_int_equal(trace_lane_add_full(w, trace_lane(w, track, depth), start, end,
					     (uint32_t)trace_add_srcloc(w, &s), 0, 0,
					     extras + !value, (size_t)(!!value + !!*text)),
			 0);
}

static void write_trace(void)
{
	static const char op[] = "`TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 1024 ->\n{\"op_code\": "
				 "\"A\", \"device_id\": 0, \"global_call_count\": 1024}`";
	struct trace_process p = {.pid = 1, .name = "p", .command = "p"};
	struct trace_track messages = {.kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = ""};
	struct trace_track thread = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = "t"};
	struct trace_track core = {.kind = TRACE_CORE,
				   .srcloc = TRACE_NONE,
				   .id = TRACE_CORE_ID(0, 1, 1, 0),
				   .name = "Device 0, core 0,0/BRISC"};
	struct trace_track clock = {.kind = TRACE_OTHER, .srcloc = TRACE_NONE, .name = "c"};
	struct trace_row row = {.time = 1005,
				.kind = TRACE_ROW_MESSAGE,
				.thread = TRACE_NONE,
				.text = op,
				.text_len = sizeof(op) - 1};
	struct trace_row point = {
		.time = 1000, .kind = TRACE_ROW_DEVICE_CLOCK, .thread = TRACE_NONE, .a = 100};
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w;
	struct tacho_error err;
	char path[300];
	uint32_t track;

	snprintf(path, sizeof(path), "%s/x.tacho", folder);
	assert_int_equal(trace_writer_open(&w, path, &options, &err), 0);
	trace_set_property(w, "device 0 of 1", "{\"arch\": \"a\", \"mhz\": 1000}");
	trace_add_process(w, &p);
	trace_add_row(w, (uint32_t)trace_add_track(w, &messages), &row);
	trace_add_row(w, (uint32_t)trace_add_track(w, &clock), &point);
	add_zone(w, (uint32_t)trace_add_track(w, &thread), 0, 1003, 1009, "TT_DNN_DEVICE_OP", "", 0,
		 "id:1024");
	track = (uint32_t)trace_add_track(w, &core);
	add_zone(w, track, 1, 1015, 1015, "READ", "NOC", 0x1010000000001, "");
	add_zone(w, track, 1, 1020, 1080, "BRISC-KERNEL", "", 0, "");
	add_zone(w, track, 0, 1010, 1090, "BRISC-FW", "", 1024, "{\"sub_device_id\":1}");
	assert_int_equal(trace_writer_close(w, &err), 0);
	assert_int_equal(trace_open(&trace, path, &err), 0);
}

static int report_trace(bool legacy)
{
	struct ttlog_options options = {
		.folder = folder, .trace = trace, .noc = true, .force = true, .legacy = legacy};
	struct ttlog_result result = {0};
	struct tacho_error err = {0};
	int r = ttlog_report(&options, &result, &err);

	if (r == 0)
		assert_int_equal(result.rows, 1);
	ttlog_result_free(&result);
	return r;
}

static int report_what(int what)
{
	return what < 2    ? report_make(what == 1)
	       : what == 2 ? stats_make()
			   : report_trace(what == 4);
}

/* Until the first run in which no allocation was left to fail. */
static void test_all(void **state)
{
	(void)state;
	write_logs();
	write_trace();
	for (int what = 0; what < 5; what++)
		for (long n = 0;; n++) {
			int r;

			assert_true(n < 20000);
			countdown = n;
			r = report_what(what);
			if (countdown >= 0) {
				countdown = -1;
				assert_int_equal(r, 0);
				break;
			}
			countdown = -1;
		}
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	char command[200];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command) != 0 || failed;
}
