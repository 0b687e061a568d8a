/* SPDX-License-Identifier: Apache-2.0 */
/* Records Tracy clients beside programs that link libtacho: one trace, one clock. */
#include "capture/private.h"

static int hub_of(struct capture *c, struct tacho_error *err)
{
	/* Stacks are numbered in one place of a trace: here those of the sampler and of programs.
	 */
	const struct tracy_hub_options options = {.again = true, .no_samples = true};

	return c->hub ? 0 : tracy_hub_open(&c->hub, c->writer, &options, err);
}

int capture_tracy(struct capture *c, const char *address, uint16_t port, struct tacho_error *err)
{
	int r = hub_of(c, err);

	return r < 0 ? r : tracy_hub_add(c->hub, address, port, err);
}

int capture_tracy_discover(struct capture *c, uint16_t port, struct tacho_error *err)
{
	int r = hub_of(c, err);

	return r < 0 ? r : tracy_hub_listen(c->hub, port, err);
}

size_t tracy_round(struct capture *c)
{
	struct tacho_error err;
	int n;

	if (!c->hub)
		return 0;
	/* Pass on the values that viewers have set. */
	struct tracy_peer p;
	uint32_t number, value;

	for (size_t i = 0; i < tracy_hub_peers(c->hub); i++) {
		tracy_hub_peer(c->hub, i, &p);
		while (p.state == TRACY_PEER_RECORDING &&
		       ring_parameter_take(c->session.control, p.pid, &number, &value))
			tracy_hub_set_parameter(c->hub, p.pid, number, (int32_t)value);
	}
	n = tracy_hub_round(c->hub, 0, &err);

	if (n < 0)
		capture_error(c, n);
	return n > 0 ? (size_t)n : 0;
}

void tracy_checkpoint(struct capture *c)
{
	if (c->hub)
		tracy_hub_count(c->hub);
}

void tracy_finish(struct capture *c)
{
	struct tacho_error err;
	struct tracy_peer p;

	if (!c->hub)
		return;
	tracy_hub_stop(c->hub);
	while (tracy_hub_recording(c->hub) && tracy_hub_round(c->hub, 50, &err) >= 0)
		;
	for (size_t i = 0; i < tracy_hub_peers(c->hub); i++) {
		tracy_hub_peer(c->hub, i, &p);
		c->sum.processes += p.protocol != 0;
	}
	capture_error(c, tracy_hub_close(c->hub));
	c->hub = NULL;
}
