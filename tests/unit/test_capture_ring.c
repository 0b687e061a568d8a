/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder with rings that are written word by word: times that run backwards, and a recorder
 * that dies between the parts of a string. This process plays the program.
 */
#include "../../fuzz/ring_image.h"
#include "capture/capture.h"
#include "clock/clock.h"
#include "ring/ring.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
	char dir[32], output[64], session[64];
	char *image;
	uint64_t *at; /* where the thread writes */
	uint64_t now;
};

static uint64_t own_start_time(void)
{
	char text[1024], *at;
	FILE *f = fopen("/proc/self/stat", "re");
	size_t n = fread(text, 1, sizeof(text) - 1, f);

	fclose(f);
	text[n] = 0;
	at = strrchr(text, ')');
	for (int field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	return strtoull(at + 1, NULL, 10);
}

static void place_open(struct place *p)
{
	snprintf(p->dir, sizeof(p->dir), "/tmp/test_capture.XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->output, sizeof(p->output), "%s/t.tacho", p->dir);
	snprintf(p->session, sizeof(p->session), "%s/session", p->dir);
}

/* The recorder ignores rings of other sessions. */
static uint64_t place_key(const struct place *p)
{
	uint64_t key = 0;
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/control", p->session);
	fd = open(path, O_RDONLY);
	/* The recorder creates the file before it fills it. */
	while (pread(fd, &key, sizeof(key), offsetof(struct ring_control, generation)) !=
		       sizeof(key) ||
	       !key)
		usleep(1000);
	close(fd);
	return key;
}

/* The ring of this process, alive, in a session that is there. */
static void place_join(struct place *p)
{
	struct ring_header *h;
	struct ring_page *page;
	struct stat st;
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/p.%d.0", p->session, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0 && ftruncate(fd, IMAGE_SIZE) == 0);
	p->image = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	image_make(p->image);
	h = (struct ring_header *)p->image;
	h->pid = (uint32_t)getpid();
	h->key = place_key(p);
	h->start_time = own_start_time();
	h->pid_namespace = stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
	p->now = clock_ticks();
	h->ticks = p->now;
	page = (struct ring_page *)(p->image + ring_page_offset(1));
	page->segment.ticks = p->now;
	page->segment.next = 0;
	p->at = (uint64_t *)(p->image + ring_page_offset(1) + sizeof(struct ring_page));
}

static void place_close(struct place *p)
{
	munmap(p->image, IMAGE_SIZE);
	unlink(p->output);
	rmdir(p->dir);
}

static void zone_put(struct place *p, int64_t step, unsigned kind)
{
	p->now += (uint64_t)step;
	*p->at++ = p->now << RING_TICK_SHIFT | 1 << 2 | kind;
}

/* A record with WORDS before the string TEXT; FLAGS go with its length. */
static void text_put(struct place *p, unsigned type, unsigned words, const char *s, uint64_t flags)
{
	unsigned count = words + 1 + (unsigned)(strlen(s) + 7) / 8;

	p->at[1] = 0;
	p->at[1 + words] = strlen(s) | flags;
	memcpy(&p->at[2 + words], s, strlen(s));
	p->now += 10;
	p->at[0] = p->now << RING_TICK_SHIFT | RING_MORE(type, count);
	p->at += 1 + count;
}

static struct capture *capture_begin(const struct place *p)
{
	struct capture_options options = {.output = p->output, .session = p->session};
	struct capture *c;

	assert_int_equal(capture_open(&c, &options, NULL), 0);
	capture_start(c);
	return c;
}

static struct trace *capture_end(const struct place *p, struct capture *c)
{
	struct capture_summary summary;
	struct tacho_error err = {0};
	struct trace_check check;
	struct trace *t;

	assert_int_equal(capture_finish(c, &summary, &err), 0);
	assert_int_equal(trace_open(&t, p->output, &err), 0);
	assert_int_equal(trace_check(t, &check, &err), 0);
	assert_string_equal(check.first_error, "");
	return t;
}

/* The rows of a kind; the last one in ROW. */
static unsigned count_rows(struct trace *t, uint32_t kind, struct trace_row *row)
{
	struct trace_rows *rows;
	struct trace_row r;
	uint32_t track;
	unsigned n = 0;

	assert_int_equal(trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_rows_next(rows, &r, &track) > 0) {
		if (r.kind != kind)
			continue;
		*row = r;
		n++;
	}
	trace_rows_close(rows);
	return n;
}

static void test_late(void **unused)
{
	struct capture *c;
	struct trace_row row;
	struct trace *t;
	struct place p;

	(void)unused;
	place_open(&p);
	c = capture_begin(&p);
	place_join(&p);
	zone_put(&p, 100, RING_BEGIN);
	zone_put(&p, 500, RING_END);
	zone_put(&p, -300, RING_BEGIN);
	zone_put(&p, 100, RING_END);
	zone_put(&p, 1000, RING_BEGIN);
	zone_put(&p, 100, RING_END);
	assert_true(capture_round(c, NULL) > 0);
	t = capture_end(&p, c);
	assert_int_equal(t->zones, 3);
	assert_int_equal(count_rows(t, TRACE_ROW_LATE, &row), 1);
	assert_int_equal(row.a, 2);
	assert_int_equal(row.b, 300);
	trace_close(t);
	place_close(&p);
}

/* A clock that is far ahead does not hold up what others send. */
static void test_ahead(void **unused)
{
	struct capture *c;
	struct trace_row row;
	struct trace *t;
	struct place p;

	(void)unused;
	place_open(&p);
	c = capture_begin(&p);
	place_join(&p);
	text_put(&p, RING_MESSAGE, 1, "before", 0);
	p.now += 1ull << 36;
	text_put(&p, RING_MESSAGE, 1, "ahead", 0);
	assert_true(capture_round(c, NULL) > 0);
	t = capture_end(&p, c);
	assert_int_equal(count_rows(t, TRACE_ROW_MESSAGE, &row), 2);
	assert_true(row.time < p.now);
	assert_int_equal(count_rows(t, TRACE_ROW_LATE, &row), 1);
	assert_int_equal(row.a, 1);
	trace_close(t);
	place_close(&p);
}

/* A handler's message is between the parts of a string, and the recorder dies there. */
static void test_parts(void **unused)
{
	const uint64_t group = 1ull << RING_STRING_GROUP_SHIFT;
	struct capture_options options = {0};
	struct trace_row row;
	struct capture *c;
	struct trace *t;
	struct place p;
	char control[80];
	int status;
	pid_t recorder;

	(void)unused;
	place_open(&p);
	snprintf(control, sizeof(control), "%s/control", p.session);
	recorder = fork();
	if (recorder == 0) {
		c = capture_begin(&p);
		/* Long enough for a checkpoint. */
		for (int i = 0; i < 150; i++) {
			capture_round(c, NULL);
			usleep(10000);
		}
		_exit(0);
	}
	while (access(control, F_OK) < 0)
		usleep(1000);
	place_join(&p);
	text_put(&p, RING_TEXT_PART, 0, "one ", group);
	text_put(&p, RING_MESSAGE, 1, "handler", 0);
	text_put(&p, RING_TEXT_PART, 0, "two ", group);
	assert_int_equal(waitpid(recorder, &status, 0), recorder);
	text_put(&p, RING_MESSAGE, 1, "three", group);
	options.output = p.output;
	assert_int_equal(capture_resume(&c, p.session, &options, NULL), 0);
	t = capture_end(&p, c);
	assert_int_equal(count_rows(t, TRACE_ROW_MESSAGE, &row), 2);
	assert_int_equal(row.text_len, strlen("one two three"));
	trace_close(t);
	place_close(&p);
}

static void *wait_long(void *follow)
{
	ring_follow_wait(follow, 1000000);
	return NULL;
}

/* Who follows is woken by what is written, not by time. */
static void test_followed(void **unused)
{
	struct ring_follow follow;
	struct capture *c;
	pthread_t thread;
	struct place p;

	(void)unused;
	place_open(&p);
	c = capture_begin(&p);
	place_join(&p);
	assert_int_equal(ring_follow_open(&follow, p.session, NULL), 0);
	ring_follow_touch(&follow);
	ring_follow_wait(&follow, 1);
	assert_int_equal(pthread_create(&thread, NULL, wait_long, &follow), 0);
	zone_put(&p, 100, RING_BEGIN);
	zone_put(&p, 500, RING_END);
	while (atomic_load(&follow.control->written) == 0) {
		ring_follow_touch(&follow);
		assert_true(capture_round(c, NULL) >= 0);
		capture_wait(c);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	ring_follow_close(&follow);
	trace_close(capture_end(&p, c));
	place_close(&p);
}

/* A trace that cannot be created: descriptor 0 belongs to the program. */
static void test_no_output(void **state)
{
	struct capture_options options = {.output = "/nonexistent/t.tacho"};
	struct tacho_error err;
	struct capture *c;
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(dup2(fd, 0), 0);
	assert_int_equal(capture_open(&c, &options, &err), TACHO_EWRITE);
	assert_true(fcntl(0, F_GETFD) >= 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_output), cmocka_unit_test(test_late),
		cmocka_unit_test(test_ahead),     cmocka_unit_test(test_parts),
		cmocka_unit_test(test_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
