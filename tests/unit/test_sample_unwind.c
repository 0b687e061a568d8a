/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding against an oracle: at 10,000 moments that a timer chooses, prologues and epilogues
 * included, our frames are those of the C++ run-time's unwinder. The same moments without any
 * register but RSP and the instruction, as of a waiting thread: then a stack may end early, but has
 * no other frames.
 */
#include "sample/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include <cmocka.h>

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#define MOMENTS 10000

static struct modules modules;
static struct space space;
static struct unwind_cache *cache;
static uint64_t stack_end_at;
static volatile sig_atomic_t moments, whole, equal, shorter;
static volatile sig_atomic_t waiting_whole, waiting_asked;
static uint64_t wrong_pc, right_pc;

/* Registers of a context in DWARF's order. */
static void context_regs(const ucontext_t *c, struct unwind_input *in)
{
	static const int order[CFI_REGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

	for (unsigned i = 0; i < CFI_REGS; i++)
		in->regs[i] = (uint64_t)c->uc_mcontext.gregs[order[i]];
	in->known = (1u << CFI_REGS) - 1;
	in->stack = (const uint8_t *)in->regs[CFI_RSP];
	in->size = (size_t)(stack_end_at - in->regs[CFI_RSP]);
}

static bool code_copy(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	if (!space_find(&space, address) || !space_find(&space, address + len - 1))
		return false;
	memcpy(to, (const void *)address, len);
	return true;
}

/* As of a thread that waits in a function: its registers are unknown. */
static void waiting_compare(const struct unwind_input *full, const uint64_t *right, unsigned most)
{
	static struct stack_frame frames[LIMIT_STACK_FRAMES];
	static uint64_t pcs[LIMIT_STACK_FRAMES];
	struct unwind_input in = *full;
	unsigned count;

	in.known = 1u << CFI_RSP | 1u << CFI_RA;
	in.code = code_copy;
	waiting_asked++;
	waiting_whole += unwind(cache, &space, &in, frames, pcs, &count) == STACK_WHOLE;
	for (unsigned i = 0; i < count && !wrong_pc; i++) {
		if (i < most && pcs[i] == right[i])
			continue;
		wrong_pc = pcs[i];
		right_pc = i < most ? right[i] : 0;
	}
}

/* The oracle starts in the handler: its frames are ours from the interrupted one on. */
static void moment_compare(int number, siginfo_t *info, void *context)
{
	static struct stack_frame frames[LIMIT_STACK_FRAMES];
	static uint64_t pcs[LIMIT_STACK_FRAMES];
	static void *other[LIMIT_STACK_FRAMES];
	struct unwind_input in = {0};
	enum stack_end end;
	unsigned count;
	int n, at = 0;

	(void)number, (void)info;
	if (moments == MOMENTS)
		return;
	context_regs(context, &in);
	end = unwind(cache, &space, &in, frames, pcs, &count);
	n = backtrace(other, LIMIT_STACK_FRAMES);
	while (at < n && (uint64_t)other[at] != in.regs[CFI_RA])
		at++;
	moments++;
	whole += end == STACK_WHOLE;
	if (end == STACK_WHOLE)
		waiting_compare(&in, pcs, count);
	for (unsigned i = 1; i < count && at + (int)i < n; i++) {
		if (pcs[i] + 1 != (uint64_t)other[at + (int)i]) {
			wrong_pc = pcs[i];
			right_pc = (uint64_t)other[at + (int)i];
			return;
		}
	}
	/* The oracle stops early in epilogues; it never goes on where ours is whole. */
	if (n - at > (int)count)
		wrong_pc = right_pc = 1;
	else if (n - at < (int)count)
		shorter++;
	else
		equal++;
}

static void maps_load(void)
{
	char line[4400], path[4200], prot[8];
	FILE *f = fopen("/proc/self/maps", "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long start, end, offset, inode;
		struct mapping m;
		bool added;

		path[0] = 0;
		if (sscanf(line, "%llx-%llx %7s %llx %*s %llu %4199[^\n]", &start, &end, prot,
			   &offset, &inode, path) < 5)
			continue;
		if (!strcmp(path, "[stack]"))
			stack_end_at = end;
		if (prot[2] != 'x')
			continue;
		m = (struct mapping){start, end, offset, NULL};
		m.module = modules_get(&modules, strcmp(path, "[vdso]") ? MODULE_FILE : MODULE_VDSO,
				       path, 0, inode, &added);
		assert_non_null(m.module);
		module_load(m.module, getpid());
		assert_int_equal(space_map(&space, &m), 0);
	}
	fclose(f);
}

static int words_compare(const void *a, const void *b)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %s", *(const int *)a, "x");
	return (text[0] & 1) + (*(const int *)a > *(const int *)b ? 1 : -1);
}

__attribute__((noinline)) static int work_deep(int depth)
{
	int numbers[24];

	for (int i = 0; i < 24; i++)
		numbers[i] = (i * 7919 + depth) % 101;
	qsort(numbers, 24, sizeof(numbers[0]), words_compare);
	return depth ? work_deep(depth - 1) + numbers[depth % 24] : numbers[0];
}

static void test_unwind_equals_oracle(void **state)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct sigaction action;
	void *first[4];

	(void)state;
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* sanitizers have frames of their own */
#endif
	space.pid = getpid();
	assert_int_equal(modules_init(&modules), 0);
	cache = unwind_cache_new();
	backtrace(first, 4); /* loads what it needs outside of the handler */
	maps_load();
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = moment_compare;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; moments < MOMENTS && !wrong_pc; i++)
		work_deep(i % 30);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d moments: %d whole, %d equal, %d where the oracle stopped earlier\n",
	       (int)moments, (int)whole, (int)equal, (int)shorter);
	printf("without registers: %d of %d whole\n", (int)waiting_whole, (int)waiting_asked);
	if (wrong_pc)
		fail_msg("ours %llx, the oracle %llx", (unsigned long long)wrong_pc,
			 (unsigned long long)right_pc);
	assert_true(whole >= MOMENTS * 99 / 100);
	/* At any instruction; at calls and system calls, where threads wait, nearly all. */
	assert_true(waiting_whole >= waiting_asked / 2);
	unwind_cache_free(cache);
	space_clear(&space);
	modules_free(&modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_unwind_equals_oracle)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
