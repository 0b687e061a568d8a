/* SPDX-License-Identifier: Apache-2.0 */
/* Parse ELF files for the RISCs of the device. Nothing in them is trusted. */
#include "tensix/elf.h"

#include "base/order.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A range of the file, or NULL when it is not completely inside. */
static const uint8_t *elf_range(const struct elf_image *elf, uint64_t offset, uint64_t len)
{
	return offset <= elf->size && len <= elf->size - offset ? elf->bytes + offset : NULL;
}

static bool section_header(const struct elf_image *elf, uint32_t index, Elf32_Shdr *out)
{
	const uint8_t *p =
		elf_range(elf, elf->shoff + (uint64_t)index * sizeof(*out), sizeof(*out));

	if (!p || index >= elf->shnum)
		return false;
	memcpy(out, p, sizeof(*out));
	return true;
}

/* A NUL-terminated string inside a string table, or NULL. */
static const char *elf_string(const struct elf_image *elf, const Elf32_Shdr *table, uint32_t offset)
{
	const uint8_t *p;

	if (offset >= table->sh_size)
		return NULL;
	p = elf_range(elf, table->sh_offset, table->sh_size);
	if (!p || !memchr(p + offset, 0, table->sh_size - offset))
		return NULL;
	return (const char *)p + offset;
}

static int read_segments(struct elf_image *elf, const Elf32_Ehdr *e, struct tacho_error *err)
{
	for (unsigned i = 0; i < e->e_phnum; i++) {
		uint64_t at = e->e_phoff + (uint64_t)i * sizeof(Elf32_Phdr);
		const uint8_t *p = elf_range(elf, at, sizeof(Elf32_Phdr));
		struct elf_segment *s;
		Elf32_Phdr h;

		if (!p)
			return err_set(err, TACHO_EDAMAGED, "ELF program header %u is cut off", i);
		memcpy(&h, p, sizeof(h));
		if (h.p_type != PT_LOAD || !h.p_memsz)
			continue;
		if (elf->segments == ELF_SEGMENTS)
			return err_set(err, TACHO_ELIMIT, "ELF file with more than %d segments",
				       ELF_SEGMENTS);
		s = &elf->segment[elf->segments];
		s->bytes = elf_range(elf, h.p_offset, h.p_filesz);
		if (!s->bytes || h.p_filesz > h.p_memsz ||
		    h.p_vaddr + (uint64_t)h.p_memsz > 1ull << 32 ||
		    h.p_paddr + (uint64_t)h.p_memsz > 1ull << 32)
			return err_set(err, TACHO_EDAMAGED, "ELF segment %u is damaged", i);
		s->address = h.p_vaddr;
		s->load = h.p_paddr;
		s->file_size = h.p_filesz;
		s->size = h.p_memsz;
		s->flags = h.p_flags;
		elf->segments++;
	}
	return 0;
}

ORDER_BY(elf_compare, struct elf_symbol, ORDER_UP(address) ?: strcmp(x->name, y->name));

static int elf_symbols_read(struct elf_image *elf, const Elf32_Shdr *table, struct tacho_error *err)
{
	const uint8_t *p = elf_range(elf, table->sh_offset, table->sh_size);
	uint32_t count = table->sh_size / (uint32_t)sizeof(Elf32_Sym);
	Elf32_Shdr strings;

	if (!p || !section_header(elf, table->sh_link, &strings))
		return err_set(err, TACHO_EDAMAGED, "ELF symbol table is damaged");
	elf->symbols = calloc(count ? count : 1, sizeof(*elf->symbols));
	if (!elf->symbols)
		return err_set(err, TACHO_ENOMEM, "no memory for symbols");
	for (uint32_t i = 0; i < count; i++) {
		Elf32_Sym s;
		const char *name;
		unsigned type;

		memcpy(&s, p + i * sizeof(s), sizeof(s));
		type = ELF32_ST_TYPE(s.st_info);
		name = elf_string(elf, &strings, s.st_name);
		/* Skip mapping symbols ($x, $d), local labels and plain numbers. */
		if (!name || !name[0] || name[0] == '$' || name[0] == '.' || type > STT_FUNC ||
		    s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_ABS)
			continue;
		elf->symbols[elf->nsymbols++] = (struct elf_symbol){s.st_value, s.st_size, name};
	}
	qsort(elf->symbols, elf->nsymbols, sizeof(*elf->symbols), elf_compare);
	return 0;
}

int elf_parse(struct elf_image *elf, const void *bytes, size_t size, struct tacho_error *err)
{
	Elf32_Ehdr e;
	Elf32_Shdr h;
	int r;

	*elf = (struct elf_image){.bytes = bytes, .size = size};
	if (size < sizeof(e))
		return err_set(err, TACHO_EFORMAT, "not an ELF file: %zu bytes", size);
	memcpy(&e, bytes, sizeof(e));
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS32 ||
	    e.e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(err, TACHO_EFORMAT, "not a 32-bit little-endian ELF file");
	if (e.e_machine != EM_RISCV || e.e_type != ET_EXEC)
		return err_set(err, TACHO_EFORMAT, "not a RISC-V executable");
	if (e.e_phentsize != sizeof(Elf32_Phdr) ||
	    (e.e_shnum && e.e_shentsize != sizeof(Elf32_Shdr)))
		return err_set(err, TACHO_EDAMAGED, "ELF header is damaged");
	elf->entry = e.e_entry;
	elf->shoff = e.e_shoff;
	elf->shnum = e.e_shnum;
	elf->shstrndx = e.e_shstrndx;
	r = read_segments(elf, &e, err);
	for (uint32_t i = 0; r == 0 && i < elf->shnum; i++) {
		if (!section_header(elf, i, &h))
			r = err_set(err, TACHO_EDAMAGED, "ELF section header %u is cut off", i);
		else if (h.sh_type == SHT_SYMTAB && !elf->symbols)
			r = elf_symbols_read(elf, &h, err);
	}
	if (r < 0)
		elf_free(elf);
	return r;
}

void elf_free(struct elf_image *elf)
{
	free(elf->symbols);
	elf->symbols = NULL;
	elf->nsymbols = 0;
}

const struct elf_symbol *elf_symbol_at(const struct elf_image *elf, uint32_t address)
{
	size_t low = 0, high = elf->nsymbols;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (elf->symbols[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	while (low--) {
		const struct elf_symbol *s = &elf->symbols[low];

		if (address - s->address < s->size)
			return s;
		/* A label without a size extends to the next symbol. */
		if (!s->size)
			return address - s->address < 0x10000 ? s : NULL;
		if (address - s->address > 0x100000)
			break;
	}
	return NULL;
}

const struct elf_symbol *elf_symbol_named(const struct elf_image *elf, const char *name)
{
	for (size_t i = 0; i < elf->nsymbols; i++)
		if (!strcmp(elf->symbols[i].name, name))
			return &elf->symbols[i];
	return NULL;
}

bool elf_section(const struct elf_image *elf, const char *name, const uint8_t **bytes,
		 uint32_t *size)
{
	Elf32_Shdr names, h;

	if (!section_header(elf, elf->shstrndx, &names))
		return false;
	for (uint32_t i = 0; i < elf->shnum; i++) {
		const char *s;

		if (!section_header(elf, i, &h))
			return false;
		s = elf_string(elf, &names, h.sh_name);
		if (!s || strcmp(s, name) || h.sh_type == SHT_NOBITS)
			continue;
		*bytes = elf_range(elf, h.sh_offset, h.sh_size);
		*size = h.sh_size;
		return *bytes != NULL;
	}
	return false;
}
