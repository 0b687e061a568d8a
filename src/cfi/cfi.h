/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information: finds the caller of a function from .eh_frame. A section is bytes from a
 * file that the sampled program chose: nothing in it is trusted, and work per call is bounded.
 * Registers have DWARF's numbers of x86-64: 0 rax 1 rdx 2 rcx 3 rbx 4 rsi 5 rdi 6 rbp 7 rsp 8-15
 * r8-r15 16 return address.
 */
#ifndef SAMPLE_CFI_H
#define SAMPLE_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CFI_REGS 17
#define CFI_RBX  3
#define CFI_RBP  6
#define CFI_RSP  7
#define CFI_RA   16

/* The bytes of a section and its address in the file. */
struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/* .eh_frame_hdr, the index of entries, and .eh_frame. */
struct cfi_file {
	struct cfi_section header, frame;
};

enum cfi_how {
	CFI_SAME,      /* the register has not changed */
	CFI_UNDEFINED, /* its value is lost; of the return address: this is the outermost frame */
	CFI_OFFSET,    /* stored at CFA + value */
	CFI_VALUE,     /* is CFA + value */
	CFI_REGISTER,  /* is in register value */
	CFI_AT_EXPRESSION,
	CFI_IS_EXPRESSION,
};

/* The rules at one address. */
struct cfi_row {
	uint64_t start;    /* of the function, an address of the file */
	uint64_t length;   /* of the function */
	uint32_t ruled;    /* bit per register that is not CFI_SAME */
	uint8_t cfa_reg;   /* CFA = register + cfa_value, or ... */
	bool cfa_computed; /* ... the expression at cfa_value of .eh_frame, cfa_len bytes */
	bool signal;       /* the caller was interrupted instead of calling */
	uint8_t how[CFI_REGS];
	int32_t cfa_value;
	uint32_t cfa_len;
	int32_t value[CFI_REGS]; /* of expressions: offset of the length in .eh_frame */
};

/* The rules for the instruction at PC (an address of the file). False: none. */
bool cfi_find(const struct cfi_file *file, uint64_t pc, struct cfi_row *row);

/*
 * Writes the index of an .eh_frame that has none, as that of static programs: the bytes of a header
 * with the address of FRAME. Returns their number, 0 if there are no entries; ROOM:
 * CFI_INDEX_ROOM().
 */
#define CFI_INDEX_ROOM(size) ((size) / 2 + 16)
size_t cfi_index(const struct cfi_section *frame, uint8_t *index, size_t room);

/*
 * Evaluates an expression. READ gives a word of the program's memory, false if it is unknown. KNOWN
 * has a bit for each register whose value in REGS is valid.
 */
struct cfi_memory {
	bool (*read)(const void *context, uint64_t address, uint64_t *value);
	const void *context;
};
bool cfi_evaluate(const struct cfi_section *frame, uint32_t offset, uint32_t len,
		  const uint64_t *regs, uint32_t known, const struct cfi_memory *memory,
		  const uint64_t *first, uint64_t *result);
/* The same for a rule of a register, which is preceded by its length. */
bool cfi_evaluate_rule(const struct cfi_section *frame, uint32_t offset, uint64_t cfa,
		       const uint64_t *regs, uint32_t known, const struct cfi_memory *memory,
		       uint64_t *result);

#endif
