/* SPDX-License-Identifier: Apache-2.0 */
/* The software device as a struct tacho_device_ops. */
#include "device/device.h"

#include "clock/clock.h"
#include "tensix/tensix.h"

#include <pthread.h>
#include <string.h>

static void be_close(void *self)
{
	tensix_free(self);
}

void backend_shape(void *self, struct tacho_device_shape *shape)
{
	const struct arch *a = tensix_arch(self);

	*shape = (struct tacho_device_shape){
		.arch = a->name,
		.cores = tensix_cores(self),
		.dram_banks = a->dram_banks,
		.dram_bank_size = a->dram_size,
		.dram_alignment = a->dram_alignment,
		.l1_size = a->l1_size,
		.mailbox = a->mailbox,
		.niu_stride = a->niu_stride,
		.packet_bytes = a->packet_bytes,
		.mhz = a->mhz,
		.dram_gbs = a->dram_bytes_per_cycle * a->dram_banks * a->mhz / 1000,
		.modelled = 1,
	};
	memcpy(shape->local_size, a->local_size, sizeof(shape->local_size));
	tensix_grid(self, &shape->columns, &shape->rows);
}

int backend_core(void *self, unsigned core, struct tacho_device_core *info)
{
	const struct arch *a = tensix_arch(self);
	struct tensix_place p;

	if (core >= tensix_cores(self))
		return TACHO_ELIMIT;
	tensix_place(self, core, &p);
	*info = (struct tacho_device_core){
		.ethernet = p.tile == TENSIX_ETHERNET,
		.x = p.x,
		.y = p.y,
		.logical_x = p.logical_x,
		.logical_y = p.logical_y,
		.riscs = p.riscs,
		.l1_size = p.tile == TENSIX_ETHERNET ? a->ethernet_l1_size : a->l1_size,
	};
	return 0;
}

void backend_bank(void *self, unsigned bank, struct tacho_device_bank *info)
{
	struct arch_xy port;
	uint64_t offset;

	tensix_bank(self, bank, &port, &offset);
	*info = (struct tacho_device_bank){port.x, port.y, offset};
}

static int be_read(void *self, unsigned core, uint32_t address, void *data, size_t len)
{
	return tensix_read(self, core, address, data, len);
}

static int be_write(void *self, unsigned core, uint32_t address, const void *data, size_t len)
{
	return tensix_write(self, core, address, data, len);
}

static int be_dram_read(void *self, unsigned bank, uint64_t address, void *data, size_t len)
{
	return tensix_dram_read(self, bank, address, data, len);
}

static int be_dram_write(void *self, unsigned bank, uint64_t address, const void *data, size_t len)
{
	return tensix_dram_write(self, bank, address, data, len);
}

static enum tacho_device_stop be_run(void *self, uint64_t cycles)
{
	switch (tensix_run(self, cycles)) {
	case TENSIX_IDLE:
		return TACHO_STOP_IDLE;
	case TENSIX_LIMIT:
		return TACHO_STOP_LIMIT;
	default:
		return TACHO_STOP_FAULT;
	}
}

static uint64_t be_cycles(void *self)
{
	return tensix_now(self);
}

static int be_risc(void *self, unsigned core, unsigned risc, struct tacho_device_risc *info)
{
	struct tensix_hart_info h;
	int r = tensix_hart(self, core, risc, &h);

	if (r < 0)
		return r;
	*info = (struct tacho_device_risc){
		.running = h.state == TENSIX_RUNNING,
		.waiting = h.state == TENSIX_WAITING,
		.stopped = h.state == TENSIX_STOPPED,
		.core = core,
		.risc = risc,
		.pc = h.pc,
		.address = h.watched,
		.cycle = h.cycle,
	};
	memcpy(info->x, h.x, sizeof(info->x));
	return 0;
}

static int be_fault(void *self, struct tacho_device_risc *info)
{
	static _Thread_local char reason[160];
	struct tensix_fault f;

	if (!tensix_fault(self, &f, true))
		return 0;
	*info = (struct tacho_device_risc){
		.stopped = 1,
		.reason = tensix_fault_text(&f, reason, sizeof(reason)),
		.core = f.core,
		.risc = f.risc,
		.pc = f.pc,
		.word = f.word,
		.address = f.address,
		.cycle = f.cycle,
	};
	memcpy(info->x, f.x, sizeof(info->x));
	return 1;
}

/*
 * ---- the host's clock ----
 *
 * Device time advances only while a thread runs the device, and then at the speed of this machine,
 * not of the device. So device time is compared with the clock of an imaginary host that is as fast
 * as the device claims to be: true cycles, converted to ticks of this machine's counter.
 */
static double tick_rate;
static pthread_once_t tick_once = PTHREAD_ONCE_INIT;

static void measure_rate(void)
{
	tick_rate = clock_measure_rate(5);
}

double backend_tick_rate(void)
{
	pthread_once(&tick_once, measure_rate);
	return tick_rate;
}

static uint64_t ticks_at(void *self, uint64_t cycle)
{
	double per_cycle = backend_tick_rate() / 1e6 / tensix_arch(self)->mhz;

	return (uint64_t)((double)cycle * per_cycle + 0.5);
}

static int be_timed_read(void *self, unsigned core, uint32_t address, uint32_t *word,
			 uint64_t *before, uint64_t *after)
{
	int r = tensix_bus_read(self, core, address, word, before, after);

	*before = ticks_at(self, *before);
	*after = ticks_at(self, *after);
	return r;
}

static int be_timed_write(void *self, unsigned core, uint32_t address, uint32_t word,
			  uint64_t *before, uint64_t *after)
{
	int r = tensix_bus_write(self, core, address, word, before, after);

	*before = ticks_at(self, *before);
	*after = ticks_at(self, *after);
	return r;
}

static uint64_t be_host_ticks(void *self)
{
	return ticks_at(self, tensix_now(self));
}

static void be_pause(void *self, uint64_t ns)
{
	tensix_run_until(self, tensix_now(self) + ns * tensix_arch(self)->mhz / 1000);
}

static int be_link(void *self, unsigned core, void *other, unsigned other_core)
{
	return tensix_link(self, core, other, other_core);
}

static void be_delay(void *self, unsigned core, unsigned risc, unsigned kind, uint32_t cycles)
{
	tensix_noc_delay(self, core, risc, (enum tensix_transfer)kind, cycles);
}

static void be_stack_end(void *self, unsigned core, unsigned risc, uint32_t end)
{
	tensix_stack_end(self, core, risc, end);
}

static const struct tacho_device_ops ops_tensix = {
	.close = be_close,
	.shape = backend_shape,
	.core = backend_core,
	.bank = backend_bank,
	.read = be_read,
	.write = be_write,
	.dram_read = be_dram_read,
	.dram_write = be_dram_write,
	.run = be_run,
	.cycles = be_cycles,
	.risc = be_risc,
	.fault = be_fault,
	.timed_read = be_timed_read,
	.timed_write = be_timed_write,
	.host_ticks = be_host_ticks,
	.pause = be_pause,
	.delay = be_delay,
	.link = be_link,
	.stack_end = be_stack_end,
};

unsigned tacho_tile_cycles(const char *op, enum tacho_fidelity fidelity)
{
	static const unsigned phases[] = {
		[TACHO_LOFI] = 1, [TACHO_HIFI2] = 2, [TACHO_HIFI3] = 3, [TACHO_HIFI4] = 4};

	return fidelity <= TACHO_HIFI3 ? tensix_tile_cycles(op, phases[fidelity]) : 0;
}

int backend_tensix(const struct tacho_device_ops **ops, void **self,
		   const struct tacho_device_options *options, unsigned number)
{
	struct tensix_config config = {
		.arch = options->arch,
		.cores = options->cores,
		.seed = options->seed,
		.number = number,
	};
	struct tensix *t;
	int r = tensix_new(&t, &config, device_error());

	if (r < 0)
		return r;
	*ops = &ops_tensix;
	*self = t;
	return 0;
}
