/* The state of a killed recorder with anything in it: it is refused, or what comes out is a trace. */
#include "capture/capture.h"
#include "ring_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/dev/shm/fuzz_state.XXXXXX";
static char output[64], part[80], session[64], ring[80];

static void clean_up(void)
{
	unlink(output);
	unlink(part);
	rmdir(dir);
}

static void make_names(void)
{
	if (!mkdtemp(dir))
		abort();
	snprintf(output, sizeof(output), "%s/t.tacho", dir);
	snprintf(part, sizeof(part), "%s.part", output);
	snprintf(session, sizeof(session), "%s/session", dir);
	snprintf(ring, sizeof(ring), "%s/p.1.0", session);
	atexit(clean_up);
}

static void put_ring(void)
{
	int fd = open(ring, O_RDWR | O_CREAT, 0600);
	char *image;

	if (fd < 0 || ftruncate(fd, IMAGE_SIZE) < 0)
		abort();
	image = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	image_make(image);
	munmap(image, IMAGE_SIZE);
}

/* A file with one process, two tracks, and the state. */
static void put_part(uint64_t key, const uint8_t *data, size_t size)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .name = "fuzzed", .command = "fuzzed"};
	struct trace_track t = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = ""};
	struct trace_srcloc l = {.name = "zone", .function = "", .file = ""};
	struct trace_writer *w;
	char text[32];

	if (trace_writer_open(&w, output, &options, NULL) < 0)
		abort();
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)key);
	trace_set_property(w, "session", text);
	trace_add_process(w, &p);
	trace_add_track(w, &t);
	trace_add_track(w, &t);
	trace_add_srcloc(w, &l);
	if (trace_checkpoint(w, data, size) < 0)
		abort();
	trace_writer_abandon(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_options options = {.output = NULL, .force = true};
	struct ring_session_options ro = {0};
	struct capture_summary summary;
	struct ring_session s;
	struct tacho_error err;
	struct capture *c;

	if (!output[0])
		make_names();
	if (ring_session_create(&s, session, &ro, &err) < 0)
		abort();
	ring_session_set_output(&s, output, true, NULL);
	put_ring();
	put_part(s.key, data, size);
	ring_session_close(&s);
	if (capture_resume(&c, session, &options, &err) == 0)
		capture_finish(c, false, &summary, &err);
	if (ring_session_adopt(&s, session, &err) == 0) {
		ring_session_remove(&s);
		ring_session_close(&s);
	}
	return 0;
}
