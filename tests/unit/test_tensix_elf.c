/* SPDX-License-Identifier: Apache-2.0 */
/* The ELF loader on good files, cut files and lies. */
#include "tensix_tools.h"

#include "tensix/elf.h"

#include <elf.h>
#include <stdlib.h>

/* A small executable: header, one segment, text, symbols, strings, section headers. */
struct file {
	Elf32_Ehdr e;
	Elf32_Phdr p;
	uint32_t text[4];
	Elf32_Sym sym[3];
	char strings[64];
	Elf32_Shdr s[4];
};

static void elf_make(struct file *f)
{
	static const char strings[64] = "\0main\0data\0.symtab\0.strtab\0.tsc_zones";

	*f = (struct file){0};
	memcpy(f->e.e_ident, "\177ELF\1\1\1", 7);
	f->e.e_type = ET_EXEC;
	f->e.e_machine = EM_RISCV;
	f->e.e_entry = 0x1000;
	f->e.e_phoff = offsetof(struct file, p);
	f->e.e_phentsize = sizeof(Elf32_Phdr);
	f->e.e_phnum = 1;
	f->e.e_shoff = offsetof(struct file, s);
	f->e.e_shentsize = sizeof(Elf32_Shdr);
	f->e.e_shnum = 4;
	f->e.e_shstrndx = 2;
	f->p = (Elf32_Phdr){.p_type = PT_LOAD,
			    .p_offset = offsetof(struct file, text),
			    .p_vaddr = 0x1000,
			    .p_paddr = 0x1000,
			    .p_filesz = 16,
			    .p_memsz = 32,
			    .p_flags = PF_X};
	memcpy(f->strings, strings, sizeof(strings));
	f->sym[1] = (Elf32_Sym){
		.st_name = 1, .st_value = 0x1000, .st_size = 8, .st_info = STT_FUNC, .st_shndx = 1};
	f->sym[2] = (Elf32_Sym){.st_name = 6,
				.st_value = 0x1008,
				.st_size = 8,
				.st_info = STT_OBJECT,
				.st_shndx = 1};
	f->s[1] = (Elf32_Shdr){.sh_name = 11,
			       .sh_type = SHT_SYMTAB,
			       .sh_offset = offsetof(struct file, sym),
			       .sh_size = sizeof(f->sym),
			       .sh_link = 2};
	f->s[2] = (Elf32_Shdr){.sh_name = 19,
			       .sh_type = SHT_STRTAB,
			       .sh_offset = offsetof(struct file, strings),
			       .sh_size = 64};
	f->s[3] = (Elf32_Shdr){.sh_name = 27,
			       .sh_type = SHT_PROGBITS,
			       .sh_offset = offsetof(struct file, text),
			       .sh_size = 16};
}

static void test_good(void **state)
{
	struct file f;
	struct elf_image elf;
	const uint8_t *bytes;
	uint32_t size;

	(void)state;
	elf_make(&f);
	assert_int_equal(elf_parse(&elf, &f, sizeof(f), NULL), 0);
	assert_int_equal(elf.entry, 0x1000);
	assert_int_equal(elf.segments, 1);
	assert_int_equal(elf.nsymbols, 2);
	assert_string_equal(elf_symbol_at(&elf, 0x1004)->name, "main");
	assert_string_equal(elf_symbol_at(&elf, 0x100c)->name, "data");
	assert_null(elf_symbol_at(&elf, 0x1010));
	assert_null(elf_symbol_at(&elf, 0xfff));
	assert_int_equal(elf_symbol_named(&elf, "data")->address, 0x1008);
	assert_null(elf_symbol_named(&elf, "none"));
	assert_true(elf_section(&elf, ".tsc_zones", &bytes, &size));
	assert_int_equal(size, 16);
	assert_false(elf_section(&elf, ".none", &bytes, &size));
	elf_free(&elf);
}

static void elf_reject(const struct file *f, size_t size, int code)
{
	struct elf_image elf;
	uint8_t *copy = malloc(size ? size : 1);
	int r;

	memcpy(copy, f, size);
	r = elf_parse(&elf, copy, size, NULL);
	if (code)
		assert_int_equal(r, code);
	if (r == 0)
		elf_free(&elf);
	free(copy);
}

static void test_lies(void **state)
{
	struct file f;

	(void)state;
	elf_make(&f);
	f.e.e_machine = EM_X86_64;
	elf_reject(&f, sizeof(f), TACHO_EFORMAT);
	elf_make(&f);
	f.e.e_ident[EI_CLASS] = ELFCLASS64;
	elf_reject(&f, sizeof(f), TACHO_EFORMAT);
	elf_make(&f);
	f.p.p_offset = 0xfffffff0;
	elf_reject(&f, sizeof(f), TACHO_EDAMAGED);
	elf_make(&f);
	f.p.p_filesz = 64;
	elf_reject(&f, sizeof(f), TACHO_EDAMAGED);
	elf_make(&f);
	f.p.p_vaddr = 0xfffffff0;
	elf_reject(&f, sizeof(f), TACHO_EDAMAGED);
	elf_make(&f);
	f.e.e_phnum = 1000;
	elf_reject(&f, sizeof(f), 0);
	elf_make(&f);
	f.s[1].sh_link = 77;
	elf_reject(&f, sizeof(f), TACHO_EDAMAGED);
	elf_make(&f);
	f.s[1].sh_size = 0x7fffffff;
	elf_reject(&f, sizeof(f), TACHO_EDAMAGED);
	elf_make(&f);
	f.sym[1].st_name = 0xffffffff;
	elf_reject(&f, sizeof(f), 0);
	elf_make(&f);
	f.s[2].sh_size = 20; /* the last string is not ended */
	elf_reject(&f, sizeof(f), 0);
	elf_make(&f);
	f.e.e_shstrndx = 99;
	elf_reject(&f, sizeof(f), 0);
}

static void test_cut(void **state)
{
	struct file f;

	(void)state;
	elf_make(&f);
	for (size_t size = 0; size < sizeof(f); size++)
		elf_reject(&f, size, 0);
	elf_reject(&f, 10, TACHO_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
