/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic on the links of the on-chip network. A transfer goes along X, then along Y; NoC 0 right
 * and down, NoC 1 left and up, both around the edges. What is read travels from its target to the
 * core on the same network. A multicast takes each link once.
 */
#include "base/arch.h"
#include "base/jread.h"
#include "op/noc.h"
#include "view/call_args.h"
#include "view/device_clock.h"

#include <string.h>

enum noc_use { NOC_READ, NOC_WRITE };
enum noc_kind {
	NOC_OTHER = 1 << 0,
	NOC_IS_READ = 1 << 1,
	NOC_SETS = 1 << 2,  /* sets the target of later transfers, transfers nothing */
	NOC_KEEPS = 1 << 3, /* goes to the target that was set */
	NOC_SPREADS = 1 << 4,
};

/* Bytes by [network][y][x][along Y][use]. */
#define LINK(n, noc, x, y, along_y)                                                               \
	(&(n)->links[((((size_t)(noc) * (n)->height + (y)) * (n)->width + (x)) * 2 + (along_y)) * \
		     2])

struct noc_links {
	struct view_call *c;
	uint32_t device;
	const struct arch *arch;
	unsigned width, height;
	uint64_t *links;
	uint8_t *kinds;               /* by source location: enum noc_kind, 0: no transfer */
	struct op_noc_word set[2][2]; /* target that a RISC set for a use, by network */
	uint64_t events, bytes[2], multicast, unrouted;
	uint64_t start, end; /* ticks of the first and the last transfer */
};

static int noc_kinds_find(struct noc_links *n)
{
	const struct trace *t = n->c->trace;

	n->kinds = calloc(t->srcloc_count + 1, 1);
	for (uint32_t i = 0; n->kinds && i < t->srcloc_count; i++) {
		const char *name = t->srclocs[i].name;

		if (strcmp(t->srclocs[i].function, "NOC"))
			continue;
		n->kinds[i] = NOC_OTHER;
		n->kinds[i] |= !strncmp(name, "READ", 4) ? NOC_IS_READ : 0;
		n->kinds[i] |= strstr(name, "SET_STATE") ? NOC_SETS : 0;
		n->kinds[i] |= strstr(name, "WITH_STATE") ? NOC_KEEPS : 0;
		n->kinds[i] |= op_noc_is_multicast(name) ? NOC_SPREADS : 0;
	}
	return n->kinds ? 0 : TACHO_ENOMEM;
}

static unsigned noc_hops(unsigned from, unsigned to, unsigned size, unsigned noc)
{
	return noc ? (from + size - to) % size : (to + size - from) % size;
}

/* Adds BYTES to the links of HOPS steps from X, Y on. */
static void noc_steps_add(struct noc_links *n, unsigned noc, unsigned x, unsigned y, bool along_y,
			  unsigned hops, uint64_t bytes, enum noc_use use)
{
	for (; hops; hops--) {
		unsigned *at = along_y ? &y : &x, size = along_y ? n->height : n->width;

		LINK(n, noc, x, y, along_y)[use] += bytes;
		*at = (*at + (noc ? size - 1 : 1)) % size;
	}
}

static void noc_route_add(struct noc_links *n, unsigned noc, struct arch_xy from, struct arch_xy to,
			  uint64_t bytes, enum noc_use use)
{
	noc_steps_add(n, noc, from.x, from.y, false, noc_hops(from.x, to.x, n->width, noc), bytes,
		      use);
	noc_steps_add(n, noc, to.x, from.y, true, noc_hops(from.y, to.y, n->height, noc), bytes,
		      use);
}

static unsigned unsigned_least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* To all cores of a rectangle: one path along X, from which each column branches off. */
static void noc_multicast_add(struct noc_links *n, const struct op_noc_word *w, struct arch_xy from)
{
	unsigned x0 = unsigned_least(w->x, w->end_x), x1 = w->x + w->end_x - x0, most_x = 0;
	unsigned y0 = unsigned_least(w->y, w->end_y), y1 = w->y + w->end_y - y0, most_y = 0;

	for (unsigned y = y0; y <= y1; y++) {
		unsigned hops = noc_hops(from.y, y, n->height, w->noc);

		most_y = hops > most_y ? hops : most_y;
	}
	for (unsigned x = x0; x <= x1; x++) {
		unsigned hops = noc_hops(from.x, x, n->width, w->noc);

		most_x = hops > most_x ? hops : most_x;
		noc_steps_add(n, w->noc, x, from.y, true, most_y, w->bytes, NOC_WRITE);
	}
	noc_steps_add(n, w->noc, from.x, from.y, false, most_x, w->bytes, NOC_WRITE);
}

static bool noc_is_inside(const struct noc_links *n, unsigned x, unsigned y)
{
	return x < n->width && y < n->height;
}

static void noc_transfer_add(struct noc_links *n, struct op_noc_word w, unsigned kind,
			     struct arch_xy core)
{
	enum noc_use use = kind & NOC_IS_READ ? NOC_READ : NOC_WRITE;
	struct op_noc_word *set = &n->set[w.noc][use];
	struct arch_xy other;

	if (kind & NOC_SETS) {
		*set = w;
		return;
	}
	if (kind & NOC_KEEPS) {
		w.x = set->x;
		w.y = set->y;
		w.bytes = w.bytes ? w.bytes : set->bytes;
	}
	n->events++;
	n->bytes[use] += w.bytes;
	other = (struct arch_xy){(uint8_t)w.x, (uint8_t)w.y};
	if (!noc_is_inside(n, w.x, w.y) || !noc_is_inside(n, core.x, core.y) ||
	    (kind & NOC_SPREADS && !noc_is_inside(n, w.end_x, w.end_y))) {
		n->unrouted += w.bytes;
	} else if (kind & NOC_SPREADS) {
		n->multicast += w.bytes;
		noc_multicast_add(n, &w, core);
	} else if (use == NOC_READ) {
		noc_route_add(n, w.noc, other, core, w.bytes, use);
	} else {
		noc_route_add(n, w.noc, core, other, w.bytes, use);
	}
}

/* The transfers of one RISC, in order of time: a target that it set is for its own later ones. */
static int noc_track_add(struct noc_links *n, uint32_t track, const struct core_place *place,
			 uint64_t t0, uint64_t t1)
{
	static const struct op_noc_word unknown = {.x = UINT32_MAX, .y = UINT32_MAX};
	struct trace_walk *walk;
	struct trace_zone zone;
	struct trace_extra e;
	uint32_t lane, steps = 0;
	int r = trace_walk_open(&walk, n->c->trace, track, t0, t1);

	for (int i = 0; i < 4; i++)
		n->set[i / 2][i % 2] = unknown;
	if (r < 0)
		return r;
	while ((r = trace_walk_next(walk, &zone, &lane)) > 0) {
		unsigned kind = n->kinds[zone.srcloc];

		if (++steps % (1u << 18) == 0 && call_gone(n->c))
			break;
		if (!kind || !zone.extras || zone.start < t0 ||
		    trace_cursor_extra(trace_walk_cursor(walk), 0, &e) < 0 ||
		    e.kind != TRACE_EXTRA_VALUE)
			continue;
		n->start = zone.start < n->start ? zone.start : n->start;
		n->end = zone.start > n->end ? zone.start : n->end;
		noc_transfer_add(n, op_noc_word((uint64_t)e.value), kind,
				 (struct arch_xy){(uint8_t)place->x, (uint8_t)place->y});
	}
	trace_walk_close(walk);
	return r < 0 ? r : 0;
}

/* The architecture that the device's description names; NULL: unknown. */
static const struct arch *noc_arch_find(struct noc_links *n, uint32_t process)
{
	const struct trace *t = n->c->trace;
	const struct jread_value *arch;
	const struct arch *found = NULL;
	struct jread reader = {0};
	const char *text;
	char key[64], name[32];

	snprintf(key, sizeof(key), "device %u of %u", n->device, t->processes[process].pid);
	text = trace_property(t, key);
	arch = text ? jread_get(jread_parse(&reader, text, strlen(text), NULL), "arch") : NULL;
	if (arch && arch->type == JREAD_STRING && arch->len < sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", (int)arch->len, arch->text);
		found = arch_find(name);
	}
	jread_free(&reader);
	return found;
}

/* For an unknown architecture only the bytes are known, not their routes. */
static int noc_size_find(struct noc_links *n, uint32_t process)
{
	if (n->links || process >= n->c->trace->process_count)
		return 0;
	n->arch = noc_arch_find(n, process);
	n->width = n->arch ? n->arch->noc_x : 0;
	n->height = n->arch ? n->arch->noc_y : 0;
	n->links = calloc((size_t)n->width * n->height * 8 + 1, sizeof(*n->links));
	return n->links ? 0 : TACHO_ENOMEM;
}

static int noc_links_fill(struct noc_links *n, uint64_t t0, uint64_t t1)
{
	const struct trace *t = n->c->trace;
	int r = noc_kinds_find(n);

	for (uint32_t i = 0; r == 0 && i < t->track_count; i++) {
		struct core_place place;

		if (!track_place(&t->tracks[i], &place) || place.device != n->device)
			continue;
		r = noc_size_find(n, t->tracks[i].process);
		if (r == 0)
			r = noc_track_add(n, i, &place, t0, t1);
	}
	return r;
}

static void noc_link_put(struct noc_links *n, unsigned noc, unsigned x, unsigned y, bool along_y)
{
	static const char *const directions[2][2] = {{"right", "down"}, {"left", "up"}};
	const uint64_t *bytes = LINK(n, noc, x, y, along_y);
	struct json *j = &n->c->json;

	if (!bytes[NOC_READ] && !bytes[NOC_WRITE])
		return;
	json_array(j, NULL);
	json_uint(j, NULL, x);
	json_uint(j, NULL, y);
	json_uint(j, NULL, noc);
	json_text(j, NULL, directions[noc][along_y]);
	json_uint(j, NULL, bytes[NOC_READ]);
	json_uint(j, NULL, bytes[NOC_WRITE]);
	json_end(j);
}

static void noc_links_put(struct noc_links *n)
{
	struct json *j = &n->c->json;
	double seconds =
		n->end > n->start ? (double)(n->end - n->start) * call_tick(n->c) / 1e9 : 0;

	call_begin(n->c);
	json_array(j, "size");
	json_uint(j, NULL, n->width);
	json_uint(j, NULL, n->height);
	json_end(j);
	json_uint(j, "events", n->events);
	json_uint(j, "read", n->bytes[NOC_READ]);
	json_uint(j, "write", n->bytes[NOC_WRITE]);
	json_uint(j, "multicast", n->multicast);
	json_uint(j, "unrouted", n->unrouted);
	if (n->arch && n->arch->flit_bytes)
		json_double(j, "capacity", seconds * n->arch->mhz * 1e6 * n->arch->flit_bytes);
	else
		json_null(j, "capacity");
	json_array(j, "links");
	for (unsigned at = 0; at < 2 * n->width * n->height; at++)
		for (unsigned along_y = 0; along_y < 2; along_y++)
			noc_link_put(n, at / (n->width * n->height), at % n->width,
				     at / n->width % n->height, along_y);
	json_end(j);
	json_end(j);
}

int call_noc(struct view_call *c)
{
	struct noc_links n = {.c = c, .start = UINT64_MAX};
	uint64_t t0, t1, device = 0;
	int r = arg_range(c, &t0, &t1);

	if (r == 0)
		r = arg_uint(c, "dev", 0xffff, &device);
	n.device = (uint32_t)device;
	if (r >= 0)
		r = noc_links_fill(&n, t0, t1);
	if (r == 0)
		noc_links_put(&n);
	free(n.links);
	free(n.kinds);
	return r;
}
