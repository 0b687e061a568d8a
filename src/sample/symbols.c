/* SPDX-License-Identifier: Apache-2.0 */
/* Collects addresses, has a child process name them, and reads its answers; see symbols.h. */
#include "sample/symbols.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/order.h"
#include "base/vec.h"
#include "sample/namer.h"
#include "sample/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS     60           /* time limit of naming */
#define MEMORY      (4ull << 30) /* limit of data in bytes, for debugging information */
#define INLINED_MAX 64

struct symbol_module {
	uint32_t kind;
	char *path, *build_id;
};

struct symbols {
	struct {
		VEC(struct symbol_module);
	} modules;       /* by number */
	struct map seen; /* addresses: 1 = to be named, 2 = named */
	struct {
		VEC(uint64_t);
	} wanted;
};

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->modules.n; i++) {
		free(s->modules.v[i].path);
		free(s->modules.v[i].build_id);
	}
	vec_free(&s->modules);
	vec_free(&s->wanted);
	map_free(&s->seen);
	free(s);
}

static int module_note(struct symbols *s, const struct trace_row *row)
{
	static const struct symbol_module none;
	size_t path = row->text ? strnlen(row->text, row->text_len) : 0;
	struct symbol_module *m;

	if (row->a >= LIMIT_MODULES || path > LIMIT_NAME)
		return 0;
	while (s->modules.n <= row->a)
		if (vec_push(&s->modules, none) < 0)
			return TACHO_ENOMEM;
	m = &s->modules.v[row->a];
	if (m->path)
		return 0;
	m->kind = (uint32_t)row->b;
	m->path = strndup(row->text ? row->text : "", path);
	m->build_id = path < row->text_len ? strndup(row->text + path + 1, row->text_len - path - 1)
					   : strdup("");
	return m->path && m->build_id ? 0 : TACHO_ENOMEM;
}

int symbols_note(struct symbols *s, const struct trace_row *row)
{
	if (row->kind == TRACE_ROW_MODULE)
		return module_note(s, row);
	if (row->kind == TRACE_ROW_SYMBOL)
		return map_set(&s->seen, row->a, 2);
	if (row->kind != TRACE_ROW_STACK || map_get(&s->seen, row->c))
		return 0;
	return map_set(&s->seen, row->c, 1) < 0 ? TACHO_ENOMEM : vec_push(&s->wanted, row->c);
}

/* ----------------------------------------------------------- the child */

/* A message through the pipe, followed by LEN bytes of text. */
struct answer {
	uint64_t key;
	uint32_t line, inlined, len;
};

struct answers {
	FILE *out;
	uint64_t key;
};

static void answer_write(void *context, const struct name *n)
{
	struct answers *a = context;
	size_t function = strnlen(n->function, 4000), file = strnlen(n->file, 4000);
	struct answer head = {a->key, n->line, n->inlined, (uint32_t)(function + 1 + file)};

	fwrite(&head, sizeof(head), 1, a->out);
	fwrite(n->function, 1, function, a->out);
	fputc(0, a->out);
	fwrite(n->file, 1, file, a->out);
}

/* Module by module, so that the memory of one is freed before the next is opened. */
static void child_run(const struct symbols *s, int fd)
{
	struct rlimit core = {0, 0}, memory = {MEMORY, MEMORY};
	struct answers a = {.out = fdopen(fd, "w")};
	size_t i = 0;

	setrlimit(RLIMIT_CORE, &core);
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_DATA, &memory);
#endif
	signal(SIGALRM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	alarm(SECONDS);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	unsetenv("DEBUGINFOD_URLS"); /* nothing is sent to other machines */
	if (!a.out)
		_exit(1);
	while (i < s->wanted.n) {
		uint32_t id = TREE_MODULE(s->wanted.v[i]);
		const struct symbol_module *m = id < s->modules.n ? &s->modules.v[id] : NULL;
		struct namer *names =
			m && m->path ? namer_open(m->kind, m->path, m->build_id) : NULL;

		for (; i < s->wanted.n && TREE_MODULE(s->wanted.v[i]) == id; i++) {
			a.key = s->wanted.v[i];
			if (names)
				namer_find(names, TREE_OFFSET(a.key), answer_write, &a);
		}
		namer_close(names);
	}
	fflush(a.out);
	_exit(0);
}

/* ---------------------------------------------------------- the parent */

static bool pipe_read(int fd, void *to, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(fd, (char *)to + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* A file may have compromised the child: its answers are checked like any input. */
static int answers_read(struct symbols *s, int fd, uint64_t time,
			int (*add)(void *context, const struct trace_row *row), void *context)
{
	char text[8192];
	struct answer head;
	int r = 0;

	while (r == 0 && pipe_read(fd, &head, sizeof(head))) {
		struct trace_row row = {.time = time,
					.kind = TRACE_ROW_SYMBOL,
					.thread = TRACE_NONE,
					.a = head.key,
					.b = head.line,
					.c = head.inlined,
					.text = text,
					.text_len = head.len};

		if (head.len > sizeof(text) || head.inlined > INLINED_MAX ||
		    !map_get(&s->seen, head.key) || !pipe_read(fd, text, head.len))
			break;
		r = add(context, &row);
	}
	return r;
}

int symbols_resolve(struct symbols *s, uint64_t time,
		    int (*add)(void *context, const struct trace_row *row), void *context)
{
	size_t kept = 0;
	int pipes[2], r;
	pid_t pid;

	for (size_t i = 0; i < s->wanted.n; i++)
		if (*map_get(&s->seen, s->wanted.v[i]) == 1 && TREE_MODULE(s->wanted.v[i]))
			s->wanted.v[kept++] = s->wanted.v[i];
	s->wanted.n = kept;
	if (!kept)
		return 0;
	qsort(s->wanted.v, kept, sizeof(*s->wanted.v), order_u64);
	if (pipe(pipes) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		close(pipes[0]);
		child_run(s, pipes[1]);
	}
	close(pipes[1]);
	r = pid > 0 ? answers_read(s, pipes[0], time, add, context) : 0;
	close(pipes[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return r;
}
