/* Any bytes as a trace file that is reported on: its host's side, its devices, their logs. */
#include "ops/hosttrace.h"
#include "ops/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A small file may stand for many zones: reading them all teaches nothing new. */
#define ENOUGH 50000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(struct trace *t)
{
	struct ops_issues issues = {0};
	struct ops_host host = {0};
	struct ops_cores cores = {0};
	struct ops_runtime *runtime = NULL;
	struct ops_cpp cpp = {0};
	struct ops_noc noc = {0};
	struct devlog dev = {0};
	struct tacho_error err;

	ops_trace_has_messages(t, NULL);
	ops_trace_host(&host, t, NULL, OPS_ZONE_CHILDREN, &issues, &err);
	if (ops_cores_open(&cores, t, NULL, &err) == 0 && cores.riscs.n) {
		ops_cores_losses(&cores, &issues);
		if (ops_logs_device(&cores, &dev, DEVLOG_ALL, &issues, &err) == 0)
			devlog_sort(&dev, &err);
		ops_logs_runtime(&cores, &runtime, &cpp, &issues, &err);
		ops_logs_noc(&cores, &noc, &err);
	}
	ops_runtime_close(runtime);
	ops_cpp_free(&cpp);
	ops_noc_free(&noc);
	devlog_free(&dev);
	ops_cores_close(&cores);
	ops_host_free(&host);
	ops_issues_free(&issues);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[64];
	struct trace *t;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_open(&t, path, NULL) == 0) {
		if (t->zones + t->rows < ENOUGH)
			report(t);
		trace_close(t);
	}
	close(fd);
	return 0;
}
