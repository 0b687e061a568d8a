/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python frames, read from outside: the interpreter's own list of frames, at the time of a sample.
 * The program controls everything in its memory: lengths, chains and strings are bounded, and
 * inconsistent data is not shown.
 */
#ifndef SAMPLE_PYTHON_H
#define SAMPLE_PYTHON_H

#include "sample/unwind.h"

#define PYTHON_FRAMES 256 /* maximum read of one stack */

/* Offsets in one version of the interpreter; x86-64. */
struct python_layout {
	uint16_t version; /* 0x030b */
	uint16_t interpreters, first_thread;
	uint16_t thread_next, thread_id, native_id; /* native_id 0: none */
	uint16_t frame;                             /* of the thread: frame, or cframe ... */
	int16_t cframe_current;                     /* ... that has it there; -1: no cframe */
	uint16_t code, previous, instruction, owner;
	uint16_t filename, name, first_line, table, first_instruction;
	uint16_t ascii, other; /* offset of the characters of a str */
};

struct python_frame {
	uint64_t code;
	int32_t offset; /* of the instruction in bytes; negative: before the first */
	bool entry;     /* the interpreter's C function was entered with it */
	bool hidden;    /* has no code of the program */
};

/* NULL: the version is not supported. */
const struct python_layout *python_layout_of(uint16_t version);

/* An interpreter in a process. */
struct python {
	pid_t pid;
	const struct python_layout *layout; /* NULL: none */
	uint64_t runtime, code_type;        /* addresses of _PyRuntime and PyCode_Type */
	uint64_t eval_start, eval_end;      /* of _PyEval_EvalFrameDefault */
};

/*
 * Finds the interpreter of a process by its mappings. False: it has none that is supported. Reads
 * files and memory of the process.
 */
bool python_find(struct python *py, const struct space *space);

/*
 * The frames of the thread TID, innermost first; returns their number, 0: none or unknown. SP
 * identifies threads of old versions.
 */
unsigned python_frames(const struct python *py, uint32_t tid, uint64_t sp,
		       struct python_frame *frames);

/* The content of a code object. Strings are malloc()ed. */
struct python_code {
	char *file, *name;
	uint32_t first_line;
	uint8_t *table;
	size_t table_len;
	uint64_t file_at, name_at, table_at; /* addresses, to recognise it again */
};
bool python_code_read(const struct python *py, uint64_t address, struct python_code *code);
/* True if ADDRESS still has the code object that was read. */
bool python_code_is_same(const struct python *py, uint64_t address, const struct python_code *code);
void python_code_free(struct python_code *code);

/* The line of an instruction. For fuzzing too: TABLE may be anything. */
uint32_t python_line(uint16_t version, const uint8_t *table, size_t len, uint32_t first_line,
		     int32_t offset);

#endif
