/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a session. Programs take it from one account in the session's pool, a segment at a
 * time, and the recorder gives back what it frees. Programs that die between taking and using, and
 * programs that write arbitrary values to the account, make it wrong: the kernel knows how much
 * each ring file holds, so the account is compared with that once a second.
 */
#include "base/now.h"
#include "capture/private.h"

#include <stdio.h>
#include <unistd.h>

#define SETTLE_NS 1000000000ull
/* Bytes that a process may have taken but not yet allocated: its lock allows one at a time. */
#define IN_FLIGHT (RING_SEG_SIZE + 4 * RING_PAGE_SIZE)

void bound_find_rings(struct capture *c)
{
	/* Before the search: memory counted here then belongs to rings that the search finds. */
	uint64_t used = ring_pool_used(&c->session), held = 0, rings;

	capture_find_rings(c);
	if (c->keep || now_ns() - c->last_settle < SETTLE_NS || c->no_room)
		return;
	c->last_settle = now_ns();
	rings = c->not_ready.n;
	rings += c->live.n;
	for (size_t i = 0; i < c->live.n; i++)
		if (!ring_is_area(c->live.v[i]->ring))
			held += ring_bytes(c->live.v[i]->ring);
	ring_pool_settle(&c->session, used, held + ring_pool_bytes(&c->session), rings * IN_FLIGHT);
}

bool bound_is_near(const struct capture *c)
{
	return ring_pool_used(&c->session) > c->session.pool.limit / 2;
}

uint64_t bound_keep(const struct capture *c)
{
	uint64_t keep = (uint64_t)c->session.control->ring_kb << 10, share;

	if (!bound_is_near(c))
		return keep;
	share = c->session.pool.limit / 4 / (1 + c->live.n);
	return share < keep ? share : keep;
}

void bound_remove_ring(struct capture *c, struct ring_reader *ring)
{
	char name[256];
	uint64_t bytes = ring_bytes(ring);
	bool area = ring_is_area(ring);

	snprintf(name, sizeof(name), "%s", ring_name(ring));
	ring_close(ring);
	if (c->keep)
		return;
	if (area) {
		ring_pool_free_area(&c->session, name);
		return;
	}
	if (unlinkat(c->session.folder.fd, name, 0) == 0)
		ring_pool_give(&c->session, bytes);
}
