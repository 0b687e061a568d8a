/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run a kernel from the command line on a device; print its instructions, as text and as they run.
 */
#include "cmds/device.h"
#include "device/kernel_build.h"
#include "device/program.h"
#include "device/report.h"
#include "tensix/rv32.h"
#include "tensix/tensix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGS 256

static int own_error(struct device_job *job, int code)
{
	job->own = true;
	return code;
}

int device_cores_parse(const char *text, uint16_t v[4], struct tacho_error *err)
{
	unsigned u[4];
	int used = 0, n = sscanf(text, "%u,%u%n-%u,%u%n", &u[0], &u[1], &used, &u[2], &u[3], &used);

	if (n == 2)
		u[2] = u[0], u[3] = u[1];
	if ((n != 2 && n != 4) || text[used])
		return err_set(err, TACHO_EUSAGE, "--cores takes X,Y or X,Y-X,Y, not '%s'", text);
	for (unsigned i = 0; i < 4; i++)
		v[i] = u[i] > UINT16_MAX ? UINT16_MAX : (uint16_t)u[i];
	return 0;
}

static int parse_cores(struct device_job *job, const char *text)
{
	uint16_t v[4];
	int r = device_cores_parse(text, v, &job->err);

	if (r < 0)
		return own_error(job, r);
	job->cores = (struct tacho_core_range){{v[0], v[1]}, {v[2], v[3]}};
	return 0;
}

/* The words of option NAME; the caller frees them. */
static int parse_words(struct device_job *job, const struct opt_list *list, const char *name,
		       uint32_t **out)
{
	uint32_t *words = calloc(list->n + 1, sizeof(*words));

	*out = words;
	if (!words)
		return own_error(job, err_set(&job->err, TACHO_ENOMEM, "no memory"));
	for (size_t i = 0; i < list->n; i++) {
		char *end;
		unsigned long long v;

		errno = 0;
		v = strtoull(list->v[i], &end, 0);
		if (end == list->v[i] || *end || errno || v > UINT32_MAX)
			return own_error(job, err_set(&job->err, TACHO_EUSAGE,
						      "--%s wants a 32-bit number, not '%s'", name,
						      list->v[i]));
		words[i] = (uint32_t)v;
	}
	return 0;
}

/*
 * The strings of an option, NULL-terminated; the caller frees the array, the option owns the
 * strings.
 */
static int list_strings(struct device_job *job, const struct opt_list *list, const char ***out)
{
	*out = calloc(list->n + 1, sizeof(**out));
	if (!*out)
		return own_error(job, err_set(&job->err, TACHO_ENOMEM, "no memory"));
	for (size_t i = 0; i < list->n; i++)
		(*out)[i] = list->v[i];
	return 0;
}

static int device_job_args_set(struct device_job *job, int kernel, const uint32_t *args, unsigned n)
{
	int r = 0;

	for (unsigned y = job->cores.first.y; y <= job->cores.last.y; y++)
		for (unsigned x = job->cores.first.x; r == 0 && x <= job->cores.last.x; x++)
			r = tacho_program_args(job->program, kernel,
					       (struct tacho_core){(uint16_t)x, (uint16_t)y}, args,
					       n);
	return r;
}

static int device_job_kernel_add(struct device_job *job, const struct device_conf *c)
{
	const char **defines = NULL, **includes = NULL;
	uint32_t *args = NULL, *compile_args = NULL;
	int r = 0;

	if (c->args.n > MAX_ARGS)
		r = own_error(job, err_set(&job->err, TACHO_ELIMIT, "at most %d arguments (--arg)",
					   MAX_ARGS));
	if (r == 0)
		r = parse_words(job, &c->args, "arg", &args);
	if (r == 0)
		r = parse_words(job, &c->compile_args, "compile-arg", &compile_args);
	if (r == 0)
		r = list_strings(job, &c->defines, &defines);
	if (r == 0)
		r = list_strings(job, &c->includes, &includes);
	if (r == 0)
		r = tacho_program_kernel(job->program,
					 &(struct tacho_kernel){
						 .source = c->kernel,
						 .risc = (enum tacho_risc)c->risc,
						 .cores = job->cores,
						 .defines = defines,
						 .include_paths = includes,
						 .compile_args = compile_args,
						 .compile_arg_count = (unsigned)c->compile_args.n,
					 });
	if (r >= 0)
		r = device_job_args_set(job, r, args, (unsigned)c->args.n);
	free(args);
	free(compile_args);
	free(defines);
	free(includes);
	return r;
}

int device_job_open(struct device_job *job, const struct device_conf *c, bool profile)
{
	struct tacho_device_options options = {
		.arch = c->arch,
		.cores = (unsigned)c->size,
		.seed = (uint64_t)c->seed,
		.max_cycles = (uint64_t)c->max_cycles,
		.profile = profile,
		.program_count = c->op_support_count < UINT32_MAX ? (unsigned)c->op_support_count
								  : UINT32_MAX,
	};
	int r = parse_cores(job, c->cores ? c->cores : "0,0");

	if (r == 0)
		r = tacho_device_open(&job->device, &options);
	if (r == 0)
		r = tacho_program_new(&job->program, job->device);
	if (r == 0)
		r = device_job_kernel_add(job, c);
	return r == 0 ? tacho_program_compile(job->program) : r;
}

int device_job_close(struct device_job *job, int result)
{
	if (result < 0) {
		if (job->own)
			err_report(&job->err, result);
		else
			fprintf(stderr, "tacho: %s\n", tacho_device_error());
	}
	tacho_program_free(job->program);
	tacho_device_close(job->device);
	return err_exit_code(result);
}

/* ---- disasm ---- */
static const char *device_job_symbol(void *context, uint32_t address, uint32_t *offset)
{
	const struct elf_symbol *s = elf_symbol_at(context, address);

	if (s)
		*offset = address - s->address;
	return s ? s->name : NULL;
}

static void print_text(struct elf_image *elf)
{
	for (unsigned i = 0; i < elf->segments; i++) {
		const struct elf_segment *s = &elf->segment[i];

		for (uint32_t at = 0; (s->flags & 1) && at + 4 <= s->file_size; at += 4) {
			uint32_t word, pc, offset;
			char text[200];
			const char *name;

			memcpy(&word, s->bytes + at, 4);
			pc = s->address + at;
			offset = 1;
			name = device_job_symbol(elf, pc, &offset);
			if (name && !offset)
				printf("\n%08x <%s>:\n", pc, name);
			printf("%8x:  %08x  %s\n", pc, word,
			       rv32_disasm(text, sizeof(text), word, pc, device_job_symbol, elf));
		}
	}
}

int device_elf(const char *path, struct elf_image *elf, uint8_t **bytes, struct tacho_error *err)
{
	struct tacho_error why;
	size_t size;
	int r = device_read_file(path, bytes, &size);

	if (r < 0)
		return err_set(err, r, "cannot read %s: %s", path, strerror(errno));
	r = elf_parse(elf, *bytes, size, &why);
	if (r < 0) {
		free(*bytes);
		err_set(err, r, "%s: %s", path, why.text);
	}
	return r;
}

static bool is_elf(const char *path)
{
	char magic[4] = {0};
	FILE *f = fopen(path, "rbe");
	bool is = f && fread(magic, 1, 4, f) == 4 && !memcmp(magic, "\177ELF", 4);

	if (f)
		fclose(f);
	return is;
}

static int disasm_elf(const char *path)
{
	struct tacho_error err;
	struct elf_image elf;
	uint8_t *bytes;
	int r = device_elf(path, &elf, &bytes, &err);

	if (r < 0)
		return err_report(&err, r);
	print_text(&elf);
	elf_free(&elf);
	free(bytes);
	return 0;
}

int device_disasm(const struct device_conf *c)
{
	struct device_job job = {0};
	int r;

	if (is_elf(c->kernel))
		return disasm_elf(c->kernel);
	r = device_job_open(&job, c, false);
	for (unsigned i = 0; r == 0 && i < DEVICE_RISCS; i++) {
		const struct binary *b = job.program->kernels.v[0].binary[i];
		struct elf_image elf;

		if (!b)
			continue;
		elf = b->elf;
		printf("%s, for %s:\n", c->kernel, risc_name(i, c->risc == TACHO_ERISC));
		print_text(&elf);
	}
	return device_job_close(&job, r);
}

/* ---- trace ---- */
struct tracing {
	unsigned core;
	int64_t left;
	const struct binary *const *kernels;
	uint64_t passed; /* not printed */
};

static void device_job_step_print(void *context, unsigned core, unsigned risc, uint64_t cycle,
				  uint32_t pc, uint32_t word)
{
	struct tracing *t = context;
	const struct binary *b = t->kernels[risc];
	char text[200];
	uint32_t offset = 0;
	const char *name;
	struct elf_image elf;

	if (core != t->core || !b || pc - b->load >= b->text_size)
		return;
	if (t->left <= 0) {
		t->passed++;
		return;
	}
	t->left--;
	elf = b->elf;
	name = device_job_symbol(&elf, pc, &offset);
	printf("%8llu %-6s %6x  %-20.20s+%-4x %s\n", (unsigned long long)cycle,
	       risc_name(risc, false), pc, name ? name : "?", offset,
	       rv32_disasm(text, sizeof(text), word, pc, device_job_symbol, &elf));
}

int device_print_unknown(struct tensix *t, const struct table_style *style)
{
	static const struct table_column columns[] = {
		{"address", "unknown register", TABLE_STRING},
		{"block", "block", TABLE_STRING},
		{"reads", "reads", TABLE_COUNT},
		{"writes", "writes", TABLE_COUNT},
		{"last_value", "last written", TABLE_STRING},
		{"pc", "first at pc", TABLE_STRING},
	};
	struct table table;
	char text[32];

	if (!tensix_unknown_count(t))
		return 0;
	table_open(&table, stdout, style, TABLE_COLUMNS(columns));
	for (size_t i = 0; i < tensix_unknown_count(t); i++) {
		const struct tensix_unknown *u = tensix_unknown(t, i);

		snprintf(text, sizeof(text), "0x%08x", u->address);
		table_text(&table, text);
		table_text(&table, u->name);
		table_uint(&table, u->reads);
		table_uint(&table, u->writes);
		snprintf(text, sizeof(text), "0x%x", u->last_value);
		table_text(&table, text);
		snprintf(text, sizeof(text), "0x%x", u->pc);
		table_text(&table, text);
		table_row(&table);
	}
	return table_close(&table);
}

int device_trace(const struct device_conf *c, const struct table_style *style)
{
	struct device_job job = {0};
	struct tracing t = {.left = c->lines};
	int r = device_job_open(&job, c, false), core;

	if (r == 0) {
		t.kernels = job.program->kernels.v[0].binary;
		core = device_core_at(job.device, c->risc == TACHO_ERISC, job.cores.first.x,
				      job.cores.first.y);
		t.core = (unsigned)core;
		tensix_trace(job.device->self, device_job_step_print, &t);
		r = tacho_enqueue(job.device, job.program);
		if (r == 0)
			r = tacho_finish(job.device);
		if (t.passed)
			printf("... and %llu more\n", (unsigned long long)t.passed);
		device_print_unknown(job.device->self, style);
	}
	return device_job_close(&job, r);
}
