/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the logs of an invented run: DIR/.logs with the host's messages and zones, the device's
 * markers and, with --cpp, the runtime's own report. Everything follows from the switches, so a
 * test knows what the report must say. Sizes go into millions of rows.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RISCS = 5, WARM = 1000, STEP = 40000 };

static const char *const risc_names[RISCS] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"};
static const char *const zone_names[RISCS] = {"BRISC", "NCRISC", "TRISC", "TRISC", "TRISC"};
static const char *const op_names[] = {"MatmulOp", "AddOp", "SoftmaxOp", "NormOp", "GatherOp"};

struct conf {
	const char *dir;
	long devices, cores, ops, zones, replays, counters, mhz, seed;
	bool cpp, device_only, noc, signposts, iterations;
	const char *damage;
};

static struct conf conf = {.devices = 1,
			   .cores = 4,
			   .ops = 10,
			   .mhz = 1000,
			   .seed = 1,
			   .damage = "",
			   .signposts = true};

static bool log_damage(const char *kind)
{
	return !strcmp(conf.damage, kind);
}

/* A number below LIMIT that depends on the arguments alone. */
static uint64_t noise_write(uint64_t a, uint64_t b, uint64_t c, uint64_t limit)
{
	uint64_t h = (uint64_t)conf.seed * 0x9e3779b97f4a7c15 ^ a * 0xff51afd7ed558ccd ^
		     b * 0xc4ceb9fe1a85ec53 ^ c * 0x165667b19e3779f9;

	h ^= h >> 33;
	h *= 0xff51afd7ed558ccd;
	h ^= h >> 29;
	return h % limit;
}

/* The programs before the last half are called once each; with replays the others are captured. */
static bool captured_write(long op)
{
	return conf.replays && op >= conf.ops / 2;
}

static uint64_t op_id(long device, long op)
{
	return (uint64_t)(op + 1) << 10 | (uint64_t)device;
}

/* More than 63 bits, as real ones have. */
static uint64_t op_hash(long op)
{
	return 17000000000000000000ull + (uint64_t)(op % 5);
}

static FILE *file_create(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/.logs/%s", conf.dir, name);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(1);
	}
	setvbuf(f, NULL, _IOFBF, 1 << 20);
	return f;
}

/* --- device --- */

static uint64_t op_start(long device, long op, long replay)
{
	return 1000000000ull + (uint64_t)device * 777 +
	       ((uint64_t)op + (uint64_t)replay * (uint64_t)conf.ops) * STEP;
}

struct marker {
	long device, core, op, replay; /* replay 0: called by the host */
	int risc;
	uint64_t late;
};

static void row_write(FILE *f, const struct marker *m, uint64_t time, const char *zone,
		      const char *type, const char *meta)
{
	char trace[48] = ",";

	if (m->replay)
		snprintf(trace, sizeof(trace), "7,%ld", m->replay);
	fprintf(f, "%ld,%ld,%ld,%s,%d,%" PRIu64 ",0,%" PRIu64 ",%s,%s,%s,10,/invented/k.cc,%s\n",
		m->device, 1 + m->core % 8, 1 + m->core / 8, risc_names[m->risc],
		*zone ? 1000 + m->risc : 9090, time, op_id(m->device, m->op), trace, zone, type,
		meta);
}

static void counters_write(FILE *f, const struct marker *m, uint64_t time)
{
	static const char *const names[] = {"FPU_COUNTER",  "SFPU_COUNTER",
					    "MATH_COUNTER", "THREAD_STALLS_0",
					    "PACKER_BUSY",  "PACKER_DEST_READ_AVAILABLE"};
	char meta[160];

	for (long i = 0; i < conf.counters; i++) {
		uint64_t ref = 10000 + noise_write(m->op, m->core, 3, 1000);

		snprintf(meta, sizeof(meta),
			 "{\"counter type\":\"%s\";\"ref cnt\":%" PRIu64 ";\"value\":%" PRIu64 "}",
			 names[i % 6], ref, noise_write(m->op, m->core, 10 + i, ref));
		row_write(f, m, time + (uint64_t)i, "", "TS_DATA", meta);
	}
}

static void execution_write(FILE *f, const struct marker *m)
{
	uint64_t start = op_start(m->device, m->op, m->replay) +
			 noise_write(m->op, m->core, m->risc, 200) + m->late;
	/* BRISC waits for the others, so it is the last. */
	uint64_t end = start + (m->risc == 0 ? 6500 : 5000) + noise_write(m->op, 0, 7, 20000) +
		       noise_write(m->op, m->core, 8 + m->risc, 900);
	char zone[32];

	if (log_damage("drop-op") && m->op == 1)
		return;
	snprintf(zone, sizeof(zone), "%s-FW", zone_names[m->risc]);
	row_write(f, m, start, zone, "ZONE_START", "");
	snprintf(zone, sizeof(zone), "%s-KERNEL", zone_names[m->risc]);
	row_write(f, m, start + 300, zone, "ZONE_START", "");
	for (long z = 0; z < conf.zones; z++) {
		row_write(f, m, start + 400 + (uint64_t)z * 20, "USER-ZONE", "ZONE_START", "");
		row_write(f, m, start + 410 + (uint64_t)z * 20, "USER-ZONE", "ZONE_END", "");
	}
	if (m->risc == 0)
		counters_write(f, m, start + 4500);
	row_write(f, m, end - 200, zone, "ZONE_END", "");
	if (log_damage("drop-fw-end") && m->op == 1 && m->core == 0 && m->risc == 0)
		return;
	snprintf(zone, sizeof(zone), "%s-FW", zone_names[m->risc]);
	row_write(f, m, end, zone, "ZONE_END", "");
}

static void again_write(FILE *f, long device, long core, int risc)
{
	struct marker m = {device, core, 0, 0, risc, (uint64_t)(conf.ops + 10) * STEP};

	execution_write(f, &m);
}

static void device_core(FILE *f, long device, long core)
{
	for (int risc = 0; risc < RISCS; risc++)
		for (long replay = 0; replay <= conf.replays; replay++)
			for (long op = 0; op < conf.ops; op++) {
				struct marker m = {device, core, op, replay, risc, 0};

				if (captured_write(op) ? replay == 0 : replay > 0)
					continue;
				execution_write(f, &m);
			}
	if (log_damage("repeat-op")) /* the first one again, at the end */
		for (int risc = 0; risc < RISCS; risc++)
			again_write(f, device, core, risc);
	if (log_damage("extra-op"))
		for (int risc = 0; risc < RISCS; risc++) {
			struct marker m = {device, core, conf.ops, 0, risc, 0};

			execution_write(f, &m);
		}
	if (log_damage("garbage"))
		fprintf(f,
			"this is not a marker\n0,1,1,BRISC\n0,x,1,BRISC,1,2,0,1024,,,Z,ZONE_START,1,f,\n");
}

static void device_log(void)
{
	FILE *f = file_create("profile_log_device.csv");

	fprintf(f, "ARCH: wormhole_b0, CHIP_FREQ[MHz]: %ld", conf.mhz);
	fprintf(f, log_damage("old-header") ? "\n" : ", Max Compute Cores: 64\n");
	fprintf(f,
		"PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], "
		"data, run host ID, trace id, trace id counter, zone name, type, source line, "
		"source file, meta data\n");
	for (long device = 0; device < conf.devices; device++)
		for (long core = 0; core < conf.cores; core++)
			device_core(f, device, core);
	if (log_damage("cut-line"))
		fprintf(f, "0,1,1,BRISC,13");
	fclose(f);
}

/* --- host --- */

static uint64_t host_ns(long op)
{
	return 5000000000ull + (uint64_t)op * 100000;
}

static void op_describe(FILE *f, long device, long op)
{
	static const char tensor[] =
		"{\"dtype\": \"BFLOAT16\", \"layout\": \"TILE\", \"shape\": {\"W\": \"1[1]\", \"X\": "
		"\"64[50]\", \"Y\": \"32[32]\", \"Z\": \"1[1]\"}, \"storage_type\": {\"device_id\": 0, "
		"\"memory_config\": {\"buffer_type\": \"dram\", \"memory_layout\": \"interleaved\"}}}";
	const char *attribute = conf.iterations && op % 5 == 0 ? "iteration_" : "it's";

	fprintf(f,
		"{\"attributes\": {\"kind\": \"%s%ld\", \"grid\": \"(8,8)\"}, \"device_id\": %ld, "
		"\"global_call_count\": %" PRIu64 ", \"input_tensors\": [%s], ",
		attribute, op / 5, device, op_id(device, op), tensor);
	if (log_damage("truncate-json") && op == 1)
		return;
	fprintf(f,
		"\"kernel_info\": {\"compute_kernels\": [{\"math_fidelity\": \"HiFi4\", \"name\": "
		"\"k/1/\", \"source\": \"k.cpp\"}], \"datamovement_kernels\": [], \"kernel_sizes\": "
		"{\"TENSIX_DM_0_max_kernel_size\": %ld}}, ",
		100 + op % 5);
	fprintf(f,
		"\"op_code\": \"%s\", \"op_hash\": %" PRIu64 ", \"op_type\": \"tt_dnn_device\", "
		"\"optional_input_tensors\": [], \"output_tensors\": [%s], \"performance_model\": "
		"{\"bandwidth_ns\": 900, \"compute_ns\": 700, \"ideal_ns\": 950, \"input_bws\": "
		"[1.5], \"output_bws\": [0.25]}, \"program_cache_hit\": false}",
		op_names[op % 5], op_hash(op), tensor);
}

static void op_message(FILE *f, long device, long op)
{
	bool first = op < 5 || conf.iterations;

	fprintf(f, "`TT_DNN_DEVICE_OP: \"%s\", %" PRIu64 ", %ld, %s, %" PRIu64, op_names[op % 5],
		op_hash(op), device, first ? "false" : "true", op_id(device, op));
	if (first) {
		fprintf(f, " ->\n");
		op_describe(f, device, op);
	}
	fprintf(f, "%s;%" PRIu64 "\n", log_damage("lost-quote") && op == 1 ? "" : "`",
		host_ns(op) + 50000 + (uint64_t)device);
}

static void messages_write(void)
{
	FILE *f = file_create("tracy_ops_data.csv");

	fprintf(f, "MessageName;total_ns\nperf_event_paranoid: 4;%d\n", WARM);
	if (conf.signposts)
		fprintf(f, "`TT_SIGNPOST: start`;%" PRIu64 "\n", host_ns(0) - 1000);
	for (long op = 0; op < conf.ops; op++)
		for (long device = 0; device < conf.devices; device++) {
			if (conf.replays && op == conf.ops / 2)
				fprintf(f, "`TT_METAL_TRACE_BEGIN: %ld, 7`;%" PRIu64 "\n", device,
					host_ns(op) - 10);
			op_message(f, device, op);
		}
	for (long device = 0; conf.replays && device < conf.devices; device++)
		fprintf(f, "`TT_METAL_TRACE_END: %ld, 7`;%" PRIu64 "\n", device, host_ns(conf.ops));
	for (long r = 0; r < conf.replays && !log_damage("no-replay"); r++)
		for (long device = 0; device < conf.devices; device++)
			fprintf(f, "`TT_METAL_TRACE_REPLAY: %ld, 7`;%" PRIu64 "\n", device,
				host_ns(conf.ops + 1 + r) + (uint64_t)device);
	if (conf.signposts)
		fprintf(f, "`TT_SIGNPOST: stop\nall, done`;%" PRIu64 "\n",
			host_ns(conf.ops + conf.replays + 2));
	fclose(f);
}

static void times_write(void)
{
	FILE *f = file_create("tracy_ops_times.csv");

	fprintf(f, "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
		   "special_parent_text\n");
	for (long op = 0; op < conf.ops; op++)
		for (long device = 0; device < conf.devices; device++) {
			uint64_t id = op_id(device, op);

			fprintf(f,
				"TT_DNN_DEVICE_OP,op.hpp,1,,\"id:%" PRIu64 "\",%" PRIu64 ",%" PRIu64
				",%ld,id:%" PRIu64 "\n",
				id, host_ns(op) + (uint64_t)device,
				40000 + noise_write(op, 1, 1, 999), device + 1, id);
			if (op < 5)
				fprintf(f,
					"CompileProgram,p.cpp,2,,,%" PRIu64 ",9000,%ld,id:%" PRIu64
					"\n",
					host_ns(op) + (uint64_t)device + 5, device + 1, id);
		}
	fclose(f);
}

static void noc_traces(void)
{
	for (long op = 0; op < conf.ops && op < 3; op++) {
		char name[80];
		FILE *f;

		snprintf(name, sizeof(name), "noc_trace_dev0_%s_ID%" PRIu64 ".json", op_names[op],
			 op_id(0, op));
		f = file_create(name);
		fprintf(f,
			"[\n  {\"zone\": \"BRISC-KERNEL\", \"zone_phase\": \"ZONE_START\", \"sx\": 1, "
			"\"sy\": 1, \"timestamp\": 1}");
		for (long i = 0; i < 4; i++)
			fprintf(f,
				",\n  {\"type\": \"READ\", \"num_bytes\": %ld, \"sx\": %ld, \"sy\": 1, "
				"\"noc\": \"NOC_0\", \"timestamp\": %ld}",
				i == 0 ? 3000L : 1000L, i % 2 + 1, 10 + i);
		fprintf(f, log_damage("cut-noc") ? ",\n  {\"type\": \"REA" : "\n]\n");
		fclose(f);
	}
}

static void cpp_report(void)
{
	FILE *f = file_create("cpp_device_perf_report.csv");

	fprintf(f,
		"GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,DEVICE ARCH,"
		"OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT,DEVICE FW DURATION [ns],DEVICE FW "
		"START CYCLE,DEVICE FW END CYCLE,DEVICE KERNEL DURATION [ns],DEVICE KERNEL START "
		"CYCLE,DEVICE KERNEL END CYCLE,OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START "
		"[ns]\n");
	for (long device = 0; device < conf.devices; device++)
		for (long op = 0; op < conf.ops; op++) {
			uint64_t start = op_start(device, op, 0);

			if (log_damage("drop-op") && op == 1)
				continue;
			fprintf(f,
				"%" PRIu64 ",,,%ld,wormhole_b0,,%ld,64,9000,%" PRIu64 ",%" PRIu64
				",8500,%" PRIu64 ",%" PRIu64 ",%d,\n",
				op_id(device, op), device, conf.cores, start, start + 9000,
				start + 300, start + 8800, op ? 31000 : 0);
		}
	fclose(f);
}

static long *number_of(const char *name)
{
	static const struct {
		const char *name;
		long *value;
	} numbers[] = {{"devices", &conf.devices}, {"cores", &conf.cores},
		       {"ops", &conf.ops},         {"zones", &conf.zones},
		       {"replays", &conf.replays}, {"counters", &conf.counters},
		       {"mhz", &conf.mhz},         {"seed", &conf.seed}};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(numbers[i].name, name))
			return numbers[i].value;
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"devices", 1, 0, 'N'},    {"cores", 1, 0, 'N'},        {"ops", 1, 0, 'N'},
		{"zones", 1, 0, 'N'},      {"replays", 1, 0, 'N'},      {"counters", 1, 0, 'N'},
		{"mhz", 1, 0, 'N'},        {"seed", 1, 0, 'N'},         {"damage", 1, 0, 'D'},
		{"cpp", 0, 0, 'c'},        {"device-only", 0, 0, 'o'},  {"noc", 0, 0, 'n'},
		{"iterations", 0, 0, 'i'}, {"no-signposts", 0, 0, 's'}, {0}};
	char path[4096];
	int c, index;

	while ((c = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (c == 'N')
			*number_of(options[index].name) = atol(optarg);
		else if (c == 'D')
			conf.damage = optarg;
		else if (c == 'c')
			conf.cpp = true;
		else if (c == 'o')
			conf.device_only = true;
		else if (c == 'n')
			conf.noc = true;
		else if (c == 'i')
			conf.iterations = true;
		else if (c == 's')
			conf.signposts = false;
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fprintf(stderr,
			"usage: mklogs [--devices N] [--cores N] [--ops N] [--zones N] "
			"[--replays N] [--counters N] [--damage KIND] [--cpp] [--noc] DIR\n");
		return 2;
	}
	conf.dir = argv[optind];
	mkdir(conf.dir, 0777);
	snprintf(path, sizeof(path), "%s/.logs", conf.dir);
	mkdir(path, 0777);
	device_log();
	if (!conf.device_only) {
		messages_write();
		times_write();
	}
	if (conf.cpp)
		cpp_report();
	if (conf.noc)
		noc_traces();
	return 0;
}
