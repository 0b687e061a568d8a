/* SPDX-License-Identifier: Apache-2.0 */
/* Boot foreign ELF files on unprepared cores, by the hardware's rules. */
#include "base/err.h"
#include "cmds/device.h"
#include "device/kernel_build.h"
#include "device/prof_decode.h"
#include "device/report.h"
#include "tacho_layout.h"
#include "tensix/elf.h"
#include "tensix/rv32.h"
#include "tensix/tensix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELFS 16

struct boot {
	struct tensix *t;
	struct {
		VEC(unsigned);
	} cores; /* by number; the first one is traced */
	struct elf_image elf[ELFS];
	uint8_t *bytes[ELFS];
	unsigned elfs;
	struct zone_names names;
	struct tacho_error *err;
	int64_t left; /* lines of the trace */
	uint64_t passed;
};

/* ---- before it starts ---- */
static int read_elf(struct boot *b, const char *path)
{
	int r;

	if (b->elfs == ELFS)
		return err_set(b->err, TACHO_ELIMIT, "at most %d ELF files", ELFS);
	r = device_elf(path, &b->elf[b->elfs], &b->bytes[b->elfs], b->err);
	if (r == 0)
		b->elfs++;
	return r;
}

static int device_boot_load(struct boot *b, unsigned core, const struct elf_image *elf)
{
	for (unsigned i = 0; i < elf->segments; i++) {
		const struct elf_segment *s = &elf->segment[i];

		if (s->file_size && tensix_write(b->t, core, s->load, s->bytes, s->file_size) < 0)
			return err_set(b->err, TACHO_ELIMIT,
				       "%u bytes at 0x%x are not inside of L1", s->file_size,
				       s->load);
	}
	return 0;
}

/*
 * Parses "ADDRESS=VALUE", or "ADDRESS:WORDS" if SEPARATOR is a colon; then the second is optional.
 */
static int parse_pair(struct boot *b, const char *text, char separator, uint32_t *address,
		      uint32_t *value)
{
	unsigned long long a, v = 1;
	char *end;

	errno = 0;
	a = strtoull(text, &end, 0);
	if (*end == separator)
		v = strtoull(end + 1, &end, 0);
	else if (separator == '=')
		end = "?";
	if (*end || errno || a > UINT32_MAX || v > UINT32_MAX || (a & 3))
		return err_set(b->err, TACHO_EUSAGE, "'%s' is not an address%s of a word", text,
			       separator == '=' ? " and a value" : "");
	*address = (uint32_t)a;
	*value = (uint32_t)v;
	return 0;
}

static int set_words(struct boot *b, unsigned core, const struct opt_list *list)
{
	uint32_t address, value;
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		r = parse_pair(b, list->v[i], '=', &address, &value);
		if (r == 0 && tensix_write(b->t, core, address, &value, 4) < 0)
			r = err_set(b->err, TACHO_ELIMIT, "nothing is at 0x%x", address);
	}
	return r;
}

/* "BANK:ADDRESS=FILE" */
static int device_boot_dram(struct boot *b, const char *text)
{
	unsigned long long bank, address = 0;
	uint8_t *bytes;
	size_t size;
	char *end;
	int r;

	errno = 0;
	bank = strtoull(text, &end, 0);
	if (end != text && *end == ':')
		address = strtoull(end + 1, &end, 0);
	if (*end != '=' || errno || bank > UINT32_MAX)
		return err_set(b->err, TACHO_EUSAGE, "--dram takes BANK:ADDRESS=FILE, not '%s'",
			       text);
	if (device_read_file(end + 1, &bytes, &size) < 0)
		return err_set(b->err, TACHO_EREAD, "cannot read %s", end + 1);
	r = tensix_dram_write(b->t, (unsigned)bank, address, bytes, size);
	free(bytes);
	return r == 0 ? 0
		      : err_set(b->err, TACHO_ELIMIT,
				"%zu bytes at 0x%llx are not inside DRAM bank %llu", size, address,
				bank);
}

/* Writes a jump to the first file's entry, unless a file occupies that address. */
static void write_jump(struct boot *b, unsigned core)
{
	uint32_t to = b->elf[0].entry, word;

	tensix_read(b->t, core, 0, &word, 4);
	if (word || !to)
		return;
	word = core_jump(to);
	tensix_write(b->t, core, 0, &word, 4);
}

/* The cores of a rectangle. */
static int device_boot_cores(struct boot *b, const struct device_conf *c, const uint16_t v[4])
{
	enum tensix_tile tile = c->risc == TACHO_ERISC ? TENSIX_ETHERNET : TENSIX_WORKER;

	for (unsigned y = v[1]; y <= v[3]; y++) {
		for (unsigned x = v[0]; x <= v[2]; x++) {
			int core = tensix_core_logical(b->t, tile, x, y);

			if (core < 0)
				return err_set(b->err, TACHO_EUSAGE, "no core %u,%u", x, y);
			if (vec_push(&b->cores, (unsigned)core) < 0)
				return err_set(b->err, TACHO_ENOMEM, "no memory");
		}
	}
	return b->cores.n ? 0
			  : err_set(b->err, TACHO_EUSAGE,
				    "--cores %s: the first is not above "
				    "and left of the last",
				    c->cores);
}

static int device_boot_prepare(struct boot *b, const struct device_conf *c, const uint16_t v[4])
{
	struct tensix_config config = {
		.arch = c->arch ? c->arch : getenv("TACHO_ARCH"),
		.cores = (unsigned)c->size,
		.seed = (uint64_t)c->seed,
	};
	int r = tensix_new(&b->t, &config, b->err);

	if (r == 0)
		r = device_boot_cores(b, c, v);
	for (size_t i = 0; r == 0 && i < c->dram.n; i++)
		r = device_boot_dram(b, c->dram.v[i]);
	for (size_t k = 0; r == 0 && k < b->cores.n; k++) {
		for (unsigned i = 0; r == 0 && i < b->elfs; i++)
			r = device_boot_load(b, b->cores.v[k], &b->elf[i]);
		if (r == 0)
			r = set_words(b, b->cores.v[k], &c->set);
		if (r == 0)
			write_jump(b, b->cores.v[k]);
	}
	return r;
}

/* ---- what it does ---- */
static bool device_boot_holds(const struct elf_image *elf, uint32_t pc)
{
	for (unsigned i = 0; i < elf->segments; i++)
		if (pc - elf->segment[i].address < elf->segment[i].size)
			return true;
	return false;
}

static const struct elf_symbol *symbol_at(const struct boot *b, uint32_t pc)
{
	for (unsigned i = 0; i < b->elfs; i++)
		if (device_boot_holds(&b->elf[i], pc))
			return elf_symbol_at(&b->elf[i], pc);
	return NULL;
}

static const char *name_at(void *context, uint32_t address, uint32_t *offset)
{
	const struct elf_symbol *s = symbol_at(context, address);

	if (s)
		*offset = address - s->address;
	return s ? s->name : NULL;
}

static void device_boot_step_print(void *context, unsigned core, unsigned risc, uint64_t cycle,
				   uint32_t pc, uint32_t word)
{
	struct boot *b = context;
	uint32_t offset = 0;
	const char *name;
	char text[200];

	if (core != b->cores.v[0])
		return;
	if (b->left-- <= 0) {
		b->passed++;
		return;
	}
	name = name_at(b, pc, &offset);
	printf("%8llu %-6s %6x  %-20.20s+%-4x %s\n", (unsigned long long)cycle,
	       risc_name(risc, false), pc, name ? name : "?", offset,
	       rv32_disasm(text, sizeof(text), word, pc, name_at, b));
}

static int device_boot_with_fail(struct boot *b)
{
	struct buf text = BUF_INIT;
	struct tensix_fault f;
	char insn[128], reason[160];
	uint32_t offset = 0;
	const char *name;

	tensix_fault(b->t, &f, true);
	name = name_at(b, f.pc, &offset);
	buf_addf(&text, "device 0, core %u,%u (NoC %u,%u), %s: %s", f.place.logical_x,
		 f.place.logical_y, f.place.x, f.place.y,
		 risc_name(f.risc, f.place.tile == TENSIX_ETHERNET),
		 tensix_fault_text(&f, reason, sizeof(reason)));
	buf_addf(&text, "\n  pc 0x%x", f.pc);
	if (name)
		buf_addf(&text, " in %s+0x%x", name, offset);
	buf_addf(&text, ", cycle %llu\n  %s\n", (unsigned long long)f.cycle,
		 rv32_disasm(insn, sizeof(insn), f.word, f.pc, NULL, NULL));
	report_registers(f.x, &text);
	fprintf(stderr, "tacho: %s", text.data ? text.data : "no memory\n");
	buf_free(&text);
	return TACHO_EDAMAGED;
}

/* Runs until nothing moves. */
static int device_boot_settle(struct boot *b, const struct device_conf *c)
{
	uint64_t most = c->max_cycles > 0 ? (uint64_t)c->max_cycles : 100000000;

	switch (tensix_run(b->t, most)) {
	case TENSIX_FAULT:
		return device_boot_with_fail(b);
	case TENSIX_LIMIT:
		err_warn("it still runs after %llu cycles", (unsigned long long)most);
		return 0;
	default:
		return 0;
	}
}

static int boot_and_go(struct boot *b, const struct device_conf *c)
{
	uint32_t reset = TENSIX_RESET_ALL & ~(1u << 11), go = 0x80000000u;
	uint32_t at = tensix_arch(b->t)->mailbox + M_GO;
	struct tensix_place place;
	int r;

	if (c->trace) {
		b->left = c->lines;
		tensix_trace(b->t, device_boot_step_print, b);
	}
	for (size_t k = 0; k < b->cores.n; k++)
		tensix_write(b->t, b->cores.v[k], TENSIX_SOFT_RESET, &reset, 4);
	r = device_boot_settle(b, c);
	for (int64_t i = 0; r == 0 && c->go && i < c->runs; i++) {
		for (size_t k = 0; k < b->cores.n; k++)
			tensix_write(b->t, b->cores.v[k], at, &go, 4);
		r = device_boot_settle(b, c);
		for (size_t k = 0; r == 0 && k < b->cores.n; k++) {
			tensix_read(b->t, b->cores.v[k], at, &reset, 4);
			tensix_place(b->t, b->cores.v[k], &place);
			if (reset >> 24)
				err_warn("core %u,%u has not answered the go signal, which is 0x%x",
					 place.logical_x, place.logical_y, reset >> 24);
		}
	}
	if (b->passed)
		printf("... and %llu more\n", (unsigned long long)b->passed);
	return r;
}

/* ---- results ---- */
/* The column "core", for more than one. */
static void core_text(struct table *t, const struct boot *b, unsigned core)
{
	struct tensix_place place;
	char text[16];

	if (b->cores.n < 2)
		return;
	tensix_place(b->t, core, &place);
	snprintf(text, sizeof(text), "%u,%u", place.logical_x, place.logical_y);
	table_text(t, text);
}

static int print_states(const struct boot *b, const struct table_style *style)
{
	static const struct table_column columns[] = {
		{"core", "core", TABLE_STRING},   {"risc", "RISC", TABLE_STRING},
		{"state", "state", TABLE_STRING}, {"pc", "pc", TABLE_STRING},
		{"symbol", "in", TABLE_STRING},   {"instructions", "instructions", TABLE_COUNT},
		{"cycle", "cycle", TABLE_COUNT},
	};
	static const char *const states[] = {"in reset", "runs", "waits", "stopped"};
	unsigned skip = b->cores.n < 2;
	struct tensix_hart_info h;
	struct table t;
	char pc[16];

	table_open(&t, stdout, style, columns + skip, sizeof(columns) / sizeof(columns[0]) - skip);
	for (size_t k = 0; k < b->cores.n; k++) {
		for (unsigned i = 0; tensix_hart(b->t, b->cores.v[k], i, &h) == 0; i++) {
			const struct elf_symbol *s = symbol_at(b, h.pc);

			snprintf(pc, sizeof(pc), "0x%x", h.pc);
			core_text(&t, b, b->cores.v[k]);
			table_text(&t, risc_name(i, false));
			table_text(&t, states[h.state]);
			table_text(&t, pc);
			table_text(&t, s ? s->name : "");
			table_uint(&t, h.instructions);
			table_uint(&t, h.cycle);
			table_row(&t);
		}
	}
	return table_close(&t);
}

static int print_words(struct boot *b, unsigned core, const struct opt_list *list)
{
	uint32_t address, count, word;
	struct tensix_place place;
	int r = 0;

	tensix_place(b->t, core, &place);
	if (b->cores.n > 1 && list->n)
		printf("core %u,%u\n", place.logical_x, place.logical_y);
	for (size_t i = 0; r == 0 && i < list->n; i++) {
		r = parse_pair(b, list->v[i], ':', &address, &count);
		for (uint32_t k = 0; r == 0 && k < count; k++) {
			if (tensix_read(b->t, core, address + 4 * k, &word, 4) < 0)
				r = err_set(b->err, TACHO_ELIMIT, "nothing is at 0x%x",
					    address + 4 * k);
			else
				printf("0x%08x  0x%08x  %u\n", address + 4 * k, word, word);
		}
	}
	return r;
}

/* ---- markers ---- */
struct listing {
	const struct boot *boot;
	unsigned core, risc;
	struct table *table;
};

static void print_item(void *context, const struct prof_item *item)
{
	static const char *const kinds[] = {"zone", "total", "value", "event", "two values"};
	const struct listing *l = context;
	const struct zone_name *name = names_find(&l->boot->names, item->id);
	bool payload = item->kind != PROF_K_ZONE && item->kind != PROF_K_EVENT;
	char number[32], data[64] = "";

	if (item->kind == PROF_K_DAMAGE)
		return;
	snprintf(number, sizeof(number), "%u", item->id);
	if (payload && item->data[1])
		snprintf(data, sizeof(data), "0x%llx 0x%llx", (unsigned long long)item->data[0],
			 (unsigned long long)item->data[1]);
	else if (payload)
		snprintf(data, sizeof(data), "0x%llx", (unsigned long long)item->data[0]);
	core_text(l->table, l->boot, l->core);
	table_text(l->table, risc_name(l->risc, false));
	table_uint(l->table, item->op);
	table_text(l->table, kinds[item->kind]);
	table_text(l->table, name && item->kind != PROF_K_EVENT ? name->name : number);
	table_uint(l->table, item->start);
	table_uint(l->table, item->end - item->start);
	table_text(l->table, data);
	table_row(l->table);
}

/* tt-metal's mailboxes on Blackhole are 128 bytes longer than ours, which are those of Wormhole. */
static uint32_t device_boot_control(const struct boot *b)
{
	const struct arch *a = tensix_arch(b->t);

	return a->mailbox + M_PROF_CONTROL + (strcmp(a->name, "blackhole") ? 0 : 128);
}

/* The words that the firmware of a core has moved to DRAM, by the profiler's control vector. */
static void device_boot_markers_read(struct boot *b, struct listing *l, uint32_t area,
				     uint32_t *words, struct prof_counts *counts)
{
	uint32_t control[PROF_WORDS], flat;
	struct tensix_place place;

	tensix_read(b->t, l->core, device_boot_control(b), control, sizeof(control));
	if (!control[PROF_DRAM] || !control[PROF_PER_BANK])
		return;
	flat = control[PROF_FLAT_ID];
	tensix_place(b->t, l->core, &place);
	for (l->risc = 0; l->risc < DEVICE_RISCS; l->risc++) {
		uint32_t n = control[PROF_HOST_END + l->risc];
		struct prof_expect expect = {.risc = l->risc, .flat = flat};
		struct prof_reader reader = {0};

		if (control[PROF_DROPPED] >> l->risc & 1)
			err_warn("core %u,%u, %s: markers were lost, its buffer was full",
				 place.logical_x, place.logical_y, risc_name(l->risc, false));
		if (!n || n > area / 4 ||
		    tensix_dram_read(
			    b->t, flat / control[PROF_PER_BANK],
			    control[PROF_DRAM] +
				    ((uint64_t)(flat % control[PROF_PER_BANK]) * DEVICE_RISCS +
				     l->risc) *
					    area,
			    words, 4 * (size_t)n) < 0)
			continue;
		prof_decode(&reader, words, n, &expect, print_item, l, counts);
	}
}

static int device_boot_markers_print(struct boot *b, uint32_t area, const struct table_style *style)
{
	static const struct table_column columns[] = {
		{"core", "core", TABLE_STRING},    {"risc", "RISC", TABLE_STRING},
		{"run", "run", TABLE_COUNT},       {"kind", "kind", TABLE_STRING},
		{"name", "name", TABLE_STRING},    {"start", "start", TABLE_COUNT},
		{"cycles", "cycles", TABLE_COUNT}, {"data", "data", TABLE_STRING},
	};
	unsigned skip = b->cores.n < 2;
	uint32_t control[PROF_WORDS], *words;
	struct prof_counts counts = {0};
	struct table t;
	struct listing l = {.boot = b, .table = &t};

	tensix_read(b->t, b->cores.v[0], device_boot_control(b), control, sizeof(control));
	if (!control[PROF_DRAM] || !control[PROF_PER_BANK])
		return 0;
	words = malloc(area);
	if (!words)
		return err_set(b->err, TACHO_ENOMEM, "no memory");
	table_open(&t, stdout, style, columns + skip, sizeof(columns) / sizeof(columns[0]) - skip);
	for (size_t k = 0; k < b->cores.n; k++) {
		l.core = b->cores.v[k];
		device_boot_markers_read(b, &l, area, words, &counts);
	}
	free(words);
	if (counts.damaged)
		err_warn("%llu markers cannot be trusted", (unsigned long long)counts.damaged);
	return table_close(&t);
}

static int device_boot_show(struct boot *b, const struct device_conf *c,
			    const struct table_style *style)
{
	uint32_t count = c->op_support_count > 0 ? (uint32_t)c->op_support_count : 1000;
	int r = print_states(b, style);

	for (size_t k = 0; r == 0 && k < b->cores.n; k++)
		r = print_words(b, b->cores.v[k], &c->show);
	if (r == 0)
		r = device_boot_markers_print(b, 48 * count, style);
	if (r == 0)
		r = device_print_unknown(b->t, style);
	return r;
}

int device_boot(const struct device_conf *c, const struct table_style *style, char **files, int n)
{
	struct tacho_error err = {0};
	struct boot b = {.err = &err};
	uint16_t v[4] = {0};
	bool reported = false;
	int r = c->cores ? device_cores_parse(c->cores, v, &err) : 0;

	for (int i = 0; r == 0 && i < n; i++)
		r = read_elf(&b, files[i]);
	if (r == 0 && c->zone_log && names_read(&b.names, c->zone_log) < 0)
		r = err_set(&err, TACHO_EREAD, "cannot read %s", c->zone_log);
	if (r == 0)
		r = device_boot_prepare(&b, c, v);
	if (r == 0) {
		r = boot_and_go(&b, c);
		reported = r < 0;
	}
	if (r == 0)
		r = device_boot_show(&b, c, style);
	if (r < 0 && !reported)
		err_report(&err, r);
	for (unsigned i = 0; i < b.elfs; i++) {
		elf_free(&b.elf[i]);
		free(b.bytes[i]);
	}
	names_free(&b.names);
	vec_free(&b.cores);
	tensix_free(b.t);
	return err_exit_code(r);
}
