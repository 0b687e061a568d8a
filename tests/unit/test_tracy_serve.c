/* SPDX-License-Identifier: Apache-2.0 */
/* A viewer's side of a served trace, over a socket pair: who asks nothing, and who only asks. */
#include "trace_tools.h"
#include "tracy/serve.h"
#include "tracy/tracy.h"

#include <sys/socket.h>
#include <unistd.h>

#define ZONES 400000u /* several times what is made at once */
#define LONG  30000u  /* bytes of a name */

struct viewer {
	struct trace *trace;
	struct tracy_server *server;
	int fd;
};

static void trace_make(const char *path)
{
	struct trace_writer *w = test_writer(path);
	struct trace_process p = {.pid = 1, .name = "p", .command = "p"};
	struct trace_track t = {.kind = TRACE_THREAD, .id = 7, .srcloc = TRACE_NONE, .name = "t"};
	struct trace_srcloc s = {.function = "f", .file = "f.c", .line = 1};
	struct tacho_error err = {0};
	uint64_t random = 7, time = 1000;
	char *name = malloc(LONG + 1);

	/* Random letters: it does not shrink much on its way. */
	for (size_t i = 0; i < LONG; i++)
		name[i] = (char)('!' + test_random(&random) % 90);
	name[LONG] = 0;
	s.name = name;
	t.process = (uint32_t)trace_add_process(w, &p);
	trace_add_track(w, &t);
	trace_add_srcloc(w, &s);
	for (uint32_t i = 0; i < ZONES; i++) {
		uint64_t end = time + 1 + test_random(&random) % 5000;

		trace_lane_add(w, trace_lane(w, 0, 0), time, end, 0, 0);
		time = end;
	}
	assert_int_equal(trace_writer_close(w, &err), 0);
	free(name);
}

/* The number of the long name among the model's strings. */
static size_t name_find(const struct write *model)
{
	size_t i = 0;

	while (i < model->strings.list.n && model->strings.list.v[i].len != LONG)
		i++;
	assert_true(i < model->strings.list.n);
	return i;
}

static void viewer_open(struct viewer *v, const char *path)
{
	static const uint8_t greeting[12] = {'T', 'r', 'a', 'c', 'y', 'P', 'r', 'f', 66};
	struct tracy_server_options options = {0};
	struct tacho_error err = {0};
	int pair[2], room = 16 << 20;

	trace_make(path);
	v->trace = test_open(path);
	assert_int_equal(tracy_server_open(&v->server, v->trace, &options, &err), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	v->fd = pair[1];
	assert_int_equal(tracy_server_take(v->server, pair[0], &err), 0);
	assert_int_equal(write(v->fd, greeting, sizeof(greeting)), sizeof(greeting));
}

static void viewer_close(struct viewer *v)
{
	tracy_server_close(v->server);
	trace_close(v->trace);
	close(v->fd);
}

/* All that has come. */
static size_t viewer_read(const struct viewer *v)
{
	static char bytes[1 << 20];
	size_t total = 0;
	ssize_t n;

	while ((n = read(v->fd, bytes, sizeof(bytes))) > 0)
		total += (size_t)n;
	return total;
}

/* The socket takes all that is made at once, and no question wakes the server. */
static void test_silent(void **state)
{
	struct tacho_error err = {0};
	struct viewer v;
	size_t total = 0;

	(void)state;
	viewer_open(&v, test_path("silent.tacho"));
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(tracy_server_round(v.server, 0, &err), 0);
		total += viewer_read(&v);
		if (i && tracy_server_is_ready(v.server))
			break;
	}
	assert_true(tracy_server_is_ready(v.server));
	assert_true(tracy_server_is_watched(v.server));
	assert_true(total > ZONES);
	viewer_close(&v);
}

/* Who asks and does not read makes the server hold little; who then reads gets all answers. */
static void test_greedy(void **state)
{
	static const uint8_t greeting[12] = {'T', 'r', 'a', 'c', 'y', 'P', 'r', 'f', 66};
	static uint8_t questions[WIRE_QUERY * 1000];
	uint64_t pointer, held = 0;
	struct tracy_notes notes = {0};
	struct write model = {.notes = &notes};
	struct serve *s;

	(void)state;
	trace_make(test_path("greedy.tacho"));
	model.trace = test_open(test_path("greedy.tacho"));
	assert_int_equal(write_prepare(&model), 0);
	pointer = STRING_POINTER(name_find(&model));
	for (size_t i = 0; i < sizeof(questions); i += WIRE_QUERY) {
		questions[i] = QUERY_STRING;
		memcpy(questions + i + 1, &pointer, sizeof(pointer));
	}
	s = serve_new(&model, false);
	serve_input(s, greeting, sizeof(greeting));
	for (int i = 0; i < 100 && serve_takes_input(s); i++)
		serve_input(s, questions, sizeof(questions));
	assert_false(serve_takes_input(s));
	assert_true(s->out.len < 1 << 20);
	while (serve_has_more(s)) {
		buf_reset(&s->out);
		serve_more(s);
		held = s->out.len > held ? s->out.len : held;
	}
	assert_true(held < 1 << 20);
	assert_true(serve_takes_input(s));
	assert_int_equal(s->step, SERVE_DONE);
	assert_int_equal(s->refused, 0);
	assert_false(s->failed);
	serve_free(s);
	write_free(&model);
	trace_close(model.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_greedy),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return failed;
}
