/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices of a simulator library with the C interface of Tenstorrent's libttsim.so, loaded at run
 * time: tiles are read and written by their NoC coordinates, and libttsim_clock() advances time.
 * The simulator does not list its cores or DRAM, so these follow the architecture.
 */
#include "device/device.h"

#include "tensix/tensix.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_STEP    10000u /* cycles per call, so that signals are noticed */
#define PCI_WORMHOLE  0x401e1e52u
#define PCI_BLACKHOLE 0xb1401e52u

struct ttsim {
	void *library;
	struct tensix *places; /* never runs: it only provides coordinates */
	uint64_t cycles;
	bool begun;
	void (*init)(void);
	void (*exit)(void);
	void (*clock)(uint32_t cycles);
	uint32_t (*pci_config)(uint32_t device, uint32_t offset);
	void (*tile_read)(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t len);
	void (*tile_write)(uint32_t x, uint32_t y, uint64_t address, const void *data,
			   uint32_t len);
};

/* The library has one device per process. */
static bool ttsim_taken;
static pthread_mutex_t ttsim_lock =
	PTHREAD_MUTEX_INITIALIZER; /* of it; never held with another lock */

/* Acquires the simulator, unless it is in use; or releases it. */
static bool ttsim_take(bool take)
{
	bool done;

	pthread_mutex_lock(&ttsim_lock);
	done = ttsim_taken != take;
	ttsim_taken = take;
	pthread_mutex_unlock(&ttsim_lock);
	return done;
}

static void ttsim_close(void *self)
{
	struct ttsim *t = self;

	if (t->begun)
		t->exit();
	if (t->library) {
		dlclose(t->library);
		ttsim_take(false);
	}
	tensix_free(t->places);
	free(t);
}

static void ttsim_shape(void *self, struct tacho_device_shape *shape)
{
	backend_shape(((struct ttsim *)self)->places, shape);
}

static int ttsim_core(void *self, unsigned core, struct tacho_device_core *info)
{
	return backend_core(((struct ttsim *)self)->places, core, info);
}

static void ttsim_bank(void *self, unsigned bank, struct tacho_device_bank *info)
{
	backend_bank(((struct ttsim *)self)->places, bank, info);
}

static int ttsim_read(void *self, unsigned core, uint32_t address, void *data, size_t len)
{
	struct ttsim *t = self;
	struct tacho_device_core c;
	int r = backend_core(t->places, core, &c);

	if (r == 0)
		t->tile_read(c.x, c.y, address, data, (uint32_t)len);
	return r;
}

static int ttsim_write(void *self, unsigned core, uint32_t address, const void *data, size_t len)
{
	struct ttsim *t = self;
	struct tacho_device_core c;
	int r = backend_core(t->places, core, &c);

	if (r == 0)
		t->tile_write(c.x, c.y, address, data, (uint32_t)len);
	return r;
}

static int ttsim_dram_read(void *self, unsigned bank, uint64_t address, void *data, size_t len)
{
	struct ttsim *t = self;
	struct tacho_device_bank b;

	backend_bank(t->places, bank, &b);
	t->tile_read(b.x, b.y, b.offset + address, data, (uint32_t)len);
	return 0;
}

static int ttsim_dram_write(void *self, unsigned bank, uint64_t address, const void *data,
			    size_t len)
{
	struct ttsim *t = self;
	struct tacho_device_bank b;

	backend_bank(t->places, bank, &b);
	t->tile_write(b.x, b.y, b.offset + address, data, (uint32_t)len);
	return 0;
}

/* The simulator does not report that all cores wait, so it never counts as idle. */
static enum tacho_device_stop ttsim_run(void *self, uint64_t cycles)
{
	struct ttsim *t = self;
	uint32_t step = cycles < CLOCK_STEP ? (uint32_t)cycles : CLOCK_STEP;

	t->clock(step);
	t->cycles += step;
	return TACHO_STOP_LIMIT;
}

static uint64_t ttsim_cycles(void *self)
{
	return ((struct ttsim *)self)->cycles;
}

static int ttsim_risc(void *self, unsigned core, unsigned risc, struct tacho_device_risc *info)
{
	(void)self;
	*info = (struct tacho_device_risc){.core = core, .risc = risc};
	return 0;
}

static int ttsim_fault(void *self, struct tacho_device_risc *info)
{
	(void)self;
	(void)info;
	return 0; /* the simulator ends the process by itself */
}

/* Its time advances only when it is clocked, and so does the host time that it is compared with. */
static uint64_t ttsim_host_ticks(void *self)
{
	struct ttsim *t = self;
	struct tacho_device_shape shape;

	backend_shape(t->places, &shape);
	return (uint64_t)((double)t->cycles * backend_tick_rate() / 1e6 / shape.mhz + 0.5);
}

static int ttsim_timed_read(void *self, unsigned core, uint32_t address, uint32_t *word,
			    uint64_t *before, uint64_t *after)
{
	*before = *after = ttsim_host_ticks(self);
	return ttsim_read(self, core, address, word, 4);
}

static int ttsim_timed_write(void *self, unsigned core, uint32_t address, uint32_t word,
			     uint64_t *before, uint64_t *after)
{
	*before = *after = ttsim_host_ticks(self);
	return ttsim_write(self, core, address, &word, 4);
}

static void ttsim_pause(void *self, uint64_t ns)
{
	struct ttsim *t = self;
	struct tacho_device_shape shape;
	uint64_t end;

	backend_shape(t->places, &shape);
	for (end = t->cycles + ns * shape.mhz / 1000; t->cycles < end;)
		ttsim_run(self, end - t->cycles);
}

static const struct tacho_device_ops ops_ttsim = {
	.close = ttsim_close,
	.shape = ttsim_shape,
	.core = ttsim_core,
	.bank = ttsim_bank,
	.read = ttsim_read,
	.write = ttsim_write,
	.dram_read = ttsim_dram_read,
	.dram_write = ttsim_dram_write,
	.run = ttsim_run,
	.cycles = ttsim_cycles,
	.risc = ttsim_risc,
	.fault = ttsim_fault,
	.timed_read = ttsim_timed_read,
	.timed_write = ttsim_timed_write,
	.host_ticks = ttsim_host_ticks,
	.pause = ttsim_pause,
};

static int ttsim_symbols(struct ttsim *t, const char *path)
{
	const struct {
		const char *name;
		void *at;
	} wanted[] = {
		{"libttsim_init", &t->init},
		{"libttsim_exit", &t->exit},
		{"libttsim_clock", &t->clock},
		{"libttsim_pci_config_rd32", &t->pci_config},
		{"libttsim_tile_rd_bytes", &t->tile_read},
		{"libttsim_tile_wr_bytes", &t->tile_write},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *symbol = dlsym(t->library, wanted[i].name);

		if (!symbol)
			return device_fail(TACHO_EFORMAT, "%s is no simulator: it has no %s", path,
					   wanted[i].name);
		memcpy(wanted[i].at, &symbol, sizeof(symbol));
	}
	return 0;
}

static int ttsim_load(struct ttsim *t, const char *path)
{
	if (!ttsim_take(true))
		return device_fail(TACHO_EUSAGE, "%s: a simulator has one device, which is open",
				   path);
	t->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (t->library)
		return ttsim_symbols(t, path);
	ttsim_take(false);
	return device_fail(TACHO_EREAD, "cannot load the simulator: %s", dlerror());
}

/* The simulated architecture, when the caller has not given it. */
static int ttsim_arch(const struct ttsim *t, const char **arch)
{
	uint32_t id = t->pci_config(0, 0);

	if (*arch)
		return 0;
	if (id != PCI_WORMHOLE && id != PCI_BLACKHOLE)
		return device_fail(TACHO_EFORMAT, "the simulator's PCI device %08x is not known",
				   id);
	*arch = id == PCI_BLACKHOLE ? "blackhole" : "wormhole_b0";
	return 0;
}

int backend_ttsim(const struct tacho_device_ops **ops, void **self, const char *path,
		  const struct tacho_device_options *options)
{
	struct tensix_config config = {.arch = options->arch, .cores = options->cores};
	struct ttsim *t = calloc(1, sizeof(*t));
	int r = t ? ttsim_load(t, path) : device_fail(TACHO_ENOMEM, "no memory");

	if (r == 0) {
		t->init();
		t->begun = true;
		r = ttsim_arch(t, &config.arch);
	}
	if (r == 0)
		r = tensix_new(&t->places, &config, device_error());
	if (r < 0) {
		if (t)
			ttsim_close(t);
		return r;
	}
	*ops = &ops_ttsim;
	*self = t;
	return 0;
}
