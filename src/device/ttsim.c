/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices of a simulator library with the C interface of Tenstorrent's libttsim.so, loaded at run
 * time. The library is a PCI device: BAR 0 has windows into the address spaces of the tiles and
 * registers that say which tile and addresses a window shows. libttsim_clock() advances time.
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
#define PCI_BAR0      0x10u
#define WINDOW_CONFIG 0x1fc00000u /* in BAR 0 */
#define WINDOW_STRICT 1u          /* order of accesses */
#define WINDOW_NONE   UINT64_MAX
#define REGISTERS     0xff000000u /* first address of a core's registers */

/*
 * The window of BAR 0 that is used, one per architecture. Wormhole describes a window by 64 bits:
 * the address without those inside of the window, x and y of the tile (6 bits each), those where a
 * multicast starts (12), and 2 bits of order after another 2. Blackhole has 96 bits, with 43 of
 * address.
 */
struct ttsim_window {
	uint32_t pci_id;
	const char *arch;
	uint32_t offset; /* in BAR 0 */
	unsigned number, config_bytes, bits;
};

static const struct ttsim_window windows[] = {
	{PCI_WORMHOLE, "wormhole_b0", 0xb000000, 166, 8, 24},
	{PCI_BLACKHOLE, "blackhole", 0, 0, 12, 21},
};

struct ttsim {
	void *library;
	struct tensix *places; /* never runs: it only provides coordinates */
	uint64_t cycles;
	bool begun;
	void (*init)(void);
	void (*exit)(void);
	void (*clock)(uint32_t cycles);
	uint32_t (*pci_config)(uint32_t device, uint32_t offset);
	void (*mem_read)(uint64_t address, void *data, uint32_t len);
	void (*mem_write)(uint64_t address, const void *data, uint32_t len);
	const struct ttsim_window *window;
	uint64_t bar, shown; /* of BAR 0; tile and first address of the window, or WINDOW_NONE */
	uint32_t shown_tile;
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

/* Maps ADDRESS of a tile into the window; returns its place there and limits LEN to the window. */
static uint64_t ttsim_show(struct ttsim *t, unsigned x, unsigned y, uint64_t address, size_t *len)
{
	const struct ttsim_window *w = t->window;
	uint64_t inside = address & ((1ull << w->bits) - 1), first = address >> w->bits;
	uint32_t tile = x | y << 6, config[3];

	if (*len > (1ull << w->bits) - inside)
		*len = (1ull << w->bits) - inside;
	if (t->shown != first || t->shown_tile != tile) {
		if (w->config_bytes == 8) {
			uint64_t all =
				first | (uint64_t)tile << 12 | (uint64_t)WINDOW_STRICT << (12 + 26);

			memcpy(config, &all, sizeof(all));
		} else {
			config[0] = (uint32_t)first;
			config[1] = (uint32_t)(first >> 32) | tile << 11;
			config[2] = WINDOW_STRICT << 6;
		}
		for (unsigned i = 0; i < w->config_bytes / 4; i++)
			t->mem_write(t->bar + WINDOW_CONFIG + w->number * w->config_bytes + 4 * i,
				     &config[i], 4);
		t->shown = first;
		t->shown_tile = tile;
	}
	return t->bar + w->offset + inside;
}

/* Registers are accessed by words, memory by any number of bytes. */
static void ttsim_transfer(struct ttsim *t, unsigned x, unsigned y, uint64_t address, void *in,
			   const void *out, size_t len, bool registers)
{
	for (size_t done = 0, n; done < len; done += n) {
		uint64_t at;

		n = registers ? 4 : len - done;
		at = ttsim_show(t, x, y, address + done, &n);
		if (in)
			t->mem_read(at, (char *)in + done, (uint32_t)n);
		else
			t->mem_write(at, (const char *)out + done, (uint32_t)n);
	}
}

static int ttsim_core_transfer(struct ttsim *t, unsigned core, uint32_t address, void *in,
			       const void *out, size_t len)
{
	struct tacho_device_core c;
	int r = backend_core(t->places, core, &c);
	bool registers;

	if (r < 0)
		return r;
	/* The simulator exits on an invalid address. */
	registers = address >= REGISTERS;
	if (registers ? (address | len) & 3 : address > c.l1_size || len > c.l1_size - address)
		return TACHO_ELIMIT;
	ttsim_transfer(t, c.x, c.y, address, in, out, len, registers);
	return 0;
}

static int ttsim_read(void *self, unsigned core, uint32_t address, void *data, size_t len)
{
	return ttsim_core_transfer(self, core, address, data, NULL, len);
}

static int ttsim_write(void *self, unsigned core, uint32_t address, const void *data, size_t len)
{
	return ttsim_core_transfer(self, core, address, NULL, data, len);
}

static int ttsim_dram_transfer(struct ttsim *t, unsigned bank, uint64_t address, void *in,
			       const void *out, size_t len)
{
	struct tacho_device_shape shape;
	struct tacho_device_bank b;

	backend_shape(t->places, &shape);
	if (address > shape.dram_bank_size || len > shape.dram_bank_size - address)
		return TACHO_ELIMIT;
	backend_bank(t->places, bank, &b);
	ttsim_transfer(t, b.x, b.y, b.offset + address, in, out, len, false);
	return 0;
}

static int ttsim_dram_read(void *self, unsigned bank, uint64_t address, void *data, size_t len)
{
	return ttsim_dram_transfer(self, bank, address, data, NULL, len);
}

static int ttsim_dram_write(void *self, unsigned bank, uint64_t address, const void *data,
			    size_t len)
{
	return ttsim_dram_transfer(self, bank, address, NULL, data, len);
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
		{"libttsim_pci_mem_rd_bytes", &t->mem_read},
		{"libttsim_pci_mem_wr_bytes", &t->mem_write},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *symbol = dlsym(t->library, wanted[i].name);

		if (!symbol)
			return device_fail(TACHO_EFORMAT, "%s is not a simulator: it has no %s",
					   path, wanted[i].name);
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

/* Finds the window by the PCI device, and the architecture unless the caller has given it. */
static int ttsim_begin(struct ttsim *t, const char **arch)
{
	uint32_t id;

	t->init();
	t->begun = true;
	id = t->pci_config(0, 0);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
		if (windows[i].pci_id == id)
			t->window = &windows[i];
	if (!t->window)
		return device_fail(TACHO_EFORMAT, "the simulator's PCI device %08x is not known",
				   id);
	t->bar = (uint64_t)t->pci_config(0, PCI_BAR0 + 4) << 32 |
		 (t->pci_config(0, PCI_BAR0) & ~0xfu);
	t->shown = WINDOW_NONE;
	if (!*arch)
		*arch = t->window->arch;
	/* Its NoC has registers of their own for coordinates, which kernels do not write. */
	if (!strcmp(*arch, "blackhole"))
		return device_fail(TACHO_EUSAGE,
				   "kernels cannot use the NoC of a simulated Blackhole; use the "
				   "software device or a Wormhole simulator");
	return 0;
}

int backend_ttsim(const struct tacho_device_ops **ops, void **self, const char *path,
		  const struct tacho_device_options *options)
{
	struct tensix_config config = {.arch = options->arch, .cores = options->cores};
	struct ttsim *t = calloc(1, sizeof(*t));
	int r = t ? ttsim_load(t, path) : device_fail(TACHO_ENOMEM, "no memory");

	if (r == 0)
		r = ttsim_begin(t, &config.arch);
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
