/* SPDX-License-Identifier: Apache-2.0 */
/* Circular buffers of a program: their properties and their place in L1. */
#include "device/program.h"
#include "tacho_layout.h"

static uint64_t cb_bytes(const struct tacho_cb *cb)
{
	return (uint64_t)cb->pages * cb->page_size;
}

/* An offset from the start of L1: the buffer itself may be freed before the next call. */
static uint32_t cb_offset(const struct tacho_cb *cb)
{
	return cb->buffer ? tacho_buffer_address(cb->buffer) + cb->offset : 0;
}

static int cb_check(const struct tacho_program *p, const struct tacho_cb *cb)
{
	if (cb->index >= MAX_CBS)
		return device_fail(TACHO_EUSAGE, "circular buffer %u: an index is below %u",
				   cb->index, MAX_CBS);
	if (!cb->pages || cb->pages > 0xffff || !cb->page_size || cb->page_size % 4)
		return device_fail(TACHO_EUSAGE,
				   "circular buffer %u: at most 65535 pages of a multiple of 4 "
				   "bytes, not %u of %u",
				   cb->index, cb->pages, cb->page_size);
	if (cb->shares > p->cbs.n)
		return device_fail(TACHO_EUSAGE,
				   "circular buffer %u: there is no number %u to share with",
				   cb->index, cb->shares - 1);
	if ((cb->tile_width != 16 && cb->tile_width != 32) || cb->tile_height > 32 ||
	    cb->tile_height & (cb->tile_height - 1))
		return device_fail(TACHO_EUSAGE,
				   "circular buffer %u: tiles of %u x %u, not of 1, 2, 4, 8, 16 "
				   "or 32 rows by 16 or 32 columns",
				   cb->index, cb->tile_height, cb->tile_width);
	return 0;
}

/* The end of the circular buffers below it on any of its cores. */
static uint64_t cb_floor(const struct tacho_program *p, size_t number)
{
	uint32_t align = p->device->shape.dram_alignment;
	const struct program_cb *cb = &p->cbs.v[number];
	uint64_t floor = L1_FREE;

	for (size_t i = 0; i < number; i++) {
		const struct program_cb *o = &p->cbs.v[i];
		uint64_t end = o->address + cb_bytes(&o->conf);

		if (o->conf.buffer || !core_set_meets(&cb->cores, &o->cores, NULL))
			continue;
		end = (end + align - 1) / align * align;
		if (end > floor)
			floor = end;
	}
	return floor;
}

static int cb_place(struct tacho_program *p, size_t number)
{
	struct program_cb *cb = &p->cbs.v[number];
	uint64_t address;

	if (cb->conf.buffer)
		address = cb->conf.offset;
	else if (cb->conf.shares)
		address = p->cbs.v[cb->conf.shares - 1].address;
	else
		address = cb_floor(p, number);
	if (address + cb_bytes(&cb->conf) > p->device->shape.l1_size)
		return device_fail(TACHO_ELIMIT,
				   "circular buffer %u does not fit into L1: %llu bytes at 0x%llx "
				   "of 0x%x",
				   cb->conf.index, (unsigned long long)cb_bytes(&cb->conf),
				   (unsigned long long)address, p->device->shape.l1_size);
	cb->address = (uint32_t)address;
	return 0;
}

int cbs_check(const struct tacho_program *p)
{
	for (size_t i = 0; i < p->cbs.n; i++) {
		const struct program_cb *cb = &p->cbs.v[i];
		uint64_t end = cb->address + cb_bytes(&cb->conf);

		if (!cb->conf.buffer && end > p->device->l1_top)
			return device_fail(TACHO_ELIMIT,
					   "circular buffer %u does not fit into L1: it ends at "
					   "0x%llx, and buffers begin at 0x%x",
					   cb->conf.index, (unsigned long long)end,
					   p->device->l1_top);
	}
	return 0;
}

void cbs_free(struct tacho_program *p)
{
	for (size_t i = 0; i < p->cbs.n; i++)
		vec_free(&p->cbs.v[i].cores);
	vec_free(&p->cbs);
}

int tacho_program_cb(struct tacho_program *p, const struct tacho_cb *cb)
{
	struct program_cb c = {.conf = *cb};
	struct tacho_core at;
	int r;

	c.conf.ranges = NULL;
	c.conf.offset = cb_offset(cb);
	c.conf.tile_height = cb->tile_height ? cb->tile_height : 32;
	c.conf.tile_width = cb->tile_width ? cb->tile_width : 32;
	DEVICE_HOLD(p->device);
	r = cb_check(p, &c.conf);
	if (r == 0)
		r = core_set_make(&c.cores, p->device, false, cb->ranges, cb->range_count,
				  &cb->cores);
	for (size_t i = 0; r == 0 && i < p->cbs.n; i++)
		if (p->cbs.v[i].conf.index == cb->index &&
		    core_set_meets(&p->cbs.v[i].cores, &c.cores, &at))
			r = device_fail(TACHO_EUSAGE,
					"circular buffer %u is there already on core %u,%u",
					cb->index, at.x, at.y);
	if (r == 0 && vec_push(&p->cbs, c) < 0)
		r = device_fail(TACHO_ENOMEM, "no memory");
	if (r < 0) {
		vec_free(&c.cores);
		return r;
	}
	r = cb_place(p, p->cbs.n - 1);
	if (r == 0)
		r = cbs_check(p);
	if (r < 0) {
		p->cbs.n--;
		vec_free(&c.cores);
		return r;
	}
	p->compiled = false;
	return (int)p->cbs.n - 1;
}

int tacho_program_cb_change(struct tacho_program *p, int number, const struct tacho_cb *cb)
{
	struct tacho_cb before, next = *cb;
	int r = 0;

	DEVICE_HOLD(p->device);
	if (number < 0 || (size_t)number >= p->cbs.n)
		return device_fail(TACHO_EUSAGE, "the program has no circular buffer %d", number);
	before = p->cbs.v[number].conf;
	next.tile_height = before.tile_height; /* a change leaves the tiles as they are */
	next.tile_width = before.tile_width;
	r = cb_check(p, &next);
	if (r < 0)
		return r;
	p->cbs.v[number].conf.pages = cb->pages;
	p->cbs.v[number].conf.page_size = cb->page_size;
	p->cbs.v[number].conf.buffer = cb->buffer;
	p->cbs.v[number].conf.offset = cb_offset(cb);
	for (size_t i = (size_t)number; r == 0 && i < p->cbs.n; i++)
		r = cb_place(p, i);
	if (r == 0)
		return 0;
	p->cbs.v[number].conf = before;
	for (size_t i = (size_t)number; i < p->cbs.n; i++)
		cb_place(p, i);
	return r;
}
