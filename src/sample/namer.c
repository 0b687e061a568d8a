/* SPDX-License-Identifier: Apache-2.0 */
/* Finds functions, inlined functions and lines of addresses with libdw; see namer.h. */
#include "sample/namer.h"

#include "base/order.h"
#include "base/vec.h"
#include "sample/demangle.h"
#include "sample/module.h"
#include "sample/perfmap.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

struct symbol {
	uint64_t address, size;
	const char *name;
	uint8_t rank; /* the highest of those at one address is shown */
};

struct unit {
	uint64_t low, high;
	Dwarf_Die die;
};

struct namer {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct {
		VEC(struct symbol);
	} symbols; /* by address */
	struct {
		VEC(struct unit);
	} units; /* by low; only if the file has no table of them */
	bool units_read;
	Dwarf_Addr bias;
	struct perfmap
		*map; /* of memory that a JIT compiler has filled; then nothing else is used */
};

/* ------------------------------------------------------- symbol tables */

ORDER_BY(symbol_order, struct symbol, ORDER_UP(address) ?: ORDER_DOWN(rank));

static void symbols_read(struct namer *n)
{
	int count = dwfl_module_getsymtab(n->module);
	size_t kept = 0;

	for (int i = 1; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		GElf_Word section;
		const char *name =
			dwfl_module_getsym_info(n->module, i, &sym, &address, &section, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info), bind = GELF_ST_BIND(sym.st_info);
		struct symbol s;

		if (!name || !*name || section == SHN_UNDEF ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
			continue;
		s = (struct symbol){address, sym.st_size, name,
				    (uint8_t)((type != STT_NOTYPE) * 8 + (sym.st_size > 0) * 4 +
					      (bind == STB_GLOBAL) * 2 + (bind == STB_WEAK))};
		if (vec_push(&n->symbols, s) < 0)
			return;
	}
	qsort(n->symbols.v, n->symbols.n, sizeof(*n->symbols.v), symbol_order);
	for (size_t i = 0; i < n->symbols.n; i++)
		if (!kept || n->symbols.v[kept - 1].address != n->symbols.v[i].address)
			n->symbols.v[kept++] = n->symbols.v[i];
	n->symbols.n = kept;
}

/* The symbol that covers ADDRESS; one without a size extends to the next. */
static const struct symbol *symbol_find(const struct namer *n, uint64_t address)
{
	size_t low = 0, high = n->symbols.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (n->symbols.v[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t back = 0; low > 0 && back < 8; back++, low--) {
		const struct symbol *s = &n->symbols.v[low - 1];

		if (address - s->address < s->size || (!s->size && back == 0))
			return s;
	}
	return NULL;
}

/* ------------------------------------------------ debugging information */

static void units_read(struct namer *n)
{
	Dwarf_Die *die = NULL;
	Dwarf_Addr bias;

	n->units_read = true;
	while ((die = dwfl_module_nextcu(n->module, die, &bias)) != NULL) {
		Dwarf_Addr base, low, high;
		ptrdiff_t at = 0;

		while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
			struct unit u = {low + bias, high + bias, *die};

			if (vec_push(&n->units, u) < 0)
				return;
		}
	}
}

static Dwarf_Die *unit_find(struct namer *n, uint64_t address)
{
	Dwarf_Die *die = dwfl_module_addrdie(n->module, address, &n->bias);

	if (die)
		return die;
	if (!n->units_read)
		units_read(n);
	for (size_t i = 0; i < n->units.n; i++)
		if (address - n->units.v[i].low < n->units.v[i].high - n->units.v[i].low) {
			dwfl_module_getdwarf(n->module, &n->bias);
			return &n->units.v[i].die;
		}
	return NULL;
}

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name)
		name = dwarf_diename(die);
	return name;
}

/* Where an inlined function was called. */
static void call_place(Dwarf_Die *unit, Dwarf_Die *die, struct name *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	Dwarf_Files *files;
	size_t count;
	const char *file;

	place->file = "";
	place->line = 0;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &value) == 0)
		place->line = (uint32_t)value;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &value) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &count) == 0 && value < count) {
		file = dwarf_filesrc(files, value, NULL, NULL);
		place->file = file ? file : "";
	}
}

struct finder {
	struct name name;
	void (*found)(void *context, const struct name *name);
	void *context;
};

static void name_give(struct finder *f, const char *function)
{
	char text[4096];

	f->name.function = demangle(function, text, sizeof(text));
	f->found(f->context, &f->name);
	f->name.inlined++;
}

/* The functions inlined at ADDRESS, and the one that contains them. False: unknown. */
static bool scopes_walk(struct namer *n, Dwarf_Die *unit, uint64_t address, struct finder *f)
{
	Dwarf_Die *scopes = NULL, *outer = NULL;
	int count = dwarf_getscopes(unit, address - n->bias, &scopes), depth = 0, i;
	bool done = false;

	for (i = 0; i < count; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			break;
	}
	if (i < count)
		depth = dwarf_getscopes_die(&scopes[i], &outer);
	for (i = 0; i < depth && !done && f->name.inlined < 32; i++) {
		int tag = dwarf_tag(&outer[i]);
		const char *name = die_name(&outer[i]);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		if (!name)
			break;
		name_give(f, name);
		done = tag == DW_TAG_subprogram;
		if (!done)
			call_place(unit, &outer[i], &f->name);
	}
	free(scopes);
	free(outer);
	return done;
}

void namer_find(struct namer *n, uint64_t address,
		void (*found)(void *context, const struct name *name), void *context)
{
	struct finder f = {{"", "", 0, 0}, found, context};
	char text[4096];
	Dwarf_Die *unit;
	Dwfl_Line *line;
	const struct symbol *s;
	int number = 0;

	if (n->map) {
		if (perfmap_find(n->map, address, text, sizeof(text)))
			name_give(&f, text);
		return;
	}
	unit = unit_find(n, address);
	line = unit ? dwfl_module_getsrc(n->module, address) : NULL;
	if (line) {
		const char *file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);

		f.name.file = file ? file : "";
		f.name.line = (uint32_t)number;
	}
	if (unit && scopes_walk(n, unit, address, &f))
		return;
	s = symbol_find(n, address);
	if (s)
		name_give(&f, s->name);
}

/* ------------------------------------------------------------- opening */

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* The vdso exists only in memory: use our own, which every process of this kernel shares. */
static int vdso_open(void)
{
	const uint8_t *bytes = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr e;
	size_t size;
	int fd;

	if (!bytes)
		return -1;
	memcpy(&e, bytes, sizeof(e));
	size = (size_t)(e.e_shoff + e.e_shnum * e.e_shentsize);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool build_id_matches(Dwfl_Module *m, const char *expected)
{
	const unsigned char *bits;
	GElf_Addr address;
	int len = dwfl_module_build_id(m, &bits, &address);
	char digits[3];

	if (!*expected || len <= 0)
		return true;
	for (int i = 0; i < len && i < MODULE_BUILD_ID / 2; i++) {
		snprintf(digits, sizeof(digits), "%02x", bits[i]);
		if (strncmp(expected + 2 * (size_t)i, digits, 2) != 0)
			return false;
	}
	return true;
}

static struct namer *namer_open_memory(const char *path)
{
	struct namer *n = calloc(1, sizeof(*n));
	unsigned pid;

	if (n && sscanf(path, "[memory of %u]", &pid) == 1)
		n->map = perfmap_open(pid);
	if (n && n->map)
		return n;
	namer_close(n);
	return NULL;
}

struct namer *namer_open(uint32_t kind, const char *path, const char *build_id)
{
	struct namer *n;
	int fd = -1;

	if (kind == MODULE_MEMORY)
		return namer_open_memory(path);
	if (kind == MODULE_VDSO)
		fd = vdso_open();
	else if (kind == MODULE_FILE)
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return NULL;
	n = calloc(1, sizeof(*n));
	if (!n) {
		close(fd);
		return NULL;
	}
	n->dwfl = dwfl_begin(&callbacks);
	if (n->dwfl) {
		dwfl_report_begin(n->dwfl);
		n->module = dwfl_report_elf(n->dwfl, path, path, fd, 0, true);
		dwfl_report_end(n->dwfl, NULL, NULL);
	}
	if (!n->module) {
		close(fd);
		namer_close(n);
		return NULL;
	}
	if (!build_id_matches(n->module, build_id)) {
		namer_close(n);
		return NULL;
	}
	symbols_read(n);
	return n;
}

void namer_close(struct namer *n)
{
	if (!n)
		return;
	vec_free(&n->symbols);
	vec_free(&n->units);
	perfmap_free(n->map);
	if (n->dwfl)
		dwfl_end(n->dwfl);
	free(n);
}
