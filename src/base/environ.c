/* SPDX-License-Identifier: Apache-2.0 */
/* Read environment variables, never in set-user-id programs, and warn about unknown ones. */
#include "base/environ.h"
#include "base/opt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

const char *environ_get(const char *name)
{
	return secure_getenv(name);
}

bool environ_is_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

const struct environ_variable environ_variables[] = {
	{"TACHO_ARCH", "the architecture of devices whose program does not choose one"},
	{"TACHO_ATTACH", "0 keeps a program from being found by 'tacho capture --pid'"},
	{"TACHO_CACHE", "where compiled kernels are kept; ~/.cache/tacho when not set"},
	{"TACHO_CAPTURE", "1 lets a program join the 'tacho capture' that is running"},
	{"TACHO_CORES",
	 "Tensix cores of devices whose program does not choose a number: 80, 72, 64 or 56; all "
	 "when not set"},
	{"TACHO_DB", "the database of 'tacho db': sqlite:PATH or clickhouses://HOST:PORT/NAME"},
	{"TACHO_DB_CA_FILE", "certificates that the server of the database is checked with"},
	{"TACHO_DB_PASSWORD",
	 "the password of the database's account; better in a file: TACHO_DB_PASSWORD_FILE"},
	{"TACHO_DB_PASSWORD_FILE", "a file with the password, which only this user may read"},
	{"TACHO_DB_USER", "the account of the database"},
	{"TACHO_FIRMWARE", "where the device's firmware and kernel headers are"},
	{"TACHO_LIMIT_MB", "memory for the rings of one process in MiB; 512 when not set"},
	{"TACHO_LOG", "a file to which the warnings and errors of tacho are appended as well"},
	{"TACHO_OUTPUT", "the trace that 'tacho run' writes when -o is not given"},
	{"TACHO_PAGER", "the pager of long reports on a terminal; PAGER, else less, when not set"},
	{"TACHO_POLICY", "what happens when the rings are full: drop, block or overwrite"},
	{"TACHO_PYTHON", "what 'python -m tracy' lets the Python processes below it do"},
	{"TACHO_RANK",
	 "number of this process in its job; that of Open MPI, PMI, Slurm or torchrun when not set"},
	{"TACHO_RING_KB", "memory of a thread's first ring in KiB"},
	{"TACHO_RISCV_CC", "the compiler of kernels; riscv64-unknown-elf-gcc when not set"},
	{"TACHO_SESSION",
	 "the session directory; set by 'tacho run' for the programs that it starts"},
	{"TACHO_SESSION_MB",
	 "memory for all processes of a session in MiB; a quarter of what is free there, at least "
	 "512, when not set"},
	{"TACHO_WORLD_SIZE", "number of processes of the job"},
	{"TACHO_ZONE_HASH", "1 numbers zones of kernels by a hash of name, file and line"},
	{"TACHO_ZONE_LOG", "a log with the names of hashed zones, as zone_src_locations.log"},
	{"TT_METAL_ATOMIC_DEBUG_DELAY_CORES",
	 "cores whose atomics wait: x,y or (x,y)-(x,y) or a list or all"},
	{"TT_METAL_ATOMIC_DEBUG_DELAY_RISCVS", "and their RISCs: BR, NC; all when not set"},
	{"TT_METAL_DEVICE_PROFILER", "1 records the zones of kernels"},
	{"TT_METAL_DEVICE_PROFILER_DISPATCH", "1 records zones of cores that dispatch"},
	{"TT_METAL_DEVICE_PROFILER_NOC_EVENTS", "1 records NoC transfers, 2 barriers too"},
	{"TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH",
	 "where a program writes its noc_trace_dev*.json; beside its other logs when not set"},
	{"TT_METAL_DPRINT_CHIPS", "devices whose kernels print; all when not set"},
	{"TT_METAL_DPRINT_CORES", "cores whose kernels print: x,y or (x,y)-(x,y) or a list or all"},
	{"TT_METAL_DPRINT_ETH_CORES", "Ethernet cores whose kernels print"},
	{"TT_METAL_DPRINT_FILE", "a file to which kernels print; stdout when not set"},
	{"TT_METAL_DPRINT_PREPEND_DEVICE_CORE_RISC", "0 omits the core that printed a line"},
	{"TT_METAL_DPRINT_RISCVS", "RISCs that print: BR, NC, TR0, TR1, TR2; all when not set"},
	{"TT_METAL_HOME", "logs and reports go to generated/profiler below it"},
	{"TT_METAL_MEM_PROFILER", "1 records buffers of devices as memory"},
	{"TT_METAL_PROFILER_ACCUMULATE",
	 "1 lets the runs of a device add up in L1 until it is full"},
	{"TT_METAL_PROFILER_CPP_POST_PROCESS",
	 "1: a program writes cpp_device_perf_report.csv, and the report is made of it"},
	{"TT_METAL_PROFILER_DIR",
	 "where logs (.logs) and reports go; $TT_METAL_HOME/generated/profiler, else ./generated/profiler when not set"},
	{"TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES",
	 "1 keeps a program from writing its devices' logs"},
	{"TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY", "1 keeps zones of kernels out of the trace"},
	{"TT_METAL_PROFILER_MID_RUN_DUMP",
	 "1 writes the devices' logs after each program, not only at the end"},
	{"TT_METAL_PROFILER_NO_CACHE_OP_INFO", "1 reports each op in full, even if it is cached"},
	{"TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT",
	 "programs that a device keeps until they are read; without it none is dropped"},
	{"TT_METAL_PROFILER_SUM", "1 records the sums of DeviceZoneScopedSumN1 and N2"},
	{"TT_METAL_PROFILER_SYNC",
	 "1 also compares clocks one way at open and close, for sync_device_info.csv"},
	{"TT_METAL_PROFILER_TRACE_TRACKING", "0 leaves out the messages of a device's traces"},
	{"TT_METAL_PROFILE_PERF_COUNTERS",
	 "performance counters that are recorded: fpu, pack, unpack, l1_0, l1_1, instrn, all, or a sum of their bits"},
	{"TT_METAL_READ_DEBUG_DELAY_CORES", "cores whose reads wait"},
	{"TT_METAL_READ_DEBUG_DELAY_RISCVS", "and their RISCs"},
	{"TT_METAL_SIMULATOR", "a libttsim.so that runs kernels in place of the software device"},
	{"TT_METAL_TRACE_PROFILER", "1 records replays of traces as a whole"},
	{"TT_METAL_WATCHER_DEBUG_DELAY",
	 "cycles that chosen RISCs wait before each transfer on the NoC"},
	{"TT_METAL_WRITE_DEBUG_DELAY_CORES", "cores whose writes wait"},
	{"TT_METAL_WRITE_DEBUG_DELAY_RISCVS", "and their RISCs"},
	{"NO_COLOR", "anything keeps colours out of the output"},
	{NULL, NULL},
};

/*
 * Variables to warn about if they have no effect: those of Tacho, and those of
 * the runtime that are about profiling, printing and delays. Of its others only typing errors
 * matter: they are none of our business otherwise.
 */
static bool environ_is_ours(const char *name)
{
	static const char *const topics[] = {"PROF", "DPRINT", "DEBUG_DELAY", NULL};

	if (!strncmp(name, "TACHO_", 6))
		return true;
	for (int i = 0; !strncmp(name, "TT_METAL_", 9) && topics[i]; i++)
		if (strstr(name, topics[i]))
			return true;
	return false;
}

/* Variables of tt-metal without a counterpart, by the beginning of their names: what to do instead.
 */
static const struct environ_variable unsupported[] = {
	{"TT_METAL_STREAMING_PROFILER",
	 "markers are never dropped: use TT_METAL_DEVICE_PROFILER=1, and 'tacho run --view' to see them "
	 "while the program runs"},
	{"TT_METAL_REALTIME_PROFILER",
	 "use TT_METAL_DEVICE_PROFILER=1 with 'tacho run --view', which shows programs as they run"},
	{"TT_METAL_TRACY_MID_RUN_PUSH",
	 "use 'tacho run --view', or 'tacho serve --live' for a Tracy viewer"},
};

/* A word that was cut short, or made longer: ..._DIRECTORY for ..._DIR. */
static const char *same_word(const char *name)
{
	for (const struct environ_variable *v = environ_variables; v->name; v++) {
		size_t n = 0;

		while (name[n] && name[n] == v->name[n])
			n++;
		if ((!name[n] && v->name[n] != '_') || (!v->name[n] && name[n] != '_'))
			return v->name;
	}
	return NULL;
}

const char *environ_complaint(const char *variable, char *text, size_t size)
{
	const char *names[sizeof(environ_variables) / sizeof(environ_variables[0])], *near;
	char name[80];

	if (strncmp(variable, "TACHO", 5) != 0 && strncmp(variable, "TT", 2) != 0)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(variable, "="), variable);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		names[i] = environ_variables[i].name;
		if (names[i] && !strcmp(names[i], name))
			return NULL;
	}
	for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++)
		if (!strncmp(name, unsupported[i].name, strlen(unsupported[i].name))) {
			snprintf(text, size, "environment variable %s is not supported: %s", name,
				 unsupported[i].help);
			return text;
		}
	near = opt_nearest(name, names);
	if (!near && !environ_is_ours(name))
		return NULL;
	if (!near)
		near = same_word(name);
	if (near)
		snprintf(text, size, "unknown environment variable %s; the nearest known one is %s",
			 name, near);
	else
		snprintf(text, size, "environment variable %s is not supported: it does nothing",
			 name);
	return text;
}
