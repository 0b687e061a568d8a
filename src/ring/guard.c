/* SPDX-License-Identifier: Apache-2.0 */
/* Survive SIGBUS from ring files that were truncated while mapped. */
#include "ring/guard.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Written and read only by the thread that reads rings: its SIGBUS is synchronous. */
static struct guard_range *ranges;

static void on_bus(int number, siginfo_t *info, void *context)
{
	long page = sysconf(_SC_PAGESIZE);
	char *at = info->si_addr;
	char *from = (char *)((uintptr_t)at & ~(uintptr_t)(page - 1));

	(void)context;
	for (struct guard_range *r = ranges; r; r = r->next) {
		if (at < r->base || at >= r->base + r->size)
			continue;
		*r->hit = true;
		if (mmap(from, (size_t)page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
			return;
	}
	signal(number, SIG_DFL);
	raise(number);
}

void guard_add(struct guard_range *range, void *base, size_t size, volatile bool *hit)
{
	static bool installed;

	if (!installed) {
		struct sigaction action;

		memset(&action, 0, sizeof(action));
		action.sa_sigaction = on_bus;
		action.sa_flags = SA_SIGINFO | SA_NODEFER;
		sigaction(SIGBUS, &action, NULL);
		installed = true;
	}
	range->base = base;
	range->size = size;
	range->hit = hit;
	range->next = ranges;
	range->link = &ranges;
	if (ranges)
		ranges->link = &range->next;
	ranges = range;
}

void guard_remove(struct guard_range *range)
{
	if (!range->link)
		return;
	*range->link = range->next;
	if (range->next)
		range->next->link = range->link;
	range->link = NULL;
}
