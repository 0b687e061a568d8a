/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps out of zones, so their ends never come; and out of a signal handler: longjmps COUNT. */
#include "emit.h"

#include <setjmp.h>
#include <sys/time.h>

static jmp_buf out;
static sigjmp_buf out_of_handler;
static volatile long zones, jumps;

static __attribute__((noinline)) void jump(int depth)
{
	TACHO_ZONE("left by longjmp");

	zones++;
	if (depth > 0)
		jump(depth - 1);
	else if (zones) /* always, which the compiler must not know: it would see no way back */
		longjmp(out, 1);
}

static void on_alarm(int signal)
{
	(void)signal;
	jumps++;
	siglongjmp(out_of_handler, 1);
}

int main(int argc, char **argv)
{
	long count = number_argument(argc, argv, 1, 1000);
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_NODEFER};
	volatile long i;

	for (i = 0; i < count; i++)
		if (setjmp(out) == 0)
			jump(3);
	sigaction(SIGALRM, &action, NULL);
	if (sigsetjmp(out_of_handler, 1) == 0)
		setitimer(ITIMER_REAL, &often, NULL);
	while (jumps < count / 10) {
		emit_zones(10);
		zones += 10;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	emit_zones(100);
	text_emit(zones + 100, 0);
	return 0;
}
