/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the interpreter's frames and code objects from outside the process; see python.h. */
#include "sample/python.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#define STRING_MAX 1024
#define TABLE_MAX  (256u << 10)
#define THREADS    4096

static const struct python_layout layouts[] = {
	{0x0309, 32, 8, 8, 176, 0, 24, -1, 32, 24, 104, 0, 104, 112, 40, 120, 0, 48, 72},
	{0x030a, 32, 8, 8, 176, 0, 24, -1, 32, 24, 96, 0, 104, 112, 40, 120, 0, 48, 72},
	{0x030b, 40, 16, 8, 152, 160, 56, 8, 32, 48, 56, 68, 112, 128, 72, 136, 184, 48, 72},
	{0x030c, 40, 72, 8, 136, 144, 56, 0, 0, 8, 56, 70, 112, 128, 68, 136, 192, 40, 56},
	{0x030d, 632, 7344, 8, 152, 160, 72, -1, 0, 8, 56, 70, 112, 128, 68, 136, 200, 40, 56},
};

/* ---------------------------------------------------------------- memory */

static bool memory_read(pid_t pid, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	return address && process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static uint64_t python_word_at(const uint8_t *bytes, size_t offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

static bool pointer_read(const struct python *py, uint64_t address, uint64_t *value)
{
	return memory_read(py->pid, address, value, sizeof(*value));
}

/* ------------------------------------------------------------ interpreter */

const struct python_layout *python_layout_of(uint16_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}

/* The load bias of the module: what is added to its addresses. */
static bool module_bias(const struct space *space, const struct module *m, uint64_t *bias)
{
	for (size_t i = 0; i < space->mappings.n; i++) {
		const struct mapping *map = &space->mappings.v[i];
		uint64_t address;

		if (map->module == m && module_address(m, map->offset, &address)) {
			*bias = map->start - address;
			return true;
		}
	}
	return false;
}

static bool interpreter_take(struct python *py, const struct space *space, struct module *m)
{
	static const char *const names[] = {"_PyRuntime", "_PyEval_EvalFrameDefault", "PyCode_Type",
					    "Py_Version"};
	struct module_symbol found[4];
	const char *base = strrchr(m->path, '/'), *at = strstr(base ? base : m->path, "python3.");
	unsigned minor;
	uint16_t version = at && sscanf(at, "python3.%u", &minor) == 1 && minor < 256
				   ? (uint16_t)(0x0300 | minor)
				   : 0;
	uint64_t bias, number;

	memset(found, 0, sizeof(found));
	if (!module_bias(space, m, &bias) || !module_find_symbols(m, space->pid, names, found, 4) ||
	    !found[0].address || !found[1].address || !found[2].address)
		return false;
	py->pid = space->pid;
	if (found[3].address &&
	    memory_read(py->pid, found[3].address + bias, &number, sizeof(number)))
		version = (uint16_t)(number >> 16);
	py->layout = python_layout_of(version);
	py->runtime = found[0].address + bias;
	py->eval_start = found[1].address + bias;
	py->eval_end = py->eval_start + found[1].size;
	py->code_type = found[2].address + bias;
	return py->layout != NULL;
}

bool python_find(struct python *py, const struct space *space)
{
	memset(py, 0, sizeof(*py));
	for (size_t i = 0; i < space->mappings.n; i++) {
		struct module *m = space->mappings.v[i].module;

		if (m->kind != MODULE_FILE || !strstr(m->path, "python"))
			continue;
		module_load(m, space->pid);
		if (m->readable && interpreter_take(py, space, m))
			return true;
	}
	return false;
}

/* ----------------------------------------------------------------- frames */

#define THREAD_BYTES 320

/*
 * The state of thread TID. Old versions identify threads by the address of their pthread, which is
 * above their stack: use the nearest one. The main thread's is elsewhere; it is the oldest, the
 * last.
 */
static bool python_thread_find(const struct python *py, uint32_t tid, uint64_t sp, uint8_t *bytes)
{
	const struct python_layout *l = py->layout;
	uint64_t interpreter, at, best = 0, nearest = 64u << 20;

	if (!pointer_read(py, py->runtime + l->interpreters, &interpreter) ||
	    !pointer_read(py, interpreter + l->first_thread, &at))
		return false;
	for (unsigned n = 0; at && n < THREADS; n++) {
		uint64_t next, pthread;

		if (!memory_read(py->pid, at, bytes, THREAD_BYTES))
			return false;
		if (l->native_id && (uint32_t)python_word_at(bytes, l->native_id) == tid)
			return true;
		next = python_word_at(bytes, l->thread_next);
		pthread = python_word_at(bytes, l->thread_id);
		if (!l->native_id && pthread > sp && pthread - sp < nearest) {
			nearest = pthread - sp;
			best = at;
		}
		if (!l->native_id && !next && !best && tid == (uint32_t)py->pid)
			best = at;
		at = next;
	}
	return best && memory_read(py->pid, best, bytes, THREAD_BYTES);
}

/* One frame and the address of its caller. */
static bool frame_read(const struct python *py, uint64_t at, struct python_frame *f, uint64_t *next)
{
	const struct python_layout *l = py->layout;
	uint8_t bytes[112];
	uint64_t instruction;
	int32_t last;

	if (!memory_read(py->pid, at, bytes, sizeof(bytes)))
		return false;
	memset(f, 0, sizeof(*f));
	f->code = python_word_at(bytes, l->code) & ~1ull;
	*next = python_word_at(bytes, l->previous);
	if (l->version < 0x030b) { /* every call enters the interpreter's C function */
		memcpy(&last, bytes + l->instruction, sizeof(last));
		f->offset = (int32_t)((uint32_t)last << (l->version == 0x030a));
		f->entry = true;
		return true;
	}
	instruction = python_word_at(bytes, l->instruction);
	f->offset = (int32_t)(instruction - f->code - l->first_instruction);
	if (l->version == 0x030b) {
		f->entry = bytes[l->owner];
	} else {
		f->entry = f->hidden = bytes[l->owner] == 3;
	}
	return true;
}

unsigned python_frames(const struct python *py, uint32_t tid, uint64_t sp,
		       struct python_frame *frames)
{
	const struct python_layout *l = py->layout;
	uint8_t thread[THREAD_BYTES];
	unsigned n = 0;
	uint64_t at;

	if (!python_thread_find(py, tid, sp, thread))
		return 0;
	at = python_word_at(thread, l->frame);
	if (l->cframe_current >= 0 && !pointer_read(py, at + (uint64_t)l->cframe_current, &at))
		return 0;
	while (at && n < PYTHON_FRAMES)
		if (!frame_read(py, at, &frames[n++], &at))
			return 0;
	return at ? 0 : n; /* a stack with more frames is not understood */
}

/* ------------------------------------------------------------------- code */

static char *string_read(const struct python *py, uint64_t address)
{
	uint8_t head[40];
	uint64_t length;
	unsigned kind;
	char *text;
	bool ascii;

	if (!memory_read(py->pid, address, head, sizeof(head)))
		return NULL;
	length = python_word_at(head, 16);
	kind = head[32] >> 2 & 7;
	ascii = head[32] >> 6 & 1;
	if (!(head[32] >> 5 & 1) || length > STRING_MAX || (kind != 1 && kind != 2 && kind != 4))
		return NULL;
	text = calloc(1, (size_t)length * kind + 1);
	if (text && length &&
	    !memory_read(py->pid, address + (ascii ? py->layout->ascii : py->layout->other), text,
			 (size_t)length * kind)) {
		free(text);
		return NULL;
	}
	for (uint64_t i = 0; text && i < length; i++) { /* names are shown in ASCII */
		uint8_t c = (uint8_t)text[i * kind];

		for (unsigned k = 1; k < kind; k++)
			c = text[i * kind + k] ? '?' : c;
		text[i] = (char)(c < ' ' || c > '~' ? '?' : c);
	}
	if (text)
		text[length] = 0;
	return text;
}

#define CODE_BYTES 144

static bool code_head(const struct python *py, uint64_t address, uint8_t *bytes)
{
	return memory_read(py->pid, address, bytes, CODE_BYTES) &&
	       python_word_at(bytes, 8) == py->code_type;
}

bool python_code_is_same(const struct python *py, uint64_t address, const struct python_code *code)
{
	const struct python_layout *l = py->layout;
	uint8_t bytes[CODE_BYTES];

	return code_head(py, address, bytes) &&
	       python_word_at(bytes, l->filename) == code->file_at &&
	       python_word_at(bytes, l->name) == code->name_at &&
	       python_word_at(bytes, l->table) == code->table_at;
}

bool python_code_read(const struct python *py, uint64_t address, struct python_code *code)
{
	const struct python_layout *l = py->layout;
	uint8_t bytes[CODE_BYTES], head[32];
	uint32_t line;

	memset(code, 0, sizeof(*code));
	if (!code_head(py, address, bytes))
		return false;
	memcpy(&line, bytes + l->first_line, sizeof(line));
	code->first_line = line;
	code->file_at = python_word_at(bytes, l->filename);
	code->name_at = python_word_at(bytes, l->name);
	code->table_at = python_word_at(bytes, l->table);
	code->file = string_read(py, code->file_at);
	code->name = string_read(py, code->name_at);
	/* A bytes object: length at 16, content at 32. */
	if (code->file && code->name && memory_read(py->pid, code->table_at, head, sizeof(head))) {
		code->table_len = (size_t)python_word_at(head, 16);
		if (code->table_len <= TABLE_MAX)
			code->table = malloc(code->table_len + 1);
		if (code->table && code->table_len &&
		    !memory_read(py->pid, code->table_at + 32, code->table, code->table_len))
			code->table_len = 0;
	}
	if (!code->table) {
		python_code_free(code);
		return false;
	}
	return true;
}

void python_code_free(struct python_code *code)
{
	free(code->file);
	free(code->name);
	free(code->table);
	memset(code, 0, sizeof(*code));
}
