/* Buffers: pages over all banks, the same addresses in each. L1 is given from its end, DRAM from
 * its start. */
#include "device/device.h"

#include "tacho_layout.h"
#include <tacho/tacho.h>

#include <stdio.h>
#include <stdlib.h>

struct tacho_buffer {
	struct tacho_device *device;
	enum tacho_memory memory;
	uint64_t size;
	uint64_t address, bank_size; /* in each bank */
	uint32_t page_size;
};

#define ALIGN 64u /* enough for the NoC and DRAM of all architectures */

static unsigned banks(const struct tacho_device *d, enum tacho_memory memory)
{
	return memory == TACHO_DRAM ? d->shape.dram_banks : d->workers;
}

/* Takes SIZE bytes; false when no free range is large enough. */
static bool take(struct tacho_device *d, enum tacho_memory memory, uint64_t size, uint64_t *address)
{
	for (size_t i = 0; i < d->space[memory].n; i++) {
		size_t at = memory == TACHO_L1 ? d->space[memory].n - 1 - i : i;
		struct range_free *f = &d->space[memory].v[at];

		if (f->size < size)
			continue;
		f->size -= size;
		if (memory == TACHO_L1) {
			*address = f->address + f->size;
		} else {
			*address = f->address;
			f->address += size;
		}
		return true;
	}
	return false;
}

/* Sorted by address; neighbours are joined. A failure to grow the list loses the range, no more. */
static void give(struct tacho_device *d, enum tacho_memory memory, uint64_t address, uint64_t size)
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

/* The pool of memory that the recording sees; TT_METAL_MEM_PROFILER=1 asks for it. */
static bool pool_name(const struct tacho_device *d, enum tacho_memory memory, char *name,
		      size_t size)
{
	if (!tacho_is_recording() || !env_number("TT_METAL_MEM_PROFILER", 0))
		return false;
	snprintf(name, size, "Device %u %s", d->number, memory == TACHO_L1 ? "L1" : "DRAM");
	return true;
}

/* All that it takes, with what is rounded up: a buffer has the same address in each bank. */
static void tell_new(const struct tacho_buffer *b)
{
	char pool[40];

	if (pool_name(b->device, b->memory, pool, sizeof(pool)))
		tacho_alloc(pool, (const void *)(uintptr_t)b->address,
			    b->bank_size * banks(b->device, b->memory));
}

static void tell_free(const struct tacho_buffer *b)
{
	char pool[40];

	if (pool_name(b->device, b->memory, pool, sizeof(pool)))
		tacho_free(pool, (const void *)(uintptr_t)b->address);
}

int tacho_buffer_new(struct tacho_buffer **out, struct tacho_device *d, enum tacho_memory memory,
		     uint64_t size, uint32_t page_size)
{
	struct tacho_buffer *b;
	uint64_t pages, per_bank;

	TACHO_ZONE("tacho_buffer_new");
	DEVICE_HOLD(d);
	if (memory != TACHO_DRAM && memory != TACHO_L1)
		return device_fail(TACHO_EUSAGE, "a buffer is in DRAM or in L1");
	if (!page_size || page_size % 16 || !size || size > 1ull << 40)
		return device_fail(TACHO_EUSAGE,
				   "a buffer has some bytes in pages of a multiple of 16 bytes");
	b = calloc(1, sizeof(*b));
	if (!b)
		return device_fail(TACHO_ENOMEM, "no memory");
	pages = (size + page_size - 1) / page_size;
	per_bank = (pages + banks(d, memory) - 1) / banks(d, memory) * page_size;
	*b = (struct tacho_buffer){
		.device = d,
		.memory = memory,
		.size = size,
		.bank_size = (per_bank + ALIGN - 1) / ALIGN * ALIGN,
		.page_size = page_size,
	};
	if (!take(d, memory, b->bank_size, &b->address)) {
		free(b);
		return device_fail(TACHO_ELIMIT,
				   "device %u has no room for %llu bytes of %s per bank", d->number,
				   (unsigned long long)per_bank,
				   memory == TACHO_L1 ? "L1" : "DRAM");
	}
	update_top(d);
	tell_new(b);
	*out = b;
	return 0;
}

void tacho_buffer_free(struct tacho_buffer *b)
{
	if (!b)
		return;
	TACHO_ZONE("tacho_buffer_free");
	DEVICE_HOLD(b->device);
	tell_free(b);
	give(b->device, b->memory, b->address, b->bank_size);
	update_top(b->device);
	free(b);
}

uint32_t tacho_buffer_address(const struct tacho_buffer *b)
{
	return (uint32_t)b->address;
}

static int move_page(struct tacho_buffer *b, uint64_t page, uint32_t within, void *to,
		     const void *from, size_t len)
{
	struct tacho_device *d = b->device;
	unsigned n = banks(d, b->memory), bank = (unsigned)(page % n);
	uint64_t address = b->address + page / n * b->page_size + within;
	int core;

	if (b->memory == TACHO_DRAM)
		return from ? d->ops->dram_write(d->self, bank, address, from, len)
			    : d->ops->dram_read(d->self, bank, address, to, len);
	core = device_core_at(d, false, bank % d->shape.columns, bank / d->shape.columns);
	if (core < 0)
		return core;
	return from ? d->ops->write(d->self, (unsigned)core, (uint32_t)address, from, len)
		    : d->ops->read(d->self, (unsigned)core, (uint32_t)address, to, len);
}

static int move(struct tacho_buffer *b, uint64_t offset, void *to, const void *from, uint64_t len)
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
	return move(b, offset, NULL, data, len);
}

int tacho_buffer_read(struct tacho_buffer *b, uint64_t offset, void *data, uint64_t len)
{
	TACHO_ZONE("tacho_buffer_read");
	DEVICE_HOLD(b->device);
	return move(b, offset, data, NULL, len);
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
