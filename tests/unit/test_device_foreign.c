/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firmware and kernels that were built without a line of ours: they boot by the hardware's rules,
 * run a launch, and what they record is read.
 */
#include "device/kernel_build.h"
#include "device/prof_decode.h"
#include "device_tools.h"
#include "tensix_tools.h"

#include <unistd.h>

#define SOURCES DEVICE_KERNELS "/foreign"

struct stranger {
	char folder[64];
	struct elf_image elf[3];
	uint8_t *bytes[3];
	struct zone_names names;
};

/* Compiles one source to run at ADDRESS; what the compiler says is a log of zone names. */
static void build_one(struct stranger *s, unsigned i, const char *source, const char *flags,
		      uint32_t address)
{
	char command[1500], path[200];
	struct tacho_error err;
	size_t size;

	snprintf(
		command, sizeof(command),
		"cd %s && LC_ALL=C riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -Os -ffreestanding "
		"-nostdlib -nostartfiles %s -Wl,-e,0x%x -Wl,--section-start=.start=0x%x -Wl,-Ttext=0x%x "
		"-Wl,--no-warn-rwx-segments -o %u.elf " SOURCES "/%s -lgcc 2>log",
		s->folder, flags, address, address, address + 0x400, i, source);
	if (system(command) != 0)
		print_message("%s\n", command);
	snprintf(path, sizeof(path), "%s/log", s->folder);
	assert_int_equal(names_read(&s->names, path), 0);
	snprintf(path, sizeof(path), "%s/%u.elf", s->folder, i);
	assert_int_equal(device_read_file(path, &s->bytes[i], &size), 0);
	assert_int_equal(elf_parse(&s->elf[i], s->bytes[i], size, &err), 0);
}

static void build_all(struct stranger *s, const char *flags)
{
	strcpy(s->folder, "/tmp/tacho-foreign.XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	build_one(s, 0, "firmware.c", "", 0x3A00);
	build_one(s, 1, "subordinate.c", "", 0x12000);
	build_one(s, 2, "kernel.c", flags, 0x20000);
}

static void free_all(struct stranger *s)
{
	char command[100];

	for (unsigned i = 0; i < 3; i++) {
		elf_free(&s->elf[i]);
		free(s->bytes[i]);
	}
	names_free(&s->names);
	snprintf(command, sizeof(command), "rm -r %s", s->folder);
	assert_int_equal(system(command), 0);
}

static void image_load(struct tensix *t, int core, const struct elf_image *elf)
{
	for (unsigned i = 0; i < elf->segments; i++)
		assert_int_equal(tensix_write(t, (unsigned)core, elf->segment[i].load,
					      elf->segment[i].bytes, elf->segment[i].file_size),
				 0);
}

/* What a host prepares: a jump at 0, bank tables, the profiler's control words. */
static void board_prepare(struct tensix *t, int core, const struct stranger *s)
{
	const struct arch *a = tensix_arch(t);
	uint32_t at = 53440, zero = 0;

	for (unsigned i = 0; i < 3; i++)
		image_load(t, core, &s->elf[i]);
	tools_write32(t, core, 0, J(0x3A00));
	for (unsigned noc = 0; noc < 2; noc++)
		for (unsigned i = 0; i < a->dram_banks; i++, at += 2) {
			struct arch_xy port;
			uint64_t offset;
			uint16_t xy;

			tensix_bank(t, i, &port, &offset);
			xy = (uint16_t)(port.y << 6 | port.x);
			tensix_write(t, (unsigned)core, at, &xy, 2);
		}
	at = 53440 + (a->dram_banks + 4) * 4;
	for (unsigned i = 0; i < a->dram_banks; i++)
		tensix_write(t, (unsigned)core, at + 4 * i, &zero, 4);
	tools_write32(t, core, 0x40000, a->dram_banks);
	tools_write32(t, core, 0x40004, 4); /* banks of L1 in the table */
	tools_write32(t, core, 2816 + 4 * 50, 32);
	tools_write32(t, core, 2816 + 4 * 54, (uint32_t)core);
	tools_write32(t, core, 2816 + 4 * 55, 3);
}

/* The launch message and the go signal, by their offsets. */
static void board_launch(struct tensix *t, int core, uint32_t op)
{
	tools_write32(t, core, 32 + 0, 0x18000);
	tools_write32(t, core, 32 + 28, 0x100); /* arguments of BRISC */
	tools_write32(t, core, 32 + 48, 1);
	tools_write32(t, core, 32 + 52, 0x8000); /* text of BRISC's kernel, from the base */
	tools_write32(t, core, 32 + 116, op);
	tools_write32(t, core, 32 + 120, 3);
	tools_write32(t, core, 0x18100, 0x5000);
	tools_write32(t, core, 1184, 0x80000000u);
}

struct found {
	struct prof_item v[16];
	unsigned n;
};

static void event_take(void *context, const struct prof_item *item)
{
	struct found *f = context;

	assert_true(f->n < 16);
	f->v[f->n++] = *item;
}

static const struct prof_item *event_named(const struct found *f, const struct stranger *s,
					   const char *name)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct zone_name *z = names_find(&s->names, f->v[i].id);

		if (z && !strcmp(z->name, name))
			return &f->v[i];
	}
	return NULL;
}

static struct found read_markers(struct tensix *t, int core, unsigned risc)
{
	uint32_t n = tools_read32(t, core, 2816 + 4 * risc), words[512];
	struct prof_reader reader = {0};
	struct prof_counts counts = {0};
	struct found f = {0};

	assert_in_range(n, 12, 512);
	assert_int_equal(tensix_dram_read(t, (unsigned)core / 3,
					  32 + ((uint64_t)(core % 3) * 5 + risc) * 48000, words,
					  4 * n),
			 0);
	prof_decode(&reader, words, n, &(struct prof_expect){.risc = risc, .flat = (uint32_t)core},
		    event_take, &f, &counts);
	assert_int_equal(counts.damaged, 0);
	return f;
}

static void test_boot(void **state)
{
	struct stranger s = {0};
	struct tensix *t;
	struct found f;
	const struct prof_item *fw, *kernel;
	uint32_t data[16], sum = 0;
	int core;

	(void)state;
	if (!have_compiler())
		return;
	build_all(&s, "");
	assert_int_equal(s.names.n, 3);
	t = tools_device("tiny");
	core = tools_core(t, 1, 0);
	for (uint32_t i = 0; i < 16; i++)
		sum += data[i] = i * i + 5;
	tensix_dram_write(t, 0, 0x5000, data, sizeof(data));
	board_prepare(t, core, &s);
	/* it has booted when it says so in the mailbox */
	tools_write32(t, core, 1184, 0x40000000u);
	tools_start(t, core, 1u << TENSIX_B);
	assert_int_equal(tensix_run(t, 100000), TENSIX_IDLE);
	assert_int_equal(tools_read32(t, core, 1184), 0);
	for (uint32_t op = 1; op <= 2; op++) {
		board_launch(t, core, op * 11);
		assert_int_equal(tensix_run(t, 1000000), TENSIX_IDLE);
		assert_int_equal(tools_read32(t, core, 1184) >> 24, 0);
		assert_int_equal(tools_read32(t, core, 0x50000), sum);
		assert_int_equal(tools_read32(t, core, 0x50004), 7 * op);
	}
	/* its markers are where such markers are, and are read */
	f = read_markers(t, core, 0);
	assert_int_equal(f.n, 2 * 3);
	fw = event_named(&f, &s, "FOREIGN-FW");
	kernel = event_named(&f, &s, "FOREIGN-KERNEL");
	assert_non_null(fw);
	assert_non_null(kernel);
	assert_true(fw->start < kernel->start && kernel->end < fw->end);
	assert_int_equal(fw->op, 11);
	assert_int_equal(f.v[0].kind, PROF_K_EVENT);
	assert_int_equal(f.v[0].id, 321);
	assert_int_equal(f.v[3].op, 22);
	f = read_markers(t, core, 1);
	assert_int_equal(f.n, 2);
	assert_non_null(event_named(&f, &s, "FOREIGN-NC"));
	/* the register that is not there was noticed */
	assert_int_equal(tensix_unknown_count(t), 2);
	tensix_free(t);
	free_all(&s);
}

/* An illegal instruction stops its RISC: everything that helps to find it is reported. */
static void test_illegal(void **state)
{
	struct stranger s = {0};
	struct tensix *t;
	struct tensix_fault f;
	const struct elf_symbol *symbol;
	int core;

	(void)state;
	if (!have_compiler())
		return;
	build_all(&s, "-DBAD");
	t = tools_device("tiny");
	core = tools_core(t, 1, 1);
	board_prepare(t, core, &s);
	tools_start(t, core, 1u << TENSIX_B);
	tensix_run(t, 100000);
	board_launch(t, core, 1);
	assert_int_equal(tensix_run(t, 1000000), TENSIX_FAULT);
	assert_true(tensix_fault(t, &f, true));
	assert_int_equal(f.kind, TENSIX_FAULT_ILLEGAL);
	assert_int_equal(f.core, core);
	assert_int_equal(f.risc, TENSIX_B);
	assert_int_equal(f.place.logical_x, 1);
	assert_int_equal(f.word, 0xffffffff);
	symbol = elf_symbol_at(&s.elf[2], f.pc);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "bad_place");
	assert_in_range(f.x[2], 0xFFB00E00, 0xFFB00FF0);
	tensix_free(t);
	free_all(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boot),
		cmocka_unit_test(test_illegal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
