/* SPDX-License-Identifier: Apache-2.0 */
/* The device as a whole: create it, access its memory, inspect it. */
#include "tensix/private.h"

#include "base/buf.h"
#include "base/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int tensix_grid_place(struct tensix *t, struct tacho_error *err)
{
	const struct arch *a = t->arch;
	unsigned cores = t->config.cores ? t->config.cores : a->core_choices[0];

	t->columns = a->worker_columns;
	t->rows = a->worker_rows;
	if (a->harvest_columns)
		t->columns = cores / a->worker_rows;
	else
		t->rows = cores / a->worker_columns;
	if (!t->columns || !t->rows || t->columns > a->worker_columns || t->rows > a->worker_rows ||
	    t->columns * t->rows != cores)
		return err_set(err, TACHO_EUSAGE, "%s cannot have %u cores: whole %s only", a->name,
			       cores, a->harvest_columns ? "columns" : "rows");
	return 0;
}

ORDER_BY(tensix_compare, struct tensix_core, ORDER_UP(place.x) ?: ORDER_UP(place.y));

/* Lists the cores in the order of their coordinates and assigns their memory. */
static int tensix_populate(struct tensix *t)
{
	const struct arch *a = t->arch;
	unsigned n = 0;

	for (unsigned y = 0; y < t->rows; y++)
		for (unsigned x = 0; x < t->columns; x++)
			t->cores[n++].place = (struct tensix_place){TENSIX_WORKER,
								    (uint8_t)a->worker_x[x],
								    (uint8_t)a->worker_y[y],
								    (uint8_t)x,
								    (uint8_t)y,
								    TENSIX_RISCS};
	for (unsigned i = 0; i < a->ethernet_count; i++)
		t->cores[n++].place = (struct tensix_place){
			TENSIX_ETHERNET, a->ethernet[i].x, a->ethernet[i].y, (uint8_t)i, 0, 1};
	qsort(t->cores, n, sizeof(t->cores[0]), tensix_compare);
	t->memory_size = (size_t)n * a->l1_size;
	t->memory = mmap(NULL, t->memory_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t->memory == MAP_FAILED) {
		t->memory = NULL;
		return TACHO_ENOMEM;
	}
	for (unsigned i = 0; i < n; i++) {
		struct tensix_core *c = &t->cores[i];

		c->number = (uint16_t)i;
		c->harts = c->place.riscs;
		c->l1 = t->memory + (size_t)i * a->l1_size;
		c->l1_size = c->place.tile == TENSIX_WORKER ? a->l1_size : a->ethernet_l1_size;
		t->node_core[noc_node(t, c->place.x, c->place.y)] = (int16_t)i;
		if (core_init(t, c) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static int no_arch(const char *name, struct tacho_error *err)
{
	struct buf names = BUF_INIT;
	int r;

	for (unsigned i = 0; tensix_arch_at(i); i++)
		buf_addf(&names, "%s%s", i ? ", " : "", tensix_arch_at(i)->name);
	r = err_set(err, TACHO_EUSAGE, "no architecture is called '%s'; there are: %s", name,
		    names.data);
	buf_free(&names);
	return r;
}

const struct arch *tensix_arch_at(unsigned i)
{
	const struct arch *a = arch_at(i);

	return a && a->noc_x ? a : NULL;
}

int tensix_new(struct tensix **out, const struct tensix_config *config, struct tacho_error *err)
{
	const char *name = config->arch ? config->arch : "wormhole_b0";
	struct tensix *t = calloc(1, sizeof(*t));
	int r;
	const struct arch *a;
	unsigned group_tiles;

	if (!t)
		return err_set(err, TACHO_ENOMEM, "no memory for a device");
	t->config = *config;
	t->mesh_next = t;
	if (!t->config.dram_latency)
		t->config.dram_latency = 100;
	t->random = config->seed * 2 + 1;
	t->window = TENSIX_WINDOW;
	mmio_init(t);
	tensix_set_bus(
		t, &(struct tensix_bus){.latency_ns = 450, .jitter_ns = 120, .seed = config->seed});
	memset(t->node_core, -1, sizeof(t->node_core));
	memset(t->node_group, -1, sizeof(t->node_group));
	t->arch = arch_find(name);
	r = t->arch && t->arch->noc_x ? tensix_grid_place(t, err) : no_arch(name, err);
	if (r < 0)
		goto out;
	t->config.arch = t->arch->name;
	t->ncores = t->columns * t->rows + t->arch->ethernet_count;
	t->cores = calloc(t->ncores, sizeof(*t->cores));
	r = t->cores ? tensix_populate(t) : TACHO_ENOMEM;
	if (r < 0) {
		err_set(err, r, "no memory for %u cores", t->ncores);
		goto out;
	}
	a = t->arch;
	group_tiles = a->dram_aliases / (a->dram_banks / a->banks_per_group);
	for (unsigned i = 0; i < a->dram_aliases; i++) {
		uint32_t node = noc_node(t, a->dram_alias[i].x, a->dram_alias[i].y);

		t->node_group[node] = (int16_t)(i / group_tiles);
	}
	*out = t;
	return 0;
out:
	tensix_free(t);
	return r;
}

void tensix_free(struct tensix *t)
{
	if (!t)
		return;
	link_leave(t);
	for (unsigned i = 0; t->cores && i < t->ncores; i++)
		if (t->cores[i].dev)
			core_free(&t->cores[i]);
	if (t->arch)
		dram_free(t);
	if (t->memory)
		munmap(t->memory, t->memory_size);
	for (struct packet *p = t->free_packets, *next; p; p = next) {
		next = p->next;
		free(p->data);
		free(p);
	}
	code_free(t);
	free(t->buckets);
	free(t->cores);
	map_free(&t->unknown_index);
	vec_free(&t->unknown);
	free(t);
}

const struct arch *tensix_arch(const struct tensix *t)
{
	return t->arch;
}

unsigned tensix_cores(const struct tensix *t)
{
	return t->ncores;
}

void tensix_place(const struct tensix *t, unsigned core, struct tensix_place *place)
{
	*place = t->cores[core].place;
}

void tensix_grid(const struct tensix *t, unsigned *columns, unsigned *rows)
{
	*columns = t->columns;
	*rows = t->rows;
}

int tensix_core_noc(const struct tensix *t, unsigned x, unsigned y)
{
	uint32_t node = noc_node(t, x, y);

	return node == UINT32_MAX ? -1 : t->node_core[node];
}

int tensix_core_logical(const struct tensix *t, enum tensix_tile tile, unsigned x, unsigned y)
{
	for (unsigned i = 0; i < t->ncores; i++) {
		const struct tensix_place *p = &t->cores[i].place;

		if (p->tile == tile && p->logical_x == x && p->logical_y == y)
			return (int)i;
	}
	return -1;
}

/* ---- memory ---- */
int tensix_read(struct tensix *t, unsigned core, uint32_t address, void *data, size_t len)
{
	struct tensix_core *c;
	unsigned latency;
	uint32_t value;

	if (core >= t->ncores)
		return TACHO_ELIMIT;
	c = &t->cores[core];
	if (address < c->l1_size && len <= c->l1_size - address) {
		memcpy(data, c->l1 + address, len);
		return 0;
	}
	if (len != 4 || (address & 3) ||
	    mmio_load(c, NULL, address, 4, &t->now, &value, &latency) != MMIO_OK)
		return TACHO_ELIMIT;
	memcpy(data, &value, 4);
	return 0;
}

int tensix_write(struct tensix *t, unsigned core, uint32_t address, const void *data, size_t len)
{
	struct tensix_core *c;
	uint64_t cycle = t->now;
	uint32_t value;

	if (core >= t->ncores)
		return TACHO_ELIMIT;
	c = &t->cores[core];
	if (address < c->l1_size && len <= c->l1_size - address) {
		if (!len)
			return 0;
		memcpy(c->l1 + address, data, len);
		core_touched(c, address, (uint32_t)len, cycle);
		return 0;
	}
	if (len != 4 || (address & 3))
		return TACHO_ELIMIT;
	memcpy(&value, data, 4);
	return mmio_store(c, NULL, address, 4, &cycle, value) == MMIO_OK ? 0 : TACHO_ELIMIT;
}

static uint8_t *dram_range(struct tensix *t, unsigned bank, uint64_t address, size_t len)
{
	if (bank >= t->arch->dram_banks || address > t->arch->dram_size ||
	    len > t->arch->dram_size - address)
		return NULL;
	return dram_bank_bytes(t, bank) ? dram_bank_bytes(t, bank) + address : NULL;
}

int tensix_dram_read(struct tensix *t, unsigned bank, uint64_t address, void *data, size_t len)
{
	const uint8_t *bytes = dram_range(t, bank, address, len);

	if (!bytes)
		return TACHO_ELIMIT;
	memcpy(data, bytes, len);
	return 0;
}

int tensix_dram_write(struct tensix *t, unsigned bank, uint64_t address, const void *data,
		      size_t len)
{
	uint8_t *bytes = dram_range(t, bank, address, len);

	if (!bytes)
		return TACHO_ELIMIT;
	memcpy(bytes, data, len);
	return 0;
}

void tensix_bank(const struct tensix *t, unsigned bank, struct arch_xy *port, uint64_t *offset)
{
	*port = t->arch->dram_port[bank];
	*offset = bank % t->arch->banks_per_group * t->arch->dram_size;
}

void tensix_noc_delay(struct tensix *t, unsigned core, unsigned risc, enum tensix_transfer kind,
		      uint32_t cycles)
{
	if (core < t->ncores && risc < t->cores[core].harts)
		t->cores[core].hart[risc].delay[kind] = cycles;
}

void tensix_stack_end(struct tensix *t, unsigned core, unsigned risc, uint32_t end)
{
	if (core < t->ncores && risc < t->cores[core].harts)
		t->cores[core].hart[risc].stack_end = end;
}

/* ---- clocks ---- */
void tensix_clock_offset(struct tensix *t, unsigned core, int64_t cycles)
{
	t->cores[core].clock_offset = cycles;
}

int tensix_clock_rate(struct tensix *t, unsigned core, uint64_t from_cycle, double rate)
{
	struct tensix_core *c = &t->cores[core];

	if (c->clock_rates.n && c->clock_rates.v[c->clock_rates.n - 1].from > from_cycle)
		return TACHO_EUSAGE;
	return vec_push(&c->clock_rates, ((struct clock_rate){from_cycle, rate}));
}

uint64_t tensix_clock_read(const struct tensix *t, unsigned core, uint64_t cycle)
{
	return core_clock(&t->cores[core], cycle);
}

/* ---- inspection ---- */
bool tensix_fault(struct tensix *t, struct tensix_fault *fault, bool clear)
{
	if (!t->fault.kind)
		return false;
	*fault = t->fault;
	if (clear)
		t->fault.kind = TENSIX_FAULT_NONE;
	return true;
}

const char *tensix_fault_name(enum tensix_fault_kind kind)
{
	static const char *const names[] = {
		[TENSIX_FAULT_NONE] = "no fault",
		[TENSIX_FAULT_ILLEGAL] = "illegal instruction",
		[TENSIX_FAULT_MISALIGNED] = "misaligned access",
		[TENSIX_FAULT_WILD] = "access to no memory",
		[TENSIX_FAULT_FETCH] = "jump to no memory",
		[TENSIX_FAULT_BREAK] =
			"ebreak (the compiler's for a null pointer, or __builtin_trap)",
		[TENSIX_FAULT_NOC] = "NoC transfer to or from no memory",
		[TENSIX_FAULT_NODE] = "NoC transfer to or from a place that the grid does not have",
		[TENSIX_FAULT_ENGINE] = "tile engine cannot do that",
		[TENSIX_FAULT_STACK] = "stack overflow: no room in local RAM for a frame",
		[TENSIX_FAULT_NULL] = "call of address 0",
	};

	return names[kind];
}

const char *tensix_fault_text(const struct tensix_fault *f, char *text, size_t size)
{
	const char *name = tensix_fault_name(f->kind);

	if (f->kind == TENSIX_FAULT_NODE)
		snprintf(text, size, "%s: %u,%u", name, f->address & 63, f->address >> 6);
	else if (f->address)
		snprintf(text, size, "%s at 0x%x", name, f->address);
	else
		snprintf(text, size, "%s", name);
	return text;
}

int tensix_hart(const struct tensix *t, unsigned core, unsigned risc, struct tensix_hart_info *info)
{
	const struct tensix_hart *h;

	if (core >= t->ncores || risc >= t->cores[core].harts)
		return TACHO_ELIMIT;
	h = &t->cores[core].hart[risc];
	*info = (struct tensix_hart_info){
		.state = (enum tensix_state)h->state,
		.pc = h->pc,
		.cycle = h->cycle,
		.instructions = h->instructions,
		.watched = h->state != TENSIX_WAITING ? 0
			   : h->watches               ? h->watch[0]
						      : h->watch_register,
	};
	memcpy(info->x, h->x, sizeof(info->x));
	return 0;
}

void tensix_stats(const struct tensix *t, struct tensix_stats *stats)
{
	*stats = t->stats;
}

size_t tensix_unknown_count(const struct tensix *t)
{
	return t->unknown.n;
}

const struct tensix_unknown *tensix_unknown(const struct tensix *t, size_t i)
{
	return i < t->unknown.n ? &t->unknown.v[i] : NULL;
}

void tensix_trace(struct tensix *t, tensix_trace_fn fn, void *context)
{
	t->trace = fn;
	t->trace_context = context;
}
