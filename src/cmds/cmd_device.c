/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "device": run and inspect kernels on the software device. */
#include "cmds/cmds.h"
#include "cmds/device.h"

#include "base/table.h"
#include "tensix/tensix.h"

#include <stdlib.h>
#include <string.h>

static const char *const riscs[] = {"brisc", "ncrisc", "compute", "erisc", NULL};

static const struct opt opts[] = {
	OPT_STR('a', "arch", "NAME", struct device_conf, arch,
		"use wormhole_b0, blackhole or tiny (default $TACHO_ARCH or wormhole_b0)"),
	OPT_INT(0, "size", "N", struct device_conf, size,
		"use N Tensix cores of the device (default all)"),
	OPT_STR('c', "cores", "X,Y-X,Y", struct device_conf, cores,
		"run the kernel on these cores, first and last (default 0,0)"),
	OPT_ENUM('r', "risc", struct device_conf, risc, riscs, "run the kernel on this RISC"),
	OPT_LIST('D', "define", "NAME[=VALUE]", struct device_conf, defines, "define a macro"),
	OPT_LIST('I', "include", "FOLDER", struct device_conf, includes,
		 "search FOLDER for headers of the kernel"),
	OPT_LIST('C', "compile-arg", "N", struct device_conf, compile_args,
		 "add a word for get_compile_time_arg_val(), in order"),
	OPT_LIST('x', "arg", "N", struct device_conf, args,
		 "add a word for get_arg_val(), in order"),
	OPT_INT('n', "runs", "N", struct device_conf, runs, "run the kernel N times"),
	OPT_INT(0, "op-support-count", "N", struct device_conf, op_support_count,
		"use profiler buffers for N runs, read at the end; what does not fit is lost"),
	OPT_INT(0, "max-cycles", "N", struct device_conf, max_cycles,
		"give up after N cycles (default 10^10, boot: 10^8)"),
	OPT_INT(0, "lines", "N", struct device_conf, lines, "trace: print at most N instructions"),
	OPT_INT(0, "seed", "N", struct device_conf, seed, "seed the DRAM model's jitter"),
	OPT_LIST(0, "set", "ADDRESS=WORD", struct device_conf, set,
		 "boot: write a word into L1 or a register before BRISC starts"),
	OPT_LIST(0, "dram", "BANK:ADDRESS=FILE", struct device_conf, dram,
		 "boot: write FILE into a bank of DRAM before BRISC starts"),
	OPT_FLAG(0, "go", struct device_conf, go,
		 "boot: send the go signal when the firmware waits, --runs times"),
	OPT_LIST(0, "show", "ADDRESS[:WORDS]", struct device_conf, show,
		 "boot: print words of L1 at the end"),
	OPT_STR(0, "zone-log", "FILE", struct device_conf, zone_log,
		"boot: read the names of hashed zones from FILE, as in zone_src_locations.log"),
	OPT_FLAG(0, "trace", struct device_conf, trace, "boot: print instructions as trace does"),
	OPT_ENUM(0, "format", struct device_conf, format, table_formats,
		 "choose the format of tables"),
	OPT_END,
};

static void cmd_device_init(void *conf)
{
	struct device_conf *c = conf;

	c->runs = 1;
	c->lines = 1000;
}

/* ---- list ---- */
static int device_list(const struct device_conf *c, const struct table_style *style)
{
	static const struct table_column columns[] = {
		{"arch", "architecture", TABLE_STRING}, {"kind", "kind", TABLE_STRING},
		{"cores", "cores", TABLE_STRING},       {"columns", "columns", TABLE_COUNT},
		{"rows", "rows", TABLE_COUNT},          {"ethernet", "Ethernet", TABLE_COUNT},
		{"l1_bytes", "L1", TABLE_BYTES},        {"dram_banks", "DRAM banks", TABLE_COUNT},
		{"dram_bytes", "DRAM", TABLE_BYTES},    {"mhz", "MHz", TABLE_COUNT},
	};
	struct table t;

	table_open(&t, stdout, style, TABLE_COLUMNS(columns));
	for (unsigned i = 0; tensix_arch_at(i); i++) {
		const struct arch *a = tensix_arch_at(i);
		struct buf cores = BUF_INIT;

		if (c->arch && strcmp(c->arch, a->name))
			continue;
		for (unsigned k = 0; k < 4 && a->core_choices[k]; k++)
			buf_addf(&cores, "%s%u", k ? "/" : "", a->core_choices[k]);
		table_text(&t, a->name);
		table_text(&t, "software");
		table_string(&t, cores.data, cores.len);
		table_uint(&t, a->worker_columns);
		table_uint(&t, a->worker_rows);
		table_uint(&t, a->ethernet_count);
		table_uint(&t, a->l1_size);
		table_uint(&t, a->dram_banks);
		table_uint(&t, a->dram_banks * a->dram_size);
		table_uint(&t, a->mhz);
		table_row(&t);
		buf_free(&cores);
	}
	return table_close(&t);
}

/* ---- run ---- */
#define MAX_SPANS 1000000

struct zone_sum {
	char risc[16];
	const char *name;
	uint64_t count, total, least, most;
};

/* One run: from the first RISC's start to the last one's end. */
struct run_span {
	uint64_t first, last;
};

/* Values and events with one name, of one RISC. */
struct marker_sum {
	char risc[16];
	const char *name;
	uint64_t count, first, last;
};

struct sums {
	VEC(struct zone_sum);
	struct {
		VEC(struct marker_sum);
	} markers;
	struct {
		VEC(struct run_span);
	} runs; /* by op number - 1 */
};

static void device_span_add(struct sums *s, const struct tacho_device_event *e)
{
	struct run_span *run;

	while (s->runs.n < e->op)
		if (vec_push(&s->runs, ((struct run_span){UINT64_MAX, 0})) < 0)
			return;
	run = &s->runs.v[e->op - 1];
	run->first = e->start < run->first ? e->start : run->first;
	run->last = e->end > run->last ? e->end : run->last;
}

static uint64_t device_run_cycles(const struct sums *s)
{
	uint64_t cycles = 0;

	for (size_t i = 0; i < s->runs.n; i++)
		if (s->runs.v[i].last)
			cycles += s->runs.v[i].last - s->runs.v[i].first;
	return cycles;
}

static void device_zone_add(struct sums *s, const struct tacho_device_event *e, uint64_t cycles)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].risc, e->risc) && !strcmp(s->v[i].name, e->name))
			break;
	if (i == s->n) {
		struct zone_sum z = {.name = e->name, .least = UINT64_MAX};

		snprintf(z.risc, sizeof(z.risc), "%s", e->risc);
		if (vec_push(s, z) < 0)
			return;
	}
	s->v[i].count++;
	s->v[i].total += cycles;
	s->v[i].least = cycles < s->v[i].least ? cycles : s->v[i].least;
	s->v[i].most = cycles > s->v[i].most ? cycles : s->v[i].most;
}

static void add_marker(struct sums *s, const struct tacho_device_event *e, const char *name,
		       uint64_t value)
{
	size_t i;

	for (i = 0; i < s->markers.n; i++)
		if (!strcmp(s->markers.v[i].risc, e->risc) && !strcmp(s->markers.v[i].name, name))
			break;
	if (i == s->markers.n) {
		struct marker_sum m = {.name = name, .first = value};

		snprintf(m.risc, sizeof(m.risc), "%s", e->risc);
		if (vec_push(&s->markers, m) < 0)
			return;
	}
	s->markers.v[i].count++;
	s->markers.v[i].last = value;
}

/* Skips NoC events and counters: there are many, and recordings have them. */
static void device_event_add(void *context, const struct tacho_device_event *e)
{
	struct sums *s = context;

	if (e->damaged)
		return;
	if (e->kind == TACHO_DEVICE_ZONE) {
		if (e->op && e->op <= MAX_SPANS)
			device_span_add(s, e);
		device_zone_add(s, e, e->end - e->start);
	} else if (e->kind == TACHO_DEVICE_TOTAL) {
		device_zone_add(s, e, e->data[0]);
	} else if (e->kind == TACHO_DEVICE_DATA && e->name[0]) {
		add_marker(s, e, e->name, e->data[0]);
	} else if (e->kind == TACHO_DEVICE_EVENT) {
		add_marker(s, e, "(event)", e->id);
	}
}

static int device_markers_print(const struct sums *s, const struct table_style *style)
{
	static const struct table_column columns[] = {
		{"risc", "RISC", TABLE_STRING},  {"marker", "marker", TABLE_STRING},
		{"count", "count", TABLE_COUNT}, {"first", "first", TABLE_ID},
		{"last", "last", TABLE_ID},
	};
	struct table t;

	putchar('\n');
	table_open(&t, stdout, style, TABLE_COLUMNS(columns));
	for (size_t i = 0; i < s->markers.n; i++) {
		const struct marker_sum *m = &s->markers.v[i];

		table_text(&t, m->risc);
		table_text(&t, m->name);
		table_uint(&t, m->count);
		table_uint(&t, m->first);
		table_uint(&t, m->last);
		table_row(&t);
	}
	return table_close(&t);
}

static int print_zones(const struct sums *s, const struct table_style *style)
{
	static const struct table_column columns[] = {
		{"risc", "RISC", TABLE_STRING},     {"zone", "zone", TABLE_STRING},
		{"count", "count", TABLE_COUNT},    {"total_cycles", "cycles", TABLE_COUNT},
		{"min_cycles", "min", TABLE_COUNT}, {"mean_cycles", "mean", TABLE_NUMBER},
		{"max_cycles", "max", TABLE_COUNT},
	};
	struct table t;

	table_open(&t, stdout, style, TABLE_COLUMNS(columns));
	for (size_t i = 0; i < s->n; i++) {
		const struct zone_sum *z = &s->v[i];

		table_text(&t, z->risc);
		table_text(&t, z->name);
		table_uint(&t, z->count);
		table_uint(&t, z->total);
		table_uint(&t, z->least);
		table_real(&t, (double)(z->total * 10 / z->count) / 10);
		table_uint(&t, z->most);
		table_row(&t);
	}
	return table_close(&t);
}

static int run_kernel(const struct device_conf *c, const struct cmd_common *common,
		      const struct table_style *style)
{
	struct device_job job = {0};
	struct sums sums = {0};
	bool damaged = false;
	int r = device_job_open(&job, c, true);

	for (int64_t i = 0; r == 0 && i < c->runs; i++)
		r = tacho_enqueue(job.device, job.program);
	if (r == 0)
		r = tacho_profiler_read(job.device, device_event_add, &sums);
	if (r == 0) {
		struct tacho_device_info info;
		uint64_t cycles = device_run_cycles(&sums);

		tacho_device_info(job.device, &info);
		if (!common->quiet)
			fprintf(stderr, "%s: %llu cycles, %.3f us at %u MHz (modelled)\n",
				info.arch, (unsigned long long)cycles, (double)cycles / info.mhz,
				info.mhz);
		r = print_zones(&sums, style);
		if (r == 0 && sums.markers.n && style->format == TABLE_AS_TEXT)
			r = device_markers_print(&sums, style);
		/* The library reports it when the device is closed. */
		damaged = tacho_profiler_damaged(job.device) != 0;
	}
	vec_free(&sums.runs);
	vec_free(&sums.markers);
	vec_free(&sums);
	r = device_job_close(&job, r);
	return r == 0 && damaged ? err_exit_code(TACHO_EDAMAGED) : r;
}

/* ---- the verb ---- */
static int device_check(const struct device_conf *c, struct tacho_error *err)
{
	const struct {
		const char *name;
		int64_t value, least;
	} numbers[] = {
		{"--size", c->size, 0},
		{"--runs", c->runs, 1},
		{"--lines", c->lines, 0},
		{"--max-cycles", c->max_cycles, 0},
		{"--op-support-count", c->op_support_count, 0},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].value < numbers[i].least)
			return err_set(err, TACHO_EUSAGE, "%s cannot be %lld", numbers[i].name,
				       (long long)numbers[i].value);
	return 0;
}

static int cmd_device_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct device_conf *c = conf;
	struct table_style style = {
		.format = (enum table_format)c->format,
		.color = term_use_color(common->color, stdout),
		.width = term_columns(stdout),
	};
	const char *what = argc ? argv[0] : "";
	struct tacho_error err;
	int r = device_check(c, &err);

	c->kernel = argc > 1 ? argv[1] : NULL;
	if (r < 0) {
		r = err_report(&err, r);
	} else if (!strcmp(what, "list") && argc == 1) {
		r = err_exit_code(device_list(c, &style));
	} else if (!strcmp(what, "run") && argc == 2) {
		r = run_kernel(c, common, &style);
	} else if (!strcmp(what, "disasm") && argc == 2) {
		r = device_disasm(c);
	} else if (!strcmp(what, "trace") && argc == 2) {
		r = device_trace(c, &style);
	} else if (!strcmp(what, "boot") && argc >= 2) {
		r = device_boot(c, &style, argv + 1, argc - 1);
	} else {
		err_set(&err, TACHO_EUSAGE,
			"device needs one of: list, run KERNEL, disasm FILE, trace KERNEL, boot ELF...");
		r = err_report(&err, TACHO_EUSAGE);
	}
	opt_list_free(&c->defines);
	opt_list_free(&c->dram);
	opt_list_free(&c->includes);
	opt_list_free(&c->compile_args);
	opt_list_free(&c->args);
	opt_list_free(&c->set);
	opt_list_free(&c->show);
	return r;
}

const struct cmd cmd_device = {
	.name = "device",
	.summary = "run kernels on the software device and show their instructions",
	.usage = "list | run KERNEL | disasm FILE | trace KERNEL | boot ELF... [options]",
	.description =
		"list prints the architectures of the built-in software device.\n\n"
		"run compiles a kernel (a C or C++ file with kernel_main()), runs it on a device and "
		"prints the zones that it recorded, by RISC and name, with TT_METAL_PROFILER_SUM=1 those "
		"that are summed too, then the values and events. Times are cycles of a model, not of "
		"a chip.\n\n"
		"disasm prints the instructions of a kernel or of an ELF file for the device.\n\n"
		"trace runs a kernel and prints each instruction of its first core with its cycle, then "
		"the registers that the kernel used and the model does not have.\n\n"
		"boot loads ELF files that were built elsewhere into L1 of one or more cores (--cores), starts "
		"BRISC and runs until nothing moves: firmware that knows nothing of Tacho, by the hardware's rules. It writes "
		"a jump to the first file's entry to address 0. It prints where each RISC is, the words of "
		"--show, the markers of kernels in DRAM, and registers that the model does not have.\n\n"
		"riscv64-unknown-elf-gcc, or $TACHO_RISCV_CC, compiles kernels; $TACHO_CACHE is the folder "
		"of the results.",
	.examples = "  tacho device run --arch wormhole_b0 --cores 0,0-7,7 kernel.c\n"
		    "      runs the kernel on BRISC of 64 cores\n"
		    "  tacho device run --risc compute -x 4 kernel.cpp\n"
		    "      runs it on the three TRISCs of core 0,0 with one argument\n"
		    "  tacho device disasm kernel.c\n"
		    "  tacho device boot --go --show 0x50000:2 brisc.elf ncrisc.elf kernel.elf\n"
		    "      boots foreign firmware with one launch\n",
	.opts = opts,
	.conf_size = sizeof(struct device_conf),
	.init = cmd_device_init,
	.mode = OPT_PERMUTE,
	.run = cmd_device_run,
};
