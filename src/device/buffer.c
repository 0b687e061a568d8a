/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers: pages spread over all banks, at the same addresses in each. L1 is allocated from its
 * end, DRAM from its start.
 */
#include "device/launch.h"
#include "tacho_layout.h"

#include <tacho/tacho.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tacho_buffer {
	struct tacho_device *device;
	enum tacho_memory memory;
	uint64_t size;
	uint64_t address, bank_size; /* in each bank */
	uint32_t page_size, stride;
	bool placed;                /* the caller owns the memory: do not free it */
	struct tacho_shards shards; /* bank_count 0: interleaved */
};

#define ALIGN        64u /* enough for the NoC and DRAM of all architectures */
#define L1_ALIGNMENT 16u

static unsigned buffer_banks(const struct tacho_device *d, enum tacho_memory memory)
{
	return memory == TACHO_DRAM ? d->shape.dram_banks : d->workers;
}

/* Takes SIZE bytes; false when no free range is large enough. */
static bool buffer_take(struct tacho_device *d, enum tacho_memory memory, bool from_top,
			uint64_t size, uint64_t *address)
{
	for (size_t i = 0; i < d->space[memory].n; i++) {
		size_t at = from_top ? d->space[memory].n - 1 - i : i;
		struct range_free *f = &d->space[memory].v[at];

		if (f->size < size)
			continue;
		f->size -= size;
		if (from_top) {
			*address = f->address + f->size;
		} else {
			*address = f->address;
			f->address += size;
		}
		return true;
	}
	return false;
}

/* Sorted by address; neighbours are merged. If the list cannot grow, only this range is lost. */
static void buffer_give(struct tacho_device *d, enum tacho_memory memory, uint64_t address,
			uint64_t size)
{
	struct range_free *v;
	size_t i, n;

	if (vec_push(&d->space[memory], ((struct range_free){address, size})) < 0)
		return;
	v = d->space[memory].v;
	n = d->space[memory].n;
	for (i = n - 1; i && v[i - 1].address > address; i--) {
		struct range_free t = v[i];

		v[i] = v[i - 1];
		v[i - 1] = t;
	}
	for (size_t k = i ? i - 1 : 0; k + 1 < n && k <= i;) {
		if (v[k].address + v[k].size != v[k + 1].address) {
			k++;
			continue;
		}
		v[k].size += v[k + 1].size;
		for (size_t j = k + 1; j + 1 < n; j++)
			v[j] = v[j + 1];
		n = --d->space[memory].n;
	}
}

/* Circular buffers may grow up to the lowest L1 buffer. */
static void update_top(struct tacho_device *d)
{
	d->l1_top = d->space[TACHO_L1].n && d->space[TACHO_L1].v[0].address == L1_FREE
			    ? (uint32_t)(L1_FREE + d->space[TACHO_L1].v[0].size)
			    : L1_FREE;
}

/* The memory pool of the recording; TT_METAL_MEM_PROFILER=1 enables it. */
static bool pool_name(const struct tacho_device *d, enum tacho_memory memory, char *name,
		      size_t size)
{
	if (!tacho_is_recording() || !env_number("TT_METAL_MEM_PROFILER", 0))
		return false;
	snprintf(name, size, "Device %u %s", d->number, memory == TACHO_L1 ? "L1" : "DRAM");
	return true;
}

static uint64_t up_to(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

static int shards_check(const struct tacho_device *d, const struct tacho_buffer_options *o)
{
	const struct tacho_shards *s = o->shards;
	uint64_t pages = (o->size + o->page_size - 1) / o->page_size;

	if (!s->rows || !s->columns || !s->shard_rows || !s->shard_columns || !s->bank_count)
		return device_fail(TACHO_EUSAGE, "a sharded buffer has pages, shards and banks");
	if ((uint64_t)s->rows * s->columns < pages)
		return device_fail(TACHO_EUSAGE,
				   "a sharded buffer of %llu pages is more than %u x %u",
				   (unsigned long long)pages, s->rows, s->columns);
	for (unsigned i = 0; i < s->bank_count; i++) {
		if (o->memory == TACHO_L1 &&
		    device_core_at(d, false, s->banks[i].x, s->banks[i].y) < 0)
			return TACHO_EUSAGE;
		if (o->memory == TACHO_DRAM && s->banks[i].x >= d->shape.dram_banks)
			return device_fail(TACHO_EUSAGE, "device %u has no DRAM bank %u", d->number,
					   s->banks[i].x);
	}
	return 0;
}

static uint64_t shard_count(const struct tacho_shards *s)
{
	return (uint64_t)((s->rows + s->shard_rows - 1) / s->shard_rows) *
	       ((s->columns + s->shard_columns - 1) / s->shard_columns);
}

static int buffer_check(const struct tacho_device *d, const struct tacho_buffer_options *o)
{
	if (o->memory != TACHO_DRAM && o->memory != TACHO_L1)
		return device_fail(TACHO_EUSAGE, "a buffer is in DRAM or in L1");
	if (!o->page_size || o->page_size % 4 || !o->size || o->size > 1ull << 40)
		return device_fail(
			TACHO_EUSAGE,
			"a buffer has some bytes in pages of a multiple of 4 bytes, not %u",
			o->page_size);
	return o->shards ? shards_check(d, o) : 0;
}

/* Pages in the fullest bank. */
static uint64_t bank_pages(const struct tacho_device *d, const struct tacho_buffer_options *o)
{
	const struct tacho_shards *s = o->shards;
	uint64_t pages = (o->size + o->page_size - 1) / o->page_size;
	unsigned n = buffer_banks(d, o->memory);

	if (!s)
		return (pages + n - 1) / n;
	return (shard_count(s) + s->bank_count - 1) / s->bank_count * s->shard_rows *
	       s->shard_columns;
}

static int buffer_place(struct tacho_buffer *b, const struct tacho_buffer_options *o)
{
	struct tacho_device *d = b->device;
	bool from_top = o->from_top ? o->from_top > 0 : b->memory == TACHO_L1;
	uint64_t end = b->memory == TACHO_L1 ? d->shape.l1_size : d->shape.dram_bank_size;

	b->placed = o->address != 0;
	b->address = o->address;
	if (b->placed ? b->address + b->bank_size <= end
		      : buffer_take(d, b->memory, from_top, b->bank_size, &b->address))
		return 0;
	return device_fail(TACHO_ELIMIT, "device %u has no room for %llu bytes of %s per bank",
			   d->number, (unsigned long long)b->bank_size,
			   b->memory == TACHO_L1 ? "L1" : "DRAM");
}

static int shards_copy(struct tacho_buffer *b, const struct tacho_shards *s)
{
	struct tacho_core *list;

	if (!s)
		return 0;
	list = calloc(s->bank_count, sizeof(*list));
	if (!list)
		return device_fail(TACHO_ENOMEM, "no memory");
	memcpy(list, s->banks, s->bank_count * sizeof(*list));
	b->shards = *s;
	b->shards.banks = list;
	return 0;
}

static void buffer_delete(struct tacho_buffer *b)
{
	free((void *)(uintptr_t)b->shards.banks);
	free(b);
}

int tacho_buffer_make(struct tacho_buffer **out, struct tacho_device *d,
		      const struct tacho_buffer_options *o)
{
	struct tacho_buffer *b;
	int r;
	char pool[40];

	TACHO_ZONE("tacho_buffer_new");
	DEVICE_HOLD(d);
	r = buffer_check(d, o);
	if (r < 0)
		return r;
	b = calloc(1, sizeof(*b));
	if (!b)
		return device_fail(TACHO_ENOMEM, "no memory");
	*b = (struct tacho_buffer){
		.device = d,
		.memory = o->memory,
		.size = o->size,
		.page_size = o->page_size,
		.stride = (uint32_t)up_to(o->page_size, o->memory == TACHO_DRAM
								? d->shape.dram_alignment
								: L1_ALIGNMENT),
	};
	b->bank_size = up_to(bank_pages(d, o) * b->stride, ALIGN);
	r = shards_copy(b, o->shards);
	if (r == 0)
		r = buffer_place(b, o);
	if (r < 0) {
		buffer_delete(b);
		return r;
	}
	update_top(d);
	/* The total with rounding: a buffer has the same address in each bank. */
	if (pool_name(b->device, b->memory, pool, sizeof(pool)))
		tacho_alloc(pool, (const void *)(uintptr_t)b->address,
			    b->bank_size * buffer_banks(b->device, b->memory));
	*out = b;
	return 0;
}

int tacho_buffer_new(struct tacho_buffer **out, struct tacho_device *d, enum tacho_memory memory,
		     uint64_t size, uint32_t page_size)
{
	return tacho_buffer_make(out, d,
				 &(struct tacho_buffer_options){
					 .memory = memory, .size = size, .page_size = page_size});
}

uint32_t tacho_buffer_stride(const struct tacho_buffer *b)
{
	return b->stride;
}

void tacho_buffer_free(struct tacho_buffer *b)
{
	char pool[40];

	if (!b)
		return;
	TACHO_ZONE("tacho_buffer_free");
	DEVICE_HOLD(b->device);
	if (pool_name(b->device, b->memory, pool, sizeof(pool)))
		tacho_free(pool, (const void *)(uintptr_t)b->address);
	if (!b->placed)
		buffer_give(b->device, b->memory, b->address, b->bank_size);
	update_top(b->device);
	buffer_delete(b);
}

uint32_t tacho_buffer_address(const struct tacho_buffer *b)
{
	return (uint32_t)b->address;
}

/* Finds the bank and address of a page. L1 banks are core numbers. */
static unsigned page_place(const struct tacho_buffer *b, uint64_t page, uint64_t *address)
{
	const struct tacho_device *d = b->device;
	const struct tacho_shards *s = &b->shards;
	unsigned n = buffer_banks(d, b->memory);
	uint32_t row, column, shard, across;
	const struct tacho_core *bank;

	if (!s->bank_count) {
		unsigned i = (unsigned)(page % n);

		*address = b->address + page / n * b->stride;
		if (b->memory == TACHO_DRAM)
			return i;
		return (unsigned)device_core_at(d, false, i % d->shape.columns,
						i / d->shape.columns);
	}
	row = (uint32_t)(page / s->columns);
	column = (uint32_t)(page % s->columns);
	across = (s->columns + s->shard_columns - 1) / s->shard_columns;
	shard = row / s->shard_rows * across + column / s->shard_columns;
	bank = &s->banks[shard % s->bank_count];
	*address =
		b->address +
		((uint64_t)shard / s->bank_count * s->shard_rows * s->shard_columns +
		 (uint64_t)(row % s->shard_rows) * s->shard_columns + column % s->shard_columns) *
			b->stride;
	return b->memory == TACHO_DRAM ? bank->x
				       : (unsigned)device_core_at(d, false, bank->x, bank->y);
}

static int move_page(struct tacho_buffer *b, uint64_t page, uint32_t within, void *to,
		     const void *from, size_t len)
{
	struct tacho_device *d = b->device;
	uint64_t address;
	unsigned bank = page_place(b, page, &address);

	address += within;
	if (b->memory == TACHO_DRAM)
		return from ? d->ops->dram_write(d->self, bank, address, from, len)
			    : d->ops->dram_read(d->self, bank, address, to, len);
	return from ? d->ops->write(d->self, bank, (uint32_t)address, from, len)
		    : d->ops->read(d->self, bank, (uint32_t)address, to, len);
}

static int buffer_move(struct tacho_buffer *b, uint64_t offset, void *to, const void *from,
		       uint64_t len)
{
	int r = device_wait(b->device);

	if (r < 0)
		return r;
	if (offset > b->size || len > b->size - offset)
		return device_fail(TACHO_EUSAGE,
				   "outside of the buffer: %llu bytes at %llu of %llu",
				   (unsigned long long)len, (unsigned long long)offset,
				   (unsigned long long)b->size);
	while (len) {
		uint32_t within = (uint32_t)(offset % b->page_size);
		size_t part = b->page_size - within < len ? b->page_size - within : (size_t)len;

		if (move_page(b, offset / b->page_size, within, to, from, part) < 0)
			return device_fail(TACHO_EINTERNAL, "a bank of device %u cannot be reached",
					   b->device->number);
		offset += part;
		len -= part;
		to = to ? (char *)to + part : NULL;
		from = from ? (const char *)from + part : NULL;
	}
	return 0;
}

int tacho_buffer_write(struct tacho_buffer *b, uint64_t offset, const void *data, uint64_t len)
{
	TACHO_ZONE("tacho_buffer_write");
	DEVICE_HOLD(b->device);
	return buffer_move(b, offset, NULL, data, len);
}

int tacho_buffer_read(struct tacho_buffer *b, uint64_t offset, void *data, uint64_t len)
{
	TACHO_ZONE("tacho_buffer_read");
	DEVICE_HOLD(b->device);
	return buffer_move(b, offset, data, NULL, len);
}

int tacho_core_write(struct tacho_device *d, struct tacho_core core, uint32_t address,
		     const void *data, size_t len)
{
	int i = device_core_at(d, false, core.x, core.y), r;

	TACHO_ZONE("tacho_core_write");
	DEVICE_HOLD(d);
	r = i < 0 ? i : device_wait(d);
	if (r == 0 && d->ops->write(d->self, (unsigned)i, address, data, len) < 0)
		r = device_fail(TACHO_EUSAGE, "no memory for %zu bytes at 0x%x of core %u,%u", len,
				address, core.x, core.y);
	return r;
}

int tacho_core_read(struct tacho_device *d, struct tacho_core core, uint32_t address, void *data,
		    size_t len)
{
	int i = device_core_at(d, false, core.x, core.y), r;

	TACHO_ZONE("tacho_core_read");
	DEVICE_HOLD(d);
	r = i < 0 ? i : device_wait(d);
	if (r == 0 && d->ops->read(d->self, (unsigned)i, address, data, len) < 0)
		r = device_fail(TACHO_EUSAGE, "no memory at 0x%x of core %u,%u", address, core.x,
				core.y);
	return r;
}

static int bank_move(struct tacho_device *d, unsigned bank, uint64_t address, void *to,
		     const void *from, size_t len)
{
	int r = device_wait(d);

	if (r < 0)
		return r;
	if (bank >= d->shape.dram_banks || address > d->shape.dram_bank_size ||
	    len > d->shape.dram_bank_size - address)
		return device_fail(TACHO_EUSAGE, "device %u has no %zu bytes at 0x%llx of bank %u",
				   d->number, len, (unsigned long long)address, bank);
	r = from ? d->ops->dram_write(d->self, bank, address, from, len)
		 : d->ops->dram_read(d->self, bank, address, to, len);
	return r < 0 ? device_fail(TACHO_EINTERNAL, "bank %u of device %u cannot be reached", bank,
				   d->number)
		     : 0;
}

int tacho_dram_write(struct tacho_device *d, unsigned bank, uint64_t address, const void *data,
		     size_t len)
{
	TACHO_ZONE("tacho_dram_write");
	DEVICE_HOLD(d);
	return bank_move(d, bank, address, NULL, data, len);
}

int tacho_dram_read(struct tacho_device *d, unsigned bank, uint64_t address, void *data, size_t len)
{
	TACHO_ZONE("tacho_dram_read");
	DEVICE_HOLD(d);
	return bank_move(d, bank, address, data, NULL, len);
}
