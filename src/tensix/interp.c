/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threaded interpreter. interp_loop.h is its body, compiled twice: plain, and with a call
 * before each instruction for "tacho device trace", so that other runs do not pay for tracing.
 */
#include "tensix/private.h"

#include <string.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static unsigned div_cycles(uint32_t a, uint32_t b)
{
	unsigned cycles;

	if (!b || a < b)
		return 2;
	cycles = 6u + (unsigned)(__builtin_clz(b) - __builtin_clz(a));
	return cycles > 33 ? 33 : cycles;
}

static uint32_t interp_magnitude(uint32_t a)
{
	return a & 0x80000000u ? 0u - a : a;
}

/* After an access to a register. False: the RISC has stopped, or waits at this instruction. */
static bool goes_on(struct tensix_hart *h, enum mmio_result result, uint32_t address)
{
	switch (result) {
	case MMIO_OK:
		return true;
	case MMIO_BLOCK:
		h->watches = 0;
		h->watch_registers = true;
		h->watch_register = address;
		h->period = 0;
		hart_sleep(h);
		return false;
	case MMIO_LATER:
		return false;
	default:
		hart_fault(h, TENSIX_FAULT_WILD, address);
		return false;
	}
}

/* An access that is neither to L1 nor to local RAM, or not aligned. */
static bool slow_load(struct tensix_hart *h, uint32_t address, unsigned size, uint32_t *value,
		      unsigned *latency)
{
	if (address & (size - 1)) {
		hart_fault(h, TENSIX_FAULT_MISALIGNED, address);
		return false;
	}
	return goes_on(h, mmio_load(h->core, h, address, size, &h->cycle, value, latency), address);
}

static bool slow_store(struct tensix_hart *h, uint32_t address, unsigned size, uint32_t value)
{
	if (address & (size - 1)) {
		hart_fault(h, TENSIX_FAULT_MISALIGNED, address);
		return false;
	}
	h->effects++;
	return goes_on(h, mmio_store(h->core, h, address, size, &h->cycle, value), address);
}

static void trace_call(struct tensix_hart *h, uint32_t pc, uint64_t cycle)
{
	struct tensix *t = h->core->dev;
	const uint8_t *text = code_text(h, pc);
	uint32_t word = 0;

	if (text)
		memcpy(&word, text, 4);
	t->trace(t->trace_context, h->core->number, h->risc, cycle, pc, word);
}

#define RUN_NAME run_plain
#define RUN_TRACE(pc, cycle)
#include "tensix/interp_loop.h"
#undef RUN_NAME
#undef RUN_TRACE

#define RUN_NAME             run_traced
#define RUN_TRACE(pc, cycle) trace_call(h, pc, cycle)
#include "tensix/interp_loop.h"

void rv32_run(struct tensix_hart *h, uint64_t limit)
{
	if (UNLIKELY(h->core->dev->trace))
		run_traced(h, limit);
	else
		run_plain(h, limit);
}
