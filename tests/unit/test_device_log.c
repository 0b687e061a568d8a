/* SPDX-License-Identifier: Apache-2.0 */
/* When the program's own logs are written: at close, when it is asked for, after each program. */
#include "device_tools.h"

#include <unistd.h>

#define LOG "generated/profiler/.logs/profile_log_device.csv"

/* Lines of the log, 0 when it is not there. */
static unsigned log_lines(void)
{
	FILE *f = fopen(LOG, "r");
	unsigned n = 0;
	int c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static struct tacho_device *open_with(struct tacho_program **p)
{
	struct tacho_device *d;
	int r = tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"});

	if (r < 0)
		print_message("%s\n", tacho_device_error());
	assert_int_equal(r, 0);
	assert_int_equal(tacho_program_new(p, d), 0);
	assert_true(
		tacho_program_kernel(*p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/plain.c",
								.risc = TACHO_BRISC}) >= 0);
	return d;
}

static void text_count(void *context, const struct tacho_device_event *e)
{
	(void)e;
	++*(unsigned *)context;
}

/* A run of one kernel is two zones, so four lines; the head has two. */
static void test_when(void **state)
{
	struct tacho_program *p;
	struct tacho_device *d;
	unsigned events = 0;

	(void)state;
	if (!have_compiler())
		return;
	unlink(LOG);
	d = open_with(&p);
	program_run(d, p, 1);
	assert_int_equal(log_lines(), 0);
	assert_int_equal(tacho_profiler_dump(d), 0);
	assert_int_equal(log_lines(), 2 + 4);
	assert_int_equal(tacho_profiler_dump(d), 0);
	assert_int_equal(log_lines(), 2 + 4);
	program_run(d, p, 1);
	assert_int_equal(log_lines(), 2 + 4);
	/* reading writes too, and gives all */
	assert_int_equal(tacho_profiler_read(d, text_count, &events), 0);
	assert_int_equal(events, 4);
	assert_int_equal(log_lines(), 2 + 8);
	/* closing waits for what runs */
	assert_int_equal(tacho_enqueue(d, p), 0);
	tacho_program_free(p);
	tacho_device_close(d);
	assert_int_equal(log_lines(), 2 + 12);
}

static void test_mid_run(void **state)
{
	struct tacho_program *p;
	struct tacho_device *d;

	(void)state;
	if (!have_compiler())
		return;
	unlink(LOG);
	setenv("TT_METAL_PROFILER_MID_RUN_DUMP", "1", 1);
	d = open_with(&p);
	unsetenv("TT_METAL_PROFILER_MID_RUN_DUMP");
	for (unsigned i = 1; i <= 3; i++) {
		program_run(d, p, 1);
		assert_int_equal(log_lines(), 2 + 4 * i);
	}
	tacho_program_free(p);
	tacho_device_close(d);
	assert_int_equal(log_lines(), 2 + 12);
}

static int folder_enter(void **state)
{
	char folder[] = "/tmp/tacho-log-XXXXXX";

	(void)state;
	setenv("TT_METAL_DEVICE_PROFILER", "1", 1);
	unsetenv("TT_METAL_PROFILER_DIR");
	unsetenv("TT_METAL_HOME");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int folder_leave(void **state)
{
	char folder[200];

	(void)state;
	if (!getcwd(folder, sizeof(folder)) || strncmp(folder, "/tmp/tacho-log-", 15))
		return -1;
	unlink(LOG);
	unlink("generated/profiler/.logs/.writer");
	unlink("generated/profiler/.logs/zone_src_locations.log");
	unlink("generated/profiler/.logs/new_zone_src_locations.log");
	rmdir("generated/profiler/.logs");
	rmdir("generated/profiler");
	rmdir("generated");
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_mid_run),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
