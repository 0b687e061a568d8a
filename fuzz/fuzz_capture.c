/* The recorder with a ring that holds anything: the trace that comes out is sound. */
#include "capture/capture.h"
#include "ring_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/dev/shm/fuzz_capture.XXXXXX";
static char output[64], session[64], ring[80];

static void clean_up(void)
{
	unlink(output);
	rmdir(dir);
}

static void make_names(void)
{
	if (!mkdtemp(dir))
		abort();
	snprintf(output, sizeof(output), "%s/t.tacho", dir);
	snprintf(session, sizeof(session), "%s/session", dir);
	snprintf(ring, sizeof(ring), "%s/p.1.0", session);
	atexit(clean_up);
}

static void put_ring(const uint8_t *data, size_t size)
{
	int fd = open(ring, O_RDWR | O_CREAT, 0600);
	char *image;

	if (fd < 0 || ftruncate(fd, IMAGE_SIZE) < 0)
		abort();
	image = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	image_make(image);
	image_patch(image, data, size);
	munmap(image, IMAGE_SIZE);
}

static void check_output(void)
{
	struct trace_check check;
	struct trace *t;

	if (trace_open(&t, output, NULL) < 0 || trace_check(t, &check, NULL) < 0)
		abort();
	if (check.errors) {
		fprintf(stderr, "%s\n", check.first_error);
		abort();
	}
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_options options = {.output = output, .session = session, .force = true};
	struct capture_summary summary;
	struct tacho_error err;
	struct capture *c;

	if (!output[0])
		make_names();
	if (capture_open(&c, &options, &err) < 0)
		abort();
	put_ring(data, size);
	for (int i = 0; i < 3; i++)
		if (capture_round(c, &err) < 0)
			abort();
	if (capture_finish(c, false, &summary, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	check_output();
	return 0;
}
