/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emits events in a signal handler that runs on a small alternate stack, and says how many bytes of
 * it each event needs beyond the kernel's frame: small_stack BYTES [wait]. More than BYTES is an
 * error; 0: any number will do. With "wait" it begins when somebody records it. Below the stack is
 * a page that cannot be touched.
 */
#include "emit.h"

#define PAGE  4096
#define STACK 16384
#define PAINT 0x5a

static unsigned char *stack; /* its lowest byte */
static const char *bottom;   /* where the handler's own frame ends */
static void (*step)(void);
static struct tacho_lock lock = TACHO_LOCK_INIT("lock");

static void emit_nothing(void)
{
}

static void emit_zone(void)
{
	TACHO_ZONE("in a handler");
}

static void emit_message(void)
{
	tacho_message("a message", 9, TACHO_INFO, 0);
}

static void emit_literal(void)
{
	TACHO_MESSAGE("a literal");
}

static void emit_plot(void)
{
	tacho_plot_int("made at run time", 1);
}

static void emit_lock(void)
{
	tacho_lock_event(&lock, TACHO_LOCK_OBTAIN);
}

/* The thread needs more than one further segment, and with TACHO_LIMIT_MB=1 it may get none. */
static void emit_many(void)
{
	for (int i = 0; i < 20000; i++) {
		TACHO_ZONE("one of many");
	}
}

static const struct {
	const char *name;
	void (*emit)(void);
	long zones, messages;
} steps[] = {
	{"nothing", emit_nothing, 0, 0},     {"zone", emit_zone, 1, 0},
	{"message", emit_message, 0, 1},     {"literal", emit_literal, 0, 1},
	{"plot", emit_plot, 0, 1},           {"lock", emit_lock, 0, 1},
	{"many zones", emit_many, 20000, 0},
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

static void on_signal(int number)
{
	char here;

	(void)number;
	bottom = &here;
	step();
}

static size_t depth_of(size_t i)
{
	const unsigned char *low = stack;

	memset(stack, PAINT, STACK);
	step = steps[i].emit;
	if (raise(SIGUSR1) != 0)
		abort();
	while (*low == PAINT)
		low++;
	return (size_t)((const unsigned char *)bottom - low);
}

static void *thread_work(void *arg)
{
	long most = *(long *)arg;
	char *pages = mmap(NULL, PAGE + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	stack_t alternate = {.ss_size = STACK};
	size_t nothing = 0, depth;

	if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE) < 0)
		abort();
	stack = (unsigned char *)pages + PAGE;
	alternate.ss_sp = stack;
	if (sigaltstack(&alternate, NULL) < 0)
		abort();
	for (size_t i = 0; i < STEPS; i++) {
		depth = depth_of(i);
		if (i == 0)
			nothing = depth;
		depth -= nothing < depth ? nothing : depth;
		fprintf(stderr, "%s: %zu bytes\n", steps[i].name, depth);
		if (most && depth > (size_t)most)
			abort();
	}
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	long most = number_argument(argc, argv, 1, 0), zones = 0, messages = 0;
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	while (argc > 2 && !tacho_is_recording())
		usleep(1000);
	sigaction(SIGUSR1, &action, NULL);
	/* The first event of the process, of a thread, and a thread that has nothing but its own.
	 */
	thread_work(&most);
	in_threads(1, thread_work, &most);
	for (size_t i = 0; i < STEPS; i++) {
		zones += steps[i].zones;
		messages += steps[i].messages;
	}
	text_emit(2 * zones, 2 * messages);
	return 0;
}
