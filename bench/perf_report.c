/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf-report on generated files of 100 columns: time, rows per second and peak memory, compared
 * with reading the file (read() of all of it into one buffer, as "wc -l" would). Goals: 2 k rows in
 * 20 ms, 187 k rows / 275 MB in 1 s, memory below twice the file and in proportion to the rows.
 *
 *	build/bench_perf_report [ROWS...]
 *
 * Run from the build folder's parent, or with TACHO set to the program.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS 100
#define KINDS   48 /* ops that repeat, as the layers of a model do */
#define RUNS    3  /* the best counts */

static const char *const names[] = {
	"OP CODE",
	"OP TYPE",
	"GLOBAL CALL COUNT",
	"DEVICE ID",
	"DEVICE ARCH",
	"ATTRIBUTES",
	"MATH FIDELITY",
	"CORE COUNT",
	"AVAILABLE WORKER CORE COUNT",
	"HOST START TS",
	"OP TO OP LATENCY [ns]",
	"DEVICE KERNEL DURATION [ns]",
	"DEVICE FW START CYCLE",
	"DEVICE FW END CYCLE",
	"DEVICE FW DURATION [ns]",
};
#define NAMES 15

static const char *const tensors[] = {"INPUT_0", "INPUT_1", "OUTPUT_0"};
#define TENSOR_COLUMNS 6

static void write_header(FILE *file)
{
	for (int i = 0; i < NAMES; i++)
		fprintf(file, "%s%s", i ? "," : "", names[i]);
	for (int t = 0; t < 3; t++) {
		for (const char *d = "WZYX"; *d; d++)
			fprintf(file, ",%s_%c_PAD[LOGICAL]", tensors[t], *d);
		fprintf(file, ",%s_DATATYPE,%s_MEMORY", tensors[t], tensors[t]);
	}
	for (int i = NAMES + 3 * TENSOR_COLUMNS; i < COLUMNS; i++)
		fprintf(file, ",COUNTER %d [ns]", i);
	fputs("\r\n", file);
}

/* As long as those of real files, where they are half of the size. */
static void write_attributes(FILE *file, int kind)
{
	fprintf(file,
		",{'compute_kernel_config': 'Config(math_fidelity=HiFi2;math_approx_mode=0)'; "
		"'program_config': 'Program(in0_block_w=%d;out_subblock_h=2;out_subblock_w=4)'; "
		"'note': '%0500d'}",
		1 + kind % 4, kind);
}

/* The constant rest of every row of one kind, after the numbers that differ. */
static void write_rest(FILE *file, int kind)
{
	const int m = 32 * (1 + kind % 8), k = 64 * (1 + kind % 16), n = 64 * (1 + kind % 24);
	const int size[3][2] = {{m, k}, {k, n}, {m, n}};

	for (int t = 0; t < 3; t++)
		fprintf(file, ",1[1],1[1],%d[%d],%d[%d],BFLOAT16,DEV_0_DRAM_INTERLEAVED",
			size[t][0], size[t][0], size[t][1], size[t][1]);
	for (int i = NAMES + 3 * TENSOR_COLUMNS; i < COLUMNS; i++)
		fprintf(file, ",%d", 1000000 + kind * 77 + i);
	fputs("\r\n", file);
}

static void make_file(const char *path, long rows)
{
	FILE *file = fopen(path, "w");
	uint64_t clock = 0;

	if (!file) {
		perror(path);
		exit(1);
	}
	write_header(file);
	for (long i = 0; i < rows; i++) {
		int kind = (int)(i % KINDS);
		uint64_t duration = 5000 + (uint64_t)i * 7919 % 90000,
			 gap = (uint64_t)i * 31 % 12000;

		clock += duration + gap;
		if (kind % 3 == 0)
			fputs("MatmulDeviceOperation", file);
		else
			fprintf(file, "Op%dDeviceOperation", kind % 12);
		fprintf(file, ",tt_dnn_device,%ld,0,blackhole", i);
		write_attributes(file, kind);
		fprintf(file,
			",%s,64,110,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64,
			kind % 3 ? "" : "HiFi2", clock, gap, duration, clock, clock + duration,
			duration);
		write_rest(file, kind);
	}
	if (fclose(file)) {
		perror(path);
		exit(1);
	}
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct cost {
	double wall, cpu, peak; /* seconds, seconds, bytes */
};

static double timeval_s(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The best run by CPU time, which other programs disturb less than wall time. */
static struct cost report_run(const char *tacho, const char *path, const char *option)
{
	struct cost best = {.cpu = 1e9};

	for (int i = 0; i < RUNS; i++) {
		double begin = now_s();
		struct rusage usage;
		struct cost c;
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();

		if (pid == 0) {
			if (!freopen("/dev/null", "w", stdout))
				_exit(126);
			execl(tacho, "tacho", "perf-report", path, option, (char *)NULL);
			_exit(127);
		}
		wait4(pid, &status, 0, &usage);
		if (status) {
			fprintf(stderr, "%s: status %d\n", tacho, status);
			exit(1);
		}
		c = (struct cost){now_s() - begin,
				  timeval_s(usage.ru_utime) + timeval_s(usage.ru_stime),
				  (double)usage.ru_maxrss * 1024};
		if (c.cpu < best.cpu)
			best = c;
	}
	return best;
}

static double read_all(const char *path, size_t size)
{
	char *data = malloc(size);
	double best = 1e9;

	for (int i = 0; i < RUNS; i++) {
		double begin = now_s();
		int fd = open(path, O_RDONLY);
		size_t got = 0;
		ssize_t n;

		while ((n = read(fd, data + got, size - got)) > 0)
			got += (size_t)n;
		close(fd);
		if (now_s() - begin < best)
			best = now_s() - begin;
	}
	free(data);
	return best;
}

static void report_measure(const char *tacho, const char *path, long rows)
{
	struct cost report, csv;
	struct stat st;
	double size, floor;

	make_file(path, rows);
	stat(path, &st);
	size = (double)st.st_size;
	report = report_run(tacho, path, "--quiet");
	csv = report_run(tacho, path, "--format=csv");
	floor = read_all(path, (size_t)st.st_size);
	printf("%8ld %8.1f %8.3f %8.3f %9.0f %6.0f %8.1f %9.2f %6.0f %8.3f %7.1f\n", rows,
	       size / 1e6, report.wall, report.cpu, (double)rows / report.cpu,
	       size / report.cpu / 1e6, report.peak / 1e6, report.peak / size,
	       report.peak / (double)rows, csv.cpu, report.cpu / floor);
}

int main(int argc, char **argv)
{
	static char *usual[] = {"2000", "20000", "200000", "2000000"};
	const char *tacho = getenv("TACHO") ? getenv("TACHO") : "build/tacho";
	char path[] = "/tmp/bench_perf_report.XXXXXX";
	char **sizes = argc > 1 ? argv + 1 : usual;
	int n = argc > 1 ? argc - 1 : 4, fd = mkstemp(path);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	close(fd);
	printf("%8s %8s %8s %8s %9s %6s %8s %9s %6s %8s %7s\n", "rows", "file MB", "wall s",
	       "cpu s", "rows/s", "MB/s", "peak MB", "peak/file", "B/row", "csv cpu", "x read");
	for (int i = 0; i < n; i++)
		report_measure(tacho, path, atol(sizes[i]));
	unlink(path);
	return 0;
}
