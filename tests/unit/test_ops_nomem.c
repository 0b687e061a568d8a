/* Every allocation of a report fails once: an error comes back, nothing leaks, nothing crashes. */
#include "nomem.h"
#include "ops/ops.h"
#include "ops/stats.h"

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

static int report(bool device_only)
{
	struct ops_options options = {
		.folder = folder, .noc = true, .force = true, .device_only = device_only};
	struct ops_result result = {0};
	struct tacho_error err = {0};
	int r = ops_report(&options, &result, &err);

	ops_result_free(&result);
	return r;
}

static int stats(void)
{
	struct ops_log_stats s = {0};
	struct ops_issues issues = {0};
	struct ops_picked picked = {OPS_ANALYSES_ALL, true, true};
	char path[300];
	int r;

	snprintf(path, sizeof(path), "%s/.logs/profile_log_device.csv", folder);
	r = ops_log_stats(&s, path, &picked, &issues, NULL);
	ops_log_stats_free(&s);
	ops_issues_free(&issues);
	return r;
}

/* Until the first run in which no allocation was left to fail. */
static void test_all(void **state)
{
	(void)state;
	write_logs();
	for (int what = 0; what < 3; what++)
		for (long n = 0;; n++) {
			int r;

			assert_true(n < 20000);
			countdown = n;
			r = what < 2 ? report(what == 1) : stats();
			if (countdown >= 0) {
				countdown = -1;
				assert_int_equal(r, 0);
				break;
			}
			countdown = -1;
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	char command[200];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command) != 0 || failed;
}
