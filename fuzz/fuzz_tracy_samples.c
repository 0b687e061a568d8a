/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sections of a .tracy file that hold samples, call stacks, their frames and when threads ran,
 * one after the other: the resulting trace is sound, and its profile can be counted. The first byte
 * selects the version.
 */
#include "sample/profile.h"
#include "tracy/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int body_file(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct out out;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    out_open(&out, fd, "fuzz", CONTAINER_LZ4, 1, NULL) < 0)
		abort();
	out_copy(&out, data, size);
	if (out_close(&out, NULL) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	return fd;
}

static void sections_read(struct read *r)
{
	struct trace_process p = {.pid = 1, .start = READ_ORIGIN, .name = "fuzz", .command = ""};

	trace_add_process(r->sink.w, &p);
	read_strings(r);
	read_samples(r, read_thread(r, 1));
	read_samples(r, read_thread(r, 2));
	read_callstacks(r);
	read_callstack_frames(r);
	read_switches(r);
	read_symbols(r);
	read_finish_processes(r);
	sink_count_rows(&r->sink);
}

static void profile_use(struct trace *t)
{
	struct profile *p;

	if (profile_open(&p, t, NULL) < 0)
		return;
	for (enum profile_what what = PROFILE_CPU; what <= PROFILE_OFF_CPU; what++) {
		struct profile_filter filter = {.t0 = 0, .t1 = UINT64_MAX, .what = what};
		struct profile_counts counts = {0};

		profile_count(p, &filter, &counts);
		profile_counts_free(&counts);
	}
	profile_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t versions[] = {TRACY_VERSION(0, 9, 0), TRACY_VERSION(0, 11, 3),
					    TRACY_VERSION(0, 14, 0)};
	struct tracy_notes notes = {{0}};
	struct read r = {.path = "fuzz",
			 .notes = &notes,
			 .text = BUF_INIT,
			 .period = 1000,
			 .budget = 1 << 20,
			 .messages_track = TRACE_NONE,
			 .images_track = TRACE_NONE,
			 .sections_track = TRACE_NONE};
	struct trace_check check;
	struct trace *t;

	if (!size)
		return 0;
	if (in_open(&r.in, body_file(data + 1, size - 1), "fuzz", NULL) < 0 ||
	    trace_writer_open_temporary(&r.sink.w, "/dev/shm", NULL) < 0)
		abort();
	r.version = versions[data[0] % 3];
	sections_read(&r);
	if (trace_writer_take(r.sink.w, &t, NULL) < 0 || trace_check(t, &check, NULL) < 0)
		abort();
	read_free(&r);
	if (check.errors) {
		fprintf(stderr, "%s\n", check.first_error);
		abort();
	}
	profile_use(t);
	trace_close(t);
	return 0;
}
