/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compile kernels and firmware to ELF files. The cache ($TACHO_CACHE, else $XDG_CACHE_HOME/tacho,
 * else ~/.cache/tacho) holds KEY.elf and KEY.deps for each command; KEY.deps lists the input files
 * with a hash of their content. An entry is valid while all these hashes match and while KEY.elf
 * and the compiler's output in KEY.elf.log match the checksum at the start of KEY.deps. Files are
 * written under a temporary name, which is unique per thread, and renamed, so that several
 * processes and threads can share a cache.
 */
#include "base/environ.h"
#include "base/text.h"
#include "device/kernel_build.h"
#include "device/prof.h"
#include "device/report.h"
#include "tacho_layout.h"

#include <tacho/tacho.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILER "riscv64-unknown-elf-gcc"
#define MAX_FILE (64u << 20)

extern char **environ;

/* A command line that owns its words, and the compiler's standard input. */
struct words {
	VEC(char *);
	bool failed;
	struct buf source;
};

static void __attribute__((format(printf, 2, 3))) word(struct words *w, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		w->failed = true;
	} else if (vec_push(w, text) < 0) {
		free(text);
		w->failed = true;
	}
	va_end(args);
}

/* ---- files ---- */
int device_read_file(const char *path, uint8_t **bytes, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t at = 0;
	ssize_t n;

	if (fd < 0)
		return TACHO_EREAD;
	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode) || st.st_size > MAX_FILE ||
	    !(*bytes = malloc((size_t)st.st_size + 1))) {
		close(fd);
		return TACHO_EREAD;
	}
	while (at < (size_t)st.st_size && (n = read(fd, *bytes + at, (size_t)st.st_size - at)) > 0)
		at += (size_t)n;
	close(fd);
	(*bytes)[at] = 0;
	*size = at;
	return 0;
}

static uint64_t hash_file(const char *path)
{
	uint8_t *bytes;
	size_t size;
	uint64_t h;

	if (device_read_file(path, &bytes, &size) < 0)
		return 0;
	h = hash_bytes(HASH_START, bytes, size);
	free(bytes);
	return h ? h : 1;
}

/* Paths of the firmware: sources, the profiler's header, the headers that kernels include. */
struct folders {
	char firmware[PATH_MAX + 64], include[PATH_MAX + 64], forward[PATH_MAX + 80];
};

/* True if ROOT, the prefix of an installation, contains the firmware. */
static bool firmware_below(const char *root, struct folders *f)
{
	snprintf(f->firmware, sizeof(f->firmware), "%s/" TACHO_SHARE "/firmware", root);
	snprintf(f->include, sizeof(f->include), "%s/" TACHO_SHARE "/include", root);
	snprintf(f->forward, sizeof(f->forward), "%s/forward", f->firmware);
	return access(f->firmware, R_OK) == 0;
}

/* Finds the install tree from the path of this code, so that the tree can be moved. */
static bool firmware_installed(struct folders *f)
{
	char root[PATH_MAX];
	Dl_info self;

	/* Path of this code. For a program the loader only knows the name that the shell used. */
	if (!dladdr((const void *)(uintptr_t)tacho_device_open, &self))
		return false;
	if (!realpath(strchr(self.dli_fname, '/') ? self.dli_fname : "/proc/self/exe", root))
		return false;
	/* PREFIX/bin, PREFIX/lib or PREFIX/lib/TRIPLET */
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(root, '/');

		if (!slash)
			return false;
		*slash = 0;
		if (up && firmware_below(root, f))
			return true;
	}
	return false;
}

/* Firmware sources and kernel headers: $TACHO_FIRMWARE, the install tree, or the source tree. */
static int firmware_folders(struct folders *f)
{
	const char *own = environ_get("TACHO_FIRMWARE");

	snprintf(f->forward, sizeof(f->forward), "%s", TACHO_SOURCE_FORWARD);
	if (own && *own) {
		snprintf(f->firmware, sizeof(f->firmware), "%s", own);
		snprintf(f->include, sizeof(f->include), "%s/../include", own);
		if (access(f->forward, R_OK) < 0)
			snprintf(f->forward, sizeof(f->forward), "%s/forward", f->firmware);
		return 0;
	}
	if (firmware_installed(f))
		return 0;
	snprintf(f->firmware, sizeof(f->firmware), "%s", TACHO_SOURCE_FIRMWARE);
	snprintf(f->include, sizeof(f->include), "%s", TACHO_SOURCE_INCLUDE);
	snprintf(f->forward, sizeof(f->forward), "%s", TACHO_SOURCE_FORWARD);
	return access(f->firmware, R_OK) == 0
		       ? 0
		       : device_fail(TACHO_EREAD, "no firmware in %s: is Tacho installed?",
				     f->firmware);
}

int build_own_source(const char *name, char *path, size_t size)
{
	struct folders f;
	int r = firmware_folders(&f);

	if (r == 0 && (size_t)snprintf(path, size, "%s/src/%s", f.firmware, name) >= size)
		r = device_fail(TACHO_ELIMIT, "the path of %s is too long", name);
	return r;
}

int tacho_op_kernel(const char *name, char *path, size_t size)
{
	struct folders f;
	int r = firmware_folders(&f);

	if (r == 0 && (size_t)snprintf(path, size, "%s/ops/%s", f.firmware, name) >= size)
		r = device_fail(TACHO_ELIMIT, "the path of %s is too long", name);
	return r;
}

/* ---- the command ---- */
static void add_layout(struct words *w, const struct tacho_device *d, const struct build *b)
{
	static const uint32_t text[] = {FW_BRISC, FW_NCRISC, FW_TRISC0, FW_TRISC1, FW_TRISC2};
	static const uint32_t end[] = {FW_TRISC0, KERNEL_TEXT, FW_TRISC1, BANK_TABLE, FW_NCRISC};
	uint32_t slot = KERNEL_TEXT + b->risc * KERNEL_TEXT_SLOT;
	uint32_t ram_end = LOCAL_RAM + d->shape.local_size[b->risc];

	word(w, "-Wl,--defsym=__tacho_text=0x%x", b->firmware ? text[b->risc] : slot);
	word(w, "-Wl,--defsym=__tacho_text_end=0x%x",
	     b->firmware ? end[b->risc] : slot + KERNEL_TEXT_SLOT);
	word(w, "-Wl,--defsym=__tacho_data=0x%x", b->firmware ? LOCAL_RAM : KERNEL_DATA);
	/* A kernel must leave 512 bytes for the stack. */
	word(w, "-Wl,--defsym=__tacho_data_end=0x%x", b->firmware ? KERNEL_DATA : ram_end - 512);
	word(w, "-Wl,--defsym=__tacho_zone_base=%u", d->next_zone);
	word(w, "-DTACHO_STACK=\"0x%x\"", ram_end);
}

/* The kernel's path for the compiler; the caller frees it. */
static int kernel_path(const char *source, char **out)
{
	struct stat st;

	*out = realpath(source, NULL);
	if (!*out)
		return device_fail(TACHO_EREAD, "cannot read the kernel %s: %s", source,
				   strerror(errno));
	if (stat(*out, &st) == 0 && S_ISDIR(st.st_mode)) {
		free(*out);
		*out = NULL;
		return device_fail(TACHO_EREAD, "the kernel %s is a folder", source);
	}
	return 0;
}

/* Options for all kernels and firmware. */
static void add_options(struct words *w, bool cpp)
{
	static const char *const all[] = {"-march=rv32im",
					  "-mabi=ilp32",
					  "-g1",
					  "-ffreestanding",
					  "-nostdlib",
					  "-Wall",
					  "-Wno-array-bounds", /* L1 begins at 0 */
					  "-fno-tree-loop-distribute-patterns",
					  "-fdiagnostics-color=never",
					  NULL};
	/* Report an error with file and line, not a linker error. */
	static const char *const c[] = {"-Os", "-std=gnu17",
					"-Werror=implicit-function-declaration", NULL};
	/* Third-party kernels get no warnings that their authors did not enable. */
	static const char *const plus[] = {"-O2",
					   "-std=gnu++20",
					   "-fno-exceptions",
					   "-fno-rtti",
					   "-fno-threadsafe-statics",
					   "-fno-use-cxa-atexit",
					   "-Wno-volatile",
					   "-Wno-deprecated",
					   "-Wno-deprecated-declarations",
					   "-Wno-unused-variable",
					   "-Wno-unused-but-set-variable",
					   "-Wno-unused-function",
					   "-Wno-unused-local-typedefs",
					   "-Wno-unknown-pragmas",
					   NULL};

	for (const char *const *f = all; *f; f++)
		word(w, "%s", *f);
	for (const char *const *f = cpp ? plus : c; *f; f++)
		word(w, "%s", *f);
}

/* Our headers first, then the user's, then those of the kernels installed in $TT_METAL_HOME. */
static void add_includes(struct words *w, const struct build *b, const struct folders *f)
{
	static const char *const below[] = {"",
					    "/ttnn",
					    "/ttnn/cpp",
					    "/tt_metal",
					    "/tt_metal/hw/inc",
					    "/tt_metal/hostdevcommon/api",
					    "/tt_metal/api"};
	const char *root = environ_get("TT_METAL_RUNTIME_ROOT");

	word(w, "-I%s/include", f->firmware);
	word(w, "-I%s", f->include);
	word(w, "-I%s", f->forward);
	for (size_t i = 0; b->includes && b->includes[i]; i++)
		word(w, "-I%s", b->includes[i]);
	word(w, "-isystem");
	word(w, "%s/std", f->firmware);
	if (b->firmware || b->builtin)
		return;
	if (!root || !*root)
		root = environ_get("TT_METAL_HOME");
	for (size_t i = 0; root && *root && i < sizeof(below) / sizeof(below[0]); i++) {
		word(w, "-idirafter");
		word(w, "%s%s", root, below[i]);
	}
}

static int build_command(struct words *w, const struct tacho_device *d, const struct build *b)
{
	const char *compiler = environ_get("TACHO_RISCV_CC");
	char source[PATH_MAX + 128], *real = NULL;
	bool cpp = !b->firmware && source_is_cpp(b->source);
	struct folders f;
	int r = firmware_folders(&f);

	if (r < 0)
		return r;
	snprintf(source, sizeof(source), "%s/src/%s", f.firmware, b->source);
	if (!b->firmware && !b->text) {
		r = kernel_path(b->builtin ? source : b->source, &real);
		if (r < 0)
			return r;
	}
	word(w, "%s", compiler && *compiler ? compiler : COMPILER);
	add_options(w, cpp);
	add_includes(w, b, &f);
	word(w, "-DTACHO_RISC=%u", b->risc);
	word(w, "-DTACHO_MAILBOX=%u", d->shape.mailbox);
	word(w, "-DTACHO_NIU_STRIDE=%u", d->shape.niu_stride);
	word(w, "-DTACHO_PACKET=%u", d->shape.packet_bytes);
	word(w, "-DTACHO_DRAM_BANKS=%u", d->shape.dram_banks);
	word(w, "-DTACHO_L1_BANKS=%u", d->workers);
	word(w, "-DDRAM_ALIGNMENT=%uu", d->shape.dram_alignment);
	word(w, "-D%s", strcmp(d->shape.arch, "blackhole") ? "ARCH_WORMHOLE" : "ARCH_BLACKHOLE");
	word(w, "-DPROFILE_KERNEL=%u", d->profile);
	if (d->prof)
		word(w, "-DPROFILER_FULL_HOST_BUFFER_SIZE_PER_RISC=%u", d->prof->area);
	if (d->prof && d->prof->counters)
		word(w, "-DPROFILE_PERF_COUNTERS=%u", d->prof->counters);
	if (d->prof && d->prof->noc_events)
		word(w, "-DPROFILE_NOC_EVENTS=%u", d->prof->noc_events);
	if (d->prof && d->hashed)
		word(w, "-DPROFILE_ZONE_HASH");
	if (d->dprint)
		word(w, "-DDEBUG_PRINT_ENABLED");
	if (b->ethernet)
		word(w, "-DTACHO_ERISC");
	add_layout(w, d, b);
	if (b->symbols) {
		word(w, "-Wl,--just-symbols=%s", b->symbols->path);
		word(w, "-Wl,-e,kernel_start"); /* the firmware provides _start */
	}
	word(w, "-Wl,-T,%s/link.ld", f.firmware);
	word(w, "-Wl,--no-warn-rwx-segments");
	word(w, "-x");
	word(w, "%s", cpp ? "c++" : "c");
	word(w, "-");
	word(w, "-lgcc");
	r = source_text(&w->source, b, f.firmware, real);
	free(real);
	return r == 0 && w->failed ? device_fail(TACHO_ENOMEM, "no memory") : r;
}

/* ---- the cache ---- */

/* A cache entry. */
struct entry {
	uint64_t key;
	char elf[900], log[900], deps[900];
	uint64_t checksum; /* from .deps, for entry_read() */
};

/* Covers the key as well, so that the kernel of another command is never mistaken for this one. */
static uint64_t entry_checksum(const struct entry *e, const uint8_t *elf, size_t size)
{
	uint64_t h = hash_bytes(HASH_START, &e->key, sizeof(e->key)), log = hash_file(e->log);

	h = hash_bytes(h, &log, sizeof(log));
	return hash_bytes(h, elf, size);
}

/* Reads the ELF file. TACHO_EDAMAGED: its checksum does not match. */
static int entry_read(const struct entry *e, uint8_t **bytes, size_t *size)
{
	if (device_read_file(e->elf, bytes, size) < 0)
		return device_fail(TACHO_EREAD, "cannot read %s", e->elf);
	if (entry_checksum(e, *bytes, *size) == e->checksum)
		return 0;
	free(*bytes);
	*bytes = NULL;
	return device_fail(TACHO_EDAMAGED, "%s has been changed", e->elf);
}

/* The checksum, then "HASH PATH" per line. */
static bool entry_is_current(struct entry *e)
{
	uint8_t *bytes;
	size_t size;
	bool hold;
	char *line, *rest, *name;

	if (device_read_file(e->deps, &bytes, &size) < 0)
		return false;
	line = strtok_r((char *)bytes, "\n", &rest);
	e->checksum = line ? strtoull(line, &name, 16) : 0;
	hold = line && !*name;
	while (hold && (line = strtok_r(NULL, "\n", &rest))) {
		uint64_t want = strtoull(line, &name, 16);

		hold = *name == ' ' && want && hash_file(name + 1) == want;
	}
	free(bytes);
	return hold;
}

/* The next file of a make rule ("target: a b \\ c"), unescaped in place; NULL at the end. */
static char *next_dep(char **rule)
{
	char *from = *rule, *to, *name;

	while (*from == ' ' || *from == '\n' || (*from == '\\' && from[1] == '\n'))
		from++;
	for (name = to = from; *from && *from != ' ' && *from != '\n'; from++) {
		if (*from == '\\' && from[1] == '\n')
			break;
		if ((*from == '\\' && (from[1] == ' ' || from[1] == '#')) ||
		    (*from == '$' && from[1] == '$'))
			from++;
		*to++ = *from;
	}
	*rule = *from ? from + 1 : from;
	if (to == name)
		return NULL;
	*to = 0;
	return name;
}

/* Write under a temporary name first: other processes may be reading. */
static int write_whole(const char *path, const struct buf *text)
{
	char temporary[1200];
	FILE *f;
	int r;

	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)gettid());
	f = fopen(temporary, "we");
	r = f && fwrite(text->data, 1, text->len, f) == text->len ? 0 : TACHO_EWRITE;
	if (f && fclose(f))
		r = TACHO_EWRITE;
	return r == 0 && rename(temporary, path) < 0 ? TACHO_EWRITE : r;
}

static void dep_add(struct buf *list, const char *name)
{
	buf_addf(list, "%016llx %s\n", (unsigned long long)hash_file(name), name);
}

/*
 * Lists the inputs of the compiler and of the linker: each kernel contains addresses of the
 * firmware's data. ELF: the new file, still under its temporary name.
 */
static int write_deps(struct entry *e, const struct words *w, const char *elf,
		      const char *rule_path)
{
	static const char *const linked[] = {"-Wl,--just-symbols=", "-Wl,-T,"};
	struct buf list = BUF_INIT;
	uint8_t *bytes;
	size_t size;
	char *name, *rule;
	int r;

	if (device_read_file(elf, &bytes, &size) < 0)
		return TACHO_EREAD;
	e->checksum = entry_checksum(e, bytes, size);
	free(bytes);
	buf_addf(&list, "%016llx\n", (unsigned long long)e->checksum);
	if (device_read_file(rule_path, &bytes, &size) < 0) {
		buf_free(&list);
		return TACHO_EREAD;
	}
	rule = strstr((char *)bytes, ": ");
	for (rule = rule ? rule + 2 : (char *)bytes + size; (name = next_dep(&rule));)
		dep_add(&list, name);
	free(bytes);
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < sizeof(linked) / sizeof(linked[0]); k++)
			if (!strncmp(w->v[i], linked[k], strlen(linked[k])))
				dep_add(&list, w->v[i] + strlen(linked[k]));
	r = write_whole(e->deps, &list);
	buf_free(&list);
	return r;
}

/* An unnamed file that contains TEXT; -1 on failure. */
static int source_file(const struct buf *text)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);
	size_t at = 0;
	ssize_t n;

	while (fd >= 0 && at < text->len) {
		n = pwrite(fd, text->data + at, text->len - at, (off_t)at);
		if (n > 0) {
			at += (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* Runs the command; its output goes to OUTPUT. */
static int build_run(struct words *w, struct buf *output)
{
	posix_spawn_file_actions_t actions;
	int pipe_fd[2], source, status = 0, r;
	pid_t pid;
	char part[4096];
	ssize_t n;

	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return device_fail(TACHO_EINTERNAL, "no pipe: %s", strerror(errno));
	source = source_file(&w->source);
	if (source < 0 || vec_reserve(w, w->n + 1) < 0) {
		close(pipe_fd[0]);
		close(pipe_fd[1]);
		if (source >= 0)
			close(source);
		return device_fail(TACHO_ENOMEM, "no memory for the compiler's input");
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, source, 0);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 1);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 2);
	w->v[w->n] = NULL;
	r = posix_spawnp(&pid, w->v[0], &actions, NULL, w->v, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fd[1]);
	close(source);
	if (r) {
		close(pipe_fd[0]);
		return device_fail(
			TACHO_EREAD,
			"cannot run %s: %s (Debian: apt-get install gcc-riscv64-unknown-elf)",
			w->v[0], strerror(r));
	}
	while ((n = read(pipe_fd[0], part, sizeof(part))) > 0)
		buf_add(output, part, (size_t)n);
	close(pipe_fd[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : TACHO_EFORMAT;
}

/* The end of a compiler message: the lines after its first are indented. */
static const char *message_end(const char *at)
{
	do
		at = strchrnul(at, '\n');
	while (*at && *++at == ' ');
	return at;
}

/* Skips the first lines of the compiler's output, which lead from our own text to the kernel. */
static const char *message_start(const char *output)
{
	static const char ours[] = "In file included from <stdin>";

	return strncmp(output, ours, sizeof(ours) - 1) ? output : message_end(output);
}

/*
 * The compiler's complaints about a kernel, without the names of hashed zones and without the
 * include path from our own file.
 */
static void find_warnings(const char *output, struct buf *text)
{
	static const char ours[] = "In file included from ";
	bool named = false;
	const char *end;

	if (!strstr(output, " warning: "))
		return;
	for (const char *at = output; *at; at = end) {
		size_t len = strcspn(at, "\n");

		end = message_end(at);
		/* Notes belong to the message before them. */
		named = memmem(at, len, "'#pragma message: ", 18) ||
			(named && memmem(at, len, " note: ", 7));
		if (!named && strncmp(at, ours, sizeof(ours) - 1) != 0)
			buf_add(text, at, (size_t)(end - at));
	}
}

/* Print it once, even if several RISCs compile it. */
static void warnings_report(struct tacho_device *d, const struct build *b, const char *output)
{
	struct buf text = BUF_INIT;
	uint64_t key;

	find_warnings(output, &text);
	if (text.len && !text.failed) {
		key = hash_bytes(HASH_START, text.data, text.len);
		if (!map_get(&d->warned, key) && map_set(&d->warned, key, 1) == 0)
			fprintf(stderr, "tacho: warning: the compiler warns of %s for %s:\n%.*s",
				b->source, risc_name(b->risc, b->ethernet), (int)text.len,
				text.data);
	}
	buf_free(&text);
}

/* Blanks unroll hints whose value is not a number, in preprocessed text. */
static void hints_blank(char *text)
{
	static const char hint[] = "#pragma GCC unroll";

	for (char *at = text; (at = strstr(at, hint));) {
		const char *value = at + sizeof(hint) - 1;

		value += strspn(value, " (");
		for (bool keep = *value >= '0' && *value <= '9'; *at && *at != '\n'; at++)
			if (!keep)
				*at = ' ';
	}
}

/*
 * gcc 12 and 13 refuse a loop's unroll hint that depends on a template's argument, which newer ones
 * accept: replaces the input by preprocessed text without such hints. OUT: where the command
 * writes.
 */
static int hints_drop(struct words *w, const char *out)
{
	struct buf output = BUF_INIT;
	uint8_t *bytes;
	size_t size;
	int r;

	word(w, "-E");
	r = build_run(w, &output);
	buf_free(&output);
	free(w->v[--w->n]);
	if (r == 0)
		r = device_read_file(out, &bytes, &size);
	if (r < 0)
		return r;
	hints_blank((char *)bytes);
	buf_free(&w->source);
	buf_add(&w->source, bytes, size);
	free(bytes);
	/* The list of files is from the preprocessor's run. */
	for (size_t i = 0; i + 1 < w->n; i++) {
		char *value = w->v[i + 1];

		if (!strcmp(w->v[i], "-x"))
			w->v[i + 1] = strdup("c++-cpp-output");
		else if (!strcmp(w->v[i], "-MF"))
			w->v[i + 1] = strdup("/dev/null");
		else
			continue;
		free(value);
		if (!w->v[i + 1])
			return device_fail(TACHO_ENOMEM, "no memory");
	}
	return w->source.failed ? device_fail(TACHO_ENOMEM, "no memory") : 0;
}

static int binary_compile(struct tacho_device *d, struct words *w, const struct build *b,
			  struct entry *e)
{
	struct buf output = BUF_INIT, text = BUF_INIT;
	char temporary[1100], rule[1200];
	int r;

	snprintf(temporary, sizeof(temporary), "%s.%d", e->elf, (int)gettid());
	snprintf(rule, sizeof(rule), "%s.d", temporary);
	word(w, "-MD");
	word(w, "-MF");
	word(w, "%s", rule);
	word(w, "-o");
	word(w, "%s", temporary);
	r = build_run(w, &output);
	if (r == TACHO_EFORMAT && output.data && strstr(output.data, "#pragma GCC unroll") &&
	    hints_drop(w, temporary) == 0) {
		buf_free(&output);
		r = build_run(w, &output);
	}
	if (r == TACHO_EFORMAT) {
		buf_addf(&text, "%s does not compile for %s:\n%s", b->source,
			 risc_name(b->risc, b->ethernet), message_start(output.data));
		r = device_fail_text(r, text.data);
	}
	/* The compiler's output has the names of hashed zones. */
	if (r == 0 && (write_whole(e->log, &output) < 0 || write_deps(e, w, temporary, rule) < 0 ||
		       rename(temporary, e->elf) < 0))
		r = device_fail(TACHO_EWRITE, "cannot write %s: %s", e->elf, strerror(errno));
	unlink(rule);
	if (r < 0)
		unlink(temporary);
	if (r == 0 && !b->firmware && output.len)
		warnings_report(d, b, output.data);
	buf_free(&output);
	buf_free(&text);
	return r;
}

/* ---- loading ---- */

/* One image of text and initial data, as loaded into L1. */
static int make_image(struct binary *b)
{
	uint32_t low = UINT32_MAX, high = 0;

	for (unsigned i = 0; i < b->elf.segments; i++) {
		const struct elf_segment *s = &b->elf.segment[i];

		if (!s->file_size)
			continue;
		low = s->load < low ? s->load : low;
		high = s->load + s->file_size > high ? s->load + s->file_size : high;
	}
	if (low >= high || high > 1u << 20)
		return device_fail(TACHO_EDAMAGED, "%s has no text", b->path);
	b->text = calloc(1, high - low);
	if (!b->text)
		return device_fail(TACHO_ENOMEM, "no memory");
	for (unsigned i = 0; i < b->elf.segments; i++) {
		const struct elf_segment *s = &b->elf.segment[i];

		if (s->file_size)
			memcpy(b->text + (s->load - low), s->bytes, s->file_size);
	}
	b->load = low;
	b->text_size = high - low;
	return 0;
}

static int build_load(struct tacho_device *d, const struct build *build, uint64_t key,
		      const struct entry *e, const struct binary **out)
{
	struct binary *b = calloc(1, sizeof(*b));
	const uint8_t *records;
	uint32_t size;
	int r;
	static const uint32_t reserved[] = {PROF_ID_COUNTERS, PROF_ID_NOC, PROF_ID_NOC_DEBUG};
	uint32_t next;

	if (!b)
		return device_fail(TACHO_ENOMEM, "no memory");
	b->key = key;
	b->path = strdup(e->elf);
	b->source = build->firmware ? NULL : strdup(build->source);
	r = entry_read(e, &b->bytes, &b->size);
	if (r == 0)
		r = elf_parse(&b->elf, b->bytes, b->size, device_error());
	if (r == 0)
		r = make_image(b);
	if (r < 0) {
		binary_free(b);
		return r;
	}
	if (d->hashed)
		names_read(&d->names, e->log);
	b->zones_from = d->next_zone;
	if (elf_section(&b->elf, ".tsc_zones", &records, &size))
		b->zones = size / 16;
	/* Skip numbers with another meaning. */
	next = d->next_zone + b->zones;
	for (unsigned i = 0; i < 3; i++)
		if (next <= reserved[i] && next + 512 > reserved[i])
			next = reserved[i] + 1;
	d->next_zone = next;
	b->next = d->binaries;
	d->binaries = b;
	*out = b;
	return 0;
}

void binary_free(struct binary *b)
{
	if (!b)
		return;
	elf_free(&b->elf);
	free(b->bytes);
	free(b->text);
	free(b->path);
	free(b->source);
	free(b);
}

/* Identifies a binary while the device is open: its whole command except the zone numbers. */
static uint64_t command_key(const struct words *w, bool with_zones)
{
	static const char maker[] = TACHO_VERSION " 3"; /* format version of .deps files */
	uint64_t h = hash_bytes(HASH_START, maker, sizeof(maker));

	for (size_t i = 0; i < w->n; i++)
		if (with_zones || !strstr(w->v[i], "__tacho_zone_base"))
			h = hash_text(h, w->v[i]);
	return hash_bytes(h, w->source.data, w->source.len);
}

/* Checks the folder only before compiling: a complete cache may be read-only. */
static int compile_into(struct tacho_device *d, struct words *w, const struct build *build,
			const char *folder, struct entry *e)
{
	int r;

	TACHO_ZONE("compile kernel");
	r = kernels_writable(folder);
	if (r == 0)
		r = binary_compile(d, w, build, e);
	if (r == 0)
		kernels_trim(d, folder);
	return r;
}

int build_refuse(void)
{
	return device_fail(TACHO_EUSAGE, "a set-user-id program compiles and loads no kernels");
}

int build_binary(struct tacho_device *d, const struct build *build, const struct binary **out)
{
	char folder[800];
	struct words w = {0};
	struct entry e;
	uint64_t key;
	int r = environ_is_secure() ? build_refuse() : build_command(&w, d, build);

	if (r == 0)
		r = kernels_folder(folder, sizeof(folder));
	if (r < 0)
		goto out;
	key = command_key(&w, false);
	for (struct binary *b = d->binaries; b; b = b->next) {
		if (b->key == key) {
			*out = b;
			goto out;
		}
	}
	e = (struct entry){.key = command_key(&w, true)};
	snprintf(e.elf, sizeof(e.elf), "%s/%016llx.elf", folder, (unsigned long long)e.key);
	snprintf(e.log, sizeof(e.log), "%s/%016llx.elf.log", folder, (unsigned long long)e.key);
	snprintf(e.deps, sizeof(e.deps), "%s/%016llx.deps", folder, (unsigned long long)e.key);
	r = entry_is_current(&e) ? build_load(d, build, key, &e, out) : TACHO_EDAMAGED;
	if (r == 0)
		kernels_used(e.elf, e.deps);
	/* If another process replaces files in between, the checksums do not match. */
	for (int tries = 0; r == TACHO_EDAMAGED && tries < 3; tries++) {
		r = compile_into(d, &w, build, folder, &e);
		if (r == 0)
			r = build_load(d, build, key, &e, out);
	}
out:
	for (size_t i = 0; i < w.n; i++)
		free(w.v[i]);
	vec_free(&w);
	buf_free(&w.source);
	return r;
}
