/* SPDX-License-Identifier: Apache-2.0 */
/* Emits until SIGTERM, with pauses: forever. For recorders that come later. */
#include "emit.h"

static struct tacho_lock lock = TACHO_LOCK_INIT("old lock");
static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

int main(void)
{
	signal(SIGTERM, on_term);
	tacho_thread_name("a name that is longer than the kernel keeps");
	tacho_app_info("said before anybody listened", 28);
	tacho_lock_name(&lock, "renamed before", 14);
	text_emit(0, 0);
	while (!stop) {
		tacho_lock_event(&lock, TACHO_LOCK_WAIT);
		tacho_lock_event(&lock, TACHO_LOCK_OBTAIN);
		emit_zones(10);
		tacho_lock_event(&lock, TACHO_LOCK_RELEASE);
		usleep(1000);
	}
	return 0;
}
